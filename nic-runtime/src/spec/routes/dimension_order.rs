//! Dimension order: a packet goes along the first dimension of a mesh until it has the place of its target there, then
//! along the second, and so on.

use nic_core::id::NicId;

use super::graph::{Graph, NONE};
use crate::ids::Id;
use crate::spec::network::SwitchSpec;

/// Returns for each node the link on which it sends what is for a target.
pub(super) fn to(graph: &Graph, switches: &[SwitchSpec], target: NicId) -> Vec<u32> {
    let place = |node: NicId| &switches[node.index() - graph.nics].at[..];
    // What is for a NIC with several links goes to the first of its switches.
    let mut own = graph.neighbours(target).iter().map(|(node, _)| *node);
    let goal = match graph.is_switch(target) {
        true => Some(target),
        false => own.find(|node| graph.is_switch(*node)),
    };
    let step = |node: NicId| {
        let neighbours = graph.neighbours(node);
        // Of the switches of a NIC the goal alone sends to it, so that all routes keep the order.
        let is_last = !graph.is_switch(node) || Some(node) == goal;
        let mut direct = neighbours.iter().filter(|(next, _)| *next == target);
        if let Some((_, link)) = direct.next()
            && !graph.is_switch(target)
            && is_last
        {
            return *link;
        }
        let Some(goal) = goal.filter(|goal| *goal != node) else {
            return NONE;
        };
        let mut switches = neighbours.iter().filter(|(next, _)| graph.is_switch(*next));
        if !graph.is_switch(node) {
            let first = switches.clone().find(|(next, _)| *next == goal);
            return first
                .or_else(|| switches.next())
                .map_or(NONE, |(_, link)| *link);
        }
        let (here, there) = (place(node), place(goal));
        let steps = switches.filter(|(next, _)| is_step(here, place(*next), there));
        let best = steps.min_by_key(|(next, _)| distance(place(*next), there));
        best.map_or(NONE, |(_, link)| *link)
    };
    let mut next: Vec<u32> = (0..graph.nodes())
        .map(|node| step(NicId::of(node)))
        .collect();
    forget_dead_ends(graph, target, &mut next);
    next
}

/// Returns whether a step from one place to another is one along the first dimension in which the goal differs, and
/// towards it.
fn is_step(from: &[u32], to: &[u32], goal: &[u32]) -> bool {
    let differs = from.iter().zip(goal).position(|(from, goal)| from != goal);
    let Some(dimension) = differs else {
        return false;
    };
    let mut places = (0..).zip(from.iter().zip(to));
    let is_along = places.all(|(place, (from, to))| place == dimension || from == to);
    let left = |place: &[u32]| place.get(dimension).map(|at| at.abs_diff(goal[dimension]));
    from.len() == to.len() && is_along && left(to) < left(from)
}

/// Returns how far two places are from each other.
fn distance(one: &[u32], other: &[u32]) -> u32 {
    let steps = one
        .iter()
        .zip(other)
        .map(|(one, other)| one.abs_diff(*other));
    steps.sum()
}

/// Removes the links from which no way leads to the target.
fn forget_dead_ends(graph: &Graph, target: NicId, next: &mut [u32]) {
    let mut arrives = vec![None; next.len()];
    arrives[target.index()] = Some(true);
    for start in 0..next.len() {
        let mut passed = Vec::new();
        let mut node = start;
        let reaches = loop {
            if let Some(known) = arrives[node] {
                break known;
            }
            let link = next[node];
            passed.push(node);
            if link == NONE || passed.len() > next.len() {
                break false;
            }
            let (a, b) = graph.ends[link as usize];
            node = if a.index() == node {
                b.index()
            } else {
                a.index()
            };
        };
        for node in passed {
            arrives[node] = Some(reaches);
            if !reaches {
                next[node] = NONE;
            }
        }
    }
}
