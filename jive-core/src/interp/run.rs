//! Calls of an instance from outside: beginning them, running them slice by slice, performing their natives.

use core::cell::Cell;

use super::share_from_entry;
use super::{Ended, Machine, Stop};
use crate::frame::{Activation, CallStack, Calls, Phase, enter};
use crate::heap::Lifetime;
use crate::id::{MethodId, Pc};
use crate::instance::{Instance, Natives, Step};
use crate::program::{index, native, with_code};
use crate::trap::{Trap, TrapKind};
use crate::variant;

/// How a call from outside ended, in one machine word, so that it comes back in a register.
enum Outcome {
    /// It returned a value.
    Value(i32),
    /// It returned nothing.
    Nothing,
    /// It trapped where the stack says.
    Trapped(TrapKind),
}

impl Instance<'_> {
    /// Begins a call from outside; `this` is supplied where the method wants it.
    ///
    /// Whatever the stack or the instance had begun before is given up.
    ///
    /// # Errors
    /// [`TrapKind::StackOverflowError`] where the stack has no room for one frame, and
    /// [`TrapKind::Unverified`] where the method has no code or takes another count of arguments.
    pub fn start(
        &mut self,
        stack: &mut CallStack<'_>,
        method: MethodId,
        args: &[i32],
        fuel: u64,
        lifetime: Lifetime,
    ) -> Result<(), Trap> {
        self.heap.end_call();
        stack.activation = Activation::default();
        let refused = |kind| Trap {
            kind,
            method,
            pc: Pc(0),
        };
        let linked = with_code(self.program.method(method)).filter(|linked| linked.takes(args));
        let linked = linked.ok_or(refused(TrapKind::Unverified))?;
        let slots = Cell::from_mut(&mut *stack.slots).as_slice_of_cells();
        enter(slots, linked, args).ok_or(refused(TrapKind::StackOverflowError))?;
        stack.activation = Activation::of(method, linked, fuel);
        if lifetime == Lifetime::PerCall {
            self.heap.begin_call();
        }
        Ok(())
    }

    /// Runs the activation until it returns, traps or waits for a native.
    ///
    /// With nothing started it traps with [`TrapKind::Unverified`]; while a native's outcome is not
    /// told, it asks for the native again.
    #[inline(always)]
    pub fn run<'s>(&mut self, stack: &'s mut CallStack<'_>) -> Step<'s> {
        let (stop, value) = self.advance(stack);
        self.step(stack, stop, value)
    }

    /// Turns the reason why an activation stopped, and the value that it may have returned, into a step.
    #[inline(always)]
    fn step<'s>(&self, stack: &'s CallStack<'_>, stop: Stop, value: i32) -> Step<'s> {
        match stop {
            Stop::Returned => Step::Returned(None),
            Stop::ReturnedValue => Step::Returned(Some(value)),
            Stop::Native => Step::Native {
                id: stack.native().unwrap_or_default(),
                args: stack.native_arguments(),
            },
            Stop::Trap(kind) => Step::Trapped(self.trap(stack, kind)),
            Stop::Pause | Stop::NoElement => Step::Trapped(self.trap(stack, TrapKind::Unverified)),
        }
    }

    /// Runs the activation. Returns why it stopped, and the value that it returned.
    #[inline(never)]
    fn advance(&mut self, stack: &mut CallStack<'_>) -> (Stop, i32) {
        if stack.activation.phase != Phase::Ready {
            return self.refuse(stack);
        }
        let calls = stack.activation.calls;
        let slots = Cell::from_mut(&mut *stack.slots).as_slice_of_cells();
        let heap = self.heap.lend();
        let mut machine =
            Machine::new(&self.program, self.fields, heap, stack.frames, slots, calls);
        let ended = machine.run(&mut stack.activation);
        self.end(stack, ended)
    }

    /// Returns why an activation that is not ready does not run.
    #[cold]
    fn refuse(&mut self, stack: &mut CallStack<'_>) -> (Stop, i32) {
        let kind = match stack.activation.phase {
            Phase::AtNative(_) => return (Stop::Native, 0),
            Phase::NativeTrapped(kind) => kind,
            Phase::Ready | Phase::Ended => TrapKind::Unverified,
        };
        self.end(stack, Ended::trapped(kind, &self.heap))
    }

    /// Takes over how the activation ended, if it did not stop for a native.
    fn end(&mut self, stack: &mut CallStack<'_>, ended: Ended) -> (Stop, i32) {
        self.heap.adopt(ended.extent);
        stack.activation.phase = match ended.stop {
            Stop::Native => {
                let op = self.program.ops().get(index(stack.activation.op));
                Phase::AtNative(native(op.copied().unwrap_or_default()))
            }
            _ => {
                self.heap.end_call();
                Phase::Ended
            }
        };
        (ended.stop, ended.value)
    }

    /// Places a trap at the instruction at which the activation ended.
    #[cold]
    fn trap(&self, stack: &CallStack<'_>, kind: TrapKind) -> Trap {
        let (method, instructions) = stack.place();
        let instruction = u32::from(instructions).saturating_sub(1);
        let linked = self.program.method(method);
        let pc = linked.and_then(|linked| self.program.place(linked, instruction));
        Trap {
            kind,
            method,
            pc: pc.unwrap_or(Pc(0)),
        }
    }

    /// Makes a call from outside and performs its natives until it returns.
    ///
    /// # Errors
    /// The trap in which the call ended.
    #[inline(always)]
    pub fn call(
        &mut self,
        stack: &mut CallStack<'_>,
        method: MethodId,
        args: &[i32],
        fuel: u64,
        lifetime: Lifetime,
        natives: &mut impl Natives,
    ) -> Result<Option<i32>, Trap> {
        match self.outcome(stack, method, args, fuel, lifetime, natives) {
            Outcome::Value(value) => Ok(Some(value)),
            Outcome::Nothing => Ok(None),
            Outcome::Trapped(kind) => Err(self.trap(stack, kind)),
        }
    }

    #[inline(never)]
    fn outcome(
        &mut self,
        stack: &mut CallStack<'_>,
        method: MethodId,
        args: &[i32],
        fuel: u64,
        lifetime: Lifetime,
        natives: &mut impl Natives,
    ) -> Outcome {
        // Where nothing stands in the way, an activation is not noted just to be read again at once.
        if variant::THREADED
            && let Some(linked) = self.program.method(method)
            && !self.heap.is_in_call()
            && matches!(stack.activation.phase, Phase::Ended)
            && let slots = Cell::from_mut(&mut *stack.slots).as_slice_of_cells()
            && let Some(registers) = enter(slots, linked, args)
            && let Some(share) = share_from_entry(&self.program, linked, fuel)
        {
            let calls = Calls::outermost(method);
            let heap = self.heap.lend_for(lifetime);
            let to = &mut stack.activation;
            let mut machine =
                Machine::new(&self.program, self.fields, heap, stack.frames, slots, calls);
            let reserve = machine.begin(share, index(linked.entry), registers);
            to.granted = fuel;
            // First, and apart from the others: what handlers do.
            if let Some(value) = machine.returned() {
                to.fuel = machine.fuel_left(reserve);
                let extent = machine.extent();
                if !self.heap.is_of(extent) {
                    self.heap.keep(extent);
                }
                return Outcome::Value(value);
            }
            let ended = machine.finish(reserve, to);
            return self.go_on(stack, ended, natives);
        }
        self.call_step_by_step(stack, method, args, fuel, lifetime, natives)
    }

    #[cold]
    fn call_step_by_step(
        &mut self,
        stack: &mut CallStack<'_>,
        method: MethodId,
        args: &[i32],
        fuel: u64,
        lifetime: Lifetime,
        natives: &mut impl Natives,
    ) -> Outcome {
        if let Err(trap) = self.start(stack, method, args, fuel, lifetime) {
            // No instruction has been executed, so the trap is placed at the method's first.
            stack.activation.calls = Calls::outermost(method);
            return Outcome::Trapped(trap.kind);
        }
        let stopped = self.advance(stack);
        self.perform(stack, stopped, natives)
    }

    /// Goes on with a call whose first slices have been run.
    #[inline(never)]
    fn go_on(
        &mut self,
        stack: &mut CallStack<'_>,
        ended: Ended,
        natives: &mut impl Natives,
    ) -> Outcome {
        let stopped = self.end(stack, ended);
        self.perform(stack, stopped, natives)
    }

    /// Performs the natives of an activation, from where it has stopped until it returns.
    #[inline(never)]
    fn perform(
        &mut self,
        stack: &mut CallStack<'_>,
        mut stopped: (Stop, i32),
        natives: &mut impl Natives,
    ) -> Outcome {
        loop {
            match stopped {
                (Stop::Returned, _) => return Outcome::Nothing,
                (Stop::ReturnedValue, value) => return Outcome::Value(value),
                (Stop::Trap(kind), _) => return Outcome::Trapped(kind),
                (Stop::Pause | Stop::NoElement, _) => {
                    return Outcome::Trapped(TrapKind::Unverified);
                }
                (Stop::Native, _) => {}
            }
            let id = stack.native().unwrap_or_default();
            let outcome = stack
                .charge(natives.extra_fuel(id))
                .and_then(|()| natives.call(id, stack.native_arguments(), &mut self.heap));
            stack.resume(outcome);
            stopped = self.advance(stack);
        }
    }
}
