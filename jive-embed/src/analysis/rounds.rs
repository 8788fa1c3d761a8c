//! How often a loop goes round: a counter starts at a known value, steps towards a known value, and is tested in each
//! round.

use jive_core::{Action, Comparison, CpIndex, MethodId, Operand};

use super::components::Partition;
use super::condition::{Operands, Value, comparison, condition, loaded};
use super::facts::{Facts, Flow, Site};
use super::graph::Node;
use super::interval::Interval;
use super::loops::{Changes, Search, Step, steps};
use super::ranges::Ranges;

/// The loops of a method, each with its bound and the loops nested in it.
#[derive(Debug, Default)]
pub(super) struct LoopNest {
    /// The loops of the method, where each loop precedes the loops nested in it.
    pub(super) levels: Vec<Level>,
    /// The positions in `levels` of the loops that no other loop contains, in the order of the method's components.
    pub(super) outermost: Vec<usize>,
}

/// A loop.
#[derive(Debug)]
pub(super) struct Level {
    /// The loop's instructions, in ascending order.
    pub(super) nodes: Vec<Node>,
    pub(super) rounds: Result<TripCount, Unbounded>,
    /// The positions of the loops nested in this loop, in the order of the components that remain without the loop's
    /// test.
    pub(super) inside: Vec<usize>,
}

/// The bound of a loop.
#[derive(Debug)]
pub(super) struct TripCount {
    /// The instruction that loads the loop's counter for the test.
    pub(super) load: Node,
    /// The test. The test of the counter, to which execution continues from the load without a branch.
    pub(super) test: Node,
    /// Maximum number of times that execution passes the load of the counter, for each entry into the loop. The last
    /// passage through the load leaves the loop, or traps.
    pub(super) passages: u64,
    /// The strongly connected components that remain of the loop after the load of the counter is removed.
    pub(super) rest: Partition,
}

/// Why a loop has no bound.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Unbounded {
    /// No local variable is proven to step towards a value that ends the loop.
    NoCounter,
    /// The loop's counter may start at any value.
    Start,
    /// The loop's counter is compared with a value that may be anything: the value of this field, if the field is
    /// known.
    End(Option<CpIndex>),
    /// The loop's counter may step past the value at which it ends.
    Past,
    /// The search for loops took too many steps.
    NotAnalysed,
}

/// A test of a counter that may bound a loop.
struct Candidate {
    local: u16,
    load: Node,
    test: Node,
    relation: Relation,
    /// The values that the counter is compared with, or the lengths of the array that the counter indexes.
    other: Interval,
    field: Option<CpIndex>,
    /// Whether the value that the counter is compared with is the same in every round.
    is_invariant: bool,
}

/// The condition that a counter satisfies while the loop continues.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Relation {
    Is(Comparison),
    /// The counter is an index of an array: an index outside the array traps.
    Indexes,
}

/// Returns the loops of a method with their bounds. `components` are the strongly connected components of the method's
/// reachable instructions. The search for loops takes its steps from `budget`.
pub(super) fn nest(
    facts: &Facts<'_>,
    method: MethodId,
    components: &Partition,
    ranges: &mut Ranges<'_, '_>,
    budget: &mut usize,
) -> LoopNest {
    let mut nest = LoopNest::default();
    let Some(flow) = facts.flow(method) else {
        return nest;
    };
    let mut search = Search::new(&facts.class, &flow.graph, budget);
    let mut waiting = nest.add(components.loops(&flow.graph));
    nest.outermost.clone_from(&waiting);
    // An outer loop is analysed before the loops nested in it, because an inner counter may start or end at the outer
    // counter.
    while let Some(level) = waiting.pop() {
        let nodes = nest.levels[level].nodes.clone();
        let (rounds, inside) = match search.rounds((method, flow), &nodes, ranges) {
            Ok(rounds) => {
                let inside = rounds.rest.loops(&flow.graph);
                (Ok(rounds), inside)
            }
            Err(why) => search.unbounded(&nodes, why),
        };
        let inside = nest.add(inside);
        nest.levels[level].rounds = rounds;
        nest.levels[level].inside.clone_from(&inside);
        waiting.extend(inside);
    }
    nest
}

impl LoopNest {
    /// Adds loops that are not analysed yet, and returns their positions in `levels`.
    fn add(&mut self, loops: Vec<Vec<Node>>) -> Vec<usize> {
        let first = self.levels.len();
        for mut nodes in loops {
            nodes.sort_unstable();
            self.levels.push(Level {
                nodes,
                rounds: Err(Unbounded::NotAnalysed),
                inside: Vec::new(),
            });
        }
        (first..self.levels.len()).collect()
    }
}

impl Search<'_, '_> {
    /// Returns the bound of a loop.
    fn rounds(
        &mut self,
        (method, flow): (MethodId, &Flow<'_>),
        nodes: &[Node],
        ranges: &mut Ranges<'_, '_>,
    ) -> Result<TripCount, Unbounded> {
        let spent = Unbounded::NotAnalysed;
        self.spend(2 * nodes.len()).ok_or(spent)?;
        let changes = self.changes(nodes);
        let mut why = Unbounded::NoCounter;
        let mut bounded = Vec::new();
        for candidate in self.candidates((method, flow), nodes, &changes, ranges) {
            let changed = changes.of_local(candidate.local);
            // The step budget is charged for each candidate, because the searches for a candidate visit all
            // instructions of the loop.
            self.spend(1 + changed.len() + 2 * nodes.len())
                .ok_or(spent)?;
            let Some(steps) = steps(changed).filter(|steps| !steps.is_empty()) else {
                continue;
            };
            let Some(pace) = Stride::of(&steps) else {
                continue;
            };
            let start = ranges.entering(method, nodes, candidate.local);
            let steps_first = self.steps_first(nodes, candidate.load, &steps);
            match passages(&candidate, start, steps_first, pace) {
                Ok(passages) => bounded.push((passages, candidate, steps, pace, start)),
                Err(found) if why == Unbounded::NoCounter => why = found,
                Err(_) => {}
            }
        }
        // The tightest bound first. The sort is stable.
        bounded.sort_by_key(|(passages, ..)| *passages);
        for (passages, candidate, steps, pace, start) in bounded {
            let Candidate { load, test, .. } = candidate;
            if let Some(rest) = self.each_round_steps(nodes, load, &steps) {
                if let Some(values) = throughout(&candidate, start, pace) {
                    ranges.record(method, nodes.to_vec(), candidate.local, values);
                }
                return Ok(TripCount {
                    load,
                    test,
                    passages,
                    rest,
                });
            }
            if self.found.is_incomplete {
                return Err(spent);
            }
        }
        Err(why)
    }

    /// Returns why a loop has no bound, and those loops nested in it that are found.
    fn unbounded(
        &mut self,
        nodes: &[Node],
        why: Unbounded,
    ) -> (Result<TripCount, Unbounded>, Vec<Vec<Node>>) {
        let (why, inside) = match self.counting_test(nodes) {
            Some(inside) => (why, Some(inside)),
            None => {
                let inside = self.without(nodes, &nodes[..1]);
                let why = match why {
                    Unbounded::Past => why,
                    _ => Unbounded::NoCounter,
                };
                (why, inside.map(|inside| inside.loops(self.graph)))
            }
        };
        match inside {
            Some(inside) => (Err(why), inside),
            None => (Err(Unbounded::NotAnalysed), Vec::new()),
        }
    }

    /// Returns the tests of local variables in a loop that may bound the loop.
    fn candidates(
        &mut self,
        (method, flow): (MethodId, &Flow<'_>),
        nodes: &[Node],
        changes: &Changes,
        ranges: &mut Ranges<'_, '_>,
    ) -> Vec<Candidate> {
        let mut found = Vec::new();
        // Most operands are not counters, and `counting` shows that without a search.
        let counting = changes.counting();
        for node in nodes.iter().copied() {
            let site = Site { method, node };
            let operand = |below_top: usize| {
                let position = flow.depth(node)?.checked_sub(below_top + 1)?;
                let (local, load) =
                    loaded(self.class, (&flow.graph, &flow.depths), node, position)?;
                let is_inside = nodes.binary_search(&load).is_ok();
                (is_inside && counting.contains(&local)).then_some((local, load))
            };
            if let Some((relation, operands)) = self.leaves(nodes, node) {
                let (left, right) = match operands {
                    Operands::AndZero => (operand(0), None),
                    Operands::Two => (operand(1), operand(0)),
                };
                let values = condition(self.class, self.graph, node);
                let values = values.map(|values| (values.left, values.right));
                let is_invariant =
                    |value: Option<Value>| value.is_some_and(|it| self.is_invariant(changes, it));
                if let Some((local, load)) = left {
                    let value = values.map(|(_, right)| right);
                    found.push(Candidate {
                        local,
                        load,
                        test: node,
                        relation: Relation::Is(relation),
                        other: match operands {
                            Operands::AndZero => Interval::exactly(0),
                            Operands::Two => ranges.operand(site, 0),
                        },
                        field: value.and_then(field),
                        is_invariant: operands == Operands::AndZero || is_invariant(value),
                    });
                }
                if let Some((local, load)) = right {
                    let value = values.map(|(left, _)| left);
                    found.push(Candidate {
                        local,
                        load,
                        test: node,
                        relation: Relation::Is(relation.mirrored()),
                        other: ranges.operand(site, 1),
                        field: value.and_then(field),
                        is_invariant: is_invariant(value),
                    });
                }
            }
            let index = match flow.graph.insn(node).action() {
                Action::LoadElement(_) => Some(0),
                Action::StoreElement(_) => Some(1),
                _ => None,
            };
            let Some(below_top) = index else { continue };
            if let Some((local, load)) = operand(below_top) {
                found.push(Candidate {
                    local,
                    load,
                    test: node,
                    relation: Relation::Indexes,
                    other: ranges.length(site, below_top + 1),
                    field: None,
                    is_invariant: false,
                });
            }
        }
        found
    }

    /// Returns the comparison under which a branch stays in a loop, if the branch leaves the loop when the comparison
    /// fails.
    fn leaves(&self, nodes: &[Node], node: Node) -> Option<(Comparison, Operands)> {
        if !matches!(self.graph.insn(node).operand, Operand::Branch(_)) {
            return None;
        }
        let (taken, operands, target) = comparison(self.graph, node)?;
        let is_inside = |node: Node| nodes.binary_search(&node).is_ok();
        match (is_inside(target), is_inside(node + 1)) {
            (false, true) => Some((taken.negated(), operands)),
            (true, false) => Some((taken, operands)),
            // Both outcomes of the branch stay in the loop, or both leave it.
            (true, true) | (false, false) => None,
        }
    }

    /// Returns whether a counter steps between the entry into its loop and the first passage through the load of the
    /// counter.
    fn steps_first(&mut self, nodes: &[Node], load: Node, steps: &[Step]) -> StepsFirst {
        // The steps are sorted, because the modifications of a local variable are in ascending order.
        let is_step = |node: Node| steps.binary_search_by_key(&node, |step| step.node).is_ok();
        let (mut is_stepped, mut is_straight) = (false, false);
        self.before_load(nodes, load, |node| {
            is_stepped |= is_step(node);
            true
        });
        if !is_stepped {
            return StepsFirst::Never;
        }
        self.before_load(nodes, load, |node| {
            is_straight |= node == load;
            !is_step(node)
        });
        if is_straight {
            StepsFirst::Maybe
        } else {
            StepsFirst::Always
        }
    }

    /// Visits the instructions of a loop, from its entries up to the load of the counter. The visit continues to the
    /// successors of an instruction only if `visit` returns true for the instruction.
    fn before_load(&mut self, nodes: &[Node], load: Node, mut visit: impl FnMut(Node) -> bool) {
        nodes.iter().for_each(|node| self.within[*node] = true);
        let graph = self.graph;
        let is_entered = |node: &Node| {
            let mut before = graph.predecessors(*node).iter();
            *node == 0 || before.any(|before| nodes.binary_search(before).is_err())
        };
        let mut waiting = Vec::new();
        for node in nodes.iter().copied().filter(is_entered) {
            self.within[node] = false;
            waiting.push(node);
        }
        while let Some(node) = waiting.pop() {
            if !visit(node) || node == load {
                continue;
            }
            for next in graph.successors(node) {
                if std::mem::take(&mut self.within[*next]) {
                    waiting.push(*next);
                }
            }
        }
        nodes.iter().for_each(|node| self.within[*node] = false);
    }
}

/// Whether a counter steps before the first test in its loop.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum StepsFirst {
    Never,
    Maybe,
    Always,
}

/// Returns the field whose value is compared, or the field of the array whose length is compared.
fn field(value: Value) -> Option<CpIndex> {
    match value {
        Value::Field(index) | Value::FieldLength(index) => Some(index),
        Value::Constant(_) | Value::Local(_) | Value::LocalLength(_) => None,
    }
}

/// The steps of a counter in a round, as positive numbers.
#[derive(Copy, Clone, Debug)]
struct Stride {
    is_up: bool,
    is_single: bool,
    least: i64,
    /// The sum of all steps, which is the most that one round adds, because a round takes each step at most once.
    most: i64,
}

impl Stride {
    /// Returns the pace of steps that all have the same direction.
    fn of(steps: &[Step]) -> Option<Stride> {
        let is_up = steps.iter().all(|step| step.by > 0);
        let is_down = steps.iter().all(|step| step.by < 0);
        let by = steps.iter().map(|step| step.by.abs());
        (is_up != is_down).then_some(Stride {
            is_up,
            is_single: steps.len() == 1,
            least: by.clone().min()?,
            most: by.sum(),
        })
    }

    /// Mirrors an interval if the counter steps down, so that callers can treat every counter as one that steps up.
    fn upwards(self, values: Interval) -> Interval {
        if self.is_up {
            values
        } else {
            Interval::new(-values.most, -values.least)
        }
    }

    /// Returns the greatest value of a counter that has not wrapped around.
    fn end(self) -> i64 {
        self.upwards(Interval::INT).most
    }
}

/// Returns whether the greatest value of an interval is unknown, after `upwards` has mirrored the interval.
fn is_open_above(values: Interval, pace: Stride) -> bool {
    values.only().is_none() && (values.is_open_above() || values.most == pace.end())
}

/// Returns the greatest value at which a counter that steps up can stay in the loop.
fn last_value(candidate: &Candidate, pace: Stride) -> Result<i64, Unbounded> {
    let unknown = Unbounded::End(candidate.field);
    let other = match candidate.relation {
        Relation::Is(_) => pace.upwards(candidate.other),
        Relation::Indexes if candidate.other.is_open_above() => return Err(unknown),
        // The counter's last value is the last index of the longest array that it may index. If that array is always
        // empty, 0 stands for its last index.
        Relation::Indexes => {
            let last = (candidate.other.most - 1).max(0);
            pace.upwards(Interval::new(0, last))
        }
    };
    let relation = match candidate.relation {
        Relation::Is(relation) if pace.is_up => relation,
        Relation::Is(relation) => relation.mirrored(),
        Relation::Indexes => Comparison::AtMost,
    };
    if is_open_above(other, pace) {
        return Err(unknown);
    }
    match relation {
        // A counter that meets every value leaves the loop when it meets the greatest value that it is compared with.
        Comparison::Less | Comparison::NotEqual => Ok(other.most - 1),
        // A counter that must be at most a value, or equal to it, reaches at most the greatest value that it is
        // compared with.
        Comparison::AtMost | Comparison::Equal => Ok(other.most),
        // The counter steps away from the value at which the loop would end.
        Comparison::Greater | Comparison::AtLeast => Err(Unbounded::NoCounter),
    }
}

/// Returns how often execution passes the load of the counter in one run of the loop, at most. The counter has one of
/// the values in `start` when execution enters the loop.
fn passages(
    candidate: &Candidate,
    start: Interval,
    steps_first: StepsFirst,
    pace: Stride,
) -> Result<u64, Unbounded> {
    let last = last_value(candidate, pace)?;
    if last + pace.most > pace.end() {
        return Err(Unbounded::Past);
    }
    let is_same = candidate.is_invariant || candidate.other.only().is_some();
    if candidate.relation == Relation::Is(Comparison::Equal) {
        // The loop continues while the counter equals an unchanged value, so the second test of the counter leaves the
        // loop.
        return if is_same {
            Ok(2)
        } else {
            Err(Unbounded::NoCounter)
        };
    }
    let any = pace.upwards(Interval::INT);
    let mut first = pace.upwards(start);
    if steps_first != StepsFirst::Never {
        first.most += pace.most;
    }
    if steps_first == StepsFirst::Always {
        first.least += pace.least;
    }
    if first.most > pace.end() {
        // The counter may wrap around before its first test.
        first = any;
    }
    if candidate.relation == Relation::Indexes {
        // A counter outside the indices of the array traps at its first use as an index.
        let indices = pace.upwards(Interval::new(0, (candidate.other.most - 1).max(0)));
        first.least = first.least.max(indices.least);
    } else if first.least == any.least && first.only().is_none() {
        return Err(Unbounded::Start);
    }
    if candidate.relation == Relation::Is(Comparison::NotEqual) {
        if !is_same {
            return Err(Unbounded::NoCounter);
        }
        let end = pace.upwards(candidate.other);
        if !pace.is_single || pace.least != 1 || first.most > end.least {
            return Err(Unbounded::Past);
        }
    }
    let passages = match last - first.least {
        ..0 => 1,
        distance => distance / pace.least + 2,
    };
    Ok(passages.unsigned_abs())
}

/// Returns the values that a counter can have in its loop, or `None` if the counter may wrap around.
fn throughout(candidate: &Candidate, start: Interval, pace: Stride) -> Option<Interval> {
    let last = last_value(candidate, pace).ok()?;
    let start = pace.upwards(start);
    // The counter may step once more before the first test, and once more after the last test.
    let most = start.most.max(last) + 2 * pace.most;
    (most <= pace.end()).then(|| pace.upwards(Interval::new(start.least, most)))
}
