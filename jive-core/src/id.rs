//! Indices as types of their own, so that a program counter is never taken for a constant pool index.

use core::fmt;

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {$(
        $(#[doc = $doc])+
        ///
        /// Holding one proves nothing; what it indexes says so where it is looked up.
        #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u16);

        impl $name {
            /// Returns the number as an index into a slice.
            #[must_use]
            pub const fn index(self) -> usize {
                // u16 always fits in usize; `From` is not const.
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    )+};
}

ids! {
    /// Offset of an instruction in its method's code array (JVMS §4.7.3).
    Pc;
    /// Index into the constant pool, from 1 (JVMS §4.4).
    CpIndex;
    /// Position of a method in the class file, from 0; also names the method once linked.
    MethodId;
    /// Position of a field in the class file, from 0; also names the field's storage once linked.
    FieldId;
    /// Position of a native in the natives table, from 0.
    NativeId;
}
