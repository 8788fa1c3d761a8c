//! JIVE gives OpenJDK's results, trap names and trap lines on every line of `java/calls.txt`.
//!
//! OpenJDK's own answers are recorded in `java/openjdk.txt`, so JIVE is held to them on a machine
//! without Java too; where there is Java, it answers again and the record must be its answer. To
//! record anew: `BLESS=1 cargo test -p tests --test openjdk`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use jive_core::{ClassFile, Opcode, instructions};
use tests::asm::assemble;
use tests::openjdk::{Call, calls, jdk, jive};

/// The class files that the list names, committed and assembled.
struct Classes(BTreeMap<String, Vec<u8>>);

impl Classes {
    fn gather() -> Self {
        let mut classes = BTreeMap::new();
        for path in files(&jdk::directory().join("class")) {
            classes.insert(stem(&path), fs::read(&path).expect("a committed file"));
        }
        for path in files(&jdk::directory().join("assembled")) {
            let source = fs::read_to_string(&path).expect("a committed file");
            let assembled = assemble(&path.to_string_lossy(), &source)
                .unwrap_or_else(|error| panic!("{error}"));
            classes.insert(stem(&path), assembled.bytes);
        }
        Self(classes)
    }

    fn get(&self, name: &str) -> Vec<u8> {
        self.0
            .get(name)
            .unwrap_or_else(|| panic!("no class {name}"))
            .clone()
    }

    fn write_to(&self, directory: &Path) {
        for (name, bytes) in &self.0 {
            fs::write(directory.join(format!("{name}.class")), bytes)
                .expect("a writable directory");
        }
    }
}

fn files(directory: &Path) -> Vec<std::path::PathBuf> {
    fs::read_dir(directory)
        .expect("a committed directory")
        .map(|entry| entry.expect("a readable directory").path())
        .collect()
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .expect("a file")
        .to_string_lossy()
        .into_owned()
}

fn read(name: &str) -> String {
    fs::read_to_string(jdk::directory().join(name)).expect("a committed file")
}

/// Fails with the first lines that differ.
fn assert_same(left: &str, ours: &[String], right: &str, theirs: &[&str]) {
    let differing: Vec<String> = ours
        .iter()
        .zip(theirs)
        .filter(|(ours, theirs)| ours != *theirs)
        .take(10)
        .map(|(ours, theirs)| format!("{left}: {ours}\n{right}: {theirs}\n"))
        .collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert_eq!(ours.len(), theirs.len(), "lines of {left} and of {right}");
}

#[test]
fn results_and_traps_are_those_of_openjdk() {
    let classes = Classes::gather();
    let list = read("calls.txt");
    let calls = calls(&list);
    let count: usize = calls.iter().map(Call::count).sum();

    if jdk::is_installed("java") {
        let directory = tempfile::tempdir().expect("a temporary directory");
        classes.write_to(directory.path());
        let live = jdk::results(&list, &[directory.path()]);
        if std::env::var_os("BLESS").is_some() {
            let path = jdk::directory().join("openjdk.txt");
            fs::write(path, live.join("\n") + "\n").expect("a writable checkout");
        }
        let recorded = read("openjdk.txt");
        assert_same(
            "java",
            &live,
            "recorded",
            &recorded.lines().collect::<Vec<_>>(),
        );
    }

    let recorded = read("openjdk.txt");
    let ours = jive::results(&calls, |class| classes.get(class));
    assert_same(
        "jive",
        &ours,
        "openjdk",
        &recorded.lines().collect::<Vec<_>>(),
    );
    if jdk::is_installed("java") {
        jdk::announce(&format!("openjdk: compared {count}"));
    } else {
        jdk::announce(&format!(
            "openjdk: SKIPPED, `java` is not on the path; {count} results compared with recorded ones"
        ));
    }
}

#[test]
fn every_class_is_called() {
    let list = read("calls.txt");
    let called: BTreeSet<String> = calls(&list)
        .iter()
        .map(|call| call.class.to_owned())
        .collect();
    let written: BTreeSet<String> = Classes::gather().0.into_keys().collect();
    assert_eq!(called, written);
}

#[test]
fn every_opcode_of_the_subset_is_in_a_called_class() {
    let mut missing: BTreeSet<Opcode> = Opcode::ALL
        .iter()
        .copied()
        .filter(|opcode| opcode.exclusion().is_none())
        .collect();
    for bytes in Classes::gather().0.into_values() {
        let mut index = vec![0; ClassFile::index_len(&bytes).expect("a class file")];
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
