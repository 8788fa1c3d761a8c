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
        let needed = room.bytes(class);
        let found = self.remaining();
        if needed > found {
            return Err(Shortage { needed, found });
        }
        Ok(room.instance(class, self))
    }
}

impl Room {
    /// Returns how many bytes an instance of a class takes, with the padding of its slices.
    #[must_use]
    pub fn bytes(self, class: &LinkedClass<'_>) -> usize {
        let fields = class.program.field_count();
        let slots = class.program.slots_for(self.nested_calls);
        let words = fields.saturating_add(slots);
        self.nested_calls
            .saturating_mul(size_of::<Frame>())
            .saturating_add(words.saturating_mul(size_of::<i32>()))
            .saturating_add(self.heap_bytes)
            .saturating_add(INSTANCE_PADDING)
    }

    /// Lends an instance of a class its fields, heap and call stack, as [`Storage::instance`] does. If the arena has less
    /// left than [`bytes`](Self::bytes), they are too short, and a call traps.
    pub fn instance<'m>(
        self,
        class: &LinkedClass<'m>,
        arena: &impl Arena<'m>,
    ) -> (Instance<'m>, CallStack<'m>) {
        let program = class.program;
        let frames = arena.lend(self.nested_calls);
        let stack = CallStack::new(frames, arena.lend(program.slots_for(self.nested_calls)));
        let fields = arena.lend(program.field_count());
        let heap = Heap::new(arena.lend(self.heap_bytes));
        (Instance::new(program, fields, heap), stack)
    }
}

impl<'m> Arena<'m> for Storage<'m> {
    // On 32-bit targets a function for each size of element, rather than a copy at each place that lends.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    fn lend<T: Copy + Default>(&self, count: usize) -> &'m mut [T] {
        self.0
            .alloc_n_with(count, core::iter::repeat_n(T::default(), count))
            .unwrap_or_default()
    }
}
