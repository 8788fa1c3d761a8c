//! Control flow of one instruction: where it may go.

use jive_core::{Cases, Opcode, Operand};

/// The targets of a branch or switch, the default one first; a target that equals the one before it does
/// not come twice.
///
/// Compilers fill the holes of a `tableswitch` with its default, so most of a wide one is repetition.
pub(crate) struct Targets<'a> {
    next: Option<i64>,
    cases: Option<Cases<'a>>,
}

/// Returns where an instruction may go besides the next one.
pub(crate) fn targets<'a>(operand: &Operand<'a>) -> Targets<'a> {
    let (next, cases) = match operand {
        Operand::Branch(target) => (Some(*target), None),
        Operand::TableSwitch(switch) => (Some(switch.default()), Some(switch.cases())),
        Operand::LookupSwitch(switch) => (Some(switch.default()), Some(switch.cases())),
        Operand::None
        | Operand::Int(_)
        | Operand::Constant(_)
        | Operand::Local(_)
        | Operand::LocalIncrement { .. }
        | Operand::ArrayType(_)
        | Operand::InvokeInterface { .. }
        | Operand::InvokeDynamic(_)
        | Operand::MultiArray { .. } => (None, None),
    };
    Targets { next, cases }
}

impl Iterator for Targets<'_> {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        let target = self.next?;
        let cases = self.cases.as_mut();
        self.next = cases
            .and_then(|cases| cases.find(|(_, other)| *other != target))
            .map(|(_, other)| other);
        Some(target)
    }
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
