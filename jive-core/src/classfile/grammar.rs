//! The productions of the class file that several parts share, in nom, with errors that know where.

use nom::bytes::complete::take;
use nom::number::complete::{be_u8, be_u16, be_u32};
use nom::{IResult, Parser};

use super::error::{ParseError, ParseErrorKind};
use super::pool::PoolError;
use super::tag::ConstantTag;

/// Where in the file a rule is broken, as the rest of the bytes from there.
///
/// It becomes a [`ParseError`] where the whole file is at hand to count from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault<'a> {
    pub(super) at: &'a [u8],
    pub(super) kind: ParseErrorKind,
}

pub(super) type Parsed<'a, T> = IResult<&'a [u8], T, Fault<'a>>;

impl<'a> nom::error::ParseError<&'a [u8]> for Fault<'a> {
    // The combinators in use fail for one reason alone: too few bytes.
    fn from_error_kind(at: &'a [u8], _: nom::error::ErrorKind) -> Self {
        Self {
            at,
            kind: ParseErrorKind::Truncated,
        }
    }

    fn append(_: &'a [u8], _: nom::error::ErrorKind, first: Self) -> Self {
        first
    }
}

impl<'a> Fault<'a> {
    /// Returns the fault as the combinators pass it on.
    pub(super) const fn err(at: &'a [u8], kind: ParseErrorKind) -> nom::Err<Self> {
        nom::Err::Failure(Self { at, kind })
    }

    /// Returns the fault of an index into the constant pool that stands at `at`.
    pub(super) const fn index(at: &'a [u8], reason: PoolError) -> Self {
        let kind = ParseErrorKind::ConstantIndex {
            index: reason.index.0,
            kind: reason.kind,
        };
        Self { at, kind }
    }

    /// Counts from the beginning of the file, of which `at` is a part.
    pub(super) fn in_file(self, file: &[u8]) -> ParseError {
        ParseError {
            offset: offset_in(file, self.at),
            kind: self.kind,
        }
    }
}

/// Returns where in a file a part of it begins.
///
/// Not by nom's `Offset`, which subtracts without a check.
pub(super) fn offset_in(file: &[u8], part: &[u8]) -> u32 {
    let offset = part.as_ptr().addr().saturating_sub(file.as_ptr().addr());
    // Files are at most FILE_BYTES_MAX long.
    u32::try_from(offset.min(file.len())).unwrap_or(u32::MAX)
}

/// Unwraps what a combinator returns; `Incomplete` never comes from the complete parsers used here.
pub(super) fn outcome<'a, T>(
    input: &'a [u8],
    parsed: Parsed<'a, T>,
) -> Result<(&'a [u8], T), Fault<'a>> {
    parsed.map_err(|error| match error {
        nom::Err::Error(fault) | nom::Err::Failure(fault) => fault,
        nom::Err::Incomplete(_) => Fault {
            at: input,
            kind: ParseErrorKind::Truncated,
        },
    })
}

/// Walks over one entry of the constant pool, and returns its tag (JVMS §4.4).
pub(super) fn constant(input: &[u8]) -> Parsed<'_, ConstantTag> {
    let (rest, byte) = be_u8(input)?;
    let Some(tag) = ConstantTag::from_byte(byte) else {
        return Err(Fault::err(
            input,
            ParseErrorKind::UnknownTag { found: byte },
        ));
    };
    let (rest, _) = match tag.payload_length() {
        Some(length) => take(length).parse(rest)?,
        None => be_u16.flat_map(take).parse(rest)?,
    };
    Ok((rest, tag))
}

/// Reads one attribute: the index of its name and its bytes (JVMS §4.7).
pub(super) fn attribute(input: &[u8]) -> Parsed<'_, (u16, &[u8])> {
    (be_u16, be_u32.flat_map(take)).parse(input)
}

/// Reads a count and as many rows of `N` bytes.
pub(super) fn table<const N: usize>(input: &[u8]) -> Parsed<'_, &[[u8; N]]> {
    let (rest, rows) = be_u16
        .flat_map(|count| take(usize::from(count).saturating_mul(N)))
        .parse(input)?;
    Ok((rest, rows.as_chunks().0))
}

/// Runs a parser over the contents of an attribute, which it must use up exactly.
pub(super) fn whole<'a, T>(
    contents: &'a [u8],
    parser: impl FnOnce(&'a [u8]) -> Parsed<'a, T>,
) -> Result<T, Fault<'a>> {
    match outcome(contents, parser(contents)) {
        Ok(([], value)) => Ok(value),
        Ok((at, _))
        | Err(Fault {
            at,
            kind: ParseErrorKind::Truncated,
        }) => Err(Fault {
            at,
            kind: ParseErrorKind::AttributeLength,
        }),
        Err(fault) => Err(fault),
    }
}
