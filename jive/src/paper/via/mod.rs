//! Two papers about VIA. Over a CLAN network, a library on the host writes to remote memory. On a Giganet NIC, the paper
//! about Javia measures VIA before it adds Java.
//!
//! - `figures` draws the papers' figures
//! - `lab` runs messages and round trips between VIs, and `programs` programs without VIA
//! - `measured` keeps what is measured under a profile
//! - `clan` has the rows of "VIA over the CLAN network" (2001)
//! - `emulated` has the rows of VIA in a kernel, which the paper about CLAN quotes
//! - `programs_in_java` runs Java programs over VIA
//! - `javia` has the rows of "Interfacing Java to the Virtual Interface Architecture" (1999)

mod clan;
mod emulated;
mod figures;
mod javia;
mod lab;
mod measured;
mod programs;
mod programs_in_java;

use nic_runtime::profile::Profile;

pub(super) use self::clan::{OWN_BUSY, USER_BELOW_TAILORED, reproduce as clan};
pub(super) use self::javia::{JAVIA_PEAK, PIN_CROSSES_COPY, reproduce as javia};
use self::measured::{Both, Measured};
pub(super) use self::programs_in_java::Variant;
use super::provenance::Used;
use super::report::{Agreement, Drawing, Quantity, Report, Row, Tolerance};
use super::{Disagreement, ONE_PORT, PaperError, Progress, note_one_port, provenance, ranges};

/// How many messages are sent in a measurement.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rounds {
    /// Messages of each stream.
    streamed: u32,
    /// Round trips of Java programs, and messages of their streams.
    java: [u32; 2],
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
    java: [24, 128],
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
    java: [8, 48],
    requests: 1,
    beside: 4,
    served: 12,
    even: 60,
    busy: 8,
    most: 12,
    vis: [8, 16],
};

/// A paper about VIA, and how its results are measured.
struct Studied {
    name: &'static str,
    /// The built-in profile of the NIC with which the paper compares its own.
    compared: Option<&'static str>,
    /// Returns the rows that runs under these profiles show.
    rows: fn(Both<'_>) -> Result<Vec<Row>, PaperError>,
    /// Returns whether each order among the rows holds.
    orders: fn(Both<'_>) -> Result<Vec<bool>, PaperError>,
    figures: fn(&Profile) -> Result<Vec<Drawing>, PaperError>,
}

impl Studied {
    /// Measures all rows, and determines the values of the profiles on which they depend.
    fn reproduce(
        &self,
        profile: &Profile,
        progress: &mut dyn Progress,
    ) -> Result<Report, PaperError> {
        const STEPS: usize = 5;
        progress.part(0, STEPS, "messages and round trips");
        let mut report = Report::new(self.name, profile.name.clone());
        report.rows = self.rows_under(profile, None, ROUNDS)?;
        for row in &mut report.rows {
            row.disagreement = Disagreement::of(&profile.name, &row.name);
        }
        progress.part(1, STEPS, ONE_PORT);
        note_one_port(profile, &mut report.rows, |profile| {
            // The paper's switch joins the NICs of comparison too.
            let compared = self.compared.and_then(Profile::builtin);
            self.rows_under(profile, compared.map(Profile::switched).as_ref(), ROUNDS)
        })?;
        progress.part(2, STEPS, "what hangs on which value");
        self.trace(profile, &mut report.rows, &mut || {
            progress.part(3, STEPS, "where the orders hold");
        })?;
        progress.part(4, STEPS, "figures");
        report.plots = (self.figures)(profile)?;
        Ok(report)
    }

    /// Returns the profile of the NIC of comparison; if there is none, that of the paper's own NIC.
    fn compared(&self, own: &Profile) -> Profile {
        let compared = self.compared.and_then(Profile::builtin);
        compared.unwrap_or_else(|| own.clone())
    }

    /// Returns the rows under a profile and that of the NIC of comparison, which is the built-in one unless it is given.
    fn rows_under(
        &self,
        profile: &Profile,
        compared: Option<&Profile>,
        rounds: Rounds,
    ) -> Result<Vec<Row>, PaperError> {
        let builtin = self.compared(profile);
        (self.rows)(Both {
            own: &Measured::new(profile, rounds),
            compared: &Measured::new(compared.unwrap_or(&builtin), rounds),
        })
    }

    /// Determines on which values of the profiles the rows depend: first the rows, and after `next` their orders.
    fn trace(
        &self,
        profile: &Profile,
        rows: &mut [Row],
        next: &mut dyn FnMut(),
    ) -> Result<(), PaperError> {
        let [own, compared] = [profile, &self.compared(profile)].map(|profile| {
            let mut profile = provenance::without_applets(profile);
            profile.emp = None;
            profile
        });
        let unmoved = Unmoved {
            own: Measured::new(&own, FEW),
            compared: Measured::new(&compared, FEW),
        };
        let with_own = |profile: &Profile| unmoved.with_own(profile, self.rows);
        let with_compared = |profile: &Profile| unmoved.with_compared(profile, self.rows);
        let used = [
            Used::own(&own, &with_own),
            Used::compared(&compared, &with_compared),
        ];
        let profiles = if self.compared.is_some() { 2 } else { 1 };
        provenance::trace_shorter(&used[..profiles], rows)?;
        next();
        let with_own = |profile: &Profile| unmoved.with_own(profile, self.orders);
        let with_compared = |profile: &Profile| unmoved.with_compared(profile, self.orders);
        let used = [
            Used::own(&own, &with_own),
            Used::compared(&compared, &with_compared),
        ];
        ranges::trace(&used[..profiles], rows);
        Ok(())
    }
}

/// Returns the rows of "VIA over the CLAN network" from few messages.
pub(super) fn few_of_clan(profile: &Profile, compared: &[Profile]) -> Result<Vec<Row>, PaperError> {
    let mut rows = clan::STUDIED.rows_under(profile, compared.first(), FEW)?;
    let emulated = compared.get(1).cloned();
    rows.extend(emulated::rows(&emulated.unwrap_or_else(emulated::profile))?);
    Ok(rows)
}

/// Returns the rows of "Interfacing Java to the Virtual Interface Architecture" from few messages.
pub(super) fn few_of_javia(
    profile: &Profile,
    compared: &[Profile],
) -> Result<Vec<Row>, PaperError> {
    javia::STUDIED.rows_under(profile, compared.first(), FEW)
}

/// What is measured under the profiles as they are, while a value of one of them is moved.
struct Unmoved {
    own: Measured,
    compared: Measured,
}

impl Unmoved {
    /// Measures with another profile in place of the paper's own.
    fn with_own<R>(&self, profile: &Profile, measure: fn(Both<'_>) -> R) -> R {
        measure(Both {
            own: &Measured::new(profile, FEW),
            compared: &self.compared,
        })
    }

    /// Measures with another profile in place of that of the NIC of comparison.
    fn with_compared<R>(&self, profile: &Profile, measure: fn(Both<'_>) -> R) -> R {
        measure(Both {
            own: &self.own,
            compared: &Measured::new(profile, FEW),
        })
    }
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
        for (profile, studied, count) in [
            ("clan-2001", clan::STUDIED, 64),
            ("giganet-1999", javia::STUDIED, 27),
        ] {
            let profile = Profile::builtin(profile).expect("a built-in profile");
            let rows = studied.rows_under(&profile, None, ROUNDS);
            let mut rows = rows.expect("the setups run");
            for row in &mut rows {
                row.disagreement = Disagreement::of(&profile.name, &row.name);
            }
            let off: Vec<&Row> = rows.iter().filter(|row| !row.holds()).collect();
            assert_eq!(off, Vec::<&Row>::new());
            assert_eq!(rows.len(), count);
        }
    }
}
