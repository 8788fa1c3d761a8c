//! The columns of a table of runs, and how their fields are written as CSV and as JSON.

use std::borrow::Cow;
use std::collections::BTreeSet;

use toml::{Table, Value};

use super::plan::Plan;
use super::row::Row;
use crate::csv;

/// The columns before the values of a run.
const FIRST: [&str; 4] = ["jive", "plan", "run", "seed"];

/// The columns behind the metrics of a run.
const LAST: [&str; 3] = ["ended", "cut", "error"];

/// Checks that every column of a plan's table has a name of its own.
pub(super) fn check(plan: &Plan) -> Result<(), String> {
    let mut names: BTreeSet<&str> = FIRST.into_iter().chain(LAST).collect();
    for key in plan.keys() {
        if key == "seed" {
            return Err("expected `seeds`, found an axis `seed`".to_owned());
        }
        if key == "sweep" || key.starts_with("sweep.") {
            return Err("expected a key of the scenario, found `sweep`".to_owned());
        }
        if !names.insert(key) {
            return Err(format!("expected one axis `{key}`, found another one"));
        }
    }
    for metric in plan.collect() {
        if !names.insert(&metric.name) {
            let name = &metric.name;
            return Err(format!("expected `{name}` once in `collect`"));
        }
    }
    Ok(())
}

/// Returns the names of the columns, in their order.
pub(super) fn names(plan: &Plan) -> impl Iterator<Item = &str> {
    let metrics = plan.collect().iter().map(|metric| metric.name.as_str());
    let names = FIRST.into_iter().chain(plan.keys());
    names.chain(metrics).chain(LAST)
}

/// A field of a row.
enum Field<'r> {
    Text(&'r str),
    Whole(u64),
    Number(f64),
    Flag(bool),
    /// A value of an axis, as TOML writes it.
    Value(&'r str),
    Absent,
}

fn fields<'r>(plan: &'r Plan, row: &'r Row) -> Vec<Field<'r>> {
    let mut fields = vec![
        Field::Text(env!("CARGO_PKG_VERSION")),
        Field::Text(plan.digest()),
        Field::Whole(row.run),
        Field::Whole(row.seed),
    ];
    fields.extend(row.values.iter().map(|value| Field::Value(value)));
    let metrics = row.metrics.iter();
    fields.extend(metrics.map(|metric| metric.map_or(Field::Absent, Field::Number)));
    let text = |text: &'r Option<String>| text.as_deref().map_or(Field::Absent, Field::Text);
    fields.extend([text(&row.ended), Field::Flag(row.cut), text(&row.error)]);
    fields
}

/// Returns a value that TOML writes: a text without its quotes.
pub(super) fn shown(value: &str) -> String {
    match read(value) {
        Some(Value::String(text)) => text,
        _ => value.to_owned(),
    }
}

fn read(value: &str) -> Option<Value> {
    let mut table = format!("value = {value}").parse::<Table>().ok()?;
    table.remove("value")
}

/// Returns a row as a line of CSV.
pub(super) fn csv_row(plan: &Plan, row: &Row) -> String {
    let fields = fields(plan, row);
    csv::line::<Cow<'_, str>>(fields.into_iter().map(|field| match field {
        Field::Text(text) => text.into(),
        Field::Whole(number) => number.to_string().into(),
        Field::Number(number) => number.to_string().into(),
        Field::Flag(flag) => flag.to_string().into(),
        Field::Value(value) => shown(value).into(),
        Field::Absent => "".into(),
    }))
}

/// Returns a row as a JSON object whose keys are the names of the columns.
pub(super) fn json(plan: &Plan, row: &Row) -> String {
    let fields = fields(plan, row);
    let fields = fields.into_iter().map(|field| match field {
        Field::Text(text) => text.into(),
        Field::Whole(number) => number.into(),
        Field::Number(number) => number.into(),
        Field::Flag(flag) => flag.into(),
        Field::Value(value) => json_value(value),
        Field::Absent => serde_json::Value::Null,
    });
    json_object(names(plan).zip(fields))
}

/// Returns a value that TOML writes as JSON has it; what JSON cannot write is a text.
pub(super) fn json_value(value: &str) -> serde_json::Value {
    match read(value) {
        Some(Value::String(text)) => text.into(),
        Some(Value::Integer(number)) => number.into(),
        Some(Value::Float(number)) if number.is_finite() => number.into(),
        Some(Value::Boolean(flag)) => flag.into(),
        _ => value.into(),
    }
}

/// Writes an object whose keys keep their order.
pub(super) fn json_object<'k>(
    entries: impl Iterator<Item = (&'k str, serde_json::Value)>,
) -> String {
    let entries = entries.map(|(key, value)| format!("{}:{value}", serde_json::Value::from(key)));
    let entries: Vec<String> = entries.collect();
    format!("{{{}}}", entries.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_kinds() {
        for (value, text, json) in [
            ("0.10", "0.10", "0.1"),
            ("\"1us\"", "1us", "\"1us\""),
            ("'a \"b\"'", "a \"b\"", "\"a \\\"b\\\"\""),
            ("-3", "-3", "-3"),
            ("true", "true", "true"),
            ("inf", "inf", "\"inf\""),
            ("[1, 2]", "[1, 2]", "\"[1, 2]\""),
        ] {
            assert_eq!(shown(value), text);
            assert_eq!(json_value(value).to_string(), json);
        }
    }
}
