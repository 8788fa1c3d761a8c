//! Watched runs: a watcher is told of every instruction that a call executes.
//!
//! A watched run gives each slice (`fuel.rs`) the code up to one op, and no budget. So each slice ends after its last op.
//! The next op is not in the slice's code, and a jump back, a call or a return overdraws the budget. Before each slice,
//! the watcher is told which instructions that op completes. Ops, fuel and traps are those of any other run. A program that
//! makes no watched run does not contain this code.

use core::cell::Cell;

use super::fuel::Slice;
use super::{Ended, Machine, Stop};
use crate::frame::{Activation, CallStack, Phase};
use crate::id::{MethodId, Pc};
use crate::instance::{Instance, Step};
use crate::program::index;
use crate::registers::Window;
use crate::trap::TrapKind;

/// Learns which instructions a call executes.
pub trait Watcher {
    /// Takes some instructions that are executed one after another in a call of `method`, in this order.
    ///
    /// `depth` counts the nested calls, the running one included. If the last instruction is a call, it comes before the
    /// callee's instructions. An instruction that traps comes too.
    fn executed(&mut self, depth: u32, method: MethodId, instructions: &[Pc]);
}

impl Instance<'_> {
    /// Runs the activation as [`Instance::run`] does, and tells `watcher` of each instruction.
    ///
    /// The instructions are as many as [`CallStack::executed`] counts. This takes many times as long as
    /// [`Instance::run`].
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

    /// Runs the activation. Returns why it stopped, and the value that it returned if it did.
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
            // How many instructions of the method are done behind the op, or at the end of the fuel.
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

    /// Returns a slice that ends behind the op at which the last one ended, and the registers of the running method.
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

    /// Tells a watcher of the last `count` instructions of the running method before number `done`.
    fn tell(&self, done: u64, count: u64, watcher: &mut impl Watcher) {
        let Some(method) = self.program.methods.get(index(self.method)) else {
            return;
        };
        let first = u64::from(method.first_place);
        let (from, to) = (done.saturating_sub(count), done);
        let place = |number: u64| usize::try_from(first.saturating_add(number)).unwrap_or(0);
        let instructions = self.program.places.get(place(from)..place(to));
        if let Some(instructions) = instructions.filter(|instructions| !instructions.is_empty()) {
            // Lossless: it is the index of a method.
            watcher.executed(self.depth, MethodId(self.method as u16), instructions);
        }
    }
}
