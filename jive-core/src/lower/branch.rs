//! Lowering of branches and loops.

use core::mem::swap;

use super::Body;
use super::linking::Linking;
use super::stack::{Entry, Value};
use crate::id::Pc;
use crate::insn::RawInsn;
use crate::op::{Op, OpKind, Reach, Shape};
use crate::opcode::Comparison;
use crate::program::{Mark, MarkState, index};

/// A jump op whose target is not set yet.
pub(super) const GOTO: Op = Op::new(OpKind::Goto, 0, 0, 0);

/// The condition of a branch: a row of [`KINDS`], and whether its operands are swapped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    row: usize,
    is_swapped: bool,
}

impl Condition {
    pub(super) const EQUAL: Self = Self::of_row(0, false);
    const NOT_EQUAL: Self = Self::of_row(1, false);
    pub(super) const LESS: Self = Self::of_row(LESS_ROW, false);
    pub(super) const NOT_LESS: Self = Self::of_row(3, false);
    const GREATER: Self = Self::of_row(LESS_ROW, true);
    const NOT_GREATER: Self = Self::of_row(3, true);

    const fn of_row(row: usize, is_swapped: bool) -> Self {
        Self { row, is_swapped }
    }

    const fn of(comparison: Comparison) -> Self {
        match comparison {
            Comparison::Equal => Self::EQUAL,
            Comparison::NotEqual => Self::NOT_EQUAL,
            Comparison::Less => Self::LESS,
            Comparison::AtLeast => Self::NOT_LESS,
            Comparison::Greater => Self::GREATER,
            Comparison::AtMost => Self::NOT_GREATER,
        }
    }

    /// Returns the condition that is equivalent to this condition if the two operands are exchanged.
    const fn mirrored(self) -> Self {
        Self {
            row: self.row,
            // Equality is symmetric.
            is_swapped: self.is_swapped ^ (self.row >= LESS_ROW),
        }
    }
}

/// The first row of [`KINDS`] whose comparison is not symmetric.
const LESS_ROW: usize = 2;

/// How many rows of [`KINDS`] compare two registers. The next `PAIR_ROWS` rows of `KINDS` compare a register with a
/// constant of one byte. The last rows of `KINDS` are near branches, which compare with a constant of two bytes. Only
/// the threaded variant has near branches.
const PAIR_ROWS: usize = 4;

/// The kinds of branches: forwards, backwards, and a jump back with a comparison. The three kinds of a row make the
/// same comparison. Rows 2n and 2n + 1 make opposite comparisons, so `row ^ 1` is the row with the opposite comparison.
const KINDS: &[[OpKind; 3]] = &[
    [OpKind::IfEqual, OpKind::BackEqual, OpKind::LoopEqual],
    [
        OpKind::IfNotEqual,
        OpKind::BackNotEqual,
        OpKind::LoopNotEqual,
    ],
    [OpKind::IfLess, OpKind::BackLess, OpKind::LoopLess],
    [OpKind::IfNotLess, OpKind::BackNotLess, OpKind::LoopNotLess],
    [
        OpKind::IfEqualConst,
        OpKind::BackEqualConst,
        OpKind::LoopEqualConst,
    ],
    [
        OpKind::IfNotEqualConst,
        OpKind::BackNotEqualConst,
        OpKind::LoopNotEqualConst,
    ],
    [
        OpKind::IfLessConst,
        OpKind::BackLessConst,
        OpKind::LoopLessConst,
    ],
    [
        OpKind::IfNotLessConst,
        OpKind::BackNotLessConst,
        OpKind::LoopNotLessConst,
    ],
    [
        OpKind::IfEqualNear,
        OpKind::BackEqualNear,
        OpKind::LoopEqualNear,
    ],
    [
        OpKind::IfNotEqualNear,
        OpKind::BackNotEqualNear,
        OpKind::LoopNotEqualNear,
    ],
    [
        OpKind::IfLessNear,
        OpKind::BackLessNear,
        OpKind::LoopLessNear,
    ],
    [
        OpKind::IfNotLessNear,
        OpKind::BackNotLessNear,
        OpKind::LoopNotLessNear,
    ],
];

/// The kinds that skip the next op, in the order of the rows of [`KINDS`] with the same comparison.
const SKIPS: [OpKind; PAIR_ROWS] = [
    OpKind::SkipEqual,
    OpKind::SkipNotEqual,
    OpKind::SkipLess,
    OpKind::SkipNotLess,
];

/// Returns the kind of the given shape whose comparison is opposite to that of a forward branch of kind `kind`.
fn opposite(kind: OpKind, shape: Shape) -> Option<OpKind> {
    if !matches!(kind.shape_alone(), Shape::Onward(_)) {
        return None;
    }
    let row = KINDS.iter().position(|[onward, ..]| *onward == kind)?;
    let [onward, back, again] = *KINDS.get(row ^ 1)?;
    match shape {
        Shape::Onward(_) => Some(onward),
        Shape::Back(_) => Some(back),
        Shape::Again(_) => Some(again),
        Shape::Value | Shape::Effect | Shape::Skip | Shape::Control => None,
    }
}

/// Where a branch is, and where it leads.
// The functions that lower branches take these two pcs, because the compiler passes a `RawInsn` in memory. For a
// function that takes a `RawInsn`, the compiler would write every instruction of the walk to memory.
#[derive(Copy, Clone)]
pub(super) struct BranchPcs {
    /// The pc of the branch.
    from: Pc,
    /// The target of the branch, unchecked.
    to: i64,
}

impl BranchPcs {
    #[cfg_attr(not(small), inline(always))]
    #[cfg_attr(small, inline(never))]
    pub(super) fn of(insn: RawInsn<'_>) -> Self {
        Self {
            from: insn.pc,
            to: insn.target(),
        }
    }
}

impl<L: Linking> Body<'_, '_, '_, '_, '_, L> {
    /// Lowers a branch that compares the top of the stack with `second`.
    pub(super) fn branch(&mut self, pcs: BranchPcs, comparison: Comparison, second: Entry) {
        let (pc, mark) = self.target(pcs);
        let is_near = self.is_near(pcs.from, pc, mark);
        let (kinds, op) = self.compare(Condition::of(comparison), second, is_near);
        self.flush();
        if self.is_far {
            self.out.perform(op.of_kind(skip(kinds)));
            self.out.perform(GOTO.with_high(pc));
        } else {
            self.conditional((kinds, op), pc);
        }
    }

    /// Returns the pc of a branch's target, and its mark.
    fn target(&self, pcs: BranchPcs) -> (u16, Mark) {
        // The function `reach` has checked that the branch target is within the code.
        let pc = u16::try_from(pcs.to).unwrap_or(u16::MAX);
        let mark = self.marks.get(usize::from(pc)).copied().unwrap_or_default();
        (pc, mark)
    }

    /// Emits a branch to a pc.
    pub(super) fn conditional(&mut self, ([onward, back, _], op): ([OpKind; 3], Op), pc: u16) {
        let mark = self.marks.get(usize::from(pc)).copied().unwrap_or_default();
        let is_back = mark.state == MarkState::Placed;
        let kind = if is_back { back } else { onward };
        self.out.perform(op.of_kind(kind).with_high(pc));
    }

    /// Returns whether the cost of a branch from an instruction to a pc fits in a signed byte.
    const fn is_near(&self, from: Pc, to: u16, mark: Mark) -> bool {
        const NEAR: u16 = 1 << 7;
        match mark.state {
            // The cost of a backward branch is its distance in instructions plus one.
            MarkState::Placed => self.out.index.wrapping_sub(mark.index) < NEAR - 1,
            // An instruction has at least one byte, so a forward branch skips at most as many instructions as bytes.
            _ => to.wrapping_sub(from.0) < NEAR,
        }
    }

    /// Pops the first operand of a branch. Returns the row of kinds for the comparison, and an op with both operands.
    ///
    /// A constant first operand is exchanged with the second operand, because only the second operand of an op can be a
    /// constant.
    fn compare(
        &mut self,
        mut condition: Condition,
        mut second: Entry,
        is_near: bool,
    ) -> ([OpKind; 3], Op) {
        let mut first = self.stack.pop();
        if matches!(first.value, Value::Constant(_)) && !matches!(second.value, Value::Constant(_))
        {
            swap(&mut first, &mut second);
            condition = condition.mirrored();
        }
        let first = self.operand(first);
        self.compared(condition, first, second, is_near)
    }

    /// Returns the row of kinds that compare a register with a value, and an op with both operands.
    pub(super) fn compared(
        &mut self,
        Condition { row, is_swapped }: Condition,
        mut first: u8,
        second: Entry,
        is_near: bool,
    ) -> ([OpKind; 3], Op) {
        if let Value::Constant(value) = second.value
            && !self.is_far
        {
            // The comparison `a > k` is lowered as `a >= k + 1`, and `a <= k` as `a < k + 1`, unless `k + 1` overflows.
            let changed = i32::from(is_swapped);
            let value = value.checked_add(changed);
            let row = (row ^ usize::from(is_swapped)).wrapping_add(PAIR_ROWS);
            if let Some(Ok(value)) = value.map(i8::try_from) {
                return (kinds(row), registers(first, value.cast_unsigned()));
            }
            if Self::THREADED
                && is_near
                && let Some(Ok(value)) = value.map(i16::try_from)
            {
                let op = Op::new(OpKind::Nothing, first, 0, value.into());
                return (kinds(row.wrapping_add(PAIR_ROWS)), op);
            }
        }
        let mut second = self.operand(second);
        if is_swapped {
            swap(&mut first, &mut second);
        }
        (kinds(row), registers(first, second))
    }

    /// Lowers a `goto`.
    pub(super) fn jump(&mut self, pcs: BranchPcs) {
        let (pc, mark) = self.target(pcs);
        self.flush();
        let is_near = self.is_near(pcs.from, pc, mark);
        let op = match self.again(mark, is_near) {
            Some(again) => match self.counting(again, is_near) {
                Some(op) => {
                    self.out.take_back();
                    op
                }
                None => again,
            },
            None => self.plain_jump(),
        };
        self.out.perform(op.with_high(pc));
        self.end_path();
    }

    /// Returns a jump op. If the last op increments a register, the jump does the increment too, and the last op is
    /// removed.
    fn plain_jump(&mut self) -> Op {
        if !Self::SMALL
            && !self.is_far
            && let Some(&mut last) = self.out.last()
            && let Some((counter, step)) = counted(last)
        {
            self.out.take_back();
            return Op::new(OpKind::CountGoto, counter, step, 0);
        }
        GOTO
    }

    /// Returns a jump back that also does the increment of the last op. The last op must increment the register that
    /// the jump back `again` compares. Only the comparisons of counted loops have kinds of ops that also increment a
    /// register.
    fn counting(&mut self, again: Op, is_near: bool) -> Option<Op> {
        let (counter, step) = counted(*self.out.last()?)?;
        if counter != again.a || !is_near {
            return None;
        }
        let kind = match again.kind {
            OpKind::LoopLess if again.b != again.a => OpKind::CountLess,
            OpKind::LoopLessConst => OpKind::CountLessConst,
            OpKind::LoopNotLessConst => OpKind::CountNotLessConst,
            _ => return None,
        };
        Some(Op::of_three(kind, again.a, again.b, step))
    }

    /// Returns a jump back to a loop, joined with the comparison at the top of the loop. Returns `None` if the first op
    /// of the loop is not a branch that leaves the loop.
    fn again(&self, mark: Mark, is_near: bool) -> Option<Op> {
        if Self::SMALL || mark.state != MarkState::Placed || self.is_far {
            return None;
        }
        // A loop may have no op yet, because it is empty, or because its instructions have only pushed descriptions of
        // values so far.
        let first = self.out.ops.get(index(mark.op))?;
        let kind = opposite(first.kind, Shape::Again(Reach::Wide))?;
        if Self::THREADED && kind.shape_alone() == Shape::Again(Reach::Near) {
            let constant = first.near_constant();
            return is_near.then_some(Op::new(kind, first.a, 0, constant));
        }
        Some(registers(first.a, first.b).of_kind(kind))
    }
}

/// Returns the register that an op increments and the step, if the op adds a signed byte to the register.
fn counted(op: Op) -> Option<(u8, u8)> {
    if op.kind.plain() != OpKind::AddConst || op.a != op.b {
        return None;
    }
    Some((op.a, i8::try_from(op.imm()).ok()?.cast_unsigned()))
}

/// Makes a branch op with two register operands, whose kind is not set yet.
const fn registers(a: u8, b: u8) -> Op {
    Op::new(OpKind::Nothing, a, b, 0)
}

/// Returns the kind that skips the next op if a branch of this row of [`KINDS`] would not be taken.
fn skip([onward, ..]: [OpKind; 3]) -> OpKind {
    let row = KINDS.iter().position(|[first, ..]| *first == onward);
    let opposite = row.and_then(|row| SKIPS.get(row ^ 1));
    opposite.copied().unwrap_or_default()
}

/// Returns the three kinds of a row of [`KINDS`].
fn kinds(row: usize) -> [OpKind; 3] {
    KINDS.get(row).copied().unwrap_or_default()
}
