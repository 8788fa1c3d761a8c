//! Up-down routes: each packet goes towards the root of a tree first, and then away from it.
//!
//! A link leads up if its end is nearer to the root. No packet that has gone down goes up again, so the links have an
//! order in which every route takes them, and no cycle of packets can wait for each other.

use std::collections::VecDeque;

use nic_core::id::NicId;

use super::graph::{Graph, NONE};
use crate::ids::Id;

/// Returns the position of each node: switches in the order of their distance from the root, and below them the NICs. The
/// root of each part of the network is the switch whose name comes first.
pub(super) fn order(graph: &Graph) -> Vec<u32> {
    let mut order = vec![NONE; graph.nodes()];
    let mut switches: Vec<NicId> = (graph.nics..graph.nodes()).map(NicId::of).collect();
    switches.sort_by_key(|switch| graph.by_name[switch.index()]);
    let mut count = 0;
    for root in switches {
        let mut reached = VecDeque::from([root]);
        while let Some(node) = reached.pop_front() {
            if order[node.index()] != NONE {
                continue;
            }
            order[node.index()] = count;
            count += 1;
            let neighbours = graph.neighbours(node).iter().map(|(node, _)| *node);
            reached.extend(neighbours.filter(|node| graph.is_switch(*node)));
        }
    }
    order
}

/// Returns for each node the link on which it sends what is for a target.
pub(super) fn to(graph: &Graph, order: &[u32], target: NicId) -> Vec<u32> {
    let is_below = |node: NicId, other: NicId| order[node.index()] > order[other.index()];
    // The number of links from a node to the target, and the first of them. First come the nodes from which the way leads
    // down alone.
    let mut lengths = vec![NONE; graph.nodes()];
    let mut next = vec![NONE; graph.nodes()];
    lengths[target.index()] = 0;
    let mut reached = VecDeque::from([target]);
    while let Some(node) = reached.pop_front() {
        for (above, _) in graph.neighbours(node) {
            let leads_down = graph.is_switch(*above) && is_below(node, *above);
            if leads_down && lengths[above.index()] == NONE {
                lengths[above.index()] = lengths[node.index()] + 1;
                reached.push_back(*above);
            }
        }
    }
    for node in (graph.nics..graph.nodes()).map(NicId::of) {
        let length = lengths[node.index()];
        let mut neighbours = graph.neighbours(node).iter();
        let down = neighbours.find(|(below, _)| {
            let passes_on = graph.is_switch(*below) || *below == target;
            passes_on
                && is_below(*below, node)
                && lengths[below.index()].checked_add(1) == Some(length)
        });
        next[node.index()] = down.map_or(NONE, |(_, link)| *link);
    }
    // Then, from the root on, those from which it leads up first. NICs are the last.
    let mut rest: Vec<NicId> = (0..graph.nodes()).map(NicId::of).collect();
    rest.sort_by_key(|node| (order[node.index()], node.index()));
    for node in rest {
        if lengths[node.index()] != NONE {
            continue;
        }
        let is_up = |other: NicId| graph.is_switch(other) && is_below(node, other);
        let neighbours = graph.neighbours(node).iter();
        let reaching = neighbours.filter(|(other, _)| {
            (is_up(*other) || *other == target) && lengths[other.index()] != NONE
        });
        if let Some((above, link)) = reaching.min_by_key(|(other, _)| lengths[other.index()]) {
            // A link between two NICs leads to the target, and to no other node.
            next[node.index()] = *link;
            if graph.is_switch(node) {
                lengths[node.index()] = lengths[above.index()] + 1;
            }
        }
    }
    next
}
