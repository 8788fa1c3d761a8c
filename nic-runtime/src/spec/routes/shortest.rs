//! Routes with the fewest links. Where several have, a node prefers the neighbour whose name comes first, or chooses by the
//! target.

use std::collections::VecDeque;

use nic_core::id::NicId;
use nic_core::random::Generator;

use super::graph::{Graph, NONE};
use crate::ids::Id;

/// Chooses one of some numbers: the node that chooses, the target, and how many there are.
type Choice = fn(NicId, NicId, usize) -> usize;

/// Chooses the first.
pub(super) fn first(_: NicId, _: NicId, _: usize) -> usize {
    0
}

/// Chooses any, so that the targets of a node are divided among its neighbours, as a hash of addresses divides them.
pub(super) fn any(node: NicId, target: NicId, count: usize) -> usize {
    let draw = Generator::named(target.0.into(), &["route", &node.0.to_string()]).draw();
    usize::try_from(draw % count as u64).unwrap_or(0)
}

/// Returns for each node the link on which it sends what is for a target, of those to the nearest neighbours.
pub(super) fn to(graph: &Graph, target: NicId, choose: Choice) -> Vec<u32> {
    let distances = distances(graph, target);
    let link = |node: NicId| {
        let distance = distances[node.index()];
        let nearest = graph.neighbours(node).iter().filter(|(next, _)| {
            let passes_on = graph.is_switch(*next) || *next == target;
            passes_on && distances[next.index()].checked_add(1) == Some(distance)
        });
        let chosen = match nearest.clone().count() {
            0 | 1 => 0,
            count => choose(node, target, count),
        };
        nearest.map(|(_, link)| *link).nth(chosen).unwrap_or(NONE)
    };
    (0..graph.nodes()).map(NicId::of).map(link).collect()
}

/// Returns the number of links between each node and a target, or [`NONE`] if there is no route.
fn distances(graph: &Graph, target: NicId) -> Vec<u32> {
    let mut distances = vec![NONE; graph.nodes()];
    distances[target.index()] = 0;
    let mut reached = VecDeque::from([target]);
    while let Some(node) = reached.pop_front() {
        // A NIC passes no packets on.
        if node != target && !graph.is_switch(node) {
            continue;
        }
        for (neighbour, _) in graph.neighbours(node) {
            let distance = distances[node.index()] + 1;
            let found = &mut distances[neighbour.index()];
            if *found == NONE {
                *found = distance;
                reached.push_back(*neighbour);
            }
        }
    }
    distances
}
