//! The values that a slot of a frame can have: its origins, each with the values that the branches on the way let pass.
//!
//! A question about values is answered by a search backwards, like that for [origins](super::origin), and by the
//! answers to the questions that this search raises. A question that leads back to itself gets any value of its type as
//! its answer. An answer may therefore be too wide, but is never too narrow.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slots;
use std::hash::BuildHasherDefault;

use fnv::FnvHasher;
use jive_core::{
    Action, Constant, ElementKind, FieldId, MemberAccess, MethodId, Operand, OwnMember, Pc,
};

use super::calls::{Callee, callee};
use super::condition::{Value, condition};
use super::elements::{AliasClass, AliasClasses};
use super::environment::Environment;
use super::explore::makes_array;
use super::facts::{Facts, Flow, Site};
use super::graph::Node;
use super::interval::Interval;
use super::members::of_type;
use super::origin::{Before, Origin, Origins, Slot};

/// The searches in a class may take a fixed number of steps, and more for each byte of the class's code. Compiled code
/// takes fewer than 10 for each byte; a step takes up to 60 ns.
const STEPS_BASE: usize = 1 << 16;
const STEPS_PER_BYTE: usize = 16;
/// Steps that each search for origins takes for its maps and lists, however short it is.
const SEARCH_STEPS_MIN: usize = 8;
/// Maximum number of steps of one search for origins, of which compiled methods take fewer.
const SEARCH_STEPS_MAX: usize = 4_096;
/// Maximum number of nested questions that lead from a question to its answer, which bounds the recursion.
const DEPTH_MAX: usize = 48;
/// How often the values of a slot may grow during a search before the search assumes all values for the slot.
const GROWTH_MAX: u8 = 2;

/// A question about values.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Question {
    /// The question which values a slot can have before an instruction.
    Value(Site, Slot),
    /// The question which lengths the arrays in a slot can have before an instruction.
    Length(Site, Slot),
    /// The question which values the parameter in a local variable can have.
    Parameter(MethodId, u16),
    /// The question which lengths the arrays in a parameter can have.
    ParameterLength(MethodId, u16),
    /// The question which values a field can have.
    Field(FieldId),
    /// The question which lengths the arrays in a field can have.
    FieldLength(FieldId),
    /// The question which values the elements of a family of arrays can have.
    Elements(AliasClass),
    /// The question which values a method can return.
    Result(MethodId),
    /// The question which lengths the arrays that a method returns can have.
    ResultLength(MethodId),
}

/// The values that a local variable has throughout a loop that counts with it.
#[derive(Debug)]
struct Counter {
    /// The instructions of the loop that counts with the variable, in ascending order.
    nodes: Vec<Node>,
    values: Interval,
}

type Map<K, V> = HashMap<K, V, BuildHasherDefault<FnvHasher>>;

/// Answers questions about the values in a class.
#[derive(Debug)]
pub(crate) struct Ranges<'f, 'a> {
    pub(super) facts: &'f Facts<'a>,
    pub(super) environment: &'f Environment,
    /// The answers so far. The answer is `None` while the question is being answered.
    known: Map<Question, Option<Interval>>,
    counters: Map<(MethodId, u16), Vec<Counter>>,
    /// The families of the class's `int` arrays, once an answer needs them. The inner option is `None` if the search
    /// for families failed.
    pub(super) families: Option<Option<AliasClasses>>,
    depth: usize,
    /// Steps that are left.
    left: usize,
    /// Steps taken so far.
    pub(crate) steps: usize,
    /// Whether an answer holds only if nothing except the class itself stores to its fields.
    pub(crate) relies_on_fields: bool,
}

impl<'f, 'a> Ranges<'f, 'a> {
    /// Starts without answers.
    pub(crate) fn new(facts: &'f Facts<'a>, environment: &'f Environment) -> Ranges<'f, 'a> {
        let codes = facts.class.methods().filter_map(|method| method.code());
        let bytes: usize = codes.map(|code| code.bytes.len()).sum();
        Ranges {
            facts,
            environment,
            known: Map::default(),
            counters: Map::default(),
            families: None,
            depth: 0,
            left: STEPS_BASE + STEPS_PER_BYTE * bytes,
            steps: 0,
            relies_on_fields: false,
        }
    }

    /// Returns the values that a slot of the frame can have before an instruction.
    pub(crate) fn value(&mut self, site: Site, slot: Slot) -> Interval {
        self.ask(Question::Value(site, slot))
    }

    /// Returns the values that an operand of an instruction can have, where `below_top` counts operands from the top of
    /// the stack.
    pub(crate) fn operand(&mut self, site: Site, below_top: usize) -> Interval {
        match self.stack_slot(site, below_top) {
            Some(slot) => self.value(site, slot),
            None => Interval::INT,
        }
    }

    /// Returns the lengths that an array operand of an instruction can have, where `below_top` counts operands from the
    /// top.
    pub(crate) fn length(&mut self, site: Site, below_top: usize) -> Interval {
        match self.stack_slot(site, below_top) {
            Some(slot) => self.ask(Question::Length(site, slot)),
            None => self.any_length(),
        }
    }

    /// Returns the values that a local variable can have when execution enters the loop, which consists of `nodes`.
    pub(crate) fn entering(&mut self, method: MethodId, nodes: &[Node], local: u16) -> Interval {
        let Some(flow) = self.facts.flow(method) else {
            return Interval::INT;
        };
        let origins = Origins::new(&self.facts.class, &flow.graph, &flow.depths);
        let mut values = None;
        let mut join = |found: Interval| {
            values = Some(values.map_or(found, |values: Interval| values.hull(found)));
        };
        for node in nodes.iter().copied() {
            if node == 0 {
                join(match origins.at_entry(Slot::Local(local)) {
                    Some(origin) => self.made(method, origin),
                    None => Interval::INT,
                });
            }
            for previous in flow.graph.predecessors(node).iter().copied() {
                self.spend(1);
                let depth = flow.depth(previous).and_then(|_| flow.depth(node));
                let Some(depth) = depth.filter(|_| nodes.binary_search(&previous).is_err()) else {
                    continue;
                };
                let Some(passing) = self.passing(flow, (previous, node), (method, local)) else {
                    continue;
                };
                let found = match origins.through(previous, Slot::Local(local), depth) {
                    Before::Made(origin) => self.made(method, origin),
                    Before::Slot(slot) => {
                        let node = previous;
                        self.value(Site { method, node }, slot)
                    }
                };
                if let Some(found) = found.meet(passing) {
                    join(found);
                }
            }
        }
        values.unwrap_or(Interval::INT)
    }

    /// Records the values that a local variable has throughout a loop.
    pub(crate) fn record(
        &mut self,
        method: MethodId,
        nodes: Vec<Node>,
        local: u16,
        values: Interval,
    ) {
        let counters = self.counters.entry((method, local)).or_default();
        counters.push(Counter { nodes, values });
        // The earlier answers are dropped, because they did not use the values of the new counter. Clearing the map
        // would take time for its capacity, which earlier loops may have made large.
        self.known = Map::default();
    }

    pub(super) fn spend(&mut self, steps: usize) {
        self.steps += steps;
        self.left = self.left.saturating_sub(steps);
    }

    pub(super) fn stack_slot(&self, site: Site, below_top: usize) -> Option<Slot> {
        let depth = self.facts.flow(site.method)?.depth(site.node)?;
        depth.checked_sub(below_top + 1).map(Slot::Stack)
    }

    fn any_length(&self) -> Interval {
        Interval::new(0, self.environment.array_length_max.into())
    }

    /// Returns the widest answer to a question, which is right for every class.
    fn any(&self, question: Question) -> Interval {
        match question {
            Question::Value(..)
            | Question::Parameter(..)
            | Question::Elements(_)
            | Question::Result(_) => Interval::INT,
            Question::Length(..)
            | Question::ParameterLength(..)
            | Question::FieldLength(_)
            | Question::ResultLength(_) => self.any_length(),
            Question::Field(id) => {
                let field = self.facts.class.field(id);
                field.map_or(Interval::INT, |field| of_type(field.descriptor.as_bytes()))
            }
        }
    }

    pub(super) fn ask(&mut self, question: Question) -> Interval {
        self.spend(1);
        let any = self.any(question);
        match self.known.get(&question) {
            Some(known) => return known.unwrap_or(any),
            None if self.depth == DEPTH_MAX || self.left == 0 => return any,
            None => {}
        }
        self.known.insert(question, None);
        self.depth += 1;
        let found = self.find(question).and_then(|found| found.meet(any));
        self.depth -= 1;
        let found = found.unwrap_or(any);
        self.known.insert(question, Some(found));
        found
    }

    /// Answers a question. Returns `None` if nothing is known of the values.
    fn find(&mut self, question: Question) -> Option<Interval> {
        match question {
            Question::Value(site, slot) => {
                let found = self.search(site, slot, Refines::ByBranches)?;
                self.all(found, |ranges, (origin, values)| {
                    let made = ranges.made(site.method, origin);
                    // If the origin makes no value that the branches let pass, no path leads from the origin to the
                    // slot.
                    Some(made.meet(values))
                })
            }
            Question::Length(site, slot) => {
                let found = self.search(site, slot, Refines::Nothing)?;
                self.all(found, |ranges, (origin, _)| {
                    ranges.made_length(site.method, origin)
                })
            }
            Question::Parameter(method, local) => self.parameter(method, local, Question::Value),
            Question::ParameterLength(method, local) => {
                self.parameter(method, local, Question::Length)
            }
            Question::Field(id) => self.field(id),
            Question::FieldLength(id) => self.field_length(id),
            Question::Elements(family) => self.elements(family),
            Question::Result(method) => self.result(method, Question::Value),
            Question::ResultLength(method) => self.result(method, Question::Length),
        }
    }

    /// Returns an interval that contains the values of all items. An item for which `values` returns `Some(None)` has
    /// no values and adds nothing. Returns `None` if the values of an item are unknown, or if no item has values.
    pub(super) fn all<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut values: impl FnMut(&mut Self, T) -> Option<Option<Interval>>,
    ) -> Option<Interval> {
        let mut all: Option<Interval> = None;
        for item in items {
            let Some(found) = values(self, item)? else {
                continue;
            };
            let hull = all.map_or(found, |all| all.hull(found));
            if hull == Interval::INT {
                return None;
            }
            all = Some(hull);
        }
        all
    }

    /// Follows a slot backwards to the origins of its value, each with the values that can come from that origin.
    /// Returns `None` if the search takes too many steps.
    pub(super) fn search(
        &mut self,
        site: Site,
        slot: Slot,
        refines: Refines,
    ) -> Option<Vec<(Origin, Interval)>> {
        let flow = self.facts.flow(site.method)?;
        self.spend(SEARCH_STEPS_MIN);
        let origins = Origins::new(&self.facts.class, &flow.graph, &flow.depths);
        let start = (site.node, slot);
        // Most values are made in the basic block that uses them, and such a search needs neither list.
        let mut seen = Map::<(Node, Slot), (Interval, u8)>::default();
        let mut waiting = Vec::new();
        // Instructions within a basic block are visited from the next instruction alone, so that only the instructions
        // at its ends, and the start, need an entry in `seen`.
        let mut straight = vec![(site.node, slot, Interval::INT)];
        let mut found = Vec::new();
        let mut steps = 0;
        loop {
            let (node, slot, mut values) = match straight.pop() {
                Some(next) => next,
                None => match waiting.pop() {
                    Some((node, slot)) => (node, slot, seen.get(&(node, slot))?.0),
                    None => break,
                },
            };
            let taken = 1 + flow.graph.predecessors(node).len();
            steps += taken;
            self.spend(taken);
            if steps > SEARCH_STEPS_MAX || self.left == 0 {
                return None;
            }
            if let (Refines::ByBranches, Slot::Local(local)) = (refines, slot) {
                let counted = self.counted(site.method, node, local);
                match values.meet(counted) {
                    Some(met) => values = met,
                    None => continue,
                }
            }
            if node == 0 {
                found.extend(origins.at_entry(slot).map(|origin| (origin, values)));
            }
            let depth = flow.depth(node)?;
            for previous in flow.graph.predecessors(node).iter().copied() {
                // An unreachable predecessor of the instruction contributes no value to the slot.
                if flow.depth(previous).is_none() {
                    continue;
                }
                let mut values = values;
                if let (Refines::ByBranches, Slot::Local(local)) = (refines, slot) {
                    let edge = (previous, node);
                    let passing = self.passing(flow, edge, (site.method, local));
                    match passing.and_then(|passing| values.meet(passing)) {
                        Some(met) => values = met,
                        None => continue,
                    }
                }
                match origins.through(previous, slot, depth) {
                    Before::Made(origin) => found.push((origin, values)),
                    Before::Slot(slot) if flow.graph.is_straight(previous) => {
                        straight.push((previous, slot, values));
                    }
                    Before::Slot(slot) => {
                        if seen.is_empty() {
                            seen.insert(start, (Interval::INT, 0));
                        }
                        if grow(&mut seen, (previous, slot), values) {
                            waiting.push((previous, slot));
                        }
                    }
                }
            }
        }
        Some(found)
    }

    /// Returns the values that the counter of a loop can have at an instruction, or any value if the variable counts no
    /// loop.
    fn counted(&mut self, method: MethodId, node: Node, local: u16) -> Interval {
        let Some(counters) = self.counters.get(&(method, local)) else {
            return Interval::INT;
        };
        let mut values = Interval::INT;
        let steps = counters.len();
        for counter in counters {
            if counter.nodes.binary_search(&node).is_ok() {
                values = values.meet(counter.values).unwrap_or(values);
            }
        }
        self.spend(steps);
        values
    }

    /// Returns the values that a local variable can have when execution takes an edge, as far as the condition of the
    /// branch shows. Returns `None` if execution never takes that edge of the control flow.
    fn passing(
        &mut self,
        flow: &Flow<'a>,
        (from, to): (Node, Node),
        (method, local): (MethodId, u16),
    ) -> Option<Interval> {
        let Some(condition) = condition(&self.facts.class, &flow.graph, from) else {
            return Some(Interval::INT);
        };
        let relation = match (condition.target == to, from + 1 == to) {
            (true, false) => condition.comparison,
            (false, true) => condition.comparison.negated(),
            // Both outcomes of the branch lead to the same instruction.
            (true, true) | (false, false) => return Some(Interval::INT),
        };
        let (relation, other) = if condition.left == Value::Local(local) {
            (relation, condition.right)
        } else if condition.right == Value::Local(local) {
            (relation.mirrored(), condition.left)
        } else {
            return Some(Interval::INT);
        };
        let site = Site { method, node: from };
        let other = match other {
            Value::Constant(value) => Interval::exactly(value),
            Value::Local(local) => self.value(site, Slot::Local(local)),
            Value::LocalLength(local) => self.ask(Question::Length(site, Slot::Local(local))),
            Value::Field(index) => match self.facts.class.own_member(index) {
                Some(OwnMember::Field(id)) => self.ask(Question::Field(id)),
                Some(OwnMember::Method(_)) | None => Interval::INT,
            },
            Value::FieldLength(index) => match self.facts.class.own_member(index) {
                Some(OwnMember::Field(id)) => self.ask(Question::FieldLength(id)),
                Some(OwnMember::Method(_)) | None => self.any_length(),
            },
        };
        Interval::related(relation, other)
    }

    /// Returns the values that an origin can produce.
    pub(super) fn made(&mut self, method: MethodId, origin: Origin) -> Interval {
        match origin {
            Origin::This | Origin::Unset(_) => Interval::INT,
            Origin::Parameter { local, .. } => self.ask(Question::Parameter(method, local)),
            Origin::Instruction(pc) => self.computed(method, pc).unwrap_or(Interval::INT),
        }
    }

    /// Returns the values that an instruction can produce.
    fn computed(&mut self, method: MethodId, pc: Pc) -> Option<Interval> {
        let flow = self.facts.flow(method)?;
        let node = flow.graph.node(pc)?;
        let insn = flow.graph.insn(node);
        let site = Site { method, node };
        match (insn.action(), insn.operand) {
            (Action::Increment, Operand::LocalIncrement { local, by }) => {
                let before = self.value(site, Slot::Local(local));
                Some(before.plus(Interval::exactly(by.into())))
            }
            (Action::Constant(_), Operand::Int(value)) => Some(Interval::exactly(value)),
            (Action::Constant(_), Operand::Constant(index)) => {
                match self.facts.class.pool().get(index).ok()? {
                    Constant::Integer(value) => Some(Interval::exactly(value)),
                    _ => None,
                }
            }
            (Action::Unary(operator), _) => Some(self.operand(site, 0).unary(operator)),
            (Action::Binary(operator), _) => {
                let right = self.operand(site, 0);
                Some(self.operand(site, 1).binary(operator, right))
            }
            (Action::LoadElement(kind), _) => match kind {
                ElementKind::Int => {
                    let family = self.family(site, 1)?;
                    Some(self.ask(Question::Elements(family)))
                }
                ElementKind::Short => Some(Interval::SHORT),
                ElementKind::ByteOrBoolean => Some(Interval::BYTE),
            },
            (Action::ArrayLength, _) => Some(self.length(site, 0)),
            (Action::Member(usage), Operand::Constant(index)) => match usage.access() {
                MemberAccess::Load => match self.facts.class.own_member(index)? {
                    OwnMember::Field(id) => Some(self.ask(Question::Field(id))),
                    OwnMember::Method(_) => None,
                },
                MemberAccess::Store => None,
                MemberAccess::Call => match callee(&self.facts.class, insn)? {
                    Callee::Own(id) => Some(self.ask(Question::Result(id))),
                    Callee::Native(name) => {
                        let (_, native) = self.environment.native(name)?;
                        let (least, most) = native.result.clone().into_inner();
                        Some(Interval::new(least.into(), most.into()))
                    }
                    Callee::ObjectInit => None,
                },
            },
            _ => None,
        }
    }

    /// Returns the lengths of the arrays that an origin can produce. Returns `Some(None)` if the origin is `null`,
    /// because an access to an array traps on it.
    fn made_length(&mut self, method: MethodId, origin: Origin) -> Option<Option<Interval>> {
        let pc = match origin {
            Origin::This | Origin::Unset(_) => return None,
            Origin::Parameter { local, .. } => {
                return Some(Some(self.ask(Question::ParameterLength(method, local))));
            }
            Origin::Instruction(pc) => pc,
        };
        let flow = self.facts.flow(method)?;
        let node = flow.graph.node(pc)?;
        let insn = flow.graph.insn(node);
        if makes_array(&self.facts.class, insn) {
            return Some(Some(self.made_array(Site { method, node })));
        }
        match (insn.action(), insn.operand) {
            (Action::Constant(_), _) => Some(None),
            (Action::Member(usage), Operand::Constant(index)) => match usage.access() {
                MemberAccess::Load => match self.facts.class.own_member(index)? {
                    OwnMember::Field(id) => Some(Some(self.ask(Question::FieldLength(id)))),
                    OwnMember::Method(_) => None,
                },
                MemberAccess::Store => None,
                MemberAccess::Call => match callee(&self.facts.class, insn)? {
                    Callee::Own(id) => Some(Some(self.ask(Question::ResultLength(id)))),
                    Callee::Native(_) | Callee::ObjectInit => None,
                },
            },
            _ => None,
        }
    }

    /// Returns the lengths that the array allocated by an instruction can have.
    pub(crate) fn made_array(&mut self, site: Site) -> Interval {
        let any = self.any_length();
        // A negative length traps.
        self.operand(site, 0).meet(any).unwrap_or(any)
    }
}

/// Whether a search for origins narrows the values by the branches that it passes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Refines {
    ByBranches,
    Nothing,
}

/// Adds values to the values of a slot that are known so far, and returns whether a value is new.
fn grow(seen: &mut Map<(Node, Slot), (Interval, u8)>, key: (Node, Slot), values: Interval) -> bool {
    match seen.entry(key) {
        Slots::Vacant(entry) => {
            entry.insert((values, 0));
            true
        }
        Slots::Occupied(mut entry) => {
            let (known, growths) = *entry.get();
            let hull = known.hull(values);
            if hull == known {
                return false;
            }
            let hull = if growths < GROWTH_MAX {
                hull
            } else {
                Interval::INT
            };
            entry.insert((hull, growths + 1));
            true
        }
    }
}
