//! Reduces a file of unknown structure.

use super::Search;

/// Reduces a file: removes runs of bytes, and sets bytes to zero.
///
/// `bytes` reduces class files that the parser rejects, and files of other formats.
pub fn bytes(search: &mut Search<'_>) {
    search.repeat(|search| {
        let mut best = search.best().to_vec();
        search.remove_runs(&mut best, |shorter| Some(shorter.to_vec()));
        for at in 0..best.len() {
            if best[at] == 0 || search.is_over() {
                continue;
            }
            let mut simpler = best.clone();
            simpler[at] = 0;
            if search.accepts(simpler.clone()) {
                best = simpler;
            }
        }
    });
}
