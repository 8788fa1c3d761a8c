//! Two nodes that page each other in, each with one frame, over links with room for one message.
//!
//! Whatever waits for room in the link must let the interface trap. With `stalled_store = "waits"` a stalled store does
//! not, and two such nodes wait for each other for ever. The paper does not say it.

use nic_core::event::EndReason;
use nic_core::lmmc::Policy;
use nic_core::time::SimTime;
use nic_runtime::host::{Actions, Happened};
use nic_runtime::spec::Scenario;

use super::{Cast, Tally, port, world};
use crate::runs::runs;

/// A program that stores once to the first of two pages and some times to the second, so often.
fn stores(
    first: i32,
    (rounds, times): (u64, u32),
) -> impl FnMut(Happened<'_>, &mut Actions<'_>) + Send {
    let mut left = rounds;
    move |what, actions| {
        if !matches!(what, Happened::Started | Happened::Time) {
            return;
        }
        let home = actions.endpoints()[0];
        for _ in 0..left.min(16) {
            left -= 1;
            actions.store(home, 0, (first, 0), vec![1]);
            for place in 0..times {
                actions.store(home, 0, (first + 1, place), vec![2; 32]);
            }
        }
        if left > 0 {
            actions.wake_at(SimTime::ZERO);
        }
    }
}

fn two_nodes(values: &[(&str, &str)], policy: Policy) -> Scenario {
    let tight = [
        ("lmmc.frames", "1"),
        ("lmmc.page", "'64B'"),
        ("memory.max_packet", "'80B'"),
        // Two frames of 80 bytes, and 125 bytes that are under way there and back.
        ("wire.buffer", "'285B'"),
        // A message that waits is never too late.
        ("wire.timeout", "'1us'"),
    ];
    let mut scenario = world(&[&["a"], &["b"]], &[&tight, values].concat());
    let to = |from, to| port(&[from], &[to], policy);
    scenario.ports = vec![to(0, 1), to(0, 1), to(1, 0), to(1, 0)];
    scenario.until = SimTime::MAX;
    scenario.events_max = u64::MAX;
    scenario
}

/// Lets both nodes fault so often. The signal of the interface takes long enough that both processors have stored more
/// than the links hold before they hear of it.
fn run(values: &[(&str, &str)], policy: Policy, faults: u64) -> (Tally, EndReason) {
    let values = [&[("lmmc.interrupt", "'30us'")], values].concat();
    let scenario = two_nodes(&values, policy);
    let rounds = (faults / 2, 20);
    let cast = Cast::default()
        .told("a", stores(0, rounds))
        .told("b", stores(2, rounds));
    let (tally, end) = Tally::of(&scenario, cast.programs);
    (tally, end.reason)
}

#[test]
fn stores_that_are_made_again_never_stand_still() {
    // By default 10,000 faults of both nodes together.
    let faults = runs(5_000);
    for policy in [Policy::Immediate, Policy::Late] {
        let (tally, reason) = run(&[], policy, faults);
        assert_eq!(reason, EndReason::Idle, "{policy:?}");
        // The first store of each node finds its port in.
        assert_eq!(tally.count("fault"), 2 * faults - 2, "{policy:?}");
        assert_eq!(tally.count("wire-drop") + tally.count("message-refused"), 0);
    }
}

#[test]
fn stores_that_wait_stand_still_for_ever() {
    let (tally, reason) = run(
        &[("lmmc.stalled_store", "'waits'")],
        Policy::Immediate,
        1_000,
    );
    assert_eq!(reason, EndReason::Stuck);
    assert!(tally.count("fault") < 1_998);
    assert_eq!(tally.count("wire-drop"), 0);
}

#[test]
fn one_node_that_writes_never_stands_still() {
    let scenario = two_nodes(&[("lmmc.stalled_store", "'waits'")], Policy::Immediate);
    let cast = Cast::default().told("a", stores(0, (500, 20)));
    let (tally, end) = Tally::of(&scenario, cast.programs);
    assert_eq!((end.reason, tally.count("fault")), (EndReason::Idle, 999));
}
