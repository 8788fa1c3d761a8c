//! Loop analysis: which loops of a method are proven to end, because a local variable steps towards a bound.

use std::collections::BTreeSet;

use jive_core::{Action, ClassFile, Comparison, MemberAccess, MemberIdentity, Operand, Pc};

use super::calls::{Callee, callee};
use super::components::{Components, Partition};
use super::condition::{Condition, Value, added, condition};
use super::graph::{ControlFlow, Node};
use super::interval::LENGTH_MAX;

/// A loop of a method.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    /// The loop's lowest instruction.
    pub(crate) pc: Pc,
    /// Whether the loop is proven to end. Every iteration of a counted loop passes a test that compares a local
    /// variable with a loop-invariant bound. Every iteration of a counted loop steps that variable towards the bound,
    /// and the variable cannot wrap around.
    pub(crate) is_counted: bool,
}

/// The loops of a method.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loops {
    /// The loops that the search has found, sorted by pc.
    pub(crate) found: Vec<Loop>,
    /// Whether the step budget ended before the search for loops was complete. If the budget ended, nested loops may be
    /// missing, and the loops that contain them are reported as uncounted.
    pub(crate) is_incomplete: bool,
}

/// Returns a method's loops. `components` are the strongly connected components of the method's reachable instructions.
///
/// Each visit of an instruction or edge takes a step from `budget`. The search for nested loops takes a few steps for
/// each instruction and level. Without a budget, the search in a method with 10,000 levels of loops would take
/// 100,000,000 steps.
pub(crate) fn loops(
    class: &ClassFile<'_>,
    graph: &ControlFlow<'_>,
    components: &Partition,
    budget: &mut usize,
) -> Loops {
    let mut search = Search::new(class, graph, budget);
    let mut waiting = components.loops(graph);
    // The search for loops uses an explicit worklist instead of recursion, because loops can be nested 10,000 deep.
    while let Some(component) = waiting.pop() {
        let inner = search.examine(&component);
        waiting.extend(inner);
    }
    let mut loops = search.found;
    loops.found.sort_unstable_by_key(|found: &Loop| found.pc);
    loops
}

/// The search for the loops of a method.
pub(super) struct Search<'c, 'a> {
    pub(super) class: &'c ClassFile<'a>,
    pub(super) graph: &'c ControlFlow<'a>,
    budget: &'c mut usize,
    components: Components,
    /// Marks the instructions of the subgraph that is being analysed. Between two analyses, no instruction is marked.
    pub(super) within: Vec<bool>,
    pub(super) found: Loops,
}

/// The variables and fields that a loop modifies. The changes of a loop are computed once for all tests of the loop.
pub(super) struct Changes {
    /// Modified local variables, each with the modifying instruction and the constant that it adds. `None` instead of
    /// an added constant stands for any other modification. In ascending order.
    locals: Vec<(u16, Node, Option<i64>)>,
    /// Fields that the loop stores to, in ascending order.
    fields: Vec<MemberIdentity>,
    /// Whether the loop calls a method of the class, which may store to any field.
    calls_own: bool,
}

impl<'c, 'a> Search<'c, 'a> {
    pub(super) fn new(
        class: &'c ClassFile<'a>,
        graph: &'c ControlFlow<'a>,
        budget: &'c mut usize,
    ) -> Search<'c, 'a> {
        Search {
            class,
            graph,
            budget,
            components: Components::new(graph.len()),
            within: vec![false; graph.len()],
            found: Loops::default(),
        }
    }

    /// Analyses a loop. Analyses a loop, and returns the loops nested in it.
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

    /// Takes steps from the step budget, and returns `None` if the budget is exhausted.
    pub(super) fn spend(&mut self, steps: usize) -> Option<()> {
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

    /// Returns the loops that remain in a component after the instructions `out` are removed, or `None` if the budget
    /// is exhausted.
    fn loops_without(&mut self, component: &[Node], out: &[Node]) -> Option<Vec<Vec<Node>>> {
        let partition = self.without(component, out)?;
        Some(partition.loops(self.graph))
    }

    /// Returns the components that remain of a component after the instructions `out` are removed, or `None` if the
    /// budget is exhausted.
    pub(super) fn without(&mut self, component: &[Node], out: &[Node]) -> Option<Partition> {
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
        Some(partition)
    }

    /// Searches a loop for a test that ends the loop after finitely many iterations. If a test ends the loop, returns
    /// the loops that remain after the removal of the test.
    pub(super) fn counting_test(&mut self, component: &[Node]) -> Option<Vec<Vec<Node>>> {
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
                if let Some(inner) = inner {
                    return Some(inner.loops(self.graph));
                }
                if self.found.is_incomplete {
                    return None;
                }
            }
        }
        None
    }

    /// Checks that every iteration through the test of a loop takes each step at most once, and at least one step in
    /// total. If the iterations pass this check, returns the components that remain after the removal of the test.
    pub(super) fn each_round_steps(
        &mut self,
        component: &[Node],
        test: Node,
        steps: &[Step],
    ) -> Option<Partition> {
        let nodes = steps.iter().map(|step| step.node).collect::<Vec<_>>();
        let unstepped = self.loops_without(component, &nodes)?;
        if unstepped.iter().any(|cycle| cycle.contains(&test)) {
            return None;
        }
        let inner = self.without(component, &[test])?;
        let loops = inner.loops(self.graph);
        let mut cycles = loops.iter().flatten();
        // The nodes are sorted, because the modifications of a local variable are in ascending order.
        cycles
            .all(|node| nodes.binary_search(node).is_err())
            .then_some(inner)
    }

    /// Collects the modifications of local variables and fields in a loop.
    pub(super) fn changes(&self, component: &[Node]) -> Changes {
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
                    let by = added(self.class, self.graph, node, local);
                    changes.locals.push((local, node, by));
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

    /// Returns whether a value is loop-invariant.
    pub(super) fn is_invariant(&self, changes: &Changes, value: Value) -> bool {
        match value {
            Value::Constant(_) => true,
            Value::Local(local) | Value::LocalLength(local) => changes.of_local(local).is_empty(),
            // A method of the class that the loop calls may store to the field, which natives never do.
            Value::Field(_) | Value::FieldLength(_) if changes.calls_own => false,
            // Two constants of the constant pool can name the same field. In a verified class, all fields belong to the
            // class itself.
            Value::Field(field) | Value::FieldLength(field) => {
                let member = self.class.pool().member(field);
                member.is_ok_and(|member| changes.fields.binary_search(&member.identity).is_err())
            }
        }
    }

    /// Interprets an instruction as a test that can leave the loop, whose instructions `within` marks.
    fn test(&self, node: Node, within: &[bool]) -> Option<Test> {
        let Condition {
            left,
            comparison: taken,
            right,
            target,
        } = condition(self.class, self.graph, node)?;
        let next = node + 1;
        let relation = match (within.get(target)?, within.get(next)?) {
            (false, true) => taken.negated(),
            (true, false) => taken,
            // Both outcomes of the branch stay in the loop, or both leave it.
            (true, true) | (false, false) => return None,
        };
        Some(Test {
            left,
            relation,
            right,
        })
    }
}

impl Changes {
    /// Returns the modifications of a local variable, in order of their instructions.
    pub(super) fn of_local(&self, local: u16) -> &[(u16, Node, Option<i64>)] {
        let start = self.locals.partition_point(|(other, ..)| *other < local);
        let end = self.locals.partition_point(|(other, ..)| *other <= local);
        &self.locals[start..end]
    }

    /// Returns the local variables that the loop changes only by adding constants.
    pub(super) fn counting(&self) -> BTreeSet<u16> {
        let of_each = self
            .locals
            .chunk_by(|(local, ..), (other, ..)| local == other);
        let counting = of_each.filter(|changes| changes.iter().all(|(.., by)| by.is_some()));
        counting.flatten().map(|(local, ..)| *local).collect()
    }
}

/// Returns the steps of a local variable, or `None` if a modification of the variable does not add a constant.
pub(super) fn steps(changes: &[(u16, Node, Option<i64>)]) -> Option<Vec<Step>> {
    let step = |(_, node, by): &(u16, Node, Option<i64>)| {
        Some(Step {
            node: *node,
            by: (*by)?,
        })
    };
    changes.iter().map(step).collect()
}

/// An addition of a constant to a local variable.
#[derive(Copy, Clone, Debug)]
pub(super) struct Step {
    pub(super) node: Node,
    pub(super) by: i64,
}

/// The comparison that holds between two values while the loop continues.
#[derive(Copy, Clone, Debug)]
struct Test {
    left: Value,
    relation: Comparison,
    right: Value,
}

/// Returns whether a variable that satisfies `relation` to `bound` before each iteration must violate it eventually.
/// All steps of the variable must have the same direction. No step of the variable may wrap around from a value that
/// satisfies the relation.
fn reaches(relation: Comparison, bound: Value, steps: &[Step]) -> bool {
    let up = steps.iter().all(|step| step.by > 0);
    let down = steps.iter().all(|step| step.by < 0);
    // An iteration takes each step at most once, so the sum bounds the change in one iteration.
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
        // A variable whose only step is 1 or -1 meets every value on its way to the bound.
        Comparison::NotEqual => matches!(steps, [only] if only.by.abs() == 1),
        // After one round of steps, the variable differs from the bound that it was equal to.
        Comparison::Equal => !steps.is_empty() && (up || down) && total.abs() < 1 << 31,
    }
}
