//! `jive verify` and `jive disasm`.

use serde_json::Value;

use crate::{classes, jive, jive_in, schema, words};

/// A class of the project, which tests may corrupt.
const CLASS: &[u8] = applets::RAW_UNET.class;

#[test]
fn accepted_classes_get_a_line_each() {
    let ended = jive(words("verify --class-only Calls.class Trapper.class"));
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    let lines = ended.out.lines().collect::<Vec<_>>();
    assert!(
        lines[0].starts_with("ok: Calls.class: class Calls, major 52, 13 methods, "),
        "{lines:?}"
    );
    assert!(lines[1].starts_with("ok: Trapper.class: class Trapper, major 52, 4 methods, "));
}

#[test]
fn the_status_is_that_of_the_worst_file_in_any_order() {
    let files = [("Calls.class", 0), ("LongMaths.class", 1), ("nowhere", 2)];
    for (first, of_first) in files {
        for (last, of_last) in files {
            let ended = jive(words(&format!("verify --class-only {first} {last}")));
            assert_eq!(ended.status, of_first.max(of_last), "{first} {last}");
        }
    }
}

#[test]
fn a_rejection_shows_rule_place_types_and_remedy() {
    let ended = jive(words("verify LongMaths.class"));
    assert_eq!((ended.status, ended.err.as_str()), (1, ""));
    insta::assert_snapshot!(ended.out);
}

/// Replaces the only occurrence of `code` in the class `Calls`.
fn patched(code: &[u8], with: &[u8]) -> Vec<u8> {
    let class = std::fs::read(classes().join("Calls.class")).expect("it is committed");
    let places = class.windows(code.len()).filter(|window| *window == code);
    assert_eq!(places.count(), 1);
    let at = class.windows(code.len()).position(|window| window == code);
    let at = at.expect("counted above");
    [&class[..at], with, &class[at + code.len()..]].concat()
}

#[test]
fn a_fault_of_types_shows_the_stack_there() {
    // In iload_0, iload_1, idiv, ireturn, the division becomes a load from an array.
    let class = patched(&[0x1a, 0x1b, 0x6c, 0xac], &[0x1a, 0x1b, 0x33, 0xac]);
    let text = jive_in(&classes(), words("verify --class-only -"), &class);
    assert_eq!((text.status, text.err.as_str()), (1, ""));
    insta::assert_snapshot!(text.out);
    let json = jive_in(
        &classes(),
        words("verify --class-only --format json -"),
        &class,
    );
    let verdict = serde_json::from_str::<Value>(&json.out).expect("one object");
    assert_eq!(verdict["code"], "unsafe/operand-type");
    assert_eq!(verdict["pc"], 2);
    assert_eq!(verdict["locals"], serde_json::json!(["int", "int"]));
    assert_eq!(verdict["stack"], serde_json::json!(["int", "int"]));
    assert_eq!(verdict["expected"], "byte[] or boolean[]");
    assert_eq!(verdict["found"], "int");
}

#[test]
fn a_missing_member_is_a_matter_of_applets_alone() {
    let ended = jive(words("verify Calls.class"));
    assert_eq!(ended.status, 1);
    insta::assert_snapshot!(ended.out);
    assert_eq!(jive(words("verify --class-only Calls.class")).status, 0);
}

#[test]
fn every_prefix_is_rejected_with_its_offset() {
    for length in 0..CLASS.len() {
        // Test only some lengths of the prefix, because a process for each length would take minutes.
        if length % 97 != 0 {
            continue;
        }
        let ended = jive_in(
            &classes(),
            words("verify --format json -"),
            &CLASS[..length],
        );
        assert_eq!(ended.status, 1, "{length}");
        let verdict = serde_json::from_str::<Value>(&ended.out).expect("one object");
        assert_eq!(verdict["verdict"], "rejected");
        assert_eq!(verdict["code"], "malformed/truncated", "{length}");
        let offset = verdict["offset"].as_u64().expect("an offset");
        assert!(offset <= length as u64, "{verdict}");
    }
}

#[test]
fn json_is_an_object_a_file_and_2_outranks_1() {
    let ended = jive(words(
        "verify --format json LongMaths.class Trapper.class nowhere.class",
    ));
    assert_eq!((ended.status, ended.err.as_str()), (2, ""));
    let verdicts = ended
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object a line"))
        .collect::<Vec<Value>>();
    let [rejected, accepted, missing] = &verdicts[..] else {
        panic!("expected three objects, found {}", ended.out);
    };
    assert_eq!(rejected["file"], "LongMaths.class");
    assert_eq!(rejected["verdict"], "rejected");
    assert_eq!(rejected["code"], "subset/long");
    assert_eq!(rejected["class"], "LongMaths");
    assert_eq!(rejected["method"], "doRx");
    assert_eq!(rejected["descriptor"], "(II)I");
    assert_eq!(rejected["instruction"], "i2l");
    assert_eq!(rejected["source_file"], "LongMaths.java");
    assert_eq!(rejected["line"], 11);
    assert_eq!(accepted["verdict"], "accepted");
    assert_eq!(accepted["class"], "Trapper");
    assert_eq!(accepted["major"], 52);
    assert_eq!(missing["verdict"], "unreadable");
    assert_eq!(missing["message"], "no such file");
}

#[test]
fn the_schema_of_verdicts_holds() {
    schema::with("verdict.schema.json", |_, validator| {
        let judged = |policy: &str, input: &[u8]| {
            let line = format!(
                "verify --format json {policy} - LongMaths.class Calls.class Bounds.class nowhere"
            );
            jive_in(&classes(), words(&line), input).out
        };
        let operand_type = patched(&[0x1a, 0x1b, 0x6c, 0xac], &[0x1a, 0x1b, 0x33, 0xac]);
        let out =
            judged("--class-only", &operand_type) + &judged("", b"no class") + &judged("", CLASS);
        assert_eq!(out.lines().count(), 15);
        for line in out.lines() {
            let mut verdict = serde_json::from_str::<Value>(line).expect("an object a line");
            if let Some(error) = validator.iter_errors(&verdict).next() {
                panic!("{line}: {error}");
            }
            verdict["more"] = Value::Null;
            assert!(!validator.is_valid(&verdict), "{line}");
        }
    });
}

#[test]
fn a_file_of_ten_megabytes_is_over_the_limit() {
    let mut bytes = CLASS.to_vec();
    bytes.resize(10 << 20, 0);
    let ended = jive_in(&classes(), words("verify --format json -"), &bytes);
    assert_eq!(ended.status, 1);
    let verdict = serde_json::from_str::<Value>(&ended.out).expect("one object");
    assert_eq!(verdict["code"], "limit/file-size");
}

#[test]
fn disasm_shows_pool_members_code_and_types() {
    let ended = jive_in(
        &classes(),
        words("disasm -"),
        applets::RAW_UNET_SINGLE.class,
    );
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    insta::assert_snapshot!(ended.out);
}

#[test]
fn disasm_shows_types_up_to_the_failure() {
    // In iload_0, iload_1, idiv, ireturn, the division becomes a load from an array.
    let class = patched(&[0x1a, 0x1b, 0x6c, 0xac], &[0x1a, 0x1b, 0x33, 0xac]);
    let ended = jive_in(&classes(), words("disasm -"), &class);
    assert_eq!(ended.status, 0);
    let lines = ended.out.lines().map(str::trim);
    let method = lines.skip_while(|line| !line.contains("divide(II)I  max_stack"));
    let shown = method.skip(2).take(4).collect::<Vec<_>>();
    let types = shown.iter().map(|line| line.split_once(" ; "));
    let types = types.map(|parts| parts.map(|(_, types)| types));
    assert_eq!(
        types.collect::<Vec<_>>(),
        [
            Some("locals [int, int] stack []"),
            Some("locals [int, int] stack [int]"),
            Some("locals [int, int] stack [int, int] <- rejected here"),
            None,
        ],
        "{shown:?}"
    );
}

#[test]
fn disasm_says_why_a_method_has_no_types() {
    let reasons = |file: &str| {
        let ended = jive_in(
            &classes().join("../../../jive/tests/rejected"),
            ["disasm", file],
            b"",
        );
        assert_eq!(ended.status, 0);
        let reasons = ended.out.lines().map(|line| line.split_once("no types: "));
        let reasons = reasons.flatten().map(|(_, why)| why.to_owned());
        reasons.collect::<Vec<_>>()
    };
    let whole = "the class is rejected before its code is looked at";
    assert_eq!(reasons("java/LongField.class"), [whole; 3]);
    let frame = reasons("attacks/limit/frame.65535.class");
    assert_eq!(
        frame[..2],
        [
            "this method is rejected before its instructions are followed",
            "the class is rejected for its method run, which comes first"
        ]
    );
}

#[test]
fn disasm_shows_a_rejected_class_too() {
    let ended = jive(words("disasm LongMaths.class"));
    assert_eq!(ended.status, 0);
    assert!(ended.err.contains("error[subset/long]"), "{}", ended.err);
    // The types are shown up to `i2l`, which is outside the subset; standard error gives the reason.
    let (_, members) = ended.out.split_once("\nfields\n").expect("it has fields");
    insta::assert_snapshot!(members);
    assert_eq!(jive(words("disasm LongMaths.java")).status, 1);
    assert_eq!(jive(words("disasm nowhere")).status, 2);
}
