//! Streams: data and messages are separate, colours appear only on a terminal, and a closed pipe does not cause a
//! panic.

use std::process::{Command, Stdio};

use crate::{classes, jive, words};

#[test]
fn no_colour_reaches_a_pipe() {
    for line in [
        "run",
        "run nowhere",
        "verify LongMaths.class",
        "exec LongMaths.class f",
        "explain nothing",
        "disasm LongMaths.class",
        "--help",
    ] {
        let ended = jive(words(line));
        assert!(
            !ended.out.contains('\u{1b}') && !ended.err.contains('\u{1b}'),
            "{line}"
        );
    }
}

#[test]
fn only_help_and_version_go_to_standard_output() {
    for line in [
        "--help",
        "run --help",
        "exec -h",
        "help verify",
        "--version",
    ] {
        let ended = jive(words(line));
        assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{line}");
        assert!(!ended.out.is_empty());
    }
    for line in [
        "",
        "walk",
        "run --trace xml",
        "verify",
        "exec",
        "run --seed -1",
    ] {
        let ended = jive(words(line));
        assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{line}");
        assert!(!ended.err.is_empty());
    }
    for command in [
        "run", "test", "verify", "disasm", "exec", "compile", "explain", "stub",
    ] {
        let help = jive([command, "--help"]).out;
        assert!(
            help.contains("Examples:") && help.contains("Exit status:"),
            "{help}"
        );
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_fault() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_jive"))
        .args(["run", "--payload"])
        .current_dir(classes())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built for this test");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it was started");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
#[cfg(unix)]
fn endless_input_is_cut() {
    let zeros = std::fs::File::open("/dev/zero").expect("every Unix has it");
    let output = Command::new(env!("CARGO_BIN_EXE_jive"))
        .args(["verify", "-"])
        .stdin(zeros)
        .output()
        .expect("the binary was built for this test");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("error[limit/file-size]"));
}

#[test]
fn names_of_files_cannot_steer_a_terminal() {
    let ended = jive(["verify", "\u{1b}[31mred\u{202e}"]);
    assert_eq!(ended.status, 2);
    assert_eq!(
        ended.err,
        "error: cannot read \\u{1b}[31mred\\u{202e}: no such file\n"
    );
    // Pass names as a glob may produce them, which look like an option or are in the place of a word.
    for words in [
        &["verify", "--\u{1b}[31mred\u{202e}"][..],
        &["run", "--trace=\u{1b}[31mred\u{202e}"],
        &["\u{1b}[31mred\u{202e}", "run"],
    ] {
        let ended = jive(words);
        assert_eq!(ended.status, 2);
        let shown = "\\u{1b}[31mred\\u{202e}";
        assert!(ended.err.contains(shown), "{}", ended.err);
        assert!(!ended.err.contains(['\u{1b}', '\u{202e}']), "{}", ended.err);
    }
}

#[test]
fn files_are_whole_after_a_broken_pipe() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let run = |name: &str, trace: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_jive"))
            .args(["run", "lossy-link", "--trace", trace])
            .args(["--pcap", &format!("{name}.pcapng")])
            .args(["--perfetto", &format!("{name}.json")])
            .current_dir(directory.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary was built for this test");
        drop(child.stdout.take());
        assert_eq!(child.wait().expect("it was started").code(), Some(0));
        ["pcapng", "json"].map(|extension| {
            let path = directory.path().join(format!("{name}.{extension}"));
            std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        })
    };
    let expected = run("none", "none");
    assert!(expected == run("text", "text"), "text");
    assert!(expected == run("lines", "json"), "json");
}
