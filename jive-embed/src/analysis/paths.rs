//! The least and the most that a path through a method costs.

use super::components::Partition;
use super::graph::{ControlFlow, Node};

/// What something costs on the cheapest and on the dearest path.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// On the cheapest path.
    pub(crate) min: u64,
    /// On the dearest path; `None` where nothing bounds it.
    pub(crate) max: Option<u64>,
}

impl Default for Range {
    fn default() -> Range {
        Range::ZERO
    }
}

impl Range {
    /// Nothing on any path.
    pub(crate) const ZERO: Range = Range::exactly(0);
    /// Any cost at all.
    pub(crate) const UNKNOWN: Range = Range { min: 0, max: None };

    /// Returns the same cost on each path.
    pub(crate) const fn exactly(cost: u64) -> Range {
        Range {
            min: cost,
            max: Some(cost),
        }
    }

    /// Returns the cost where it is the same on each path.
    pub(crate) fn constant(self) -> Option<u64> {
        self.max.filter(|max| *max == self.min)
    }

    /// Returns what both cost, one after the other.
    pub(crate) fn then(self, next: Range) -> Range {
        Range {
            min: self.min.saturating_add(next.min),
            max: self.max.zip(next.max).and_then(|(a, b)| a.checked_add(b)),
        }
    }

    /// Returns what one or the other costs.
    fn or(self, other: Range) -> Range {
        Range {
            min: self.min.min(other.min),
            max: self.max.zip(other.max).map(|(a, b)| a.max(b)),
        }
    }
}

/// Adds up what the instructions on a path cost, over all paths from the method's start to its end.
///
/// `components` are those of the reachable instructions. A loop in which anything costs
/// something has no greatest cost. The cost of each instruction is asked for once at most.
pub(crate) fn over_paths(
    graph: &ControlFlow<'_>,
    components: &Partition,
    mut cost: impl FnMut(Node) -> Range,
) -> Range {
    let mut onward = vec![Range::ZERO; graph.len()];
    let mut inside = vec![false; graph.len()];
    // Each component comes behind those that its edges lead to.
    for component in components.iter() {
        component.iter().for_each(|node| inside[*node] = true);
        let own = if graph.is_loop(component) {
            let is_free = component.iter().all(|node| cost(*node) == Range::ZERO);
            if is_free { Range::ZERO } else { Range::UNKNOWN }
        } else {
            component
                .iter()
                .map(|node| cost(*node))
                .fold(Range::ZERO, Range::then)
        };
        let leaving = component
            .iter()
            .flat_map(|node| graph.successors(*node))
            .filter(|next| !inside[**next])
            .map(|next| onward[*next])
            .reduce(Range::or);
        let total = own.then(leaving.unwrap_or(Range::ZERO));
        for node in component {
            onward[*node] = total;
            inside[*node] = false;
        }
    }
    onward.first().copied().unwrap_or(Range::ZERO)
}
