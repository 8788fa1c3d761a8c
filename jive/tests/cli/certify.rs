//! `jive certify`.

use std::fs;

use crate::{jive_in, words};

#[test]
fn a_class_passes_with_its_certificate_and_no_other() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let certify = |line: &str| jive_in(directory.path(), words(line), b"");
    let written = certify("certify builtin:RawUnet -o raw.cert");
    assert_eq!((written.status, written.out.as_str()), (0, ""));
    let path = directory.path().join("raw.cert");
    let certificate = fs::read(&path).expect("it was written");
    let length = certificate.len();
    assert_eq!(written.err, format!("wrote raw.cert: {length} bytes\n"));

    let checked = certify("certify builtin:RawUnet --check raw.cert");
    assert_eq!((checked.status, checked.out.as_str()), (0, ""));
    let foreign = certify("certify builtin:PingPong --check raw.cert");
    assert_eq!(foreign.status, 1);
    let misfit = "expected a certificate that fits the class, found one that does not at ";
    assert!(foreign.err.contains(misfit), "{}", foreign.err);
    fs::write(&path, &certificate[1..]).expect("it can be written");
    assert_eq!(
        certify("certify builtin:RawUnet --check raw.cert").status,
        1
    );
}

#[test]
fn a_class_that_breaks_a_rule_is_explained_whatever_its_certificate() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let class = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../nic-runtime/tests/classes/Rounds.class"
    );
    let certify = |options: &str| {
        let line = ["certify", class].into_iter().chain(words(options));
        jive_in(directory.path(), line, b"")
    };
    assert_eq!(certify("--class-only -o it.cert").status, 0);
    assert_eq!(certify("--class-only --check it.cert").status, 0);
    // The class is no applet.
    let rejected = certify("--check it.cert");
    assert_eq!(rejected.status, 1);
    let explained = "error[applet/missing-member]";
    assert!(rejected.err.starts_with(explained), "{}", rejected.err);
}

#[test]
fn a_rejected_class_gets_no_certificate() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let certify = |line: &str| jive_in(directory.path(), words(line), b"no class file");
    let rejected = certify("certify - -o it.cert");
    assert_eq!(rejected.status, 1);
    assert!(
        rejected.err.starts_with("error[malformed/magic]"),
        "{}",
        rejected.err
    );
    assert!(!directory.path().join("it.cert").exists());
    assert_eq!(certify("certify nowhere -o it.cert").status, 2);
    assert_eq!(certify("certify builtin:RawUnet --check nowhere").status, 2);
    assert_eq!(certify("certify builtin:RawUnet").status, 2);
}
