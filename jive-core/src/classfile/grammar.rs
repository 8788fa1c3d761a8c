//! The productions of the class file that several parts share: a cursor over nom's parsers that knows where
//! they fail.

use nom::Parser;
use nom::bytes::complete::take;

use super::error::ParseErrorKind;
use super::fault::{Faults, Place, Rejected};
use super::tag::ConstantTag;

/// Reads a part of a file from its beginning on.
pub(super) struct Reader<'f, 'a> {
    rest: &'a [u8],
    /// What is wrong where the part ends too early.
    cut_off: ParseErrorKind,
    faults: &'f Faults<'a>,
}

impl<'f, 'a> Reader<'f, 'a> {
    /// Begins with a whole file.
    pub(super) const fn file(faults: &'f Faults<'a>) -> Self {
        Self {
            rest: faults.file(),
            cut_off: ParseErrorKind::Truncated,
            faults,
        }
    }

    /// Begins with a part of the file that has been seen to be whole: attributes, or the contents of one.
    pub(super) const fn part(bytes: &'a [u8], faults: &'f Faults<'a>) -> Self {
        Self {
            rest: bytes,
            cut_off: ParseErrorKind::AttributeLength,
            faults,
        }
    }

    /// Returns what has not been read.
    pub(super) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Returns where the reader stands.
    pub(super) fn place(&self) -> Place {
        Place::of(self.rest)
    }

    /// Returns how far into the file the reader stands, of one that reads to its end.
    pub(super) fn offset(&self) -> u32 {
        let read = self.faults.file().len().saturating_sub(self.rest.len());
        u32::try_from(read).unwrap_or(u32::MAX)
    }

    /// Notes a fault.
    pub(super) fn broken(&self, at: Place, kind: ParseErrorKind) -> Rejected {
        self.faults.note(at, kind)
    }

    /// Checks that everything has been read.
    pub(super) fn end(&self, otherwise: ParseErrorKind) -> Result<(), Rejected> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(self.broken(self.place(), otherwise))
        }
    }

    /// Runs a parser, which fails for one reason alone: too few bytes.
    #[cfg_attr(threaded, inline(always))]
    fn read<T>(
        &mut self,
        mut parser: impl Parser<&'a [u8], Output = T, Error = ()>,
    ) -> Result<T, Rejected> {
        match parser.parse(self.rest) {
            Ok((rest, value)) => {
                self.rest = rest;
                Ok(value)
            }
            Err(_) => Err(self.broken(self.place(), self.cut_off)),
        }
    }

    pub(super) fn u8(&mut self) -> Result<u8, Rejected> {
        self.array().map(u8::from_be_bytes)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Rejected> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Rejected> {
        self.array().map(u32::from_be_bytes)
    }

    /// Reads as many bytes, all through one parser, of which there is little code then.
    #[cfg_attr(threaded, inline(always))]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Rejected> {
        let bytes = self.read(take(N))?;
        Ok(bytes.first_chunk().copied().unwrap_or([0; N]))
    }

    #[cfg_attr(threaded, inline(always))]
    pub(super) fn bytes(&mut self, length: u32) -> Result<&'a [u8], Rejected> {
        self.read(take(length))
    }

    /// Walks over one entry of the constant pool, and returns its tag and where that ends (JVMS §4.4).
    pub(super) fn constant(&mut self) -> Result<(ConstantTag, u32), Rejected> {
        let at = self.place();
        let byte = self.u8()?;
        let Some(tag) = ConstantTag::from_byte(byte) else {
            return Err(self.broken(at, ParseErrorKind::UnknownTag { found: byte }));
        };
        let behind_tag = self.offset();
        let length = match tag.payload_length() {
            Some(length) => u32::from(length),
            None => u32::from(self.u16()?),
        };
        self.bytes(length)?;
        Ok((tag, behind_tag))
    }

    /// Reads one attribute: the index of its name and its bytes (JVMS §4.7).
    pub(super) fn attribute(&mut self) -> Result<(u16, &'a [u8]), Rejected> {
        let name = self.u16()?;
        let length = self.u32()?;
        Ok((name, self.bytes(length)?))
    }

    /// Walks over a count of attributes and as many of them; returns the count, and where they begin.
    pub(super) fn attributes(&mut self) -> Result<(u16, &'a [u8]), Rejected> {
        let count = self.u16()?;
        let attributes = self.rest;
        for _ in 0..count {
            self.attribute()?;
        }
        Ok((count, attributes))
    }

    /// Reads a count and as many rows of `N` bytes.
    pub(super) fn table<const N: usize>(&mut self) -> Result<&'a [[u8; N]], Rejected> {
        let count = usize::from(self.u16()?);
        let rows = self.read(take(count.saturating_mul(N)))?;
        Ok(rows.as_chunks().0)
    }
}

/// Reads a part of a file that has been checked; none, where it is not what the caller takes it for.
pub(super) fn attempt<'a, T>(
    part: &'a [u8],
    read: impl FnOnce(&mut Reader<'_, 'a>) -> Result<T, Rejected>,
) -> Option<T> {
    let faults = Faults::new(part);
    read(&mut Reader::part(part, &faults)).ok()
}
