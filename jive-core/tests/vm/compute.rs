//! Results of ops and contents of fields, for class files compiled by `javac` (JVMS §6.5).

use jive_core::{Lifetime, TrapKind};

use super::machine::{Machine, PLENTY};

fn arithmetic() -> Machine {
    Machine::load(include_bytes!("../classes/Arithmetic.class"), &[], 0)
}

fn storage() -> Machine {
    Machine::load(include_bytes!("../classes/Storage.class"), &[], 1024)
}

#[test]
fn arithmetic_wraps() {
    let mut machine = arithmetic();
    for (name, a, b, result) in [
        ("add", i32::MAX, 1, i32::MIN),
        ("add", i32::MIN, i32::MIN, 0),
        ("subtract", i32::MIN, 1, i32::MAX),
        ("subtract", 0, i32::MIN, i32::MIN),
        ("multiply", i32::MIN, -1, i32::MIN),
        ("multiply", 0x10000, 0x10000, 0),
        ("multiply", 65_537, 65_537, 131_073),
        ("and", -1, 0x0f0f, 0x0f0f),
        ("or", i32::MIN, 1, -2_147_483_647),
        ("xor", -1, i32::MAX, i32::MIN),
    ] {
        assert_eq!(machine.value(name, &[a, b]), result, "{name}({a}, {b})");
    }
    assert_eq!(machine.value("negate", &[i32::MIN]), i32::MIN);
    assert_eq!(machine.value("negate", &[5]), -5);
    assert_eq!(machine.value("increment", &[i32::MAX]), i32::MIN);
    assert_eq!(machine.value("decrementFar", &[i32::MIN]), 2_147_482_648);
    assert_eq!(machine.value("constants", &[]), -67_357);
}

#[test]
fn postfix_increment_of_a_variable_returns_the_old_value() {
    let mut machine = arithmetic();
    for (name, value, result) in [
        ("useThenCount", 7, 87),
        ("useThenCount", -1, -1),
        ("useAndForgetToCount", 7, 7),
        ("useAndForgetToCount", i32::MAX, i32::MAX),
        ("roots", 0, 0),
        ("roots", 1, 1),
        ("roots", 99, 9),
        ("roots", 100, 10),
    ] {
        assert_eq!(machine.value(name, &[value]), result, "{name}({value})");
    }
}

#[test]
fn fields_are_incremented_and_narrowed() {
    let mut machine = storage();
    for (name, value, result) in [
        ("countStatic", 5, 12),
        ("countStatic", i32::MAX, i32::MIN + 6),
        ("countByte", 120, 127),
        ("countByte", 121, -128),
        ("useThenCountStatic", 5, 5 ^ 6),
        ("countOwn", 5, -2),
        ("countOwn", i32::MIN, i32::MAX - 6),
    ] {
        assert_eq!(machine.value(name, &[value]), result, "{name}({value})");
    }
    assert_eq!(machine.value("constants", &[]), -128 + 300 + 70_000);
    assert_eq!(machine.instance.field(machine.field("staticBoolean")), 1);
}

#[test]
fn division_rounds_towards_zero_and_wraps_on_overflow() {
    let mut machine = arithmetic();
    for (a, b, quotient, remainder) in [
        (i32::MIN, -1, i32::MIN, 0),
        (i32::MIN, 1, i32::MIN, 0),
        (i32::MIN, i32::MAX, -1, -1),
        (7, 2, 3, 1),
        (-7, 2, -3, -1),
        (7, -2, -3, 1),
        (-7, -2, 3, -1),
        (0, -5, 0, 0),
    ] {
        assert_eq!(machine.value("divide", &[a, b]), quotient, "{a} / {b}");
        assert_eq!(machine.value("remainder", &[a, b]), remainder, "{a} % {b}");
    }
    for name in ["divide", "remainder"] {
        let trap = machine.trap(TrapKind::ArithmeticException, name, 2);
        assert_eq!(machine.call(name, &[i32::MIN, 0]), Err(trap));
    }
}

#[test]
fn shifts_take_the_low_five_bits_of_the_count() {
    let mut machine = arithmetic();
    for (name, a, b, result) in [
        ("shiftLeft", 1, 31, i32::MIN),
        ("shiftLeft", 1, 32, 1),
        ("shiftLeft", 1, 33, 2),
        ("shiftLeft", 1, -1, i32::MIN),
        ("shiftRight", i32::MIN, 31, -1),
        ("shiftRight", i32::MIN, 32, i32::MIN),
        ("shiftRight", -8, -31, -4),
        ("shiftRightUnsigned", -1, 31, 1),
        ("shiftRightUnsigned", -1, 32, -1),
        ("shiftRightUnsigned", i32::MIN, 1, 0x4000_0000),
        ("shiftRightUnsigned", -1, -1, 1),
    ] {
        assert_eq!(machine.value(name, &[a, b]), result, "{name}({a}, {b})");
    }
}

#[test]
fn comparisons_are_signed() {
    const EQUAL: i32 = 1 | 8 | 32;
    const LESS: i32 = 2 | 4 | 32;
    const GREATER: i32 = 2 | 8 | 16;
    let mut machine = arithmetic();
    for (a, b, bits) in [
        (0, 0, EQUAL),
        (i32::MIN, i32::MIN, EQUAL),
        (i32::MIN, i32::MAX, LESS),
        (-1, 0, LESS),
        (i32::MAX, i32::MIN, GREATER),
        (1, 0, GREATER),
    ] {
        assert_eq!(machine.value("compare", &[a, b]), bits, "{a} ? {b}");
    }
    for (a, bits) in [
        (0, EQUAL),
        (i32::MIN, LESS),
        (-1, LESS),
        (1, GREATER),
        (i32::MAX, GREATER),
    ] {
        assert_eq!(machine.value("sign", &[a]), bits, "{a} ? 0");
    }
}

/// Pairs of an `int` with its values after narrowing to `byte`, `short` and `boolean`.
const NARROWED: [(i32, i32, i32, i32); 8] = [
    (0, 0, 0, 0),
    (1, 1, 1, 1),
    (2, 2, 2, 0),
    (-1, -1, -1, 1),
    (127, 127, 127, 1),
    (128, -128, 128, 0),
    (0x18000, 0, -32768, 0),
    (i32::MAX, -1, -1, 1),
];

#[test]
fn conversions_narrow() {
    let mut machine = arithmetic();
    for (value, byte, short, _) in NARROWED {
        assert_eq!(machine.value("toByte", &[value]), byte);
        assert_eq!(machine.value("toShort", &[value]), short);
    }
}

#[test]
fn returns_fields_and_elements_narrow() {
    let mut machine = storage();
    for (value, byte, short, boolean) in NARROWED {
        for (name, left) in [
            ("parameter", value),
            ("returnByte", byte),
            ("returnShort", short),
            ("returnBoolean", boolean),
            ("throughStaticByte", byte),
            ("throughStaticShort", short),
            ("throughStaticBoolean", boolean),
            ("throughStaticInt", value),
            ("throughOwnByte", byte),
            ("throughOwnShort", short),
            ("throughOwnBoolean", boolean),
            ("throughOwnInt", value),
            ("throughBytes", byte),
            ("throughShorts", short),
            ("throughInts", value),
            ("throughBooleans", boolean),
        ] {
            let result = machine.call_with(name, &[value], PLENTY, Lifetime::PerCall);
            assert_eq!(result, Ok(Some(left)), "{name}({value})");
        }
    }
    // The test reads the field from outside, because a load in the class could narrow a value that the store did not
    // narrow.
    let field = machine.field("staticBoolean");
    machine.value("throughStaticBoolean", &[2]);
    assert_eq!(machine.instance.field(field), 0);
}

#[test]
fn constant_values_fill_static_fields_only() {
    let machine = storage();
    let value = |name| machine.instance.field(machine.field(name));
    assert_eq!(value("CONSTANT"), 70_000);
    assert_eq!(value("SMALL"), -3);
    assert_eq!(value("YES"), 1);
    assert_eq!(value("ignored"), 0);
    assert_eq!(value("staticInt"), 0);
}

#[test]
fn a_constructor_calls_its_superclass_and_fills_fields() {
    let mut machine = storage();
    let constructor = machine.instance.program().constructor();
    assert_eq!(constructor, Some(machine.method("<init>")));
    assert_eq!(machine.call("<init>", &[]), Ok(None));
    assert_eq!(machine.instance.field(machine.field("ignored")), 9);
}

#[test]
fn field_accesses_on_null_trap() {
    let mut machine = storage();
    let trap = machine.trap(TrapKind::NullPointerException, "nullField", 3);
    assert_eq!(machine.call("nullField", &[]), Err(trap));
    let trap = machine.trap(TrapKind::NullPointerException, "nullStore", 4);
    assert_eq!(machine.call("nullStore", &[]), Err(trap));
    let field = machine.field("ownInt");
    assert_eq!(machine.instance.field(field), 0);
}

#[test]
fn the_receiver_can_be_stored_and_used() {
    assert_eq!(storage().value("keepSelf", &[]), 5);
}
