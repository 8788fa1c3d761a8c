//! Networks of NICs with ports, switches and links between them.

use std::collections::BTreeMap;

use nic_core::event::roles::{Forwarded, Step};
use nic_core::event::{EndReason, Event, Names, Sink};
use nic_core::random::Generator;
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::Run;
use nic_runtime::export::summary::Summary;
use nic_runtime::profile::{BaseCosts, Flow};
use nic_runtime::scenario::{MistakeKind, ScenarioError, parse};
use nic_runtime::spec::Scenario;

use crate::runs::runs;
use crate::scenario::read;
use crate::trace::{number, numbers, run, simulate, texts};

/// Three NICs with an endpoint each; those of the first two have a channel to the third's.
const THREE: &str = "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n[[nic]]\nname = 'c'\n\
     [[endpoint]]\nnic = 'a'\nname = 'one'\n[[endpoint]]\nnic = 'b'\nname = 'two'\n\
     [[endpoint]]\nnic = 'c'\nname = 'sink'\n\
     [[channel]]\none = 1\nsink = 1\n[[channel]]\ntwo = 1\nsink = 2\n";

fn send(endpoint: &str, at: &str, payload: &str) -> String {
    format!("[[send]]\nendpoint = '{endpoint}'\nchannel = 1\nat = '{at}'\npayload = {payload}\n")
}

#[test]
fn a_port_that_nobody_shares_takes_no_time() {
    for length in [0, 5, 56, 57, 4_096, 8_000] {
        let payload = format!("{{ count = {length} }}");
        let rest = THREE.to_owned() + &send("one", "0us", &payload);
        let wires = run(&format!("profile = 'lanai-1998'\n{rest}"));
        let ports = run(&format!("profile = 'lanai-1998-switched'\n{rest}"));
        for event in ["wire-rx", "rx-descriptor"] {
            assert_eq!(wires.of(event).len(), 1);
            assert_eq!(wires.of(event), ports.of(event), "{length} bytes");
        }
        assert_eq!(texts(&ports.of("forward"), "nic"), ["crossbar"]);
    }
}

#[test]
fn two_nics_reach_a_third_at_the_rate_of_its_port() {
    let payload = "{ zeros = 4096 }";
    let rest = THREE.to_owned() + &send("one", "0us", payload) + &send("two", "0us", payload);
    let wires = run(&rest);
    let [first, second] = numbers(&wires.of("wire-rx"), "t_ns")[..] else {
        panic!("two packets arrive");
    };
    assert_eq!(first, second, "each pair of NICs has a wire");
    let ports = run(&format!("profile = 'lanai-1998-switched'\n{rest}"));
    let [one, other] = numbers(&ports.of("wire-rx"), "t_ns")[..] else {
        panic!("two packets arrive");
    };
    // 4096 bytes at 160 MB/s.
    assert_eq!((one, other), (first, first + 25_600));
    assert_eq!(numbers(&ports.of("forward"), "waited_ns"), [0, 25_600]);
}

#[test]
fn incast_is_no_faster_than_one_port() {
    let mut text =
        "profile = 'lanai-1998-switched'\n[[nic]]\nname = 'sink'\nsram = '2MiB'\n".to_owned();
    text += "[[endpoint]]\nnic = 'sink'\nname = 'sink'\nbuffer_area = '1MiB'\n\
             free_buffers = { count = 128, length = 4096 }\nrx_queue = 256\n";
    for sender in 1..=16 {
        text += &format!(
            "[[nic]]\nname = 'n{sender}'\n[[endpoint]]\nnic = 'n{sender}'\nname = 'e{sender}'\n\
             [[channel]]\ne{sender} = 1\nsink = {sender}\n"
        );
        text += &send(&format!("e{sender}"), "0us", "{ zeros = 4096 }");
        text += "repeat = 10\n";
    }
    let trace = run(&text);
    assert_eq!(trace.end.reason, EndReason::Idle);
    let arrived = trace.of("wire-rx");
    assert_eq!(arrived.len(), 160, "nothing is lost");
    let times = numbers(&arrived, "t_ns");
    let least = times.windows(2).map(|pair| pair[1] - pair[0]).min();
    assert_eq!(least, Some(25_600), "at most one port's 160 MB/s");
}

#[test]
fn a_faster_link_never_runs_ahead_of_a_slower_one() {
    let network = |mode: &str, out: &str| {
        format!(
            "{THREE}[[switch]]\nname = 's'\nports = 3\nlatency = '2us'\nmode = '{mode}'\n\
             [[link]]\nbetween = ['a', 's']\nlatency = '1us'\nbandwidth = '10MB/s'\n\
             [[link]]\nbetween = ['s', 'c']\nlatency = '1us'\nbandwidth = '{out}'\n\
             [[link]]\nbetween = ['b', 's']\n{}",
            send("one", "0us", "{ zeros = 1000 }")
        )
    };
    let way = |mode, out| {
        let trace = run(&network(mode, out));
        number(trace.of("wire-rx")[0], "t_ns") - number(trace.of("wire-tx")[0], "t_ns")
    };
    // 1000 bytes take 100 us at 10 MB/s, 10 us at 100 MB/s and 1 ms at 1 MB/s. The latencies are 4 us together.
    assert_eq!(
        way("store-and-forward", "100MB/s"),
        100_000 + 10_000 + 4_000
    );
    assert_eq!(way("cut-through", "100MB/s"), 100_000 + 4_000);
    assert_eq!(way("cut-through", "10MB/s"), 100_000 + 4_000);
    assert_eq!(way("cut-through", "1MB/s"), 1_000_000 + 4_000);
}

/// A tree of switches with NICs at them. Each NIC has an endpoint with channels to some others.
struct Tree {
    text: String,
    /// The sends: sender, channel, length.
    sends: Vec<(usize, usize, u64)>,
    is_lossless: bool,
}

impl Tree {
    fn new(seed: u64) -> Tree {
        let mut generator = Generator::named(seed, &["tree"]);
        let mut below = |limit: u64| generator.draw() % limit;
        let (switches, nics) = (1 + below(5), 3 + below(6));
        let has_faults = below(3) == 0;
        let (has_buffers, stops) = (below(2) == 0, below(2) == 0);
        let mut text = format!("seed = {seed}\nuntil = '10s'\n");
        for switch in 0..switches {
            let modes = ["store-and-forward", "cut-through", "crossbar", "worm-hole"];
            let mode = modes[below(4) as usize];
            text += &format!(
                "[[switch]]\nname = 's{switch}'\nports = 20\nmode = '{mode}'\nlatency = '{}ns'\n",
                below(3) * 700
            );
            if has_buffers && mode != "worm-hole" {
                let (full, least) = if stops { ("stop", 10) } else { ("drop", 100) };
                text += &format!("full = '{full}'\nbuffer = '{}KiB'\n", least + below(200));
            }
        }
        let link = |a: &str, b: &str, below: &mut dyn FnMut(u64) -> u64| {
            let rate = [20, 160, 1_000][below(3) as usize];
            let mut link = format!(
                "[[link]]\nbetween = ['{a}', '{b}']\nbandwidth = '{rate}MB/s'\nlatency = '{}ns'\n",
                below(2_000)
            );
            if has_faults {
                for fault in ["loss", "duplicate", "corrupt", "reorder"] {
                    link += &format!("{fault} = 0.0{}\n", below(8));
                }
            }
            link
        };
        for switch in 1..switches {
            let parent = below(switch);
            text += &link(&format!("s{switch}"), &format!("s{parent}"), &mut below);
        }
        for nic in 0..nics {
            let switch = below(switches);
            text += &format!(
                "[[nic]]\nname = 'n{nic}'\nsram = '1MiB'\n[[endpoint]]\nnic = 'n{nic}'\nname = 'e{nic}'\n\
                 buffer_area = '1MiB'\nfree_buffers = {{ count = 64, length = 4096 }}\nrx_queue = 512\n"
            );
            text += &link(&format!("n{nic}"), &format!("s{switch}"), &mut below);
        }
        let mut sends = Vec::new();
        for from in 0..nics {
            for to in 0..nics {
                if from == to || below(2) == 0 {
                    continue;
                }
                let (there, back) = (100 * to + from, 100 * from + to);
                text += &format!("[[channel]]\ne{from} = {there}\ne{to} = {}\n", back + 50);
                for _ in 0..1 + below(4) {
                    let length = below(5_000);
                    text += &format!(
                        "[[send]]\nendpoint = 'e{from}'\nchannel = {there}\nat = '{}us'\n\
                         payload = {{ count = {length} }}\n",
                        below(3) * below(2_000)
                    );
                    sends.push((from as usize, there as usize, length));
                }
            }
        }
        Tree {
            text,
            sends,
            is_lossless: !has_faults && (stops || !has_buffers),
        }
    }
}

#[test]
fn each_channel_keeps_its_order_over_random_trees() {
    for seed in 0..runs(20) {
        let tree = Tree::new(seed);
        let mut scenario = read(&tree.text);
        let flow = [Flow::Hold, Flow::Drop, Flow::Stop][(seed % 3) as usize];
        let buffer = if flow == Flow::Stop { 60_000 } else { 0 };
        for link in &mut scenario.links {
            (link.wire.flow, link.wire.buffer) = (flow, buffer);
        }
        let trace = simulate(&scenario).expect("it runs");
        trace.check_laws();
        assert_eq!(trace.end.reason, EndReason::Idle, "seed {seed}");
        let posts = trace.of("tx-post");
        assert_eq!(posts.len(), tree.sends.len());
        let of_post: BTreeMap<u64, &serde_json::Value> = posts
            .iter()
            .map(|post| (number(post, "post"), *post))
            .collect();
        let mut last: BTreeMap<(String, i64), u64> = BTreeMap::new();
        let has_reordering = tree.text.contains("reorder");
        for received in trace.of("rx-descriptor") {
            let post = of_post[&number(received, "post")];
            let length = number(received, "length");
            assert_eq!(length, number(post, "length"), "seed {seed}");
            let sent: String = (0..length).map(|at| format!("{:02x}", at % 256)).collect();
            assert_eq!(received["payload"], sent, "seed {seed}");
            let channel = (
                received["endpoint"].to_string(),
                received["channel"].as_i64().unwrap(),
            );
            let before = last.insert(channel, number(post, "post"));
            assert!(
                has_reordering || before.is_none_or(|before| before < number(post, "post")),
                "seed {seed}: {received}"
            );
        }
        let reasons = texts(&trace.of("wire-drop"), "reason").len();
        let delivered = trace.of("rx-descriptor").len();
        let drops = trace.of("drop").len();
        if tree.is_lossless && flow == Flow::Hold {
            assert_eq!(
                (reasons, drops, delivered),
                (0, 0, posts.len()),
                "seed {seed}"
            );
        }
        // A link may copy a packet, so at least each post has an end.
        assert!(delivered + reasons + drops >= posts.len(), "seed {seed}");
    }
}

/// Fifteen endpoints flood a port of 20 MB/s; another sends a packet now and then.
#[test]
fn an_endpoint_within_its_share_of_a_full_buffer_loses_nothing() {
    let mut text = "[[switch]]\nname = 's'\nports = 20\nbuffer = '160KiB'\n\
                    [[nic]]\nname = 'sink'\nsram = '4MiB'\n[[link]]\nbetween = ['sink', 's']\nbandwidth = '20MB/s'\n"
        .to_owned();
    for sender in 0..16 {
        text += &format!(
            "[[nic]]\nname = 'n{sender}'\n[[link]]\nbetween = ['n{sender}', 's']\n\
             [[endpoint]]\nnic = 'n{sender}'\nname = 'e{sender}'\n\
             [[endpoint]]\nnic = 'sink'\nname = 'r{sender}'\nbuffer_area = '1MiB'\nrx_queue = 512\n\
             free_buffers = {{ count = 64, length = 4096 }}\n\
             [[channel]]\ne{sender} = 1\nr{sender} = 1\n"
        );
        text += &send(&format!("e{sender}"), "0us", "{ count = 4000 }");
        text += if sender == 0 {
            // The buffer passes 160 KiB in 8.2 ms, so two packets of 4000 bytes are in it at most: less than 10 KiB.
            "repeat = 8\nevery = '5ms'\n"
        } else {
            "repeat = 200\nevery = '200us'\n"
        };
    }
    let mut scenario = read(&text);
    for link in &mut scenario.links {
        link.wire.flow = Flow::Drop;
    }
    let trace = simulate(&scenario).expect("it runs");
    trace.check_laws();
    let drops = trace.of("wire-drop");
    let full = texts(&drops, "reason")
        .iter()
        .filter(|reason| **reason == "switch-full")
        .count();
    assert!(full > 100, "the port is full: {full}");
    assert!(
        !texts(&drops, "endpoint").contains(&"r0"),
        "the calm one loses nothing"
    );
    let received = trace.of("rx-descriptor");
    let calm = texts(&received, "endpoint")
        .iter()
        .filter(|name| **name == "r0")
        .count();
    assert_eq!(calm, 8);
}

#[test]
fn a_run_with_and_without_a_sink_is_the_same() {
    for seed in 0..runs(10) {
        let scenario = read(&Tree::new(seed).text);
        let heard = simulate(&scenario).expect("it runs").end;
        let unheard = Run::new(&scenario).execute().expect("it runs").end;
        assert_eq!(
            (heard.time, heard.events),
            (unheard.time, unheard.events),
            "seed {seed}"
        );
    }
}

fn mistakes(text: &str) -> Vec<MistakeKind> {
    match parse(text.as_bytes(), None, None) {
        Ok(_) => panic!("expected a mistake\n{text}"),
        Err(ScenarioError::Mistakes(mistakes)) => {
            mistakes.into_iter().map(|mistake| mistake.kind).collect()
        }
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn networks_that_cannot_be_are_refused() {
    let link = |a: &str, b: &str| format!("[[link]]\nbetween = ['{a}', '{b}']\n");
    let switch =
        |name: &str, ports: &str| format!("[[switch]]\nname = '{name}'\nports = {ports}\n");
    let three = link("a", "s") + &link("b", "s") + &link("c", "s");
    // A port that is taken.
    let text = THREE.to_owned() + &switch("s", "2") + &three;
    let ports = 2;
    let node = "s".to_owned();
    assert_eq!(mistakes(&text), [MistakeKind::NoPort { node, ports }]);
    let text = "profile = 'lanai-1998-switched'\n".to_owned()
        + THREE
        + &switch("s", "9")
        + &switch("t", "9")
        + &three
        + &link("a", "t");
    let ports = 1;
    let node = "a".to_owned();
    assert_eq!(mistakes(&text), [MistakeKind::NoPort { node, ports }]);
    // A NIC's link to itself takes no port.
    let text = "profile = 'lanai-1998-switched'\n".to_owned()
        + THREE
        + &switch("s", "9")
        + &link("a", "a")
        + &three;
    assert_eq!(read(&text).links.len(), 6);
    // A part that no route joins to the others.
    let text = THREE.to_owned() + &switch("s", "9") + &link("a", "s") + &link("c", "s");
    assert!(matches!(mistakes(&text)[..], [MistakeKind::NoLink { .. }]));
    // Names.
    let text = THREE.to_owned() + &switch("a", "9");
    assert!(matches!(
        mistakes(&text)[..],
        [MistakeKind::DuplicateName { .. }]
    ));
    let text = THREE.to_owned() + &switch("s", "9") + &switch("s", "9") + &three;
    assert!(matches!(
        mistakes(&text)[..],
        [MistakeKind::DuplicateName { .. }]
    ));
    let text = THREE.to_owned() + &switch("s", "9") + &three + &link("a", "t");
    assert!(matches!(
        mistakes(&text)[..],
        [MistakeKind::UnknownName { .. }]
    ));
    // No ports, and a link of a switch to itself or twice to a NIC.
    let text = THREE.to_owned() + &switch("s", "0") + &three;
    assert!(matches!(mistakes(&text)[0], MistakeKind::OutOfRange { .. }));
    let text = THREE.to_owned() + &switch("s", "9") + &three + &link("s", "s");
    assert_eq!(mistakes(&text), [MistakeKind::SwitchToItself]);
    let text = THREE.to_owned() + &switch("s", "9") + &three + &link("s", "a");
    assert!(matches!(
        mistakes(&text)[..],
        [MistakeKind::DuplicateLink { .. }]
    ));
    // An endpoint lies at a NIC.
    let text =
        THREE.to_owned() + &switch("s", "9") + &three + "[[endpoint]]\nnic = 's'\nname = 'e'\n";
    assert!(matches!(
        mistakes(&text)[..],
        [MistakeKind::UnknownName { .. }]
    ));
    // A buffer without room for a packet of each endpoint.
    let text = THREE.to_owned() + &switch("s", "9") + "buffer = '10KB'\n" + &three;
    assert!(matches!(
        mistakes(&text)[..],
        [MistakeKind::SmallSwitchBuffer { endpoints: 2, .. }]
    ));
    // Wires with cells.
    let text = "profile = 'giganet-1999'\n".to_owned() + THREE + &switch("s", "9") + &three;
    assert_eq!(mistakes(&text), vec![MistakeKind::CellsAtSwitch; 3]);
    // Two flow controls.
    let text = THREE.to_owned()
        + &switch("s", "9")
        + &link("a", "s")
        + "profile = 'tigon2-2002'\n"
        + &link("b", "s")
        + &link("c", "s");
    assert!(mistakes(&text).contains(&MistakeKind::OtherFlow));
}

/// How long packets waited for a port.
#[derive(Default)]
struct Waits {
    packets: u64,
    waited: f64,
}

impl Sink for Waits {
    fn event(&mut self, _: &dyn Names, event: &Event<'_>) {
        if let Step::Forwarded(Forwarded { waited, .. }) = event.kind.step() {
            self.packets += 1;
            self.waited += waited.as_ps() as f64 / 1_000.0;
        }
    }
}

/// Returns 32 NICs that send to one over a switch whose port takes 100 us for a message, at this load in percent.
fn poisson(load: u64, packets: u64, seed: u64) -> Scenario {
    const SOURCES: u64 = 32;
    let mean = 100_000 * SOURCES * 100 / load;
    let mut text =
        "until = '100000s'\nmax_events = 10000000000\n[[switch]]\nname = 's'\nports = 33\n\
                    [[nic]]\nname = 'sink'\nsram = '4MiB'\n\
                    [[link]]\nbetween = ['sink', 's']\nbandwidth = '1MB/s'\n"
            .to_owned();
    text += "[[endpoint]]\nnic = 'sink'\nname = 'sink'\nrx_queue = 1024\nbuffer_area = '1MiB'\n\
             free_buffers = { count = 128, length = 4096 }\n";
    for source in 0..SOURCES {
        text += &format!(
            "[[nic]]\nname = 'n{source}'\nsram = '2MiB'\n\
             [[link]]\nbetween = ['n{source}', 's']\nbandwidth = '50MB/s'\n\
             [[endpoint]]\nnic = 'n{source}'\nname = 'e{source}'\nbuffer_area = '1MiB'\ntx_queue = 1024\n\
             [[channel]]\ne{source} = 1\nsink = {source}\n\
             [[send]]\nendpoint = 'e{source}'\nchannel = 1\npayload = {{ zeros = 100 }}\n\
             repeat = {}\ngap = {{ poisson = '{mean}ns' }}\n",
            packets / SOURCES
        );
    }
    let mut scenario = parse(text.as_bytes(), None, Some(seed)).expect("it is valid");
    for link in &mut scenario.links {
        link.wire.flow = Flow::Drop;
        link.wire.latency = SimDuration::ZERO;
    }
    let profile = &mut scenario.profile;
    profile.host.post = SimDuration::ZERO;
    profile.host.bandwidth = std::num::NonZeroU64::MAX;
    profile.base = Some(BaseCosts {
        transmit: SimDuration::from_ns(1_000),
        receive: SimDuration::ZERO,
        poll: SimDuration::ZERO,
    });
    scenario
}

/// The formula of Pollaczek and Khinchine for a port of a switch, whose packets all have one length. `JIVE_RUNS=10000000`
/// sends as many packets as the page about validation says.
#[test]
fn packets_wait_for_a_port_as_long_as_the_formula_says() {
    let packets = runs(60_000);
    // The error of the mean shrinks with the root of the number of packets.
    let close = 0.02 * (1e7 / packets as f64).sqrt().max(1.0);
    for load in [30, 60, 90] {
        let scenario = poisson(load, packets, load);
        let mut waits = Waits::default();
        let end = Run::new(&scenario)
            .sink(&mut waits)
            .execute()
            .expect("it runs")
            .end;
        assert_eq!(end.reason, EndReason::Idle);
        assert_eq!(waits.packets, packets / 32 * 32);
        let (service, load) = (100_000.0, load as f64 / 100.0);
        let expected = load * service / (2.0 * (1.0 - load));
        let found = waits.waited / waits.packets as f64;
        println!("load {load:.1}: {found:.1} ns, by the formula {expected:.1} ns");
        assert!(
            (found / expected - 1.0).abs() < close,
            "load {load}: {found} ns, {expected} ns"
        );
    }
}

/// Counts the packets that leave by each port until a time.
#[derive(Default)]
struct Left(u64);

impl Sink for Left {
    fn event(&mut self, _: &dyn Names, event: &Event<'_>) {
        self.0 += u64::from(matches!(event.kind.step(), Step::Forwarded { .. }));
    }
}

/// Returns the share of the time in which the outputs of a crossbar send, if each input always has a packet and each
/// packet goes to any output with equal probability.
fn saturated(ports: u64, mode: &str, slots: u64) -> f64 {
    const SLOT_US: u64 = 40;
    let until = slots * SLOT_US;
    let mut text = format!(
        "until = '{until}us'\nmax_events = 10000000000\n[[switch]]\nname = 's'\nports = 16\nmode = '{mode}'\n"
    );
    for port in 0..ports {
        let own = format!("in{port}");
        text += &format!(
            "[[nic]]\nname = '{own}'\nsram = '2MiB'\n[[nic]]\nname = 'out{port}'\nsram = '2MiB'\n\
             [[link]]\nbetween = ['{own}', 's']\nbandwidth = '1MB/s'\n\
             [[link]]\nbetween = ['out{port}', 's']\nbandwidth = '1MB/s'\n\
             [[endpoint]]\nnic = '{own}'\nname = '{own}'\nbuffer_area = '1MiB'\ntx_queue = 1024\n\
             [[endpoint]]\nnic = 'out{port}'\nname = 'out{port}'\nrx_queue = 1024\n"
        );
        text += &format!(
            "[[send]]\nendpoint = '{own}'\nto = {{ uniform = {:?} }}\npayload = {{ zeros = {SLOT_US} }}\nrepeat = {slots}\n",
            (0..ports).collect::<Vec<_>>()
        );
    }
    for from in 0..ports {
        for to in 0..ports {
            text += &format!("[[channel]]\nin{from} = {to}\nout{to} = {from}\n");
        }
    }
    let mut scenario =
        parse(text.as_bytes(), None, Some(1)).unwrap_or_else(|error| panic!("{error:?}"));
    for link in &mut scenario.links {
        link.wire.flow = Flow::Drop;
        link.wire.latency = SimDuration::ZERO;
    }
    let profile = &mut scenario.profile;
    profile.host.post = SimDuration::ZERO;
    profile.host.receive = SimDuration::ZERO;
    profile.host.bandwidth = std::num::NonZeroU64::MAX;
    // The transfers take no time, since this NIC sends nothing while it fetches the next message.
    profile.dma.bandwidth = std::num::NonZeroU64::MAX;
    profile.dma.request = SimDuration::ZERO;
    profile.base = Some(BaseCosts {
        transmit: SimDuration::from_ns(1),
        receive: SimDuration::ZERO,
        poll: SimDuration::ZERO,
    });
    let mut left = Left::default();
    let end = Run::new(&scenario)
        .sink(&mut left)
        .execute()
        .expect("it runs")
        .end;
    assert_eq!(end.reason, EndReason::Until);
    left.0 as f64 / (slots * ports) as f64
}

/// Karol, Hluchyj and Morgan (1987), Table I: with a queue at each input, only a packet that is first can leave. With
/// queues at the outputs instead, nothing is lost. `JIVE_RUNS=100000` takes as many slots as the page about validation
/// says.
#[test]
fn queues_at_the_inputs_of_a_crossbar_saturate_as_the_table_says() {
    let slots = runs(2_000);
    // The error of the mean shrinks with the root of the number of slots.
    let close = 0.01 * (100_000.0 / slots as f64).sqrt().clamp(1.0, 4.0);
    for (ports, expected) in [(2, 0.75), (4, 0.6553), (8, 0.6184)] {
        for mode in ["crossbar", "crossbar'\narbiter = 'oldest"] {
            let found = saturated(ports, mode, slots);
            println!(
                "{ports} ports, {mode:?}: {:.1} %, in the table {:.1} %",
                100.0 * found,
                100.0 * expected
            );
            assert!(
                (found / expected - 1.0).abs() < close,
                "{ports} ports: {found}, {expected}"
            );
        }
        let found = saturated(ports, "store-and-forward", slots);
        println!(
            "{ports} ports, queues at the outputs: {:.1} %",
            100.0 * found
        );
        assert!(found > 1.0 - close, "{ports} ports: {found}");
    }
}

#[test]
fn an_implied_crossbar_joins_only_what_a_switch_can_join() {
    let nic =
        |name: &str, profile: &str| format!("[[nic]]\nname = '{name}'\nprofile = '{profile}'\n");
    let three = |profile: &str| {
        nic("a", "lanai-1998-switched") + &nic("b", profile) + &nic("c", "lanai-1998-switched")
    };
    assert_eq!(
        mistakes(&three("tigon2-2002-switched")),
        [MistakeKind::OtherFlow]
    );
    assert_eq!(read(&three("clan-2001-switched")).switches.len(), 1);
}

/// A VI at each of two NICs, with a switch between them and these keys for both links.
fn vis(seed: u64, link: &str, rest: &str) -> String {
    let end = |nic: &str| {
        format!(
            "[[nic]]\nname = '{nic}'\n[[link]]\nbetween = ['{nic}', 's']\n{link}\n\
             [[endpoint]]\nnic = '{nic}'\nname = 'e{nic}'\ninterface = 'via'\nreliability = 'reception'\n"
        )
    };
    format!(
        "profile = 'clan-2001-switched'\nseed = {seed}\n[[switch]]\nname = 's'\nports = 9\n{rest}\n{}{}\
         [[channel]]\nea = 1\neb = 1\n\
         [[send]]\nendpoint = 'ea'\nchannel = 1\npayload = {{ count = 1400 }}\n",
        end("a"),
        end("b")
    )
}

#[test]
fn nothing_strikes_a_control_packet_on_any_link() {
    for seed in 0..runs(40) {
        for link in ["loss = 0.1", "corrupt = 0.1"] {
            let trace = run(&vis(seed, link, ""));
            assert_eq!(trace.end.reason, EndReason::Idle, "seed {seed}, {link}");
        }
    }
}

/// Six VIs send to a slow NIC over a switch with as little buffer as it may have.
#[test]
fn a_full_switch_drops_no_control_packet() {
    for seed in 0..runs(12) {
        let mut generator = Generator::named(seed, &["control"]);
        let mut below = |limit: u64| generator.draw() % limit;
        let mut text = "profile = 'clan-2001'\nuntil = '100s'\n[[switch]]\nname = 's'\nports = 7\n\
                        buffer = '393396B'\n[[nic]]\nname = 'z'\nsram = '16MiB'\n\
                        [[link]]\nbetween = ['z', 's']\nbandwidth = '5MB/s'\n"
            .to_owned();
        for end in 0..6 {
            let rate = [1, 5, 125][below(3) as usize];
            text += &format!(
                "[[nic]]\nname = 'n{end}'\nsram = '16MiB'\n\
                 [[link]]\nbetween = ['n{end}', 's']\nbandwidth = '{rate}MB/s'\n\
                 [[endpoint]]\nnic = 'n{end}'\nname = 'a{end}'\ninterface = 'via'\nreliability = 'reception'\n\
                 buffer_area = '1MiB'\nfree_buffers = {{ count = 32, length = 16384 }}\n\
                 [[endpoint]]\nnic = 'z'\nname = 'b{end}'\ninterface = 'via'\nreliability = 'reception'\n\
                 buffer_area = '1MiB'\nfree_buffers = {{ count = 32, length = 16384 }}\n\
                 [[channel]]\na{end} = 1\nb{end} = 1\n"
            );
            text += &format!(
                "[[send]]\nendpoint = 'a{end}'\nchannel = 1\npayload = {{ count = {} }}\nrepeat = {}\n",
                1_400 + below(14_000),
                1 + below(30)
            );
        }
        let trace = simulate(&read(&text)).expect("it runs");
        assert_eq!(trace.end.reason, EndReason::Idle, "seed {seed}");
    }
}

#[test]
fn the_buffers_of_a_crossbar_have_room_for_those_who_enter_together() {
    let crossbar = |buffer: &str| {
        let mut text = format!(
            "[[switch]]\nname = 's'\nports = 9\nmode = 'crossbar'\nbuffer = '{buffer}'\n{THREE}"
        );
        for nic in ["a", "b", "c"] {
            text += &format!("[[link]]\nbetween = ['{nic}', 's']\n");
        }
        text
    };
    // The two endpoints of `a` and `b` have an input each, and one of `c` answers both.
    assert_eq!(read(&crossbar("10KB")).switches.len(), 1);
    let more = "[[endpoint]]\nnic = 'a'\nname = 'three'\n[[channel]]\nthree = 1\nsink = 3\n";
    assert!(matches!(
        mistakes(&(crossbar("10KB") + more))[..],
        [MistakeKind::SmallSwitchBuffer { endpoints: 2, .. }]
    ));
}

#[test]
fn a_port_is_in_use_for_no_longer_than_the_run() {
    let text = format!(
        "until = '300us'\n{THREE}[[switch]]\nname = 's'\nports = 3\n\
         [[link]]\nbetween = ['a', 's']\n[[link]]\nbetween = ['b', 's']\n\
         [[link]]\nbetween = ['c', 's']\nbandwidth = '1MB/s'\n{}",
        send("one", "0us", "{ zeros = 4096 }")
    );
    let begun = number(run(&text).of("forward")[0], "t_ns");
    let scenario = read(&text);
    let mut summary = Summary::new(&scenario);
    let end = Run::new(&scenario).sink(&mut summary).execute();
    let end = end.expect("it runs").end;
    summary.end(end.time, end.reason);
    let summary = serde_json::to_value(&summary).expect("JSON");
    let ports = summary["switches"][0]["ports"].as_array();
    let mut ports = ports.expect("rows").iter();
    let port = ports.find(|port| port["to"] == "c").expect("it is there");
    assert_eq!(number(port, "busy_ns"), 300_000 - begun);
    assert!(port["utilisation"].as_f64().expect("a number") < 1.0);
}

/// The first message holds up two others at the input of a crossbar, one of which needs another output.
#[test]
fn a_queue_at_an_output_of_a_crossbar_is_that_of_packets_that_need_it() {
    let mut text = format!(
        "{THREE}[[nic]]\nname = 'd'\n[[endpoint]]\nnic = 'd'\nname = 'other'\n\
         [[channel]]\none = 2\nother = 1\n[[switch]]\nname = 's'\nports = 4\nmode = 'crossbar'\n\
         [[link]]\nbetween = ['c', 's']\nbandwidth = '1MB/s'\n"
    );
    for nic in ["a", "b", "d"] {
        text += &format!("[[link]]\nbetween = ['{nic}', 's']\n");
    }
    text += &(send("two", "0us", "{ zeros = 4000 }") + &send("one", "500us", "{ zeros = 1000 }"));
    for channel in [2, 2, 1] {
        text += &format!(
            "[[send]]\nendpoint = 'one'\nchannel = {channel}\nat = '600us'\npayload = {{ zeros = 100 }}\n"
        );
    }
    let trace = run(&text);
    let shown: Vec<(&str, u64, u64)> = trace
        .of("forward")
        .iter()
        .map(|event| {
            let to = event["to"].as_str().expect("a name");
            (to, number(event, "length"), number(event, "behind"))
        })
        .collect();
    // Two packets wait for `c` when the first of them leaves. Those for `d` are in the same queue, and wait for `d`.
    assert_eq!(
        shown,
        [
            ("c", 4000, 0),
            ("c", 1000, 1),
            ("d", 100, 1),
            ("d", 100, 0),
            ("c", 100, 0)
        ]
    );
}

/// The times of all events but those of switches.
#[derive(Default)]
struct Times(Vec<SimTime>);

impl Sink for Times {
    fn event(&mut self, _: &dyn Names, event: &Event<'_>) {
        if !matches!(event.kind.step(), Step::Forwarded { .. }) {
            self.0.push(event.time);
        }
    }
}

/// An odd number of picoseconds has no half.
#[test]
fn an_implied_crossbar_takes_as_long_as_a_wire_to_the_picosecond() {
    for latency in ["1us", "1000001ps", "1ps", "0ps"] {
        let ends = |profile: &str| {
            let text = include_str!("../../profiles/lanai-1998.toml");
            let (before, rest) = text.split_once("[wire]\n").expect("it has a wire");
            let latency_line = rest.lines().find(|line| line.starts_with("latency = "));
            let rest = rest.replacen(
                latency_line.expect("a key"),
                &format!("latency = '{latency}'"),
                1,
            );
            let text = format!("{before}[wire]\n{profile}\n{rest}");
            let scenario = THREE.to_owned() + &send("one", "0us", "{ zeros = 500 }");
            let scenario = crate::trace::read_on(&scenario, &text);
            let mut times = Times::default();
            let run = Run::new(&scenario).sink(&mut times);
            run.execute().expect("it runs");
            times.0
        };
        assert_eq!(ends(""), ends("ports = 1"), "{latency}");
    }
}
