//! The worst case of each entry point: bytecodes, time, operands, calls, heap and natives, or the loops without a
//! bound.

use std::collections::{BTreeMap, BTreeSet};

use jive_core::limits::{ARRAY_ALIGNMENT, ARRAY_HEADER_BYTES};
use jive_core::{ClassFile, Cut, Method, MethodId, OwnMember, Pc};
#[cfg(feature = "json")]
use serde::Serialize;

use super::calls::{Callee, Signatures, callee};
use super::components::{Components, Partition};
use super::environment::Environment;
use super::explore::{Explorer, made_array};
use super::facts::{Facts, Flow, Site};
use super::graph::Node;
use super::line_table::LineTable;
use super::ranges::Ranges;
use super::report::{LISTED_MAX, LoopPlace};
use super::rounds::{LoopNest, Unbounded, nest};
use super::worst::Worst;
use crate::fields;

/// The search for loops in a class may take a fixed number of steps, and more for each byte of the class's code.
const LOOP_STEPS_BASE: usize = 1 << 18;
const LOOP_STEPS_PER_BYTE: usize = 16;

/// The worst case of each entry point of a class.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "json", derive(Serialize))]
pub struct Bounds {
    /// The bounds of the methods that are called from outside and of the initializers, in the order of the class file.
    pub entry_points: Vec<Bound>,
    /// Whether a bound holds only if nothing except the class itself stores to its fields.
    pub relies_on_fields: bool,
    /// Number of steps that the analysis took: visits of instructions, edges and slots.
    #[cfg_attr(feature = "json", serde(skip))]
    pub steps: usize,
}

/// The worst case of a call of an entry point, with its callees. No call of the entry point costs more than its bound,
/// whether the call returns or traps.
///
/// An absent number means no bound: `recursion`, `unbounded_loops` or `is_too_large` says why. A call without a bound
/// ends at the latest when its fuel is spent. [`Cut`] truncates names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(Serialize))]
pub struct Bound {
    /// Name of the method.
    pub method: String,
    /// Descriptor of the method.
    pub descriptor: String,
    /// Whether the entry point is an initializer (`<clinit>` or `<init>`), which runs once.
    pub is_initializer: bool,
    /// Maximum number of bytecode instructions that the call executes, where a call of a native counts as one
    /// instruction.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub bytecodes: Option<u64>,
    /// Longest time of the call in nanoseconds, rounded up, without waits for resources that others use.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub time_ns: Option<u64>,
    /// Maximum number of operands on the operand stacks of all nested calls together.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub operand_stack: Option<u64>,
    /// Maximum number of nested calls, including the call of the entry point.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub call_depth: Option<usize>,
    /// Maximum number of bytes of the arrays that the call allocates, with their headers.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub heap_bytes: Option<u64>,
    /// Maximum number of calls of each native that the call can reach. The number of calls is `None` if there is no
    /// bound.
    pub natives: BTreeMap<String, Option<u64>>,
    /// The first [`LISTED_MAX`] loops that have a bound.
    pub loops: Vec<BoundedLoop>,
    /// Number of loops with a bound that `loops` leaves out.
    pub loops_omitted: usize,
    /// The first [`LISTED_MAX`] loops that have no bound.
    pub unbounded_loops: Vec<UnboundedLoop>,
    /// Number of loops without a bound that `unbounded_loops` leaves out.
    pub unbounded_loops_omitted: usize,
    /// Methods that call each other in a cycle, if the entry point reaches such a cycle.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub recursion: Option<Vec<String>>,
    /// Whether a number of this bound is absent because it does not fit in 64 bits.
    pub is_too_large: bool,
}

/// A loop with a bound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "json", derive(Serialize))]
pub struct BoundedLoop {
    /// Where it is.
    #[cfg_attr(feature = "json", serde(flatten))]
    pub place: LoopPlace,
    /// How often the loop's counter is tested, at most, each time that execution enters the loop. The last test of the
    /// counter leaves the loop.
    pub tests: u64,
}

/// A loop without a bound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "json", derive(Serialize))]
pub struct UnboundedLoop {
    /// Where it is.
    #[cfg_attr(feature = "json", serde(flatten))]
    pub place: LoopPlace,
    /// Why the loop has no bound.
    pub reason: Reason,
    /// The field that the loop's counter is compared with, if the counter is compared with a field of unknown value.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub field: Option<String>,
}

/// Why a loop has no bound.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "json", derive(Serialize))]
#[cfg_attr(feature = "json", serde(rename_all = "kebab-case"))]
pub enum Reason {
    /// No local variable is proven to step towards an end in every round of the loop.
    NoCounter,
    /// The value at which the loop's counter starts is unknown.
    UnknownStart,
    /// The value at which the loop's counter ends is unknown.
    UnknownEnd,
    /// The loop's counter may step past the value at which it ends, and wrap around.
    MayPass,
    /// The loop was not analysed, because the loops of the class are too many or nested too deep.
    NotAnalysed,
}

/// The greatest costs of a call of a method, including its callees. `None` stands for a cost without a bound.
#[derive(Clone, Debug, Default)]
struct Costs {
    bytecodes: Option<u64>,
    time_ps: Option<u64>,
    heap: Option<u64>,
    operands: Option<u64>,
    /// The number of calls of each native, indexed by the native's position in the environment. The list of calls is
    /// empty if the method reaches no native.
    natives: Vec<Option<u64>>,
}

impl Bounds {
    /// Returns the bounds of a class that the verifier accepted.
    #[must_use]
    pub fn of(class: ClassFile<'_>, environment: &Environment) -> Bounds {
        let facts = Facts::of(class);
        let mut analyst = Analyst {
            facts: &facts,
            environment,
            explorer: Explorer::without_loops(class),
            ranges: Ranges::new(&facts, environment),
            signatures: Signatures::new(&class),
            loop_steps: loop_steps(&class),
            known: vec![None; class.method_count()],
            loops: vec![Loops::default(); class.method_count()],
            field_names: None,
            steps: facts.steps,
        };
        let mut entry_points = Vec::new();
        for method in class.methods().filter(|method| method.code().is_some()) {
            let is_initializer = is_initializer(&method);
            let entry = environment.entry(method.name, method.descriptor);
            if is_entry_point(&method, environment) {
                let call_ps = entry.map_or(0, |entry| entry.time_ps);
                entry_points.push(analyst.bound(&method, is_initializer, call_ps));
            }
        }
        Bounds {
            entry_points,
            relies_on_fields: analyst.ranges.relies_on_fields,
            steps: analyst.steps + analyst.ranges.steps + analyst.explorer.steps,
        }
    }
}

/// Returns the number of steps for the search for loops in a class.
fn loop_steps(class: &ClassFile<'_>) -> usize {
    let codes = class.methods().filter_map(|method| method.code());
    let code_bytes: usize = codes.map(|code| code.bytes.len()).sum();
    LOOP_STEPS_BASE + LOOP_STEPS_PER_BYTE * code_bytes
}

fn is_initializer(method: &Method<'_>) -> bool {
    method.name == "<clinit>" || method.name == "<init>"
}

/// Returns whether a method is an initializer or is called from outside the class.
fn is_entry_point(method: &Method<'_>, environment: &Environment) -> bool {
    is_initializer(method)
        || environment.entries.is_none()
        || environment.entry(method.name, method.descriptor).is_some()
}

/// Returns the loops that have a bound, each with its method and its first instruction. Only methods that an entry
/// point can call are examined.
pub(crate) fn bounded_loops(
    facts: &Facts<'_>,
    environment: &Environment,
) -> BTreeSet<(MethodId, Pc)> {
    let class = &facts.class;
    let mut ranges = Ranges::new(facts, environment);
    let mut budget = loop_steps(class);
    let mut is_reached = vec![false; class.method_count()];
    let mut bounded = BTreeSet::new();
    for entry in class.methods() {
        if !is_entry_point(&entry, environment) {
            continue;
        }
        // Callers come before their callees, as in [`Bounds::of`].
        let mut waiting = vec![entry.id];
        while let Some(id) = waiting.pop() {
            let is_known = is_reached
                .get_mut(id.index())
                .is_none_or(|is_reached| std::mem::replace(is_reached, true));
            let Some(flow) = facts.flow(id).filter(|_| !is_known) else {
                continue;
            };
            let (nodes, components) = components(flow);
            let nest = nest(facts, id, &components, &mut ranges, &mut budget);
            let found = nest.levels.iter().filter(|level| level.rounds.is_ok());
            bounded.extend(found.map(|level| (id, flow.graph.insn(level.nodes[0]).pc)));
            for node in nodes.into_iter().rev() {
                if let Some(Callee::Own(callee)) = callee(class, flow.graph.insn(node)) {
                    waiting.push(callee);
                }
            }
        }
    }
    bounded
}

/// Returns the reachable instructions of a method, and their strongly connected components.
fn components(flow: &Flow<'_>) -> (Vec<Node>, Partition) {
    let nodes = flow.reachable().collect::<Vec<_>>();
    let mut reachable = vec![false; flow.graph.len()];
    nodes.iter().for_each(|node| reachable[*node] = true);
    let components = Components::new(flow.graph.len()).of(&flow.graph, &nodes, &reachable);
    (nodes, components)
}

/// The analysis of a class: the state of the search, and the results for the methods analysed so far.
struct Analyst<'f, 'a> {
    facts: &'f Facts<'a>,
    environment: &'f Environment,
    explorer: Explorer<'a>,
    ranges: Ranges<'f, 'a>,
    signatures: Signatures,
    /// Number of steps that remain for the search for loops, shared by all methods.
    loop_steps: usize,
    known: Vec<Option<Costs>>,
    /// The loops of each method.
    loops: Vec<Loops>,
    /// The names of the class's fields, once a loop needs one.
    field_names: Option<Vec<String>>,
    steps: usize,
}

/// The loops of a method: as many as a bound lists, and how many there are.
#[derive(Clone, Debug, Default)]
struct Loops {
    bounded: Vec<BoundedLoop>,
    bounded_count: usize,
    unbounded: Vec<UnboundedLoop>,
    unbounded_count: usize,
}

impl<'a> Analyst<'_, 'a> {
    fn bound(&mut self, method: &Method<'a>, is_initializer: bool, call_ps: u64) -> Bound {
        let totals = self.explorer.totals(method);
        let costs = self.costs(method.id);
        let mut bound = Bound {
            method: Cut(method.name).to_string(),
            descriptor: Cut(method.descriptor).to_string(),
            is_initializer,
            bytecodes: costs.bytecodes,
            time_ns: costs
                .time_ps
                .and_then(|time| time.checked_add(call_ps))
                .map(|time| time.div_ceil(1_000)),
            operand_stack: costs.operands,
            call_depth: totals.recursion.is_none().then_some(totals.chain.len()),
            heap_bytes: costs.heap,
            natives: BTreeMap::new(),
            loops: Vec::new(),
            loops_omitted: 0,
            unbounded_loops: Vec::new(),
            unbounded_loops_omitted: 0,
            recursion: totals.recursion.map(|cycle| {
                let methods = cycle.iter().filter_map(|id| self.facts.class.method(*id));
                methods.map(|method| Cut(method.name).to_string()).collect()
            }),
            is_too_large: false,
        };
        for reached in self.explorer.reached(method.id) {
            let natives = self.explorer.known(reached);
            for name in natives.iter().flat_map(|totals| &totals.natives) {
                if let Some((number, native)) = self.environment.native(*name) {
                    let most = costs.natives.get(number).copied().unwrap_or(Some(0));
                    bound.natives.insert(native.name.clone(), most);
                }
            }
            self.list_loops(reached, &mut bound);
        }
        bound.is_too_large = bound.recursion.is_none()
            && bound.unbounded_loops.is_empty()
            && (bound.bytecodes.is_none() || bound.time_ns.is_none());
        bound
    }

    /// Lists the loops of a method that an entry reaches. Each entry may reach each method, so a method's loops beyond
    /// those that can be listed are not visited.
    fn list_loops(&mut self, id: MethodId, bound: &mut Bound) {
        let Some(loops) = self.loops.get(id.index()) else {
            return;
        };
        let listed = loops.bounded.iter().take(LISTED_MAX - bound.loops.len());
        bound.loops_omitted += loops.bounded_count - listed.len();
        self.steps += 1 + listed.len();
        bound.loops.extend(listed.cloned());
        let listed = loops.unbounded.iter();
        let listed = listed.take(LISTED_MAX - bound.unbounded_loops.len());
        bound.unbounded_loops_omitted += loops.unbounded_count - listed.len();
        self.steps += listed.len();
        bound.unbounded_loops.extend(listed.cloned());
    }

    fn reason(&mut self, why: Unbounded) -> (Reason, Option<String>) {
        let reason = match why {
            Unbounded::NoCounter => Reason::NoCounter,
            Unbounded::Start => Reason::UnknownStart,
            Unbounded::End(None) => Reason::UnknownEnd,
            Unbounded::End(Some(index)) => {
                let class = &self.facts.class;
                let names = || fields::shown(class);
                let field = match class.own_member(index) {
                    Some(OwnMember::Field(id)) => {
                        let names = self.field_names.get_or_insert_with(names);
                        names.get(id.index()).cloned()
                    }
                    Some(OwnMember::Method(_)) | None => None,
                };
                return (Reason::UnknownEnd, field);
            }
            Unbounded::Past => Reason::MayPass,
            Unbounded::NotAnalysed => Reason::NotAnalysed,
        };
        (reason, None)
    }

    /// Returns the greatest costs of a call of a method. The recursion of `costs` is at most as deep as the number of
    /// methods in the class.
    fn costs(&mut self, id: MethodId) -> Costs {
        if let Some(known) = self.known.get(id.index()).and_then(Clone::clone) {
            return known;
        }
        let facts = self.facts;
        let Some(flow) = facts.flow(id) else {
            return Costs {
                bytecodes: Some(0),
                time_ps: Some(0),
                heap: Some(0),
                operands: Some(0),
                natives: Vec::new(),
            };
        };
        let (nodes, components) = components(flow);
        self.steps += 2 * flow.graph.size();
        let left = self.loop_steps;
        let nest = nest(
            facts,
            id,
            &components,
            &mut self.ranges,
            &mut self.loop_steps,
        );
        self.steps += left - self.loop_steps;
        self.note_loops(id, flow, &nest);
        let is_recursive = match self.explorer.known(id) {
            Some(totals) => totals.recursion.is_some(),
            None => true,
        };
        let costs = if is_recursive {
            self.costs_of_recursion(id)
        } else {
            let each = self.costs_of_nodes(id, flow, &nodes);
            self.sum(
                flow,
                &mut Worst::new(&flow.graph, &components, &nest),
                &each,
            )
        };
        if let Some(known) = self.known.get_mut(id.index()) {
            *known = Some(costs.clone());
        }
        costs
    }

    /// Keeps the loops of a method, in ascending order of their pcs.
    fn note_loops(&mut self, id: MethodId, flow: &Flow<'_>, nest: &LoopNest) {
        let method = self.facts.class.method(id);
        let Some((method, code)) = method.and_then(|method| Some((method, method.code()?))) else {
            return;
        };
        if nest.levels.is_empty() {
            return;
        }
        let lines = LineTable::of(&code);
        self.steps += lines.len() + nest.levels.len();
        let place = |pc: Pc| LoopPlace {
            method: Cut(method.name).to_string(),
            pc: pc.0,
            line: lines.line(pc),
        };
        let found = nest.levels.iter();
        let found = found.map(|level| (flow.graph.insn(level.nodes[0]).pc, &level.rounds));
        let mut found = found.collect::<Vec<_>>();
        found.sort_by_key(|(pc, _)| *pc);
        let mut loops = Loops::default();
        for (pc, rounds) in found {
            match rounds {
                Ok(rounds) => {
                    loops.bounded_count += 1;
                    if loops.bounded.len() < LISTED_MAX {
                        let (place, tests) = (place(pc), rounds.passages);
                        loops.bounded.push(BoundedLoop { place, tests });
                    }
                }
                Err(why) => {
                    loops.unbounded_count += 1;
                    if loops.unbounded.len() < LISTED_MAX {
                        let (reason, field) = self.reason(*why);
                        let place = place(pc);
                        loops.unbounded.push(UnboundedLoop {
                            place,
                            reason,
                            field,
                        });
                    }
                }
            }
        }
        if let Some(known) = self.loops.get_mut(id.index()) {
            *known = loops;
        }
    }

    /// Returns the costs of a method that may call itself: only its callees' loops are analysed.
    fn costs_of_recursion(&mut self, id: MethodId) -> Costs {
        if let Some(known) = self.known.get_mut(id.index()) {
            *known = Some(Costs::default());
        }
        let callees = self.explorer.known(id).map(|totals| totals.callees.clone());
        for callee in callees.into_iter().flatten() {
            self.costs(callee);
        }
        let heap = self.explorer.known(id).and_then(|totals| totals.heap.max);
        Costs {
            heap,
            natives: vec![None; self.environment.natives.len()],
            ..Costs::default()
        }
    }

    /// Returns the costs of each instruction that costs more than one bytecode, in ascending order of instructions.
    fn costs_of_nodes(
        &mut self,
        id: MethodId,
        flow: &Flow<'a>,
        nodes: &[Node],
    ) -> BTreeMap<Node, Costs> {
        let mut each = BTreeMap::new();
        for node in nodes.iter().copied() {
            let insn = flow.graph.insn(node);
            let site = Site { method: id, node };
            let mut costs = match callee(&self.facts.class, insn) {
                Some(Callee::Own(callee)) => self.costs(callee),
                Some(Callee::Native(name)) => {
                    let Some((number, native)) = self.environment.native(name) else {
                        continue;
                    };
                    // For a native without parameters, `last` has no meaning, because the native's time does not depend
                    // on it.
                    let mut last = self.ranges.operand(site, 0).most.max(0);
                    if let Some(below_top) = native.array_below_top {
                        last = last.min(self.ranges.length(site, below_top).most);
                    }
                    let mut natives = vec![Some(0); self.environment.natives.len()];
                    natives[number] = Some(1);
                    Costs {
                        bytecodes: Some(0),
                        time_ps: Some((native.time_ps)(u32::try_from(last).unwrap_or(u32::MAX))),
                        heap: Some(0),
                        operands: Some(0),
                        natives,
                    }
                }
                Some(Callee::ObjectInit) | None => Costs {
                    bytecodes: Some(0),
                    time_ps: Some(0),
                    heap: Some(0),
                    operands: Some(0),
                    natives: Vec::new(),
                },
            };
            if let Some(kind) = made_array(&self.facts.class, insn) {
                let length = self.ranges.made_array(site);
                let unknown = i64::from(self.environment.array_length_max);
                costs.heap = (length.most < unknown || length.only().is_some()).then(|| {
                    let bytes = length.most.unsigned_abs() * u64::from(kind.width());
                    let bytes = bytes.next_multiple_of(ARRAY_ALIGNMENT.into());
                    u64::from(ARRAY_HEADER_BYTES) + bytes
                });
            } else if callee(&self.facts.class, insn).is_none() {
                continue;
            }
            // Adds the caller's operands that remain on its operand stack below the arguments of the call.
            let pops = self.signatures.change(&self.facts.class, insn);
            let below = flow.depth(node).zip(pops);
            let below = below.and_then(|(depth, (pops, _))| depth.checked_sub(pops));
            costs.operands = costs
                .operands
                .zip(below)
                .map(|(operands, below)| operands + below as u64);
            each.insert(node, costs);
        }
        each
    }

    /// Sums the costs of a method's instructions along its most expensive path.
    fn sum(
        &mut self,
        flow: &Flow<'a>,
        worst: &mut Worst<'_, 'a>,
        each: &BTreeMap<Node, Costs>,
    ) -> Costs {
        let bytecode_ps = self.environment.bytecode_ps;
        // The costs are copied to an array indexed by instruction, because each sum reads the costs of every
        // instruction.
        let mut of = vec![None; flow.graph.len()];
        each.iter()
            .for_each(|(node, costs)| of[*node] = Some(costs));
        let bytecodes = worst.of(|node| match of[node] {
            Some(costs) => costs.bytecodes?.checked_add(1),
            None => Some(1),
        });
        let time_ps = worst.of(|node| match of[node] {
            Some(costs) => costs.time_ps?.checked_add(bytecode_ps),
            None => Some(bytecode_ps),
        });
        let heap = worst.of(|node| of[node].map_or(Some(0), |costs| costs.heap));
        let mut natives = Vec::new();
        let is_reached = |number: usize| {
            let count = |costs: &Costs| costs.natives.get(number).copied();
            each.values()
                .any(|costs| count(costs).is_some_and(|count| count != Some(0)))
        };
        if (0..self.environment.natives.len()).any(is_reached) {
            for number in 0..self.environment.natives.len() {
                natives.push(if is_reached(number) {
                    worst.of(|node| {
                        let costs = of[node].and_then(|costs| costs.natives.get(number));
                        costs.copied().unwrap_or(Some(0))
                    })
                } else {
                    Some(0)
                });
            }
        }
        let own = flow.reachable().filter_map(|node| flow.depth(node)).max();
        let own = Some(own.unwrap_or(0) as u64);
        let operands = each
            .values()
            .fold(own, |most, costs| Some(most?.max(costs.operands?)));
        self.steps += worst.steps;
        Costs {
            bytecodes,
            time_ps,
            heap,
            operands,
            natives,
        }
    }
}
