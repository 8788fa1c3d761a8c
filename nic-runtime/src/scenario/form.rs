//! The sections and keys of a scenario as values, from which pages, schema and dictionaries are made.

use super::mistake::Named;

/// A kind of table in a scenario, with its keys.
#[derive(Debug)]
pub struct Section {
    /// The table, as messages name it.
    pub what: &'static str,
    /// The names of all its keys.
    pub names: &'static [&'static str],
    /// The keys of the section. A section whose keys all have the form `each` lists only names.
    pub keys: &'static [Row],
    /// The keys of which a table has exactly one; empty if there is no such rule.
    pub one_of: &'static [&'static str],
    /// The form of every key, if the section lists only names.
    pub each: Option<fn() -> Form>,
}

/// A key as the table of keys describes it.
#[derive(Debug)]
pub struct Row {
    /// Name of the key.
    pub name: &'static str,
    /// A sentence that says what the key means.
    pub meaning: &'static str,
    /// What holds if the key is absent.
    pub absent: Absent,
    /// Returns the form of the key's value.
    pub form: fn() -> Form,
}

/// What holds if a key is absent.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Absent {
    /// The key is required.
    Required,
    /// The key has this value, as a file writes it without quotes.
    Value(&'static str),
    /// These words for people say what holds.
    Said(&'static str),
}

/// The form of a value in a file.
#[derive(Clone, Debug)]
pub enum Form {
    /// A text.
    Text,
    /// A name that the table defines.
    Name,
    /// A name that another table defines.
    NameOf(Named),
    /// A number from the first to the second, both included.
    Integer(i64, u64),
    /// A number of bytes in this range, which may have a unit.
    Size(u64, u64),
    /// A time.
    Time,
    /// A number of bytes per second.
    Rate,
    /// A probability.
    Probability,
    /// A number above 0, whole or not.
    Positive,
    /// Yes or no.
    Flag,
    /// One of these words.
    Words(Vec<&'static str>),
    /// A table of this section, without some of its keys.
    Table(&'static Section, &'static [&'static str]),
    /// A table whose keys are names that the scenario or a class defines.
    Map(Box<Form>),
    /// A list of at least and at most so many values.
    List(Box<Form>, usize, usize),
    /// A table that another reader reads.
    Anything,
    /// Any of these.
    Either(Vec<Form>),
}

/// Returns the form of a list.
pub(super) fn list(of: Form, least: usize, most: usize) -> Form {
    Form::List(Box::new(of), least, most)
}
