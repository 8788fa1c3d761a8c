//! The decoder: one instruction of a code array at a time (JVMS §4.9.1, §6.5).

use crate::id::{CpIndex, Pc};
use crate::opcode::{Opcode, OperandLayout};

/// An instruction as it stands in the class file.
///
/// Holding one proves that its bytes lie inside the code array and are laid out as its opcode
/// demands. Branch targets, constant pool indices and local variables are still claims.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Insn<'a> {
    /// Where the instruction begins; a `wide` prefix belongs to it.
    pub pc: Pc,
    /// The opcode; after `wide`, of the widened instruction.
    pub opcode: Opcode,
    /// Whether `wide` stands before the opcode.
    pub wide: bool,
    /// How many bytes the instruction takes, prefix and padding included.
    pub length: u32,
    /// What the bytes behind the opcode say.
    pub operand: Operand<'a>,
}

impl Insn<'_> {
    /// Returns where the next instruction begins; one past the code, for the last.
    #[must_use]
    pub fn next_pc(&self) -> u32 {
        u32::from(self.pc.0).saturating_add(self.length)
    }
}

/// What an instruction says besides its opcode.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Operand<'a> {
    /// Nothing.
    None,
    /// An `int` constant, from its bytes or from the opcode itself.
    Int(i32),
    /// An index into the constant pool.
    Constant(CpIndex),
    /// A local variable, from its bytes or from the opcode itself.
    Local(u16),
    /// A local variable and what `iinc` adds to it.
    LocalIncrement {
        /// The local variable.
        local: u16,
        /// The increment.
        by: i16,
    },
    /// The absolute target of a branch, which may lie anywhere, outside the code array too.
    Branch(i64),
    /// A table of consecutive keys.
    TableSwitch(TableSwitch<'a>),
    /// A sorted table of keys.
    LookupSwitch(LookupSwitch<'a>),
    /// The array type of `newarray`, by its number; any number.
    ArrayType(u8),
    /// The operands of `invokeinterface`.
    InvokeInterface {
        /// The method.
        method: CpIndex,
        /// How many slots the arguments take, `this` included; never 0.
        count: u8,
    },
    /// The call site of `invokedynamic`.
    InvokeDynamic(CpIndex),
    /// The operands of `multianewarray`.
    MultiArray {
        /// The array class.
        class: CpIndex,
        /// How many dimensions are created; never 0.
        dimensions: u8,
    },
}

/// The operands of `tableswitch`.
///
/// Holding one proves that `low` is at most `high` and that every offset is there.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TableSwitch<'a> {
    pc: Pc,
    padding: &'a [u8],
    default: i32,
    low: i32,
    high: i32,
    offsets: &'a [[u8; 4]],
}

impl<'a> TableSwitch<'a> {
    /// Returns the absolute target for keys outside the table.
    #[must_use]
    pub fn default(&self) -> i64 {
        target(self.pc, self.default)
    }

    /// Returns the first key.
    #[must_use]
    pub const fn low(&self) -> i32 {
        self.low
    }

    /// Returns the last key.
    #[must_use]
    pub const fn high(&self) -> i32 {
        self.high
    }

    /// Returns each key with its absolute target, lowest key first.
    #[must_use]
    pub fn cases(&self) -> Cases<'a> {
        Cases {
            pc: self.pc,
            rows: Rows::Consecutive {
                low: self.low,
                offsets: self.offsets.iter(),
            },
        }
    }

    /// Tells whether every byte of padding is 0, as HotSpot demands below class file version 51.
    #[must_use]
    pub fn padding_is_zero(&self) -> bool {
        self.padding.iter().all(|&byte| byte == 0)
    }
}

/// The operands of `lookupswitch`.
///
/// Holding one proves that every pair is there and that the keys ascend, none twice.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LookupSwitch<'a> {
    pc: Pc,
    padding: &'a [u8],
    default: i32,
    pairs: &'a [[u8; 8]],
}

impl<'a> LookupSwitch<'a> {
    /// Returns the absolute target for keys that the table lacks.
    #[must_use]
    pub fn default(&self) -> i64 {
        target(self.pc, self.default)
    }

    /// Returns each key with its absolute target, lowest key first.
    #[must_use]
    pub fn cases(&self) -> Cases<'a> {
        Cases {
            pc: self.pc,
            rows: Rows::Pairs(self.pairs.iter()),
        }
    }

    /// Tells whether every byte of padding is 0, as HotSpot demands below class file version 51.
    #[must_use]
    pub fn padding_is_zero(&self) -> bool {
        self.padding.iter().all(|&byte| byte == 0)
    }
}

/// The keys of a switch with their absolute targets, lowest key first.
#[derive(Clone, Debug)]
pub struct Cases<'a> {
    pc: Pc,
    rows: Rows<'a>,
}

#[derive(Clone, Debug)]
enum Rows<'a> {
    Consecutive {
        low: i32,
        offsets: core::slice::Iter<'a, [u8; 4]>,
    },
    Pairs(core::slice::Iter<'a, [u8; 8]>),
}

impl Iterator for Cases<'_> {
    type Item = (i32, i64);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, offset) = match &mut self.rows {
            Rows::Consecutive { low, offsets } => {
                let offset = i32::from_be_bytes(*offsets.next()?);
                let key = *low;
                // Wraps only behind the last key, where `high` is the greatest `int`.
                *low = low.wrapping_add(1);
                (key, offset)
            }
            Rows::Pairs(pairs) => pair(pairs.next()?),
        };
        Some((key, target(self.pc, offset)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.rows {
            Rows::Consecutive { offsets, .. } => offsets.size_hint(),
            Rows::Pairs(pairs) => pairs.size_hint(),
        }
    }
}

impl ExactSizeIterator for Cases<'_> {}

/// Why the bytes at a pc are no instruction.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (pc {pc})")]
pub struct DecodeError {
    /// Where the instruction begins.
    pub pc: Pc,
    /// The rule that is broken.
    pub kind: DecodeErrorKind,
}

/// The rule that the bytes of an instruction break (JVMS §4.9.1, §6.5).
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeErrorKind {
    /// The code array ends inside the instruction.
    #[error("expected the rest of the instruction, found the end of the code")]
    Truncated,
    /// No opcode has this number.
    #[error("expected an opcode, found byte {0:#04x}")]
    UnknownOpcode(u8),
    /// `wide` stands before an opcode that has no wide form; the byte may be no opcode at all.
    #[error("expected an instruction with a wide form after `wide`, found byte {0:#04x}")]
    WideOperand(u8),
    /// The keys of a `tableswitch` descend.
    #[error("expected `low` to be at most `high`, found {low} and {high}")]
    TableBounds {
        /// The first key.
        low: i32,
        /// The last key.
        high: i32,
    },
    /// A `lookupswitch` has a negative count of pairs.
    #[error("expected a count of pairs of 0 or more, found {count}")]
    NegativePairs {
        /// The count.
        count: i32,
    },
    /// The keys of a `lookupswitch` do not ascend.
    #[error("expected keys in ascending order, found {key} after {previous}")]
    UnsortedKeys {
        /// The greater or equal key that stands first.
        previous: i32,
        /// The key behind it.
        key: i32,
    },
    /// A byte that must be 0 is not.
    #[error("expected a byte of 0 behind the operands, found {found:#04x}")]
    NonZeroByte {
        /// The byte.
        found: u8,
    },
    /// The count of `invokeinterface` or the dimensions of `multianewarray` are 0.
    #[error("expected a count of at least 1, found 0")]
    ZeroCount,
}

/// Decodes the instruction at `pc`.
///
/// ```
/// use jive_core::{decode, Opcode, Operand, Pc};
///
/// let insn = decode(&[0x10, 0xff, 0xac], Pc(0)).unwrap();
/// assert_eq!((insn.opcode, insn.operand, insn.length), (Opcode::Bipush, Operand::Int(-1), 2));
/// ```
///
/// # Errors
///
/// Where the bytes at `pc` are no instruction, or not a whole one. The padding of a switch may hold
/// anything (JVMS §6.5.tableswitch): HotSpot demands zeros below class file version 51 only, which
/// whoever knows the version asks of [`TableSwitch::padding_is_zero`].
pub fn decode(code: &[u8], pc: Pc) -> Result<Insn<'_>, DecodeError> {
    let mut bytes = Bytes {
        rest: code.get(pc.index()..).unwrap_or(&[]),
    };
    let total = bytes.rest.len();
    let (opcode, wide, operand) =
        instruction(&mut bytes, pc).map_err(|kind| DecodeError { pc, kind })?;
    let length = total.saturating_sub(bytes.rest.len());
    match u32::try_from(length) {
        Ok(length) => Ok(Insn {
            pc,
            opcode,
            wide,
            length,
            operand,
        }),
        // Only a code array that no class file can hold has such an instruction.
        Err(_) => Err(DecodeError {
            pc,
            kind: DecodeErrorKind::Truncated,
        }),
    }
}

/// Decodes a code array from its beginning, instruction by instruction, and ends behind the first error.
#[must_use]
pub const fn instructions(code: &[u8]) -> Instructions<'_> {
    Instructions {
        code,
        next: Some(0),
    }
}

/// The instructions of a code array, one after the other.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    code: &'a [u8],
    /// Where the next instruction begins; `None` behind an error.
    next: Option<u32>,
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Insn<'a>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        let pc = Pc(u16::try_from(self.next?).ok()?);
        if pc.index() >= self.code.len() {
            return None;
        }
        let decoded = decode(self.code, pc);
        self.next = decoded.ok().map(|insn| insn.next_pc());
        Some(decoded)
    }
}

impl core::iter::FusedIterator for Instructions<'_> {}

fn instruction<'a>(
    bytes: &mut Bytes<'a>,
    pc: Pc,
) -> Result<(Opcode, bool, Operand<'a>), DecodeErrorKind> {
    let byte = bytes.u8()?;
    let opcode = Opcode::from_byte(byte).ok_or(DecodeErrorKind::UnknownOpcode(byte))?;
    let operand = match opcode.layout() {
        OperandLayout::None => Operand::None,
        OperandLayout::ImplicitInt(value) => Operand::Int(i32::from(value)),
        OperandLayout::ImplicitLocal(local) => Operand::Local(u16::from(local)),
        OperandLayout::Byte => Operand::Int(i32::from(bytes.i8()?)),
        OperandLayout::Short => Operand::Int(i32::from(bytes.i16()?)),
        OperandLayout::ConstantByte => Operand::Constant(CpIndex(u16::from(bytes.u8()?))),
        OperandLayout::Constant => Operand::Constant(CpIndex(bytes.u16()?)),
        OperandLayout::Local => Operand::Local(u16::from(bytes.u8()?)),
        OperandLayout::LocalIncrement => Operand::LocalIncrement {
            local: u16::from(bytes.u8()?),
            by: i16::from(bytes.i8()?),
        },
        OperandLayout::Branch => Operand::Branch(target(pc, i32::from(bytes.i16()?))),
        OperandLayout::BranchWide => Operand::Branch(target(pc, bytes.i32()?)),
        OperandLayout::TableSwitch => Operand::TableSwitch(table_switch(bytes, pc)?),
        OperandLayout::LookupSwitch => Operand::LookupSwitch(lookup_switch(bytes, pc)?),
        OperandLayout::InvokeInterface => {
            let method = CpIndex(bytes.u16()?);
            let count = bytes.count()?;
            bytes.zero()?;
            Operand::InvokeInterface { method, count }
        }
        OperandLayout::InvokeDynamic => {
            let call_site = CpIndex(bytes.u16()?);
            bytes.zero()?;
            bytes.zero()?;
            Operand::InvokeDynamic(call_site)
        }
        OperandLayout::ArrayType => Operand::ArrayType(bytes.u8()?),
        OperandLayout::MultiArray => Operand::MultiArray {
            class: CpIndex(bytes.u16()?),
            dimensions: bytes.count()?,
        },
        OperandLayout::Wide => {
            let (opcode, operand) = widened(bytes)?;
            return Ok((opcode, true, operand));
        }
    };
    Ok((opcode, false, operand))
}

/// Decodes what stands behind `wide`: an opcode that names a local variable in a byte of its own.
fn widened<'a>(bytes: &mut Bytes<'_>) -> Result<(Opcode, Operand<'a>), DecodeErrorKind> {
    let byte = bytes.u8()?;
    let opcode = Opcode::from_byte(byte).ok_or(DecodeErrorKind::WideOperand(byte))?;
    let operand = match opcode.layout() {
        OperandLayout::Local => Operand::Local(bytes.u16()?),
        OperandLayout::LocalIncrement => Operand::LocalIncrement {
            local: bytes.u16()?,
            by: bytes.i16()?,
        },
        OperandLayout::None
        | OperandLayout::ImplicitInt(_)
        | OperandLayout::ImplicitLocal(_)
        | OperandLayout::Byte
        | OperandLayout::Short
        | OperandLayout::ConstantByte
        | OperandLayout::Constant
        | OperandLayout::Branch
        | OperandLayout::BranchWide
        | OperandLayout::TableSwitch
        | OperandLayout::LookupSwitch
        | OperandLayout::InvokeInterface
        | OperandLayout::InvokeDynamic
        | OperandLayout::ArrayType
        | OperandLayout::MultiArray
        | OperandLayout::Wide => return Err(DecodeErrorKind::WideOperand(byte)),
    };
    Ok((opcode, operand))
}

fn table_switch<'a>(bytes: &mut Bytes<'a>, pc: Pc) -> Result<TableSwitch<'a>, DecodeErrorKind> {
    let padding = bytes.padding(pc)?;
    let default = bytes.i32()?;
    let low = bytes.i32()?;
    let high = bytes.i32()?;
    if low > high {
        return Err(DecodeErrorKind::TableBounds { low, high });
    }
    // In 64 bits, since `high - low + 1` can be 2^32.
    let count = i64::from(high)
        .saturating_sub(i64::from(low))
        .saturating_add(1);
    Ok(TableSwitch {
        pc,
        padding,
        default,
        low,
        high,
        offsets: bytes.rows(count)?,
    })
}

fn lookup_switch<'a>(bytes: &mut Bytes<'a>, pc: Pc) -> Result<LookupSwitch<'a>, DecodeErrorKind> {
    let padding = bytes.padding(pc)?;
    let default = bytes.i32()?;
    let count = bytes.i32()?;
    if count < 0 {
        return Err(DecodeErrorKind::NegativePairs { count });
    }
    let pairs: &[[u8; 8]] = bytes.rows(i64::from(count))?;
    for (first, second) in pairs.iter().zip(pairs.iter().skip(1)) {
        let ((previous, _), (key, _)) = (pair(first), pair(second));
        if previous >= key {
            return Err(DecodeErrorKind::UnsortedKeys { previous, key });
        }
    }
    Ok(LookupSwitch {
        pc,
        padding,
        default,
        pairs,
    })
}

/// Splits a row of a `lookupswitch` into key and offset.
fn pair(row: &[u8; 8]) -> (i32, i32) {
    let [k0, k1, k2, k3, o0, o1, o2, o3] = *row;
    (
        i32::from_be_bytes([k0, k1, k2, k3]),
        i32::from_be_bytes([o0, o1, o2, o3]),
    )
}

/// Adds a branch offset to a pc, in 64 bits, where nothing can wrap.
fn target(pc: Pc, offset: i32) -> i64 {
    i64::from(pc.0).saturating_add(i64::from(offset))
}

/// The bytes of a code array that are not decoded yet.
struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeErrorKind> {
        let (head, rest) = self
            .rest
            .split_first_chunk()
            .ok_or(DecodeErrorKind::Truncated)?;
        self.rest = rest;
        Ok(*head)
    }

    fn u8(&mut self) -> Result<u8, DecodeErrorKind> {
        self.array().map(u8::from_be_bytes)
    }

    fn i8(&mut self) -> Result<i8, DecodeErrorKind> {
        self.array().map(i8::from_be_bytes)
    }

    fn u16(&mut self) -> Result<u16, DecodeErrorKind> {
        self.array().map(u16::from_be_bytes)
    }

    fn i16(&mut self) -> Result<i16, DecodeErrorKind> {
        self.array().map(i16::from_be_bytes)
    }

    fn i32(&mut self) -> Result<i32, DecodeErrorKind> {
        self.array().map(i32::from_be_bytes)
    }

    fn count(&mut self) -> Result<u8, DecodeErrorKind> {
        match self.u8()? {
            0 => Err(DecodeErrorKind::ZeroCount),
            count => Ok(count),
        }
    }

    fn zero(&mut self) -> Result<(), DecodeErrorKind> {
        match self.u8()? {
            0 => Ok(()),
            found => Err(DecodeErrorKind::NonZeroByte { found }),
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeErrorKind> {
        let (head, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or(DecodeErrorKind::Truncated)?;
        self.rest = rest;
        Ok(head)
    }

    /// Takes the bytes up to the next multiple of four, counted from the beginning of the code array.
    fn padding(&mut self, pc: Pc) -> Result<&'a [u8], DecodeErrorKind> {
        self.take(match pc.0 % 4 {
            0 => 3,
            1 => 2,
            2 => 1,
            _ => 0,
        })
    }

    /// Takes `count` rows of `N` bytes.
    fn rows<const N: usize>(&mut self, count: i64) -> Result<&'a [[u8; N]], DecodeErrorKind> {
        let length = usize::try_from(count)
            .ok()
            .and_then(|count| count.checked_mul(N))
            .ok_or(DecodeErrorKind::Truncated)?;
        let (rows, _) = self.take(length)?.as_chunks();
        Ok(rows)
    }
}
