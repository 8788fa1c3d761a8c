//! What caused an action, and what a native created.

use crate::id::{PacketId, PostId};

/// What caused an action of a NIC.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trigger {
    /// An applet is loaded.
    Load,
    /// The user pushed a transmit descriptor.
    Post(PostId),
    /// A packet arrived.
    Arrival(PacketId),
    /// An applet passed a message to the next one of its chain, in a round that began with the arrival of this packet.
    Passed(PacketId),
    /// The applet's timer expired.
    Timer,
    /// The user returned a receive buffer.
    Refill,
    /// A peer wrote to bytes that the applet watches.
    Watch,
    /// A read of a peer's window ended.
    Read,
}

/// What a native created.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// The native created neither a packet nor a descriptor.
    Nothing,
    /// The native created this packet, which has not left yet.
    Packet(PacketId),
    /// The native created a receive descriptor, which the user does not see yet.
    Descriptor,
}
