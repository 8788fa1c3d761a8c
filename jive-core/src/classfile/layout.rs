//! Layout of a class file: the location of its parts, before their contents are checked (JVMS §4.1).

use super::entry::{Entry, located};
use super::error::ParseErrorKind;
use super::fault::{Faults, Rejected};
use super::grammar::Reader;
use super::version::ClassVersion;
use crate::id::CpIndex;

/// The location of the parts of a class file.
///
/// Lengths and counts are consistent, nothing follows the class, and every constant has a known tag. The contents of
/// the parts of the class file are unchecked.
#[derive(Copy, Clone, Debug)]
pub(super) struct Layout<'a> {
    pub(super) version: ClassVersion,
    pub(super) constant_count: u16,
    /// Bytes of `access_flags`, `this_class` and `super_class`.
    pub(super) head: &'a [u8; 6],
    pub(super) interfaces: &'a [[u8; 2]],
    pub(super) field_count: u16,
    pub(super) method_count: u16,
    pub(super) attribute_count: u16,
    pub(super) attributes: &'a [u8],
}

impl<'a> Layout<'a> {
    /// Locates the parts of a file, whose size is within the limit.
    ///
    /// Writes the location of each constant, field and method to the index. The location of a constant takes two words
    /// of the index, that of a field or method one word. If the index is too short, the remaining locations are not
    /// stored, so that the caller can report the needed size.
    pub(super) fn read(faults: &Faults<'a>, index: &mut [u32]) -> Result<Self, Rejected> {
        let reader = &mut Reader::file(faults);
        magic(reader)?;
        let version = version(reader)?;
        let constant_count = constants(reader, index.as_chunks_mut().0)?;
        let head = reader.bytes(6)?.first_chunk().unwrap_or(&[0; 6]);
        let interfaces = reader.table()?;
        let mut slots = index
            .iter_mut()
            .skip(usize::from(constant_count).saturating_mul(2));
        let field_count = members(reader, &mut slots)?;
        let method_count = members(reader, &mut slots)?;
        let (attribute_count, attributes) = reader.attributes()?;
        reader.end(ParseErrorKind::TrailingBytes)?;
        Ok(Self {
            version,
            constant_count,
            head,
            interfaces,
            field_count,
            method_count,
            attribute_count,
            attributes,
        })
    }

    /// Returns how many words of index the file needs.
    pub(super) fn index_words(&self) -> usize {
        index_words(
            self.constant_count.into(),
            self.field_count.into(),
            self.method_count.into(),
        )
    }

    /// Returns the access flags of the class, as a number.
    pub(super) const fn access(&self) -> u16 {
        let [high, low, ..] = *self.head;
        u16::from_be_bytes([high, low])
    }

    /// Returns the constant that names the class.
    pub(super) const fn this_class(&self) -> CpIndex {
        let [_, _, high, low, ..] = *self.head;
        CpIndex(u16::from_be_bytes([high, low]))
    }

    /// Returns the constant that names the superclass. Returns 0 if the class has no superclass.
    pub(super) const fn super_class(&self) -> CpIndex {
        let [.., high, low] = *self.head;
        CpIndex(u16::from_be_bytes([high, low]))
    }
}

/// Returns the number of index words for these counts of constants, fields and methods. A constant takes two words of
/// the index for its entry and one as scratch space. A field takes one word of the index for its location. A method
/// takes one word of the index for its location and one for the location of its code.
pub(super) const fn index_words(constants: usize, fields: usize, methods: usize) -> usize {
    let methods = methods.saturating_mul(2);
    constants
        .saturating_mul(3)
        .saturating_add(fields)
        .saturating_add(methods)
}

fn magic(reader: &mut Reader<'_, '_>) -> Result<(), Rejected> {
    let at = reader.place();
    let found = reader.u32()?;
    if found == 0xcafe_babe {
        Ok(())
    } else {
        Err(reader.reject(at, ParseErrorKind::Magic { found }))
    }
}

fn version(reader: &mut Reader<'_, '_>) -> Result<ClassVersion, Rejected> {
    let at = reader.place();
    let minor = reader.u16()?;
    let major = reader.u16()?;
    let found = ClassVersion { major, minor };
    let known = (ClassVersion::MAJOR_MIN..=ClassVersion::MAJOR_MAX).contains(&major);
    if known && (major < ClassVersion::JAVA_12 || minor == 0) {
        Ok(found)
    } else {
        Err(reader.reject(at, ParseErrorKind::Version { found }))
    }
}

/// Locates the constants. Returns `constant_pool_count`, which is one more than the greatest index.
fn constants(reader: &mut Reader<'_, '_>, entries: &mut [Entry]) -> Result<u16, Rejected> {
    let at = reader.place();
    let count = reader.u16()?;
    if count == 0 {
        return Err(reader.reject(at, ParseErrorKind::PoolCount));
    }
    let mut write = |index: u16, located| {
        if let Some(entry) = entries.get_mut(usize::from(index)) {
            *entry = [located, 0];
        }
    };
    write(0, 0);
    let mut indices = 1..count;
    while let Some(index) = indices.next() {
        let at = reader.place();
        let (tag, offset) = reader.constant()?;
        write(index, located(tag, offset));
        if tag.is_wide() {
            match indices.next() {
                Some(unusable) => write(unusable, 0),
                None => return Err(reader.reject(at, ParseErrorKind::WideConstantAtEnd)),
            }
        }
    }
    Ok(count)
}

/// Locates the fields or the methods. Returns their number.
fn members<'s>(
    reader: &mut Reader<'_, '_>,
    slots: &mut impl Iterator<Item = &'s mut u32>,
) -> Result<u16, Rejected> {
    let count = reader.u16()?;
    for _ in 0..count {
        if let Some(slot) = slots.next() {
            *slot = reader.offset();
        }
        // The reader skips access flags, name and descriptor.
        for _ in 0..3 {
            reader.u16()?;
        }
        reader.attributes()?;
    }
    Ok(count)
}
