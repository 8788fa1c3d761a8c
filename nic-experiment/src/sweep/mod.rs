//! Sweeps: a scenario is run for every combination of values, with several seeds each.

mod columns;
mod metric;
mod pack;
mod plan;
mod row;
mod store;
mod table;
mod values;

use std::num::NonZeroUsize;
use std::thread;

pub use metric::Metric;
pub use plan::{Axis, PLAN_NAME, Plan, Shard};
pub use row::Row;
pub use store::{Store, journal_of};
pub use table::{CurvePoint, Mean, Means, Point, Table};

use crate::in_order::{Happened, in_order};

/// How many runs are handed to the threads at a time, so that a plan of many runs needs no list of all of them.
const AT_A_TIME: usize = 1 << 14;

/// How a sweep ended that did not fail.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Swept {
    /// Every run has its row.
    Whole,
    /// The watcher stopped the sweep. The rows of finished runs are kept.
    Interrupted,
}

/// What the watcher of a sweep wants.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The sweep goes on.
    Continue,
    /// The sweep ends after the runs that have begun.
    Stop,
}

/// Runs what is missing in a store, in as many threads as there are processors unless `jobs` says how many. The rows do
/// not depend on their number. The watcher is called after each run, and several times a second, with the number of
/// finished runs.
///
/// # Errors
///
/// Returns the message for the user if a row cannot be kept.
pub fn run(
    plan: &Plan,
    store: &mut Store<'_>,
    jobs: Option<NonZeroUsize>,
    mut watcher: impl FnMut(u64) -> Wish,
) -> Result<Swept, String> {
    let default = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let jobs = jobs.unwrap_or_else(default);
    let mut done = 0;
    loop {
        let missing: Vec<u64> = store.missing().take(AT_A_TIME).collect();
        if missing.is_empty() {
            return Ok(Swept::Whole);
        }
        let ran = in_order(
            &missing,
            jobs,
            |run| Row::of(plan, *run),
            |happened| {
                if let Happened::Done(_, row) = happened {
                    store.add(row).map_err(Some)?;
                    done += 1;
                }
                match watcher(done) {
                    Wish::Continue => Ok(()),
                    Wish::Stop => Err(None),
                }
            },
        );
        match ran {
            Ok(()) => {}
            Err(None) => return Ok(Swept::Interrupted),
            Err(Some(message)) => return Err(message),
        }
    }
}
