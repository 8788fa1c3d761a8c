//! The op, an instruction of the linked form: eight bytes that the interpreter runs.

mod kind;
mod pairs;
mod shape;
mod table;

pub(crate) use kind::OpKind;
pub(crate) use pairs::with_pairs;
pub(crate) use shape::{Reach, Shape};
pub(crate) use table::op_table;

use crate::variant;

/// An op of a linked program. The row in `op/table.rs` for the op's kind documents the op's operands.
///
/// Besides the operands `a` and `b`, an op has 32 bits. The 32 bits after `a` and `b` are a constant, or a third
/// operand `c` and an offset of 16 bits. In a branch, the 32 bits after `a` and `b` are the target and the cost of the
/// branch (`Reach` in `op/shape.rs`).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Op {
    pub(crate) kind: OpKind,
    /// A register. If the op has a result, the op writes its result to this register.
    pub(crate) a: u8,
    pub(crate) b: u8,
    // The 32 bits of constant or offset are three fields, so that an op which uses a part of the bits loads only that
    // part.
    c: u8,
    d: u8,
    high: i16,
}

// Because an op has eight bytes, the interpreter computes the op's address by shifting its index. An op replaces two to
// three bytes of the class file's code.
const _: () = assert!(size_of::<Op>() == 8);

impl Op {
    /// Makes an op of two operands and a constant.
    pub(crate) const fn new(kind: OpKind, a: u8, b: u8, imm: i32) -> Self {
        let [c, d, high @ ..] = imm.to_le_bytes();
        Self {
            kind,
            a,
            b,
            c,
            d,
            high: i16::from_le_bytes(high),
        }
    }

    /// Makes an op of three operands.
    pub(crate) const fn of_three(kind: OpKind, a: u8, b: u8, c: u8) -> Self {
        Self::with_offset(kind, a, b, c, 0)
    }

    /// Makes an op whose operands `a` and `b` together are a number of 16 bits.
    pub(crate) const fn with_number(kind: OpKind, number: u16, imm: i32) -> Self {
        let [a, b] = number.to_le_bytes();
        Self::new(kind, a, b, imm)
    }

    /// Makes an op of three operands and an offset.
    pub(crate) const fn with_offset(kind: OpKind, a: u8, b: u8, c: u8, offset: i16) -> Self {
        Self {
            kind,
            a,
            b,
            c,
            d: 0,
            high: offset,
        }
    }

    /// The names of each two ops that one function runs together, if the second follows the first. The list is empty in
    /// variants that are not threaded.
    pub const PAIRS: &[[&'static str; 2]] = if variant::THREADED {
        OpKind::PAIRS
    } else {
        &[]
    };

    /// Returns an op of each kind that lowering can make, with operands of 0. Tests measure their coverage of ops
    /// against the kinds that `kinds` returns.
    pub fn kinds() -> impl Iterator<Item = Self> {
        let kinds = if variant::THREADED {
            OpKind::SINGLE
        } else {
            OpKind::PLAIN
        };
        kinds.iter().map(|&kind| Self::new(kind, 0, 0, 0))
    }

    /// Returns whether the op computes a value and writes the value to register `a`. The next op may read the value from
    /// the accumulator. The op may have another effect too: `AddToField` also writes a field.
    #[must_use]
    pub fn computes(&self) -> bool {
        self.kind.shape() == Shape::Value
    }

    /// Returns whether the op reads an operand from the accumulator.
    #[must_use]
    pub fn takes(&self) -> bool {
        let single = OpKind::SINGLE
            .iter()
            .find(|kind| kind.name() == self.name());
        single.is_some_and(|kind| kind.plain() != *kind)
    }

    /// Returns the name of the op's row in the op table. For the first op of a pair, returns the name of the row of
    /// that op alone.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// Returns whether the run may continue with the next op, without a native, a call or a branch before it.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        let shape = self.kind.shape();
        self.kind.plain() != OpKind::CountGoto && !matches!(shape, Shape::Again(_) | Shape::Control)
    }

    /// The third operand.
    #[inline(always)]
    pub(crate) const fn c(&self) -> u8 {
        self.c
    }

    /// The constant.
    #[inline(always)]
    pub(crate) const fn imm(&self) -> i32 {
        let [e, f] = self.high.to_le_bytes();
        i32::from_le_bytes([self.c, self.d, e, f])
    }

    /// Returns the signed offset that is stored beside the third operand.
    #[inline(always)]
    pub(crate) const fn offset(&self) -> i32 {
        // The cast is lossless, because it widens the number; `From` is not `const`.
        self.high as i32
    }

    /// Returns the operands `a` and `b` as one number.
    #[inline(always)]
    pub(crate) const fn number(&self) -> u16 {
        u16::from_le_bytes([self.a, self.b])
    }

    /// Returns the operands `b` and `c` of a switch as one number: the switch's count of cases.
    #[inline(always)]
    pub(crate) const fn cases(&self) -> u16 {
        u16::from_le_bytes([self.b, self.c])
    }

    /// Returns the operand `b` as a signed constant.
    #[inline(always)]
    pub(crate) const fn short_constant(&self) -> i32 {
        // The cast is lossless, because it widens the number; `From` is not `const`.
        self.b.cast_signed() as i32
    }

    /// Returns the low half of the constant as a signed number: the constant of a near branch.
    #[inline(always)]
    pub(crate) const fn near_constant(&self) -> i32 {
        // The cast is lossless, because it widens the number; `From` is not `const`.
        self.low().cast_signed() as i32
    }

    /// Returns the low half of the op's constant.
    #[inline(always)]
    pub(crate) const fn low(&self) -> u16 {
        u16::from_le_bytes([self.c, self.d])
    }

    /// Returns the high half of the op's constant.
    #[inline(always)]
    pub(crate) const fn high(&self) -> u16 {
        self.high.cast_unsigned()
    }

    /// Returns the index of a branch's target op.
    #[inline(always)]
    pub(crate) const fn target(&self) -> usize {
        // The cast is lossless, because it widens the number; `From` is not `const`.
        self.high() as usize
    }

    /// Returns the fuel that a branch costs more than the straight path (`interp/fuel.rs`). The cost is negative for
    /// most forward branches.
    #[inline(always)]
    pub(crate) const fn cost(&self, reach: Reach) -> i32 {
        match reach {
            Reach::Wide => self.low().cast_signed() as i32,
            Reach::Near => self.b.cast_signed() as i32,
            Reach::Count => self.d.cast_signed() as i32,
        }
    }

    /// Returns the same op with another kind.
    pub(crate) const fn of_kind(mut self, kind: OpKind) -> Self {
        self.kind = kind;
        self
    }

    /// Sets the target of a branch to another op of the same instruction, at no cost, and marks the branch for
    /// `settle`.
    pub(crate) const fn within(mut self, target: u16) -> Self {
        (self.c, self.high) = (1, target.cast_signed());
        self
    }

    /// Removes the mark of a branch whose target is in the same instruction. Returns false if the branch has no mark.
    pub(crate) const fn settle(&mut self) -> bool {
        core::mem::replace(&mut self.c, 0) != 0
    }

    /// Sets the high half. In a branch, the high half is the pc of the target until lowering replaces the pc by the
    /// target's op. In a call or return, the high half is the number of instructions executed.
    pub(crate) const fn with_high(mut self, high: u16) -> Self {
        self.high = high.cast_signed();
        self
    }

    /// Sets a branch's target and cost. Returns `None` if the op has too few bits for target and cost.
    pub(crate) fn go(&mut self, reach: Reach, target: u32, cost: i32) -> Option<()> {
        let target = u16::try_from(target).ok()?.cast_signed();
        match reach {
            Reach::Wide => [self.c, self.d] = i16::try_from(cost).ok()?.to_le_bytes(),
            Reach::Near => self.b = i8::try_from(cost).ok()?.cast_unsigned(),
            Reach::Count => self.d = i8::try_from(cost).ok()?.cast_unsigned(),
        }
        self.high = target;
        Some(())
    }

    /// Makes an op of two signed numbers. Returns `None` if a number has more than 24 bits.
    pub(crate) fn with_long(kind: OpKind, first: i32, second: i32) -> Option<Self> {
        let ([a, b, c], [d, e, f]) = (low_bytes(first)?, low_bytes(second)?);
        Some(Self {
            kind,
            a,
            b,
            c,
            d,
            high: i16::from_le_bytes([e, f]),
        })
    }

    /// Makes a switch op with a count of cases, whose first row in the switch table is `row`.
    pub(crate) fn switch(kind: OpKind, key: u8, cases: u16, row: i32) -> Option<Self> {
        let [low, high] = cases.to_le_bytes();
        let first = i32::from_le_bytes([0, key, low, high]) >> 8;
        Self::with_long(kind, first, row)
    }

    /// Returns the first of the two numbers of 24 bits in the op.
    #[inline]
    pub(crate) const fn first_long(&self) -> i32 {
        i32::from_le_bytes([0, self.a, self.b, self.c]) >> 8
    }

    /// Returns the second of the two numbers of 24 bits in the op.
    #[inline]
    pub(crate) const fn second_long(&self) -> i32 {
        let [e, f] = self.high.to_le_bytes();
        i32::from_le_bytes([0, self.d, e, f]) >> 8
    }
}

/// Returns the low three bytes of a signed number, if it fits in 24 bits.
fn low_bytes(number: i32) -> Option<[u8; 3]> {
    let [bytes @ .., _] = number.to_le_bytes();
    (number << 8 >> 8 == number).then_some(bytes)
}
