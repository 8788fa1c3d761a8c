//! Makes a file small while a test still finds it interesting.
//!
//! A [`Search`] keeps the smallest interesting file so far, and passes smaller files to the test. [`class`] reduces a
//! class file, and [`bytes`] reduces any other file.

mod bytes;
mod class;
mod effect;
mod text;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

pub use bytes::bytes;
pub use class::class;

/// The result of testing a candidate, a file that may be interesting.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The candidate still has the property that the test looks for.
    Interesting,
    /// The candidate has lost that property.
    Boring,
    /// The test did not test the candidate, and the search must end.
    Over,
}

/// Decides which candidates are interesting.
pub trait Test {
    /// Tests a candidate.
    fn test(&mut self, candidate: &[u8]) -> Answer;

    /// Returns whether the search must end. The search calls `is_over` before each candidate, even if the candidate has
    /// no encoding and is not tested.
    fn is_over(&self) -> bool {
        false
    }
}

impl<F: FnMut(&[u8]) -> Answer> Test for F {
    fn test(&mut self, candidate: &[u8]) -> Answer {
        self(candidate)
    }
}

/// A search for a small interesting file.
pub struct Search<'t> {
    test: &'t mut dyn Test,
    best: Vec<u8>,
    /// Hashes of all candidates so far, because passes propose some candidates again.
    tested: BTreeSet<u64>,
    kept: u64,
    is_over: bool,
}

impl<'t> Search<'t> {
    /// Begins a search at an interesting file.
    pub fn new(original: Vec<u8>, test: &'t mut dyn Test) -> Search<'t> {
        let mut search = Search {
            test,
            best: original,
            tested: BTreeSet::new(),
            kept: 0,
            is_over: false,
        };
        search.tested.insert(hash(&search.best));
        search
    }

    /// Tests a candidate. Returns whether the candidate is interesting. An interesting candidate becomes the best file
    /// so far.
    pub fn accepts(&mut self, candidate: Vec<u8>) -> bool {
        if self.is_over() {
            return false;
        }
        if candidate == self.best {
            return true;
        }
        if !self.tested.insert(hash(&candidate)) {
            return false;
        }
        match self.test.test(&candidate) {
            Answer::Interesting => {
                self.best = candidate;
                self.kept += 1;
                true
            }
            Answer::Boring => false,
            Answer::Over => {
                self.is_over = true;
                false
            }
        }
    }

    /// Returns the smallest interesting file so far.
    #[must_use]
    pub fn best(&self) -> &[u8] {
        &self.best
    }

    /// Returns the number of interesting candidates so far.
    #[must_use]
    pub fn kept(&self) -> u64 {
        self.kept
    }

    /// Returns whether the test has ended the search.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over || self.test.is_over()
    }

    /// Repeats reduction passes until none of them finds a smaller file.
    pub fn repeat(&mut self, mut passes: impl FnMut(&mut Search<'t>)) {
        loop {
            let before = self.kept;
            passes(self);
            if self.is_over() || self.kept == before {
                return;
            }
        }
    }

    /// Removes runs of elements from a list, long runs first. The function `build` makes a file from a shorter list, or
    /// returns `None` if the list cannot be encoded.
    pub fn remove_runs<T: Clone>(
        &mut self,
        list: &mut Vec<T>,
        build: impl Fn(&[T]) -> Option<Vec<u8>>,
    ) {
        let mut size = list.len();
        while size > 0 && !self.is_over() {
            let mut at = 0;
            while at < list.len() && !self.is_over() {
                let end = list.len().min(at + size);
                let mut shorter = list.clone();
                shorter.drain(at..end);
                if build(&shorter).is_some_and(|candidate| self.accepts(candidate)) {
                    *list = shorter;
                } else {
                    // The search tries to remove short runs at every place, because instructions that belong together
                    // may begin anywhere.
                    at += if size <= SHORT_RUN { 1 } else { size };
                }
            }
            size = if size <= SHORT_RUN {
                size - 1
            } else {
                size / 2
            };
        }
    }
}

/// The search tries to remove runs of up to `SHORT_RUN` elements at every place. Chosen: most statements of Java have
/// fewer instructions.
const SHORT_RUN: usize = 6;

fn hash(bytes: &[u8]) -> u64 {
    // The hasher has no random key, so that every run of the search makes the same decisions.
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}
