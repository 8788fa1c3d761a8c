//! `[[expect]]` in scenarios, with `jive run` and `jive test`.

use std::fs;
use std::path::Path;

use crate::{classes, jive_in, words};

/// The scenario sends `hello` to the applet `Masker`, which exclusive-ors each byte with 0x5A and delivers the message.
const MASKED: &str = r#"
[[nic]]
name = "a"
[[nic]]
name = "b"
[[endpoint]]
nic = "a"
name = "client"
[[endpoint]]
nic = "b"
name = "server"
applet = "Masker.class"
[[channel]]
client = 1
server = 7
[[send]]
endpoint = "client"
channel = 1
payload = { text = "hello" }
"#;

/// Writes a scenario with the given expectations, and its applet.
fn lay(directory: &Path, name: &str, expectations: &str) {
    let class = directory.join("Masker.class");
    fs::copy(classes().join("Masker.class"), class).expect("it can be copied");
    let text = format!("{MASKED}{expectations}");
    fs::write(directory.join(name), text).expect("it can be written");
}

const MET: &str = "[[expect]]\nendpoint = \"server\"\npayload = { hex = \"323f363635\" }\n\
                   [[expect]]\ndrops = 0\n";
const UNMET: &str = "[[expect]]\nendpoint = \"server\"\npayload = { text = \"hello\" }\n";

#[test]
fn a_run_counts_met_and_shows_unmet_expectations() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    lay(directory.path(), "met.toml", MET);
    lay(
        directory.path(),
        "unmet.toml",
        &format!("{UNMET}[[expect]]\ndrops = 0\n[[expect]]\ncount = 1\n"),
    );
    let run = |line: &str| jive_in(directory.path(), words(line), b"");
    let met = run("run met.toml --trace none");
    assert_eq!((met.status, met.err.as_str()), (0, ""));
    assert!(
        met.out.contains("\nexpectations: 2 met, 0 not met\n"),
        "{}",
        met.out
    );
    let unmet = run("run unmet.toml --trace none");
    assert_eq!(unmet.status, 1);
    assert!(
        unmet.out.contains("\nexpectations: 2 met, 1 not met\n"),
        "{}",
        unmet.out
    );
    insta::assert_snapshot!(unmet.err);
    let json = run("run unmet.toml --trace json");
    assert_eq!((json.status, json.err), (1, unmet.err));
    let summary = json.out.lines().last().expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(summary).expect("JSON");
    let counts = serde_json::json!({ "met": 2, "not_met": 1 });
    assert_eq!(summary["expectations"], counts);
    crate::schema::with("trace.schema.json", |_, validator| {
        assert!(validator.is_valid(&summary), "{summary}");
    });
}

#[test]
fn a_scenario_with_expectations_is_a_test_without_a_trace() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    lay(directory.path(), "met.toml", MET);
    lay(directory.path(), "unmet.toml", UNMET);
    lay(directory.path(), "neither.toml", "");
    let test = |line: &str| jive_in(directory.path(), words(line), b"");
    let all = test("test");
    assert_eq!((all.status, all.err.as_str()), (1, ""));
    assert!(
        all.out
            .starts_with("ok: ./met.toml\ndiffers: ./unmet.toml\n"),
        "{}",
        all.out
    );
    assert!(all.out.contains("--> ./unmet.toml:20:1"), "{}", all.out);
    assert!(
        all.out
            .ends_with("\n1 passed, 1 differ, 0 failed to load\n"),
        "{}",
        all.out
    );
    // Unless the command names the scenario, `--bless` writes no new golden trace. A golden trace does not replace the
    // expectations.
    let all = test("test --bless").out;
    assert!(!directory.path().join("met.trace").exists());
    let unwritten = "ok: ./met.toml (no golden trace to bless: name the scenario to write one)\n";
    assert!(all.contains(unwritten), "{all}");
    // A run that does not meet an expectation leaves the golden trace as it is, unless it is asked for.
    let golden = directory.path().join("unmet.trace");
    let refused = test("test unmet.toml --bless");
    assert_eq!(refused.status, 1, "{}", refused.out);
    let unwritten = "\ndid not write unmet.trace: `--bless-failing` writes it\n";
    assert!(refused.out.contains(unwritten), "{}", refused.out);
    assert!(!golden.exists());
    let blessed = test("test unmet.toml --bless --bless-failing");
    assert_eq!(blessed.status, 1, "{}", blessed.out);
    let written = "\nwrote unmet.trace all the same\n";
    assert!(blessed.out.contains(written), "{}", blessed.out);
    assert!(golden.exists());
    assert_eq!(test("test unmet.toml").status, 1);
}

#[test]
fn scenario_without_expectations_says_how_to_add_them() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    lay(directory.path(), "neither.toml", "");
    let test = |line: &str| jive_in(directory.path(), words(line), b"");
    let named = test("test neither.toml");
    assert_eq!(named.status, 2);
    assert_eq!(
        named.err,
        "error: neither.toml has no golden trace neither.trace, and no `[[expect]]`\n |\n \
         = note: `jive test neither.toml --bless` writes the golden trace\n"
    );
    assert_eq!(named.out, "0 passed, 0 differ, 1 failed to load\n");
    assert_eq!(test("test neither.toml --bless").status, 0);
    assert_eq!(test("test neither.toml").status, 0);
}

#[test]
fn a_mistake_in_an_expectation_is_shown_at_its_place() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let wrong = "[[expect]]\nendpoint = \"server\"\nfield = \"packet\"\nvalue = 1\n";
    lay(directory.path(), "wrong.toml", wrong);
    let ended = jive_in(directory.path(), words("run wrong.toml"), b"");
    assert_eq!((ended.status, ended.out.as_str()), (2, ""));
    insta::assert_snapshot!(ended.err);
}

#[test]
fn a_list_of_payloads_is_one_descriptor_each() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let again =
        "[[send]]\nendpoint = \"client\"\nchannel = 1\nat = \"1ms\"\npayload = { hex = \"00\" }\n";
    // The applet delivers the byte 0x00 as 0x5A.
    let expect = |list: &str| {
        let text = format!("{again}[[expect]]\nendpoint = \"server\"\npayload = [{list}]\n");
        lay(directory.path(), "list.toml", &text);
        jive_in(directory.path(), words("test list.toml"), b"")
    };
    let both = expect("{ hex = \"323f363635\" }, { hex = \"5a\" }");
    assert_eq!((both.status, both.err.as_str()), (0, ""), "{}", both.out);
    let swapped = expect("{ hex = \"5a\" }, { hex = \"323f363635\" }");
    assert_eq!(swapped.status, 1);
    let none = expect("");
    assert_eq!(none.status, 2);
    assert!(none.err.contains("list.toml:"), "{}", none.err);
}

#[test]
fn a_misspelt_form_of_a_payload_is_one_error() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let expectation = "[[expect]]\nendpoint = \"server\"\npayload = { txt = \"hello\" }\n";
    lay(directory.path(), "misspelt.toml", expectation);
    let ended = jive_in(directory.path(), words("test misspelt.toml"), b"");
    assert_eq!(ended.status, 2);
    assert_eq!(ended.err.matches("error: ").count(), 1, "{}", ended.err);
    assert!(ended.err.contains("did you mean `text`?"), "{}", ended.err);
}

#[test]
fn a_test_that_fails_explains_the_traps_of_its_run() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for name in ["Oops.class", "Oops.java"] {
        fs::copy(classes().join(name), directory.path().join(name)).expect("it can be copied");
    }
    // For a packet of one byte, line 21 of `Oops` reads element 16 of an array of 16 elements.
    let text = MASKED.replace("Masker", "Oops").replace("hello", "x");
    let text = format!("{text}[[expect]]\ntraps = 0\n");
    fs::write(directory.path().join("oops.toml"), text).expect("it can be written");
    let ended = jive_in(directory.path(), words("test oops.toml"), b"");
    assert_eq!(ended.status, 1);
    for text in [
        "error[ArrayIndexOutOfBoundsException]: index 16, length 16",
        "return table[length + 15];",
    ] {
        assert!(ended.out.contains(text), "{}", ended.out);
    }
}

#[test]
fn a_source_that_is_newer_than_the_tested_class_is_named() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let source = directory.path().join("Masker.java");
    fs::copy(classes().join("Masker.java"), &source).expect("it can be copied");
    lay(directory.path(), "met.toml", MET);
    let test = |seconds: u64| {
        let file = fs::File::options().write(true).open(&source);
        let class = fs::metadata(directory.path().join("Masker.class")).expect("it is there");
        let time = class.modified().expect("a time") + std::time::Duration::from_secs(seconds);
        file.expect("it is ours")
            .set_modified(time)
            .expect("as well");
        jive_in(directory.path(), words("test met.toml"), b"")
    };
    let fresh = test(0);
    assert_eq!((fresh.status, fresh.err.as_str()), (0, ""));
    let stale = test(60);
    assert_eq!((stale.status, stale.out), (0, fresh.out));
    assert_eq!(
        stale.err,
        "warning: Masker.java is newer than Masker.class, so the test runs what was compiled before\n"
    );
}
