//! An instance: the fields and the heap of a loaded class. `interp/run.rs` runs its methods.

use crate::heap::{Heap, HeapState};
use crate::id::{FieldId, NativeId};
use crate::program::Program;
use crate::trap::{Trap, TrapKind};

/// The state of a loaded class: its fields, its heap, and the program, which all instances of the class share.
#[derive(Debug)]
pub struct Instance<'m> {
    pub(crate) program: Program<'m>,
    pub(crate) fields: &'m mut [i32],
    pub(crate) heap: Heap<'m>,
}

/// Why [`Instance::run`] stopped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Step<'s> {
    /// The call returned. A call that returned has a value unless the method is void.
    Returned(Option<i32>),
    /// The call waits for a native. The caller performs the native, passes the outcome to
    /// [`CallStack::resume`](crate::CallStack::resume), and runs the call again.
    Native {
        /// Which native.
        id: NativeId,
        /// The native's arguments. An array argument is a reference into the instance's heap.
        args: &'s [i32],
    },
    /// The call trapped.
    Trapped(Trap),
}

/// A [`Step`] without the arguments of a native, which are those of
/// [`CallStack::native_arguments`](crate::CallStack::native_arguments).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum BareStep {
    /// As [`Step::Returned`].
    Returned(Option<i32>),
    /// As [`Step::Native`].
    Native(NativeId),
    /// As [`Step::Trapped`].
    Trapped(Trap),
}

impl From<Step<'_>> for BareStep {
    fn from(step: Step<'_>) -> BareStep {
        match step {
            Step::Returned(value) => BareStep::Returned(value),
            Step::Native { id, .. } => BareStep::Native(id),
            Step::Trapped(trap) => BareStep::Trapped(trap),
        }
    }
}

/// Performs the natives of a call that [`Instance::call`] runs.
pub trait Natives {
    /// Performs a native. An implementation either performs the whole native, or performs nothing and returns a trap.
    /// The interpreter ignores the value that a void native returns.
    ///
    /// # Errors
    ///
    /// Returns the trap in which the native's call ends.
    fn call(&mut self, id: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind>;

    /// Returns the fuel that a native costs beyond its one instruction.
    fn extra_fuel(&self, _id: NativeId) -> u64 {
        0
    }

    /// Returns whether a call in printed code stops before the native, for the caller to perform it
    /// ([`compiled`](crate::compiled)). The interpreter stops at every native and does not ask.
    fn suspends(&self, _id: NativeId) -> bool {
        false
    }

    /// Learns, right before [`Natives::call`], how many instructions the call from outside has executed, the native's own
    /// included. Natives that take virtual time need it: printed code performs them in its middle, where no caller can
    /// ask the call stack.
    fn reached(&mut self, _executed: u64) {}
}

impl<N: Natives + ?Sized> Natives for &mut N {
    fn call(&mut self, id: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind> {
        (**self).call(id, args, heap)
    }

    fn extra_fuel(&self, id: NativeId) -> u64 {
        (**self).extra_fuel(id)
    }

    fn suspends(&self, id: NativeId) -> bool {
        (**self).suspends(id)
    }

    fn reached(&mut self, executed: u64) {
        (**self).reached(executed);
    }
}

/// No natives: each call of a native traps with [`TrapKind::ProtectionFault`].
#[derive(Copy, Clone, Debug, Default)]
pub struct NoNatives;

impl Natives for NoNatives {
    fn call(&mut self, _: NativeId, _: &[i32], _: &mut Heap<'_>) -> Result<i32, TrapKind> {
        Err(TrapKind::ProtectionFault)
    }
}

impl<'m> Instance<'m> {
    /// Makes an instance. Each field has the value of its `ConstantValue` attribute, or else 0 or null.
    ///
    /// `fields` needs [`Program::field_count`] elements. If `fields` has too few elements, code that accesses a missing
    /// field traps with [`TrapKind::Unverified`].
    #[must_use]
    pub fn new(program: Program<'m>, fields: &'m mut [i32], heap: Heap<'m>) -> Self {
        for (field, linked) in fields.iter_mut().zip(program.fields()) {
            *field = linked.initial;
        }
        Self::attach(program, fields, heap)
    }

    /// Makes an instance again of fields that hold their values, such as those of [`Instance::detach`]. No code of the
    /// class runs, and no field changes.
    #[must_use]
    pub const fn attach(program: Program<'m>, fields: &'m mut [i32], heap: Heap<'m>) -> Self {
        Self {
            program,
            fields,
            heap,
        }
    }

    /// Gives the heap's memory back until [`Instance::attach`], and returns the fields and what the heap knows.
    ///
    /// A call may wait for a native meanwhile: its call stack goes on with the instance that `attach` makes.
    #[must_use]
    pub fn detach(self) -> (&'m mut [i32], HeapState) {
        (self.fields, self.heap.detach())
    }

    /// Ends the instance, and returns the memory that was lent for the fields and for the heap.
    #[must_use]
    pub fn into_memory(self) -> (&'m mut [i32], &'m mut [u8]) {
        (self.fields, self.heap.into_memory())
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

    /// Returns the instance's heap as a mutable reference.
    #[must_use]
    pub const fn heap_mut(&mut self) -> &mut Heap<'m> {
        &mut self.heap
    }

    /// Returns the values of all fields, by [`FieldId`].
    #[must_use]
    pub const fn fields(&self) -> &[i32] {
        self.fields
    }

    /// Returns the value of a field, or 0 if the class has no field with this id.
    #[must_use]
    pub fn field(&self, id: FieldId) -> i32 {
        self.fields.get(id.index()).copied().unwrap_or(0)
    }

    /// Stores a value in a field without narrowing it. Does nothing if the class has no field with this id.
    ///
    /// The caller makes sure that a stored reference does not name an array of the running call.
    pub fn set_field(&mut self, id: FieldId, value: i32) {
        if let Some(field) = self.fields.get_mut(id.index()) {
            *field = value;
        }
    }
}
