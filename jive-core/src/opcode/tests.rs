//! Tests that compare the opcode table with JVMS §6.5.

use super::*;

#[test]
fn numbers_and_opcodes_agree_for_all_256_bytes() {
    // By JVMS §6.2 and §6.5, opcodes 0 to 201 are instructions, and 202, 254 and 255 are reserved.
    for byte in 0..=u8::MAX {
        let known = byte <= 202 || byte >= 254;
        assert_eq!(
            Opcode::from_byte(byte).map(Opcode::byte),
            known.then_some(byte)
        );
    }
}

#[test]
fn jumps_switches_returns_and_throws_do_not_fall_through() {
    for opcode in Opcode::ALL {
        // By JVMS §6.5, these opcodes do not fall through: the range from `goto` to `return`, `athrow`, `goto_w` and
        // `jsr_w`.
        let ends = matches!(opcode.byte(), 0xa7..=0xb1 | 0xbf | 0xc8 | 0xc9);
        assert_eq!(opcode.falls_through(), !ends, "{opcode}");
    }
}

#[test]
fn packed_rows_keep_the_stack_change() {
    for opcode in Opcode::ALL {
        assert_eq!(
            opcode.stack_change(),
            opcode.action().stack_change(),
            "{opcode}"
        );
    }
}

#[test]
fn shuffles_pop_and_push_as_in_the_specification() {
    // Each row is form 1 of an opcode in JVMS §6.5: the stack before and after the shuffle, with the top last.
    let drawn = [
        (Opcode::Pop, "a", ""),
        (Opcode::Pop2, "ba", ""),
        (Opcode::Dup, "a", "aa"),
        (Opcode::DupX1, "ba", "aba"),
        (Opcode::DupX2, "cba", "acba"),
        (Opcode::Dup2, "ba", "baba"),
        (Opcode::Dup2X1, "cba", "bacba"),
        (Opcode::Dup2X2, "dcba", "badcba"),
        (Opcode::Swap, "ba", "ab"),
    ];
    for (opcode, before, after) in drawn {
        let Action::Shuffle(shuffle) = opcode.action() else {
            panic!("{opcode} is no shuffle");
        };
        assert_eq!(usize::from(shuffle.pops()), before.len(), "{opcode}");
        let pushed = shuffle.pushes().map(|depth| b'a' + depth);
        assert!(pushed.eq(after.bytes()), "{opcode}: {shuffle:?}");
        assert_eq!(shuffle.pushes().len(), after.len());
    }
}
