//! Descriptors of the transmit and the receive queue.

use crate::event::{ChannelId, PacketId};

/// Buffers that one receive descriptor names at most (U-Net/SLE Figure 2).
pub const MESSAGE_BUFFERS_MAX: usize = 14;
/// Bytes of a message that a receive descriptor carries itself (U-Net/SLE §4.2).
pub const INLINE_MAX: usize = 56;

// A descriptor has room either for offsets of four bytes each or for the message itself.
const _: () = assert!(INLINE_MAX == MESSAGE_BUFFERS_MAX * size_of::<u32>());

/// A transmit descriptor as the user pushed it.
///
/// Holding one proves nothing: channel, offset and length are the user's claim.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TransmitDescriptor {
    /// The sender's number of the channel.
    pub channel: ChannelId,
    /// Where the message lies in the buffer area.
    pub offset: u32,
    /// Its length in bytes.
    pub length: u32,
}

/// A receive descriptor.
///
/// Holding one proves that the message lies inside the buffer area, or in the descriptor. The channel
/// is what the pusher said.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ReceiveDescriptor {
    /// The packet that was handled when it was pushed; `None` where a `doTx` pushed it.
    pub packet: Option<PacketId>,
    /// The receiver's number of the channel.
    pub channel: ChannelId,
    /// The message's length in bytes.
    pub length: u32,
    /// Where the message lies.
    pub body: MessageBody,
}

/// Where a received message lies.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MessageBody {
    /// In the descriptor: as many of these bytes as the message has.
    Inline([u8; INLINE_MAX]),
    /// In the buffer area, in shares of a free buffer's length.
    Buffers(BufferList),
}

impl MessageBody {
    /// Returns a body that carries these bytes itself, or `None` where they are more than fit.
    #[must_use]
    pub fn inline(bytes: &[u8]) -> Option<MessageBody> {
        let mut carried = [0; INLINE_MAX];
        carried.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(MessageBody::Inline(carried))
    }
}

/// Where the shares of a message begin in the buffer area, and which of them the user owes back.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferList {
    offsets: [u32; MESSAGE_BUFFERS_MAX],
    count: u8,
    // Bit i: offset i is a free buffer that was popped and is named here for the first time.
    owed: u16,
}

impl BufferList {
    /// Appends the offset of a share; says whether there was room.
    pub fn push(&mut self, offset: u32) -> bool {
        let Some(place) = self.offsets.get_mut(usize::from(self.count)) else {
            return false;
        };
        *place = offset;
        self.count += 1;
        true
    }

    /// Returns the offsets of all shares.
    #[must_use]
    pub fn offsets(&self) -> &[u32] {
        &self.offsets[..usize::from(self.count)]
    }

    /// Notes that the share at `index` lies in a free buffer that the user has to put back.
    pub fn owe(&mut self, index: usize) {
        debug_assert!(index < usize::from(self.count));
        self.owed |= 1 << index;
    }

    /// Returns the offsets of the free buffers that the user has to put back, in order.
    pub fn owed(&self) -> impl DoubleEndedIterator<Item = u32> {
        let list = *self;
        (0..usize::from(list.count))
            .filter(move |&index| list.owed & (1 << index) != 0)
            .map(move |index| list.offsets[index])
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
        assert_eq!(bytes, [7; 56]);
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
        assert_eq!(list.owed().collect::<Vec<_>>(), [0, 104]);
    }
}
