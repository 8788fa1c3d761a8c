//! The condition of a branch: which values it compares.

use jive_core::{
    Action, BinaryOperator, ClassFile, Comparison, Computational, Constant, ConstantSource,
    CpIndex, MemberUse, Operand, Pc,
};

use super::calls::pushes;
use super::depths::Depths;
use super::graph::{ControlFlow, Node};

/// The condition under which a branch is taken.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) left: Value,
    pub(crate) comparison: Comparison,
    pub(crate) right: Value,
    /// The instruction to which the branch jumps if it is taken.
    pub(crate) target: Node,
}

/// A value that a branch compares.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Constant(i32),
    Local(u16),
    Field(CpIndex),
    /// The length of the array in a local variable.
    LocalLength(u16),
    /// The length of the array in a field.
    FieldLength(CpIndex),
}

/// Returns how an instruction compares two `int`s to decide a branch, and the target of the branch.
pub(crate) fn comparison(
    graph: &ControlFlow<'_>,
    node: Node,
) -> Option<(Comparison, Operands, Node)> {
    let insn = graph.insn(node);
    let Operand::Branch(target) = insn.operand else {
        return None;
    };
    let (comparison, operands) = match insn.action() {
        Action::BranchZero(comparison) => (comparison, Operands::AndZero),
        Action::BranchInt(comparison) => (comparison, Operands::Two),
        // An unconditional jump has no condition, and a comparison of references has no order.
        _ => return None,
    };
    let target = graph.node(Pc(u16::try_from(target).ok()?))?;
    Some((comparison, operands, target))
}

/// The operands that a branch compares.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operands {
    /// The topmost value of the operand stack, and 0.
    AndZero,
    /// The two topmost values.
    Two,
}

/// Returns the condition of a branch, if both values that it compares are loaded right before it.
pub(crate) fn condition(
    class: &ClassFile<'_>,
    graph: &ControlFlow<'_>,
    node: Node,
) -> Option<Condition> {
    let (comparison, operands, target) = comparison(graph, node)?;
    let (right, before) = match operands {
        Operands::Two => value_before(class, graph, node)?,
        Operands::AndZero => (Value::Constant(0), node),
    };
    let (left, _) = value_before(class, graph, before)?;
    Some(Condition {
        left,
        comparison,
        right,
        target,
    })
}

/// Returns the value on top of the operand stack before an instruction, and the first instruction that computes the
/// value.
fn value_before(
    class: &ClassFile<'_>,
    graph: &ControlFlow<'_>,
    node: Node,
) -> Option<(Value, Node)> {
    let last = only_way_to(graph, node)?;
    let insn = graph.insn(last);
    let value = match (insn.action(), insn.operand) {
        (Action::Load(Computational::Int), Operand::Local(local)) => Value::Local(local),
        (Action::Constant(ConstantSource::Immediate), Operand::Int(value)) => {
            Value::Constant(value)
        }
        (Action::Constant(ConstantSource::Pool), Operand::Constant(index)) => {
            match class.pool().get(index).ok()? {
                Constant::Integer(value) => Value::Constant(value),
                _ => return None,
            }
        }
        (Action::Member(MemberUse::Load), Operand::Constant(index)) => {
            return Some((Value::Field(index), receiver_before(graph, last)?));
        }
        (Action::Member(MemberUse::LoadStatic), Operand::Constant(index)) => Value::Field(index),
        (Action::ArrayLength, _) => return reference_before(graph, last),
        _ => return None,
    };
    Some((value, last))
}

/// Returns the length of the array on top of the operand stack before `node`, and the first instruction that computes
/// the array.
fn reference_before(graph: &ControlFlow<'_>, node: Node) -> Option<(Value, Node)> {
    let last = only_way_to(graph, node)?;
    let insn = graph.insn(last);
    match (insn.action(), insn.operand) {
        (Action::Load(Computational::Reference), Operand::Local(local)) => {
            Some((Value::LocalLength(local), last))
        }
        (Action::Member(MemberUse::LoadStatic), Operand::Constant(index)) => {
            Some((Value::FieldLength(index), last))
        }
        (Action::Member(MemberUse::Load), Operand::Constant(index)) => {
            Some((Value::FieldLength(index), receiver_before(graph, last)?))
        }
        _ => None,
    }
}

/// Returns the instruction that loads the receiver of the field access `node`. The receiver itself does not matter,
/// because the class has a single instance. Only a receiver in a local variable is recognized, because a chain of field
/// accesses may be as long as the method.
fn receiver_before(graph: &ControlFlow<'_>, node: Node) -> Option<Node> {
    let last = only_way_to(graph, node)?;
    let is_local = graph.insn(last).action() == Action::Load(Computational::Reference);
    is_local.then_some(last)
}

/// Returns the constant that a store to a local variable adds to the variable, as in `i = i + 2`.
pub(crate) fn added(
    class: &ClassFile<'_>,
    graph: &ControlFlow<'_>,
    store: Node,
    local: u16,
) -> Option<i64> {
    let computed = only_way_to(graph, store)?;
    let Action::Binary(operator) = graph.insn(computed).action() else {
        return None;
    };
    let (right, before) = value_before(class, graph, computed)?;
    let (left, _) = value_before(class, graph, before)?;
    match (operator, left, right) {
        (BinaryOperator::Add, Value::Local(from), Value::Constant(by))
        | (BinaryOperator::Add, Value::Constant(by), Value::Local(from))
            if from == local =>
        {
            Some(by.into())
        }
        (BinaryOperator::Subtract, Value::Local(from), Value::Constant(by)) if from == local => {
            Some(-i64::from(by))
        }
        _ => None,
    }
}

/// Returns the instruction that precedes `node`, if execution can reach `node` only from there.
pub(crate) fn only_way_to(graph: &ControlFlow<'_>, node: Node) -> Option<Node> {
    match graph.predecessors(node) {
        [only] if *only + 1 == node => Some(*only),
        _ => None,
    }
}

/// Longest distance that is searched between the use of an operand and its load, in instructions. Expressions that a
/// compiler generates are shorter than this distance.
const DISTANCE_MAX: usize = 64;

/// Returns the local variable that was loaded as operand `position`, counted from the bottom of the stack, and the
/// load. Execution always continues from that load to `node`, without a branch. The local variable may change between
/// the load and `node`.
pub(crate) fn loaded(
    class: &ClassFile<'_>,
    (graph, depths): (&ControlFlow<'_>, &Depths),
    node: Node,
    position: usize,
) -> Option<(u16, Node)> {
    let mut at = node;
    for _ in 0..DISTANCE_MAX {
        let previous = only_way_to(graph, at)?;
        let insn = graph.insn(previous);
        if graph.successors(previous).len() != 1 || matches!(insn.action(), Action::Shuffle(_)) {
            return None;
        }
        // `insn` pushed all operands from `untouched` upwards, so it did not change an operand below them.
        let untouched = depths
            .before(graph.insn(at).pc)?
            .checked_sub(pushes(class, insn))?;
        at = previous;
        if untouched > position {
            continue;
        }
        return match (insn.action(), insn.operand) {
            (Action::Load(Computational::Int), Operand::Local(local)) => Some((local, at)),
            _ => None,
        };
    }
    None
}
