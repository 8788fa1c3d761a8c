//! Members that code names, and the operand types of calls and field accesses.

use jive_core::{CpIndex, Opcode};
use jive_verifier::{Expected, ResolutionError, VerificationType, VerifyError, VerifyErrorKind};

use crate::class_bytes::{ClassBytes, FINAL, NATIVE, STATIC, at, in_method};

/// A class whose method `run` executes an instruction with a member operand, after the instructions in `before`.
///
/// A copy of that instruction follows a `return`, so that the tests cover resolution of unreachable code.
struct Use {
    class: ClassBytes,
}

impl Use {
    fn new() -> Use {
        let mut class = ClassBytes::new();
        class
            .method(STATIC, "quiet", "()V", &[0xb1])
            .method(0, "own", "([B)I", &[0x03, 0xac])
            .bare_method(STATIC | NATIVE, "make", "(I)[B")
            .field(STATIC, "shared", "[S")
            .field(0, "mine", "I")
            .field(STATIC | FINAL, "constant", "I");
        Use { class }
    }

    /// Verifies a class whose unreachable code contains an instruction that names a member.
    fn resolve(mut self, opcode: u8, index: u16) -> Result<(), VerifyError> {
        let [high, low] = index.to_be_bytes();
        self.class
            .method(STATIC, "run", "()V", &[0xb1, opcode, high, low])
            .verdict()
    }
}

const GETSTATIC: u8 = 0xb2;
const PUTSTATIC: u8 = 0xb3;
const GETFIELD: u8 = 0xb4;
const PUTFIELD: u8 = 0xb5;
const INVOKEVIRTUAL: u8 = 0xb6;
const INVOKESPECIAL: u8 = 0xb7;
const INVOKESTATIC: u8 = 0xb8;

const FIELD: u8 = 9;
const METHOD: u8 = 10;
const INTERFACE_METHOD: u8 = 11;

/// Returns a verdict that rejects pc 1 of the fourth method, which is `run`.
fn refused(kind: VerifyErrorKind) -> Result<(), VerifyError> {
    in_method(3, 1, kind)
}

#[test]
fn members_are_resolved_by_name_descriptor_and_kind() {
    let fields = [
        (GETSTATIC, "shared", "[S", None),
        (PUTSTATIC, "shared", "[S", None),
        (GETFIELD, "mine", "I", None),
        (PUTFIELD, "mine", "I", None),
        (GETSTATIC, "absent", "[S", Some(ResolutionError::Name)),
        (GETSTATIC, "shared", "[B", Some(ResolutionError::Descriptor)),
        (GETFIELD, "shared", "[S", Some(ResolutionError::Static)),
        (PUTSTATIC, "mine", "I", Some(ResolutionError::Instance)),
    ];
    for (opcode, name, descriptor, misfit) in fields {
        let mut used = Use::new();
        let number = used.class.member(FIELD, "Fixture", name, descriptor);
        let index = CpIndex(number);
        let expected = misfit.map_or(Ok(()), |misfit| {
            refused(VerifyErrorKind::UnresolvedField { index, misfit })
        });
        assert_eq!(used.resolve(opcode, number), expected, "{opcode:#x} {name}");
    }
    let methods = [
        (INVOKESTATIC, "quiet", "()V", None),
        (INVOKESTATIC, "make", "(I)[B", None),
        (INVOKEVIRTUAL, "own", "([B)I", None),
        (INVOKESPECIAL, "own", "([B)I", None),
        (INVOKESTATIC, "absent", "()V", Some(ResolutionError::Name)),
        (
            INVOKEVIRTUAL,
            "hashCode",
            "()I",
            Some(ResolutionError::Name),
        ),
        (
            INVOKESTATIC,
            "quiet",
            "()I",
            Some(ResolutionError::Descriptor),
        ),
        (
            INVOKESTATIC,
            "own",
            "([B)I",
            Some(ResolutionError::Instance),
        ),
        (INVOKEVIRTUAL, "quiet", "()V", Some(ResolutionError::Static)),
        (INVOKESPECIAL, "quiet", "()V", Some(ResolutionError::Static)),
    ];
    for (opcode, name, descriptor, misfit) in methods {
        let mut used = Use::new();
        let number = used.class.member(METHOD, "Fixture", name, descriptor);
        let index = CpIndex(number);
        let expected = misfit.map_or(Ok(()), |misfit| {
            refused(VerifyErrorKind::UnresolvedMethod { index, misfit })
        });
        assert_eq!(used.resolve(opcode, number), expected, "{opcode:#x} {name}");
    }
}

#[test]
fn only_natives_of_other_classes_are_accessible() {
    let mut used = Use::new();
    let number = used.class.member(FIELD, "java/lang/System", "out", "I");
    let index = CpIndex(number);
    let expected = refused(VerifyErrorKind::ForeignField { index });
    assert_eq!(used.resolve(GETSTATIC, number), expected);

    let foreign = [
        ("java/lang/Object", "hashCode", "()I", INVOKEVIRTUAL),
        ("java/lang/Math", "abs", "(I)I", INVOKESTATIC),
        ("[B", "clone", "()Ljava/lang/Object;", INVOKEVIRTUAL),
        ("java/lang/Thread", "<init>", "()V", INVOKESPECIAL),
    ];
    for (class, name, descriptor, opcode) in foreign {
        let mut used = Use::new();
        let number = used.class.member(METHOD, class, name, descriptor);
        let index = CpIndex(number);
        let expected = refused(VerifyErrorKind::ForeignMethod { index });
        assert_eq!(used.resolve(opcode, number), expected, "{class}.{name}");
    }
    let natives = [
        ("make", "(I)[B", INVOKESTATIC, None),
        (
            "make",
            "(I)[S",
            INVOKESTATIC,
            Some(ResolutionError::Descriptor),
        ),
        ("steal", "()V", INVOKESTATIC, Some(ResolutionError::Name)),
        (
            "make",
            "(I)[B",
            INVOKEVIRTUAL,
            Some(ResolutionError::Static),
        ),
    ];
    for (name, descriptor, opcode, misfit) in natives {
        let mut used = Use::new();
        let number = used.class.member(METHOD, "unet/Nic", name, descriptor);
        let index = CpIndex(number);
        let expected = misfit.map_or(Ok(()), |misfit| {
            refused(VerifyErrorKind::UnresolvedNative { index, misfit })
        });
        assert_eq!(used.resolve(opcode, number), expected, "{name}{descriptor}");
    }
}

#[test]
fn constants_have_the_kind_that_the_instruction_requires() {
    let cases = [
        (FIELD, "mine", "I", INVOKEVIRTUAL, Opcode::Invokevirtual),
        (METHOD, "own", "([B)I", GETFIELD, Opcode::Getfield),
        (
            INTERFACE_METHOD,
            "own",
            "([B)I",
            INVOKEVIRTUAL,
            Opcode::Invokevirtual,
        ),
        // From version 52 on, `invokestatic` may name an interface method.
        (
            INTERFACE_METHOD,
            "quiet",
            "()V",
            INVOKESTATIC,
            Opcode::Invokestatic,
        ),
    ];
    for (tag, name, descriptor, byte, opcode) in cases {
        let mut used = Use::new();
        let number = used.class.member(tag, "Fixture", name, descriptor);
        let index = CpIndex(number);
        let expected = refused(VerifyErrorKind::ConstantKind { opcode, index });
        assert_eq!(used.resolve(byte, number), expected, "{name} {opcode}");
    }
    let mut used = Use::new();
    used.class.major = 52;
    let number = used
        .class
        .member(INTERFACE_METHOD, "Fixture", "quiet", "()V");
    let (index, misfit) = (CpIndex(number), ResolutionError::Interface);
    let expected = refused(VerifyErrorKind::UnresolvedMethod { index, misfit });
    assert_eq!(used.resolve(INVOKESTATIC, number), expected);
}

#[test]
fn only_the_constructor_of_object_can_be_called() {
    let mut used = Use::new();
    let number = used
        .class
        .member(METHOD, "java/lang/Object", "<init>", "()V");
    let (opcode, index) = (Opcode::Invokevirtual, CpIndex(number));
    let expected = refused(VerifyErrorKind::SpecialMethodCall { opcode, index });
    assert_eq!(used.resolve(INVOKEVIRTUAL, number), expected);

    let mut used = Use::new();
    let number = used
        .class
        .member(METHOD, "java/lang/Object", "<init>", "()V");
    let (opcode, index) = (Opcode::Invokestatic, CpIndex(number));
    let expected = refused(VerifyErrorKind::SpecialMethodCall { opcode, index });
    assert_eq!(used.resolve(INVOKESTATIC, number), expected);

    // The check of the instruction's opcode precedes the check of the named class.
    let mut used = Use::new();
    let number = used.class.member(METHOD, "Fixture", "<init>", "()V");
    let index = CpIndex(number);
    let expected = refused(VerifyErrorKind::SpecialMethodCall { opcode, index });
    assert_eq!(used.resolve(INVOKESTATIC, number), expected);

    let mut used = Use::new();
    let number = used
        .class
        .member(METHOD, "java/lang/Object", "<init>", "(I)V");
    let (index, misfit) = (CpIndex(number), ResolutionError::Descriptor);
    let expected = refused(VerifyErrorKind::UnresolvedMethod { index, misfit });
    assert_eq!(used.resolve(INVOKESPECIAL, number), expected);

    let mut used = Use::new();
    let number = used.class.member(METHOD, "Fixture", "<init>", "()V");
    let index = CpIndex(number);
    let expected = refused(VerifyErrorKind::ConstructorCall { index });
    assert_eq!(used.resolve(INVOKESPECIAL, number), expected);
}

#[test]
fn final_fields_are_set_by_their_initializer_only() {
    let mut used = Use::new();
    let number = used.class.member(FIELD, "Fixture", "constant", "I");
    let [high, low] = number.to_be_bytes();
    let code = [0x04, PUTSTATIC, high, low, 0xb1];
    used.class.method(STATIC, "<clinit>", "()V", &code);
    assert_eq!(used.class.verdict(), Ok(()));
    used.class.method(STATIC, "run", "()V", &code);
    let index = CpIndex(number);
    let expected = in_method(4, 1, VerifyErrorKind::FinalStore { index });
    assert_eq!(used.class.verdict(), expected);
}

#[test]
fn a_constant_can_serve_a_load_and_a_rejected_store() {
    let mut class = ClassBytes::new();
    let number = class
        .field(STATIC | FINAL, "constant", "I")
        .member(FIELD, "Fixture", "constant", "I");
    let [high, low] = number.to_be_bytes();
    let code = [GETSTATIC, high, low, PUTSTATIC, high, low, 0xb1];
    let index = CpIndex(number);
    assert_eq!(
        class.method(STATIC, "run", "()V", &code).verdict(),
        at(3, VerifyErrorKind::FinalStore { index })
    );
}

#[test]
fn arguments_are_checked_topmost_first() {
    use VerificationType as T;
    let run = |before: &[u8], opcode: u8, name: &str, descriptor: &str, owner: &str| {
        let mut class = ClassBytes::new();
        let number = class.member(METHOD, owner, name, descriptor);
        let [high, low] = number.to_be_bytes();
        let mut code = before.to_vec();
        code.extend([opcode, high, low, 0x57, 0xb1]);
        class.method(0, "run", "([B[S)V", &code);
        class.method(0, "own", "(I[B)I", &[0x03, 0xac]).verdict()
    };
    let wrong = |pc, opcode, depth, expected, found| {
        let expected = Expected::Type(expected);
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
    let own = |before: &[u8]| run(before, INVOKEVIRTUAL, "own", "(I[B)I", "Fixture");
    let virtually = Opcode::Invokevirtual;
    // `aload_0` (`this`), `iconst_0` and `aload_1` (`byte[]`) are accepted. Null is accepted in place of each
    // reference.
    assert_eq!(own(&[0x2a, 0x03, 0x2b]), Ok(()));
    assert_eq!(own(&[0x01, 0x03, 0x01]), Ok(()));
    assert_eq!(
        own(&[0x2a, 0x03, 0x2c]),
        wrong(3, virtually, 0, T::ByteArray, T::ShortArray)
    );
    assert_eq!(
        own(&[0x2a, 0x01, 0x2b]),
        wrong(3, virtually, 1, T::Int, T::Null)
    );
    assert_eq!(
        own(&[0x2b, 0x03, 0x2b]),
        wrong(3, virtually, 2, T::This, T::ByteArray)
    );
    let needed = 3;
    let opcode = virtually;
    assert_eq!(
        own(&[0x2a, 0x03]),
        at(
            2,
            VerifyErrorKind::StackUnderflow {
                opcode,
                needed,
                found: 2
            }
        )
    );
    let make = |before: &[u8]| run(before, INVOKESTATIC, "make", "(I)[B", "unet/Nic");
    assert_eq!(make(&[0x03]), Ok(()));
    assert_eq!(
        make(&[0x2b]),
        wrong(1, Opcode::Invokestatic, 0, T::Int, T::ByteArray)
    );
}

#[test]
fn stored_values_have_the_types_of_their_fields() {
    use VerificationType as T;
    let run = |before: &[u8], opcode: u8, name: &str, descriptor: &str| {
        let mut used = Use::new();
        let number = used.class.member(FIELD, "Fixture", name, descriptor);
        let [high, low] = number.to_be_bytes();
        let mut code = before.to_vec();
        code.extend([opcode, high, low, 0xb1]);
        used.class.method(0, "run", "([B[S)V", &code).verdict()
    };
    let wrong = |pc, opcode, depth, expected, found| {
        let expected = Expected::Type(expected);
        in_method(
            3,
            pc,
            VerifyErrorKind::OperandType {
                opcode,
                depth,
                expected,
                found,
            },
        )
    };
    assert_eq!(run(&[0x2c], PUTSTATIC, "shared", "[S"), Ok(()));
    assert_eq!(run(&[0x01], PUTSTATIC, "shared", "[S"), Ok(()));
    let expected = wrong(1, Opcode::Putstatic, 0, T::ShortArray, T::ByteArray);
    assert_eq!(run(&[0x2b], PUTSTATIC, "shared", "[S"), expected);
    assert_eq!(run(&[0x2a, 0x03], PUTFIELD, "mine", "I"), Ok(()));
    let expected = wrong(2, Opcode::Putfield, 1, T::This, T::ByteArray);
    assert_eq!(run(&[0x2b, 0x03], PUTFIELD, "mine", "I"), expected);
    assert_eq!(run(&[0x2a], GETFIELD, "mine", "I"), Ok(()));
    let expected = wrong(1, Opcode::Getfield, 0, T::This, T::Int);
    assert_eq!(run(&[0x03], GETFIELD, "mine", "I"), expected);
}
