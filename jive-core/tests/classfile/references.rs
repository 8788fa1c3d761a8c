//! Rules for constants that refer to names, descriptors and members (JVMS §4.4.6, §4.4.8). Each test has inputs that
//! the parser accepts and inputs that it rejects.

use jive_core::{ConstantTag, DescriptorErrorKind, ParseErrorKind as Kind, PoolErrorKind};

use crate::parse;
use crate::parts::Parts;

/// Returns the parser's verdict on the sample class after a change.
fn verdict(change: impl FnOnce(&mut Parts)) -> Result<(), Kind> {
    let mut parts = Parts::sample();
    change(&mut parts);
    parse(&parts.to_bytes(), |_| ()).map_err(|error| error.kind)
}

#[test]
fn an_unused_name_and_type_is_checked_as_field_or_method() {
    let of = |name: &'static str, descriptor: &'static str| {
        verdict(|p| _ = p.name_and_type(name, descriptor))
    };
    let not_a_type = DescriptorErrorKind::NotAType { found: b'Q' };
    assert_eq!(of("f", "I"), Ok(()));
    assert_eq!(of("m", "()V"), Ok(()));
    assert_eq!(of("<init>", "()V"), Ok(()));
    assert_eq!(of("a/b", "I"), Err(Kind::FieldName));
    assert_eq!(of("a<b", "()V"), Err(Kind::MethodName));
    // Field names may contain angle brackets, but method names must not.
    assert_eq!(of("a<b", "I"), Ok(()));
    assert_eq!(
        of("f", "Q"),
        Err(Kind::FieldDescriptor { kind: not_a_type })
    );
    assert_eq!(
        of("m", "()Q"),
        Err(Kind::MethodDescriptor { kind: not_a_type })
    );
    assert_eq!(of("<init>", "()I"), Err(Kind::InitializerDescriptor));
}

/// Returns the parser's verdict on a method handle of a kind. The arguments `tag` and `name` determine the member that
/// the handle refers to.
fn handle(version: u16, kind: u8, tag: u8, name: &str) -> Result<(), Kind> {
    verdict(|p| {
        p.version = (version, 0);
        let descriptor = if tag == 9 { "I" } else { "()V" };
        let member = p.member_reference(tag, name, descriptor);
        p.add(&[&[15, kind][..], &member.to_be_bytes()].concat());
    })
}

#[test]
fn method_handle_kind_determines_member_kind() {
    const TAGS: [ConstantTag; 3] = [
        ConstantTag::Fieldref,
        ConstantTag::Methodref,
        ConstantTag::InterfaceMethodref,
    ];
    for version in [51, 52] {
        for kind in 1..=9 {
            for tag in TAGS {
                let name = if kind == 8 { "<init>" } else { "x" };
                let fits = match kind {
                    1..=4 => tag == ConstantTag::Fieldref,
                    5 | 8 => tag == ConstantTag::Methodref,
                    // Method handles of kinds 6 and 7 may refer to interface methods from version 52 on.
                    6 | 7 => {
                        tag == ConstantTag::Methodref
                            || version == 52 && tag == ConstantTag::InterfaceMethodref
                    }
                    _ => tag == ConstantTag::InterfaceMethodref,
                };
                match handle(version, kind, tag as u8, name) {
                    Ok(()) => assert!(fits, "kind {kind}, {tag}, version {version}"),
                    Err(Kind::ConstantIndex {
                        kind: PoolErrorKind::Tag { found, .. },
                        ..
                    }) => assert!(!fits && found == tag, "kind {kind}, {tag}, {version}"),
                    Err(other) => panic!("kind {kind}, {tag}, version {version}: {other}"),
                }
            }
        }
    }
}

#[test]
fn only_a_constructor_handle_refers_to_an_initializer() {
    for kind in [5, 6, 7] {
        assert_eq!(handle(52, kind, 10, "m"), Ok(()));
        assert_eq!(handle(52, kind, 10, "<init>"), Err(Kind::MethodName));
    }
    assert_eq!(handle(52, 9, 11, "m"), Ok(()));
    assert_eq!(handle(52, 9, 11, "<init>"), Err(Kind::MethodName));
    assert_eq!(handle(52, 9, 11, "<clinit>"), Err(Kind::MethodName));
    assert_eq!(handle(52, 8, 10, "<init>"), Ok(()));
    assert_eq!(handle(52, 8, 10, "m"), Err(Kind::MethodName));
}

#[test]
fn adding_a_tag_to_a_set_twice_has_no_effect() {
    let set = ConstantTag::Class.only().or(ConstantTag::Utf8);
    for again in [set, set.or(ConstantTag::Utf8), set.or(ConstantTag::Class)] {
        for tag in ConstantTag::ALL {
            let is_in = matches!(tag, ConstantTag::Class | ConstantTag::Utf8);
            assert_eq!(again.contains(*tag), is_in, "{tag}");
        }
    }
}
