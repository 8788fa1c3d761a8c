//! Receiving: announces posted receive descriptors to the peer, and takes the entries of arrived messages.

use super::{Library, LibraryError, Share, Transfer};
use crate::remote::{RemoteMemory, RingError};
use crate::via::control::{entry, number, numbers};
use crate::via::registration::SEGMENTS_MAX;

impl Library {
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

    /// Returns how many entries of the transfer queue this end has taken, modulo 2³². The newest of them has this number,
    /// which is the one that the peer's library gave it.
    #[must_use]
    pub fn taken(&self) -> u32 {
        self.transfers_in.pointer()
    }
}
