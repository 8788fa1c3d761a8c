//! Instructions with operands that are decoded on demand.

use super::error::DecodeErrorKind;
use super::variable::decode_variable;
use super::{Insn, Operand, Targets, target};
use crate::id::{CpIndex, Pc};
use crate::opcode::{
    Action, Exclusion, Opcode, OperandLayout, Row, StackChange, fixed_length, row,
};

/// An instruction with known opcode and length, whose operands are not decoded yet.
///
/// A `RawInsn` guarantees the same properties as an [`Insn`]. A `RawInsn` serves passes over code, most of which need
/// few operands. Creating a `RawInsn` costs only a lookup in the opcode table.
#[derive(Copy, Clone, Debug)]
pub struct RawInsn<'a> {
    /// Where the instruction starts, including a `wide` prefix.
    pub pc: Pc,
    /// The opcode's row in the opcode table.
    row: &'static Row,
    /// The pc after the instruction.
    // The next pc is stored in place of the length, because each step of a walk over code waits for the next pc. From a
    // length, the compiler would compute the next pc only when the step ends, and would keep the length on the stack
    // until then. Walks were measured to take up to a third more time with a length.
    next: usize,
    /// The whole code array.
    code: &'a [u8],
}

impl<'a> RawInsn<'a> {
    /// Reads the instruction at `pc`. Returns `None` where [`decode`](crate::decode) fails.
    #[inline(always)]
    #[must_use]
    pub fn at(code: &'a [u8], pc: Pc) -> Option<Self> {
        if let Some(insn) = Self::fixed(code, pc) {
            return Some(insn);
        }
        let (opcode, length) = variable_length(code, pc)?;
        Some(Self {
            pc,
            row: row(opcode.byte()),
            next: pc.index().wrapping_add(length.into()),
            code,
        })
    }

    /// Reads the instruction at `pc` if its opcode has a fixed length.
    #[inline(always)]
    pub(crate) fn fixed(code: &'a [u8], pc: Pc) -> Option<Self> {
        let byte = *code.get(pc.index())?;
        let row = row(byte);
        let length = fixed_length(byte);
        // A single comparison checks that the length is fixed and that the code array contains the whole instruction.
        // Opcodes of variable length have length 0 in the opcode table, for which `last` wraps to `usize::MAX`.
        let last = usize::from(length).wrapping_sub(1);
        let left = code.len().wrapping_sub(pc.index());
        (last < left).then_some(Self {
            pc,
            row,
            next: pc.index().wrapping_add(length.into()),
            code,
        })
    }

    /// Returns the opcode. Returns the instruction's opcode. After `wide`, returns the opcode of the widened
    /// instruction.
    #[must_use]
    pub const fn opcode(&self) -> Opcode {
        self.row.opcode()
    }

    /// Returns why the opcode is outside the subset, or `None` if it is inside.
    #[must_use]
    pub const fn exclusion(&self) -> Option<Exclusion> {
        self.row.exclusion()
    }

    /// Returns the layout of the operand bytes, which a `wide` prefix does not change.
    #[must_use]
    pub const fn layout(&self) -> OperandLayout {
        self.row.layout()
    }

    /// Returns the action of the instruction: what it does.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.row.action()
    }

    /// Returns whether execution can continue with the next instruction.
    #[must_use]
    pub const fn falls_through(&self) -> bool {
        self.row.falls_through()
    }

    /// Returns how many values the instruction pops and pushes.
    #[must_use]
    pub const fn stack_change(&self) -> StackChange {
        self.row.stack_change()
    }

    /// Returns the targets of a branch or switch, like [`Insn::targets`]. Returns no targets for instructions that are
    /// neither branches nor switches.
    #[inline(always)]
    #[must_use]
    pub fn targets(&self) -> Targets<'a> {
        let layout = self.layout();
        if !layout.has_targets() {
            Targets::default()
        } else if layout.is_branch() {
            Targets::one(self.target())
        } else {
            switch_targets(self.code, self.pc)
        }
    }

    /// Returns why there is no valid instruction at `pc`.
    #[cold]
    #[must_use]
    pub fn fault(code: &'a [u8], pc: Pc) -> DecodeErrorKind {
        match decode_variable(code, pc) {
            Err(error) => error.kind,
            Ok(_) => DecodeErrorKind::Truncated,
        }
    }

    /// Decodes an instruction of variable length, such as a switch. Returns `None` for instructions of fixed length.
    #[inline(always)]
    #[must_use]
    pub fn decode(&self) -> Option<Insn<'a>> {
        decode_variable(self.code, self.pc).ok()
    }

    /// Decodes the operands of an instruction of fixed length.
    #[inline(always)]
    pub(crate) fn decoded(self) -> Insn<'a> {
        let operand = match self.layout() {
            OperandLayout::None => Operand::None,
            OperandLayout::ImplicitInt(_) | OperandLayout::Byte | OperandLayout::Short => {
                Operand::Int(self.int())
            }
            OperandLayout::ImplicitLocal(_) | OperandLayout::Local => Operand::Local(self.local()),
            OperandLayout::LocalIncrement => Operand::LocalIncrement {
                local: self.local(),
                by: self.increment(),
            },
            OperandLayout::ConstantByte | OperandLayout::Constant => {
                Operand::Constant(self.constant())
            }
            OperandLayout::Branch | OperandLayout::BranchWide => Operand::Branch(self.target()),
            OperandLayout::ArrayType => Operand::ArrayType(self.array_type()),
            // The arm for layouts of variable length is unreachable, because the instruction has a fixed length.
            OperandLayout::TableSwitch
            | OperandLayout::LookupSwitch
            | OperandLayout::InvokeInterface
            | OperandLayout::InvokeDynamic
            | OperandLayout::MultiArray
            | OperandLayout::Wide => Operand::None,
        };
        Insn {
            pc: self.pc,
            opcode: self.opcode(),
            wide: false,
            // The cast is lossless, because an instruction of fixed length has at most five bytes.
            length: self.length() as u32,
            operand,
        }
    }

    /// Returns the pc after this instruction. For the last instruction, returns the length of the code.
    #[must_use]
    pub const fn next_pc(&self) -> usize {
        self.next
    }

    /// Returns the length of the instruction in bytes.
    const fn length(&self) -> usize {
        self.next.wrapping_sub(self.pc.index())
    }

    /// Returns the `int` that `bipush`, `sipush` or an `iconst` instruction pushes.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    #[cfg_attr(not(target_pointer_width = "32"), inline(always))]
    #[must_use]
    pub fn int(&self) -> i32 {
        match self.layout() {
            OperandLayout::ImplicitInt(value) => value.into(),
            OperandLayout::Byte => self.byte(1).cast_signed().into(),
            _ => self.short(1).cast_signed().into(),
        }
    }

    /// Returns the local variable that the instruction accesses.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    #[cfg_attr(not(target_pointer_width = "32"), inline(always))]
    #[must_use]
    pub fn local(&self) -> u16 {
        match self.layout() {
            OperandLayout::ImplicitLocal(local) => local.into(),
            _ if self.is_wide() => self.short(2),
            _ => self.byte(1).into(),
        }
    }

    /// Returns the constant that `iinc` adds.
    #[inline(always)]
    #[must_use]
    pub fn increment(&self) -> i16 {
        if self.is_wide() {
            self.short(4).cast_signed()
        } else {
            self.byte(2).cast_signed().into()
        }
    }

    /// Returns whether the operands have their wide form, after a `wide` prefix or in `goto_w` and `jsr_w`. Without the
    /// wide form, no instruction with a local variable or a branch offset is longer than three bytes.
    const fn is_wide(&self) -> bool {
        self.length() > 3
    }

    /// Returns the constant pool index in the operand bytes.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    #[cfg_attr(not(target_pointer_width = "32"), inline(always))]
    #[must_use]
    pub fn constant(&self) -> CpIndex {
        CpIndex(match self.layout() {
            OperandLayout::ConstantByte => self.byte(1).into(),
            _ => self.short(1),
        })
    }

    /// Returns the type code of `newarray`.
    #[inline(always)]
    #[must_use]
    pub fn array_type(&self) -> u8 {
        self.byte(1)
    }

    /// Returns the byte at an offset from the start of the instruction.
    #[inline(always)]
    fn byte(&self, place: usize) -> u8 {
        let at = self.pc.index().wrapping_add(place);
        self.code.get(at).copied().unwrap_or(0)
    }

    /// Returns the big-endian `u16` at an offset from the start of the instruction.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    #[cfg_attr(not(target_pointer_width = "32"), inline(always))]
    fn short(&self, place: usize) -> u16 {
        let at = self.pc.index().wrapping_add(place);
        let bytes = self.code.get(at..).and_then(<[u8]>::first_chunk);
        u16::from_be_bytes(bytes.copied().unwrap_or([0; 2]))
    }

    /// Returns the absolute target of a branch.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    #[cfg_attr(not(target_pointer_width = "32"), inline(always))]
    #[must_use]
    pub fn target(&self) -> i64 {
        let [a, b] = self.short(1).to_be_bytes();
        let offset = if self.is_wide() {
            let [c, d] = self.short(3).to_be_bytes();
            i32::from_be_bytes([a, b, c, d])
        } else {
            i16::from_be_bytes([a, b]).into()
        };
        target(self.pc, offset)
    }
}

/// Returns the targets of the switch at `pc`.
// The function takes parts of the instruction, because the compiler passes a `RawInsn` in memory. For a function that
// takes a `RawInsn`, the compiler would write every instruction of a walk to memory.
#[cold]
#[inline(never)]
fn switch_targets(code: &[u8], pc: Pc) -> Targets<'_> {
    let insn = decode_variable(code, pc);
    insn.map(|insn| insn.targets()).unwrap_or_default()
}

/// Returns the opcode and length of an instruction of variable length.
// The pair of opcode and length fits in one processor register. The compiler would return a larger result in memory,
// and would then also keep the result of the common case in memory.
#[cold]
#[inline(never)]
fn variable_length(code: &[u8], pc: Pc) -> Option<(Opcode, u16)> {
    let insn = decode_variable(code, pc).ok()?;
    Some((insn.opcode, u16::try_from(insn.length).ok()?))
}
