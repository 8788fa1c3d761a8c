//! The state of a run while ops run it: a copy of the activation, taken apart for speed.

use core::cell::Cell;

use super::Stop;
use crate::frame::{Calls, Frame};
use crate::heap::Heap;
use crate::op::Op;
use crate::program::{Program, index};
use crate::registers::{Window, cell, window};

/// What ops work on besides registers.
///
/// Every call from outside makes one, so it holds nothing that can be found otherwise. Fields with the same initial
/// value for all calls stand together, so that one store sets them.
#[repr(C, align(16))]
pub(crate) struct Machine<'a> {
    pub(super) heap: Heap<'a>,
    /// Fuel of the slice beyond a straight way to the end of its code; below 0 the slice pauses. All that is
    /// left of it, when the outermost call has returned.
    pub(super) credit: i32,
    /// How many instructions have been executed at the end of the code, on a straight way.
    pub(super) span: i32,
    pub(super) fields: &'a mut [i32],
    /// Count of calls that run.
    pub(super) depth: u32,
    /// Index of the running call's first register among the slots.
    pub(super) base: u32,
    /// What the outermost call returned; until it does, what the op before computed where the slice ended.
    pub(super) value: i32,
    /// The op at which the slice ended.
    pub(super) pc: u32,
    /// Where its code was cut off, if a native ended it.
    pub(super) limit: u32,
    /// For each call but the outermost, how its caller goes on.
    pub(super) frames: &'a mut [Frame],
    pub(super) slots: &'a [Cell<i32>],
    pub(super) program: &'a Program<'a>,
    /// The running call's method.
    pub(super) method: u32,
    pub(super) stop: Stop,
}

impl<'a> Machine<'a> {
    /// Makes a machine that is as if it had paused.
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
            credit: 0,
            span: 0,
            fields,
            depth: calls.depth,
            base: calls.base,
            value: 0,
            pc: 0,
            limit: 0,
            frames,
            slots,
            program,
            method: calls.method,
            stop: Stop::Pause,
        }
    }

    /// Returns the registers of the call that runs.
    #[inline(always)]
    pub(super) fn registers(&self) -> Option<&'a Window> {
        window(self.slots, index(self.base))
    }

    /// Returns what is left of the potential, of which a reserve was kept back.
    #[inline(always)]
    pub(super) fn potential(&self, reserve: u64) -> u64 {
        let given = i64::from(self.credit).wrapping_add(self.span.into());
        reserve.wrapping_add_signed(given)
    }
}

/// The operands of an op; one of them, if a letter says which, the op before has just computed.
pub(super) struct Operands<'a, 'o, const TAKEN: char> {
    pub(super) op: &'o Op,
    /// The code in which it stands.
    pub(super) code: &'a [Op],
    pub(super) registers: &'a Window,
    /// What the op before computed, if it computed something.
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

    /// Stores a value in register `a`.
    #[inline(always)]
    pub(super) fn set(&self, value: i32) {
        cell(self.registers, self.op.a).set(value);
    }
}
