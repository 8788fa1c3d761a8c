//! "Scalable Network of Workstation Clusters": LMMC, communication as memory that the operating system pages.
//!
//! The paper has no measured number. Every row shows a value, or checks a behaviour, a count or an order that the paper
//! states.
//!
//! - `lab` runs processes with scripts at ports
//! - `relations` has the rows about traps, faults, gathered writes and bytes
//! - `waking` has the rows about processes that wait, and about stores that stand still
//! - `drawings` draws one remote paging, and faults against ports per frame

mod drawings;
mod lab;
mod relations;
mod waking;

use nic_runtime::profile::Profile;

use super::provenance::Used;
use super::report::{Agreement, Quantity, Report, Row, Tolerance};
use super::{PaperError, Progress, held, provenance, ranges};

/// How often something is done in a measurement.
#[derive(Copy, Clone, Debug)]
struct Rounds {
    /// Writes of ordinary traffic.
    writes: u32,
    /// How often each port is written in turn.
    turns: u32,
    /// Loads of a process that polls.
    polls: u32,
    /// Round trips between processes that share a processor.
    trips: u32,
}

const ROUNDS: Rounds = Rounds {
    writes: 100_000,
    turns: 100,
    polls: 10_000,
    trips: 50,
};

/// Rounds of a measurement that only shows whether a value of the profile moves a row.
const FEW: Rounds = Rounds {
    writes: 200,
    turns: 4,
    polls: 20,
    trips: 5,
};

/// Reproduces the paper's relations under a profile.
pub(super) fn reproduce(
    profile: &Profile,
    progress: &mut dyn Progress,
) -> Result<Report, PaperError> {
    const STEPS: usize = 4;
    if let Some(section) = profile.lacks(&["lmmc"]) {
        return Err(PaperError::Lacks {
            section,
            paper: "LMMC",
        });
    }
    progress.part(0, STEPS, "relations");
    let mut report = Report::new("lmmc", profile.name.clone());
    report.rows = rows(profile, ROUNDS)?;
    progress.part(1, STEPS, "what hangs on which value");
    provenance::trace_shorter(&[Used::own(profile, &few)], &mut report.rows)?;
    progress.part(2, STEPS, "where the orders hold");
    ranges::trace(&[Used::own(profile, &orders)], &mut report.rows);
    progress.part(3, STEPS, "figures");
    report.plots = drawings::plots(profile)?;
    Ok(report)
}

/// Returns all rows from few rounds.
pub(super) fn few(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    rows(profile, FEW)
}

fn orders(profile: &Profile) -> Result<Vec<bool>, PaperError> {
    Ok(held(&few(profile)?))
}

fn rows(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let mut rows = relations::rows(profile, rounds)?;
    rows.extend(waking::rows(profile, rounds)?);
    Ok(rows)
}

fn row(statement: &str, figure: &'static str, name: &str, found: Agreement) -> Row {
    Row::new(statement, figure, name.to_owned(), found)
}

/// Returns the comparison of a count with what it must be.
fn count(paper: u64, simulated: u64) -> Agreement {
    Agreement::Stated {
        paper: Quantity::Count(paper),
        simulated: Quantity::Count(simulated),
        tolerance: Tolerance::Exact,
    }
}

/// Returns a profile with other values of LMMC.
fn with(profile: &Profile, change: impl FnOnce(&mut nic_runtime::profile::LmmcCosts)) -> Profile {
    let mut profile = profile.clone();
    if let Some(lmmc) = &mut profile.lmmc {
        change(lmmc);
    }
    profile
}

/// Returns a profile with this number of frames in each direction of a link.
fn with_frames(profile: &Profile, frames: u32) -> Profile {
    with(profile, |lmmc| {
        lmmc.frames = std::num::NonZeroU32::new(frames).unwrap_or(std::num::NonZeroU32::MIN);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile() -> Profile {
        Profile::builtin("lmmc-1997").expect("it is built in")
    }

    #[test]
    fn every_relation_of_lmmc_holds() {
        let rows = rows(&profile(), ROUNDS).expect("the experiments run");
        let off: Vec<&Row> = rows.iter().filter(|row| !row.holds()).collect();
        assert_eq!(off, Vec::<&Row>::new());
        assert_eq!(rows.len(), 30);
    }

    #[test]
    fn a_profile_without_lmmc_is_refused() {
        let error = reproduce(&Profile::builtin("lanai-1998").unwrap(), &mut ()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the profile has no section `[lmmc]`, which LMMC needs"
        );
    }
}
