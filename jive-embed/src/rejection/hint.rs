//! Hints for accesses to the Java library: how to write the code without it.

use jive_core::{
    ClassFile, Code, CpIndex, FieldType, MemberRef, MethodDescriptor, Opcode, Operand, Pc, decode,
    parse_field,
};
use jive_verifier::{Location, TypeUse, VerifyError, VerifyErrorKind};

/// The hint for a class of the Java library that reads numbers from bytes.
const BYTE_ORDER: &str = "Compute the number from the bytes of an array `b`: \
                          `(b[i] & 0xff) << 24 | (b[i + 1] & 0xff) << 16 | \
                          (b[i + 2] & 0xff) << 8 | (b[i + 3] & 0xff)`.";

/// The hint for a boxed value other than a `long`.
const PRIMITIVE: &str = "Use primitive types, such as `byte` and `boolean`, in place of classes, \
                         such as `Byte` and `Boolean`.";

/// The hint for a boxed `long`.
const INT_FOR_LONG: &str = "Use `int` in place of `long` and `Long`. For a number of 64 bits, use \
                            two `int` values, a high word and a low word.";

/// The hint for the constants of another class, most of all of an enum.
const NUMBERED: &str = "Declare `int` constants in the applet, in place of an enum: \
                        `static final int RED = 0, GREEN = 1;`.";

/// The hint for a collection of the Java library.
const ELEMENTS: &str =
    "Store the elements in an array, and the number of elements in an `int` field.";

/// The hint for the clock of the Java library.
const CLOCK: &str = "Call `currentTime()`, which returns the virtual time in microseconds.";

/// The hint for output to the console.
const CONSOLE: &str =
    "Count the events in a field, or send a packet with the message: an applet has no console.";

/// The hint for an applet that calls natives of programs.
const OF_PROGRAMS: &str = "Call natives of `unet/Nic`: those of `via/Via` are for programs on the \
                           host. `jive verify --program` judges a program.";

/// The hint for a program that calls natives of applets.
const OF_APPLETS: &str = "Call natives of `via/Via`: those of `unet/Nic` are for applets on the \
                          NIC. `jive verify` without `--program` judges an applet.";

/// The hint for random numbers.
const RANDOM: &str = "Compute random numbers in an `int` field `x` that is not 0: \
                      `x ^= x << 13; x ^= x >>> 17; x ^= x << 5;`.";

/// The hints for a field, a parameter or a result whose type is a class of the Java library, by prefix of its name.
const TYPES: &[(&str, &str)] = &[
    ("java/nio/", BYTE_ORDER),
    ("java/lang/Integer", "Use `int` in place of `Integer`."),
    ("java/lang/Short", "Use `short` in place of `Short`."),
    ("java/lang/Byte", "Use `byte` in place of `Byte`."),
    ("java/lang/Boolean", "Use `boolean` in place of `Boolean`."),
    (
        "java/lang/Character",
        "Use `int` in place of `Character`, or `byte` for the bytes of a packet.",
    ),
    ("java/lang/Long", INT_FOR_LONG),
    (
        "java/lang/Float",
        "Use integers in place of `Float`: scale the numbers by 1,000, for example, or by a \
         power of two.",
    ),
    (
        "java/lang/Double",
        "Use integers in place of `Double`: scale the numbers by 1,000, for example, or by a \
         power of two.",
    ),
    ("java/lang/Enum", NUMBERED),
    ("java/util/", ELEMENTS),
];

/// Hints for calls and field accesses, by prefix of class and member name. The first row that matches gives the hint,
/// so more specific prefixes come first.
const LIBRARY: &[(&str, &str)] = &[
    (
        "java/util/Objects.requireNonNull",
        "Write the name of a constant without a reference, such as `LIMIT`: the Java compiler \
         compiles `other.LIMIT` to a call of `requireNonNull`.",
    ),
    // A class that may call the natives of one of these classes is not refused for them.
    ("via/Via.", OF_PROGRAMS),
    ("unet/Nic.", OF_APPLETS),
    ("java/nio/", BYTE_ORDER),
    ("java/io/DataInputStream", BYTE_ORDER),
    ("java/io/ByteArray", BYTE_ORDER),
    ("java/lang/System.nanoTime", CLOCK),
    ("java/lang/System.currentTimeMillis", CLOCK),
    (
        "java/lang/System.arraycopy",
        "Copy the elements in a loop: `for (int i = 0; i < length; i++) to[i] = from[i];`.",
    ),
    ("java/lang/System.out", CONSOLE),
    ("java/lang/System.err", CONSOLE),
    (
        "java/lang/System.",
        "Remove the use of `System`: an applet has no environment. For the virtual time in \
         microseconds, call `currentTime()`.",
    ),
    (
        "java/io/",
        "Count the events in a field, or send a packet with the data: an applet has no console and \
         no files.",
    ),
    (
        "java/util/Arrays.",
        "Write a loop in place of the call of `Arrays`: \
         `for (int i = 0; i < a.length; i++) a[i] = 0;`.",
    ),
    ("java/lang/Math.random", RANDOM),
    ("java/util/Random", RANDOM),
    (
        "java/lang/Byte.toUnsignedInt",
        "Write `b & 0xff` in place of `Byte.toUnsignedInt(b)`.",
    ),
    (
        "java/lang/Short.toUnsignedInt",
        "Write `s & 0xffff` in place of `Short.toUnsignedInt(s)`.",
    ),
    (
        "java/lang/Integer.reverseBytes",
        "Write `x >>> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24` in place of \
         `Integer.reverseBytes(x)`.",
    ),
    (
        "java/lang/Integer.compareUnsigned",
        "Write `a + 0x80000000 < b + 0x80000000` in place of \
         `Integer.compareUnsigned(a, b) < 0`.",
    ),
    ("java/lang/Byte.", PRIMITIVE),
    ("java/lang/Short.", PRIMITIVE),
    ("java/lang/Boolean.", PRIMITIVE),
    ("java/lang/Character.", PRIMITIVE),
    ("java/lang/Long.", INT_FOR_LONG),
    (
        "java/lang/Math.",
        "Write an expression in place of the call of `Math`: `a > b ? a : b` in place of `max`, or \
         `a < 0 ? -a : a` in place of `abs`.",
    ),
    (
        "java/lang/Integer.",
        "Use `int` in place of `Integer`, and replace calls of methods of `Integer` by code of \
         the applet.",
    ),
    (
        "java/lang/Object.",
        "Compute the result from the fields of the applet: an applet cannot call methods of \
         `Object` such as `hashCode`.",
    ),
    (
        "[",
        "Create an array, and copy the elements in a loop: \
         `for (int i = 0; i < length; i++) to[i] = from[i];`.",
    ),
    (
        "java/lang/String.",
        "Use a byte array in place of a `String`.",
    ),
    (
        "java/lang/Thread.",
        "Store the state in fields, and continue at the next packet: an applet has no threads and \
         cannot wait.",
    ),
];

/// Hints for the creation of objects, by prefix of the class name.
const OBJECTS: &[(&str, &str)] = &[
    (
        "java/lang/StringBuilder",
        "Store bytes in a byte array in place of a string: strings joined with `+` are objects.",
    ),
    ("java/util/Random", RANDOM),
    ("java/util/", ELEMENTS),
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
                return Some(
                    "Replace `assert` by an `if` that returns a number: `assert` throws an \
                     exception.",
                );
            }
            // Exceptions get a hint of their own, because the program creates an exception only to throw it.
            if name.ends_with("Exception") || name.ends_with("Error") {
                return Some(
                    "Return a number that tells what happened, in place of an exception. In \
                     `doRx`, `return 0;` drops the packet.",
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
