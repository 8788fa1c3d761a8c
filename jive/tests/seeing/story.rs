//! `jive run --follow`.

use crate::process::{Ended, jive};

/// Returns the NIC and the event of each line of a story.
fn steps(story: &str) -> Vec<(&str, &str)> {
    let lines = story.lines().take_while(|line| !line.is_empty());
    lines
        .map(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            // The columns of a line are: elapsed time; time and its unit; NIC, endpoint and event.
            (words[3], words[5])
        })
        .collect()
}

#[test]
fn a_packet_is_followed_across_hosts() {
    let Ended { status, out, err } = jive(["run", "pingpong", "--follow", "1"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(
        steps(&out),
        [
            ("a", "tx-post"),
            ("a", "applet-call"),
            ("a", "dma"),
            ("a", "native"),
            ("a", "native"),
            ("a", "wire-tx"),
            ("a", "applet-return"),
            ("a", "tx-done"),
            ("b", "wire-rx"),
            ("b", "applet-call"),
            ("b", "native"),
            ("b", "applet-return"),
            ("b", "rx-descriptor"),
        ]
    );
    assert!(
        out.contains("\nsent          10 packets"),
        "the summary follows: {out}"
    );
}

#[test]
fn a_packet_of_the_base_path_is_followed_too() {
    let Ended { status, out, .. } = jive(["run", "base-path", "--follow", "1"]);
    assert_eq!(status, 0);
    let events: Vec<_> = steps(&out).into_iter().map(|(_, event)| event).collect();
    assert_eq!(events[..3], ["tx-post", "dma", "wire-tx"]);
    assert!(events.contains(&"rx-descriptor"), "{events:?}");
}

#[test]
fn the_way_of_a_packet_has_each_switch() {
    let file = "../../../nic-runtime/tests/scenarios/network.toml";
    // The packets of `two` have the numbers of the second endpoint.
    let Ended { status, out, .. } = jive(["run", file, "--follow", "1000000002"]);
    assert_eq!(status, 0);
    let way = steps(&out);
    let on_wires: Vec<_> = way
        .iter()
        .filter(|(_, event)| ["wire-tx", "forward", "wire-rx"].contains(event))
        .collect();
    assert_eq!(
        on_wires,
        [
            &("b", "wire-tx"),
            &("s1", "forward"),
            &("s2", "forward"),
            &("c", "wire-rx"),
        ],
        "{out}"
    );
    let hop = |line: &&str| line.contains(" s2 ") && line.contains(" forward ");
    let hop = out.lines().find(hop).expect("a hop");
    let waited = hop.split_once("waited_ns=").expect("its time in the queue");
    assert!(!waited.1.starts_with("0 "), "{hop}");
}

#[test]
fn a_packet_that_a_switch_drops_ends_there() {
    let file = "../../../nic-runtime/tests/scenarios/network.toml";
    let trace = jive(["run", file]).out;
    let lost = trace
        .lines()
        .find(|line| line.contains("reason=switch-full"))
        .expect("the buffer is too small");
    assert!(lost.ends_with("to=c"), "{lost}");
    let number = lost.split_once("packet=").expect("a number").1;
    let number = number.split(' ').next().expect("a number");
    let Ended { out, .. } = jive(["run", file, "--follow", number]);
    assert!(steps(&out).contains(&("s2", "wire-drop")), "{out}");
}

#[test]
fn a_packet_that_does_not_occur_is_an_error() {
    let Ended { status, out, err } = jive(["run", "pingpong", "--follow", "4999"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert_eq!(err, "error: packet 4999 does not occur in this run\n");
}
