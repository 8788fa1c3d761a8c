//! The way from bytes to a class file: outline, index, checks.

use nom::Parser;
use nom::number::complete::be_u16;

use super::access::ClassAccess;
use super::attribute::{Attributes, Once};
use super::class::ClassFile;
use super::error::{AttributeName, ParseError, ParseErrorKind};
use super::grammar::{self, Fault, Parsed};
use super::layout::{self, Layout};
use super::member::Header;
use super::pool::{ConstantPool, Entry};
use super::sort::sort;
use super::subject::Subject;
use super::tag::{ConstantTag, TagSet};
use super::text;
use super::version::ClassVersion;
use crate::id::CpIndex;
use crate::limits::FILE_BYTES_MAX;

impl<'a> ClassFile<'a> {
    /// Returns how many words of index [`ClassFile::parse`] needs for these bytes.
    ///
    /// It is at most three for each constant and one for each field and method, whatever the file
    /// claims: the file is walked through first.
    ///
    /// # Errors
    ///
    /// Where the file is too long, or its lengths do not add up.
    pub fn index_len(bytes: &[u8]) -> Result<usize, ParseError> {
        outline(bytes).map(|layout| index_words(&layout))
    }

    /// Parses a class file.
    ///
    /// Takes time in proportion to the file's length, times a logarithm for the search for members of
    /// one name.
    ///
    /// # Errors
    ///
    /// The first rule found broken, with the offset of the byte where it is: lengths first, then the
    /// constant pool, the class, its fields, methods and attributes.
    pub fn parse(bytes: &'a [u8], index: &'a mut [u32]) -> Result<ClassFile<'a>, ParseError> {
        let layout = outline(bytes)?;
        let index = Index::carve(&layout, index).map_err(|kind| ParseError { offset: 0, kind })?;
        examine(bytes, &layout, index).map_err(|fault| fault.in_file(bytes))
    }
}

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

/// The parts of the lent index.
struct Index<'a> {
    constants: &'a mut [Entry],
    fields: &'a mut [u32],
    methods: &'a mut [u32],
    /// Scratch space of a word for each constant; idle once the file is parsed.
    scratch: &'a mut [u32],
}

impl<'a> Index<'a> {
    fn carve(layout: &Layout<'_>, lent: &'a mut [u32]) -> Result<Self, ParseErrorKind> {
        let too_small = ParseErrorKind::IndexSize {
            needed: u32::try_from(index_words(layout)).unwrap_or(u32::MAX),
            lent: u32::try_from(lent.len()).unwrap_or(u32::MAX),
        };
        let mut rest = lent;
        let mut part = |count: usize| {
            let (part, after) = core::mem::take(&mut rest)
                .split_at_mut_checked(count)
                .ok_or(too_small)?;
            rest = after;
            Ok(part)
        };
        let constant_count = usize::from(layout.constant_count);
        Ok(Self {
            constants: part(constant_count.saturating_mul(2))?.as_chunks_mut().0,
            fields: part(layout.field_count.into())?,
            methods: part(layout.method_count.into())?,
            scratch: part(constant_count)?,
        })
    }
}

/// Fills the index and runs every check.
fn examine<'a>(
    file: &'a [u8],
    layout: &Layout<'a>,
    index: Index<'a>,
) -> Result<ClassFile<'a>, Fault<'a>> {
    index_constants(file, layout, index.constants)?;
    index_members(file, layout.fields, index.fields)?;
    index_members(file, layout.methods, index.methods)?;
    text::judge_all(file, layout.version, index.constants, index.scratch)?;
    let pool = ConstantPool::new(file, index.constants);
    let head = Head::read(layout);
    let subject = Subject {
        version: layout.version,
        access: ClassAccess::read(head.access, layout.version),
        pool,
    };
    subject.check_constants()?;
    subject.check_class(layout, &head)?;
    subject.check_interfaces(layout.interfaces, index.scratch)?;
    for offset in &*index.fields {
        subject.check_field(part_at(file, *offset))?;
    }
    subject.check_distinct(file, index.fields, ParseErrorKind::DuplicateField)?;
    for offset in &*index.methods {
        subject.check_method(part_at(file, *offset))?;
    }
    subject.check_distinct(file, index.methods, ParseErrorKind::DuplicateMethod)?;
    let attributes = Attributes::new(pool, layout.attribute_count, layout.attributes);
    subject.check_class_attributes(attributes)?;
    Ok(ClassFile {
        bytes: file,
        version: layout.version,
        pool,
        access: subject.access,
        name: subject.content(pool.class_name_index(head.this_class)),
        this_class: head.this_class,
        super_class: Some(head.super_class).filter(|index| index.0 != 0),
        interfaces: layout.interfaces,
        fields: index.fields,
        methods: index.methods,
        attributes,
    })
}

/// The numbers between constant pool and interfaces.
struct Head {
    access: u16,
    this_class: CpIndex,
    super_class: CpIndex,
}

impl Head {
    fn read(layout: &Layout<'_>) -> Self {
        let [a0, a1, t0, t1, s0, s1] = *layout.head;
        Self {
            access: u16::from_be_bytes([a0, a1]),
            this_class: CpIndex(u16::from_be_bytes([t0, t1])),
            super_class: CpIndex(u16::from_be_bytes([s0, s1])),
        }
    }
}

impl<'a> Subject<'a> {
    /// Checks the flags of the class, its own name and its superclass (§4.1).
    fn check_class(&self, layout: &Layout<'a>, head: &Head) -> Result<(), Fault<'a>> {
        let [flags @ .., _, _, _, _] = layout.head;
        let [_, _, this_class @ .., _, _] = layout.head;
        let [_, _, _, _, super_class @ ..] = layout.head;
        if !self.access.is_legal(self.version) {
            return Err(Fault {
                at: flags,
                kind: ParseErrorKind::ClassFlags { flags: head.access },
            });
        }
        let Some(name) = self.plain_class(this_class, head.this_class)? else {
            return Err(Fault {
                at: this_class,
                kind: ParseErrorKind::ThisClass,
            });
        };
        if self.access.contains(ClassAccess::MODULE) {
            let empty =
                layout.interfaces.is_empty() && layout.field_count == 0 && layout.method_count == 0;
            return if name == "module-info" && head.super_class.0 == 0 && empty {
                Ok(())
            } else {
                Err(Fault {
                    at: this_class,
                    kind: ParseErrorKind::Module,
                })
            };
        }
        let fits = if head.super_class.0 == 0 {
            name == "java/lang/Object"
        } else {
            let needs_object = self.access.contains(ClassAccess::INTERFACE);
            self.plain_class(super_class, head.super_class)?
                .is_some_and(|parent| !needs_object || parent == "java/lang/Object")
        };
        if fits {
            Ok(())
        } else {
            Err(Fault {
                at: super_class,
                kind: ParseErrorKind::SuperClass,
            })
        }
    }

    /// Checks that the superinterfaces are classes, and no two the same.
    ///
    /// `seen` has a word for each constant.
    fn check_interfaces(
        &self,
        interfaces: &'a [[u8; 2]],
        seen: &mut [u32],
    ) -> Result<(), Fault<'a>> {
        seen.fill(0);
        for bytes in interfaces {
            let at = bytes.as_slice();
            let index = CpIndex(u16::from_be_bytes(*bytes));
            let is_plain = self.plain_class(at, index)?.is_some();
            let name = self.pool.text(self.pool.class_name_index(index)).identity;
            let times = seen.get_mut(name.index());
            if !is_plain || times.is_none_or(|times| core::mem::replace(times, 1) != 0) {
                return Err(Fault {
                    at,
                    kind: ParseErrorKind::Interface,
                });
            }
        }
        Ok(())
    }

    /// Checks that no two fields, or methods, have both name and descriptor in common.
    ///
    /// Sorts the offsets to find them, and back again: the order of the file is that of the offsets.
    fn check_distinct(
        &self,
        file: &'a [u8],
        offsets: &mut [u32],
        kind: ParseErrorKind,
    ) -> Result<(), Fault<'a>> {
        let key = |offset: u32| {
            let (header, _) = Header::split(part_at(file, offset))?;
            Some(self.pool.identity(header.name, header.descriptor))
        };
        sort(offsets, &|a, b| (key(a), a) < (key(b), b));
        let pairs = offsets.iter().zip(offsets.iter().skip(1));
        let second = pairs
            .filter(|(first, second)| key(**first) == key(**second))
            .map(|(_, second)| *second)
            .min();
        sort(offsets, &|a, b| a < b);
        match second {
            None => Ok(()),
            Some(offset) => Err(Fault {
                at: part_at(file, offset),
                kind,
            }),
        }
    }

    /// Checks the attributes of the class, and that the bootstrap methods suffice.
    fn check_class_attributes(&self, attributes: Attributes<'a>) -> Result<(), Fault<'a>> {
        let mut source_file = Once::new(AttributeName::SourceFile);
        let mut bootstrap = Once::new(AttributeName::BootstrapMethods);
        let mut bootstrap_methods = 0;
        self.visit_attributes(attributes, |attribute, at| {
            if attribute.name == "SourceFile" {
                source_file.see(at)?;
                let index = grammar::whole(attribute.bytes, be_u16)?;
                self.string(attribute.bytes, CpIndex(index))?;
            } else if attribute.name == "BootstrapMethods"
                && self.version.major >= ClassVersion::JAVA_7
            {
                bootstrap.see(at)?;
                bootstrap_methods =
                    grammar::whole(attribute.bytes, |contents| self.bootstrap_methods(contents))?;
            }
            Ok(())
        })?;
        self.check_bootstraps(bootstrap_methods)
    }

    /// Reads and checks the contents of a `BootstrapMethods` attribute, and returns their number (§4.7.23).
    fn bootstrap_methods(&self, input: &'a [u8]) -> Parsed<'a, u16> {
        let (mut rest, count) = be_u16(input)?;
        for _ in 0..count {
            let at = rest;
            let (after, (handle, arguments)) = (be_u16, grammar::table).parse(at)?;
            self.kind(at, CpIndex(handle), ConstantTag::MethodHandle.only())
                .map_err(nom::Err::Failure)?;
            for argument in arguments {
                let index = CpIndex(u16::from_be_bytes(*argument));
                self.kind(argument.as_slice(), index, TagSet::LOADABLE)
                    .map_err(nom::Err::Failure)?;
            }
            rest = after;
        }
        Ok((rest, count))
    }
}

/// Notes where each constant begins.
fn index_constants<'a>(
    file: &'a [u8],
    layout: &Layout<'a>,
    entries: &mut [Entry],
) -> Result<(), Fault<'a>> {
    entries.fill([0, 0]);
    let mut rest = layout.constants;
    let mut slots = entries.iter_mut().skip(1);
    while let Some(slot) = slots.next() {
        *slot = [grammar::offset_in(file, rest), 0];
        let (after, tag) = grammar::outcome(rest, grammar::constant(rest))?;
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
        *slot = grammar::offset_in(file, rest);
        (rest, ()) = grammar::outcome(rest, layout::skip_member(rest))?;
    }
    Ok(())
}

/// Returns the bytes of a file from an offset that was noted in the index.
fn part_at(file: &[u8], offset: u32) -> &[u8] {
    usize::try_from(offset)
        .ok()
        .and_then(|offset| file.get(offset..))
        .unwrap_or(file)
}
