//! Only the verifier calls the constructor of `Verified`: no other source contains its name, `vouch`.
//!
//! A caller must write the name `vouch`, even to use a path, an alias or a function pointer, so the test searches for
//! the identifier.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

/// Files outside tests in which `vouch` may occur.
const ALLOWED: [&str; 4] = [
    // `firmware/size` measures the code size of a device that trusts its host and links no verifier.
    "firmware/size/src/main.rs",
    "jive-core/src/verified.rs",
    // The check against a certificate accepts nothing that the verifier would not.
    "jive-verifier/src/check.rs",
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

/// Returns whether an identifier occurs in a Rust source; comments and literals do not count.
fn has_identifier(text: &str, name: &str) -> bool {
    let tokens: TokenStream = text.parse().expect("Rust code");
    is_among(tokens, name)
}

fn is_among(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(found) => found.to_string().trim_start_matches("r#") == name,
        TokenTree::Group(group) => is_among(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
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
            has_identifier(&text, "vouch")
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
        assert!(has_identifier(code, "vouch"), "{code}");
    }
    for code in [
        "// V::vouch(c)\n/* V::vouch /* twice */ vouch */",
        "let s = \"V::vouch \\\" vouch\"; let r = r#\"vouch \" vouch\"#; let c = '\\'';",
        "vouched(c); avouch(c)",
    ] {
        assert!(!has_identifier(code, "vouch"), "{code}");
    }
}
