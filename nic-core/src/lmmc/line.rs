//! The line of a port that gathers writes under late update (S4-21).

use super::message::Write;
use super::names::FrameId;

/// Length of a line in bytes. The paper leaves open what is gathered; this is a line of a processor's cache. Chosen.
pub const LINE_BYTES: u32 = 64;

/// Writes to one port that leave as one message.
///
/// The gathered bytes are one range within an aligned line. A write that would leave a hole falls outside: the sender
/// cannot read its page, so it has no bytes for the hole, and two messages could show a later write before an earlier
/// one.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Offset of the line in its page.
    base: u32,
    /// The gathered range within the line.
    start: u32,
    end: u32,
    bytes: [u8; LINE_BYTES as usize],
}

/// A line that leaves, with the frame that it goes to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Flushed {
    /// The frame that its port has.
    pub frame: FrameId,
    /// The line.
    pub line: Line,
}

impl Flushed {
    /// Returns the remote write that carries the line.
    #[must_use]
    pub fn write(&self) -> Write<'_> {
        let Line {
            base,
            start,
            end,
            ref bytes,
        } = self.line;
        Write {
            frame: self.frame,
            offset: base + start,
            bytes: &bytes[start as usize..end as usize],
        }
    }
}

impl Line {
    /// Returns how many bytes of a write at `offset` lie within one line.
    #[must_use]
    pub const fn room(offset: u32) -> u32 {
        LINE_BYTES - offset % LINE_BYTES
    }

    /// Returns a line that has gathered one write, which lies within it.
    pub(super) fn new(offset: u32, bytes: &[u8]) -> Line {
        let start = offset % LINE_BYTES;
        let mut line = Line {
            base: offset - start,
            start,
            end: start,
            bytes: [0; LINE_BYTES as usize],
        };
        line.put(offset, bytes);
        line
    }

    /// Returns whether a write that lies within a line touches the gathered range.
    pub(super) fn takes(&self, offset: u32, length: usize) -> bool {
        let start = offset % LINE_BYTES;
        self.base == offset - start
            && start <= self.end
            && start as usize + length >= self.start as usize
    }

    /// Gathers a write that lies within the line and touches the gathered range.
    pub(super) fn put(&mut self, offset: u32, bytes: &[u8]) {
        let start = offset % LINE_BYTES;
        for (place, byte) in self.bytes[start as usize..].iter_mut().zip(bytes) {
            *place = *byte;
        }
        // A write that lies within a line has at most 64 bytes.
        let end = start + (bytes.len() as u32).min(Line::room(offset));
        self.start = self.start.min(start);
        self.end = self.end.max(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_gathers_one_range() {
        let mut line = Line::new(132, &[1, 2, 3, 4]);
        let write = |line: &Line| {
            let flushed = Flushed {
                frame: FrameId(9),
                line: *line,
            };
            let write = flushed.write();
            assert_eq!(write.frame, FrameId(9));
            (write.offset, write.bytes.to_vec())
        };
        assert_eq!(write(&line), (132, vec![1, 2, 3, 4]));
        // Holes at either end, and the same place of another line.
        for outside in [137, 130, 68, 196] {
            assert!(!line.takes(outside, 1), "{outside}");
        }
        let mut gather = |offset, bytes: &[u8]| {
            assert!(line.takes(offset, bytes.len()), "{offset}");
            line.put(offset, bytes);
            write(&line)
        };
        gather(136, &[5]);
        gather(131, &[0]);
        let gathered = gather(133, &[22, 23]);
        assert_eq!(gathered, (131, vec![0, 1, 22, 23, 4, 5]));
        gather(137, &[6; 55]);
        let whole = [&[8, 8, 8, 0, 1, 22, 23, 4, 5][..], &[6; 55]].concat();
        assert_eq!(gather(128, &[8; 3]), (128, whole));
        assert!(!line.takes(192, 1));
        assert_eq!([0, 1, 63, 64, 130].map(Line::room), [64, 63, 1, 64, 62]);
    }
}
