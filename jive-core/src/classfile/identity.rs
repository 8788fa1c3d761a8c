//! Interning of strings: equal strings of the constant pool get the same identity.
//!
//! Identities make comparisons fast, because many members can have names of 65,535 bytes. With string comparisons, the
//! search for members with equal names would take quadratic time.

use super::entry::{Entry, content};
use super::sort::sort;
use super::text::Text;
use crate::id::CpIndex;
use crate::limits::CONSTANTS_MAX;
use crate::variant;

/// Maximum number of strings in the hash table that a string is compared with. After `PROBES_MAX` comparisons, the hash
/// table gives up, and all strings are sorted instead. Chosen: longer probe sequences hardly occur, unless an attacker
/// chose the strings for their hashes.
const PROBES_MAX: usize = 32;

/// An open-addressing hash table of the strings of a constant pool.
pub(super) struct StringTable<'t> {
    /// The hash table has a word for each constant. A used word of the hash table has a string's hash in its high bits
    /// and the string's index in its low bits. A free word of the hash table is 0, because no constant has index 0. A
    /// string is stored in the first free word at or after the position of its hash.
    table: &'t mut [u32],
    /// Whether the hash table gave up on a string, so that equal strings may have different identities. Crafted hash
    /// collisions can cause the table to give up.
    is_incomplete: bool,
}

impl<'t> StringTable<'t> {
    /// Creates an empty table in borrowed memory, which has a word for each constant.
    pub(super) fn new(table: &'t mut [u32]) -> Self {
        table.fill(0);
        Self {
            table,
            is_incomplete: false,
        }
    }

    /// Returns the index of an equal string in the hash table. If the table has no equal string, adds the string and
    /// returns `None`.
    ///
    /// The search takes at most [`PROBES_MAX`] comparisons, each of which takes time linear in the length of the
    /// string.
    pub(super) fn find_or_insert(
        &mut self,
        file: &[u8],
        entries: &[Entry],
        index: CpIndex,
        bytes: &[u8],
    ) -> Option<CpIndex> {
        // Builds optimized for size leave out the hash table and only sort.
        if variant::SMALL {
            self.is_incomplete = true;
            return None;
        }
        let hash = hash(bytes);
        let tagged = u32::from(hash) << u16::BITS;
        // The position is in bounds, because hashes have 16 bits.
        let mut place = usize::from(hash).wrapping_mul(self.table.len()) >> u16::BITS;
        for _ in 0..PROBES_MAX {
            let Some(taken) = self.table.get_mut(place) else {
                place = 0;
                continue;
            };
            if *taken == 0 {
                *taken = tagged | u32::from(index.0);
                return None;
            }
            let other = low_half(*taken);
            if *taken ^ tagged <= u16::MAX.into() && text(file, entries, other) == Some(bytes) {
                return Some(other);
            }
            // The addition cannot overflow, because `place` is a valid index of a slice.
            place = place.wrapping_add(1);
        }
        self.is_incomplete = true;
        None
    }

    /// Completes the identities if the hash table gave up on a string. The identity of a string is the lowest index of
    /// an equal string.
    pub(super) fn complete(self, file: &[u8], entries: &mut [Entry]) {
        if self.is_incomplete {
            identify_sorted(file, entries, self.table);
        }
    }
}

/// Returns the string at a constant pool index. Returns `None` if the constant is not a string.
pub(super) fn text<'a>(file: &'a [u8], entries: &[Entry], index: CpIndex) -> Option<&'a [u8]> {
    content(file, *entries.get(index.index())?)
}

/// Sets the identities of strings by comparing each string with all strings before it. Comparing strings pairwise needs
/// a tenth of the code of the other algorithms for identities.
///
/// The pairwise comparison takes quadratic time, so it stops after [`CONSTANTS_MAX`] constants, the most that the
/// verifier accepts. Strings after the first [`CONSTANTS_MAX`] constants keep separate identities, even if they are
/// equal.
pub(super) fn identify_pairwise(file: &[u8], entries: &mut [Entry]) {
    for index in 0..CONSTANTS_MAX.min(u16::try_from(entries.len()).unwrap_or(u16::MAX)) {
        let (before, rest) = entries.split_at_mut(usize::from(index));
        let Some(entry) = rest.first_mut() else {
            return;
        };
        if let Some(bytes) = content(file, *entry) {
            let mut before = before.iter();
            let equal = before.find(|other| content(file, **other) == Some(bytes));
            let [_, text] = entry;
            *text = equal.map_or(Text::unclassified(CpIndex(index)).pack(), |[_, lowest]| {
                *lowest
            });
        }
    }
}

/// Returns a hash of a string, which does not resist crafted collisions.
fn hash(bytes: &[u8]) -> u16 {
    // Only the last eight bytes of the string are hashed, because names often share prefixes.
    let end = match bytes.last_chunk() {
        Some(end) => u64::from_le_bytes(*end),
        None => bytes
            .iter()
            .fold(0, |end, byte| end << u8::BITS | u64::from(*byte)),
    };
    // A multiplier for Fibonacci hashing: 2^64 divided by the golden ratio, rounded to an odd number.
    let [high, low, ..] = end.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
    u16::from_be_bytes([high, low])
}

/// Sets the identities of strings by sorting. Sorts all strings by hash, then strings with equal hashes by their
/// bytes.
///
/// A comparison of two strings takes time linear in the length of the shorter string. So sorting takes time that is
/// nearly linear in the size of the pool, even if all hashes are equal.
fn identify_sorted(file: &[u8], entries: &mut [Entry], order: &mut [u32]) {
    let mut places = order.iter_mut();
    let mut count: usize = 0;
    for (index, entry) in (0..u16::MAX).zip(&*entries) {
        if let Some(bytes) = content(file, *entry)
            && let Some(place) = places.next()
        {
            *place = u32::from(hash(bytes)) << u16::BITS | u32::from(index);
            count = count.saturating_add(1);
        }
    }
    let order = order.get_mut(..count).unwrap_or_default();
    sort(order, &|a, b| a < b);
    for alike in order.chunk_by_mut(|a, b| a >> u16::BITS == b >> u16::BITS) {
        if alike.len() > 1 {
            identify_alike(file, entries, alike);
        }
    }
}

/// Sets the identities of strings that have equal hashes.
fn identify_alike(file: &[u8], entries: &mut [Entry], alike: &mut [u32]) {
    let text = |entries: &[Entry], place| text(file, entries, low_half(place)).unwrap_or_default();
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
            let mut text = Text::unpack(*word);
            text.identity = lowest;
            *word = text.pack();
        }
        previous = Some(bytes);
    }
}

/// Returns the constant pool index in a word that packs a hash and an index.
fn low_half(place: u32) -> CpIndex {
    let [_, _, high, low] = place.to_be_bytes();
    CpIndex(u16::from_be_bytes([high, low]))
}

#[cfg(test)]
mod tests {
    use super::super::entry::located;
    use super::super::tag::ConstantTag;
    use super::*;

    extern crate std;
    use std::vec::Vec;
    use std::{format, vec};

    /// Returns a file that consists of string constants, and its index entries.
    fn pool(strings: &[&str]) -> (Vec<u8>, Vec<Entry>) {
        let (mut file, mut entries) = (Vec::new(), vec![[0, 0]]);
        for (index, string) in (1..).zip(strings) {
            let place = located(ConstantTag::Utf8, u32::try_from(file.len()).unwrap());
            entries.push([place, Text::unclassified(CpIndex(index)).pack()]);
            file.extend(u16::try_from(string.len()).unwrap().to_be_bytes());
            file.extend(string.as_bytes());
        }
        (file, entries)
    }

    fn identities(entries: &[Entry]) -> Vec<u16> {
        let texts = entries.iter().map(|[_, text]| Text::unpack(*text));
        texts.map(|text| text.identity.0).collect()
    }

    #[test]
    fn table_and_sorting_agree_on_equal_strings() {
        // The pools have a few strings, more strings of equal hash than the table accepts, and many strings of
        // different hashes.
        for (count, end) in [
            (3, " has one end"),
            (PROBES_MAX * 2, " has one end"),
            (200, ""),
        ] {
            let once = (0..count).map(|number| format!("{number}{end}"));
            // The pool contains each string a second time, after all strings have occurred once.
            let strings: Vec<_> = once.clone().chain(once).collect();
            let strings: Vec<_> = strings.iter().map(|string| string.as_str()).collect();
            let (file, mut sorted) = pool(&strings);
            let (mut known, scratch) = (sorted.clone(), &mut vec![0; sorted.len()]);
            identify_sorted(&file, &mut sorted, scratch);

            let mut table = StringTable::new(scratch);
            for (index, string) in (1..).map(CpIndex).zip(&strings) {
                let other = table.find_or_insert(&file, &known, index, string.as_bytes());
                if let Some(other) = other {
                    known[index.index()][1] = known[other.index()][1];
                }
            }
            table.complete(&file, &mut known);
            assert_eq!(identities(&known), identities(&sorted));
            let first_of_each = (0..count).chain(0..count).map(|number| number + 1);
            let found = identities(&known).into_iter().skip(1).map(usize::from);
            assert!(found.eq(first_of_each));
        }
    }
}
