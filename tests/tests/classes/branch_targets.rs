//! Tests every branch opcode and every kind of switch target with every code offset of a method as target.

use jive_core::{Opcode, OperandLayout};
use jive_lab::asm::assemble;
use jive_verifier::Policy;
use nic_core::sle::{NicEntry, NicNative};
use tests::machine::judge;

/// Instructions of many lengths, which the branch under test follows as unreachable code.
const METHOD: &str = "
.field static x I
.method static run()V stack 2 locals 1
    return
    bipush 5
    sipush 500
    wide iload 0
    wide iinc 0 1
    tableswitch 0: @0 default: @0
    lookupswitch 5: @0 default: @0
    getstatic x:I
    newarray int
    return
";

/// Start of each instruction of `METHOD`, by the lengths of JVMS §6.5. The first five instructions of `METHOD` have 1,
/// 2, 3, 4 and 6 bytes. The `tableswitch` and the `lookupswitch` of `METHOD` have 20 bytes each, with a padding of 3
/// bytes. The last instructions of `METHOD` have 3, 2 and 1 bytes, and the branch under test follows them.
const STARTS: [i64; 11] = [0, 1, 3, 6, 10, 16, 36, 56, 59, 61, BRANCH];
const BRANCH: i64 = 62;

/// Returns every offset in the code, some offsets before and after the code, and the limits of the offset ranges.
fn targets() -> impl Iterator<Item = i64> {
    let i16_ends = [i64::from(i16::MIN), i64::from(i16::MAX)];
    (-10..=BRANCH + 40).chain(i16_ends.map(|offset| BRANCH + offset))
}

fn verdict(line: &str) -> String {
    let source = format!("{METHOD}{line}\n");
    let class = assemble("branch", &source).unwrap_or_else(|error| panic!("{error}"));
    judge(
        &class.bytes,
        Policy::Applet {
            entries: NicEntry::TABLE,
        },
        NicNative::TABLE,
    )
    .to_string()
}

fn expected(target: i64) -> String {
    if STARTS.contains(&target) {
        "ok".to_owned()
    } else {
        format!("unsafe/branch-target in run at pc {BRANCH}")
    }
}

#[test]
fn branch_targets_must_be_instructions() {
    let branches = Opcode::ALL.iter().filter(|opcode| {
        matches!(
            opcode.layout(),
            OperandLayout::Branch | OperandLayout::BranchWide
        ) && opcode.exclusion().is_none()
    });
    let mut opcodes = 0;
    for opcode in branches {
        for target in targets() {
            let line = format!("{} @{target}", opcode.mnemonic());
            assert_eq!(verdict(&line), expected(target), "{line}");
        }
        opcodes += 1;
    }
    // The opcodes are sixteen conditional branches, `goto` and `goto_w`.
    assert_eq!(opcodes, 18);
}

#[test]
fn a_branch_of_four_bytes_does_not_wrap_around() {
    for offset in [
        i64::from(i32::MIN),
        i64::from(i32::MAX),
        1 << 16,
        -(1 << 16),
    ] {
        let target = BRANCH + offset;
        let line = format!("goto_w @{target}");
        assert_eq!(verdict(&line), expected(target), "{line}");
    }
}

#[test]
fn switch_targets_must_be_instructions() {
    let forms = [
        "tableswitch 7: @0 @0 default: TARGET",
        "tableswitch 7: TARGET @0 default: @0",
        "tableswitch 7: @0 TARGET default: @0",
        "lookupswitch 7: @0 default: TARGET",
        "lookupswitch 7: @0 9: TARGET default: @0",
    ];
    for form in forms {
        for target in targets() {
            let line = form.replace("TARGET", &format!("@{target}"));
            assert_eq!(verdict(&line), expected(target), "{line}");
        }
    }
}
