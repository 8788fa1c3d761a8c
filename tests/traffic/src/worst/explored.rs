//! Accepted class files of 64 KiB that are slow to analyse or long to display.

use jive_core::Opcode;

use super::body::Body;
use super::writer::Writer;

/// Maximum length of each class file in bytes.
pub(super) const FILE_MAX: usize = 64 << 10;
/// Maximum bytes of a class file without its one long method.
const REST: usize = 400;
/// Bytes of the one long method.
const LONG: usize = FILE_MAX - REST;
/// Bytes that a branch with a 16-bit offset can span, rounded down.
const REACH: usize = 32_000;
/// Length of a name that leaves half of the file to the code.
const NAME: usize = 30_000;
/// The maximum number of methods in a class.
const METHODS: u16 = 64;

const BYTE_ARRAY: u8 = 8;
const INT_ARRAY: u8 = 10;

/// Returns a class with one method, whose code is `code`.
fn method(frame: (u16, u16), code: &[u8]) -> Vec<u8> {
    let mut writer = Writer::new("Worst");
    writer.methods(1, frame, code);
    writer.finish()
}

/// Returns a method that consists of calls of itself, in which the names of class and method have `name` bytes.
pub(super) fn self_calls(name: usize) -> Vec<u8> {
    let mut writer = Writer::new(&"C".repeat(name));
    let method = writer.utf8(&"m".repeat(name));
    let descriptor = writer.utf8("()V");
    let member = writer.name_and_type(method, descriptor);
    let this = writer.this();
    let reference = writer.method_ref(this, member);
    let mut body = Body::default();
    while body.len() + 3 < LONG - 2 * name {
        body.ops(Opcode::Invokestatic, reference.to_be_bytes());
    }
    writer.method(method, descriptor, (0, 0), &body.finish());
    writer.finish()
}

/// Returns methods that each call all methods and create an array.
pub(super) fn all_calls() -> Vec<u8> {
    let mut writer = Writer::new("Worst");
    let descriptor = writer.utf8("()V");
    let this = writer.this();
    let names: Vec<u16> = (0..METHODS)
        .map(|number| writer.utf8(&format!("m{number}")))
        .collect();
    let mut calls = Vec::new();
    for name in &names {
        let member = writer.name_and_type(*name, descriptor);
        let reference = writer.method_ref(this, member);
        calls.push(Opcode::Invokestatic.byte());
        calls.extend(reference.to_be_bytes());
    }
    let room = (LONG - 3_000) / usize::from(METHODS) - 30;
    for name in names {
        let mut body = Body::default();
        while body.len() + calls.len() + 5 < room {
            body.bytes(calls.clone());
            body.op(Opcode::Iconst1);
            body.ops(Opcode::Newarray, [BYTE_ARRAY]);
            body.op(Opcode::Pop);
        }
        writer.method(name, descriptor, (1, 0), &body.finish());
    }
    writer.finish()
}

/// Returns calls of a method with a long name and as many parameters as a frame holds, each through a different
/// constant.
pub(super) fn long_descriptors() -> Vec<u8> {
    /// Number of parameters of a method, whose local variables and operands share 255 slots.
    const PARAMETERS: u8 = 127;
    const REFERENCES: usize = 200;
    let mut writer = Writer::new("Worst");
    let descriptor = format!("({})V", "[I".repeat(PARAMETERS.into()));
    let descriptor = writer.utf8(&descriptor);
    let name = writer.utf8(&"m".repeat(NAME / 4));
    let this = writer.this();
    let mut body = Body::default();
    for _ in 0..REFERENCES {
        let member = writer.name_and_type(name, descriptor);
        let reference = writer.method_ref(this, member);
        for parameter in 0..PARAMETERS {
            body.ops(Opcode::Aload, [parameter]);
        }
        body.ops(Opcode::Invokestatic, reference.to_be_bytes());
    }
    let frame = (PARAMETERS.into(), PARAMETERS.into());
    writer.method(name, descriptor, frame, &body.finish());
    writer.finish()
}

/// Returns two nests of loops, one after the other, as deep as branches reach.
pub(super) fn nested_loops() -> Vec<u8> {
    let mut body = Body::default();
    for _ in 0..2 {
        let start = body.len();
        let depth = REACH / 5;
        for _ in 0..depth {
            body.op(Opcode::Nop);
        }
        for level in (0..depth).rev() {
            body.may_branch(start + level);
        }
    }
    method((1, 0), &body.finish())
}

/// Returns nested loops that all begin at one instruction, so that the analysis finds a loop only after removing the
/// loop around it.
pub(super) fn nested_ends() -> Vec<u8> {
    let mut body = Body::default();
    for _ in 0..2 {
        let start = body.len();
        body.op(Opcode::Nop);
        while body.len() < start + REACH {
            body.may_branch(start);
        }
    }
    method((1, 0), &body.finish())
}

/// Returns nested loops with a counter each, as deep as the number of local variables allows.
pub(super) fn nested_counters() -> Vec<u8> {
    /// Bytes of a level of nesting: test, step and back edge.
    const LEVEL: usize = 5 + 3 + 3;
    let mut body = Body::default();
    for _ in 0..2 {
        let depth = REACH / LEVEL;
        let start = body.len();
        let local = |level: usize| u8::try_from(level % 250).expect("it is below 250");
        for level in 0..depth {
            body.ops(Opcode::Iload, [local(level)]);
            // Branch to the instruction after this level's back edge.
            body.branch(Opcode::Ifle, start + 5 * depth + 6 * (depth - level));
        }
        for level in (0..depth).rev() {
            body.ops(Opcode::Iinc, [local(level), 0xff]);
            body.branch(Opcode::Goto, start + 5 * level);
        }
    }
    let mut code = Vec::new();
    for local in 0..250 {
        code.extend([Opcode::Iconst1.byte(), Opcode::Istore.byte(), local]);
    }
    code.extend(body.finish());
    method((1, 250), &code)
}

/// Returns a loop with many tests that look like counter tests, but do not bound the loop, because a path skips the
/// step.
pub(super) fn tests_that_fail() -> Vec<u8> {
    let mut body = Body::default();
    body.op(Opcode::Iconst1);
    body.op(Opcode::Istore0);
    let start = body.len();
    // Let a branch skip the step, so that no test bounds the loop.
    body.may_branch(start + 4 + 3);
    body.ops(Opcode::Iinc, [0, 0xff]);
    let end = start + REACH;
    while body.len() + 4 + 3 <= end {
        body.op(Opcode::Iload0);
        body.branch(Opcode::Ifle, end);
    }
    while body.len() + 3 < end {
        body.op(Opcode::Nop);
    }
    body.branch(Opcode::Goto, start);
    method((1, 1), &body.finish())
}

/// Returns consecutive loops of four bytes, in a method that all other methods call.
pub(super) fn shared_loops() -> Vec<u8> {
    let mut writer = Writer::new("Worst");
    let descriptor = writer.utf8("()V");
    let this = writer.this();
    let name = writer.utf8("last");
    let member = writer.name_and_type(name, descriptor);
    let reference = writer.method_ref(this, member);
    let mut call = Body::default();
    call.ops(Opcode::Invokestatic, reference.to_be_bytes());
    let call = call.finish();
    for number in 1..METHODS {
        let name = writer.utf8(&format!("m{number}"));
        writer.method(name, descriptor, (0, 0), &call);
    }
    let mut body = Body::default();
    while body.len() < LONG - 60 * usize::from(METHODS) {
        body.may_branch(body.len());
    }
    writer.method(name, descriptor, (1, 0), &body.finish());
    writer.finish()
}

/// Returns consecutive loops, each with a line number entry, in descending order of pc.
pub(super) fn lines() -> Vec<u8> {
    let mut writer = Writer::new("Worst");
    let (name, descriptor) = (writer.utf8("m0"), writer.utf8("()V"));
    let mut body = Body::default();
    let mut lines = Vec::new();
    while body.len() + 4 * lines.len() < LONG {
        let pc = u16::try_from(body.len()).expect("code fits a class file");
        lines.push((pc, pc / 4));
        body.may_branch(body.len());
    }
    lines.reverse();
    writer.method_with_lines((name, descriptor), (1, 0), &body.finish(), &lines);
    writer.finish()
}

/// Returns a method that makes arrays whose lengths all come from one constant, which is copied on the operand stack
/// for each array.
pub(super) fn copied_lengths() -> Vec<u8> {
    let mut body = Body::default();
    body.op(Opcode::Iconst1);
    while body.len() + 5 < LONG {
        body.op(Opcode::Dup);
        body.ops(Opcode::Newarray, [BYTE_ARRAY]);
        body.op(Opcode::Pop);
    }
    method((2, 0), &body.finish())
}

/// Returns the method of [`copied_lengths`] with a branch between any two arrays, so that paths split and join.
pub(super) fn merged_lengths() -> Vec<u8> {
    let mut body = Body::default();
    body.op(Opcode::Iconst1);
    while body.len() + 9 < LONG {
        body.op(Opcode::Dup);
        body.ops(Opcode::Newarray, [BYTE_ARRAY]);
        body.op(Opcode::Pop);
        body.may_branch(body.len() + 4);
    }
    method((2, 0), &body.finish())
}

/// Returns a loop over a switch, in which each case has its own instruction, which may branch back.
pub(super) fn switch_in_loop() -> Vec<u8> {
    /// Bytes of a case of the switch: four in the table, and a block of four.
    const CASE: usize = 8;
    let mut body = Body::default();
    let cases = REACH / CASE;
    body.op(Opcode::Iconst0);
    let at = body.len();
    body.op(Opcode::Tableswitch);
    while !body.len().is_multiple_of(4) {
        body.bytes([0]);
    }
    let blocks = body.len() + 12 + 4 * cases;
    let number = |number: usize| i32::try_from(number).expect("code is short").to_be_bytes();
    for word in [blocks - at, 0, cases - 1] {
        body.bytes(number(word));
    }
    for case in 0..cases {
        body.bytes(number(blocks + 4 * case - at));
    }
    for _ in 0..cases {
        body.may_branch(0);
    }
    method((1, 0), &body.finish())
}

/// Returns a method with 250 local variables that hold arrays, and as many instructions as fit.
pub(super) fn wide_frames() -> Vec<u8> {
    let mut body = Body::default();
    for local in 0..250 {
        body.op(Opcode::Iconst0);
        body.ops(Opcode::Newarray, [INT_ARRAY]);
        body.ops(Opcode::Astore, [local]);
    }
    while body.len() + 1 < LONG {
        body.op(Opcode::Nop);
    }
    method((1, 250), &body.finish())
}

/// Returns reads and writes of a field with a long name, in a class with a long name.
pub(super) fn long_names() -> Vec<u8> {
    let mut writer = Writer::new(&"C".repeat(NAME / 2));
    let (name, descriptor) = (writer.utf8(&"f".repeat(NAME / 2)), writer.utf8("I"));
    writer.field(name, descriptor);
    let member = writer.name_and_type(name, descriptor);
    let this = writer.this();
    let reference = writer.field_ref(this, member).to_be_bytes();
    let mut body = Body::default();
    let start = body.len();
    while body.len() < REACH - 20 {
        body.ops(Opcode::Getstatic, reference);
        body.ops(Opcode::Putstatic, reference);
    }
    body.may_branch(start);
    writer.methods(1, (1, 0), &body.finish());
    writer.finish()
}
