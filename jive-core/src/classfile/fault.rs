//! The first rule found broken: noted where it is found, so that nothing large is passed up from there.

use core::cell::Cell;

use super::error::{ParseError, ParseErrorKind};

/// Where the fault of one file is noted that ends its examination.
#[derive(Debug)]
pub(super) struct Faults<'a> {
    file: &'a [u8],
    noted: Cell<Option<ParseError>>,
}

/// Says that a fault has been noted; it is in the [`Faults`] that made this.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Rejected;

/// A place in a file, as an address, from which an offset is made when a fault is noted there.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Place(usize);

impl Place {
    /// Returns the place where a part of the file begins.
    pub(super) fn of(part: &[u8]) -> Self {
        Self(part.as_ptr().addr())
    }

    /// Returns the place so many bytes further on.
    pub(super) const fn behind(self, bytes: u32) -> Self {
        // Files are at most FILE_BYTES_MAX long, which fits.
        Self(self.0.saturating_add(bytes as usize))
    }

    /// Counts from the beginning of the file.
    pub(super) fn offset_in(self, file: &[u8]) -> u32 {
        let offset = self.0.saturating_sub(file.as_ptr().addr());
        u32::try_from(offset.min(file.len())).unwrap_or(u32::MAX)
    }
}

impl<'a> Faults<'a> {
    pub(super) const fn new(file: &'a [u8]) -> Self {
        let noted = Cell::new(None);
        Self { file, noted }
    }

    pub(super) const fn file(&self) -> &'a [u8] {
        self.file
    }

    /// Notes a fault.
    #[cold]
    #[inline(never)]
    pub(super) fn note(&self, at: Place, kind: ParseErrorKind) -> Rejected {
        let offset = at.offset_in(self.file);
        self.noted.set(Some(ParseError { offset, kind }));
        Rejected
    }

    /// Returns the fault that was noted last.
    pub(super) fn noted(&self, _: Rejected) -> ParseError {
        // A `Rejected` is made by noting alone.
        self.noted.get().unwrap_or(ParseError {
            offset: 0,
            kind: ParseErrorKind::Truncated,
        })
    }
}
