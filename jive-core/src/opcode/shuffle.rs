//! Stack shuffles: `pop`, `swap` and the `dup` family as permutations of the topmost values.

/// A permutation of the topmost values of the operand stack, some of which it may copy or drop.
///
/// Every value of the subset takes one stack slot. So each opcode has one of the forms that JVMS §6.5 lists for it.
///
/// ```
/// use jive_core::{Action, Opcode};
///
/// let Action::Shuffle(dup_x1) = Opcode::DupX1.action() else { panic!() };
/// // The depths before: 0 is the top of the stack. The last value pushed is the new top.
/// assert_eq!(dup_x1.pops(), 2);
/// assert!(dup_x1.pushes().eq([0, 1, 0]));
/// ```
// One byte, because every row of the opcode table has room for one: the two counts. They tell the shuffles of the JVM
// apart. All insert the topmost values below the others. Those that push more values than they pop keep the originals.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct Shuffle(u8);

const PUSHES_SHIFT: u32 = 4;
const POPS: u8 = 0x0f;

impl Shuffle {
    /// Packs the shuffle that pops so many values, and pushes those that had these depths.
    #[expect(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        reason = "only the compiler runs it, over the opcode table"
    )]
    pub(super) const fn new(pops: u8, pushes: &[u8]) -> Self {
        // Fewer than 16.
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

    /// Returns how many values it pops.
    #[must_use]
    pub const fn pops(self) -> u8 {
        self.0 & POPS
    }

    /// Returns how many values it pushes.
    #[must_use]
    pub const fn push_count(self) -> u8 {
        self.0 >> PUSHES_SHIFT
    }

    /// Returns how many values it pushes besides those that it pops. 0 if it pushes none.
    #[must_use]
    pub const fn copies(self) -> u8 {
        self.push_count().saturating_sub(self.pops())
    }

    /// Returns how many of the topmost values it inserts below the others.
    #[must_use]
    pub const fn inserted(self) -> u8 {
        // `swap` inserts the topmost value itself, and no copy of it.
        if self.copies() == 0 { 1 } else { self.copies() }
    }

    /// Returns the depth before the shuffle of each value that it pushes. The last one becomes the top.
    pub fn pushes(self) -> impl ExactSizeIterator<Item = u8> {
        (0..self.push_count()).map(move |place| self.depth(place))
    }

    /// Returns the depth before of the value that is pushed at a place, counted from the lowest.
    const fn depth(self, place: u8) -> u8 {
        match self.inserted().checked_sub(place.wrapping_add(1)) {
            Some(depth) => depth,
            // Behind the inserted values come all values, or those below the inserted ones.
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
