//! One loaded class in use: its fields, its heap, and the calls that are made of it from outside.

use crate::frame::{CallStack, Phase};
use crate::heap::Heap;
use crate::id::{FieldId, MethodId, NativeId, Pc};
use crate::interp::{Exit, Trapped, execute, with_code};
use crate::program::Program;
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
        let trap = |kind| Trap {
            kind,
            method,
            pc: Pc(0),
        };
        self.heap.end_call();
        let linked = with_code(self.program.method(method));
        let linked = linked.ok_or(trap(TrapKind::Unverified))?;
        let receiver = linked.has_receiver.then_some(THIS);
        stack
            .begin(method, linked, receiver, args, fuel)
            .map_err(trap)?;
        if lifetime == Lifetime::PerCall {
            self.heap.begin_call();
        }
        Ok(())
    }

    /// Runs the activation until it returns, traps or waits for a native.
    ///
    /// With nothing started it traps with [`TrapKind::Unverified`]; while a native's outcome is not
    /// told, it asks for the native again.
    pub fn run<'s>(&mut self, stack: &'s mut CallStack<'_>) -> Step<'s> {
        let outcome = match stack.phase() {
            Phase::Ready => execute(&self.program, self.fields, &mut self.heap, stack),
            Phase::AtNative(call) => Ok(Exit::Native(call)),
            Phase::Ended => Err(Trapped::behind(TrapKind::Unverified, stack.place().1)),
            Phase::NativeTrapped(kind) => Err(Trapped::behind(kind, stack.place().1)),
        };
        match outcome {
            Ok(Exit::Native(call)) => {
                stack.wait_for(call);
                Step::Native {
                    id: call.id,
                    args: stack.native_arguments(),
                }
            }
            Ok(Exit::Returned(value)) => {
                self.heap.end_call();
                stack.end();
                Step::Returned(value)
            }
            Err(Trapped { kind, instruction }) => {
                self.heap.end_call();
                stack.end();
                let (method, _) = stack.place();
                let place = self
                    .program
                    .method(method)
                    .and_then(|linked| self.program.place(linked, instruction));
                let pc = place.unwrap_or(Pc(0));
                Step::Trapped(Trap { kind, method, pc })
            }
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
        self.start(stack, method, args, fuel, lifetime)?;
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
