//! The `Code` attribute: code array, exception table and line numbers (JVMS §4.7.3, §4.7.12).

use nom::Parser;
use nom::bytes::complete::take;
use nom::combinator::map;
use nom::number::complete::{be_u16, be_u32};

use super::attribute::Attributes;
use super::grammar::{self, Parsed};
use super::pool::ConstantPool;
use crate::id::{CpIndex, Pc};

/// The code of a method.
///
/// Holding one proves that the code array has 1 to [`CODE_BYTES_MAX`](crate::limits::CODE_BYTES_MAX)
/// bytes, that the exception table stays inside it, and that the parameters fit in `max_locals`.
/// The bytes themselves are a claim: nothing says that they are instructions.
#[derive(Copy, Clone, Debug)]
pub struct Code<'a> {
    /// Most slots of the operand stack that the code claims to need.
    pub max_stack: u16,
    /// Local variables that the code claims to need, parameters included.
    pub max_locals: u16,
    /// The code array.
    pub bytes: &'a [u8],
    exceptions: &'a [u8],
    attributes: Attributes<'a>,
}

/// An entry of the exception table.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ExceptionHandler {
    /// First pc that is covered.
    pub start: Pc,
    /// First pc that is not covered any more; may be the length of the code array.
    pub end: Pc,
    /// Where the handler begins.
    pub handler: Pc,
    /// The class of exceptions that it catches; `None` for all.
    pub catch_type: Option<CpIndex>,
}

impl<'a> Code<'a> {
    /// Returns the exception table, in file order, which is the order in which handlers are tried.
    pub fn exceptions(&self) -> impl ExactSizeIterator<Item = ExceptionHandler> + use<'a> {
        let (rows, _): (&'a [[u8; 8]], _) = self.exceptions.as_chunks();
        rows.iter()
            .map(|&[s0, s1, e0, e1, h0, h1, c0, c1]| ExceptionHandler {
                start: Pc(u16::from_be_bytes([s0, s1])),
                end: Pc(u16::from_be_bytes([e0, e1])),
                handler: Pc(u16::from_be_bytes([h0, h1])),
                catch_type: match u16::from_be_bytes([c0, c1]) {
                    0 => None,
                    index => Some(CpIndex(index)),
                },
            })
    }

    /// Returns the attributes of the code.
    #[must_use]
    pub const fn attributes(&self) -> Attributes<'a> {
        self.attributes
    }

    /// Returns the source line of the instruction at a pc, where the class file tells.
    ///
    /// The line of the nearest entry at or before the pc counts, whatever the order of the tables.
    /// Of several entries for the pc itself the first counts, of several before it the last, as in
    /// HotSpot's stack traces.
    #[must_use]
    pub fn line(&self, pc: Pc) -> Option<u16> {
        let tables = self
            .attributes
            .iter()
            .filter(|attribute| attribute.name == "LineNumberTable");
        let mut best: Option<(u16, u16)> = None;
        for (start, line) in tables.flat_map(|table| line_numbers(table.bytes)) {
            if start == pc.0 {
                return Some(line);
            }
            if start < pc.0 && best.is_none_or(|(nearest, _)| start >= nearest) {
                best = Some((start, line));
            }
        }
        best.map(|(_, line)| line)
    }
}

/// Returns the pairs of pc and line of a `LineNumberTable` that the parser has checked.
fn line_numbers(table: &[u8]) -> impl Iterator<Item = (u16, u16)> {
    let rows = table.get(2..).unwrap_or(&[]);
    let (rows, _): (&[[u8; 4]], _) = rows.as_chunks();
    rows.iter()
        .map(|&[p0, p1, l0, l1]| (u16::from_be_bytes([p0, p1]), u16::from_be_bytes([l0, l1])))
}

/// Reads the contents of a `Code` attribute, without judging them.
pub(super) fn code<'a>(pool: ConstantPool<'a>, input: &'a [u8]) -> Parsed<'a, Code<'a>> {
    let (rest, (max_stack, max_locals)) = (be_u16, be_u16).parse(input)?;
    let (rest, bytes) = be_u32.flat_map(take).parse(rest)?;
    let (rest, exceptions) = be_u16
        .flat_map(|rows| take(u32::from(rows).saturating_mul(8)))
        .parse(rest)?;
    let (rest, attributes) = attributes(pool, rest)?;
    Ok((
        rest,
        Code {
            max_stack,
            max_locals,
            bytes,
            exceptions,
            attributes,
        },
    ))
}

/// Reads a count of attributes, and the attributes.
fn attributes<'a>(pool: ConstantPool<'a>, input: &'a [u8]) -> Parsed<'a, Attributes<'a>> {
    let (rest, count) = be_u16(input)?;
    let mut after = rest;
    for _ in 0..count {
        (after, _) = grammar::attribute(after)?;
    }
    map(take(rest.len().saturating_sub(after.len())), |bytes| {
        Attributes::new(pool, count, bytes)
    })
    .parse(rest)
}
