//! One comparison: the same ping-pong, stream and server over the interfaces of all papers, each on its paper's own profile,
//! and all of them on one that they share.
//!
//! - `interfaces` has a row for each interface
//! - `work` runs the work, and counts what a message costs
//! - `measured` does all of the work under all of the profiles
//! - `tables` shows what was measured
//! - `relations` has the orders that the papers state

mod interfaces;
mod measured;
mod relations;
mod tables;
mod work;

use nic_runtime::profile::Profile;

use self::interfaces::INTERFACES;
use self::measured::{Measured, Rounds, all_pieces};
use super::provenance::Used;
use super::report::{Report, Row};
use super::{PaperError, Progress, ranges};

/// The built-in profile that all interfaces share.
pub(super) const COMMON: &str = "common";

/// The built-in profiles of the papers' own NICs.
pub(super) const OWN: &[&str] = &["lanai-1998", "giganet-1999", "clan-2001", "tigon2-2002"];

/// Rounds of each piece of work.
const ROUNDS: Rounds = Rounds {
    pings: 16,
    streamed: 64,
    served: 4,
    clients: 64,
};

/// Rounds of a measurement that only shows whether a value of a profile moves an order.
const FEW: Rounds = Rounds {
    pings: 2,
    streamed: 32,
    served: 2,
    clients: 8,
};

const STEPS: usize = 3;

/// Compares the interfaces. All of them are also run under the given profile.
///
/// # Errors
///
/// Returns [`PaperError`] if the profile lacks what an interface needs.
pub(super) fn reproduce(
    profile: &Profile,
    progress: &mut dyn Progress,
) -> Result<Report, PaperError> {
    let mut needs = INTERFACES.iter().flat_map(|interface| interface.needs);
    if let Some(section) = needs.find_map(|need| profile.lacks(&[need])) {
        return Err(PaperError::Lacks {
            section,
            paper: "the comparison",
        });
    }
    let mut report = Report::new("compare", profile.name.clone());
    progress.part(0, STEPS, "on the papers' own NICs");
    let own = Measured::on_own(&[], &all_pieces(), ROUNDS)?;
    progress.part(1, STEPS, "on one NIC and one host");
    let common = Measured::on(profile, &all_pieces(), ROUNDS)?;
    report.rows = relations::rows(&own, &common);
    report.tables = tables::tables(&own, &common);
    report.plots = tables::plots(&common);
    progress.part(2, STEPS, "where the relations hold");
    trace(profile, &mut report.rows)?;
    Ok(report)
}

/// Determines for which values of the profiles the relations hold.
fn trace(profile: &Profile, rows: &mut [Row]) -> Result<(), PaperError> {
    let pieces = relations::pieces();
    let own = Measured::on_own(&[], &pieces, FEW)?;
    let common = Measured::on(profile, &pieces, FEW)?;
    let both = |own: &Measured, common: &Measured| {
        let mut held = relations::held(own);
        held.extend(relations::held(common));
        held
    };
    let with_shared = |profile: &Profile| Ok(both(&own, &common.with_shared(profile, FEW)?));
    let with_own = |profile: &Profile| Ok(both(&own.with_own(profile, FEW)?, &common));
    let profiles: Vec<Profile> = OWN
        .iter()
        .filter_map(|name| Profile::builtin(name))
        .collect();
    let mut used = vec![Used::own(profile, &with_shared)];
    used.extend(profiles.iter().map(|own| Used::compared(own, &with_own)));
    ranges::trace(&used, rows);
    Ok(())
}

/// Returns the rows from few rounds. `own` has profiles in place of the built-in ones of the papers' own NICs.
pub(super) fn few(profile: &Profile, own: &[Profile]) -> Result<Vec<Row>, PaperError> {
    let pieces = relations::pieces();
    let own = Measured::on_own(own, &pieces, FEW)?;
    let common = Measured::on(profile, &pieces, FEW)?;
    Ok(relations::rows(&own, &common))
}
