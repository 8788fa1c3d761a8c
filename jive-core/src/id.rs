//! Index newtypes, so that a program counter cannot be passed as a constant pool index.

use core::fmt;

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {$(
        $(#[doc = $doc])+
        ///
        /// The index may be out of bounds. Each lookup by an index documents its own bounds check.
        #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u16);

        impl $name {
            /// Returns the index as a `usize`.
            #[must_use]
            pub const fn index(self) -> usize {
                // Lossless. `usize::from` is not `const`.
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
    /// Offset of an instruction in the code array of its method (JVMS §4.7.3).
    Pc;
    /// Index into the constant pool, from 1 (JVMS §4.4).
    CpIndex;
    /// Index of a method in the class file, from 0. The linked method has the same index as the method in the class
    /// file.
    MethodId;
    /// Index of a field in the class file, from 0. The linked field has the same index as the field in the class file.
    FieldId;
    /// Index of a native in the natives table, from 0.
    NativeId;
}
