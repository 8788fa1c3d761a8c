//! Disassembly of instructions, compared with the output of `javap -c` for the same bytes.

use jive_core::{CpIndex, Described, Disassembly, instructions};

use crate::parse;
use crate::parts::Parts;

/// Disassembles each instruction of a code array, as code of the sample class.
fn shown(parts: &Parts, code: &[u8]) -> Vec<String> {
    parse(&parts.to_bytes(), |class| {
        instructions(code)
            .map(|insn| Disassembly::new(insn.unwrap(), class).to_string())
            .collect()
    })
    .unwrap()
}

fn opcode_and(opcode: u8, index: u16) -> Vec<u8> {
    [&[opcode][..], &index.to_be_bytes()].concat()
}

#[test]
fn members_of_the_displayed_class_are_unqualified() {
    let mut parts = Parts::sample();
    let own_field = parts.member_reference(9, "f", "I");
    let object = parts.super_class;
    let constructor = parts.name_and_type("<init>", "()V");
    let constructor = parts.reference(10, &[object, constructor]);
    let code = [opcode_and(0xb2, own_field), opcode_and(0xb7, constructor)].concat();
    let expected = [
        format!("getstatic       #{own_field} // Field f:I"),
        format!("invokespecial   #{constructor} // Method java/lang/Object.\"<init>\":()V"),
    ];
    assert_eq!(shown(&parts, &code), expected);
}

#[test]
fn constants_show_their_values() {
    let mut parts = Parts::sample();
    let array = parts.class("[I");
    let text = parts.utf8("a\u{1b}b");
    let string = parts.reference(8, &[text]);
    let code = [
        opcode_and(0x13, 5),
        opcode_and(0x13, string),
        opcode_and(0xbd, array),
        opcode_and(0x13, 99),
    ]
    .concat();
    let expected = [
        "ldc_w           #5 // int 7".to_owned(),
        format!("ldc_w           #{string} // String a\\u{{1b}}b"),
        format!("anewarray       #{array} // class \"[I\""),
        "ldc_w           #99 // constant #99: expected an index from 1 to below 20".to_owned(),
    ];
    assert_eq!(shown(&parts, &code), expected);
}

#[test]
fn numbers_locals_and_targets_are_displayed_as_numbers() {
    let code = [
        &[0x03, 0x1b][..],
        &[0x10, 0xff],
        &[0x15, 4],
        &[0xc4, 0x15, 1, 44],
        &[0x84, 1, 0xfe],
        &[0xbc, 8],
        &[0xbc, 3],
        &[0xa7, 0xff, 0xfd],
    ]
    .concat();
    let expected = [
        "iconst_0",
        "iload_1",
        "bipush          -1",
        "iload           4",
        "iload_w         300",
        "iinc            1, -2",
        "newarray        byte",
        "newarray        3 // expected an array type from 4 to 11",
        "goto            14",
    ];
    assert_eq!(shown(&Parts::sample(), &code), expected);
}

#[test]
fn switches_take_a_line_for_each_case() {
    let numbers = [20_i32, 0, 1, 24, 28].map(i32::to_be_bytes).concat();
    let code = [&[0xaa, 0, 0, 0][..], &numbers].concat();
    let expected = "\
tableswitch     {
               0: 24
               1: 28
         default: 20
}";
    assert_eq!(shown(&Parts::sample(), &code), [expected]);
}

#[test]
fn a_pool_entry_is_described_with_its_class() {
    let mut parts = Parts::sample();
    let field = parts.member_reference(9, "f", "I");
    let bytes = parts.to_bytes();
    let described = parse(&bytes, |class| {
        Described::new(class.pool(), CpIndex(field)).to_string()
    });
    assert_eq!(described, Ok("Field T.f:I".to_owned()));
}
