//! What an observer that collects receives: every fault, the same first fault as other observers, and no stand-in taken
//! for a type.

use jive_core::{FieldId, MethodId, Opcode, Pc};
use jive_verifier::{
    Location, Observer, Policy, ResolutionError, TypeState, TypeUse, VerifyError, VerifyErrorKind,
};

use crate::class_bytes::{ClassBytes, FINAL, STATIC, SYNCHRONIZED, judge};

/// The faults told.
#[derive(Default)]
struct Faults(Vec<VerifyError>);

impl Observer for Faults {
    const COLLECTS: bool = true;

    fn reached(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}

    fn failed(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}

    fn rejected(&mut self, error: VerifyError) {
        self.0.push(error);
    }
}

/// Returns the faults of a class, after comparing the first with the verdict of a verifier that stops at its first
/// error.
fn faults(class: &ClassBytes, policy: Policy) -> Vec<(Location, VerifyErrorKind)> {
    let bytes = class.bytes();
    let mut faults = Faults::default();
    let verdict = judge(&bytes, policy, &mut faults);
    assert_eq!(verdict, judge(&bytes, policy, &mut ()));
    assert_eq!(verdict.err(), faults.0.first().copied());
    let faults = faults.0.into_iter();
    faults.map(|error| (error.at, error.kind)).collect()
}

fn code(method: u16, pc: u16) -> Location {
    Location::Code {
        method: MethodId(method),
        pc: Pc(pc),
    }
}

#[test]
fn every_declaration_and_method_is_reported() {
    let mut class = ClassBytes::new();
    class
        .field(STATIC, "total", "J")
        .field(STATIC, "name", "[C");
    // 0 iconst_0, 1 i2l, 2 i2f, 3 return
    class.method(STATIC, "first", "()V", &[0x03, 0x85, 0x86, 0xb1]);
    class.method(STATIC | SYNCHRONIZED, "second", "()V", &[0x60, 0xb1]);
    // The code pops an operand from an empty stack.
    class.method(STATIC, "third", "()V", &[0x57, 0xb1]);
    class.method(STATIC, "fourth", "()V", &[0xb1]);
    let long = |found| VerifyErrorKind::Long { found };
    let float = |found| VerifyErrorKind::Float { found };
    let underflow = |opcode, needed| VerifyErrorKind::StackUnderflow {
        opcode,
        needed,
        found: 0,
    };
    assert_eq!(
        faults(&class, Policy::ClassOnly),
        [
            (Location::Field(FieldId(0)), long(TypeUse::Field)),
            (
                Location::Field(FieldId(1)),
                VerifyErrorKind::Char {
                    found: TypeUse::Field
                }
            ),
            (
                Location::Method(MethodId(1)),
                VerifyErrorKind::SynchronizedMethod
            ),
            (code(0, 1), long(TypeUse::Opcode(Opcode::I2l))),
            (code(0, 2), float(TypeUse::Opcode(Opcode::I2f))),
            (code(1, 0), underflow(Opcode::Iadd, 2)),
            (code(2, 0), underflow(Opcode::Pop, 1)),
        ]
    );
}

#[test]
fn a_caller_is_not_blamed_for_a_declaration() {
    let mut class = ClassBytes::new();
    // The code of `narrow` is not verified, because its local variables would have the types of stand-ins.
    class.method(STATIC, "narrow", "(CLjava/util/List;)C", &[0x00]);
    let narrow = class.member(10, "Fixture", "narrow", "(CLjava/util/List;)C");
    let [high, low] = narrow.to_be_bytes();
    // 0 iload_0, 1 aload_1, 2 invokestatic narrow, 5 ireturn
    let call = [0x1a, 0x2b, 0xb8, high, low, 0xac];
    class.method(STATIC, "run", "(I[B)I", &call);
    let found = TypeUse::Result;
    assert_eq!(
        faults(&class, Policy::ClassOnly),
        [(
            Location::Method(MethodId(0)),
            VerifyErrorKind::Char { found }
        )]
    );
}

#[test]
fn every_missing_member_is_reported() {
    let mut class = ClassBytes::new();
    class.field(STATIC | FINAL, "RxBuf", "[B");
    let policy = Policy::Applet { entries: &[] };
    let missing = faults(&class, policy);
    assert_eq!(missing.len(), 2);
    assert!(matches!(
        missing[..],
        [
            (Location::Class, VerifyErrorKind::MissingMember { .. }),
            (Location::Field(FieldId(0)), VerifyErrorKind::FinalRxBuf)
        ]
    ));
}

#[test]
fn malformed_class_is_reported_alone() {
    let mut class = ClassBytes::new();
    class.access = 0x0601;
    class.field(0x0019, "total", "J");
    assert_eq!(
        faults(&class, Policy::ClassOnly),
        [(Location::Class, VerifyErrorKind::Interface)]
    );
}

#[test]
fn an_exception_handler_is_one_fault() {
    let mut class = ClassBytes::new();
    let missing = class.member(9, "Fixture", "missing", "I");
    let [high, low] = missing.to_be_bytes();
    // The code by pc: 0 i2l, 1 nop, 2 nop, 3 getstatic missing, 6 return; the handler covers the code from pc 1 on.
    let code_bytes = [0x85, 0x00, 0x00, 0xb2, high, low, 0xb1];
    let handler = [[1, 6, 6, 0]];
    class.method_with_handlers(STATIC, "run", "()V", (4, 4), &code_bytes, &handler);
    assert_eq!(
        faults(&class, Policy::ClassOnly),
        [
            (
                code(0, 0),
                VerifyErrorKind::Long {
                    found: TypeUse::Opcode(Opcode::I2l)
                }
            ),
            (code(0, 1), VerifyErrorKind::ExceptionHandler),
            (
                code(0, 3),
                VerifyErrorKind::UnresolvedField {
                    index: jive_core::CpIndex(missing),
                    misfit: ResolutionError::Name
                }
            ),
        ]
    );
}
