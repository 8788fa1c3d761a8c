//! What keeps a method from being lowered, as one byte: every step of lowering may answer it.

use crate::classfile::Code;
use crate::decode::decode;
use crate::id::Pc;
use crate::insn::Operand;
use crate::link::LinkErrorKind;

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
        let insn = match decode(code.bytes, pc) {
            Ok(insn) => insn,
            Err(error) => return LinkErrorKind::Decode(error.kind),
        };
        match (self, insn.operand) {
            (Self::Opcode, _) => LinkErrorKind::Opcode(insn.opcode),
            (Self::Constant, Operand::Constant(index)) => LinkErrorKind::Constant(index),
            (Self::Member, Operand::Constant(index)) => LinkErrorKind::Member(index),
            (Self::Target, Operand::Branch(target)) => LinkErrorKind::Target { target },
            (Self::Target, _) => LinkErrorKind::Target {
                target: insn.next_pc().into(),
            },
            (Self::Descriptor, _) => LinkErrorKind::Descriptor,
            (Self::Stack, _) => LinkErrorKind::Stack,
            (Self::Code | Self::Constant | Self::Member | Self::Count, _) => LinkErrorKind::Count,
        }
    }
}
