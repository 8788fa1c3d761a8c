//! Decoder for a single instruction of a code array (JVMS §4.9.1, §6.5).

use super::{Insn, LookupSwitch, Operand, RawInsn, SwitchBytes, TableSwitch};
use crate::id::{CpIndex, Pc};

use crate::opcode::{Opcode, OperandLayout};

/// Why the bytes at a pc are not an instruction.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (pc {pc})")]
pub struct DecodeError {
    /// Where the instruction starts.
    pub pc: Pc,
    /// The rule that the bytes at the pc break.
    pub kind: DecodeErrorKind,
}

/// The rule that the bytes of an instruction break (JVMS §4.9.1, §6.5).
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeErrorKind {
    /// The code array ends inside the instruction.
    #[error("expected the rest of the instruction, found the end of the code")]
    Truncated,
    /// No opcode has this byte.
    #[error("expected an opcode, found byte {0:#04x}")]
    UnknownOpcode(u8),
    /// `wide` precedes a byte that is not an opcode with a wide form.
    #[error("expected an instruction with a wide form after `wide`, found byte {0:#04x}")]
    WideOperand(u8),
    /// The lowest key of a `tableswitch` is greater than the highest.
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
    /// The keys of a `lookupswitch` are not in ascending order.
    #[error("expected keys in ascending order, found {key} after {previous}")]
    UnsortedKeys {
        /// The earlier key, which is greater than or equal to `key`.
        previous: i32,
        /// The key that follows `previous`.
        key: i32,
    },
    /// A byte that must be 0 has another value.
    #[error("expected a byte of 0 behind the operands, found {found:#04x}")]
    NonZeroByte {
        /// The byte.
        found: u8,
    },
    /// The count of `invokeinterface` or the number of dimensions of `multianewarray` is 0.
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
/// Returns an error if the bytes at `pc` are not a complete instruction. The padding of a switch may have any value
/// (JVMS §6.5.tableswitch). HotSpot requires that the padding of a switch is zeros below class file version 51. A
/// caller that has the class file version can check the padding of a switch with [`TableSwitch::padding_is_zero`].
// `decode` is inlined except in builds optimized for size: callers match on the operand at once, and the compiler
// merges both matches.
#[inline(always)]
pub fn decode(code: &[u8], pc: Pc) -> Result<Insn<'_>, DecodeError> {
    match RawInsn::fixed(code, pc) {
        Some(insn) => Ok(insn.decoded()),
        None => decode_variable(code, pc),
    }
}

/// Decodes an instruction of variable length, or returns why the bytes are not an instruction.
#[cold]
#[inline(never)]
pub(super) fn decode_variable(code: &[u8], pc: Pc) -> Result<Insn<'_>, DecodeError> {
    let at = code.get(pc.index()..).unwrap_or_default();
    match variable(at, pc) {
        Ok((opcode, length, operand)) => Ok(Insn {
            pc,
            opcode,
            wide: at.first() == Some(&Opcode::Wide.byte()),
            length,
            operand,
        }),
        Err(kind) => Err(DecodeError { pc, kind }),
    }
}

/// Opcode, length in bytes, and operands of an instruction.
type Decoded<'a> = Result<(Opcode, u32, Operand<'a>), DecodeErrorKind>;

fn variable(at: &[u8], pc: Pc) -> Decoded<'_> {
    let (&byte, operands) = at.split_first().ok_or(DecodeErrorKind::Truncated)?;
    let opcode = Opcode::from_byte(byte).ok_or(DecodeErrorKind::UnknownOpcode(byte))?;
    match opcode.layout() {
        OperandLayout::TableSwitch => table_switch(operands, pc),
        OperandLayout::LookupSwitch => lookup_switch(operands, pc),
        OperandLayout::InvokeInterface
        | OperandLayout::InvokeDynamic
        | OperandLayout::MultiArray => outside(opcode, operands),
        OperandLayout::Wide => widened(operands),
        OperandLayout::None
        | OperandLayout::ImplicitInt(_)
        | OperandLayout::ImplicitLocal(_)
        | OperandLayout::Byte
        | OperandLayout::Short
        | OperandLayout::ConstantByte
        | OperandLayout::Constant
        | OperandLayout::Local
        | OperandLayout::LocalIncrement
        | OperandLayout::Branch
        | OperandLayout::BranchWide
        | OperandLayout::ArrayType => Err(DecodeErrorKind::Truncated),
    }
}

/// Decodes the operands of `invokeinterface`, `invokedynamic` and `multianewarray`, which are outside the subset, but
/// whose operand bytes JVMS restricts.
fn outside<'a>(opcode: Opcode, operands: &[u8]) -> Decoded<'a> {
    let index = array(operands).ok_or(DecodeErrorKind::Truncated)?;
    let index = CpIndex(u16::from_be_bytes(index));
    let byte = |place: usize| {
        operands
            .get(place)
            .copied()
            .ok_or(DecodeErrorKind::Truncated)
    };
    let count = || match byte(2)? {
        0 => Err(DecodeErrorKind::ZeroCount),
        count => Ok(count),
    };
    let zero = |place| match byte(place)? {
        0 => Ok(()),
        found => Err(DecodeErrorKind::NonZeroByte { found }),
    };
    if opcode == Opcode::Multianewarray {
        let dimensions = count()?;
        let operand = Operand::MultiArray {
            class: index,
            dimensions,
        };
        return Ok((opcode, 4, operand));
    }
    let operand = if opcode == Opcode::Invokeinterface {
        let count = count()?;
        Operand::InvokeInterface {
            method: index,
            count,
        }
    } else {
        zero(2)?;
        Operand::InvokeDynamic(index)
    };
    zero(3)?;
    Ok((opcode, 5, operand))
}

/// Decodes the instruction after a `wide` prefix: an opcode with a local variable index, which takes two bytes.
fn widened<'a>(bytes: &[u8]) -> Decoded<'a> {
    let (&byte, operands) = bytes.split_first().ok_or(DecodeErrorKind::Truncated)?;
    let refused = DecodeErrorKind::WideOperand(byte);
    let opcode = Opcode::from_byte(byte).ok_or(refused)?;
    let has_increment = match opcode.layout() {
        OperandLayout::Local => false,
        OperandLayout::LocalIncrement => true,
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
        | OperandLayout::Wide => return Err(refused),
    };
    let (local, rest) = operands
        .split_first_chunk()
        .ok_or(DecodeErrorKind::Truncated)?;
    let local = u16::from_be_bytes(*local);
    Ok(if has_increment {
        let by = i16::from_be_bytes(array(rest).ok_or(DecodeErrorKind::Truncated)?);
        (opcode, 6, Operand::LocalIncrement { local, by })
    } else {
        (opcode, 4, Operand::Local(local))
    })
}

fn table_switch(bytes: &[u8], pc: Pc) -> Decoded<'_> {
    let head = TableSwitch(switch_bytes(bytes, pc, Some(3))?);
    let (low, high) = (head.low(), head.high());
    if low > high {
        return Err(DecodeErrorKind::TableBounds { low, high });
    }
    // A `tableswitch` has default, low, high, and one offset for each key. A `tableswitch` can claim 2^32 keys, so the
    // addition of their count is checked.
    let numbers = high.abs_diff(low).checked_add(4);
    let switch = switch_bytes(bytes, pc, numbers)?;
    let operand = Operand::TableSwitch(TableSwitch(switch));
    Ok((Opcode::Tableswitch, switch_length(switch), operand))
}

fn lookup_switch(bytes: &[u8], pc: Pc) -> Decoded<'_> {
    let count = switch_bytes(bytes, pc, Some(2))?.int(1);
    let Ok(pairs) = u32::try_from(count) else {
        return Err(DecodeErrorKind::NegativePairs { count });
    };
    // A `lookupswitch` has default, count, and two numbers for each pair. A `lookupswitch` has fewer than 2^31 pairs,
    // so doubling their count does not wrap.
    let numbers = pairs.saturating_mul(2).checked_add(2);
    let switch = switch_bytes(bytes, pc, numbers)?;
    let lookup = LookupSwitch(switch);
    let mut before = None;
    for (key, _) in lookup.cases() {
        if let Some(previous) = before.replace(key)
            && previous >= key
        {
            return Err(DecodeErrorKind::UnsortedKeys { previous, key });
        }
    }
    let operand = Operand::LookupSwitch(lookup);
    Ok((Opcode::Lookupswitch, switch_length(switch), operand))
}

/// Returns the length of a switch instruction in bytes, including the opcode.
fn switch_length(switch: SwitchBytes<'_>) -> u32 {
    // The conversion never saturates, because a code array is shorter than 64 KiB.
    let length = u32::try_from(switch.bytes.len()).unwrap_or(u32::MAX);
    length.saturating_add(1)
}

/// Splits the padding of a switch and `numbers` four-byte numbers from the code. The argument `None` stands for a count
/// of numbers that does not fit in 32 bits.
fn switch_bytes(
    bytes: &[u8],
    pc: Pc,
    numbers: Option<u32>,
) -> Result<SwitchBytes<'_>, DecodeErrorKind> {
    let length = numbers
        .and_then(|numbers| usize::try_from(numbers).ok()?.checked_mul(4))
        .and_then(|length| length.checked_add(SwitchBytes::padding_length(pc)));
    let bytes = length.and_then(|length| bytes.get(..length));
    let bytes = bytes.ok_or(DecodeErrorKind::Truncated)?;
    Ok(SwitchBytes { pc, bytes })
}

/// Reads the first bytes after an opcode.
fn array<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    extern crate std;
    use std::vec::Vec;

    /// Operand bytes that are valid for every layout: as operands of a `lookupswitch`, they mean a count of 0.
    const OPERANDS: [u8; 20] = [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

    fn kind(code: &[u8]) -> DecodeErrorKind {
        decode(code, Pc(0)).unwrap_err().kind
    }

    /// Concatenates opcode bytes and big-endian `int`s.
    fn code(prefix: &[u8], ints: &[i32]) -> Vec<u8> {
        prefix
            .iter()
            .copied()
            .chain(ints.iter().flat_map(|int| int.to_be_bytes()))
            .collect()
    }

    #[test]
    fn all_256_opcodes_have_the_length_of_the_specification() {
        for byte in 0..=u8::MAX {
            let mut bytes = Vec::from([byte]);
            bytes.extend(OPERANDS);
            // JVMS §6.5 defines the length of each instruction in bytes, including the opcode.
            let expected = match byte {
                0x10 | 0x12 | 0x15..=0x19 | 0x36..=0x3a | 0xa9 | 0xbc => Some(2),
                0x11
                | 0x13
                | 0x14
                | 0x84
                | 0x99..=0xa8
                | 0xb2..=0xb8
                | 0xbb
                | 0xbd
                | 0xc0
                | 0xc1
                | 0xc6
                | 0xc7 => Some(3),
                0xc5 => Some(4),
                0xc8 | 0xc9 | 0xba | 0xb9 => Some(5),
                // The `tableswitch` has three bytes of padding, default, low 0, high 0 and one offset. The
                // `lookupswitch` has padding, a default and no pairs.
                0xaa => Some(20),
                0xab => Some(12),
                0xc4 | 203..=253 => None,
                _ => Some(1),
            };
            if byte == 0xba {
                bytes[3] = 0;
            }
            assert_eq!(
                decode(&bytes, Pc(0)).ok().map(|insn| insn.length),
                expected,
                "{byte:#04x}"
            );
        }
    }

    #[test]
    fn wide_is_taken_before_the_opcodes_of_the_specification_alone() {
        for byte in 0..=u8::MAX {
            let bytes = [0xc4, byte, 1, 2, 0xff, 0xfe];
            // By JVMS §6.5.wide, wide loads, stores and `ret` have four bytes, and wide `iinc` has six.
            let expected = match byte {
                0x15..=0x19 | 0x36..=0x3a | 0xa9 => Ok((4, true, Operand::Local(0x0102))),
                0x84 => Ok((
                    6,
                    true,
                    Operand::LocalIncrement {
                        local: 0x0102,
                        by: -2,
                    },
                )),
                _ => Err(DecodeErrorKind::WideOperand(byte)),
            };
            let decoded = decode(&bytes, Pc(0));
            assert_eq!(
                decoded
                    .map(|insn| (insn.length, insn.wide, insn.operand))
                    .map_err(|error| error.kind),
                expected,
                "{byte:#04x}"
            );
        }
    }

    #[test]
    fn branch_targets_are_absolute_and_never_wrap() {
        fn target(code: &[u8], pc: u16) -> Operand<'_> {
            decode(code, Pc(pc)).unwrap().operand
        }
        assert_eq!(target(&[0, 0xa7, 0xff, 0xff], 1), Operand::Branch(0));
        assert_eq!(target(&[0xa7, 0x80, 0x00], 0), Operand::Branch(-32_768));
        assert_eq!(
            target(&[0xc8, 0x7f, 0xff, 0xff, 0xff], 0),
            Operand::Branch(2_147_483_647)
        );
        assert_eq!(
            target(&[0, 0xc8, 0x80, 0, 0, 0], 1),
            Operand::Branch(-2_147_483_647)
        );
    }

    #[test]
    fn switches_align_on_the_code_array_and_not_on_the_instruction() {
        for (pc, padding) in [(0_u16, 3_usize), (1, 2), (2, 1), (3, 0)] {
            let mut prefix = std::vec![0x00; usize::from(pc)];
            prefix.push(0xaa);
            // The padding bytes of a switch may have any value.
            prefix.extend([0xff].repeat(padding));
            let bytes = code(&prefix, &[100, -1, 1, 10, 20, 30]);
            let insn = decode(&bytes, Pc(pc)).unwrap();
            assert_eq!(insn.length as usize, bytes.len() - usize::from(pc));
            let Operand::TableSwitch(table) = insn.operand else {
                panic!("{insn:?}")
            };
            let at = i64::from(pc);
            assert_eq!(table.default(), 100 + at);
            assert!(
                table
                    .cases()
                    .eq([(-1, 10 + at), (0, 20 + at), (1, 30 + at)])
            );
            assert_eq!(table.padding_is_zero(), padding == 0);
        }
    }

    #[test]
    fn a_table_may_end_at_the_greatest_key() {
        let bytes = code(&[0xaa, 0, 0, 0], &[0, i32::MAX - 1, i32::MAX, 4, 8]);
        let Operand::TableSwitch(table) = decode(&bytes, Pc(0)).unwrap().operand else {
            panic!()
        };
        assert!(table.cases().eq([(i32::MAX - 1, 4), (i32::MAX, 8)]));
    }

    #[test]
    fn tables_with_impossible_bounds_are_refused() {
        let low_above_high = code(&[0xaa, 0, 0, 0], &[0, 1, 0]);
        assert_eq!(
            kind(&low_above_high),
            DecodeErrorKind::TableBounds { low: 1, high: 0 }
        );
        // The `tableswitch` claims 2^32 offsets, which do not fit in a code array, and whose count does not fit in 32
        // bits.
        let all_keys = code(&[0xaa, 0, 0, 0], &[0, i32::MIN, i32::MAX, 0]);
        assert_eq!(kind(&all_keys), DecodeErrorKind::Truncated);
        let negative = code(&[0xab, 0, 0, 0], &[0, -1]);
        assert_eq!(
            kind(&negative),
            DecodeErrorKind::NegativePairs { count: -1 }
        );
        let too_many = code(&[0xab, 0, 0, 0], &[0, i32::MAX, 0, 0]);
        assert_eq!(kind(&too_many), DecodeErrorKind::Truncated);
    }

    #[test]
    fn keys_of_a_lookupswitch_must_ascend_as_signed_numbers() {
        let sorted = code(&[0xab, 0, 0, 0], &[9, 3, i32::MIN, 1, -1, 2, 0, 3]);
        let Operand::LookupSwitch(lookup) = decode(&sorted, Pc(0)).unwrap().operand else {
            panic!()
        };
        assert!(lookup.cases().eq([(i32::MIN, 1), (-1, 2), (0, 3)]));
        assert_eq!(lookup.default(), 9);
        let twice = code(&[0xab, 0, 0, 0], &[0, 2, 5, 0, 5, 0]);
        assert_eq!(
            kind(&twice),
            DecodeErrorKind::UnsortedKeys {
                previous: 5,
                key: 5
            }
        );
        let descending = code(&[0xab, 0, 0, 0], &[0, 2, 0, 0, -1, 0]);
        assert_eq!(
            kind(&descending),
            DecodeErrorKind::UnsortedKeys {
                previous: 0,
                key: -1
            }
        );
    }

    #[test]
    fn bytes_that_must_be_zero_or_not_are_checked() {
        assert_eq!(kind(&[0xb9, 0, 1, 0, 0]), DecodeErrorKind::ZeroCount);
        assert_eq!(
            kind(&[0xb9, 0, 1, 1, 9]),
            DecodeErrorKind::NonZeroByte { found: 9 }
        );
        assert_eq!(
            kind(&[0xba, 0, 1, 0, 9]),
            DecodeErrorKind::NonZeroByte { found: 9 }
        );
        assert_eq!(
            kind(&[0xba, 0, 1, 9, 0]),
            DecodeErrorKind::NonZeroByte { found: 9 }
        );
        assert_eq!(kind(&[0xc5, 0, 1, 0]), DecodeErrorKind::ZeroCount);
    }

    #[test]
    fn a_pc_at_or_past_the_end_is_refused() {
        assert_eq!(
            decode(&[0], Pc(1)).unwrap_err().kind,
            DecodeErrorKind::Truncated
        );
        assert_eq!(
            decode(&[], Pc(u16::MAX)).unwrap_err().kind,
            DecodeErrorKind::Truncated
        );
    }
}
