//! Where memory comes from: arenas, and the arena that is cut from one slice.

use core::mem::MaybeUninit;

use bump_into::BumpInto;
use jive_core::{CallStack, Frame, Heap, Instance, LinkedClass};

/// Memory that is lent slice by slice, and given back as a whole.
pub trait Arena<'m> {
    /// Lends a slice of `count` default values, or a shorter one where the arena has no room for that many.
    ///
    /// The stage that gets a slice too short for it returns an error.
    fn lend<T: Copy + Default>(&self, count: usize) -> &'m mut [T];
}

/// An arena that is cut from one slice of bytes, which need not be initialized.
#[derive(Debug)]
pub struct Storage<'m>(BumpInto<'m>);

/// How much an instance may use.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes of heap for arrays, at most `i32::MAX`.
    pub heap_bytes: usize,
    /// How many calls may be nested, the one from outside included.
    pub nested_calls: usize,
}

/// A storage has too little memory for an instance.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {needed} bytes for an instance, found {found}")]
pub struct Shortage {
    /// How many bytes the instance takes, padding included.
    pub needed: usize,
    /// How many bytes the storage has left.
    pub found: usize,
}

/// Bytes of padding in front of an instance's slices: frames, slots and fields.
const INSTANCE_PADDING: usize = align_of::<Frame>() + 2 * align_of::<i32>();

impl<'m> Storage<'m> {
    /// Makes an arena of a slice.
    #[must_use]
    pub fn new(memory: &'m mut [MaybeUninit<u8>]) -> Storage<'m> {
        Storage(BumpInto::from_slice(memory))
    }

    /// Returns how many bytes have not been lent.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.0.available_bytes()
    }

    /// Lends an instance of a class its fields, heap and call stack. No code of the class runs: see
    /// [`initialize`](crate::initialize).
    ///
    /// # Errors
    ///
    /// [`Shortage`] where too little memory is left. Nothing is lent then.
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
