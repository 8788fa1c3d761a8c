//! Access flags: the combinations that the specification permits, version by version.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use jive_core::{ClassAccess, MethodAccess, MethodId, ParseErrorKind as Kind};

use crate::parse;
use crate::parts::Parts;

const ANY: RangeInclusive<u16> = 45..=69;

const PUBLIC: u16 = 0x0001;
const PRIVATE: u16 = 0x0002;
const PROTECTED: u16 = 0x0004;
const STATIC: u16 = 0x0008;
const FINAL: u16 = 0x0010;
const SYNCHRONIZED: u16 = 0x0020;
const SUPER: u16 = 0x0020;
const VOLATILE: u16 = 0x0040;
const BRIDGE: u16 = 0x0040;
const TRANSIENT: u16 = 0x0080;
const NATIVE: u16 = 0x0100;
const INTERFACE: u16 = 0x0200;
const ABSTRACT: u16 = 0x0400;
const STRICT: u16 = 0x0800;
const ANNOTATION: u16 = 0x2000;
const ENUM: u16 = 0x4000;

/// The structure that has the access flags.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Class,
    Field,
    InterfaceField,
    Method,
    Constructor,
    InterfaceMethod,
    InterfaceConstructor,
    ClassInitializer,
}

/// A rule for a range of versions: flags clash if all flags of the first mask are set and all of the second mask clear.
type Clash = (Place, RangeInclusive<u16>, u16, u16);

/// The rules of JVMS §4.1, §4.5 and §4.6, sentence by sentence. Rules for older class file versions are from the
/// editions of the JVMS for these versions.
const CLASHES: &[Clash] = &[
    (Place::Class, ANY, ABSTRACT | FINAL, 0),
    // Below version 50, an interface is abstract even without the flag `ABSTRACT`.
    (Place::Class, 45..=49, INTERFACE | FINAL, 0),
    (Place::Class, 50..=69, INTERFACE, ABSTRACT),
    (Place::Class, 49..=69, INTERFACE | SUPER, 0),
    (Place::Class, 49..=69, INTERFACE | ENUM, 0),
    (Place::Class, 49..=69, ANNOTATION, INTERFACE),
    (Place::Field, ANY, PUBLIC | PRIVATE, 0),
    (Place::Field, ANY, PUBLIC | PROTECTED, 0),
    (Place::Field, ANY, PRIVATE | PROTECTED, 0),
    (Place::Field, ANY, FINAL | VOLATILE, 0),
    (Place::InterfaceField, ANY, 0, PUBLIC),
    (Place::InterfaceField, ANY, 0, STATIC),
    (Place::InterfaceField, ANY, 0, FINAL),
    (Place::InterfaceField, ANY, PRIVATE, 0),
    (Place::InterfaceField, ANY, PROTECTED, 0),
    (Place::InterfaceField, ANY, VOLATILE, 0),
    (Place::InterfaceField, ANY, TRANSIENT, 0),
    (Place::InterfaceField, 49..=69, ENUM, 0),
    (Place::Method, ANY, PUBLIC | PRIVATE, 0),
    (Place::Method, ANY, PUBLIC | PROTECTED, 0),
    (Place::Method, ANY, PRIVATE | PROTECTED, 0),
    (Place::Method, ANY, ABSTRACT | FINAL, 0),
    (Place::Method, ANY, ABSTRACT | NATIVE, 0),
    (Place::Method, ANY, ABSTRACT | PRIVATE, 0),
    (Place::Method, ANY, ABSTRACT | STATIC, 0),
    (Place::Method, 49..=69, ABSTRACT | SYNCHRONIZED, 0),
    (Place::Method, 49..=60, ABSTRACT | STRICT, 0),
    (Place::Constructor, ANY, PUBLIC | PRIVATE, 0),
    (Place::Constructor, ANY, PUBLIC | PROTECTED, 0),
    (Place::Constructor, ANY, PRIVATE | PROTECTED, 0),
    (Place::Constructor, ANY, STATIC, 0),
    (Place::Constructor, ANY, FINAL, 0),
    (Place::Constructor, ANY, SYNCHRONIZED, 0),
    (Place::Constructor, ANY, NATIVE, 0),
    (Place::Constructor, ANY, ABSTRACT, 0),
    (Place::Constructor, 49..=69, BRIDGE, 0),
    (Place::InterfaceMethod, 45..=51, 0, PUBLIC),
    (Place::InterfaceMethod, 45..=51, 0, ABSTRACT),
    (Place::InterfaceMethod, 45..=51, STATIC, 0),
    (Place::InterfaceMethod, 49..=51, PRIVATE, 0),
    (Place::InterfaceMethod, 49..=51, STRICT, 0),
    (Place::InterfaceMethod, 49..=69, PROTECTED, 0),
    (Place::InterfaceMethod, 49..=69, SYNCHRONIZED, 0),
    (Place::InterfaceMethod, ANY, FINAL, 0),
    (Place::InterfaceMethod, ANY, NATIVE, 0),
    (Place::InterfaceMethod, 52..=69, 0, PUBLIC | PRIVATE),
    (Place::InterfaceMethod, 52..=69, PUBLIC | PRIVATE, 0),
    (Place::InterfaceMethod, 52..=69, ABSTRACT | PRIVATE, 0),
    (Place::InterfaceMethod, 52..=69, ABSTRACT | STATIC, 0),
    (Place::InterfaceMethod, 52..=60, ABSTRACT | STRICT, 0),
    (Place::InterfaceConstructor, ANY, 0, 0),
    (Place::ClassInitializer, 51..=69, 0, STATIC),
];

/// Combinations of access flags that the test changes by setting or clearing further flags.
const BASES: [u16; 4] = [
    0,
    PUBLIC | STATIC | FINAL,
    PUBLIC | ABSTRACT,
    INTERFACE | ABSTRACT,
];

/// For each change of a rule, the last version before the change and the first version with the change.
const VERSIONS: [u16; 10] = [45, 48, 49, 50, 51, 52, 53, 60, 61, 69];

/// Returns a class file with the given flags on the given structure.
fn class_file(place: Place, version: u16, flags: u16) -> Vec<u8> {
    let mut parts = Parts::sample();
    parts.version = (version, 0);
    parts.fields.clear();
    parts.methods.clear();
    let in_interface = matches!(
        place,
        Place::InterfaceField | Place::InterfaceMethod | Place::InterfaceConstructor
    );
    parts.access = if in_interface {
        INTERFACE | ABSTRACT
    } else {
        SUPER
    };
    match place {
        Place::Class => parts.access = flags,
        Place::Field | Place::InterfaceField => parts.add_field(flags, "a", "I"),
        Place::Method | Place::InterfaceMethod => parts.add_method(flags, "a", "()V"),
        Place::Constructor | Place::InterfaceConstructor => {
            parts.add_method(flags, "<init>", "()V");
        }
        Place::ClassInitializer => parts.add_method(flags, "<clinit>", "()V"),
    }
    parts.to_bytes()
}

#[test]
fn flags_clash_as_in_the_specification() {
    let places: BTreeSet<Place> = CLASHES.iter().map(|(place, ..)| *place).collect();
    let mut judged = [0_u32; 2];
    for place in places {
        for version in VERSIONS {
            let plain = class_file(place, version, 0);
            let full = class_file(place, version, 0xffff);
            let at = (0..plain.len())
                .find(|at| plain[*at] != full[*at])
                .expect("the flags stand somewhere");
            for flags in some_flags() {
                let mut bytes = plain.clone();
                bytes[at..at + 2].copy_from_slice(&flags.to_be_bytes());
                // The test ignores errors that do not concern flags, for example missing code.
                let clashes = matches!(
                    parse(&bytes, |_| ()).map_err(|error| error.kind),
                    Err(Kind::ClassFlags { .. }
                        | Kind::FieldFlags { .. }
                        | Kind::MethodFlags { .. })
                );
                let expected = CLASHES.iter().any(|(of, versions, set, unset)| {
                    *of == place
                        && versions.contains(&version)
                        && flags & set == *set
                        && flags & unset == 0
                });
                assert_eq!(
                    clashes, expected,
                    "{place:?}, version {version}, flags {flags:#06x}"
                );
                judged[usize::from(clashes)] += 1;
            }
        }
    }
    assert!(judged.iter().all(|count| *count > 1_000), "{judged:?}");
}

/// Returns each combination of flags in `BASES` with up to two flags changed. The module flag is left out, because it
/// has its own test.
fn some_flags() -> BTreeSet<u16> {
    let bits = || (0..15).map(|bit| 1_u16 << bit);
    let mut all = BTreeSet::new();
    for base in BASES {
        for a in bits() {
            for b in bits() {
                all.insert(base ^ (a | b));
            }
        }
        all.insert(base);
    }
    all
}

#[test]
fn a_module_has_no_other_flag() {
    let kind = |version, flags| {
        let mut parts = Parts::sample();
        parts.become_module();
        parts.version = (version, 0);
        parts.access = flags;
        parse(&parts.to_bytes(), |class| class.access()).map_err(|error| error.kind)
    };
    assert_eq!(kind(53, 0x8000), Ok(ClassAccess::MODULE));
    for bit in [
        0x0001, 0x0010, 0x0020, 0x0200, 0x0400, 0x1000, 0x2000, 0x4000,
    ] {
        let flags = 0x8000 | bit;
        assert_eq!(kind(53, flags), Err(Kind::ClassFlags { flags }));
    }
    // Flags unknown to the specification are ignored.
    assert_eq!(kind(53, 0x8002), Ok(ClassAccess::MODULE));
    // Before version 53, class files have no modules, so the parser treats the module as a class without superclass.
    assert_eq!(kind(52, 0x8000), Err(Kind::SuperClass));
}

#[test]
fn flags_are_read_with_the_semantics_of_the_version() {
    let class = |version, flags| {
        let bytes = class_file(Place::Class, version, flags);
        parse(&bytes, |class| class.access()).unwrap()
    };
    let interface = ClassAccess::INTERFACE | ClassAccess::ABSTRACT;
    assert_eq!(class(49, INTERFACE), interface);
    assert_eq!(class(50, INTERFACE | ABSTRACT), interface);
    assert_eq!(class(52, 0x8000 | PUBLIC), ClassAccess::PUBLIC);
    assert_eq!(class(52, ABSTRACT), ClassAccess::ABSTRACT);
    assert_eq!(class(45, 0), ClassAccess::empty());
    let initializer = |version, flags| {
        let bytes = class_file(Place::ClassInitializer, version, flags);
        parse(&bytes, |class| class.method(MethodId(0)).unwrap().access).unwrap()
    };
    let strict = MethodAccess::STATIC | MethodAccess::STRICT;
    assert_eq!(initializer(50, PRIVATE | STRICT), MethodAccess::STATIC);
    assert_eq!(initializer(51, STATIC | PRIVATE | STRICT), strict);
    assert_eq!(initializer(60, STATIC | FINAL | STRICT), strict);
    assert_eq!(initializer(61, STATIC | STRICT), MethodAccess::STATIC);
}
