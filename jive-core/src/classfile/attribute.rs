//! Attributes: iteration over names and contents, which stay uninterpreted (JVMS §4.7).

use super::error::{AttributeName, ParseErrorKind};
use super::fault::{Place, Rejected};
use super::grammar::{self, Reader};
use super::pool::ConstantPool;
use super::subject::Subject;
use super::utf8::Utf8;
use crate::id::CpIndex;

/// An attribute with uninterpreted contents.
#[derive(Copy, Clone, Debug)]
pub struct Attribute<'a> {
    /// Name of the attribute.
    pub name: Utf8<'a>,
    /// Contents of the attribute, without its name and length.
    pub bytes: &'a [u8],
}

/// The attributes of a class, field, method or code array.
///
/// Each attribute is complete and has a name. The parser checks the contents of the attributes that this crate reads,
/// and skips the contents of all others.
#[derive(Copy, Clone, Debug)]
pub struct Attributes<'a> {
    pool: ConstantPool<'a>,
    /// Bytes from the first attribute onwards. Other parts of the class file can follow the attributes.
    bytes: &'a [u8],
    count: u16,
}

impl<'a> Attributes<'a> {
    pub(super) const fn new(pool: ConstantPool<'a>, count: u16, bytes: &'a [u8]) -> Self {
        Self { pool, bytes, count }
    }

    pub(super) const fn pool(&self) -> ConstantPool<'a> {
        self.pool
    }

    /// Returns the number of attributes.
    #[must_use]
    pub const fn count(&self) -> u16 {
        self.count
    }

    /// Iterates over the attributes, in file order.
    pub fn iter(&self) -> impl Iterator<Item = Attribute<'a>> + use<'a> {
        let pool = self.pool;
        let mut rest = self.bytes;
        // The iterator does not end early, because the parser has already walked over all attributes.
        (0..self.count).map_while(move |_| {
            let (name, bytes);
            ((name, bytes), rest) =
                grammar::attempt(rest, |reader| Ok((reader.attribute()?, reader.rest())))?;
            Some(Attribute {
                name: pool.find_utf8(CpIndex(name))?,
                bytes,
            })
        })
    }

    /// Returns the first attribute with this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Attribute<'a>> {
        self.iter().find(|attribute| attribute.name == name)
    }
}

/// An attribute that this crate reads.
pub(super) struct Read<'a> {
    pub(super) name: AttributeName,
    /// Position in the class file where the attribute starts.
    pub(super) at: Place,
    /// Contents of the attribute, without its name and length.
    pub(super) bytes: &'a [u8],
}

/// Iterates over the attributes that this crate reads, and checks the names of all attributes.
pub(super) struct Visit<'s, 'a> {
    subject: &'s Subject<'a>,
    reader: Reader<'a, 'a>,
    left: u16,
    /// Set of the attribute names passed to [`Visit::once`] so far, as a bit mask.
    seen: u8,
}

impl<'s, 'a> Visit<'s, 'a> {
    pub(super) const fn new(subject: &'s Subject<'a>, attributes: Attributes<'a>) -> Self {
        Self {
            subject,
            reader: Reader::part(attributes.bytes, subject.faults),
            left: attributes.count,
            seen: 0,
        }
    }

    /// Returns the next attribute that this crate reads, or `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<Read<'a>>, Rejected> {
        while let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            let at = self.reader.place();
            let (name, bytes) = self.reader.attribute()?;
            let name = self.subject.string(at, CpIndex(name))?;
            if let Some(name) = AttributeName::of(name) {
                return Ok(Some(Read { name, at, bytes }));
            }
        }
        Ok(None)
    }

    /// Rejects the class file if a second attribute has a name that may occur only once.
    pub(super) fn once(&mut self, attribute: &Read<'a>) -> Result<(), Rejected> {
        if self.is_seen(attribute.name) {
            let name = attribute.name;
            let kind = ParseErrorKind::DuplicateAttribute { name };
            return Err(self.subject.reject(attribute.at, kind));
        }
        self.seen |= attribute.name.bit();
        Ok(())
    }

    /// Returns whether an attribute with this name was passed to [`Visit::once`].
    pub(super) const fn is_seen(&self, name: AttributeName) -> bool {
        self.seen & name.bit() != 0
    }
}
