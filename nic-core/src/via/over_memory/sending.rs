//! Sending: finds the receive descriptors of the peer for a message, and announces the message to it.

use super::{Library, LibraryError, PointerWrite, Share, Target, Transfer, Unsent};
use crate::remote::{RemoteMemory, WindowId};
use crate::unet::MESSAGE_BUFFERS_MAX;
use crate::via::control::{entry, number, numbers};
use crate::via::registration::SEGMENTS_MAX;

impl Library {
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

    /// Returns how many entries of the transfer queue this end has written, modulo 2³². The newest of them has this
    /// number.
    #[must_use]
    pub fn announced(&self) -> u32 {
        self.transfers_out.pointer()
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
