//! Descriptors of the transmit queue and of the receive queue.

use heapless::Vec;

use crate::id::{ChannelId, PacketId};
use crate::limits::{INLINE_MAX, MESSAGE_BUFFERS_MAX};

/// A transmit descriptor as the user pushed it.
///
/// A transmit descriptor proves nothing: its channel, offset and length are claims of the user.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TransmitDescriptor {
    /// The number by which the sender names the channel.
    pub channel: ChannelId,
    /// Offset of the message in the buffer area.
    pub offset: u32,
    /// Length of the message in bytes.
    pub length: u32,
}

/// A receive descriptor.
///
/// A receive descriptor proves that its message lies inside the buffer area or in the descriptor. The channel of a
/// receive descriptor is unchecked, because an applet may pass any number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiveDescriptor {
    /// The packet that the NIC was handling when the descriptor was pushed; `None` if a `doTx` pushed it.
    pub packet: Option<PacketId>,
    /// The number by which the receiver names the channel.
    pub channel: ChannelId,
    /// The message's length in bytes.
    pub length: u32,
    /// Location of the message.
    pub body: MessageBody,
}

/// Location of a received message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageBody {
    /// In the descriptor itself.
    Inline(Vec<u8, INLINE_MAX>),
    /// The message is in the buffer area, in shares as long as a free buffer.
    Buffers(BufferList),
}

impl MessageBody {
    /// Returns an inline body with these bytes, or `None` if the bytes do not fit.
    #[must_use]
    pub fn inline(bytes: &[u8]) -> Option<MessageBody> {
        Vec::from_slice(bytes).ok().map(MessageBody::Inline)
    }
}

/// The offsets of a message's shares in the buffer area. The list also records which of the shares are popped buffers
/// that the user must put back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferList {
    offsets: Vec<u32, MESSAGE_BUFFERS_MAX>,
    // Bit i is set if offset i is that of a popped free buffer, which this list names for the first time.
    owed: u16,
}

const _: () = assert!(MESSAGE_BUFFERS_MAX <= u16::BITS as usize);

impl BufferList {
    /// Appends the offset of a share to the list, or returns false if the list is full.
    pub fn push(&mut self, offset: u32) -> bool {
        self.offsets.push(offset).is_ok()
    }

    /// Returns the offsets of all shares of the message.
    #[must_use]
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// Marks the share at `index` as a free buffer that the user must put back.
    pub fn owe(&mut self, index: usize) {
        debug_assert!(index < self.offsets.len());
        self.owed |= 1 << index;
    }

    /// Returns the offsets of the free buffers that the user must put back, in order.
    pub fn owed(&self) -> impl DoubleEndedIterator<Item = u32> {
        let shares = self.offsets.iter().enumerate();
        shares
            .filter(|(index, _)| self.owed & (1 << index) != 0)
            .map(|(_, &offset)| offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_carries_56_bytes_and_no_more() {
        let MessageBody::Inline(bytes) = MessageBody::inline(&[7; 56]).unwrap() else {
            panic!()
        };
        assert_eq!(bytes[..], [7; 56]);
        assert_eq!(MessageBody::inline(&[7; 57]), None);
    }

    #[test]
    fn a_list_holds_14_offsets_and_no_more() {
        let mut list = BufferList::default();
        for offset in 0..14 {
            assert!(list.push(offset * 8));
        }
        assert!(!list.push(999));
        list.owe(0);
        list.owe(13);
        assert_eq!(list.offsets().len(), 14);
        assert!(list.owed().eq([0, 104]));
    }
}
