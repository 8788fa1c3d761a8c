//! The greatest cost of a path through a method, loops included.

use super::components::Partition;
use super::graph::{ControlFlow, Node};
use super::rounds::{Level, LoopNest, TripCount};

/// Sums of a cost over the paths of a method. The sum `None` stands for a cost without a bound.
#[derive(Debug)]
pub(super) struct Worst<'m, 'a> {
    graph: &'m ControlFlow<'a>,
    /// The strongly connected components of the method's reachable instructions.
    components: &'m Partition,
    nest: &'m LoopNest,
    /// The greatest cost of a path that starts at each instruction, within the part of the method that is being summed.
    onward: Vec<Option<u64>>,
    /// Marks the instructions of the part of the method that is being summed.
    within: Vec<bool>,
    /// Steps taken so far.
    pub(super) steps: usize,
}

impl<'m, 'a> Worst<'m, 'a> {
    pub(super) fn new(
        graph: &'m ControlFlow<'a>,
        components: &'m Partition,
        nest: &'m LoopNest,
    ) -> Worst<'m, 'a> {
        Worst {
            graph,
            components,
            nest,
            onward: vec![Some(0); graph.len()],
            within: vec![false; graph.len()],
            steps: 0,
        }
    }

    /// Returns the greatest cost of a call of the method, where `cost` returns the cost of each instruction.
    pub(super) fn of(&mut self, cost: impl Fn(Node) -> Option<u64>) -> Option<u64> {
        let mut of_levels = vec![None; self.nest.levels.len()];
        // A loop precedes the loops nested in it, so the reverse order sums the nested loops first.
        for (number, level) in self.nest.levels.iter().enumerate().rev() {
            of_levels[number] = self.of_level(level, &of_levels, &cost);
        }
        self.along(self.components, &self.nest.outermost, &of_levels, &cost);
        self.onward.first().copied().unwrap_or(Some(0))
    }

    /// Returns the greatest cost of a loop from the entry of execution until it leaves the loop.
    fn of_level(
        &mut self,
        level: &Level,
        of_levels: &[Option<u64>],
        cost: &impl Fn(Node) -> Option<u64>,
    ) -> Option<u64> {
        let nodes = &level.nodes;
        self.steps += 2 * nodes.len();
        let Ok(rounds) = &level.rounds else {
            let is_free = nodes.iter().all(|node| cost(*node) == Some(0));
            return is_free.then_some(0);
        };
        let TripCount {
            load,
            test,
            passages,
            rest,
        } = rounds;
        self.along(rest, &level.inside, of_levels, cost);
        let graph = self.graph;
        let is_inside = |node: &Node| nodes.binary_search(node).is_ok();
        let is_entered = |node: &Node| {
            *node == 0
                || graph
                    .predecessors(*node)
                    .iter()
                    .any(|node| !is_inside(node))
        };
        // `before` is the cost up to the first load of the counter, and `around` the cost from one load to the next.
        // `after` is the cost from the last load of the counter to the loop's test.
        let entered = nodes
            .iter()
            .filter(|node| *node != load && is_entered(node));
        let before = greatest(entered.map(|node| self.onward[*node]));
        let around = graph.successors(*load).iter();
        let around = around.filter(|node| *node != load && is_inside(node));
        let around = greatest(around.map(|node| self.onward[*node]));
        let after = (load + 1..=*test).map(cost);
        let after = after.reduce(plus).unwrap_or(Some(0));
        let passing = times(cost(*load), *passages);
        let around = times(around, passages.saturating_sub(1));
        [passing, around, after].into_iter().fold(before, plus)
    }

    /// Computes `onward` for the instructions of `part`, which is a part of the method. `inside` are the loops among
    /// the components of `part`.
    fn along(
        &mut self,
        part: &Partition,
        inside: &[usize],
        of_levels: &[Option<u64>],
        cost: &impl Fn(Node) -> Option<u64>,
    ) {
        let mut inside = inside.iter();
        // The components are in reverse topological order: all successors of a component come before it.
        for component in part.iter() {
            let own = if self.graph.is_loop(component) {
                let level = inside.next();
                level.and_then(|level| of_levels.get(*level).copied().flatten())
            } else {
                component.iter().map(|node| cost(*node)).fold(Some(0), plus)
            };
            let nexts = component
                .iter()
                .flat_map(|node| self.graph.successors(*node));
            // The instructions of the current component are not marked yet, and those outside the part never are.
            let nexts = nexts.filter(|next| self.within[**next]);
            let most = greatest(nexts.map(|next| self.onward[*next]));
            let total = plus(own, most);
            for node in component {
                self.steps += 1 + self.graph.successors(*node).len();
                self.onward[*node] = total;
            }
            component.iter().for_each(|node| self.within[*node] = true);
        }
        for component in part.iter() {
            component.iter().for_each(|node| self.within[*node] = false);
        }
    }
}

fn plus(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a?.checked_add(b?)
}

/// Returns the product. The product of cost and count is 0 if `count` is 0, even if the cost has no bound.
fn times(cost: Option<u64>, count: u64) -> Option<u64> {
    if count == 0 {
        return Some(0);
    }
    cost?.checked_mul(count)
}

/// Returns the greatest of the costs, or 0 if `costs` is empty.
fn greatest(mut costs: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    costs.try_fold(0, |greatest, cost| Some(cost?.max(greatest)))
}
