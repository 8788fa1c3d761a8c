//! Scenarios that are written with ranges and topologies.

use nic_runtime::scenario::{MistakeKind, ScenarioError, parse, write_out};
use nic_runtime::spec::Scenario;

use crate::scenario::read;
use crate::trace::{simulate, texts};

/// Sixteen NICs, each of which sends to the NIC eight places behind it.
fn sixteen(topology: &str) -> String {
    format!(
        "{topology}\n[[nic]]\nname = 'n{{0..15}}'\n[[endpoint]]\nnic = 'n{{0..15}}'\nname = 'e{{0..15}}'\n\
         [[channel]]\n'e{{0..7}}' = 1\n'e{{8..15}}' = 1\n\
         [[send]]\nendpoint = 'e{{0..15}}'\nchannel = 1\npayload = {{ count = 2000 }}\nrepeat = 2\n"
    )
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

const TOPOLOGIES: [(&str, usize, usize); 6] = [
    ("kind = 'star'", 1, 16),
    ("kind = 'ring'\nsize = 5", 5, 16 + 5),
    ("kind = 'mesh'\nsize = [4, 4]", 16, 16 + 24),
    ("kind = 'torus'\nsize = [3, 3]", 9, 16 + 18),
    ("kind = 'mesh'\nsize = [2, 2, 2]", 8, 16 + 12),
    ("kind = 'fat-tree'\nsize = 4", 20, 16 + 32),
];

#[test]
fn sixteen_nics_are_few_lines() {
    for (topology, switches, links) in TOPOLOGIES {
        let scenario = read(&sixteen(&format!("[topology]\n{topology}")));
        assert_eq!(scenario.switches.len(), switches, "{topology}");
        let own = scenario.nics.len();
        assert_eq!(scenario.links.len(), links + own, "{topology}");
        let trace = simulate(&scenario).expect("it runs");
        trace.check_laws();
        assert_eq!(trace.of("rx-descriptor").len(), 32, "{topology}");
    }
}

/// The trace of a scenario, line by line.
fn lines(scenario: &Scenario) -> Vec<String> {
    let trace = simulate(scenario).expect("it runs");
    trace.events.iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_written_out_is_the_same_scenario() {
    for (topology, ..) in TOPOLOGIES {
        let keys = "switch = { latency = '500ns', mode = 'cut-through' }\nlink = { loss = 0.1 }";
        let text = sixteen(&format!("seed = 7\n[topology]\n{topology}\n{keys}"));
        let full = write_out(text.as_bytes()).expect("it has no mistakes");
        assert!(
            !full.contains("{0..") && !full.contains("[topology]"),
            "{full}"
        );
        assert_eq!(lines(&read(&text)), lines(&read(&full)), "{topology}");
        assert_eq!(write_out(full.as_bytes()).expect("it reads back"), full);
    }
    for builtin in nic_runtime::scenario::BUILTIN {
        let full = write_out(builtin.text.as_bytes()).expect("it has no mistakes");
        assert_eq!(
            lines(&read(builtin.text)),
            lines(&read(&full)),
            "{}",
            builtin.name
        );
    }
}

#[test]
fn ranges_of_an_entry_go_together() {
    let nics = "[[nic]]\nname = 'n{08..11}'\n[[endpoint]]\nnic = 'n{08..11}'\nname = 'e{1..4}'\n";
    let sink =
        "[[endpoint]]\nnic = 'n08'\nname = 'sink'\n[[channel]]\n'e{1..4}' = 1\nsink = '{5..8}'\n";
    let send = "[[send]]\nendpoint = 'sink'\nchannel = '{5..8}'\npayload = { text = '{1..2}' }\n";
    let scenario = read(&format!("{nics}{sink}{send}"));
    let names: Vec<&str> = scenario.nics.iter().map(|nic| &nic.name[..]).collect();
    assert_eq!(names, ["n08", "n09", "n10", "n11"]);
    let ends: Vec<(u32, i32)> = scenario
        .channels
        .iter()
        .map(|it| (it.a.0.0, it.b.1.0))
        .collect();
    assert_eq!(ends, [(0, 5), (1, 6), (2, 7), (3, 8)]);
    let trace = simulate(&scenario).expect("it runs");
    let receivers = trace.of("rx-descriptor");
    assert_eq!(texts(&receivers, "endpoint"), ["e1", "e2", "e3", "e4"]);
    // A text that is no name has no ranges.
    assert_eq!(texts(&receivers, "payload"), ["7b312e2e327d"; 4]);

    let (one, other) = (3, 4);
    let text = "[[nic]]\nname = 'n{0..3}'\n[[endpoint]]\nnic = 'n{0..2}'\nname = 'e{0..3}'\n";
    assert_eq!(mistakes(text), [MistakeKind::UnequalRanges { one, other }]);
    assert_eq!(
        mistakes("[[nic]]\nname = 'n{3..0}'\n")[0],
        MistakeKind::Range
    );
    // A mistake of all entries is reported once.
    let text = "[[nic]]\nname = 'n{0..3}'\n[[endpoint]]\nnic = 'm'\nname = 'e{0..3}'\n";
    assert!(matches!(
        mistakes(text)[..],
        [MistakeKind::UnknownName { .. }]
    ));
    let text = "[[nic]]\nname = 'n{0..4000000000}'\n";
    assert!(matches!(mistakes(text)[0], MistakeKind::TooMany { .. }));
}

#[test]
fn topologies_that_cannot_be_are_refused() {
    let of = |topology: &str| mistakes(&sixteen(&format!("[topology]\n{topology}")));
    for size in ["0", "1000000", "[4, 0]", "[1000000, 1]"] {
        for kind in ["ring", "mesh", "fat-tree"] {
            let found = of(&format!("kind = '{kind}'\nsize = {size}"));
            assert!(
                matches!(found[0], MistakeKind::OutOfRange { .. }),
                "{kind} {size}: {found:?}"
            );
        }
    }
    assert!(matches!(
        of("kind = 'torus'\nsize = [1000, 1000]")[0],
        MistakeKind::TooMany { .. }
    ));
    assert!(matches!(
        of("kind = 'fat-tree'\nsize = 3")[0],
        MistakeKind::TopologySize { .. }
    ));
    assert!(matches!(
        of("kind = 'fat-tree'\nsize = 58")[0],
        MistakeKind::TopologySize { .. }
    ));
    assert!(matches!(
        of("kind = 'fat-tree'\nsize = 2")[0],
        MistakeKind::TooMany { limit: 2, .. }
    ));
    assert!(matches!(
        of("kind = 'ring'\nsize = [2, 2]")[0],
        MistakeKind::TopologySize { .. }
    ));
    assert!(matches!(
        of("kind = 'ring'")[0],
        MistakeKind::MissingKey { .. }
    ));
    assert!(matches!(
        of("kind = 'star'\nsize = 2")[0],
        MistakeKind::Excluded { .. }
    ));
    assert!(matches!(
        of("kind = 'star'\nswitch = { ports = 2 }")[0],
        MistakeKind::Excluded { .. }
    ));
    assert!(matches!(
        of("kind = 'star'\nswitch = { port = 2 }")[0],
        MistakeKind::UnknownKey { .. }
    ));
    // So many NICs without ports would have too many links.
    let many = "[[nic]]\nname = 'n{1..400}'\n";
    assert!(matches!(mistakes(many)[..], [MistakeKind::TooMany { .. }]));
}

#[test]
fn what_the_file_says_of_a_topology_comes_first() {
    let own = "[[switch]]\nname = 's2'\nports = 9\nlatency = '1ms'\n\
               [[link]]\nbetween = ['s1', 's0']\nloss = 1.0\n";
    let scenario = read(&format!(
        "{}{own}",
        sixteen("[topology]\nkind = 'ring'\nsize = 5")
    ));
    assert_eq!(scenario.switches.len(), 5);
    let slow = scenario
        .switches
        .iter()
        .filter(|switch| switch.latency.as_ns() > 0);
    assert_eq!(slow.count(), 1);
    let lossy = scenario.links.iter().filter(|link| link.loss > 0.0);
    assert_eq!((lossy.count(), scenario.links.len()), (1, 16 + 5 + 16));
}

/// Four switches in a circle, with a NIC at each of the first two.
const CIRCLE: &str = "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
     [[switch]]\nname = 's{0..3}'\nports = 3\n\
     [[link]]\nbetween = ['s{0..2}', 's{1..3}']\n[[link]]\nbetween = ['s3', 's0']\n\
     [[link]]\nbetween = ['a', 's0']\n[[link]]\nbetween = ['b', 's1']\n\
     [[endpoint]]\nnic = 'a'\nname = 'e'\n[[endpoint]]\nnic = 'b'\nname = 'f'\n\
     [[channel]]\ne = 1\nf = 1\n[[send]]\nendpoint = 'e'\nchannel = 1\npayload = { zeros = 9 }\n\
     [[send]]\nendpoint = 'f'\nchannel = 1\nat = '1ms'\npayload = { zeros = 9 }\n";

#[test]
fn a_packet_takes_the_route_that_is_given() {
    let text = format!("route = [['a', 's0', 's3', 's2', 's1', 'b']]\n{CIRCLE}");
    let trace = simulate(&read(&text)).expect("it runs");
    let way = texts(&trace.of("forward"), "to");
    assert_eq!(way, ["s3", "s2", "s1", "b", "s0", "a"]);
}

#[test]
fn routes_that_cannot_be_are_refused() {
    let of = |route: &str| mistakes(&format!("route = {route}\n{CIRCLE}"));
    let twice = of("[['a', 's0', 's1', 's0', 's1', 'b']]");
    assert!(
        matches!(twice[..], [MistakeKind::RouteTwice { .. }]),
        "{twice:?}"
    );
    assert_eq!(
        of("[['a', 's0', 's2', 'b']]"),
        [MistakeKind::RouteWithoutLink]
    );
    assert_eq!(of("[['a', 's0']]"), [MistakeKind::RouteEnds]);
    assert_eq!(of("[['a']]"), [MistakeKind::RouteEnds]);
    assert!(matches!(
        of("[['a', 's9', 'b']]")[..],
        [MistakeKind::UnknownName { .. }]
    ));
    let route = "['a', 's0', 's1', 'b']";
    let double = of(&format!("[{route}, {route}]"));
    assert!(matches!(double[..], [MistakeKind::DuplicateRoute { .. }]));
    assert!(matches!(
        of("'longest'")[..],
        [MistakeKind::UnknownChoice { .. }]
    ));
    assert_eq!(
        of("'dimension-order'")[0],
        MistakeKind::NoMesh { key: "at" }
    );
    assert!(matches!(of("7")[..], [MistakeKind::WrongType { .. }]));
}
