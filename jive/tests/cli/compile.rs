//! `jive compile`: the class as a module of Rust, to standard output, to a file or as a crate.

use std::fs;

use super::{classes, jive_in};

#[test]
fn a_class_becomes_a_module_or_a_crate() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    let printed = jive_in(here, ["compile", "builtin:RawUnet"], b"");
    assert_eq!((printed.status, &*printed.err), (0, ""));
    for part in [
        "#[forbid(unsafe_code)]\npub mod raw_unet {\n",
        "pub struct RawUnet<N> {",
        "pub fn do_tx(&mut self, a0: i32, a1: i32, a2: i32) -> Result<i32, k::Trap> {",
    ] {
        assert!(printed.out.contains(part), "{part}");
    }
    let ended = jive_in(here, ["compile", "builtin:RawUnet", "-o", "raw.rs"], b"");
    assert_eq!((ended.status, &*ended.out, &*ended.err), (0, "", ""));
    let file = fs::read_to_string(here.join("raw.rs")).expect("it was written");
    assert_eq!(file, printed.out);
    let crated = ["compile", "builtin:RawUnet", "--crate", "raw"];
    let ended = jive_in(here, crated, b"");
    assert_eq!((ended.status, &*ended.out, &*ended.err), (0, "", ""));
    let manifest = fs::read_to_string(here.join("raw/Cargo.toml")).expect("it was written");
    assert!(manifest.contains("name = \"compiled-raw-unet\""));
    let library = fs::read_to_string(here.join("raw/src/lib.rs")).expect("it was written");
    assert!(library.ends_with(&printed.out));
    // A folder that is there stays as it is.
    fs::write(here.join("raw/src/lib.rs"), "mine").expect("written");
    let ended = jive_in(here, crated, b"");
    assert_eq!(ended.status, 2);
    assert!(ended.err.contains("cannot write raw"), "{}", ended.err);
    let kept = fs::read_to_string(here.join("raw/src/lib.rs")).expect("it is there");
    assert_eq!(kept, "mine");
    // The options are in the printed type.
    let options = ["--heap", "512", "--depth", "3", "--fuel", "77"];
    let words = ["compile", "builtin:NullCall"].into_iter().chain(options);
    let ended = jive_in(here, words, b"");
    assert!(ended.out.contains("c::Unit<FIELDS, 512, "), "{}", ended.out);
    assert!(
        ended.out.contains("Unit::new::<Code>(77, "),
        "{}",
        ended.out
    );
}

#[test]
fn what_is_no_safe_class_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    let class = fs::read(classes().join("LongMaths.class")).expect("it is there");
    fs::write(here.join("LongMaths.class"), &class).expect("written");
    let ended = jive_in(here, ["compile", "LongMaths.class", "-o", "out.rs"], b"");
    assert_eq!((ended.status, &*ended.out), (1, ""), "{}", ended.err);
    assert!(ended.err.contains("subset/"), "{}", ended.err);
    assert!(!here.join("out.rs").exists());
    for (words, status) in [
        (&["compile", "missing.class"][..], 2),
        (&["compile", "builtin:Nothing"], 2),
        (&["compile", "LongMaths.class", "--crate", "no/folder"], 1),
        (&["compile", "builtin:Drop", "--crate", "no/folder"], 2),
        (&["compile", "builtin:Drop", "-o", "no/file.rs"], 2),
        (&["compile", "builtin:Drop", "--depth", "0"], 2),
    ] {
        let ended = jive_in(here, words.iter().copied(), b"");
        assert_eq!((ended.status, &*ended.out), (status, ""), "{words:?}");
        assert!(!ended.err.is_empty(), "{words:?}");
    }
}
