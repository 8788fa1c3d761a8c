//! VIA: scenarios of U-Net run on VIs as well, and single messages complete with the expected status.

use nic_runtime::Run;
use std::collections::BTreeMap;

use nic_core::event::roles::Step;
use nic_core::event::{Event, Names, Sink};
use nic_core::id::EndpointId;
use nic_runtime::profile::Receive;
use nic_runtime::scenario::{BUILTIN, Builtin, parse};
use nic_runtime::spec::InterfaceKind;
use nic_runtime::spec::Scenario;

use crate::trace::run;

/// A sink that keeps the messages that users receive, by endpoint.
#[derive(Default)]
pub(crate) struct Received(pub(crate) BTreeMap<EndpointId, Vec<Vec<u8>>>);

impl Sink for Received {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        if let (Some(here), Step::Delivered { payload, .. }) =
            (event.endpoint, event.kind.roles().step)
        {
            self.0
                .entry(here)
                .or_default()
                .push(payload.bytes().collect());
        }
    }
}

pub(crate) fn received(scenario: &Scenario) -> BTreeMap<EndpointId, Vec<Vec<u8>>> {
    let mut received = Received::default();
    Run::new(scenario)
        .sink(&mut received)
        .execute()
        .expect("the scenario fits");
    received.0
}

/// Returns the reason for which a scenario of U-Net cannot run on VIs, if there is one.
fn why_left_out(scenario: &Scenario) -> Option<&'static str> {
    let mut channels = BTreeMap::<EndpointId, u32>::new();
    for channel in &scenario.channels {
        if channel.a.0 == channel.b.0 {
            return Some("an endpoint has a channel to itself");
        }
        for (endpoint, _) in [channel.a, channel.b] {
            *channels.entry(endpoint).or_default() += 1;
        }
    }
    let is_faulty = |loss: f64| loss > 0.0;
    let mut links = scenario.links.iter();
    if links.any(|link| {
        [link.loss, link.duplicate, link.corrupt, link.reorder]
            .into_iter()
            .any(is_faulty)
    }) {
        return Some("a link has faults");
    }
    let count = scenario.endpoints.len();
    if scenario.profile.receive == Receive::Direct {
        return Some("its NICs keep headers alone");
    }
    if scenario
        .endpoints
        .iter()
        .any(|spec| spec.interface != InterfaceKind::Unet)
    {
        return Some("an endpoint is not of U-Net");
    }
    if channels.len() != count || channels.values().any(|channels| *channels != 1) {
        return Some("an endpoint has no channel or several");
    }
    None
}

fn on_vis(builtin: &Builtin, profile: Option<&str>) -> Scenario {
    let keys = "[[endpoint]]\ninterface = \"via\"\nsplit = true\n";
    let mut text = builtin.text.replace("[[endpoint]]\n", keys);
    if let Some(profile) = profile {
        let lines = text.lines().filter(|line| !line.starts_with("profile ="));
        text = format!(
            "profile = '{profile}'\n{}",
            lines.collect::<Vec<_>>().join("\n")
        );
    }
    parse(text.as_bytes(), None, None).unwrap_or_else(|error| panic!("{}: {error:?}", builtin.name))
}

#[test]
fn built_in_scenarios_of_u_net_deliver_the_same_on_vis() {
    let (mut compared, mut over_clan) = (Vec::new(), Vec::new());
    for builtin in BUILTIN {
        let scenario = parse(builtin.text.as_bytes(), None, None).expect("a built-in scenario");
        if let Some(reason) = why_left_out(&scenario) {
            println!("left out: {}: {reason}", builtin.name);
            continue;
        }
        compared.push(builtin.name);
        let (expected, found) = (received(&scenario), received(&on_vis(builtin, None)));
        assert_eq!(found, expected, "{}", builtin.name);
        if scenario.endpoints.iter().any(|spec| spec.class.is_some()) || !scenario.swaps.is_empty()
        {
            println!(
                "left out over CLAN: {}: its NIC runs no applets",
                builtin.name
            );
            continue;
        }
        let found = received(&on_vis(builtin, Some("clan-2001")));
        assert_eq!(found, expected, "{} over CLAN", builtin.name);
        over_clan.push(builtin.name);
    }
    println!("compared: {}", compared.join(", "));
    println!("compared over CLAN: {}", over_clan.join(", "));
    assert!(
        compared.len() >= 10 && !over_clan.is_empty(),
        "{compared:?} {over_clan:?}"
    );
}

/// A scenario of two VIs with the same keys, on NICs of their own.
pub(crate) fn pair(link: &str, both: &str, more: &str) -> String {
    format!(
        "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[link]]\nbetween = ['a', 'b']\n{link}\n\
         [[endpoint]]\nnic = 'a'\nname = 'left'\ninterface = 'via'\n{both}\n\
         [[endpoint]]\nnic = 'b'\nname = 'right'\ninterface = 'via'\n{both}\n\
         [[channel]]\nleft = 1\nright = 1\n{more}"
    )
}

/// Returns the lines of a run's trace for events with these names, without time, NIC and packet numbers.
pub(crate) fn lines(toml: &str, words: &[&str]) -> Vec<String> {
    let trace = run(toml);
    let events = trace.events.iter().filter(|event| {
        let name = event["event"].as_str().unwrap_or("");
        words.contains(&name)
    });
    let shown = events.map(|event| {
        let field = |key: &str| match &event[key] {
            serde_json::Value::Null => String::new(),
            serde_json::Value::String(text) => format!(" {text}"),
            other => format!(" {key}={other}"),
        };
        let keys = [
            "endpoint",
            "event",
            "channel",
            "length",
            "state",
            "reason",
            "status",
            "immediate",
            "queue",
            "side",
            "kind",
            "buffers",
        ];
        keys.map(field).concat().trim().to_owned()
    });
    shown.collect()
}

pub(crate) fn send(more: &str) -> String {
    format!("[[send]]\nendpoint = 'left'\nchannel = 1\nat = '10us'\n{more}\n")
}

#[test]
fn a_message_takes_a_descriptor_and_brings_its_immediate_data() {
    let more = send("payload = { text = 'hello' }\nimmediate = 4294967295");
    let both =
        "completion = { send = 's', receive = 'r' }\nfree_buffers = { count = 1, length = 64 }";
    let words = [
        "tx-post",
        "tx-done",
        "rx-post",
        "rx-descriptor",
        "completion",
        "vi-state",
    ];
    assert_eq!(
        lines(&pair("", both, &more), &words),
        [
            "left rx-post length=64",
            "left vi-state connecting requested",
            "left vi-state connected accepted",
            "right rx-post length=64",
            "right vi-state connecting requested",
            "right vi-state connected accepted",
            "left tx-post channel=1 length=5 immediate=4294967295",
            "left tx-done channel=1 length=5 ok",
            "left completion s send",
            "right rx-descriptor channel=1 length=5 ok immediate=4294967295 buffers=[0]",
            "right completion r receive",
            "right rx-post length=64",
        ]
    );
}

#[test]
fn overrun_breaks_reliable_connections_only() {
    let more = send("payload = { zeros = 9 }\nrepeat = 3");
    let keys = "free_buffers = { count = 1, length = 64 }\nnotify = 'poll'\npoll_every = '1ms'";
    let words = ["tx-done", "rx-descriptor", "drop", "vi-state", "wire-tx"];
    let after = |level: &str| {
        let both = format!("{keys}\nreliability = '{level}'");
        let mut shown = lines(&pair("", &both, &more), &words);
        // The first four lines are the states of the VIs at the start.
        shown.drain(..4);
        shown
    };
    assert_eq!(
        after("delivery"),
        [
            "left wire-tx channel=1 length=9",
            "left tx-done channel=1 length=9 ok",
            "left wire-tx channel=1 length=9",
            "left tx-done channel=1 length=9 ok",
            "left wire-tx channel=1 length=9",
            "left tx-done channel=1 length=9 ok",
            "right wire-tx channel=1 length=0 ack",
            "right rx-descriptor channel=1 length=9 ok buffers=[0]",
            "right drop no-free-buffer",
            "right wire-tx channel=1 length=0 close",
            "right vi-state error overrun",
            "left vi-state error overrun",
            "left rx-descriptor channel=1 length=0 flushed buffers=[0]",
            "right drop not-connected",
            "right rx-descriptor channel=1 length=0 flushed buffers=[0]",
        ]
    );
    let unreliable = after("unreliable");
    let count = |text: &str| unreliable.iter().filter(|line| line.contains(text)).count();
    assert_eq!(
        [count("no-free-buffer"), count("vi-state"), count(" ok")],
        [2, 0, 4],
        "{unreliable:#?}"
    );
}

#[test]
fn a_message_longer_than_its_descriptor_is_an_error_or_split() {
    let more = send("payload = { count = 150 }");
    let free = "free_buffers = { count = 4, length = 64 }";
    let words = ["rx-descriptor", "vi-state", "drop"];
    let after = |keys: &str| {
        let mut shown = lines(&pair("", &format!("{free}\n{keys}"), &more), &words);
        shown.drain(..4);
        shown.retain(|line| !line.contains("flushed"));
        shown
    };
    assert_eq!(
        after("split = true"),
        ["right rx-descriptor channel=1 length=150 ok buffers=[0,64,128]"]
    );
    assert_eq!(
        after("reliability = 'unreliable'"),
        ["right rx-descriptor channel=1 length=0 length-error buffers=[0]"]
    );
    assert_eq!(
        after(""),
        [
            "right vi-state error length-error",
            "left vi-state error length-error",
            "right rx-descriptor channel=1 length=0 length-error buffers=[0]",
        ]
    );
}

#[test]
fn loss_of_the_last_message_is_noticed() {
    let more = send("payload = { zeros = 9 }");
    for level in ["delivery", "reception"] {
        let both = format!("reliability = '{level}'\nfree_buffers = {{ count = 1, length = 64 }}");
        let mut shown = lines(&pair("loss = 1.0", &both, &more), &["tx-done", "vi-state"]);
        shown.drain(..4);
        let done = "left tx-done channel=1 length=9";
        let expected = match level {
            "delivery" => [&format!("{done} ok"), "left vi-state error loss"],
            _ => ["left vi-state error loss", &format!("{done} flushed")],
        };
        assert_eq!(shown[..2], expected);
        assert_eq!(shown[2..], ["right vi-state error loss"]);
    }
}

#[test]
fn descriptors_that_a_vi_may_not_send_complete_as_errors() {
    let sends = send("payload = { zeros = 9217 }")
        + "[[send]]\nendpoint = 'left'\nchannel = 2\npayload = { zeros = 1 }\n";
    let both = "free_buffers = { count = 1, length = 64 }";
    assert_eq!(
        lines(&pair("", both, &sends), &["tx-done"]),
        [
            "left tx-done channel=2 length=1 protection-error",
            "left tx-done channel=1 length=9217 length-error",
        ]
    );
}

#[test]
fn a_message_is_joined_from_its_segments() {
    let more = send("payload = { count = 64 }\nsegments = [[60, 4], [0, 2], [10, 0], [1, 1]]");
    let both = "split = true\nfree_buffers = { count = 8, length = 3 }";
    let expected = vec![vec![60, 61, 62, 63, 0, 1, 1]];
    for profile in ["giganet-1999", "clan-2001"] {
        for transfer in ["pio", "dma"] {
            let keys = match profile {
                "clan-2001" => format!("{both}\ntransfer = '{transfer}'"),
                _ => both.to_owned(),
            };
            let text = format!("profile = '{profile}'\n{}", pair("", &keys, &more));
            let found = received(&crate::scenario::read(&text));
            assert_eq!(found[&EndpointId(1)], expected, "{profile} {transfer}");
        }
    }
    // The NIC moves each piece of the message by a DMA transfer of its own.
    let dma = lines(&pair("", both, &more), &["dma"]);
    let moved: Vec<&String> = dma.iter().filter(|line| line.starts_with("left")).collect();
    assert_eq!(moved.len(), 3, "{moved:?}");
}

#[test]
fn a_region_with_descriptors_under_way_cannot_be_deregistered() {
    let region = |at: &str, action: &str| {
        format!("[[region]]\nendpoint = 'left'\nat = '{at}'\naction = '{action}'\n")
    };
    // If no receive descriptors are posted, the region of the sender is in use only while the VI sends.
    let text = "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
                [[endpoint]]\nnic = 'a'\nname = 'left'\ninterface = 'via'\n\
                free_buffers = { count = 0, length = 64 }\n\
                [[endpoint]]\nnic = 'b'\nname = 'right'\ninterface = 'via'\n\
                [[channel]]\nleft = 1\nright = 1\n"
        .to_owned()
        + &send("payload = { zeros = 9 }\nrepeat = 3\nevery = '200us'")
        + &region("11us", "deregister")
        + &region("150us", "deregister")
        + &region("350us", "register")
        + &region("351us", "register");
    let words = ["region", "tx-done"];
    for profile in ["lanai-1998", "clan-2001"] {
        let shown = region_lines(&format!("profile = '{profile}'\n{text}"), &words);
        assert_eq!(
            shown,
            [
                "left registered",
                "right registered",
                "left refused",
                "left ok",
                "left deregistered",
                "left protection-error",
                "left registered",
                "left refused",
                "left ok",
            ],
            "{profile}"
        );
    }
    // Posted receive descriptors are under way, so they keep the region in use.
    let text = pair(
        "",
        "free_buffers = { count = 1, length = 64 }",
        &region("1us", "deregister"),
    );
    let shown = region_lines(&text, &["region"]);
    assert_eq!(
        shown,
        ["left registered", "right registered", "left refused"]
    );
}

/// Returns the endpoint and the action or status of events with these names.
fn region_lines(text: &str, words: &[&str]) -> Vec<String> {
    let trace = run(text);
    let events = trace.events.iter().filter(|event| {
        let name = event["event"].as_str().unwrap_or("");
        words.contains(&name)
    });
    let shown = events.map(|event| {
        let word = event["action"].as_str().or(event["status"].as_str());
        let endpoint = event["endpoint"].as_str().unwrap_or("");
        format!("{endpoint} {}", word.unwrap_or(""))
    });
    shown.collect()
}

/// Returns the time from the post of a message to the next post, which follows the message's echo, in nanoseconds.
fn round_trip(length: u32) -> u64 {
    let both = "reliability = 'delivery'\nfree_buffers = { count = 2, length = 65536 }\nbuffer_area = 262144";
    let text = pair(
        "",
        both,
        &send(&format!("payload = {{ zeros = {length} }}")),
    )
    .replacen("name = 'right'", "name = 'right'\nhost = 'echo'", 1);
    let trace = run(&format!("profile = 'giganet-1999'\n{text}"));
    let time = |event: &str| {
        let mut events = trace.events.iter();
        let found = events.find(|found| found["event"] == event && found["endpoint"] == "left");
        found
            .and_then(|found| found["t_ns"].as_u64())
            .expect("a time")
    };
    // The program at the endpoint `left` takes the message (300 ns) and posts the next message (400 ns).
    time("rx-descriptor") + 700 - time("tx-post")
}

#[test]
fn raw_round_trips_match_the_javia_paper() {
    // Statement S2-22 says 16.5 us for 4 bytes and 25 ns for each further byte; the tolerance is 1 %.
    for (length, expected) in [
        (4, 16_500),
        (1_000, 41_400),
        (8_192, 221_200),
        (32_768, 835_600),
    ] {
        let found = round_trip(length);
        println!("{length} bytes: {found} ns, the paper {expected} ns");
        assert!(
            found.abs_diff(expected) * 100 <= expected,
            "{length}: {found} {expected}"
        );
    }
}
