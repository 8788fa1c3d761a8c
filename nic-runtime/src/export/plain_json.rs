//! JSON in which every character that is not plain is escaped.
//!
//! JSON allows raw controls of the writing direction, line separators and C1 controls in strings, and a terminal obeys
//! them. A JSON reader gets the same string from `\u` escapes.

use std::io::{self, Write};

use jive_core::is_plain;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;
use serde_json::value::RawValue;

/// Compact JSON with plain characters.
#[derive(Copy, Clone, Debug)]
pub(super) struct Plain;

/// A JSON object whose fields are still being written.
pub(super) type Object<'s, W> = serde_json::ser::Compound<'s, &'s mut W, Plain>;

impl Formatter for Plain {
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(|character| !is_plain(character)) {
            let (shown, hidden) = rest.split_at(at);
            writer.write_all(shown.as_bytes())?;
            let mut characters = hidden.chars();
            for unit in characters
                .next()
                .unwrap_or_default()
                .encode_utf16(&mut [0; 2])
            {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = characters.as_str();
        }
        writer.write_all(rest.as_bytes())
    }
}

/// Returns a serializer that writes plain JSON.
pub(super) fn serializer<W: Write>(writer: W) -> Serializer<W, Plain> {
    Serializer::with_formatter(writer, Plain)
}

/// Writes a value as JSON.
///
/// # Errors
///
/// Returns the error of the value or of the writer.
pub fn to_writer(writer: impl Write, value: &(impl Serialize + ?Sized)) -> serde_json::Result<()> {
    value.serialize(&mut serializer(writer))
}

/// Returns a value as JSON.
///
/// # Errors
///
/// Returns the error of the value.
pub fn to_string(value: &(impl Serialize + ?Sized)) -> serde_json::Result<String> {
    let mut written = Vec::new();
    to_writer(&mut written, value)?;
    Ok(String::from_utf8(written).expect("JSON is text"))
}

/// Returns a value as a part of other JSON.
///
/// # Errors
///
/// Returns the error of the value.
pub fn to_raw_value(value: &(impl Serialize + ?Sized)) -> serde_json::Result<Box<RawValue>> {
    RawValue::from_string(to_string(value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_gets_the_name_and_a_terminal_only_plain_characters() {
        let name = "a\"\\\u{7f}\u{9b}\u{202e}é\u{2028}\u{e0041}\n";
        let json = to_string(name).expect("a string");
        assert_eq!(json, r#""a\"\\\u007f\u009b\u202eé\u2028\udb40\udc41\n""#);
        assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), name);
    }
}
