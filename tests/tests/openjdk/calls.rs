//! JIVE gives OpenJDK's results, trap names and trap lines for every line of `java/calls.txt`.
//!
//! OpenJDK's results are recorded in `java/openjdk.txt`, so the comparison also works without Java. If Java is
//! installed, OpenJDK runs the calls again, and its results must equal the record. To renew the record, run `BLESS=1
//! cargo test -p tests --test openjdk calls`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use jive_core::{ClassFile, Opcode, instructions};
use jive_lab::asm::assemble;
use tests::blessed;
use tests::openjdk::{Call, calls, committed, jdk, jive};
use tests::skipped::skip;

/// Returns the class files that the list of calls names, which are committed or assembled.
fn classes() -> BTreeMap<String, Vec<u8>> {
    let mut classes = committed::files("class");
    for (name, source) in committed::files("assembled") {
        let source = String::from_utf8(source).expect("a text");
        let assembled = assemble(&name, &source).unwrap_or_else(|error| panic!("{error}"));
        classes.insert(name, assembled.bytes);
    }
    classes
}

fn recorded() -> Vec<String> {
    let text = committed::text("openjdk.txt");
    text.lines().map(str::to_owned).collect()
}

/// Runs the calls on OpenJDK, and records the results if `BLESS` is set in the environment.
fn ask_openjdk(list: &str, classes: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, bytes) in classes {
        let path = directory.path().join(format!("{name}.class"));
        fs::write(path, bytes).expect("a writable directory");
    }
    let answers = jdk::results(list, &[directory.path()]);
    if blessed::is_wanted() {
        let text = answers.join("\n") + "\n";
        fs::write(committed::path("openjdk.txt"), text).expect("a writable checkout");
    }
    answers
}

/// Fails with the first lines of results that differ.
fn assert_same((left, ours): (&str, &[String]), (right, theirs): (&str, &[String])) {
    let differing: Vec<String> = ours
        .iter()
        .zip(theirs)
        .filter(|(ours, theirs)| ours != theirs)
        .take(10)
        .map(|(ours, theirs)| format!("{left}: {ours}\n{right}: {theirs}\n"))
        .collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert_eq!(ours.len(), theirs.len(), "lines of {left} and of {right}");
}

#[test]
fn results_and_traps_are_those_of_openjdk() {
    let classes = classes();
    let list = committed::text("calls.txt");
    let calls = calls(&list);
    let count: usize = calls.iter().map(Call::count).sum();
    let is_java_installed = jdk::is_java_installed();
    if is_java_installed {
        let answers = ask_openjdk(&list, &classes);
        assert_same(("openjdk", &answers), ("recorded", &recorded()));
    }
    let ours = jive::results(&calls, |class| classes[class].clone());
    assert_same(("jive", &ours), ("openjdk", &recorded()));
    if is_java_installed {
        jdk::announce(&format!("openjdk: compared {count}"));
    } else {
        let what = format!("comparison of {count} results with OpenJDK, beyond those recorded");
        skip(&what, jdk::NONE);
    }
}

#[test]
fn every_class_is_called() {
    let list = committed::text("calls.txt");
    let called: BTreeSet<String> = calls(&list)
        .iter()
        .map(|call| call.class.to_owned())
        .collect();
    let written: BTreeSet<String> = classes().into_keys().collect();
    assert_eq!(called, written);
}

#[test]
fn every_opcode_of_the_subset_is_in_a_called_class() {
    let mut missing: BTreeSet<Opcode> = Opcode::ALL
        .iter()
        .copied()
        .filter(|opcode| opcode.exclusion().is_none())
        .collect();
    for bytes in classes().into_values() {
        let mut index = vec![0; ClassFile::index_len(&bytes)];
        let class = ClassFile::parse(&bytes, &mut index).expect("a class file");
        for code in class.methods().filter_map(|method| method.code()) {
            for insn in instructions(code.bytes) {
                let insn = insn.expect("a compiler's code");
                missing.remove(&insn.opcode);
                if insn.wide {
                    missing.remove(&Opcode::Wide);
                }
            }
        }
    }
    assert_eq!(missing, BTreeSet::new());
}
