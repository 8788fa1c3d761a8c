//! Only the verifier vouches for a class: no other source calls the constructor of `Verified`.

use std::fs;
use std::path::{Path, PathBuf};

/// Every Rust source below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn nobody_but_the_verifier_vouches() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for folder in [
        "jive-core/src",
        "jive-verifier/src",
        "nic-runtime/src",
        "applets/src",
        "tests/src",
    ] {
        sources(&root.join(folder), &mut found);
    }
    let calls: Vec<_> = found
        .iter()
        .filter(|path| {
            let text = fs::read_to_string(path).unwrap();
            // Unit tests stand at the end of a file, and may vouch for classes of their own.
            let code = text.split("#[cfg(test)]").next().unwrap();
            code.contains("Verified::vouch(")
        })
        .map(|path| path.strip_prefix(root).unwrap())
        .collect();
    assert_eq!(calls, [Path::new("jive-verifier/src/verify.rs")]);
}
