//! Tests every opcode byte, and every byte after `wide`, in unreachable code.
//!
//! The subset also applies to unreachable code: an opcode outside it is rejected at its own pc, an opcode inside it is
//! accepted.

use jive_core::{Exclusion, Opcode, OperandLayout};
use jive_lab::asm::assemble;
use jive_verifier::Policy;
use nic_core::sle::{NicEntry, NicNative};
use tests::fixture::{Outcome, Place};
use tests::machine::judge;

/// The pc of the instruction under test, after the `return`.
const PC: u16 = 1;

/// Verifies a method that returns before the instructions in `lines`.
fn judge_unreachable(lines: &str) -> Outcome {
    let source = format!(
        ".version 55
         .constant handle methodhandle 6 run()V
         .attribute BootstrapMethods 0001 #handle 0000
         .field static x I
         .field y I
         .method static run()V stack 9 locals 9
         start:
             return
             {lines}
         .method virtual()V stack 0 locals 1
             return"
    );
    let class = assemble("unreachable", &source).unwrap_or_else(|error| panic!("{lines}: {error}"));
    judge(
        &class.bytes,
        Policy::Applet {
            entries: NicEntry::TABLE,
        },
        NicNative::TABLE,
    )
}

fn rejected(code: &str) -> Outcome {
    Outcome::Rejected {
        code: code.to_owned(),
        at: Place::Code {
            method: "run".to_owned(),
            pc: PC,
        },
    }
}

/// Returns the expected code for an opcode outside the subset, by the table's reason for the exclusion.
const fn code(exclusion: Exclusion) -> &'static str {
    match exclusion {
        // The constant of `ldc2_w` in this test is a `long`.
        Exclusion::Long | Exclusion::Wide => "subset/long",
        Exclusion::Float => "subset/float",
        Exclusion::Double => "subset/double",
        Exclusion::Char => "subset/char",
        Exclusion::ReferenceArray => "subset/reference-array",
        Exclusion::Object => "subset/new-object",
        Exclusion::TypeTest => "subset/type-test",
        Exclusion::Exception => "subset/throw",
        Exclusion::Thread => "subset/monitor",
        Exclusion::Subroutine => "subset/subroutine",
        Exclusion::InterfaceCall => "subset/invokeinterface",
        Exclusion::DynamicCall => "subset/invokedynamic",
        Exclusion::Reserved => "unsafe/reserved-opcode",
    }
}

/// Returns the opcode with a valid operand, as assembly.
fn well_formed(opcode: Opcode) -> String {
    let operand = match opcode.layout() {
        OperandLayout::None | OperandLayout::ImplicitInt(_) | OperandLayout::ImplicitLocal(_) => "",
        OperandLayout::Byte | OperandLayout::Short => "-1",
        OperandLayout::ConstantByte => "5",
        OperandLayout::Constant => match opcode {
            Opcode::LdcW => "5",
            Opcode::Ldc2W => "long 5",
            Opcode::Getstatic | Opcode::Putstatic => "x:I",
            Opcode::Getfield | Opcode::Putfield => "y:I",
            Opcode::Invokevirtual | Opcode::Invokespecial => "virtual()V",
            Opcode::Invokestatic => "run()V",
            _ => "class Fixture",
        },
        OperandLayout::Local => "8",
        OperandLayout::LocalIncrement => "8 -1",
        OperandLayout::Branch | OperandLayout::BranchWide => "start",
        OperandLayout::TableSwitch => "0: start start default: start",
        OperandLayout::LookupSwitch => "5: start default: start",
        OperandLayout::InvokeInterface => "interface java/lang/Runnable.run()V 1",
        OperandLayout::InvokeDynamic => "invokedynamic 0 run()V",
        OperandLayout::ArrayType => "int",
        OperandLayout::MultiArray => "[[I 2",
        OperandLayout::Wide => "iload 8",
    };
    format!("{} {operand}", opcode.mnemonic())
}

#[test]
fn each_of_256_bytes_is_accepted_or_refused_at_its_pc() {
    let mut counts = [0; 3];
    for byte in 0..=u8::MAX {
        let (lines, expected, count) = match Opcode::from_byte(byte) {
            None => {
                let expected = rejected("unsafe/unknown-opcode");
                (format!(".bytes {byte:02x}"), expected, 0)
            }
            Some(opcode) => match opcode.exclusion() {
                Some(exclusion) => (well_formed(opcode), rejected(code(exclusion)), 1),
                None => (well_formed(opcode), Outcome::Accepted, 2),
            },
        };
        assert_eq!(judge_unreachable(&lines), expected, "{lines}");
        counts[count] += 1;
    }
    // JVMS §6.5 has 202 opcodes and 3 reserved opcodes, so 51 numbers are undefined.
    assert_eq!(counts[0], 51);
    assert_eq!(counts[1] + counts[2], 205);
}

#[test]
fn bytes_behind_wide_are_judged_at_the_pc_of_wide() {
    let mut widened = 0;
    for byte in 0..=u8::MAX {
        let opcode = Opcode::from_byte(byte);
        let lines = match opcode.map(Opcode::layout) {
            Some(OperandLayout::LocalIncrement) => format!(".bytes c4 {byte:02x} 0008 0001"),
            _ => format!(".bytes c4 {byte:02x} 0008"),
        };
        let wide_form = opcode.filter(|opcode| {
            matches!(
                opcode.layout(),
                OperandLayout::Local | OperandLayout::LocalIncrement
            )
        });
        let expected = match wide_form.map(Opcode::exclusion) {
            None => rejected("unsafe/wide-opcode"),
            Some(Some(exclusion)) => rejected(code(exclusion)),
            Some(None) => Outcome::Accepted,
        };
        widened += usize::from(wide_form.is_some());
        assert_eq!(judge_unreachable(&lines), expected, "{lines}");
    }
    // `wide` applies to five loads, five stores, `ret` and `iinc` (JVMS §6.5.wide).
    assert_eq!(widened, 12);
}
