//! Which loops of a method are counted: provably ended by a local variable that steps towards a bound.

use jive_core::{ClassFile, Constant, CpIndex, Opcode, Operand, Pc};

use super::calls::{Callee, callee};
use super::graph::{ControlFlow, Node};

/// Instructions looked at, in all rounds together, after which the rest count as not counted. Loops
/// nested in loops take a round each; a compiler's methods take a few thousand.
const WORK_MAX: usize = 4_000_000;

/// Elements that no array has: its header lies before them, and an offset is an `int`.
const LENGTH_MAX: i64 = i32::MAX as i64 - 8;

/// A loop of a method.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    /// Its lowest instruction.
    pub(crate) pc: Pc,
    /// Whether it is proved to end: some test that every round passes compares a local variable with
    /// a bound that the loop leaves alone, every round steps the variable towards the bound, and it
    /// cannot step over the end of the `int` range.
    pub(crate) is_counted: bool,
}

/// Returns a method's loops, by the pc where each begins.
pub(crate) fn loops(class: &ClassFile<'_>, graph: &ControlFlow<'_>) -> Vec<Loop> {
    let mut search = Search {
        class,
        graph,
        work_left: WORK_MAX,
    };
    let mut found = Vec::new();
    // The first round is never too much: code is 64 KiB at most.
    for component in search
        .loops_within(&graph.reachable())
        .into_iter()
        .flatten()
    {
        search.examine(&component, &mut found);
    }
    found.sort_unstable_by_key(|found: &Loop| found.pc);
    found
}

struct Search<'c, 'a> {
    class: &'c ClassFile<'a>,
    graph: &'c ControlFlow<'a>,
    work_left: usize,
}

impl<'a> Search<'_, 'a> {
    /// Judges a loop and those inside it.
    fn examine(&mut self, component: &[Node], found: &mut Vec<Loop>) {
        let first = component.iter().copied().min().unwrap_or(0);
        let test = self.counting_test(component);
        let inner = self.loops_without(component, &[test.unwrap_or(first)]);
        found.push(Loop {
            pc: self.graph.insn(first).pc,
            // Of loops inside that were not looked for nothing is known.
            is_counted: test.is_some() && inner.is_some(),
        });
        for inner in inner.into_iter().flatten() {
            self.examine(&inner, found);
        }
    }

    /// Returns the loops among the instructions that `within` holds, unless too much was looked at.
    fn loops_within(&mut self, within: &[bool]) -> Option<Vec<Vec<Node>>> {
        self.work_left = self.work_left.checked_sub(self.graph.len())?;
        let mut components = self.graph.components(within);
        components.retain(|component| self.graph.is_loop(component));
        Some(components)
    }

    /// Returns the loops that are left of a component when some instructions are taken out.
    fn loops_without(&mut self, component: &[Node], out: &[Node]) -> Option<Vec<Vec<Node>>> {
        let mut within = vec![false; self.graph.len()];
        for node in component {
            within[*node] = !out.contains(node);
        }
        self.loops_within(&within)
    }

    /// Returns a test that ends the loop after finitely many rounds.
    fn counting_test(&mut self, component: &[Node]) -> Option<Node> {
        let mut within = vec![false; self.graph.len()];
        for node in component {
            within[*node] = true;
        }
        let mut tests = component.to_vec();
        tests.sort_unstable();
        for node in tests {
            let Some(test) = self.test(node, &within) else {
                continue;
            };
            self.work_left = self.work_left.checked_sub(component.len())?;
            for (local, relation, bound) in [
                (test.left, test.relation, test.right),
                (test.right, test.relation.mirrored(), test.left),
            ] {
                let Value::Local(local) = local else {
                    continue;
                };
                let counts = self.steps(component, local).is_some_and(|steps| {
                    self.is_invariant(component, bound)
                        && reaches(relation, bound, &steps)
                        && self.each_round_steps(component, node, &steps)
                });
                if counts {
                    return Some(node);
                }
            }
        }
        None
    }

    /// Whether every round through the test steps once at most per step, and at least once in all.
    fn each_round_steps(&mut self, component: &[Node], test: Node, steps: &[Step]) -> bool {
        let nodes = steps.iter().map(|step| step.node).collect::<Vec<_>>();
        let (Some(unstepped), Some(inner)) = (
            self.loops_without(component, &nodes),
            self.loops_without(component, &[test]),
        ) else {
            return false;
        };
        unstepped.iter().all(|cycle| !cycle.contains(&test))
            && inner
                .iter()
                .all(|cycle| nodes.iter().all(|node| !cycle.contains(node)))
    }

    /// Returns every change of a local variable inside a loop, or `None` where one is no step by a
    /// constant.
    fn steps(&self, component: &[Node], local: u16) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        for node in component {
            match self.graph.insn(*node).operand {
                Operand::LocalIncrement { local: changed, by } if changed == local => {
                    steps.push(Step {
                        node: *node,
                        by: i64::from(by),
                    });
                }
                Operand::Local(stored) if stored == local && self.stores(*node) => return None,
                _ => {}
            }
        }
        Some(steps)
    }

    fn stores(&self, node: Node) -> bool {
        super::origin::store_of(self.graph.insn(node).opcode)
    }

    /// Whether a loop leaves a value as it is.
    fn is_invariant(&self, component: &[Node], value: Value) -> bool {
        component.iter().all(|node| {
            let insn = self.graph.insn(*node);
            match (value, insn.operand) {
                (Value::Constant(_), _) => true,
                (Value::Local(local) | Value::LocalLength(local), operand) => match operand {
                    Operand::Local(stored) => stored != local || !self.stores(*node),
                    Operand::LocalIncrement { local: changed, .. } => changed != local,
                    _ => true,
                },
                (Value::Field(field) | Value::FieldLength(field), Operand::Constant(index)) => {
                    match insn.opcode {
                        Opcode::Putstatic | Opcode::Putfield => !self.same_field(field, index),
                        // A method of the class may set the field; no native does.
                        _ => !matches!(callee(self.class, insn), Some(Callee::Own(_))),
                    }
                }
                (Value::Field(_) | Value::FieldLength(_), _) => true,
            }
        })
    }

    /// Whether two constants name one field, as they may without being one constant.
    fn same_field(&self, left: CpIndex, right: CpIndex) -> bool {
        let pool = self.class.pool();
        match (pool.member(left), pool.member(right)) {
            (Ok(left), Ok(right)) => left == right,
            (Err(_), _) | (_, Err(_)) => true,
        }
    }

    /// Reads an instruction as a test that may leave the loop.
    fn test(&self, node: Node, within: &[bool]) -> Option<Test> {
        let insn = self.graph.insn(node);
        let Operand::Branch(target) = insn.operand else {
            return None;
        };
        let (taken, compares_two) = Relation::of(insn.opcode)?;
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
        let value = match (insn.opcode, insn.operand) {
            (
                Opcode::Iload | Opcode::Iload0 | Opcode::Iload1 | Opcode::Iload2 | Opcode::Iload3,
                Operand::Local(local),
            ) => Value::Local(local),
            (Opcode::Getstatic, Operand::Constant(index)) => Value::Field(index),
            (Opcode::Ldc | Opcode::LdcW, Operand::Constant(index)) => {
                match self.class.pool().get(index).ok()? {
                    Constant::Integer(value) => Value::Constant(value),
                    _ => return None,
                }
            }
            (Opcode::Getfield, Operand::Constant(index)) => {
                // Of the one instance, whatever reference names it.
                let (_, first) = self.reference_before(last)?;
                return Some((Value::Field(index), first));
            }
            (Opcode::Arraylength, _) => {
                let (reference, first) = self.reference_before(last)?;
                return Some((reference, first));
            }
            (_, Operand::Int(value)) => Value::Constant(value),
            _ => return None,
        };
        Some((value, last))
    }

    /// Reads the instructions that push the array whose length is taken.
    fn reference_before(&self, node: Node) -> Option<(Value, Node)> {
        let last = self.only_way_to(node)?;
        let insn = self.graph.insn(last);
        match (insn.opcode, insn.operand) {
            (
                Opcode::Aload | Opcode::Aload0 | Opcode::Aload1 | Opcode::Aload2 | Opcode::Aload3,
                Operand::Local(local),
            ) => Some((Value::LocalLength(local), last)),
            (Opcode::Getstatic, Operand::Constant(index)) => {
                Some((Value::FieldLength(index), last))
            }
            (Opcode::Getfield, Operand::Constant(index)) => {
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
    relation: Relation,
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

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Relation {
    Equal,
    NotEqual,
    Less,
    AtLeast,
    Greater,
    AtMost,
}

impl Relation {
    /// Returns what a branch compares, and whether with a second operand instead of 0.
    const fn of(opcode: Opcode) -> Option<(Relation, bool)> {
        Some(match opcode {
            Opcode::Ifeq => (Relation::Equal, false),
            Opcode::Ifne => (Relation::NotEqual, false),
            Opcode::Iflt => (Relation::Less, false),
            Opcode::Ifge => (Relation::AtLeast, false),
            Opcode::Ifgt => (Relation::Greater, false),
            Opcode::Ifle => (Relation::AtMost, false),
            Opcode::IfIcmpeq => (Relation::Equal, true),
            Opcode::IfIcmpne => (Relation::NotEqual, true),
            Opcode::IfIcmplt => (Relation::Less, true),
            Opcode::IfIcmpge => (Relation::AtLeast, true),
            Opcode::IfIcmpgt => (Relation::Greater, true),
            Opcode::IfIcmple => (Relation::AtMost, true),
            _ => return None,
        })
    }

    const fn negated(self) -> Relation {
        match self {
            Relation::Equal => Relation::NotEqual,
            Relation::NotEqual => Relation::Equal,
            Relation::Less => Relation::AtLeast,
            Relation::AtLeast => Relation::Less,
            Relation::Greater => Relation::AtMost,
            Relation::AtMost => Relation::Greater,
        }
    }

    /// Returns the relation with its sides exchanged.
    const fn mirrored(self) -> Relation {
        match self {
            Relation::Equal | Relation::NotEqual => self,
            Relation::Less => Relation::Greater,
            Relation::Greater => Relation::Less,
            Relation::AtLeast => Relation::AtMost,
            Relation::AtMost => Relation::AtLeast,
        }
    }
}

/// Whether a counter that keeps the relation to its bound before each round loses it at last: all
/// steps lead the same way, and none leads from where the relation holds past the end of the range.
fn reaches(relation: Relation, bound: Value, steps: &[Step]) -> bool {
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
        Relation::Less => up && most - 1 + total <= i64::from(i32::MAX),
        Relation::AtMost => up && most + total <= i64::from(i32::MAX),
        Relation::Greater => down && least + 1 + total >= i64::from(i32::MIN),
        Relation::AtLeast => down && least + total >= i64::from(i32::MIN),
        // By ones it meets every value.
        Relation::NotEqual => matches!(steps, [only] if only.by.abs() == 1),
        // The round after a step no longer holds it.
        Relation::Equal => !steps.is_empty() && (up || down) && total.abs() < 1 << 31,
    }
}
