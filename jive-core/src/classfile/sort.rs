//! An in-place sort with small code size, for firmware.

/// Distances between compared words, in descending order.
///
/// The distances are Sedgewick's sequence of 1986: 4^k + 3 * 2^(k-1) + 1. Sorting with Sedgewick's sequence has a
/// proven bound of O(n^(4/3)) comparisons. The distances suffice for arrays of up to 65,536 words, and no caller sorts
/// more.
const GAPS: [u16; 8] = [16_577, 4_193, 1_073, 281, 77, 23, 8, 1];

/// Sorts words. The function `before` returns whether its first argument sorts before its second.
///
/// Shellsort. Each instance of the standard library's sort takes two kilobytes of code. The standard library's sort was
/// no faster for a hundred strings, nearly all of them different.
pub(super) fn sort(words: &mut [u32], before: &dyn Fn(u32, u32) -> bool) {
    for gap in GAPS.map(usize::from) {
        for end in gap..words.len() {
            let mut place = end;
            while let Some(lower) = place.checked_sub(gap) {
                let (Some(a), Some(b)) = (words.get(lower), words.get(place)) else {
                    break;
                };
                if !before(*b, *a) {
                    break;
                }
                words.swap(lower, place);
                place = lower;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern crate std;
    use std::vec::Vec;

    #[test]
    fn words_are_sorted_by_the_given_order() {
        for length in [0, 1, 2, 9, 100, 5_000] {
            let mut words: Vec<u32> = (0..length).map(|n| n * 7_919 % 5_003).collect();
            let mut expected = words.clone();
            expected.sort_unstable_by(|a, b| b.cmp(a));
            sort(&mut words, &|a, b| a > b);
            assert_eq!(words, expected);
        }
    }

    #[test]
    fn descending_words_take_few_comparisons() {
        let count = core::cell::Cell::new(0_u32);
        let mut words: Vec<u32> = (0..60_000).rev().collect();
        sort(&mut words, &|a, b| {
            count.set(count.get() + 1);
            a < b
        });
        assert!(words.is_sorted());
        // 60,000^(4/3) is 2.3 million.
        assert!(count.get() < 3_000_000, "{}", count.get());
    }
}
