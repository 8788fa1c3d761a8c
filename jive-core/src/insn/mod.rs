//! Instructions as they stand in a class file (JVMS §6.5).

mod decode;
mod raw;
mod walk;

pub use decode::{DecodeError, DecodeErrorKind, decode};
pub use raw::RawInsn;
pub use walk::{Instructions, RawInstructions, instructions, raw_instructions};

use crate::id::{CpIndex, Pc};
use crate::opcode::{Action, Opcode};

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

impl<'a> Insn<'a> {
    /// Returns where the next instruction begins; one past the code, for the last.
    #[must_use]
    pub fn next_pc(&self) -> u32 {
        u32::from(self.pc.0).saturating_add(self.length)
    }

    /// Returns what the instruction does.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.opcode.action()
    }

    /// Returns the targets of a branch or switch; none for other instructions. Whether the next instruction may
    /// follow too is [`Opcode::falls_through`].
    #[must_use]
    pub fn targets(&self) -> Targets<'a> {
        let next = match self.operand {
            Operand::Branch(target) => Some(target),
            Operand::TableSwitch(TableSwitch(switch))
            | Operand::LookupSwitch(LookupSwitch(switch)) => Some(switch.default()),
            Operand::None
            | Operand::Int(_)
            | Operand::Constant(_)
            | Operand::Local(_)
            | Operand::LocalIncrement { .. }
            | Operand::ArrayType(_)
            | Operand::InvokeInterface { .. }
            | Operand::InvokeDynamic(_)
            | Operand::MultiArray { .. } => None,
        };
        Targets {
            next,
            cases: self.operand.cases(),
        }
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

impl<'a> Operand<'a> {
    /// Returns the cases of a switch besides its default; `None` for all other operands.
    #[must_use]
    pub fn cases(&self) -> Option<Cases<'a>> {
        match self {
            Self::TableSwitch(switch) => Some(switch.cases()),
            Self::LookupSwitch(switch) => Some(switch.cases()),
            Self::None
            | Self::Int(_)
            | Self::Constant(_)
            | Self::Local(_)
            | Self::LocalIncrement { .. }
            | Self::Branch(_)
            | Self::ArrayType(_)
            | Self::InvokeInterface { .. }
            | Self::InvokeDynamic(_)
            | Self::MultiArray { .. } => None,
        }
    }
}

/// The operands of `tableswitch`.
///
/// Holding one proves that `low` is at most `high` and that every offset is there.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TableSwitch<'a>(SwitchBytes<'a>);

impl<'a> TableSwitch<'a> {
    /// Returns the absolute target for keys outside the table.
    #[must_use]
    pub fn default(&self) -> i64 {
        self.0.default()
    }

    /// Returns the first key.
    #[must_use]
    pub fn low(&self) -> i32 {
        self.0.int(1)
    }

    /// Returns the last key.
    #[must_use]
    pub fn high(&self) -> i32 {
        self.0.int(2)
    }

    /// Returns each key with its absolute target, lowest key first.
    #[must_use]
    pub fn cases(&self) -> Cases<'a> {
        Cases {
            pc: self.0.pc,
            numbers: self.0.numbers(3),
            low: Some(self.low()),
        }
    }

    /// Returns whether every byte of padding is 0, as HotSpot demands below class file version 51.
    #[must_use]
    pub fn padding_is_zero(&self) -> bool {
        self.0.padding_is_zero()
    }
}

/// The operands of `lookupswitch`.
///
/// Holding one proves that every pair is there and that the keys ascend, none twice.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LookupSwitch<'a>(SwitchBytes<'a>);

impl<'a> LookupSwitch<'a> {
    /// Returns the absolute target for keys that the table lacks.
    #[must_use]
    pub fn default(&self) -> i64 {
        self.0.default()
    }

    /// Returns each key with its absolute target, lowest key first.
    #[must_use]
    pub fn cases(&self) -> Cases<'a> {
        Cases {
            pc: self.0.pc,
            numbers: self.0.numbers(2),
            low: None,
        }
    }

    /// Returns whether every byte of padding is 0, as HotSpot demands below class file version 51.
    #[must_use]
    pub fn padding_is_zero(&self) -> bool {
        self.0.padding_is_zero()
    }
}

/// What stands behind the opcode of a switch: padding up to a multiple of four bytes, and numbers of
/// four bytes each.
///
/// It is kept as it is, since an instruction is decoded a dozen times and rarely a switch.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct SwitchBytes<'a> {
    pub(crate) pc: Pc,
    pub(crate) bytes: &'a [u8],
}

impl<'a> SwitchBytes<'a> {
    /// Returns how many bytes of padding follow the opcode: the code array begins at a multiple of four.
    pub(crate) const fn padding_length(pc: Pc) -> usize {
        match pc.0 % 4 {
            0 => 3,
            1 => 2,
            2 => 1,
            _ => 0,
        }
    }

    /// Returns one of the numbers, by its place from 0 on; 0 where it is not there.
    pub(crate) fn int(&self, place: usize) -> i32 {
        let number = self.numbers(place).first();
        number.map_or(0, |number| i32::from_be_bytes(*number))
    }

    /// Returns the numbers from a place on.
    fn numbers(&self, place: usize) -> &'a [[u8; 4]] {
        let start = Self::padding_length(self.pc).saturating_add(place.saturating_mul(4));
        self.bytes.get(start..).unwrap_or(&[]).as_chunks().0
    }

    fn default(&self) -> i64 {
        target(self.pc, self.int(0))
    }

    fn padding_is_zero(&self) -> bool {
        let padding = self.bytes.iter().take(Self::padding_length(self.pc));
        padding.into_iter().all(|&byte| byte == 0)
    }
}

/// The keys of a switch with their absolute targets, lowest key first.
#[derive(Clone, Debug)]
pub struct Cases<'a> {
    pc: Pc,
    /// The offsets; where keys are not consecutive, each behind its key.
    numbers: &'a [[u8; 4]],
    /// The next of consecutive keys.
    low: Option<i32>,
}

impl Iterator for Cases<'_> {
    type Item = (i32, i64);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, offset) = match (self.numbers, &mut self.low) {
            ([offset, rest @ ..], Some(low)) => {
                self.numbers = rest;
                let key = *low;
                // Wraps only behind the last key, where `high` is the greatest `int`.
                *low = low.wrapping_add(1);
                (key, offset)
            }
            ([key, offset, rest @ ..], None) => {
                self.numbers = rest;
                (i32::from_be_bytes(*key), offset)
            }
            ([], _) | ([_], None) => return None,
        };
        Some((key, target(self.pc, i32::from_be_bytes(*offset))))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = match self.low {
            Some(_) => self.numbers.len(),
            None => self.numbers.len() / 2,
        };
        (count, Some(count))
    }
}

impl ExactSizeIterator for Cases<'_> {}

/// The targets of a branch or switch, the default one first; one that equals the one before it does not
/// come twice.
///
/// Compilers fill the holes of a `tableswitch` with its default, so most of a wide one is repetition.
#[derive(Clone, Debug, Default)]
pub struct Targets<'a> {
    next: Option<i64>,
    cases: Option<Cases<'a>>,
}

impl Targets<'_> {
    /// Returns the one target of a branch.
    pub(crate) const fn one(target: i64) -> Self {
        Self {
            next: Some(target),
            cases: None,
        }
    }
}

impl Iterator for Targets<'_> {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        let target = self.next?;
        let cases = self.cases.as_mut();
        self.next = cases
            .and_then(|cases| cases.find(|(_, other)| *other != target))
            .map(|(_, other)| other);
        Some(target)
    }
}

/// Adds a branch offset to a pc, in 64 bits, where nothing can wrap.
fn target(pc: Pc, offset: i32) -> i64 {
    i64::from(pc.0).wrapping_add(i64::from(offset))
}
