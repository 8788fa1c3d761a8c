//! Hints for accesses to the Java library: how to write the code without it.

use jive_core::{
    ClassFile, Code, CpIndex, FieldType, MemberRef, MethodDescriptor, Opcode, Operand, Pc, decode,
    parse_field,
};
use jive_verifier::{Location, TypeUse, VerifyError, VerifyErrorKind};

/// The hint for a class of the Java library that reads numbers from bytes.
const BYTE_ORDER: &str = "Compose the number of its bytes: `(b[i] & 0xff) << 24 | (b[i + 1] & 0xff) << 16 | \
                          (b[i + 2] & 0xff) << 8 | (b[i + 3] & 0xff)`.";

/// The hint for a boxed value other than a `long`.
const PRIMITIVE: &str =
    "Use the primitive type throughout: a variable of type `Byte` or `Boolean` is an object.";

/// The hint for a boxed `long`.
const INT_FOR_LONG: &str = "Use `int` in place of `long`, or two of them: a high and a low word.";

/// The hint for the constants of another class, most of all of an enum.
const NUMBERED: &str =
    "Use numbers with names, of the applet itself: `static final int RED = 0, GREEN = 1;`.";

/// The hints for a field, a parameter or a result whose type is a class of the Java library, by prefix of its name.
const TYPES: &[(&str, &str)] = &[
    ("java/nio/", BYTE_ORDER),
    ("java/lang/Integer", "Use `int`."),
    ("java/lang/Short", "Use `short`."),
    ("java/lang/Byte", "Use `byte`."),
    ("java/lang/Boolean", "Use `boolean`."),
    (
        "java/lang/Character",
        "Use `int`, or `byte` for what lies in packets.",
    ),
    ("java/lang/Long", INT_FOR_LONG),
    (
        "java/lang/Float",
        "Scale to whole numbers: count in thousandths, or shift.",
    ),
    (
        "java/lang/Double",
        "Scale to whole numbers: count in thousandths, or shift.",
    ),
    ("java/lang/Enum", NUMBERED),
    (
        "java/util/",
        "Keep the elements in an array and their count in an `int` field.",
    ),
];

/// Hints for calls and field accesses, by prefix of class and member name. The first row that matches gives the hint,
/// so more specific prefixes come first.
const LIBRARY: &[(&str, &str)] = &[
    (
        "java/util/Objects.requireNonNull",
        "Reading a constant through a reference, as in `other.LIMIT`, compiles into this call: write \
         `LIMIT` alone.",
    ),
    ("java/nio/", BYTE_ORDER),
    ("java/io/DataInputStream", BYTE_ORDER),
    ("java/io/ByteArray", BYTE_ORDER),
    (
        "java/lang/System.nanoTime",
        "Call `currentTime()`: it returns virtual microseconds as an `int`.",
    ),
    (
        "java/lang/System.currentTimeMillis",
        "Call `currentTime()`: it returns virtual microseconds as an `int`.",
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
        "An applet has no environment; `currentTime()` returns the virtual time in microseconds.",
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
    ("java/lang/Byte.toUnsignedInt", "Write `b & 0xff`."),
    ("java/lang/Short.toUnsignedInt", "Write `s & 0xffff`."),
    (
        "java/lang/Integer.reverseBytes",
        "Write `x >>> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24`.",
    ),
    (
        "java/lang/Integer.compareUnsigned",
        "Write `a + 0x80000000 < b + 0x80000000` for the comparison of `int` as unsigned numbers.",
    ),
    ("java/lang/Byte.", PRIMITIVE),
    ("java/lang/Short.", PRIMITIVE),
    ("java/lang/Boolean.", PRIMITIVE),
    ("java/lang/Character.", PRIMITIVE),
    ("java/lang/Long.", INT_FOR_LONG),
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
            let is_of_enum = matches!(error.kind, VerifyErrorKind::ForeignField { .. })
                && (member.name.to_string().starts_with("$SwitchMap$") || is_of_own_type(&member));
            find(LIBRARY, &name).or(is_of_enum.then_some(NUMBERED))
        }
        VerifyErrorKind::ForeignType { found } => {
            find(TYPES, &declared_class(class, error.at, found)?)
        }
        VerifyErrorKind::Superclass => {
            let name = class.pool().class_name(class.super_class()?).ok()?;
            (name == "java/lang/Enum").then_some(NUMBERED)
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
            // Exceptions get a hint of their own, because the program creates an exception only to throw it.
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

/// Whether a field has the type of the class that declares it, as the constants of an enum do.
fn is_of_own_type(member: &MemberRef<'_>) -> bool {
    let descriptor = member.descriptor.as_bytes();
    let name = descriptor
        .strip_prefix(b"L")
        .and_then(|rest| rest.strip_suffix(b";"));
    name == Some(member.class.as_bytes())
}

/// Returns the class that a declaration uses as a type.
fn declared_class(class: &ClassFile<'_>, at: Location, found: TypeUse) -> Option<String> {
    let kind = match (at, found) {
        (Location::Field(id), _) => parse_field(class.field(id)?.descriptor.as_bytes()).ok()?,
        (Location::Method(id), TypeUse::Parameter(number)) => {
            let descriptor = class.method(id)?.descriptor.as_bytes();
            let before = usize::from(number.checked_sub(1)?);
            MethodDescriptor::parse(descriptor)
                .ok()?
                .parameters()
                .nth(before)?
        }
        (Location::Method(id), TypeUse::Result) => {
            MethodDescriptor::parse(class.method(id)?.descriptor.as_bytes())
                .ok()?
                .result()?
        }
        _ => return None,
    };
    match kind {
        FieldType::Object(name) => Some(String::from_utf8_lossy(name).into_owned()),
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
