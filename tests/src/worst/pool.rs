//! Constant pools that make comparing names, resolving members and reading descriptors long.

use jive_core::Opcode;
use jive_core::limits::CONSTANTS_MAX;

use super::writer::Writer;

/// Bytes of a long name; as many as fit a file of 1 MiB fifteen times.
const NAME: usize = 60_000;
/// How many of them there are.
const NAMES: usize = 15;
/// The types that fields may have, but for the class itself.
const TYPES: [&str; 8] = ["I", "B", "S", "Z", "[B", "[S", "[I", "[Z"];

/// Returns names that differ in their last byte.
fn names() -> impl Iterator<Item = String> {
    let stem = "n".repeat(NAME - 1);
    (b'a'..)
        .take(NAMES)
        .map(move |last| format!("{stem}{}", char::from(last)))
}

/// Fields whose names differ in the last byte, and as many references to them as there may be.
pub(super) fn members() -> Vec<u8> {
    let mut writer = Writer::new("Worst");
    let descriptors = TYPES.map(|descriptor| writer.utf8(descriptor));
    let names: Vec<u16> = names().map(|name| writer.utf8(&name)).collect();
    let mut members = Vec::new();
    for name in names {
        for descriptor in descriptors {
            writer.field(name, descriptor);
            members.push(writer.name_and_type(name, descriptor));
        }
    }
    let mut code = Vec::new();
    // Two texts are left for the method. The last field first: what searches from the front goes far.
    let references = writer.constants_left(CONSTANTS_MAX) - 2;
    let this = writer.this();
    for member in members.iter().rev().cycle().take(references.into()) {
        let reference = writer.field_ref(this, *member);
        code.push(Opcode::Getstatic.byte());
        code.extend(reference.to_be_bytes());
        code.push(Opcode::Pop.byte());
    }
    code.push(Opcode::Return.byte());
    writer.methods(1, (1, 0), &code);
    writer.finish()
}

/// A class of a long name that stands in the pool many times, and its field by each of them.
pub(super) fn own_name() -> Vec<u8> {
    let name = names().next().expect("there are names");
    let mut writer = Writer::new(&name);
    let classes: Vec<u16> = (1..NAMES)
        .map(|_| {
            let name = writer.utf8(&name);
            writer.class(name)
        })
        .collect();
    let (name, descriptor) = (writer.utf8("field"), writer.utf8("I"));
    writer.field(name, descriptor);
    let member = writer.name_and_type(name, descriptor);
    let mut code = Vec::new();
    let references = writer.constants_left(CONSTANTS_MAX) - 2;
    for class in classes.iter().cycle().take(references.into()) {
        let reference = writer.field_ref(*class, member);
        code.push(Opcode::Getstatic.byte());
        code.extend(reference.to_be_bytes());
        code.push(Opcode::Pop.byte());
    }
    code.push(Opcode::Return.byte());
    writer.methods(1, (1, 0), &code);
    writer.finish()
}

/// Descriptors of 255 parameters with arrays of many dimensions, each read for many references.
pub(super) fn descriptors() -> Vec<u8> {
    let mut writer = Writer::new("Worst");
    let array = format!("{}I", "[".repeat(NAME / 255 - 1));
    let descriptor = format!("({})V", array.repeat(255));
    let name = writer.utf8("name");
    let members: Vec<u16> = (0..NAMES)
        .map(|_| {
            let descriptor = writer.utf8(&descriptor);
            writer.name_and_type(name, descriptor)
        })
        .collect();
    let references = writer.constants_left(CONSTANTS_MAX) - 2;
    let this = writer.this();
    for member in members.iter().cycle().take(references.into()) {
        writer.method_ref(this, *member);
    }
    writer.methods(1, (0, 0), &[Opcode::Return.byte()]);
    writer.finish()
}

/// A pool of `count` with one long name that every class in it has.
pub(super) fn class_names(count: u16) -> Vec<u8> {
    let mut writer = Writer::new("Worst");
    let name = names().next().expect("there are names");
    let name = writer.utf8(&name);
    for _ in 0..writer.constants_left(count) - 2 {
        writer.class(name);
    }
    writer.methods(1, (0, 0), &[Opcode::Return.byte()]);
    writer.finish()
}

/// A pool of `count` with one long descriptor that every method in it has.
pub(super) fn method_types(count: u16) -> Vec<u8> {
    let mut writer = Writer::new("Worst");
    let array = format!("{}I", "[".repeat(NAME / 255 - 1));
    let descriptor = writer.utf8(&format!("({})V", array.repeat(255)));
    let name = writer.utf8("name");
    let member = writer.name_and_type(name, descriptor);
    let this = writer.this();
    for _ in 0..writer.constants_left(count) - 2 {
        writer.method_ref(this, member);
    }
    writer.methods(1, (0, 0), &[Opcode::Return.byte()]);
    writer.finish()
}

/// A pool of `count` with numbers, loaded one after the other as far as code reaches.
pub(super) fn numbers(count: u16) -> Vec<u8> {
    let mut writer = Writer::new("Worst");
    let mut code = Vec::new();
    for number in 0..writer.constants_left(count) - 2 {
        let index = writer.integer(number.into());
        if number < 16_000 {
            code.push(Opcode::LdcW.byte());
            code.extend(index.to_be_bytes());
            code.push(Opcode::Pop.byte());
        }
    }
    code.push(Opcode::Return.byte());
    writer.methods(1, (1, 0), &code);
    writer.finish()
}
