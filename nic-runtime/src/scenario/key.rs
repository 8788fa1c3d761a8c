//! A key of the table of keys: its shape, its default, and how the readers ask for its value.

use nic_core::time::SimDuration;
use toml::Spanned;
use toml::de::DeValue;

use super::form::Form;
use super::mistake::{MistakeKind, Named};
use super::table::{self, Located, Mistakes, Table};
use super::words::closest;
use crate::units;

/// The shape of a key's value, which has a form.
pub(super) trait Shaped {
    fn form(&self) -> Form;
}

/// A shape that the table of keys describes so fully that reading needs nothing else.
pub(super) trait Shape: Shaped {
    type Value;

    /// Reads the value of the key `key`.
    fn read(&self, key: &'static str, value: &DeValue<'_>) -> Result<Self::Value, MistakeKind>;

    /// Reads a default of the table of keys.
    fn written(&self, text: &str) -> Option<Self::Value>;
}

/// A value that a reader of its own reads.
pub(super) struct Raw(pub(super) fn() -> Form);

/// A name that the table defines.
pub(super) struct Name;

/// A name that another table defines.
pub(super) struct NameOf(pub(super) Named);

/// A word of a fixed set, each with its meaning.
pub(super) struct Words<T: 'static>(pub(super) &'static [(&'static str, T)]);

impl Shaped for Raw {
    fn form(&self) -> Form {
        self.0()
    }
}

impl Shaped for Name {
    fn form(&self) -> Form {
        Form::Name
    }
}

impl Shaped for NameOf {
    fn form(&self) -> Form {
        Form::NameOf(self.0)
    }
}

impl<T> Shaped for Words<T> {
    fn form(&self) -> Form {
        Form::Words(self.0.iter().map(|(word, _)| *word).collect())
    }
}

impl<T: Clone> Shape for Words<T> {
    type Value = T;

    fn read(&self, _: &'static str, value: &DeValue<'_>) -> Result<T, MistakeKind> {
        let given = table::text(value)?;
        self.written(given).ok_or_else(|| {
            let known: Vec<&'static str> = self.0.iter().map(|(word, _)| *word).collect();
            let suggestion = closest(given, known.iter().copied());
            MistakeKind::UnknownChoice { known, suggestion }
        })
    }

    fn written(&self, text: &str) -> Option<T> {
        let mut words = self.0.iter();
        words
            .find(|(word, _)| *word == text)
            .map(|(_, it)| it.clone())
    }
}

/// Declares shapes: each with its form, its value, and how to read a value from a file and a default from a text.
macro_rules! shapes {
    ($(
        $(#[$doc:meta])*
        $shape:ident $(($($part:ty),+))?: $value:ty;
        form |$of:ident| $form:expr;
        read |$own:ident, $key:ident, $found:ident| $read:expr;
        written |$text:ident| $written:expr;
    )+) => {$(
        $(#[$doc])*
        pub(super) struct $shape $(($(pub(super) $part),+))?;

        impl Shaped for $shape {
            fn form(&self) -> Form {
                let $of = self;
                $form
            }
        }

        impl Shape for $shape {
            type Value = $value;

            fn read(&self, $key: &'static str, $found: &DeValue<'_>) -> Result<$value, MistakeKind> {
                let $own = self;
                $read
            }

            fn written(&self, $text: &str) -> Option<$value> {
                $written
            }
        }
    )+};
}

shapes! {
    /// A text.
    Text: String;
    form |_own| Form::Text;
    read |_own, _key, value| table::text(value).map(str::to_owned);
    written |text| Some(text.to_owned());

    /// A number from the first to the second, both included.
    Count(u64, u64): u64;
    form |own| Form::Integer(i64::try_from(own.0).unwrap_or(i64::MAX), own.1);
    read |own, key, value| within(key, (own.0, own.1), table::integer(value));
    written |text| text.parse().ok();

    /// A number from the first to the second, both included; or, in the text of a scenario, a range of them.
    Numbers(u64, u64): u64;
    form |own| Form::Either(vec![Count(own.0, own.1).form(), Form::Text]);
    read |own, key, value| within(key, (own.0, own.1), table::integer(value));
    written |text| text.parse().ok();

    /// A number of bytes in a range.
    Size(u64, u64): u64;
    form |own| Form::Size(own.0, own.1);
    read |own, key, value| within(key, (own.0, own.1), table::size(value));
    written |text| text.parse().ok();

    /// A time.
    Time: SimDuration;
    form |_own| Form::Time;
    read |_own, _key, value| table::time(value);
    written |text| units::parse_duration(text).ok();

    /// A number of bytes per second, at least 1.
    Rate: u64;
    form |_own| Form::Rate;
    read |_own, key, value| within(key, (1, u64::MAX), table::bandwidth(value));
    written |text| units::parse_rate(text).ok();

    /// A probability.
    Probability: f64;
    form |_own| Form::Probability;
    read |_own, _key, value| table::probability(value);
    written |text| text.parse().ok();

    /// Yes or no.
    Flag: bool;
    form |_own| Form::Flag;
    read |_own, _key, value| table::boolean(value);
    written |text| text.parse().ok();
}

/// Returns a number that was read, if it is in its range.
fn within(
    what: &'static str,
    (minimum, maximum): (u64, u64),
    read: Result<u64, MistakeKind>,
) -> Result<u64, MistakeKind> {
    match read {
        Ok(value) if (minimum..=maximum).contains(&value) => Ok(value),
        Ok(_) | Err(MistakeKind::OutOfRange { .. }) => Err(MistakeKind::OutOfRange {
            what,
            minimum,
            maximum,
        }),
        Err(kind) => Err(kind),
    }
}

/// Marks a key that every table has.
pub(super) struct Required;

/// Marks a key that a table may omit, for which the reader has no single default.
pub(super) struct Optional;

/// The default of a key, as a file writes it without quotes.
pub(super) struct Default(pub(super) &'static str);

/// Whether a key is required.
pub(super) trait Presence {
    const REQUIRED: bool = false;
}

impl Presence for Required {
    const REQUIRED: bool = true;
}
impl Presence for Optional {}
impl Presence for Default {}

/// A key of a table, for the code that reads it. A key that no code reads is a field that the compiler reports.
pub(super) struct Key<S, A> {
    pub(super) name: &'static str,
    pub(super) shape: S,
    pub(super) absent: A,
}

impl<S, A: Presence> Key<S, A> {
    /// Returns the raw value, and reports a required key that is missing.
    pub(super) fn raw<'t>(
        &self,
        table: &Table<'t>,
        mistakes: &mut Mistakes,
    ) -> Option<&'t Spanned<DeValue<'t>>> {
        match A::REQUIRED {
            true => table.need(self.name, mistakes),
            false => table.value(self.name),
        }
    }

    /// Reads the key with a reader of its own. If the value has a mistake, reports it and treats the key as absent.
    pub(super) fn with<'t, T>(
        &self,
        table: &Table<'t>,
        read: impl FnOnce(&'t DeValue<'t>) -> Result<T, MistakeKind>,
        mistakes: &mut Mistakes,
    ) -> Option<Located<T>> {
        let raw = self.raw(table, mistakes)?;
        let value = mistakes.note(raw.span(), read(raw.get_ref()))?;
        let span = raw.span().into();
        Some(Located { value, span })
    }
}

impl<S: Shape, A: Presence> Key<S, A> {
    /// Reads the key. If the value has a mistake, reports it and treats the key as absent.
    pub(super) fn given(
        &self,
        table: &Table<'_>,
        mistakes: &mut Mistakes,
    ) -> Option<Located<S::Value>> {
        self.with(table, |value| self.shape.read(self.name, value), mistakes)
    }
}

impl<S: Shape> Key<S, Required> {
    /// Reads the key. A value with a mistake counts as `otherwise`, so that the other checks of the table still find
    /// theirs.
    pub(super) fn or(
        &self,
        otherwise: S::Value,
        table: &Table<'_>,
        mistakes: &mut Mistakes,
    ) -> Option<S::Value> {
        let raw = self.raw(table, mistakes)?;
        let read = self.shape.read(self.name, raw.get_ref());
        Some(mistakes.note(raw.span(), read).unwrap_or(otherwise))
    }
}

impl<S: Shape> Key<S, Default> {
    /// Reads the key, or else its default.
    pub(super) fn get(&self, table: &Table<'_>, mistakes: &mut Mistakes) -> S::Value {
        let given = self.given(table, mistakes).map(|given| given.value);
        given.unwrap_or_else(|| self.default())
    }

    /// Returns the default.
    pub(super) fn default(&self) -> S::Value {
        let default = self.shape.written(self.absent.0);
        default.expect("a test reads the default of every key")
    }
}

/// Declares tables of a scenario. A row is a key, its shape, and what holds without it: `required`, `= "DEFAULT"`, or
/// `or "WORDS FOR PEOPLE"`.
macro_rules! tables {
    ($(
        $TABLE:ident in $table:ident: $what:literal $(, one of [$($one:ident),+])? {$(
            $(#[doc = $meaning:literal])+
            $key:ident: $shape:ident $(<$of:ty>)? $(($($argument:expr),+))?, $word:ident $($text:literal)?;
        )+}
    )+) => {$(
        mod $table {
            use super::*;

            /// The keys of the table.
            pub(in super::super) struct Keys {
                pub(in super::super) section: &'static Section,
                $($(#[doc = $meaning])+ pub(in super::super) $key: Key<$shape $(<$of>)?, tables!(@type $word)>,)+
            }

            pub(super) const SECTION: &Section = &Section {
                what: $what,
                names: &[$(stringify!($key)),+],
                keys: &[$(Row {
                    name: stringify!($key),
                    meaning: concat!($($meaning),+),
                    absent: tables!(@absent $word $($text)?),
                    form: || $shape $(($($argument),+))?.form(),
                }),+],
                one_of: &[$($(stringify!($one)),+)?],
                each: None,
            };
        }

        pub(super) static $TABLE: $table::Keys = $table::Keys {
            section: $table::SECTION,
            $($key: Key {
                name: stringify!($key),
                shape: $shape $(($($argument),+))?,
                absent: tables!(@marker $word $($text)?),
            },)+
        };
    )+
        /// Every section whose keys have rows.
        pub const SECTIONS: &[&Section] = &[$($table::SECTION),+];

        #[cfg(test)]
        fn defaults_that_cannot_be_read() -> Vec<&'static str> {
            use super::key::Shape;
            let mut wrong = Vec::new();
            $($(tables!(@check wrong $TABLE $key $word);)+)+
            wrong
        }
    };
    (@type required) => { Required };
    (@type default) => { Default };
    (@type or) => { Optional };
    (@marker required) => { Required };
    (@marker default $text:literal) => { Default($text) };
    (@marker or $text:literal) => { Optional };
    (@absent required) => { Absent::Required };
    (@absent default $text:literal) => { Absent::Value($text) };
    (@absent or $text:literal) => { Absent::Said($text) };
    (@check $wrong:ident $TABLE:ident $key:ident default) => {
        if $TABLE.$key.shape.written($TABLE.$key.absent.0).is_none() {
            $wrong.push($TABLE.$key.name);
        }
    };
    (@check $wrong:ident $TABLE:ident $key:ident $word:ident) => {};
}

pub(super) use tables;
