//! Sets values in the text of a scenario by the place of their key: `link.0.loss`, `endpoint.client.fuel`, `seed`.

use jive_embed::plain_text;
use toml::{Table, Value};

use super::form::{Form, Section};
use super::keys::ROOT;
use super::ranges;
use super::words::closest;

/// The key by whose value an entry of a list is named.
const NAME: &str = "name";

/// Why a value cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetError {
    /// The text of the scenario is not TOML.
    #[error("expected a scenario in TOML, found {0}")]
    Syntax(String),
    /// The place is no dotted key of TOML.
    #[error("expected a place such as `link.0.loss`, found `{place}`")]
    Place {
        /// The place as it was given.
        place: String,
    },
    /// A table has no such key.
    #[error("expected a key of {table}, found `{key}`{}", did_you_mean(.suggestion.as_deref()))]
    Key {
        /// The table, as messages name it.
        table: &'static str,
        /// The key as it was given.
        key: String,
        /// The key that was probably meant.
        suggestion: Option<String>,
    },
    /// A list has no such entry.
    #[error("expected the name or the number, from 0, of one of {count} entries of `{list}`, found `{entry}`{}",
            did_you_mean(.suggestion.as_deref()))]
    Entry {
        /// The place of the list.
        list: String,
        /// How many entries the list has.
        count: usize,
        /// The entry as it was given.
        entry: String,
        /// The name that was probably meant.
        suggestion: Option<String>,
    },
    /// The entry is one of those for which an entry with ranges stands.
    #[error(
        "`{entry}` is one of `{list}.'{range}'`, which are set together; to set it alone, write the scenario out first with \
         `jive run --expand`"
    )]
    OneOfRange {
        /// The place of the list.
        list: String,
        /// The entry as it was given.
        entry: String,
        /// The name with ranges.
        range: String,
    },
    /// The list has entries of a topology, and not this one.
    #[error(
        "the entries of `{list}` are those of `[topology]`, which are set together by `topology.{list}`; to set one alone, \
         write the scenario out first with `jive run --expand`"
    )]
    OfTopology {
        /// The place of the list.
        list: String,
    },
    /// The place goes on behind a value that has no parts.
    #[error("expected a place that ends with `{place}`, which has no parts")]
    TooLong {
        /// The place of the value.
        place: String,
    },
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map_or(String::new(), |word| format!("; did you mean `{word}`?"))
}

/// The text of a scenario in which values can be set.
#[derive(Clone, Debug)]
pub struct Settable(Table);

impl Settable {
    /// Reads the text of a scenario.
    ///
    /// # Errors
    ///
    /// Returns [`SetError::Syntax`] if the text is not TOML.
    pub fn new(bytes: &[u8]) -> Result<Settable, SetError> {
        let text = plain_text::plain(bytes).map_err(|error| SetError::Syntax(error.to_string()))?;
        let table = text
            .parse()
            .map_err(|error: toml::de::Error| SetError::Syntax(error.message().to_owned()))?;
        Ok(Settable(table))
    }

    /// Sets the value at a place, which is a dotted key. An entry of a list is named by its number or its `name`. The
    /// value is written as in a scenario; what is not TOML counts as text, so that `until=5s` needs no quotes.
    ///
    /// # Errors
    ///
    /// Returns an error if no scenario has such a place. Whether the value fits the key is found when the scenario is
    /// read.
    pub fn set(&mut self, place: &str, value: &str) -> Result<(), SetError> {
        let parts = parts(place)?;
        let value = read(value);
        let form = Form::Table(ROOT.section, &[]);
        let has_topology = self.0.contains_key(ROOT.topology.name);
        let mut root = Value::Table(std::mem::take(&mut self.0));
        let done = put(&mut root, &form, (&parts, 0), value);
        if let Value::Table(root) = root {
            self.0 = root;
        }
        done.map_err(|error| match error {
            SetError::Entry { list, .. }
                if has_topology && [ROOT.switch.name, ROOT.link.name].contains(&list.as_str()) =>
            {
                SetError::OfTopology { list }
            }
            other => other,
        })
    }

    /// Removes a key of the scenario itself, and returns its value.
    pub fn take(&mut self, key: &str) -> Option<Value> {
        self.0.remove(key)
    }

    /// Returns the text, in which every comment is lost.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.to_string()
    }
}

/// Returns the parts of a dotted key.
fn parts(place: &str) -> Result<Vec<String>, SetError> {
    let wrong = || SetError::Place {
        place: place.to_owned(),
    };
    let mut table: Table = format!("{place} = 0").parse().map_err(|_| wrong())?;
    let mut parts = Vec::new();
    loop {
        let mut entries = std::mem::take(&mut table).into_iter();
        let (Some((key, value)), None) = (entries.next(), entries.next()) else {
            return Err(wrong());
        };
        parts.push(key);
        match value {
            Value::Table(inner) => table = inner,
            Value::Integer(0) => return Ok(parts),
            _ => return Err(wrong()),
        }
    }
}

/// Reads a value as TOML, or else as text.
fn read(text: &str) -> Value {
    let table = format!("value = {text}").parse::<Table>();
    let value = table.ok().filter(|table| table.len() == 1);
    let value = value.and_then(|mut table| table.remove("value"));
    value.unwrap_or_else(|| Value::String(text.to_owned()))
}

/// Puts a value at the rest of a place, which begins at the part with this number.
fn put(
    node: &mut Value,
    form: &Form,
    (parts, at): (&[String], usize),
    value: Value,
) -> Result<(), SetError> {
    let Some(part) = parts.get(at) else {
        *node = fitted(value, form);
        return Ok(());
    };
    let here = || parts[..at].join(".");
    match form {
        Form::Table(section, _) => {
            let form = form_of(section, part)?;
            put(entry(node, part), &form, (parts, at + 1), value)
        }
        Form::Map(of) => put(entry(node, part), of, (parts, at + 1), value),
        Form::List(of, ..) => {
            let Value::Array(list) = node else {
                return Err(no_entry(&here(), part, &[]));
            };
            let named = |entry: &Value| entry.get(NAME).and_then(Value::as_str) == Some(part);
            let number = part.parse().ok().filter(|number| *number < list.len());
            let Some(number) = list.iter().position(named).or(number) else {
                return Err(no_entry(&here(), part, list));
            };
            put(&mut list[number], of, (parts, at + 1), value)
        }
        Form::Either(forms) => {
            let has_parts = |form: &&Form| {
                matches!(
                    (form, &*node),
                    (Form::List(..), Value::Array(_))
                        | (Form::Table(..) | Form::Map(_), Value::Table(_))
                )
            };
            let empty = |form: &&Form| matches!(form, Form::Table(..) | Form::Map(_));
            let mut all = forms.iter();
            let found = all.clone().find(has_parts).or_else(|| all.find(empty));
            match found {
                Some(form) => put(node, form, (parts, at), value),
                None => Err(SetError::TooLong { place: here() }),
            }
        }
        Form::Text
        | Form::Name
        | Form::NameOf(_)
        | Form::Integer(..)
        | Form::Size(..)
        | Form::Time
        | Form::Rate
        | Form::Probability
        | Form::Positive
        | Form::Flag
        | Form::Anything
        | Form::Words(_) => Err(SetError::TooLong { place: here() }),
    }
}

/// Returns a value as its key has it: a text may look like a number.
fn fitted(value: Value, form: &Form) -> Value {
    match (form, &value) {
        (
            Form::Text | Form::Name | Form::NameOf(_) | Form::Words(_),
            Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_),
        ) => Value::String(value.to_string()),
        _ => value,
    }
}

fn form_of(section: &'static Section, key: &str) -> Result<Form, SetError> {
    if let Some(row) = section.keys.iter().find(|row| row.name == key) {
        return Ok((row.form)());
    }
    match section.each {
        Some(each) if section.names.contains(&key) => Ok(each()),
        _ => Err(SetError::Key {
            table: section.what,
            key: key.to_owned(),
            suggestion: closest(key, section.names.iter().copied()).map(str::to_owned),
        }),
    }
}

/// Returns an entry of a table, which is made if it is missing.
fn entry<'v>(node: &'v mut Value, key: &str) -> &'v mut Value {
    if !node.is_table() {
        *node = Value::Table(Table::new());
    }
    let Value::Table(table) = node else {
        unreachable!("it was just made a table");
    };
    table
        .entry(key)
        .or_insert_with(|| Value::Table(Table::new()))
}

fn no_entry(list: &str, entry: &str, entries: &[Value]) -> SetError {
    let names = entries.iter().filter_map(|entry| entry.get(NAME)?.as_str());
    if let Some(range) = names.clone().find(|name| ranges::has_member(name, entry)) {
        return SetError::OneOfRange {
            list: list.to_owned(),
            entry: entry.to_owned(),
            range: range.to_owned(),
        };
    }
    let near = |name: &&str| strsim::osa_distance(name, entry) <= 2;
    let nearest = names
        .filter(near)
        .min_by_key(|name| strsim::osa_distance(name, entry));
    SetError::Entry {
        list: list.to_owned(),
        count: entries.len(),
        entry: entry.to_owned(),
        suggestion: nearest.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{builtin, parse};

    fn set(settings: &[(&str, &str)]) -> Result<String, SetError> {
        let text = builtin("contract").expect("it is shipped").text;
        let mut settable = Settable::new(text.as_bytes())?;
        for (place, value) in settings {
            settable.set(place, value)?;
        }
        Ok(settable.text())
    }

    #[test]
    fn keys_are_set_by_number_and_by_name() {
        let text = set(&[
            ("seed", "7"),
            ("until", "5ms"),
            ("nic.0.sram", "\"512KiB\""),
            ("endpoint.server.fuel", "500"),
            ("endpoint.server.free_buffers.count", "3"),
            ("send.0.repeat", "9"),
        ]);
        let text = text.expect("these keys exist");
        let scenario = parse(text.as_bytes(), None, None).expect("it is a scenario");
        assert_eq!((scenario.seed, scenario.until.as_ns()), (7, 5_000_000));
        assert_eq!(scenario.nics[0].sram, 512 * 1024);
        let server = scenario.endpoints.iter().find(|spec| spec.name == "server");
        let server = server.expect("it has a server");
        assert_eq!((server.fuel, server.free_buffer_count), (500, 3));
        assert_eq!(scenario.sends[0].repeat, 9);
    }

    #[test]
    fn a_scenario_without_settings_stays_the_same() {
        for builtin in crate::scenario::BUILTIN {
            let text = Settable::new(builtin.text.as_bytes())
                .expect("it is TOML")
                .text();
            let [mut before, mut after] = [builtin.text, &text]
                .map(|text| parse(text.as_bytes(), None, None).expect("it is a scenario"));
            for scenario in [&mut before, &mut after] {
                for nic in &mut scenario.nics {
                    nic.sram_place = crate::spec::Span { start: 0, end: 0 };
                    nic.processors_place = crate::spec::Span { start: 0, end: 0 };
                }
                for expectation in &mut scenario.expectations {
                    expectation.place = crate::spec::Span { start: 0, end: 0 };
                }
            }
            assert_eq!(
                format!("{before:?}"),
                format!("{after:?}"),
                "{}",
                builtin.name
            );
        }
    }

    #[test]
    fn places_that_there_are_not_are_answered_with_the_nearest() {
        let said = |place, value| set(&[(place, value)]).expect_err(place).to_string();
        assert_eq!(
            said("endpoint.server.fule", "1"),
            "expected a key of `[[endpoint]]`, found `fule`; did you mean `fuel`?"
        );
        assert_eq!(
            said("sede", "1"),
            "expected a key of the scenario, found `sede`; did you mean `seed`?"
        );
        let entry = said("endpoint.servr.fuel", "1");
        assert!(
            entry.ends_with("found `servr`; did you mean `server`?"),
            "{entry}"
        );
        assert!(said("endpoint.99.fuel", "1").contains("found `99`"));
        assert_eq!(
            said("seed.x", "1"),
            "expected a place that ends with `seed`, which has no parts"
        );
        for place in ["", ".", "a b", "a = 1\nb", "seed=1\nuntil"] {
            assert!(
                matches!(set(&[(place, "1")]), Err(SetError::Place { .. })),
                "{place:?}"
            );
        }
    }

    #[test]
    fn a_value_cannot_set_another_key() {
        let text = set(&[("until", "5\nseed = 9")]).expect("it is a text");
        assert!(parse(text.as_bytes(), None, None).is_err());
    }
}
