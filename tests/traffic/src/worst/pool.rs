//! Constant pools that make it slow to compare names, resolve members or parse descriptors.

use jive_core::Opcode;
use jive_core::limits::CONSTANTS_MAX;

use super::writer::Writer;

/// Length of a long name, of which fifteen fit in a file of 1 MiB.
const NAME: usize = 60_000;
/// Number of long names.
const NAMES: usize = 15;
/// The types of fields, without the class itself.
const TYPES: [&str; 8] = ["I", "B", "S", "Z", "[B", "[S", "[I", "[Z"];

/// Returns names that differ only in their last byte.
fn names() -> impl Iterator<Item = String> {
    let stem = "n".repeat(NAME - 1);
    (b'a'..)
        .take(NAMES)
        .map(move |last| format!("{stem}{}", char::from(last)))
}

/// Returns a class with fields whose names differ in the last byte, and as many references to them as possible.
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
    // Keep two constants for the method. References begin with the last field, which is slow for a linear search.
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

/// Returns a class with a long name that occurs many times in the pool, and a field reference by each occurrence.
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

/// Returns a class with descriptors of 255 parameters, arrays of many dimensions, each parsed for many references.
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

/// Returns a class with `count` constants, in which all class constants share one long name.
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

/// Returns a class with `count` constants, in which all method types share one long descriptor.
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

/// Returns a class with `count` constants that are numbers, loaded one after another as far as the code allows.
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
