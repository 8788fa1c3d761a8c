//! VIA over remote memory: a library with a cookie queue and a transfer queue (S5-11 to S5-18).
//!
//! A sender may write only into receive descriptors that the peer has posted. The peer announces each receive
//! descriptor in the *cookie queue*, a ring at the sender. A header in the cookie queue has the space and the number of
//! segments, and one entry for each segment follows. The sender writes the message to the segments, and then an entry
//! of the *transfer queue*, a ring at the receiver. A message without a receive descriptor therefore never reaches the
//! network.
//!
//! The library needs nothing but writes that keep their order ([`RemoteMemory`]). The library charges no time, because
//! the caller decides how a write is carried out. The files `sending` and `receiving` have its two halves.

mod receiving;
mod sending;
#[cfg(test)]
mod tests;

use heapless::Vec;

use super::control::ControlLayout;
use super::registration::SEGMENTS_MAX;
#[cfg(doc)]
use crate::remote::RemoteMemory;
use crate::remote::{
    OrderedMemory, RING_POINTER_BYTES, RingError, RingReader, RingWriter, WindowError, WindowId,
};

/// A failure of the library.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LibraryError {
    /// The rings contradict each other, because the peer has written what its library cannot write.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// A write to the peer's memory is refused.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// An entry of the cookie queue has an impossible number of segments.
    #[error("expected 1 to {SEGMENTS_MAX} segments behind a header, found {found}")]
    Segments {
        /// Number of segments that the header states.
        found: u32,
    },
    /// An entry of the transfer queue has a kind that does not exist.
    #[error("expected a message or an error in the transfer queue, found kind {found}")]
    Kind {
        /// The number that the entry has as its kind.
        found: u32,
    },
}

/// Why the library does not send a message.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Unsent {
    /// The peer has posted no receive descriptor, or too few for a message that is split.
    Empty,
    /// The message is longer than the receive descriptor that it would take. If it is split, it is longer than all
    /// receive descriptors of the peer, or needs more than a message may take.
    TooLong,
    /// The cookie queue cannot be used, because its contents cannot be right.
    Failed(LibraryError),
}

/// One share of a message: the place in memory to which it is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The window.
    pub window: WindowId,
    /// Offset in the window.
    pub offset: u32,
    /// Length in bytes.
    pub length: u32,
}

/// The receive descriptors that a message uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Where the message goes.
    pub shares: Vec<Share, { SEGMENTS_MAX as usize }>,
    /// Number of receive descriptors.
    pub receives: u32,
    // Number of entries of the cookie queue that describe the receive descriptors.
    entries: u32,
}

/// An entry of the transfer queue.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// A message has been written to the receiver's memory.
    Message {
        /// The message's length in bytes.
        length: u32,
        /// The message's immediate data, if it has any.
        immediate: Option<u32>,
        /// Number of receive descriptors that the message uses.
        receives: u32,
    },
    /// A message did not fit, so the receive descriptor completes without one.
    TooLong,
}

/// The write of the transfer queue's pointer, which makes an entry visible to the peer.
///
/// The entry is written, and its pointer is not. The only way to write the pointer is [`PointerWrite::publish`]. It
/// wants the memory's evidence that the write follows the data of all messages so far. A pointer covers all entries
/// before it, so a pointer that overtakes the data of an earlier message completes that message as well.
#[must_use = "the peer does not see the entry before its pointer"]
#[derive(Debug, PartialEq, Eq)]
pub struct PointerWrite {
    window: WindowId,
    offset: u32,
    bytes: [u8; RING_POINTER_BYTES as usize],
}

impl PointerWrite {
    /// Writes the pointer behind the data of all messages so far.
    ///
    /// # Errors
    ///
    /// Returns [`WindowError`] if the write is refused.
    pub fn publish<M: OrderedMemory>(
        self,
        memory: &mut M,
        behind: M::Behind,
    ) -> Result<(), WindowError> {
        memory.write_behind(self.window, self.offset, &self.bytes, behind)
    }
}

/// One end of a connection over remote memory.
#[derive(Clone, Debug)]
pub struct Library {
    layout: ControlLayout,
    /// The peer's control window.
    control: WindowId,
    cookies_in: RingReader,
    cookies_out: RingWriter,
    transfers_in: RingReader,
    transfers_out: RingWriter,
    // The number of bytes for which the peer has receive descriptors, if it has posted all of them.
    room: u64,
    // The values of the read pointers that this end reported to the peer last.
    cookies_told: u32,
    transfers_told: u32,
}

impl From<LibraryError> for Unsent {
    fn from(error: LibraryError) -> Unsent {
        Unsent::Failed(error)
    }
}

impl From<RingError> for Unsent {
    fn from(error: RingError) -> Unsent {
        Unsent::Failed(error.into())
    }
}

impl Library {
    /// Returns an end of a new connection, whose peer has a control window with the same layout. All receive
    /// descriptors of the peer together have room for `room` bytes.
    #[must_use]
    pub fn new(layout: ControlLayout, control: WindowId, room: u64) -> Library {
        Library {
            layout,
            control,
            cookies_in: RingReader::new(layout.cookies),
            cookies_out: RingWriter::new(layout.cookies),
            transfers_in: RingReader::new(layout.transfers),
            transfers_out: RingWriter::new(layout.transfers),
            room,
            cookies_told: 0,
            transfers_told: 0,
        }
    }

    /// Learns the control window of the peer, to which this end's library writes from now on.
    pub fn meet(&mut self, control: WindowId) {
        self.control = control;
    }
}
