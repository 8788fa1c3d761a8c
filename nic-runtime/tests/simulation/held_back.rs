//! Switches that hold back their neighbours: `full = "stop"` and `mode = "worm-hole"`.

use nic_core::event::EndReason;
use nic_core::random::Generator;
use nic_runtime::Run;
use nic_runtime::profile::Flow;
use nic_runtime::scenario::{MistakeKind, ScenarioError, parse};

use crate::runs::runs;
use crate::scenario::read;
use crate::trace::{Trace, number, numbers, simulate, texts};

/// NICs with an endpoint each: `a` and `b` at the switch `s`, `c` and `d` at the switch `t`. The link to `c` is slow.
fn two_switches(switch: &str) -> String {
    let nics =
        "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n[[nic]]\nname = 'c'\n[[nic]]\nname = 'd'\n";
    let mut text = format!("{nics}[[link]]\nbetween = ['s', 't']\nlatency = '1us'\n");
    for name in ["s", "t"] {
        text += &format!("[[switch]]\nname = '{name}'\nports = 3\nlatency = '500ns'\n{switch}\n");
    }
    for (nic, at, rate) in [
        ("a", "s", 160),
        ("b", "s", 160),
        ("c", "t", 1),
        ("d", "t", 160),
    ] {
        text += &format!(
            "[[link]]\nbetween = ['{nic}', '{at}']\nlatency = '1us'\nbandwidth = '{rate}MB/s'\n\
             [[endpoint]]\nnic = '{nic}'\nname = 'at_{nic}'\n"
        );
    }
    text + "[[channel]]\nat_a = 1\nat_c = 1\n[[channel]]\nat_b = 2\nat_d = 2\n\
            [[channel]]\nat_b = 1\nat_c = 2\n"
}

/// `a` sends messages to `c`, and later `b` sends one to `d`.
fn busy(switch: &str) -> Trace {
    let text = two_switches(switch)
        + "[[send]]\nendpoint = 'at_a'\nchannel = 1\npayload = { zeros = 9000 }\nrepeat = 4\n\
           [[send]]\nendpoint = 'at_b'\nchannel = 2\nat = '1ms'\npayload = { zeros = 100 }\n";
    let trace = simulate(&read(&text)).expect("it runs");
    trace.check_laws();
    assert_eq!(trace.end.reason, EndReason::Idle);
    assert_eq!(trace.of("rx-descriptor").len(), 5, "nothing is lost");
    trace
}

/// When `d` receives its message.
fn at_d(trace: &Trace) -> u64 {
    number(trace.at("at_d", "wire-rx")[0], "t_ns")
}

#[test]
fn a_full_switch_holds_up_what_needs_another_port() {
    let free = at_d(&busy(""));
    assert!(free < 1_100_000, "{free}");
    for mode in ["store-and-forward", "cut-through", "crossbar"] {
        // With room for one packet at each port, the second of `a` waits at `s`, before the one of `b`.
        let trace = busy(&format!("mode = '{mode}'\nbuffer = '12KB'\nfull = 'stop'"));
        // The link to `c` takes 9 ms for each packet.
        let found = at_d(&trace);
        assert!(found > 4_000_000, "{mode}: {found}");
        let times = numbers(&trace.at("at_a", "wire-tx"), "t_ns");
        // An output of a crossbar holds a packet beside those in its buffers.
        let is_held = times[3] > 4_000_000 || mode == "crossbar";
        assert!(is_held, "{mode}: {times:?}");
        let roomy = at_d(&busy(&format!(
            "mode = '{mode}'\nbuffer = '50KB'\nfull = 'stop'"
        )));
        assert!(roomy < 1_100_000 || mode == "crossbar", "{mode}: {roomy}");
    }
}

#[test]
fn a_worm_keeps_the_links_on_its_way() {
    // The first packet of `a` lies on all links until it is through, and takes 9 ms; so `b` cannot send before that.
    let trace = busy("mode = 'worm-hole'");
    let found = at_d(&trace);
    assert!(found > 4_000_000, "{found}");
    let times = numbers(&trace.at("at_a", "wire-tx"), "t_ns");
    assert!(times[1] > 4_000_000, "{times:?}");
}

#[test]
fn a_worm_alone_takes_as_long_as_a_packet_that_is_cut_through() {
    for (endpoint, channel) in [("at_a", 1), ("at_b", 2)] {
        for length in [0, 100, 4_000] {
            let arrives = |mode: &str| {
                let text = two_switches(&format!("mode = '{mode}'"));
                let send = format!(
                    "[[send]]\nendpoint = '{endpoint}'\nchannel = {channel}\npayload = {{ zeros = {length} }}\n"
                );
                let trace = simulate(&read(&(text + &send))).expect("it runs");
                trace.check_laws();
                number(trace.of("wire-rx")[0], "t_ns")
            };
            assert_eq!(
                arrives("worm-hole"),
                arrives("cut-through"),
                "{endpoint} {length}"
            );
        }
    }
}

/// Five switches in a circle with a NIC each. Each NIC sends to the one two places on.
fn circle(rest: &str, switch: &str) -> String {
    format!(
        "{rest}\n[topology]\nkind = 'ring'\nsize = 5\nswitch = {{ {switch} }}\n\
         [[nic]]\nname = 'n{{0..4}}'\n[[endpoint]]\nnic = 'n{{0..4}}'\nname = 'e{{0..4}}'\n\
         buffer_area = '512KiB'\nfree_buffers = {{ count = 60, length = 4096 }}\n\
         [[channel]]\n'e{{0..2}}' = 1\n'e{{2..4}}' = 2\n[[channel]]\n'e{{3..4}}' = 1\n'e{{0..1}}' = 2\n\
         [[send]]\nendpoint = 'e{{0..4}}'\nchannel = 1\npayload = {{ count = 9000 }}\nrepeat = 8\n"
    )
}

const KEEPING: [&str; 3] = [
    "mode = 'worm-hole'",
    "full = 'stop', buffer = 9600",
    "mode = 'crossbar', full = 'stop', buffer = 9600",
];

#[test]
fn packets_that_may_wait_in_a_circle_are_refused() {
    for switch in KEEPING {
        let text = circle("route = 'shortest'", switch);
        let Err(ScenarioError::Mistakes(mistakes)) = parse(text.as_bytes(), None, None) else {
            panic!("expected a mistake\n{text}");
        };
        let [mistake] = &mistakes[..] else {
            panic!("{mistakes:?}");
        };
        let MistakeKind::Deadlock { circle } = &mistake.kind else {
            panic!("{mistake:?}");
        };
        assert_eq!(circle, "s0 - s4 - s3 - s2 - s1 - s0");
    }
}

#[test]
fn a_standstill_is_shown_as_stuck() {
    // An output of a crossbar holds a packet beside those in its buffers, which happens to be enough here.
    for switch in &KEEPING[..2] {
        let text = circle("route = 'shortest'\nallow_deadlock = true", switch);
        let scenario = read(&text);
        let end = Run::new(&scenario).execute().expect("it runs").end;
        assert_eq!(end.reason, EndReason::Stuck, "{switch}");
        let waiting: Vec<String> = end.waiting.iter().map(ToString::to_string).collect();
        assert!(
            waiting
                .iter()
                .any(|found| found.starts_with("switch s0 waits for the wire to switch s1")),
            "{waiting:?}"
        );
    }
}

#[test]
fn up_down_routes_never_stand_still() {
    for switch in KEEPING {
        let trace = simulate(&read(&circle("", switch))).expect("it runs");
        trace.check_laws();
        assert_eq!(trace.end.reason, EndReason::Idle, "{switch}");
        assert_eq!(trace.of("rx-descriptor").len(), 40, "{switch}");
    }
}

/// A topology of any kind, with up to 20 NICs, and switches of one mode.
fn any_topology(seed: u64) -> (String, u64) {
    let mut generator = Generator::named(seed, &["topology"]);
    let mut below = |limit: u64| generator.draw() % limit;
    let kind = match below(5) {
        0 => "kind = 'star'".to_owned(),
        1 => format!("kind = 'ring'\nsize = {}", 1 + below(7)),
        2 => format!("kind = 'mesh'\nsize = [{}, {}]", 1 + below(4), 1 + below(4)),
        3 => format!(
            "kind = 'torus'\nsize = [{}, {}]",
            1 + below(4),
            1 + below(4)
        ),
        _ => "kind = 'fat-tree'\nsize = 4".to_owned(),
    };
    let mode = ["store-and-forward", "cut-through", "crossbar", "worm-hole"][below(4) as usize];
    let mut switch = format!("mode = '{mode}', latency = '{}ns'", below(3) * 400);
    if mode != "worm-hole" && below(2) == 0 {
        switch += &format!(", full = 'stop', buffer = {}", 9_600 + below(20_000));
    }
    let last = 1 + below(15);
    let text = format!(
        "seed = {seed}\n[topology]\n{kind}\nswitch = {{ {switch} }}\n\
         link = {{ bandwidth = '{}MB/s', latency = '{}ns' }}\n\
         [[nic]]\nname = 'n{{0..{last}}}'\n\
         [[endpoint]]\nnic = 'n{{0..{last}}}'\nname = 'e{{0..{last}}}'\nrx_queue = 512\n",
        [20, 160, 1_000][below(3) as usize],
        below(2_000)
    );
    (text, last + 1)
}

#[test]
fn topologies_lose_nothing_and_keep_the_order() {
    for seed in 0..runs(30) {
        let (mut text, nics) = any_topology(seed);
        let mut generator = Generator::named(seed, &["traffic"]);
        let mut below = |limit: u64| generator.draw() % limit;
        let mut count = 0;
        for from in 0..nics {
            let to = below(nics);
            if to == from {
                continue;
            }
            text += &format!("[[channel]]\ne{from} = 1\ne{to} = {}\n", 2 + from);
            let repeat = 1 + below(6);
            count += repeat;
            text += &format!(
                "[[send]]\nendpoint = 'e{from}'\nchannel = 1\npayload = {{ count = {} }}\nrepeat = {repeat}\n",
                below(4_096)
            );
        }
        let mut scenario = read(&text);
        for link in &mut scenario.links {
            link.wire.flow = Flow::Hold;
        }
        let trace = simulate(&scenario).expect("it runs");
        trace.check_laws();
        assert_eq!(trace.end.reason, EndReason::Idle, "seed {seed}\n{text}");
        let received = trace.of("rx-descriptor");
        assert_eq!(received.len() as u64, count, "seed {seed}");
        assert!(texts(&trace.of("wire-drop"), "reason").is_empty());
        for endpoint in 0..nics {
            let posts = trace.at(&format!("e{endpoint}"), "tx-post");
            let own = numbers(&posts, "post");
            let of_own = received
                .iter()
                .filter(|event| own.contains(&number(event, "post")));
            let order: Vec<u64> = of_own.map(|event| number(event, "post")).collect();
            assert_eq!(order, own, "seed {seed}, endpoint {endpoint}");
        }
    }
}

#[test]
fn switches_that_cannot_hold_back_are_refused() {
    let of = |switch: &str| match parse(two_switches(switch).as_bytes(), None, None) {
        Err(ScenarioError::Mistakes(mistakes)) => mistakes[0].kind.clone(),
        other => panic!("expected a mistake, found {other:?}"),
    };
    assert!(matches!(
        of("full = 'stop'"),
        MistakeKind::NeedsPartner { .. }
    ));
    for key in ["full = 'drop'", "buffer = '9KB'", "arbiter = 'oldest'"] {
        let found = of(&format!("mode = 'worm-hole'\n{key}"));
        assert!(
            matches!(found, MistakeKind::Excluded { .. }),
            "{key}: {found:?}"
        );
    }
    let found = of("full = 'stop'\nbuffer = '4KB'");
    assert!(
        matches!(found, MistakeKind::PacketLongerThanBuffer { .. }),
        "{found:?}"
    );
    assert!(matches!(
        of("buffer = '0B'"),
        MistakeKind::OutOfRange { .. }
    ));
}
