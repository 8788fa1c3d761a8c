//! VIA over remote memory: a library with a cookie queue and a transfer queue (S5-11 to S5-18).
//!
//! A sender may write only into receive descriptors that the peer has posted. The peer announces each receive
//! descriptor in the *cookie queue*, a ring at the sender. A header in the cookie queue has the space and the number of
//! segments, and one entry for each segment follows. The sender writes the message to the segments, and then an entry
//! of the *transfer queue*, a ring at the receiver. A message without a receive descriptor therefore never reaches the
//! network.
//!
//! The library needs nothing but writes that keep their order ([`RemoteMemory`]). The library charges no time, because
//! the caller decides how a write is carried out.

use heapless::Vec;

use super::control::{ControlLayout, entry, number, numbers};
use super::registration::SEGMENTS_MAX;
use crate::remote::{
    OrderedMemory, RING_POINTER_BYTES, RemoteMemory, RingError, RingReader, RingWriter,
    WindowError, WindowId,
};
use crate::unet::MESSAGE_BUFFERS_MAX;

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

    /// Announces a posted receive descriptor to the peer. The slice `own` is this end's control memory.
    ///
    /// # Errors
    ///
    /// Returns [`LibraryError`] if the peer's memory cannot be used.
    pub fn post_receive<M: RemoteMemory>(
        &mut self,
        own: &[u8],
        memory: &mut M,
        segments: &[Share],
    ) -> Result<(), LibraryError> {
        let lazy_read = number(own, self.layout.cookies_read());
        let found = u32::try_from(segments.len()).unwrap_or(u32::MAX);
        if found == 0 || found > SEGMENTS_MAX {
            return Err(LibraryError::Segments { found });
        }
        if self.cookies_out.room(lazy_read)? < found + 1 {
            return Err(RingError::Full.into());
        }
        let lengths = segments.iter().map(|segment| segment.length);
        let space = lengths.fold(0, u32::saturating_add);
        let entries = segments.iter().map(|segment| {
            let Share {
                window,
                offset,
                length,
            } = *segment;
            [window.0, offset, length, 0]
        });
        for numbers in core::iter::once([space, found, 0, 0]).chain(entries) {
            let place = self.cookies_out.take(lazy_read)?;
            memory.write(self.control, place, &entry(numbers))?;
        }
        let pointer = self.cookies_out.pointer().to_be_bytes();
        memory.write(self.control, self.layout.cookies_written(), &pointer)?;
        Ok(())
    }

    /// Finds the receive descriptors of the peer for a message of `length` bytes.
    ///
    /// # Errors
    ///
    /// Returns [`Unsent`] with the reason if there are no suitable receive descriptors.
    pub fn target(&self, own: &[u8], length: u32, splits: bool) -> Result<Target, Unsent> {
        let lazy_write = number(own, self.layout.cookies_written());
        let mut target = Target::default();
        let mut left = length;
        loop {
            let Some(header) = self.cookies_in.peek(lazy_write, target.entries)? else {
                return Err(self.missing(&target, length));
            };
            if target.receives as usize == MESSAGE_BUFFERS_MAX {
                return Err(Unsent::TooLong);
            }
            let [space, segments, ..] = numbers(own, header);
            if segments == 0 || segments > SEGMENTS_MAX {
                return Err(LibraryError::Segments { found: segments }.into());
            }
            for segment in 1..=segments {
                let place = self.cookies_in.peek(lazy_write, target.entries + segment)?;
                // The entry of each segment must exist, because the peer writes its pointer after all entries of a
                // descriptor.
                let place = place.ok_or(LibraryError::Segments { found: segments })?;
                let [window, offset, room, _] = numbers(own, place);
                let share = Share {
                    window: WindowId(window),
                    offset,
                    length: room.min(left),
                };
                let is_needed = share.length > 0 || target.shares.is_empty();
                if is_needed && target.shares.push(share).is_err() {
                    return Err(Unsent::TooLong);
                }
                left -= share.length;
            }
            target.entries += segments + 1;
            target.receives += 1;
            if left == 0 {
                return Ok(target);
            }
            if !splits || space == 0 {
                return Err(Unsent::TooLong);
            }
        }
    }

    /// Returns why a message for which the peer has posted only the receive descriptors of `target` is not sent. To wait
    /// for more of them helps a message alone that fits in all that the peer has.
    fn missing(&self, target: &Target, length: u32) -> Unsent {
        match target.receives > 0 && u64::from(length) > self.room {
            true => Unsent::TooLong,
            false => Unsent::Empty,
        }
    }

    /// Takes the receive descriptors of a target, and reports to the peer from time to time how far the queue is read.
    ///
    /// # Errors
    ///
    /// Returns [`LibraryError::Window`] if the peer's memory cannot be written.
    pub fn take<M: RemoteMemory>(
        &mut self,
        memory: &mut M,
        target: &Target,
    ) -> Result<(), LibraryError> {
        self.cookies_in.free(target.entries);
        let read = self.cookies_in.pointer();
        if read.wrapping_sub(self.cookies_told) >= self.layout.cookies.entries() / 2 {
            self.cookies_told = read;
            let place = self.layout.cookies_read();
            memory.write(self.control, place, &read.to_be_bytes())?;
        }
        Ok(())
    }

    /// Takes the first receive descriptor, for a message that does not fit in it.
    ///
    /// # Errors
    ///
    /// Returns [`LibraryError`] if the queue or the peer's memory cannot be used.
    pub fn take_first<M: RemoteMemory>(
        &mut self,
        own: &[u8],
        memory: &mut M,
    ) -> Result<(), LibraryError> {
        let lazy_write = number(own, self.layout.cookies_written());
        if let Some(header) = self.cookies_in.peek(lazy_write, 0)? {
            let [_, segments, ..] = numbers(own, header);
            let target = Target {
                entries: segments.min(SEGMENTS_MAX) + 1,
                ..Target::default()
            };
            self.take(memory, &target)?;
        }
        Ok(())
    }

    /// Writes an entry of the transfer queue to the peer's memory. Returns the write of the queue's pointer, which
    /// makes the entry visible.
    ///
    /// # Errors
    ///
    /// Returns [`LibraryError`] if the peer's memory cannot be used.
    pub fn announce<M: RemoteMemory>(
        &mut self,
        own: &[u8],
        memory: &mut M,
        transfer: Transfer,
    ) -> Result<PointerWrite, LibraryError> {
        let lazy_read = number(own, self.layout.transfers_read());
        let place = self.transfers_out.take(lazy_read)?;
        let numbers = match transfer {
            Transfer::Message {
                length,
                immediate: None,
                receives,
            } => [0, length, receives, 0],
            Transfer::Message {
                length,
                immediate: Some(immediate),
                receives,
            } => [1, length, receives, immediate],
            Transfer::TooLong => [2, 0, 1, 0],
        };
        memory.write(self.control, place, &entry(numbers))?;
        Ok(PointerWrite {
            window: self.control,
            offset: self.layout.transfers_written(),
            bytes: self.transfers_out.pointer().to_be_bytes(),
        })
    }

    /// Takes the oldest entry of the transfer queue. Reports to the peer, at once or from time to time, how far the
    /// transfer queue has been read.
    ///
    /// # Errors
    ///
    /// Returns [`LibraryError`] if the queue or the peer's memory cannot be used.
    pub fn next_transfer<M: RemoteMemory>(
        &mut self,
        own: &[u8],
        memory: &mut M,
        tells_at_once: bool,
    ) -> Result<Option<Transfer>, LibraryError> {
        let lazy_write = number(own, self.layout.transfers_written());
        let Some(place) = self.transfers_in.peek(lazy_write, 0)? else {
            return Ok(None);
        };
        let [kind, length, receives, immediate] = numbers(own, place);
        let transfer = match kind {
            0 | 1 => Transfer::Message {
                length,
                immediate: (kind == 1).then_some(immediate),
                receives,
            },
            2 => Transfer::TooLong,
            found => return Err(LibraryError::Kind { found }),
        };
        self.transfers_in.free(1);
        let read = self.transfers_in.pointer();
        let untold = read.wrapping_sub(self.transfers_told);
        if tells_at_once || untold >= self.layout.transfers.entries() / 2 {
            self.transfers_told = read;
            let place = self.layout.transfers_read();
            memory.write(self.control, place, &read.to_be_bytes())?;
        }
        Ok(Some(transfer))
    }

    /// Returns how many entries of the transfer queue the peer has not read, according to the read pointer that it
    /// reported last.
    ///
    /// # Errors
    ///
    /// Returns [`LibraryError::Ring`] if the peer cannot have read as many entries as it reported.
    pub fn unread(&self, own: &[u8]) -> Result<u32, LibraryError> {
        let lazy_read = number(own, self.layout.transfers_read());
        let room = self.transfers_out.room(lazy_read)?;
        Ok(self.layout.transfers.entries() - room)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::random::Generator;

    const BUFFER: u32 = 8;
    const BUFFERS: u32 = 3;

    /// The writes that are on their way to the peer, in order.
    #[derive(Default)]
    struct Wire(VecDeque<(WindowId, u32, std::vec::Vec<u8>)>);

    impl RemoteMemory for Wire {
        fn write(&mut self, to: WindowId, offset: u32, bytes: &[u8]) -> Result<(), WindowError> {
            self.0.push_back((to, offset, bytes.to_vec()));
            Ok(())
        }
    }

    impl OrderedMemory for Wire {
        // Every write arrives after the writes before it.
        type Behind = ();

        fn write_behind(
            &mut self,
            to: WindowId,
            offset: u32,
            bytes: &[u8],
            (): (),
        ) -> Result<(), WindowError> {
            self.write(to, offset, bytes)
        }
    }

    const CONTROL: WindowId = WindowId(0);
    const DATA: WindowId = WindowId(1);

    /// A node with its control window and its data window.
    struct Node {
        library: Library,
        control: std::vec::Vec<u8>,
        data: std::vec::Vec<u8>,
        out: Wire,
        /// Offsets of the posted receive descriptors, oldest first.
        posted: VecDeque<u32>,
        free: VecDeque<u32>,
    }

    impl Node {
        fn new() -> Node {
            let layout = ControlLayout::new(BUFFERS).unwrap();
            Node {
                library: Library::new(layout, CONTROL, (BUFFER * BUFFERS).into()),
                control: vec![0; layout.bytes() as usize],
                data: vec![0; (BUFFER * BUFFERS) as usize],
                out: Wire::default(),
                posted: VecDeque::new(),
                free: (0..BUFFERS).map(|buffer| buffer * BUFFER).collect(),
            }
        }

        fn post(&mut self) {
            let Some(offset) = self.free.pop_front() else {
                return;
            };
            let segment = Share {
                window: DATA,
                offset,
                length: BUFFER,
            };
            let posted = self
                .library
                .post_receive(&self.control, &mut self.out, &[segment]);
            posted.unwrap();
            self.posted.push_back(offset);
        }

        fn send(&mut self, message: &[u8], splits: bool) -> Result<(), Unsent> {
            let length = message.len() as u32;
            let target = self.library.target(&self.control, length, splits);
            let transfer = match &target {
                Ok(target) => {
                    let mut left = message;
                    for share in &target.shares {
                        let (here, rest) = left.split_at(share.length as usize);
                        self.out.write(share.window, share.offset, here).unwrap();
                        left = rest;
                    }
                    self.library.take(&mut self.out, target).unwrap();
                    Transfer::Message {
                        length,
                        immediate: Some(!length),
                        receives: target.receives,
                    }
                }
                Err(Unsent::TooLong) => {
                    let taken = self.library.take_first(&self.control, &mut self.out);
                    taken.unwrap();
                    Transfer::TooLong
                }
                Err(_) => return target.map(|_| ()),
            };
            let pointer = self
                .library
                .announce(&self.control, &mut self.out, transfer);
            pointer.unwrap().publish(&mut self.out, ()).unwrap();
            target.map(|_| ())
        }

        /// Returns the next received message, or `None` in place of a message that did not fit.
        fn receive(&mut self) -> Option<Option<std::vec::Vec<u8>>> {
            let next = self
                .library
                .next_transfer(&self.control, &mut self.out, false);
            let received = match next.unwrap()? {
                Transfer::Message {
                    length,
                    immediate,
                    receives,
                } => {
                    assert_eq!(immediate, Some(!length));
                    let mut message = std::vec::Vec::new();
                    for _ in 0..receives {
                        let offset = self.posted.pop_front().expect("it was posted");
                        let left = length - message.len() as u32;
                        let share = offset as usize..(offset + left.min(BUFFER)) as usize;
                        message.extend_from_slice(&self.data[share]);
                        self.free.push_back(offset);
                    }
                    assert_eq!(message.len() as u32, length);
                    Some(message)
                }
                Transfer::TooLong => {
                    let offset = self.posted.pop_front().expect("it was posted");
                    self.free.push_back(offset);
                    None
                }
            };
            Some(received)
        }

        /// Carries out the peer's oldest write, which arrives in this node's memory.
        fn arrive(&mut self, (window, offset, bytes): (WindowId, u32, std::vec::Vec<u8>)) {
            let memory = match window {
                CONTROL => &mut self.control,
                _ => &mut self.data,
            };
            memory[offset as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
    }

    #[test]
    fn messages_pass_as_through_a_plain_queue() {
        let mut refused = [0; 2];
        let mut received = 0;
        for seed in 0..400 {
            let mut generator = Generator::named(seed, &["over-memory"]);
            let splits = seed % 2 == 0;
            let (mut sender, mut receiver) = (Node::new(), Node::new());
            let mut model: VecDeque<Option<std::vec::Vec<u8>>> = VecDeque::new();
            // The number of posted receive descriptors that the sender has learned of.
            let mut posted = 0;
            for number in 0..200_u32 {
                match generator.draw() % 6 {
                    0 => receiver.post(),
                    1 | 2 => {
                        let length = generator.draw() % 29;
                        let message: std::vec::Vec<u8> = (0..length)
                            .map(|byte| (byte as u32 * 7 + number) as u8)
                            .collect();
                        let needed = match splits {
                            true => (length as u32).div_ceil(BUFFER).max(1),
                            false => 1,
                        };
                        let room = if splits { BUFFER * BUFFERS } else { BUFFER };
                        let fits = length <= room.into();
                        match sender.send(&message, splits) {
                            Ok(()) => {
                                assert!(fits && needed <= posted);
                                posted -= needed;
                                model.push_back(Some(message));
                            }
                            Err(Unsent::Empty) => {
                                assert!(needed > posted && (fits || posted == 0));
                                refused[0] += 1;
                            }
                            Err(Unsent::TooLong) => {
                                assert!(!fits && posted > 0);
                                posted -= 1;
                                model.push_back(None);
                                refused[1] += 1;
                            }
                            Err(Unsent::Failed(error)) => panic!("{error}"),
                        }
                    }
                    3 => {
                        if let Some(write) = sender.out.0.pop_front() {
                            receiver.arrive(write);
                        }
                    }
                    4 => {
                        if let Some(write) = receiver.out.0.pop_front() {
                            let layout = sender.library.layout;
                            let is_cookie =
                                write.0 == CONTROL && write.1 == layout.cookies_written();
                            posted += u32::from(is_cookie);
                            sender.arrive(write);
                        }
                    }
                    _ => {
                        if let Some(message) = receiver.receive() {
                            assert_eq!(Some(message), model.pop_front());
                            received += 1;
                        }
                    }
                }
            }
            for write in std::mem::take(&mut sender.out.0) {
                receiver.arrive(write);
            }
            while let Some(message) = receiver.receive() {
                assert_eq!(Some(message), model.pop_front());
            }
            assert!(model.is_empty(), "every message that was sent arrives");
        }
        assert!(
            received > 1_000 && refused.iter().all(|count| *count > 500),
            "{received} {refused:?}"
        );
    }

    #[test]
    fn a_peer_that_writes_nonsense_causes_errors_alone() {
        let mut generator = Generator::named(2, &["nonsense"]);
        let mut errors = 0;
        for _ in 0..2_000 {
            let mut node = Node::new();
            generator.fill(&mut node.control);
            // The pointers in the random memory are small, so that the library reads entries too.
            let layout = node.library.layout;
            for pointer in [layout.cookies_written(), layout.transfers_written()] {
                let value = (generator.draw() % 5) as u32;
                node.control[pointer as usize..][..4].copy_from_slice(&value.to_be_bytes());
            }
            errors += u32::from(node.library.target(&node.control, 9, true).is_err());
            let next = node
                .library
                .next_transfer(&node.control, &mut node.out, true);
            errors += u32::from(next.is_err());
            errors += u32::from(node.library.unread(&node.control).is_err());
        }
        assert!(errors > 2_000, "{errors}");
    }
}
