//! Which strings of the constant pool are equal, found out once and remembered.
//!
//! Any number of members may have one name of 65,535 bytes. Comparing names to find equal members would
//! make parsing quadratic.

use super::entry::{Entry, content};
use super::sort::sort;
use super::text::Text;
use crate::id::CpIndex;
use crate::limits::CONSTANTS_MAX;

/// Strings that a string is compared with before all are sorted instead. Chosen: where nobody has chosen
/// the strings for their hashes, hardly ever do as many follow one another in the table.
const PROBES_MAX: usize = 32;

/// The strings of a constant pool that have been looked at, by their hashes.
pub(super) struct Known<'t> {
    /// A word for each constant: a hash above an index, in the first place that was free from that of the
    /// hash on. Free is where there is 0: no constant stands at that index.
    table: &'t mut [u32],
    /// Whether a string found neither itself nor a free place: a table can be filled with collisions.
    is_incomplete: bool,
}

impl<'t> Known<'t> {
    /// Begins with no string, in memory of a word for each constant.
    pub(super) fn new(table: &'t mut [u32]) -> Self {
        table.fill(0);
        Self {
            table,
            is_incomplete: false,
        }
    }

    /// Returns the index at which the same string was found, or notes that it stands at this one.
    ///
    /// It costs a few comparisons at most, each at most the length of the string.
    pub(super) fn find_or_note(
        &mut self,
        file: &[u8],
        entries: &[Entry],
        index: CpIndex,
        bytes: &[u8],
    ) -> Option<CpIndex> {
        // Sorting alone does where code is to be small.
        if cfg!(small) {
            self.is_incomplete = true;
            return None;
        }
        let hash = hash(bytes);
        let noted = u32::from(hash) << u16::BITS;
        // Below the length, since hashes have 16 bits.
        let mut place = usize::from(hash).wrapping_mul(self.table.len()) >> u16::BITS;
        for _ in 0..PROBES_MAX {
            let Some(taken) = self.table.get_mut(place) else {
                place = 0;
                continue;
            };
            if *taken == 0 {
                *taken = noted | u32::from(index.0);
                return None;
            }
            let other = low_half(*taken);
            if *taken ^ noted <= u16::MAX.into() && text(file, entries, other) == Some(bytes) {
                return Some(other);
            }
            // Below the length of the table, which is a slice.
            place = place.wrapping_add(1);
        }
        self.is_incomplete = true;
        None
    }

    /// Gives equal strings one identity, the lowest index of them, where they have not been found equal.
    pub(super) fn complete(self, file: &[u8], entries: &mut [Entry]) {
        if self.is_incomplete {
            identify_sorted(file, entries, self.table);
        }
    }
}

/// Returns the string at an index, if one stands there.
pub(super) fn text<'a>(file: &'a [u8], entries: &[Entry], index: CpIndex) -> Option<&'a [u8]> {
    content(file, *entries.get(index.index())?)
}

/// Gives equal strings one identity in a tenth of the code: compares each string with those before it.
///
/// Looks at no more constants than a verified class has, which bounds the time; of two equal strings
/// behind them each is its own.
pub(super) fn identify_few(file: &[u8], entries: &mut [Entry]) {
    for index in 0..CONSTANTS_MAX.min(u16::try_from(entries.len()).unwrap_or(u16::MAX)) {
        let (before, rest) = entries.split_at_mut(usize::from(index));
        let Some(entry) = rest.first_mut() else {
            return;
        };
        if let Some(bytes) = content(file, *entry) {
            let mut before = before.iter();
            let equal = before.find(|other| content(file, **other) == Some(bytes));
            let [_, text] = entry;
            *text = equal.map_or(Text::unjudged(CpIndex(index)).pack(), |[_, lowest]| *lowest);
        }
    }
}

/// Returns a number that is equal for equal strings. Anyone can make other strings of equal numbers.
fn hash(bytes: &[u8]) -> u16 {
    // Names differ at their ends more than anywhere else.
    let end = match bytes.last_chunk() {
        Some(end) => u64::from_le_bytes(*end),
        None => bytes
            .iter()
            .fold(0, |end, byte| end << u8::BITS | u64::from(*byte)),
    };
    // Chosen, not measured: odd, and no run of equal bits.
    let [high, low, ..] = end.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
    u16::from_be_bytes([high, low])
}

/// Finds equal strings by sorting: all by their hashes, then those of one hash by their bytes.
///
/// Comparing two strings costs at most the length of the shorter one. So the whole costs the pool's bytes times a small
/// factor, even if all hashes are equal.
fn identify_sorted(file: &[u8], entries: &mut [Entry], order: &mut [u32]) {
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
    let order = order.get_mut(..count).unwrap_or_default();
    sort(order, &|a, b| a < b);
    for alike in order.chunk_by_mut(|a, b| a >> u16::BITS == b >> u16::BITS) {
        if alike.len() > 1 {
            identify_alike(file, entries, alike);
        }
    }
}

/// Gives equal strings one identity, of strings of one hash.
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

/// Returns the index of the pool behind a hash.
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

    /// Returns a file of strings, and the entries of its pool.
    fn pool(strings: &[&str]) -> (Vec<u8>, Vec<Entry>) {
        let (mut file, mut entries) = (Vec::new(), vec![[0, 0]]);
        for (index, string) in (1..).zip(strings) {
            let place = located(ConstantTag::Utf8, u32::try_from(file.len()).unwrap());
            entries.push([place, Text::unjudged(CpIndex(index)).pack()]);
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
    fn a_table_and_sorting_find_the_same_strings_equal() {
        // Few, and as many of one hash as no table takes; and as many of hashes of their own.
        for (count, end) in [
            (3, " has one end"),
            (PROBES_MAX * 2, " has one end"),
            (200, ""),
        ] {
            let once = (0..count).map(|number| format!("{number}{end}"));
            // Each is there again when all have been.
            let strings: Vec<_> = once.clone().chain(once).collect();
            let strings: Vec<_> = strings.iter().map(|string| string.as_str()).collect();
            let (file, mut sorted) = pool(&strings);
            let (mut known, scratch) = (sorted.clone(), &mut vec![0; sorted.len()]);
            identify_sorted(&file, &mut sorted, scratch);

            let mut table = Known::new(scratch);
            for (index, string) in (1..).map(CpIndex).zip(&strings) {
                let other = table.find_or_note(&file, &known, index, string.as_bytes());
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
