//! The rings of tickets: what a program has posted on a queue of a VI, and what has become of it (S2-09, S2-10).

use jive_core::ArrayKind;

use crate::storage::{DESCRIPTORS_MAX, List, Storage};
use crate::via::Status;

/// A post of a program, and its result.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The number by which the program knows the ticket.
    pub number: i32,
    /// The reference of the array.
    pub array: i32,
    /// Type of the array.
    pub kind: ArrayKind,
    /// The first element that was posted.
    pub offset: u32,
    /// Number of elements: those that were posted, and those of the message once the ticket is done.
    pub length: u32,
    /// The tag of the message.
    pub tag: i32,
    /// How the descriptor completed; `None` while it is under way.
    pub status: Option<Status>,
}

/// The tickets of one queue of a VI, in the order of their posts.
///
/// A ticket is in the ring from its post to the wait that returns it. The ring has as many places as the queue, so a
/// descriptor that finds a ticket also finds room in the queue. The program may ask for the ticket that the last wait
/// has returned until the next wait.
#[derive(Clone, Debug)]
pub struct TicketRing<S: Storage> {
    // The tickets that are done come before those under way, because descriptors complete in the order of their posts.
    tickets: S::List<Ticket, DESCRIPTORS_MAX>,
    capacity: u32,
    next: i32,
    first: i32,
    step: i32,
    returned: Option<Ticket>,
}

impl<S: Storage> TicketRing<S> {
    /// Returns a ring without tickets for a queue of `capacity` descriptors. Without an allocator, it has at most
    /// [`DESCRIPTORS_MAX`] places. The numbers of its tickets begin with `first` and grow by `step`, so that several
    /// rings can have different ones. Both are positive.
    #[must_use]
    pub fn new(capacity: u32, (first, step): (i32, i32)) -> TicketRing<S> {
        TicketRing {
            tickets: S::List::default(),
            capacity: S::capacity::<DESCRIPTORS_MAX>(capacity),
            next: first,
            first,
            step,
            returned: None,
        }
    }

    /// Adds a ticket for `length` elements of an array, from `offset` on, and returns its number. Returns `None` if the
    /// ring is full. The caller has checked that the elements lie in the array.
    pub fn post(
        &mut self,
        (array, kind): (i32, ArrayKind),
        (offset, length): (u32, u32),
        tag: i32,
    ) -> Option<i32> {
        if self.is_full() {
            return None;
        }
        let number = self.next;
        let ticket = Ticket {
            number,
            array,
            kind,
            offset,
            length,
            tag,
            status: None,
        };
        if !self.tickets.push(ticket) {
            return None;
        }
        // After the last number they begin anew: no ring is long enough to still have the first.
        self.next = self.next.checked_add(self.step).unwrap_or(self.first);
        Some(number)
    }

    /// Returns the number of the next ticket.
    #[must_use]
    pub const fn next_number(&self) -> i32 {
        self.next
    }

    /// Returns whether the ring has no place for another ticket.
    #[must_use]
    pub fn is_full(&self) -> bool {
        u32::try_from(self.tickets.len()).is_ok_and(|count| count >= self.capacity)
    }

    /// Returns the oldest ticket under way: the next descriptor that completes is its own.
    #[must_use]
    pub fn first_under_way(&self) -> Option<Ticket> {
        let mut tickets = self.tickets.iter();
        tickets.find(|ticket| ticket.status.is_none()).copied()
    }

    /// Records how the descriptor of the oldest ticket under way has completed, and the length of its message in
    /// elements and its tag. Returns the ticket, or `None` if none is under way.
    pub fn complete(&mut self, status: Status, (length, tag): (u32, i32)) -> Option<Ticket> {
        let mut tickets = self.tickets.iter_mut();
        let ticket = tickets.find(|ticket| ticket.status.is_none())?;
        ticket.status = Some(status);
        ticket.length = length;
        ticket.tag = tag;
        Some(*ticket)
    }

    /// Begins or ends a wait: takes the oldest ticket out of the ring if it is done. The ticket that the last wait has
    /// returned is no longer valid.
    pub fn take(&mut self) -> Option<Ticket> {
        self.returned = None;
        let first = *self.tickets.first()?;
        first.status?;
        self.tickets.rotate_left(1);
        self.tickets.pop();
        self.returned = Some(first);
        self.returned
    }

    /// Returns a ticket by the number that the program passes, if it is the one that the last wait has returned.
    #[must_use]
    pub fn returned(&self, number: i32) -> Option<Ticket> {
        self.returned.filter(|ticket| ticket.number == number)
    }

    /// Returns whether the ring has no tickets, so that a wait would never end.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tickets.is_empty()
    }

    /// Returns the references of the arrays that the ring's tickets name. They are roots of a collection, which may
    /// change them.
    pub fn roots(&mut self) -> impl Iterator<Item = &mut i32> {
        self.tickets.iter_mut().map(|ticket| &mut ticket.array)
    }
}
