//! The headers of a connection's packets: what packets carry besides the bytes of a message.

use super::{ConnectionId, Reason};

/// Length of a control packet on the wire, in bytes, besides the wire's own header. The length is chosen by JIVE: a
/// control packet has room for a number, a reason and the address of the peer.
pub const CONTROL_BYTES: u32 = 16;

/// The header of a packet between two VIs. The wire's own header has room for the `ViaHeader` of a message.
///
/// The sender writes it until the packet's first bit leaves, and from then on both ends only read it. On a wire with
/// cells, the receiver handles a packet whose end is still with the sender. What one end notes about a packet is in a
/// field of that end.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ViaHeader {
    /// The packet is a message that has not reached the wire.
    Unsent {
        /// The connection on which the message was posted.
        connection: ConnectionId,
        /// The immediate data of the message, if its descriptor has any.
        immediate: Option<u32>,
    },
    /// The packet is a message that the sender has numbered.
    Message {
        /// The connection.
        connection: ConnectionId,
        /// The number.
        number: u64,
        /// The immediate data of the message, if its descriptor has any.
        immediate: Option<u32>,
    },
    /// The receiver's memory has every message of the connection before this number.
    Acknowledgement {
        /// The connection.
        connection: ConnectionId,
        /// The number.
        before: u64,
    },
    /// The sender of this packet has ended the connection.
    Close {
        /// The connection. If the peer has not accepted it, its request is taken back.
        connection: ConnectionId,
        /// Why.
        reason: Reason,
    },
    /// The sender of this packet has made every write before this number, and none since (over remote memory).
    Count {
        /// The connection.
        connection: ConnectionId,
        /// The number.
        before: u64,
    },
    /// The sender of this packet requests a connection. Over remote memory, the packet's bytes say where its rings and
    /// its receive descriptors are.
    Connect {
        /// The connection that the request is for.
        connection: ConnectionId,
        /// The tag that the accepting end must name.
        tag: u32,
    },
    /// The sender of this packet has accepted the receiver's request. Over remote memory, the packet's bytes are as
    /// those of the request.
    Accept {
        /// The connection.
        connection: ConnectionId,
    },
    /// The sender of this packet refuses the receiver's request.
    Refuse {
        /// The connection.
        connection: ConnectionId,
    },
}

impl ViaHeader {
    /// Returns the word that the trace shows for a control packet, or `None` for a message.
    #[must_use]
    pub const fn control(self) -> Option<&'static str> {
        match self {
            ViaHeader::Unsent { .. } | ViaHeader::Message { .. } => None,
            ViaHeader::Acknowledgement { .. } => Some("ack"),
            ViaHeader::Close { .. } => Some("close"),
            ViaHeader::Count { .. } => Some("count"),
            ViaHeader::Connect { .. } => Some("connect"),
            ViaHeader::Accept { .. } => Some("accept"),
            ViaHeader::Refuse { .. } => Some("refuse"),
        }
    }

    /// Returns the immediate data of a message, if it has any.
    #[must_use]
    pub const fn immediate(self) -> Option<u32> {
        match self {
            ViaHeader::Unsent { immediate, .. } | ViaHeader::Message { immediate, .. } => immediate,
            ViaHeader::Acknowledgement { .. }
            | ViaHeader::Close { .. }
            | ViaHeader::Count { .. }
            | ViaHeader::Connect { .. }
            | ViaHeader::Accept { .. }
            | ViaHeader::Refuse { .. } => None,
        }
    }
}
