//! Tables of entries: the methods of an applet that its runtime calls. Verifier and runtime read the same table of
//! entries.

/// One row of a table of entries: a method of an applet that the runtime calls. All parameters and the result of a
/// method in the table are `int`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct EntryDecl {
    /// Name of the method.
    pub name: &'static str,
    /// Parameter names in order, without `this`.
    pub parameters: &'static [&'static str],
    /// Method descriptor (JVMS §4.3.3).
    pub descriptor: &'static str,
    /// Whether every applet must declare the method. An optional method may be absent. If an optional method is
    /// present, its descriptor must match.
    pub is_required: bool,
}

/// Declares a table of entries: an enum with one variant for each row, and the rows as constants.
///
/// A row is `Variant = javaName(parameter, …), required, Value;` or `…, optional, Value;`. The documentation comment of
/// a row becomes the entry's summary. The head names a column of the runtime's own and its type, such as the cost of a
/// call, and `Value` is a variant of that type.
///
/// ```
/// #[derive(Debug, PartialEq)]
/// pub enum Cost { Message, Tick }
///
/// jive_core::entries! {
///     /// Entries of the example.
///     pub enum Example, cost Cost {
///         /// Called for each message.
///         Message = onMessage(length, channel), required, Message;
///         /// Called periodically.
///         Tick = onTick(), optional, Tick;
///     }
/// }
///
/// assert_eq!(Example::Message.decl().descriptor, "(II)I");
/// assert_eq!(Example::Tick.decl().descriptor, "()I");
/// assert!(!Example::Tick.decl().is_required);
/// assert_eq!(Example::Tick.cost(), Cost::Tick);
/// ```
#[macro_export]
macro_rules! entries {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $Table:ident, $column:ident $Column:ident {
            $(
                $(#[doc = $doc:literal])+
                $Variant:ident = $name:ident($($parameter:ident),* $(,)?), $need:ident, $value:ident;
            )+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        $visibility enum $Table { $($(#[doc = $doc])+ $Variant),+ }

        impl $Table {
            /// Every entry, in table order.
            $visibility const ALL: &'static [Self] = &[$(Self::$Variant),+];

            /// The rows of the table for the verifier. The index of a row is the entry's discriminant.
            $visibility const TABLE: &'static [$crate::EntryDecl] = &[$(
                $crate::EntryDecl {
                    name: stringify!($name),
                    parameters: &[$(stringify!($parameter)),*],
                    descriptor: concat!("(", $($crate::entries!(@int $parameter),)* ")I"),
                    is_required: $crate::entries!(@ $need),
                }
            ),+];

            /// Returns the entry's row.
            #[must_use]
            $visibility const fn decl(self) -> &'static $crate::EntryDecl {
                // Discriminants are row indices: both count from 0 in table order.
                &Self::TABLE[self as usize]
            }

            /// Returns the entry's documentation. The summary is not part of the row, so that firmware need not contain
            /// the text.
            #[must_use]
            $visibility const fn summary(self) -> &'static str {
                match self { $(Self::$Variant => concat!($($doc),+).trim_ascii()),+ }
            }

            #[doc = concat!("Returns the entry's value in the column `", stringify!($column), "` of the table.")]
            #[must_use]
            $visibility const fn $column(self) -> $Column {
                match self { $(Self::$Variant => $Column::$value),+ }
            }

            /// Returns the method of a class that implements the entry. The class must have been verified against this
            /// table, so that comparing method names is enough. Returns `None` if the class lacks an optional entry.
            #[must_use]
            $visibility fn of(self, class: &$crate::ClassFile<'_>) -> Option<$crate::MethodId> {
                let mut methods = class.methods();
                let found = methods.find(|method| method.name == self.decl().name)?;
                Some(found.id)
            }

        }
    };
    (@int $parameter:ident) => { "I" };
    (@required) => { true };
    (@optional) => { false };
}
