//! One class file for each rule that it breaks, and for each way to break it that is worth a case.

use std::collections::BTreeSet;

use jive_core::{
    AttributeName, ClassFile, ClassVersion, ConstantTag, CpIndex, DescriptorErrorKind, ParseError,
    ParseErrorKind as Kind, PoolErrorKind, TagSet, limits,
};

use crate::parse;
use crate::parts::Parts;

type Case = (&'static str, fn(&mut Parts), Kind);

const ONE_ATTRIBUTE: [u8; 2] = [0, 1];

/// What the sample becomes when it breaks one rule, and the rule.
const CASES: &[Case] = &[
    (
        "magic",
        |p| p.magic = 0xcafe_d00d,
        Kind::Magic { found: 0xcafe_d00d },
    ),
    ("major 44", |p| p.version = (44, 0), version_error(44, 0)),
    ("major 70", |p| p.version = (70, 0), version_error(70, 0)),
    (
        "minor 1 of major 56",
        |p| p.version = (56, 1),
        version_error(56, 1),
    ),
    (
        "preview of major 69",
        |p| p.version = (69, 0xffff),
        version_error(69, 0xffff),
    ),
    (
        "trailing byte",
        |p| p.trailing = vec![0],
        Kind::TrailingBytes,
    ),
    (
        "empty pool",
        |p| {
            p.pool.clear();
            p.pool_excess = 0;
        },
        Kind::PoolCount,
    ),
    (
        "tag 2",
        |p| _ = p.add(&[2, 0, 0]),
        Kind::UnknownTag { found: 2 },
    ),
    ("tag 0", |p| _ = p.add(&[0]), Kind::UnknownTag { found: 0 }),
    (
        "method type before version 51",
        |p| {
            p.version = (50, 0);
            let descriptor = p.utf8("()V");
            p.reference(16, &[descriptor]);
        },
        misplaced(ConstantTag::MethodType, 50),
    ),
    (
        "dynamic constant before version 55",
        |p| {
            p.version = (54, 0);
            let name_and_type = p.name_and_type("c", "I");
            p.reference(17, &[0, name_and_type]);
        },
        misplaced(ConstantTag::Dynamic, 54),
    ),
    (
        "package of a class",
        |p| {
            p.version = (53, 0);
            let name = p.utf8("p");
            p.reference(20, &[name]);
        },
        misplaced(ConstantTag::Package, 53),
    ),
    (
        "long without second index",
        |p| {
            p.pool_excess = 0;
            p.add(&[5, 0, 0, 0, 0, 0, 0, 0, 1]);
        },
        Kind::WideConstantAtEnd,
    ),
    (
        "class of index 0",
        |p| _ = p.reference(7, &[0]),
        index_error(0, PoolErrorKind::OutOfRange { count: 17 }),
    ),
    (
        "class of an index beyond the pool",
        |p| _ = p.reference(7, &[17]),
        index_error(17, PoolErrorKind::OutOfRange { count: 17 }),
    ),
    (
        "class of the index behind a double",
        |p| {
            let double = p.add(&[6, 0, 0, 0, 0, 0, 0, 0, 0]);
            p.reference(7, &[double + 1]);
        },
        index_error(17, PoolErrorKind::Unusable),
    ),
    (
        "class of itself",
        |p| _ = p.reference(7, &[16]),
        index_error(
            16,
            PoolErrorKind::Tag {
                expected: ConstantTag::Utf8.only(),
                found: ConstantTag::Class,
            },
        ),
    ),
    (
        "method handle of another",
        |p| _ = p.add(&[15, 6, 0, 16]),
        index_error(
            16,
            PoolErrorKind::Tag {
                expected: ConstantTag::Methodref
                    .only()
                    .or(ConstantTag::InterfaceMethodref),
                found: ConstantTag::MethodHandle,
            },
        ),
    ),
    (
        "attribute without a name",
        |p| p.attributes.push(vec![0, 2, 0, 0, 0, 0]),
        index_error(
            2,
            PoolErrorKind::Tag {
                expected: ConstantTag::Utf8.only(),
                found: ConstantTag::Class,
            },
        ),
    ),
    (
        "zero byte in a string",
        |p| _ = p.utf8_bytes(&[0]),
        Kind::Utf8,
    ),
    (
        "four-byte form in a string",
        |p| _ = p.utf8_bytes(&[0xf0, 0x9f, 0x92, 0xa9]),
        Kind::Utf8,
    ),
    (
        "string cut inside a sequence",
        |p| _ = p.utf8_bytes(&[b'a', 0xe2, 0x82]),
        Kind::Utf8,
    ),
    (
        "continuation byte alone",
        |p| _ = p.utf8_bytes(&[0x80]),
        Kind::Utf8,
    ),
    (
        "overlong form of a letter",
        |p| _ = p.utf8_bytes(&[0xc1, 0x81]),
        Kind::Utf8,
    ),
    ("empty class name", |p| _ = p.class(""), Kind::ClassName),
    (
        "class name with a dot",
        |p| _ = p.class("java.lang.Object"),
        Kind::ClassName,
    ),
    (
        "class name with an empty part",
        |p| _ = p.class("a//b"),
        Kind::ClassName,
    ),
    (
        "array class of void",
        |p| _ = p.class("[V"),
        Kind::ClassName,
    ),
    (
        "class name that was no identifier before version 49",
        |p| {
            p.version = (48, 0);
            p.class("a-b");
        },
        Kind::ClassName,
    ),
    (
        "field name with a slash",
        |p| p.add_field(0, "a/b", "I"),
        Kind::FieldName,
    ),
    (
        "method name with angles",
        |p| p.add_method(0, "a<b>", "()V"),
        Kind::MethodName,
    ),
    (
        "reference to a class initializer",
        |p| _ = p.member_reference(10, "<clinit>", "()V"),
        Kind::MethodName,
    ),
    (
        "constructor handle of another method",
        |p| {
            let method = p.member_reference(10, "m", "()V");
            let [high, low] = method.to_be_bytes();
            p.add(&[15, 8, high, low]);
        },
        Kind::MethodName,
    ),
    (
        "module name with a colon",
        |p| {
            as_module(p);
            let name = p.utf8("a:b");
            p.reference(19, &[name]);
        },
        Kind::ModuleName,
    ),
    (
        "field of type void",
        |p| p.add_field(0, "v", "V"),
        Kind::FieldDescriptor {
            kind: DescriptorErrorKind::NotAType { found: b'V' },
        },
    ),
    (
        "field reference with a method descriptor",
        |p| _ = p.member_reference(9, "m", "()V"),
        Kind::FieldDescriptor {
            kind: DescriptorErrorKind::NotAType { found: b'(' },
        },
    ),
    (
        "method reference with a field descriptor",
        |p| _ = p.member_reference(10, "f", "I"),
        Kind::MethodDescriptor {
            kind: DescriptorErrorKind::NotAMethod { found: b'I' },
        },
    ),
    (
        "256 parameters",
        |p| p.add_method(8, "p", &format!("({})V", "I".repeat(256))),
        Kind::MethodDescriptor {
            kind: DescriptorErrorKind::ParameterSlots,
        },
    ),
    (
        "constructor with a result",
        |p| p.add_method(0, "<init>", "()I"),
        Kind::InitializerDescriptor,
    ),
    (
        "class initializer with a parameter",
        |p| p.add_method(8, "<clinit>", "(I)V"),
        Kind::InitializerDescriptor,
    ),
    (
        "method handle of kind 0",
        |p| _ = p.add(&[15, 0, 0, 1]),
        Kind::MethodHandleKind { found: 0 },
    ),
    (
        "method handle of kind 10",
        |p| _ = p.add(&[15, 10, 0, 1]),
        Kind::MethodHandleKind { found: 10 },
    ),
    (
        "final abstract class",
        |p| p.access = 0x0430,
        Kind::ClassFlags { flags: 0x0430 },
    ),
    (
        "interface that is not abstract",
        |p| p.access = 0x0200,
        Kind::ClassFlags { flags: 0x0200 },
    ),
    (
        "annotation that is no interface",
        |p| p.access = 0x2020,
        Kind::ClassFlags { flags: 0x2020 },
    ),
    (
        "public private field",
        |p| p.add_field(0x0003, "a", "I"),
        Kind::FieldFlags { flags: 0x0003 },
    ),
    (
        "final volatile field",
        |p| p.add_field(0x0050, "a", "I"),
        Kind::FieldFlags { flags: 0x0050 },
    ),
    (
        "private protected method",
        |p| p.add_method(0x0006, "a", "()V"),
        Kind::MethodFlags { flags: 0x0006 },
    ),
    (
        "abstract static method",
        |p| p.add_method(0x0408, "a", "()V"),
        Kind::MethodFlags { flags: 0x0408 },
    ),
    (
        "static constructor",
        |p| p.add_method(0x0008, "<init>", "()V"),
        Kind::MethodFlags { flags: 0x0008 },
    ),
    (
        "class initializer that is not static",
        |p| p.add_method(0, "<clinit>", "()V"),
        Kind::MethodFlags { flags: 0 },
    ),
    ("no superclass", |p| p.super_class = 0, Kind::SuperClass),
    (
        "array as superclass",
        |p| p.super_class = p.class("[I"),
        Kind::SuperClass,
    ),
    (
        "interface with another superclass",
        |p| {
            *p = Parts {
                access: 0x0600,
                fields: vec![],
                methods: vec![],
                ..p.clone()
            };
            p.super_class = p.class("a/B");
        },
        Kind::SuperClass,
    ),
    (
        "array as the class itself",
        |p| p.this_class = p.class("[I"),
        Kind::ThisClass,
    ),
    (
        "module with a superclass",
        |p| {
            as_module(p);
            p.super_class = p.class("java/lang/Object");
        },
        Kind::Module,
    ),
    (
        "one interface twice, by two constants",
        |p| p.interfaces = vec![p.class("a/I"), p.class("a/J"), p.class("a/I")],
        Kind::Interface,
    ),
    (
        "array as interface",
        |p| p.interfaces = vec![p.class("[I")],
        Kind::Interface,
    ),
    (
        "one field twice",
        |p| p.add_field(0, "f", "I"),
        Kind::DuplicateField,
    ),
    (
        "one method twice, by equal strings at different indices",
        |p| {
            let (name, descriptor) = (p.add(&[1, 0, 1, b'm']), p.add(&[1, 0, 3, b'(', b')', b'V']));
            let method = [
                &[1, 8][..],
                &name.to_be_bytes(),
                &descriptor.to_be_bytes(),
                &[0, 0],
            ]
            .concat();
            p.methods.push(method);
        },
        Kind::DuplicateMethod,
    ),
    (
        "two constant values",
        |p| {
            let value = p.attribute("ConstantValue", &[0, 5]);
            p.fields = vec![p.member(0x0008, "f", "I", &[value.clone(), value])];
        },
        Kind::DuplicateAttribute {
            name: AttributeName::ConstantValue,
        },
    ),
    (
        "two code attributes",
        |p| {
            let code = p.code(0, 0, &[0xb1], &[], &[]);
            p.methods = vec![p.member(0x0008, "m", "()V", &[code.clone(), code])];
        },
        Kind::DuplicateAttribute {
            name: AttributeName::Code,
        },
    ),
    (
        "two source files",
        |p| p.attributes.push(p.attributes[0].clone()),
        Kind::DuplicateAttribute {
            name: AttributeName::SourceFile,
        },
    ),
    (
        "code that ends before its attribute",
        |p| {
            let mut code = p.code(0, 0, &[0xb1], &[], &[]);
            code[5] += 1;
            code.push(0);
            p.replace_code(code);
        },
        Kind::AttributeLength,
    ),
    (
        "code that ends after its attribute",
        |p| {
            let code = p.attribute("Code", &[0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xb1]);
            p.replace_code(code);
        },
        Kind::AttributeLength,
    ),
    (
        "nested attribute longer than the code's",
        |p| {
            let contents = [
                &[0, 0, 0, 0, 0, 0, 0, 1, 0xb1, 0, 0][..],
                &ONE_ATTRIBUTE,
                &[0, 1, 0, 0, 0, 1],
            ];
            let code = p.attribute("Code", &contents.concat());
            p.replace_code(code);
        },
        Kind::AttributeLength,
    ),
    (
        "line numbers longer than their count says",
        |p| {
            let lines = p.attribute("LineNumberTable", &[0, 0, 0]);
            let code = p.code(0, 0, &[0xb1], &[], &[lines]);
            p.replace_code(code);
        },
        Kind::AttributeLength,
    ),
    (
        "constant value of three bytes",
        |p| {
            let value = p.attribute("ConstantValue", &[0, 5, 0]);
            p.fields = vec![p.member(0x0008, "f", "I", &[value])];
        },
        Kind::AttributeLength,
    ),
    (
        "int constant for a long field",
        |p| {
            let value = p.attribute("ConstantValue", &[0, 5]);
            p.fields = vec![p.member(0x0008, "f", "J", &[value])];
        },
        Kind::ConstantValue {
            found: ConstantTag::Integer,
        },
    ),
    (
        "constant for an array field",
        |p| {
            let value = p.attribute("ConstantValue", &[0, 5]);
            p.fields = vec![p.member(0x0008, "f", "[I", &[value])];
        },
        Kind::ConstantValue {
            found: ConstantTag::Integer,
        },
    ),
    (
        "method without code",
        |p| p.methods = vec![p.member(0x0008, "m", "()V", &[])],
        Kind::CodeMissing,
    ),
    (
        "native method with code",
        |p| p.add_method(0x0100, "a", "()V"),
        Kind::CodePresent,
    ),
    (
        "abstract method with code",
        |p| p.add_method(0x0400, "a", "()V"),
        Kind::CodePresent,
    ),
    (
        "empty code",
        |p| {
            let code = p.code(0, 0, &[], &[], &[]);
            p.replace_code(code);
        },
        Kind::CodeLength { found: 0 },
    ),
    (
        "code of 65,536 bytes",
        |p| {
            let code = p.code(0, 0, &[0; 65_536], &[], &[]);
            p.replace_code(code);
        },
        Kind::CodeLength { found: 65_536 },
    ),
    (
        "parameters without local variables",
        |p| {
            let code = p.code(0, 2, &[0xb1], &[], &[]);
            p.methods = vec![p.member(0, "m", "(J)V", &[code])];
        },
        Kind::ParametersExceedLocals {
            needed: 3,
            found: 2,
        },
    ),
    (
        "255 parameters and this",
        |p| p.add_method(0, "a", &format!("({})V", "I".repeat(255))),
        Kind::ParameterSlots { found: 256 },
    ),
    (
        "handler that covers nothing",
        |p| {
            let code = p.code(0, 0, &[0xb1], &[[0, 0, 0, 0]], &[]);
            p.replace_code(code);
        },
        Kind::ExceptionTable,
    ),
    (
        "handler outside the code",
        |p| {
            let code = p.code(0, 0, &[0xb1], &[[0, 1, 1, 0]], &[]);
            p.replace_code(code);
        },
        Kind::ExceptionTable,
    ),
    (
        "line number at the end of the code",
        |p| {
            let lines = p.attribute("LineNumberTable", &[0, 1, 0, 1, 0, 5]);
            let code = p.code(0, 0, &[0xb1], &[], &[lines]);
            p.replace_code(code);
        },
        Kind::LineNumber {
            pc: 1,
            code_length: 1,
        },
    ),
    (
        "call site without bootstrap methods",
        |p| {
            let name_and_type = p.name_and_type("m", "()V");
            p.reference(18, &[0, name_and_type]);
        },
        Kind::BootstrapMethod { count: 0, found: 0 },
    ),
];

const fn version_error(major: u16, minor: u16) -> Kind {
    Kind::Version {
        found: ClassVersion { major, minor },
    }
}

const fn misplaced(tag: ConstantTag, major: u16) -> Kind {
    Kind::MisplacedTag {
        tag,
        version: ClassVersion { major, minor: 0 },
    }
}

const fn index_error(index: u16, kind: PoolErrorKind) -> Kind {
    Kind::ConstantIndex { index, kind }
}

/// Makes the sample a module's class file, of the version that first had modules.
fn as_module(parts: &mut Parts) {
    *parts = Parts {
        version: (53, 0),
        access: 0x8000,
        super_class: 0,
        fields: vec![],
        methods: vec![],
        ..parts.clone()
    };
    parts.this_class = parts.class("module-info");
}

#[test]
fn each_broken_rule_is_named() {
    for (name, break_rule, expected) in CASES {
        let mut parts = Parts::sample();
        break_rule(&mut parts);
        let bytes = parts.to_bytes();
        let error = parse(&bytes, |_| ()).expect_err(name);
        assert_eq!(error.kind, *expected, "{name}");
        assert!(error.offset as usize <= bytes.len(), "{name}");
    }
}

#[test]
fn every_code_has_a_case() {
    let elsewhere = ["limit/file-size", "limit/index-size", "malformed/truncated"];
    let covered: BTreeSet<_> = CASES
        .iter()
        .map(|(_, _, kind)| kind.code())
        .chain(elsewhere)
        .collect();
    assert_eq!(covered, Kind::CODES.iter().copied().collect());
}

#[test]
fn a_file_over_the_limit_is_refused_by_size_alone() {
    let bytes = vec![0; limits::FILE_BYTES_MAX + 1];
    let expected = ParseError {
        offset: 0,
        kind: Kind::FileSize { found: 1_048_577 },
    };
    assert_eq!(parse(&bytes, |_| ()), Err(expected));
}

#[test]
fn an_index_that_is_too_short_is_refused() {
    let bytes = Parts::sample().to_bytes();
    let needed = ClassFile::index_len(&bytes).unwrap();
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
fn offsets_point_at_the_byte_that_is_wrong() {
    // Version: magic (4 bytes) stands before it.
    let mut parts = Parts::sample();
    parts.version = (70, 0);
    assert_eq!(parse(&parts.to_bytes(), |_| ()).unwrap_err().offset, 4);
    // The first constant is the string "T", behind magic, version and count: 10, tag and length: 13.
    let mut parts = Parts::sample();
    parts.pool[0] = vec![1, 0, 1, 0xff];
    assert_eq!(parse(&parts.to_bytes(), |_| ()).unwrap_err().offset, 13);
    // The byte that trails.
    let mut parts = Parts::sample();
    parts.trailing = vec![0];
    let bytes = parts.to_bytes();
    assert_eq!(
        parse(&bytes, |_| ()).unwrap_err().offset as usize,
        bytes.len() - 1
    );
}

#[test]
fn an_index_that_misses_its_kind_names_both() {
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
