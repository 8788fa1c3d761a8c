//! `jive profile` counts what a class executes. The counts of the tests are made by hand.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::process::Ended;
use crate::{jive, jive_in, schema, words};

/// A call of `doRx` makes three rounds. In line 11, the loop's test runs four times and its step three times.
const SOURCE: &str = "\
.class public super Counted
.source Counted.java
.method static doRx(II)I stack 2 locals 3
.line 10
    iconst_0
    istore_2
top:
.line 11
    iload_2
    iconst_3
    if_icmpge out
.line 12
    invokestatic inner()V
.line 11
    iinc 2 1
    goto top
out:
.line 14
    iconst_1
    ireturn
.method static inner()V stack 0 locals 0
.line 20
    return
.method static never()V stack 0 locals 0
.line 30
    return
";

/// Two messages reach the applet. A bytecode takes 126 ns under the profile `lanai-1998-split`.
const SCENARIO: &str = "\
profile = 'lanai-1998-split'
[[nic]]
name = 'a'
[[nic]]
name = 'b'
[[endpoint]]
nic = 'a'
name = 'user'
[[endpoint]]
nic = 'b'
name = 'counted'
applet = 'Counted.class'
[[channel]]
user = 1
counted = 1
[[send]]
endpoint = 'user'
channel = 1
at = '10us'
payload = { text = 'hello' }
repeat = 2
every = '200us'
";

/// Writes the class and the scenario to a new directory.
fn set_up(source: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    assemble(directory.path(), source);
    fs::write(directory.path().join("counted.toml"), SCENARIO).expect("it can be written");
    directory
}

fn assemble(directory: &Path, source: &str) {
    fs::write(directory.join("Counted.jasm"), source).expect("it can be written");
    let ended = jive_in(directory, words("asm Counted.jasm"), b"");
    assert_eq!(ended.status, 0, "{}", ended.err);
}

fn run(directory: &Path, line: &str) -> Ended {
    let ended = jive_in(directory, words(line), b"");
    assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{line}");
    ended
}

fn profile(directory: &Path, line: &str) -> Value {
    let ended = run(directory, &format!("profile {line} --format json"));
    let report = serde_json::from_str(&ended.out).expect("one object");
    schema::with("profile.schema.json", |_, validator| {
        assert!(validator.is_valid(&report), "{report}");
    });
    report
}

/// Returns the line, instructions, executed instructions, bytecodes and time of each line of a method.
fn lines(report: &Value, method: &str) -> Vec<[u64; 5]> {
    let methods = report["classes"][0]["methods"].as_array().expect("a list");
    let method = methods.iter().find(|row| row["method"] == method);
    let lines = method.expect("a method of the class")["lines"].as_array();
    let keys = [
        "line",
        "instructions",
        "instructions_executed",
        "bytecodes",
        "time_ns",
    ];
    let row = |line: &Value| keys.map(|key| line[key].as_u64().expect("a number"));
    lines.expect("a list").iter().map(row).collect()
}

#[test]
fn each_line_has_the_bytecodes_and_the_time_counted_by_hand() {
    let directory = set_up(SOURCE);
    let report = profile(directory.path(), "counted.toml");
    assert_eq!(
        lines(&report, "doRx"),
        [
            [10, 2, 2, 2 * 2, 126 * 2 * 2],
            [11, 5, 5, 2 * (4 * 3 + 3 * 2), 126 * 2 * 18],
            [12, 1, 1, 2 * 3, 126 * 2 * 3],
            [14, 2, 2, 2 * 2, 126 * 2 * 2],
        ]
    );
    assert_eq!(lines(&report, "inner"), [[20, 1, 1, 2 * 3, 126 * 2 * 3]]);
    assert_eq!(lines(&report, "never"), [[30, 1, 0, 0, 0]]);
    let class = &report["classes"][0];
    // The assembler adds `<init>` and `doTx` without line numbers, so their instructions count for no line.
    assert_eq!(
        (&class["lines"], &class["lines_executed"]),
        (&json!(6), &json!(5))
    );
    assert_eq!(class["endpoints"], json!(["counted"]));
    let chains = class["chains"].as_array().expect("a list");
    let chain = |methods: Value| chains.iter().find(|chain| chain["methods"] == methods);
    let nested = chain(json!(["doRx", "inner"])).expect("it was called");
    assert_eq!(nested["bytecodes"], 2 * 3);
    let outer = chain(json!(["doRx"])).expect("it was called");
    assert_eq!(outer["bytecodes"], 2 * (2 + 18 + 3 + 2));
}

#[test]
fn a_profile_adds_up_to_what_the_run_reports() {
    for scenario in ["pingpong", "nat", "reliable"] {
        let trace = jive(words(&format!("run {scenario} --trace json")));
        let events = trace.out.lines().map(serde_json::from_str::<Value>);
        let events = Vec::from_iter(events.map(|event| event.expect("JSON Lines")));
        let returns = events
            .iter()
            .filter(|event| event["event"] == "applet-return");
        let returned: u64 = returns
            .map(|event| event["bytecodes"].as_u64().expect("a count"))
            .sum();
        let summary = events.last().expect("a summary");

        let report = profile(Path::new("."), scenario);
        let classes = report["classes"].as_array().expect("a list");
        let sum = |key: &str| {
            classes
                .iter()
                .map(|class| class[key].as_u64().expect("a count"))
                .sum::<u64>()
        };
        assert_eq!(returned, sum("bytecodes"), "{scenario}");
        assert_eq!(
            summary["totals"]["applet_ns"],
            json!(sum("time_ns")),
            "{scenario}"
        );
        assert_eq!(report["time_ns"], summary["time_ns"]);
    }
}

#[test]
fn flame_graph_tools_get_a_line_for_each_chain() {
    let directory = set_up(SOURCE);
    let bytecodes = run(directory.path(), "profile counted.toml --format folded");
    let mut lines = Vec::from_iter(bytecodes.out.lines());
    lines.sort_unstable();
    // `<init>` has three instructions: it calls `Object.<init>`, which does nothing.
    assert_eq!(
        lines,
        [
            "Counted;<init> 3",
            "Counted;doRx 50",
            "Counted;doRx;inner 6"
        ]
    );
    let time = run(
        directory.path(),
        "profile counted.toml --format folded --weight time",
    );
    let inner = time
        .out
        .lines()
        .find(|line| line.starts_with("Counted;doRx;inner "));
    assert_eq!(inner, Some("Counted;doRx;inner 756"));
}

#[test]
fn the_source_is_shown_with_its_counts() {
    let directory = set_up(SOURCE);
    let java = (1..=30)
        .map(|line| format!("// source {line}\n"))
        .collect::<String>();
    fs::write(directory.path().join("Counted.java"), java).expect("it can be written");
    let text = run(directory.path(), "profile counted.toml --annotate").out;
    let shown = |line: u16| {
        let end = format!("{line}  // source {line}");
        let row = text
            .lines()
            .find(|row| row.ends_with(&end))
            .expect("each line is shown");
        row.trim_end_matches(&end).trim().to_owned()
    };
    assert_eq!(shown(11), "36          4.536 us");
    assert_eq!(shown(30), "never");
    assert_eq!(shown(13), "");
    let table = run(directory.path(), "profile counted.toml").out;
    assert!(table.contains("never called: "), "{table}");
    assert!(table.contains("// source 11"), "{table}");
}

#[test]
fn a_profile_is_compared_with_an_earlier_one() {
    let directory = set_up(SOURCE);
    let at = directory.path();
    let written = run(at, "profile counted.toml --format json --out before.json");
    assert_eq!(written.out, "");
    let same = run(at, "profile counted.toml --against before.json").out;
    assert!(same.ends_with("nothing changed\n"), "{same}");

    // The changed loop makes one round less: a test of 3, the step and jump, the call, and the callee.
    assemble(at, &SOURCE.replace("iconst_3", "iconst_2"));
    let report = profile(at, "counted.toml --against before.json");
    let changes = &report["changes"];
    assert_eq!(
        changes["bytecodes"],
        json!({ "before": 59, "now": 59 - 2 * (3 + 2 + 1 + 1) })
    );
    let methods = changes["methods"].as_array().expect("a list");
    let names = methods
        .iter()
        .map(|method| method["method"].as_str().expect("a name"));
    assert_eq!(Vec::from_iter(names), ["doRx", "inner"]);
    assert_eq!(methods[1]["calls"], json!({ "before": 6, "now": 4 }));
    let lines = methods[0]["lines"].as_array().expect("a list");
    let changed = lines
        .iter()
        .map(|line| line["now"].as_u64().expect("a line"));
    assert_eq!(Vec::from_iter(changed), [11, 12]);
    let text = run(at, "profile counted.toml --against before.json").out;
    assert!(text.contains("line 11: 36 -> 26 (-27.7 %)"), "{text}");
}

#[test]
fn a_profile_overwrites_no_input() {
    let directory = set_up(SOURCE);
    for input in ["counted.toml", "Counted.class"] {
        let before = fs::read(directory.path().join(input)).expect("it was written");
        let line = format!("profile counted.toml --out {input}");
        let ended = jive_in(directory.path(), words(&line), b"");
        assert_eq!((ended.status, ended.out.as_str()), (2, ""));
        assert!(ended.err.contains("the command reads it"), "{}", ended.err);
        assert_eq!(
            fs::read(directory.path().join(input)).expect("it is there"),
            before
        );
    }
}

#[test]
fn what_is_no_profile_is_refused() {
    let directory = set_up(SOURCE);
    let ended = jive_in(
        directory.path(),
        words("profile counted.toml --against counted.toml"),
        b"",
    );
    assert_eq!((ended.status, ended.out.as_str()), (2, ""));
    assert!(
        ended.err.contains("counted.toml is no profile"),
        "{}",
        ended.err
    );
}

#[test]
fn the_packets_of_a_capture_are_profiled() {
    let directory = set_up(SOURCE);
    let at = directory.path();
    run(
        at,
        "run counted.toml --trace none --pcap in.pcapng --tap wire-rx",
    );
    let report = profile(at, "--applet Counted.class --in in.pcapng --count 1");
    // One packet arrives; under the default profile a bytecode takes no time.
    assert_eq!(lines(&report, "doRx")[1], [11, 5, 5, 18, 0]);
}
