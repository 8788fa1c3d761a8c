//! `docs/opcodes.md` is rendered from the opcode table, and is as the table says.

use std::fmt::Write as _;
use std::path::Path;

use jive_core::{Exclusion, Opcode, OperandLayout, StackEffect, StackKind};

fn kinds(kinds: &[StackKind]) -> String {
    let names = kinds.iter().map(|kind| match kind {
        StackKind::Int => "int",
        StackKind::Null => "null",
        StackKind::Reference => "reference",
    });
    names.collect::<Vec<_>>().join(" ")
}

fn effect(opcode: Opcode) -> String {
    match opcode.effect() {
        StackEffect::Fixed { pops, pushes } => format!("{} → {}", kinds(pops), kinds(pushes))
            .trim()
            .to_owned(),
        StackEffect::Special => "by its operands".to_owned(),
        StackEffect::Unsupported(why) => format!("*outside: {}*", reason(why)),
    }
}

fn reason(why: Exclusion) -> &'static str {
    match why {
        Exclusion::Long => "`long`",
        Exclusion::Float => "`float`",
        Exclusion::Double => "`double`",
        Exclusion::Char => "`char`",
        Exclusion::Wide => "`long` or `double`",
        Exclusion::ReferenceArray => "arrays of references",
        Exclusion::Object => "objects",
        Exclusion::TypeTest => "type tests",
        Exclusion::Exception => "exceptions",
        Exclusion::Thread => "threads",
        Exclusion::Subroutine => "subroutines",
        Exclusion::InterfaceCall => "interfaces",
        Exclusion::DynamicCall => "run-time linking",
        Exclusion::Reserved => "reserved",
    }
}

fn operands(layout: OperandLayout) -> &'static str {
    match layout {
        OperandLayout::None | OperandLayout::ImplicitInt(_) | OperandLayout::ImplicitLocal(_) => "",
        OperandLayout::Byte => "s1",
        OperandLayout::Short => "s2",
        OperandLayout::ConstantByte => "constant u1",
        OperandLayout::Constant => "constant u2",
        OperandLayout::Local => "local u1",
        OperandLayout::LocalIncrement => "local u1, s1",
        OperandLayout::Branch => "offset s2",
        OperandLayout::BranchWide => "offset s4",
        OperandLayout::TableSwitch | OperandLayout::LookupSwitch => "table",
        OperandLayout::InvokeInterface => "constant u2, count, 0",
        OperandLayout::InvokeDynamic => "constant u2, 0, 0",
        OperandLayout::ArrayType => "type u1",
        OperandLayout::MultiArray => "constant u2, dimensions u1",
        OperandLayout::Wide => "opcode",
    }
}

fn render() -> String {
    let inside = Opcode::ALL
        .iter()
        .filter(|opcode| opcode.exclusion().is_none());
    let mut page = format!(
        "# Opcodes\n\nRendered from the table in `jive-core/src/opcode/mod.rs`, which decoder, verifier, linker, \
         disassembler and\nassembler read too. Of {} opcodes {} are in the subset.\n\n\
         | opcode | mnemonic | operands | stack | |\n|---|---|---|---|---|\n",
        Opcode::ALL.len(),
        inside.count(),
    );
    for opcode in Opcode::ALL {
        writeln!(
            page,
            "| {:#04x} | `{opcode}` | {} | {} | {} |",
            opcode.byte(),
            operands(opcode.layout()),
            effect(*opcode),
            opcode.summary(),
        )
        .expect("a String takes any text");
    }
    page
}

#[test]
fn the_document_is_as_the_table_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/opcodes.md");
    let rendered = render();
    if std::env::var_os("JIVE_BLESS").is_some() {
        std::fs::write(&path, &rendered).expect("docs/ is writable where documents are blessed");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == rendered,
        "docs/opcodes.md is stale: run `JIVE_BLESS=1 cargo test -p tests --test opcode_document`"
    );
}
