//! The work of ops as printed code calls it: elements of arrays, division and shifts.
//!
//! `None` means that the op would trap, so that printed code leaves.

use crate::heap::elements;

/// Loads a signed byte.
#[must_use]
#[inline(always)]
pub fn load_byte(heap: &[u8], array: i32, index: i32) -> Option<i32> {
    elements::load_byte(heap, array, index).map(|byte| byte.cast_signed().into())
}

/// Loads a byte without its sign.
#[must_use]
#[inline(always)]
pub fn load_unsigned(heap: &[u8], array: i32, index: i32) -> Option<i32> {
    elements::load_byte(heap, array, index).map(i32::from)
}

/// Loads a `short`.
#[must_use]
#[inline(always)]
pub fn load_short(heap: &[u8], array: i32, index: i32) -> Option<i32> {
    elements::load_short(heap, array, index).map(i32::from)
}

/// Loads an `int`.
#[must_use]
#[inline(always)]
pub fn load_int(heap: &[u8], array: i32, index: i32) -> Option<i32> {
    elements::load_int(heap, array, index)
}

/// Stores a `byte` or `boolean`.
#[must_use]
#[inline(always)]
pub fn store_byte(heap: &mut [u8], array: i32, index: i32, value: i32) -> Option<()> {
    elements::store_byte(heap, array, index, value)
}

/// Stores a `short`.
#[must_use]
#[inline(always)]
pub fn store_short(heap: &mut [u8], array: i32, index: i32, value: i32) -> Option<()> {
    elements::store_short(heap, array, index, value)
}

/// Stores an `int`.
#[must_use]
#[inline(always)]
pub fn store_int(heap: &mut [u8], array: i32, index: i32, value: i32) -> Option<()> {
    elements::store_int(heap, array, index, value)
}

/// Returns the length of an array.
#[must_use]
#[inline(always)]
pub fn length(heap: &[u8], array: i32) -> Option<i32> {
    if array == 0 {
        return None;
    }
    elements::length(heap, array)
}

/// Divides, rounding towards zero. The quotient of `MIN_VALUE` and -1 wraps to its dividend (JVMS §6.5.idiv).
///
/// The test for -1 takes a third of the time of a division of 64 bits, which cannot overflow either.
#[must_use]
#[inline(always)]
pub const fn divide(dividend: i32, divisor: i32) -> Option<i32> {
    match divisor {
        0 => None,
        -1 => Some(dividend.wrapping_neg()),
        divisor => dividend.checked_div(divisor),
    }
}

/// Returns the remainder of a division, which is 0 for the divisor -1 (JVMS §6.5.irem).
#[must_use]
#[inline(always)]
pub const fn remainder(dividend: i32, divisor: i32) -> Option<i32> {
    match divisor {
        0 => None,
        -1 => Some(0),
        divisor => dividend.checked_rem(divisor),
    }
}

/// Shifts left by the low five bits of the count.
#[must_use]
#[inline(always)]
pub const fn shift_left(value: i32, count: i32) -> i32 {
    value.wrapping_shl(count.cast_unsigned())
}

/// Shifts right by the low five bits of the count, with copies of the sign.
#[must_use]
#[inline(always)]
pub const fn shift_right(value: i32, count: i32) -> i32 {
    value.wrapping_shr(count.cast_unsigned())
}

/// Shifts right by the low five bits of the count, with zeros.
#[must_use]
#[inline(always)]
pub const fn shift_right_unsigned(value: i32, count: i32) -> i32 {
    let shifted = value.cast_unsigned().wrapping_shr(count.cast_unsigned());
    shifted.cast_signed()
}
