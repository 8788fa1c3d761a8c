//! The worklist of the data flow: a set of leaders from which the lowest is taken first.

/// Bits of a word.
const WORD: usize = 32;

/// A set of small numbers in lent memory, as a two-level bitmap.
///
/// A bit of the bitmap's upper level is set if the corresponding word of the lower level is not zero. The search for
/// the lowest number thus reads some twenty words, even if every third byte of a 64 KiB method is a leader.
#[derive(Debug)]
pub(crate) struct Queue<'w> {
    words: &'w mut [u32],
    summary: &'w mut [u32],
}

/// Returns the number of memory words that a set of numbers below `capacity` needs.
pub(crate) const fn queue_len(capacity: usize) -> usize {
    let words = capacity.div_ceil(WORD);
    words.saturating_add(words.div_ceil(WORD))
}

impl<'w> Queue<'w> {
    /// Creates an empty set of numbers below `capacity`, or returns `None` if the memory is too small.
    pub(crate) fn new(memory: &'w mut [u32], capacity: usize) -> Option<Queue<'w>> {
        let memory = memory.get_mut(..queue_len(capacity))?;
        memory.fill(0);
        let (words, summary) = memory.split_at_mut_checked(capacity.div_ceil(WORD))?;
        Some(Queue { words, summary })
    }

    /// Adds a number to the set, unless the number is at or above the capacity.
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

    /// Removes the lowest number from the set and returns it.
    pub(crate) fn pop_lowest(&mut self) -> Option<usize> {
        let (group, flags) = lowest(self.summary)?;
        let word = join(group, *flags);
        let bits = self.words.get_mut(word)?;
        let number = join(word, *bits);
        // The lowest set bit of the word, which stands for the removed number, is cleared.
        *bits &= bits.wrapping_sub(1);
        if *bits == 0 {
            *flags &= flags.wrapping_sub(1);
        }
        Some(number)
    }
}

/// Returns the first word that is not zero, and its index.
fn lowest(words: &mut [u32]) -> Option<(usize, &mut u32)> {
    words.iter_mut().enumerate().find(|(_, bits)| **bits != 0)
}

/// Returns the index of the word for a number, and the bit mask for the number in that word.
const fn split(number: usize) -> (usize, u32) {
    (number / WORD, 1 << (number % WORD))
}

/// Returns the number of the lowest set bit of a word, given the index of the word.
const fn join(word: usize, bits: u32) -> usize {
    // Lossless: at most 32.
    word.saturating_mul(WORD)
        .saturating_add(bits.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_returned_lowest_first_and_once() {
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
    fn a_number_can_be_inserted_again() {
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
    fn queue_len_is_exact() {
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
