//! Index entries of constants, packed into two words: location, kind and facts found by the parser.

use super::tag::{ConstantTag, TagSet};
use crate::id::{CpIndex, FieldId, MethodId};
use crate::limits::FILE_BYTES_MAX;

/// The index entry of a constant. The first word packs location and kind, see [`located`]. The first word is 0 for
/// index 0, and for the unusable index after a `long` or `double`. The second word packs facts about the constant: a
/// [`Text`](super::text::Text) for a string, a [`Resolution`] for a field or method, otherwise 0.
pub(super) type Entry = [u32; 2];

/// Number of low bits that hold the offset in a packed location. The bits of a packed location above the offset contain
/// the tag.
const OFFSET_BITS: u32 = 24;

const _: () = assert!(FILE_BYTES_MAX < 1 << OFFSET_BITS);

/// Packs the tag of a constant, and the offset in the file after the tag.
pub(super) fn located(tag: ConstantTag, offset: u32) -> u32 {
    // The cast of the tag is lossless, because the discriminants are bytes.
    (tag as u32) << OFFSET_BITS | offset
}

/// A member of this class that a constant names.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OwnMember {
    /// A field.
    Field(FieldId),
    /// A method, possibly an initialization method.
    Method(MethodId),
}

/// Whether a constant that names a member refers to this class, as far as the parser has resolved the constant.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Resolution {
    /// Unknown. The parser has not resolved the constant, so readers have to search for the member by name.
    Unresolved,
    /// The constant names a member of another class.
    Foreign,
    /// The constant names this member of this class.
    Own(OwnMember),
}

impl Resolution {
    /// The packed form of [`Foreign`](Self::Foreign). The value of `FOREIGN` differs from all member numbers, which
    /// have 16 bits.
    pub(super) const FOREIGN: u32 = u32::MAX;

    /// Unpacks the second word of an index entry, given the constant's tag.
    pub(super) fn unpack(tag: ConstantTag, word: u32) -> Resolution {
        let Some(number) = word.checked_sub(1) else {
            return Resolution::Unresolved;
        };
        let Ok(number) = u16::try_from(number) else {
            return Resolution::Foreign;
        };
        match tag {
            ConstantTag::Fieldref => Resolution::Own(OwnMember::Field(FieldId(number))),
            ConstantTag::Methodref => Resolution::Own(OwnMember::Method(MethodId(number))),
            _ => Resolution::Unresolved,
        }
    }
}

/// Returns the tag in a packed location.
pub(super) fn tag_of(located: u32) -> Option<ConstantTag> {
    let [tag, ..] = located.to_be_bytes();
    ConstantTag::from_byte(tag)
}

/// Returns the file's bytes after the tag of a constant. Returns `None` if the constant is not of one of the expected
/// kinds.
pub(super) fn payload(file: &[u8], entry: Entry, expected: TagSet) -> Option<&[u8]> {
    if is_of(entry, expected) {
        let [located, _] = entry;
        behind_tag(file, located)
    } else {
        None
    }
}

/// Returns whether a constant has one of the expected kinds.
pub(super) const fn is_of([located, _]: Entry, expected: TagSet) -> bool {
    let [tag, ..] = located.to_be_bytes();
    expected.holds(tag)
}

/// Returns the file's bytes after the tag at a packed location. The parser has checked that the constant at this
/// location is complete.
pub(super) fn behind_tag(file: &[u8], located: u32) -> Option<&[u8]> {
    file.get(usize::try_from(offset(located)).ok()?..)
}

/// Returns the offset in a packed location.
pub(super) const fn offset(located: u32) -> u32 {
    located & ((1 << OFFSET_BITS) - 1)
}

/// Returns the bytes of a string constant. Returns `None` if the constant is not a string.
pub(super) fn content(file: &[u8], entry: Entry) -> Option<&[u8]> {
    payload(file, entry, ConstantTag::Utf8.only()).map(string)
}

/// Returns the bytes of a string constant, given the bytes after its tag.
pub(super) fn string(payload: &[u8]) -> &[u8] {
    let Some((length, rest)) = payload.split_first_chunk() else {
        return &[];
    };
    let length = usize::from(u16::from_be_bytes(*length));
    rest.get(..length).unwrap_or(&[])
}

/// Reads two constant pool indices after a tag. For a constant that has only one index, the second index is
/// meaningless.
pub(super) fn indices(payload: &[u8]) -> (CpIndex, CpIndex) {
    (cp_index(payload, 0), cp_index(payload, 2))
}

/// Reads a constant pool index at an offset after the constant's tag.
pub(super) fn cp_index(payload: &[u8], place: usize) -> CpIndex {
    CpIndex(u16::from_be_bytes(array(payload, place)))
}

/// Reads bytes at an offset after the constant's tag. Returns zeros if the constant is incomplete.
pub(super) fn array<const N: usize>(payload: &[u8], place: usize) -> [u8; N] {
    let bytes = payload.get(place..).and_then(<[u8]>::first_chunk);
    bytes.copied().unwrap_or([0; N])
}

/// Returns the bytes of a file from an offset in the index onwards.
pub(super) fn part_at(file: &[u8], offset: u32) -> Option<&[u8]> {
    file.get(usize::try_from(offset).ok()?..)
}
