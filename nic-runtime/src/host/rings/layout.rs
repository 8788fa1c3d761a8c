//! Where the pointer and the entries of a ring lie in a window.

use nic_core::id::EndpointId;

use crate::host::program::Actions;
use crate::spec::WindowSpec;

/// Number of entries of a ring.
pub const RING_ENTRIES: u32 = 8;

/// Length of the pointer, which precedes the entries.
pub(super) const POINTER: u32 = 4;

/// Length of an entry without its message: the number of the message and the length of the message.
const HEADER: u32 = 8;

/// The number of a store, whose refusal the programs do not ask about.
const STORE: u64 = u64::MAX;

/// The two rings between an endpoint and a peer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Rings {
    /// The endpoint.
    pub endpoint: EndpointId,
    /// The number of the endpoint's window, whose ring the peer writes.
    pub own: i32,
    /// The number of the peer's window, whose ring the endpoint writes.
    pub peer: i32,
    /// Length of an entry in bytes, which is the same in both rings.
    entry: u32,
}

impl Rings {
    /// Returns the rings of an endpoint: one pair for each peer that has a window for the endpoint and may write to one of
    /// its windows. Several windows between two endpoints are paired in their order.
    #[must_use]
    pub fn of(endpoint: EndpointId, windows: &[WindowSpec]) -> Vec<Rings> {
        let mut theirs: Vec<&WindowSpec> = windows
            .iter()
            .filter(|window| window.writer == endpoint)
            .collect();
        let ours = windows.iter().filter(|window| window.owner == endpoint);
        let paired = ours.filter_map(|own| {
            let place = theirs.iter().position(|peer| peer.owner == own.writer)?;
            let peer = theirs.remove(place);
            let entries = own.length.min(peer.length).saturating_sub(POINTER);
            Some(Rings {
                endpoint,
                own: own.number,
                peer: peer.number,
                entry: entries / RING_ENTRIES / 4 * 4,
            })
        });
        paired.collect()
    }

    /// Returns the length of the longest message, or `None` if the windows are too short for a message without bytes.
    #[must_use]
    pub fn room(&self) -> Option<u32> {
        self.entry.checked_sub(HEADER)
    }

    /// Returns the length of the shortest window with room for a ring of such messages.
    #[must_use]
    pub fn window_for(message: u32) -> u64 {
        u64::from(POINTER) + u64::from(RING_ENTRIES) * u64::from(Rings::bytes_of_entry(message))
    }

    /// Returns how many bytes the entry of such a message has.
    #[must_use]
    pub fn bytes_of_entry(message: u32) -> u32 {
        let entry = (u64::from(HEADER) + u64::from(message)).next_multiple_of(4);
        u32::try_from(entry).unwrap_or(u32::MAX)
    }

    /// Returns where the entry of a message lies.
    fn place(&self, number: u32) -> u32 {
        POINTER + number % RING_ENTRIES * self.entry
    }

    /// Stores the entry of a message in the ring of the peer.
    pub(super) fn store(&self, actions: &mut Actions<'_>, number: u32, message: &[u8]) {
        let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
        let mut entry = number.to_le_bytes().to_vec();
        entry.extend(length.to_le_bytes());
        entry.extend(message);
        let place = (self.peer, self.place(number));
        actions.store(self.endpoint, STORE, place, entry);
    }

    /// Stores the pointer of the peer's ring.
    pub(super) fn point(&self, actions: &mut Actions<'_>, number: u32) {
        let pointer = number.to_le_bytes().to_vec();
        actions.store(self.endpoint, STORE, (self.peer, 0), pointer);
    }

    /// Loads the pointer of the own ring.
    pub(super) fn load_pointer(&self, actions: &mut Actions<'_>, ticket: u64) {
        actions.load(self.endpoint, ticket, (self.own, 0, POINTER));
    }

    /// Loads an entry of the own ring.
    pub(super) fn load(&self, actions: &mut Actions<'_>, ticket: u64, number: u32) {
        let range = (self.own, self.place(number), self.entry);
        actions.load(self.endpoint, ticket, range);
    }
}

/// Returns the value of a pointer.
pub(super) fn pointer(bytes: &[u8]) -> u32 {
    let (word, _) = bytes.split_first_chunk().unwrap_or((&[0; 4], &[]));
    u32::from_le_bytes(*word)
}

/// Returns the message of an entry, if the entry is that of the message with this number.
pub(super) fn message(entry: &[u8], number: u32) -> Option<&[u8]> {
    let (found, rest) = entry.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let message = rest.get(..length)?;
    (u32::from_le_bytes(*found) == number).then_some(message)
}

/// Returns whether a pointer counts messages after `before`, and no more of them than a ring holds.
pub(super) fn is_ahead(pointer: u32, before: u32) -> bool {
    (1..=RING_ENTRIES).contains(&pointer.wrapping_sub(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window([owner, writer]: [u32; 2], number: i32, length: u32) -> WindowSpec {
        WindowSpec {
            owner: EndpointId(owner),
            writer: EndpointId(writer),
            number,
            offset: 0,
            length,
            is_readable: false,
        }
    }

    #[test]
    fn windows_of_two_endpoints_are_paired_in_their_order() {
        let windows = [
            window([0, 1], 5, 100),
            window([2, 0], 6, 132),
            window([1, 0], 7, 200),
            window([0, 1], 8, 71),
            window([1, 0], 9, 71),
            // The endpoint 3 may not write to the endpoint 0, and the endpoint 0 not to the endpoint 4.
            window([3, 0], 10, 200),
            window([0, 4], 11, 200),
            window([0, 2], 12, 136),
        ];
        let rings = Rings::of(EndpointId(0), &windows);
        let found: Vec<_> = rings
            .iter()
            .map(|rings| (rings.own, rings.peer, rings.room()))
            .collect();
        // 100 bytes are a pointer and eight entries of 12 bytes.
        assert_eq!(found, [(5, 7, Some(4)), (8, 9, Some(0)), (12, 6, Some(8))]);
        let of_peer = Rings::of(EndpointId(1), &windows);
        assert_eq!((of_peer[0].own, of_peer[0].peer), (7, 5));
        assert_eq!(of_peer[0].room(), rings[0].room());
        let short = [window([0, 1], 1, 67), window([1, 0], 1, 4_000)];
        assert_eq!(Rings::of(EndpointId(0), &short)[0].room(), None);
        assert_eq!([0, 4, 5].map(Rings::window_for), [68, 100, 132]);
    }

    #[test]
    fn an_entry_is_that_of_its_number_and_whole() {
        let entry = [7, 0, 0, 0, 3, 0, 0, 0, 1, 2, 3, 4];
        assert_eq!(message(&entry, 7), Some(&[1, 2, 3][..]));
        assert_eq!(message(&entry, 15), None);
        assert_eq!(message(&entry[..10], 7), None);
        assert_eq!(message(&entry[..7], 7), None);
    }

    #[test]
    fn a_pointer_counts_on_after_the_highest_number() {
        assert!(is_ahead(1, 0) && is_ahead(8, 0) && is_ahead(3, u32::MAX));
        assert!(!is_ahead(0, 0) && !is_ahead(9, 0) && !is_ahead(0, 1));
    }
}
