//! Control flow of one instruction: where it may go.

use jive_core::{Opcode, Operand};

/// Calls `visit` with each target of a branch or switch, the default one first; a target that equals
/// the one before it is not visited twice.
///
/// Compilers fill the holes of a `tableswitch` with its default, so most of a wide one is repetition.
pub(crate) fn each_target<E>(
    operand: &Operand<'_>,
    mut visit: impl FnMut(i64) -> Result<(), E>,
) -> Result<(), E> {
    let (first, cases) = match operand {
        Operand::Branch(target) => (*target, None),
        Operand::TableSwitch(switch) => (switch.default(), Some(switch.cases())),
        Operand::LookupSwitch(switch) => (switch.default(), Some(switch.cases())),
        Operand::None
        | Operand::Int(_)
        | Operand::Constant(_)
        | Operand::Local(_)
        | Operand::LocalIncrement { .. }
        | Operand::ArrayType(_)
        | Operand::InvokeInterface { .. }
        | Operand::InvokeDynamic(_)
        | Operand::MultiArray { .. } => return Ok(()),
    };
    visit(first)?;
    let mut last = first;
    for (_, target) in cases.into_iter().flatten() {
        if target != last {
            visit(target)?;
            last = target;
        }
    }
    Ok(())
}

/// Returns how many cases a switch has besides its default, and 0 for other instructions.
pub(crate) fn case_count(operand: &Operand<'_>) -> usize {
    match operand {
        Operand::TableSwitch(switch) => switch.cases().len(),
        Operand::LookupSwitch(switch) => switch.cases().len(),
        Operand::Branch(_)
        | Operand::None
        | Operand::Int(_)
        | Operand::Constant(_)
        | Operand::Local(_)
        | Operand::LocalIncrement { .. }
        | Operand::ArrayType(_)
        | Operand::InvokeInterface { .. }
        | Operand::InvokeDynamic(_)
        | Operand::MultiArray { .. } => 0,
    }
}

/// Whether execution may go on with the next instruction.
pub(crate) const fn falls_through(opcode: Opcode) -> bool {
    !matches!(
        opcode,
        Opcode::Goto
            | Opcode::GotoW
            | Opcode::Tableswitch
            | Opcode::Lookupswitch
            | Opcode::Ireturn
            | Opcode::Areturn
            | Opcode::Return
    )
}
