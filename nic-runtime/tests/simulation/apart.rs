//! Groups of NICs that never exchange packets run one after another without a sink. A run without a sink ends as the
//! run with a sink does.

use nic_core::event::{EndReason, Event, Names, Sink};
use nic_runtime::Run;
use nic_runtime::run::RunEnd;
use nic_runtime::spec::Scenario;

use crate::scenario::read;

/// A sink that receives all events and ignores them, so that the run follows the order of time.
struct Heard;

impl Sink for Heard {
    fn event(&mut self, _names: &dyn Names, _event: &Event<'_>) {}
}

/// A scenario with three groups of NICs, which are interleaved in the file. The groups are two NICs with a faulty link,
/// three in a row with an echo, and one that sends to itself. A seventh NIC of the scenario is idle.
fn three_groups(limits: &str) -> Scenario {
    groups_with(limits, "builtin:RawUnet")
}

fn groups_with(limits: &str, client: &str) -> Scenario {
    groups_joined_by(&[], limits, client)
}

/// The three groups of NICs, with further channels between the groups.
fn groups_joined_by(joins: &[&str], limits: &str, client: &str) -> Scenario {
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
    ]
    .iter()
    .chain(joins)
    {
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

/// Runs a scenario with and without a sink, and asserts that both runs end in the same way.
pub(crate) fn ends(scenario: &Scenario) -> RunEnd {
    let heard = Run::new(scenario)
        .sink(&mut Heard)
        .execute()
        .expect("it runs")
        .end;
    crate::trace::check_moves(&heard);
    let unheard = Run::new(scenario).execute().expect("it runs").end;
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
fn each_group_may_be_the_one_that_the_clock_cuts_off() {
    // Pairs that send one message, and one that sends for longer, at each place among them.
    for pairs in 2..5 {
        for longest in 0..pairs {
            let mut text = String::new();
            for pair in 0..pairs {
                text += &format!("[[nic]]\nname = 'a{pair}'\n[[nic]]\nname = 'b{pair}'\n");
            }
            for pair in 0..pairs {
                let repeat = if pair == longest { 50 } else { 1 };
                text += &format!(
                    "[[endpoint]]\nnic = 'a{pair}'\nname = 'x{pair}'\n\
                     [[endpoint]]\nnic = 'b{pair}'\nname = 'y{pair}'\n[[channel]]\nx{pair} = 1\ny{pair} = 1\n\
                     [[send]]\nendpoint = 'x{pair}'\nchannel = 1\npayload = {{ zeros = 9 }}\n\
                     repeat = {repeat}\nevery = '1ms'\n"
                );
            }
            let end = ends(&read(&format!("until = '10ms'\n{text}")));
            assert_eq!(end.reason, EndReason::Until, "{longest} of {pairs}");
            let end = ends(&read(&format!("until = '1s'\n{text}")));
            assert_eq!(end.reason, EndReason::Idle, "{longest} of {pairs}");
        }
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

/// Channels that join all groups of NICs, but that no send names.
const SILENT: [&str; 3] = [
    "server = 8\nlast = 8",
    "middle = 9\nself = 9",
    "client = 9\nfirst = 9",
];

#[test]
fn groups_that_channels_join_on_which_nobody_sends() {
    for limits in ["", "until = \"900us\"", "max_events = 1234", "seed = 7"] {
        let silent = ends(&groups_joined_by(&SILENT, limits, "builtin:RawUnet"));
        assert_eq!(silent, ends(&three_groups(limits)), "{limits}");
    }
}

/// A scenario in which a relay passes a client's messages to a NIC of another group, which is busy with messages of its
/// own.
fn relayed(limits: &str, repeat: u32) -> Scenario {
    let mut text = format!("{limits}\n");
    for name in ["a", "b", "c", "d"] {
        text += &format!("[[nic]]\nname = \"{name}\"\n");
    }
    for (nic, name, applet) in [
        ("a", "client", "builtin:RawUnet"),
        ("b", "relay", "Relay.class"),
        ("c", "far", "builtin:RawUnet"),
        ("d", "busy", "builtin:RawUnet"),
    ] {
        text +=
            &format!("[[endpoint]]\nnic = \"{nic}\"\nname = \"{name}\"\napplet = \"{applet}\"\n");
    }
    for ends in [
        "client = 1\nrelay = 1",
        "relay = 2\nfar = 2",
        "busy = 1\nfar = 1",
    ] {
        text += &format!("[[channel]]\n{ends}\n");
    }
    for (endpoint, at, repeat) in [("client", "500us", repeat), ("busy", "0us", 40)] {
        text += &format!(
            "[[send]]\nendpoint = \"{endpoint}\"\nchannel = 1\nat = \"{at}\"\n\
             payload = {{ zeros = 64 }}\nrepeat = {repeat}\nevery = \"70us\"\n"
        );
    }
    read(&text)
}

#[test]
fn packets_that_go_where_no_send_leads() {
    for repeat in [1, 2, 30] {
        assert_eq!(ends(&relayed("", repeat)).reason, EndReason::Idle);
        let end = ends(&relayed("until = \"700us\"", repeat));
        assert_eq!(end.reason, EndReason::Until);
        let end = ends(&relayed("max_events = 300", repeat));
        assert_eq!((end.reason, end.events), (EndReason::MaxEvents, 300));
    }
    // If the run ends by time before the first packet leaves its group, the groups stay separate.
    let end = ends(&relayed("until = \"510us\"", 1));
    assert_eq!(end.reason, EndReason::Until);
}
