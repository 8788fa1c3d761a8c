//! Class file to assembly and back: the disassembly of a class assembles to the same code.

use jive_core::ClassFile;
use jive_lab::asm::{assemble, disassemble};
use tests::fixture::{Fixture, Outcome};
use tests::fuzzing;
use tests::machine::parsed;

/// Disassembles a class file, if it is valid.
fn written_down(bytes: &[u8]) -> Option<String> {
    parsed(bytes, disassemble).ok()
}

fn code(bytes: &[u8]) -> Vec<Vec<u8>> {
    let all = |class: ClassFile<'_>| {
        class
            .methods()
            .filter_map(|method| Some(method.code()?.bytes.to_vec()))
            .collect()
    };
    parsed(bytes, all).expect("it was assembled from a class file")
}

fn constants(bytes: &[u8]) -> u16 {
    parsed(bytes, |class| class.pool().count()).expect("it was assembled from a class file")
}

#[test]
fn assembling_a_disassembly_gives_the_same_disassembly() {
    let mut compared = 0;
    for (name, bytes) in fuzzing::seeds() {
        let Some(text) = written_down(&bytes) else {
            continue;
        };
        // These cannot be assembled again: the attribute for such constants has no directive, and an invalid index may
        // become valid in the new constant pool.
        if text.contains("dynamic 0") || text.contains(" #") {
            continue;
        }
        let again = assemble(&name, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(written_down(&again.bytes).as_ref(), Some(&text), "{name}");
        compared += 1;
    }
    assert!(compared > 200, "{compared} class files");
}

#[test]
fn accepted_fixtures_come_back_with_the_same_code() {
    let mut compared = 0;
    for fixture in Fixture::all() {
        if matches!(fixture.expected, Outcome::Rejected { .. }) {
            continue;
        }
        let text = written_down(&fixture.bytes).expect("it is accepted");
        let again = assemble(&fixture.name, &text).expect("it assembles");
        // Constants that no member uses are lost, so the indices of all others may change.
        if constants(&again.bytes) == constants(&fixture.bytes) {
            assert_eq!(code(&again.bytes), code(&fixture.bytes), "{}", fixture.name);
            compared += 1;
        }
    }
    assert!(compared > 70, "{compared} class files");
}

#[test]
fn every_opcode_comes_back() {
    // One method for each opcode, with operands that fit the opcode's layout.
    let mut source = ".version 52\n.omit all\n".to_owned();
    for (n, opcode) in jive_core::Opcode::ALL.iter().enumerate() {
        use jive_core::OperandLayout as Layout;
        let operand = match opcode.layout() {
            Layout::None | Layout::ImplicitInt(_) | Layout::ImplicitLocal(_) => "",
            Layout::Byte | Layout::Short => "-3",
            Layout::ConstantByte => "7",
            Layout::Constant => "class Other",
            Layout::Local => "9",
            Layout::LocalIncrement => "9 -3",
            Layout::Branch | Layout::BranchWide => "here",
            Layout::TableSwitch => "-1: here here default: here",
            Layout::LookupSwitch => "-5: here 5: here default: here",
            Layout::InvokeInterface => "interface Other.m()V 1",
            Layout::InvokeDynamic => "class Other",
            Layout::ArrayType => "short",
            Layout::MultiArray => "[[I 2",
            Layout::Wide => "iinc 300 -300",
        };
        let mnemonic = opcode.mnemonic();
        source.push_str(&format!(
            ".method static m{n}()V stack 0 locals 0\nhere: {mnemonic} {operand}\nreturn\n"
        ));
    }
    let class = assemble("opcodes", &source).expect("every opcode assembles");
    let text = written_down(&class.bytes).expect("it is a class file");
    let again = assemble("again", &text).expect("what was written down assembles");
    assert_eq!(code(&again.bytes), code(&class.bytes));
    for opcode in jive_core::Opcode::ALL {
        assert!(text.contains(opcode.mnemonic()), "{opcode}");
    }
}
