//! Decoded instructions of a class file (JVMS §6.5), and iterators over them.

mod decode;
mod error;
mod raw;
mod variable;
mod walk;

pub use decode::decode;
pub use error::{DecodeError, DecodeErrorKind};
pub use raw::RawInsn;
pub use walk::{Instructions, RawInstructions, instructions, raw_instructions};

use crate::id::{CpIndex, Pc};
use crate::opcode::{Action, Opcode};

/// A decoded instruction of a class file.
///
/// The bytes of the instruction are inside the code array, and its operand bytes have the layout of the opcode. Branch
/// targets, constant pool indices and local variable indices are unchecked.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Insn<'a> {
    /// Where the instruction starts, including a `wide` prefix.
    pub pc: Pc,
    /// The opcode. After `wide`, the opcode of the widened instruction.
    pub opcode: Opcode,
    /// Whether the instruction has a `wide` prefix.
    pub wide: bool,
    /// Length in bytes, including prefix and padding.
    pub length: u32,
    /// The decoded operands.
    pub operand: Operand<'a>,
}

impl<'a> Insn<'a> {
    /// Returns where the next instruction starts. For the last instruction, returns the length of the code.
    #[must_use]
    pub fn next_pc(&self) -> u32 {
        u32::from(self.pc.0).saturating_add(self.length)
    }

    /// Returns the action of the instruction: what it does.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.opcode.action()
    }

    /// Returns the targets of a branch or switch, and no targets for other instructions. [`Opcode::falls_through`]
    /// tells whether execution can also continue with the next instruction.
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

/// The operands of an instruction.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Operand<'a> {
    /// No operands.
    None,
    /// An `int` constant, encoded in the operand bytes or implied by the opcode.
    Int(i32),
    /// An index into the constant pool.
    Constant(CpIndex),
    /// A local variable, encoded in the operand bytes or implied by the opcode.
    Local(u16),
    /// The operands of `iinc`.
    LocalIncrement {
        /// The local variable.
        local: u16,
        /// The constant that `iinc` adds.
        by: i16,
    },
    /// The absolute target of a branch. A branch target is unchecked and may be outside the code array.
    Branch(i64),
    /// The operands of `tableswitch`.
    TableSwitch(TableSwitch<'a>),
    /// The operands of `lookupswitch`.
    LookupSwitch(LookupSwitch<'a>),
    /// The type code of `newarray`. Unchecked.
    ArrayType(u8),
    /// The operands of `invokeinterface`.
    InvokeInterface {
        /// The method.
        method: CpIndex,
        /// Number of slots that the arguments of the call take, including `this`. At least 1.
        count: u8,
    },
    /// The call site of `invokedynamic`.
    InvokeDynamic(CpIndex),
    /// The operands of `multianewarray`.
    MultiArray {
        /// The array class.
        class: CpIndex,
        /// Number of dimensions that `multianewarray` allocates. At least 1.
        dimensions: u8,
    },
}

impl<'a> Operand<'a> {
    /// Returns the cases of a switch, without the default. Returns `None` for operands that are not those of a switch.
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
/// The lowest key, `low`, is at most `high`, and the table has an offset for each key.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TableSwitch<'a>(SwitchBytes<'a>);

impl<'a> TableSwitch<'a> {
    /// Returns the absolute target of a `tableswitch` for keys outside the table.
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

    /// Returns each key of the switch with its absolute target, lowest key first.
    #[must_use]
    pub fn cases(&self) -> Cases<'a> {
        Cases {
            pc: self.0.pc,
            numbers: self.0.numbers(3),
            low: Some(self.low()),
        }
    }

    /// Returns whether all padding bytes of the switch are 0, which HotSpot requires below class file version 51.
    #[must_use]
    pub fn padding_is_zero(&self) -> bool {
        self.0.padding_is_zero()
    }
}

/// The operands of `lookupswitch`.
///
/// The code array contains all pairs of the `lookupswitch`, and the keys are in strictly ascending order.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LookupSwitch<'a>(SwitchBytes<'a>);

impl<'a> LookupSwitch<'a> {
    /// Returns the absolute target of a `lookupswitch` for keys that are not in the table.
    #[must_use]
    pub fn default(&self) -> i64 {
        self.0.default()
    }

    /// Returns each key of the switch with its absolute target, lowest key first.
    #[must_use]
    pub fn cases(&self) -> Cases<'a> {
        Cases {
            pc: self.0.pc,
            numbers: self.0.numbers(2),
            low: None,
        }
    }

    /// Returns whether all padding bytes of the switch are 0, which HotSpot requires below class file version 51.
    #[must_use]
    pub fn padding_is_zero(&self) -> bool {
        self.0.padding_is_zero()
    }
}

/// The bytes after the opcode of a switch: padding up to a multiple of four bytes, then four-byte numbers.
///
/// Kept undecoded. Each load decodes an instruction about a dozen times, and switches are rare, so a small
/// [`Operand`] matters more than fast access to cases.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct SwitchBytes<'a> {
    pub(crate) pc: Pc,
    pub(crate) bytes: &'a [u8],
}

impl<'a> SwitchBytes<'a> {
    /// Returns the number of padding bytes after the opcode. The padding of a switch aligns its numbers to a multiple
    /// of four from the start of the code array.
    pub(crate) const fn padding_length(pc: Pc) -> usize {
        match pc.0 % 4 {
            0 => 3,
            1 => 2,
            2 => 1,
            _ => 0,
        }
    }

    /// Returns the four-byte number of a switch at an index, counting from 0. Returns 0 if the index is out of bounds.
    pub(crate) fn int(&self, place: usize) -> i32 {
        let number = self.numbers(place).first();
        number.map_or(0, |number| i32::from_be_bytes(*number))
    }

    /// Returns the four-byte numbers of a switch from an index onwards.
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

/// Iterates over the keys of a switch with their absolute targets, lowest key first.
#[derive(Clone, Debug)]
pub struct Cases<'a> {
    pc: Pc,
    /// Remaining offsets. For `lookupswitch`, remaining pairs of key and offset.
    numbers: &'a [[u8; 4]],
    /// Next key of a `tableswitch`, whose keys are consecutive. `None` for `lookupswitch`.
    low: Option<i32>,
}

impl Iterator for Cases<'_> {
    type Item = (i32, i64);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, offset) = match (self.numbers, &mut self.low) {
            ([offset, rest @ ..], Some(low)) => {
                self.numbers = rest;
                let key = *low;
                // The addition wraps only after the last key, if `high` is the greatest `int`.
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

/// Iterates over the targets of a branch or switch, the default first. The iterator skips a target that equals the
/// target before it.
///
/// Compilers fill holes of a `tableswitch` with the default target, so sparse tables mostly repeat the default target.
#[derive(Clone, Debug, Default)]
pub struct Targets<'a> {
    next: Option<i64>,
    cases: Option<Cases<'a>>,
}

impl Targets<'_> {
    /// Returns the single target of a branch.
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

/// Adds a branch offset to a pc. The sum of pc and offset is computed in 64 bits, so it cannot wrap.
fn target(pc: Pc, offset: i32) -> i64 {
    i64::from(pc.0).wrapping_add(i64::from(offset))
}
