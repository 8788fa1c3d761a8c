//! Ids of a run's NICs, endpoints, channels, packets and descriptors.

use core::num::NonZeroU64;

/// Position of a node of the network: first the NICs in the order of the scenario, counted from 0, and then its switches.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NicId(pub u32);

/// Position of an endpoint in the scenario, counted from 0 over all NICs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndpointId(pub u32);

/// An endpoint's own number for one of its channels.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId(pub i32);

impl ChannelId {
    /// Returns whether a receive descriptor with this number is a notice: no channel has a negative number, so an applet
    /// tells its user something by it that is no message of a peer, such as that it does not take a message.
    #[must_use]
    pub fn is_notice(self) -> bool {
        self.0 < 0
    }
}

/// Number of a packet, unique in the run. A packet keeps its number from the push that makes the packet until the
/// packet is delivered, used or dropped.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketId(pub u64);

/// Id of a transmit descriptor within its endpoint. An id repeats only after 2³² descriptors.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PostId {
    /// Index of the descriptor's entry in the transmit queue.
    pub entry: u32,
    /// Number of descriptors that the user posted at the endpoint before.
    pub number: u32,
}

impl PostId {
    /// Returns the descriptor's entry as an index into a slice.
    #[must_use]
    pub fn index(self) -> usize {
        self.entry as usize
    }
}

/// Number of a post: a message that a user posted to send. The number is unique in the run, and the trace shows it with
/// the post, with the packets that carry the message, and with the message's receive descriptors.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PostNumber(pub NonZeroU64);

/// Position of a link direction in the fabric.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct DirectionId(pub u32);

/// Number of packet numbers, and of post numbers, that each endpoint owns, which is far more than the default
/// `max_events`.
const NUMBERS_PER_ENDPOINT: u64 = 1_000_000_000;

/// Returns the number of the packet that an endpoint makes after `earlier` other packets.
///
/// The number of a packet depends only on its sender and the sender's earlier packets. An endpoint added to a scenario
/// does not renumber the packets of the others, so traces can be compared. The last nine decimal digits of the number
/// count the sender's packets from 1. The digits before the last nine, if any, are the sender's position.
#[must_use]
pub fn packet_number(sender: EndpointId, earlier: u64) -> PacketId {
    PacketId(number(sender, earlier).get())
}

/// Returns the number of an endpoint's post, which counts as those of [packets](packet_number) do.
#[must_use]
pub fn post_number(sender: EndpointId, post: PostId) -> PostNumber {
    PostNumber(number(sender, post.number.into()))
}

/// Returns the number of what an endpoint makes after `earlier` others.
fn number(maker: EndpointId, earlier: u64) -> NonZeroU64 {
    // The number cannot overflow: the product is below 2⁶², and no run lasts for 2⁶³ events.
    NonZeroU64::MIN.saturating_add(u64::from(maker.0) * NUMBERS_PER_ENDPOINT + earlier)
}

/// Returns the endpoint that made what has this number, and how many others it made before.
fn maker(number: u64) -> (EndpointId, u64) {
    let before = number.saturating_sub(1);
    // The quotient fits, because numbers are made from the position of an endpoint.
    let maker = u32::try_from(before / NUMBERS_PER_ENDPOINT).unwrap_or(u32::MAX);
    (EndpointId(maker), before % NUMBERS_PER_ENDPOINT)
}

impl PacketId {
    /// Returns the endpoint that made the packet, and how many packets it made before.
    #[must_use]
    pub fn maker(self) -> (EndpointId, u64) {
        maker(self.0)
    }
}

impl PostNumber {
    /// Returns the endpoint whose user posted the message, and how many messages it posted before.
    #[must_use]
    pub fn maker(self) -> (EndpointId, u64) {
        maker(self.0.get())
    }
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
        assert_eq!(PacketId(3_000_000_042).maker(), (EndpointId(3), 41));
        assert_eq!(PacketId(1).maker(), (EndpointId(0), 0));
    }
}
