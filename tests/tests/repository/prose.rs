//! Comments and documents have no riddles: phrases that stand for a thing instead of naming it, and comments that begin
//! with a pronoun. `scripts/prose` runs this test and lists all of them.

use std::fs;
use std::path::{Path, PathBuf};

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

/// Returns the violations in a block, with the line where the block starts.
fn faults(path: &str, (line, lines): &Block) -> Vec<String> {
    let mut found = Vec::new();
    for paragraph in paragraphs(lines) {
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
            if name != "target"
                && name != "node_modules"
                && !name.starts_with('.')
                && name != "corpus"
            {
                files(&path, found);
            }
        } else if name.ends_with(".rs") || name.ends_with(".md") {
            found.push(path);
        }
    }
}

#[test]
fn comments_and_documents_have_no_riddles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    paths.sort();
    let mut found = Vec::new();
    for path in &paths {
        let name = path.strip_prefix(&root).expect("it lies below the root");
        let name = name.to_string_lossy().into_owned();
        // Skip this file, which contains the banned phrases.
        if name == "tests/tests/repository/prose.rs" {
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
fn banned_phrases_and_nameless_comments_are_found() {
    let of = |text: &str| {
        let blocks = comments(text);
        blocks
            .iter()
            .flat_map(|block| faults("a.rs", block))
            .count()
    };
    assert_eq!(of("/// Tells whether it is."), 1);
    assert_eq!(of("fn f() { \"Tells whether it is.\" }"), 0);
    assert_eq!(of("/// ```\n/// Tells whether it is.\n/// ```"), 0);
    let nameless = |text: &str| comments(text).iter().filter_map(nameless).count();
    assert_eq!(nameless("/// Its length.\nlength: u32,"), 1);
    assert_eq!(
        nameless("/// The array. Its length counts.\n/// It is first."),
        0
    );
}
