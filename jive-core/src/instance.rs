//! One loaded class in use: its fields, its heap, and the calls that are made of it from outside.

use crate::frame::{Activation, CallStack, Phase};
use crate::heap::Heap;
use crate::id::{FieldId, MethodId, NativeId, Pc};
use crate::interp::{Stop, execute, native, with_code};
use crate::program::{LinkedMethod, Program};
use crate::trap::{Trap, TrapKind};

/// The one object of the class: a reference that is not null and names no array.
const THIS: i32 = -1;

/// The state of one loaded class: its fields, its heap, and the program that it shares.
#[derive(Debug)]
pub struct Instance<'m> {
    program: Program<'m>,
    fields: &'m mut [i32],
    heap: Heap<'m>,
}

/// How long the arrays live that a call makes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// As long as the class.
    Persistent,
    /// Until the call returns or traps.
    PerCall,
}

/// Why [`Instance::run`] stopped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Step<'s> {
    /// The call returned, with a value unless the method is void.
    Returned(Option<i32>),
    /// The call waits for a native: perform it, tell [`CallStack::resume`], and run again.
    Native {
        /// Which native.
        id: NativeId,
        /// Its arguments, arrays as references into the instance's heap.
        args: &'s [i32],
    },
    /// The call trapped.
    Trapped(Trap),
}

/// What performs the natives of a call driven by [`Instance::call`].
pub trait Natives {
    /// Performs a native, whole or not at all; a void one may give any value.
    ///
    /// # Errors
    /// The trap that the call of the native is to end in.
    fn call(&mut self, id: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind>;

    /// Returns the fuel that a native takes beyond its one instruction.
    fn extra_fuel(&self, _id: NativeId) -> u64 {
        0
    }
}

/// No natives: to call one is a [`TrapKind::ProtectionFault`].
#[derive(Copy, Clone, Debug, Default)]
pub struct NoNatives;

impl Natives for NoNatives {
    fn call(&mut self, _: NativeId, _: &[i32], _: &mut Heap<'_>) -> Result<i32, TrapKind> {
        Err(TrapKind::ProtectionFault)
    }
}

impl<'m> Instance<'m> {
    /// Makes an instance whose fields hold what `ConstantValue` says, or 0 and null.
    ///
    /// `fields` holds [`Program::field_count`] values at least; with fewer, code that touches a
    /// missing one traps with [`TrapKind::Unverified`].
    #[must_use]
    pub fn new(program: Program<'m>, fields: &'m mut [i32], heap: Heap<'m>) -> Self {
        for (field, linked) in fields.iter_mut().zip(program.fields()) {
            *field = linked.initial;
        }
        Self {
            program,
            fields,
            heap,
        }
    }

    /// Returns the program.
    #[must_use]
    pub const fn program(&self) -> Program<'m> {
        self.program
    }

    /// Returns the heap.
    #[must_use]
    pub const fn heap(&self) -> &Heap<'m> {
        &self.heap
    }

    /// Returns the heap, to be changed.
    #[must_use]
    pub const fn heap_mut(&mut self) -> &mut Heap<'m> {
        &mut self.heap
    }

    /// Returns the values of all fields, by [`FieldId`].
    #[must_use]
    pub const fn fields(&self) -> &[i32] {
        self.fields
    }

    /// Returns the value of a field, or 0 where there is none of this number.
    #[must_use]
    pub fn field(&self, id: FieldId) -> i32 {
        self.fields.get(id.index()).copied().unwrap_or(0)
    }

    /// Stores a value in a field as it is; nothing happens where there is none of this number.
    ///
    /// The caller sees to it that a reference outlives the call that runs.
    pub fn set_field(&mut self, id: FieldId, value: i32) {
        if let Some(field) = self.fields.get_mut(id.index()) {
            *field = value;
        }
    }

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
        let mut activation = Activation::default();
        let begun = self.begin(stack, method, args, fuel, lifetime, &mut activation);
        stack.activation = activation;
        match begun {
            Ok(_) => Ok(()),
            Err(kind) => Err(unbegun(method, kind)),
        }
    }

    // Where size does not matter, what begins a call is compiled into what goes on with it.
    #[cfg_attr(threaded, inline(always))]
    fn begin(
        &mut self,
        stack: &mut CallStack<'_>,
        method: MethodId,
        args: &[i32],
        fuel: u64,
        lifetime: Lifetime,
        activation: &mut Activation,
    ) -> Result<&'m LinkedMethod, TrapKind> {
        self.heap.end_call();
        let linked = with_code(self.program.method(method)).ok_or(TrapKind::Unverified)?;
        let receiver = linked.has_receiver.then_some(THIS);
        stack.begin(method, linked, receiver, args, fuel, activation)?;
        if lifetime == Lifetime::PerCall {
            self.heap.begin_call();
        }
        Ok(linked)
    }

    /// Runs the activation until it returns, traps or waits for a native.
    ///
    /// With nothing started it traps with [`TrapKind::Unverified`]; while a native's outcome is not
    /// told, it asks for the native again.
    pub fn run<'s>(&mut self, stack: &'s mut CallStack<'_>) -> Step<'s> {
        let activation = stack.activation;
        let method = self.program.method(activation.calls.method());
        let method = method.copied().unwrap_or_default();
        match self.advance(stack, activation, &method) {
            Stop::Returned => Step::Returned(None),
            Stop::ReturnedValue => Step::Returned(Some(stack.returned())),
            Stop::Native => Step::Native {
                id: stack.native().unwrap_or_default(),
                args: stack.native_arguments(),
            },
            Stop::Trap(kind) => Step::Trapped(self.trap(stack, kind)),
            Stop::Pause | Stop::NoElement => Step::Trapped(self.trap(stack, TrapKind::Unverified)),
        }
    }

    #[cfg_attr(threaded, inline(always))]
    fn advance(
        &mut self,
        stack: &mut CallStack<'_>,
        mut activation: Activation,
        method: &LinkedMethod,
    ) -> Stop {
        let stop = match activation.phase {
            Phase::Ready => execute(
                &self.program,
                self.fields,
                &mut self.heap,
                stack.frames,
                stack.slots,
                &mut activation,
                method,
            ),
            Phase::AtNative(_) => return Stop::Native,
            Phase::Ended => Stop::Trap(TrapKind::Unverified),
            Phase::NativeTrapped(kind) => Stop::Trap(kind),
        };
        let to = &mut stack.activation;
        to.fuel = activation.fuel;
        to.granted = activation.granted;
        // First, and apart from the others: what handlers do. Nobody asks where a call is that has returned.
        if matches!(stop, Stop::ReturnedValue) {
            self.heap.end_call();
            to.phase = Phase::Ended;
            return Stop::ReturnedValue;
        }
        to.calls = activation.calls;
        to.op = activation.op;
        to.index = activation.index;
        if stop == Stop::Native {
            let op = self.program.ops().get(activation.op);
            to.phase = Phase::AtNative(native(op.copied().unwrap_or_default()));
            return stop;
        }
        self.heap.end_call();
        to.phase = Phase::Ended;
        stop
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
    pub fn call(
        &mut self,
        stack: &mut CallStack<'_>,
        method: MethodId,
        args: &[i32],
        fuel: u64,
        lifetime: Lifetime,
        natives: &mut impl Natives,
    ) -> Result<Option<i32>, Trap> {
        let mut activation = Activation::default();
        let linked = match self.begin(stack, method, args, fuel, lifetime, &mut activation) {
            Ok(linked) => linked,
            Err(kind) => {
                stack.activation = Activation::default();
                return Err(unbegun(method, kind));
            }
        };
        let stop = self.advance(stack, activation, linked);
        // First, and apart from the others: what handlers do.
        if matches!(stop, Stop::ReturnedValue) {
            return Ok(Some(stack.returned()));
        }
        match stop {
            Stop::Returned => Ok(None),
            Stop::ReturnedValue => Ok(Some(stack.returned())),
            Stop::Native => self.perform(stack, natives),
            Stop::Trap(kind) => Err(self.trap(stack, kind)),
            Stop::Pause | Stop::NoElement => Err(self.trap(stack, TrapKind::Unverified)),
        }
    }

    /// Performs the natives of an activation until it returns.
    #[inline(never)]
    fn perform(
        &mut self,
        stack: &mut CallStack<'_>,
        natives: &mut impl Natives,
    ) -> Result<Option<i32>, Trap> {
        loop {
            let id = match self.run(stack) {
                Step::Returned(value) => return Ok(value),
                Step::Trapped(trap) => return Err(trap),
                Step::Native { id, .. } => id,
            };
            let outcome = stack
                .charge(natives.extra_fuel(id))
                .and_then(|()| natives.call(id, stack.native_arguments(), &mut self.heap));
            stack.resume(outcome);
        }
    }
}

/// Places a trap at the beginning of a method that was not entered.
#[cold]
const fn unbegun(method: MethodId, kind: TrapKind) -> Trap {
    Trap {
        kind,
        method,
        pc: Pc(0),
    }
}
