//! Every message and every packet is accounted for, in the events of a run and in its summary.
//!
//! The tests count each packet again from the trace, while the summary only has sums.

use nic_runtime::Run;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::Arc;

use nic_core::event::{EndReason, Event, Names, Sink};
use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimDuration;
use nic_runtime::export::PayloadMode;
use nic_runtime::export::json::JsonTrace;
use nic_runtime::export::stats::Stats;
use nic_runtime::export::summary::Summary;
use nic_runtime::profile::{Profile, Takes, WithWire};
use nic_runtime::spec::FaultPolicy;
use nic_runtime::spec::Scenario;
use serde_json::{Value, json};

use crate::json_lines::values;
use crate::random_runs;
use crate::runs::runs;
use crate::scenario::read;
use crate::trace::{Pair, number, send};

/// The trace and the summary of a run.
struct Ran {
    events: Vec<Value>,
    summary: Value,
    reason: EndReason,
    text: String,
}

struct Both {
    trace: JsonTrace<Vec<u8>>,
    summary: Summary,
}

impl Sink for Both {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        self.trace.event(names, event);
        self.summary.event(names, event);
    }
}

fn run(scenario: &Scenario) -> Ran {
    let mut both = Both {
        trace: JsonTrace::new(Vec::new(), PayloadMode::Omitted, scenario),
        summary: Summary::new(scenario),
    };
    let end = Run::new(scenario)
        .sink(&mut both)
        .execute()
        .expect("it runs")
        .end;
    crate::trace::check_moves(&end);
    both.summary.end(end.time, end.reason);
    let text = both.summary.to_string();
    // A summary wants fewer events than a trace, and says the same without one.
    let mut alone = Summary::new(scenario);
    let again = Run::new(scenario).sink(&mut alone).execute();
    let again = again.expect("it runs").end;
    alone.end(again.time, again.reason);
    assert_eq!((alone.to_string(), &again), (text.clone(), &end));
    let bytes = both.trace.finish(&both.summary).expect("memory takes it");
    let mut events = values(&bytes);
    let summary = events.pop().expect("a summary");
    events.remove(0);
    Ran {
        events,
        summary,
        reason: end.reason,
        text,
    }
}

type Counts = BTreeMap<String, u64>;

fn add(counts: &mut Counts, name: impl Into<String>) {
    *counts.entry(name.into()).or_default() += 1;
}

/// Counts that a test takes from the events of an endpoint.
#[derive(Default)]
struct Counted {
    posts: u64,
    /// Completed descriptors, by status.
    done: Counts,
    refusals: Counts,
    /// Number of packets that the endpoint's applet pushed.
    pushed: u64,
    /// Numbers of the packets sent from the endpoint; a duplicate counts once.
    sent: BTreeSet<u64>,
    /// Numbers of the packets that were dropped at the endpoint before they were sent.
    unsent: BTreeSet<u64>,
    /// Packets sent to this endpoint by number: how often each was sent, and how often it was received or lost.
    sent_here: BTreeMap<u64, u64>,
    came_here: BTreeMap<u64, u64>,
    received: u64,
    lost: Counts,
    /// Number of calls of the endpoint's `doRx` that have returned.
    handled: u64,
    /// Received packets that were dropped, by reason, unless the call that handled the packet returned.
    dropped: Counts,
    /// Number of the endpoint's receive descriptors that became visible.
    visible: u64,
    /// Number of receive descriptors that the endpoint's applet pushed successfully.
    described: u64,
    /// The running method.
    running: Option<String>,
}

/// Counts the events of each endpoint.
fn count(events: &[Value]) -> BTreeMap<String, Counted> {
    let mut counted: BTreeMap<String, Counted> = BTreeMap::new();
    for event in events {
        let text = |field: &str| event[field].as_str().unwrap_or("").to_owned();
        let packet = || number(event, "packet");
        let name = event["event"].as_str().expect("events have names");
        if name == "wire-tx" {
            let peer = counted.entry(text("peer")).or_default();
            *peer.sent_here.entry(packet()).or_default() += 1;
        }
        let here = counted.entry(text("endpoint")).or_default();
        match name {
            "tx-post" => here.posts += 1,
            "tx-done" => {
                add(&mut here.done, text("status"));
                if !event["reason"].is_null() {
                    assert_eq!(event["status"], "refused", "{event}");
                    add(&mut here.refusals, text("reason"));
                }
            }
            "wire-tx" => {
                here.sent.insert(packet());
            }
            "wire-rx" => {
                *here.came_here.entry(packet()).or_default() += 1;
                here.received += 1;
            }
            "wire-drop" => {
                *here.came_here.entry(packet()).or_default() += 1;
                add(&mut here.lost, text("reason"));
            }
            "applet-call" => here.running = Some(text("method")),
            "applet-return" => {
                here.handled += u64::from(text("method") == "doRx");
                here.running = None;
            }
            "trap" => here.running = None,
            "native" if text("name").starts_with("dmaRxd") => here.described += 1,
            "native" if text("name") == "txPush" => here.pushed += 1,
            "rx-descriptor" => here.visible += 1,
            "drop" => match event["reason"].as_str().expect("drops have reasons") {
                "no-transmit-room" => {}
                // The link dropped its copy of the packet; the packet itself has been sent.
                "nic-full" if here.sent.contains(&packet()) => {}
                "nic-full" => {
                    here.unsent.insert(packet());
                }
                "rx-queue-full" if here.running.is_some() => here.described -= 1,
                // A trapped `doTx` is counted by the status of its descriptor.
                "applet-trap" if event["packet"].is_null() => {}
                reason => add(&mut here.dropped, reason),
            },
            _ => {}
        }
    }
    counted
}

fn sum(counts: &Value) -> u64 {
    let counts = counts.as_object().expect("counts by name");
    counts.values().filter_map(Value::as_u64).sum()
}

fn count_of(counts: &Value, name: &str) -> u64 {
    counts[name].as_u64().unwrap_or(0)
}

/// Returns the counts of an account, without the outcomes of messages and packets that are still undecided.
fn decided(counts: &Value, undecided: &[&str]) -> Value {
    let counts = counts.as_object().expect("counts by name");
    let kept = counts
        .iter()
        .filter(|(name, count)| !undecided.contains(&name.as_str()) && **count != 0);
    kept.map(|(name, count)| (name.clone(), count.clone()))
        .collect()
}

/// Checks the accounts of a run: every message and packet ends in one of the known ways, or has not ended yet.
fn check(scenario: &Scenario, what: &str) -> Ran {
    let ran = run(scenario);
    let counted = count(&ran.events);
    let whole = ran.reason == EndReason::Idle;
    for row in ran.summary["endpoints"].as_array().expect("rows") {
        let endpoint = row["endpoint"].as_str().expect("rows have names");
        let what = format!("{what}, {endpoint}: {row}");
        let found = &counted[endpoint];
        let spec = scenario.endpoints.iter().find(|spec| spec.name == endpoint);
        let spec = spec.expect("it is there");
        let has_applet = spec.class.is_some();
        let accounts = &row["accounts"];

        // Every posted descriptor is done, refused or pending.
        let done: u64 = found.done.values().sum();
        assert!(done <= found.posts, "{what}");
        assert!(!whole || done == found.posts, "{what}");
        let refused = found.done.get("refused").copied().unwrap_or(0);
        assert_eq!(found.refusals.values().sum::<u64>(), refused, "{what}");
        assert_eq!(sum(&accounts["posts"]), number(row, "posted"), "{what}");
        assert_eq!(
            decided(&accounts["posts"], &["pending"]),
            json!(found.done),
            "{what}"
        );
        let refusals = decided(&accounts["refusals"], &[]);
        assert_eq!(refusals, json!(found.refusals), "{what}");
        if !has_applet && whole {
            // A message that is sent on the base path is one packet, which is sent or dropped.
            let packets = (found.sent.len() + found.unsent.len()) as u64;
            assert_eq!(found.posts, refused + packets, "{what}");
            assert!(found.sent.is_disjoint(&found.unsent), "{what}");
        }

        // A sent packet is received, lost or in flight.
        let mut in_flight = 0;
        for (packet, sent) in &found.sent_here {
            let came = found.came_here.get(packet).copied().unwrap_or(0);
            assert!(came <= *sent, "packet {packet}, {what}");
            in_flight += sent - came;
        }
        assert!(!whole || in_flight == 0, "{what}");
        let unknown = |packet: &&u64| !found.sent_here.contains_key(packet);
        assert_eq!(found.came_here.keys().find(unknown), None, "{what}");
        assert_eq!(
            count_of(&accounts["wire"], "in-flight"),
            in_flight,
            "{what}"
        );
        assert_eq!(
            count_of(&accounts["wire"], "received"),
            found.received,
            "{what}"
        );
        let lost = decided(&accounts["wire"], &["in-flight", "received"]);
        assert_eq!(lost, json!(found.lost), "{what}");

        // Every received packet is delivered, handled by the applet, dropped or waiting.
        let dropped: u64 = found.dropped.values().sum();
        assert_eq!(sum(&accounts["arrivals"]), found.received, "{what}");
        assert_eq!(
            count_of(&accounts["arrivals"], "applet"),
            found.handled,
            "{what}"
        );
        let reasons = decided(&accounts["arrivals"], &["applet", "delivered", "waiting"]);
        assert_eq!(reasons, json!(found.dropped), "{what}");
        if whole {
            let delivered = found.visible - found.described;
            assert_eq!(
                found.received,
                delivered + found.handled + dropped,
                "{what}"
            );
            assert_eq!(
                count_of(&accounts["arrivals"], "delivered"),
                delivered,
                "{what}"
            );
        } else if !has_applet {
            assert_eq!(
                count_of(&accounts["arrivals"], "delivered"),
                found.visible,
                "{what}"
            );
        }
        // Every packet that an applet pushed is sent, dropped or waiting. Endpoints without an applet push no packets.
        let pushes = &accounts["pushes"];
        assert_eq!(sum(pushes), found.pushed, "{what}");
        assert!(has_applet || found.pushed == 0, "{what}");
        if has_applet && spec.on_trap == FaultPolicy::Drop {
            assert_eq!(count_of(pushes, "sent"), found.sent.len() as u64, "{what}");
            assert_eq!(
                count_of(pushes, "nic-full"),
                found.unsent.len() as u64,
                "{what}"
            );
        }
        assert!(!whole || count_of(pushes, "waiting") == 0, "{what}");
    }
    check_refusals(scenario, &ran, what);
    check_totals(&ran, what);
    ran
}

/// A descriptor is refused because its channel is unknown, or on the base path because its message is too long.
fn check_refusals(scenario: &Scenario, ran: &Ran, what: &str) {
    for event in ran
        .events
        .iter()
        .filter(|event| event["event"] == "tx-done")
    {
        let spec = scenario
            .endpoints
            .iter()
            .position(|spec| event["endpoint"] == spec.name);
        let endpoint = spec.expect("it is there");
        let channels = scenario
            .channels
            .iter()
            .flat_map(|channel| [channel.a, channel.b]);
        let is_known = channels
            .into_iter()
            .any(|(id, number)| id.0 as usize == endpoint && event["channel"] == number.0);
        let is_short = number(event, "length") <= longest_packet(scenario, endpoint);
        let spec = &scenario.endpoints[endpoint];
        // An applet may send a long message in several packets. The applet's traps may move the message to the base
        // path, which refuses the message.
        let falls_back = spec.on_trap != FaultPolicy::Drop && event["status"] == "refused";
        let on_base_path = spec.class.is_none() || falls_back;
        let reason = match (is_known, is_short) {
            (false, _) => json!("unknown-channel"),
            (true, false) if on_base_path => json!("too-long"),
            (true, _) => Value::Null,
        };
        assert_eq!(event["reason"], reason, "{what}: {event}");
        assert_eq!(
            event["status"] == "refused",
            !reason.is_null(),
            "{what}: {event}"
        );
    }
}

/// Checks that the totals of the summary are the sums of the endpoints' rows. In the totals, the account of the wire
/// counts all packets sent.
fn check_totals(ran: &Ran, what: &str) {
    let totals = &ran.summary["totals"];
    for account in ["posts", "refusals", "pushes", "wire", "arrivals"] {
        let mut sums = Counts::new();
        for row in ran.summary["endpoints"].as_array().expect("rows") {
            let counts = row["accounts"][account].as_object().expect("counts");
            for (name, count) in counts {
                *sums.entry(name.clone()).or_default() += count.as_u64().expect("a count");
            }
        }
        assert_eq!(
            totals["accounts"][account],
            json!(sums),
            "{what}: {account}"
        );
    }
    let accounts = &totals["accounts"];
    let sent = ran
        .events
        .iter()
        .filter(|event| event["event"] == "wire-tx");
    assert_eq!(sum(&accounts["wire"]), sent.count() as u64, "{what}");
}

/// Returns the length in bytes of an endpoint's longest packet: the least limit of its NIC and its peers' NICs.
fn longest_packet(scenario: &Scenario, endpoint: usize) -> u64 {
    let nic = |id: EndpointId| scenario.endpoints[id.0 as usize].nic;
    let own = EndpointId(u32::try_from(endpoint).expect("an endpoint's number"));
    let ends = scenario
        .channels
        .iter()
        .map(|channel| [channel.a.0, channel.b.0]);
    let peers = ends.filter(|ends| ends.contains(&own)).flatten();
    let longest = peers
        .chain([own])
        .map(|peer| scenario.profile_of(nic(peer)).memory.max_packet.get());
    longest.min().expect("its own").into()
}

/// Varies a random scenario, so that the run may end by other limits and calls may end in other ways.
fn varied(seed: u64) -> String {
    let toml = random_runs::scenario(seed);
    let until = ["20ms", "20ms", "300us", "1ms"][(seed % 4) as usize];
    let on_trap = ["'drop'", "'base-path'", "'detach'\nback_off = '200us'"][(seed % 3) as usize];
    toml.replace("until = '20ms'", &format!("until = '{until}'"))
        .replace(
            "fuel = 2000\n",
            &format!("fuel = 2000\non_trap = {on_trap}\n"),
        )
}

/// Keys for the wire of a profile, each with a flag. If the flag is true, the scenario needs links without faults,
/// because cells ignore links with faults.
const WIRES: [(&str, bool); 5] = [
    ("cell = '64B'", true),
    ("flow = 'drop'", false),
    ("flow = 'drop'\ncell = '48B'", true),
    (
        "mtu = '9216B'\nheader = '18B'\nmin_frame = '64B'\ngap = '20B'\ncell = '1B'",
        true,
    ),
    ("flow = 'stop'\nbuffer = '20KiB'\ntimeout = '300us'", false),
];

/// Reads a varied random scenario. Half of the seeds use one of the keys in `WIRES`, and half of the other seeds use a
/// different NIC.
fn on_some_wire(seed: u64) -> Scenario {
    let (keys, is_faultless) = match seed % 8 {
        1 => WIRES[0],
        3 => WIRES[1],
        5 => WIRES[2],
        7 => WIRES[3],
        2 => return with_a_small_nic(seed),
        6 => WIRES[4],
        _ => return read(&varied(seed)),
    };
    let toml = varied(seed);
    let is_fault = |line: &&str| {
        ["loss", "duplicate", "corrupt", "reorder"]
            .iter()
            .any(|fault| line.starts_with(fault))
    };
    let lines = toml.lines().filter(|line| !is_faultless || !is_fault(line));
    let mut scenario = read(&lines.collect::<Vec<_>>().join("\n"));
    scenario.profile = parallel("[wire]", &format!("[wire]\n{keys}"));
    for link in &mut scenario.links {
        link.wire = scenario.profile.wire;
    }
    scenario
}

/// Returns the profile `lanai-1998-parallel` with one text replaced.
fn parallel(place: &str, other: &str) -> Profile {
    let text = include_str!("../../profiles/lanai-1998-parallel.toml");
    let changed = text.replacen(place, other, 1);
    assert_ne!(changed, text);
    Profile::parse(&changed).expect("the keys fit")
}

/// Reads a varied random scenario whose second NIC has small packets, few slots and a shallow call stack. The wires of
/// the second NIC drop packets that find no slot.
fn with_a_small_nic(seed: u64) -> Scenario {
    let mut scenario = read(&varied(seed));
    let mut small = parallel("[wire]", "[wire]\nflow = 'drop'");
    let bytes = |bytes| NonZeroU32::new(bytes).expect("it is not 0");
    small.memory.max_packet = bytes(2_000);
    small.memory.arrival_slots = bytes(1);
    small.memory.send_slots = bytes(1);
    small.processor.call_depth = bytes(4);
    small.dma.with_wire = WithWire::InTurn;
    small.dma.takes = Takes::One;
    small.dma.request = SimDuration::from_ns(2_000);
    for link in &mut scenario.links {
        if [link.between.0, link.between.1].contains(&NicId(1)) {
            link.wire = small.wire;
        }
    }
    scenario.nics[1].profile = Some(Arc::new(small));
    scenario
}

#[test]
fn whatever_is_posted_sent_or_received_is_accounted_for() {
    let mut outcomes = BTreeSet::new();
    for seed in 0..runs(240) {
        if seed % 12 == 0 {
            let spaced = read(&random_runs::spaced(seed));
            check(&spaced, &format!("spaced, seed {seed}"));
        }
        let ran = check(&on_some_wire(seed), &format!("seed {seed}"));
        for account in ran.summary["totals"]["accounts"]
            .as_object()
            .expect("accounts")
        {
            let counts = account.1.as_object().expect("counts");
            outcomes.extend(counts.keys().map(|name| format!("{} {name}", account.0)));
        }
    }
    // Every possible outcome of messages and packets has occurred in the runs.
    for outcome in [
        "posts ok",
        "posts trap",
        "posts refused",
        "posts pending",
        "refusals unknown-channel",
        "refusals too-long",
        "pushes sent",
        "wire received",
        "wire loss",
        "wire crc",
        "wire overrun",
        "wire in-flight",
        "arrivals delivered",
        "arrivals applet",
        "arrivals applet-trap",
        "arrivals no-free-buffer",
        "arrivals rx-queue-full",
        "arrivals waiting",
    ] {
        assert!(outcomes.contains(outcome), "{outcome} does not occur");
    }
}

#[test]
fn a_send_that_is_refused_is_counted_with_its_reason() {
    let unknown =
        "[[send]]\nendpoint = 'client'\nchannel = 9\npayload = { zeros = 5 }\nrepeat = 2\n";
    let toml = Pair::PLAIN
        .rest(&format!(
            "{unknown}{}",
            send("0us", "{ zeros = 9217 }") + &send("1us", "{ text = 'hi' }")
        ))
        .toml();
    let ran = check(&read(&toml), "refused");
    let reasons: Vec<_> = ran
        .events
        .iter()
        .filter(|event| event["event"] == "tx-done")
        .map(|event| (number(event, "channel"), &event["reason"]))
        .collect();
    let unknown = json!("unknown-channel");
    // Sends that are due at the same time take turns.
    let long = json!("too-long");
    let expected = [(9, &unknown), (1, &long), (9, &unknown), (1, &Value::Null)];
    assert_eq!(reasons, expected);
    let posted =
        "posted        4 messages: ok 1, refused 3; refused for too-long 1, unknown-channel 2\n";
    assert!(ran.text.contains(posted), "{}", ran.text);
}

#[test]
fn copies_dropped_by_a_vi_are_accounted_for() {
    let vi = "interface = 'via'\nreliability = 'unreliable'\n";
    for applet in ["", "applet = 'builtin:RawUnet'"] {
        let keys = format!("{vi}{applet}");
        let messages = send("0us", "{ zeros = 40 }");
        let toml = Pair::PLAIN
            .client(&keys)
            .server(&keys)
            .link("duplicate = 1.0")
            .rest(&format!("{messages}repeat = 6\n"))
            .toml();
        let ran = run(&read(&toml));
        let handled = if applet.is_empty() {
            "delivered"
        } else {
            "applet"
        };
        let arrivals = &ran.summary["totals"]["accounts"]["arrivals"];
        let mut expected =
            json!({ "delivered": 0, "applet": 0, "capsule": 0, "duplicate": 6, "waiting": 0 });
        expected[handled] = json!(6);
        assert_eq!(*arrivals, expected, "{applet}");
    }
}

/// A connection ends while packets of it wait for the loop of a NIC in host software. The loop drops them later, and the
/// last event before a drop is the arrival of a control packet.
#[test]
fn packets_that_wait_when_their_connection_ends_are_accounted_for() {
    for seed in 340..340 + runs(20) {
        let toml = format!(
            "profile = 'mvia-2001'\nseed = {seed}\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
             [[link]]\nbetween = ['a', 'b']\nloss = 0.1\n\
             [[endpoint]]\nnic = 'a'\nname = 'client'\ninterface = 'via'\n\
             [[endpoint]]\nnic = 'b'\nname = 'server'\nhost = 'echo'\ninterface = 'via'\n\
             [[channel]]\nclient = 1\nserver = 1\n[[host]]\nnic = 'a'\nprocessors = 4\n\
             [[host]]\nnic = 'b'\nprocessors = 2\n[[send]]\nendpoint = 'client'\nchannel = 1\n\
             payload = {{ count = 1487 }}\nrepeat = 25\n"
        );
        let ran = run(&read(&toml));
        let arrivals = &ran.summary["totals"]["accounts"]["arrivals"];
        assert_eq!(count_of(arrivals, "waiting"), 0, "seed {seed}: {arrivals}");
    }
}

#[test]
fn many_endpoints_are_shown_in_groups() {
    let mut toml = "[[nic]]\nname = 'a'\nsram = '1MiB'\n[[nic]]\nname = 'b'\n".to_owned();
    for number in 1..=10 {
        toml += &format!(
            "[[endpoint]]\nnic = 'a'\nname = 'client{number}'\napplet = 'builtin:RawUnet'\n\
             [[endpoint]]\nnic = 'b'\nname = 'server{number}'\n\
             [[channel]]\nclient{number} = 1\nserver{number} = 1\n\
             [[send]]\nendpoint = 'client{number}'\nchannel = 1\npayload = {{ zeros = {number} }}\n\
             repeat = 3\n"
        );
    }
    let scenario = read(&toml);
    let (mut summary, mut stats) = (Summary::new(&scenario), Stats::new(&scenario));
    let end = Run::new(&scenario).sink(&mut summary).execute();
    let end = end.expect("it runs").end;
    summary.end(end.time, end.reason);
    Run::new(&scenario)
        .sink(&mut stats)
        .execute()
        .expect("it runs");
    stats.end(end.time);
    let mut report = stats.report();
    // Ten clients post 3 messages each, of 1 to 10 bytes.
    let columns = |page: &str, name: &str| {
        let line = page.lines().find(|line| line.starts_with(name));
        let line = line.unwrap_or_else(|| panic!("no {name} in {page}"));
        let columns = line[name.len()..].split_whitespace();
        columns.map(str::to_owned).collect::<Vec<_>>()
    };
    let page = summary.to_string();
    let clients = columns(&page, "client* (10 at a)");
    assert_eq!(clients[..5], ["30", "0", "0", "30", "165"], "{page}");
    assert!(!page.contains("client7"), "{page}");
    // The tables of endpoints and times have a row each, and that of methods one for the constructor and one for `doTx`.
    assert_eq!(page.matches("client* (10 at a)").count(), 4, "{page}");
    let calls = page.lines().find(|line| line.contains(" doTx "));
    assert!(calls.is_some_and(|line| line.contains(" 30 ")), "{page}");
    let statistics = report.to_string();
    assert_eq!(columns(&statistics, "client* (10 at a)")[0], "30");
    assert_eq!(columns(&statistics, "server* (10 at b)")[4], "30");
    // Each endpoint has its row if it is asked for.
    summary.show_endpoints();
    report.show_endpoints();
    for page in [summary.to_string(), report.to_string()] {
        assert!(page.contains("client7") && !page.contains('*'), "{page}");
    }
}
