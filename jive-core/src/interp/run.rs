//! Calls of an instance's methods from outside: begin a call, run it, perform its natives.

use core::cell::Cell;

use super::slice_from_entry;
use super::{Ended, Machine, Stop};
use crate::frame::{Activation, CallStack, Calls, Phase, enter};
use crate::heap::Lifetime;
use crate::id::{MethodId, NativeId, Pc};
use crate::instance::{BareStep, Instance, Natives, Step};
use crate::program::{index, native, with_code};
use crate::trap::{Trap, TrapKind};
use crate::variant;

/// How a call from outside ended. An `Outcome` has one machine word, so that it is returned in a register.
enum Outcome {
    /// The method returned a value.
    Value(i32),
    /// The method is void, and returned.
    Nothing,
    /// The call trapped. The call stack has recorded the place of the trap.
    Trapped(TrapKind),
}

impl Instance<'_> {
    /// Begins a call of a method with `fuel`. The interpreter supplies `this` if the method has a receiver.
    ///
    /// `start` abandons a call on this stack or of this instance that has not ended yet.
    ///
    /// # Errors
    ///
    /// Returns [`TrapKind::StackOverflowError`] if the stack has no room for one frame. Returns
    /// [`TrapKind::Unverified`] if the method has no code or another number of parameters.
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
    /// If no call was started, `run` traps with [`TrapKind::Unverified`]. If the caller has not passed the outcome of
    /// the last native to [`CallStack::resume`], `run` returns the same native again.
    #[inline(always)]
    pub fn run<'s>(&mut self, stack: &'s mut CallStack<'_>) -> Step<'s> {
        let (stop, value) = self.advance(stack);
        self.step(stack, stop, value)
    }

    /// Runs the activation as [`run`](Self::run) does, for callers that look at a native's arguments later. Finding the
    /// arguments takes ten instructions at each stop.
    #[inline(always)]
    pub fn run_bare(&mut self, stack: &mut CallStack<'_>) -> BareStep {
        let (stop, value) = self.advance(stack);
        self.bare_step(stack, stop, value)
    }

    /// Converts the reason why an activation stopped, and the value that it may have returned, to a [`Step`].
    #[inline(always)]
    pub(super) fn step<'s>(&self, stack: &'s CallStack<'_>, stop: Stop, value: i32) -> Step<'s> {
        match self.bare_step(stack, stop, value) {
            BareStep::Native(id) => Step::Native {
                id,
                args: stack.native_arguments(),
            },
            BareStep::Returned(value) => Step::Returned(value),
            BareStep::Trapped(trap) => Step::Trapped(trap),
        }
    }

    #[inline(always)]
    fn bare_step(&self, stack: &CallStack<'_>, stop: Stop, value: i32) -> BareStep {
        // The case of a native is tested first, because calls that handle packets stop at natives most often.
        if let Phase::AtNative(call) = stack.activation.phase {
            return BareStep::Native(call.id);
        }
        match stop {
            Stop::Returned => BareStep::Returned(None),
            Stop::ReturnedValue => BareStep::Returned(Some(value)),
            Stop::Trap(kind) => BareStep::Trapped(self.trap(stack, kind)),
            Stop::Native | Stop::Pause | Stop::NoElement => {
                BareStep::Trapped(self.trap(stack, TrapKind::Unverified))
            }
        }
    }

    /// Runs the activation. Returns why the activation stopped, and the value that it returned, if it returned one.
    #[inline(never)]
    fn advance(&mut self, stack: &mut CallStack<'_>) -> (Stop, i32) {
        if stack.activation.phase != Phase::Ready {
            return self.refuse(stack);
        }
        self.advance_with(stack, 0)
    }

    /// Runs an activation that is ready, as `advance` does, with a value in the accumulator.
    #[inline(always)]
    fn advance_with(&mut self, stack: &mut CallStack<'_>, accumulator: i32) -> (Stop, i32) {
        let calls = stack.activation.calls;
        let slots = Cell::from_mut(&mut *stack.slots).as_slice_of_cells();
        let heap = self.heap.lend();
        let mut machine =
            Machine::new(&self.program, self.fields, heap, stack.frames, slots, calls);
        machine.value = accumulator;
        let ended = machine.run(&mut stack.activation);
        self.end(stack, ended)
    }

    /// Returns why an activation that is not ready cannot run.
    #[cold]
    pub(super) fn refuse(&mut self, stack: &mut CallStack<'_>) -> (Stop, i32) {
        let kind = match stack.activation.phase {
            Phase::AtNative(_) => return (Stop::Native, 0),
            Phase::NativeTrapped(kind) => kind,
            Phase::Ready | Phase::Ended | Phase::Exhausted(_) => TrapKind::Unverified,
        };
        self.end(stack, Ended::trapped(kind, &self.heap))
    }

    /// Grants more fuel to the last call on this stack, which ended in [`TrapKind::FuelExhausted`], and runs it on from
    /// the instruction that it could not pay. In the end the call has done what it would have done with all fuel at once.
    ///
    /// The caller has made no other call on this stack or of this instance since, and has not allocated or freed an
    /// array. If the last call did not run out of fuel, `refuel` does what [`Instance::run`] does.
    pub fn refuel<'s>(&mut self, stack: &'s mut CallStack<'_>, fuel: u64) -> Step<'s> {
        let Phase::Exhausted(lifetime) = stack.activation.phase else {
            return self.run(stack);
        };
        // If the next op reads the accumulator, then the op before it has computed that value, and has also written it
        // to its register `a`.
        let before = stack.activation.op.checked_sub(1);
        let before = before.and_then(|op| self.program.ops().get(index(op)));
        let accumulator = before.map_or(0, |op| stack.register(op.a));
        self.heap.reopen_call(lifetime, stack.activation.limit);
        stack.activation.grant(fuel);
        let (stop, value) = self.advance_with(stack, accumulator);
        self.step(stack, stop, value)
    }

    /// Records that the activation ended or waits for a native, and how far the heap is filled.
    pub(super) fn end(&mut self, stack: &mut CallStack<'_>, ended: Ended) -> (Stop, i32) {
        self.heap.adopt(ended.extent);
        stack.activation.phase = match ended.stop {
            Stop::Native => {
                let op = self.program.ops().get(index(stack.activation.op));
                Phase::AtNative(native(op.copied().unwrap_or_default()))
            }
            _ => {
                // `limit` records the end of the heap for `trap_values`: ending the call frees the call's arrays, but
                // leaves their bytes.
                stack.activation.limit = ended.extent.top();
                let lifetime = self.heap.end_call();
                match ended.stop {
                    Stop::Trap(TrapKind::FuelExhausted) => Phase::Exhausted(lifetime),
                    _ => Phase::Ended,
                }
            }
        };
        (ended.stop, ended.value)
    }

    /// Returns a trap at the instruction at which the activation ended.
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

    /// Makes a call from outside and performs the call's natives until the call returns.
    ///
    /// # Errors
    ///
    /// Returns the trap in which the call ended.
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
        // The body of this `if` is the fast path of a handler's call. The fast path does what `start` and `advance` do,
        // but runs the first slice before it stores the activation. Most calls return within the first slice, so that
        // only the fuel must be stored. The condition of the fast path tests everything that could make the call fail.
        // If a condition of the fast path does not hold, `call_step_by_step` makes the call or finds the reason for its
        // failure.
        if variant::THREADED
            && let Some(linked) = self.program.method(method)
            && !self.heap.is_in_call()
            && matches!(stack.activation.phase, Phase::Ended)
            && let slots = Cell::from_mut(&mut *stack.slots).as_slice_of_cells()
            && let Some(registers) = enter(slots, linked, args)
            && let Some(slice) = slice_from_entry(&self.program, linked, fuel)
        {
            let calls = Calls::outermost(method);
            let heap = self.heap.lend_for(lifetime);
            let to = &mut stack.activation;
            let mut machine =
                Machine::new(&self.program, self.fields, heap, stack.frames, slots, calls);
            let reserve = machine.begin(slice, index(linked.entry), registers);
            to.granted = fuel;
            // Handlers return a value, so the case of a returned value is tested first and does the least work.
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

    /// Makes a call that stores its activation before it runs.
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
            // No instruction has been executed, so the trap is at the method's first instruction.
            stack.activation.calls = Calls::outermost(method);
            return Outcome::Trapped(trap.kind);
        }
        let stopped = self.advance(stack);
        self.perform(stack, stopped, natives)
    }

    /// Continues a call after its first slices.
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

    /// Performs the native that an activation waits for, and all later natives, until the activation ends.
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
            self.perform_one(stack, id, natives);
            stopped = self.advance(stack);
        }
    }

    /// Performs the native that an activation waits for, and passes the outcome on.
    #[inline(always)]
    pub(crate) fn perform_one(
        &mut self,
        stack: &mut CallStack<'_>,
        id: NativeId,
        natives: &mut impl Natives,
    ) {
        let paid = stack.charge(natives.extra_fuel(id));
        let outcome = paid.and_then(|()| {
            natives.reached(stack.executed());
            natives.call(id, stack.native_arguments(), &mut self.heap)
        });
        stack.resume(outcome);
    }
}
