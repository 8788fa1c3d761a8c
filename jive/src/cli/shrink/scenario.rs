//! Reduces a scenario: its tables, keys, arrays, numbers and texts.

use std::collections::BTreeSet;

use jive_embed::plain_text;
use jive_lab::shrink::{Search, bytes};
use toml::{Table, Value};

/// A place in a TOML document: keys, and positions in arrays.
type Path = Vec<Step>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Position(usize),
}

/// Reduces a scenario. A file that is not TOML, or that is no longer interesting after it was written again as TOML, is
/// reduced as bytes.
pub(super) fn scenario(search: &mut Search<'_>) {
    let text = plain_text::plain(search.best()).ok();
    let Some(mut document) = text.and_then(|text| text.parse::<Table>().ok()) else {
        return bytes(search);
    };
    if !build(&document).is_some_and(|built| search.accepts(built)) {
        if !search.is_over() {
            bytes(search);
        }
        return;
    }
    search.repeat(|search| {
        without_names(&mut document, search);
        shorter_arrays(&mut document, search);
        without_keys(&mut document, search);
        simpler_values(&mut document, search);
    });
}

fn build(document: &Table) -> Option<Vec<u8>> {
    toml::to_string(document).ok().map(String::into_bytes)
}

/// Replaces the TOML document by a smaller one if this one is interesting, too.
fn replace(document: &mut Table, by: Table, search: &mut Search<'_>) -> bool {
    let is_kept = build(&by).is_some_and(|built| search.accepts(built));
    if is_kept {
        *document = by;
    }
    is_kept
}

/// Removes a NIC, an endpoint or another named table, together with all tables that refer to it.
fn without_names(document: &mut Table, search: &mut Search<'_>) {
    let names: Vec<String> = tables(document)
        .filter_map(|table| table.get("name")?.as_str().map(str::to_owned))
        .collect();
    for name in names {
        if search.is_over() {
            return;
        }
        replace(document, without(document, name), search);
    }
}

/// Returns the tables of all arrays of tables in the scenario.
fn tables(document: &Table) -> impl Iterator<Item = &Table> {
    let arrays = document.values().filter_map(Value::as_array);
    arrays.flatten().filter_map(Value::as_table)
}

/// Returns the scenario without the tables that have or mention a name, or the name of a table removed with them.
fn without(document: &Table, name: String) -> Table {
    let mut names = BTreeSet::from([name]);
    loop {
        let gone = tables(document).filter(|table| mentions(table, &names));
        let more = gone.filter_map(|table| table.get("name")?.as_str().map(str::to_owned));
        let all: BTreeSet<String> = names.iter().cloned().chain(more).collect();
        if all.len() == names.len() {
            break;
        }
        names = all;
    }
    let mut rest = document.clone();
    for array in rest
        .iter_mut()
        .filter_map(|(_, value)| value.as_array_mut())
    {
        array.retain(|value| {
            !value
                .as_table()
                .is_some_and(|table| mentions(table, &names))
        });
    }
    rest.retain(|_, value| value.as_array().is_none_or(|array| !array.is_empty()));
    rest
}

/// Returns whether a table has one of the names as a key or as a value.
fn mentions(table: &Table, names: &BTreeSet<String>) -> bool {
    table.iter().any(|(key, value)| {
        let is_value = value.as_str().is_some_and(|text| names.contains(text));
        names.contains(key) || is_value
    })
}

/// Removes elements of arrays, beginning with the outer arrays.
fn shorter_arrays(document: &mut Table, search: &mut Search<'_>) {
    for path in paths(document) {
        let Some(mut array) = at(document, &path).and_then(Value::as_array).cloned() else {
            continue;
        };
        let whole = document.clone();
        search.remove_runs(&mut array, |shorter| build(&with(&whole, &path, shorter)?));
        if let Some(shorter) = with(&whole, &path, &array) {
            *document = shorter;
        }
    }
}

fn with(document: &Table, path: &[Step], array: &[Value]) -> Option<Table> {
    let mut changed = document.clone();
    *at_mut(&mut changed, path)? = Value::Array(array.to_vec());
    Some(changed)
}

/// Removes keys of tables, beginning with the outer tables.
fn without_keys(document: &mut Table, search: &mut Search<'_>) {
    for path in paths(document) {
        if search.is_over() {
            return;
        }
        let Some((Step::Key(key), owner)) = path.split_last() else {
            continue;
        };
        let mut changed = document.clone();
        let removed = match owner {
            [] => changed.remove(key),
            _ => at_mut(&mut changed, owner)
                .and_then(Value::as_table_mut)
                .and_then(|table| table.remove(key)),
        };
        if removed.is_some() {
            replace(document, changed, search);
        }
    }
}

/// Lowers numbers, and shortens texts.
fn simpler_values(document: &mut Table, search: &mut Search<'_>) {
    for path in paths(document) {
        while let Some(value) = at(document, &path) {
            let simpler = simpler(value);
            let found = simpler.into_iter().any(|simpler| {
                let mut changed = document.clone();
                let Some(place) = at_mut(&mut changed, &path) else {
                    return false;
                };
                *place = simpler;
                replace(document, changed, search)
            });
            if !found || search.is_over() {
                break;
            }
        }
    }
}

/// Returns simpler values of the same type, the simplest first.
fn simpler(value: &Value) -> Vec<Value> {
    match value {
        Value::Integer(number) => {
            let smaller = [0, 1, number / 2, number - number.signum()];
            let is_smaller = |smaller: &i64| smaller.unsigned_abs() < number.unsigned_abs();
            let smaller = smaller.into_iter().filter(is_smaller);
            smaller.map(Value::Integer).collect()
        }
        Value::String(text) => {
            let count = text.chars().count();
            let lengths = [0, 1, count / 2, count.saturating_sub(1)];
            let shorter = lengths.into_iter().filter(|length| *length < count);
            let first = |length| Value::String(text.chars().take(length).collect());
            shorter.map(first).collect()
        }
        Value::Float(number) if *number != 0.0 => vec![Value::Float(0.0)],
        Value::Boolean(true) => vec![Value::Boolean(false)],
        Value::Float(_)
        | Value::Boolean(false)
        | Value::Datetime(_)
        | Value::Array(_)
        | Value::Table(_) => Vec::new(),
    }
}

/// Returns the places of all values, outer values first.
fn paths(document: &Table) -> Vec<Path> {
    let mut paths: Vec<Path> = document
        .keys()
        .map(|key| vec![Step::Key(key.clone())])
        .collect();
    let mut next = 0;
    while let Some(path) = paths.get(next).cloned() {
        next += 1;
        let steps: Vec<Step> = match at(document, &path) {
            Some(Value::Table(table)) => table.keys().cloned().map(Step::Key).collect(),
            Some(Value::Array(array)) => (0..array.len()).map(Step::Position).collect(),
            _ => Vec::new(),
        };
        let longer = |step| path.iter().cloned().chain([step]).collect();
        paths.extend(steps.into_iter().map(longer));
    }
    paths
}

/// Returns the value at a place; `None` if the place was removed after its path was found.
fn at<'d>(document: &'d Table, path: &[Step]) -> Option<&'d Value> {
    let (Step::Key(first), rest) = path.split_first()? else {
        return None;
    };
    rest.iter()
        .try_fold(document.get(first)?, |value, step| match step {
            Step::Key(key) => value.get(key),
            Step::Position(position) => value.get(position),
        })
}

fn at_mut<'d>(document: &'d mut Table, path: &[Step]) -> Option<&'d mut Value> {
    let (Step::Key(first), rest) = path.split_first()? else {
        return None;
    };
    rest.iter()
        .try_fold(document.get_mut(first)?, |value, step| match step {
            Step::Key(key) => value.get_mut(key),
            Step::Position(position) => value.get_mut(position),
        })
}

#[cfg(test)]
mod tests {
    use jive_lab::shrink::Answer;

    use super::*;

    const SCENARIO: &str = r#"
seed = 77
[[nic]]
name = "a"
[[nic]]
name = "b"
[[nic]]
name = "spare"
[[endpoint]]
nic = "a"
name = "client"
[[endpoint]]
nic = "b"
name = "server"
fuel = 5000
[[endpoint]]
nic = "spare"
name = "idle"
[[channel]]
client = 1
server = 1
[[channel]]
client = 2
idle = 1
[[send]]
endpoint = "client"
channel = 1
payload = { text = "hello" }
repeat = 40
"#;

    #[test]
    fn names_are_removed_together_with_their_uses() {
        let mut test = |candidate: &[u8]| {
            let text = std::str::from_utf8(candidate).expect("it was written from TOML");
            let table: Table = text.parse().expect("it is TOML");
            let repeat = table
                .get("send")
                .and_then(|send| send.get(0)?.get("repeat"));
            let is_long = repeat
                .and_then(Value::as_integer)
                .is_some_and(|count| count >= 3);
            let is_whole = table
                .get("channel")
                .is_some_and(|channel| channel.get(0).is_some());
            if is_long && is_whole {
                Answer::Interesting
            } else {
                Answer::Boring
            }
        };
        let mut search = Search::new(SCENARIO.into(), &mut test);
        scenario(&mut search);
        let text = String::from_utf8(search.best().to_vec()).expect("it is text");
        assert_eq!(text, "[[channel]]\n\n[[send]]\nrepeat = 3\n");
    }

    #[test]
    fn a_name_takes_its_endpoints_and_their_channels_along() {
        let document: Table = SCENARIO.parse().expect("it is TOML");
        let rest = without(&document, "spare".to_owned());
        let count = |key: &str| rest[key].as_array().map_or(0, Vec::len);
        assert_eq!(
            ["nic", "endpoint", "channel", "send"].map(count),
            [2, 2, 1, 1]
        );
    }

    #[test]
    fn text_that_is_no_toml_is_reduced_as_bytes() {
        let mut test = |candidate: &[u8]| match candidate.contains(&b'=') {
            true => Answer::Interesting,
            false => Answer::Boring,
        };
        let mut search = Search::new(b"[[a = = b".to_vec(), &mut test);
        scenario(&mut search);
        assert_eq!(search.best(), b"=");
    }
}
