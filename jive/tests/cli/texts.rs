//! Texts that people keep, in every form that editors and version control give them: with a byte order mark, with CR LF,
//! and without an end of the last line. Every command says about each form what it says about the plain text.

use std::fs;
use std::path::Path;

use crate::process::Ended;
use crate::{classes, jive_in, words};

/// Returns a text in every form but its own, each with a name.
fn forms(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let crlf = text.replace('\n', "\r\n");
    let unended = |text: &str| text.trim_end_matches(['\r', '\n']).to_owned();
    let forms = [
        ("byte order mark", format!("\u{feff}{text}")),
        ("CR LF", crlf.clone()),
        ("no last end", unended(text)),
        ("all three", format!("\u{feff}{}", unended(&crlf))),
        ("a mark and CR LF", format!("\u{feff}{crlf}")),
    ];
    forms.map(|(name, text)| (name, text.into_bytes())).into()
}

/// A kind of text, in a directory with what its command needs.
struct Kept<'k> {
    /// The file that has the text.
    file: &'k str,
    text: &'k str,
    /// The command that reads the text.
    command: &'k str,
    /// The exit status and what is said about the text.
    says: (i32, &'k str),
    /// The file that the command writes.
    writes: Option<&'k str>,
}

/// Asserts that a command does the same on every form of a text.
#[track_caller]
fn assert_alike(directory: &Path, kept: &Kept<'_>) {
    let run = |text: &[u8]| {
        let file = directory.join(kept.file);
        fs::write(&file, text).expect("it can be written");
        let mut ended = jive_in(directory, words(kept.command), b"");
        if kept.command.starts_with("shrink") {
            // The output of `jive shrink` says how many bytes the file had.
            ended.out.clear();
        }
        assert_eq!(fs::read(&file).expect("it was written"), text, "{ended:?}");
        let written = kept.writes.map(|name| {
            let path = directory.join(name);
            let bytes = fs::read(&path).expect("the command writes it");
            fs::remove_file(path).expect("it was written");
            bytes
        });
        (ended, written)
    };
    let plain = run(kept.text.as_bytes());
    let Ended { status, out, err } = &plain.0;
    let (expected, says) = kept.says;
    assert_eq!(*status, expected, "{} {out}{err}", kept.command);
    let said = format!("{out}{err}");
    assert!(said.contains(says), "{}: {said}", kept.command);
    for (form, text) in forms(kept.text) {
        assert_eq!(run(&text), plain, "{} with {form}", kept.command);
    }
}

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for name in ["Calls.class", "Masker.class"] {
        let to = directory.path().join(name);
        fs::copy(classes().join(name), to).expect("it can be copied");
    }
    directory
}

const SCENARIO: &str = "[[nic]]\nname = \"a\"\n[[nic]]\nname = \"b\"\n\
    [[endpoint]]\nnic = \"a\"\nname = \"client\"\n\
    [[endpoint]]\nnic = \"b\"\nname = \"server\"\napplet = \"Masker.class\"\n\
    [[channel]]\nclient = 1\nserver = 7\n\
    [[send]]\nendpoint = \"client\"\nchannel = 1\nat = \"10us\"\n\
    payload = { text = \"\"\"two\nlines\"\"\" }\n\
    [[expect]]\nendpoint = \"server\"\ndrops = 0\n";

#[test]
fn scenarios_of_every_text_form_are_alike() {
    let directory = directory();
    let kept = Kept {
        file: "s.toml",
        text: SCENARIO,
        command: "run s.toml --trace text --payload",
        says: (0, "74776f0a6c696e6573"),
        writes: None,
    };
    assert_alike(directory.path(), &kept);
    let unmet = SCENARIO.replace("drops = 0", "drops = 3");
    let wrong = SCENARIO.replace("channel = 1\nat", "chanel = 1\nat");
    for (text, says) in [
        (&*unmet, "s.toml:21:1"),
        ("nam = 1\n", "s.toml:1:1"),
        ("[[nic]]\nname = \"a\n", "s.toml:2:"),
        (&*wrong, "s.toml:17:1"),
    ] {
        let says = (if text == unmet { 1 } else { 2 }, says);
        assert_alike(directory.path(), &Kept { text, says, ..kept });
    }
    let shrunk = Kept {
        command: "shrink s.toml --most 20 --out small.toml -- grep -q Masker {}",
        says: (0, ""),
        writes: Some("small.toml"),
        ..kept
    };
    #[cfg(unix)]
    assert_alike(directory.path(), &shrunk);
    #[cfg(not(unix))]
    let _no_grep = shrunk;
}

#[test]
fn a_scenario_is_found_as_a_test_by_its_first_line() {
    let directory = directory();
    let (others, expects) = SCENARIO.split_once("[[expect]]").expect("it has one");
    let text = format!("[[expect]]{expects}{others}");
    let kept = Kept {
        file: "s.toml",
        text: &text,
        command: "test",
        says: (0, "1 passed"),
        writes: None,
    };
    assert_alike(directory.path(), &kept);
}

#[test]
fn profiles_of_every_text_form_are_alike() {
    let directory = directory();
    let text = include_str!("../../../nic-runtime/profiles/lanai-1998.toml");
    let scenario = format!("profile = \"p.toml\"\n{SCENARIO}");
    fs::write(directory.path().join("s.toml"), scenario).expect("it can be written");
    let kept = Kept {
        file: "p.toml",
        text,
        command: "run s.toml --trace text",
        says: (0, "deliver"),
        writes: None,
    };
    assert_alike(directory.path(), &kept);
    let command = "bound Masker.class --profile p.toml";
    let bounds = Kept {
        command,
        says: (0, "doRx"),
        ..kept
    };
    assert_alike(directory.path(), &bounds);
    let wrong = text.replacen("name = ", "nam = ", 1);
    for command in [kept.command, command] {
        let says = (2, "line");
        assert_alike(
            directory.path(),
            &Kept {
                text: &wrong,
                command,
                says,
                ..kept
            },
        );
    }
}

#[test]
fn assembly_of_every_text_form_is_alike() {
    let directory = directory();
    let text = "; A comment\n.class Adds\n.method static run()I stack 2 locals 0\n\
                \x20   iconst_1\n    iconst_2\n    iadd\n    ireturn\n";
    let kept = Kept {
        file: "Adds.jasm",
        text,
        command: "asm Adds.jasm",
        says: (0, ""),
        writes: Some("Adds.class"),
    };
    assert_alike(directory.path(), &kept);
    let first = text.replace("; A comment\n", "");
    assert_alike(
        directory.path(),
        &Kept {
            text: &first,
            ..kept
        },
    );
    let wrong = text.replace("iadd", "iad");
    let says = (1, "Adds.jasm:6:5");
    assert_alike(
        directory.path(),
        &Kept {
            text: &wrong,
            says,
            writes: None,
            ..kept
        },
    );
    let says = (1, "Adds.jasm:1:1");
    let text = ".clas Adds\n";
    assert_alike(
        directory.path(),
        &Kept {
            text,
            says,
            writes: None,
            ..kept
        },
    );
}

#[test]
fn calls_of_every_text_form_are_alike() {
    let directory = directory();
    let kept = Kept {
        file: "calls",
        text: "add 5\n\nadd -7\n",
        command: "exec --calls calls Calls.class add 100",
        says: (0, "return: 98"),
        writes: None,
    };
    assert_alike(directory.path(), &kept);
    for (text, says) in [("ad 5\n", "calls:1"), ("add 5\nadd 500\n", "calls:2")] {
        let says = (2, says);
        assert_alike(directory.path(), &Kept { text, says, ..kept });
    }
}

#[test]
fn a_line_of_the_source_is_quoted_alike() {
    let directory = directory();
    let text = "/* 1 */\n// 2\n// 3\n// 4\n// 5\n// 6\nreturn a / b;\n";
    let kept = Kept {
        file: "Calls.java",
        text,
        command: "exec Calls.class divide 1 0",
        says: (3, "return a / b;"),
        writes: None,
    };
    assert_alike(directory.path(), &kept);
}

#[test]
fn earlier_profiles_of_every_text_form_compare_alike() {
    let directory = directory();
    fs::write(directory.path().join("s.toml"), SCENARIO).expect("it can be written");
    let ended = jive_in(directory.path(), words("profile s.toml --format json"), b"");
    assert_eq!(ended.status, 0, "{}", ended.err);
    let kept = Kept {
        file: "before.json",
        text: &ended.out,
        command: "profile s.toml --against before.json",
        says: (0, ""),
        writes: None,
    };
    assert_alike(directory.path(), &kept);
}

/// Runs `jive test` against a golden trace that was changed.
fn compared(change: impl Fn(&str) -> String) -> Ended {
    let directory = directory();
    fs::write(directory.path().join("s.toml"), SCENARIO).expect("it can be written");
    let blessed = jive_in(directory.path(), words("test s.toml --bless"), b"");
    assert_eq!(blessed.status, 0, "{}", blessed.err);
    let golden = directory.path().join("s.trace");
    let trace = fs::read_to_string(&golden).expect("it was blessed");
    let text = change(&trace);
    let kept = Kept {
        file: "s.trace",
        text: &text,
        command: "test s.toml",
        says: (i32::from(text != trace), ""),
        writes: None,
    };
    assert_alike(directory.path(), &kept);
    fs::write(&golden, text).expect("it can be written");
    jive_in(directory.path(), words("test s.toml"), b"")
}

#[test]
fn a_golden_trace_is_compared_alike() {
    assert_eq!(compared(str::to_owned).status, 0);
    let ended = compared(|trace| trace.replacen("length=9", "length=8", 1));
    assert!(ended.out.contains("length: 8 -> 9"), "{}", ended.out);
}

#[test]
fn invisible_differences_of_golden_traces_are_named() {
    for (from, to, named) in [
        (
            "post=1",
            "post=1 \t",
            "is a space, a tab in the golden trace, and the end of the line now",
        ),
        (
            "post=1",
            "\rpost=1",
            "a carriage return in the golden trace, and",
        ),
        (
            "post=1",
            "post=1\u{200b}",
            "is U+200B in the golden trace, and",
        ),
        (
            "  tx-post",
            "\u{a0}\u{a0}tx-post",
            "2 times U+00A0 in the golden trace, and 4 spaces now",
        ),
        (
            "post=1",
            "post=\u{fffd}1",
            "is U+FFFD in the golden trace, and `1` now",
        ),
    ] {
        let ended = compared(|trace| {
            let lines =
                trace
                    .lines()
                    .map(|line| match line.ends_with(from) || from == "  tx-post" {
                        true => line.replacen(from, to, 1) + "\n",
                        false => line.to_owned() + "\n",
                    });
            lines.collect()
        });
        assert!(ended.out.contains(named), "{named}: {}", ended.out);
    }
    let ended = compared(|trace| format!("{trace} \n"));
    assert!(ended.out.contains("(a line of a space)"), "{}", ended.out);
}

#[test]
fn invalid_utf_8_has_its_line_in_every_text() {
    let directory = directory();
    let at = directory.path();
    let write =
        |name: &str, text: &[u8]| fs::write(at.join(name), text).expect("it can be written");
    let scenario = format!("profile = \"p.toml\"\n{SCENARIO}");
    write("s.toml", scenario.as_bytes());
    write("bad", b"\xef\xbb\xbfa\r\n\xff\r\n");
    write("p.toml", b"\xef\xbb\xbf# a\r\n\xff\r\n");
    write("bad.jasm", b"\xef\xbb\xbf; a\r\n\xff\r\n");
    for (command, status, says) in [
        ("run bad", 2, "bad:2:1"),
        ("run s.toml", 2, "found byte 0xff in line 2"),
        (
            "bound Masker.class --profile p.toml",
            2,
            "found byte 0xff in line 2",
        ),
        (
            "exec Calls.class --calls bad",
            2,
            "found byte 0xff in line 2",
        ),
        ("profile s.toml --against bad", 2, ""),
        ("asm bad.jasm", 1, "bad.jasm:2: expected UTF-8"),
    ] {
        let ended = jive_in(at, words(command), b"");
        assert_eq!(ended.status, status, "{command}: {}", ended.err);
        assert!(ended.err.contains(says), "{command}: {}", ended.err);
    }
}

#[test]
fn a_second_mark_is_named_where_it_is() {
    let directory = directory();
    let at = directory.path();
    let write = |name: &str, text: &str| fs::write(at.join(name), text).expect("it can be written");
    let twice = |text: &str| format!("\u{feff}\u{feff}{text}");
    let profile = include_str!("../../../nic-runtime/profiles/lanai-1998.toml");
    write("s.toml", &twice(SCENARIO));
    write("p.toml", &twice(profile));
    write("on.toml", &format!("profile = \"p.toml\"\n{SCENARIO}"));
    write("a.jasm", &twice(".class A\n"));
    write("calls", &twice("add 5\n"));
    let two = "expected one byte order mark at most, found two";
    for (command, status, says) in [
        ("run s.toml", 2, ["s.toml:1:1", two]),
        ("run on.toml", 2, ["on.toml:1:1", two]),
        ("bound Masker.class --profile p.toml", 2, ["p.toml", two]),
        ("asm a.jasm", 1, ["a.jasm:1:1", "unknown mnemonic"]),
        (
            "exec --calls calls Calls.class add 1",
            2,
            ["calls:1", "\\u{feff}add"],
        ),
    ] {
        let ended = jive_in(at, words(command), b"");
        assert_eq!(ended.status, status, "{command}: {}", ended.err);
        for said in says {
            assert!(ended.err.contains(said), "{command}: {}", ended.err);
        }
    }
}

/// The places besides `plain_text` that turn bytes into text, with what the bytes are. None of them is a file that
/// people keep.
const OTHERS: [(&str, &str); 16] = [
    ("jive-embed/src/names.rs", "names in class files"),
    ("jive-embed/src/plain_text.rs", "the reader itself"),
    ("jive-embed/src/preset.rs", "a name that was just made"),
    ("jive-embed/src/rejection/hint.rs", "names in class files"),
    ("jive-lab/src/asm/print.rs", "names in class files"),
    (
        "jive/src/cli/event_line.rs",
        "a line of a trace, which the reader has read",
    ),
    ("jive/src/cli/fields.rs", "names in class files"),
    ("jive/src/cli/openjdk/child.rs", "what a process answers"),
    ("jive/src/cli/packet/mod.rs", "an argument"),
    ("jive/src/cli/play/http.rs", "fields of a request"),
    ("jive/src/cli/play/site.rs", "the body of a request"),
    (
        "nic-experiment/src/experiment.rs",
        "JSON that was just written",
    ),
    (
        "nic-experiment/src/sweep/pack.rs",
        "a plan that was packed by another process",
    ),
    (
        "nic-experiment/src/sweep/store.rs",
        "rows that a sweep has written, of which one may be cut",
    ),
    ("nic-runtime/src/at_rest/mod.rs", "the text of a record"),
    (
        "nic-runtime/src/export/plain_json.rs",
        "JSON that was just written",
    ),
];

#[test]
fn files_become_text_in_one_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    let mut directories = [
        "jive",
        "jive-embed",
        "jive-lab",
        "nic-experiment",
        "nic-runtime",
    ]
    .map(|name| root.join(name).join("src"))
    .to_vec();
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("it is a directory") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            let code = text
                .split("#[cfg(test)]\nmod tests")
                .next()
                .unwrap_or_default();
            // An example in a comment reads no file of a user.
            let comment = |line: &&str| line.trim_start().starts_with("//");
            let code = code.lines().filter(|line| !comment(line));
            let code = code.collect::<Vec<_>>().join("\n");
            let reads = [
                "::from_utf8",
                "read_to_string(",
                "serde_json::from_slice",
                "serde_json::from_reader",
            ];
            if reads.iter().any(|read| code.contains(read)) {
                let name = path.strip_prefix(&root).expect("it is below");
                let parts = name.iter().map(|part| part.to_string_lossy());
                found.push(parts.collect::<Vec<_>>().join("/"));
            }
        }
    }
    found.sort();
    assert_eq!(found, OTHERS.map(|(file, _)| file));
}
