//! The op: what the interpreter runs, eight bytes each.

mod kind;
mod pairs_generated;
mod shape;
mod table;

pub(crate) use kind::OpKind;
pub(crate) use pairs_generated::with_pairs;
pub(crate) use shape::{Reach, Shape};
pub(crate) use table::op_table;

use crate::variant;

/// One linked op. Its kind is a row of the interpreter's table, which tells what the operands are.
///
/// Besides `a` and `b` it holds 32 bits: a constant, or a third operand `c` and an offset of 16 bits. In a branch they
/// are its target and the cost of going there (`Reach` in `op/shape.rs`).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Op {
    pub(crate) kind: OpKind,
    /// A register; that of the result, where there is one.
    pub(crate) a: u8,
    pub(crate) b: u8,
    // Three fields, so that what wants one of them loads that alone.
    c: u8,
    d: u8,
    high: i16,
}

// An op is fetched at every step. Eight bytes make its index a shift, and keep the code within twice the size of the
// class file's.
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

    /// Makes an op whose first two operands are one number.
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

    /// The names of each two ops that one function runs together, if the second follows the first. Empty if ops are
    /// not threaded.
    pub const PAIRS: &[[&'static str; 2]] = if variant::THREADED {
        OpKind::PAIRS
    } else {
        &[]
    };

    /// Returns an op of each kind that lowering can make, with operands of 0. Tests measure their coverage against it.
    pub fn kinds() -> impl Iterator<Item = Self> {
        let kinds = if variant::THREADED {
            OpKind::SINGLE
        } else {
            OpKind::PLAIN
        };
        kinds.iter().map(|&kind| Self::new(kind, 0, 0, 0))
    }

    /// Returns whether the op writes one register and nothing else, so that the next op may take the value.
    #[must_use]
    pub fn computes(&self) -> bool {
        self.kind.shape() == Shape::Value
    }

    /// Returns whether the op takes an operand from the op before it.
    #[must_use]
    pub fn takes(&self) -> bool {
        let single = OpKind::SINGLE
            .iter()
            .find(|kind| kind.name() == self.name());
        single.is_some_and(|kind| kind.plain() != *kind)
    }

    /// Returns the name of what the op does by itself: its kind in the table of ops.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// Returns whether the next op may follow without a native, a call or a branch in between.
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

    /// What stands beside the third operand, with its sign.
    #[inline(always)]
    pub(crate) const fn offset(&self) -> i32 {
        // Widens; `From` is not const.
        self.high as i32
    }

    /// The operands `a` and `b` as one number.
    #[inline(always)]
    pub(crate) const fn number(&self) -> u16 {
        u16::from_le_bytes([self.a, self.b])
    }

    /// The operands `b` and `c` as one number: how many cases a switch has.
    #[inline(always)]
    pub(crate) const fn cases(&self) -> u16 {
        u16::from_le_bytes([self.b, self.c])
    }

    /// The operand `b` as a constant.
    #[inline(always)]
    pub(crate) const fn short_constant(&self) -> i32 {
        // Widens; `From` is not const.
        self.b.cast_signed() as i32
    }

    /// The low half of the constant, with its sign.
    #[inline(always)]
    pub(crate) const fn near_constant(&self) -> i32 {
        // Widens; `From` is not const.
        self.low().cast_signed() as i32
    }

    /// The low half of the constant.
    #[inline(always)]
    pub(crate) const fn low(&self) -> u16 {
        u16::from_le_bytes([self.c, self.d])
    }

    /// The high half of the constant.
    #[inline(always)]
    pub(crate) const fn high(&self) -> u16 {
        self.high.cast_unsigned()
    }

    /// Where a branch goes.
    #[inline(always)]
    pub(crate) const fn target(&self) -> usize {
        // Widens; `From` is not const.
        self.high() as usize
    }

    /// What a branch takes off the potential.
    #[inline(always)]
    pub(crate) const fn cost(&self, reach: Reach) -> i32 {
        match reach {
            Reach::Wide => self.low().cast_signed() as i32,
            Reach::Near => self.b.cast_signed() as i32,
            Reach::Count => self.d.cast_signed() as i32,
        }
    }

    /// Makes it an op of another kind.
    pub(crate) const fn of_kind(mut self, kind: OpKind) -> Self {
        self.kind = kind;
        self
    }

    /// Lets a branch go to another op of the same instruction, at no cost.
    pub(crate) const fn within(mut self, target: u16) -> Self {
        (self.c, self.high) = (1, target.cast_signed());
        self
    }

    /// Resolves the cost of a branch whose target lies in the same instruction. Returns false for any other branch.
    pub(crate) const fn settle(&mut self) -> bool {
        core::mem::replace(&mut self.c, 0) != 0
    }

    /// Sets the high half. In a branch that is the pc of its target until the target's op is known. In a call or return
    /// it is the number of instructions executed.
    pub(crate) const fn with_high(mut self, high: u16) -> Self {
        self.high = high.cast_signed();
        self
    }

    /// Lets a branch go somewhere, if both numbers fit.
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

    /// Makes an op of two numbers with their signs; `None` where one has more than 24 bits.
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

    /// Makes a switch of as many cases, whose rows begin with one.
    pub(crate) fn switch(kind: OpKind, key: u8, cases: u16, row: i32) -> Option<Self> {
        let [low, high] = cases.to_le_bytes();
        let first = i32::from_le_bytes([0, key, low, high]) >> 8;
        Self::with_long(kind, first, row)
    }

    /// The first of two long numbers.
    #[inline]
    pub(crate) const fn first_long(&self) -> i32 {
        i32::from_le_bytes([0, self.a, self.b, self.c]) >> 8
    }

    /// The second of two long numbers.
    #[inline]
    pub(crate) const fn second_long(&self) -> i32 {
        let [e, f] = self.high.to_le_bytes();
        i32::from_le_bytes([0, self.d, e, f]) >> 8
    }
}

/// Returns the low bytes of a number that fits in them with its sign.
fn low_bytes(number: i32) -> Option<[u8; 3]> {
    let [bytes @ .., _] = number.to_le_bytes();
    (number << 8 >> 8 == number).then_some(bytes)
}
