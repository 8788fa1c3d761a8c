//! Writes the tables of a scenario as TOML.

use std::fmt::Write;

use toml::de::{DeString, DeTable, DeValue};

/// Returns a document as text: first its values, then its tables, then its arrays of tables.
pub(super) fn text(document: &DeTable<'_>) -> String {
    let mut text = String::new();
    for (key, value) in document {
        if !is_table(value.get_ref()) && tables(value.get_ref()).is_none() {
            entry(&mut text, key.get_ref(), value.get_ref());
        }
    }
    for (key, value) in document {
        if let DeValue::Table(table) = value.get_ref() {
            section(&mut text, &format!("[{}]", name(key.get_ref())), table);
        }
    }
    for (key, value) in document {
        for table in tables(value.get_ref()).into_iter().flatten() {
            section(&mut text, &format!("[[{}]]", name(key.get_ref())), table);
        }
    }
    text
}

fn is_table(value: &DeValue<'_>) -> bool {
    matches!(value, DeValue::Table(_))
}

/// Returns the tables of an array that consists of tables.
fn tables<'v, 't>(value: &'v DeValue<'t>) -> Option<Vec<&'v DeTable<'t>>> {
    let DeValue::Array(items) = value else {
        return None;
    };
    let table = |item: &'v toml::Spanned<DeValue<'t>>| match item.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    };
    let tables: Option<Vec<_>> = items.iter().map(table).collect();
    tables.filter(|tables| !tables.is_empty())
}

fn section(text: &mut String, header: &str, table: &DeTable<'_>) {
    let gap = if text.is_empty() { "" } else { "\n" };
    _ = writeln!(text, "{gap}{header}");
    for (key, value) in table {
        entry(text, key.get_ref(), value.get_ref());
    }
}

fn entry(text: &mut String, key: &DeString<'_>, value: &DeValue<'_>) {
    _ = write!(text, "{} = ", name(key));
    inline(text, value);
    text.push('\n');
}

/// Returns a key, in quotes if it needs them.
fn name(key: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    match !key.is_empty() && key.bytes().all(is_bare) {
        true => key.to_owned(),
        false => quoted(key),
    }
}

/// Returns a text in quotes, on one line.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            _ if character.is_control() => {
                _ = write!(quoted, "\\u{:04X}", u32::from(character));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

fn inline(text: &mut String, value: &DeValue<'_>) {
    match value {
        DeValue::String(string) => text.push_str(&quoted(string)),
        DeValue::Integer(integer) => _ = write!(text, "{integer}"),
        DeValue::Float(float) => _ = write!(text, "{float}"),
        DeValue::Boolean(flag) => _ = write!(text, "{flag}"),
        DeValue::Datetime(time) => _ = write!(text, "{time}"),
        DeValue::Array(items) => {
            text.push('[');
            for (number, item) in items.iter().enumerate() {
                text.push_str(if number > 0 { ", " } else { "" });
                inline(text, item.get_ref());
            }
            text.push(']');
        }
        DeValue::Table(table) => {
            text.push_str("{ ");
            for (number, (key, value)) in table.iter().enumerate() {
                text.push_str(if number > 0 { ", " } else { "" });
                _ = write!(text, "{} = ", name(key.get_ref()));
                inline(text, value.get_ref());
            }
            text.push_str(" }");
        }
    }
}
