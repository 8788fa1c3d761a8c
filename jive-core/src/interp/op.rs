//! The op: what the interpreter runs, eight bytes each.

use super::table::OpKind;

/// One linked op. Its kind is a row of the interpreter's table, which tells what the operands are.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Op {
    pub(crate) kind: OpKind,
    /// A register; that of the result, where there is one.
    pub(crate) a: u8,
    pub(crate) b: u8,
    pub(crate) c: u8,
    pub(crate) imm: i32,
}

// An op is fetched at every step: eight bytes keep its index a shift and the code within twice the size
// of what it came from.
const _: () = assert!(size_of::<Op>() == 8);

impl Op {
    pub(crate) const fn new(kind: OpKind, a: u8, b: u8, c: u8, imm: i32) -> Self {
        Self { kind, a, b, c, imm }
    }

    /// Makes an op whose second half is one number of 16 bits: see [`Op::half`].
    pub(crate) const fn with_half(kind: OpKind, a: u8, half: u16, imm: i32) -> Self {
        let [b, c] = half.to_le_bytes();
        Self { kind, a, b, c, imm }
    }

    /// Those ops, by their names, that are run together where the second stands behind the first; none
    /// where ops are not threaded.
    pub const PAIRS: &[[&'static str; 2]] = OpKind::PAIRS;

    /// Returns the name of what the op does by itself: its kind in the table of ops.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// The operands `b` and `c` as one number.
    #[inline]
    pub(crate) const fn half(&self) -> u16 {
        u16::from_le_bytes([self.b, self.c])
    }

    /// The operands `b` and `c` as a constant.
    #[inline]
    pub(crate) const fn half_constant(&self) -> i32 {
        // Widens; `From` is not const.
        i16::from_le_bytes([self.b, self.c]) as i32
    }

    /// Where a branch goes, from the op itself.
    #[inline]
    pub(crate) const fn distance(&self) -> isize {
        // The low half, with its sign.
        self.imm as i16 as isize
    }

    /// What a branch takes off the potential.
    #[inline]
    pub(crate) const fn cost(&self) -> i32 {
        self.imm >> 16
    }

    /// What a `Goto` takes off the potential: all its registers are one number.
    #[inline]
    pub(crate) const fn goto_cost(&self) -> i32 {
        i32::from_le_bytes([0, self.a, self.b, self.c]) >> 8
    }
}
