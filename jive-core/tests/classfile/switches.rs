//! Decoding of switches: padding, and iteration over cases (JVMS §6.5.tableswitch, §6.5.lookupswitch).

use jive_core::{Operand, Pc, decode};

/// Returns code with a switch at `pc`, after `pc` times `nop`. The argument `padding` is the value of all padding
/// bytes.
fn at(pc: usize, opcode: u8, padding: u8, numbers: &[i32]) -> Vec<u8> {
    let mut code = vec![0; pc];
    code.push(opcode);
    while !code.len().is_multiple_of(4) {
        code.push(padding);
    }
    code.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
    code
}

#[test]
fn padding_is_zero_only_if_every_byte_is() {
    for pc in 0..4 {
        for padding in [0, 7] {
            // The test decodes a `tableswitch` with keys 5 and 6, and a `lookupswitch` with keys 1 and 3. Both have
            // default 20.
            let table = at(pc, 0xaa, padding, &[20, 5, 6, 21, 22]);
            let lookup = at(pc, 0xab, padding, &[20, 2, 1, 21, 3, 22]);
            let is_zero = |code: &[u8]| {
                let pc = Pc(u16::try_from(pc).unwrap());
                match decode(code, pc).unwrap().operand {
                    Operand::TableSwitch(switch) => switch.padding_is_zero(),
                    Operand::LookupSwitch(switch) => switch.padding_is_zero(),
                    other => panic!("{other:?}"),
                }
            };
            // A switch at pc 3 has no padding.
            let expected = padding == 0 || pc == 3;
            assert_eq!((is_zero(&table), is_zero(&lookup)), (expected, expected));
        }
    }
    // A single non-zero padding byte is enough to make `padding_is_zero` false.
    for place in 1..4 {
        let mut code = at(0, 0xab, 0, &[20, 0]);
        code[place] = 1;
        let Operand::LookupSwitch(switch) = decode(&code, Pc(0)).unwrap().operand else {
            panic!("it is a lookupswitch");
        };
        assert!(!switch.padding_is_zero());
    }
}

#[test]
fn cases_are_in_order_and_have_an_exact_count() {
    let table = at(1, 0xaa, 0, &[20, -1, 1, 21, 22, 23]);
    let lookup = at(1, 0xab, 0, &[20, 3, -7, 21, 0, 22, 9, 23]);
    let keys = [(&table, [-1, 0, 1]), (&lookup, [-7, 0, 9])];
    for (code, keys) in keys {
        let (mut cases, default) = match decode(code, Pc(1)).unwrap().operand {
            Operand::TableSwitch(switch) => (switch.cases(), switch.default()),
            Operand::LookupSwitch(switch) => (switch.cases(), switch.default()),
            other => panic!("{other:?}"),
        };
        // Targets of a switch are relative to its opcode, which is at pc 1.
        assert_eq!(default, 21);
        for (done, key) in keys.into_iter().enumerate() {
            assert_eq!(cases.len(), 3 - done);
            let target = 22 + i64::try_from(done).unwrap();
            assert_eq!(cases.next(), Some((key, target)));
        }
        assert_eq!((cases.len(), cases.next()), (0, None));
    }
}

#[test]
fn targets_are_absolute_and_without_adjacent_repetition() {
    let targets = |code: &[u8]| {
        let insn = decode(code, Pc(1)).unwrap();
        let cases = insn.operand.cases().map(|cases| cases.len());
        (insn.targets().collect::<Vec<_>>(), cases)
    };
    // Targets are relative to the opcode at pc 1. The instructions are `goto -1`, `ifeq 5`, `goto_w 70000`, `iadd` and
    // `bipush 5`.
    assert_eq!(targets(&[0, 0xa7, 0xff, 0xff]), (vec![0], None));
    assert_eq!(targets(&[0, 0x99, 0, 5]), (vec![6], None));
    let far = [&[0, 0xc8][..], &70_000_i32.to_be_bytes()].concat();
    assert_eq!(targets(&far), (vec![70_001], None));
    assert_eq!(targets(&[0, 0x60]), (vec![], None));
    assert_eq!(targets(&[0, 0x10, 5]), (vec![], None));
    // The default target is first. The iterator returns equal targets in a row once.
    let table = at(1, 0xaa, 0, &[20, 0, 4, 20, 20, 30, 30, 20]);
    assert_eq!(targets(&table), (vec![21, 31, 21], Some(5)));
    let lookup = at(1, 0xab, 0, &[20, 3, 0, 8, 5, 20, 9, 8]);
    assert_eq!(targets(&lookup), (vec![21, 9, 21, 9], Some(3)));
    assert_eq!(targets(&at(1, 0xab, 0, &[20, 0])), (vec![21], Some(0)));
}
