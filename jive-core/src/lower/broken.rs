//! What keeps a method from being lowered, as one byte: every step of lowering may answer it.

use crate::classfile::Code;
use crate::id::Pc;
use crate::link::LinkErrorKind;
use crate::opcode::OperandLayout;
use crate::raw::RawInsn;

/// A promise that a class does not keep; [`Broken::at`] tells the rest.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// The code does not decode.
    Code,
    /// The instruction is outside the subset.
    Opcode,
    /// A branch goes to what is no instruction.
    Target,
    /// A constant is not what the instruction needs.
    Constant,
    /// A name means nothing.
    Member,
    /// A type is outside the subset.
    Descriptor,
    /// The operand stack is not what the instruction needs.
    Stack,
    /// A count passes what a program can hold.
    Count,
}

impl Broken {
    /// Looks up what the instruction has to do with it.
    #[cold]
    pub(super) fn at(self, code: &Code<'_>, pc: Pc) -> LinkErrorKind {
        use OperandLayout as L;
        let Some(insn) = RawInsn::at(code.bytes, pc) else {
            return LinkErrorKind::Decode(RawInsn::fault(code.bytes, pc));
        };
        match (self, insn.layout()) {
            (Self::Opcode, _) => LinkErrorKind::Opcode(insn.opcode()),
            (Self::Constant, L::Constant | L::ConstantByte) => {
                LinkErrorKind::Constant(insn.constant())
            }
            (Self::Member, L::Constant | L::ConstantByte) => LinkErrorKind::Member(insn.constant()),
            (Self::Target, L::Branch | L::BranchWide) => LinkErrorKind::Target {
                target: insn.target(),
            },
            (Self::Target, _) => LinkErrorKind::Target {
                target: i64::try_from(insn.next_pc()).unwrap_or(i64::MAX),
            },
            (Self::Descriptor, _) => LinkErrorKind::Descriptor,
            (Self::Stack, _) => LinkErrorKind::Stack,
            (Self::Code | Self::Constant | Self::Member | Self::Count, _) => LinkErrorKind::Count,
        }
    }
}
