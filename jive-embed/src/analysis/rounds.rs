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

/// The loops of a method, each with its bound and the loops inside.
#[derive(Debug, Default)]
pub(super) struct Nest {
    /// Each loop precedes the loops inside.
    pub(super) levels: Vec<Level>,
    /// The loops that lie in no other, in the order of the method's components.
    pub(super) outermost: Vec<usize>,
}

/// A loop.
#[derive(Debug)]
pub(super) struct Level {
    /// The loop's instructions, in ascending order.
    pub(super) nodes: Vec<Node>,
    pub(super) rounds: Result<Rounds, Unbounded>,
    /// The loops inside, in the order of the components that remain without the test.
    pub(super) inside: Vec<usize>,
}

/// The bound of a loop.
#[derive(Debug)]
pub(super) struct Rounds {
    /// The instruction that loads the counter for the test.
    pub(super) load: Node,
    /// The test. Execution goes from the load to the test without a branch.
    pub(super) test: Node,
    /// Maximum number of passages through the load for each entry into the loop. The last of them leaves the loop, or
    /// traps.
    pub(super) passages: u64,
    /// The strongly connected components of the loop, after the load of the counter is taken out of it.
    pub(super) rest: Partition,
}

/// Why a loop has no bound.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Unbounded {
    /// No local variable is proven to step towards a value that ends the loop.
    NoCounter,
    /// The counter may start anywhere.
    Start,
    /// The counter is compared with a value that may be anything: that of a field, if it is known to be.
    End(Option<CpIndex>),
    /// The counter may step past its end.
    Past,
    /// The search for loops took too many steps.
    NotAnalysed,
}

/// A test that may bound a loop.
struct Candidate {
    local: u16,
    load: Node,
    test: Node,
    relation: Relation,
    /// The values that the counter is compared with, or the lengths of the array.
    other: Interval,
    field: Option<CpIndex>,
    /// Whether the other value is the same in every round.
    is_invariant: bool,
}

/// What holds of a counter while the loop goes on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Relation {
    Is(Comparison),
    /// The counter is an index of an array. Any other index traps.
    Indexes,
}

/// Returns the loops of a method with their bounds. `components` are the components of its reachable instructions.
/// Takes its steps from `budget`.
pub(super) fn nest(
    facts: &Facts<'_>,
    method: MethodId,
    components: &Partition,
    ranges: &mut Ranges<'_, '_>,
    budget: &mut usize,
) -> Nest {
    let mut nest = Nest::default();
    let Some(flow) = facts.flow(method) else {
        return nest;
    };
    let mut search = Search::new(&facts.class, &flow.graph, budget);
    let mut waiting = nest.add(components.loops(&flow.graph));
    nest.outermost.clone_from(&waiting);
    // The outer loop first, because its counter may be the start or the end of the counter of an inner loop.
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

impl Nest {
    /// Adds loops, which are not analysed yet. Returns their positions.
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
    ) -> Result<Rounds, Unbounded> {
        let spent = Unbounded::NotAnalysed;
        self.spend(2 * nodes.len()).ok_or(spent)?;
        let changes = self.changes(nodes);
        let mut why = Unbounded::NoCounter;
        let mut bounded = Vec::new();
        for candidate in self.candidates((method, flow), nodes, &changes, ranges) {
            let changed = changes.of_local(candidate.local);
            // The searches below visit all instructions of the loop.
            self.spend(1 + changed.len() + 2 * nodes.len())
                .ok_or(spent)?;
            let Some(steps) = steps(changed).filter(|steps| !steps.is_empty()) else {
                continue;
            };
            let Some(pace) = Pace::of(&steps) else {
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
                return Ok(Rounds {
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

    /// Returns why a loop has no bound, and the loops inside, as far as they are found.
    fn unbounded(
        &mut self,
        nodes: &[Node],
        why: Unbounded,
    ) -> (Result<Rounds, Unbounded>, Vec<Vec<Node>>) {
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

    /// Returns the tests of local variables in a loop that may bound it.
    fn candidates(
        &mut self,
        (method, flow): (MethodId, &Flow<'_>),
        nodes: &[Node],
        changes: &Changes,
        ranges: &mut Ranges<'_, '_>,
    ) -> Vec<Candidate> {
        let mut found = Vec::new();
        // Most operands are no counters, which takes no search to tell.
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

    /// Returns the comparison under which an instruction stays in a loop, if it leaves the loop otherwise.
    fn leaves(&self, nodes: &[Node], node: Node) -> Option<(Comparison, Operands)> {
        if !matches!(self.graph.insn(node).operand, Operand::Branch(_)) {
            return None;
        }
        let (taken, operands, target) = comparison(self.graph, node)?;
        let is_inside = |node: Node| nodes.binary_search(&node).is_ok();
        match (is_inside(target), is_inside(node + 1)) {
            (false, true) => Some((taken.negated(), operands)),
            (true, false) => Some((taken, operands)),
            // Both ways stay in the loop, or both leave it.
            (true, true) | (false, false) => None,
        }
    }

    /// Returns whether the counter steps between the entry into a loop and the first passage through the load.
    fn steps_first(&mut self, nodes: &[Node], load: Node, steps: &[Step]) -> StepsFirst {
        // Sorted, because the modifications of a local variable are in ascending order.
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

    /// Visits the instructions of a loop, from its entry up to the load. Goes on behind those for which `visit` returns
    /// true.
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

/// Whether a counter steps before its first test.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum StepsFirst {
    Never,
    Maybe,
    Always,
}

/// Returns the field whose value, or the length of whose array, a value is.
fn field(value: Value) -> Option<CpIndex> {
    match value {
        Value::Field(index) | Value::FieldLength(index) => Some(index),
        Value::Constant(_) | Value::Local(_) | Value::LocalLength(_) => None,
    }
}

/// How a counter steps in a round, as positive numbers.
#[derive(Copy, Clone, Debug)]
struct Pace {
    is_up: bool,
    is_single: bool,
    least: i64,
    /// The sum of all steps: the most that one round adds, because a round takes each step at most once.
    most: i64,
}

impl Pace {
    /// Returns the pace of steps that all go the same way.
    fn of(steps: &[Step]) -> Option<Pace> {
        let is_up = steps.iter().all(|step| step.by > 0);
        let is_down = steps.iter().all(|step| step.by < 0);
        let by = steps.iter().map(|step| step.by.abs());
        (is_up != is_down).then_some(Pace {
            is_up,
            is_single: steps.len() == 1,
            least: by.clone().min()?,
            most: by.sum(),
        })
    }

    /// Mirrors an interval if the counter steps down. So every counter steps up.
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

/// Returns whether nothing is known of the greatest value, after the interval was mirrored.
fn is_open_above(values: Interval, pace: Pace) -> bool {
    values.only().is_none() && (values.is_open_above() || values.most == pace.end())
}

/// Returns the greatest value with which a counter that steps up can stay in the loop.
fn last_value(candidate: &Candidate, pace: Pace) -> Result<i64, Unbounded> {
    let unknown = Unbounded::End(candidate.field);
    let other = match candidate.relation {
        Relation::Is(_) => pace.upwards(candidate.other),
        Relation::Indexes if candidate.other.is_open_above() => return Err(unknown),
        // The indices of the longest array. There is none if the array is always empty.
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
        // A counter that meets every value leaves when it meets the last one.
        Comparison::Less | Comparison::NotEqual => Ok(other.most - 1),
        // After a step, a counter differs from a value that it had.
        Comparison::AtMost | Comparison::Equal => Ok(other.most),
        // The counter steps away from the end.
        Comparison::Greater | Comparison::AtLeast => Err(Unbounded::NoCounter),
    }
}

/// Returns how often execution passes the load of the counter, at most. The counter has one of the values `start` when
/// execution enters the loop.
fn passages(
    candidate: &Candidate,
    start: Interval,
    steps_first: StepsFirst,
    pace: Pace,
) -> Result<u64, Unbounded> {
    let last = last_value(candidate, pace)?;
    if last + pace.most > pace.end() {
        return Err(Unbounded::Past);
    }
    let is_same = candidate.is_invariant || candidate.other.only().is_some();
    if candidate.relation == Relation::Is(Comparison::Equal) {
        // After a step, the counter differs.
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
        // Any other value traps at once.
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

/// Returns the values of a counter at all instructions of a loop. Returns `None` if it may wrap around.
fn throughout(candidate: &Candidate, start: Interval, pace: Pace) -> Option<Interval> {
    let last = last_value(candidate, pace).ok()?;
    let start = pace.upwards(start);
    // The counter may step once more before the first test, and once more after the last.
    let most = start.most.max(last) + 2 * pace.most;
    (most <= pace.end()).then(|| pace.upwards(Interval::new(start.least, most)))
}
