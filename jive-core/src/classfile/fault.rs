//! Recording of the first parse error. The parser stores the error in a cell, so that its functions return small
//! results.

use core::cell::Cell;

use super::error::{ParseError, ParseErrorKind};

/// Stores the error that ends the parsing of a file.
#[derive(Debug)]
pub(super) struct Faults<'a> {
    file: &'a [u8],
    error: Cell<Option<ParseError>>,
}

/// Marker of a failed check. The [`Faults`] that returned this marker has stored the error.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Rejected;

/// A position in a file, stored as an address. Recording an error converts the address to an offset, so the parser's
/// functions need not receive the start of the file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Place(usize);

impl Place {
    /// Returns the position where a part of the file starts.
    pub(super) fn of(part: &[u8]) -> Self {
        Self(part.as_ptr().addr())
    }

    /// Returns the position that is `bytes` after this position.
    pub(super) const fn behind(self, bytes: u32) -> Self {
        // The cast is lossless, because the distance is at most FILE_BYTES_MAX.
        Self(self.0.saturating_add(bytes as usize))
    }

    /// Returns the position's offset from the start of the file.
    pub(super) fn offset_in(self, file: &[u8]) -> u32 {
        let offset = self.0.saturating_sub(file.as_ptr().addr());
        u32::try_from(offset.min(file.len())).unwrap_or(u32::MAX)
    }
}

impl<'a> Faults<'a> {
    pub(super) const fn new(file: &'a [u8]) -> Self {
        let error = Cell::new(None);
        Self { file, error }
    }

    pub(super) const fn file(&self) -> &'a [u8] {
        self.file
    }

    /// Records an error.
    #[cold]
    #[inline(never)]
    pub(super) fn record(&self, at: Place, kind: ParseErrorKind) -> Rejected {
        let offset = at.offset_in(self.file);
        self.error.set(Some(ParseError { offset, kind }));
        Rejected
    }

    /// Returns the parse error that was recorded last.
    pub(super) fn recorded(&self, _: Rejected) -> ParseError {
        // The default error is never returned, because only `record` creates a `Rejected`.
        self.error.get().unwrap_or(ParseError {
            offset: 0,
            kind: ParseErrorKind::Truncated,
        })
    }
}
