//! Where memory comes from: arenas, and the arena that is cut from one slice.

use core::mem::MaybeUninit;

use bump_into::BumpInto;
use jive_core::{CallStack, Frame, Heap, Instance, LinkedClass};

/// Memory that is lent slice by slice, and given back as a whole.
pub trait Arena<'m> {
    /// Lends a slice of `count` default values, or a shorter slice if the arena has too little room.
    ///
    /// A stage of loading returns an error if the slice that the arena lends is too short.
    fn lend<T: Copy + Default>(&self, count: usize) -> &'m mut [T];
}

/// An arena that is cut from one slice of bytes, which need not be initialized.
#[derive(Debug)]
pub struct Storage<'m>(BumpInto<'m>);

/// How much memory an instance may use, and how many nested calls.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes of heap for arrays, at most `i32::MAX`.
    pub heap_bytes: usize,
    /// How many calls may be nested, including the call from outside.
    pub nested_calls: usize,
}

/// The error of a [`Storage`] that has too little memory left for an instance.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {needed} bytes for an instance, found {found}")]
pub struct Shortage {
    /// How many bytes the instance needs, padding included.
    pub needed: usize,
    /// How many bytes the storage has left.
    pub found: usize,
}

/// Maximum number of bytes of padding before an instance's slices: frames, slots and fields.
const INSTANCE_PADDING: usize = align_of::<Frame>() + 2 * align_of::<i32>();

impl<'m> Storage<'m> {
    /// Makes an arena that lends parts of a slice.
    #[must_use]
    pub fn new(memory: &'m mut [MaybeUninit<u8>]) -> Storage<'m> {
        Storage(BumpInto::from_slice(memory))
    }

    /// Returns how many bytes the arena has not lent.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.0.available_bytes()
    }

    /// Keeps a value in the arena, for as long as the memory is lent. A [`LinkedClass`] lies beside its program then.
    ///
    /// # Errors
    ///
    /// Returns the value if too little memory is left.
    pub fn keep<T: Copy>(&self, value: T) -> Result<&'m mut T, T> {
        self.0.alloc(value)
    }

    /// Lends an instance of a class its fields, heap and call stack. `instance` runs no code of the class: call
    /// [`initialize`](crate::initialize) to run the initializer and the constructor.
    ///
    /// # Errors
    ///
    /// Returns a [`Shortage`], and lends nothing, if too little memory is left.
    pub fn instance(
        &self,
        class: &LinkedClass<'m>,
        room: Room,
    ) -> Result<(Instance<'m>, CallStack<'m>), Shortage> {
        let program = class.program;
        let Room {
            heap_bytes,
            nested_calls,
        } = room;
        let fields = program.field_count();
        let slots = program.slots_for(nested_calls);
        let needed = nested_calls
            .saturating_mul(size_of::<Frame>())
            .saturating_add(
                fields
                    .saturating_add(slots)
                    .saturating_mul(size_of::<i32>()),
            )
            .saturating_add(heap_bytes)
            .saturating_add(INSTANCE_PADDING);
        let found = self.remaining();
        if needed > found {
            return Err(Shortage { needed, found });
        }
        let stack = CallStack::new(self.lend(nested_calls), self.lend(slots));
        let instance = Instance::new(program, self.lend(fields), Heap::new(self.lend(heap_bytes)));
        Ok((instance, stack))
    }
}

impl<'m> Arena<'m> for Storage<'m> {
    fn lend<T: Copy + Default>(&self, count: usize) -> &'m mut [T] {
        let count = count.min(self.0.available_spaces_for::<T>());
        self.0
            .alloc_n_with(count, core::iter::repeat_n(T::default(), count))
            .unwrap_or_default()
    }
}
