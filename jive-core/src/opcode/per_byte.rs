//! Functions of a byte as lookup tables, for facts about opcodes that hot loops need.

/// Defines a function that returns the result of a `const fn` for each byte.
///
/// A pass over code calls such a function of a byte for every instruction. Latency matters: a pass cannot locate the
/// next instruction before it has the length of the current instruction. A lookup table needs a single load. Builds
/// optimized for size have no lookup table, and call the `const fn`.
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
                    // The cast is lossless, because the loop condition keeps `number` below 256.
                    table[number] = $of(number as u8);
                    number += 1;
                }
                table
            };
            if $crate::variant::SMALL {
                return $of(number);
            }
            // Widens. `From` is not `const`.
            TABLE[number as usize]
        }
    };
}

pub(crate) use per_byte;
