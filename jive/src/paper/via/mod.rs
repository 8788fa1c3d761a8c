//! Two papers about VIA. Over a CLAN network, a library on the host writes to remote memory. On a Giganet NIC, the paper
//! about Javia measures VIA before it adds Java.
//!
//! - `figures` draws the papers' figures
//! - `lab` runs messages and round trips between VIs, and `programs` programs without VIA
//! - `clan` has the rows of "VIA over the CLAN network" (2001)
//! - `javia` has the rows of VIA itself from "Interfacing Java to the Virtual Interface Architecture" (1999)

mod clan;
mod figures;
mod javia;
mod lab;
mod programs;

use nic_runtime::profile::Profile;

pub(super) use self::clan::{OWN_BUSY, USER_BELOW_TAILORED, reproduce as clan};
pub(super) use self::javia::reproduce as javia;
use super::report::{Agreement, Drawing, Quantity, Report, Row, Tolerance};
use super::{Disagreement, PaperError, Progress, provenance, ranges};

/// How many messages are sent in a measurement.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rounds {
    /// Messages of each stream.
    streamed: u32,
    /// Messages of each client of a server with a completion queue.
    requests: u32,
    /// How long the half round trips beside a stream are measured, in hundreds of microseconds.
    beside: u32,
    /// How often a server answers each of its clients. The second half is measured.
    served: u32,
    /// By how many tenths of a percent the answers of a server may differ between two numbers of outstanding requests.
    /// Answers come in bursts, so a few rounds show less exactly than many that a server loses nothing under load.
    even: u64,
    /// As many outstanding requests as keep a server busy.
    busy: u32,
    /// The most outstanding requests of a server.
    most: u32,
    /// Numbers of VIs of a server whose clients send all requests at once.
    vis: [u32; 2],
}

const ROUNDS: Rounds = Rounds {
    streamed: 200,
    requests: 4,
    beside: 30,
    served: 24,
    even: 10,
    busy: 64,
    most: 256,
    vis: [64, 512],
};

/// Messages of a measurement that only shows whether a value of the profile moves a row.
const FEW: Rounds = Rounds {
    streamed: 24,
    requests: 1,
    beside: 4,
    served: 12,
    even: 60,
    busy: 8,
    most: 12,
    vis: [8, 16],
};

/// Returns the rows that a paper's runs show under a profile.
type Rows = fn(&Profile, Rounds) -> Result<Vec<Row>, PaperError>;

/// Returns whether each order among the rows holds under a profile.
type Orders = fn(&Profile) -> Result<Vec<bool>, PaperError>;

/// Returns the figures of a paper under a profile.
type Figures = fn(&Profile) -> Result<Vec<Drawing>, PaperError>;

/// Measures all rows of a paper, and determines the values of the profile on which they depend.
fn reproduce(
    (name, rows, orders, figures): (&'static str, Rows, Orders, Figures),
    profile: &Profile,
    progress: &mut dyn Progress,
) -> Result<Report, PaperError> {
    const STEPS: usize = 4;
    progress.part(0, STEPS, "messages and round trips");
    let mut report = Report::new(name, profile.name.clone());
    report.rows = rows(profile, ROUNDS)?;
    for row in &mut report.rows {
        row.disagreement = Disagreement::of(&profile.name, &row.name);
    }
    progress.part(1, STEPS, "what hangs on which value");
    let mut profile = provenance::without_applets(profile);
    profile.emp = None;
    provenance::trace_shorter(&profile, &mut report.rows, |profile| rows(profile, FEW))?;
    progress.part(2, STEPS, "where the orders hold");
    ranges::trace(&profile, &mut report.rows, orders);
    progress.part(3, STEPS, "figures");
    report.plots = figures(&profile)?;
    Ok(report)
}

/// Returns the comparison of rates in Mbit/s with a simulated rate in kbit/s.
fn rate(paper: u64, simulated: u64, tolerance: Tolerance) -> Agreement {
    Agreement::Stated {
        paper: Quantity::Rate(paper * 1_000),
        simulated: Quantity::Rate(simulated),
        tolerance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_both_papers_is_within_its_tolerance() {
        for (profile, rows, count) in [
            ("clan-2001", clan::rows as Rows, 64),
            ("giganet-1999", javia::rows as Rows, 8),
        ] {
            let profile = Profile::builtin(profile).expect("a built-in profile");
            let mut rows = rows(&profile, ROUNDS).expect("the setups run");
            for row in &mut rows {
                row.disagreement = Disagreement::of(&profile.name, &row.name);
            }
            let off: Vec<&Row> = rows.iter().filter(|row| !row.holds()).collect();
            assert_eq!(off, Vec::<&Row>::new());
            assert_eq!(rows.len(), count);
        }
    }
}
