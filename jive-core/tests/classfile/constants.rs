//! Lookups in the constant pool by index: the constant, or the error that names the constant found instead.

use std::fmt::Debug;

use jive_core::{
    Constant, ConstantPool, ConstantTag, CpIndex, MemberKind, PoolError, PoolErrorKind, TagSet,
};

use crate::parse;
use crate::parts::Parts;

/// Returns a class file with constants of nearly every kind, and the index and tag of each constant.
fn of_every_kind() -> (Vec<u8>, Vec<(u16, ConstantTag)>) {
    let mut p = Parts::sample();
    p.version = (55, 0);
    let name = p.utf8("T");
    let name_and_type = p.name_and_type("m", "()V");
    let field_type = p.name_and_type("f", "I");
    let descriptor = p.utf8("()V");
    let method = p.member_reference(10, "m", "()V");
    let handle = p.add(&[&[15, 6][..], &method.to_be_bytes()].concat());
    let contents = [&[0, 1][..], &handle.to_be_bytes(), &[0, 0]].concat();
    let bootstrap = p.attribute("BootstrapMethods", &contents);
    p.attributes.push(bootstrap);
    let constants = vec![
        (name, ConstantTag::Utf8),
        (p.add(&[3, 0xff, 0xfe, 0, 5]), ConstantTag::Integer),
        (p.add(&[4, 0x3f, 0xc0, 0, 0]), ConstantTag::Float),
        (p.add(&[5, 0, 0, 0, 1, 0, 0, 0, 2]), ConstantTag::Long),
        (p.add(&[6, 0xc0, 0, 0, 0, 0, 0, 0, 0]), ConstantTag::Double),
        (p.this_class, ConstantTag::Class),
        (p.reference(8, &[name]), ConstantTag::String),
        (p.member_reference(9, "f", "I"), ConstantTag::Fieldref),
        (method, ConstantTag::Methodref),
        (
            p.member_reference(11, "m", "()V"),
            ConstantTag::InterfaceMethodref,
        ),
        (name_and_type, ConstantTag::NameAndType),
        (handle, ConstantTag::MethodHandle),
        (p.reference(16, &[descriptor]), ConstantTag::MethodType),
        (p.reference(17, &[0, field_type]), ConstantTag::Dynamic),
        (
            p.reference(18, &[0, name_and_type]),
            ConstantTag::InvokeDynamic,
        ),
    ];
    (p.to_bytes(), constants)
}

#[test]
fn a_constant_has_the_kind_of_its_tag() {
    let (bytes, constants) = of_every_kind();
    parse(&bytes, |class| {
        let pool = class.pool();
        for (index, tag) in constants {
            let index = CpIndex(index);
            assert_eq!(pool.tag(index), Ok(tag));
            assert_eq!(pool.get(index).map(|constant| constant.tag()), Ok(tag));
        }
    })
    .unwrap();
}

#[test]
fn the_constants_of_a_module_have_the_kinds_of_their_tags() {
    let mut p = Parts::sample();
    p.become_module();
    let (module, package) = (p.utf8("a.b"), p.utf8("a/b"));
    let constants = [
        (p.reference(19, &[module]), ConstantTag::Module),
        (p.reference(20, &[package]), ConstantTag::Package),
    ];
    let bytes = p.to_bytes();
    parse(&bytes, |class| {
        let pool = class.pool();
        let name = CpIndex(module);
        let found = constants.map(|(index, _)| pool.get(CpIndex(index)).unwrap());
        assert_eq!(found[0], Constant::Module { name });
        let name = CpIndex(package);
        assert_eq!(found[1], Constant::Package { name });
        assert_eq!(
            found.map(|constant| constant.tag()),
            constants.map(|(_, tag)| tag)
        );
    })
    .unwrap();
}

/// Checks that a lookup succeeds exactly for constants of the given kinds, and that the error for any other constant
/// names it.
fn answered_at<'a, T: Debug>(
    pool: ConstantPool<'a>,
    constants: &[(u16, ConstantTag)],
    expected: TagSet,
    ask: impl Fn(ConstantPool<'a>, CpIndex) -> Result<T, PoolError>,
) {
    let count = pool.count();
    let error = |index, kind| PoolError { index, kind };
    for (index, found) in constants {
        let index = CpIndex(*index);
        let answer = ask(pool, index);
        if expected.contains(*found) {
            assert!(answer.is_ok(), "{found}: {answer:?}");
        } else {
            let kind = PoolErrorKind::Tag {
                expected,
                found: *found,
            };
            assert_eq!(answer.unwrap_err(), error(index, kind));
        }
        if found.is_wide() {
            let behind = CpIndex(index.0 + 1);
            let unusable = error(behind, PoolErrorKind::Unusable);
            assert_eq!(ask(pool, behind).unwrap_err(), unusable);
        }
    }
    for index in [0, count, u16::MAX] {
        let index = CpIndex(index);
        let outside = error(index, PoolErrorKind::OutOfRange { count });
        assert_eq!(ask(pool, index).unwrap_err(), outside);
    }
}

#[test]
fn a_lookup_succeeds_only_for_constants_of_its_kind() {
    let (bytes, constants) = of_every_kind();
    parse(&bytes, |class| {
        let pool = class.pool();
        let integer = ConstantTag::Integer.only();
        answered_at(pool, &constants, integer, |pool, at| pool.integer(at));
        answered_at(pool, &constants, ConstantTag::Utf8.only(), |pool, at| {
            pool.utf8(at)
        });
        answered_at(pool, &constants, ConstantTag::Class.only(), |pool, at| {
            pool.class_name(at)
        });
        let name_and_type = ConstantTag::NameAndType.only();
        answered_at(pool, &constants, name_and_type, |pool, at| {
            pool.name_and_type(at)
        });
        answered_at(pool, &constants, TagSet::MEMBER, |pool, at| pool.member(at));
    })
    .unwrap();
}

#[test]
fn a_lookup_returns_the_contents_of_the_constant() {
    let (bytes, constants) = of_every_kind();
    parse(&bytes, |class| {
        let pool = class.pool();
        let at = |tag| {
            let found = constants.iter().find(|(_, of)| *of == tag);
            CpIndex(found.expect("there is one of each").0)
        };
        // The expected number is 0xfffe0005, which is 5 - 2 * 65,536.
        assert_eq!(pool.integer(at(ConstantTag::Integer)), Ok(-131_067));
        assert_eq!(
            pool.get(at(ConstantTag::Integer)),
            Ok(Constant::Integer(-131_067))
        );
        assert!(pool.utf8(at(ConstantTag::Utf8)).unwrap() == "T");
        assert!(pool.class_name(at(ConstantTag::Class)).unwrap() == "T");
        let (name, descriptor) = pool.name_and_type(at(ConstantTag::NameAndType)).unwrap();
        assert!(name == "m" && descriptor == "()V");
        for (tag, kind, name, descriptor) in [
            (ConstantTag::Fieldref, MemberKind::Field, "f", "I"),
            (ConstantTag::Methodref, MemberKind::Method, "m", "()V"),
            (
                ConstantTag::InterfaceMethodref,
                MemberKind::InterfaceMethod,
                "m",
                "()V",
            ),
        ] {
            let member = pool.member(at(tag)).unwrap();
            assert_eq!(member.kind, kind);
            assert!(member.class == "T" && member.name == name && member.descriptor == descriptor);
        }
    })
    .unwrap();
}

#[test]
fn constants_are_iterated_in_ascending_order() {
    let (bytes, _) = of_every_kind();
    parse(&bytes, |class| {
        let pool = class.pool();
        let found: Vec<_> = pool.iter().collect();
        // The iterator visits every index below the count, except 0 and the two unusable indices after the `long` and
        // the `double`.
        assert_eq!(found.len(), usize::from(pool.count()) - 3);
        assert!(found.is_sorted_by(|(a, _), (b, _)| a < b));
        for (index, constant) in found {
            assert_eq!(pool.get(index), Ok(constant));
        }
    })
    .unwrap();
}
