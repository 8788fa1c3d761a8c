//! Determines the kind of evidence of each row. Each value of each profile that the runs use is moved in turn, and a row
//! depends on the values that change its result.

use std::num::NonZeroUsize;
use std::thread;

use nic_runtime::profile::{Key, Profile, Source};

use super::PaperError;
use super::report::{Agreement, Provenance, Row};

/// A profile that the runs of a paper use, and what is measured with another profile in its place.
#[derive(Copy, Clone)]
pub(super) struct Used<'u, R> {
    profile: &'u Profile,
    /// Whether the profile is that of a NIC with which the paper compares its own. Its keys then bear its name.
    is_compared: bool,
    measure: &'u Measure<'u, R>,
}

/// Measures under another profile.
type Measure<'u, R> = dyn Fn(&Profile) -> Result<Vec<R>, PaperError> + Sync + 'u;

impl<'u, R> Used<'u, R> {
    /// The paper's own profile.
    pub(super) fn own(profile: &'u Profile, measure: &'u Measure<'u, R>) -> Used<'u, R> {
        Used {
            profile,
            is_compared: false,
            measure,
        }
    }

    /// The profile of a NIC with which the paper compares its own.
    pub(super) fn compared(profile: &'u Profile, measure: &'u Measure<'u, R>) -> Used<'u, R> {
        Used {
            is_compared: true,
            ..Used::own(profile, measure)
        }
    }

    pub(super) fn profile(&self) -> &'u Profile {
        self.profile
    }

    pub(super) fn measure(&self, profile: &Profile) -> Result<Vec<R>, PaperError> {
        (self.measure)(profile)
    }

    /// Returns the name of a value of this profile in the evidence of rows.
    pub(super) fn path(&self, key: &Key) -> String {
        match self.is_compared {
            true => format!("{}:{}", self.profile.name, key.path()),
            false => key.path(),
        }
    }
}

/// Sets the kind of evidence of each row. Each profile measures the rows anew.
pub(super) fn trace(used: &[Used<'_, Row>], found: &mut [Row]) {
    let mut evidence = vec![Evidence::default(); found.len()];
    for used in used {
        let moves = used.profile.moves();
        let changed = each(&moves, |moved| used.measure(&moved.profile));
        for (moved, changed) in moves.iter().zip(changed) {
            // Skip a profile under which nothing can be measured.
            let Ok(changed) = changed else { continue };
            let key = used.path(moved.key);
            for ((row, changed), evidence) in found.iter().zip(&changed).zip(&mut evidence) {
                if row.found != changed.found {
                    evidence.note(row, &key, moved.source);
                }
            }
        }
    }
    for (row, evidence) in found.iter_mut().zip(evidence) {
        row.provenance = match row.found {
            Agreement::Measured(_) => Provenance::Shown,
            Agreement::Stated { .. } | Agreement::Order { .. } => evidence.provenance(),
        };
        row.moved_by = evidence.others;
    }
}

/// Sets the kind of evidence of each row by shorter measurements: each profile measures the same rows from fewer
/// messages. The first is the paper's own.
pub(super) fn trace_shorter(used: &[Used<'_, Row>], found: &mut [Row]) -> Result<(), PaperError> {
    let Some(own) = used.first() else {
        return Ok(());
    };
    let mut shorter = own.measure(own.profile)?;
    trace(used, &mut shorter);
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

/// Returns whether a value with this source was fitted to the row's statement, or to the statement that it is a part of.
pub(super) fn is_fitted(row: &Row, source: Source) -> bool {
    matches!(source, Source::Fitted(statement) if statement.covers(row.statement))
}

/// Returns whether the row's own statement gives a value with this source.
pub(super) fn is_own(row: &Row, source: Source) -> bool {
    matches!(source, Source::Paper(statement) if statement.covers(row.statement))
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
    fn note(&mut self, row: &Row, key: &str, source: Source) {
        let keys = match source {
            Source::Paper(_) => &mut self.papers,
            Source::Fitted(_) | Source::Scaled(_) | Source::Chosen => &mut self.others,
        };
        if keys.last().is_none_or(|last| last != key) {
            keys.push(key.to_owned());
        }
        self.is_fitted |= is_fitted(row, source);
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
