//! Tests of the command `jive packet`.

use std::fs;

use serde_json::Value;

use crate::{jive, jive_in, schema, words};

fn packet(line: &str) -> crate::process::Ended {
    jive(words(&format!("packet {line}")))
}

#[test]
fn what_an_applet_does_with_each_packet_is_shown() {
    let ended = packet("builtin:PingPong --rx 68:65:6c --tx 00ff");
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    insta::assert_snapshot!(ended.out);
}

#[test]
fn packets_keep_the_order_of_the_command_line() {
    // For each packet, `Counter` delivers and returns how many packets have arrived so far.
    let ended = packet("builtin:Counter --rx 00 --tx 11 --rx 22 --channel 9");
    let lines: Vec<_> = ended
        .out
        .lines()
        .filter(|line| !line.starts_with(' '))
        .collect();
    let expected = [
        "load",
        "rx 1 byte on channel 9",
        "tx 1 byte on channel 9",
        "rx 1 byte on channel 9",
        "fields",
    ];
    assert_eq!(lines, expected);
    let results = ended.out.matches("doRx(1, 9) returned 1,").count();
    let more = ended.out.matches("doRx(1, 9) returned 2,").count();
    assert_eq!((results, more), (1, 1), "{}", ended.out);
    assert!(
        ended.out.contains("int[] counts = int[16] 2 0 "),
        "{}",
        ended.out
    );
}

#[test]
fn a_trap_has_its_place_and_status_3() {
    let ended = packet("Trapper.class --rx 55");
    assert_eq!(ended.status, 3);
    let trap =
        "  doRx(1, 1) trap: ArithmeticException at doRx pc 24 (line 18): dividend 1, divisor 0\n";
    assert!(ended.out.contains(trap), "{}", ended.out);
    assert!(
        ended.out.contains("  dropped: applet-trap\n"),
        "{}",
        ended.out
    );
    // The effects of a native that completed before the trap remain in the output.
    assert!(
        ended
            .out
            .contains("  delivered 1 byte on channel 1, in buffers [0]\n"),
        "{}",
        ended.out
    );
    // A trap while the class is loaded counts like a trap of a call, as in `jive exec`.
    assert_eq!(packet("Stillborn.class --rx 55").status, 3);
}

#[test]
fn timers_and_notes_are_shown() {
    // On the message, the applet sets its timer again, to ten microseconds. doTimer traces how often it was called.
    let ended = packet("Ticker.class --tx 01");
    let (_, after) = ended.out.split_once("tx 1 byte").expect("a message");
    for number in 1..=4 {
        assert!(after.contains(&format!("    noted {number}: ")), "{after}");
    }
    assert!(after.contains("doTimer() trap: Arithmetic"), "{after}");
}

#[test]
fn the_bytes_of_a_file_are_a_packet() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("frame.bin"), b"hello").expect("it can be written");
    let ended = jive_in(
        directory.path(),
        words("packet builtin:RawUnet --rx @frame.bin"),
        b"",
    );
    let dump = "    00000000  68 65 6c 6c 6f                                   |hello|\n";
    assert!(ended.out.contains(dump), "{}", ended.out);
    let class = fs::read(crate::classes().join("Trapper.class")).expect("it is committed");
    let piped = jive_in(directory.path(), words("packet - --rx 00"), &class);
    assert_eq!(piped.status, 3, "{}", piped.err);
}

#[test]
fn wrong_usage_is_2_and_says_what_to_do() {
    for (line, reason) in [
        ("builtin:RawUnet", "add `--rx BYTES` or `--tx BYTES`"),
        (
            "builtin:RawUnet --rx 0",
            "expected pairs of hexadecimal digits, `text:TEXT` or `@FILE`",
        ),
        ("builtin:RawUnet --rx 0g", "found \"0g\""),
        (
            "builtin:RawUnet --rx @absent",
            "cannot read absent: no such file",
        ),
        ("builtin:RawUnit --rx 00", "did you mean `builtin:RawUnet`?"),
        (
            "absent.class --rx 00",
            "cannot read absent.class: no such file",
        ),
        ("builtin:RawUnet --rx 00 --channel=-1", "channel"),
        ("builtin:RawUnet --rx 00 --repeat 0", "repeat"),
    ] {
        let ended = packet(line);
        assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{line}");
        assert!(ended.err.contains(reason), "{line}: {}", ended.err);
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("long"), [0; 40_000]).expect("it can be written");
    for (way, limit) in [("rx", 9_216), ("tx", 32_768)] {
        let line = format!("packet builtin:RawUnet --{way} @long");
        let ended = jive_in(directory.path(), words(&line), b"");
        assert_eq!(ended.status, 2);
        let reason = format!("expected at most {limit} bytes for `--{way}`, found 40000");
        assert!(ended.err.contains(&reason), "{}", ended.err);
    }
}

#[test]
fn a_rejected_class_is_1() {
    let ended = packet("LongMaths.class --rx 00");
    assert_eq!((ended.status, ended.out.as_str()), (1, ""));
    assert!(ended.err.contains("error[subset/long]"), "{}", ended.err);
}

#[test]
fn a_time_is_added_and_changes_nothing_else() {
    for line in [
        "builtin:RawUnet --tx 0011 --rx 68656c6c6f",
        "builtin:RawUnet --rx 00 --tx 0011",
        "builtin:Counter --rx 00",
    ] {
        let plain = packet(line);
        let timed = packet(&format!("{line} --repeat 20"));
        let time = timed
            .out
            .strip_prefix(&plain.out)
            .expect("the rest is the same");
        let number = time
            .strip_prefix("time: ")
            .and_then(|time| time.strip_suffix(" ns per call (median of rounds)\n"));
        let number = number.and_then(|number| number.parse::<f64>().ok());
        assert!(number.is_some_and(|number| number >= 0.0), "{time}");
    }
    let trapped = packet("Trapper.class --rx 55 --repeat 20");
    assert!(!trapped.out.contains("time:"), "{}", trapped.out);
}

#[test]
fn json_has_the_text_and_matches_the_schema() {
    schema::with("packet.schema.json", |_, validator| {
        for line in [
            "builtin:RawUnet --rx 68656c6c6f --tx 00ff --repeat 10",
            "builtin:Generator --tx 00",
            "builtin:AckInNic --rx 00 --tx 11",
            "Trapper.class --rx 55 --tx 66",
            "Ticker.class --tx 00 --rx 01",
            "Spinner.class --rx 00",
            "Stillborn.class --rx 00",
            "Burst.class --tx 00 --rx 11",
        ] {
            let ended = packet(&format!("{line} --format json"));
            let report: Value = serde_json::from_str(&ended.out).expect("it is JSON");
            if let Some(error) = validator.iter_errors(&report).next() {
                panic!("{line}: {error}\n{report}");
            }
            let mut renamed = report.as_object().expect("an object").clone();
            let fields = renamed.remove("fields").expect("it is there");
            renamed.insert("field".to_owned(), fields);
            assert!(!validator.is_valid(&Value::Object(renamed)));
        }
    });
    let report = packet("builtin:RawUnet --rx 68656c6c6f --format json").out;
    let report: Value = serde_json::from_str(&report).expect("it is JSON");
    assert_eq!(
        report["packets"][0]["delivered"][0]["payload"],
        "68656c6c6f"
    );
    assert_eq!(report["packets"][0]["calls"][0]["method"], "doRx");
}

#[test]
fn shipped_applets_can_be_named_like_class_files() {
    for line in [
        "verify builtin:RawUnet",
        "disasm builtin:RawUnet",
        "exec builtin:RawUnet reserve 1",
    ] {
        let ended = jive(words(line));
        assert_eq!(ended.status, 0, "{line}: {}", ended.err);
    }
    let ended = jive(words("verify builtin:RawUnit"));
    assert_eq!(ended.status, 2);
    assert!(
        ended.err.contains("did you mean `builtin:RawUnet`?"),
        "{}",
        ended.err
    );
}

#[test]
fn poison_shows_what_is_read_behind_a_packet() {
    let results = |options: &str| {
        let ended = packet(&format!("Stale.class --rx 01020304 --rx 09 {options}"));
        let calls = ended.out.lines().filter(|line| line.starts_with("  doRx"));
        let calls = calls.map(|line| line.split_once(") ").expect("a result").1.to_owned());
        calls.collect::<Vec<_>>()
    };
    // In `RxBuf`, the second packet is followed by the second byte of the first packet.
    assert_eq!(
        results(""),
        ["returned 0, 4 bytecodes", "returned 2, 4 bytecodes"]
    );
    // The applet returns -91, because the byte 0xa5 of the pattern is negative in Java.
    let poisoned = "returned -91, 4 bytecodes";
    assert_eq!(results("--poison"), [poisoned, poisoned]);
}

/// Runs `Stateful` with these fields set, and returns the final values of its fields by name.
fn fields_with(state: &[&str]) -> serde_json::Map<String, Value> {
    let mut arguments = vec!["packet", "Stateful.class", "--rx", "00", "--format", "json"];
    for given in state {
        arguments.extend(["--state", given]);
    }
    let report = jive(arguments);
    assert_eq!(report.status, 0, "{}", report.err);
    let report: Value = serde_json::from_str(&report.out).expect("it is JSON");
    let mut held = serde_json::Map::new();
    for field in report["fields"].as_array().expect("a list") {
        let value = match field.get("value") {
            Some(value) => value.clone(),
            None => field["elements"].clone(),
        };
        held.insert(field["name"].as_str().expect("a name").to_owned(), value);
    }
    let bytecodes = report["load"]["calls"][0]["bytecodes"].clone();
    held.insert("bytecodes of <clinit>".to_owned(), bytecodes);
    held
}

#[test]
fn set_fields_ignore_the_first_store_of_the_initializer() {
    let without = fields_with(&[]);
    let changes = |state: &[&str]| {
        let with = fields_with(state).into_iter();
        let changed = with.filter(|(name, value)| without[name] != *value);
        Value::Object(changed.collect()).to_string()
    };
    // The initializer's only store to `LIMITS` is ignored.
    assert_eq!(changes(&["LIMITS=[1]"]), r#"{"LIMITS":[1]}"#);
    // The initializer computes other fields from `window`, and so executes another number of instructions.
    let expected = r#"{"branched":1,"bytecodes of <clinit>":112,"ring":[0,0,0,0,0],"window":5}"#;
    assert_eq!(changes(&["window=5"]), expected);
    let expected = r#"{"SIZE":1,"keys":[4],"sum":2}"#;
    assert_eq!(changes(&["keys=[4]"]), expected);
    // The store of 1 to `twice` is ignored; the initializer then adds 10 to the given value.
    assert_eq!(changes(&["twice=100"]), r#"{"twice":110}"#);
    // A loop adds 0, 1, 2, 3 and 4 to `looped`, and only the first store in this loop is ignored.
    assert_eq!(changes(&["looped=1000"]), r#"{"looped":1010}"#);
    // The first store to `branched` is in the branch that is taken.
    assert_eq!(changes(&["branched=77"]), r#"{"branched":77}"#);
    // A later store to `small` is narrowed to the field's type: 127 + 127 is -2 in a byte.
    assert_eq!(changes(&["small=127"]), r#"{"small":-2}"#);
    // The initializer stores nothing to `flags` and `isOn`, but a value to the final field `SIZE`.
    assert_eq!(changes(&["flags=[true, false]"]), r#"{"flags":[1,0]}"#);
    assert_eq!(changes(&["isOn=false"]), r#"{"isOn":false}"#);
    assert_eq!(changes(&["SIZE=9"]), r#"{"SIZE":9,"sum":18}"#);
    // Only stores of the initializer itself are ignored, not those of a method that it calls, nor those of `doRx`.
    assert_eq!(changes(&["sum=100"]), r#"{"sum":106}"#);
}

#[test]
fn a_state_that_does_not_fit_the_class_is_2() {
    for (given, reason) in [
        ("windw=8", "did you mean `window`?"),
        ("CONSTANT=4", "take `final` away"),
        ("ofObject=1", "expected a static field"),
        ("RxBuf=[1]", "the runtime sets `RxBuf`"),
        ("small=200", "expected -128 to 127"),
        ("keys=4", "expected an array of integers, found an integer"),
        ("window=[1]", "expected an integer, found an array"),
        ("isOn=1", "expected a boolean, found an integer"),
        ("window=x", "as in `WINDOW=8`"),
        ("window=1\nkeys=[2]", "expected the name of a static field"),
        ("window", "as in `WINDOW=8`"),
    ] {
        let ended = jive(["packet", "Stateful.class", "--rx", "00", "--state", given]);
        assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{given}");
        assert!(ended.err.contains(reason), "{given}: {}", ended.err);
    }
    let twice = packet("Stateful.class --rx 00 --state window=1 --state window=2");
    assert!(
        twice.err.contains("expected each field once"),
        "{}",
        twice.err
    );
    let long = format!("keys=[{}]", "1,".repeat(10_000));
    let ended = jive(["packet", "Stateful.class", "--rx", "00", "--state", &long]);
    let reason = "expected arrays that fit in a heap of 24576 bytes, found 40008 bytes";
    assert!(ended.err.contains(reason), "{}", ended.err);
}

#[test]
fn a_packet_may_be_given_as_text() {
    let text = jive(["packet", "builtin:PingPong", "--rx", "text:a b:c"]);
    let digits = packet("builtin:PingPong --rx 6120623a63");
    assert_eq!((text.status, text.out), (0, digits.out));
}
