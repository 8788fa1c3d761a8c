//! What the rows of the table of ops are written in: helpers for their conditions and results.
//!
//! `threaded.rs` and `looped.rs` expand the table. Both import everything here.

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

/// Adds a step, a byte with its sign, to register `a`, and returns the sum.
#[inline(always)]
pub(super) fn count<const TAKEN: char>(operands: &Operands<'_, '_, TAKEN>, step: u8) -> i32 {
    let counter = cell(operands.registers, operands.op.a);
    let next = counter.get().wrapping_add(step.cast_signed().into());
    counter.set(next);
    next
}

macro_rules! binary {
    ($compute:expr) => {
        |_, operands| {
            let compute: fn(i32, i32) -> i32 = $compute;
            Ok(compute(operands.b(), operands.c()))
        }
    };
}

macro_rules! constant {
    ($compute:expr) => {
        |_, operands| {
            let compute: fn(i32, i32) -> i32 = $compute;
            Ok(compute(operands.b(), operands.op.imm()))
        }
    };
}

/// A condition on registers `a` and `b`.
macro_rules! pair {
    ($holds:expr) => {
        |operands| {
            let holds: fn(i32, i32) -> bool = $holds;
            holds(operands.a(), operands.b())
        }
    };
}

/// A condition on register `a` and the constant `b`.
macro_rules! single {
    ($holds:expr) => {
        |operands| {
            let holds: fn(i32, i32) -> bool = $holds;
            holds(operands.a(), operands.op.short_constant())
        }
    };
}

pub(super) const fn divisor(value: i32) -> Result<i32, TrapKind> {
    if value == 0 {
        Err(TrapKind::ArithmeticException)
    } else {
        Ok(value)
    }
}

// The wrapping shifts take the low five bits of the count, as JVMS §6.5.ishl does.
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
