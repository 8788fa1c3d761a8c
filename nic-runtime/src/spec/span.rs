//! Places in a scenario file.

use std::ops::Range;

/// A range of bytes of the file.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// First byte of the file after the range.
    pub end: usize,
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Span {
        Span {
            start: range.start,
            end: range.end,
        }
    }
}

impl Span {
    /// Returns the span as a range for indexing the file's text.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}
