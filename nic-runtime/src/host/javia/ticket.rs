//! The numbers that a program's library gives its descriptors and requests, and by which it knows them again.

/// What a descriptor or a request of the library is for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Ticket {
    /// The registration of the buffer area of a VI.
    Area,
    /// A receive descriptor with this native buffer.
    Native(u32),
    /// A send for whose end the program waits.
    Waiting,
    /// A send of this ticket of a ring.
    Posted(i32),
    /// The memory of an array that is pinned.
    Pinned,
    /// The registration of a buffer, with this ticket of the program, or a descriptor that names it.
    Buffer(i32),
}

const AREA: u32 = 0;
const NATIVE: u32 = 1;
const WAITING: u32 = 2;
const POSTED: u32 = 3;
const PINNED: u32 = 4;
const BUFFER: u32 = 5;

impl Ticket {
    /// Returns the number under which the runtime keeps a descriptor or a request.
    pub(super) fn number(self) -> u64 {
        let (kind, number) = match self {
            Ticket::Area => (AREA, 0),
            Ticket::Native(number) => (NATIVE, number),
            Ticket::Waiting => (WAITING, 0),
            Ticket::Posted(number) => (POSTED, number.cast_unsigned()),
            Ticket::Pinned => (PINNED, 0),
            Ticket::Buffer(number) => (BUFFER, number.cast_unsigned()),
        };
        u64::from(kind) << u32::BITS | u64::from(number)
    }

    /// Returns what a number was made of; `None` for any other number.
    pub(super) fn of(number: u64) -> Option<Ticket> {
        let kind = u32::try_from(number >> u32::BITS).ok()?;
        // The cast keeps the lower half.
        let number = number as u32;
        Some(match kind {
            AREA => Ticket::Area,
            NATIVE => Ticket::Native(number),
            WAITING => Ticket::Waiting,
            POSTED => Ticket::Posted(number.cast_signed()),
            PINNED => Ticket::Pinned,
            BUFFER => Ticket::Buffer(number.cast_signed()),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_known_by_its_number() {
        for ticket in [
            Ticket::Area,
            Ticket::Native(u32::MAX),
            Ticket::Waiting,
            Ticket::Posted(-1),
            Ticket::Pinned,
            Ticket::Buffer(i32::MAX),
        ] {
            assert_eq!(Ticket::of(ticket.number()), Some(ticket));
        }
        assert_eq!(Ticket::of(u64::MAX), None);
    }
}
