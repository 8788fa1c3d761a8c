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
use crate::heap::Heap;
use crate::id::{MethodId, Pc};
use crate::instance::{Instance, Step};
use crate::op::OpKind;
use crate::program::{index, native};
use crate::registers::Window;
use crate::trap::TrapKind;

/// Receives reports of the instructions that a call executes.
pub trait Watcher {
    /// Receives the pcs of instructions that a call of `method` executes one after another.
    ///
    /// The argument `depth` counts the nested calls, including the running call. If the last instruction is a call, it
    /// is reported before the callee's instructions. An instruction that traps is reported too. The argument `before`
    /// holds the values before the op that completes the instructions.
    fn executed(&mut self, depth: u32, method: MethodId, instructions: &[Pc], before: Values<'_>);
}

/// The values that a watched call works on, before an op.
#[derive(Copy, Clone, Debug)]
pub struct Values<'v> {
    registers: &'v [Cell<i32>],
    fields: &'v [i32],
    heap: &'v Heap<'v>,
    answer: Option<i32>,
}

impl<'v> Values<'v> {
    /// Returns a register of the running method, or 0 if the method has no such register.
    ///
    /// The first registers are the local variables, and the places of the operand stack follow, from the bottom. When a
    /// method begins, the registers hold its arguments. Later, since an op stands for several instructions
    /// (`docs/linked-form.md`), a value of the stack may be in no register, and a local variable may have the value of a
    /// store that is reported with the next op.
    #[must_use]
    pub fn register(&self, number: u16) -> i32 {
        let register = self.registers.get(usize::from(number));
        register.map_or(0, Cell::get)
    }

    /// Returns the values of the fields, by [`FieldId`](crate::FieldId).
    #[must_use]
    pub const fn fields(&self) -> &'v [i32] {
        self.fields
    }

    /// Returns the heap.
    #[must_use]
    pub const fn heap(&self) -> &'v Heap<'v> {
        self.heap
    }

    /// Returns the result of a native, in the first report after the native.
    #[must_use]
    pub const fn answer(&self) -> Option<i32> {
        self.answer
    }
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
        let answer = self.answer(stack);
        let slots = Cell::from_mut(&mut *stack.slots).as_slice_of_cells();
        let heap = self.heap.lend();
        let mut machine =
            Machine::new(&self.program, self.fields, heap, stack.frames, slots, calls);
        let ended = machine.run_watched(&mut stack.activation, answer, watcher);
        self.end(stack, ended)
    }

    /// Returns the result of the native after which the activation goes on.
    fn answer(&self, stack: &CallStack<'_>) -> Option<i32> {
        let before = stack.activation.op.checked_sub(1)?;
        let op = self.program.ops().get(index(before)).copied()?;
        if op.kind.plain() != OpKind::Native {
            return None;
        }
        native(op).result.map(|result| stack.register(result))
    }
}

impl<'a> Machine<'a> {
    /// Runs an activation as [`Machine::run`] does, op by op.
    fn run_watched(
        &mut self,
        to: &mut Activation,
        mut answer: Option<i32>,
        watcher: &mut impl Watcher,
    ) -> Ended {
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
            self.tell(done, fuel.saturating_sub(left), &mut answer, watcher);
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
    fn tell(&self, done: u64, count: u64, answer: &mut Option<i32>, watcher: &mut impl Watcher) {
        let Some(method) = self.program.methods.get(index(self.method)) else {
            return;
        };
        let first = u64::from(method.first_place);
        let (from, to) = (done.saturating_sub(count), done);
        let place = |number: u64| usize::try_from(first.saturating_add(number)).unwrap_or(0);
        let instructions = self.program.places.get(place(from)..place(to));
        if let Some(instructions) = instructions.filter(|instructions| !instructions.is_empty()) {
            let registers = self.registers();
            let before = Values {
                registers: registers.map_or(&[], |window| window.as_slice()),
                fields: self.fields,
                heap: &self.heap,
                answer: answer.take(),
            };
            // The cast is lossless, because `self.method` is the index of a method.
            let method = MethodId(self.method as u16);
            watcher.executed(self.depth, method, instructions, before);
        }
    }
}
