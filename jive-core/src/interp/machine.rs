//! The state that ops work on: a copy of the activation's state, in the form that is fastest to use.

use core::cell::Cell;

use super::Stop;
use crate::frame::{Calls, Frame};
use crate::heap::Heap;
use crate::op::Op;
use crate::program::{Program, index};
use crate::registers::{Window, cell, window};

/// What ops work on besides registers.
///
/// Every call from outside makes a machine, and takes time to set each field. So a machine has no field that can be
/// computed from other fields. Fields that begin with the same value are neighbours, so that the compiler sets these
/// fields with one store.
#[repr(C, align(16))]
pub(crate) struct Machine<'a> {
    pub(super) heap: Heap<'a>,
    /// The slice's budget (`fuel.rs`): fuel beyond the prepaid instructions. The slice pauses when the budget is
    /// negative. After the outermost call has returned, the budget is all fuel that is left of the slice.
    pub(super) budget: i32,
    /// How many instructions of the running method are prepaid: all instructions up to the end of the slice's code.
    pub(super) prepaid: i32,
    pub(super) fields: &'a mut [i32],
    /// How many calls are nested, including the running call.
    pub(super) depth: u32,
    /// Index of the running call's first register among the slots.
    pub(super) base: u32,
    /// The value that the outermost call returned. At a pause before the outermost call returns, `value` is that of the
    /// accumulator.
    pub(super) value: i32,
    /// The limit of the code of the slice that ended, which is only set if the slice did not pause.
    pub(super) limit: u32,
    /// The op at which the slice ended. `pc` is not kept up to date while ops run. An activation stores `limit` after
    /// its op, but a machine stores `limit` before `pc`. In the same order, the compiler would copy op and limit with
    /// one load, which waits for two stores.
    pub(super) pc: u32,
    /// For each call but the outermost, a frame that describes how the caller resumes.
    pub(super) frames: &'a mut [Frame],
    pub(super) slots: &'a [Cell<i32>],
    pub(super) program: &'a Program<'a>,
    /// The running call's method.
    pub(super) method: u32,
    pub(super) stop: Stop,
}

impl<'a> Machine<'a> {
    /// Makes a machine that is in the state of a pause.
    #[inline(always)]
    pub(crate) const fn new(
        program: &'a Program<'a>,
        fields: &'a mut [i32],
        heap: Heap<'a>,
        frames: &'a mut [Frame],
        slots: &'a [Cell<i32>],
        calls: Calls,
    ) -> Self {
        Self {
            heap,
            budget: 0,
            prepaid: 0,
            fields,
            depth: calls.depth,
            base: calls.base,
            value: 0,
            limit: 0,
            pc: 0,
            frames,
            slots,
            program,
            method: calls.method,
            stop: Stop::Pause,
        }
    }

    /// Returns the registers of the running method.
    #[inline(always)]
    pub(super) fn registers(&self) -> Option<&'a Window> {
        window(self.slots, index(self.base))
    }

    /// Returns the run's entry fuel (`fuel.rs`) when a slice has ended. The argument `reserve` is the fuel that the
    /// slice did not receive.
    #[inline(always)]
    pub(super) fn entry_fuel(&self, reserve: u64) -> u64 {
        let given = i64::from(self.budget).wrapping_add(self.prepaid.into());
        reserve.wrapping_add_signed(given)
    }
}

/// The operands of an op.
///
/// The operand with the letter `TAKEN` is read from the accumulator instead of its register. For an op that reads no
/// operand from the accumulator, `TAKEN` is `'-'`.
pub(super) struct Operands<'a, 'o, const TAKEN: char> {
    pub(super) op: &'o Op,
    /// The code of the slice.
    pub(super) code: &'a [Op],
    pub(super) registers: &'a Window,
    /// The value that the previous op computed, if that op computed a value and is in the same basic block.
    pub(super) accumulator: i32,
}

impl<const TAKEN: char> Operands<'_, '_, TAKEN> {
    #[inline(always)]
    fn get(&self, letter: char, number: u8) -> i32 {
        if letter == TAKEN {
            self.accumulator
        } else {
            cell(self.registers, number).get()
        }
    }

    #[inline(always)]
    pub(super) fn a(&self) -> i32 {
        self.get('a', self.op.a)
    }

    #[inline(always)]
    pub(super) fn b(&self) -> i32 {
        self.get('b', self.op.b)
    }

    #[inline(always)]
    pub(super) fn c(&self) -> i32 {
        self.get('c', self.op.c())
    }

    /// Writes register `a`.
    #[inline(always)]
    pub(super) fn set(&self, value: i32) {
        cell(self.registers, self.op.a).set(value);
    }
}
