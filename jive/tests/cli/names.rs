//! File names that are not valid UTF-8 or that contain control characters are read like others, and shown escaped.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nic_runtime::scenario;

use crate::{classes, jive_in};

/// File names, each with its escaped form.
const NAMES: [(&[u8], &str); 2] = [
    (b"caf\xe9\xff", "caf\\xe9\\xff"),
    (
        b"\x1b[31m\n\xc2\x9b\xe2\x80\xae",
        "\\u{1b}[31m\\n\\u{9b}\\u{202e}",
    ),
];

fn with(name: &[u8], extension: &str) -> OsString {
    let mut name = OsStr::from_bytes(name).to_owned();
    name.push(extension);
    name
}

/// Runs `jive` and returns its exit status and what it printed on both streams.
fn run(directory: &Path, words: &[&OsStr]) -> (i32, String) {
    let ended = jive_in(directory, words, b"");
    let printed = ended.out + &ended.err;
    let control = printed.chars().find(|c| c.is_control() && *c != '\n');
    assert_eq!(control, None, "{words:?}: {printed:?}");
    assert!(!printed.contains('\u{fffd}'), "{words:?}: {printed:?}");
    (ended.status, printed)
}

#[test]
fn every_command_takes_every_name_and_shows_it_written_out() {
    for (name, shown) in NAMES {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let here = directory.path();
        let class = with(name, ".class");
        let toml = with(name, ".toml");
        let profile = with(name, ".profile");
        let calls = with(name, ".calls");
        let none = with(name, ".none");
        fs::copy(classes().join("LongMaths.class"), here.join(&class)).expect("copied");
        fs::copy(classes().join("Relay.class"), here.join("good.class")).expect("copied");
        let drop = scenario::builtin("drop").expect("it is shipped").text;
        fs::write(here.join(&toml), drop).expect("written");
        fs::write(here.join(&profile), "wrong").expect("written");
        fs::write(here.join(&calls), "f").expect("written");
        let (class, toml, profile) = (&*class, &*toml, &*profile);
        let (calls, none) = (&*calls, &*none);
        let word = OsStr::new;
        let good = word("good.class");
        for (words, status) in [
            (&[word("verify"), class, good, none][..], 2),
            (&[word("verify"), word("--class-only"), class, good], 1),
            (&[word("disasm"), class], 0),
            (&[word("disasm"), none], 2),
            (&[word("exec"), class, word("f")], 1),
            (&[word("exec"), none, word("f")], 2),
            (&[word("exec"), word("--calls"), calls, good], 2),
            (&[word("run"), none], 2),
            (&[word("run"), word("--pcap"), toml, toml], 2),
            (&[word("run"), word("--perfetto"), word("no/such"), toml], 2),
            (&[word("test"), none], 2),
            (&[word("test"), toml, word("--bless")], 0),
            (&[word("test"), toml], 0),
            (&[word("test")], 0),
            (
                &[word("paper"), word("unet-sle"), word("--profile"), profile],
                2,
            ),
            (&[word("stub"), word("--out"), none], 0),
        ] {
            let (found, printed) = run(here, words);
            assert_eq!(found, status, "{words:?}: {printed}");
            let is_named = printed.contains(shown) || words.contains(&word("no/such"));
            assert!(is_named, "{words:?}: {printed}");
        }
        // After a name that cannot be read, the command continues with the next files.
        let (_, printed) = run(here, &[word("verify"), class, none, good]);
        assert!(printed.contains("ok: good.class: class Relay"), "{printed}");
        // Write a scenario with a mistake, so that the output shows the scenario's name and the place.
        fs::write(here.join(toml), "x = 1").expect("written");
        let (status, printed) = run(here, &[word("run"), toml]);
        assert_eq!(status, 2);
        assert!(
            printed.contains(&format!("--> {shown}.toml:1:1")),
            "{printed}"
        );
    }
}

#[test]
fn a_name_in_json_is_the_name_where_it_is_text() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, shown) in [(NAMES[0].0, "caf\\xe9\\xff"), (b"a\tb", "a\tb")] {
        let words = ["verify", "--format", "json"].map(OsStr::new);
        let words = [&words[..], &[OsStr::from_bytes(name)]].concat();
        let ended = jive_in(directory.path(), words, b"");
        let verdict: serde_json::Value = serde_json::from_str(&ended.out).expect("JSON");
        assert_eq!(verdict["file"], shown);
    }
}
