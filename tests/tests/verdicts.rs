//! OpenJDK's verifier agrees with this one where both have an opinion: on the fixtures, and on class
//! files of a compiler with a few bytes changed. (What is rejected for the subset's sake may be good
//! Java.)

use std::fs;

use jive_core::ClassFile;
use jive_verifier::Policy;
use tests::fixture::{Fixture, Outcome};
use tests::machine::judge;
use tests::openjdk::{committed, jdk};
use tests::random::Random;

/// Accepted here and refused by OpenJDK, with the reason.
const ACCEPTED_HERE_ALONE: [&str; 1] = [
    // OpenJDK trusts the `StackMapTable` of newer class files; here types are inferred (CONTRACT §2).
    "accept/class/stack-map-that-lies",
];

/// Families of fixtures on which OpenJDK has an opinion.
const FAMILIES: [&str; 3] = ["accept/", "reject/malformed/", "reject/unsafe/"];

const MUTANTS: usize = 4000;

/// A class file and whether it is to be accepted.
struct Case {
    name: String,
    bytes: Vec<u8>,
    accepted: bool,
}

/// Asks OpenJDK about each class file; fails where it disagrees, and says how many it was asked.
fn assert_openjdk_agrees(what: &str, cases: &[Case]) {
    if !jdk::is_java_installed() {
        jdk::announce(&format!("verdicts, {what}: SKIPPED, there is no `java`"));
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let class_files: Vec<_> = cases
        .iter()
        .enumerate()
        .map(|(number, case)| {
            let path = directory.path().join(format!("{number}.class"));
            fs::write(&path, &case.bytes).expect("a writable directory");
            path
        })
        .collect();
    let verdicts = jdk::verdicts(&class_files);
    assert_eq!(verdicts.len(), cases.len());
    let differing: Vec<String> = cases
        .iter()
        .zip(&verdicts)
        .filter(|(case, verdict)| case.accepted != (*verdict == "ok"))
        .map(|(case, verdict)| format!("{}: {verdict}", case.name))
        .collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    jdk::announce(&format!("verdicts, {what}: compared {}", verdicts.len()));
}

#[test]
fn openjdk_judges_the_fixtures_alike() {
    let mut fixtures = Fixture::all();
    fixtures.retain(|fixture| {
        FAMILIES
            .iter()
            .any(|family| fixture.name.starts_with(family))
            && !ACCEPTED_HERE_ALONE.contains(&fixture.name.as_str())
    });
    let cases: Vec<Case> = fixtures
        .into_iter()
        .map(|fixture| Case {
            accepted: fixture.name.starts_with("accept/"),
            name: fixture.name,
            bytes: fixture.bytes,
        })
        .collect();
    assert_openjdk_agrees("fixtures", &cases);
}

/// A class file to be changed, and where its code lies: start and length.
struct Original {
    name: String,
    bytes: Vec<u8>,
    code: Vec<(usize, usize)>,
}

/// Class files without debug information, which OpenJDK checks and this verifier skips, and without
/// static initializers, which OpenJDK would run.
fn originals() -> Vec<Original> {
    let mut originals = Vec::new();
    for (name, mut bytes) in committed::files("compilers/javac-8-g-none") {
        // In this version OpenJDK infers types too (JVMS §4.10).
        bytes[6..8].copy_from_slice(&49_u16.to_be_bytes());
        let mut index = vec![0; ClassFile::index_len(&bytes).expect("a class file")];
        let class = ClassFile::parse(&bytes, &mut index).expect("a class file");
        let has_initializer = class.methods().any(|method| method.name == *"<clinit>");
        let code: Vec<(usize, usize)> = class
            .methods()
            .filter_map(|method| method.code())
            .map(|code| (offset(&bytes, code.bytes), code.bytes.len()))
            .collect();
        if !has_initializer && name != "OwnNatives" {
            originals.push(Original { name, bytes, code });
        }
    }
    originals
}

/// Where a part of a file's bytes begins.
fn offset(file: &[u8], part: &[u8]) -> usize {
    part.as_ptr().addr() - file.as_ptr().addr()
}

/// Changes one or two bytes, most often in the code or in the limits of its frame.
fn mutant(original: &Original, random: &mut Random) -> Vec<u8> {
    let mut bytes = original.bytes.clone();
    for _ in 0..=random.below(2) {
        let (start, length) = random.pick(&original.code);
        let byte = u8::try_from(random.below(256)).expect("below 256");
        match random.below(8) {
            0 => {
                let at = 10 + random.index(bytes.len() - 10);
                bytes[at] = byte;
            }
            // `max_stack` and `max_locals` stand eight bytes before the code (JVMS §4.7.3).
            1 => bytes[start - 7 + 2 * random.index(2)] = byte % 8,
            2..=3 => bytes[start + random.index(length)] ^= 1 << (byte % 8),
            _ => bytes[start + random.index(length)] = byte % 202,
        }
    }
    bytes
}

#[test]
fn openjdk_judges_changed_class_files_alike() {
    let originals = originals();
    assert_eq!(originals.len(), 5);
    let mut random = Random::new(0x2545_f491_4f6c_dd1d);
    let mut cases = Vec::new();
    for number in 0..MUTANTS {
        let original = &originals[random.index(originals.len())];
        let bytes = mutant(original, &mut random);
        let verdict = judge(&bytes, Policy::ClassOnly, &[]);
        let accepted = match &verdict {
            Outcome::Rejected { code, .. } => {
                if !code.starts_with("unsafe/") && !code.starts_with("malformed/") {
                    continue;
                }
                false
            }
            verdict => *verdict == Outcome::Accepted,
        };
        let name = format!("{} number {number}, {verdict}", original.name);
        cases.push(Case {
            name,
            bytes,
            accepted,
        });
    }
    assert_openjdk_agrees("changed class files", &cases);
}
