//! The `Code` attribute: code array, exception table and line numbers (JVMS §4.7.3, §4.7.12).

use super::attribute::{Attributes, Visit};
use super::entry::part_at;
use super::error::{AttributeName, ParseErrorKind};
use super::fault::{Place, Rejected};
use super::grammar::{self, Reader};
use super::pool::ConstantPool;
use super::subject::Subject;
use super::tag::ConstantTag;
use super::version::ClassVersion;
use crate::id::{CpIndex, Pc};
use crate::limits::CODE_BYTES_MAX;

/// The `Code` attribute of a method.
///
/// The code array has 1 to [`CODE_BYTES_MAX`](crate::limits::CODE_BYTES_MAX) bytes. All pcs of the exception table are
/// within the code array. The parameters of the method fit in `max_locals`. The bytes of the code array are unchecked
/// and may not be instructions.
#[derive(Copy, Clone, Debug)]
pub struct Code<'a> {
    /// Operand stack slots that the code claims to need.
    pub max_stack: u16,
    /// Local variables that the code claims to need, including parameters.
    pub max_locals: u16,
    /// The code array.
    pub bytes: &'a [u8],
    exceptions: &'a [[u8; 8]],
    attributes: Attributes<'a>,
}

/// An entry of a method's exception table.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ExceptionHandler {
    /// First pc in the range that the handler covers.
    pub start: Pc,
    /// First pc after the range that the handler covers, which may equal the length of the code array.
    pub end: Pc,
    /// Where the handler starts.
    pub handler: Pc,
    /// The class of exceptions caught. `None` catches all.
    pub catch_type: Option<CpIndex>,
}

impl<'a> Code<'a> {
    /// Iterates over the exception table, in file order. The JVM tries handlers in the order of the exception table.
    pub fn exceptions(&self) -> impl ExactSizeIterator<Item = ExceptionHandler> + use<'a> {
        self.exceptions
            .iter()
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

    /// Returns the source line of the instruction at a pc, if the class file has line numbers.
    ///
    /// The line comes from the entry with the greatest pc at or before `pc`, whatever the order of the tables. If
    /// several line number entries have the greatest pc, the first one wins if the greatest pc is `pc`, and otherwise
    /// the last. HotSpot's stack traces select the line of an instruction in the same way.
    #[must_use]
    pub fn line(&self, pc: Pc) -> Option<u16> {
        let mut best: Option<(Pc, u16)> = None;
        for (start, line) in self.line_numbers() {
            if start == pc {
                return Some(line);
            }
            if start < pc && best.is_none_or(|(nearest, _)| start >= nearest) {
                best = Some((start, line));
            }
        }
        best.map(|(_, line)| line)
    }

    /// Iterates over the pairs of pc and source line in all line number tables, in file order.
    ///
    /// [`line`](Self::line) scans all pairs. A caller that needs many source lines should sort the pairs of pc and line
    /// once.
    pub fn line_numbers(&self) -> impl Iterator<Item = (Pc, u16)> + use<'a> {
        let tables = self.attributes.iter();
        let tables = tables.filter(|attribute| attribute.name == "LineNumberTable");
        tables
            .flat_map(|table| line_numbers(table.bytes))
            .map(|(start, line)| (Pc(start), line))
    }
}

/// Iterates over the pairs of pc and line in a `LineNumberTable`. The iterator is empty if the `LineNumberTable` is
/// malformed.
fn line_numbers(table: &[u8]) -> impl Iterator<Item = (u16, u16)> + use<'_> {
    let rows = grammar::attempt(table, line_number_rows).unwrap_or_default();
    rows.iter()
        .map(|&[p0, p1, l0, l1]| (u16::from_be_bytes([p0, p1]), u16::from_be_bytes([l0, l1])))
}

/// Parses the contents of a `LineNumberTable`.
fn line_number_rows<'a>(reader: &mut Reader<'_, 'a>) -> Result<&'a [[u8; 4]], Rejected> {
    let rows = reader.table()?;
    reader.end(ParseErrorKind::AttributeLength)?;
    Ok(rows)
}

/// Returns whether the contents of a `Code` attribute are complete and the code array has a valid length.
pub(super) fn is_whole(pool: ConstantPool<'_>, contents: &[u8]) -> bool {
    grammar::attempt(contents, |reader| code(reader, pool))
        .is_some_and(|code| has_legal_length(code.bytes))
}

/// Reads the contents of a `Code` attribute at an offset in the file. The parser has already found the contents of this
/// `Code` attribute complete. Returns `None` for offset 0, which means that the method has no code.
pub(super) fn at_offset(pool: ConstantPool<'_>, offset: u32) -> Option<Code<'_>> {
    if offset == 0 {
        return None;
    }
    let bytes = part_at(pool.file(), offset)?;
    let ([s0, s1, l0, l1, b0, b1, b2, b3], rest) = bytes.split_first_chunk()?;
    let length = u32::from_be_bytes([*b0, *b1, *b2, *b3]);
    let (bytes, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    let (count, rest) = rest.split_first_chunk()?;
    let exceptions = usize::from(u16::from_be_bytes(*count)).wrapping_mul(size_of::<[u8; 8]>());
    let (exceptions, rest) = rest.split_at_checked(exceptions)?;
    let (count, rest) = rest.split_first_chunk()?;
    Some(Code {
        max_stack: u16::from_be_bytes([*s0, *s1]),
        max_locals: u16::from_be_bytes([*l0, *l1]),
        bytes,
        exceptions: exceptions.as_chunks().0,
        attributes: Attributes::new(pool, u16::from_be_bytes(*count), rest),
    })
}

/// Returns whether the length of a code array is valid (§4.7.3).
fn has_legal_length(code: &[u8]) -> bool {
    u32::try_from(code.len()).is_ok_and(|length| (1..=CODE_BYTES_MAX).contains(&length))
}

/// Parses the contents of a `Code` attribute without checking them.
fn code<'a>(reader: &mut Reader<'_, 'a>, pool: ConstantPool<'a>) -> Result<Code<'a>, Rejected> {
    let max_stack = reader.u16()?;
    let max_locals = reader.u16()?;
    let length = reader.u32()?;
    let bytes = reader.bytes(length)?;
    let exceptions = reader.table()?;
    let (count, attributes) = reader.attributes()?;
    reader.end(ParseErrorKind::AttributeLength)?;
    Ok(Code {
        max_stack,
        max_locals,
        bytes,
        exceptions,
        attributes: Attributes::new(pool, count, attributes),
    })
}

impl<'a> Subject<'a> {
    /// Checks the contents of a `Code` attribute. The argument `parameter_slots` is the number of slots that the
    /// method's parameters take, including `this`.
    pub(super) fn check_code(
        &self,
        contents: &'a [u8],
        parameter_slots: u16,
    ) -> Result<(), Rejected> {
        let code = code(&mut Reader::part(contents, self.faults), self.pool)?;
        let code_length = u32::try_from(code.bytes.len()).unwrap_or(u32::MAX);
        if !has_legal_length(code.bytes) {
            let kind = ParseErrorKind::CodeLength { found: code_length };
            return Err(self.reject(Place::of(code.bytes), kind));
        }
        if parameter_slots > code.max_locals {
            let kind = ParseErrorKind::ParametersExceedLocals {
                needed: parameter_slots,
                found: code.max_locals,
            };
            return Err(self.reject(Place::of(contents), kind));
        }
        self.check_exceptions(&code, code_length)?;
        self.check_code_attributes(&code, code_length)
    }

    fn check_exceptions(&self, code: &Code<'a>, code_length: u32) -> Result<(), Rejected> {
        for (entry, bytes) in code.exceptions().zip(code.exceptions) {
            let at = Place::of(bytes);
            let within = |pc: Pc| u32::from(pc.0) < code_length;
            let covers = entry.start < entry.end && u32::from(entry.end.0) <= code_length;
            if !covers || !within(entry.handler) {
                return Err(self.reject(at, ParseErrorKind::ExceptionTable));
            }
            if let Some(class) = entry.catch_type {
                self.kind(at, class, ConstantTag::Class.only())?;
            }
        }
        Ok(())
    }

    fn check_code_attributes(&self, code: &Code<'a>, code_length: u32) -> Result<(), Rejected> {
        let mut visit = Visit::new(self, code.attributes);
        while let Some(attribute) = visit.next()? {
            if attribute.name == AttributeName::LineNumberTable {
                self.check_lines(attribute.bytes, code_length)?;
            } else if attribute.name == AttributeName::StackMapTable
                && self.version.major >= ClassVersion::JAVA_6
            {
                visit.once(&attribute)?;
            }
        }
        Ok(())
    }

    fn check_lines(&self, table: &'a [u8], code_length: u32) -> Result<(), Rejected> {
        let rows = line_number_rows(&mut Reader::part(table, self.faults))?;
        for row in rows {
            let [high, low, ..] = *row;
            let pc = u16::from_be_bytes([high, low]);
            if u32::from(pc) >= code_length {
                let kind = ParseErrorKind::LineNumber { pc, code_length };
                return Err(self.reject(Place::of(row), kind));
            }
        }
        Ok(())
    }
}
