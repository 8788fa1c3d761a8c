//! Rings: queues of entries in the memory of the reader's node, which the writer fills by remote writes (S5-14).
//!
//! The writer has the write pointer of the ring, of which the reader's node has a lazy copy. The reader has the read
//! pointer of the ring, of which the writer's node has a lazy copy. Each end of a ring reads only its own node's
//! memory. The ring is empty to the reader if the lazy copy of the write pointer equals the read pointer. The ring is
//! full to the writer if the write pointer is a whole ring ahead of the lazy copy of the read pointer.
//!
//! The pointers of a ring count entries and wrap around. Both nodes can write any value into a lazy copy of a pointer.
//! A pointer value that cannot be right is an error and never an access outside the ring.

/// Length of a pointer in memory, in bytes. Pointers are big-endian.
pub const RING_POINTER_BYTES: u32 = 4;

/// The layout of a ring in a window: the entries, followed by the lazy copy of the write pointer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RingLayout {
    start: u32,
    entry_bytes: u32,
    entries: u32,
}

/// A ring that cannot be used.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RingError {
    /// The ring does not fit in 4 GiB, or has no entries.
    #[error("expected 1 to 2³¹ entries in 4 GiB, found {entries} of {entry_bytes} bytes")]
    Size {
        /// Number of entries.
        entries: u32,
        /// Bytes of an entry.
        entry_bytes: u32,
    },
    /// The ring is full, because the reader has not taken enough entries.
    #[error("expected a ring with room for an entry")]
    Full,
    /// The lazy copy of a pointer has a value that the peer's pointer cannot have.
    #[error("expected a pointer within {entries} entries of {own}, found {found}")]
    Pointer {
        /// The pointer that this end of the ring has itself.
        own: u32,
        /// The value in the lazy copy of the peer's pointer.
        found: u32,
        /// Number of entries.
        entries: u32,
    },
}

impl RingLayout {
    /// Returns the layout of a ring of `entries` that begins at an offset of a window. The number of entries must be a
    /// power of two, so that pointers stay right when they wrap around.
    ///
    /// # Errors
    ///
    /// Returns [`RingError::Size`] if the ring does not fit.
    pub fn new(start: u32, entry_bytes: u32, entries: u32) -> Result<RingLayout, RingError> {
        let layout = RingLayout {
            start,
            entry_bytes,
            entries,
        };
        let bytes = u64::from(entries) * u64::from(entry_bytes) + u64::from(RING_POINTER_BYTES);
        match u32::try_from(u64::from(start) + bytes) {
            Ok(_) if entries.is_power_of_two() => Ok(layout),
            _ => Err(RingError::Size {
                entries,
                entry_bytes,
            }),
        }
    }

    /// Returns the offset in the window at which the ring ends.
    #[must_use]
    pub fn end(self) -> u32 {
        self.pointer() + RING_POINTER_BYTES
    }

    /// Returns the offset in the window of the lazy copy of the write pointer.
    #[must_use]
    pub fn pointer(self) -> u32 {
        self.start + self.entries * self.entry_bytes
    }

    /// Returns the number of the ring's entries.
    #[must_use]
    pub fn entries(self) -> u32 {
        self.entries
    }

    fn entry(self, pointer: u32) -> u32 {
        self.start + pointer % self.entries * self.entry_bytes
    }
}

/// The writer's end of a ring.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RingWriter {
    layout: RingLayout,
    write: u32,
}

impl RingWriter {
    /// Returns the writer of an empty ring.
    #[must_use]
    pub fn new(layout: RingLayout) -> RingWriter {
        RingWriter { layout, write: 0 }
    }

    /// Returns the layout.
    #[must_use]
    pub fn layout(&self) -> RingLayout {
        self.layout
    }

    /// Returns the number of entries for which the ring has room, according to the lazy copy of the read pointer.
    ///
    /// # Errors
    ///
    /// Returns [`RingError::Pointer`] if the reader cannot have that pointer.
    pub fn room(&self, lazy_read: u32) -> Result<u32, RingError> {
        let used = self.write.wrapping_sub(lazy_read);
        let room = self.layout.entries.checked_sub(used);
        room.ok_or(RingError::Pointer {
            own: self.write,
            found: lazy_read,
            entries: self.layout.entries,
        })
    }

    /// Allocates the next entry of the ring, and returns the entry's offset. The writer first writes the entry at that
    /// offset, and afterwards the [pointer](RingWriter::pointer).
    ///
    /// # Errors
    ///
    /// Returns [`RingError::Full`] if the ring has no room, and the errors of [`RingWriter::room`].
    pub fn take(&mut self, lazy_read: u32) -> Result<u32, RingError> {
        if self.room(lazy_read)? == 0 {
            return Err(RingError::Full);
        }
        let offset = self.layout.entry(self.write);
        self.write = self.write.wrapping_add(1);
        Ok(offset)
    }

    /// Returns the write pointer, of which the reader's node receives a lazy copy.
    #[must_use]
    pub fn pointer(&self) -> u32 {
        self.write
    }
}

/// The reader's end of a ring.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RingReader {
    layout: RingLayout,
    read: u32,
}

impl RingReader {
    /// Returns the reader of an empty ring.
    #[must_use]
    pub fn new(layout: RingLayout) -> RingReader {
        RingReader { layout, read: 0 }
    }

    /// Returns the layout.
    #[must_use]
    pub fn layout(&self) -> RingLayout {
        self.layout
    }

    /// Returns the number of entries that wait for the reader, according to the lazy copy of the write pointer.
    ///
    /// # Errors
    ///
    /// Returns [`RingError::Pointer`] if the writer cannot have that pointer.
    pub fn waiting(&self, lazy_write: u32) -> Result<u32, RingError> {
        let waiting = lazy_write.wrapping_sub(self.read);
        if waiting > self.layout.entries {
            return Err(RingError::Pointer {
                own: self.read,
                found: lazy_write,
                entries: self.layout.entries,
            });
        }
        Ok(waiting)
    }

    /// Returns the offset of the waiting entry that follows the oldest one by `ahead` entries.
    ///
    /// # Errors
    ///
    /// Those of [`RingReader::waiting`].
    pub fn peek(&self, lazy_write: u32, ahead: u32) -> Result<Option<u32>, RingError> {
        let is_there = ahead < self.waiting(lazy_write)?;
        let pointer = self.read.wrapping_add(ahead);
        Ok(is_there.then(|| self.layout.entry(pointer)))
    }

    /// Frees the oldest entries of the ring, which the reader has read. The caller must have seen that the entries to
    /// free wait.
    pub fn free(&mut self, count: u32) {
        self.read = self.read.wrapping_add(count);
    }

    /// Returns the read pointer, of which the writer's node receives a lazy copy.
    #[must_use]
    pub fn pointer(&self) -> u32 {
        self.read
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::random::Generator;

    fn ring(entries: u32) -> RingLayout {
        RingLayout::new(16, 8, entries).unwrap()
    }

    #[test]
    fn entries_lie_one_behind_the_other_and_wrap() {
        let (mut writer, mut reader) = (RingWriter::new(ring(2)), RingReader::new(ring(2)));
        assert_eq!((ring(2).pointer(), ring(2).end()), (32, 36));
        assert_eq!([writer.take(0), writer.take(0)], [Ok(16), Ok(24)]);
        assert_eq!(writer.take(0), Err(RingError::Full));
        assert_eq!(reader.peek(0, 0), Ok(None), "the lazy copy is still old");
        assert_eq!(reader.peek(2, 0), Ok(Some(16)));
        assert_eq!(reader.peek(2, 1), Ok(Some(24)));
        assert_eq!(reader.peek(2, 2), Ok(None));
        reader.free(1);
        assert_eq!(writer.take(reader.pointer()), Ok(16));
        assert_eq!(writer.pointer(), 3);
    }

    #[test]
    fn pointers_that_cannot_be_are_errors() {
        let (writer, reader) = (RingWriter::new(ring(4)), RingReader::new(ring(4)));
        for found in [1, 5, u32::MAX / 2] {
            assert!(matches!(
                writer.room(found),
                Err(RingError::Pointer { found: shown, .. }) if shown == found
            ));
        }
        for found in [5, u32::MAX] {
            assert_eq!(
                reader.waiting(found),
                Err(RingError::Pointer {
                    own: 0,
                    found,
                    entries: 4
                })
            );
        }
        for entries in [0, 3, 1 << 31] {
            assert!(matches!(
                RingLayout::new(0, 8, entries),
                Err(RingError::Size { .. })
            ));
        }
    }

    #[test]
    fn a_ring_is_a_queue_with_late_pointers() {
        let mut generator = Generator::named(1, &["ring"]);
        let (mut full, mut empty) = (0, 0);
        for entries in [1, 2, 8] {
            let layout = ring(entries);
            // The pointers of the ring begin just before they wrap around.
            let start = u32::MAX - 5;
            let mut writer = RingWriter {
                layout,
                write: start,
            };
            let mut reader = RingReader {
                layout,
                read: start,
            };
            let mut memory = vec![0; 100];
            let mut model = VecDeque::new();
            let (mut lazy_write, mut lazy_read) = (start, start);
            for number in 0..3_000_u32 {
                match generator.draw() % 4 {
                    0 => match writer.take(lazy_read) {
                        Ok(offset) => {
                            memory[offset as usize] = number;
                            model.push_back(number);
                        }
                        Err(error) => {
                            assert_eq!(error, RingError::Full);
                            full += 1;
                        }
                    },
                    1 => match reader.peek(lazy_write, 0).unwrap() {
                        Some(offset) => {
                            assert_eq!(model.pop_front(), Some(memory[offset as usize]));
                            reader.free(1);
                        }
                        None => empty += 1,
                    },
                    2 => lazy_write = writer.pointer(),
                    _ => lazy_read = reader.pointer(),
                }
                assert!(model.len() <= entries as usize);
            }
        }
        assert!(full > 100 && empty > 100, "{full} {empty}");
    }
}
