//! Expectations of scenarios that a run meets or does not meet.

use nic_runtime::Run;
use nic_runtime::judge::Judgement;
use nic_runtime::scenario::{Mistake, ScenarioError, parse};

use crate::scenario::read;

/// Returns a scenario that sends these texts to the applet `Masker`. The applet exclusive-ors each byte with 0x5A and
/// delivers the message.
fn scenario(texts: &[&str], expectations: &str) -> String {
    let sends = texts.iter().enumerate().map(|(number, text)| {
        let at = 10 + 500 * number;
        format!(
            "[[send]]\nendpoint = \"client\"\nchannel = 1\nat = \"{at}us\"\n\
             payload = {{ text = \"{text}\" }}\n"
        )
    });
    format!(
        "[[nic]]\nname = \"a\"\n[[nic]]\nname = \"b\"\n\
         [[endpoint]]\nnic = \"a\"\nname = \"client\"\n\
         [[endpoint]]\nnic = \"b\"\nname = \"server\"\napplet = \"Masker.class\"\n\
         [[channel]]\nclient = 1\nserver = 7\n{}{expectations}",
        sends.collect::<String>()
    )
}

/// Runs the scenario with these texts, and judges its expectations.
fn judged(texts: &[&str], expectations: &str) -> Judgement {
    let scenario = read(&scenario(texts, expectations));
    let (_, judgement) = Run::new(&scenario)
        .judge()
        .execute()
        .expect("it runs")
        .judged();
    judgement.expect("something is expected")
}

/// Returns the title and the note of the only expectation, which is not met.
fn said(texts: &[&str], expectation: &str) -> (String, String) {
    let judgement = judged(texts, &format!("[[expect]]\n{expectation}\n"));
    let [unmet] = <[_; 1]>::try_from(judgement.unmet).expect("it is not met");
    assert_eq!(judgement.met, 0);
    (unmet.title, unmet.note.unwrap_or_default())
}

#[track_caller]
fn assert_met(texts: &[&str], expectations: &[&str]) {
    let all = expectations.iter().map(|expectation| {
        let mut text = String::from("[[expect]]\n");
        text.push_str(expectation);
        text.push('\n');
        text
    });
    let judgement = judged(texts, &all.collect::<String>());
    assert_eq!(judgement.unmet, []);
    assert_eq!(judgement.met, expectations.len());
}

// The payloads are `hello` and `world` with each byte exclusive-or 0x5A.
const HELLO: &str = "endpoint = \"server\"\npayload = { hex = \"323f363635\" }";
const WORLD: &str = "endpoint = \"server\"\npayload = { hex = \"2d3528363e\" }";

#[test]
fn a_scenario_with_every_kind_of_expectation_is_met() {
    let scenario = read(include_str!("../scenarios/expectations.toml"));
    let (_, judgement) = Run::new(&scenario)
        .judge()
        .execute()
        .expect("it runs")
        .judged();
    let judgement = judgement.expect("something is expected");
    assert_eq!((judgement.met, judgement.unmet), (11, Vec::new()));
}

#[test]
fn messages_in_the_order_of_the_file_are_met() {
    assert_met(&["hello", "world"], &[HELLO, WORLD]);
    let on_channel = format!("{WORLD}\nchannel = 7");
    // Expectations for messages on one channel and for all messages of an endpoint are counted separately.
    assert_met(
        &["hello", "world"],
        &[HELLO, &on_channel.replace("2d3528363e", "323f363635")],
    );
    let twice = format!("{HELLO}\nrepeat = 2");
    assert_met(&["hello", "hello", "world"], &[&twice, WORLD]);
}

#[test]
fn messages_in_any_order_are_met() {
    let any = |expectation: &str| format!("{expectation}\norder = \"any\"");
    let (hello, world) = (any(HELLO), any(WORLD));
    assert_met(&["hello", "other", "world"], &[&world, &hello]);
    // A message meets one expectation, also if one names its channel and the other does not.
    let both = format!("[[expect]]\n{hello}\n[[expect]]\n{hello}\nchannel = 7\n");
    let once = judged(&["hello"], &both);
    assert_eq!((once.met, once.unmet.len()), (1, 1));
    let twice = judged(&["hello", "hello"], &both);
    assert_eq!((twice.met, twice.unmet.len()), (2, 0));
    let (title, note) = said(&["hello"], &format!("{hello}\nrepeat = 2"));
    assert_eq!(
        title,
        "expected 2 receive descriptors at `server` with this payload, found 1 among 1"
    );
    assert_eq!(note, "");
    let (title, note) = said(&["worlD", "hello"], &world);
    assert_eq!(
        title,
        "expected 1 receive descriptor at `server` with this payload, found 0 among 2"
    );
    assert!(
        note.starts_with("of the message most like it, byte 4 differs\n"),
        "{note}"
    );
}

#[test]
fn a_message_with_other_bytes_is_shown_beside_them() {
    let (title, note) = said(&["hellO"], HELLO);
    assert_eq!(
        title,
        "expected this payload in receive descriptor 1 at `server`, found another"
    );
    assert_eq!(
        note,
        "byte 4 differs\n\
         expected  00000000  32 3f 36 36 35                                   |2?665|\n\
         found     00000000  32 3f 36 36 15                                   |2?66.|\n\
         \x20                               ^^"
    );
}

#[test]
fn a_message_that_does_not_come_is_missed() {
    let judgement = judged(
        &["hello"],
        &format!("[[expect]]\n{HELLO}\n[[expect]]\n{WORLD}\n"),
    );
    assert_eq!((judgement.met, judgement.unmet.len()), (1, 1));
    assert_eq!(
        judgement.unmet[0].title,
        "expected receive descriptor 2 at `server`, found 1 receive descriptor"
    );
    let (title, _) = said(&["hello"], &format!("{HELLO}\nchannel = 8"));
    assert_eq!(
        title,
        "expected receive descriptor 1 at `server` on channel 8, found 0 receive descriptors"
    );
}

#[test]
fn descriptors_are_counted() {
    let met = [
        "count = 2",
        "count = 2\nendpoint = \"server\"\nchannel = 7",
        "count = 0\nendpoint = \"client\"",
    ];
    assert_met(&["hello", "world"], &met);
    let (title, _) = said(&["hello"], "count = 3");
    assert_eq!(
        title,
        "expected 3 receive descriptors at all endpoints, found 1"
    );
}

#[test]
fn drops_and_traps_are_counted_by_kind() {
    // The applet `Masker` traps on the fourth message.
    let texts = ["one", "two", "three", "four"];
    let kind = "ArrayIndexOutOfBoundsException";
    assert_met(
        &texts,
        &[
            "drops = 1",
            "drops = { applet-trap = 1, crc = 0 }\nendpoint = \"server\"",
            "drops = 0\nendpoint = \"client\"",
            "traps = 1",
            &format!("traps = {{ {kind} = 1, FuelExhausted = 0 }}"),
            &format!("trap = \"{kind}\"\nendpoint = \"server\""),
        ],
    );
    for (expectation, title) in [
        (
            "drops = 0",
            "expected 0 drops at all endpoints, found applet-trap 1".to_owned(),
        ),
        (
            "traps = { FuelExhausted = 1 }",
            format!("expected traps FuelExhausted 1 at all endpoints, found {kind} 1"),
        ),
        (
            "trap = \"FuelExhausted\"\nendpoint = \"server\"",
            format!("expected a trap FuelExhausted at `server`, found {kind} 1"),
        ),
    ] {
        assert_eq!(said(&texts, expectation).0, title);
    }
    let (title, _) = said(
        &["one"],
        &format!("trap = \"{kind}\"\nendpoint = \"server\""),
    );
    assert_eq!(
        title,
        format!("expected a trap {kind} at `server`, found none")
    );
}

#[test]
fn fields_of_every_type_are_compared_when_the_run_has_ended() {
    let field = |name: &str, value: &str| {
        format!("endpoint = \"server\"\nfield = \"{name}\"\nvalue = {value}")
    };
    let met = [
        field("packets", "2"),
        field("longest", "6"),
        field("first", "45"),
        field("seen", "true"),
        field("last", "[45, 53, 40, 54]"),
        field("lengths", "[5, 6, 0]"),
        field("isLong", "[false, false, false]"),
    ];
    let met = met.each_ref().map(String::as_str);
    assert_met(&["hello", "world!"], &met);
    for (name, value, title) in [
        (
            "packets",
            "3",
            "expected 3 in field `packets` of `server`, found 2",
        ),
        (
            "seen",
            "false",
            "expected false in field `seen` of `server`, found true",
        ),
        (
            "lengths",
            "[5, 7, 0]",
            "expected 7 in element 1 of field `lengths` of `server`, found 6",
        ),
        (
            "lengths",
            "[5, 6]",
            "expected 2 elements in field `lengths` of `server`, found 3",
        ),
        (
            "unused",
            "[]",
            "expected 0 elements in field `unused` of `server`, found null",
        ),
    ] {
        assert_eq!(said(&["hello", "world!"], &field(name, value)).0, title);
    }
    let (title, note) = said(&["hello", "world!"], &field("last", "[45, 53, 40, -1]"));
    assert_eq!(
        title,
        "expected -1 in element 3 of field `last` of `server`, found 54"
    );
    assert!(
        note.starts_with("byte 3 differs\nexpected  00000000  2d 35 28 ff"),
        "{note}"
    );
}

/// Returns the mistakes that the reader of scenarios finds in an expectation.
fn mistakes(expectation: &str) -> Vec<(String, String)> {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/classes");
    let text = scenario(&["hello"], &format!("[[expect]]\n{expectation}\n"));
    match parse(text.as_bytes(), Some(&directory), None) {
        Err(ScenarioError::Mistakes(mistakes)) => {
            let shown = |Mistake { span, kind }: &Mistake| {
                let place = text[span.range()].lines().next().unwrap_or_default();
                (place.to_owned(), kind.to_string())
            };
            mistakes.iter().map(shown).collect()
        }
        other => panic!("expected a mistake, found {other:?}"),
    }
}

#[test]
fn mistakes_are_found_before_anything_runs() {
    let subjects = "expected one of `payload`, `count`, `drops`, `traps`, `trap` or `field`";
    let forms = "expected one of `text`, `hex`, `zeros`, `count`, `file`, `pcap` or `capsule`";
    for (expectation, place, message) in [
        ("endpoint = \"server\"", "[[expect]]", subjects),
        ("count = 1\ndrops = 0", "[[expect]]", subjects),
        (
            "endpoint = \"sever\"\ncount = 1",
            "\"sever\"",
            "expected the name of an endpoint",
        ),
        (
            "trap = \"FuelExhausted\"",
            "[[expect]]",
            "`[[expect]]` needs the key `endpoint`",
        ),
        (
            "count = -1",
            "-1",
            "expected 0 to 18446744073709551615 for the number",
        ),
        (
            "drops = true",
            "true",
            "expected an integer, found a boolean",
        ),
        ("count = 1\nvalue = 2", "2", "`value` needs `field`"),
        (
            "drops = 1\nchannel = 7",
            "7",
            "`channel` needs `payload` or `count`",
        ),
        (
            "endpoint = \"server\"\npayload = { random = 4 }",
            "random",
            forms,
        ),
        (
            "endpoint = \"client\"\nfield = \"packets\"\nvalue = 1",
            "\"packets\"",
            "expected an endpoint with an applet, whose class has the field",
        ),
        (
            "endpoint = \"server\"\nfield = \"packet\"\nvalue = 1",
            "\"packet\"",
            "expected a field of class `Masker`, which has `RxBuf`, `last`, `lengths`, `isLong`, `unused`, \
             `offsets`, `packets`, `first` and 2 more",
        ),
        (
            "endpoint = \"server\"\nfield = \"packets\"\nvalue = [1]",
            "[1]",
            "expected an integer, found an array",
        ),
        (
            "endpoint = \"server\"\nfield = \"last\"\nvalue = 1",
            "1",
            "expected an array of integers, found an integer",
        ),
        (
            "endpoint = \"server\"\nfield = \"last\"\nvalue = [0, 255]",
            "255",
            "expected -128 to 127 for a `byte`",
        ),
        (
            "endpoint = \"server\"\nfield = \"seen\"\nvalue = 1",
            "1",
            "expected a boolean, found an integer",
        ),
        (
            "endpoint = \"server\"\nfield = \"packets\"",
            "[[expect]]",
            "`[[expect]]` needs the key `value`",
        ),
    ] {
        let expected = [(place.to_owned(), message.to_owned())];
        assert_eq!(mistakes(expectation), expected, "{expectation}");
    }
    let [(_, message)] = &mistakes("endpoint = \"server\"\ntrap = \"FuelExhaused\"")[..] else {
        panic!("one mistake");
    };
    assert!(
        message.starts_with("expected `ArithmeticException`, "),
        "{message}"
    );
}

#[test]
fn a_judge_changes_no_event() {
    use nic_runtime::export::PayloadMode;
    use nic_runtime::export::text::TextTrace;
    let text = |expectations: &str| {
        let scenario = read(&scenario(&["hello", "world"], expectations));
        let mut trace = TextTrace::new(Vec::new(), PayloadMode::Shown);
        let run = Run::new(&scenario).sink(&mut trace).judge();
        run.execute().expect("it runs");
        trace.finish().expect("a vector takes everything")
    };
    assert_eq!(text(""), text(&format!("[[expect]]\n{WORLD}\n")));
}
