//! Only the verifier calls the constructor of `Verified`: no other source contains its name, `vouch`.
//!
//! A caller must write the name `vouch`, even to use a path, an alias or a function pointer, so the test searches for
//! the identifier.

use std::fs;
use std::path::{Path, PathBuf};

/// Files outside tests in which `vouch` may occur.
const ALLOWED: [&str; 3] = [
    // `firmware/size` measures the code size of a device that trusts its host and links no verifier.
    "firmware/size/src/main.rs",
    "jive-core/src/verified.rs",
    "jive-verifier/src/verify.rs",
];

/// Finds every Rust source below a folder, except tests and build output.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !path.is_symlink() {
            // Search the crate `tests`, but not the `tests` folder of other crates.
            let is_crate = path.join("Cargo.toml").exists();
            let is_passed = name == "target" || name.starts_with('.');
            if !is_passed && (name != "tests" || is_crate) {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the identifiers in a Rust source, except those in comments, strings and character literals.
fn identifiers(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if let Some(raw) = raw_string(rest) {
            raw
        } else if is_part(first) {
            let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            found.push(&rest[..length]);
            length
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if first == '"' {
            quoted(rest, '"').unwrap_or(rest.len())
        } else if first == '\'' {
            // If the quote starts a lifetime, no closing quote follows the first character.
            character(rest).unwrap_or(1)
        } else {
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    found
}

/// Returns the length of the raw string at the start of a text, if there is one.
fn raw_string(text: &str) -> Option<usize> {
    let prefix = ["r", "br", "cr"].into_iter().find(|prefix| {
        text.starts_with(&format!("{prefix}\"")) || text.starts_with(&format!("{prefix}#"))
    })?;
    let behind = &text[prefix.len()..];
    let hashes = behind.len() - behind.trim_start_matches('#').len();
    let inside = behind[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = inside.find(&end)?;
    Some(prefix.len() + hashes + 1 + length + end.len())
}

/// Returns the length of a block comment, which may contain nested block comments.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Returns the length of a literal from quote to quote.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !is_escaped {
            return Some(at + 1);
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    None
}

/// Returns the length of a character literal, if the quote starts one.
fn character(text: &str) -> Option<usize> {
    let mut behind = text.chars().skip(1);
    match (behind.next()?, behind.next()?) {
        ('\\', _) | (_, '\'') => quoted(text, '\''),
        _ => None,
    }
}

#[test]
fn nobody_but_the_verifier_vouches() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    sources(root, &mut found);
    let mut naming: Vec<String> = found
        .iter()
        .filter(|path| {
            let text = fs::read_to_string(path).unwrap();
            identifiers(&text).contains(&"vouch")
        })
        .map(|path| {
            let path = path.strip_prefix(root).unwrap();
            path.to_string_lossy().replace('\\', "/")
        })
        .collect();
    naming.sort();
    assert_eq!(naming, ALLOWED);
    // Check that the search has reached the folders of all workspaces.
    for folder in [
        "nic-runtime/src",
        "tests/src",
        "firmware/src",
        "fuzz/fuzz_targets",
    ] {
        let folder = root.join(folder);
        assert!(
            found.iter().any(|path| path.starts_with(&folder)),
            "{}",
            folder.display()
        );
    }
}

#[test]
fn a_voucher_is_found_under_any_name_of_its_type() {
    for code in [
        "Verified::vouch(class, &[], None)",
        "use jive_core::Verified as V;\nfn f() { V::vouch(c, n, None); }",
        "<jive_core::Verified<'_>>::vouch(c, n, None)",
        "let make: fn(_, _, _) -> _ = jive_core::Verified::vouch;",
        "type Proof<'a> = Verified<'a>; Proof::r#vouch(c, n, None)",
        "let quote = '\"'; V::vouch(c, n, None); let other = '\"';",
        "fn f<'a>(v: &'a str) { V::vouch /* here */ (c, n, None) }",
        "let s = r#\"\" \"#; V::vouch(c, n, None)",
    ] {
        assert!(identifiers(code).contains(&"vouch"), "{code}");
    }
    for code in [
        "// V::vouch(c)\n/* V::vouch /* twice */ vouch */",
        "let s = \"V::vouch \\\" vouch\"; let r = r#\"vouch \" vouch\"#; let c = '\\'';",
        "vouched(c); avouch(c)",
    ] {
        assert!(!identifiers(code).contains(&"vouch"), "{code}");
    }
}
