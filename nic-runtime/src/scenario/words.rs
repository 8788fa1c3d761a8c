//! Words of a scenario file in messages: lists of words, and the word that was probably meant by a misspelling.

use std::fmt;

use super::limits;

/// Shows words as `` `a`, `b` or `c` ``.
pub(super) struct Choices<'a>(pub(super) &'a [&'static str]);

impl fmt::Display for Choices<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, word) in self.0.iter().enumerate() {
            let separator = match position {
                0 => "",
                last if last + 1 == self.0.len() => " or ",
                _ => ", ",
            };
            write!(f, "{separator}`{word}`")?;
        }
        Ok(())
    }
}

/// Formats names of fields, such as `` `a`, `b` and 3 more ``.
pub(super) struct FieldNames<'a>(pub(super) &'a [String], pub(super) usize);

impl fmt::Display for FieldNames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (position, name) in self.0.iter().enumerate() {
            let separator = match position {
                0 => "",
                last if last + 1 == self.0.len() && self.1 == 0 => " and ",
                _ => ", ",
            };
            write!(f, "{separator}`{name}`")?;
        }
        match self.1 {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Returns the word most similar to `given`, if it is similar enough to be a misspelling.
#[must_use]
pub fn closest<'w>(given: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    // The time of a comparison grows with the product of the lengths, and `given` may come from a stranger.
    if given.len() > limits::NAME_BYTES_MAX {
        return None;
    }
    words
        .into_iter()
        .map(|word| (strsim::damerau_levenshtein(given, word), word))
        .filter(|(distance, word)| *distance <= 1.max(word.chars().count() / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_a_stranger_does_not() {
        let words = ["buffer_area", "fuel", "host"];
        assert_eq!(closest("bufer_area", words), Some("buffer_area"));
        assert_eq!(closest("feul", words), Some("fuel"));
        assert_eq!(closest("latency", words), None);
        assert_eq!(closest(&"x".repeat(100_000), words), None);
    }
}
