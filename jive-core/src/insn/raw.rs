//! Instructions whose operands are read on demand.

use super::decode::{DecodeErrorKind, decode_variable};
use super::{Insn, Operand, Targets, target};
use crate::id::{CpIndex, Pc};
use crate::opcode::{
    Action, Exclusion, Opcode, OperandLayout, Row, StackChange, fixed_length, row,
};

/// An instruction with its opcode and its length, whose operands have not been read.
///
/// Holding one proves the same as an [`Insn`]. A walk over code needs few operands of most instructions; making a
/// `RawInsn` costs one lookup in the opcode table.
#[derive(Copy, Clone, Debug)]
pub struct RawInsn<'a> {
    /// Where the instruction begins; a `wide` prefix belongs to it.
    pub pc: Pc,
    /// The row of its opcode in the table.
    row: &'static Row,
    /// How many bytes it takes.
    length: u16,
    /// The whole code array.
    code: &'a [u8],
}

impl<'a> RawInsn<'a> {
    /// Finds the instruction at `pc`. Returns `None` where [`decode`](crate::decode) fails.
    #[cfg_attr(threaded, inline(always))]
    #[must_use]
    pub fn at(code: &'a [u8], pc: Pc) -> Option<Self> {
        if let Some(insn) = Self::fixed(code, pc) {
            return Some(insn);
        }
        let (opcode, length) = variable_length(code, pc)?;
        Some(Self {
            pc,
            row: row(opcode.byte()),
            length,
            code,
        })
    }

    /// Finds the instruction at `pc` if its opcode has a fixed length.
    #[cfg_attr(threaded, inline(always))]
    pub(crate) fn fixed(code: &'a [u8], pc: Pc) -> Option<Self> {
        let byte = *code.get(pc.index())?;
        let row = row(byte);
        let length = fixed_length(byte);
        // One comparison for two checks: for the length 0 of a variable length, `last` wraps to `usize::MAX`.
        let last = usize::from(length).wrapping_sub(1);
        let left = code.len().wrapping_sub(pc.index());
        (last < left).then_some(Self {
            pc,
            row,
            length: length.into(),
            code,
        })
    }

    /// Returns the opcode; after `wide`, of the widened instruction.
    #[must_use]
    pub const fn opcode(&self) -> Opcode {
        self.row.opcode()
    }

    /// Returns why the opcode is outside the subset, or `None` where it is inside.
    #[must_use]
    pub const fn exclusion(&self) -> Option<Exclusion> {
        self.row.exclusion()
    }

    /// Returns how its operand bytes are laid out; after `wide`, as without it.
    #[must_use]
    pub const fn layout(&self) -> OperandLayout {
        self.row.layout()
    }

    /// Returns what the instruction does.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.row.action()
    }

    /// Returns whether the next instruction may be executed after this one.
    #[must_use]
    pub const fn falls_through(&self) -> bool {
        self.row.falls_through()
    }

    /// Returns how many values it pops and pushes.
    #[must_use]
    pub const fn stack_change(&self) -> StackChange {
        self.row.stack_change()
    }

    /// Returns the targets of a branch or switch, as [`Insn::targets`] does; none for other instructions.
    #[cfg_attr(threaded, inline(always))]
    #[must_use]
    pub fn targets(&self) -> Targets<'a> {
        let layout = self.layout();
        if !layout.has_targets() {
            Targets::default()
        } else if layout.is_branch() {
            Targets::one(self.target())
        } else {
            self.switch_targets()
        }
    }

    #[cold]
    #[inline(never)]
    fn switch_targets(&self) -> Targets<'a> {
        self.decode().map(|insn| insn.targets()).unwrap_or_default()
    }

    /// Says why there is no instruction at `pc`.
    #[cold]
    #[must_use]
    pub fn fault(code: &'a [u8], pc: Pc) -> DecodeErrorKind {
        match decode_variable(code, pc) {
            Err(error) => error.kind,
            Ok(_) => DecodeErrorKind::Truncated,
        }
    }

    /// Decodes an instruction of variable length, such as a switch. Returns `None` for other instructions.
    #[must_use]
    pub fn decode(&self) -> Option<Insn<'a>> {
        decode_variable(self.code, self.pc).ok()
    }

    /// Reads all operands of an instruction of fixed length.
    #[cfg_attr(threaded, inline(always))]
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
            // Instructions of variable length, which this is not called for.
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
            length: self.length.into(),
            operand,
        }
    }

    /// Returns the pc behind the instruction: of the next one, or the length of the code.
    #[must_use]
    pub const fn next_pc(&self) -> usize {
        // A code array is shorter than memory; widens, for which `From` is not const.
        self.pc.index().wrapping_add(self.length as usize)
    }

    /// Returns the `int` that `iconst_0` and the like, `bipush` or `sipush` pushes.
    #[cfg_attr(threaded, inline(always))]
    #[must_use]
    pub fn int(&self) -> i32 {
        match self.layout() {
            OperandLayout::ImplicitInt(value) => value.into(),
            OperandLayout::Byte => self.byte(1).cast_signed().into(),
            _ => self.short(1).cast_signed().into(),
        }
    }

    /// Returns the local variable that it names.
    #[cfg_attr(threaded, inline(always))]
    #[must_use]
    pub fn local(&self) -> u16 {
        match self.layout() {
            OperandLayout::ImplicitLocal(local) => local.into(),
            _ if self.is_wide() => self.short(2),
            _ => self.byte(1).into(),
        }
    }

    /// Returns what `iinc` adds.
    #[cfg_attr(threaded, inline(always))]
    #[must_use]
    pub fn increment(&self) -> i16 {
        if self.is_wide() {
            self.short(4).cast_signed()
        } else {
            self.byte(2).cast_signed().into()
        }
    }

    /// Returns whether a `wide` prefix or a four-byte offset makes the instruction longer.
    const fn is_wide(&self) -> bool {
        self.length > 3
    }

    /// Returns the constant that it names.
    #[cfg_attr(threaded, inline(always))]
    #[must_use]
    pub fn constant(&self) -> CpIndex {
        CpIndex(match self.layout() {
            OperandLayout::ConstantByte => self.byte(1).into(),
            _ => self.short(1),
        })
    }

    /// Returns the number of the array type that `newarray` names.
    #[cfg_attr(threaded, inline(always))]
    #[must_use]
    pub fn array_type(&self) -> u8 {
        self.byte(1)
    }

    /// Returns one of its bytes.
    #[cfg_attr(threaded, inline(always))]
    fn byte(&self, place: usize) -> u8 {
        let at = self.pc.index().wrapping_add(place);
        self.code.get(at).copied().unwrap_or(0)
    }

    /// Returns two of its bytes as one number.
    #[cfg_attr(threaded, inline(always))]
    fn short(&self, place: usize) -> u16 {
        let at = self.pc.index().wrapping_add(place);
        let bytes = self.code.get(at..).and_then(<[u8]>::first_chunk);
        u16::from_be_bytes(bytes.copied().unwrap_or([0; 2]))
    }

    /// Returns the absolute target of a branch.
    #[cfg_attr(threaded, inline(always))]
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

/// Finds the opcode and the length of an instruction of variable length.
// Both fit in one register. A larger result would be returned in memory, and then the compiler would keep the result
// of the common case in memory too.
#[cold]
#[inline(never)]
fn variable_length(code: &[u8], pc: Pc) -> Option<(Opcode, u16)> {
    let insn = decode_variable(code, pc).ok()?;
    Some((insn.opcode, u16::try_from(insn.length).ok()?))
}
