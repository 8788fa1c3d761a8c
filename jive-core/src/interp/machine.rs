//! The state of a run while ops run it: a copy of the activation, taken apart for speed.

use core::cell::Cell;

use super::{Op, Stop, Window};
use crate::frame::Frame;
use crate::heap::Heap;
use crate::id::MethodId;
use crate::limits::REGISTER_WINDOW;
use crate::program::{LinkedMethod, SwitchCase};

/// What ops work on besides registers.
pub(crate) struct Machine<'a> {
    /// Fuel of the slice beyond a straight way to the end of its code; below 0 the slice pauses.
    pub(super) credit: i32,
    /// How many instructions have been executed at the end of the code, on a straight way.
    pub(super) span: i32,
    pub(super) heap: Heap<'a>,
    pub(super) fields: &'a mut [i32],
    /// The ops of the program, cut off where the slice ends.
    pub(super) code: &'a [Op],
    pub(super) registers: &'a Window,
    /// The op at which the run stopped.
    pub(super) pc: usize,
    pub(super) stop: Stop,
    pub(super) method: MethodId,
    /// Count of calls that run; the last one has the registers.
    pub(super) depth: usize,
    /// Index of its first register among the slots.
    pub(super) base: usize,
    /// For each call but the outermost, how its caller goes on.
    pub(super) frames: &'a mut [Frame],
    pub(super) slots: &'a [Cell<i32>],
    pub(super) ops: &'a [Op],
    pub(super) methods: &'a [LinkedMethod],
    pub(super) switches: &'a [SwitchCase],
}

impl Machine<'_> {
    /// Returns what is left of the potential that was given.
    #[inline]
    pub(super) fn potential(&self) -> i64 {
        i64::from(self.credit).wrapping_add(self.span.into())
    }

    #[inline]
    pub(super) fn register(&self, number: u8) -> i32 {
        cell(self.registers, number).get()
    }
}

/// Returns a register; every number names one.
#[inline(always)]
#[expect(
    clippy::indexing_slicing,
    reason = "a window holds as many registers as a byte can name"
)]
pub(super) const fn cell(registers: &Window, number: u8) -> &Cell<i32> {
    // Widens; `From` is not const.
    &registers[number as usize]
}

/// Returns the registers from a slot on, if there are as many as an op can name.
#[inline]
pub(crate) fn window(slots: &[Cell<i32>], base: usize) -> Option<&Window> {
    slots
        .get(base..base.checked_add(REGISTER_WINDOW)?)?
        .first_chunk()
}

/// Clears the registers of a call behind its arguments.
///
/// What an earlier call left there, maybe one of another endpoint, is not for this one to see, whatever
/// its verifier missed.
#[inline]
pub(crate) fn clear(registers: &Window, callee: &LinkedMethod) {
    const AT_ONCE: usize = 8;
    let first = usize::from(callee.arguments);
    let behind = usize::from(callee.registers);
    // Most calls have few: those behind the last one hold nothing yet.
    match registers
        .get(first..)
        .and_then(<[_]>::first_chunk::<AT_ONCE>)
    {
        Some(few) if behind <= first.wrapping_add(AT_ONCE) => {
            few.iter().for_each(|slot| slot.set(0))
        }
        _ => registers
            .iter()
            .take(behind)
            .skip(first)
            .for_each(|slot| slot.set(0)),
    }
}
