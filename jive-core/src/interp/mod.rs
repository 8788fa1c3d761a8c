//! The interpreter: runs the ops of a linked program, slice by slice.
//!
//! `run.rs` makes calls from outside and performs the natives of these calls. `fuel.rs` explains slices and exact fuel.
//! A dispatch loop runs one slice: `threaded/` or `looped.rs`, by the variant (`variant.rs`). `control.rs` and
//! `work.rs` contain the work of the ops, which the table in `op/table.rs` refers to. `values.rs` finds, after a trap,
//! the values that made the call trap. `watch.rs` runs a call op by op, for a profile.

mod control;
#[cfg_attr(threaded, path = "threaded/mod.rs")]
#[cfg_attr(not(threaded), path = "looped.rs")]
mod dispatch;
mod fuel;
mod machine;
mod run;
mod stop;
#[cfg(test)]
mod tests;
mod values;
mod watch;
mod work;

pub use watch::{Values, Watcher};

use crate::frame::{Activation, Calls};
use crate::heap::{Extent, Heap};
use crate::program::index;
use crate::registers::Window;
use crate::trap::TrapKind;
use crate::variant;

use dispatch::dispatch;
use fuel::{Slice, affordable_code, slice, slice_from_entry};
use machine::Machine;
pub(crate) use stop::Stop;

/// How a run ended.
pub(crate) struct Ended {
    pub(crate) stop: Stop,
    /// The value that the outermost call returned, if `stop` is `ReturnedValue`.
    pub(crate) value: i32,
    /// How far the instance's heap is filled.
    pub(crate) extent: Extent,
}

impl Ended {
    /// Returns the end of an activation that trapped before its next op ran.
    pub(crate) const fn trapped(kind: TrapKind, heap: &Heap<'_>) -> Self {
        Self {
            stop: Stop::Trap(kind),
            value: 0,
            extent: heap.extent(),
        }
    }
}

impl<'a> Machine<'a> {
    /// Runs an activation until the outermost call returns, traps or needs a native.
    ///
    /// The caller made the machine from the activation's calls. The result's `stop` is never `Pause` or `NoElement`.
    #[inline(always)]
    pub(crate) fn run(&mut self, to: &mut Activation) -> Ended {
        self.pc = to.op;
        let reserve = match self.recorded_slice(to) {
            Some((slice, registers)) => self.run_slice(slice, registers),
            // A new machine is in the state of a pause, with all fuel in reserve.
            None => self.run_on(to.entry_fuel()),
        };
        self.finish(reserve, to)
    }

    /// Returns a slice with the limit that the activation recorded when it stopped.
    ///
    /// Using the recorded limit saves a search for the limit after each native. Returns `None` if the fuel no longer
    /// pays for the code up to the recorded limit, because natives cost fuel too.
    #[inline(always)]
    fn recorded_slice(&self, to: &Activation) -> Option<(Slice<'a>, &'a Window)> {
        let entry_fuel = to.entry_fuel();
        if entry_fuel < to.prepaid.into() {
            return None;
        }
        // If the native was the last op before the limit, the new slice ends at once.
        let slice = slice(self.program, index(to.limit), to.prepaid, entry_fuel)?;
        Some((slice, self.registers()?))
    }

    /// Runs the first slice of a method that a caller outside has entered. Returns the fuel for later slices.
    #[inline(always)]
    pub(crate) fn begin(&mut self, slice: Slice<'a>, entry: usize, registers: &'a Window) -> u64 {
        (self.budget, self.prepaid) = (slice.budget, slice.prepaid.into());
        dispatch(self, slice.code, entry, registers);
        slice.reserve
    }

    /// Returns the value that the outermost call returned, if it has returned one.
    #[inline(always)]
    pub(crate) const fn returned(&self) -> Option<i32> {
        match self.stop {
            Stop::ReturnedValue => Some(self.value),
            _ => None,
        }
    }

    /// Returns the fuel that is left after the outermost call has returned.
    #[inline(always)]
    pub(crate) fn fuel_left(&self, reserve: u64) -> u64 {
        // A return never overdraws the budget.
        reserve.wrapping_add_signed(self.budget.into())
    }

    /// Runs more slices until the run stops, and records in `to` how far the run came.
    ///
    /// After a trap, the index recorded in the activation is the number of the trapping instruction, counted from 1.
    /// After the return of the outermost call, the recorded index and op have no meaning.
    #[inline(always)]
    pub(crate) fn finish(&mut self, reserve: u64, to: &mut Activation) -> Ended {
        (to.index, to.fuel) = match self.stop {
            // Most runs end at a native or by a return, so both ends are handled without a call of `progress`. The
            // small variant always calls `progress`, which saves code.
            Stop::Native if variant::THREADED => self.behind_op(reserve),
            Stop::Returned | Stop::ReturnedValue if variant::THREADED => {
                (0, self.fuel_left(reserve))
            }
            Stop::Native
            | Stop::Returned
            | Stop::ReturnedValue
            | Stop::Pause
            | Stop::NoElement
            | Stop::Trap(_) => self.progress(reserve),
        };
        to.calls = Calls {
            depth: self.depth,
            base: self.base,
            method: self.method,
        };
        to.op = self.pc;
        // The cast is lossless, because a method has fewer than 2¹⁶ instructions.
        (to.limit, to.prepaid) = (self.limit, self.prepaid as u16);
        Ended {
            stop: self.stop,
            value: self.value,
            extent: self.extent(),
        }
    }

    /// Runs more slices until the run stops. Returns how many instructions of the method precede the place where the
    /// run stopped, and the fuel that is left.
    ///
    /// `progress` is not inlined, because most calls from outside end within their first slice and do not need it.
    #[inline(never)]
    fn progress(&mut self, reserve: u64) -> (u16, u64) {
        let reserve = self.run_on(reserve);
        match self.stop {
            Stop::Returned | Stop::ReturnedValue => (0, self.fuel_left(reserve)),
            // The activation's index is the number of the first instruction that the fuel does not pay for. The number
            // of an instruction in its method is below 2¹⁶.
            Stop::Trap(TrapKind::FuelExhausted) => {
                (self.entry_fuel(reserve).saturating_add(1) as u16, 0)
            }
            Stop::Native | Stop::Trap(_) | Stop::Pause | Stop::NoElement => self.behind_op(reserve),
        }
    }

    /// Returns how many instructions the straight path has executed when the op that stopped the run is done, and the
    /// fuel that is left.
    #[inline]
    fn behind_op(&self, reserve: u64) -> (u16, u64) {
        let end = self.program.ends.get(index(self.pc)).copied().unwrap_or(0);
        (end, self.entry_fuel(reserve).saturating_sub(end.into()))
    }

    /// Runs slice after slice until the run stops. Returns the fuel that is still in reserve.
    ///
    /// `run_on` is not inlined, because most calls from outside end within their first slice and do not need it.
    #[inline(never)]
    fn run_on(&mut self, mut reserve: u64) -> u64 {
        while self.stop == Stop::Pause {
            match self.next_slice(self.entry_fuel(reserve)) {
                Ok((slice, registers)) => reserve = self.run_slice(slice, registers),
                Err(kind) => self.stop = Stop::Trap(kind),
            }
        }
        if self.stop == Stop::NoElement {
            self.stop = Stop::Trap(self.fault());
        }
        reserve
    }

    /// Runs one slice from the op at which the last slice ended. Returns the fuel for later slices.
    #[inline]
    fn run_slice(&mut self, slice: Slice<'a>, registers: &'a Window) -> u64 {
        (self.budget, self.prepaid) = (slice.budget, slice.prepaid.into());
        dispatch(self, slice.code, index(self.pc), registers);
        slice.reserve
    }

    /// Returns the slice that begins at the op at which the last slice ended, and the registers of the running method.
    fn next_slice(&self, entry_fuel: u64) -> Result<(Slice<'a>, &'a Window), TrapKind> {
        let program = self.program;
        let method = program.methods.get(index(self.method));
        let (Some(method), Some(registers)) = (method, self.registers()) else {
            return Err(TrapKind::Unverified);
        };
        let (limit, prepaid) = affordable_code(program, method, index(self.pc), entry_fuel)?;
        let slice = slice(program, limit, prepaid, entry_fuel).ok_or(TrapKind::Unverified)?;
        Ok((slice, registers))
    }

    /// Returns how far the heap is filled.
    pub(crate) const fn extent(&self) -> Extent {
        self.heap.extent()
    }
}
