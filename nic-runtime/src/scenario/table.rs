//! Readers for the tables and values of a scenario file. The readers record the place of each value and report unknown
//! keys.
//!
//! A derived `Deserialize` would stop at the first mistake, with the library's message. The readers in this module
//! collect all mistakes of a file, each with its place.

use nic_core::time::SimDuration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::form::Section;
use super::limits;
use super::mistake::{Mistake, MistakeKind};
use super::words::closest;
use crate::spec::Span;
use crate::units;

/// The mistakes found so far.
#[derive(Debug, Default)]
pub(super) struct Mistakes(Vec<Mistake>);

impl Mistakes {
    /// Adds a mistake. One that entries of a range have in common is a single mistake of the file.
    pub(super) fn add(&mut self, span: impl Into<Span>, kind: MistakeKind) {
        let span = span.into();
        let mistake = Mistake { span, kind };
        if self.0.len() < limits::MISTAKES_MAX && !self.0.contains(&mistake) {
            self.0.push(mistake);
        }
    }

    /// Adds the mistake, if there is one.
    pub(super) fn extend(&mut self, span: impl Into<Span>, kind: Option<MistakeKind>) {
        if let Some(kind) = kind {
            self.add(span, kind);
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

/// A table whose keys are read one by one.
pub(super) struct Table<'t> {
    table: &'t DeTable<'t>,
    section: &'static Section,
    /// Known keys that are similar to an unknown key of the table.
    misspelt: Vec<&'static str>,
    /// The table's place in the file.
    pub(super) span: Span,
}

impl<'t> Table<'t> {
    /// Starts to read a table, and reports all keys that its section does not have.
    pub(super) fn new(
        table: &'t DeTable<'t>,
        span: impl Into<Span>,
        section: &'static Section,
        mistakes: &mut Mistakes,
    ) -> Table<'t> {
        let known = section.names;
        let mut misspelt = Vec::new();
        for key in table.keys() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                let suggestion = closest(name, known.iter().copied());
                misspelt.extend(suggestion);
                mistakes.add(
                    key.span(),
                    MistakeKind::UnknownKey {
                        table: section.what,
                        known,
                        suggestion,
                    },
                );
            }
        }
        Table {
            table,
            section,
            misspelt,
            span: span.into(),
        }
    }

    /// Starts to read a value that must be a table.
    pub(super) fn of_value(
        value: &'t Spanned<DeValue<'t>>,
        section: &'static Section,
        mistakes: &mut Mistakes,
    ) -> Option<Table<'t>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(Table::new(table, value.span(), section, mistakes)),
            other => {
                mistakes.add(value.span(), wrong_type("a table", other));
                None
            }
        }
    }

    /// Returns the raw value of a key.
    #[must_use]
    pub(super) fn value(&self, key: &'static str) -> Option<&'t Spanned<DeValue<'t>>> {
        debug_assert!(
            self.section.names.contains(&key),
            "{key} is not a known key"
        );
        self.table.get(key)
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
            let table = self.section.what;
            mistakes.add(self.span, MistakeKind::MissingKey { table, key });
        }
        raw
    }

    /// Returns the entries of an array of tables, such as `[[nic]]`.
    pub(super) fn tables(
        &self,
        key: &'static str,
        section: &'static Section,
        limit: usize,
        mistakes: &mut Mistakes,
    ) -> Vec<Table<'t>> {
        self.entries(key, section.what, limit, mistakes)
            .iter()
            .filter_map(|entry| Table::of_value(entry, section, mistakes))
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
