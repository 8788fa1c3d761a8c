//! `docs/verifier.md` has a row for every code, and its rows name functions and fixtures that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use jive_core::ParseErrorKind;
use jive_verifier::VerifyErrorKind;

/// The mark in a row whose rule no class alone can violate.
const NO_CLASS_ALONE: &str = "*no class alone*";
/// The mark in a row whose rule has no separate rejection code.
const NO_CODE: &str = "–";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate lies in the workspace")
        .to_owned()
}

/// Returns the rows of rules that a class can violate: clause, requirement, function, code, fixture.
fn rows() -> Vec<[String; 5]> {
    let text = fs::read_to_string(root().join("docs/verifier.md")).expect("the document is there");
    let (_, rules) = text
        .split_once("## Rules that a class may break")
        .expect("the section is there");
    let (rules, _) = rules
        .split_once("\n## ")
        .expect("another section follows it");
    rules
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| clause"))
        .map(|line| {
            let cells: Vec<String> = line
                .trim_matches('|')
                .split('|')
                .map(|cell| cell.trim().to_owned())
                .collect();
            cells
                .try_into()
                .unwrap_or_else(|_| panic!("a row has five cells: {line}"))
        })
        .collect()
}

/// Returns the texts in backticks in a cell of the table.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_code_has_a_row() {
    let rows = rows();
    let listed: BTreeSet<&str> = rows
        .iter()
        .filter(|row| row[3] != NO_CODE)
        .flat_map(|row| quoted(&row[3]))
        .collect();
    let codes: BTreeSet<&str> = [ParseErrorKind::CODES, VerifyErrorKind::CODES]
        .concat()
        .into_iter()
        .collect();
    assert_eq!(listed, codes);
}

#[test]
fn rows_name_existing_functions() {
    for row in rows() {
        let cell = quoted(&row[2]);
        let [file, function] = cell.as_slice() else {
            panic!("expected a file and a function: {row:?}");
        };
        let is_core = file.starts_with("classfile/") || file.starts_with("insn/");
        let crate_name = if is_core {
            "jive-core"
        } else {
            "jive-verifier"
        };
        let path = root().join(crate_name).join("src").join(file);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
        let declared = [format!("fn {function}("), format!("fn {function}<")];
        assert!(
            declared.iter().any(|text_of| text.contains(text_of)),
            "{file} has no function {function}"
        );
    }
}

#[test]
fn rows_name_existing_fixtures() {
    for row in rows() {
        if row[4] == NO_CLASS_ALONE {
            continue;
        }
        let (code, fixture) = (quoted(&row[3]), quoted(&row[4]));
        let [fixture] = fixture.as_slice() else {
            panic!("expected a fixture: {row:?}");
        };
        let path = if row[3] == NO_CODE {
            format!("{fixture}.jasm")
        } else {
            let of_code = fixture.split('.').next().expect("a split has a first part");
            assert_eq!([of_code], code.as_slice(), "the fixture is the code's");
            format!("reject/{fixture}.jasm")
        };
        let path = root().join("tests/fixtures").join(path);
        assert!(path.is_file(), "{} is not there", path.display());
    }
}
