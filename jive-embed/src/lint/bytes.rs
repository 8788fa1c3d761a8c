//! The lints about bytes that a programmer took for unsigned.

use jive_core::{Action, BinaryOperator, Comparison, Insn, Pc};

use super::Lint;
use super::method::Examined;

/// A shift to the left by this many bits moves all copies of a byte's sign out of an `int`.
const SHIFT_OF_THE_HIGHEST: i32 = 24;

pub(super) fn look(examined: &mut Examined<'_, '_>) {
    for insn in examined.instructions().collect::<Vec<_>>() {
        match insn.action() {
            Action::BranchInt(comparison) => {
                let is_equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
                for (byte, number) in [(0, 1), (1, 0)] {
                    if is_equality
                        && examined.is_byte(insn.pc, byte)
                        && is_computed(examined, insn.pc, number)
                    {
                        examined.warn(insn.pc, Lint::ByteComputed);
                    }
                    let constant = examined.constant(insn.pc, number);
                    if constant.is_some_and(|constant| i8::try_from(constant).is_err())
                        && examined.is_byte(insn.pc, byte)
                    {
                        examined.warn(insn.pc, Lint::ByteRange);
                    }
                }
            }
            Action::Binary(BinaryOperator::Or | BinaryOperator::Add | BinaryOperator::Xor) => {
                for (low, high) in [(0, 1), (1, 0)] {
                    let shift = signed_part(examined, insn.pc, low);
                    if shift.is_some_and(|shift| is_composed_above(examined, insn.pc, high, shift))
                    {
                        examined.warn(insn.pc, Lint::ByteSign);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns whether an operand was computed by arithmetic, and may be 128 or more where a byte would be negative.
///
/// Fields, parameters and results of methods do not count as computed, because each may be meant as a byte with its
/// sign.
fn is_computed(examined: &mut Examined<'_, '_>, pc: Pc, below_top: usize) -> bool {
    let makers = examined.makers(pc, below_top);
    !makers.is_empty()
        && makers.iter().all(|maker| match maker.action() {
            Action::Binary(
                BinaryOperator::Add | BinaryOperator::Subtract | BinaryOperator::Multiply,
            ) => true,
            // The result of `x & 0xff` is never negative, but `x & 0x7f` still is a byte.
            Action::Binary(BinaryOperator::And) => (0..2).any(|part| {
                let mask = examined.constant(maker.pc, part);
                mask.is_some_and(|mask| mask > i32::from(i8::MAX))
            }),
            _ => false,
        })
}

/// Returns by how many bits an operand was shifted to the left, if the shifted value is a byte with its sign. Returns 0
/// for a byte that was not shifted.
fn signed_part(examined: &mut Examined<'_, '_>, pc: Pc, below_top: usize) -> Option<i32> {
    if examined.is_byte(pc, below_top) {
        return Some(0);
    }
    let makers = examined.makers(pc, below_top);
    let [shift] = makers[..] else {
        return None;
    };
    let by = shifted_by(examined, &shift)?;
    (by < SHIFT_OF_THE_HIGHEST && examined.is_byte(shift.pc, 1)).then_some(by)
}

/// Returns whether an operand consists of values that were shifted to the left by more than `shift` bits. Bits that
/// were shifted by more than `shift` bits are other bytes of a number, and not copies of a byte's sign.
fn is_composed_above(
    examined: &mut Examined<'_, '_>,
    pc: Pc,
    below_top: usize,
    shift: i32,
) -> bool {
    let makers = examined.makers(pc, below_top);
    !makers.is_empty()
        && makers.iter().all(|maker| match maker.action() {
            Action::Binary(BinaryOperator::ShiftLeft) => {
                shifted_by(examined, maker).is_some_and(|by| by > shift)
            }
            Action::Binary(BinaryOperator::Or | BinaryOperator::Add | BinaryOperator::Xor) => {
                // One of the two operands of `|`, `+` or `^` was shifted by more bits.
                (0..2).any(|part| {
                    let parts = examined.makers(maker.pc, part);
                    let shifts = parts.iter().map(|part| shifted_by(examined, part));
                    let shifts = shifts.collect::<Vec<_>>();
                    !shifts.is_empty() && shifts.iter().all(|by| by.is_some_and(|by| by > shift))
                })
            }
            _ => false,
        })
}

/// Returns the constant by which an instruction shifts to the left.
fn shifted_by(examined: &mut Examined<'_, '_>, insn: &Insn<'_>) -> Option<i32> {
    match insn.action() {
        Action::Binary(BinaryOperator::ShiftLeft) => examined.constant(insn.pc, 0),
        _ => None,
    }
}
