//! File names that are not valid UTF-8 or that contain control characters are read like others, and shown escaped.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use jive_core::is_plain;
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
fn every_command_escapes_every_name() {
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

/// A class whose names hold an escape sequence, a control of the writing direction and a line separator.
const HOSTILE: &str = r#"
.version 49.0
.class public super Ev\x1b31m"\xe2\x80\xae\xe2\x80\xa8
.super java/lang/Object
.source a\x1b]0;x\x07"\xe2\x80\xaeb\x2ejava
.field static RxBuf [B
.field static f\x1b32m"\xe2\x80\xae\xe2\x80\xa8 I
.method <init>()V stack 1 locals 1
 aload_0
 invokespecial java/lang/Object.<init>()V
 return
.method static doTx(III)I stack 5 locals 5
 iload_2
 putstatic f\x1b32m"\xe2\x80\xae\xe2\x80\xa8:I
 invokestatic m\x1b33m"\xe2\x80\xae\xe2\x80\xa8()I
 ireturn
.method static m\x1b33m"\xe2\x80\xae\xe2\x80\xa8()I stack 2 locals 2
 .line 3
 iconst_1
 iconst_0
 idiv
 ireturn
.method static doRx(II)I stack 2 locals 2
 iconst_0
 ireturn
"#;

/// A scenario that runs the class, with such names for NIC and endpoint.
const HOSTILE_RUN: &str = r#"
[[nic]]
name = "n\u001b[31m\u202e\u0007\u2028\u009b"
[[endpoint]]
nic = "n\u001b[31m\u202e\u0007\u2028\u009b"
name = "e\u001b[31m\u202e\u2028\u009b"
applet = "hostile.class"
[[channel]]
"e\u001b[31m\u202e\u2028\u009b" = [1, 2]
[[send]]
endpoint = "e\u001b[31m\u202e\u2028\u009b"
channel = 1
payload = { zeros = 3 }
[[expect]]
endpoint = "e\u001b[31m\u202e\u2028\u009b"
field = "f\u001b32m\"\u202e\u2028"
value = 77
"#;

#[test]
fn names_are_shown_in_plain_characters() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let here = directory.path();
    fs::write(here.join("hostile.jasm"), HOSTILE).expect("written");
    fs::write(here.join("hostile.toml"), HOSTILE_RUN).expect("written");
    fs::write(here.join("hostile.trace"), "").expect("written");
    for (line, status) in [
        ("asm hostile.jasm --out hostile.class", 0),
        (
            "run hostile.toml --perfetto p.json --pcap p.pcapng --trace-work --dump",
            1,
        ),
        ("run hostile.toml --trace json --payload", 1),
        ("run hostile.toml --sram", 0),
        ("test hostile.toml --junit junit.xml", 1),
        ("profile hostile.toml", 0),
        ("profile hostile.toml --format json", 0),
        ("profile hostile.toml --format folded", 0),
        ("verify hostile.class --report --lint", 0),
        ("verify hostile.class --format json --lint", 0),
        ("disasm hostile.class", 0),
        ("bound hostile.class", 0),
        ("bound hostile.class --format json", 0),
        ("packet hostile.class --tx 00", 3),
        ("packet hostile.class --tx 00 --format json", 3),
        ("exec hostile.class m", 2),
    ] {
        let ended = jive_in(here, line.split(' '), b"");
        let printed = ended.out + &ended.err;
        assert_eq!(ended.status, status, "{line}: {printed}");
        assert_plain(line, &printed);
    }
    for file in ["p.json", "junit.xml"] {
        assert_plain(
            file,
            &fs::read_to_string(here.join(file)).expect("it was written"),
        );
    }
}

#[track_caller]
fn assert_plain(what: &str, text: &str) {
    let hidden = text
        .char_indices()
        .find(|(_, c)| !is_plain(*c) && *c != '\n');
    if let Some((at, character)) = hidden {
        let line = text[..at].lines().last().unwrap_or_default();
        panic!("{what} shows {character:?} after {line:?}");
    }
}
