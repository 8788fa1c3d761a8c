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
