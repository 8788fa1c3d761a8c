//! The keys of scenarios, with which an editor completes.

use std::collections::BTreeMap;

use nic_runtime::scenario::{Absent, Form, LISTS, Named, Row, SECTIONS, Section};
use serde::Serialize;

/// The sections of a scenario by what messages call them. The one for the whole scenario is called "the scenario".
pub(crate) type Sections = BTreeMap<&'static str, Vec<Key>>;

/// A key of a section.
#[derive(Serialize)]
pub(crate) struct Key {
    name: &'static str,
    /// What it means, and what holds without it.
    about: String,
    #[serde(flatten)]
    values: Values,
}

/// The values that a key may have, as far as an editor can propose them.
#[derive(Default, Serialize)]
struct Values {
    /// Words, which are written in quotes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<&'static str>,
    /// Values that are written without quotes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    plain: Vec<&'static str>,
    /// The table whose names it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    names_of: Option<&'static str>,
    /// The section of a table that it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<&'static str>,
    /// Whether the key takes a list of such tables.
    is_list: bool,
}

/// Returns the keys of all sections.
pub(crate) fn keys() -> Sections {
    let all = SECTIONS.iter().chain(LISTS);
    all.map(|section| (section.what, keys_of(section)))
        .collect()
}

fn keys_of(section: &Section) -> Vec<Key> {
    let listed = section.each.map(|each| {
        let key = move |name: &&'static str| Key {
            name,
            about: String::new(),
            values: Values::of(each()),
        };
        section.names.iter().map(key)
    });
    let described = section.keys.iter().map(key);
    described.chain(listed.into_iter().flatten()).collect()
}

fn key(row: &Row) -> Key {
    let absent = match row.absent {
        Absent::Required => "Required.".to_owned(),
        Absent::Value(value) => format!("Default: {value}."),
        Absent::Said("") => String::new(),
        Absent::Said(said) => format!("Default: {said}."),
    };
    Key {
        name: row.name,
        about: format!("{} {absent}", row.meaning.trim()).trim().to_owned(),
        values: Values::of((row.form)()),
    }
}

impl Values {
    fn of(form: Form) -> Values {
        let mut values = Values::default();
        values.add(form);
        values
    }

    fn add(&mut self, form: Form) {
        match form {
            Form::Words(words) => self.words.extend(words),
            Form::Flag => self.plain.extend(["true", "false"]),
            Form::NameOf(named) => {
                self.names_of = Some(match named {
                    Named::Nic => "nic",
                    // The names of two tables, as a regular expression has them.
                    Named::Node => "(?:nic|switch)",
                    Named::Endpoint => "endpoint",
                    Named::Process => "process",
                });
            }
            Form::Table(section, _) => self.section = Some(section.what),
            Form::List(of, ..) => {
                self.is_list = matches!(*of, Form::Table(..));
                self.add(*of);
            }
            Form::Either(forms) => forms.into_iter().for_each(|form| self.add(form)),
            Form::Text
            | Form::Name
            | Form::Integer(..)
            | Form::Size(..)
            | Form::Time
            | Form::Rate
            | Form::Probability
            | Form::Positive
            | Form::Map(_)
            | Form::Anything => {}
        }
    }
}
