//! The least and the greatest cost of a path through a method.

use super::components::Partition;
use super::graph::{ControlFlow, Node};

/// The cost of a part of a method on its cheapest and on its most expensive path.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// Cost of the cheapest path.
    pub(crate) min: u64,
    /// Cost of the most expensive path. The cost is `None` if it is unbounded.
    pub(crate) max: Option<u64>,
}

impl Default for Range {
    fn default() -> Range {
        Range::ZERO
    }
}

impl Range {
    /// The range of a cost that is 0 on every path.
    pub(crate) const ZERO: Range = Range::exactly(0);
    /// An unknown cost.
    pub(crate) const UNKNOWN: Range = Range { min: 0, max: None };

    /// Returns the range of a cost that is the same on all paths.
    pub(crate) const fn exactly(cost: u64) -> Range {
        Range {
            min: cost,
            max: Some(cost),
        }
    }

    /// Returns the cost of the path, if it is the same on all paths.
    pub(crate) fn constant(self) -> Option<u64> {
        self.max.filter(|max| *max == self.min)
    }

    /// Returns the cost of code with the cost `self`, followed by code with the cost `next`.
    pub(crate) fn then(self, next: Range) -> Range {
        Range {
            min: self.min.saturating_add(next.min),
            max: self.max.zip(next.max).and_then(|(a, b)| a.checked_add(b)),
        }
    }

    /// Returns the cost of a choice between code with the cost `self` and code with the cost `other`.
    fn or(self, other: Range) -> Range {
        Range {
            min: self.min.min(other.min),
            max: self.max.zip(other.max).map(|(a, b)| a.max(b)),
        }
    }
}

/// Returns the total cost of instructions along a path, over all paths from the start of the method to its end.
///
/// `components` are the strongly connected components of the method's reachable instructions. If a loop contains an
/// instruction with a cost, the greatest cost is unbounded. `cost` is called at most once for each instruction.
pub(crate) fn over_paths(
    graph: &ControlFlow<'_>,
    components: &Partition,
    mut cost: impl FnMut(Node) -> Range,
) -> Range {
    let mut onward = vec![Range::ZERO; graph.len()];
    let mut inside = vec![false; graph.len()];
    // The components are in reverse topological order: all successors of a component come before it.
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
