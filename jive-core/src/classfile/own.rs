//! Which constants name members of the class itself, found for all of them at once.

use super::entry::{Entry, Resolution, part_at};
use super::member::Header;
use super::pool::ConstantPool;
use super::tag::ConstantTag;
use crate::id::CpIndex;

/// The first field and the first method of each name, as numbers from 1. Each constant has a word: fields are in the
/// lower half, methods in the upper one.
pub(super) struct Names<'n>(&'n mut [u32]);

/// Fields or methods.
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
    /// Begins with no name, in memory of a word for each constant.
    pub(super) fn new(words: &'n mut [u32]) -> Self {
        words.fill(0);
        Self(words)
    }

    /// Notes a member of a name, and tells whether it is the first of its half.
    pub(super) fn note(&mut self, half: Half, name: CpIndex, number: u32) -> bool {
        let Some(word) = self.0.get_mut(name.index()) else {
            return false;
        };
        let is_first = half_of(*word, half) == 0;
        if is_first {
            *word |= number << half.shift();
        }
        is_first
    }

    /// Returns the number of the first member of a name, 0 for none.
    fn first(&self, half: Half, name: CpIndex) -> u16 {
        self.0
            .get(name.index())
            .map_or(0, |word| half_of(*word, half))
    }

    /// Records which member of the class each constant names that names a field or method, if the member is the first
    /// of its name. Fields and methods begin at these offsets.
    pub(super) fn note_all(
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
            if let Some([_, noted]) = entries.get_mut(index.index()) {
                *noted = word;
            }
        }
    }
}

const fn half_of(word: u32, half: Half) -> u16 {
    // What lies above is the other half.
    (word >> half.shift()) as u16
}
