//! A distribution of numbers: minimum, median and maximum, in bounded memory.

/// Number of distinct values that are counted exactly. The calls of a method rarely have more than 1,024 different
/// instruction counts.
const EXACT_MAX: usize = 1_024;

/// Significant bits that are kept of each number once there are more than [`EXACT_MAX`] distinct values. With 8
/// significant bits a bucket is less than 1 % wide, and each power of two has at most 128 buckets.
const ROUNDED_BITS: u32 = 8;

/// The distribution of the numbers added so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Distribution {
    /// How often each number was added, in the order of the numbers.
    counts: Vec<(u64, u64)>,
    /// The place of the number that was added last: often it comes again.
    last: usize,
    count: u64,
    minimum: u64,
    maximum: u64,
    rounded: bool,
}

impl Distribution {
    /// Adds a number.
    pub(super) fn add(&mut self, number: u64) {
        self.minimum = match self.count {
            0 => number,
            _ => self.minimum.min(number),
        };
        self.maximum = self.maximum.max(number);
        self.count += 1;
        let key = if self.rounded { round(number) } else { number };
        match self.counts.get_mut(self.last) {
            Some((known, count)) if *known == key => *count += 1,
            Some(_) | None => self.add_many(key, 1),
        }
        if !self.rounded && self.counts.len() > EXACT_MAX {
            self.round_all();
        }
    }

    fn add_many(&mut self, key: u64, more: u64) {
        self.last = match self.counts.binary_search_by_key(&key, |(known, _)| *known) {
            Ok(place) => {
                self.counts[place].1 += more;
                place
            }
            Err(place) => {
                self.counts.insert(place, (key, more));
                place
            }
        };
    }

    fn round_all(&mut self) {
        self.rounded = true;
        for (number, count) in std::mem::take(&mut self.counts) {
            self.add_many(round(number), count);
        }
    }

    /// Adds every number of another distribution.
    pub(super) fn merge(&mut self, other: &Distribution) {
        if other.count == 0 {
            return;
        }
        let (least, most) = match self.count {
            0 => (other.minimum, other.maximum),
            _ => (
                self.minimum.min(other.minimum),
                self.maximum.max(other.maximum),
            ),
        };
        (self.minimum, self.maximum) = (least, most);
        self.count += other.count;
        for (number, count) in &other.counts {
            self.add_many(*number, *count);
        }
        if self.rounded || other.rounded || self.counts.len() > EXACT_MAX {
            self.round_all();
        }
    }

    /// Returns how many numbers were added.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the minimum of the numbers, or 0 if there are none.
    pub(super) fn minimum(&self) -> u64 {
        self.minimum
    }

    /// Returns the maximum of the numbers, or 0 if there are none.
    pub(super) fn maximum(&self) -> u64 {
        self.maximum
    }

    /// Returns the median of the numbers, or 0 if there are none. For an even count of numbers, the median is the lower
    /// of the two middle numbers. With more than [`EXACT_MAX`] distinct numbers the median may be up to 1 % too low.
    pub(super) fn median(&self) -> u64 {
        let mut below = 0;
        for (number, count) in &self.counts {
            below += count;
            if below * 2 >= self.count {
                return *number;
            }
        }
        0
    }
}

/// Clears all but the [`ROUNDED_BITS`] highest bits of a number.
fn round(number: u64) -> u64 {
    let bits = u64::BITS - number.leading_zeros();
    let cleared = bits.saturating_sub(ROUNDED_BITS);
    number >> cleared << cleared
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: impl IntoIterator<Item = u64>) -> Distribution {
        let mut distribution = Distribution::default();
        numbers
            .into_iter()
            .for_each(|number| distribution.add(number));
        distribution
    }

    #[test]
    fn merged_distributions_are_that_of_all_numbers() {
        for (first, second) in [(0..7, 3..40), (0..0, 2..5), (0..900, 100..2_000)] {
            let mut merged = of(first.clone());
            merged.merge(&of(second.clone()));
            let all = of(first.chain(second));
            let shown = |it: &Distribution| (it.count(), it.minimum(), it.maximum());
            assert_eq!(shown(&merged), shown(&all));
            assert_eq!(merged.median(), all.median());
        }
    }

    #[test]
    fn few_numbers_are_exact() {
        let distribution = of([30, 10, 20, 10_007]);
        assert_eq!(distribution.minimum(), 10);
        assert_eq!(distribution.median(), 20);
        assert_eq!(distribution.maximum(), 10_007);
        assert_eq!(distribution.count(), 4);
        assert_eq!(of([]).median(), 0);
    }

    #[test]
    fn many_numbers_stay_within_a_percent_and_a_bound() {
        let distribution = of(0..100_001);
        assert_eq!(distribution.maximum(), 100_000);
        let median = distribution.median();
        assert!((49_500..=50_000).contains(&median), "{median}");
        assert!(distribution.counts.len() < 2_048);
    }
}
