//! `jive bound` states the worst case, compared with counts by hand and with runs, or names the loop without a bound.
//!
//! An instruction, even a call of a native, counts 1. The comments in this file name the instructions that `javac`
//! emits.

use std::fs;

use serde_json::{Value, json};

use crate::{jive, jive_in, schema, words};

fn bound(line: &str) -> Value {
    let ended = jive(words(&format!("bound {line} --format json")));
    assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{line}");
    serde_json::from_str(&ended.out).expect("one object")
}

#[track_caller]
fn entry<'v>(report: &'v Value, method: &str) -> &'v Value {
    let entries = report["entry_points"].as_array().expect("a list");
    let entry = entries.iter().find(|entry| entry["method"] == method);
    entry.expect("it is an entry point")
}

#[test]
fn loops_with_a_bound_have_the_bytecodes_counted_by_hand() {
    let report = bound("Rounds.class --class-only");
    for (method, bytecodes, tests) in [
        // `up` stores two constants, makes 11 tests of 3 instructions and 10 rounds of 6, and returns.
        ("up", 4 + 11 * 3 + 10 * 6 + 2, vec![11]),
        // The counter of `down` goes from 10 to -2: tests of 2 instructions at 10, 7, 4, 1 and -2.
        ("down", 4 + 5 * 2 + 4 * 6 + 2, vec![5]),
        // Each of the ten rounds of `testedLast` has a step and a test.
        ("testedLast", 2 + 10 * 4 + 2, vec![10]),
        // The inner loop of `triangle` counts as if it always started at 0: 5 tests of 3 instructions, 4 rounds of 3.
        (
            "triangle",
            4 + 5 * 3 + 4 * (2 + 5 * 3 + 4 * 3 + 2) + 2,
            vec![5, 5],
        ),
        // Besides the test of the loop, a round of `leavesEarly` has three tests of 3 instructions. After the `break`
        // of `leavesEarly`, a `goto` precedes the return.
        ("leavesEarly", 2 + 11 * 3 + 10 * 11 + 3, vec![11]),
        // The counter of `masked` starts at most at 7.
        ("masked", 6 + 8 * 2 + 7 * 3 + 2, vec![8]),
        ("guarded", 3 + 4 + 6 * 3 + 5 * 3 + 2, vec![6]),
        ("guardedFromBelow", 2 + 4 + 6 * 3 + 5 * 3 + 2, vec![6]),
        ("toConstantField", 4 + 13 * 3 + 12 * 3 + 2, vec![13]),
        // The bound of `toByteField` is a `byte`, so at most 127.
        ("toByteField", 4 + 128 * 3 + 127 * 3 + 2, vec![128]),
        ("overArray", 4 + 7 * 4 + 6 * 8 + 2, vec![7]),
        // In the eleventh round of `untilIndexTraps`, the index 10 traps after seven instructions. The stated bound of
        // `untilIndexTraps` also includes two instructions of the return.
        ("untilIndexTraps", 2 + 10 * 9 + 7 + 2, vec![11]),
        ("callsInside", 4 + 4 * 3 + 3 * (6 + 99) + 2, vec![11, 4]),
        // 0, 40, 80, 120.
        ("assignedSum", 2 + 4 * 3 + 3 * 5 + 2, vec![4]),
        ("meetsEnd", 2 + 11 * 3 + 10 * 2 + 2, vec![11]),
        // `postfix` makes eleven tests of four instructions, because each test also steps the counter.
        ("postfix", 2 + 11 * 4 + 10 * 3 + 2, vec![11]),
    ] {
        let entry = entry(&report, method);
        assert_eq!(entry["bytecodes"], bytecodes, "{method}");
        let loops = entry["loops"].as_array().expect("a list");
        let found = loops.iter().map(|found| found["tests"].clone());
        assert_eq!(found.collect::<Vec<_>>(), tests, "{method}");
        assert_eq!(entry["unbounded_loops"], json!([]), "{method}");
    }
}

#[test]
fn step_before_the_test_counts_only_on_every_path() {
    // A counter from 0 to 10 by ones is tested at each value, unless it takes its first step before its first test.
    for (first, second, tests) in [
        ("nop", "iinc 1 1", 11),
        ("iload_0\n    ifeq S\n    iinc 1 1\nS:", "iinc 1 1", 11),
        ("iinc 1 1", "nop", 10),
    ] {
        let text = format!(
            ".class public super Steps\n.version 49.0\n.method static run(I)I stack 2 locals 2\n\
             \x20   iconst_0\n    istore_1\nA:\n    {first}\n    iload_1\n    bipush 10\n    if_icmpge B\n\
             \x20   {second}\n    goto A\nB:\n    iload_1\n    ireturn\n"
        );
        let directory = tempfile::tempdir().expect("a temporary directory");
        let at = directory.path();
        fs::write(at.join("Steps.jasm"), text).expect("it can be written");
        let ended = jive_in(at, words("asm Steps.jasm"), b"");
        assert_eq!(ended.status, 0, "{}", ended.err);
        let line = "bound Steps.class --class-only --format json";
        let ended = jive_in(at, words(line), b"");
        let report: Value = serde_json::from_str(&ended.out).expect("one object");
        assert_eq!(entry(&report, "run")["loops"][0]["tests"], tests, "{first}");
    }
}

#[test]
fn loops_without_a_bound_are_named_by_their_line() {
    let report = bound("Rounds.class --class-only");
    let source = crate::classes().join("Rounds.java");
    let source = fs::read_to_string(source).expect("it is committed");
    // For each method: the reason why its loop has no bound, and the text of the line on which the loop begins.
    for (method, reason, text) in [
        ("parameterOfCalls", "unknown-end", "i < n; i++"),
        ("toParameterOfAnyValue", "unknown-end", "i < n; i++"),
        ("fromAnyValue", "unknown-start", "int i = n"),
        ("toField", "unknown-end", "i < any"),
        ("byNothing", "no-counter", "i += 0"),
        ("stepsOver", "may-pass", "i += 3"),
        ("missesEnd", "may-pass", "n & 15"),
        ("wrongWay", "no-counter", "i--"),
        ("changedElsewhere", "no-counter", "i < 10"),
        ("takenBack", "no-counter", "i < 10"),
        ("wrapsAround", "may-pass", "Integer.MAX_VALUE"),
        ("wrapsInSteps", "may-pass", "i += 5"),
        ("byteWraps", "no-counter", "byte i"),
        ("shortWraps", "no-counter", "short i"),
        ("unsignedDown", "no-counter", "0xff"),
        ("steppedSometimes", "no-counter", "i < 10"),
        ("computedFromCounter", "no-counter", "i * 2"),
        ("endMoves", "no-counter", "i < n"),
        ("fieldCounts", "no-counter", "any < 10"),
        ("forever", "no-counter", "any++"),
        ("boundedInEndless", "no-counter", "any != 3"),
        ("endlessInBounded", "no-counter", "any != 3"),
        ("sharedCounter", "no-counter", "i < 10"),
        ("resetInside", "no-counter", "i < 4"),
    ] {
        let entry = entry(&report, method);
        assert_eq!(entry["bytecodes"], Value::Null, "{method}");
        let loops = entry["unbounded_loops"].as_array().expect("a list");
        let [found] = &loops[..] else {
            panic!("{method}: {loops:?}");
        };
        assert_eq!(found["reason"], reason, "{method}");
        let line = found["line"].as_u64().expect("it was compiled with -g");
        let line = source
            .lines()
            .nth(usize::try_from(line).expect("few lines") - 1);
        assert!(
            line.is_some_and(|line| line.contains(text)),
            "{method}: {line:?}"
        );
    }
    let field = &entry(&report, "toField")["unbounded_loops"][0]["field"];
    assert_eq!(field, "any");
}

#[test]
fn code_outside_an_endless_loop_has_a_bound() {
    let report = bound("Rounds.class --class-only");
    let endless = entry(&report, "forever");
    assert_eq!(endless["heap_bytes"], 0);
    assert_eq!(
        (&endless["operand_stack"], &endless["call_depth"]),
        (&json!(2), &json!(1))
    );
    let report = bound("Bounds.class --class-only");
    // Each of the three rounds makes an array of one short: 8 bytes and a header of 8.
    assert_eq!(entry(&report, "heapInLoop")["heap_bytes"], 3 * 16);
    assert_eq!(entry(&report, "anyHeap")["heap_bytes"], Value::Null);
    let recursive = entry(&report, "towardsRecursion");
    assert_eq!(recursive["recursion"], json!(["even", "odd"]));
    for absent in ["bytecodes", "time_ns", "operand_stack", "call_depth"] {
        assert_eq!(recursive[absent], Value::Null, "{absent}");
    }
    // `calls` keeps one operand on the operand stack below the two operands of its callee.
    let calls = entry(&report, "calls");
    assert_eq!(
        (&calls["operand_stack"], &calls["call_depth"]),
        (&json!(3), &json!(2))
    );
}

#[test]
fn arguments_and_natives_end_the_loops_of_an_applet() {
    let report = bound("Summer.class --profile modern");
    let rounds = |method: &str| -> Vec<u64> {
        let loops = entry(&report, method)["loops"].as_array().expect("a list");
        let tests = loops.iter().map(|found| found["tests"].as_u64());
        tests.collect::<Option<_>>().expect("numbers")
    };
    // `doTx` moves at most the buffer area of 65,536 bytes, in pieces of 64.
    assert_eq!(rounds("doTx"), [1_025]);
    // `doRx` loops over the bytes of a packet, which are at most 9,216.
    assert_eq!(rounds("doRx"), [9_217]);
    // `doRefill` loops over a free buffer of 4,096 bytes, and over `RxBuf`, in pieces of 1,024.
    assert_eq!(rounds("doRefill"), [5, 10]);
    // The bound of the loop in `doTimer` is the greater of two constant arguments.
    assert_eq!(rounds("doTimer"), [8]);
    let natives = &entry(&report, "doTx")["natives"];
    assert_eq!(*natives, json!({ "doHtoLDMA": 1_024, "txPush": 1_024 }));
    let report = bound("Summer.class --buffer-area 640 --free-buffer 100");
    assert_eq!(entry(&report, "doTx")["loops"][0]["tests"], 11);
    assert_eq!(entry(&report, "doRefill")["loops"][0]["tests"], 2);
}

#[test]
fn elements_have_the_values_that_the_class_stores() {
    let report = bound("Elements.class");
    // The class stores 0 to 20 to the elements that bound `doRx`, and -1, 0 and 5 to those that bound `doTimer`.
    assert_eq!(entry(&report, "doRx")["loops"][0]["tests"], 21);
    assert_eq!(entry(&report, "doTimer")["loops"][0]["tests"], 6);
    // `doTx` has no bound: the class stores a channel, which may be any number, through another variable for the same
    // array.
    let sent = entry(&report, "doTx");
    assert_eq!(sent["loops"], json!([]));
    assert_eq!(sent["unbounded_loops"][0]["reason"], "unknown-end");
    assert_eq!(report["assumes"]["only_own_stores"], true);
    // With `--class-only`, any caller may pass any array, so the end of the loop in `count` is unknown.
    let report = bound("Elements.class --class-only");
    let counted = entry(&report, "count");
    assert_eq!(counted["unbounded_loops"][0]["reason"], "unknown-end");
}

#[test]
fn the_longest_packet_takes_the_stated_bytecodes() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("packet"), [1; 9_216]).expect("it can be written");
    let class = crate::classes().join("Summer.class");
    let class = class.to_string_lossy();
    let arguments = ["packet", &class, "--rx", "@packet", "--format", "json"];
    let ended = jive_in(directory.path(), arguments, b"");
    let observed: Value = serde_json::from_str(&ended.out).expect("one object");
    let observed = &observed["packets"][0]["calls"][0]["bytecodes"];
    let report = bound("Summer.class");
    assert_eq!(*observed, entry(&report, "doRx")["bytecodes"]);
    // The call of `doRx` executes 9,217 tests of 3 instructions, 9,216 rounds of 8, and 4 instructions outside the
    // loop.
    assert_eq!(*observed, 9_217 * 3 + 9_216 * 8 + 4);
}

#[test]
fn code_without_loops_takes_the_stated_bytecodes_and_time() {
    const SCENARIO: &str = r#"
profile = "modern"
[[nic]]
name = "a"
[[nic]]
name = "b"
[[endpoint]]
nic = "a"
name = "asks"
applet = "builtin:NullCall"
[[endpoint]]
nic = "b"
name = "answers"
applet = "builtin:PingPong"
[[endpoint]]
nic = "a"
name = "client"
[[channel]]
asks = 1
client = 1
[[channel]]
client = 2
answers = 2
[[send]]
endpoint = "asks"
channel = 1
at = "10us"
payload = { text = "x" }
[[send]]
endpoint = "client"
channel = 2
at = "30us"
payload = { text = "ping" }
"#;
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("s.toml"), SCENARIO).expect("it can be written");
    let ended = jive_in(directory.path(), words("run s.toml --trace json"), b"");
    assert_eq!(ended.status, 0, "{}", ended.err);
    let events = ended.out.lines().map(|line| {
        let event = serde_json::from_str::<Value>(line);
        event.expect("JSON Lines")
    });
    let events = events.collect::<Vec<_>>();
    // Returns the observed time from a call to its end, and its bytecodes.
    let observed = |endpoint: &str, method: &str| {
        let of = |name: &str| {
            let mut of = events.iter().filter(|event| {
                event["endpoint"] == endpoint && event["event"] == name && event["method"] == method
            });
            of.next().expect("it was called").clone()
        };
        let (call, end) = (of("applet-call"), of("applet-return"));
        let time = |event: &Value| event["t_ns"].as_u64().expect("a number");
        (time(&end) - time(&call), end["bytecodes"].clone())
    };
    let stated = |applet: &str, method: &str| {
        let report = bound(&format!("builtin:{applet} --profile modern"));
        let entry = entry(&report, method);
        (entry["time_ns"].as_u64(), entry["bytecodes"].clone())
    };
    // In `modern`, a cycle takes 0.5 ns. The set-up of 20 ns precedes the call of 50 ns, which includes two bytecodes
    // of 5 ns, the push and the return. The native of 30 ns includes one bytecode, its call.
    let (time, bytecodes) = observed("asks", "doTx");
    assert_eq!((time, bytecodes), (50 - 10 + 30 - 5 + 2 * 5, json!(2)));
    assert_eq!(stated("NullCall", "doTx"), (Some(20 + 75), json!(2)));
    // `PingPong` executes 2 bytecodes to test the length, 6 to test the first byte, 5 to change it, 6 to send it, and 3
    // to return. The native of 125 ns includes five bytecodes.
    let ping = 2 + 6 + 5 + 6 + 3;
    let (time, bytecodes) = observed("answers", "doRx");
    assert_eq!(
        (time, bytecodes),
        (50 - 10 + 125 - 25 + ping * 5, json!(ping))
    );
    assert_eq!(
        stated("PingPong", "doRx"),
        (Some(20 + 50 - 10 + 125 - 25 + ping * 5), json!(ping))
    );
}

#[test]
fn check_fails_above_its_number_and_without_a_bound() {
    for (line, status, message) in [
        ("builtin:Counter --check 326", 0, ""),
        (
            "builtin:Counter --check 325",
            1,
            "`doRx` may execute 326 bytecodes, and `--check` allows 325",
        ),
        (
            "Spinner.class --check 1000000000",
            1,
            "`doRx` has no bound, and `--check` allows 1000000000 bytecodes: loop at doTx line",
        ),
        // Initializers run once, so `--check` ignores them.
        ("builtin:NullCall --check 2", 0, ""),
    ] {
        let ended = jive(words(&format!("bound {line}")));
        assert_eq!(ended.status, status, "{line}: {}", ended.err);
        assert!(ended.err.contains(message), "{line}: {}", ended.err);
        assert_eq!(ended.err.is_empty(), status == 0, "{line}: {}", ended.err);
        let json = jive(words(&format!("bound {line} --format json")));
        let report: Value = serde_json::from_str(&json.out).expect("one object");
        assert_eq!(
            (json.status, &report["holds"]),
            (status, &json!(status == 0)),
            "{line}"
        );
    }
}

#[test]
fn wrong_usage_is_2_and_a_rejected_class_1() {
    for (line, status, message) in [
        ("", 2, "FILE"),
        ("absent.class", 2, "cannot read absent.class: no such file"),
        ("builtin:RawUnit", 2, "did you mean `builtin:RawUnet`?"),
        (
            "builtin:RawUnet --profile moderm",
            2,
            "built-in profiles are",
        ),
        ("builtin:RawUnet --check x", 2, "--check"),
        (
            "builtin:RawUnet --buffer-area 2147483648",
            2,
            "--buffer-area",
        ),
        ("LongMaths.class", 1, "error[subset/long]"),
        ("Bounds.class", 1, "error[applet/"),
    ] {
        let ended = jive(words(&format!("bound {line}")));
        assert_eq!((ended.status, ended.out.as_str()), (status, ""), "{line}");
        assert!(ended.err.contains(message), "{line}: {}", ended.err);
    }
}

#[test]
fn json_keeps_to_the_schema() {
    schema::with("bound.schema.json", |_, validator| {
        for line in [
            "builtin:RawUnet",
            "builtin:Counter --profile modern",
            "Summer.class",
            "Spinner.class",
            "Rounds.class --class-only",
            "Bounds.class --class-only",
        ] {
            let report = bound(line);
            if let Some(error) = validator.iter_errors(&report).next() {
                panic!("{line}: {error}\n{report}");
            }
            let mut renamed = report.as_object().expect("an object").clone();
            let entries = renamed.remove("entry_points").expect("it is there");
            renamed.insert("entries".to_owned(), entries);
            assert!(!validator.is_valid(&Value::Object(renamed)));
        }
        let ended = jive(words("bound builtin:Counter --check 5 --format json"));
        let report: Value = serde_json::from_str(&ended.out).expect("one object");
        assert!(validator.is_valid(&report));
    });
}

#[test]
fn the_report_for_people_is_a_paragraph_an_entry_point() {
    let ended = jive(words("bound builtin:RawUnet --profile modern"));
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    insta::assert_snapshot!(ended.out);
    let ended = jive(words("bound Bounds.class --class-only"));
    let shown = ended
        .out
        .lines()
        .filter(|line| line.starts_with("    no bound"));
    let shown = shown.take(6).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(shown);
}
