//! Determines the kind of evidence of each row. Each value of the profile is moved in turn, and a row depends on the
//! values that change its result.

use std::num::NonZeroUsize;
use std::thread;

use nic_runtime::profile::{Moved, Profile, Source};

use super::PaperError;
use super::report::{Provenance, Row};

/// Sets the kind of evidence of each row. `measure` returns the rows under another profile.
pub(super) fn trace(
    profile: &Profile,
    found: &mut [Row],
    measure: impl Fn(&Profile) -> Result<Vec<Row>, PaperError> + Sync,
) {
    let moves = profile.moves();
    let mut evidence = vec![Evidence::default(); found.len()];
    let changed = each(&moves, |moved| measure(&moved.profile));
    for (moved, changed) in moves.iter().zip(changed) {
        // Skip a profile under which nothing can be measured.
        let Ok(changed) = changed else { continue };
        for ((row, changed), evidence) in found.iter().zip(&changed).zip(&mut evidence) {
            if row.found != changed.found {
                evidence.note(row, moved);
            }
        }
    }
    for (row, evidence) in found.iter_mut().zip(evidence) {
        row.provenance = evidence.provenance();
        row.moved_by = evidence.others;
    }
}

/// Sets the kind of evidence of each row by shorter measurements: `measure` returns the same rows from fewer messages.
pub(super) fn trace_shorter(
    profile: &Profile,
    found: &mut [Row],
    measure: impl Fn(&Profile) -> Result<Vec<Row>, PaperError> + Sync,
) -> Result<(), PaperError> {
    let mut shorter = measure(profile)?;
    trace(profile, &mut shorter, measure);
    for (row, shorter) in found.iter_mut().zip(shorter) {
        row.provenance = shorter.provenance;
        row.moved_by = shorter.moved_by;
    }
    Ok(())
}

/// Returns a profile without the sections that matter to applets alone, so that none of their values is moved.
pub(super) fn without_applets(profile: &Profile) -> Profile {
    let mut profile = profile.clone();
    profile.entry = None;
    profile.native = None;
    profile.native_fuel = None;
    profile.quota = None;
    profile
}

/// The values on which a row depends.
#[derive(Clone, Debug, Default)]
struct Evidence {
    /// Keys of values that a paper gives.
    papers: Vec<String>,
    /// Keys of other values.
    others: Vec<String>,
    /// Whether a value that no paper gives was fitted to the row's statement.
    is_fitted: bool,
}

impl Evidence {
    fn note(&mut self, row: &Row, moved: &Moved) {
        let keys = match moved.source {
            Source::Paper(_) => &mut self.papers,
            Source::Fitted(_) | Source::Chosen => &mut self.others,
        };
        let key = moved.key.path();
        if keys.last() != Some(&key) {
            keys.push(key);
        }
        self.is_fitted |= moved.source == Source::Fitted(row.statement);
    }

    fn provenance(&self) -> Provenance {
        match (self.others.len(), self.papers.len()) {
            (0, 1) => Provenance::Input,
            (0, _) => Provenance::Accounting,
            _ if self.is_fitted => Provenance::Fitted,
            _ => Provenance::Predicted,
        }
    }
}

/// Applies `work` to each item, on all processors, and returns the results in order.
pub(super) fn each<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R, PaperError> + Sync,
) -> Vec<Result<R, PaperError>> {
    let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let share = items.len().div_ceil(processors).max(1);
    let work = &work;
    thread::scope(|scope| {
        let shares = items
            .chunks(share)
            .map(|share| scope.spawn(move || share.iter().map(work).collect::<Vec<_>>()));
        let shares = Vec::from_iter(shares);
        let done = shares.into_iter();
        done.flat_map(|share| {
            share
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
        .collect()
    })
}
