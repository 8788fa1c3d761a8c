//! A program and what it does: the class, its memory, its VIs, and how one of its natives ends.

use std::collections::VecDeque;

use bumpalo::Bump;
use jive_core::{
    ArrayKind, CallStack, ClassFile, CollectError, Collected, Collector, CollectorEntry, Frame,
    FromBuffer, FromSpace, Heap, HeapState, Held, Instance, LinkedClass, Motion, RootMap, TrapKind,
};
use jive_embed::CollectedClass;
use nic_core::event::HostEvent;
use nic_core::id::EndpointId;
use nic_core::javia::{Buffers, ViaKind, ViaNative, Waiting};
use nic_core::time::SimDuration;

use super::costs::Costs;
use super::memory;
use super::vi::Vi;
use super::wait::{Outgoing, Performed, Pinned, Wait};
use crate::host::Actions;
use crate::profile::Profile;
use crate::spec::{self, EndpointSpec, ProgramSpec};
use crate::storage::Growing;

/// How many calls of a program may be nested.
const CALL_DEPTH: usize = 1024;

/// A class that was loaded as a program, and what the scenario says of it.
pub(crate) struct Loaded<'a> {
    pub(crate) class: &'a CollectedClass<'a>,
    pub(crate) spec: &'a ProgramSpec,
    pub(crate) profile: &'a Profile,
}

/// A class that runs as the program of a process.
pub(crate) struct ClassProgram<'a> {
    pub(super) class: &'a LinkedClass<'a>,
    pub(super) spec: &'a ProgramSpec,
    pub(super) costs: Costs,
    pub(super) fields: &'a mut [i32],
    pub(super) heap: HeapState,
    pub(super) stacks: Stacks<'a>,
    /// Where references lie while a call waits.
    roots: RootMap<'a>,
    collector: Collector<'a>,
    /// The reference of the first array of the heap.
    lowest: u32,
    /// Buffers whose arrays the last collection has freed: the arguments of `unreferenced`.
    pub(super) unreferenced: VecDeque<[i32; 2]>,
    /// What the native of `run` returns when all calls of `unreferenced` are over, and whether that is a reference.
    pub(super) kept: Option<(Result<i32, TrapKind>, bool)>,
    pub(super) vis: Vec<Vi>,
    pub(super) buffers: Buffers<Growing>,
    pub(super) now: Now,
    /// Time of what the program has done in memory since its last native.
    pub(super) done: SimDuration,
    /// The native in which the program is, or was last.
    pub(super) native: Option<ViaNative>,
    /// A message that waits for native memory.
    pub(super) outgoing: Option<Outgoing>,
    /// The array that `sendPin` has pinned.
    pub(super) pinned: Option<Pinned>,
    /// The state of the buffer because of which the native traps.
    pub(super) refused_in: Option<&'static str>,
    /// The native that has just trapped.
    pub(super) failed: Option<Failed>,
    /// Bytes that were copied between arrays and the library's memory.
    pub(super) copied: u64,
}

/// What the program does.
#[derive(Debug)]
pub(super) enum Now {
    /// The program has not begun.
    Unborn,
    /// The program is about to perform a native.
    Before(Vec<i32>),
    /// The program has performed a native, which takes time before the class runs on.
    After(Result<i32, TrapKind>),
    /// The program waits in a native.
    Waiting(Wait),
    /// The program has ended: in this trap, if it trapped.
    Ended(Option<TrapKind>),
}

impl<'a> ClassProgram<'a> {
    /// Makes a program that has not begun. `endpoints` are those of its process, with their descriptions.
    ///
    /// Returns `None` if the profile has no `[javia]`, which the reader of scenarios refuses.
    pub(crate) fn new(
        arena: &'a Bump,
        loaded: Loaded<'a>,
        endpoints: &[(EndpointId, &EndpointSpec)],
    ) -> Option<ClassProgram<'a>> {
        let Loaded {
            class: roots,
            spec,
            profile,
        } = loaded;
        let class = &roots.class;
        let count = i32::try_from(endpoints.len()).ok()?;
        let vis = (0..count).zip(endpoints);
        let vis = vis.map(|(number, (id, spec))| Vi::new((number, count), *id, spec));
        let fields = arena.alloc_slice_fill_copy(class.program.field_count(), 0);
        let slots = class.program.slots_for(CALL_DEPTH);
        let posts = endpoints.iter().map(|(_, spec)| {
            let native = spec.vi.and_then(|vi| vi.native);
            spec.tx_queue as usize + native.map_or(0, |native| native.count as usize)
        });
        // Two stacks, the tickets of all rings and a kept result.
        let places = fields.len() + 2 * slots + posts.sum::<usize>() + 1;
        let entries = arena.alloc_slice_fill_copy(places, CollectorEntry::default());
        let motion = match spec.collector {
            spec::Collector::Moving => Motion::Moving,
            spec::Collector::Stationary => Motion::Stationary,
        };
        Some(ClassProgram {
            class,
            stacks: Stacks::new(arena, slots),
            roots: roots.roots(),
            collector: Collector::new(motion, entries),
            lowest: 0,
            unreferenced: VecDeque::new(),
            kept: None,
            spec,
            costs: Costs::of(profile)?,
            fields,
            heap: Heap::new(&mut []).detach(),
            vis: vis.collect(),
            buffers: Buffers::new(spec.buffers),
            now: Now::Unborn,
            done: SimDuration::ZERO,
            native: None,
            outgoing: None,
            pinned: None,
            refused_in: None,
            failed: None,
            copied: 0,
        })
    }

    /// Returns how many bytes of memory the program needs for its buffers and arrays.
    pub(crate) fn memory_bytes(&self) -> u32 {
        memory::bytes(self.spec)
    }

    /// Returns how many bytes were copied between arrays and the library's memory.
    pub(crate) fn copied(&self) -> u64 {
        self.copied
    }

    /// Returns the class, and the values of its fields.
    pub(crate) fn instance(&self) -> (&ClassFile<'a>, &[i32]) {
        (&self.class.class, self.fields)
    }

    /// Returns the elements of an array that lies in the program's memory.
    pub(crate) fn array<'m>(&self, memory: &'m [u8], reference: i32) -> Option<&'m [u8]> {
        // A heap needs memory that it may change.
        let mut copy = memory.to_vec();
        let array = Heap::attach(&mut copy, self.heap).array(reference)?;
        let bytes = memory.get(array.start as usize..)?;
        bytes.get(..array.byte_length() as usize)
    }

    /// Goes on after a native has done something.
    pub(super) fn go(&mut self, performed: Performed, actions: &mut Actions<'_>) {
        let (outcome, takes) = match performed {
            Performed::Returns(value, takes) => (Ok(value), takes),
            Performed::Traps(kind) => {
                let native = self.native.map_or("", |native| native.decl().name);
                let state = self.refused_in.take();
                self.failed = Some(Failed { native, state });
                (Err(kind), SimDuration::ZERO)
            }
            Performed::Continues(wait) => {
                self.now = Now::Waiting(wait);
                return;
            }
            Performed::Waits(wait) => {
                self.now = Now::Waiting(wait);
                self.post_native(actions);
                if let Some(native) = self.native {
                    let native = native.decl().name;
                    actions.emit(HostEvent::ProgramWait { native });
                }
                return;
            }
        };
        if takes > SimDuration::ZERO {
            actions.compute(takes);
        }
        actions.go_on();
        self.now = Now::After(outcome);
    }

    /// Makes the native that is over return another value.
    pub(super) fn returns_instead(&mut self, value: i32) {
        if let Now::After(outcome @ Ok(_)) = &mut self.now {
            *outcome = Ok(value);
        }
    }

    /// Ends the wait of the program, if it still waits.
    pub(super) fn ends_wait(&mut self, performed: Performed, actions: &mut Actions<'_>) {
        if matches!(self.now, Now::Waiting(_)) {
            self.go(performed, actions);
        }
    }

    /// Returns what the program waits for, if it does.
    pub(super) fn waits_for(&self) -> Option<Wait> {
        match self.now {
            Now::Waiting(wait) => Some(wait),
            Now::Unborn | Now::Before(_) | Now::After(_) | Now::Ended(_) => None,
        }
    }

    /// Lends the linear memory to the class's heap.
    pub(super) fn with_heap<R>(
        &mut self,
        actions: &mut Actions<'_>,
        then: impl FnOnce(&mut Instance<'_>, &mut Stacks<'a>) -> R,
    ) -> R {
        let heap = Heap::attach(actions.linear(), self.heap);
        let mut instance = Instance::attach(self.class.program, &mut *self.fields, heap);
        let result = then(&mut instance, &mut self.stacks);
        let (_, state) = instance.detach();
        self.heap = state;
        result
    }

    /// Posts the native buffers that are free.
    pub(super) fn post_native(&mut self, actions: &mut Actions<'_>) {
        for vi in &mut self.vis {
            while let Some((number, segments)) = vi.next_to_post() {
                actions.post_receive(vi.endpoint, number, segments);
            }
        }
    }

    /// Lets the time pass of what the program has done since its last native.
    pub(super) fn pass(&mut self, actions: &mut Actions<'_>) {
        let done = std::mem::take(&mut self.done);
        if done > SimDuration::ZERO {
            actions.compute(done);
        }
    }

    /// Makes an array, after a collection if there is no room for it.
    pub(super) fn allocate(
        &mut self,
        kind: ArrayKind,
        length: i32,
        actions: &mut Actions<'_>,
    ) -> Result<i32, TrapKind> {
        match self.allocate_now(kind, length, actions) {
            Err(TrapKind::OutOfMemoryError) => {
                self.collect(actions)?;
                self.allocate_now(kind, length, actions)
            }
            made => made,
        }
    }

    fn allocate_now(
        &mut self,
        kind: ArrayKind,
        length: i32,
        actions: &mut Actions<'_>,
    ) -> Result<i32, TrapKind> {
        let mut heap = Heap::attach(actions.linear(), self.heap);
        let made = self.collector.allocate(&mut heap, kind, length);
        self.heap = heap.detach();
        made
    }

    /// Records where the heap begins, behind what lies in memory before the program runs.
    pub(super) fn heap_begins(&mut self, first: i32) {
        self.lowest = first.cast_unsigned();
    }

    /// Frees the arrays that the program cannot reach, and the buffers that it has left to the collector (S2-19, S2-20).
    pub(super) fn collect(&mut self, actions: &mut Actions<'_>) -> Result<(), TrapKind> {
        let waiting: Vec<_> = self.buffers.waiting().collect();
        let buffer = |waiting: &Waiting| FromBuffer {
            start: memory::in_memory(waiting.place.header()),
            end: memory::in_memory(waiting.place.end()),
            is_named: false,
        };
        let mut buffers: Vec<FromBuffer> = waiting.iter().map(buffer).collect();
        let mut space = FromSpace {
            heap: self.lowest,
            to: self.lowest,
            buffers: &mut buffers,
        };
        let mut held: Vec<i32> = self.held().map(|place| *place).collect();
        let heap = Heap::attach(actions.linear(), self.heap);
        let mut instance = Instance::attach(self.class.program, &mut *self.fields, heap);
        let Stacks {
            run, unreferenced, ..
        } = &mut self.stacks;
        let mut run = run.roots(self.roots);
        let mut unreferenced = unreferenced.roots(self.roots);
        let collected = instance.collect(
            &mut self.collector,
            &mut space,
            &mut [&mut run, &mut unreferenced, &mut Held(&mut held)],
        );
        let (_, state) = instance.detach();
        self.heap = state;
        let collected = collected.map_err(CollectError::trap)?;
        for (place, value) in self.held().zip(held) {
            *place = value;
        }
        let moves = self.spec.collector == spec::Collector::Moving;
        let is_named = |of: Waiting| {
            let place = waiting.iter().position(|waiting| *waiting == of);
            let buffer = place.and_then(|place| buffers.get(place));
            !moves && buffer.is_some_and(|buffer| buffer.is_named)
        };
        while let Some(freed) = self.buffers.collected(is_named) {
            self.unreferenced.push_back([freed.buffer, freed.number]);
        }
        let Collected {
            roots,
            moved,
            freed,
        } = collected;
        let duration = self.costs.collection(roots, moved);
        self.pass(actions);
        actions.emit(HostEvent::Collection {
            roots,
            bytes: moved,
            freed,
            duration,
        });
        actions.compute(duration);
        Ok(())
    }

    /// Returns the places outside the class that hold references.
    fn held(&mut self) -> impl Iterator<Item = &mut i32> {
        let rings = self.vis.iter_mut().flat_map(|vi| {
            let sends = vi.posted_sends.roots();
            sends.chain(vi.posted_receives.roots())
        });
        let kept = match &mut self.kept {
            Some((Ok(value), true)) => Some(value),
            Some(_) | None => None,
        };
        rings.chain(kept)
    }

    /// Returns the kind of the native in which the program is.
    pub(super) fn kind(&self) -> Option<ViaKind> {
        self.native.map(ViaNative::kind)
    }

    /// Lets the program wait for something else in the same native.
    pub(super) fn waits_next(&mut self, wait: Wait) {
        if matches!(self.now, Now::Waiting(_)) {
            self.now = Now::Waiting(wait);
        }
    }

    /// Returns the VI of an argument.
    pub(super) fn vi(&self, argument: i32) -> Result<usize, TrapKind> {
        let index = usize::try_from(argument).ok();
        index
            .filter(|index| *index < self.vis.len())
            .ok_or(TrapKind::ProtectionFault)
    }

    /// Returns the place of a VI among those of the program.
    pub(super) fn place_of(&self, endpoint: EndpointId) -> Option<usize> {
        self.vis.iter().position(|vi| vi.endpoint == endpoint)
    }
}

/// A native that has trapped, and the state of the buffer because of which it did.
#[derive(Copy, Clone, Debug)]
pub(super) struct Failed {
    pub(super) native: &'static str,
    pub(super) state: Option<&'static str>,
}

/// The call stacks of a program.
#[derive(Debug)]
pub(super) struct Stacks<'a> {
    /// That of `run`.
    run: CallStack<'a>,
    /// That of `unreferenced`.
    unreferenced: CallStack<'a>,
    /// Whether `unreferenced` is the method that runs or waits.
    pub(super) is_in_unreferenced: bool,
}

impl<'a> Stacks<'a> {
    fn new(arena: &'a Bump, slots: usize) -> Stacks<'a> {
        let stack = || {
            let frames = arena.alloc_slice_fill_copy(CALL_DEPTH, Frame::default());
            CallStack::new(frames, arena.alloc_slice_fill_copy(slots, 0))
        };
        Stacks {
            run: stack(),
            unreferenced: stack(),
            is_in_unreferenced: false,
        }
    }

    /// Returns the stack of the method that runs or waits.
    pub(super) fn current(&mut self) -> &mut CallStack<'a> {
        match self.is_in_unreferenced {
            true => &mut self.unreferenced,
            false => &mut self.run,
        }
    }
}
