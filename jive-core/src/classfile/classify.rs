//! Classification of the strings of the constant pool: which names and descriptors each string is valid as.
//!
//! Each string is classified once, because many constants can refer to the same string of 65,535 bytes. If the parser
//! checked a string again for each reference to it, parsing would take quadratic time.

use bitflags::bitflags;

use super::entry::Entry;
use super::error::ParseErrorKind;
use super::fault::{Faults, Place, Rejected};
use super::identity::{self, StringTable};
use super::text::{Roles, Text};
use super::utf8::Utf8;
use super::version::ClassVersion;
use crate::descriptor::{
    DescriptorError, DescriptorErrorKind, FieldType, MethodDescriptor, is_class_name, parse_field,
};
use crate::id::CpIndex;
use crate::variant;

/// Classifies every string of a constant pool. Stores the roles and the identity of each string in the string's index
/// entry.
///
/// The memory `scratch` must have a word for each index entry.
pub(super) fn classify_all(
    faults: &Faults<'_>,
    version: ClassVersion,
    entries: &mut [Entry],
    scratch: &mut [u32],
) -> Result<(), Rejected> {
    let file = faults.file();
    let mut known = StringTable::new(scratch);
    for index in (0..u16::MAX).map(CpIndex).take(entries.len()) {
        let Some(bytes) = identity::text(file, entries, index) else {
            continue;
        };
        if let Some(other) = known.find_or_insert(file, entries, index, bytes) {
            let classified = entries.get(other.index()).map_or(0, |[_, text]| *text);
            if let Some([_, text]) = entries.get_mut(index.index()) {
                *text = classified;
            }
            continue;
        }
        let classes = Classes::of(bytes);
        if classes.contains(Classes::BEYOND_ASCII)
            && let Err(offset) = Utf8::new(bytes)
        {
            let at = Place::of(bytes.get(offset..).unwrap_or(bytes));
            return Err(faults.record(at, ParseErrorKind::Utf8));
        }
        if let Some([_, text]) = entries.get_mut(index.index()) {
            *text = classify(version, bytes, classes, index).pack();
        }
    }
    known.complete(file, entries);
    Ok(())
}

bitflags! {
    /// Classes of bytes that a string contains.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    struct Classes: u8 {
        /// `.`, `;` or `[`, which no unqualified name may contain (§4.2.2).
        const DELIMITER = 1 << 0;
        /// `/`.
        const SLASH = 1 << 1;
        /// `<` or `>`, which no method name may contain, except `<init>` and `<clinit>`.
        const ANGLE = 1 << 2;
        /// A control character, `\`, `:` or `@`, which are special in module names (§4.2.3).
        const OF_MODULES = 1 << 3;
        /// An ASCII character that a Java identifier may not contain.
        const FOREIGN = 1 << 4;
        /// A zero byte or a byte of a non-ASCII character. Only zero bytes and bytes of non-ASCII characters can
        /// violate modified UTF-8 (§4.4.7).
        const BEYOND_ASCII = 1 << 5;
    }
}

/// Number of byte values that the table of classes covers: all 256, or only ASCII in builds optimized for size.
const CLASSIFIED: usize = if variant::SMALL { 128 } else { 256 };

/// The classes of each byte value. Byte values beyond the end of the table of classes belong to non-ASCII characters.
#[expect(
    clippy::indexing_slicing,
    reason = "the byte lies below 128, and the compiler evaluates it"
)]
static CLASSES: [u8; CLASSIFIED] = {
    let mut classes = [Classes::BEYOND_ASCII.bits(); CLASSIFIED];
    let mut byte: u8 = 0;
    loop {
        let mut class = match byte {
            b'.' | b';' | b'[' => Classes::DELIMITER.bits(),
            b'/' => Classes::SLASH.bits(),
            b'<' | b'>' => Classes::ANGLE.bits(),
            0x00..0x20 | b'\\' | b':' | b'@' => Classes::OF_MODULES.bits(),
            _ => 0,
        };
        if !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'$' | b'/') {
            class |= Classes::FOREIGN.bits();
        }
        if byte == 0 {
            class |= Classes::BEYOND_ASCII.bits();
        }
        classes[byte as usize] = class;
        byte = byte.wrapping_add(1);
        if !byte.is_ascii() {
            break classes;
        }
    }
};

impl Classes {
    /// Returns the union of the classes of all bytes of a string.
    fn of(bytes: &[u8]) -> Classes {
        let classes = bytes.iter().fold(0, |classes, byte| {
            let class = CLASSES.get(usize::from(*byte)).copied();
            classes | class.unwrap_or(Classes::BEYOND_ASCII.bits())
        });
        Classes::from_bits_retain(classes)
    }
}

/// Returns the roles of a string that contains these classes of bytes.
fn classify(version: ClassVersion, bytes: &[u8], classes: Classes, identity: CpIndex) -> Text {
    let mut text = Text::unclassified(identity);
    text.roles = as_name(version, bytes, classes);
    let delimited = classes.contains(Classes::DELIMITER);
    match bytes {
        // A field descriptor that is longer than a letter contains `;` or `[`.
        [_] if field_descriptor(version, bytes).is_ok() => {
            text.roles.insert(Roles::FIELD_DESCRIPTOR);
        }
        [b'L' | b'[', ..] if delimited && field_descriptor(version, bytes).is_ok() => {
            text.roles.insert(Roles::FIELD_DESCRIPTOR);
            if bytes.starts_with(b"[") {
                // The name of an array class is its descriptor (§4.4.1).
                text.roles.insert(Roles::CLASS_NAME);
            }
        }
        [b'(', ..] => {
            if let Ok(descriptor) = method_descriptor(version, bytes) {
                text.parameter_slots = descriptor.parameter_slots();
                text.roles.insert(Roles::METHOD_DESCRIPTOR);
                text.roles
                    .set(Roles::VOID_DESCRIPTOR, descriptor.result().is_none());
            }
        }
        _ => {}
    }
    text
}

/// Returns which kinds of names a string is valid as.
fn as_name(version: ClassVersion, bytes: &[u8], classes: Classes) -> Roles {
    let mut roles = Roles::empty();
    if !classes.contains(Classes::OF_MODULES) || is_module_name(bytes) {
        roles |= Roles::MODULE_NAME;
    }
    let identifier = version.major >= ClassVersion::JAVA_5
        || !classes.contains(Classes::FOREIGN) && !bytes.first().is_some_and(u8::is_ascii_digit);
    let undelimited = !bytes.is_empty() && !classes.contains(Classes::DELIMITER) && identifier;
    if undelimited && !classes.contains(Classes::SLASH) {
        roles |= Roles::CLASS_NAME | Roles::FIELD_NAME;
        if !classes.contains(Classes::ANGLE) {
            roles |= Roles::METHOD_NAME | Roles::ORDINARY_METHOD_NAME;
        }
    } else if undelimited && is_class_name(bytes) {
        roles |= Roles::CLASS_NAME;
    }
    if classes.contains(Classes::ANGLE) && (bytes == b"<init>" || bytes == b"<clinit>") {
        roles |= Roles::METHOD_NAME;
    }
    roles
}

/// Parses a field descriptor. Class names in the descriptor must follow the rules of the class file's version.
pub(super) fn field_descriptor(
    version: ClassVersion,
    bytes: &[u8],
) -> Result<FieldType<'_>, DescriptorError> {
    parse_field(bytes).and_then(|parsed| check_class_name(version, parsed).map(|()| parsed))
}

/// Parses a method descriptor. Class names in the descriptor must follow the rules of the class file's version.
pub(super) fn method_descriptor(
    version: ClassVersion,
    bytes: &[u8],
) -> Result<MethodDescriptor<'_>, DescriptorError> {
    let descriptor = MethodDescriptor::parse(bytes)?;
    // From version 49 on, class names in descriptors have no additional rules, so the types need not be parsed again.
    if version.major < ClassVersion::JAVA_5 {
        descriptor
            .parameters()
            .chain(descriptor.result())
            .try_for_each(|part| check_class_name(version, part))?;
    }
    Ok(descriptor)
}

fn check_class_name(version: ClassVersion, part: FieldType<'_>) -> Result<(), DescriptorError> {
    match part.class_name() {
        Some(name) if !is_identifier(version, name) => Err(DescriptorError {
            offset: 0,
            kind: DescriptorErrorKind::ClassName,
        }),
        Some(_) | None => Ok(()),
    }
}

/// Returns whether a name consists of letters, digits, `_`, `$` and `/`, and does not start with a digit. Returns true
/// for every name in class files from version 49 on, where names need not be Java identifiers.
///
/// Below version 49, HotSpot requires that names are Java identifiers, and uses the class library to check non-ASCII
/// characters. `is_identifier` accepts all non-ASCII characters.
fn is_identifier(version: ClassVersion, name: &[u8]) -> bool {
    version.major >= ClassVersion::JAVA_5
        || !name.first().is_some_and(u8::is_ascii_digit)
            && !Classes::of(name).contains(Classes::FOREIGN)
}

/// Returns whether a string is a valid module name (§4.2.3).
fn is_module_name(bytes: &[u8]) -> bool {
    let mut escaped = false;
    for byte in bytes {
        let special = matches!(byte, b'\\' | b':' | b'@');
        if *byte < 0x20 || escaped && !special {
            return false;
        }
        let escapes = *byte == b'\\' && !escaped;
        if special && !escaped && !escapes {
            return false;
        }
        escaped = escapes;
    }
    !escaped
}
