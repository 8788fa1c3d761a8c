//! The parser's entry points: locate the parts of the file, then run all checks.

use super::access::ClassAccess;
use super::attribute::{Attributes, Visit};
use super::class::ClassFile;
use super::classify;
use super::entry::{Entry, part_at};
use super::error::{AttributeName, ParseError, ParseErrorKind};
use super::fault::{Faults, Place, Rejected};
use super::grammar::Reader;
use super::identity;
use super::layout::Layout;
use super::member::{self, Header};
use super::own::{Half, Names};
use super::pool::ConstantPool;
use super::sort::sort;
use super::subject::Subject;
use super::tag::{ConstantTag, TagSet};
use super::version::ClassVersion;
use crate::id::CpIndex;
use crate::limits::FILE_BYTES_MAX;
use crate::variant;

/// Offset of the first constant, after magic number, version and constant count.
const POOL_OFFSET: usize = 10;

impl<'a> ClassFile<'a> {
    /// Returns a number of index words that is sufficient to [parse](ClassFile::parse) these bytes.
    ///
    /// The index takes three words for each constant, one for each field and two for each method. `index_len` uses only
    /// the length of the file and its constant count. `index_len` assumes that all bytes after the constants are
    /// methods, so the returned number of words is too large. The parser's error for a short index contains the exact
    /// number of words.
    #[must_use]
    pub fn index_len(bytes: &[u8]) -> usize {
        let (Some([.., high, low]), true) = (
            bytes.first_chunk::<POOL_OFFSET>(),
            bytes.len() <= FILE_BYTES_MAX,
        ) else {
            return 0;
        };
        let behind = bytes.len().saturating_sub(POOL_OFFSET);
        // A constant has at least as many bytes in the file as words in the index: an empty string has three bytes. The
        // constant pool index 0 takes words of the index, but no bytes of the file.
        let constants =
            usize::from(u16::from_be_bytes([*high, *low])).min((behind / 3).saturating_add(1));
        let words = constants.saturating_mul(3);
        // A method has at least eight bytes in the file, and two words in the index.
        words.saturating_add(behind.saturating_add(3).saturating_sub(words) / 4)
    }

    /// Parses a class file.
    ///
    /// Parsing takes time linear in the length of the file. The parser also sorts members with equal names, which takes
    /// a little longer.
    ///
    /// # Errors
    ///
    /// The error names the first rule that the file breaks, and the offset in the file. The parser checks lengths
    /// first, then the constant pool, the class, its fields, its methods and its attributes.
    pub fn parse(bytes: &'a [u8], index: &'a mut [u32]) -> Result<ClassFile<'a>, ParseError> {
        let faults = Faults::new(bytes);
        let layout = outline(&faults, index)?;
        let index = Index::carve(&layout, index)?;
        examine(&faults, &layout, index).map_err(|rejected| faults.recorded(rejected))
    }

    /// Reads a class file that a trusted host has checked: locates its parts without checking them.
    ///
    /// [`ClassFile::parse`] runs further checks, as a part of proving a class safe. A device that trusts its host to
    /// verify classes ([`Verified::vouch`](crate::Verified::vouch)) does not need the checks of `parse`. Firmware that
    /// calls only `trusted` does not contain the code of the further checks.
    ///
    /// `trusted` checks only these rules of JVMS §4: version, tags, lengths, and that the class and its members have
    /// names and descriptors. A file that breaks other rules causes no panic and no endless loop, in parsing, linking
    /// and running the class.
    ///
    /// The lent index needs [`ClassFile::index_len`] words.
    ///
    /// # Errors
    ///
    /// The error names the first of the checked rules that the file breaks.
    pub fn trusted(bytes: &'a [u8], index: &'a mut [u32]) -> Result<ClassFile<'a>, ParseError> {
        let faults = Faults::new(bytes);
        let layout = outline(&faults, index)?;
        let index = Index::carve(&layout, index)?;
        identity::identify_pairwise(bytes, index.constants);
        let pool = ConstantPool::new(bytes, index.constants);
        for (offset, code) in index.methods.iter().zip(&mut *index.codes) {
            *code = member::find_code(pool, *offset);
        }
        let class = class(&layout, pool, index.fields, index.methods, index.codes);
        check_names(&faults, &class).map_err(|rejected| faults.recorded(rejected))?;
        Ok(class)
    }
}

/// Checks that the class and its members have names and descriptors. Their syntax is unchecked.
fn check_names(faults: &Faults<'_>, class: &ClassFile<'_>) -> Result<(), Rejected> {
    let (pool, file) = (class.pool, faults.file());
    let named = |offset, index| match pool.find_utf8(index) {
        Some(_) => Ok(()),
        None => {
            let reason = pool.mismatch(index, ConstantTag::Utf8.only());
            Err(faults.record(
                Place::of(file).behind(offset),
                ParseErrorKind::of_index(reason),
            ))
        }
    };
    named(0, pool.class_name_index(class.this_class))?;
    for offset in class.fields.iter().chain(class.methods).copied() {
        let bytes = part_at(file, offset);
        if let Some((header, _)) = bytes.and_then(Header::split) {
            named(offset, header.name)?;
            named(offset, header.descriptor)?;
        }
    }
    Ok(())
}

/// Locates the parts of a file and writes their locations to the index, as far as the index is long enough. Rejects
/// files that are too long.
fn outline<'a>(faults: &Faults<'a>, index: &mut [u32]) -> Result<Layout<'a>, ParseError> {
    let length = faults.file().len();
    if length > FILE_BYTES_MAX {
        let found = u32::try_from(length).unwrap_or(u32::MAX);
        return Err(ParseError {
            offset: 0,
            kind: ParseErrorKind::FileSize { found },
        });
    }
    Layout::read(faults, index).map_err(|rejected| faults.recorded(rejected))
}

/// The index that the caller lends, split into its parts.
struct Index<'a> {
    constants: &'a mut [Entry],
    fields: &'a mut [u32],
    methods: &'a mut [u32],
    /// Offset of the code of each method.
    codes: &'a mut [u32],
    /// Scratch space, with a word for each constant. Unused after parsing.
    scratch: &'a mut [u32],
}

impl<'a> Index<'a> {
    fn carve(layout: &Layout<'_>, lent: &'a mut [u32]) -> Result<Self, ParseError> {
        let too_small = ParseError {
            offset: 0,
            kind: ParseErrorKind::IndexSize {
                needed: u32::try_from(layout.index_words()).unwrap_or(u32::MAX),
                lent: u32::try_from(lent.len()).unwrap_or(u32::MAX),
            },
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
            codes: part(layout.method_count.into())?,
            scratch: part(constant_count)?,
        })
    }
}

/// Creates a class file from its layout and index.
fn class<'a>(
    layout: &Layout<'a>,
    pool: ConstantPool<'a>,
    fields: &'a [u32],
    methods: &'a [u32],
    codes: &'a [u32],
) -> ClassFile<'a> {
    ClassFile {
        version: layout.version,
        pool,
        access: ClassAccess::read(layout.access(), layout.version),
        name: pool.string(pool.class_name_index(layout.this_class())),
        this_class: layout.this_class(),
        super_class: Some(layout.super_class()).filter(|index| index.0 != 0),
        interfaces: layout.interfaces,
        fields,
        methods,
        codes,
        attribute_count: layout.attribute_count,
        attributes: layout.attributes,
    }
}

/// Runs all checks.
fn examine<'a>(
    faults: &Faults<'a>,
    layout: &Layout<'a>,
    index: Index<'a>,
) -> Result<ClassFile<'a>, Rejected> {
    let file = faults.file();
    classify::classify_all(faults, layout.version, index.constants, index.scratch)?;
    let subject = Subject {
        version: layout.version,
        access: ClassAccess::read(layout.access(), layout.version),
        pool: ConstantPool::new(file, index.constants),
        faults,
    };
    subject.check_constants()?;
    subject.check_class(layout)?;
    subject.check_interfaces(layout.interfaces, index.scratch)?;
    for offset in &*index.fields {
        subject.check_field(part_at(file, *offset).unwrap_or(file))?;
    }
    let names = &mut Names::new(index.scratch);
    subject.check_distinct(index.fields, names, Half::Fields)?;
    for (offset, code) in index.methods.iter().zip(&mut *index.codes) {
        *code = subject.check_method(part_at(file, *offset).unwrap_or(file))?;
    }
    subject.check_distinct(index.methods, names, Half::Methods)?;
    let attributes = Attributes::new(subject.pool, layout.attribute_count, layout.attributes);
    subject.check_class_attributes(attributes)?;
    // Builds optimized for size do not resolve members while parsing. In builds optimized for size, readers search for
    // members on demand.
    if !variant::SMALL {
        names.resolve_all(
            file,
            index.constants,
            layout.this_class(),
            index.fields,
            index.methods,
        );
    }
    let pool = ConstantPool::new(file, index.constants);
    Ok(class(
        layout,
        pool,
        index.fields,
        index.methods,
        index.codes,
    ))
}

impl<'a> Subject<'a> {
    /// Checks the access flags of the class, its name and its superclass (§4.1).
    fn check_class(&self, layout: &Layout<'a>) -> Result<(), Rejected> {
        let flags = Place::of(layout.head);
        let (this_class, super_class) = (flags.behind(2), flags.behind(4));
        if !self.access.is_legal(self.version) {
            let kind = ParseErrorKind::ClassFlags {
                flags: layout.access(),
            };
            return Err(self.reject(flags, kind));
        }
        let Some(name) = self.plain_class(this_class, layout.this_class())? else {
            return Err(self.reject(this_class, ParseErrorKind::ThisClass));
        };
        let has_super = layout.super_class().0 != 0;
        if self.access.contains(ClassAccess::MODULE) {
            let empty =
                layout.interfaces.is_empty() && layout.field_count == 0 && layout.method_count == 0;
            return if name == "module-info" && !has_super && empty {
                Ok(())
            } else {
                Err(self.reject(this_class, ParseErrorKind::Module))
            };
        }
        let fits = if has_super {
            let needs_object = self.access.contains(ClassAccess::INTERFACE);
            self.plain_class(super_class, layout.super_class())?
                .is_some_and(|parent| !needs_object || parent == "java/lang/Object")
        } else {
            name == "java/lang/Object"
        };
        if fits {
            Ok(())
        } else {
            Err(self.reject(super_class, ParseErrorKind::SuperClass))
        }
    }

    /// Checks that the superinterfaces are classes, and that none occurs twice.
    ///
    /// The memory `seen` must have a word for each constant.
    fn check_interfaces(
        &self,
        interfaces: &'a [[u8; 2]],
        seen: &mut [u32],
    ) -> Result<(), Rejected> {
        let names = &mut Names::new(seen);
        for bytes in interfaces {
            let at = Place::of(bytes);
            let index = CpIndex(u16::from_be_bytes(*bytes));
            let is_plain = self.plain_class(at, index)?.is_some();
            let name = self.pool.text(self.pool.class_name_index(index)).identity;
            if !is_plain || !names.insert(Half::Fields, name, 1) {
                return Err(self.reject(at, ParseErrorKind::Interface));
            }
        }
        Ok(())
    }

    /// Checks that no two fields, or no two methods, have the same name and descriptor.
    ///
    /// Adds the members to `names`. Only if a name occurs twice, sorts the members' offsets by name and descriptor to
    /// find duplicates. Sorting the members' offsets by value afterwards restores the file order.
    fn check_distinct(
        &self,
        offsets: &mut [u32],
        names: &mut Names<'_>,
        half: Half,
    ) -> Result<(), Rejected> {
        let file = self.faults.file();
        let identity = |offset: u32| {
            let (header, _) = part_at(file, offset).and_then(Header::split)?;
            Some(self.pool.identity(header.name, header.descriptor))
        };
        let mut names_differ = true;
        for (number, offset) in (1..=u32::from(u16::MAX)).zip(&*offsets) {
            names_differ &=
                identity(*offset).is_some_and(|identity| names.insert(half, identity.name, number));
        }
        if names_differ {
            return Ok(());
        }
        // A sort key has the identities of name and descriptor in the upper half, and the member's offset in the lower
        // half.
        let key = |offset: u32| {
            let identity = identity(offset).map(|identity| {
                u32::from(identity.name.0) << u16::BITS | u32::from(identity.descriptor.0)
            });
            u64::from(identity.unwrap_or(0)) << u32::BITS | u64::from(offset)
        };
        sort(offsets, &|a, b| key(a) < key(b));
        let pairs = offsets.iter().zip(offsets.iter().skip(1));
        let second = pairs
            .filter(|(first, second)| key(**first) >> u32::BITS == key(**second) >> u32::BITS)
            .map(|(_, second)| *second)
            .min();
        sort(offsets, &|a, b| a < b);
        match second {
            None => Ok(()),
            Some(offset) => {
                let kind = match half {
                    Half::Fields => ParseErrorKind::DuplicateField,
                    Half::Methods => ParseErrorKind::DuplicateMethod,
                };
                Err(self.reject(Place::of(file).behind(offset), kind))
            }
        }
    }

    /// Checks the attributes of the class, and the bootstrap methods that constants refer to.
    fn check_class_attributes(&self, attributes: Attributes<'a>) -> Result<(), Rejected> {
        let mut visit = Visit::new(self, attributes);
        let mut bootstrap_methods = 0;
        while let Some(attribute) = visit.next()? {
            if attribute.name == AttributeName::SourceFile {
                visit.once(&attribute)?;
                let index = self.one_index(attribute.bytes)?;
                self.string(Place::of(attribute.bytes), index)?;
            } else if attribute.name == AttributeName::BootstrapMethods
                && self.version.major >= ClassVersion::JAVA_7
            {
                visit.once(&attribute)?;
                bootstrap_methods = self.bootstrap_methods(attribute.bytes)?;
            }
        }
        self.check_bootstraps(bootstrap_methods)
    }

    /// Checks the contents of a `BootstrapMethods` attribute. Returns the number of bootstrap methods (§4.7.23).
    fn bootstrap_methods(&self, contents: &'a [u8]) -> Result<u16, Rejected> {
        let reader = &mut Reader::part(contents, self.faults);
        let count = reader.u16()?;
        for _ in 0..count {
            let at = reader.place();
            let handle = CpIndex(reader.u16()?);
            let arguments = reader.table()?;
            self.kind(at, handle, ConstantTag::MethodHandle.only())?;
            for argument in arguments {
                let index = CpIndex(u16::from_be_bytes(*argument));
                self.kind(Place::of(argument), index, TagSet::LOADABLE)?;
            }
        }
        reader.end(ParseErrorKind::AttributeLength)?;
        Ok(count)
    }
}
