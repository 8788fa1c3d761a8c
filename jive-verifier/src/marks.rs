//! Marks for the bytes of a code array: where instructions start, and which instructions are leaders.

use jive_core::Pc;

/// Number of code bytes that a [`CodeMarks`] covers.
const SPAN: usize = 32;

/// Marks for 32 bytes of code. The caller of the verifier lends an array of [`CodeMarks`] in the
/// [`WorkArea`](crate::WorkArea).
#[derive(Copy, Clone, Debug, Default)]
pub struct CodeMarks {
    starts: u32,
    leaders: u32,
    /// Number of the method's leaders before the 32 bytes of these marks.
    leaders_before: u16,
}

/// Marks for the whole code array of a method.
///
/// A leader is the first instruction of a method, or a branch target. Only leaders need a stored type state. Any
/// instruction that is no leader has a single predecessor, the instruction before it.
#[derive(Debug)]
pub(crate) struct CodeMap<'w> {
    marks: &'w mut [CodeMarks],
}

/// Returns how many [`CodeMarks`] are needed for code of this length.
pub(crate) const fn marks_len(code_len: usize) -> usize {
    code_len.div_ceil(SPAN)
}

impl<'w> CodeMap<'w> {
    /// Creates a map without marks, or returns `None` if the memory is too small.
    pub(crate) fn new(memory: &'w mut [CodeMarks], code_len: usize) -> Option<CodeMap<'w>> {
        let marks = memory.get_mut(..marks_len(code_len))?;
        marks.fill(CodeMarks::default());
        Some(CodeMap { marks })
    }

    pub(crate) fn mark_start(&mut self, pc: Pc) {
        let (span, bit) = split(pc);
        if let Some(marks) = self.marks.get_mut(span) {
            marks.starts |= bit;
        }
    }

    pub(crate) fn is_start(&self, pc: Pc) -> bool {
        let (span, bit) = split(pc);
        self.marks
            .get(span)
            .is_some_and(|marks| marks.starts & bit != 0)
    }

    pub(crate) fn mark_leader(&mut self, pc: Pc) {
        let (span, bit) = split(pc);
        if let Some(marks) = self.marks.get_mut(span) {
            marks.leaders |= bit;
        }
    }

    /// Removes the marks of leaders after `end`, and of leaders that are not the start of an instruction.
    pub(crate) fn drop_leaders_behind(&mut self, end: Pc) {
        self.mark_start(end);
        for (span, marks) in self.marks.iter_mut().enumerate() {
            marks.leaders &= marks.starts;
            let first = span.saturating_mul(SPAN);
            // The mask has a bit for each pc of the span up to `end`.
            let kept = end.index().saturating_add(1).saturating_sub(first);
            if kept < SPAN {
                // Neither operation wraps, because `kept` is below 32 and the shifted bit is at least 1.
                marks.leaders &= 1_u32.wrapping_shl(kept as u32).wrapping_sub(1);
            }
        }
    }

    /// Returns whether every marked leader is the start of an instruction.
    pub(crate) fn leaders_are_starts(&self) -> bool {
        self.marks
            .iter()
            .all(|marks| marks.leaders & !marks.starts == 0)
    }

    /// Numbers the leaders of the method from 0, in order of pc. Writes the pc of each leader to `pcs`.
    ///
    /// Returns the number of leaders, or `None` if `pcs` is too short for them.
    pub(crate) fn number_leaders(&mut self, pcs: &mut [u16]) -> Option<usize> {
        let mut pcs = pcs.iter_mut();
        let mut count: u16 = 0;
        for (span, marks) in self.marks.iter_mut().enumerate() {
            marks.leaders_before = count;
            let mut leaders = marks.leaders;
            while leaders != 0 {
                // Lossless: below SPAN.
                let offset = leaders.trailing_zeros() as usize;
                let pc = span.saturating_mul(SPAN).saturating_add(offset);
                *pcs.next()? = u16::try_from(pc).ok()?;
                count = count.checked_add(1)?;
                leaders &= leaders.wrapping_sub(1);
            }
        }
        Some(usize::from(count))
    }

    /// Returns whether the instruction at a pc is a leader.
    pub(crate) fn is_leader(&self, pc: Pc) -> bool {
        let (span, bit) = split(pc);
        self.marks
            .get(span)
            .is_some_and(|marks| marks.leaders & bit != 0)
    }

    /// Returns the number of the leader at a pc. Returns `None` if the instruction at that pc is not a leader.
    pub(crate) fn leader(&self, pc: Pc) -> Option<usize> {
        let (span, bit) = split(pc);
        let marks = self.marks.get(span)?;
        if marks.leaders & bit == 0 {
            return None;
        }
        let before = marks.leaders & bit.wrapping_sub(1);
        // Lossless: at most 32.
        Some(usize::from(marks.leaders_before).saturating_add(before.count_ones() as usize))
    }
}

/// Returns the index of the [`CodeMarks`] that cover a pc, and the bit mask for the pc in their words.
const fn split(pc: Pc) -> (usize, u32) {
    (pc.index() / SPAN, 1 << (pc.index() % SPAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaders_are_numbered_in_the_order_of_their_pcs() {
        let mut memory = [CodeMarks::default(); 4];
        let mut map = CodeMap::new(&mut memory, 100).expect("100 bytes take 4 spans");
        for pc in [99, 0, 31, 32, 64, 31] {
            map.mark_leader(Pc(pc));
        }
        let mut pcs = [0; 5];
        assert_eq!(map.number_leaders(&mut pcs), Some(5));
        assert_eq!(pcs, [0, 31, 32, 64, 99]);
        assert_eq!(map.leader(Pc(0)), Some(0));
        assert_eq!(map.leader(Pc(31)), Some(1));
        assert_eq!(map.leader(Pc(32)), Some(2));
        assert_eq!(map.leader(Pc(99)), Some(4));
        assert_eq!(map.leader(Pc(98)), None);
        assert_eq!(map.leader(Pc(500)), None);
    }

    #[test]
    fn too_many_leaders_are_reported() {
        let mut memory = [CodeMarks::default(); 1];
        let mut map = CodeMap::new(&mut memory, 32).expect("32 bytes take one span");
        map.mark_leader(Pc(0));
        map.mark_leader(Pc(31));
        assert_eq!(map.number_leaders(&mut [0; 1]), None);
        assert!(CodeMap::new(&mut memory, 33).is_none());
    }

    #[test]
    fn starts_are_at_the_marked_pcs() {
        let mut memory = [CodeMarks::default(); 2];
        let mut map = CodeMap::new(&mut memory, 40).expect("40 bytes take 2 spans");
        map.mark_start(Pc(31));
        map.mark_start(Pc(32));
        let starts: [bool; 4] = core::array::from_fn(|n| map.is_start(Pc([30, 31, 32, 33][n])));
        assert_eq!(starts, [false, true, true, false]);
        assert!(!map.is_start(Pc(u16::MAX)));
    }
}
