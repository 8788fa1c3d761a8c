//! The functions and types that the rows of the op table name.
//!
//! Each dispatch loop expands the op table in a module that imports all items of this module.

pub(super) use super::Stop;
pub(super) use super::control::{
    Flow, again, again_count, back, control, effect, load, load_at, onward, reject_null,
    reject_transient, rotate, skip, store, store_at, value,
};
pub(super) use super::machine::{Machine, Operands};
pub(super) use crate::array_kind::ArrayKind;
pub(super) use crate::heap::Heap;
pub(super) use crate::op::{Op, OpKind};
pub(super) use crate::registers::{Window, cell};
pub(super) use crate::trap::TrapKind;

/// Adds a signed byte to register `a`, and returns the sum.
#[inline(always)]
pub(super) fn count<const TAKEN: char>(operands: &Operands<'_, '_, TAKEN>, step: u8) -> i32 {
    let counter = cell(operands.registers, operands.op.a);
    let next = counter.get().wrapping_add(step.cast_signed().into());
    counter.set(next);
    next
}

/// Computes a value from registers `b` and `c`.
macro_rules! binary {
    ($compute:expr) => {
        |_, operands| {
            let compute: fn(i32, i32) -> i32 = $compute;
            Ok(compute(operands.b(), operands.c()))
        }
    };
}

/// Computes a value from register `b` and the op's constant.
macro_rules! constant {
    ($compute:expr) => {
        |_, operands| {
            let compute: fn(i32, i32) -> i32 = $compute;
            Ok(compute(operands.b(), operands.op.imm()))
        }
    };
}

/// Compares registers `a` and `b`.
macro_rules! pair {
    ($holds:expr) => {
        |operands| {
            let holds: fn(i32, i32) -> bool = $holds;
            holds(operands.a(), operands.b())
        }
    };
}

/// Compares register `a` with the constant in operand `b`, a signed byte.
macro_rules! single {
    ($holds:expr) => {
        |operands| {
            let holds: fn(i32, i32) -> bool = $holds;
            holds(operands.a(), operands.op.short_constant())
        }
    };
}

/// Returns a divisor, or traps if it is 0.
pub(super) const fn divisor(value: i32) -> Result<i32, TrapKind> {
    if value == 0 {
        Err(TrapKind::ArithmeticException)
    } else {
        Ok(value)
    }
}

// Functions such as `wrapping_shl` use the low five bits of the count, as JVMS §6.5.ishl demands.
pub(super) const fn shift_left(value: i32, count: i32) -> i32 {
    value.wrapping_shl(count.cast_unsigned())
}

pub(super) const fn shift_right(value: i32, count: i32) -> i32 {
    value.wrapping_shr(count.cast_unsigned())
}

pub(super) const fn shift_right_unsigned(value: i32, count: i32) -> i32 {
    value
        .cast_unsigned()
        .wrapping_shr(count.cast_unsigned())
        .cast_signed()
}

pub(super) use {binary, constant, pair, single};
