//! Hints for accesses to the Java library: how to write the code without it.

use jive_core::{ClassFile, Code, CpIndex, Opcode, Operand, Pc, decode};
use jive_verifier::{Location, VerifyError, VerifyErrorKind};

/// Hints for calls and field accesses, by prefix of class and member name. The first matching row wins, so more
/// specific prefixes come first.
const LIBRARY: &[(&str, &str)] = &[
    (
        "java/util/Objects.requireNonNull",
        "Reading a constant through a reference, as in `other.LIMIT`, compiles into this call: write \
         `LIMIT` alone.",
    ),
    (
        "java/lang/System.arraycopy",
        "Copy in a loop: `for (int i = 0; i < length; i++) to[i] = from[i];`.",
    ),
    (
        "java/lang/System.out",
        "An applet has no console: count in a field, or send a packet that says it.",
    ),
    (
        "java/lang/System.err",
        "An applet has no console: count in a field, or send a packet that says it.",
    ),
    (
        "java/lang/System.",
        "An applet has no clock and no environment; the trace has the time of each event.",
    ),
    (
        "java/io/",
        "An applet has no console and no files: count in a field, or send a packet.",
    ),
    (
        "java/util/Arrays.",
        "Write the loop: `for (int i = 0; i < a.length; i++) a[i] = 0;`.",
    ),
    (
        "java/lang/Math.random",
        "Keep a number in a field and stir it: `x ^= x << 13; x ^= x >>> 17; x ^= x << 5;`.",
    ),
    (
        "java/util/Random",
        "Keep a number in a field and stir it: `x ^= x << 13; x ^= x >>> 17; x ^= x << 5;`.",
    ),
    (
        "java/lang/Math.",
        "Write it out: `a > b ? a : b`, `a < 0 ? -a : a`.",
    ),
    (
        "java/lang/Integer.",
        "Use `int` throughout: a variable of type `Integer` is an object, and its helpers have to be \
         written out.",
    ),
    (
        "java/lang/Object.",
        "An applet has none of the methods of `Object`: compute what is wanted from its fields.",
    ),
    (
        "[",
        "Make an array and copy in a loop: `for (int i = 0; i < length; i++) to[i] = from[i];`.",
    ),
    (
        "java/lang/String.",
        "Use a byte array in place of the string.",
    ),
    (
        "java/lang/Thread.",
        "An applet has no threads and cannot wait: keep the state in fields and go on at the next packet.",
    ),
];

/// Hints for the creation of objects, by prefix of the class name.
const OBJECTS: &[(&str, &str)] = &[
    (
        "java/lang/StringBuilder",
        "Strings joined with `+` are objects: put bytes into a byte array.",
    ),
    (
        "java/util/Random",
        "Keep a number in a field and stir it: `x ^= x << 13; x ^= x >>> 17; x ^= x << 5;`.",
    ),
    (
        "java/util/",
        "Keep the elements in an array and their count in an `int` field.",
    ),
];

/// Returns the hint for a call, a field access or a new object, if there is one.
pub(super) fn hint(class: &ClassFile<'_>, error: VerifyError) -> Option<&'static str> {
    match error.kind {
        VerifyErrorKind::ForeignMethod { index } | VerifyErrorKind::ForeignField { index } => {
            let member = class.pool().member(index).ok()?;
            let name = format!("{}.{}", member.class, member.name);
            find(LIBRARY, &name)
        }
        VerifyErrorKind::Superclass => {
            let name = class.pool().class_name(class.super_class()?).ok()?;
            (name == "java/lang/Enum")
                .then_some("Use numbers with names: `static final int RED = 0, GREEN = 1;`.")
        }
        VerifyErrorKind::NewObject {
            opcode: Opcode::New,
        } => {
            let Location::Code { method, pc } = error.at else {
                return None;
            };
            let name = class_made(class, &class.method(method)?.code()?, pc)?;
            if name == "java/lang/AssertionError" {
                return Some("`assert` throws an exception: test with `if` and return a number.");
            }
            // Exceptions get a hint of their own: the program creates them only to throw them.
            if name.ends_with("Exception") || name.ends_with("Error") {
                return Some(
                    "There are no exceptions: return a number that says what happened; \
                     `return 0;` drops the packet.",
                );
            }
            find(OBJECTS, &name)
        }
        _ => None,
    }
}

fn class_made(class: &ClassFile<'_>, code: &Code<'_>, pc: Pc) -> Option<String> {
    let Operand::Constant(CpIndex(index)) = decode(code.bytes, pc).ok()?.operand else {
        return None;
    };
    let name = class.pool().class_name(CpIndex(index)).ok()?;
    Some(name.to_string())
}

fn find(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    let row = table.iter().find(|(prefix, _)| name.starts_with(prefix));
    row.map(|(_, hint)| *hint)
}
