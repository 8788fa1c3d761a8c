//! Stack shuffles: `pop`, `swap` and the `dup` family, as permutations of the topmost values.

/// A permutation of the topmost values of the operand stack, which may also copy or drop values.
///
/// In the subset every value takes one stack slot. Therefore each shuffle opcode has only the form for values of one
/// slot, out of its forms in JVMS §6.5.
///
/// ```
/// use jive_core::{Action, Opcode};
///
/// let Action::Shuffle(dup_x1) = Opcode::DupX1.action() else { panic!() };
/// // Depths before the shuffle, where 0 is the top of the stack. The last value pushed is the new top.
/// assert_eq!(dup_x1.pops(), 2);
/// assert!(dup_x1.pushes().eq([0, 1, 0]));
/// ```
// A single byte holds the number of values popped and pushed, because a row of the opcode table has no room for more.
// The numbers of values popped and pushed identify each shuffle of the JVM. Every shuffle inserts copies of the topmost
// values below the other values. A shuffle keeps the copied values themselves if it pushes more values than it pops.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct Shuffle(u8);

const PUSHES_SHIFT: u32 = 4;
const POPS: u8 = 0x0f;

impl Shuffle {
    /// Packs a shuffle, given the number of values popped and the depths of the values pushed.
    #[expect(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        reason = "only the compiler runs it, over the opcode table"
    )]
    pub(super) const fn new(pops: u8, pushes: &[u8]) -> Self {
        // The cast is lossless, because a shuffle pushes at most 6 values.
        let count = pushes.len() as u8;
        assert!(0 < pops && pops <= 4 && count <= 6);
        let packed = Self(pops | count << PUSHES_SHIFT);
        let mut place = 0;
        while place < count {
            assert!(packed.depth(place) == pushes[place as usize]);
            place += 1;
        }
        packed
    }

    /// Returns how many values the shuffle pops.
    #[must_use]
    pub const fn pops(self) -> u8 {
        self.0 & POPS
    }

    /// Returns how many values the shuffle pushes.
    #[must_use]
    pub const fn push_count(self) -> u8 {
        self.0 >> PUSHES_SHIFT
    }

    /// Returns how many more values the shuffle pushes than it pops. Returns 0 if the shuffle pushes fewer values than
    /// it pops.
    #[must_use]
    pub const fn copies(self) -> u8 {
        self.push_count().saturating_sub(self.pops())
    }

    /// Returns how many of the topmost values the shuffle inserts below the others.
    #[must_use]
    pub const fn inserted(self) -> u8 {
        // The shuffle `swap` makes no copies: it moves the topmost value itself.
        if self.copies() == 0 { 1 } else { self.copies() }
    }

    /// Returns the depth of each pushed value before the shuffle. The last value pushed becomes the top.
    pub fn pushes(self) -> impl ExactSizeIterator<Item = u8> {
        (0..self.push_count()).map(move |place| self.depth(place))
    }

    /// Returns the depth before the shuffle of the value pushed at `place`, where place 0 is the lowest.
    const fn depth(self, place: u8) -> u8 {
        match self.inserted().checked_sub(place.wrapping_add(1)) {
            Some(depth) => depth,
            // The original values are above the inserted values. The shuffle `swap` leaves out the value that it moved.
            None => {
                let left_out = self.inserted().wrapping_sub(self.copies());
                let above = place.wrapping_add(1);
                self.push_count().wrapping_sub(above).wrapping_add(left_out)
            }
        }
    }
}

impl core::fmt::Debug for Shuffle {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} ->", self.pops())?;
        self.pushes().try_for_each(|depth| write!(f, " {depth}"))
    }
}
