//! The states of a program's buffers (S2-13 to S2-18).
//!
//! A buffer lies outside the heap. The program may ask for an array that lies inside it, and gives the array back by
//! [`Buffers::un_ref`] and a collection:
//!
//! | state | operation | next state |
//! |---|---|---|
//! | | `alloc` | unref |
//! | unref | `to_array(p)` | ref(p) |
//! | ref(p) | `to_array(p)` | ref(p) |
//! | ref(p) | `un_ref` | 2b-unref(p) |
//! | 2b-unref(p) | a collection that moves arrays | unref |
//! | 2b-unref(p) | a collection that moves none | unref if nothing refers to the array, and otherwise 2b-unref(p) |
//! | unref | `free` | |
//! | unref, ref(p) | `post` | unchanged |
//!
//! Everything else is [`Refusal::Forbidden`]. Registrations do not depend on the state, and no state depends on them,
//! except that a registered buffer cannot be freed.

use jive_core::ArrayKind;

use crate::storage::{List, Storage};
use crate::via::Handle;

use super::refusal::{Obstacle, Operation, Refusal, State};
use super::space::{BUFFERS_MAX, Place, Space};

/// Maximum number of registrations of a program's buffers without an allocator.
///
/// Each costs 20 bytes. Chosen.
pub const REGISTRATIONS_MAX: usize = 16;

/// The buffers of a program.
///
/// The program's memory belongs to somebody else: a new array needs a header at its [`Place`], and the bytes of a freed
/// buffer need to be zeroed. The handles of buffers and the tickets of registrations count from 1, and none is given
/// out twice.
#[derive(Clone, Debug)]
pub struct Buffers<S: Storage> {
    // Both sorted by number.
    buffers: S::List<Buffer, BUFFERS_MAX>,
    registrations: S::List<Registration, REGISTRATIONS_MAX>,
    space: Space<S>,
    last_buffer: i32,
    last_ticket: i32,
    // Number of calls of `un_ref`, by which the buffers that wait for a collection are ordered.
    un_refs: u64,
}

#[derive(Copy, Clone, Debug)]
struct Buffer {
    handle: i32,
    place: Place,
    state: State,
    /// What the program said in its last `un_ref`, and the position of this call among all.
    number: i32,
    un_ref: u64,
}

/// A buffer that is registered for a VI.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// The ticket.
    pub ticket: i32,
    /// The buffer.
    pub buffer: i32,
    /// The VI's number among the endpoints of the process.
    pub vi: u32,
    /// The NIC's handle of the registered memory.
    pub handle: Handle,
    /// Number of descriptors under way that name the buffer by this ticket.
    pub under_way: u32,
}

/// The array inside a buffer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BufferArray {
    /// Where it lies.
    pub place: Place,
    /// The count of elements.
    pub length: u32,
    /// Whether the buffer had no array before, so that the header is yet to be written.
    pub is_new: bool,
}

/// A buffer that waits for a collection since its `un_ref`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The buffer.
    pub buffer: i32,
    /// Where its array lies.
    pub place: Place,
    /// The number that the program gave to `un_ref`.
    pub number: i32,
}

/// The part of a registered buffer that a descriptor names.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// The NIC's handle of the registered memory.
    pub handle: Handle,
    /// Start of the part, in bytes from the start of the registered memory.
    pub offset: u32,
    /// Length of the part in bytes.
    pub length: u32,
}

impl<S: Storage> Buffers<S> {
    /// Returns a table without buffers, for a space of `bytes` bytes.
    #[must_use]
    pub fn new(bytes: u32) -> Buffers<S> {
        Buffers {
            buffers: S::List::default(),
            registrations: S::List::default(),
            space: Space::new(bytes),
            last_buffer: 0,
            last_ticket: 0,
            un_refs: 0,
        }
    }

    /// Makes a buffer of `bytes` bytes and returns its handle. It lies at the first place with enough room.
    ///
    /// # Errors
    ///
    /// Returns [`Refusal::NegativeLength`] or [`Refusal::NoRoom`].
    pub fn alloc(&mut self, bytes: i32) -> Result<i32, Refusal> {
        let bytes = u32::try_from(bytes).map_err(|_| Refusal::NegativeLength { bytes })?;
        let no_room = Refusal::NoRoom { bytes };
        let handle = self.last_buffer.checked_add(1).ok_or(no_room)?;
        let place = self.space.take(bytes).ok_or(no_room)?;
        let buffer = Buffer {
            handle,
            place,
            state: State::Unref,
            number: 0,
            un_ref: 0,
        };
        if !self.buffers.push(buffer) {
            self.space.give_back(place);
            return Err(no_room);
        }
        self.last_buffer = handle;
        Ok(handle)
    }

    /// Frees a buffer and returns its place, whose bytes the caller zeroes. Later buffers may lie there.
    ///
    /// # Errors
    ///
    /// Returns [`Refusal::NoBuffer`], or [`Refusal::Forbidden`] if the buffer has an array or a registration.
    pub fn free(&mut self, buffer: i32) -> Result<Place, Refusal> {
        let index = self.index(buffer)?;
        let Buffer { place, state, .. } = self.buffers[index];
        if state != State::Unref {
            return Err(self.forbidden(index, Operation::Free, Obstacle::State));
        }
        // A descriptor under way has a registration too.
        if let Some(registration) = self.registrations_of(buffer).next() {
            let obstacle = Obstacle::Registered {
                vi: registration.vi,
            };
            return Err(self.forbidden(index, Operation::Free, obstacle));
        }
        self.buffers[index..].rotate_left(1);
        self.buffers.pop();
        self.space.give_back(place);
        Ok(place)
    }

    /// Returns where the memory lies that [`Buffers::register`] would register for a VI.
    ///
    /// # Errors
    ///
    /// Returns [`Refusal::NoBuffer`], or [`Refusal::Forbidden`] if the buffer is registered for the VI already.
    pub fn registrable(&self, buffer: i32, vi: u32) -> Result<Place, Refusal> {
        let index = self.index(buffer)?;
        if self.registrations_of(buffer).any(|known| known.vi == vi) {
            let obstacle = Obstacle::Registered { vi };
            return Err(self.forbidden(index, Operation::Register, obstacle));
        }
        Ok(self.buffers[index].place)
    }

    /// Records that the NIC has registered a buffer for a VI under `handle`, and returns the ticket.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Buffers::registrable`] and [`Refusal::NoRegistration`].
    pub fn register(&mut self, buffer: i32, vi: u32, handle: Handle) -> Result<i32, Refusal> {
        self.registrable(buffer, vi)?;
        let ticket = self.last_ticket.checked_add(1);
        let ticket = ticket.ok_or(Refusal::NoRegistration)?;
        let registration = Registration {
            ticket,
            buffer,
            vi,
            handle,
            under_way: 0,
        };
        if !self.registrations.push(registration) {
            return Err(Refusal::NoRegistration);
        }
        self.last_ticket = ticket;
        Ok(ticket)
    }

    /// Ends a registration and returns it.
    ///
    /// # Errors
    ///
    /// Returns [`Refusal::NoTicket`], or [`Refusal::Forbidden`] if descriptors under way name the buffer by the ticket.
    pub fn deregister(&mut self, ticket: i32) -> Result<Registration, Refusal> {
        let index = self.index_of_ticket(ticket)?;
        let registration = self.registrations[index];
        if registration.under_way > 0 {
            let obstacle = Obstacle::UnderWay {
                descriptors: registration.under_way,
            };
            let buffer = self.index(registration.buffer)?;
            return Err(self.forbidden(buffer, Operation::Deregister, obstacle));
        }
        self.registrations[index..].rotate_left(1);
        self.registrations.pop();
        Ok(registration)
    }

    /// Returns the array of a type inside a buffer, which from now on has it.
    ///
    /// # Errors
    ///
    /// Returns [`Refusal::NoBuffer`], or [`Refusal::Forbidden`] if the buffer's array is of another type or is left to
    /// the collector, or if the buffer's length is no multiple of an element's.
    pub fn to_array(&mut self, buffer: i32, kind: ArrayKind) -> Result<BufferArray, Refusal> {
        let index = self.index(buffer)?;
        let operation = Operation::ToArray(kind);
        let Buffer { place, state, .. } = self.buffers[index];
        let is_new = match state {
            State::Unref => true,
            State::Ref(present) if present == kind => false,
            State::Ref(_) | State::ToBeUnref(_) => {
                return Err(self.forbidden(index, operation, Obstacle::State));
            }
        };
        let width = u32::from(kind.width());
        let bytes = place.bytes();
        if !bytes.is_multiple_of(width) {
            return Err(self.forbidden(index, operation, Obstacle::Length { bytes }));
        }
        self.buffers[index].state = State::Ref(kind);
        Ok(BufferArray {
            place,
            length: bytes / width,
            is_new,
        })
    }

    /// Leaves the array of a buffer to the collector. `number` is for the call that follows the collection.
    ///
    /// # Errors
    ///
    /// Returns [`Refusal::NoBuffer`], or [`Refusal::Forbidden`] if the buffer has no array or has left it already.
    pub fn un_ref(&mut self, buffer: i32, number: i32) -> Result<(), Refusal> {
        let index = self.index(buffer)?;
        let State::Ref(kind) = self.buffers[index].state else {
            return Err(self.forbidden(index, Operation::UnRef, Obstacle::State));
        };
        self.un_refs += 1;
        let found = &mut self.buffers[index];
        found.state = State::ToBeUnref(kind);
        found.number = number;
        found.un_ref = self.un_refs;
        Ok(())
    }

    /// Counts a descriptor for part of a registered buffer as under way, and returns what the descriptor names.
    ///
    /// # Errors
    ///
    /// Returns [`Refusal::NoTicket`], [`Refusal::Outside`], or [`Refusal::Forbidden`] if the buffer is left to the
    /// collector.
    pub fn post_send(&mut self, ticket: i32, offset: i32, length: i32) -> Result<Posted, Refusal> {
        self.post(ticket, Operation::PostSend, Some((offset, length)))
    }

    /// Counts a descriptor for a whole registered buffer as under way, and returns what the descriptor names.
    ///
    /// # Errors
    ///
    /// Returns [`Refusal::NoTicket`], or [`Refusal::Forbidden`] if the buffer is left to the collector.
    pub fn post_receive(&mut self, ticket: i32) -> Result<Posted, Refusal> {
        self.post(ticket, Operation::PostReceive, None)
    }

    fn post(
        &mut self,
        ticket: i32,
        operation: Operation,
        part: Option<(i32, i32)>,
    ) -> Result<Posted, Refusal> {
        let found = self.index_of_ticket(ticket)?;
        let Registration { buffer, handle, .. } = self.registrations[found];
        let index = self.index(buffer)?;
        let Buffer { place, state, .. } = self.buffers[index];
        let bytes = place.bytes();
        let (offset, length) = match part {
            Some((offset, length)) => within(offset, length, bytes).ok_or(Refusal::Outside {
                offset,
                length,
                bytes,
            })?,
            None => (0, bytes),
        };
        if let State::ToBeUnref(_) = state {
            return Err(self.forbidden(index, operation, Obstacle::State));
        }
        self.registrations[found].under_way += 1;
        Ok(Posted {
            handle,
            offset,
            length,
        })
    }

    /// Counts a descriptor as done that [`Buffers::post_send`] or [`Buffers::post_receive`] has counted, or that the VI
    /// did not take.
    ///
    /// # Errors
    ///
    /// Returns [`Refusal::NoTicket`].
    pub fn complete(&mut self, ticket: i32) -> Result<(), Refusal> {
        let index = self.index_of_ticket(ticket)?;
        let under_way = &mut self.registrations[index].under_way;
        debug_assert!(*under_way > 0, "a descriptor completes once");
        *under_way = under_way.saturating_sub(1);
        Ok(())
    }

    /// Returns the buffers that wait for a collection, in the order of their `un_ref`: a collection frees their arrays
    /// (S2-19).
    pub fn waiting(&self) -> impl Iterator<Item = Waiting> {
        let mut after = 0;
        core::iter::from_fn(move || {
            let next = self.next_waiting(after, |_| false)?;
            let found = self.buffers.get(next)?;
            after = found.un_ref;
            Some(found.waiting())
        })
    }

    /// Takes the array from the buffer that has waited longest, after a collection. The caller then calls
    /// `unreferenced`, and asks again until no buffer is left.
    ///
    /// A collector that moves arrays passes `|_| false`, because no array is left in such a buffer. One that moves none
    /// says of each buffer whether anything refers to its array. Those buffers go on waiting.
    pub fn collected(&mut self, is_referenced: impl Fn(Waiting) -> bool) -> Option<Waiting> {
        let index = self.next_waiting(0, is_referenced)?;
        let found = self.buffers.get_mut(index)?;
        found.state = State::Unref;
        Some(found.waiting())
    }

    /// Returns the index of the first waiting buffer whose `un_ref` has a higher position than `after`.
    fn next_waiting(&self, after: u64, is_held: impl Fn(Waiting) -> bool) -> Option<usize> {
        let waiting = self.buffers.iter().enumerate().filter(|(_, buffer)| {
            matches!(buffer.state, State::ToBeUnref(_))
                && buffer.un_ref > after
                && !is_held(buffer.waiting())
        });
        let first = waiting.min_by_key(|(_, buffer)| buffer.un_ref);
        first.map(|(index, _)| index)
    }

    /// Returns the state of a buffer.
    ///
    /// # Errors
    ///
    /// Returns [`Refusal::NoBuffer`].
    pub fn state(&self, buffer: i32) -> Result<State, Refusal> {
        Ok(self.buffers[self.index(buffer)?].state)
    }

    /// Returns where a buffer lies.
    ///
    /// # Errors
    ///
    /// Returns [`Refusal::NoBuffer`].
    pub fn place(&self, buffer: i32) -> Result<Place, Refusal> {
        Ok(self.buffers[self.index(buffer)?].place)
    }

    /// Returns the registration of a ticket.
    ///
    /// # Errors
    ///
    /// Returns [`Refusal::NoTicket`].
    pub fn registration(&self, ticket: i32) -> Result<Registration, Refusal> {
        Ok(self.registrations[self.index_of_ticket(ticket)?])
    }

    fn registrations_of(&self, buffer: i32) -> impl Iterator<Item = &Registration> {
        let all = self.registrations.iter();
        all.filter(move |registration| registration.buffer == buffer)
    }

    fn index(&self, buffer: i32) -> Result<usize, Refusal> {
        let found = self.buffers.binary_search_by_key(&buffer, |b| b.handle);
        found.map_err(|_| Refusal::NoBuffer { buffer })
    }

    fn index_of_ticket(&self, ticket: i32) -> Result<usize, Refusal> {
        let registrations = &self.registrations;
        let found = registrations.binary_search_by_key(&ticket, |r| r.ticket);
        found.map_err(|_| Refusal::NoTicket { ticket })
    }

    fn forbidden(&self, index: usize, operation: Operation, obstacle: Obstacle) -> Refusal {
        let Buffer { handle, state, .. } = self.buffers[index];
        Refusal::Forbidden {
            buffer: handle,
            operation,
            state,
            obstacle,
        }
    }
}

impl Buffer {
    const fn waiting(&self) -> Waiting {
        Waiting {
            buffer: self.handle,
            place: self.place,
            number: self.number,
        }
    }
}

/// Returns a range of a buffer of `bytes` bytes, if it lies in the buffer.
fn within(offset: i32, length: i32, bytes: u32) -> Option<(u32, u32)> {
    let offset = u32::try_from(offset).ok()?;
    let length = u32::try_from(length).ok()?;
    (offset.checked_add(length)? <= bytes).then_some((offset, length))
}
