//! Numbers that stand for what a run consists of.

/// Position of a NIC in the scenario, from 0.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NicId(pub u32);

/// Position of an endpoint in the scenario, from 0, over all NICs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndpointId(pub u32);

/// An endpoint's own number for one of its channels.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId(pub i32);

/// Number of a packet, unique in the run, from the push that made it to where it ends.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketId(pub u64);

/// Which of its endpoint's transmit descriptors: unique until 2³² have taken the same entry of its queue.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PostId {
    /// The entry that it takes in the queue.
    pub entry: u32,
    /// How many took that entry before.
    pub turn: u32,
}

impl PostId {
    /// Returns the entry as an index into a slice.
    #[must_use]
    pub fn index(self) -> usize {
        self.entry as usize
    }
}

/// Position of a link direction in the fabric.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct DirectionId(pub u32);

/// Numbers that each endpoint has for its packets: far more than a run handles events by default.
const NUMBERS_PER_ENDPOINT: u64 = 1_000_000_000;

/// Returns the number of the packet that an endpoint makes after `earlier` others.
///
/// No two packets of a run share a number, and it depends on the sender alone. An endpoint's packets keep their numbers
/// whatever else a scenario holds, so traces with and without a neighbour compare. In decimal it reads as the
/// endpoint's position, if not 0, followed by nine digits that count its packets from 1.
#[must_use]
pub fn packet_number(sender: EndpointId, earlier: u64) -> PacketId {
    // Both factors are far below 2³² and 2³⁰; the count would have to outlast 2⁶³ events.
    PacketId(u64::from(sender.0) * NUMBERS_PER_ENDPOINT + earlier + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packet_numbers_tell_the_sender_and_count_from_one() {
        assert_eq!(packet_number(EndpointId(0), 0), PacketId(1));
        assert_eq!(packet_number(EndpointId(0), 41), PacketId(42));
        assert_eq!(packet_number(EndpointId(3), 41), PacketId(3_000_000_042));
        assert_eq!(
            packet_number(EndpointId(u32::MAX), 0).0,
            4_294_967_295_000_000_001
        );
    }
}
