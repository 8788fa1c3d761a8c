//! The worklist: a set of leaders that gives back the lowest first.

/// Bits of a word.
const WORD: usize = 32;

/// A set of small numbers in two levels of bits, in lent memory.
///
/// The upper level says which words of the lower one are not empty. So finding the lowest number reads some twenty
/// words, even if every third byte of a 64 KiB method starts a leader.
#[derive(Debug)]
pub(crate) struct Queue<'w> {
    words: &'w mut [u32],
    summary: &'w mut [u32],
}

/// Returns how many words hold a set of the numbers below `capacity`.
pub(crate) const fn queue_len(capacity: usize) -> usize {
    let words = capacity.div_ceil(WORD);
    words.saturating_add(words.div_ceil(WORD))
}

impl<'w> Queue<'w> {
    /// Makes an empty set of numbers below `capacity`, or `None` where the memory does not hold it.
    pub(crate) fn new(memory: &'w mut [u32], capacity: usize) -> Option<Queue<'w>> {
        let memory = memory.get_mut(..queue_len(capacity))?;
        memory.fill(0);
        let (words, summary) = memory.split_at_mut_checked(capacity.div_ceil(WORD))?;
        Some(Queue { words, summary })
    }

    /// Puts a number into the set; one beyond the capacity is not kept.
    pub(crate) fn insert(&mut self, number: usize) {
        let (word, bit) = split(number);
        if let Some(bits) = self.words.get_mut(word) {
            *bits |= bit;
            let (group, flag) = split(word);
            if let Some(bits) = self.summary.get_mut(group) {
                *bits |= flag;
            }
        }
    }

    /// Takes the lowest number out of the set.
    pub(crate) fn pop_lowest(&mut self) -> Option<usize> {
        let (group, flags) = lowest(self.summary)?;
        let word = join(group, *flags);
        let bits = self.words.get_mut(word)?;
        let number = join(word, *bits);
        // Clears the lowest bit that is set.
        *bits &= bits.wrapping_sub(1);
        if *bits == 0 {
            *flags &= flags.wrapping_sub(1);
        }
        Some(number)
    }
}

/// Finds the first word that is not empty.
fn lowest(words: &mut [u32]) -> Option<(usize, &mut u32)> {
    words.iter_mut().enumerate().find(|(_, bits)| **bits != 0)
}

/// Splits a number into the place of its word and its bit there.
const fn split(number: usize) -> (usize, u32) {
    (number / WORD, 1 << (number % WORD))
}

/// Returns the number that the lowest bit of a word stands for.
const fn join(word: usize, bits: u32) -> usize {
    // At most 32, which fits.
    word.saturating_mul(WORD)
        .saturating_add(bits.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_lowest_first_and_once() {
        let mut memory = [u32::MAX; 70];
        let mut queue = Queue::new(&mut memory, 2000).expect("2000 numbers take 63 + 2 words");
        for number in [1999, 0, 31, 32, 1024, 1023, 32] {
            queue.insert(number);
        }
        let drained: [Option<usize>; 7] = core::array::from_fn(|_| queue.pop_lowest());
        assert_eq!(
            drained,
            [
                Some(0),
                Some(31),
                Some(32),
                Some(1023),
                Some(1024),
                Some(1999),
                None
            ]
        );
    }

    #[test]
    fn a_number_may_return_while_others_wait() {
        let mut memory = [0; 4];
        let mut queue = Queue::new(&mut memory, 64).expect("64 numbers take 2 + 1 words");
        queue.insert(40);
        queue.insert(7);
        assert_eq!(queue.pop_lowest(), Some(7));
        queue.insert(3);
        queue.insert(7);
        assert_eq!(queue.pop_lowest(), Some(3));
        assert_eq!(queue.pop_lowest(), Some(7));
        assert_eq!(queue.pop_lowest(), Some(40));
        assert_eq!(queue.pop_lowest(), None);
    }

    #[test]
    fn memory_is_counted_exactly() {
        for (capacity, words) in [(0, 0), (1, 2), (32, 2), (33, 3), (1024, 33), (1025, 35)] {
            assert_eq!(queue_len(capacity), words);
            let mut memory = [0; 35];
            assert!(Queue::new(&mut memory[..words], capacity).is_some());
            assert_eq!(
                words > 0,
                Queue::new(&mut memory[..words.saturating_sub(1)], capacity).is_none()
            );
        }
    }
}
