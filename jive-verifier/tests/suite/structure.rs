//! Static constraints on code (JVMS §4.9.1).

use jive_core::{CpIndex, Exclusion, Opcode};
use jive_verifier::{TypeUse, VerifyErrorKind};

use crate::class_bytes::{ClassBytes, STATIC, at, verdict_of};

/// Verifies bytes that follow a `return`, so that they are unreachable.
fn unreachable(bytes: &[u8]) -> Result<(), jive_verifier::VerifyError> {
    let mut code = vec![0xb1];
    code.extend(bytes);
    verdict_of("()V", &code)
}

#[test]
fn unreachable_opcodes_outside_the_subset_are_rejected() {
    for opcode in Opcode::ALL {
        let Some(why) = opcode.exclusion() else {
            continue;
        };
        let opcode = *opcode;
        let found = TypeUse::Opcode(opcode);
        let expected = match why {
            Exclusion::Long => VerifyErrorKind::Long { found },
            Exclusion::Float => VerifyErrorKind::Float { found },
            Exclusion::Double => VerifyErrorKind::Double { found },
            Exclusion::Char => VerifyErrorKind::Char { found },
            // Covered by another test.
            Exclusion::Wide => continue,
            Exclusion::ReferenceArray => VerifyErrorKind::ReferenceArray { found },
            Exclusion::Object => VerifyErrorKind::NewObject { opcode },
            Exclusion::TypeTest => VerifyErrorKind::TypeTest { opcode },
            Exclusion::Exception => VerifyErrorKind::Throw { opcode },
            Exclusion::Thread => VerifyErrorKind::Monitor { opcode },
            Exclusion::Subroutine => VerifyErrorKind::Subroutine { opcode },
            Exclusion::InterfaceCall => VerifyErrorKind::InvokeInterface { opcode },
            Exclusion::DynamicCall => VerifyErrorKind::InvokeDynamic { opcode },
            Exclusion::Reserved => VerifyErrorKind::ReservedOpcode { opcode },
        };
        // The operands are zeros, which are valid except for the counts of `invokeinterface` and `multianewarray`.
        let count = u8::from(opcode != Opcode::Invokedynamic);
        let verdict = unreachable(&[opcode.byte(), 0, 0, count, 0]);
        assert_eq!(verdict, at(1, expected), "{opcode}");
    }
}

#[test]
fn unknown_opcodes_are_rejected() {
    for byte in 203..=253 {
        assert_eq!(
            unreachable(&[byte]),
            at(1, VerifyErrorKind::UnknownOpcode { byte })
        );
    }
}

#[test]
fn wide_is_accepted_only_before_opcodes_with_a_wide_form() {
    for byte in 0..=u8::MAX {
        let verdict = unreachable(&[0xc4, byte, 0, 0, 0, 0]);
        let expected = match byte {
            // The accepted opcodes are `iload`, `aload`, `istore`, `astore` and `iinc`. After `iload`, `aload`,
            // `istore` and `astore`, the last two bytes are two `nop`.
            0x15 | 0x19 | 0x36 | 0x3a | 0x84 => Ok(()),
            // The opcodes that load and store a `long`, `float` or `double` are rejected.
            0x16 | 0x37 => at(1, VerifyErrorKind::Long { found: used(byte) }),
            0x17 | 0x38 => at(1, VerifyErrorKind::Float { found: used(byte) }),
            0x18 | 0x39 => at(1, VerifyErrorKind::Double { found: used(byte) }),
            0xa9 => at(
                1,
                VerifyErrorKind::Subroutine {
                    opcode: Opcode::Ret,
                },
            ),
            byte => at(1, VerifyErrorKind::WideOpcode { byte }),
        };
        assert_eq!(verdict, expected, "{byte:#04x}");
    }
}

fn used(byte: u8) -> TypeUse {
    TypeUse::Opcode(Opcode::from_byte(byte).expect("the byte is an opcode"))
}

#[test]
fn branch_targets_must_be_instruction_starts() {
    // The code by pc: 0 `iconst_0`, 1 `ifeq`, 4 `goto_w`, 9 `iinc`, 12 `wide iinc`, 18 `bipush`, 20 `pop`, 21
    // `iconst_0`, 22 `tableswitch` with a byte of padding, 36 the offset of its only case, 40 `return`.
    let starts = [0, 1, 4, 9, 12, 18, 20, 21, 22, 40];
    let program = |at: usize, offset: &[u8]| {
        let mut code = vec![0x03, 0x99, 0, 3, 0xc8, 0, 0, 0, 5, 0x84, 0, 1];
        code.extend([0xc4, 0x84, 0, 0, 0, 1, 0x10, 7, 0x57, 0x03, 0xaa, 0]);
        code.extend([0, 0, 0, 18, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 18, 0xb1]);
        code[at..at + offset.len()].copy_from_slice(offset);
        let mut class = ClassBytes::new();
        class
            .method_of_size(STATIC, "run", "(I)V", (1, 1), &code)
            .verdict()
    };
    let expect = |verdict, pc: u16, opcode, offset: i32| {
        let target = i64::from(pc) + i64::from(offset);
        // A branch to an instruction start is accepted, except to 1, 20 and 22, which need a non-empty operand stack.
        let expected = match (starts.contains(&target), target) {
            (true, 1 | 20 | 22) => Some("unsafe/stack-underflow"),
            (true, _) => None,
            (false, _) => Some("unsafe/branch-target"),
        };
        let found: Result<(), jive_verifier::VerifyError> = verdict;
        let found = found.err();
        if let Some(error) = found
            && error.kind.code() == "unsafe/branch-target"
        {
            assert_eq!(
                Err(error),
                at(pc, VerifyErrorKind::BranchTarget { opcode, target })
            );
        }
        let code = found.map(|error| error.kind.code());
        // The order in which the paths are visited decides whether the depths clash or the stack underflows. The test
        // compares only that the code is rejected.
        let code = code.map(|code| {
            if code == "unsafe/merge-depth" {
                "unsafe/stack-underflow"
            } else {
                code
            }
        });
        assert_eq!(code, expected, "{opcode} {offset}");
    };
    for offset in -60..=60_i16 {
        expect(
            program(2, &offset.to_be_bytes()),
            1,
            Opcode::Ifeq,
            offset.into(),
        );
    }
    let far = [i32::MIN, -65_536, 65_535, 65_540, i32::MAX];
    for offset in (-60..=60).chain(far) {
        expect(program(5, &offset.to_be_bytes()), 4, Opcode::GotoW, offset);
        expect(
            program(24, &offset.to_be_bytes()),
            22,
            Opcode::Tableswitch,
            offset,
        );
        expect(
            program(36, &offset.to_be_bytes()),
            22,
            Opcode::Tableswitch,
            offset,
        );
    }
}

#[test]
fn branch_to_the_end_of_the_code_is_rejected() {
    // A word of marks covers 32 bytes of code. At the end of the last word of marks, there is no next word.
    for length in 4..=100_u8 {
        let mut code = vec![0xa7, 0, length];
        code.resize(usize::from(length) - 1, 0x00);
        code.push(0xb1);
        let kind = VerifyErrorKind::BranchTarget {
            opcode: Opcode::Goto,
            target: length.into(),
        };
        assert_eq!(verdict_of("()V", &code), at(0, kind), "{length}");
    }
}

#[test]
fn a_branch_into_an_operand_is_rejected_at_every_offset() {
    // The code is a `goto` at pc 0, `nop` up to a `bipush` whose operand is the target, `pop` and `return`. The lengths
    // of the code are below 32 bytes, exactly 32, and above, which tests each word of marks.
    for before in 0..=100_u8 {
        let bipush = 3 + before;
        let mut code = vec![0xa7, 0, bipush + 1];
        code.resize(usize::from(bipush), 0x00);
        code.extend([0x10, 0x00, 0x57, 0xb1]);
        let kind = VerifyErrorKind::BranchTarget {
            opcode: Opcode::Goto,
            target: i64::from(bipush) + 1,
        };
        assert_eq!(verdict_of("()V", &code), at(0, kind), "{before}");
        code[2] = bipush;
        assert_eq!(verdict_of("()V", &code), Ok(()), "{before}");
    }
}

#[test]
fn error_at_the_lowest_pc_comes_before_undecodable_code() {
    // The code has `goto 4` at pc 0, which leads into the `bipush` at pc 3, and an unknown opcode at pc 5. The second
    // method has a `goto` whose target follows the undecodable byte.
    let inside = verdict_of("()V", &[0xa7, 0, 4, 0x10, 0, 0xfd]);
    let opcode = Opcode::Goto;
    assert_eq!(
        inside,
        at(0, VerifyErrorKind::BranchTarget { opcode, target: 4 })
    );
    let behind = verdict_of("()V", &[0xa7, 0, 6, 0x10, 0, 0xfd, 0xb1]);
    assert_eq!(behind, at(5, VerifyErrorKind::UnknownOpcode { byte: 0xfd }));
}

#[test]
fn truncated_instructions_are_rejected() {
    // The codes are `sipush`, `wide iload`, `goto_w` and `tableswitch`, each without its last byte.
    for code in [
        &[0x11, 0][..],
        &[0xc4, 0x15, 0],
        &[0xc8, 0, 0, 0],
        &[0xaa, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ] {
        assert_eq!(
            verdict_of("()V", code),
            at(0, VerifyErrorKind::TruncatedInstruction)
        );
    }
}

#[test]
fn inconsistent_switch_operands_are_rejected() {
    let table = |low: i32, high: i32| {
        let numbers = [19_i32, low, high, 19];
        let mut code = vec![0x03, 0xaa, 0, 0];
        code.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
        code.push(0xb1);
        verdict_of("()V", &code)
    };
    assert_eq!(table(7, 7), Ok(()));
    assert_eq!(table(i32::MAX, i32::MAX), Ok(()));
    assert_eq!(
        table(8, 7),
        at(1, VerifyErrorKind::SwitchBounds { low: 8, high: 7 })
    );
    assert_eq!(
        table(i32::MIN, i32::MAX),
        at(1, VerifyErrorKind::TruncatedInstruction)
    );

    let lookup = |count: i32, first: i32, second: i32| {
        let numbers = [27_i32, count, first, 27, second, 27];
        let mut code = vec![0x03, 0xab, 0, 0];
        code.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
        code.push(0xb1);
        verdict_of("()V", &code)
    };
    assert_eq!(lookup(2, i32::MIN, i32::MAX), Ok(()));
    assert_eq!(
        lookup(-1, 1, 2),
        at(1, VerifyErrorKind::SwitchCount { count: -1 })
    );
    for (previous, key) in [(3, 3), (3, 2)] {
        let kind = VerifyErrorKind::SwitchOrder { previous, key };
        assert_eq!(lookup(2, previous, key), at(1, kind));
    }
}

#[test]
fn padding_of_a_switch_must_be_zero_below_version_51() {
    // The code has `iconst_0` at pc 0 and the switch at pc 1. The second padding byte of the switch is 1. All other
    // bytes of the switch are zero, except those of the default.
    let switches: [(Opcode, u8, &[u8]); 2] = [
        (Opcode::Lookupswitch, 11, &[0; 4]),
        (
            Opcode::Tableswitch,
            19,
            &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 19],
        ),
    ];
    for (opcode, default, rest) in switches {
        let mut code = vec![0x03, opcode.byte(), 0, 1, 0, 0, 0, default];
        code.extend(rest);
        code.push(0xb1);
        let refused = at(1, VerifyErrorKind::SwitchPadding { opcode });
        for (major, expected) in [(50, refused), (51, Ok(()))] {
            let mut class = ClassBytes::new();
            class.major = major;
            assert_eq!(
                class.method(STATIC, "run", "()V", &code).verdict(),
                expected
            );
        }
    }
}

#[test]
fn local_variable_indices_must_be_below_max_locals() {
    let run = |code: &[u8]| {
        let mut class = ClassBytes::new();
        class
            .method_of_size(STATIC, "run", "(II)V", (1, 2), code)
            .verdict()
    };
    let beyond = |opcode, local| {
        let max_locals = 2;
        at(
            0,
            VerifyErrorKind::LocalIndex {
                opcode,
                local,
                max_locals,
            },
        )
    };
    assert_eq!(run(&[0x15, 1, 0x57, 0xb1]), Ok(()));
    assert_eq!(run(&[0x15, 2, 0x57, 0xb1]), beyond(Opcode::Iload, 2));
    assert_eq!(run(&[0x1c, 0x57, 0xb1]), beyond(Opcode::Iload2, 2));
    assert_eq!(
        run(&[0xc4, 0x84, 1, 0, 0, 1, 0xb1]),
        beyond(Opcode::Iinc, 256)
    );
    assert_eq!(
        run(&[0xc4, 0x3a, 0xff, 0xff, 0xb1]),
        beyond(Opcode::Astore, 65_535)
    );
}

#[test]
fn ldc_loads_int_constants_only() {
    let load = |write: fn(&mut ClassBytes) -> u16, opcode: u8| {
        let mut class = ClassBytes::new();
        class.major = 61;
        let index = write(&mut class);
        let [high, low] = index.to_be_bytes();
        let code = if opcode == 0x12 {
            vec![0xb1, opcode, low]
        } else {
            vec![0xb1, opcode, high, low]
        };
        let verdict = class.method(STATIC, "run", "()V", &code).verdict();
        (verdict, CpIndex(index))
    };
    let int = |class: &mut ClassBytes| class.constant(vec![3, 0, 0, 0, 1]);
    assert_eq!(load(int, 0x12).0, Ok(()));
    assert_eq!(load(int, 0x13).0, Ok(()));
    let (verdict, index) = load(|class| class.constant(vec![4, 0, 0, 0, 0]), 0x12);
    let found = TypeUse::Constant(index);
    assert_eq!(verdict, at(1, VerifyErrorKind::Float { found }));
    let (verdict, index) = load(
        |class| {
            let text = class.utf8("text");
            class.tagged(8, &[text])
        },
        0x12,
    );
    let found = TypeUse::Constant(index);
    assert_eq!(verdict, at(1, VerifyErrorKind::String { found }));
    let (verdict, index) = load(|class| class.class("unet/Nic"), 0x13);
    assert_eq!(verdict, at(1, VerifyErrorKind::ClassConstant { index }));
    let (verdict, index) = load(
        |class| {
            let descriptor = class.utf8("()V");
            class.tagged(16, &[descriptor])
        },
        0x13,
    );
    assert_eq!(verdict, at(1, VerifyErrorKind::MethodHandle { index }));
    let (verdict, index) = load(|class| class.utf8("text"), 0x13);
    let opcode = Opcode::LdcW;
    assert_eq!(
        verdict,
        at(1, VerifyErrorKind::ConstantKind { opcode, index })
    );
    let (verdict, index) = load(|_| 999, 0x13);
    assert_eq!(
        verdict,
        at(1, VerifyErrorKind::ConstantIndex { opcode, index })
    );
    let (verdict, index) = load(|_| 0, 0x14);
    let opcode = Opcode::Ldc2W;
    assert_eq!(
        verdict,
        at(1, VerifyErrorKind::ConstantIndex { opcode, index })
    );
    let (verdict, index) = load(int, 0x14);
    assert_eq!(
        verdict,
        at(1, VerifyErrorKind::ConstantKind { opcode, index })
    );
}

#[test]
fn newarray_accepts_the_four_array_types_of_the_subset() {
    for code in 0..=u8::MAX {
        let found = TypeUse::Opcode(Opcode::Newarray);
        let expected = match code {
            4 | 8 | 9 | 10 => Ok(()),
            5 => at(1, VerifyErrorKind::Char { found }),
            6 => at(1, VerifyErrorKind::Float { found }),
            7 => at(1, VerifyErrorKind::Double { found }),
            11 => at(1, VerifyErrorKind::Long { found }),
            found => at(1, VerifyErrorKind::ArrayTypeCode { found }),
        };
        assert_eq!(unreachable(&[0xbc, code]), expected, "{code}");
    }
}

#[test]
fn an_exception_handler_is_an_error_at_the_first_covered_pc() {
    let run = |start, code: &[u8]| {
        let mut class = ClassBytes::new();
        let length = u16::try_from(code.len()).expect("the code is short");
        let rows = [[start, length, 0, 0]];
        class
            .method_with_handlers(STATIC, "run", "()V", (2, 2), code, &rows)
            .verdict()
    };
    assert_eq!(
        run(1, &[0, 0, 0xb1]),
        at(1, VerifyErrorKind::ExceptionHandler)
    );
    // An error before the code that the handler covers takes precedence over the handler. An error after the start of
    // the covered code does not take precedence.
    let opcode = Opcode::Athrow;
    assert_eq!(
        run(1, &[0xbf, 0, 0xb1]),
        at(0, VerifyErrorKind::Throw { opcode })
    );
    assert_eq!(
        run(1, &[0, 0xbf, 0xb1]),
        at(1, VerifyErrorKind::ExceptionHandler)
    );
}
