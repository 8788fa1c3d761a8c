//! Facts about opcodes by number: tables of 256 entries, or computed where code must be small.

/// Defines a function that returns what a `const fn` returns for each byte.
///
/// A walk over code asks these for every instruction, and cannot begin with the next instruction before it has the
/// length of this one. A table answers with one load. Code that must be small calls the function instead.
#[cfg(not(small))]
macro_rules! per_byte {
    ($(#[doc = $doc:literal])+ $name:ident -> $kind:ty = $of:path, like $any:expr) => {
        $(#[doc = $doc])+
        #[expect(clippy::indexing_slicing, reason = "a byte indexes a table of 256")]
        #[inline(always)]
        pub(crate) const fn $name(number: u8) -> $kind {
            static TABLE: [$kind; 256] = {
                let mut table = [$any; 256];
                let mut number = 0;
                while number < table.len() {
                    // Below 256.
                    table[number] = $of(number as u8);
                    number += 1;
                }
                table
            };
            // Widens; `From` is not const.
            TABLE[number as usize]
        }
    };
}

#[cfg(small)]
macro_rules! per_byte {
    ($(#[doc = $doc:literal])+ $name:ident -> $kind:ty = $of:path, like $any:expr) => {
        $(#[doc = $doc])+
        pub(crate) const fn $name(number: u8) -> $kind {
            $of(number)
        }
    };
}

pub(crate) use per_byte;
