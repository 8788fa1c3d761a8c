//! Watched runs: the interpreter reports to a watcher every instruction that a call executes.
//!
//! A watched run gives each slice (`fuel.rs`) the code up to one op, and no budget. So each slice of a watched run
//! executes one op and ends. The next op is not in the slice's code, and a jump back, a call or a return overdraws the
//! budget. Before each slice, the interpreter reports to the watcher which instructions the slice's op completes. A
//! watched run has the same ops, fuel and traps as any other run. A program that makes no watched run does not contain
//! the code for watched runs.

use core::cell::Cell;

use super::fuel::Slice;
use super::{Ended, Machine, Stop};
use crate::frame::{Activation, CallStack, Phase};
use crate::id::{MethodId, Pc};
use crate::instance::{Instance, Step};
use crate::program::index;
use crate::registers::Window;
use crate::trap::TrapKind;

/// Receives reports of the instructions that a call executes.
pub trait Watcher {
    /// Receives the pcs of instructions that a call of `method` executes one after another.
    ///
    /// The argument `depth` counts the nested calls, including the running call. If the last instruction is a call, it
    /// is reported before the callee's instructions. An instruction that traps is reported too.
    fn executed(&mut self, depth: u32, method: MethodId, instructions: &[Pc]);
}

impl Instance<'_> {
    /// Runs the activation as [`Instance::run`] does, and reports each instruction to `watcher`.
    ///
    /// The number of reported instructions is the one that [`CallStack::executed`] returns. A watched run takes many
    /// times as long as [`Instance::run`].
    pub fn run_watched<'s>(
        &mut self,
        stack: &'s mut CallStack<'_>,
        watcher: &mut impl Watcher,
    ) -> Step<'s> {
        let (stop, value) = if stack.activation.phase == Phase::Ready {
            self.advance_watched(stack, watcher)
        } else {
            self.refuse(stack)
        };
        self.step(stack, stop, value)
    }

    /// Runs the activation. Returns why the activation stopped, and the value that it returned, if it returned one.
    fn advance_watched(
        &mut self,
        stack: &mut CallStack<'_>,
        watcher: &mut impl Watcher,
    ) -> (Stop, i32) {
        let calls = stack.activation.calls;
        let slots = Cell::from_mut(&mut *stack.slots).as_slice_of_cells();
        let heap = self.heap.lend();
        let mut machine =
            Machine::new(&self.program, self.fields, heap, stack.frames, slots, calls);
        let ended = machine.run_watched(&mut stack.activation, watcher);
        self.end(stack, ended)
    }
}

impl<'a> Machine<'a> {
    /// Runs an activation as [`Machine::run`] does, op by op.
    fn run_watched(&mut self, to: &mut Activation, watcher: &mut impl Watcher) -> Ended {
        self.pc = to.op;
        let (mut reserve, mut fuel) = (to.entry_fuel(), to.fuel);
        while self.stop == Stop::Pause {
            let entry_fuel = self.entry_fuel(reserve);
            let op = self.one_op(entry_fuel);
            // How many instructions the method's straight path has executed when the op is done, or when the fuel ends.
            let done = match &op {
                Ok((slice, _)) => u64::from(slice.prepaid),
                Err(_) => entry_fuel,
            };
            let left = entry_fuel.saturating_sub(done);
            self.tell(done, fuel.saturating_sub(left), watcher);
            fuel = left;
            match op {
                Ok((slice, registers)) => reserve = self.run_slice(slice, registers),
                Err(kind) => self.stop = Stop::Trap(kind),
            }
        }
        self.finish(reserve, to)
    }

    /// Returns a slice that ends after the op at which the last slice ended, and the registers of the running method.
    fn one_op(&self, entry_fuel: u64) -> Result<(Slice<'a>, &'a Window), TrapKind> {
        let program = self.program;
        let limit = index(self.pc).wrapping_add(1);
        let (Some(&prepaid), Some(code), Some(registers)) = (
            program.ends.get(index(self.pc)),
            program.ops.get(..limit),
            self.registers(),
        ) else {
            return Err(TrapKind::Unverified);
        };
        let reserve = entry_fuel.checked_sub(prepaid.into());
        let slice = Slice {
            code,
            prepaid,
            budget: 0,
            reserve: reserve.ok_or(TrapKind::FuelExhausted)?,
        };
        Ok((slice, registers))
    }

    /// Reports to a watcher the last `count` instructions of the running method before instruction number `done`.
    fn tell(&self, done: u64, count: u64, watcher: &mut impl Watcher) {
        let Some(method) = self.program.methods.get(index(self.method)) else {
            return;
        };
        let first = u64::from(method.first_place);
        let (from, to) = (done.saturating_sub(count), done);
        let place = |number: u64| usize::try_from(first.saturating_add(number)).unwrap_or(0);
        let instructions = self.program.places.get(place(from)..place(to));
        if let Some(instructions) = instructions.filter(|instructions| !instructions.is_empty()) {
            // The cast is lossless, because `self.method` is the index of a method.
            watcher.executed(self.depth, MethodId(self.method as u16), instructions);
        }
    }
}
