//! Attributes: names and bytes, whatever they mean (JVMS §4.7).

use super::error::{AttributeName, ParseErrorKind};
use super::grammar::{self, Fault};
use super::pool::ConstantPool;
use super::subject::Subject;
use super::utf8::Utf8;
use crate::id::CpIndex;

/// An attribute, its contents uninterpreted.
#[derive(Copy, Clone, Debug)]
pub struct Attribute<'a> {
    /// Its name.
    pub name: Utf8<'a>,
    /// Its contents, without name and length.
    pub bytes: &'a [u8],
}

/// The attributes of a class, field, method or code array.
///
/// Holding one proves that each attribute is whole and has a name. What stands inside is checked for
/// the attributes that this crate reads, and skipped for all others.
#[derive(Copy, Clone, Debug)]
pub struct Attributes<'a> {
    pool: ConstantPool<'a>,
    /// The attributes, and possibly what follows them.
    bytes: &'a [u8],
    count: u16,
}

impl<'a> Attributes<'a> {
    pub(super) const fn new(pool: ConstantPool<'a>, count: u16, bytes: &'a [u8]) -> Self {
        Self { pool, bytes, count }
    }

    /// Returns how many there are.
    #[must_use]
    pub const fn count(&self) -> u16 {
        self.count
    }

    /// Returns each attribute, in file order.
    pub fn iter(&self) -> impl Iterator<Item = Attribute<'a>> + use<'a> {
        let pool = self.pool;
        let mut rest = self.bytes;
        // The parser has walked over all of them; the walk cannot end early here.
        (0..self.count).map_while(move |_| {
            let (after, (name, bytes)) = grammar::attribute(rest).ok()?;
            rest = after;
            Some(Attribute {
                name: pool.utf8(CpIndex(name)).ok()?,
                bytes,
            })
        })
    }

    /// Returns the first attribute of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Attribute<'a>> {
        self.iter().find(|attribute| attribute.name == name)
    }
}

/// Notes whether an attribute that may stand once was seen.
pub(super) struct Once {
    name: AttributeName,
    seen: bool,
}

impl Once {
    pub(super) const fn new(name: AttributeName) -> Self {
        Self { name, seen: false }
    }

    pub(super) const fn is_seen(&self) -> bool {
        self.seen
    }

    /// Notes the attribute that begins at `at`, or refuses it as the second.
    pub(super) fn see<'a>(&mut self, at: &'a [u8]) -> Result<(), Fault<'a>> {
        if self.seen {
            return Err(Fault {
                at,
                kind: ParseErrorKind::DuplicateAttribute { name: self.name },
            });
        }
        self.seen = true;
        Ok(())
    }
}

impl<'a> Subject<'a> {
    /// Visits each attribute together with the bytes where it begins, once its name is checked.
    pub(super) fn visit_attributes(
        &self,
        attributes: Attributes<'a>,
        mut visit: impl FnMut(Attribute<'a>, &'a [u8]) -> Result<(), Fault<'a>>,
    ) -> Result<(), Fault<'a>> {
        let mut rest = attributes.bytes;
        for _ in 0..attributes.count {
            let at = rest;
            let (after, (name, bytes)) = grammar::outcome(at, grammar::attribute(at))?;
            rest = after;
            visit(
                Attribute {
                    name: self.string(at, CpIndex(name))?,
                    bytes,
                },
                at,
            )?;
        }
        Ok(())
    }
}
