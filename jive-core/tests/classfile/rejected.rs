//! Rejected class files: a test case for each rule of the parser.

use std::collections::BTreeSet;

use jive_core::{
    AttributeName, ClassFile, ConstantTag, CpIndex, ParseError, ParseErrorKind as Kind,
    PoolErrorKind, TagSet, limits,
};

use crate::parse;
use crate::parts::Parts;
use crate::{member_cases, pool_cases};

/// Name of the case, the change to the sample class, and the rule that the changed class violates.
pub(crate) type Case = (&'static str, fn(&mut Parts), Kind);

fn cases() -> impl Iterator<Item = &'static Case> {
    pool_cases::CASES.iter().chain(member_cases::CASES)
}

#[test]
fn each_violation_is_reported() {
    for (name, break_rule, expected) in cases() {
        let mut parts = Parts::sample();
        break_rule(&mut parts);
        let bytes = parts.to_bytes();
        let error = parse(&bytes, |_| ()).expect_err(name);
        assert_eq!(error.kind, *expected, "{name}");
        assert_eq!(error.code(), expected.code(), "{name}");
        assert!(error.offset as usize <= bytes.len(), "{name}");
    }
}

#[test]
fn every_code_has_a_case() {
    let elsewhere = ["limit/file-size", "limit/index-size", "malformed/truncated"];
    let covered: BTreeSet<_> = cases()
        .map(|(_, _, kind)| kind.code())
        .chain(elsewhere)
        .collect();
    assert_eq!(covered, Kind::CODES.iter().copied().collect());
}

#[test]
fn a_file_over_the_limit_is_rejected_for_its_size() {
    let bytes = vec![0; limits::FILE_BYTES_MAX + 1];
    let expected = ParseError {
        offset: 0,
        kind: Kind::FileSize { found: 1_048_577 },
    };
    assert_eq!(parse(&bytes, |_| ()), Err(expected));
}

#[test]
fn an_index_that_is_too_short_is_rejected() {
    let bytes = Parts::sample().to_bytes();
    let needed = parse(&bytes, |class| class.index_words()).unwrap();
    let mut index = vec![0; needed - 1];
    let kind = ClassFile::parse(&bytes, &mut index).unwrap_err().kind;
    let needed = u32::try_from(needed).unwrap();
    assert_eq!(
        kind,
        Kind::IndexSize {
            needed,
            lent: needed - 1
        }
    );
}

#[test]
fn error_offsets_point_at_the_invalid_byte() {
    // The version follows the magic number, which takes 4 bytes.
    let mut parts = Parts::sample();
    parts.version = (70, 0);
    assert_eq!(parse(&parts.to_bytes(), |_| ()).unwrap_err().offset, 4);
    // The first constant is the string "T". The bytes of this string follow magic, version and count (10 bytes), and
    // the string's tag and length (3 bytes).
    let mut parts = Parts::sample();
    parts.pool[0] = vec![1, 0, 1, 0xff];
    assert_eq!(parse(&parts.to_bytes(), |_| ()).unwrap_err().offset, 13);
    // The error for trailing bytes has the offset of the first byte after the class.
    let mut parts = Parts::sample();
    parts.trailing = vec![0];
    let bytes = parts.to_bytes();
    assert_eq!(
        parse(&bytes, |_| ()).unwrap_err().offset as usize,
        bytes.len() - 1
    );
}

#[test]
fn an_index_to_the_wrong_kind_names_both_kinds() {
    let bytes = Parts::sample().to_bytes();
    let error = parse(&bytes, |class| {
        class.pool().member(CpIndex(1)).unwrap_err().kind
    });
    let expected = PoolErrorKind::Tag {
        expected: TagSet::MEMBER,
        found: ConstantTag::Utf8,
    };
    assert_eq!(error, Ok(expected));
    assert_eq!(
        expected.to_string(),
        "expected `Fieldref` or `Methodref` or `InterfaceMethodref`, found `Utf8`"
    );
}

#[test]
fn attribute_names_are_spelled_as_in_the_class_file() {
    let shown = |name| Kind::DuplicateAttribute { name }.to_string();
    let names = [
        (AttributeName::BootstrapMethods, "BootstrapMethods"),
        (AttributeName::Code, "Code"),
        (AttributeName::ConstantValue, "ConstantValue"),
        (AttributeName::Exceptions, "Exceptions"),
        (AttributeName::LineNumberTable, "LineNumberTable"),
        (AttributeName::SourceFile, "SourceFile"),
        (AttributeName::StackMapTable, "StackMapTable"),
    ];
    for (name, text) in names {
        let expected = format!("expected one `{text}` attribute, found a second one");
        assert_eq!((name.as_str(), shown(name)), (text, expected));
    }
}
