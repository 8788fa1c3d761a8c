//! The traps that `jive exec` explains: each place once.

use jive_core::Trap;

/// Maximum number of places of traps that one `jive exec` explains.
const EXPLAINED_MAX: usize = 8;

/// The traps that `jive exec` has explained, at most one for each place.
#[derive(Debug, Default)]
pub(super) struct Explained(Vec<Trap>);

impl Explained {
    /// Returns whether a trap is the first of its kind at its place, and marks it as explained.
    pub(super) fn is_new(&mut self, trap: Trap) -> bool {
        let is_new = !self.0.contains(&trap) && self.0.len() < EXPLAINED_MAX;
        if is_new {
            self.0.push(trap);
        }
        is_new
    }
}
