//! Resolution of constants that name members of this class, done in a single pass over the constant pool.

use super::entry::{Entry, Resolution, part_at};
use super::member::Header;
use super::pool::ConstantPool;
use super::tag::ConstantTag;
use crate::id::CpIndex;

/// For each name, the first field and the first method that has the name. `Names` holds a word for each constant,
/// indexed by the name's identity. The lower half of the word is the number of the first field with the name, the upper
/// half that of the first method. Fields and methods are numbered from 1, and 0 means none.
pub(super) struct Names<'n>(&'n mut [u32]);

/// The half of each word of [`Names`] that is for fields, or the half for methods.
#[derive(Copy, Clone)]
pub(super) enum Half {
    Fields,
    Methods,
}

impl Half {
    const fn shift(self) -> u32 {
        match self {
            Half::Fields => 0,
            Half::Methods => u16::BITS,
        }
    }
}

impl<'n> Names<'n> {
    /// Creates an empty map in borrowed memory, which has a word for each constant.
    pub(super) fn new(words: &'n mut [u32]) -> Self {
        words.fill(0);
        Self(words)
    }

    /// Adds a field or a method to the map, unless the map already has one with the same name. Returns whether the
    /// member was added.
    pub(super) fn insert(&mut self, half: Half, name: CpIndex, number: u32) -> bool {
        let Some(word) = self.0.get_mut(name.index()) else {
            return false;
        };
        let is_first = half_of(*word, half) == 0;
        if is_first {
            *word |= number << half.shift();
        }
        is_first
    }

    /// Returns the number of the first member with this name, or 0 if there is none.
    fn first(&self, half: Half, name: CpIndex) -> u16 {
        self.0
            .get(name.index())
            .map_or(0, |word| half_of(*word, half))
    }

    /// Resolves each constant that names a field or method of this class, and stores the result in its index entry.
    /// Only the first member of each name is found: overloaded methods stay unresolved, and a later lookup searches for
    /// them. The slices `fields` and `methods` contain offsets in the file.
    pub(super) fn resolve_all(
        &self,
        file: &[u8],
        entries: &mut [Entry],
        this_class: CpIndex,
        fields: &[u32],
        methods: &[u32],
    ) {
        let pool = ConstantPool::new(file, entries);
        let own_name = pool.text(pool.class_name_index(this_class)).identity;
        for index in (1..pool.count()).map(CpIndex) {
            let pool = ConstantPool::new(file, entries);
            let (half, offsets) = if pool.holds(index, ConstantTag::Fieldref.only()) {
                (Half::Fields, fields)
            } else if pool.holds(index, ConstantTag::Methodref.only()) {
                (Half::Methods, methods)
            } else {
                continue;
            };
            let Some((class, identity)) = pool.find_identity(index) else {
                continue;
            };
            let word = if pool.text(class).identity != own_name {
                Resolution::FOREIGN
            } else {
                let number = self.first(half, identity.name);
                let offset = offsets.get(usize::from(number).wrapping_sub(1));
                let header = offset
                    .and_then(|offset| part_at(file, *offset))
                    .and_then(Header::split);
                let is_same = header.is_some_and(|(header, _)| {
                    pool.identity(header.name, header.descriptor) == identity
                });
                if is_same { number.into() } else { 0 }
            };
            if let Some([_, resolution]) = entries.get_mut(index.index()) {
                *resolution = word;
            }
        }
    }
}

const fn half_of(word: u32, half: Half) -> u16 {
    // The cast truncates on purpose, because higher bits belong to the other half of the word.
    (word >> half.shift()) as u16
}
