//! Table of constant pool tags (JVMS §4.4).

use core::fmt;

macro_rules! tags {
    ($($(#[doc = $doc:literal])+ $code:literal $name:ident since $since:literal, $payload:expr;)+) => {
        /// The kind of a constant in the constant pool.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum ConstantTag { $($(#[doc = $doc])+ $name = $code),+ }

        impl ConstantTag {
            /// Every tag, in table order.
            pub const ALL: &'static [ConstantTag] = &[$(ConstantTag::$name),+];

            /// Returns the tag with this number, or `None` if the specification does not define such a tag.
            #[must_use]
            pub const fn from_byte(byte: u8) -> Option<ConstantTag> {
                match byte { $($code => Some(ConstantTag::$name),)+ _ => None }
            }

            /// Returns the tag's name, without the prefix `CONSTANT_`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(ConstantTag::$name => stringify!($name)),+ }
            }

            /// Returns the first major version of class files that may contain the tag (JVMS table 4.4-B).
            #[must_use]
            pub const fn since(self) -> u16 {
                match self { $(ConstantTag::$name => $since),+ }
            }

            /// Returns the number of a constant's bytes after the tag. Returns `None` if the constant has a length
            /// after its tag.
            pub(super) const fn payload_length(self) -> Option<u8> {
                match self { $(ConstantTag::$name => $payload),+ }
            }
        }
    };
}

tags! {
    /// A string of modified UTF-8.
    1 Utf8 since 45, None;
    /// An `int`.
    3 Integer since 45, Some(4);
    /// A `float`.
    4 Float since 45, Some(4);
    /// A `long`. The constant pool index after a constant of this kind is unusable.
    5 Long since 45, Some(8);
    /// A `double`. The constant pool index after a constant of this kind is unusable.
    6 Double since 45, Some(8);
    /// A class, interface or array class.
    7 Class since 45, Some(2);
    /// A constant of type `String`.
    8 String since 45, Some(2);
    /// A field of a class.
    9 Fieldref since 45, Some(4);
    /// A method of a class.
    10 Methodref since 45, Some(4);
    /// A method of an interface.
    11 InterfaceMethodref since 45, Some(4);
    /// The name and descriptor of a member.
    12 NameAndType since 45, Some(4);
    /// A method handle.
    15 MethodHandle since 51, Some(3);
    /// A method type.
    16 MethodType since 51, Some(2);
    /// A constant computed at run time.
    17 Dynamic since 55, Some(4);
    /// A call site linked at run time.
    18 InvokeDynamic since 51, Some(4);
    /// A module. A constant for a module or a package is only permitted in the class file of a module.
    19 Module since 53, Some(2);
    /// A package of a module. A constant for a module or a package is only permitted in the class file of a module.
    20 Package since 53, Some(2);
}

impl ConstantTag {
    /// Returns whether the constant takes two indices of the constant pool (JVMS §4.4.5).
    #[must_use]
    pub const fn is_wide(self) -> bool {
        matches!(self, ConstantTag::Long | ConstantTag::Double)
    }

    /// Returns the set that contains only this tag.
    #[must_use]
    pub const fn only(self) -> TagSet {
        // The shift cannot overflow, because discriminants are at most 20.
        TagSet(1 << self as u32)
    }
}

impl fmt::Display for ConstantTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of tags.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TagSet(u32);

impl TagSet {
    /// The tags of fields and methods.
    pub const MEMBER: TagSet = ConstantTag::Fieldref
        .only()
        .or(ConstantTag::Methodref)
        .or(ConstantTag::InterfaceMethodref);

    /// The tags of constants that refer to a bootstrap method.
    pub(super) const BOOTSTRAPPED: TagSet =
        ConstantTag::Dynamic.only().or(ConstantTag::InvokeDynamic);

    /// The tags of constants that can be pushed on the operand stack (JVMS table 4.4-C).
    pub const LOADABLE: TagSet = ConstantTag::Integer
        .only()
        .or(ConstantTag::Float)
        .or(ConstantTag::Long)
        .or(ConstantTag::Double)
        .or(ConstantTag::Class)
        .or(ConstantTag::String)
        .or(ConstantTag::MethodHandle)
        .or(ConstantTag::MethodType)
        .or(ConstantTag::Dynamic);

    /// Returns the set with an additional tag.
    #[must_use]
    pub const fn or(self, tag: ConstantTag) -> TagSet {
        TagSet(self.0 | tag.only().0)
    }

    /// Returns whether the set contains the tag with this number. The result is false for 0, which is not a tag.
    pub(super) const fn holds(self, tag: u8) -> bool {
        // The shift cannot wrap for a tag of the table, because tag numbers are at most 20.
        self.0.wrapping_shr(tag as u32) & 1 != 0
    }

    /// Returns whether the tag is in the set.
    #[must_use]
    pub const fn contains(self, tag: ConstantTag) -> bool {
        self.0 & tag.only().0 != 0
    }
}

impl fmt::Display for TagSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for tag in ConstantTag::ALL.iter().filter(|tag| self.contains(**tag)) {
            write!(f, "{separator}`{tag}`")?;
            separator = " or ";
        }
        Ok(())
    }
}
