//! Class files that violate the rules of the class, its members and their attributes. Each of these class files
//! violates a single rule.

use jive_core::{AttributeName, ConstantTag, ParseErrorKind as Kind};

use crate::rejected::Case;

const ONE_ATTRIBUTE: [u8; 2] = [0, 1];

/// Changes to the sample class, each with the rule that the changed class violates.
pub(crate) const CASES: &[Case] = &[
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
            p.access = 0x0600;
            p.fields.clear();
            p.methods.clear();
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
            p.become_module();
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
