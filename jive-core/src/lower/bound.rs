//! Upper bounds of how many ops code is lowered to. The caller lends memory for a program of that size.
//!
//! The bounds may be loose, but must never be too low: `lower` refuses a class that needs more. They depend on the
//! opcode alone, so counting is one fast pass over the code (`count_code`).

use crate::id::Pc;
use crate::insn::decode;
use crate::insn::raw_instructions;
use crate::insn::{Insn, Operand};
use crate::opcode::{Action, Computational, MemberUse, fixed_length, per_byte, row};
use crate::program::index;
use crate::variant;

/// How many ops a far branch is lowered to at most: a load of a constant operand, a skip, and a far jump.
pub(crate) const FAR_OPS: usize = 3;

/// Returns how many ops an instruction is lowered to at most, unless it is a far branch or a switch.
///
/// An op that settles a value is counted with the instruction that pushed the value. An instruction that pushes a value
/// and emits no op, such as `iload`, is settled at most once, so it makes at most one op.
const fn most_ops(action: Action) -> u8 {
    match action {
        // `dup_x1` and the like: each copy is settled once, and one op moves the copies below other values.
        Action::Shuffle(shuffle) if shuffle.copies() < shuffle.pops() => {
            shuffle.copies().wrapping_add(1)
        }
        // `dup` and `dup2`: each copy is settled once.
        Action::Shuffle(shuffle) => shuffle.copies(),
        // The value is narrowed to the method's type, then returned.
        Action::Return(Some(Computational::Int)) => 2,
        Action::Member(MemberUse::LoadStatic | MemberUse::CallStatic) => 1,
        // The receiver is tested for null, or the value is narrowed to the field's type.
        Action::Member(MemberUse::Load | MemberUse::Call | MemberUse::StoreStatic) => 2,
        // Both.
        Action::Member(MemberUse::Store) => 3,
        Action::Nothing
        | Action::Constant(_)
        | Action::Load(_)
        | Action::Store(_)
        | Action::Increment
        | Action::LoadElement(_)
        | Action::StoreElement(_)
        | Action::Unary(_)
        | Action::Binary(_)
        | Action::BranchZero(_)
        | Action::BranchInt(_)
        | Action::BranchNull(_)
        | Action::BranchReference(_)
        | Action::Jump
        | Action::Switch
        | Action::Return(_)
        | Action::NewArray
        | Action::ArrayLength
        | Action::Wide
        | Action::Unsupported(_) => 1,
    }
}

/// Maximum number of ranges of keys for which a switch becomes a search. Bounds the memory that the ops of a switch
/// take.
pub(super) const RANGES: usize = 16;

/// Returns how many ops more than one a switch with `rows` rows is lowered to at most. The default is a row too.
pub(super) const fn search_ops(rows: usize) -> usize {
    if variant::SMALL || rows > RANGES {
        return 0;
    }
    // Each case is a range, and there is a range before, between and behind cases. A range takes at most three ops: a
    // load of its constant, a branch and a jump.
    let ranges = rows.wrapping_mul(2);
    let most = if ranges < RANGES { ranges } else { RANGES };
    most.wrapping_mul(3)
}

/// Returns how many rows of the switch table an instruction with this operand takes: 0 if it is no switch.
fn switch_rows(operand: &Operand<'_>) -> usize {
    let cases = operand.cases();
    cases.map_or(0, |cases| cases.len().saturating_add(1))
}

/// Returns whether a method is far. It is so long, or so late in the program, that a branch may need more than 16 bits
/// for its target or its cost. Branches of a far method skip a jump that has more bits. `entry` is the method's first
/// op.
pub(crate) const fn is_far(entry: usize, code_bytes: usize) -> bool {
    // The cost of a branch is at most the count of instructions, and each takes a byte. So the cost of shorter code
    // fits in 15 bits and a sign.
    const FAR: usize = 1 << 14;
    // No instruction is lowered to more ops for each of its bytes, its rows of a switch included.
    const OPS: usize = 4;
    let end = entry.saturating_add(code_bytes.saturating_mul(OPS));
    // Widens; `From` is not const.
    code_bytes >= FAR || end > u16::MAX as usize
}

/// What an opcode adds to [`CodeCounts`] besides one instruction: fields [`MORE_OPS`] and [`BRANCH`] of a byte. The
/// byte is 0 for most opcodes, so that counting tests it first.
#[derive(Copy, Clone)]
pub(crate) struct Bound(u8);

/// The bits that count ops more than one.
const MORE_OPS: u8 = 0x03;
/// Set for a branch, whose bound depends on its distance.
const BRANCH: u8 = 0x04;

impl Bound {
    const fn of(number: u8) -> Self {
        let row = row(number);
        let more_ops = most_ops(row.action()).wrapping_sub(1);
        assert!(more_ops <= MORE_OPS);
        Self(if row.layout().is_branch() {
            more_ops | BRANCH
        } else {
            more_ops
        })
    }
}

per_byte! {
    /// Returns the bound of an instruction, by its first byte.
    bound -> Bound = Bound::of, like Bound(0)
}

/// Counts of a code array that the memory for verifying and linking depends on.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeCounts {
    /// The count of instructions.
    pub instructions: usize,
    /// The count of branches and of targets of switches.
    pub targets: usize,
    /// The pc at which counting stopped because no instruction begins there, if that is not the end of the code.
    pub stopped_at: Option<Pc>,
    /// The count of branches.
    pub(crate) branches: usize,
    /// The count of rows that the switch table needs.
    pub(crate) rows: usize,
    /// How many more ops than instructions the code is lowered to at most, if the method is not far.
    pub(crate) more_ops: usize,
}

impl CodeCounts {
    /// Counts an instruction of fixed length.
    #[inline(always)]
    fn add(&mut self, bound: Bound) {
        self.instructions = self.instructions.wrapping_add(1);
        if bound.0 != 0 {
            let more_ops = usize::from(bound.0 & MORE_OPS);
            self.more_ops = self.more_ops.wrapping_add(more_ops);
            let branches = usize::from(bound.0 & BRANCH != 0);
            self.branches = self.branches.wrapping_add(branches);
        }
    }
}

/// Counts the instructions of a code array, up to its end or the first error. Counts an instruction that the end cuts
/// off.
// The counts cannot overflow: each is at most a small multiple of the code's length.
#[must_use]
pub fn count_code(code: &[u8]) -> CodeCounts {
    let mut counts = CodeCounts::default();
    let mut next = 0;
    loop {
        // Most instructions are one byte long. In this loop the processor need not wait for a length before it fetches
        // the next opcode.
        while let Some(&byte) = code.get(next)
            && fixed_length(byte) == 1
        {
            counts.add(bound(byte));
            next = next.wrapping_add(1);
        }
        let Some(&byte) = code.get(next) else {
            break;
        };
        let length = fixed_length(byte);
        if length != 0 {
            counts.add(bound(byte));
            next = next.wrapping_add(length.into());
        } else if let Some(insn) = decode_at(code, next) {
            counts.instructions = counts.instructions.wrapping_add(1);
            next = index(insn.next_pc());
            let rows = switch_rows(&insn.operand);
            counts.rows = counts.rows.wrapping_add(rows);
            counts.more_ops = counts.more_ops.wrapping_add(search_ops(rows));
            counts.targets = counts.targets.wrapping_add(insn.targets().count());
        } else {
            break;
        }
    }
    counts.targets = counts.targets.wrapping_add(counts.branches);
    if next != code.len() {
        counts.stopped_at = stopped_at(code);
    }
    counts
}

/// Returns the pc at which a walk over the code stops before its end.
#[cold]
fn stopped_at(code: &[u8]) -> Option<Pc> {
    let mut insns = raw_instructions(code);
    insns.by_ref().for_each(drop);
    insns.stopped_at()
}

/// Decodes an instruction of variable length.
fn decode_at(code: &[u8], at: usize) -> Option<Insn<'_>> {
    decode(code, Pc(u16::try_from(at).ok()?)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::insn::instructions;

    extern crate std;
    use std::vec::Vec;

    #[test]
    fn counts_agree_with_the_decoded_instructions() {
        // Every opcode, with none to all of twenty bytes behind it; those of `pairs` are a `lookupswitch` with a key.
        let mut pairs = [0; 20];
        pairs[2] = 1;
        for operands in [pairs, [0; 20], [1; 20]] {
            for byte in 0..=u8::MAX {
                let mut bytes = Vec::from([byte]);
                bytes.extend(operands);
                for length in 0..=bytes.len() {
                    let code = &bytes[..length];
                    let (mut stop, mut count, mut targets) = (None, 0, 0);
                    for decoded in instructions(code) {
                        match decoded {
                            Ok(insn) => {
                                (count, targets) = (count + 1, targets + insn.targets().count())
                            }
                            Err(error) => stop = Some(error.pc),
                        }
                    }
                    let counts = count_code(code);
                    // An instruction that the end cuts off is counted too.
                    let is_more = counts.instructions == count + 1 && counts.targets <= targets + 1;
                    assert!(
                        (counts.instructions, counts.targets) == (count, targets)
                            || stop.is_some() && is_more
                    );
                    assert_eq!(counts.stopped_at, stop);
                }
            }
        }
    }
}
