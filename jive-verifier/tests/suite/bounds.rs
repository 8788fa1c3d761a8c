//! The verifier's limits, step budget and work area.

use jive_core::limits::{CONSTANTS_MAX, FIELDS_MAX, FRAME_SLOTS_MAX, METHODS_MAX};
use jive_core::{Constant, MethodId};
use jive_verifier::{Location, Policy, VerifyError, VerifyErrorKind, WorkSize, verify, work_size};

use crate::class_bytes::{ClassBytes, Memory, Notes, STATIC, TestNative, judge, with_class};

#[test]
fn limits_are_enforced_exactly() {
    let at = Location::Class;
    for over in [0, 1] {
        let limit = u32::from(FIELDS_MAX);
        let needed = limit + over;
        let mut class = ClassBytes::new();
        for number in 0..needed {
            class.field(0, &format!("field{number}"), "I");
        }
        let kind = VerifyErrorKind::Fields { needed, limit };
        let expected = if over == 0 {
            Ok(())
        } else {
            Err(VerifyError { at, kind })
        };
        assert_eq!(class.verdict(), expected);

        let limit = u32::from(METHODS_MAX);
        let needed = limit + over;
        let mut class = ClassBytes::new();
        for number in 0..needed {
            class.method(STATIC, &format!("method{number}"), "()V", &[0xb1]);
        }
        let kind = VerifyErrorKind::Methods { needed, limit };
        let expected = if over == 0 {
            Ok(())
        } else {
            Err(VerifyError { at, kind })
        };
        assert_eq!(class.verdict(), expected);

        let limit = u32::from(CONSTANTS_MAX);
        let needed = limit + over;
        let mut class = ClassBytes::new();
        // `constant_pool_count` is one more than the number of constants, of which the name and the superclass of the
        // class take four.
        for number in 0..needed - 5 {
            class.utf8(&format!("text{number}"));
        }
        let kind = VerifyErrorKind::Constants { needed, limit };
        let expected = if over == 0 {
            Ok(())
        } else {
            Err(VerifyError { at, kind })
        };
        assert_eq!(class.verdict(), expected);
    }
}

#[test]
fn local_variables_and_operand_stack_share_a_limit() {
    let limit = u32::from(FRAME_SLOTS_MAX);
    let verdict = |max_stack, max_locals| {
        ClassBytes::new()
            .method_of_size(STATIC, "run", "()V", (max_stack, max_locals), &[0xb1])
            .verdict()
    };
    let refused = |needed| {
        let at = Location::Method(MethodId(0));
        let kind = VerifyErrorKind::Frame { needed, limit };
        Err(VerifyError { at, kind })
    };
    assert_eq!(verdict(100, 155), Ok(()));
    assert_eq!(verdict(255, 0), Ok(()));
    assert_eq!(verdict(0, 255), Ok(()));
    assert_eq!(verdict(100, 156), refused(256));
    assert_eq!(verdict(u16::MAX, u16::MAX), refused(131_070));
}

#[test]
fn all_255_operands_can_be_used() {
    let mut code = vec![0x03; 255];
    code.extend([0x57; 255]);
    code.push(0xb1);
    let full = ClassBytes::new()
        .method_of_size(STATIC, "run", "()V", (255, 0), &code)
        .verdict();
    assert_eq!(full, Ok(()));
}

#[test]
fn verification_ends_when_the_step_budget_is_exhausted() {
    // The code has a loop that rotates 249 `byte[]` and a `short[]` through local variables. Each iteration of the loop
    // turns one more variable into a mixed reference. The loop of the code contains as many `nop` as a method can have.
    let mut code = Vec::new();
    for local in 0..250 {
        code.extend([0x03, 0xbc, if local == 0 { 9 } else { 8 }, 0x3a, local]);
    }
    let start = code.len();
    code.extend([0x19, 0]);
    for local in 0..249 {
        code.extend([0x19, local + 1, 0x3a, local]);
    }
    code.extend([0x3a, 249]);
    code.resize(65_000, 0x00);
    let back = i32::try_from(start).unwrap() - 65_000;
    code.push(0xc8);
    code.extend(back.to_be_bytes());
    let mut class = ClassBytes::new();
    class.method_of_size(STATIC, "run", "()V", (2, 250), &code);
    let error = class
        .verdict()
        .expect_err("it takes 250 times around the loop");
    // The method has three instructions for each array, two for each local variable, the `nop`s, and `goto_w`.
    let rotation = 2 + 249 * 4 + 2;
    let instructions = 250 * 3 + 250 * 2 + (65_000 - start - rotation) + 1;
    let limit = u32::try_from(instructions * 16 + 65_536).unwrap();
    assert_eq!(error.kind, VerifyErrorKind::VerifySteps { limit });
}

#[test]
fn the_observer_receives_the_number_of_steps() {
    // The code by pc: 0 `iload_0`, 1 `ifeq 5`, 4 `nop`, 5 `return`.
    let bytes = ClassBytes::new()
        .method(STATIC, "run", "(I)V", &[0x1a, 0x99, 0, 4, 0, 0xb1])
        .bytes();
    let mut notes = Notes::default();
    assert_eq!(judge(&bytes, Policy::ClassOnly, &mut notes), Ok(()));
    // The counted steps are those of four instructions, of a merge into pc 0, and of two merges into pc 5.
    assert_eq!(notes.steps, [(0, 7, 4 * 16 + 65_536)]);
}

#[test]
fn sixteen_cases_of_a_switch_cost_a_step() {
    // The code by pc: 0 `iload_0`, 1 `tableswitch` with 32 cases that all have the default target, then `return`.
    let mut code = vec![0x1a, 0xaa, 0, 0];
    let end = 16 + 4 * 32 - 1;
    for number in [end, 0, 31].into_iter().chain([end; 32]) {
        code.extend(i32::to_be_bytes(number));
    }
    code.push(0xb1);
    let bytes = ClassBytes::new()
        .method(STATIC, "run", "(I)V", &code)
        .bytes();
    let mut notes = Notes::default();
    assert_eq!(judge(&bytes, Policy::ClassOnly, &mut notes), Ok(()));
    // The counted steps are those of three instructions, two for the cases, and merges into pc 0 and into the `return`.
    assert_eq!(notes.steps, [(0, 3 + 2 + 2, 3 * 16 + 65_536)]);
}

#[test]
fn the_size_of_the_work_area_is_the_sum_of_its_parts() {
    let size = WorkSize {
        constants: 0,
        signatures: 1,
        marks: 1,
        leaders: 1,
        queue: 1,
        states: 1,
    };
    // `CodeMarks` has two words and a half word, aligned. The entry for a leader is a half word. An entry of the queue
    // is a word.
    assert_eq!(size.bytes(), 1 + 12 + 2 + 4 + 1);
    let constant = WorkSize {
        constants: 1,
        ..WorkSize::default()
    };
    assert_eq!(constant.bytes(), size_of::<jive_verifier::Resolved>());
}

#[test]
fn a_wide_switch_is_cheap_to_verify() {
    // The code is a switch with 16,000 cases of the same target, in a loop.
    let mut code = vec![0x1a, 0xaa, 0, 0];
    let cases: i32 = 16_000;
    let end = 16 + 4 * cases - 1;
    for number in [end, 0, cases - 1] {
        code.extend(number.to_be_bytes());
    }
    for _ in 0..cases {
        code.extend(end.to_be_bytes());
    }
    assert_eq!(code.len(), usize::try_from(end + 1).unwrap());
    code.push(0xc8);
    code.extend((-end - 1).to_be_bytes());
    let verdict = ClassBytes::new()
        .method(STATIC, "run", "(I)V", &code)
        .verdict();
    assert_eq!(verdict, Ok(()));
}

#[test]
fn each_part_of_the_work_area_can_be_too_small() {
    let mut class = ClassBytes::new();
    // The code by pc: 0 `iload_0`, 1 `ifeq 5`, 4 `nop`, 5 `return`.
    class.method(STATIC, "run", "(I)V", &[0x1a, 0x99, 0, 4, 0, 0xb1]);
    with_class(&class.bytes(), |class| {
        let size = work_size(&class);
        let parts: [fn(&mut WorkSize) -> &mut usize; 6] = [
            |size| &mut size.constants,
            |size| &mut size.signatures,
            |size| &mut size.marks,
            |size| &mut size.leaders,
            |size| &mut size.queue,
            |size| &mut size.states,
        ];
        for part in parts {
            let mut less = size;
            *part(&mut less) -= 1;
            let mut memory = Memory::of(less);
            let verdict = verify(class, Policy::ClassOnly, TestNative::TABLE, memory.lend());
            let kind = verdict.expect_err("the memory is too small").kind;
            assert_eq!(kind, VerifyErrorKind::WorkArea);
        }
    });
}

#[test]
fn memory_can_be_reused_for_another_class() {
    let mut large = ClassBytes::new();
    large.method(STATIC, "run", "(I[B)V", &[0x1a, 0x99, 0, 4, 0, 0xb1]);
    let mut small = ClassBytes::new();
    small.method(STATIC, "run", "()V", &[0xb1]);
    let mut memory = with_class(&large.bytes(), |class| Memory::of(work_size(&class)));
    for bytes in [large.bytes(), small.bytes(), large.bytes()] {
        with_class(&bytes, |class| {
            let verdict = verify(class, Policy::ClassOnly, TestNative::TABLE, memory.lend());
            assert_eq!(
                verdict.map(|verified| verified.class().method_count()),
                Ok(1)
            );
        });
    }
}

#[test]
fn the_work_size_is_as_documented() {
    let mut class = ClassBytes::new();
    class.method(STATIC, "run", "(I)V", &[0x1a, 0x99, 0, 4, 0, 0xb1]);
    with_class(&class.bytes(), |class| {
        let constants = class.pool().iter().count();
        assert!(
            class.pool().iter().all(|(_, constant)| matches!(
                constant,
                Constant::Utf8(_) | Constant::Class { .. }
            ))
        );
        let expected = WorkSize {
            constants: constants + 1,
            // The signature consists of a count, a result and a parameter.
            signatures: 3,
            // Six bytes of code.
            marks: 1,
            // The leaders are at pc 0 and pc 5.
            leaders: 2,
            queue: 2,
            // Two leaders have a state each, of 4 + 4 types, a depth and a receiver, and the current state has 256
            // bytes.
            states: 2 * (4 + 4 + 2) + 256,
        };
        assert_eq!(work_size(&class), expected);
    });
}

proptest::proptest! {
    /// Verification of any code ends with a verdict, which does not depend on the observer.
    #[test]
    fn any_bytes_get_a_verdict(code in proptest::collection::vec(0..=0xca_u8, 1..40), stack in 0..6_u16) {
        let mut class = ClassBytes::new();
        class
            .field(STATIC, "shared", "[B")
            .method_of_size(STATIC, "run", "(I[B[S)V", (stack, 4), &code);
        let bytes = class.bytes();
        let alone = judge(&bytes, Policy::ClassOnly, &mut ());
        let mut notes = Notes::default();
        proptest::prop_assert_eq!(alone, judge(&bytes, Policy::ClassOnly, &mut notes));
        let in_flow = alone.is_err_and(|error| matches!(error.at, Location::Code { .. }));
        proptest::prop_assert!(notes.failed.is_empty() || in_flow);
    }
}
