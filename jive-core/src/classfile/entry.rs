//! The index entry of a constant: where the constant is, of which kind, and what is known of it.

use super::tag::{ConstantTag, TagSet};
use crate::id::{CpIndex, FieldId, MethodId};
use crate::limits::FILE_BYTES_MAX;

/// The index entry of one constant. The first word is where the constant is and of which kind, packed by [`located`]; 0
/// at index 0 and behind `long` and `double`. The second is what is known of it: a packed [`Text`](super::text::Text)
/// of a string, a packed [`Resolution`] of a field or method, else 0.
pub(super) type Entry = [u32; 2];

/// Bits of a packed place that hold the offset; the tag lies above.
const OFFSET_BITS: u32 = 24;

const _: () = assert!(FILE_BYTES_MAX < 1 << OFFSET_BITS);

/// Packs a tag and the offset in the file behind it.
pub(super) fn located(tag: ConstantTag, offset: u32) -> u32 {
    // Every tag is below 256: its discriminants are bytes.
    (tag as u32) << OFFSET_BITS | offset
}

/// A member of the class itself that a constant names.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OwnMember {
    /// A field.
    Field(FieldId),
    /// A method, an initialization method possibly.
    Method(MethodId),
}

/// Whether a constant that names a member names one of the class itself, as far as parsing has found out.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Resolution {
    /// Parsing has not found out. The reader has to look the name up.
    Unresolved,
    /// The constant names a member of another class.
    Foreign,
    /// The constant names this member of the class itself.
    Own(OwnMember),
}

impl Resolution {
    /// The packed form of [`Foreign`](Self::Foreign). Members of the class have numbers of 16 bits.
    pub(super) const FOREIGN: u32 = u32::MAX;

    /// Unpacks the word that the index holds for a constant of this kind.
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

/// Returns the tag of a packed place.
pub(super) fn tag_of(located: u32) -> Option<ConstantTag> {
    let [tag, ..] = located.to_be_bytes();
    ConstantTag::from_byte(tag)
}

/// Returns the bytes behind the tag of the constant that an entry stands for, if it is of these kinds.
pub(super) fn payload(file: &[u8], entry: Entry, expected: TagSet) -> Option<&[u8]> {
    if is_of(entry, expected) {
        let [located, _] = entry;
        behind_tag(file, located)
    } else {
        None
    }
}

/// Returns whether an entry stands for a constant of these kinds.
pub(super) const fn is_of([located, _]: Entry, expected: TagSet) -> bool {
    let [tag, ..] = located.to_be_bytes();
    expected.holds(tag)
}

/// Returns the bytes behind the tag at a packed place; the parser has seen that the constant is whole.
pub(super) fn behind_tag(file: &[u8], located: u32) -> Option<&[u8]> {
    file.get(usize::try_from(offset(located)).ok()?..)
}

/// Returns the offset of a packed place.
pub(super) const fn offset(located: u32) -> u32 {
    located & ((1 << OFFSET_BITS) - 1)
}

/// Returns the bytes of the string that an entry stands for; none where it is no string's.
pub(super) fn content(file: &[u8], entry: Entry) -> Option<&[u8]> {
    payload(file, entry, ConstantTag::Utf8.only()).map(string)
}

/// Returns the bytes of a string from those behind its tag.
pub(super) fn string(payload: &[u8]) -> &[u8] {
    let Some((length, rest)) = payload.split_first_chunk() else {
        return &[];
    };
    let length = usize::from(u16::from_be_bytes(*length));
    rest.get(..length).unwrap_or(&[])
}

/// Reads the two indices behind a tag; of a constant that holds one, the second is what follows it.
pub(super) fn indices(payload: &[u8]) -> (CpIndex, CpIndex) {
    (cp_index(payload, 0), cp_index(payload, 2))
}

/// Reads the two bytes at a place behind a tag.
pub(super) fn cp_index(payload: &[u8], place: usize) -> CpIndex {
    CpIndex(u16::from_be_bytes(array(payload, place)))
}

/// Reads the bytes at a place behind a tag; zeros, where the constant is not whole.
pub(super) fn array<const N: usize>(payload: &[u8], place: usize) -> [u8; N] {
    let bytes = payload.get(place..).and_then(<[u8]>::first_chunk);
    bytes.copied().unwrap_or([0; N])
}

/// Returns the bytes of a file from an offset that was noted in the index.
pub(super) fn part_at(file: &[u8], offset: u32) -> Option<&[u8]> {
    file.get(usize::try_from(offset).ok()?..)
}
