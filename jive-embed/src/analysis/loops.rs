//! Which loops of a method are counted: provably ended by a local variable that steps towards a bound.

use jive_core::{
    Action, ClassFile, Comparison, Computational, Constant, ConstantSource, CpIndex, MemberAccess,
    MemberIdentity, MemberUse, Operand, Pc,
};

use super::calls::{Callee, callee};
use super::components::{Components, Partition};
use super::graph::{ControlFlow, Node};

/// Elements that no array has: its header lies before them, and an offset is an `int`.
const LENGTH_MAX: i64 = i32::MAX as i64 - 8;

/// A loop of a method.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    /// Its lowest instruction.
    pub(crate) pc: Pc,
    /// Whether it is proved to end. Some test that every round passes compares a local variable with a bound that the
    /// loop does not change. Every round steps the variable towards the bound, and it cannot step over the end of the
    /// `int` range.
    pub(crate) is_counted: bool,
}

/// The loops of a method.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loops {
    /// Those that were found, by the pc where each begins.
    pub(crate) found: Vec<Loop>,
    /// Whether the budget ended before all loops were looked for. Loops inside of some that were found
    /// are missing then, and each of these counts as not counted.
    pub(crate) is_incomplete: bool,
}

/// Returns a method's loops; `components` are those of its reachable instructions.
///
/// Each step looks at one instruction or edge, and is taken from `budget`. Loops nested in loops take a
/// few steps for each instruction and level; without a budget a method with 10,000 levels would take
/// 100,000,000.
pub(crate) fn loops(
    class: &ClassFile<'_>,
    graph: &ControlFlow<'_>,
    components: &Partition,
    budget: &mut usize,
) -> Loops {
    let mut search = Search {
        class,
        graph,
        budget,
        components: Components::new(graph.len()),
        within: vec![false; graph.len()],
        found: Loops::default(),
    };
    let is_loop = |component: &&[Node]| graph.is_loop(component);
    let outermost = components.iter().filter(is_loop).map(<[Node]>::to_vec);
    let mut waiting = outermost.collect::<Vec<_>>();
    // A list instead of recursion: loops may be nested 10,000 deep.
    while let Some(component) = waiting.pop() {
        let inner = search.examine(&component);
        waiting.extend(inner);
    }
    let mut loops = search.found;
    loops.found.sort_unstable_by_key(|found: &Loop| found.pc);
    loops
}

struct Search<'c, 'a> {
    class: &'c ClassFile<'a>,
    graph: &'c ControlFlow<'a>,
    budget: &'c mut usize,
    components: Components,
    /// The instructions of a part of the method that is looked at; all false between two parts.
    within: Vec<bool>,
    found: Loops,
}

/// What a loop does to what its tests compare. Found out once, however many tests it has.
struct Changes {
    /// Local variables, each with an instruction that changes it and by how much, or `None` where it is
    /// set; in ascending order.
    locals: Vec<(u16, Node, Option<i64>)>,
    /// The fields that are set, in ascending order.
    fields: Vec<MemberIdentity>,
    /// Whether a method of the class is called, which may set any field.
    calls_own: bool,
}

impl<'a> Search<'_, 'a> {
    /// Judges a loop and returns those inside it.
    fn examine(&mut self, component: &[Node]) -> Vec<Vec<Node>> {
        let first = component.iter().copied().min().unwrap_or(0);
        let (is_counted, inner) = match self.counting_test(component) {
            Some(inner) => (true, Some(inner)),
            None => (false, self.loops_without(component, &[first])),
        };
        self.found.found.push(Loop {
            pc: self.graph.insn(first).pc,
            is_counted,
        });
        inner.unwrap_or_default()
    }

    /// Takes steps from the budget, or notes that it has ended.
    fn spend(&mut self, steps: usize) -> Option<()> {
        match self.budget.checked_sub(steps) {
            Some(left) => {
                *self.budget = left;
                Some(())
            }
            None => {
                self.found.is_incomplete = true;
                None
            }
        }
    }

    /// Returns the loops that are left of a component when some instructions are taken out, unless the
    /// budget ends.
    fn loops_without(&mut self, component: &[Node], out: &[Node]) -> Option<Vec<Vec<Node>>> {
        let edges = component
            .iter()
            .map(|node| 1 + self.graph.successors(*node).len());
        self.spend(edges.sum())?;
        component.iter().for_each(|node| self.within[*node] = true);
        out.iter().for_each(|node| self.within[*node] = false);
        let left = component.iter().copied().filter(|node| self.within[*node]);
        let left = left.collect::<Vec<_>>();
        let partition = self.components.of(self.graph, &left, &self.within);
        component.iter().for_each(|node| self.within[*node] = false);
        let is_loop = |component: &&[Node]| self.graph.is_loop(component);
        Some(
            partition
                .iter()
                .filter(is_loop)
                .map(<[Node]>::to_vec)
                .collect(),
        )
    }

    /// Looks for a test that ends the loop after finitely many rounds. Returns the loops that are left
    /// without this test.
    fn counting_test(&mut self, component: &[Node]) -> Option<Vec<Vec<Node>>> {
        self.spend(component.len())?;
        component.iter().for_each(|node| self.within[*node] = true);
        let mut tests = component
            .iter()
            .filter_map(|node| Some((*node, self.test(*node, &self.within)?)))
            .collect::<Vec<_>>();
        component.iter().for_each(|node| self.within[*node] = false);
        if tests.is_empty() {
            return None;
        }
        tests.sort_unstable_by_key(|(node, _)| *node);
        self.spend(component.len())?;
        let changes = self.changes(component);
        for (node, test) in tests {
            for (local, relation, bound) in [
                (test.left, test.relation, test.right),
                (test.right, test.relation.mirrored(), test.left),
            ] {
                let Value::Local(local) = local else {
                    continue;
                };
                let changed = changes.of_local(local);
                self.spend(1 + changed.len())?;
                let Some(steps) = steps(changed) else {
                    continue;
                };
                if !self.is_invariant(&changes, bound) || !reaches(relation, bound, &steps) {
                    continue;
                }
                let inner = self.each_round_steps(component, node, &steps);
                if inner.is_some() {
                    return inner;
                }
                if self.found.is_incomplete {
                    return None;
                }
            }
        }
        None
    }

    /// If every round through the test takes each step at most once, and at least one in all, returns the loops left
    /// without the test.
    fn each_round_steps(
        &mut self,
        component: &[Node],
        test: Node,
        steps: &[Step],
    ) -> Option<Vec<Vec<Node>>> {
        let nodes = steps.iter().map(|step| step.node).collect::<Vec<_>>();
        let unstepped = self.loops_without(component, &nodes)?;
        if unstepped.iter().any(|cycle| cycle.contains(&test)) {
            return None;
        }
        let inner = self.loops_without(component, &[test])?;
        let mut cycles = inner.iter().flatten();
        // In ascending order, since the changes of a local variable are.
        cycles
            .all(|node| nodes.binary_search(node).is_err())
            .then_some(inner)
    }

    /// Finds out what a loop changes.
    fn changes(&self, component: &[Node]) -> Changes {
        let mut changes = Changes {
            locals: Vec::new(),
            fields: Vec::new(),
            calls_own: false,
        };
        for node in component.iter().copied() {
            let insn = self.graph.insn(node);
            match (insn.operand, insn.action()) {
                (Operand::LocalIncrement { local, by }, _) => {
                    changes.locals.push((local, node, Some(i64::from(by))));
                }
                (Operand::Local(local), Action::Store(_)) => {
                    changes.locals.push((local, node, None));
                }
                (Operand::Constant(index), Action::Member(usage)) => match usage.access() {
                    MemberAccess::Load => {}
                    MemberAccess::Store => {
                        let member = self.class.pool().member(index);
                        changes.fields.extend(member.map(|member| member.identity));
                    }
                    MemberAccess::Call => {
                        let own = matches!(callee(self.class, insn), Some(Callee::Own(_)));
                        changes.calls_own |= own;
                    }
                },
                _ => {}
            }
        }
        changes.locals.sort_unstable();
        changes.fields.sort_unstable();
        changes
    }

    /// Whether a loop leaves a value as it is.
    fn is_invariant(&self, changes: &Changes, value: Value) -> bool {
        match value {
            Value::Constant(_) => true,
            Value::Local(local) | Value::LocalLength(local) => changes.of_local(local).is_empty(),
            // A method of the class may set the field; no native does.
            Value::Field(_) | Value::FieldLength(_) if changes.calls_own => false,
            // Two constants may name one field. Every field of a verified class is its own.
            Value::Field(field) | Value::FieldLength(field) => {
                let member = self.class.pool().member(field);
                member.is_ok_and(|member| changes.fields.binary_search(&member.identity).is_err())
            }
        }
    }

    /// Reads an instruction as a test that may leave the loop.
    fn test(&self, node: Node, within: &[bool]) -> Option<Test> {
        let insn = self.graph.insn(node);
        let Operand::Branch(target) = insn.operand else {
            return None;
        };
        let (taken, compares_two) = match insn.action() {
            Action::BranchZero(comparison) => (comparison, false),
            Action::BranchInt(comparison) => (comparison, true),
            // Jumps, and comparisons of references, which are not stepped towards a bound.
            _ => return None,
        };
        let target = self.graph.node(Pc(u16::try_from(target).ok()?))?;
        let next = node + 1;
        let relation = match (within.get(target)?, within.get(next)?) {
            (false, true) => taken.negated(),
            (true, false) => taken,
            // It leaves on neither way, or on both.
            (true, true) | (false, false) => return None,
        };
        let (right, before) = if compares_two {
            self.value_before(node)?
        } else {
            (Value::Constant(0), node)
        };
        let (left, _) = self.value_before(before)?;
        Some(Test {
            left,
            relation,
            right,
        })
    }

    /// Reads the instructions that push the operand on top before an instruction, and returns where
    /// they begin.
    fn value_before(&self, node: Node) -> Option<(Value, Node)> {
        let last = self.only_way_to(node)?;
        let insn = self.graph.insn(last);
        let value = match (insn.action(), insn.operand) {
            (Action::Load(Computational::Int), Operand::Local(local)) => Value::Local(local),
            (Action::Constant(ConstantSource::Immediate), Operand::Int(value)) => {
                Value::Constant(value)
            }
            (Action::Constant(ConstantSource::Pool), Operand::Constant(index)) => {
                match self.class.pool().get(index).ok()? {
                    Constant::Integer(value) => Value::Constant(value),
                    _ => return None,
                }
            }
            (Action::Member(MemberUse::Load), Operand::Constant(index)) => {
                // The field is of the one instance, whichever reference names it.
                let (_, first) = self.reference_before(last)?;
                return Some((Value::Field(index), first));
            }
            (Action::Member(MemberUse::LoadStatic), Operand::Constant(index)) => {
                Value::Field(index)
            }
            (Action::ArrayLength, _) => return self.reference_before(last),
            _ => return None,
        };
        Some((value, last))
    }

    /// Reads the instructions that push the array whose length is taken.
    fn reference_before(&self, node: Node) -> Option<(Value, Node)> {
        let last = self.only_way_to(node)?;
        let insn = self.graph.insn(last);
        match (insn.action(), insn.operand) {
            (Action::Load(Computational::Reference), Operand::Local(local)) => {
                Some((Value::LocalLength(local), last))
            }
            (Action::Member(MemberUse::LoadStatic), Operand::Constant(index)) => {
                Some((Value::FieldLength(index), last))
            }
            (Action::Member(MemberUse::Load), Operand::Constant(index)) => {
                let (_, first) = self.reference_before(last)?;
                Some((Value::FieldLength(index), first))
            }
            _ => None,
        }
    }

    /// Returns the instruction before this one, if nothing else leads here.
    fn only_way_to(&self, node: Node) -> Option<Node> {
        match self.graph.predecessors(node) {
            [only] if *only + 1 == node => Some(*only),
            _ => None,
        }
    }
}

impl Changes {
    /// Returns the changes of a local variable, in the order of their instructions.
    fn of_local(&self, local: u16) -> &[(u16, Node, Option<i64>)] {
        let start = self.locals.partition_point(|(other, ..)| *other < local);
        let end = self.locals.partition_point(|(other, ..)| *other <= local);
        &self.locals[start..end]
    }
}

/// Returns every change of a local variable, or `None` where one is no step by a constant.
fn steps(changes: &[(u16, Node, Option<i64>)]) -> Option<Vec<Step>> {
    let step = |(_, node, by): &(u16, Node, Option<i64>)| {
        Some(Step {
            node: *node,
            by: (*by)?,
        })
    };
    changes.iter().map(step).collect()
}

/// A change of a counter.
#[derive(Copy, Clone, Debug)]
struct Step {
    node: Node,
    by: i64,
}

/// A comparison after which the loop goes on.
#[derive(Copy, Clone, Debug)]
struct Test {
    left: Value,
    relation: Comparison,
    right: Value,
}

/// What a test compares.
#[derive(Copy, Clone, Debug)]
enum Value {
    Constant(i32),
    Local(u16),
    Field(CpIndex),
    /// The length of the array in a local variable.
    LocalLength(u16),
    /// The length of the array in a field.
    FieldLength(CpIndex),
}

/// Returns whether a counter that satisfies the relation before each round fails it at last. All steps must lead the
/// same way. None may lead from where the relation holds past the end of the range.
fn reaches(relation: Comparison, bound: Value, steps: &[Step]) -> bool {
    let up = steps.iter().all(|step| step.by > 0);
    let down = steps.iter().all(|step| step.by < 0);
    // One round makes all of them at most.
    let total = steps.iter().map(|step| step.by).sum::<i64>();
    let (least, most) = match bound {
        Value::Constant(value) => (i64::from(value), i64::from(value)),
        Value::LocalLength(_) | Value::FieldLength(_) => (0, LENGTH_MAX),
        Value::Local(_) | Value::Field(_) => (i64::from(i32::MIN), i64::from(i32::MAX)),
    };
    match relation {
        Comparison::Less => up && most - 1 + total <= i64::from(i32::MAX),
        Comparison::AtMost => up && most + total <= i64::from(i32::MAX),
        Comparison::Greater => down && least + 1 + total >= i64::from(i32::MIN),
        Comparison::AtLeast => down && least + total >= i64::from(i32::MIN),
        // By ones it meets every value.
        Comparison::NotEqual => matches!(steps, [only] if only.by.abs() == 1),
        // The round after a step no longer holds it.
        Comparison::Equal => !steps.is_empty() && (up || down) && total.abs() < 1 << 31,
    }
}
