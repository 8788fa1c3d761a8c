//! Checks of the class as a whole, its fields and the declarations of its methods.

use jive_core::{FieldId, MethodId};
use jive_verifier::{Location, ResolutionError, TypeUse, VerifyError, VerifyErrorKind};

use crate::class_bytes::{ABSTRACT, ClassBytes, NATIVE, STATIC, SYNCHRONIZED};

fn class(kind: VerifyErrorKind) -> Result<(), VerifyError> {
    let at = Location::Class;
    Err(VerifyError { at, kind })
}

fn method(number: u16, kind: VerifyErrorKind) -> Result<(), VerifyError> {
    let at = Location::Method(MethodId(number));
    Err(VerifyError { at, kind })
}

#[test]
fn the_class_is_an_ordinary_subclass_of_object() {
    let with = |change: fn(&mut ClassBytes)| {
        let mut class = ClassBytes::new();
        change(&mut class);
        class.verdict()
    };
    assert_eq!(with(|_| ()), Ok(()));
    // Each of the flags ACC_ABSTRACT and ACC_FINAL alone is permitted for a class.
    assert_eq!(with(|class| class.access = 0x0421), Ok(()));
    assert_eq!(with(|class| class.access = 0x0031), Ok(()));
    // ACC_INTERFACE and ACC_ABSTRACT.
    assert_eq!(
        with(|class| class.access = 0x0600),
        class(VerifyErrorKind::Interface)
    );
    let other = with(|class| class.super_name = class.class("java/lang/Thread"));
    assert_eq!(other, class(VerifyErrorKind::Superclass));
    let own = with(|class| class.name = class.class("java/lang/Object"));
    assert_eq!(own, class(VerifyErrorKind::ClassCircularity));
    let implements = with(|class| {
        let name = class.class("java/lang/Runnable");
        class.interfaces.push(name);
    });
    assert_eq!(implements, class(VerifyErrorKind::Implements { count: 1 }));
}

#[test]
fn types_of_fields_must_be_in_the_subset() {
    let verdict = |descriptor| ClassBytes::new().field(0, "field", descriptor).verdict();
    for descriptor in ["B", "S", "I", "Z", "[B", "[S", "[I", "[Z", "LFixture;"] {
        assert_eq!(verdict(descriptor), Ok(()), "{descriptor}");
    }
    let found = TypeUse::Field;
    let refused = [
        ("C", VerifyErrorKind::Char { found }),
        ("J", VerifyErrorKind::Long { found }),
        ("F", VerifyErrorKind::Float { found }),
        ("D", VerifyErrorKind::Double { found }),
        ("[C", VerifyErrorKind::Char { found }),
        ("[J", VerifyErrorKind::Long { found }),
        ("[F", VerifyErrorKind::Float { found }),
        ("[D", VerifyErrorKind::Double { found }),
        ("Ljava/lang/String;", VerifyErrorKind::String { found }),
        ("Ljava/lang/Object;", VerifyErrorKind::ForeignType { found }),
        ("LFixture2;", VerifyErrorKind::ForeignType { found }),
        ("[[B", VerifyErrorKind::ReferenceArray { found }),
        ("[LFixture;", VerifyErrorKind::ReferenceArray { found }),
    ];
    for (descriptor, kind) in refused {
        let at = Location::Field(FieldId(0));
        assert_eq!(
            verdict(descriptor),
            Err(VerifyError { at, kind }),
            "{descriptor}"
        );
    }
}

#[test]
fn types_of_parameters_and_results_must_be_in_the_subset() {
    let verdict = |descriptor| {
        ClassBytes::new()
            .method(STATIC, "run", descriptor, &[0xb1])
            .verdict()
    };
    assert_eq!(verdict("(BSIZ)V"), Ok(()));
    assert_eq!(verdict("([B[SLFixture;[Z)V"), Ok(()));
    let kind = |found| method(0, VerifyErrorKind::Long { found });
    assert_eq!(verdict("(IJ)V"), kind(TypeUse::Parameter(2)));
    assert_eq!(verdict("(I)J"), kind(TypeUse::Result));
    let found = TypeUse::Parameter(1);
    assert_eq!(
        verdict("([Ljava/lang/String;)V"),
        method(0, VerifyErrorKind::ReferenceArray { found })
    );
}

#[test]
fn methods_have_distinct_names_and_their_own_code() {
    let run = |access| {
        let mut class = ClassBytes::new();
        class.method(access, "run", "()V", &[0xb1]);
        class
    };
    assert_eq!(
        run(SYNCHRONIZED).verdict(),
        method(0, VerifyErrorKind::SynchronizedMethod)
    );
    let overloaded = run(STATIC).method(STATIC, "run", "(I)V", &[0xb1]).verdict();
    let first = MethodId(0);
    assert_eq!(
        overloaded,
        method(1, VerifyErrorKind::OverloadedMethod { first })
    );
    let mut class = run(STATIC);
    class.access |= ABSTRACT;
    let verdict = class.bare_method(ABSTRACT, "walk", "()V").verdict();
    assert_eq!(verdict, method(1, VerifyErrorKind::AbstractMethod));
}

#[test]
fn final_methods_of_object_must_not_be_overridden() {
    /// `ACC_PRIVATE`.
    const PRIVATE: u16 = 0x0002;
    let verdict = |access, name, descriptor| {
        ClassBytes::new()
            .method(access, name, descriptor, &[0xb1])
            .verdict()
    };
    let refused = method(0, VerifyErrorKind::FinalOverride);
    for name in ["notify", "notifyAll", "wait"] {
        assert_eq!(verdict(0, name, "()V"), refused);
        // Static methods, private methods and methods with another descriptor override no method of `Object`.
        assert_eq!(verdict(STATIC, name, "()V"), Ok(()));
        assert_eq!(verdict(PRIVATE, name, "()V"), Ok(()));
        assert_eq!(verdict(0, name, "(I)V"), Ok(()));
    }
    assert_eq!(verdict(0, "finalize", "()V"), Ok(()));
}

#[test]
fn class_initializers_have_no_parameters_and_no_result() {
    let verdict = |major, access, descriptor| {
        let mut class = ClassBytes::new();
        class.major = major;
        class
            .method(access, "<clinit>", descriptor, &[0xb1])
            .verdict()
    };
    assert_eq!(verdict(49, STATIC, "()V"), Ok(()));
    assert_eq!(verdict(61, STATIC, "()V"), Ok(()));
    let refused = method(0, VerifyErrorKind::ClassInitializer);
    assert_eq!(verdict(49, STATIC, "(I)V"), refused);
}

#[test]
fn native_methods_must_be_in_the_table_even_if_not_called() {
    let verdict = |access, name, descriptor| {
        ClassBytes::new()
            .bare_method(access | NATIVE, name, descriptor)
            .verdict()
    };
    assert_eq!(verdict(STATIC, "make", "(I)[B"), Ok(()));
    assert_eq!(verdict(0, "take", "([B[S[II)V"), Ok(()));
    let refused = |misfit| method(0, VerifyErrorKind::UnknownNative { misfit });
    assert_eq!(
        verdict(STATIC, "make", "(I)[S"),
        refused(ResolutionError::Descriptor)
    );
    assert_eq!(
        verdict(STATIC, "steal", "()V"),
        refused(ResolutionError::Name)
    );
}
