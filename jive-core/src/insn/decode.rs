//! Decoder for a single instruction of a code array (JVMS §4.9.1, §6.5).

use super::error::DecodeError;
use super::variable::decode_variable;
use super::{Insn, RawInsn};
use crate::id::Pc;

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
/// caller that has the class file version can check the padding of a switch with
/// [`TableSwitch::padding_is_zero`](crate::TableSwitch::padding_is_zero).
// `decode` is inlined except in builds optimized for size: callers match on the operand at once, and the compiler
// merges both matches.
#[inline(always)]
pub fn decode(code: &[u8], pc: Pc) -> Result<Insn<'_>, DecodeError> {
    match RawInsn::fixed(code, pc) {
        Some(insn) => Ok(insn.decoded()),
        None => decode_variable(code, pc),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::insn::{DecodeErrorKind, Operand};

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
    fn all_256_opcodes_have_the_specified_length() {
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
    fn wide_is_accepted_only_before_specified_opcodes() {
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
    fn switches_align_on_the_code_array() {
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
