//! Upper bounds of how many ops code is lowered to. The caller lends memory for a program with that number of ops.
//!
//! The bounds may be loose, but must never be too low: `lower` refuses a class that needs more. The bounds depend on
//! the opcode alone, so computing the bound of a method is one fast pass over its code (`count_code`).

use crate::id::Pc;
use crate::insn::decode;
use crate::insn::raw_instructions;
use crate::insn::{Insn, Operand};
use crate::opcode::{Action, Computational, MemberUse, fixed_length, per_byte, row};
use crate::program::index;
use crate::variant;

/// Maximum number of ops that a far branch is lowered to: a load of a constant operand, a skip, and a far jump.
pub(crate) const FAR_OPS: usize = 3;

/// Returns the maximum number of ops that an instruction is lowered to, unless it is a far branch or a switch.
///
/// An op that settles a value is counted with the instruction that pushed the value. The value of an instruction that
/// pushes a value and emits no op, such as `iload`, is settled at most once, by one op.
const fn most_ops(action: Action) -> u8 {
    match action {
        // For instructions such as `dup_x1`, one op settles each copy, and one op moves the copies below other values.
        Action::Shuffle(shuffle) if shuffle.copies() < shuffle.pops() => {
            shuffle.copies().wrapping_add(1)
        }
        // For `dup` and `dup2`, one op settles each copy.
        Action::Shuffle(shuffle) => shuffle.copies(),
        // One op narrows the value to the method's result type, and one op returns the value.
        Action::Return(Some(Computational::Int)) => 2,
        Action::Member(MemberUse::LoadStatic | MemberUse::CallStatic) => 1,
        // One op accesses the member, and one op tests the receiver for null or narrows the value to the field's type.
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

/// Maximum number of ranges of keys for which a switch becomes a search. The limit bounds the memory that the ops of a
/// switch take.
pub(super) const RANGES: usize = 16;

/// Returns the maximum number of ops beyond the first that a switch with `rows` rows is lowered to. The default of a
/// switch is a row too.
pub(super) const fn search_ops(rows: usize) -> usize {
    if variant::SMALL || rows > RANGES {
        return 0;
    }
    // Each case is a range of keys, and there may be a range before, between and after cases. A range of keys takes at
    // most three ops: a load of its constant, a branch and a jump.
    let ranges = rows.wrapping_mul(2);
    let most = if ranges < RANGES { ranges } else { RANGES };
    most.wrapping_mul(3)
}

/// Returns how many rows of the switch table an instruction with this operand takes: 0 if the instruction is not a
/// switch.
fn switch_rows(operand: &Operand<'_>) -> usize {
    let cases = operand.cases();
    cases.map_or(0, |cases| cases.len().saturating_add(1))
}

/// Returns whether a method is far: so long, or so late in the program, that branch targets or costs may need more than
/// 16 bits. Branches of a far method skip a far jump, which has more bits. The argument `entry` is the index of the
/// method's first op.
pub(crate) const fn is_far(entry: usize, code_bytes: usize) -> bool {
    // The cost of a branch is at most the method's count of instructions, each of which has at least one byte. So the
    // cost of a branch in code shorter than `FAR` fits in 15 bits and a sign.
    const FAR: usize = 1 << 14;
    // No instruction is lowered to more than `OPS` ops for each of its bytes, including the ops for rows of a switch.
    const OPS: usize = 4;
    let end = entry.saturating_add(code_bytes.saturating_mul(OPS));
    // The cast is lossless, because it widens the number; `From` is not `const`.
    code_bytes >= FAR || end > u16::MAX as usize
}

/// What an opcode adds to [`CodeCounts`] besides one instruction: the fields [`MORE_OPS`] and [`BRANCH`] in one byte.
/// The byte of a `Bound` is 0 for most opcodes, so that counting can skip most opcodes with one test.
#[derive(Copy, Clone)]
pub(crate) struct Bound(u8);

/// The bits that count the ops of an instruction beyond the first.
const MORE_OPS: u8 = 0x03;
/// The bit that is set for a branch, whose bound depends on its distance.
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
    /// Returns the [`Bound`] of an instruction, given its first byte.
    bound -> Bound = Bound::of, like Bound(0)
}

/// Counts of a code array, which determine the memory for verifying and linking.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeCounts {
    /// The count of instructions.
    pub instructions: usize,
    /// The count of branches and of targets of switches.
    pub targets: usize,
    /// The pc before the end of the code at which counting stopped because no instruction begins there.
    pub stopped_at: Option<Pc>,
    /// The count of branches.
    pub(crate) branches: usize,
    /// The count of rows that the switch table needs.
    pub(crate) rows: usize,
    /// Maximum number of ops beyond the count of instructions that the code is lowered to, if the method is not far.
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

/// Counts the instructions of a code array, up to its end or the first error. An instruction that the end of the code
/// cuts off is counted too.
// The counts cannot overflow, because each is at most a small multiple of the code's length.
#[must_use]
pub fn count_code(code: &[u8]) -> CodeCounts {
    let mut counts = CodeCounts::default();
    let mut next = 0;
    loop {
        // Most instructions are one byte long. In the loop over instructions of one byte, the processor need not wait
        // for a length before it loads the next opcode.
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
        // The test counts every opcode, followed by up to twenty bytes; with the bytes of `pairs`, a `lookupswitch` has
        // one key.
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
                    // An instruction that the end of the code cuts off is counted too.
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
