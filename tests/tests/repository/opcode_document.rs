//! Renders `docs/opcodes.md` from the opcode table, and checks that the committed file is up to date.

use std::fmt::Write as _;

use jive_core::{
    Action, Computational, ConstantSource, ElementKind, Exclusion, MemberAccess, Opcode,
    OperandLayout,
};
use tests::blessed;

/// Shows the values that an opcode pops and pushes, the top of the stack last.
fn effect(opcode: Opcode) -> String {
    let of = |kind| match kind {
        Computational::Int => "int",
        Computational::Reference => "reference",
    };
    let array = |kind| match kind {
        ElementKind::Int => "int[]",
        ElementKind::Short => "short[]",
        ElementKind::ByteOrBoolean => "byte[]/boolean[]",
    };
    match opcode.action() {
        Action::Nothing | Action::Jump | Action::Increment | Action::Return(None) => "→".to_owned(),
        Action::Constant(ConstantSource::Null) => "→ null".to_owned(),
        Action::Constant(ConstantSource::Immediate | ConstantSource::Pool) => "→ int".to_owned(),
        Action::Load(kind) => format!("→ {}", of(kind)),
        Action::Store(kind) | Action::Return(Some(kind)) => format!("{} →", of(kind)),
        Action::LoadElement(kind) => format!("{} int → int", array(kind)),
        Action::StoreElement(kind) => format!("{} int int →", array(kind)),
        Action::Shuffle(shuffle) => {
            // Letters stand for the values before the shuffle, with `a` at the top of the operand stack.
            let letter = |depth| format!("{} ", char::from(b'a' + depth));
            let before: String = (0..shuffle.pops()).rev().map(letter).collect();
            let after: String = shuffle.pushes().map(letter).collect();
            format!("{before}→ {after}").trim().to_owned()
        }
        Action::Unary(_) => "int → int".to_owned(),
        Action::Binary(_) => "int int → int".to_owned(),
        Action::BranchZero(_) | Action::Switch => "int →".to_owned(),
        Action::BranchInt(_) => "int int →".to_owned(),
        Action::BranchNull(_) => "reference →".to_owned(),
        Action::BranchReference(_) => "reference reference →".to_owned(),
        Action::Member(usage) => {
            let receiver = if usage.is_static() { "" } else { "this " };
            match usage.access() {
                MemberAccess::Load => format!("{receiver}→ value"),
                MemberAccess::Store => format!("{receiver}value →"),
                MemberAccess::Call => format!("{receiver}arguments → result, if any"),
            }
        }
        Action::NewArray => "int → array".to_owned(),
        Action::ArrayLength => "array → int".to_owned(),
        Action::Wide => "as the opcode that follows".to_owned(),
        Action::Unsupported(why) => format!("*outside: {}*", reason(why)),
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
        "# Opcodes\n\nThis page is generated from the opcode table in `jive-core/src/opcode/table.rs`. The decoder, \
         verifier, linker,\ndisassembler and assembler of JIVE read the opcode table too. The opcode table has {} \
         opcodes, of which {} are in the\nsubset of Java that JIVE supports.\n\n\
         The column *operands* shows the operands of an instruction: signed (`s`) or unsigned (`u`) numbers of 1, 2 or \
         4 bytes.\nThe column *stack* shows the values that an instruction pops (before the arrow) and pushes (after \
         the arrow). The top of\nthe operand stack is last in the column *stack*. For an opcode outside the subset, \
         the column *stack* gives the reason.\n\n\
         | opcode | mnemonic | operands | stack | meaning |\n|---|---|---|---|---|\n",
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
fn the_document_is_up_to_date() {
    blessed::check("docs/opcodes.md", &render());
}
