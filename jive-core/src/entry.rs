//! Entries as data: the methods that a runtime calls of an applet, as the rows that verifier and runtime both read.

/// One row of a table of entries: a method that the runtime calls. Its parameters and its result are of type `int`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct EntryDecl {
    /// Name of the method.
    pub name: &'static str,
    /// Names of the parameters in order, without a receiver.
    pub parameters: &'static [&'static str],
    /// Method descriptor (JVMS §4.3.3).
    pub descriptor: &'static str,
    /// Whether every applet must have it. One that is not required may be absent; another shape under its name is
    /// wrong all the same.
    pub is_required: bool,
    /// The sentence that documents the entry.
    pub summary: &'static str,
}

/// Declares a table of entries: an enum with one variant a row, and the rows as data.
///
/// A row is `Variant = javaName(parameter, …), required, Cost;` or `…, optional, Cost;` under a documentation comment,
/// which becomes the row's summary. The cost is a variant of the type named after `cost`. What a call does to the clock
/// is up to the crate that keeps the clock.
///
/// ```
/// #[derive(Debug, PartialEq)]
/// pub enum Cost { Message, Tick }
///
/// jive_core::entries! {
///     /// What the example calls.
///     pub enum Example, cost Cost {
///         /// Called for a message.
///         Message = onMessage(length, channel), required, Message;
///         /// Called every now and then.
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
        $visibility:vis enum $Table:ident, cost $Cost:ident {
            $(
                $(#[doc = $doc:literal])+
                $Variant:ident = $name:ident($($parameter:ident),* $(,)?), $need:ident, $cost:ident;
            )+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        $visibility enum $Table { $($(#[doc = $doc])+ $Variant),+ }

        impl $Table {
            /// Every entry, in the order of the table.
            $visibility const ALL: &'static [Self] = &[$(Self::$Variant),+];

            /// The rows, as the verifier reads them; an entry's number is its place here.
            $visibility const TABLE: &'static [$crate::EntryDecl] = &[$(
                $crate::EntryDecl {
                    name: stringify!($name),
                    parameters: &[$(stringify!($parameter)),*],
                    descriptor: concat!("(", $($crate::entries!(@int $parameter),)* ")I"),
                    is_required: $crate::entries!(@ $need),
                    summary: concat!($($doc),+).trim_ascii(),
                }
            ),+];

            /// Returns the entry's row.
            #[must_use]
            $visibility const fn decl(self) -> &'static $crate::EntryDecl {
                // The discriminants count from 0 in the order of the rows.
                &Self::TABLE[self as usize]
            }

            /// Returns the key of its cost.
            #[must_use]
            $visibility const fn cost(self) -> $Cost {
                match self { $(Self::$Variant => $Cost::$cost),+ }
            }

            /// Returns the method that the entry is in a class that was verified against the table, if the class
            /// has it.
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
