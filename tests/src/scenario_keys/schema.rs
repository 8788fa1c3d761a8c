//! `docs/scenario.schema.json`: the JSON schema with which editors check and complete scenarios.

use nic_runtime::scenario::{Absent, Form, Row, SECTIONS, Section, limits};
use serde_json::{Map, Value, json};

/// Returns the schema, in JSON Schema draft 7, which editors of TOML know.
///
/// # Panics
///
/// Panics if the table of keys has no section for the whole scenario.
#[must_use]
pub fn schema() -> String {
    let root = SECTIONS.iter().find(|it| it.what == "the scenario");
    let mut schema = table(root.expect("a scenario has keys"), &[], Ranges::None);
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!("JIVE scenario");
    let about =
        "A scenario of `jive run` (docs/scenario.md). What holds between keys, `jive` checks.";
    schema["description"] = json!(about);
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text + "\n"
}

/// Whether a text such as `"{0..3}"` may stand in the place of a number, as in the tables in double brackets.
#[derive(Copy, Clone, PartialEq)]
enum Ranges {
    None,
    Numbers,
}

fn table(section: &Section, without: &[&str], ranges: Ranges) -> Value {
    let mut properties = Map::new();
    let rows = section
        .keys
        .iter()
        .filter(|row| !without.contains(&row.name));
    properties.extend(
        rows.clone()
            .map(|row| (row.name.to_owned(), key(row, ranges))),
    );
    if let Some(each) = section.each {
        let names = section.names.iter();
        properties.extend(names.map(|name| ((*name).to_owned(), value(each(), ranges))));
    }
    let required: Vec<&str> = rows
        .filter(|row| row.absent == Absent::Required)
        .map(|row| row.name)
        .collect();
    let mut table = json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        table["required"] = json!(required);
    }
    let one_of = section.one_of.iter().filter(|key| !without.contains(*key));
    let one_of: Vec<Value> = one_of.map(|key| json!({ "required": [key] })).collect();
    if !one_of.is_empty() {
        table["oneOf"] = json!(one_of);
    }
    table
}

fn key(row: &Row, ranges: Ranges) -> Value {
    let mut schema = value((row.form)(), ranges);
    schema["description"] = json!(plain(row.meaning.trim()));
    if let Absent::Value(written) = row.absent {
        let is_quoted = matches!(
            (row.form)(),
            Form::Text | Form::Name | Form::NameOf(_) | Form::Time | Form::Rate | Form::Words(_)
        );
        schema["default"] = match serde_json::from_str(written) {
            Ok(value) if !is_quoted => value,
            _ => json!(written),
        };
    }
    schema
}

/// Returns Markdown without its links.
fn plain(text: &str) -> String {
    let mut parts = text.split('[');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once("](") {
            Some((shown, rest)) => {
                plain += shown;
                plain += rest.split_once(')').map_or("", |(_, rest)| rest);
            }
            None => {
                plain.push('[');
                plain += part;
            }
        }
    }
    plain
}

/// A decimal number with one of these units.
fn quantity(units: &str) -> Value {
    json!({
        "type": "string",
        "pattern": format!(r"^\s*[0-9]+(\.[0-9]+)?\s*({units})\s*$"),
    })
}

fn integer(minimum: i64, maximum: u64) -> Value {
    let mut integer = json!({ "type": "integer", "minimum": minimum });
    if maximum < u64::MAX {
        integer["maximum"] = json!(maximum);
    }
    integer
}

fn value(form: Form, ranges: Ranges) -> Value {
    match form {
        Form::Text => json!({ "type": "string" }),
        // The limit counts bytes, and a character has at least one.
        Form::Name | Form::NameOf(_) => json!({
            "type": "string",
            "minLength": 1,
            "maxLength": limits::NAME_BYTES_MAX,
        }),
        Form::Integer(minimum, maximum) if ranges == Ranges::Numbers => {
            let range = json!({ "type": "string", "pattern": r"^\{[0-9]+\.\.[0-9]+\}$" });
            json!({ "anyOf": [integer(minimum, maximum), range] })
        }
        Form::Integer(minimum, maximum) => integer(minimum, maximum),
        Form::Size(minimum, maximum) => {
            let minimum = i64::try_from(minimum).unwrap_or(i64::MAX);
            let alternatives = [integer(minimum, maximum), quantity("B|KB|MB|KiB|MiB")];
            json!({ "anyOf": alternatives })
        }
        Form::Time => quantity("ps|ns|us|ms|s"),
        Form::Rate => quantity("B/s|KB/s|MB/s|GB/s|KiB/s|MiB/s"),
        Form::Probability => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        Form::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
        Form::Flag => json!({ "type": "boolean" }),
        Form::Words(words) => json!({ "type": "string", "enum": words }),
        Form::Anything => json!({ "type": "object" }),
        Form::Table(section, without) => table(section, without, ranges),
        Form::Map(of) => json!({ "type": "object", "additionalProperties": value(*of, ranges) }),
        Form::List(of, least, most) => {
            let ranges = match *of {
                Form::Table(..) => Ranges::Numbers,
                _ => ranges,
            };
            let items = value(*of, ranges);
            let mut list = json!({ "type": "array", "items": items, "minItems": least });
            if most < usize::MAX {
                list["maxItems"] = json!(most);
            }
            list
        }
        Form::Either(forms) => {
            let forms = forms.into_iter().map(|form| value(form, ranges));
            let forms: Vec<Value> = forms.collect();
            json!({ "anyOf": forms })
        }
    }
}
