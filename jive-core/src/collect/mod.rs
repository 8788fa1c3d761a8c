//! Collectors: free the arrays that no root names, while calls wait for natives.
//!
//! A [`Collector`] works on a program of [`link_collected`](crate::link_collected). Arrays hold no references, so a
//! collection looks at roots alone: it sorts their references, and all arrays between are garbage. The *moving* collector
//! slides the arrays down over the garbage, in the order of their references (Javia 4.1). The *stationary* collector
//! leaves them where they are, and new arrays take the gaps.
//!
//! Both collect a [`FromSpace`]: the heap, and parts of an array below it that the program has given back (buffers). The
//! moving collector copies an array in a buffer behind the others, so that the buffer is free afterwards.

mod error;
mod roots;

pub use error::CollectError;
pub use roots::{FieldRoots, Held, Registers, RootMap, RootSite, Roots, StackRoots, Waiting};

use crate::array_kind::ArrayKind;
use crate::frame::THIS;
use crate::heap::Heap;
use crate::instance::Instance;
use crate::limits::ARRAY_ALIGNMENT;
use crate::trap::TrapKind;

/// What a collector does with the arrays that roots name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Arrays move together, so that all free memory is behind the last one.
    Moving,
    /// Arrays stay where they are. New arrays go into the first gap that is large enough.
    Stationary,
}

/// Frees the arrays of a heap that no root names.
#[derive(Debug)]
pub struct Collector<'m> {
    motion: Motion,
    entries: &'m mut [CollectorEntry],
    /// How many entries are gaps, from the first on.
    gaps: usize,
}

/// Memory of a collector for one root.
///
/// During a collection, an entry holds a reference and the one that replaces it. In between, an entry of a stationary
/// collector is a gap that new arrays may take: where it begins and where it ends.
#[derive(Copy, Clone, Debug, Default)]
pub struct CollectorEntry {
    from: u32,
    to: u32,
}

/// What a collection may move or free.
#[derive(Debug)]
pub struct FromSpace<'b> {
    /// The lowest reference that an array of the heap can have. Arrays below stay where they are, unless they are in a
    /// buffer.
    pub heap: u32,
    /// Where the first array of the heap is after a moving collection, rounded up to the alignment of arrays. Usually
    /// equal to `heap`.
    pub to: u32,
    /// Parts of the memory below `heap`, which do not overlap.
    pub buffers: &'b mut [FromBuffer],
}

/// A part of the memory below the heap that the program has given back, although arrays may still be in it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FromBuffer {
    /// The offset of its first byte.
    pub start: u32,
    /// The offset after its last byte.
    pub end: u32,
    /// Set by a collection: whether a root named an array in the buffer. After a moving collection the buffer is free
    /// in any case, because that array was copied.
    pub is_named: bool,
}

/// What a collection has done.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// How many roots named an array. An array that several roots name is counted as often.
    pub roots: u32,
    /// How many bytes were copied, headers included.
    pub moved: u32,
    /// How many bytes of the heap have become free, without the bytes that arrays from buffers now take.
    pub freed: u32,
}

impl<'m> Collector<'m> {
    /// Makes a collector. It needs an entry for each field, for each slot of the call stacks and for each other place
    /// that can hold a reference, or fewer if fewer places do.
    #[must_use]
    pub const fn new(motion: Motion, entries: &'m mut [CollectorEntry]) -> Self {
        Self {
            motion,
            entries,
            gaps: 0,
        }
    }

    /// Returns what the collector does with arrays.
    #[must_use]
    pub const fn motion(&self) -> Motion {
        self.motion
    }

    /// Frees the arrays of `space` that no root names. A moving collector replaces each root by the new reference of its
    /// array.
    ///
    /// # Errors
    ///
    /// Returns a [`CollectError`] if nothing was collected.
    pub fn collect(
        &mut self,
        heap: &mut Heap<'_>,
        space: &mut FromSpace<'_>,
        roots: &mut [&mut dyn Roots],
    ) -> Result<Collected, CollectError> {
        let free = self.gaps().iter().map(CollectorEntry::length).sum();
        self.gaps = 0;
        let live = self.gather(heap, space, roots)?;
        let used = heap
            .next_reference()
            .cast_unsigned()
            .saturating_sub(space.heap);
        let (moved, kept) = match self.motion {
            Motion::Moving => self.slide(heap, space, &live, roots)?,
            Motion::Stationary => (0, self.find_gaps(heap, space, &live)?),
        };
        Ok(Collected {
            roots: live.roots,
            moved,
            freed: used.saturating_sub(free).saturating_sub(kept),
        })
    }

    /// Returns the gaps that new arrays may take.
    fn gaps(&mut self) -> &mut [CollectorEntry] {
        self.entries.get_mut(..self.gaps).unwrap_or_default()
    }

    /// Allocates a zeroed array. A stationary collector takes the first gap that is large enough.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Heap::allocate`].
    pub fn allocate(
        &mut self,
        heap: &mut Heap<'_>,
        kind: ArrayKind,
        length: i32,
    ) -> Result<i32, TrapKind> {
        if let Ok(elements) = u32::try_from(length) {
            let needed = Heap::bytes_of_array(kind, elements);
            let mut gaps = self.gaps().iter_mut();
            if let Some(gap) = gaps.find(|gap| needed <= gap.length().into())
                && let Ok(reference) = heap.allocate_in(gap.from..gap.to, kind, length)
            {
                // The array is in the gap, so it takes at most the gap's length.
                gap.from = gap.from.saturating_add(needed as u32);
                return Ok(reference);
            }
        }
        heap.allocate(kind, length)
    }

    /// Lists the arrays of the space that roots name, in the order of their references.
    fn gather(
        &mut self,
        heap: &Heap<'_>,
        space: &mut FromSpace<'_>,
        roots: &mut [&mut dyn Roots],
    ) -> Result<Live, CollectError> {
        let entries = &mut *self.entries;
        let (mut count, mut needed, mut is_forged) = (0_u32, 0_usize, heap.is_in_call());
        space
            .buffers
            .iter_mut()
            .for_each(|buffer| buffer.is_named = false);
        for root in roots {
            root.each(&mut |place| match u32::try_from(*place) {
                Ok(0) => {}
                Ok(from) => {
                    count = count.saturating_add(1);
                    if space.end_of(heap, from).is_some() {
                        if let Some(entry) = entries.get_mut(needed) {
                            *entry = CollectorEntry { from, to: from };
                        }
                        needed = needed.saturating_add(1);
                    }
                }
                Err(_) => is_forged |= *place != THIS,
            })?;
        }
        let found = entries.len();
        let Some(named) = entries.get_mut(..needed) else {
            return Err(CollectError::Entries { needed, found });
        };
        named.sort_unstable_by_key(|entry| entry.from);
        let arrays = deduplicate(named);
        let named = entries.get(..arrays).unwrap_or_default();
        // Arrays in buffers are below the heap, so they come first.
        let in_buffers = named.partition_point(|entry| entry.from < space.heap);
        let mut lowest = 0;
        for entry in named {
            let block = heap.block(entry.from.cast_signed());
            let block = block.ok_or(CollectError::Unverified)?;
            let end = space.end_of(heap, entry.from);
            is_forged |= block.start < lowest || end.is_none_or(|end| block.end > end);
            lowest = block.end;
        }
        if is_forged {
            return Err(CollectError::Unverified);
        }
        for buffer in space.buffers.iter_mut() {
            let named = named.get(..in_buffers).unwrap_or_default();
            buffer.is_named = named.iter().any(|entry| buffer.holds(entry.from));
        }
        Ok(Live {
            roots: count,
            arrays,
            in_buffers,
        })
    }

    /// Slides arrays together, and copies those in buffers behind them. Returns how many bytes were copied, and how many
    /// the arrays of the heap take.
    fn slide(
        &mut self,
        heap: &mut Heap<'_>,
        space: &FromSpace<'_>,
        live: &Live,
        roots: &mut [&mut dyn Roots],
    ) -> Result<(u32, u32), CollectError> {
        let named = self.entries.get_mut(..live.arrays).unwrap_or_default();
        let (in_buffers, in_heap) = named
            .split_at_mut_checked(live.in_buffers)
            .unwrap_or_default();
        let first = space.to.checked_next_multiple_of(ARRAY_ALIGNMENT);
        let first = first.ok_or(CollectError::Unverified)?;
        let end = assign(heap, in_heap, first);
        let kept = end.saturating_sub(first);
        let top = assign(heap, in_buffers, end);
        let most = heap.end_max();
        if top > most {
            return Err(CollectError::OutOfMemory { needed: top, most });
        }
        // If the first place is above the heap's, the arrays up to the first garbage move up. They begin with the last, as
        // the others begin with the first, so that no array is overwritten before it has moved.
        let up = in_heap.partition_point(|entry| entry.to > entry.from);
        let (up, down) = in_heap.split_at_checked(up).unwrap_or_default();
        let order = up.iter().rev().chain(down).chain(&*in_buffers);
        let mut moved = 0_u32;
        for entry in order.filter(|entry| entry.from != entry.to) {
            let block = heap.block(entry.from.cast_signed());
            let block = block.ok_or(CollectError::Unverified)?;
            moved = moved.saturating_add(block.end.saturating_sub(block.start));
            heap.carry(block, entry.to);
        }
        heap.refill_to(top);
        for root in roots {
            root.each(&mut |place| {
                let from = place.cast_unsigned();
                if let Ok(found) = named.binary_search_by_key(&from, |entry| entry.from)
                    && let Some(entry) = named.get(found)
                {
                    *place = entry.to.cast_signed();
                }
            })?;
        }
        Ok((moved, kept))
    }

    /// Makes gaps of what is between the arrays of the heap. Returns how many bytes the arrays take.
    fn find_gaps(
        &mut self,
        heap: &mut Heap<'_>,
        space: &FromSpace<'_>,
        live: &Live,
    ) -> Result<u32, CollectError> {
        let (mut gaps, mut end, mut kept) = (0_usize, space.heap, 0_u32);
        for array in live.in_buffers..live.arrays {
            let from = self.entries.get(array).map_or(0, |entry| entry.from);
            let block = heap.block(from.cast_signed());
            let behind =
                block.and_then(|block| block.end.checked_next_multiple_of(ARRAY_ALIGNMENT));
            let behind = behind.ok_or(CollectError::Unverified)?;
            kept = kept.saturating_add(behind.saturating_sub(from));
            if end < from
                && let Some(gap) = self.entries.get_mut(gaps)
            {
                // There are at most as many gaps as arrays so far, so no array is lost.
                *gap = CollectorEntry {
                    from: end,
                    to: from,
                };
                gaps = gaps.saturating_add(1);
            }
            end = behind;
        }
        self.gaps = gaps;
        heap.refill_to(end);
        Ok(kept)
    }
}

/// The first entries of a collector, after it has looked at the roots.
struct Live {
    /// How many roots name an array.
    roots: u32,
    /// How many arrays of the space are named, and how many of them are in buffers.
    arrays: usize,
    in_buffers: usize,
}

impl CollectorEntry {
    const fn length(&self) -> u32 {
        self.to.saturating_sub(self.from)
    }
}

impl FromBuffer {
    const fn holds(&self, reference: u32) -> bool {
        self.start <= reference && reference < self.end
    }
}

impl FromSpace<'_> {
    /// Returns where the part of the space ends that a reference lies in, if it lies in the space.
    fn end_of(&self, heap: &Heap<'_>, reference: u32) -> Option<u32> {
        if reference >= self.heap {
            return Some(heap.next_reference().cast_unsigned());
        }
        let mut buffers = self.buffers.iter();
        let buffer = buffers.find(|buffer| buffer.holds(reference))?;
        Some(buffer.end)
    }
}

impl Instance<'_> {
    /// Collects as [`Collector::collect`] does. The fields of the instance are roots too.
    ///
    /// The arguments of a native are in registers, so a native reads them anew afterwards
    /// ([`CallStack::native_arguments`](crate::CallStack::native_arguments)). A result that it has made already must be
    /// among the other roots ([`Held`]).
    ///
    /// # Errors
    ///
    /// Returns a [`CollectError`] if nothing was collected.
    pub fn collect(
        &mut self,
        collector: &mut Collector<'_>,
        space: &mut FromSpace<'_>,
        others: &mut [&mut dyn Roots],
    ) -> Result<Collected, CollectError> {
        let mut fields = FieldRoots::new(&self.program, self.fields);
        let mut others = All(others);
        collector.collect(&mut self.heap, space, &mut [&mut fields, &mut others])
    }
}

/// Roots from several places.
struct All<'a, 'r>(&'a mut [&'r mut dyn Roots]);

impl Roots for All<'_, '_> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut i32)) -> Result<(), CollectError> {
        self.0.iter_mut().try_for_each(|root| root.each(visit))
    }
}

/// Removes entries with the reference of the entry before them. Returns how many are left.
fn deduplicate(entries: &mut [CollectorEntry]) -> usize {
    let mut kept = 0_usize;
    let mut last = None;
    for at in 0..entries.len() {
        let entry = entries.get(at).copied().unwrap_or_default();
        if last != Some(entry.from) {
            last = Some(entry.from);
            if let Some(place) = entries.get_mut(kept) {
                *place = entry;
            }
            kept = kept.saturating_add(1);
        }
    }
    kept
}

/// Gives each array its place behind the one before, from `first` on. Returns the offset after the last place.
fn assign(heap: &Heap<'_>, arrays: &mut [CollectorEntry], first: u32) -> u32 {
    arrays.iter_mut().fold(first, |next, entry| {
        entry.to = next;
        let block = heap.block(entry.from.cast_signed()).unwrap_or_default();
        let length = block.end.saturating_sub(block.start);
        let padded = length.checked_next_multiple_of(ARRAY_ALIGNMENT);
        next.saturating_add(padded.unwrap_or(u32::MAX))
    })
}

#[cfg(test)]
mod tests;
