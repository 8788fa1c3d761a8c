//! Finds packets that may wait for each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use nic_core::id::NicId;

/// A step of a route: a node, and the link on which it sends.
pub(super) type Step = (NicId, usize);

/// How far the search has come with a step.
#[derive(PartialEq, Eq)]
enum State {
    OnPath,
    Done,
}

/// Returns the nodes of a circle of steps each of which waits for the next.
///
/// A step waits for the one behind it in a route if the switch between them keeps its link: `keeps` says so of the switch
/// and the link by which a packet comes to it.
pub(super) fn find(
    ways: impl Iterator<Item = Vec<Step>>,
    keeps: impl Fn(Step) -> bool,
) -> Option<Vec<NicId>> {
    let mut waits: BTreeMap<Step, BTreeSet<Step>> = BTreeMap::new();
    for way in ways {
        for pair in way.windows(2) {
            let ((_, link), next) = (pair[0], pair[1]);
            if keeps((next.0, link)) {
                waits.entry(pair[0]).or_default().insert(next);
            }
        }
    }
    let mut states = BTreeMap::new();
    for start in waits.keys() {
        if let Some(circle) = from(*start, &waits, &mut states) {
            return Some(circle);
        }
    }
    None
}

/// Searches the steps for which a step waits, directly or not.
fn from(
    start: Step,
    waits: &BTreeMap<Step, BTreeSet<Step>>,
    states: &mut BTreeMap<Step, State>,
) -> Option<Vec<NicId>> {
    let mut path = vec![start];
    if states.contains_key(&start) {
        return None;
    }
    let next_of = |step: &Step| waits.get(step).into_iter().flatten().copied();
    let mut left = vec![Vec::from_iter(next_of(&start))];
    states.insert(start, State::OnPath);
    while let Some(nexts) = left.last_mut() {
        let Some(next) = nexts.pop() else {
            left.pop();
            if let Some(done) = path.pop() {
                states.insert(done, State::Done);
            }
            continue;
        };
        match states.get(&next) {
            Some(State::Done) => {}
            Some(State::OnPath) => {
                let behind = path.iter().skip_while(|step| **step != next);
                return Some(behind.map(|(node, _)| *node).collect());
            }
            None => {
                states.insert(next, State::OnPath);
                path.push(next);
                left.push(Vec::from_iter(next_of(&next)));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(node: u32) -> Step {
        (NicId(node), node as usize)
    }

    #[test]
    fn a_circle_needs_each_of_its_steps() {
        let ways = [vec![0, 1, 2], vec![1, 2, 3], vec![3, 0, 1], vec![2, 3, 0]];
        let of = |count: usize, keeps: &dyn Fn(Step) -> bool| {
            let ways = ways.iter().take(count);
            let ways = ways.map(|way| way.iter().map(|node| step(*node)).collect());
            let mut found = find(ways, keeps)?;
            found.sort();
            Some(found)
        };
        assert_eq!(of(4, &|_| true), Some([0, 1, 2, 3].map(NicId).to_vec()));
        assert_eq!(of(3, &|_| true), Some([0, 1, 2, 3].map(NicId).to_vec()));
        assert_eq!(of(2, &|_| true), None);
        assert_eq!(of(4, &|(node, _)| node != NicId(2)), None);
    }
}
