//! Instructions whose operands are read when somebody asks for them.

use crate::decode::{DecodeError, DecodeErrorKind, decode_unusual};
use crate::id::{CpIndex, Pc};
use crate::insn::{Insn, Operand, target};
use crate::opcode::{Opcode, OperandLayout};

/// An instruction of which its opcode and its length are known, and no operand has been read.
///
/// Holding one proves what an [`Insn`] does. Whoever walks over code asks little of most instructions, and this
/// costs a look into the opcode table.
#[derive(Copy, Clone, Debug)]
pub struct RawInsn<'a> {
    /// Where the instruction begins; a `wide` prefix belongs to it.
    pub pc: Pc,
    /// The opcode; after `wide`, of the widened instruction.
    pub opcode: Opcode,
    /// All of its bytes.
    bytes: &'a [u8],
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
        let bytes = code.get(pc.index()..)?.get(..length.into())?;
        Some(Self { pc, opcode, bytes })
    }

    /// Finds the instruction at `pc`, if its opcode tells its length.
    #[cfg_attr(threaded, inline(always))]
    pub(crate) fn fixed(code: &'a [u8], pc: Pc) -> Option<Self> {
        let at = code.get(pc.index()..)?;
        let opcode = Opcode::from_byte(*at.first()?)?;
        match at.get(..opcode.fixed_length().into()) {
            Some(bytes @ [_, ..]) => Some(Self { pc, opcode, bytes }),
            Some([]) | None => None,
        }
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

    /// Reads the operands of a switch, which lies in this code.
    ///
    /// # Errors
    /// Where it is another instruction or lies elsewhere.
    pub fn switch(&self, code: &'a [u8]) -> Result<Insn<'a>, DecodeError> {
        decode_unusual(code, self.pc)
    }

    /// Reads all operands of an instruction of fixed length.
    #[cfg_attr(threaded, inline(always))]
    pub(crate) fn decoded(self) -> Insn<'a> {
        let operand = match self.opcode.layout() {
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
            opcode: self.opcode,
            wide: false,
            length: self.opcode.fixed_length().into(),
            operand,
        }
    }

    /// Returns where the next instruction begins; one past the code, for the last.
    #[must_use]
    pub const fn next_pc(&self) -> usize {
        // A code array is shorter than memory.
        self.pc.index().wrapping_add(self.bytes.len())
    }

    /// Returns the `int` that `iconst_0` and the like, `bipush` or `sipush` pushes.
    #[must_use]
    pub fn int(&self) -> i32 {
        match self.opcode.layout() {
            OperandLayout::ImplicitInt(value) => value.into(),
            OperandLayout::Byte => self.byte(1).cast_signed().into(),
            _ => self.short(1).cast_signed().into(),
        }
    }

    /// Returns the local variable that it names.
    #[must_use]
    pub fn local(&self) -> u16 {
        match self.opcode.layout() {
            OperandLayout::ImplicitLocal(local) => local.into(),
            _ if self.is_wide() => self.short(2),
            _ => self.byte(1).into(),
        }
    }

    /// Returns what `iinc` adds.
    #[must_use]
    pub fn increment(&self) -> i16 {
        if self.is_wide() {
            self.short(4).cast_signed()
        } else {
            self.byte(2).cast_signed().into()
        }
    }

    /// Tells whether it names a local variable behind `wide`.
    const fn is_wide(&self) -> bool {
        self.bytes.len() > 3
    }

    /// Returns the constant that it names.
    #[must_use]
    pub fn constant(&self) -> CpIndex {
        CpIndex(match self.opcode.layout() {
            OperandLayout::ConstantByte => self.byte(1).into(),
            _ => self.short(1),
        })
    }

    /// Returns the number of the array type that `newarray` names.
    #[must_use]
    pub fn array_type(&self) -> u8 {
        self.byte(1)
    }

    /// Returns one of its bytes.
    fn byte(&self, place: usize) -> u8 {
        self.bytes.get(place).copied().unwrap_or(0)
    }

    /// Returns two of its bytes as one number.
    fn short(&self, place: usize) -> u16 {
        let bytes = self.bytes.get(place..).and_then(<[u8]>::first_chunk);
        u16::from_be_bytes(bytes.copied().unwrap_or([0; 2]))
    }

    /// Returns the absolute target of a branch.
    #[must_use]
    pub fn target(&self) -> i64 {
        let offset = match *self.bytes {
            [_, a, b, c, d] => i32::from_be_bytes([a, b, c, d]),
            _ => self.short(1).cast_signed().into(),
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
