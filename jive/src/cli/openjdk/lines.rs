//! The lines in which JIVE and OpenJDK describe a call, so that equal calls give equal text. `applets/model` writes the
//! same lines (`Text.java`, `Replay.java`).

use std::fmt::Write as _;

use jive_core::{ArrayKind, ClassFile, FieldType, Heap, TrapKind, limits, parse_field};
use nic_core::event::NativeArg;
use nic_runtime::run::AppletState;

/// A completed native.
pub(super) struct NativeCall<'a> {
    pub(super) name: &'a str,
    pub(super) args: &'a [NativeArg],
    pub(super) result: Option<NativeArg>,
    /// The bytes that the native moved or read.
    pub(super) moved: &'a [u8],
}

impl NativeCall<'_> {
    /// Returns the line of the native.
    pub(super) fn line(&self) -> String {
        let mut line = format!("{}(", self.name);
        for (position, arg) in self.args.iter().enumerate() {
            line.push_str(if position == 0 { "" } else { ", " });
            push_arg(&mut line, arg);
        }
        line.push(')');
        if let Some(result) = &self.result {
            line.push_str(" = ");
            push_arg(&mut line, result);
        }
        let Some(NativeArg::Array { element, .. }) = self.args.first() else {
            return line;
        };
        line.push(':');
        if *element == ArrayKind::Int.element_name() {
            push_numbers(&mut line, ArrayKind::Int, self.moved);
        } else {
            line.push(' ');
            push_hex(&mut line, self.moved);
        }
        line
    }
}

/// Returns the line of a call that has returned.
pub(super) fn returned(value: Option<i32>) -> String {
    value.map_or("returned".to_owned(), |value| format!("returned {value}"))
}

/// Returns the line of a call that has trapped.
pub(super) fn trapped(kind: TrapKind, method: &str, line: Option<u16>) -> String {
    let mut text = format!("trap {} at {}", kind.name(), ascii(method));
    if let Some(line) = line {
        let _infallible = write!(text, " line {line}");
    }
    text
}

/// Returns, in the order of the class file, the name of each field and the line of its value at the end of a run.
pub(super) fn fields(class: &[u8], state: &AppletState) -> Vec<(String, String)> {
    let mut index = vec![0; ClassFile::index_len(class)];
    let Ok(class) = ClassFile::parse(class, &mut index) else {
        return Vec::new();
    };
    let null = limits::ARRAY_HEADER_BYTES.next_multiple_of(limits::ARRAY_ALIGNMENT) as usize;
    let mut memory = vec![0; null + state.heap.len()];
    let mut heap = Heap::new(&mut memory);
    heap.restore(&state.heap)
        .expect("the memory is as large as what was in use");
    let fields = class.fields().zip(jive_embed::fields::shown(&class));
    let line = |((field, name), &value): ((jive_core::Field<'_>, String), &i32)| {
        let kind = parse_field(field.descriptor.as_bytes()).ok();
        let line = kind.map_or(String::new(), |kind| whole(kind, value, &heap));
        (name, line)
    };
    fields.zip(&state.fields).map(line).collect()
}

/// Returns a field's value with all elements of an array.
fn whole(kind: FieldType<'_>, value: i32, heap: &Heap<'_>) -> String {
    match kind {
        FieldType::Boolean
        | FieldType::Byte
        | FieldType::Short
        | FieldType::Int
        | FieldType::Char
        | FieldType::Long
        | FieldType::Float
        | FieldType::Double => value.to_string(),
        FieldType::Object(_) | FieldType::Array { .. } if value == 0 => "null".to_owned(),
        FieldType::Object(_) => "this".to_owned(),
        FieldType::Array { .. } => {
            let (Some(array), Some(bytes)) = (heap.array(value), heap.bytes(value)) else {
                return "null".to_owned();
            };
            let mut line = format!("{}[{}]", array.kind.element_name(), array.length);
            if array.kind == ArrayKind::Byte {
                line.push(' ');
                push_hex(&mut line, bytes);
            } else {
                push_numbers(&mut line, array.kind, bytes);
            }
            line
        }
    }
}

/// Appends bytes as hexadecimal digits.
pub(super) fn push_hex(line: &mut String, bytes: &[u8]) {
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            line.extend(char::from_digit(digit.into(), 16));
        }
    }
}

fn push_numbers(line: &mut String, kind: ArrayKind, bytes: &[u8]) {
    for element in kind.elements(bytes) {
        let _infallible = write!(line, " {element}");
    }
}

fn push_arg(line: &mut String, arg: &NativeArg) {
    // Writing to a string cannot fail.
    let _infallible = match arg {
        NativeArg::Int(value) => write!(line, "{value}"),
        NativeArg::Null => write!(line, "null"),
        NativeArg::Array { element, length } => write!(line, "{element}[{length}]"),
    };
}

/// Returns a text with each character that is not printable ASCII as a Unicode escape of Java.
fn ascii(text: &str) -> String {
    let mut ascii = String::new();
    for unit in text.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte @ b' '..=b'~') => ascii.push(byte.into()),
            Ok(_) | Err(_) => {
                let _infallible = write!(ascii, "\\u{unit:04x}");
            }
        }
    }
    ascii
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_native_shows_what_it_moves() {
        let bytes = |length| NativeArg::Array {
            element: "byte",
            length,
        };
        let push = NativeCall {
            name: "txPush",
            args: &[
                bytes(9216),
                NativeArg::Int(0),
                NativeArg::Int(-1),
                NativeArg::Int(2),
            ],
            result: None,
            moved: &[0xab, 1],
        };
        assert_eq!(push.line(), "txPush(byte[9216], 0, -1, 2): ab01");
        let offsets = NativeArg::Array {
            element: "int",
            length: 2,
        };
        let describe = NativeCall {
            name: "dmaRxd",
            args: &[offsets, NativeArg::Int(1), NativeArg::Int(5)],
            result: None,
            moved: &[0, 16, 0, 0, 255, 255, 255, 255],
        };
        assert_eq!(describe.line(), "dmaRxd(int[2], 1, 5): 4096 -1");
    }

    #[test]
    fn a_method_of_any_name_is_one_line_of_ascii() {
        let line = trapped(TrapKind::NullPointerException, "größe\n\u{1d11e}", Some(7));
        let name = "gr\\u00f6\\u00dfe\\u000a\\ud834\\udd1e";
        assert_eq!(line, format!("trap NullPointerException at {name} line 7"));
    }
}
