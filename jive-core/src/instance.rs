//! An instance: one loaded class in use, with its fields and its heap. `interp/run.rs` makes its calls.

use crate::heap::Heap;
use crate::id::{FieldId, NativeId};
use crate::program::Program;
use crate::trap::{Trap, TrapKind};

/// The state of one loaded class: its fields, its heap, and the program that it shares.
#[derive(Debug)]
pub struct Instance<'m> {
    pub(crate) program: Program<'m>,
    pub(crate) fields: &'m mut [i32],
    pub(crate) heap: Heap<'m>,
}

/// Why [`Instance::run`] stopped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Step<'s> {
    /// The call returned, with a value unless the method is void.
    Returned(Option<i32>),
    /// The call waits for a native: perform it, tell [`CallStack::resume`](crate::CallStack::resume), and run again.
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
}
