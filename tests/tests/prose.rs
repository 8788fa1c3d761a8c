//! Comments and documents are plain: no sentence has more than 25 words, banned phrases do not occur, and a comment names
//! its subject before a pronoun stands for it.
//! `scripts/prose` runs this test and lists all violations.

use std::fs;
use std::path::{Path, PathBuf};

/// Maximum number of words in a sentence.
const WORDS_MAX: usize = 25;

/// Phrases that replace the name of an actor, or that are hard to read.
const BANNED: [&str; 17] = [
    "whoever",
    "whomever",
    "notwithstanding",
    "in vain",
    "manieth",
    "for who ",
    "those who",
    "Tells whether",
    "Tells of",
    "comes by",
    "; answers",
    "; tells",
    "Says why",
    "Says whether",
    "judges none",
    "Finds out what",
    "What is known of",
];

/// Beginnings with a pronoun whose noun a comment has not named yet.
const NAMELESS: [&str; 10] = [
    "It ",
    "Its ",
    "They ",
    "Their ",
    "Whether it ",
    "Whether its ",
    "Whether they ",
    "Returns it ",
    "Returns its ",
    "Returns their ",
];

/// A block of prose: the number of its first line, and its lines.
type Block = (usize, Vec<String>);

/// Returns the comments of a source file.
fn comments(text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut is_open = false;
    for (number, line) in text.lines().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            is_open = false;
            continue;
        };
        let comment = comment.strip_prefix(['/', '!']).unwrap_or(comment);
        let comment = comment
            .strip_prefix(' ')
            .unwrap_or(comment)
            .trim_end()
            .to_owned();
        match found.last_mut().filter(|_| is_open) {
            Some((_, lines)) => lines.push(comment),
            None => found.push((number + 1, vec![comment])),
        }
        is_open = true;
    }
    found
}

/// Returns whether a line starts a list item.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ")
        || line.starts_with("* ")
        || (after_number.len() < line.len() && after_number.starts_with(". "))
}

/// Returns the paragraphs of a block, without code, tables and headings.
fn paragraphs(lines: &[String]) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut is_fenced = false;
    for line in lines {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        let is_code = line.starts_with("    ") && !is_item(line);
        let is_mark = line.trim_start().starts_with(['|', '#', '<']);
        if is_fenced || is_fence || is_code || is_mark || line.trim().is_empty() {
            found.push(String::new());
            continue;
        }
        if is_item(line) {
            found.push(String::new());
        }
        if let Some(last) = found.last_mut() {
            last.push_str(line.trim());
            last.push(' ');
        }
    }
    found.retain(|paragraph| !paragraph.is_empty());
    found
}

/// Replaces each code span by one word, and removes the targets of links.
fn without_code(paragraph: &str) -> String {
    let spans = paragraph.split('`').enumerate();
    let plain = spans.map(|(place, text)| if place % 2 == 0 { text } else { "X" });
    let plain = plain.collect::<String>();
    let mut parts = plain.split("](");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(part.split_once(')').map_or("", |(_, rest)| rest));
    }
    text
}

/// Splits a paragraph into sentences: after `.`, `!` and `?`, and after `:` and `;` before a capital letter.
fn sentences(paragraph: &str) -> Vec<String> {
    let text = without_code(paragraph);
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut found = vec![Vec::new()];
    for (place, word) in words.iter().enumerate() {
        if let Some(last) = found.last_mut() {
            last.push(*word);
        }
        let begins = words.get(place + 1).and_then(|next| next.chars().next());
        let is_capital = begins.is_some_and(|next| next.is_uppercase() || "\"([*".contains(next));
        let end = word.trim_end_matches(['*', ')', '"']);
        let is_abbreviation = matches!(end, "e.g." | "i.e." | "vs.");
        if (end.ends_with(['.', '!', '?']) && !is_abbreviation)
            || (end.ends_with([':', ';']) && is_capital)
        {
            found.push(Vec::new());
        }
    }
    found.into_iter().map(|words| words.join(" ")).collect()
}

/// Returns whether a sentence lists instructions with their pcs, or many values of a syntax.
fn is_listing(paragraph: &str, sentence: &str) -> bool {
    let numbers = sentence
        .split(' ')
        .filter(|word| word.chars().all(|c| c.is_ascii_digit()));
    numbers.count() >= 4 || paragraph.matches('`').count() > 40
}

/// Returns the violations in a block, with the line where the block starts.
fn faults(path: &str, (line, lines): &Block) -> Vec<String> {
    let mut found = Vec::new();
    for paragraph in paragraphs(lines) {
        for sentence in sentences(&paragraph) {
            let words = sentence.split(' ').count();
            if words > WORDS_MAX && !is_listing(&paragraph, &sentence) {
                found.push(format!("{path}:{line}: {words} words: {sentence}"));
            }
        }
        for phrase in BANNED.iter().filter(|phrase| paragraph.contains(**phrase)) {
            found.push(format!("{path}:{line}: \"{}\": {paragraph}", phrase.trim()));
        }
    }
    found
}

/// Returns a comment's first line if a pronoun comes before its noun.
fn nameless((line, lines): &Block) -> Option<(usize, &str)> {
    let first = lines.first()?;
    let is_nameless = NAMELESS.iter().any(|begin| first.starts_with(begin));
    is_nameless.then_some((*line, first))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let entry = entry.expect("a folder of the repository can be listed");
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') && name != "corpus" {
                files(&path, found);
            }
        } else if name.ends_with(".rs") || name.ends_with(".md") {
            found.push(path);
        }
    }
}

#[test]
fn comments_and_documents_are_plain() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    paths.sort();
    let mut found = Vec::new();
    for path in &paths {
        let name = path.strip_prefix(&root).expect("it lies below the root");
        let name = name.to_string_lossy().into_owned();
        // Skip this file, which contains the banned phrases.
        if name == "tests/tests/prose.rs" {
            continue;
        }
        let text = fs::read_to_string(path).expect("it is text");
        let blocks = if name.ends_with(".rs") {
            comments(&text)
        } else {
            vec![(1, text.lines().map(str::to_owned).collect())]
        };
        found.extend(blocks.iter().flat_map(|block| faults(&name, block)));
        if name.ends_with(".rs") {
            let nameless = blocks.iter().filter_map(nameless);
            found.extend(nameless.map(|(line, first)| format!("{name}:{line}: {first}")));
        }
    }
    assert!(
        found.is_empty(),
        "{}\n{} in all",
        found.join("\n"),
        found.len()
    );
}

#[test]
fn long_sentences_and_banned_phrases_are_found() {
    let of = |text: &str| {
        let blocks = comments(text);
        blocks
            .iter()
            .flat_map(|block| faults("a.rs", block))
            .count()
    };
    let long = "word ".repeat(WORDS_MAX + 1);
    let short = "word ".repeat(WORDS_MAX - 1);
    assert_eq!(of(&format!("// {long}.")), 1);
    assert_eq!(of(&format!("// {short}.\n// {short}.")), 0);
    assert_eq!(of(&format!("fn f() {{ \"{long}\" }}")), 0);
    assert_eq!(of(&format!("/// A span\n/// `{long}` is one word.")), 0);
    assert_eq!(of(&format!("// | {long} |\n//     {long}")), 0);
    assert_eq!(of("/// Tells whether it is."), 1);
    let nameless = |text: &str| comments(text).iter().filter_map(nameless).count();
    assert_eq!(nameless("/// Its length.\nlength: u32,"), 1);
    assert_eq!(
        nameless("/// The array. Its length counts.\n/// It is first."),
        0
    );
}
