//! A round robin over the members of a set of small numbers. The cost of finding the next member does not depend on how
//! many numbers are not members.

const WORD: usize = u64::BITS as usize;

/// A set of small numbers whose members take turns, in ascending order and again from the first.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    members: Vec<u64>,
    // Bit i is set if word i of `members` is not zero. One word of the list `words` thereby covers 4,096 numbers.
    words: Vec<u64>,
    count: usize,
    next: usize,
    // The number that was inserted last. Usually this number is the only member, so the set need not be searched.
    newest: usize,
}

impl RoundRobin {
    /// Returns an empty set of numbers below `limit`.
    #[must_use]
    pub fn new(limit: usize) -> RoundRobin {
        let words = limit.div_ceil(WORD);
        RoundRobin {
            members: vec![0; words],
            words: vec![0; words.div_ceil(WORD)],
            count: 0,
            next: 0,
            newest: 0,
        }
    }

    /// Returns whether the set has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a number.
    pub fn insert(&mut self, number: usize) {
        let word = &mut self.members[number / WORD];
        let bit = 1 << (number % WORD);
        self.count += usize::from(*word & bit == 0);
        *word |= bit;
        self.newest = number;
        self.words[number / WORD / WORD] |= 1 << (number / WORD % WORD);
    }

    /// Removes a number.
    pub fn remove(&mut self, number: usize) {
        let word = &mut self.members[number / WORD];
        let bit = 1 << (number % WORD);
        self.count -= usize::from(*word & bit != 0);
        *word &= !bit;
        if *word == 0 {
            self.words[number / WORD / WORD] &= !(1 << (number / WORD % WORD));
        }
    }

    /// Returns the next member of the set and advances the turn. The member stays in the set.
    pub fn take_turn(&mut self) -> Option<usize> {
        // An empty set is the common case, because processors call this function often.
        if self.count == 0 {
            return None;
        }
        let newest = self.newest;
        let member = if self.count == 1 && self.contains(newest) {
            newest
        } else {
            self.first_from(self.next).or_else(|| self.first_from(0))?
        };
        self.next = member + 1;
        Some(member)
    }

    fn contains(&self, number: usize) -> bool {
        let word = self.members.get(number / WORD);
        word.is_some_and(|word| word & (1 << (number % WORD)) != 0)
    }

    fn first_from(&self, number: usize) -> Option<usize> {
        let word = number / WORD;
        let here = self.members.get(word)? & (u64::MAX << (number % WORD));
        if here != 0 {
            return Some(word * WORD + here.trailing_zeros() as usize);
        }
        let word = first_bit_from(&self.words, word + 1)?;
        Some(word * WORD + self.members[word].trailing_zeros() as usize)
    }
}

/// Returns the index of the first set bit from `start` on.
fn first_bit_from(bits: &[u64], start: usize) -> Option<usize> {
    let mut mask = u64::MAX << (start % WORD);
    for (index, word) in bits.iter().enumerate().skip(start / WORD) {
        if word & mask != 0 {
            return Some(index * WORD + (word & mask).trailing_zeros() as usize);
        }
        mask = u64::MAX;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_go_round_in_order() {
        let mut set = RoundRobin::new(10_000);
        for number in [9_999, 0, 63, 64, 4_096] {
            set.insert(number);
        }
        let mut turns = |count| {
            (0..count)
                .map_while(|_| set.take_turn())
                .collect::<Vec<_>>()
        };
        assert_eq!(turns(7), [0, 63, 64, 4_096, 9_999, 0, 63]);
        set.remove(64);
        set.remove(0);
        let mut turns = |count| {
            (0..count)
                .map_while(|_| set.take_turn())
                .collect::<Vec<_>>()
        };
        assert_eq!(turns(4), [4_096, 9_999, 63, 4_096]);
    }

    #[test]
    fn a_set_of_one_and_of_none() {
        let mut set = RoundRobin::new(1);
        assert_eq!(set.take_turn(), None);
        set.insert(0);
        assert_eq!([set.take_turn(), set.take_turn()], [Some(0), Some(0)]);
        set.remove(0);
        assert_eq!(set.take_turn(), None);
        assert_eq!(RoundRobin::new(0).take_turn(), None);
    }
}
