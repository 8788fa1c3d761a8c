//! Type states that an observer receives: for accepted methods, for type errors, and for violated static constraints.

use jive_core::{MethodId, Opcode, Pc};
use jive_verifier::{Expected, Observer, TypeState, TypeUse, VerificationType, VerifyErrorKind};

use crate::class_bytes::{ClassBytes, Notes, STATIC, at, judge};

use VerificationType as T;

#[test]
fn an_observer_receives_the_merged_state_of_all_paths() {
    // The code by pc: 0 `iload_0`, 1 `ifeq 6`, 4 `iconst_1`, 5 `istore_1`, 6 `iinc 0 1`, 9 `goto 0`.
    let code = [0x1a, 0x99, 0, 5, 0x04, 0x3c, 0x84, 0, 1, 0xa7, 0xff, 0xf7];
    let mut class = ClassBytes::new();
    class.method_of_size(STATIC, "run", "(I)V", (1, 2), &code);
    let mut notes = Notes::default();
    assert_eq!(
        judge(&class.bytes(), jive_verifier::Policy::ClassOnly, &mut notes),
        Ok(())
    );
    let expected = [
        (0, "locals [Int, Top] stack []"),
        (1, "locals [Int, Top] stack [Int]"),
        (4, "locals [Int, Top] stack []"),
        (5, "locals [Int, Top] stack [Int]"),
        (6, "locals [Int, Top] stack []"),
        (9, "locals [Int, Top] stack []"),
    ];
    assert_eq!(
        notes.reached,
        expected.map(|(pc, state)| (pc, state.to_owned()))
    );
    assert_eq!(notes.failed, []);
}

#[test]
fn an_observer_receives_the_state_before_a_type_error() {
    // The code by pc: 0 `iload_0`, 1 `aload_1`, 2 `iadd`, before which the top of the stack is a reference.
    let mut class = ClassBytes::new();
    class.method_of_size(STATIC, "run", "(I[B)V", (2, 2), &[0x1a, 0x2b, 0x60, 0xb1]);
    let mut notes = Notes::default();
    let verdict = judge(&class.bytes(), jive_verifier::Policy::ClassOnly, &mut notes);
    let kind = VerifyErrorKind::OperandType {
        opcode: Opcode::Iadd,
        depth: 0,
        expected: Expected::Type(T::Int),
        found: T::ByteArray,
    };
    assert_eq!(verdict, at(2, kind));
    let state = "locals [Int, ByteArray] stack [Int, ByteArray]".to_owned();
    assert_eq!(notes.failed, [(2, state)]);
    assert_eq!(
        notes.reached.iter().map(|(pc, _)| *pc).collect::<Vec<_>>(),
        [0, 1]
    );
}

/// Returns `iload_0` and a `tableswitch` at pc 1 with keys 0 and 1, whose targets are `default` and `targets`. The next
/// pc is 24.
fn switch(default: u8, targets: [u8; 2]) -> Vec<u8> {
    let mut code = vec![0x1a, 0xaa, 0, 0];
    let offset = |target: u8| i32::from(target) - 1;
    for number in [
        offset(default),
        0,
        1,
        offset(targets[0]),
        offset(targets[1]),
    ] {
        code.extend(number.to_be_bytes());
    }
    code
}

#[test]
fn states_before_an_undecodable_instruction_are_observed() {
    // The switch leads to 24, where no instruction is, and beyond. The code has more leaders than instructions.
    let mut code = switch(24, [25, 26]);
    code.extend([0xe0, 0xb1, 0xb1]);
    let mut class = ClassBytes::new();
    class.method_of_size(STATIC, "run", "(I)V", (1, 1), &code);
    let mut notes = Notes::default();
    let verdict = judge(&class.bytes(), jive_verifier::Policy::ClassOnly, &mut notes);
    assert_eq!(
        verdict,
        at(24, VerifyErrorKind::UnknownOpcode { byte: 0xe0 })
    );
    let expected = [
        (0, "locals [Int] stack []"),
        (1, "locals [Int] stack [Int]"),
    ];
    assert_eq!(
        notes.reached,
        expected.map(|(pc, state)| (pc, state.to_owned()))
    );
    assert_eq!(notes.failed, [(24, "locals [Int] stack []".to_owned())]);
}

#[test]
fn states_before_a_branch_into_an_instruction_are_observed() {
    // Two cases of the switch lead into the switch itself. The code has more leaders than instructions.
    let mut code = switch(24, [2, 3]);
    code.push(0xb1);
    let mut class = ClassBytes::new();
    class.method_of_size(STATIC, "run", "(I)V", (1, 1), &code);
    let mut notes = Notes::default();
    let verdict = judge(&class.bytes(), jive_verifier::Policy::ClassOnly, &mut notes);
    let (opcode, target) = (Opcode::Tableswitch, 2);
    assert_eq!(
        verdict,
        at(1, VerifyErrorKind::BranchTarget { opcode, target })
    );
    assert_eq!(notes.reached, [(0, "locals [Int] stack []".to_owned())]);
    assert_eq!(notes.failed, [(1, "locals [Int] stack [Int]".to_owned())]);
}

#[test]
fn states_before_a_violated_constraint_are_observed() {
    // The code by pc: 0 `iload_0`, 1 `ifeq 9`, 4 `iconst_1`, 5 `istore_1`, 6 `iload_1`, 7 `i2l`, 8 `return`, 9
    // `return`: `i2l` is outside the subset, and one path avoids it.
    let code = [0x1a, 0x99, 0, 8, 0x04, 0x3c, 0x1b, 0x85, 0xb1, 0xb1];
    let mut class = ClassBytes::new();
    class.method_of_size(STATIC, "run", "(I)V", (2, 2), &code);
    let mut notes = Notes::default();
    let verdict = judge(&class.bytes(), jive_verifier::Policy::ClassOnly, &mut notes);
    let found = TypeUse::Opcode(Opcode::I2l);
    assert_eq!(verdict, at(7, VerifyErrorKind::Long { found }));
    let expected = [
        (0, "locals [Int, Top] stack []"),
        (1, "locals [Int, Top] stack [Int]"),
        (4, "locals [Int, Top] stack []"),
        (5, "locals [Int, Top] stack [Int]"),
        (6, "locals [Int, Int] stack []"),
    ];
    assert_eq!(
        notes.reached,
        expected.map(|(pc, state)| (pc, state.to_owned()))
    );
    let state = "locals [Int, Int] stack [Int]".to_owned();
    assert_eq!(notes.failed, [(7, state)]);
    assert_eq!(notes.steps, []);
}

#[test]
fn states_before_a_violated_constraint_are_merged() {
    // The code by pc: 0 `aload_0`, 1 `astore_1`, 2 `goto 5`, 5 `aload_1`, 6 `iload_2`, 7 `newarray byte`, 9 `astore_1`,
    // 10 `pop`, 11 `iload_2`, 12 `ifne 5`, 15 `monitorenter`: a `short[]` and a `byte[]` meet at 5.
    let code = [
        0x2a, 0x4c, 0xa7, 0, 3, 0x2b, 0x1c, 0xbc, 8, 0x4c, 0x57, 0x1c, 0x9a, 0xff, 0xf9, 0xc2,
    ];
    let mut class = ClassBytes::new();
    class.method_of_size(STATIC, "run", "([SII)V", (2, 3), &code);
    let mut notes = Notes::default();
    let verdict = judge(&class.bytes(), jive_verifier::Policy::ClassOnly, &mut notes);
    let opcode = Opcode::Monitorenter;
    assert_eq!(verdict, at(15, VerifyErrorKind::Monitor { opcode }));
    // Local variable 1 is a `short[]` in the first iteration, and a `byte[]` in later iterations.
    let state = "locals [ShortArray, AnyReference, Int] stack []".to_owned();
    assert!(notes.reached.contains(&(5, state)));
    let state = "locals [ShortArray, ByteArray, Int] stack []".to_owned();
    assert_eq!(notes.failed, [(15, state)]);
}

#[test]
fn stray_branch_after_a_violation_hides_no_later_target() {
    // The code by pc: 0 `iload_0`, 1 `ifeq 7`, 4 `aconst_null`, 5 `astore 0`, 7 `iconst_0`, 8 `ifeq 100`, 11 `goto 6`,
    // 14 `return`. Instruction 8 branches out of the code. Instruction 11 branches into the instruction before pc 7,
    // where two paths meet.
    let code = [
        0x1a, 0x99, 0, 6, 0x01, 0x3a, 0, 0x03, 0x99, 0, 92, 0xa7, 0xff, 0xfb, 0xb1,
    ];
    let mut class = ClassBytes::new();
    class.method_of_size(STATIC, "run", "(I)V", (1, 1), &code);
    let mut notes = Notes::default();
    let verdict = judge(&class.bytes(), jive_verifier::Policy::ClassOnly, &mut notes);
    let (opcode, target) = (Opcode::Ifeq, 100);
    let kind = VerifyErrorKind::BranchTarget { opcode, target };
    assert_eq!(verdict, at(8, kind));
    let state = "locals [Top] stack []".to_owned();
    assert!(notes.reached.contains(&(7, state)));
    let state = "locals [Top] stack [Int]".to_owned();
    assert_eq!(notes.failed, [(8, state)]);
}

#[test]
fn unreachable_code_has_no_states() {
    // The code by pc: 0 `goto 7`, 3 `goto 6`, 6 `nop`, 7 `return`, where 3 is unreachable, and only 3 leads to 6.
    let code = [0xa7, 0, 7, 0xa7, 0, 3, 0x00, 0xb1];
    let mut class = ClassBytes::new();
    class.method(STATIC, "run", "()V", &code);
    let mut notes = Notes::default();
    let verdict = judge(&class.bytes(), jive_verifier::Policy::ClassOnly, &mut notes);
    assert_eq!(verdict, Ok(()));
    let reached: Vec<_> = notes.reached.iter().map(|(pc, _)| *pc).collect();
    assert_eq!(reached, [0, 7]);
}

#[test]
fn the_violating_instruction_is_not_visited() {
    // The code by pc: 0 `nop`, 1 `aconst_null`, 2 `astore_0`, 3 `iconst_0`, 4 `tableswitch` with default 0 and a case
    // inside itself. A path from pc 4 to pc 0 would make local variable 0 unusable.
    let mut code = vec![0x00, 0x01, 0x4b, 0x03, 0xaa, 0, 0, 0];
    code.extend([-4, 0, 0, 1].map(i32::to_be_bytes).concat());
    let mut class = ClassBytes::new();
    class.method_of_size(STATIC, "run", "(I)V", (2, 1), &code);
    let mut notes = Notes::default();
    let verdict = judge(&class.bytes(), jive_verifier::Policy::ClassOnly, &mut notes);
    let opcode = Opcode::Tableswitch;
    let kind = VerifyErrorKind::BranchTarget { opcode, target: 5 };
    assert_eq!(verdict, at(4, kind));
    assert_eq!(notes.reached[0], (0, "locals [Int] stack []".to_owned()));
    assert_eq!(notes.failed, [(4, "locals [Null] stack [Int]".to_owned())]);
}

#[test]
fn an_unreachable_violation_has_no_state() {
    // 0 `return`, 1 `i2l`.
    let mut class = ClassBytes::new();
    class.method_of_size(STATIC, "run", "()V", (2, 2), &[0xb1, 0x85]);
    let mut notes = Notes::default();
    let verdict = judge(&class.bytes(), jive_verifier::Policy::ClassOnly, &mut notes);
    let found = TypeUse::Opcode(Opcode::I2l);
    assert_eq!(verdict, at(1, VerifyErrorKind::Long { found }));
    assert_eq!(notes.failed, []);
    assert_eq!(notes.reached.len(), 1);
}

/// An observer that reads single values of the type state at pc 2.
#[derive(Default)]
struct Asking(Vec<Option<T>>);

impl Observer for Asking {
    fn reached(&mut self, _: MethodId, pc: Pc, state: TypeState<'_>) {
        if pc == Pc(2) {
            self.0.extend((0..3).map(|local| state.local(local)));
            self.0.extend((0..3).map(|depth| state.operand(depth)));
        }
    }

    fn failed(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}
}

#[test]
fn single_values_of_a_state_can_be_read() {
    let mut class = ClassBytes::new();
    // The code by pc: 0 `iload_0`, 1 `aload_1`, 2 `pop2`, 3 `return`.
    let code = [0x1a, 0x2b, 0x58, 0xb1];
    class.method_of_size(STATIC, "run", "(I[B)V", (2, 2), &code);
    let mut asking = Asking::default();
    let verdict = judge(
        &class.bytes(),
        jive_verifier::Policy::ClassOnly,
        &mut asking,
    );
    assert_eq!(verdict, Ok(()));
    let (int, bytes) = (Some(T::Int), Some(T::ByteArray));
    // Local variables are counted from 0, and operands from the top of the stack. Beyond the last local variable or
    // operand, the result is `None`.
    assert_eq!(asking.0, [int, bytes, None, bytes, int, None]);
}
