//! What each string of the constant pool may serve as, and which are equal, found out once and remembered.
//!
//! Any number of constants may refer to one string of 65,535 bytes. Judging the string at each
//! reference would make parsing quadratic, and so would comparing names to find equal members.

use bitflags::bitflags;

use super::error::ParseErrorKind;
use super::fault::{Broken, Faults, Place};
use super::pool::{self, Entry};
use super::sort::sort;
use super::tag::ConstantTag;
use super::utf8::Utf8;
use super::version::ClassVersion;
use crate::descriptor::{
    DescriptorError, DescriptorErrorKind, FieldType, MethodDescriptor, is_class_name, parse_field,
};
use crate::id::CpIndex;
use crate::limits::CONSTANTS_MAX;

bitflags! {
    /// What a string may serve as.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    struct Roles: u8 {
        /// The internal name of a class, or the descriptor of an array class (§4.4.1).
        const CLASS_NAME = 1 << 0;
        /// The name of a field (§4.2.2).
        const FIELD_NAME = 1 << 1;
        /// The name of a method, of initialization methods too (§4.2.2).
        const METHOD_NAME = 1 << 2;
        /// The name of a module (§4.2.3).
        const MODULE_NAME = 1 << 3;
        /// A field descriptor.
        const FIELD_DESCRIPTOR = 1 << 4;
        /// A method descriptor.
        const METHOD_DESCRIPTOR = 1 << 5;
        /// A method descriptor without result.
        const VOID_DESCRIPTOR = 1 << 6;
    }
}

/// What a string is asked to serve as.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    ClassName,
    FieldName,
    MethodName,
    ModuleName,
    FieldDescriptor,
    MethodDescriptor,
}

impl Role {
    const fn bit(self) -> Roles {
        match self {
            Role::ClassName => Roles::CLASS_NAME,
            Role::FieldName => Roles::FIELD_NAME,
            Role::MethodName => Roles::METHOD_NAME,
            Role::ModuleName => Roles::MODULE_NAME,
            Role::FieldDescriptor => Roles::FIELD_DESCRIPTOR,
            Role::MethodDescriptor => Roles::METHOD_DESCRIPTOR,
        }
    }
}

/// Bytes from the end of a string that its hash looks at.
const HASHED: usize = 8;

/// What is known of one string.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    /// The lowest index at which the same string stands: equal strings have equal ones.
    pub(super) identity: CpIndex,
    /// Slots that the parameters take, where it is a method descriptor.
    pub(super) parameter_slots: u8,
    roles: Roles,
}

impl Text {
    /// Returns what is known of a constant before its string is looked at: where it stands.
    pub(super) const fn unjudged(index: CpIndex) -> Self {
        Self {
            identity: index,
            parameter_slots: 0,
            roles: Roles::empty(),
        }
    }

    /// Tells whether the string may serve in the role.
    pub(super) const fn serves(self, role: Role) -> bool {
        self.roles.contains(role.bit())
    }

    /// Tells whether it is a method descriptor without result.
    pub(super) const fn is_void(self) -> bool {
        self.roles.contains(Roles::VOID_DESCRIPTOR)
    }

    pub(super) fn pack(self) -> u32 {
        let [identity_high, identity_low] = self.identity.0.to_be_bytes();
        u32::from_be_bytes([
            identity_high,
            identity_low,
            self.parameter_slots,
            self.roles.bits(),
        ])
    }

    pub(super) fn unpack(word: u32) -> Self {
        let [identity_high, identity_low, parameter_slots, roles] = word.to_be_bytes();
        Self {
            identity: CpIndex(u16::from_be_bytes([identity_high, identity_low])),
            parameter_slots,
            roles: Roles::from_bits_retain(roles),
        }
    }
}

/// Judges every string of a constant pool, and notes in the entries what each may serve as.
pub(super) fn judge_all(
    faults: &Faults<'_>,
    version: ClassVersion,
    entries: &mut [Entry],
) -> Result<(), Broken> {
    for entry in entries {
        let Some(bytes) = content(faults.file(), *entry) else {
            continue;
        };
        let classes = Classes::of(bytes);
        if classes.contains(Classes::BEYOND_ASCII)
            && let Err(offset) = Utf8::new(bytes)
        {
            let at = Place::of(bytes.get(offset..).unwrap_or(bytes));
            return Err(faults.note(at, ParseErrorKind::Utf8));
        }
        let [_, text] = entry;
        *text = judge(version, bytes, classes, Text::unpack(*text).identity).pack();
    }
    Ok(())
}

/// Finds equal strings of a constant pool, and gives them one identity.
///
/// `order` is scratch space of a word for each entry.
pub(super) fn identify_all(file: &[u8], entries: &mut [Entry], order: &mut [u32]) {
    let mut places = order.iter_mut();
    let mut count: usize = 0;
    for (index, entry) in (0..=u16::MAX).zip(&*entries) {
        if let Some(bytes) = content(file, *entry)
            && let Some(place) = places.next()
        {
            *place = u32::from(hash(bytes)) << u16::BITS | u32::from(index);
            count = count.saturating_add(1);
        }
    }
    identify(file, entries, order.get_mut(..count).unwrap_or_default());
}

/// Does as [`identify_all`] in a tenth of the code: compares each string with those before it.
///
/// Looks at no more constants than a verified class has, which bounds the time; of two equal strings
/// behind them each is its own.
pub(super) fn identify_few(file: &[u8], entries: &mut [Entry]) {
    for index in 0..CONSTANTS_MAX.min(u16::try_from(entries.len()).unwrap_or(u16::MAX)) {
        let (before, rest) = entries.split_at_mut(usize::from(index));
        let Some(entry) = rest.first_mut() else {
            return;
        };
        let equal = content(file, *entry).and_then(|bytes| {
            let mut before = before.iter();
            before.find(|other| content(file, **other) == Some(bytes))
        });
        if let (Some([_, lowest]), [_, text]) = (equal, entry) {
            *text = *lowest;
        }
    }
}

/// Returns a number that is equal for equal strings. Anyone can make other strings of equal numbers.
fn hash(bytes: &[u8]) -> u16 {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    // Names differ at their ends more than anywhere else.
    let ends = bytes.iter().rev().take(HASHED);
    let hash = ends.fold(length, |hash, byte| {
        // Chosen, not measured: odd, and no run of equal bits.
        (hash ^ u32::from(*byte)).wrapping_mul(0x9e37_79b1)
    });
    let [high, low, _, _] = hash.to_be_bytes();
    u16::from_be_bytes([high, low])
}

/// Gives equal strings one identity: the lowest index of them.
///
/// By sorting, since a hash table could be filled with collisions: all by their hashes, then those of one
/// hash by their bytes. Every comparison of strings costs at most the length of the shorter one, so
/// that the whole costs the pool's bytes times a small factor even where all hashes are equal.
fn identify(file: &[u8], entries: &mut [Entry], order: &mut [u32]) {
    sort(order, &|a, b| a < b);
    for alike in order.chunk_by_mut(|a, b| a >> u16::BITS == b >> u16::BITS) {
        if alike.len() > 1 {
            identify_alike(file, entries, alike);
        }
    }
}

/// Gives equal strings one identity, of strings of one hash.
fn identify_alike(file: &[u8], entries: &mut [Entry], alike: &mut [u32]) {
    let text = |entries: &[Entry], place: u32| {
        let entry = entries.get(low_half(place).index()).copied();
        content(file, entry.unwrap_or_default()).unwrap_or_default()
    };
    sort(alike, &|a, b| {
        let order = text(entries, a).cmp(text(entries, b));
        order.then(a.cmp(&b)).is_lt()
    });
    let mut lowest = CpIndex(0);
    let mut previous = None;
    for place in alike.iter().copied() {
        let index = low_half(place);
        let bytes = text(entries, place);
        if previous != Some(bytes) {
            lowest = index;
        } else if let Some([_, word]) = entries.get_mut(index.index()) {
            // No role is known yet.
            *word = Text::unjudged(lowest).pack();
        }
        previous = Some(bytes);
    }
}

/// Returns the index of the pool behind a hash.
fn low_half(place: u32) -> CpIndex {
    let [_, _, high, low] = place.to_be_bytes();
    CpIndex(u16::from_be_bytes([high, low]))
}

/// Returns the bytes of the string that an entry stands for; none where it is no string's.
fn content(file: &[u8], entry: Entry) -> Option<&[u8]> {
    pool::payload(file, entry, ConstantTag::Utf8.only()).map(pool::string)
}

bitflags! {
    /// What kinds of bytes a string holds.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    struct Classes: u8 {
        /// `.`, `;` or `[`, which no name holds (§4.2.2).
        const DELIMITER = 1 << 0;
        /// `/`.
        const SLASH = 1 << 1;
        /// `<` or `>`, which no method's name holds.
        const ANGLE = 1 << 2;
        /// A control character, `\`, `:` or `@`, which in the name of a module mean something (§4.2.3).
        const OF_MODULES = 1 << 3;
        /// An ASCII character that is none of a Java identifier.
        const FOREIGN = 1 << 4;
        /// A zero, or a byte of a character beyond ASCII: what may be no modified UTF-8 (§4.4.7).
        const BEYOND_ASCII = 1 << 5;
    }
}

/// The classes of each ASCII character; a byte behind them belongs to a character beyond ASCII.
#[expect(
    clippy::indexing_slicing,
    reason = "the byte lies below 128, and the compiler evaluates it"
)]
static CLASSES: [u8; 128] = {
    let mut classes = [0; 128];
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
    /// Finds out what kinds of bytes a string holds.
    fn of(bytes: &[u8]) -> Classes {
        let mut classes = 0;
        for byte in bytes {
            let class = CLASSES.get(usize::from(*byte)).copied();
            classes |= class.unwrap_or(Classes::BEYOND_ASCII.bits());
        }
        Classes::from_bits_retain(classes)
    }
}

/// Finds the roles of a string that holds bytes of these classes.
fn judge(version: ClassVersion, bytes: &[u8], classes: Classes, identity: CpIndex) -> Text {
    let mut text = Text::unjudged(identity);
    let roles = &mut text.roles;
    let old = version.major < ClassVersion::JAVA_5;
    let identifier = !old
        || !classes.contains(Classes::FOREIGN) && !bytes.first().is_some_and(u8::is_ascii_digit);
    let undelimited = !bytes.is_empty() && !classes.contains(Classes::DELIMITER) && identifier;
    let unqualified = undelimited && !classes.contains(Classes::SLASH);
    let angular = classes.contains(Classes::ANGLE);
    let initializer = angular && (bytes == b"<init>" || bytes == b"<clinit>");
    roles.set(
        Roles::CLASS_NAME,
        unqualified || undelimited && is_class_name(bytes),
    );
    roles.set(Roles::FIELD_NAME, unqualified);
    roles.set(Roles::METHOD_NAME, initializer || unqualified && !angular);
    roles.set(
        Roles::MODULE_NAME,
        !classes.contains(Classes::OF_MODULES) || is_module_name(bytes),
    );
    match bytes {
        [_] | [b'L' | b'[', ..] if field_descriptor(version, bytes).is_ok() => {
            text.roles.insert(Roles::FIELD_DESCRIPTOR);
            if bytes.starts_with(b"[") {
                // An array class is named by its descriptor (§4.4.1).
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

/// Reads a field descriptor, by the rules of the version for names.
pub(super) fn field_descriptor(
    version: ClassVersion,
    bytes: &[u8],
) -> Result<FieldType<'_>, DescriptorError> {
    parse_field(bytes).and_then(|parsed| check_class_name(version, parsed).map(|()| parsed))
}

/// Reads a method descriptor, by the rules of the version for names.
pub(super) fn method_descriptor(
    version: ClassVersion,
    bytes: &[u8],
) -> Result<MethodDescriptor<'_>, DescriptorError> {
    let descriptor = MethodDescriptor::parse(bytes)?;
    // Newer class files hold names to nothing more, so the parameters are not read again.
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

/// Tells whether a name is made of letters, digits, `_`, `$` and `/`, and begins with no digit, where
/// the version demands it.
///
/// HotSpot holds class files below version 49 to the older rule that names are Java identifiers. It
/// asks the class library about characters beyond ASCII; all of those pass here.
fn is_identifier(version: ClassVersion, name: &[u8]) -> bool {
    version.major >= ClassVersion::JAVA_5
        || !name.first().is_some_and(u8::is_ascii_digit)
            && !Classes::of(name).contains(Classes::FOREIGN)
}

/// Tells whether a string is the name of a module (§4.2.3).
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
