//! Natives tables: the methods that a runtime implements for an applet. Verifier, linker, Java stub and runtime read
//! the same table of natives.

use core::fmt;

use crate::array_kind::ArrayKind;
use crate::id::NativeId;

/// The number of the first native that allocates. The others follow, one for each kind of array.
const FIRST_ALLOCATING: u16 = u16::MAX - (ArrayKind::ALL.len() as u16 - 1);

impl NativeId {
    /// Returns the native that stands for `newarray` in a program that is linked for a collector
    /// ([`link_collected`](crate::link_collected)). Its argument is the length, and its result the new array.
    #[must_use]
    pub const fn allocating(kind: ArrayKind) -> NativeId {
        // The sum is at most `u16::MAX`, because the variants of `ArrayKind` are counted from 0.
        NativeId(FIRST_ALLOCATING.wrapping_add(kind as u16))
    }

    /// Returns which array the native allocates, if it stands for `newarray`. No other native has its number in a
    /// program that is linked for a collector.
    #[must_use]
    pub fn allocates(self) -> Option<ArrayKind> {
        let kind = self.0.checked_sub(FIRST_ALLOCATING)?;
        ArrayKind::ALL.get(usize::from(kind)).copied()
    }
}

/// The type of a native's parameter or result.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum NativeType {
    /// An `int`.
    Int,
    /// A `boolean[]`, possibly null.
    BooleanArray,
    /// A `byte[]`, possibly null.
    ByteArray,
    /// A `short[]`, possibly null.
    ShortArray,
    /// An `int[]`, possibly null.
    IntArray,
}

impl NativeType {
    /// Returns the field descriptor of the type (JVMS §4.3.2).
    #[must_use]
    pub const fn descriptor(self) -> &'static str {
        match self {
            Self::Int => "I",
            Self::BooleanArray => "[Z",
            Self::ByteArray => "[B",
            Self::ShortArray => "[S",
            Self::IntArray => "[I",
        }
    }

    /// Returns the type in Java syntax.
    #[must_use]
    pub const fn java(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::BooleanArray => "boolean[]",
            Self::ByteArray => "byte[]",
            Self::ShortArray => "short[]",
            Self::IntArray => "int[]",
        }
    }
}

/// A parameter of a native.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NativeParameter<'n> {
    /// Name, as used in the Java stub and the documentation.
    pub name: &'n str,
    /// Type, checked by the verifier.
    pub kind: NativeType,
}

/// One row of a natives table.
///
/// A class calls a native as a static method of the native's `class`, or by declaring a `native` method with the same
/// name and descriptor. A program may read its table from a file: the rows borrow their names, and only loading a class
/// needs them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NativeDecl<'n> {
    /// Internal name of the class whose static method the native is.
    pub class: &'n str,
    /// Name of the method.
    pub name: &'n str,
    /// Parameters of the native in order, without `this`.
    pub parameters: &'n [NativeParameter<'n>],
    /// Result type of the native, or `None` for void.
    pub result: Option<NativeType>,
}

impl<'n> NativeDecl<'n> {
    /// Returns the native's method descriptor (JVMS §4.3.3), for display.
    #[must_use]
    pub const fn descriptor(&self) -> NativeDescriptor<'n> {
        NativeDescriptor { native: *self }
    }

    /// Returns whether the native has this method descriptor.
    #[must_use]
    pub fn has_descriptor(&self, descriptor: &[u8]) -> bool {
        let Some(mut rest) = descriptor.strip_prefix(b"(") else {
            return false;
        };
        // The descriptor is compared byte by byte, because the table does not store it as a whole.
        for expected in self
            .parameters
            .iter()
            .flat_map(|p| p.kind.descriptor().bytes())
        {
            match rest.split_first() {
                Some((byte, behind)) if *byte == expected => rest = behind,
                _ => return false,
            }
        }
        rest.strip_prefix(b")") == Some(self.result_descriptor().as_bytes())
    }

    const fn result_descriptor(&self) -> &'static str {
        match self.result {
            Some(kind) => kind.descriptor(),
            None => "V",
        }
    }

    /// Returns whether the native has this name and descriptor.
    #[must_use]
    pub fn matches(&self, name: &[u8], descriptor: &[u8]) -> bool {
        self.name.as_bytes() == name && self.has_descriptor(descriptor)
    }
}

/// Displays the method descriptor of a native.
#[derive(Copy, Clone, Debug)]
pub struct NativeDescriptor<'n> {
    native: NativeDecl<'n>,
}

impl NativeDescriptor<'_> {
    fn pieces(&self) -> impl Iterator<Item = &'static str> {
        let parameters = self.native.parameters.iter().map(|p| p.kind.descriptor());
        core::iter::once("(")
            .chain(parameters)
            .chain([")", self.native.result_descriptor()])
    }
}

impl fmt::Display for NativeDescriptor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().try_for_each(|piece| f.write_str(piece))
    }
}

/// Looks up the native for a `native` method that the applet's own class declares.
#[must_use]
pub fn find_native<'t, 'n>(
    table: &'t [NativeDecl<'n>],
    name: &[u8],
    descriptor: &[u8],
) -> Option<(NativeId, &'t NativeDecl<'n>)> {
    find(table, None, name, descriptor)
}

/// Looks up the native for a static method of the class with this internal name.
#[must_use]
pub fn find_native_of<'t, 'n>(
    table: &'t [NativeDecl<'n>],
    class: &[u8],
    name: &[u8],
    descriptor: &[u8],
) -> Option<(NativeId, &'t NativeDecl<'n>)> {
    find(table, Some(class), name, descriptor)
}

/// Looks up a native by name and descriptor. If `class` is given, only natives of that class match.
pub(crate) fn find<'t, 'n>(
    table: &'t [NativeDecl<'n>],
    class: Option<&[u8]>,
    name: &[u8],
    descriptor: &[u8],
) -> Option<(NativeId, &'t NativeDecl<'n>)> {
    let index = table.iter().position(|native| {
        // Names are compared first, because they decide most comparisons.
        native.name.as_bytes() == name
            && class.is_none_or(|class| native.class.as_bytes() == class)
            && native.has_descriptor(descriptor)
    })?;
    Some((NativeId(u16::try_from(index).ok()?), table.get(index)?))
}

/// Returns whether the table has a native of the class with this internal name.
#[must_use]
pub fn is_native_class(table: &[NativeDecl<'_>], class: &[u8]) -> bool {
    table.iter().any(|native| native.class.as_bytes() == class)
}

/// Declares a natives table: an enum with one variant for each row, and the rows as constants.
///
/// A row is `Variant = javaName(parameter: Type, …) -> Type;`. The documentation comment of a row becomes the native's
/// summary. `Type` is a variant of [`NativeType`], or `Void` for a result.
///
/// ```
/// jive_core::natives! {
///     /// Natives of the example.
///     pub enum Example: "unet/Nic" {
///         /// Pops the free queue.
///         GetFreeBuffer = getFreeBuffer() -> Int;
///         /// Sends one packet.
///         TxPush = txPush(buffer: ByteArray, offset: Int) -> Void;
///     }
/// }
///
/// assert_eq!(Example::TxPush.decl().descriptor().to_string(), "([BI)V");
/// assert_eq!(Example::TxPush.summary(), "Sends one packet.");
/// assert_eq!(Example::from_id(Example::TxPush.id()), Some(Example::TxPush));
/// ```
///
/// A table may have a column of the runtime's own, such as a cost class. The head names the column and its type, and
/// each row ends in a variant of that type, which may hold one value:
///
/// ```
/// #[derive(Debug, PartialEq)]
/// pub enum Cost { Light, Transmit(Times) }
///
/// #[derive(Debug, PartialEq)]
/// pub enum Times { Once }
///
/// jive_core::natives! {
///     /// Natives of the example.
///     pub enum Example: "unet/Nic", cost Cost {
///         /// Pops the free queue.
///         GetFreeBuffer = getFreeBuffer() -> Int, Light;
///         /// Sends one packet.
///         TxPush = txPush(buffer: ByteArray, offset: Int) -> Void, Transmit(Times::Once);
///     }
/// }
///
/// assert_eq!(Example::TxPush.cost(), Cost::Transmit(Times::Once));
/// ```
#[macro_export]
macro_rules! natives {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $Table:ident: $class:literal, $column:ident $Column:ident {
            $(
                $(#[doc = $doc:literal])+
                $Variant:ident = $name:ident($($parameter:ident: $kind:ident),* $(,)?)
                    -> $result:ident, $value:ident $(($of:path))?;
            )+
        }
    ) => {
        $crate::natives! {
            $(#[$attribute])*
            $visibility enum $Table: $class {
                $(
                    $(#[doc = $doc])+
                    $Variant = $name($($parameter: $kind),*) -> $result;
                )+
            }
        }

        impl $Table {
            #[doc = concat!("Returns the native's value in the column `", stringify!($column), "` of the table.")]
            #[must_use]
            $visibility const fn $column(self) -> $Column {
                match self { $(Self::$Variant => $Column::$value $(($of))?),+ }
            }
        }
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $Table:ident: $class:literal {
            $(
                $(#[doc = $doc:literal])+
                $Variant:ident = $name:ident($($parameter:ident: $kind:ident),* $(,)?) -> $result:ident;
            )+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        $visibility enum $Table { $($(#[doc = $doc])+ $Variant),+ }

        impl $Table {
            /// Every native, in table order.
            $visibility const ALL: &'static [Self] = &[$(Self::$Variant),+];

            /// The rows of the natives table, for verifier and linker. The index of a row is the native's number.
            $visibility const TABLE: &'static [$crate::NativeDecl<'static>] = &[$(
                $crate::NativeDecl {
                    class: $class,
                    name: stringify!($name),
                    parameters: &[$(
                        $crate::NativeParameter {
                            name: stringify!($parameter),
                            kind: $crate::NativeType::$kind,
                        }
                    ),*],
                    result: $crate::natives!(@result $result),
                }
            ),+];

            /// Returns the native's number in the table.
            #[must_use]
            $visibility const fn id(self) -> $crate::NativeId {
                // Discriminants are row indices: both count from 0 in table order.
                $crate::NativeId(self as u16)
            }

            /// Returns the native with this number, or `None` if the number is outside the table.
            #[must_use]
            $visibility fn from_id(id: $crate::NativeId) -> Option<Self> {
                Self::ALL.get(id.index()).copied()
            }

            /// Returns the native's row.
            #[must_use]
            $visibility const fn decl(self) -> &'static $crate::NativeDecl<'static> {
                // Discriminants are row indices: both count from 0 in table order.
                &Self::TABLE[self as usize]
            }

            /// Returns the native's documentation. The documentation is not part of the row, so that firmware need not
            /// contain the text.
            #[must_use]
            $visibility const fn summary(self) -> &'static str {
                match self { $(Self::$Variant => concat!($($doc),+).trim_ascii()),+ }
            }
        }
    };
    (@result Void) => { None };
    (@result $kind:ident) => { Some($crate::NativeType::$kind) };
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    enum Cost {
        Free,
    }

    crate::natives! {
        enum Table: "unet/Nic", cost Cost {
            /// Makes an array.
            Make = make(length: Int) -> ByteArray, Free;
            /// Takes one of each,
            /// over two lines.
            Take = take(a: ByteArray, b: ShortArray, c: IntArray, d: Int) -> Void, Free;
        }
    }

    #[test]
    fn a_row_is_found_by_name_and_whole_descriptor() {
        let find = |name: &str, descriptor: &str| {
            find_native(Table::TABLE, name.as_bytes(), descriptor.as_bytes()).map(|(id, _)| id)
        };
        assert_eq!(find("make", "(I)[B"), Some(Table::Make.id()));
        assert_eq!(find("take", "([B[S[II)V"), Some(Table::Take.id()));
        assert_eq!(find("make", "(I)[BB"), None);
        assert_eq!(find("make", "(I)["), None);
        assert_eq!(find("make", "(I)V"), None);
        assert_eq!(find("take", "(I)[B"), None);
        assert_eq!(find("make", ""), None);
    }

    #[test]
    fn a_table_may_be_made_while_the_program_runs() {
        let text = std::string::String::from("game/Board place column row");
        let words = text.split(' ').collect::<std::vec::Vec<_>>();
        let kind = NativeType::Int;
        let parameters = [words[2], words[3]].map(|name| NativeParameter { name, kind });
        let table = [NativeDecl {
            class: words[0],
            name: words[1],
            parameters: &parameters,
            result: None,
        }];
        let found = find_native_of(&table, b"game/Board", b"place", b"(II)V");
        assert_eq!(found, Some((NativeId(0), &table[0])));
    }

    #[test]
    fn a_static_method_is_found_in_its_class_only() {
        let find = |class: &str| {
            find_native_of(Table::TABLE, class.as_bytes(), b"make", b"(I)[B").map(|(id, _)| id)
        };
        assert_eq!(find("unet/Nic"), Some(NativeId(0)));
        assert_eq!(find("unet/Nix"), None);
        assert!(is_native_class(Table::TABLE, b"unet/Nic"));
        assert!(!is_native_class(Table::TABLE, b"Nic"));
    }

    #[test]
    fn a_summary_joins_several_comment_lines() {
        assert_eq!(Table::Take.decl().name, "take");
        assert_eq!(Table::Take.summary(), "Takes one of each, over two lines.");
        assert_eq!(Table::from_id(NativeId(2)), None);
        assert!(matches!(Table::Make.cost(), Cost::Free));
    }
}
