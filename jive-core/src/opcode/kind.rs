//! The opcodes by name.

use core::fmt;

use super::table::opcode_table;

macro_rules! opcodes {
    ($($(#[doc = $doc:literal])+ $code:literal $name:ident = $mnemonic:literal,
       $layout:ident $(($implicit:literal))?, ($($action:tt)+) $(, $ends:ident)?;)+) => {
        /// An opcode of the Java virtual machine, inside the subset or not.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Opcode { $($(#[doc = $doc])+ $name = $code),+ }

        impl Opcode {
            /// Every opcode of the table, in numeric order.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$name),+];

            /// Returns the opcode with this number, or `None` if the specification does not define such an opcode.
            // The attribute `inline(always)` is needed, because the compiler's inliner rejects this match for its
            // length. The compiler turns this `match` over opcode numbers into a comparison or a table lookup, but only
            // after its inliner has run.
            #[must_use]
            #[inline(always)]
            pub const fn from_byte(byte: u8) -> Option<Opcode> {
                match byte { $($code => Some(Opcode::$name),)+ _ => None }
            }

            /// Returns the mnemonic, spelled as in JVMS §6.5.
            #[must_use]
            pub const fn mnemonic(self) -> &'static str {
                match self { $(Opcode::$name => $mnemonic),+ }
            }

            /// Returns the opcode's documentation, one sentence.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self { $(Opcode::$name => concat!($($doc),+).trim_ascii()),+ }
            }
        }
    };
}

opcode_table!(opcodes);

impl Opcode {
    /// Returns the opcode's number.
    #[must_use]
    pub const fn byte(self) -> u8 {
        // The cast is lossless, because with `repr(u8)` the discriminants are the opcode numbers.
        self as u8
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.mnemonic())
    }
}
