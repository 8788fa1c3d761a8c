//! Structural constraints on code (JVMS §4.9.2), which the data flow checks (§4.10.2).

use jive_core::{Action, ConstantSource, Opcode, Pc};
use jive_verifier::{Expected, VerificationType, VerifyErrorKind};

use crate::class_bytes::{ClassBytes, STATIC, at, in_method, verdict_of};

use VerificationType as T;

#[test]
fn every_special_opcode_is_verified() {
    // The programs leave the operand stack empty, in a method (I[B[S)V.
    let programs: &[&[u8]] = &[
        // A program with `iload`, `istore`, `iinc`, and their short forms.
        &[
            0x15, 0, 0x36, 0, 0x1a, 0x3b, 0x03, 0x36, 3, 0x1d, 0x3e, 0x84, 0, 1,
        ],
        &[0x03, 0x3c, 0x1b, 0x3d, 0x1c, 0x57],
        // A program with `aload`, `astore`, and their short forms.
        &[
            0x19, 1, 0x3a, 1, 0x2b, 0x4c, 0x2c, 0x4d, 0x01, 0x4e, 0x2d, 0x4b, 0x2a, 0x57,
        ],
        // A program with `ldc` and `ldc_w` of constant 1, an `int`.
        &[0x12, 1, 0x57, 0x13, 0, 1, 0x57],
        // A program that accesses arrays: `baload`, `bastore`, `saload`, `sastore`, `iaload`, `iastore`.
        &[
            0x2b, 0x1a, 0x33, 0x57, 0x2b, 0x1a, 0x1a, 0x54, 0x2c, 0x1a, 0x35, 0x57, 0x2c, 0x1a,
            0x1a, 0x56,
        ],
        &[
            0x1a, 0xbc, 10, 0x4e, 0x2d, 0x1a, 0x2e, 0x57, 0x2d, 0x1a, 0x1a, 0x4f, 0x2d, 0xbe, 0x57,
        ],
        // Programs with `pop2`, `dup`, `dup_x1`, `dup_x2`, `dup2`, `dup2_x1`, `dup2_x2` and `swap`.
        &[0x1a, 0x59, 0x58, 0x1a, 0x2b, 0x5a, 0x5f, 0x58, 0x57],
        &[
            0x1a, 0x2b, 0x2c, 0x5b, 0x58, 0x58, 0x1a, 0x2b, 0x5c, 0x58, 0x58,
        ],
        &[
            0x1a, 0x2b, 0x2c, 0x5d, 0x57, 0x58, 0x58, 0x1a, 0x2b, 0x2c, 0x1a, 0x5e, 0x58, 0x58,
            0x58,
        ],
    ];
    let mut class = ClassBytes::new();
    // Constants of the class are numbered in the order of insertion, and the class's name takes the first two numbers.
    let int = class.constant(vec![3, 0, 0, 0, 7]);
    let low = u8::try_from(int).expect("it is one of the first constants");
    let mut used = Vec::new();
    for (number, program) in programs.iter().enumerate() {
        let mut code = program.to_vec();
        if let [0x12, first, _, 0x13, _, second, _] = code.as_mut_slice() {
            (*first, *second) = (low, low);
        }
        code.push(0xb1);
        used.extend(jive_core::instructions(&code).map(|insn| insn.expect("it decodes").opcode));
        class.method_of_size(STATIC, &format!("run{number}"), "(I[B[S)V", (6, 4), &code);
    }
    assert_eq!(class.verdict(), Ok(()));
    // Other tests cover the opcodes in `elsewhere`, because their instructions need members or end the method.
    let elsewhere = [
        Opcode::Wide,
        Opcode::Ireturn,
        Opcode::Areturn,
        Opcode::Getstatic,
        Opcode::Putstatic,
        Opcode::Getfield,
        Opcode::Putfield,
        Opcode::Invokevirtual,
        Opcode::Invokespecial,
        Opcode::Invokestatic,
    ];
    for opcode in Opcode::ALL {
        // Opcodes with these actions are covered by other tests: constants, operators, branches and switches.
        let is_by_kind = matches!(
            opcode.action(),
            Action::Nothing
                | Action::Constant(ConstantSource::Null | ConstantSource::Immediate)
                | Action::Unary(_)
                | Action::Binary(_)
                | Action::BranchZero(_)
                | Action::BranchInt(_)
                | Action::BranchNull(_)
                | Action::BranchReference(_)
                | Action::Jump
                | Action::Switch
                | Action::Unsupported(_)
        );
        assert!(
            is_by_kind || used.contains(opcode) || elsewhere.contains(opcode),
            "{opcode}"
        );
    }
}

#[test]
fn stack_underflow_and_overflow_report_their_numbers() {
    let underflow = VerifyErrorKind::StackUnderflow {
        opcode: Opcode::Iadd,
        needed: 2,
        found: 1,
    };
    assert_eq!(
        verdict_of("()V", &[0x04, 0x60, 0x57, 0xb1]),
        at(1, underflow)
    );
    let overflow = VerifyErrorKind::StackOverflow {
        opcode: Opcode::Dup2,
        max_stack: 4,
    };
    let code = [0x03, 0x03, 0x03, 0x5c, 0xb1];
    assert_eq!(verdict_of("()V", &code), at(3, overflow));
    // Code that fills the operand stack up to `max_stack` is accepted.
    assert_eq!(verdict_of("()V", &[0x03, 0x03, 0x5c, 0xb1]), Ok(()));
}

#[test]
fn a_load_checks_the_type_of_the_array() {
    // The table has a row for each instruction that loads an element, and a column for each type of array. 1 means
    // accepted.
    let loads = [
        (0x33, [1, 0, 0, 1]),
        (0x35, [0, 1, 0, 0]),
        (0x2e, [0, 0, 1, 0]),
    ];
    for (load, right) in loads {
        for (descriptor, right) in ["([B)V", "([S)V", "([I)V", "([Z)V"].iter().zip(right) {
            let verdict = verdict_of(descriptor, &[0x2a, 0x03, load, 0x57, 0xb1]);
            let code = verdict.err().map(|error| error.kind.code());
            let expected = (right == 0).then_some("unsafe/operand-type");
            assert_eq!(code, expected, "{load:#x} {descriptor}");
        }
    }
    // All loads of elements from null are accepted, and trap at run time.
    for load in [0x33, 0x35, 0x2e] {
        assert_eq!(verdict_of("()V", &[0x01, 0x03, load, 0x57, 0xb1]), Ok(()));
    }
}

#[test]
fn a_store_checks_the_type_of_the_array() {
    // The table has a row for each instruction that stores an element, and a column for each type of array. 1 means
    // accepted.
    let stores = [
        (0x54, [1, 0, 0, 1]),
        (0x56, [0, 1, 0, 0]),
        (0x4f, [0, 0, 1, 0]),
    ];
    for (store, right) in stores {
        for (descriptor, right) in ["([B)V", "([S)V", "([I)V", "([Z)V"].iter().zip(right) {
            let verdict = verdict_of(descriptor, &[0x2a, 0x03, 0x03, store, 0xb1]);
            let code = verdict.err().map(|error| error.kind.code());
            let expected = (right == 0).then_some("unsafe/operand-type");
            assert_eq!(code, expected, "{store:#x} {descriptor}");
        }
        // The index and the element of a store must be `int`s.
        for (index, element) in [(0x01, 0x03), (0x03, 0x01)] {
            let code = [0x01, index, element, store, 0xb1];
            let code = verdict_of("()V", &code).map_err(|error| error.kind.code());
            assert_eq!(code, Err("unsafe/operand-type"), "{store:#x}");
        }
    }
}

#[test]
fn integer_instructions_require_integers() {
    // 0 `aconst_null`, 1 `istore_0`.
    let stored = verdict_of("()V", &[0x01, 0x3b, 0xb1]);
    assert_eq!(
        stored.map_err(|error| error.kind.code()),
        Err("unsafe/operand-type")
    );
    // 0 `iinc 0 1`.
    let increased =
        |descriptor| verdict_of(descriptor, &[0x84, 0, 1, 0xb1]).map_err(|error| error.kind.code());
    assert_eq!(increased("(I)V"), Ok(()));
    assert_eq!(increased("([B)V"), Err("unsafe/local-type"));
}

#[test]
fn paths_must_meet_with_equal_stack_depths() {
    // The code by pc: 0 `iload_0`, 1 `ifeq 5`, 4 `iconst_0`, 5 `return`.
    let merge = VerifyErrorKind::MergeDepth {
        target: Pc(5),
        expected: 0,
        found: 1,
    };
    assert_eq!(
        verdict_of("(I)V", &[0x1a, 0x99, 0, 4, 0x03, 0xb1]),
        at(4, merge)
    );
}

#[test]
fn operands_must_have_a_common_type_where_paths_meet() {
    // The code by pc: 0 `aconst_null`, 1 `iload_0`, 2 `ifeq 7`, 5 `pop`, 6 `iconst_0`, 7 `pop`, 8 `return`.
    let code = [0x01, 0x1a, 0x99, 0, 5, 0x57, 0x03, 0x57, 0xb1];
    let kind = VerifyErrorKind::MergeType {
        target: Pc(7),
        depth: 0,
        expected: T::Null,
        found: T::Int,
    };
    assert_eq!(verdict_of("(I)V", &code), at(6, kind));
    // The code by pc: 0 `iconst_0`, 1 `aconst_null`, 2 `iload_0`, 3 `ifeq 8`, 6 `pop`, 7 `iconst_0`, 8 `pop2`, 9
    // `return`.
    let code = [0x03, 0x01, 0x1a, 0x99, 0, 5, 0x57, 0x03, 0x58, 0xb1];
    let kind = VerifyErrorKind::MergeType {
        target: Pc(8),
        depth: 0,
        expected: T::Null,
        found: T::Int,
    };
    assert_eq!(verdict_of("(I)V", &code), at(7, kind));
    // Two clashes occur at once in the code, by pc: 0 `aconst_null`, 1 `aconst_null`, 2 `iload_0`, 3 `ifeq 9`, 6
    // `pop2`, 7 `iconst_0`, 8 `iconst_0`, 9 `pop2`, 10 `return`.
    let code = [0x01, 0x01, 0x1a, 0x99, 0, 6, 0x58, 0x03, 0x03, 0x58, 0xb1];
    let kind = VerifyErrorKind::MergeType {
        target: Pc(9),
        depth: 1,
        expected: T::Null,
        found: T::Int,
    };
    assert_eq!(verdict_of("(I)V", &code), at(8, kind));
}

#[test]
fn mixed_references_may_only_be_moved_and_compared() {
    // 0 `iload_0`, 1 `ifeq 8`, 4 `aload_1`, 5 `goto 9`, 8 `aload_2`, 9 …
    let run = |tail: &[u8]| {
        let mut code = vec![0x1a, 0x99, 0, 7, 0x2b, 0xa7, 0, 4, 0x2c];
        code.extend(tail);
        verdict_of("(I[B[S)V", &code)
    };
    // The accepted ends of the code are `astore_3` with `aload_3`, `dup` with `if_acmpeq`, and `ifnull`.
    assert_eq!(run(&[0x4e, 0x2d, 0x57, 0xb1]), Ok(()));
    assert_eq!(run(&[0x59, 0xa5, 0, 3, 0xb1]), Ok(()));
    assert_eq!(run(&[0xc6, 0, 3, 0xb1]), Ok(()));
    let refused = |pc, opcode, depth, expected| {
        let found = T::AnyReference;
        at(
            pc,
            VerifyErrorKind::OperandType {
                opcode,
                depth,
                expected,
                found,
            },
        )
    };
    assert_eq!(
        run(&[0xbe, 0x57, 0xb1]),
        refused(9, Opcode::Arraylength, 0, Expected::Array)
    );
    let bytes = Expected::ByteOrBooleanArray;
    assert_eq!(
        run(&[0x03, 0x33, 0x57, 0xb1]),
        refused(10, Opcode::Baload, 1, bytes)
    );
}

#[test]
fn a_local_variable_set_on_only_one_path_is_unusable() {
    // The code by pc: 0 `iload_0`, 1 `ifeq 6`, 4 `iconst_0`, 5 `istore_1`, 6 `iload_1`.
    let code = [0x1a, 0x99, 0, 5, 0x03, 0x3c, 0x1b, 0x57, 0xb1];
    let kind = VerifyErrorKind::LocalType {
        opcode: Opcode::Iload1,
        local: 1,
        expected: Expected::Type(T::Int),
        found: T::Top,
    };
    assert_eq!(verdict_of("(I)V", &code), at(6, kind));
}

#[test]
fn a_back_edge_is_merged_into_the_loop_header() {
    // The code by pc: 0 `aload_1`, 1 `arraylength`, 2 `pop`, 3 `aload_2`, 4 `astore_1`, 5 `goto 0`. On the back edge to
    // pc 0, local variable 1 is a `short[]`.
    let code = [0x2b, 0xbe, 0x57, 0x2c, 0x4c, 0xa7, 0xff, 0xfb];
    let kind = VerifyErrorKind::OperandType {
        opcode: Opcode::Arraylength,
        depth: 0,
        expected: Expected::Array,
        found: T::AnyReference,
    };
    assert_eq!(verdict_of("(I[B[S)V", &code), at(1, kind));
    // In a loop whose array on the back edge has the same type as on entry, the code is accepted.
    let code = [0x2b, 0xbe, 0x57, 0x2b, 0x4c, 0xa7, 0xff, 0xfb];
    assert_eq!(verdict_of("(I[B[S)V", &code), Ok(()));
}

#[test]
fn execution_does_not_run_off_the_end() {
    assert_eq!(
        verdict_of("()V", &[0x00]),
        at(0, VerifyErrorKind::FallsOffEnd)
    );
    // Unreachable code may end anywhere.
    assert_eq!(verdict_of("()V", &[0xb1, 0x00]), Ok(()));
    // Execution continues past the end after an `if_icmpeq` that is the last instruction.
    let code = [0x1a, 0x1a, 0x9f, 0xff, 0xfe];
    assert_eq!(
        verdict_of("(I)V", &code),
        at(2, VerifyErrorKind::FallsOffEnd)
    );
}

#[test]
fn returns_match_the_method() {
    let kind = |opcode, expected| at(1, VerifyErrorKind::ReturnKind { opcode, expected });
    assert_eq!(verdict_of("()I", &[0x03, 0xac]), Ok(()));
    assert_eq!(verdict_of("()Z", &[0x03, 0xac]), Ok(()));
    assert_eq!(verdict_of("()[B", &[0x01, 0xb0]), Ok(()));
    assert_eq!(
        verdict_of("()V", &[0x03, 0xac]),
        kind(Opcode::Ireturn, Expected::Nothing)
    );
    let int = Expected::Type(T::Int);
    assert_eq!(verdict_of("()I", &[0x03, 0xb1]), kind(Opcode::Return, int));
    assert_eq!(verdict_of("()I", &[0x01, 0xb0]), kind(Opcode::Areturn, int));
    let shorts = Expected::Type(T::ShortArray);
    assert_eq!(
        verdict_of("()[S", &[0x03, 0xac]),
        kind(Opcode::Ireturn, shorts)
    );
    let wrong = VerifyErrorKind::OperandType {
        opcode: Opcode::Areturn,
        depth: 0,
        expected: shorts,
        found: T::ByteArray,
    };
    assert_eq!(verdict_of("([B)[S", &[0x2a, 0xb0]), at(1, wrong));
}

/// Verifies a constructor. `INIT`, `PUT` and `GET` in `code` each stand for an instruction with its constant.
fn constructor(code: &[u16]) -> Result<(), jive_verifier::VerifyError> {
    let mut class = ClassBytes::new();
    let init = class.member(10, "java/lang/Object", "<init>", "()V");
    let field = class.member(9, "Fixture", "number", "I");
    class.field(0, "number", "I");
    let code: Vec<u8> = code
        .iter()
        .flat_map(|part| match *part {
            INIT => [&[0xb7][..], &init.to_be_bytes()].concat(),
            PUT => [&[0xb5][..], &field.to_be_bytes()].concat(),
            GET => [&[0xb4][..], &field.to_be_bytes()].concat(),
            byte => vec![u8::try_from(byte).expect("the rest are bytes")],
        })
        .collect();
    class.method(0, "<init>", "()V", &code).verdict()
}

/// `INIT`, `PUT` and `GET` stand for `invokespecial Object.<init>`, and for `putfield` and `getfield` of a field of the
/// class.
const INIT: u16 = 0x100;
const PUT: u16 = 0x101;
const GET: u16 = 0x102;

#[test]
fn a_constructor_calls_object_init_once_on_each_path() {
    assert_eq!(constructor(&[0x2a, INIT, 0xb1]), Ok(()));
    // Before the call of `Object.<init>`, a constructor may set fields of the class, move `this` and test it for null.
    assert_eq!(
        constructor(&[0x2a, 0x04, PUT, 0x2a, 0x59, 0xc6, 0, 3, INIT, 0xb1]),
        Ok(())
    );
    // In `aload_0`, `dup`, `invokespecial`, `invokespecial`, the first call also initialises the copy of `this`.
    let kind = VerifyErrorKind::NotUninitialized { found: T::This };
    assert_eq!(constructor(&[0x2a, 0x59, INIT, INIT, 0xb1]), at(5, kind));
    assert_eq!(
        constructor(&[0xb1]),
        at(0, VerifyErrorKind::ReturnBeforeInit)
    );
    // The code `aconst_null`, `astore_0`, `return` overwrites `this`, which does not avoid the check.
    let kind = VerifyErrorKind::ReturnBeforeInit;
    assert_eq!(constructor(&[0x01, 0x4b, 0xb1]), at(2, kind));
    // The code by pc: 0 `iconst_0`, 1 `ifeq 8`, 4 `aload_0`, 5 `invokespecial`, 8 `return`.
    let kind = VerifyErrorKind::ReturnBeforeInit;
    assert_eq!(
        constructor(&[0x03, 0x99, 0, 7, 0x2a, INIT, 0xb1]),
        at(8, kind)
    );
    // The code `goto 0` at pc 0 never returns.
    assert_eq!(constructor(&[0xa7, 0, 0]), Ok(()));
}

#[test]
fn this_is_not_used_before_it_is_initialised() {
    let kind = |opcode| at(1, VerifyErrorKind::UninitializedThis { opcode, depth: 0 });
    assert_eq!(
        constructor(&[0x2a, GET, 0x57, 0xb1]),
        kind(Opcode::Getfield)
    );
    assert_eq!(constructor(&[0x2a, 0xb0]), {
        let (opcode, expected) = (Opcode::Areturn, Expected::Nothing);
        at(1, VerifyErrorKind::ReturnKind { opcode, expected })
    });
    // The code `aload_0`, `dup`, `if_acmpeq` is rejected, because only initialised references may be compared.
    let kind = VerifyErrorKind::UninitializedThis {
        opcode: Opcode::IfAcmpeq,
        depth: 0,
    };
    assert_eq!(
        constructor(&[0x2a, 0x59, 0xa5, 0, 3, 0x2a, INIT, 0xb1]),
        at(2, kind)
    );
    // The code by pc: 0 `iconst_0`, 1 `ifeq 8`, 4 `aload_0`, 5 `invokespecial`, 8 `aload_0`: `this` is initialised on
    // only one path.
    let kind = VerifyErrorKind::LocalType {
        opcode: Opcode::Aload0,
        local: 0,
        expected: Expected::ReferenceOrUninitialized,
        found: T::Top,
    };
    assert_eq!(
        constructor(&[0x03, 0x99, 0, 7, 0x2a, INIT, 0x2a, 0x57, 0xb1]),
        at(8, kind)
    );
}

#[test]
fn the_error_names_the_topmost_wrong_operand() {
    // The method (I[I)V pushes two operands at pc 0 and 1, and adds them at pc 2.
    let wrong = |pushed: [u8; 2], depth| {
        let kind = VerifyErrorKind::OperandType {
            opcode: Opcode::Iadd,
            depth,
            expected: Expected::Type(T::Int),
            found: T::IntArray,
        };
        let [below, top] = pushed;
        let verdict = verdict_of("(I[I)V", &[below, top, 0x60, 0x57, 0xb1]);
        assert_eq!(verdict, at(2, kind));
    };
    let (int, array) = (0x1a, 0x2b);
    wrong([int, array], 0);
    wrong([array, int], 1);
    wrong([array, array], 0);
}

#[test]
fn straight_line_code_is_visited_before_branch_targets() {
    // The code by pc: 0 `aload_0`, 1 `arraylength`, 2 `pop`, 3 `iconst_0`, 4 `istore_0`, 5 `iconst_0`, 6 `ifeq 0`, 9
    // `aload_0`, 10 `pop`, 11 `goto 9`. Local variable 0 is an `int` after pc 4, so the instructions at 0 and 9 must
    // not load it as a reference.
    let code = [
        0x2a, 0xbe, 0x57, 0x03, 0x3b, 0x03, 0x99, 0xff, 0xfa, 0x2a, 0x57, 0xa7, 0xff, 0xfe,
    ];
    let verdict = verdict_of("([I)V", &code).expect_err("0 may be reached with an int");
    assert_eq!(at(0, verdict.kind), Err(verdict));
}

#[test]
fn the_state_of_another_method_does_not_leak() {
    // The code of `store` by pc: 0 `iconst_0`, 1 `istore_1`, 2 `return`. The code of `load` by pc: 0 `iload_1`, 1
    // `pop`, 2 `return`.
    let mut class = ClassBytes::new();
    class.method_of_size(STATIC, "store", "(I)V", (1, 2), &[0x03, 0x3c, 0xb1]);
    class.method_of_size(STATIC, "load", "(I)V", (1, 2), &[0x1b, 0x57, 0xb1]);
    let verdict = class.verdict().expect_err("local variable 1 is not set");
    assert_eq!(in_method(1, 0, verdict.kind), Err(verdict));
}
