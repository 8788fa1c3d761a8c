//! Trees of applets over a network of switches: a tree that follows the switches, and one that does not.

use nic_core::event::EndReason;

use crate::scenario::read;
use crate::trace::{Trace, numbers, simulate, texts};

/// The NICs of a fat tree of switches with four ports. Two are at each switch of the lowest layer, and four in each pod.
const NICS: usize = 16;

/// Where the members of a tree are.
#[derive(Copy, Clone)]
enum Placement {
    /// The nearer two members are in the tree, the nearer are their NICs.
    Follows,
    /// Each member is seven NICs behind the one with the number before, which is in another pod.
    Scattered,
}

impl Placement {
    fn nic(self, member: usize) -> usize {
        match self {
            Placement::Follows => member,
            Placement::Scattered => member * 7 % NICS,
        }
    }

    /// Returns how many links between switches a packet crosses from one member to another: none between NICs of a switch,
    /// two within a pod, and four over the core.
    fn links(self, one: usize, other: usize) -> usize {
        let (one, other) = (self.nic(one), self.nic(other));
        match (one / 2 == other / 2, one / 4 == other / 4) {
            (true, _) => 0,
            (_, true) => 2,
            (false, false) => 4,
        }
    }
}

/// Returns the parent of a member in a binomial tree: the member without its lowest bit.
fn parent(member: usize) -> usize {
    member & member.wrapping_sub(1)
}

/// Returns the children of a member, the one with the largest subtree first.
fn children(member: usize) -> Vec<usize> {
    let mut children: Vec<usize> = (1..NICS).filter(|other| parent(*other) == member).collect();
    children.reverse();
    children
}

/// Runs a tree of an applet, in which these members send this payload once.
fn tree(applet: &str, state: &str, placement: Placement, senders: usize, payload: &str) -> Trace {
    let mut text = "profile = 'lanai-1998-switched'\n[topology]\nkind = 'fat-tree'\nsize = 4\n\
                    switch = { latency = '1us', mode = 'store-and-forward' }\n[[nic]]\nname = 'n{0..15}'\n"
        .to_owned();
    for member in 0..NICS {
        // The channel to a child has the child's number, and the one to the parent has number 0.
        let to_parent = if member == 0 { -1 } else { 0 };
        text += &format!(
            "[[endpoint]]\nnic = 'n{}'\nname = 'm{member}'\napplet = 'builtin:{applet}'\n\
             state = {{ PARENT = {to_parent}, CHILDREN = {:?}{state} }}\n",
            placement.nic(member),
            children(member)
        );
        if member > 0 {
            text += &format!(
                "[[channel]]\nm{} = {member}\nm{member} = 0\n",
                parent(member)
            );
        }
    }
    for member in 0..senders {
        let channel = usize::from(member == 0);
        text += &format!(
            "[[send]]\nendpoint = 'm{member}'\nchannel = {channel}\npayload = {payload}\n"
        );
    }
    let trace = simulate(&read(&text)).expect("it runs");
    trace.check_laws();
    assert_eq!(trace.end.reason, EndReason::Idle);
    trace
}

/// Returns how many packets the links between switches have carried, and when the last user has its message.
fn cost(trace: &Trace) -> (usize, u64) {
    let forwarded = trace.of("forward");
    let to_switches = texts(&forwarded, "to").into_iter();
    let carried = to_switches.filter(|to| !to.starts_with('n')).count();
    let received = numbers(&trace.of("rx-descriptor"), "t_ns");
    (carried, received.into_iter().max().expect("users receive"))
}

/// The page `docs/network.md` has these numbers.
#[test]
fn a_tree_that_follows_the_switches_loads_them_less_and_is_sooner_over() {
    let page = include_str!("../../../docs/network.md");
    let mut rows = String::new();
    let vector = "{ hex = '00000001000000020000000300000004' }";
    for (applet, state, senders, payload, ways, received) in [
        ("Multicast", "", 1, "{ count = 4000 }", 1, NICS - 1),
        ("Reduce", ", SIZE = 4", NICS, vector, 2, NICS),
        ("Barrier", "", NICS, "{ count = 4 }", 2, NICS),
    ] {
        let [follows, scattered] = [Placement::Follows, Placement::Scattered].map(|placement| {
            let trace = tree(applet, state, placement, senders, payload);
            let messages = trace.of("rx-descriptor");
            assert_eq!(messages.len(), received, "{applet}");
            if applet == "Reduce" {
                let sum = "00000010000000200000003000000040";
                assert_eq!(texts(&messages, "payload"), vec![sum; NICS]);
            }
            let (carried, ends) = cost(&trace);
            let links: usize = (1..NICS)
                .map(|member| placement.links(member, parent(member)))
                .sum();
            assert_eq!(
                carried,
                ways * links,
                "{applet}: each edge of the tree, once or there and back"
            );
            assert_eq!(trace.of("wire-tx").len(), ways * (NICS - 1), "{applet}");
            (carried, ends)
        });
        assert!(
            follows.0 < scattered.0 && follows.1 < scattered.1,
            "{applet}"
        );
        let us = |ns: u64| format!("{}.{} us", ns / 1_000, ns / 100 % 10);
        let row = format!(
            "| `{applet}` | {} | {} | {} | {} |",
            follows.0,
            scattered.0,
            us(follows.1),
            us(scattered.1)
        );
        rows += &row;
        rows.push('\n');
    }
    assert!(
        page.contains(&rows),
        "docs/network.md needs the rows\n{rows}"
    );
}

#[test]
fn a_member_is_next_to_its_parent_if_the_tree_follows_the_switches() {
    let sum = |placement: Placement| -> usize {
        (1..NICS)
            .map(|member| placement.links(member, parent(member)))
            .sum()
    };
    // Eight edges within a switch, four within a pod, and three over the core.
    assert_eq!(sum(Placement::Follows), 4 * 2 + 3 * 4);
    // All fifteen over the core.
    assert_eq!(sum(Placement::Scattered), 15 * 4);
    assert_eq!(children(0), [8, 4, 2, 1]);
}
