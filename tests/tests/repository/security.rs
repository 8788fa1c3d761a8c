//! SECURITY.md: each guarantee names tests, and what it names exists.

use std::fs;
use std::path::Path;

fn root() -> &'static Path {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    root.expect("the crate lies in the workspace")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the guarantees of SECURITY.md, each with everything indented below it.
fn guarantees() -> Vec<String> {
    let page = read("SECURITY.md");
    let after = page.split_once("\n## Guarantees\n").expect("the chapter").1;
    let chapter = after.split_once("\n## ").expect("another chapter").0;
    let items = chapter.split("\n- **").skip(1);
    items.map(str::to_owned).collect()
}

/// Returns the words of a text that are marked as code.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns whether a word is the name of a test in a guarantee, and not that of a field or a key.
fn is_test(word: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    word.bytes().all(is_name) && word.matches('_').count() > 2
}

#[test]
fn each_guarantee_names_its_tests() {
    let guarantees = guarantees();
    assert!(guarantees.len() > 15, "{}", guarantees.len());
    for guarantee in &guarantees {
        let mut file: Option<(&str, String)> = None;
        let mut files = 0;
        for word in code(guarantee) {
            if word.ends_with(".rs") {
                file = Some((word, read(word)));
                files += usize::from(word.contains("tests/"));
            } else if is_test(word) {
                let (path, text) = file.as_ref().expect("a test follows its file");
                let test = format!("#[test]\nfn {word}()");
                assert!(text.contains(&test), "{path} has no test {word}");
            }
        }
        assert!(files > 0, "no test: {guarantee}");
        if let Some((_, targets)) = guarantee.split_once("fuzz target") {
            let end = targets.find(')').unwrap_or(targets.len());
            for target in code(&targets[..end]) {
                read(format!("fuzz/fuzz_targets/{target}.rs"));
            }
        }
    }
}

/// The crate whose functions take pointers of C.
const POINTERS: &str = "jive-c";

#[test]
fn every_shipped_crate_forbids_unsafe_code() {
    let workspace = read("Cargo.toml");
    assert!(workspace.contains("\nunsafe_code = \"forbid\"\n"));
    let mut shipped = 0;
    for entry in fs::read_dir(root()).expect("the workspace can be read") {
        let manifest = entry.expect("an entry").path().join("Cargo.toml");
        let Ok(text) = fs::read_to_string(&manifest) else {
            continue;
        };
        if text.contains("publish = false") || text.contains("[workspace]") {
            continue;
        }
        shipped += 1;
        if manifest
            .parent()
            .is_some_and(|folder| folder.ends_with(POINTERS))
        {
            assert!(text.contains("\nundocumented_unsafe_blocks = \"warn\"\n"));
            continue;
        }
        let takes_lints = text.contains("\n[lints]\nworkspace = true");
        assert!(takes_lints, "{}", manifest.display());
    }
    assert!(shipped > 6, "{shipped}");
}
