//! Instructions whose operands are read when somebody asks for them.

use crate::decode::{DecodeErrorKind, decode_unusual};
use crate::id::{CpIndex, Pc};
use crate::insn::{Insn, Operand, target};
use crate::opcode::{
    Exclusion, Opcode, OperandLayout, Row, StackChange, StackKind, fixed_length, row,
};

/// An instruction of which its opcode and its length are known, and no operand has been read.
///
/// Holding one proves what an [`Insn`] does. Whoever walks over code asks little of most instructions, and this
/// costs a look into the opcode table.
#[derive(Copy, Clone, Debug)]
pub struct RawInsn<'a> {
    /// Where the instruction begins; a `wide` prefix belongs to it.
    pub pc: Pc,
    /// The row of its opcode in the table.
    row: &'static Row,
    /// How many bytes it takes.
    length: u16,
    /// All code: whoever walks over it has it at hand in any case.
    code: &'a [u8],
}

impl<'a> RawInsn<'a> {
    /// Finds the instruction at `pc`; none where [`decode`](crate::decode) finds none.
    #[cfg_attr(threaded, inline(always))]
    #[must_use]
    pub fn at(code: &'a [u8], pc: Pc) -> Option<Self> {
        if let Some(insn) = Self::fixed(code, pc) {
            return Some(insn);
        }
        let (opcode, length) = unusual(code, pc)?;
        Some(Self {
            pc,
            row: row(opcode.byte()),
            length,
            code,
        })
    }

    /// Finds the instruction at `pc`, if its opcode tells its length.
    #[cfg_attr(threaded, inline(always))]
    pub(crate) fn fixed(code: &'a [u8], pc: Pc) -> Option<Self> {
        let byte = *code.get(pc.index())?;
        let row = row(byte);
        let length = fixed_length(byte);
        // One comparison for both: 0 less 1 is more than all bytes there are.
        let last = usize::from(length).wrapping_sub(1);
        let behind = code.len().wrapping_sub(pc.index());
        (last < behind).then_some(Self {
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
    pub fn exclusion(&self) -> Option<Exclusion> {
        self.row.is_unsupported().then(|| self.row.exclusion())
    }

    /// Returns how its operand bytes are laid out; after `wide`, as without it.
    #[must_use]
    pub const fn layout(&self) -> OperandLayout {
        self.row.layout()
    }

    /// Tells whether execution may go on with the next instruction.
    #[must_use]
    pub const fn falls_through(&self) -> bool {
        self.row.falls_through()
    }

    /// Returns what it does to the depth of the operand stack.
    #[must_use]
    pub const fn stack_change(&self) -> StackChange {
        self.row.stack_change()
    }

    /// Returns the one kind of all values that it pops and pushes, where its effect is fixed.
    #[must_use]
    pub const fn stack_kind(&self) -> Option<StackKind> {
        self.row.stack_kind()
    }

    /// Says why there is no instruction at `pc`.
    #[cold]
    #[must_use]
    pub fn fault(code: &'a [u8], pc: Pc) -> DecodeErrorKind {
        match decode_unusual(code, pc) {
            Err(error) => error.kind,
            Ok(_) => DecodeErrorKind::Truncated,
        }
    }

    /// Decodes an instruction whose opcode does not tell its length, as a switch.
    #[must_use]
    pub fn unusual(code: &'a [u8], pc: usize) -> Option<Insn<'a>> {
        decode_unusual(code, Pc(u16::try_from(pc).ok()?)).ok()
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
            // Their length is not fixed.
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

    /// Returns where the next instruction begins; one past the code, for the last.
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

    /// Tells whether it names a local variable behind `wide`, or branches by four bytes.
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

/// Finds the opcode and the length of an instruction whose opcode does not tell its length.
// Both fit in a register together: more would be passed in memory, and with it what the common case finds.
#[cold]
#[inline(never)]
fn unusual(code: &[u8], pc: Pc) -> Option<(Opcode, u16)> {
    let insn = decode_unusual(code, pc).ok()?;
    Some((insn.opcode, u16::try_from(insn.length).ok()?))
}
