//! Calls with a collection at every allocation, to test a class, or a collector.

use bumpalo::Bump;
use jive_core::{
    ArrayKind, BareStep, CallStack, CollectError, Collected, Collector, CollectorEntry, FromSpace,
    Instance, Lifetime, MethodId, Motion, Natives, RootMap, Trap, TrapKind,
};

/// How far the first array moves from one collection to the next and back, in bytes: the least by which an array can.
const STEP: u32 = jive_core::limits::ARRAY_ALIGNMENT;

/// Makes calls of an instance with a collection at every allocation. If arrays can move, each collection moves all
/// arrays, so that a reference that was not found names no array, or another one.
#[derive(Debug)]
pub struct Collecting<'a> {
    roots: RootMap<'a>,
    collector: Collector<'a>,
    /// The reference of the first array, at its lowest.
    lowest: u32,
    /// How far the first array is above `lowest` now: 0 or `STEP`.
    above: u32,
    collections: u64,
    done: Collected,
}

impl<'a> Collecting<'a> {
    /// Prepares for calls of an instance that has no array yet, on a stack of `slots` slots.
    #[must_use]
    pub fn new(
        arena: &'a Bump,
        roots: RootMap<'a>,
        motion: Motion,
        instance: &Instance<'_>,
        slots: usize,
    ) -> Self {
        let entries = instance.program().field_count().saturating_add(slots);
        let entries = arena.alloc_slice_fill_copy(entries, CollectorEntry::default());
        Self {
            roots,
            collector: Collector::new(motion, entries),
            lowest: instance.heap().next_reference().cast_unsigned(),
            above: 0,
            collections: 0,
            done: Collected::default(),
        }
    }

    /// Returns how many collections there were, and what they have done together.
    #[must_use]
    pub const fn done(&self) -> (u64, Collected) {
        (self.collections, self.done)
    }

    /// Makes a call as [`Instance::call`] does.
    ///
    /// # Errors
    ///
    /// Returns the trap in which the call ended.
    pub fn call(
        &mut self,
        (instance, stack): (&mut Instance<'_>, &mut CallStack<'_>),
        method: MethodId,
        args: &[i32],
        fuel: u64,
        natives: &mut impl Natives,
    ) -> Result<Option<i32>, Trap> {
        instance.start(stack, method, args, fuel, Lifetime::Persistent)?;
        loop {
            let id = match instance.run_bare(stack) {
                BareStep::Returned(value) => return Ok(value),
                BareStep::Trapped(trap) => return Err(trap),
                BareStep::Native(id) => id,
            };
            let outcome = match id.allocates() {
                Some(kind) => self.allocate(instance, stack, kind),
                None => stack
                    .charge(natives.extra_fuel(id))
                    .and_then(|()| natives.call(id, stack.native_arguments(), instance.heap_mut())),
            };
            stack.resume(outcome);
        }
    }

    /// Collects, and performs the `newarray` for which a call waits.
    fn allocate(
        &mut self,
        instance: &mut Instance<'_>,
        stack: &mut CallStack<'_>,
        kind: ArrayKind,
    ) -> Result<i32, TrapKind> {
        let &[length] = stack.native_arguments() else {
            return Err(TrapKind::Unverified);
        };
        let other = match self.collector.motion() {
            Motion::Moving => STEP.saturating_sub(self.above),
            Motion::Stationary => 0,
        };
        match self.collect(instance, stack, other) {
            // The last bytes of the heap are taken.
            Err(CollectError::OutOfMemory { .. }) => self.collect(instance, stack, 0),
            collected => collected,
        }
        .map_err(CollectError::trap)?;
        match self.collector.allocate(instance.heap_mut(), kind, length) {
            Err(TrapKind::OutOfMemoryError) if self.above > 0 => {
                let collected = self.collect(instance, stack, 0);
                collected.map_err(CollectError::trap)?;
                self.collector.allocate(instance.heap_mut(), kind, length)
            }
            allocated => allocated,
        }
    }

    /// Collects. The first array is `above` bytes above its lowest place afterwards.
    fn collect(
        &mut self,
        instance: &mut Instance<'_>,
        stack: &mut CallStack<'_>,
        above: u32,
    ) -> Result<(), CollectError> {
        let mut space = FromSpace {
            heap: self.lowest.saturating_add(self.above),
            to: self.lowest.saturating_add(above),
            buffers: &mut [],
        };
        let mut roots = stack.roots(self.roots);
        let found = instance.collect(&mut self.collector, &mut space, &mut [&mut roots])?;
        self.above = above;
        self.collections = self.collections.saturating_add(1);
        self.done = Collected {
            roots: self.done.roots.saturating_add(found.roots),
            moved: self.done.moved.saturating_add(found.moved),
            freed: self.done.freed.saturating_add(found.freed),
        };
        Ok(())
    }
}
