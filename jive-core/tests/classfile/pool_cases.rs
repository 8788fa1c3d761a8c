//! Class files that violate the rules of the header and the constant pool. Each of these class files violates a single
//! rule.

use jive_core::{
    ClassVersion, ConstantTag, DescriptorErrorKind, ParseErrorKind as Kind, PoolErrorKind,
};

use crate::rejected::Case;

/// Changes to the sample class, each with the rule that the changed class violates.
pub(crate) const CASES: &[Case] = &[
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
            p.become_module();
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
