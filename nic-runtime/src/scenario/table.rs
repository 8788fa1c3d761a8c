//! Readers for the tables and values of a scenario file. The readers record the place of each value and report unknown
//! keys.
//!
//! A derived `Deserialize` would stop at the first mistake, with the library's message. The readers in this module
//! collect all mistakes of a file, each with its place.

use nic_core::time::SimDuration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::limits;
use super::mistake::{Mistake, MistakeKind};
use super::words::closest;
use crate::spec::Span;
use crate::units;

/// The mistakes found so far.
#[derive(Debug, Default)]
pub(super) struct Mistakes(Vec<Mistake>);

impl Mistakes {
    /// Adds a mistake.
    pub(super) fn add(&mut self, span: impl Into<Span>, kind: MistakeKind) {
        if self.0.len() < limits::MISTAKES_MAX {
            let span = span.into();
            self.0.push(Mistake { span, kind });
        }
    }

    /// Returns how many mistakes were found so far.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds the mistake if reading a value failed, and returns the value if reading succeeded.
    pub(super) fn note<T>(
        &mut self,
        span: impl Into<Span>,
        read: Result<T, MistakeKind>,
    ) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(kind) => {
                self.add(span, kind);
                None
            }
        }
    }

    /// Returns whether there are no mistakes.
    #[must_use]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the mistakes in the order of their places.
    #[must_use]
    pub(super) fn into_sorted(mut self) -> Vec<Mistake> {
        self.0.sort_by_key(|mistake| mistake.span);
        self.0
    }
}

/// A value and its place.
#[derive(Copy, Clone, Debug)]
pub(super) struct Located<T> {
    /// The value.
    pub(super) value: T,
    /// The value's place in the file.
    pub(super) span: Span,
}

/// Converts a TOML value to a value of the scenario.
pub(super) type Reader<'t, T> = fn(&'t DeValue<'t>) -> Result<T, MistakeKind>;

/// A table whose keys are read one by one.
pub(super) struct Table<'t> {
    table: &'t DeTable<'t>,
    what: &'static str,
    known: &'static [&'static str],
    /// Known keys that are similar to an unknown key of the table.
    misspelt: Vec<&'static str>,
    /// The table's place in the file.
    pub(super) span: Span,
}

impl<'t> Table<'t> {
    /// Starts to read a table, and reports all keys that are not in `known`.
    pub(super) fn new(
        table: &'t DeTable<'t>,
        span: impl Into<Span>,
        what: &'static str,
        known: &'static [&'static str],
        mistakes: &mut Mistakes,
    ) -> Table<'t> {
        let mut misspelt = Vec::new();
        for key in table.keys() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                let suggestion = closest(name, known.iter().copied());
                misspelt.extend(suggestion);
                mistakes.add(
                    key.span(),
                    MistakeKind::UnknownKey {
                        table: what,
                        known,
                        suggestion,
                    },
                );
            }
        }
        Table {
            table,
            what,
            known,
            misspelt,
            span: span.into(),
        }
    }

    /// Starts to read a value that must be a table.
    pub(super) fn of_value(
        value: &'t Spanned<DeValue<'t>>,
        what: &'static str,
        known: &'static [&'static str],
        mistakes: &mut Mistakes,
    ) -> Option<Table<'t>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(Table::new(table, value.span(), what, known, mistakes)),
            other => {
                mistakes.add(value.span(), wrong_type("a table", other));
                None
            }
        }
    }

    /// Returns the raw value of a key.
    #[must_use]
    pub(super) fn value(&self, key: &'static str) -> Option<&'t Spanned<DeValue<'t>>> {
        debug_assert!(self.known.contains(&key), "{key} is not a known key");
        self.table.get(key)
    }

    /// Reads an optional key. If the key's value has a mistake, reports the mistake and treats the key as absent.
    pub(super) fn optional<T>(
        &self,
        key: &'static str,
        read: Reader<'t, T>,
        mistakes: &mut Mistakes,
    ) -> Option<Located<T>> {
        let raw = self.value(key)?;
        let value = mistakes.note(raw.span(), read(raw.get_ref()))?;
        let span = raw.span().into();
        Some(Located { value, span })
    }

    /// Reads a required key.
    pub(super) fn required<T>(
        &self,
        key: &'static str,
        read: Reader<'t, T>,
        mistakes: &mut Mistakes,
    ) -> Option<Located<T>> {
        self.need(key, mistakes)?;
        self.optional(key, read, mistakes)
    }

    /// Returns the raw value of a required key.
    pub(super) fn need(
        &self,
        key: &'static str,
        mistakes: &mut Mistakes,
    ) -> Option<&'t Spanned<DeValue<'t>>> {
        let raw = self.value(key);
        // A misspelt key has been reported as unknown; do not report it as missing too.
        if raw.is_none() && !self.misspelt.contains(&key) {
            let table = self.what;
            mistakes.add(self.span, MistakeKind::MissingKey { table, key });
        }
        raw
    }

    /// Reads an optional number with a range and a default.
    pub(super) fn number(
        &self,
        key: &'static str,
        default: u64,
        range: std::ops::RangeInclusive<u64>,
        read: Reader<'t, u64>,
        mistakes: &mut Mistakes,
    ) -> u64 {
        let Some(raw) = self.value(key) else {
            return default;
        };
        match read(raw.get_ref()) {
            Ok(value) if range.contains(&value) => return value,
            Ok(_) | Err(MistakeKind::OutOfRange { .. }) => {
                let kind = MistakeKind::OutOfRange {
                    what: key,
                    minimum: *range.start(),
                    maximum: *range.end(),
                };
                mistakes.add(raw.span(), kind);
            }
            Err(kind) => mistakes.add(raw.span(), kind),
        }
        default
    }

    /// Returns the entries of an array of tables, such as `[[nic]]`.
    pub(super) fn tables(
        &self,
        key: &'static str,
        what: &'static str,
        known: &'static [&'static str],
        limit: usize,
        mistakes: &mut Mistakes,
    ) -> Vec<Table<'t>> {
        self.entries(key, what, limit, mistakes)
            .iter()
            .filter_map(|entry| Table::of_value(entry, what, known, mistakes))
            .collect()
    }

    /// Returns the raw entries of an array. If an array has too many entries, reports a mistake and returns no entries.
    pub(super) fn entries(
        &self,
        key: &'static str,
        what: &'static str,
        limit: usize,
        mistakes: &mut Mistakes,
    ) -> &'t [Spanned<DeValue<'t>>] {
        let Some(raw) = self.value(key) else {
            return &[];
        };
        match raw.get_ref() {
            DeValue::Array(entries) if entries.len() > limit => {
                let limit = limit as u64;
                mistakes.add(raw.span(), MistakeKind::TooMany { what, limit });
                &[]
            }
            DeValue::Array(entries) => entries,
            other => {
                mistakes.add(raw.span(), wrong_type("an array of tables", other));
                &[]
            }
        }
    }
}

/// Returns the first column of a table of words.
pub(super) const fn keys<T, const N: usize>(rows: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut keys = [""; N];
    let mut index = 0;
    while index < N {
        keys[index] = rows[index].0;
        index += 1;
    }
    keys
}

/// Returns the mistake for a value of the wrong type.
#[must_use]
pub(super) fn wrong_type(expected: &'static str, found: &DeValue<'_>) -> MistakeKind {
    let found = match found {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    };
    MistakeKind::WrongType { expected, found }
}

/// Reads a string.
///
/// # Errors
///
/// Returns a mistake if the value is not a string; every reader in this file refuses a value of another type.
pub(super) fn text<'t>(value: &'t DeValue<'t>) -> Result<&'t str, MistakeKind> {
    match value {
        DeValue::String(text) => Ok(text),
        other => Err(wrong_type("a string", other)),
    }
}

/// Reads a boolean.
pub(super) fn boolean(value: &DeValue<'_>) -> Result<bool, MistakeKind> {
    match value {
        DeValue::Boolean(value) => Ok(*value),
        other => Err(wrong_type("a boolean", other)),
    }
}

/// Reads an integer from 0 to 2⁶⁴-1.
pub(super) fn integer(value: &DeValue<'_>) -> Result<u64, MistakeKind> {
    match value {
        DeValue::Integer(digits) => {
            u64::from_str_radix(digits.as_str(), digits.radix()).map_err(|_| {
                MistakeKind::OutOfRange {
                    what: "the number",
                    minimum: 0,
                    maximum: u64::MAX,
                }
            })
        }
        other => Err(wrong_type("an integer", other)),
    }
}

/// Reads a size in bytes: an integer, or a number with a unit.
pub(super) fn size(value: &DeValue<'_>) -> Result<u64, MistakeKind> {
    match value {
        DeValue::String(text) => Ok(units::parse_size(text)?),
        DeValue::Integer(_) => integer(value),
        other => Err(wrong_type("a size such as 4096 or \"256KiB\"", other)),
    }
}

/// Reads a time with its unit.
pub(super) fn time(value: &DeValue<'_>) -> Result<SimDuration, MistakeKind> {
    match value {
        DeValue::String(text) => Ok(units::parse_duration(text)?),
        other => Err(wrong_type("a time such as \"500ns\"", other)),
    }
}

/// Reads a bandwidth with its unit, in bytes per second.
pub(super) fn bandwidth(value: &DeValue<'_>) -> Result<u64, MistakeKind> {
    match value {
        DeValue::String(text) => Ok(units::parse_rate(text)?),
        other => Err(wrong_type("a bandwidth such as \"160MB/s\"", other)),
    }
}

/// Reads a probability.
pub(super) fn probability(value: &DeValue<'_>) -> Result<f64, MistakeKind> {
    let digits = match value {
        DeValue::Float(float) => float.as_str(),
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
        other => return Err(wrong_type("a probability such as 0.3", other)),
    };
    match digits.parse::<f64>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        Ok(_) | Err(_) => Err(MistakeKind::Probability),
    }
}

/// Reads a word of a fixed set of words, and returns the value that belongs to the word.
pub(super) fn choice<T: Copy>(
    table: &Table<'_>,
    key: &'static str,
    choices: &[(&'static str, T)],
    known: &'static [&'static str],
    mistakes: &mut Mistakes,
) -> Option<T> {
    let given = table.optional(key, text, mistakes)?;
    let found = choices.iter().find(|(word, _)| *word == given.value);
    if found.is_none() {
        let suggestion = closest(given.value, known.iter().copied());
        mistakes.add(given.span, MistakeKind::UnknownChoice { known, suggestion });
    }
    found.map(|(_, meaning)| *meaning)
}
