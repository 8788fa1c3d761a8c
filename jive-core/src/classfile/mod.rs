//! Class files over borrowed bytes (JVMS §4).
//!
//! Parsing copies nothing and allocates nothing: the caller lends an index of words, which says where
//! each constant, field and method begins, and everything is decoded from the bytes on demand.

mod access;
mod attribute;
mod code;
mod error;
mod grammar;
mod layout;
mod member;
mod pool;
mod tag;
mod utf8;
mod version;

use nom::Offset;

use crate::id::{CpIndex, FieldId, MethodId};
use crate::limits::FILE_BYTES_MAX;
use grammar::Fault;
use layout::Layout;

pub use access::{ClassAccess, FieldAccess, MethodAccess};
pub use attribute::{Attribute, Attributes};
pub use code::{Code, ExceptionHandler};
pub use error::{AttributeName, ParseError, ParseErrorKind};
pub use member::{Field, Method};
pub use pool::{Constant, ConstantPool, MemberKind, MemberRef, PoolError, PoolErrorKind};
pub use tag::{ConstantTag, TagSet};
pub use utf8::{Escaped, Utf8};
pub use version::ClassVersion;

/// A class file whose shape is right.
///
/// Holding one proves the structure of JVMS §4: every length, tag and constant pool reference, names,
/// descriptors, access flags, and the attributes that this crate reads. It proves nothing about the
/// bytes of the methods' code, nor that anything named exists.
#[derive(Copy, Clone, Debug)]
pub struct ClassFile<'a> {
    bytes: &'a [u8],
    version: ClassVersion,
    pool: ConstantPool<'a>,
    access: ClassAccess,
    name: Utf8<'a>,
    this_class: CpIndex,
    super_class: Option<CpIndex>,
    interfaces: &'a [[u8; 2]],
    /// Where each field begins in `bytes`.
    fields: &'a [u32],
    /// Where each method begins in `bytes`.
    methods: &'a [u32],
    attributes: Attributes<'a>,
}

impl<'a> ClassFile<'a> {
    /// Returns how many words of index [`ClassFile::parse`] needs for these bytes.
    ///
    /// # Errors
    ///
    /// Where the file is too long, or its lengths do not add up.
    pub fn index_len(bytes: &[u8]) -> Result<usize, ParseError> {
        let layout = outline(bytes)?;
        Ok(index_words(&layout))
    }

    /// Parses a class file.
    ///
    /// # Errors
    ///
    /// The first rule found broken, with the offset of the byte where it is.
    pub fn parse(bytes: &'a [u8], index: &'a mut [u32]) -> Result<ClassFile<'a>, ParseError> {
        let layout = outline(bytes)?;
        let needed = index_words(&layout);
        let lent = index.len();
        let error = |kind| ParseError { offset: 0, kind };
        let too_small = error(ParseErrorKind::IndexSize {
            needed: u32::try_from(needed).unwrap_or(u32::MAX),
            lent: u32::try_from(lent).unwrap_or(u32::MAX),
        });
        let (offsets, rest) = index
            .split_at_mut_checked(usize::from(layout.constant_count))
            .ok_or(too_small)?;
        let (fields, rest) = rest
            .split_at_mut_checked(usize::from(layout.field_count))
            .ok_or(too_small)?;
        let (methods, _) = rest
            .split_at_mut_checked(usize::from(layout.method_count))
            .ok_or(too_small)?;
        index_constants(bytes, &layout, offsets).map_err(|fault| fault.in_file(bytes))?;
        index_members(bytes, layout.fields, fields).map_err(|fault| fault.in_file(bytes))?;
        index_members(bytes, layout.methods, methods).map_err(|fault| fault.in_file(bytes))?;
        let pool = ConstantPool::new(bytes, offsets);
        let [a0, a1, t0, t1, s0, s1] = *layout.head;
        let this_class = CpIndex(u16::from_be_bytes([t0, t1]));
        let name = pool.class_name(this_class).map_err(|reason| {
            Fault {
                at: layout.head.as_slice(),
                kind: ParseErrorKind::ConstantIndex {
                    index: this_class.0,
                    kind: reason.kind,
                },
            }
            .in_file(bytes)
        })?;
        Ok(ClassFile {
            bytes,
            version: layout.version,
            pool,
            access: ClassAccess::from_bits_truncate(u16::from_be_bytes([a0, a1])),
            name,
            this_class,
            super_class: match u16::from_be_bytes([s0, s1]) {
                0 => None,
                index => Some(CpIndex(index)),
            },
            interfaces: layout.interfaces,
            fields,
            methods,
            attributes: Attributes::new(pool, layout.attribute_count, layout.attributes),
        })
    }

    /// Returns the version of the class file.
    #[must_use]
    pub const fn version(&self) -> ClassVersion {
        self.version
    }

    /// Returns the constant pool.
    #[must_use]
    pub const fn pool(&self) -> ConstantPool<'a> {
        self.pool
    }

    /// Returns the flags of the class, those unknown to the specification left out.
    #[must_use]
    pub const fn access(&self) -> ClassAccess {
        self.access
    }

    /// Returns the internal name of the class.
    #[must_use]
    pub const fn name(&self) -> Utf8<'a> {
        self.name
    }

    /// Returns the constant that names the class itself.
    #[must_use]
    pub const fn this_class(&self) -> CpIndex {
        self.this_class
    }

    /// Returns the constant that names the superclass; only `Object` and modules have none.
    #[must_use]
    pub const fn super_class(&self) -> Option<CpIndex> {
        self.super_class
    }

    /// Returns the constants that name the direct superinterfaces.
    pub fn interfaces(&self) -> impl ExactSizeIterator<Item = CpIndex> + use<'a> {
        self.interfaces
            .iter()
            .map(|bytes| CpIndex(u16::from_be_bytes(*bytes)))
    }

    /// Returns how many fields the class declares.
    #[must_use]
    pub const fn field_count(&self) -> usize {
        self.fields.len()
    }

    /// Returns the field at a position.
    #[must_use]
    pub fn field(&self, id: FieldId) -> Option<Field<'a>> {
        member::field(self.pool, id, self.at(*self.fields.get(id.index())?)?)
    }

    /// Returns every field, in file order.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = Field<'a>> + use<'a> {
        Members {
            class: *self,
            ids: self.fields.len(),
            next: 0,
            read: |class, id| class.field(FieldId(id)),
        }
    }

    /// Returns how many methods the class declares.
    #[must_use]
    pub const fn method_count(&self) -> usize {
        self.methods.len()
    }

    /// Returns the method at a position.
    #[must_use]
    pub fn method(&self, id: MethodId) -> Option<Method<'a>> {
        member::method(self.pool, id, self.at(*self.methods.get(id.index())?)?)
    }

    /// Returns every method, in file order.
    pub fn methods(&self) -> impl ExactSizeIterator<Item = Method<'a>> + use<'a> {
        Members {
            class: *self,
            ids: self.methods.len(),
            next: 0,
            read: |class, id| class.method(MethodId(id)),
        }
    }

    /// Returns the attributes of the class.
    #[must_use]
    pub const fn attributes(&self) -> Attributes<'a> {
        self.attributes
    }

    /// Returns the name of the source file, where the class file tells.
    #[must_use]
    pub fn source_file(&self) -> Option<Utf8<'a>> {
        let index = *self.attributes.find("SourceFile")?.bytes.first_chunk()?;
        self.pool.utf8(CpIndex(u16::from_be_bytes(index))).ok()
    }

    fn at(&self, offset: u32) -> Option<&'a [u8]> {
        self.bytes.get(usize::try_from(offset).ok()?..)
    }
}

/// The fields or methods of a class, in file order.
struct Members<'a, T> {
    class: ClassFile<'a>,
    ids: usize,
    next: u16,
    read: fn(&ClassFile<'a>, u16) -> Option<T>,
}

impl<T> Iterator for Members<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let member = (self.read)(&self.class, self.next)?;
        self.next = self.next.saturating_add(1);
        Some(member)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let remaining = self.ids.saturating_sub(usize::from(self.next));
        (remaining, Some(remaining))
    }
}

impl<T> ExactSizeIterator for Members<'_, T> {}

/// Finds the parts of a file that is not too long.
fn outline(bytes: &[u8]) -> Result<Layout<'_>, ParseError> {
    if bytes.len() > FILE_BYTES_MAX {
        let found = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        return Err(ParseError {
            offset: 0,
            kind: ParseErrorKind::FileSize { found },
        });
    }
    Layout::read(bytes).map_err(|fault| fault.in_file(bytes))
}

/// Returns how many words of index a file of this outline needs.
fn index_words(layout: &Layout<'_>) -> usize {
    let members = usize::from(layout.field_count).saturating_add(usize::from(layout.method_count));
    usize::from(layout.constant_count)
        .saturating_mul(3)
        .saturating_add(members)
}

/// Notes where each constant begins.
fn index_constants<'a>(
    file: &'a [u8],
    layout: &Layout<'a>,
    offsets: &mut [u32],
) -> Result<(), Fault<'a>> {
    offsets.fill(0);
    let mut rest = layout.constants;
    let mut slots = offsets.iter_mut().skip(1);
    while let Some(slot) = slots.next() {
        *slot = offset_in(file, rest);
        let (after, (tag, _)) = grammar::outcome(rest, grammar::constant(rest))?;
        rest = after;
        if tag.is_wide() {
            slots.next();
        }
    }
    Ok(())
}

/// Notes where each field or method begins.
fn index_members<'a>(
    file: &'a [u8],
    members: &'a [u8],
    offsets: &mut [u32],
) -> Result<(), Fault<'a>> {
    let mut rest = members;
    for slot in offsets {
        *slot = offset_in(file, rest);
        (rest, ()) = grammar::outcome(rest, layout::skip_member(rest))?;
    }
    Ok(())
}

fn offset_in(file: &[u8], part: &[u8]) -> u32 {
    // Files are at most FILE_BYTES_MAX long.
    u32::try_from(file.offset(part)).unwrap_or(u32::MAX)
}
