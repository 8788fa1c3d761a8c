//! Tests of the opcode table, held to JVMS §6.5.

use super::*;

#[test]
fn numbers_and_opcodes_agree_for_all_256_bytes() {
    // JVMS §6.2 and §6.5: 0 to 201 are instructions, 202, 254 and 255 are reserved.
    for byte in 0..=u8::MAX {
        let known = byte <= 202 || byte >= 254;
        assert_eq!(
            Opcode::from_byte(byte).map(Opcode::byte),
            known.then_some(byte)
        );
    }
}

#[test]
fn jumps_switches_returns_and_throws_do_not_go_on_with_the_next_instruction() {
    for opcode in Opcode::ALL {
        // JVMS §6.5: from `goto` to `return`, `athrow`, `goto_w` and `jsr_w`.
        let ends = matches!(opcode.byte(), 0xa7..=0xb1 | 0xbf | 0xc8 | 0xc9);
        assert_eq!(opcode.falls_through(), !ends, "{opcode}");
    }
}

#[test]
fn effects_are_packed_without_loss() {
    use StackKind::{Int, Null, Reference};
    let fixed = |pops, pushes| StackEffect::Fixed { pops, pushes };
    // JVMS §6.5: one of each kind of row.
    let rows = [
        (Opcode::Nop, fixed(&[], &[])),
        (Opcode::AconstNull, fixed(&[], &[Null])),
        (Opcode::Sipush, fixed(&[], &[Int])),
        (Opcode::Ineg, fixed(&[Int], &[Int])),
        (Opcode::Iadd, fixed(&[Int, Int], &[Int])),
        (Opcode::Ifeq, fixed(&[Int], &[])),
        (Opcode::IfIcmplt, fixed(&[Int, Int], &[])),
        (Opcode::Ifnull, fixed(&[Reference], &[])),
        (Opcode::IfAcmpeq, fixed(&[Reference, Reference], &[])),
        (Opcode::Dup2X2, StackEffect::Special),
        (Opcode::Invokestatic, StackEffect::Special),
        (Opcode::Lload, StackEffect::Unsupported(Exclusion::Long)),
        (
            Opcode::Impdep2,
            StackEffect::Unsupported(Exclusion::Reserved),
        ),
    ];
    for (opcode, effect) in rows {
        assert_eq!(opcode.effect(), effect, "{opcode}");
    }
    for (number, why) in Exclusion::ALL.into_iter().enumerate() {
        assert_eq!(why as usize, number);
    }
}
