//! `docs/trace.schema.json` accepts the output of `jive run --trace json`, and rejects lines with a changed field.

use std::collections::BTreeSet;

use jsonschema::Validator;
use nic_core::event::fields::PayloadMode;
use nic_core::id::NicId;
use nic_core::lmmc::{Direction, PortId};
use nic_runtime::Run;
use nic_runtime::export::json::JsonTrace;
use nic_runtime::export::summary::Summary;
use nic_runtime::host::{Actions, Happened, HostProgram, PortName, Programs};
use nic_runtime::scenario::{builtin, parse};
use serde_json::Value;

use crate::json_lines::values;
use crate::{jive, schema, words};

/// A text that only the built-in scenarios with VIs contain.
const ON_VIS: &str = "interface = \"via\"";

/// Returns the trace lines of the built-in scenarios of U-Net and of a scenario with many faults.
fn lines() -> Vec<Value> {
    let mut out = jive(words("run ../scenarios/busy.toml --trace json --payload")).out;
    // Add a scenario whose calls are suspended, because the receiver is slow.
    out += &jive(words(
        "run ../../../tests/scenarios/burst-25.toml --trace json",
    ))
    .out;
    for scenario in ["timer", "swap", "window-reads"] {
        let file = format!("../scenarios/{scenario}.toml");
        out += &jive(["run", &file, "--trace", "json", "--trace-work"]).out;
    }
    out += &jive(words("run pingpong --trace json --trace-work --dump")).out;
    let builtins = nic_runtime::scenario::BUILTIN.iter();
    for builtin in builtins.filter(|builtin| !builtin.text.contains(ON_VIS)) {
        out += &jive(["run", builtin.name, "--trace", "json"]).out;
    }
    values(out.as_bytes())
}

/// Returns the trace lines of scenarios with EMP and VIA. In the scenarios with EMP, frames are lost and sent again, a
/// message is longer than its receive, and one is given up because no frame arrives. In the scenarios with VIA, VIs
/// write to windows, once over a link with faults.
fn lines_of_other_interfaces() -> Vec<Value> {
    let files = ["emp-loss", "via-clan", "via-clan-faults"];
    let paths = files.map(|name| format!("../../../tests/scenarios/{name}.toml"));
    let mut out = paths
        .map(|path| jive(["run", &path, "--trace", "json", "--trace-work"]).out)
        .concat();
    out += &jive(["run", "../scenarios/give-up.toml", "--trace", "json"]).out;
    // A program frees a buffer of which it has an array.
    out += &jive(["run", "../scenarios/misuse.toml", "--trace", "json"]).out;
    let builtins = nic_runtime::scenario::BUILTIN.iter();
    for builtin in builtins.filter(|builtin| builtin.text.contains(ON_VIS)) {
        out += &jive(["run", builtin.name, "--trace", "json"]).out;
    }
    values(out.as_bytes())
}

/// A program that asks for what its node refuses, and sends what its peer refuses.
struct Misuse;

impl HostProgram for Misuse {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        if let Happened::Started = what {
            let home = actions.endpoints()[0];
            let peer = NicId(1);
            actions.lmmc_message(home, peer, vec![0xff]);
            let port = PortName {
                peer,
                direction: Direction::Receive,
                id: PortId::FIRST,
            };
            actions.delete_port(home, 1, port);
        }
    }
}

/// Returns the trace lines of a run of the scenario of LMMC in which a program misuses its ports.
fn lines_of_misuse() -> Vec<Value> {
    let text = builtin("lmmc").expect("it is shipped").text;
    let scenario = parse(text.as_bytes(), None, None).expect("it is right");
    let mut sink = JsonTrace::new(Vec::new(), PayloadMode::Shown, &scenario);
    let programs = Programs::new().with("echo", Misuse);
    let run = Run::new(&scenario).programs(programs).sink(&mut sink);
    let end = run.execute().expect("it can be run").end;
    let mut summary = Summary::new(&scenario);
    summary.end(end.time, end.reason);
    let bytes = sink.finish(&summary).expect("a vector takes every write");
    values(&bytes)
}

#[test]
fn schema_holds_for_every_event_and_refuses_other_fields() {
    schema::with("trace.schema.json", |schema, validator| {
        let lines = [lines(), lines_of_other_interfaces(), lines_of_misuse()].concat();
        let mut seen = BTreeSet::new();
        for line in &lines {
            if let Some(error) = validator.iter_errors(line).next() {
                panic!("{line}: {error}");
            }
            let event = line["event"].as_str().expect("checked above");
            if seen.insert(event.to_owned()) {
                assert_strict(validator, line);
            }
        }
        let known = schema["oneOf"].as_array().expect("the list of events");
        let known = known
            .iter()
            .map(|reference| reference["$ref"].as_str().expect("a reference"))
            .map(|reference| reference.trim_start_matches("#/$defs/").to_owned())
            .collect::<BTreeSet<_>>();
        assert_eq!(seen, known, "events that occur, events that the schema has");
    });
}

/// Asserts that the schema rejects the line if any field is renamed or added.
fn assert_strict(validator: &Validator, line: &Value) {
    let fields = line.as_object().expect("an object");
    for name in fields.keys() {
        let mut renamed = fields.clone();
        let value = renamed.remove(name).expect("it is there");
        renamed.insert(format!("{name}x"), value);
        assert!(
            !validator.is_valid(&Value::Object(renamed)),
            "{name} of {line}"
        );
    }
    let mut longer = fields.clone();
    longer.insert("more".to_owned(), Value::Null);
    assert!(!validator.is_valid(&Value::Object(longer)), "{line}");
}

#[test]
fn the_trace_is_headed_and_ended_and_times_never_fall() {
    let out = jive(words("run lossy-link --trace json --seed 9")).out;
    let lines = values(out.as_bytes());
    let head = r#"{"event":"trace","version":1,"profile":"lanai-1998","seed":9}"#;
    assert_eq!(out.lines().next(), Some(head));
    let [_, events @ .., summary] = &lines[..] else {
        panic!("expected events, found {out}");
    };
    assert_eq!(summary["event"], "summary");
    assert_eq!(summary["events"], events.len());
    assert!(summary.get("t_ns").is_none() && summary.get("nic").is_none());
    assert!(
        events
            .iter()
            .map(|event| event["t_ns"].as_u64())
            .is_sorted()
    );
}

#[test]
fn the_summary_is_what_the_events_add_up_to() {
    for line in lines().split(|line| line["event"] == "trace") {
        let Some((summary, events)) = line.split_last() else {
            continue;
        };
        let of = |name: &'static str| events.iter().filter(move |event| event["event"] == name);
        let count = |name| of(name).count();
        let bytes = |name| {
            of(name)
                .filter_map(|event| event["length"].as_u64())
                .sum::<u64>()
        };
        let totals = &summary["totals"];
        assert_eq!(totals["posted"], count("tx-post"));
        assert_eq!(totals["packets_sent"], count("wire-tx"));
        assert_eq!(totals["bytes_sent"], bytes("wire-tx"));
        assert_eq!(totals["packets_received"], count("wire-rx"));
        assert_eq!(totals["bytes_received"], bytes("wire-rx"));
        let notices = of("rx-descriptor").filter(|event| event["channel"].as_i64() < Some(0));
        let notices = notices.count();
        assert_eq!(totals["notices"], notices);
        assert_eq!(totals["delivered"], count("rx-descriptor") - notices);
        let sum = |counts: &Value| {
            let counts = counts.as_object().expect("an object").values();
            counts.filter_map(Value::as_u64).sum::<u64>()
        };
        assert_eq!(
            sum(&totals["drops"]),
            (count("drop") + count("wire-drop")) as u64
        );
        assert_eq!(sum(&totals["traps"]), count("trap") as u64);
    }
}

#[test]
fn the_summary_has_a_schema_of_its_own_with_the_same_definitions() {
    let [trace, summary] = ["trace", "summary"].map(|name| {
        let mut read = Value::Null;
        schema::with(&format!("{name}.schema.json"), |schema, _| {
            read = schema.clone()
        });
        read
    });
    for (name, definition) in summary["$defs"].as_object().expect("definitions") {
        assert_eq!(&trace["$defs"][name], definition, "{name}");
    }
    schema::with("summary.schema.json", |_, validator| {
        let plain = jive(words("run pingpong --trace json")).out;
        let with_stats = jive(words("run lossy-link --trace json --stats")).out;
        for out in [plain, with_stats] {
            let lines = values(out.as_bytes());
            let summary = lines.last().expect("a summary");
            if let Some(error) = validator.iter_errors(summary).next() {
                panic!("{summary}: {error}");
            }
            // Nothing was dropped for this reason, and its count is there all the same.
            assert_eq!(summary["totals"]["drops"]["chain-full"], 0);
            assert_eq!(summary["endpoints"][0]["traps"]["StackOverflowError"], 0);
            assert_strict(validator, summary);
        }
    });
}
