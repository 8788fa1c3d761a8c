//! `jive shrink`: small files on which a command still succeeds.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{jive_in, process::Ended, schema, words};

/// A class with a fault, and with much code that has nothing to do with this fault.
const FAULTY: &str = "\
.source Faulty.java
.field static count I
.method static helper(I)I stack 2 locals 1
    iload_0
    iconst_1
    iadd
    ireturn
.method static run(I)I stack 3 locals 2
    .line 7
    iload_0
    istore_1
again:
    iload_1
    ifle end
    getstatic count:I
    invokestatic helper(I)I
    putstatic count:I
    iinc 1 -1
    goto again
end:
    iconst_3
    newarray int
    ireturn
";

/// Runs a script as the command, with `jive` as its first argument and the candidate as its second.
fn shrink(directory: &Path, line: &str, script: &str) -> Ended {
    fs::write(directory.join("test.sh"), script).expect("it can be written");
    let jive = env!("CARGO_BIN_EXE_jive");
    let script = directory.join("test.sh");
    let script = script.to_str().expect("a path of UTF-8");
    let arguments = words(line).chain(["--", "sh", script, jive, "{}"]);
    jive_in(directory, arguments, b"")
}

fn faulty(directory: &Path) {
    let ended = jive_in(
        directory,
        words("asm - --out Faulty.class"),
        FAULTY.as_bytes(),
    );
    assert_eq!(ended.status, 0, "{}", ended.err);
}

#[test]
fn shrunk_class_keeps_its_rejection() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    faulty(path);
    let code = jive_in(path, words("verify --class-only Faulty.class"), b"").out;
    let code = code.split(['[', ']']).nth(1).expect("a code").to_owned();
    let script = format!("\"$1\" verify --class-only \"$2\" | grep -qF '{code}'");
    let ended = shrink(path, "shrink Faulty.class", &script);
    assert_eq!((ended.status, &*ended.err), (0, ""));
    assert!(
        ended.out.starts_with("Faulty.class.shrunk: "),
        "{}",
        ended.out
    );
    assert!(
        ended.out.contains("none smaller was found"),
        "{}",
        ended.out
    );
    let text = jive_in(path, words("asm --print Faulty.class.shrunk"), b"").out;
    // The fault is a reference where `ireturn` needs an `int`, and one instruction is enough to push a reference.
    let body = text
        .split_once(".method static run(I)I")
        .expect("the method")
        .1;
    assert_eq!(
        body, " stack 1 locals 1\n    aconst_null\n    ireturn\n",
        "{text}"
    );
    assert!(
        !text.contains("helper") && !text.contains(".field"),
        "{text}"
    );
    // A second run of `jive shrink` writes the same bytes.
    let first = fs::read(path.join("Faulty.class.shrunk")).expect("it was written");
    shrink(path, "shrink Faulty.class --out again", &script);
    assert_eq!(fs::read(path.join("again")).expect("it was written"), first);
}

#[test]
fn a_scenario_keeps_what_its_run_needs() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    let applet = applets::builtin("Drop").expect("it is shipped");
    fs::write(path.join("Drop.class"), applet.class).expect("it can be written");
    fs::write(
        path.join("s.toml"),
        "seed = 5
         [[nic]]
         name = 'a'
         [[nic]]
         name = 'b'
         [[nic]]
         name = 'c'
         [[endpoint]]
         nic = 'a'
         name = 'client'
         [[endpoint]]
         nic = 'b'
         name = 'dropper'
         applet = 'Drop.class'
         fuel = 9000
         [[endpoint]]
         nic = 'c'
         name = 'other'
         [[channel]]
         client = 1
         dropper = 1
         [[channel]]
         client = 2
         other = 1
         [[send]]
         endpoint = 'client'
         channel = 1
         payload = { text = 'a long message' }
         repeat = 20
         every = '100us'
         [[send]]
         endpoint = 'client'
         channel = 2
         payload = { hex = '00112233' }
        ",
    )
    .expect("it can be written");
    // The applet's relative path in the scenario is valid for candidates too.
    let script = "\"$1\" run \"$2\" | grep -q 'dropper .*applet-call .*method=doRx'";
    let ended = shrink(path, "shrink s.toml --out small.toml --format json", script);
    assert_eq!((ended.status, &*ended.err), (0, ""), "{}", ended.out);
    let report: Value = serde_json::from_str(&ended.out).expect("it is JSON");
    schema::with("shrink.schema.json", |_, validator| {
        assert!(validator.is_valid(&report), "{report}");
        assert!(!validator.is_valid(&Value::from("smallest")));
    });
    assert_eq!(report["ended"], "smallest");
    let text = fs::read_to_string(path.join("small.toml")).expect("it was written");
    for gone in ["other", "seed", "fuel", "every", "message", "name = \"c\""] {
        assert!(!text.contains(gone), "{gone} is left:\n{text}");
    }
    for kept in ["client", "dropper", "Drop.class", "[[channel]]", "[[send]]"] {
        assert!(text.contains(kept), "{kept} is gone:\n{text}");
    }
    let names = fs::read_dir(path).expect("a directory").count();
    // The directory contains only the class, the scenario, the result and the script, and no candidate.
    assert_eq!(names, 4);
}

#[test]
fn bounds_end_the_search_with_a_result() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    faulty(path);
    let ended = shrink(path, "shrink Faulty.class --most 2", "exit 0");
    assert_eq!(ended.status, 0, "{}", ended.err);
    assert!(
        ended
            .out
            .contains("2 of 2 candidates kept, ended by --most"),
        "{}",
        ended.out
    );
    // On candidates without a `helper`, the command hangs until it is killed.
    let hangs = "grep -q helper \"$2\" || sleep 60";
    let ended = shrink(path, "shrink Faulty.class --timeout 1 --most 3", hangs);
    assert_eq!(ended.status, 0, "{}", ended.err);
    assert!(ended.out.contains("ended by --most"), "{}", ended.out);
    let shrunk = fs::read(path.join("Faulty.class.shrunk")).expect("it was written");
    assert!(shrunk.windows(6).any(|word| word == b"helper"));
    let ended = shrink(path, "shrink Faulty.class --seconds 1", "sleep 0.3; exit 1");
    assert_eq!(ended.status, 1, "{}", ended.err);
    let slow = "sleep 0.3; grep -q Code \"$2\"";
    let ended = shrink(path, "shrink Faulty.class --seconds 1", slow);
    assert_eq!(ended.status, 0, "{}", ended.err);
    assert!(ended.out.contains("ended by --seconds"), "{}", ended.out);
}

#[test]
fn an_interesting_file_and_a_command_are_needed() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    faulty(path);
    let ended = shrink(path, "shrink Faulty.class", "exit 3");
    assert_eq!((ended.status, &*ended.out), (1, ""));
    let expected = "Faulty.class itself is not interesting: expected exit status 0, found 3";
    assert!(ended.err.contains(expected), "{}", ended.err);
    for (line, message) in [
        ("shrink Faulty.class", "<COMMAND>"),
        (
            "shrink Faulty.class -- true",
            "expected `{}` among the arguments",
        ),
        (
            "shrink none.class -- true {}",
            "cannot read none.class: no such file",
        ),
        (
            "shrink Faulty.class -- no-such-program {}",
            "cannot run no-such-program",
        ),
        (
            "shrink Faulty.class --out Faulty.class -- true {}",
            "the command reads it as Faulty.class",
        ),
    ] {
        let ended = jive_in(path, words(line), b"");
        assert_eq!(
            (ended.status, &*ended.out),
            (2, ""),
            "{line}: {}",
            ended.err
        );
        assert!(ended.err.contains(message), "{line}: {}", ended.err);
    }
    assert!(!path.join("Faulty.class.shrunk").exists());
}
