//! The outline of a class file: where its parts lie, before any of them is judged (JVMS §4.1).

use nom::Parser;
use nom::bytes::complete::take;
use nom::combinator::map;
use nom::number::complete::{be_u16, be_u32};

use super::error::ParseErrorKind;
use super::grammar::{self, Fault, Parsed};
use super::member;
use super::version::ClassVersion;

/// Where the parts of a class file lie.
///
/// Holding one proves that every length in the file is right as far as it concerns where the next
/// part begins, that nothing follows the class, and that every constant has a tag.
#[derive(Copy, Clone, Debug)]
pub(super) struct Layout<'a> {
    pub(super) version: ClassVersion,
    pub(super) constant_count: u16,
    pub(super) constants: &'a [u8],
    /// Access flags, this class, superclass, as numbers.
    pub(super) head: &'a [u8; 6],
    pub(super) interfaces: &'a [[u8; 2]],
    pub(super) field_count: u16,
    pub(super) fields: &'a [u8],
    pub(super) method_count: u16,
    pub(super) methods: &'a [u8],
    pub(super) attribute_count: u16,
    pub(super) attributes: &'a [u8],
}

impl<'a> Layout<'a> {
    /// Finds the parts of a file, whose size is within the limit.
    pub(super) fn read(file: &'a [u8]) -> Result<Self, Fault<'a>> {
        grammar::outcome(file, layout(file)).map(|(_, layout)| layout)
    }
}

fn layout(input: &[u8]) -> Parsed<'_, Layout<'_>> {
    let (rest, magic) = be_u32(input)?;
    if magic != 0xcafe_babe {
        return Err(Fault::err(input, ParseErrorKind::Magic { found: magic }));
    }
    let (rest, version) = version(rest)?;
    let (rest, (constant_count, constants)) = constants(rest)?;
    let (rest, head) = array(rest)?;
    let (rest, interfaces) = grammar::table(rest)?;
    let (rest, (field_count, fields)) = members(rest)?;
    let (rest, (method_count, methods)) = members(rest)?;
    let (rest, attribute_count) = be_u16(rest)?;
    let (after, attributes) = spanned(rest, |rest| skip_attributes(rest, attribute_count))?;
    if !after.is_empty() {
        return Err(Fault::err(after, ParseErrorKind::TrailingBytes));
    }
    let layout = Layout {
        version,
        constant_count,
        constants,
        head,
        interfaces,
        field_count,
        fields,
        method_count,
        methods,
        attribute_count,
        attributes,
    };
    Ok((after, layout))
}

fn version(input: &[u8]) -> Parsed<'_, ClassVersion> {
    let (rest, found) = map((be_u16, be_u16), |(minor, major)| ClassVersion {
        major,
        minor,
    })
    .parse(input)?;
    let known = (ClassVersion::MAJOR_MIN..=ClassVersion::MAJOR_MAX).contains(&found.major);
    let minor_fits = found.major < ClassVersion::JAVA_12 || found.minor == 0;
    if known && minor_fits {
        Ok((rest, found))
    } else {
        Err(Fault::err(input, ParseErrorKind::Version { found }))
    }
}

/// Finds the constant pool: its count, which is one more than the greatest index, and its entries.
fn constants(input: &[u8]) -> Parsed<'_, (u16, &[u8])> {
    let (rest, count) = be_u16(input)?;
    if count == 0 {
        return Err(Fault::err(input, ParseErrorKind::PoolCount));
    }
    let (after, entries) = spanned(rest, |mut rest| {
        // In 32 bits, where a wide constant at index 65534 does not wrap.
        let mut index = 1;
        while index < u32::from(count) {
            let entry = rest;
            let tag;
            (rest, tag) = grammar::constant(entry)?;
            index = index.saturating_add(if tag.is_wide() { 2 } else { 1 });
            if index > u32::from(count) {
                return Err(Fault::err(entry, ParseErrorKind::WideConstantAtEnd));
            }
        }
        Ok((rest, ()))
    })?;
    Ok((after, (count, entries)))
}

/// Finds the fields or the methods: their count and their bytes.
fn members(input: &[u8]) -> Parsed<'_, (u16, &[u8])> {
    let (rest, count) = be_u16(input)?;
    let (after, bytes) = spanned(rest, |mut rest| {
        for _ in 0..count {
            (rest, _) = skip_member(rest)?;
        }
        Ok((rest, ()))
    })?;
    Ok((after, (count, bytes)))
}

/// Walks over one field or method.
pub(super) fn skip_member(input: &[u8]) -> Parsed<'_, ()> {
    let (rest, header) = member::header(input)?;
    skip_attributes(rest, header.attribute_count)
}

/// Walks over attributes.
pub(super) fn skip_attributes(mut input: &[u8], count: u16) -> Parsed<'_, ()> {
    for _ in 0..count {
        (input, _) = grammar::attribute(input)?;
    }
    Ok((input, ()))
}

/// Runs a parser, and returns the bytes that it walked over.
fn spanned<'a>(
    input: &'a [u8],
    parser: impl FnOnce(&'a [u8]) -> Parsed<'a, ()>,
) -> Parsed<'a, &'a [u8]> {
    let (rest, ()) = parser(input)?;
    take(input.len().saturating_sub(rest.len())).parse(input)
}

fn array<const N: usize>(input: &[u8]) -> Parsed<'_, &[u8; N]> {
    match input.split_first_chunk() {
        Some((head, rest)) => Ok((rest, head)),
        None => Err(Fault::err(input, ParseErrorKind::Truncated)),
    }
}
