//! Effects of single instructions on the operand stack, and the types that they distinguish (JVMS §6.5).

use jive_core::Opcode;
use jive_verifier::{Expected, Policy, VerificationType as T, VerifyErrorKind};

use crate::class_bytes::{ClassBytes, Notes, STATIC, at, judge};

/// The array types of the subset, each with its descriptor, type code for `newarray` and verification type.
const ARRAYS: [(&str, u8, T); 4] = [
    ("[Z", 4, T::BooleanArray),
    ("[B", 8, T::ByteArray),
    ("[S", 9, T::ShortArray),
    ("[I", 10, T::IntArray),
];

#[test]
fn shuffles_leave_values_in_the_order_of_the_specification() {
    // Before each tested instruction the operand stack contains `int`, `byte[]`, `short[]`, `int[]`, with the last on
    // top.
    let cases: [(Opcode, &[&str]); 9] = [
        (Opcode::Pop, &["Int", "ByteArray", "ShortArray"]),
        (Opcode::Pop2, &["Int", "ByteArray"]),
        (
            Opcode::Dup,
            &["Int", "ByteArray", "ShortArray", "IntArray", "IntArray"],
        ),
        (
            Opcode::DupX1,
            &["Int", "ByteArray", "IntArray", "ShortArray", "IntArray"],
        ),
        (
            Opcode::DupX2,
            &["Int", "IntArray", "ByteArray", "ShortArray", "IntArray"],
        ),
        (
            Opcode::Dup2,
            &[
                "Int",
                "ByteArray",
                "ShortArray",
                "IntArray",
                "ShortArray",
                "IntArray",
            ],
        ),
        (
            Opcode::Dup2X1,
            &[
                "Int",
                "ShortArray",
                "IntArray",
                "ByteArray",
                "ShortArray",
                "IntArray",
            ],
        ),
        (
            Opcode::Dup2X2,
            &[
                "ShortArray",
                "IntArray",
                "Int",
                "ByteArray",
                "ShortArray",
                "IntArray",
            ],
        ),
        (
            Opcode::Swap,
            &["Int", "ByteArray", "IntArray", "ShortArray"],
        ),
    ];
    for (opcode, expected) in cases {
        // The code by pc: 0 `iload_0`, 1 `aload_1`, 2 `aload_2`, 3 `aload_3`, 4 the shuffle, 5 `return`.
        let code = [0x1a, 0x2b, 0x2c, 0x2d, opcode as u8, 0xb1];
        let mut class = ClassBytes::new();
        class.method_of_size(STATIC, "run", "(I[B[S[I)V", (6, 4), &code);
        let mut notes = Notes::default();
        assert_eq!(judge(&class.bytes(), Policy::ClassOnly, &mut notes), Ok(()));
        let (pc, state) = notes.reached.last().expect("it is reached");
        let (_, stack) = state.split_once("stack ").expect("it is told");
        assert_eq!(
            (*pc, stack),
            (5, format!("[{}]", expected.join(", ")).as_str()),
            "{opcode}"
        );
    }
}

#[test]
fn each_array_type_is_assignable_only_to_itself() {
    for (declared, _, kind) in ARRAYS {
        for (_, number, made) in ARRAYS {
            // The code by pc: 0 `iconst_1`, 1 `newarray`, 3 `areturn`.
            let code = [0x04, 0xbc, number, 0xb0];
            let descriptor = format!("(){declared}");
            let mut class = ClassBytes::new();
            class.method_of_size(STATIC, "run", &descriptor, (1, 0), &code);
            let expected = if kind == made {
                Ok(())
            } else {
                at(3, wrong(Opcode::Areturn, kind, made))
            };
            assert_eq!(class.verdict(), expected);
            // The second method returns a parameter of the declared type, by pc: 0 `aload_0`, 1 `areturn`.
            let descriptor = format!("({declared}){declared}");
            let mut class = ClassBytes::new();
            class.method_of_size(STATIC, "run", &descriptor, (1, 1), &[0x2a, 0xb0]);
            let mut notes = Notes::default();
            assert_eq!(judge(&class.bytes(), Policy::ClassOnly, &mut notes), Ok(()));
            assert_eq!(notes.reached[0].1, format!("locals [{kind:?}] stack []"));
        }
    }
}

#[test]
fn putfield_and_putstatic_check_the_type_of_the_value() {
    for (declared, _, kind) in ARRAYS {
        for (_, number, made) in ARRAYS {
            // The verified code executes `before`, creates an array, and stores it with `opcode`.
            let verdict = |access, name: &str, before: &[u8], opcode: Opcode| {
                let mut class = ClassBytes::new();
                let of_field = if access == STATIC { STATIC } else { 0 };
                class.field(of_field, name, declared);
                let field = class.member(9, "Fixture", name, declared);
                let store = [&[opcode as u8][..], &field.to_be_bytes(), &[0xb1]].concat();
                let code = [before, &[0x04, 0xbc, number], &store].concat();
                class.method_of_size(access, "run", "()V", (2, 1), &code);
                class.verdict()
            };
            let expected = |pc, opcode| {
                if kind == made {
                    Ok(())
                } else {
                    at(pc, wrong(opcode, kind, made))
                }
            };
            // The code by pc: 0 `iconst_1`, 1 `newarray`, 3 `putstatic`, 6 `return`. For `putfield`, an `aload_0`
            // precedes the code.
            assert_eq!(
                verdict(STATIC, "s", &[], Opcode::Putstatic),
                expected(3, Opcode::Putstatic)
            );
            assert_eq!(
                verdict(0, "f", &[0x2a], Opcode::Putfield),
                expected(4, Opcode::Putfield)
            );
        }
    }
}

/// Returns the verifier's error for a topmost operand of the wrong type.
fn wrong(opcode: Opcode, expected: T, found: T) -> VerifyErrorKind {
    VerifyErrorKind::OperandType {
        opcode,
        depth: 0,
        expected: Expected::Type(expected),
        found,
    }
}

#[test]
fn every_target_of_a_switch_is_visited() {
    // The code by pc: 0 `iload_0`, 1 `tableswitch` or `lookupswitch`, then `nop` and `return` for the default and two
    // cases.
    let table = [0, 5, 6].map(i32::to_be_bytes).concat();
    let switches: [(u8, Vec<u8>); 2] =
        [(0xaa, table), (0xab, [0, 2].map(i32::to_be_bytes).concat())];
    for (opcode, mut numbers) in switches {
        let is_table = opcode == 0xaa;
        let start: i32 = if is_table { 24 } else { 28 };
        // Offsets of the cases are relative to the switch, which is at pc 1.
        let offset = |number: i32| (start + 2 * number - 1).to_be_bytes();
        numbers[..4].copy_from_slice(&offset(0));
        if is_table {
            numbers.extend([offset(1), offset(2)].concat());
        } else {
            numbers.extend(
                [
                    5_i32.to_be_bytes(),
                    offset(1),
                    6_i32.to_be_bytes(),
                    offset(2),
                ]
                .concat(),
            );
        }
        let mut code = vec![0x1a, opcode, 0, 0];
        code.extend(numbers);
        assert_eq!(code.len(), usize::try_from(start).expect("it is small"));
        code.extend([0x00, 0xb1].repeat(3));
        let mut class = ClassBytes::new();
        class.method_of_size(STATIC, "run", "(I)V", (1, 1), &code);
        let mut notes = Notes::default();
        assert_eq!(judge(&class.bytes(), Policy::ClassOnly, &mut notes), Ok(()));
        let start = u16::try_from(start).expect("it is small");
        let reached: Vec<u16> = notes.reached.iter().map(|(pc, _)| *pc).collect();
        let ways = (0..6).map(|n| start + n);
        assert_eq!(reached, [0, 1].into_iter().chain(ways).collect::<Vec<_>>());
    }
}
