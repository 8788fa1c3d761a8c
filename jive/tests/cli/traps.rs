//! What the commands say about a trap: its values, the line of the source, and the nested calls in which it occurred.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::{classes, jive, jive_in, words};

/// The traps of `Oops`, by the length of the packet: kind, values, line and source text.
const TRAPS: [(&str, &str, usize, &str); 6] = [
    (
        "ArrayIndexOutOfBoundsException",
        "index 16, length 16",
        21,
        "return table[length + 15];",
    ),
    (
        "NullPointerException",
        "the reference is null",
        23,
        "return none[0];",
    ),
    (
        "ArithmeticException",
        "dividend 7, divisor 0",
        25,
        "return 7 / (length - 3);",
    ),
    (
        "TransientEscape",
        "byte[4] of this call, field kept",
        27,
        "kept = new byte[length];",
    ),
    (
        "ProtectionFault",
        "offset 9000, length 300, buffer has 9216 bytes",
        30,
        "txPush(RxBuf, 9000, 1, 300);",
    ),
    (
        "StackOverflowError",
        "64 nested calls, room for 64",
        40,
        "return deep(depth + 1) + 1;",
    ),
];

/// Returns the fix of a trap's explanation.
fn explained(kind: &str) -> &'static str {
    let explanation = jive_embed::explanations::find(kind);
    explanation.expect("every trap is explained").fix
}

#[test]
fn traps_report_values_line_and_calls() {
    for (length, (kind, why, line, text)) in (1..).zip(TRAPS) {
        let packet = "ab".repeat(length);
        let ended = jive(words(&format!("packet Oops.class --rx {packet}")));
        assert_eq!(ended.status, 3);
        let place = format!(" (line {line}): {why}\n");
        assert!(ended.out.contains(&place), "{}", ended.out);
        let err = ended.err;
        assert!(err.starts_with(&format!("error[{kind}]: {why}\n")), "{err}");
        let shown = err.lines().map(str::trim_end).collect::<Vec<_>>();
        let at = shown.iter().position(|shown| shown.ends_with(text));
        let at = at.unwrap_or_else(|| panic!("{text}: {err}"));
        assert!(shown[at].starts_with(&format!("{line} |")), "{err}");
        assert!(shown[at + 1].ends_with(&"^".repeat(text.len())), "{err}");
        let help = format!("`jive explain {kind}` has an example.");
        let help = format!("= help: {} {help}\n", explained(kind));
        let one_line = err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(one_line.contains(help.trim_end()), "{err}");
        let innermost = if kind == "StackOverflowError" {
            "deep"
        } else {
            "below"
        };
        assert!(err.contains(&format!("at Oops.{innermost}(Oops.java:{line})\n")));
        let outermost = match innermost {
            // The trap of `deep` occurs in 64 nested calls, of which 16 are shown.
            "deep" => "(48 more calls)\n",
            _ => "at Oops.doRx(Oops.java:15)\n",
        };
        assert!(err.contains(outermost), "{err}");
    }
}

#[test]
fn exec_explains_each_place_once() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let calls = directory.path().join("calls.txt");
    fs::write(&calls, "divide 7 0\ndivide 8 0\ndivide 6 3\n").expect("it can be written");
    let calls = calls.to_str().expect("UTF-8");
    let ended = jive(["exec", "--calls", calls, "Oops.class"]);
    let line = "trap: ArithmeticException at divide pc 2 (line 44)\n";
    assert_eq!(
        (ended.status, ended.out),
        (3, format!("{line}{line}return: 2\n"))
    );
    let of_first = "error[ArithmeticException]: dividend 7, divisor 0\n";
    assert!(ended.err.starts_with(of_first), "{}", ended.err);
    assert_eq!(ended.err.matches("error[").count(), 1, "{}", ended.err);
}

/// Returns a directory that contains the class `Oops`, but not its source.
fn without_source() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let to = directory.path().join("Oops.class");
    fs::copy(classes().join("Oops.class"), to).expect("it can be copied");
    directory
}

#[test]
fn traps_are_explained_once_a_place_with_source() {
    let directory = without_source();
    let scenario = "[[nic]]\nname = 'a'\n[[endpoint]]\nnic = 'a'\nname = 'left'\n\
                    [[endpoint]]\nnic = 'a'\nname = 'right'\napplet = 'Oops.class'\n\
                    [[channel]]\nleft = 1\nright = 1\n[[send]]\nendpoint = 'left'\nchannel = 1\n\
                    at = '1us'\npayload = { zeros = 3 }\nrepeat = 2\nevery = '1ms'\n";
    fs::write(directory.path().join("oops.toml"), scenario).expect("it can be written");
    let run = |more: &[&str]| {
        let arguments = [&["run", "oops.toml", "--trace", "json"][..], more].concat();
        jive_in(directory.path(), arguments, b"")
    };
    let plain = run(&[]);
    assert_eq!(plain.status, 0);
    assert!(plain.out.lines().all(|line| line.starts_with('{')));
    let explained = "error[ArithmeticException]: dividend 7, divisor 0\n";
    assert!(plain.err.starts_with(explained), "{}", plain.err);
    assert_eq!(plain.err.matches("error[").count(), 1, "{}", plain.err);
    assert!(plain.err.contains("endpoint right; 2 traps here in all\n"));
    // Without the source, the instructions around the trap are shown.
    assert!(plain.err.contains("   60: idiv\n"), "{}", plain.err);
    let sources = classes();
    let found = run(&["--source-path", sources.to_str().expect("UTF-8")]);
    assert!(found.err.contains("return 7 / (length - 3);"));
    assert!(!found.err.contains("idiv"), "{}", found.err);
    assert_eq!(found.out, plain.out);
}

#[test]
fn a_source_that_is_newer_than_its_class_is_named() {
    let directory = without_source();
    let source = directory.path().join("Oops.java");
    fs::copy(classes().join("Oops.java"), &source).expect("it can be copied");
    let exec = |directory: &Path| jive_in(directory, words("exec Oops.class divide 7 0"), b"").err;
    let note = "Oops.java is newer than Oops.class: compile it again";
    assert!(!exec(directory.path()).contains(note));
    let file = fs::File::options().append(true).open(&source);
    let later = SystemTime::now() + Duration::from_secs(60);
    let changed = file.and_then(|file| file.set_modified(later));
    changed.expect("it is ours");
    let shown = exec(directory.path());
    assert!(shown.contains(note), "{shown}");
}

#[test]
fn every_command_that_quotes_a_newer_source_says_so() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let copied = [
        (classes(), "Oops"),
        (tests.join("rejected/java"), "CharArray"),
        (tests.join("lint"), "ByteSign"),
    ];
    let scenario = "[[nic]]\nname = 'a'\n\
         [[endpoint]]\nnic = 'a'\nname = 'x'\napplet = 'Oops.class'\n\
         [[endpoint]]\nnic = 'a'\nname = 'y'\n[[channel]]\nx = 1\ny = 1\n\
         [[send]]\nendpoint = 'y'\nchannel = 1\npayload = { text = 'hel' }\n";
    fs::write(directory.path().join("s.toml"), scenario).expect("it can be written");
    let now = SystemTime::now();
    let set_age = |seconds: u64| {
        for (from, name) in &copied {
            for (extension, time) in [
                ("class", now),
                (
                    "java",
                    now - Duration::from_secs(60) + Duration::from_secs(seconds),
                ),
            ] {
                let file = format!("{name}.{extension}");
                let to = directory.path().join(&file);
                fs::copy(from.join(&file), &to).expect("it can be copied");
                let copy = fs::File::options().append(true).open(&to);
                let changed = copy.and_then(|copy| copy.set_modified(time));
                changed.expect("it is ours");
            }
        }
    };
    let is_named = |line: &str| {
        let ended = jive_in(directory.path(), words(line), b"");
        (ended.out + &ended.err).contains(".java is newer than ")
    };
    let commands = [
        "exec Oops.class divide 7 0",
        "packet Oops.class --rx 616263",
        "run s.toml",
        "profile s.toml --annotate",
        "verify CharArray.class",
        "verify --lint ByteSign.class",
    ];
    for (seconds, is_newer) in [(0, false), (120, true)] {
        set_age(seconds);
        for command in commands {
            assert_eq!(is_named(command), is_newer, "{command}");
        }
    }
}

#[test]
fn class_without_line_numbers_names_the_option_for_them() {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("../jive-core/tests/classes");
    let shown = jive_in(&core, words("exec Traps.class inner 9"), b"").err;
    let expected = "error[ArrayIndexOutOfBoundsException]: index 9, length 7\n";
    assert!(shown.starts_with(expected), "{shown}");
    assert!(shown.contains("compile it with `javac -g`"), "{shown}");
    // Without line numbers, the places of calls are pcs, as `javap -c` lists them.
    for call in ["at Traps.loadInt(pc 4)\n", "at Traps.inner(pc 1)\n"] {
        assert!(shown.contains(call), "{shown}");
    }
}
