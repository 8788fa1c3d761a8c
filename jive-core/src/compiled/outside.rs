//! What a call in printed code does outside of its methods: natives and arrays.

use crate::array_kind::ArrayKind;
use crate::heap::{Bounds, Heap};
use crate::id::NativeId;
use crate::instance::Natives;
use crate::trap::TrapKind;

/// What a call in printed code has to do with the world outside of its methods: its natives, and its heap's bounds.
#[derive(Debug)]
pub struct Outside<'r, N> {
    natives: &'r mut N,
    /// The place from which on a call may find no room on the call stack.
    room: usize,
    pub(super) bounds: Bounds,
    /// What the call has executed so far is this less its fuel.
    granted: u64,
    /// The fuel that natives have cost beyond their instructions.
    pub(super) extra: u64,
    /// Why the native trapped at which the call leaves.
    pub(super) trapped: Option<TrapKind>,
}

impl<'r, N: Natives> Outside<'r, N> {
    /// Begins a call with natives and bounds.
    #[inline(always)]
    pub(super) const fn new(
        natives: &'r mut N,
        room: usize,
        bounds: Bounds,
        granted: u64,
    ) -> Outside<'r, N> {
        Outside {
            natives,
            room,
            bounds,
            granted,
            extra: 0,
            trapped: None,
        }
    }

    /// Returns whether a call from this place finds room on the call stack. If not, the interpreter makes the call and
    /// decides.
    #[must_use]
    #[inline(always)]
    pub const fn has_room(&self, place: usize) -> bool {
        place < self.room
    }

    /// Returns whether a field must not keep the reference.
    #[must_use]
    #[inline(always)]
    pub const fn is_transient(&self, reference: i32) -> bool {
        self.bounds.is_transient(reference)
    }

    /// Makes an array, or returns `None` if that would trap.
    #[must_use]
    pub fn allocate(&mut self, heap: &mut [u8], kind: ArrayKind, length: i32) -> Option<i32> {
        self.with_heap(heap, |heap| heap.allocate(kind, length).ok())
    }

    /// Performs a native, and pays for what it costs beyond its instruction from `budget`. Returns `None` if the method
    /// must leave at the native: it is suspended, it trapped, or the fuel may not suffice.
    ///
    /// `behind` is how many prepaid instructions follow the native.
    #[must_use]
    #[inline(always)]
    pub fn native(
        &mut self,
        heap: &mut [u8],
        id: u16,
        arguments: &[i32],
        (budget, behind): (&mut isize, isize),
    ) -> Option<i32> {
        if self.natives.suspends(NativeId(id)) {
            return None;
        }
        self.perform(heap, id, arguments, (budget, behind))
    }

    /// Performs a native as [`Outside::native`] does, without asking whether it suspends.
    #[must_use]
    #[inline(always)]
    pub fn perform(
        &mut self,
        heap: &mut [u8],
        id: u16,
        arguments: &[i32],
        (budget, behind): (&mut isize, isize),
    ) -> Option<i32> {
        let id = NativeId(id);
        let extra = self.natives.extra_fuel(id);
        if extra != 0 {
            let left = isize::try_from(extra).map(|extra| budget.wrapping_sub(extra));
            *budget = left.ok().filter(|left| *left >= 0)?;
            self.extra = self.extra.wrapping_add(extra);
        }
        // The cast is lossless, because the budget is not negative here.
        let left = budget.wrapping_add(behind).cast_unsigned() as u64;
        let granted = self.granted.wrapping_sub(self.extra);
        self.natives.reached(granted.wrapping_sub(left));
        let bounds = self.bounds;
        let mut joined = Heap::joined(heap, bounds);
        let outcome = self.natives.call(id, arguments, &mut joined);
        self.bounds = joined.split().1;
        match outcome {
            Ok(value) => Some(value),
            Err(kind) => {
                self.trapped = Some(kind);
                None
            }
        }
    }

    fn with_heap<R>(&mut self, heap: &mut [u8], work: impl FnOnce(&mut Heap<'_>) -> R) -> R {
        let mut joined = Heap::joined(heap, self.bounds);
        let result = work(&mut joined);
        self.bounds = joined.split().1;
        result
    }
}
