//! Without a listener, NICs that no channel joins run one after the other: a run ends no differently.

use nic_runtime::event::{EndReason, Event, Names, Sink};
use nic_runtime::scenario::Scenario;
use nic_runtime::sim::{self, RunEnd};

use crate::scenario::read;

/// Hears everything and keeps nothing: the run is in the order of time.
struct Heard;

impl Sink for Heard {
    fn event(&mut self, _names: &dyn Names, _event: &Event<'_>) {}
}

/// Three groups, whose NICs lie between each other in the file: two NICs with a faulty link, three in a
/// row with an echo at the end, and one that sends to itself. A seventh NIC has nothing to do.
fn three_groups(limits: &str) -> Scenario {
    groups_with(limits, "builtin:RawUnet")
}

fn groups_with(limits: &str, client: &str) -> Scenario {
    let mut text = format!("{limits}\n");
    for name in ["a", "b", "c", "d", "e", "f", "g"] {
        text += &format!("[[nic]]\nname = \"{name}\"\n");
    }
    text += "[[link]]\nbetween = [\"a\", \"d\"]\n";
    text += "loss = 0.2\nduplicate = 0.2\ncorrupt = 0.2\nreorder = 0.2\n";
    let client = format!("applet = \"{client}\"");
    let (client, raw) = (client.as_str(), "applet = \"builtin:RawUnet\"");
    for (nic, name, rest) in [
        ("a", "client", client),
        ("d", "server", raw),
        ("b", "first", ""),
        ("c", "middle", raw),
        ("e", "last", "host = \"echo\""),
        ("f", "self", raw),
    ] {
        text += &format!("[[endpoint]]\nnic = \"{nic}\"\nname = \"{name}\"\n{rest}\n");
    }
    for ends in [
        "client = 1\nserver = 7",
        "first = 1\nmiddle = 1",
        "middle = 2\nlast = 2",
        "self = [1, 2]",
    ] {
        text += &format!("[[channel]]\n{ends}\n");
    }
    for (endpoint, channel, at, length, repeat, every) in [
        ("middle", 2, "3us", 300, 40, "70us"),
        ("client", 1, "5us", 64, 100, "31us"),
        ("self", 1, "5us", 3000, 7, "1ms"),
        ("first", 1, "0us", 64, 50, "40us"),
        ("client", 1, "2ms", 0, 3, "0us"),
    ] {
        text += &format!(
            "[[send]]\nendpoint = \"{endpoint}\"\nchannel = {channel}\nat = \"{at}\"\n\
             payload = {{ zeros = {length} }}\nrepeat = {repeat}\nevery = \"{every}\"\n"
        );
    }
    read(&text)
}

/// Runs a scenario with and without a listener, and holds that it ends the same.
fn ends(scenario: &Scenario) -> RunEnd {
    let heard = sim::run(scenario, &mut Heard).expect("it runs");
    let unheard = sim::run(scenario, &mut ()).expect("it runs");
    assert_eq!(unheard, heard);
    heard
}

#[test]
fn groups_that_run_to_their_end() {
    let end = ends(&three_groups(""));
    assert_eq!(end.reason, EndReason::Idle);
    assert!(end.events > 3_000, "{end:?}");
}

#[test]
fn groups_that_are_cut_off_by_the_clock() {
    for until in ["4us", "5us", "900us", "2001us", "5ms"] {
        let end = ends(&three_groups(&format!("until = \"{until}\"")));
        assert_eq!(end.reason, EndReason::Until, "{until}");
    }
}

#[test]
fn groups_that_are_cut_off_by_the_count_of_events() {
    let whole = ends(&three_groups("")).events;
    for most in [1, 2, 500, 1_234, whole - 1] {
        let end = ends(&three_groups(&format!("max_events = {most}")));
        assert_eq!((end.reason, end.events), (EndReason::MaxEvents, most));
    }
    let end = ends(&three_groups(&format!("max_events = {whole}")));
    assert_eq!(end.reason, EndReason::Idle);
}

#[test]
fn groups_with_other_faults() {
    let ends: Vec<_> = (1..=10)
        .map(|seed| ends(&three_groups(&format!("seed = {seed}"))).events)
        .collect();
    assert!(ends.iter().any(|events| *events != ends[0]), "{ends:?}");
}

#[test]
fn packets_that_were_sent_while_loading_are_due_in_any_group() {
    let end = ends(&groups_with("", "Early.class"));
    assert_eq!(end.reason, EndReason::Idle);
    let end = ends(&groups_with("until = \"1us\"", "Early.class"));
    assert_eq!(end.reason, EndReason::Until);
}
