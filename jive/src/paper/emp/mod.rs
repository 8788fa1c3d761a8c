//! "Can User-Level Protocols Take Advantage of Multi-CPU NICs?" (2002): EMP under five placements of its stages.
//!
//! - `lab` runs the paper's programs
//! - `tables` has Tables 1 and 2
//! - `sharing` has rates under several kinds of locks
//! - `figure` draws Figure 1, and `timeline` one message under each placement

mod figure;
mod lab;
mod sharing;
mod tables;
mod timeline;

use nic_core::time::SimDuration;
use nic_runtime::profile::Profile;

use self::lab::{Rounds, Scheme, Setup};
use super::provenance::Used;
use super::report::{Agreement, Quantity, Report, Row, Tolerance};
use super::{
    Disagreement, ONE_PORT, PaperError, Progress, held, note_one_port, provenance, ranges,
};

const FIGURE: &str = "Figure 1";

/// Messages of a measurement.
const ROUNDS: Rounds = Rounds {
    before: 20,
    measured: 200,
};

/// Messages of a measurement that only shows whether a value of the profile moves a row.
const FEW: Rounds = Rounds {
    before: 3,
    measured: 5,
};

/// Length of a short message (§6.2).
const SHORT: u32 = 10;

/// Ten full frames: the length of the messages of the bandwidths, which the paper does not give. §6.2 compares latencies
/// for "14 KB".
const STREAMED: u32 = 14_860;

/// 14 KiB: ten frames of which the last is not full.
const NOT_FULL: u32 = 14 * 1024;

/// Length of a large message, which has so many frames that [`FEW_LARGE`] messages suffice.
const LARGE: u32 = 64 * 1024;

const FEW_LARGE: Rounds = Rounds {
    before: 2,
    measured: 4,
};

const STEPS: usize = 5;

/// Reproduces the tables and the figure under a profile.
///
/// # Errors
///
/// Returns [`PaperError`] if something cannot be measured under the profile.
pub(super) fn reproduce(
    profile: &Profile,
    progress: &mut dyn Progress,
) -> Result<Report, PaperError> {
    if let Some(section) = profile.lacks(&["emp"]) {
        return Err(PaperError::Lacks {
            section,
            paper: "EMP",
        });
    }
    progress.part(0, STEPS, "tables and measurements");
    let mut report = Report::new("emp", profile.name.clone());
    report.rows = rows(profile, ROUNDS)?;
    for row in &mut report.rows {
        row.disagreement = Disagreement::of(&profile.name, &row.name);
    }
    progress.part(1, STEPS, ONE_PORT);
    note_one_port(profile, &mut report.rows, |profile| rows(profile, ROUNDS))?;
    progress.part(2, STEPS, "what hangs on which value");
    let mut profile = provenance::without_applets(profile);
    profile.base = None;
    provenance::trace_shorter(&[Used::own(&profile, &few_of_own)], &mut report.rows)?;
    progress.part(3, STEPS, "where the orders hold");
    let orders = Used::own(&profile, &orders_that_hold);
    ranges::trace(&[orders], &mut report.rows);
    progress.part(4, STEPS, FIGURE);
    report.rows.extend(sharing_rows()?);
    report.plots = figure::plots(&profile)?;
    report.plots.extend(timeline::plots(&profile)?);
    Ok(report)
}

/// Returns all rows from few messages, those of the records that processors share under a profile of their own.
pub(super) fn few(profile: &Profile, sharing: Option<&Profile>) -> Result<Vec<Row>, PaperError> {
    let mut found = few_of_own(profile)?;
    let built_in = profile_of_sharing();
    found.extend(sharing::rows(sharing.unwrap_or(&built_in), FEW)?);
    Ok(found)
}

fn few_of_own(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    rows(profile, FEW)
}

/// The built-in profile of the same NIC with the costs of locks and of memories.
pub(super) const SHARING: &str = "tigon2-2002-locks";

fn profile_of_sharing() -> Profile {
    Profile::builtin(SHARING).expect("it is built in")
}

/// Returns the rows of the records that processors share, with the values on which they depend.
fn sharing_rows() -> Result<Vec<Row>, PaperError> {
    let profile = profile_of_sharing();
    let mut found = sharing::rows(&profile, ROUNDS)?;
    note_one_port(&profile, &mut found, |profile| {
        sharing::rows(profile, ROUNDS)
    })?;
    let few = |profile: &Profile| sharing::rows(profile, FEW);
    provenance::trace_shorter(&[Used::compared(&profile, &few)], &mut found)?;
    Ok(found)
}

/// Returns all rows under a profile, without the analysis of the values on which they depend.
fn rows(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let mut rows = tables::rows(profile)?;
    rows.extend(latencies(profile, rounds)?);
    rows.extend(bandwidths(profile, rounds)?);
    rows.push(large(profile)?);
    Ok(rows)
}

fn latencies(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let latency = |scheme, length| {
        let setup = Setup {
            scheme,
            length,
            rounds,
        };
        setup.latency(profile)
    };
    let base = latency(Scheme::Base, SHORT)?;
    let ro = latency(Scheme::Ro, SHORT)?;
    let dsr = latency(Scheme::Dsr, SHORT)?;
    let gain = |length| -> Result<i64, PaperError> {
        Ok(less(
            latency(Scheme::Base, length)?,
            latency(Scheme::Ro, length)?,
        ))
    };
    let time = |ns, found, tolerance| Agreement::time(SimDuration::from_ns(ns), found, tolerance);
    let points = Tolerance::Points(10);
    let row = |statement, name: &str, found| Row::new(statement, FIGURE, name.to_owned(), found);
    Ok(vec![
        row(
            "S3-14",
            "base, 10 B",
            time(24_310, base, Tolerance::PerMille(1)),
        ),
        row(
            "S3-15",
            "RO, 10 B",
            time(22_620, ro, Tolerance::PerMille(10)),
        ),
        row(
            "S3-17",
            "DSR, 10 B: faster than base",
            share(600, less(base, dsr), points),
        ),
        row(
            "S3-15",
            "RO, 14 KiB: faster than base",
            share(830, gain(NOT_FULL)?, Tolerance::Points(15)),
        ),
        row(
            "S3-15",
            "RO, ten full frames: faster than base",
            Agreement::Measured(Quantity::Share(gain(STREAMED)?)),
        ),
    ])
}

fn share(paper: i64, simulated: i64, tolerance: Tolerance) -> Agreement {
    Agreement::Stated {
        paper: Quantity::Share(paper),
        simulated: Quantity::Share(simulated),
        tolerance,
    }
}

/// Returns by how much one number is less than another, in hundredths of a percent of the other number.
fn part(one: u64, other: u64) -> i64 {
    let apart = i128::from(other) - i128::from(one);
    let part = apart * 10_000 / i128::from(other.max(1));
    i64::try_from(part).unwrap_or(i64::MAX)
}

/// Returns by how much a time is less than the time `of`.
fn less(of: SimDuration, time: SimDuration) -> i64 {
    part(time.as_ps(), of.as_ps())
}

/// The rates of one scheme, in kilobits a second.
#[derive(Copy, Clone, Debug)]
struct Rates {
    one_way: u64,
    both_ways: u64,
}

impl Rates {
    fn of(scheme: Scheme, profile: &Profile, rounds: Rounds) -> Result<Rates, PaperError> {
        let setup = Setup {
            scheme,
            length: STREAMED,
            rounds,
        };
        Ok(Rates {
            one_way: setup.one_way(profile)?,
            both_ways: setup.both_ways(profile)?,
        })
    }
}

fn bandwidths(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let of = |scheme| Rates::of(scheme, profile, rounds);
    let (base, so, ro) = (of(Scheme::Base)?, of(Scheme::So)?, of(Scheme::Ro)?);
    let (dsr, sr) = (of(Scheme::Dsr)?, of(Scheme::Sr)?);
    let rate = |mbit: u64, simulated, per_mille| Agreement::Stated {
        paper: Quantity::Rate(mbit * 1_000),
        simulated: Quantity::Rate(simulated),
        tolerance: Tolerance::PerMille(per_mille),
    };
    let row = |statement, name: &str, found| Row::new(statement, FIGURE, name.to_owned(), found);
    let mut rows = vec![
        row("S3-14", "base, one way", rate(840, base.one_way, 20)),
        row("S3-15a", "RO, one way", rate(964, ro.one_way, 10)),
        row("S3-18", "SR, one way, as RO", rate(964, sr.one_way, 10)).derived(),
        row(
            "S3-16a",
            "SO, one way: faster than base",
            share(0, -part(so.one_way, base.one_way), Tolerance::Points(40)),
        )
        .derived(),
        row(
            "S3-17",
            "DSR, one way: faster than base",
            Agreement::Measured(Quantity::Share(-part(dsr.one_way, base.one_way))),
        ),
        row("S3-14", "base, both ways", rate(940, base.both_ways, 10)),
        row("S3-16b", "SO, both ways", rate(1_100, so.both_ways, 10)),
    ];
    let others = [(Scheme::Ro, ro), (Scheme::Dsr, dsr), (Scheme::Sr, sr)];
    for (scheme, rates) in others {
        let name = format!("{}, both ways", scheme.name());
        let found = Agreement::Measured(Quantity::Rate(rates.both_ways));
        rows.push(Row::new("S3-18", FIGURE, name, found));
    }
    let splits = [so, ro, dsr, sr];
    rows.extend(order_rows(base, dsr, splits));
    let mut best = others
        .iter()
        .map(|(_, other)| so.both_ways > other.both_ways);
    let holds = best.all(|is_above| is_above);
    rows.push(row("S3-16b", SO_BEST, Agreement::Order { holds }));
    let holds = dsr.one_way > so.one_way;
    rows.push(row("S3-17", DSR_ABOVE_SO, Agreement::Order { holds }));
    Ok(rows)
}

/// Returns the rows of the orders that hold.
fn order_rows(base: Rates, dsr: Rates, splits: [Rates; 4]) -> [Row; 2] {
    let row = |statement, name: &str, holds| {
        let found = Agreement::Order { holds };
        Row::new(statement, FIGURE, name.to_owned(), found)
    };
    let mut above = splits.iter().map(|split| split.both_ways > base.both_ways);
    [
        row("S3-17", "DSR > base: one way", dsr.one_way > base.one_way),
        row(
            "S3-18",
            "SO, RO, DSR, SR > base: both ways",
            above.all(|is_above| is_above),
        ),
    ]
}

/// Returns the row of the statement on large messages.
fn large(profile: &Profile) -> Result<Row, PaperError> {
    let rate = |scheme| {
        let setup = Setup {
            scheme,
            length: LARGE,
            rounds: FEW_LARGE,
        };
        setup.both_ways(profile)
    };
    let base = rate(Scheme::Base)?;
    let mut holds = false;
    for scheme in [Scheme::So, Scheme::Ro, Scheme::Dsr, Scheme::Sr] {
        holds |= rate(scheme)? <= base;
    }
    let found = Agreement::Order { holds };
    Ok(Row::new("S3-18", FIGURE, GAIN_LOST.to_owned(), found))
}

/// The row of the statement that SO is best both ways.
pub(super) const SO_BEST: &str = "SO > RO, DSR, SR: both ways";

/// The row of the statements that one way DSR is above base, and SO is not.
pub(super) const DSR_ABOVE_SO: &str = "DSR > SO: one way";

/// The row of the statement that large messages lose the gain.
pub(super) const GAIN_LOST: &str = "base >= SO, RO, DSR or SR: both ways, 64 KiB";

/// Returns whether the orders that hold under the paper's profile, which come first, hold under another profile.
fn orders_that_hold(profile: &Profile) -> Result<Vec<bool>, PaperError> {
    let rates = |scheme| Rates::of(scheme, profile, FEW);
    let [base, dsr] = [rates(Scheme::Base)?, rates(Scheme::Dsr)?];
    let splits = [
        rates(Scheme::So)?,
        rates(Scheme::Ro)?,
        dsr,
        rates(Scheme::Sr)?,
    ];
    Ok(held(&order_rows(base, dsr, splits)))
}

#[cfg(test)]
mod tests {
    use nic_runtime::profile::Factor;

    use super::*;

    /// Returns the built-in profile with the value of one key moved up.
    fn slower(key: &str) -> Profile {
        let profile = Profile::builtin("tigon2-2002").unwrap();
        let mut moved = profile.scaled(Factor::of(5, 4)).into_iter();
        let moved = moved.find(|moved| moved.key.path() == key);
        moved.expect("a key of the profile").profile
    }

    #[test]
    fn a_slower_stage_moves_what_its_placement_says() {
        let profile = Profile::builtin("tigon2-2002").unwrap();
        let setup = |scheme, length| Setup {
            scheme,
            length,
            rounds: FEW,
        };
        let streamed = |scheme| setup(scheme, STREAMED);
        // The receiver limits the scheme base, and the wire limits RO and SR, whose second processor has time to spare.
        let one_way = |scheme, profile| streamed(scheme).one_way(profile).unwrap();
        let dma = slower("emp.receive_dma");
        assert!(one_way(Scheme::Base, &dma) < one_way(Scheme::Base, &profile));
        for scheme in [Scheme::Ro, Scheme::Sr] {
            let apart = one_way(scheme, &dma).abs_diff(one_way(scheme, &profile));
            assert!(apart < 1_000, "{scheme:?}: {apart} kbit/s");
        }
        // The sender's stages do not limit the scheme base one way; both ways, the stages of both directions share its
        // only processor.
        let bookkeeping = slower("emp.transmission");
        let apart = one_way(Scheme::Base, &bookkeeping).abs_diff(one_way(Scheme::Base, &profile));
        assert!(apart < 1_000, "{apart} kbit/s");
        let both_ways = |scheme, profile| streamed(scheme).both_ways(profile).unwrap();
        assert!(both_ways(Scheme::Base, &bookkeeping) < both_ways(Scheme::Base, &profile));
        // The acknowledgement precedes the transfer on one processor; on two processors, both run at the same time.
        let ack = slower("emp.send_ack");
        let added = |scheme| {
            let latency = |profile| setup(scheme, SHORT).latency(profile).unwrap();
            latency(&ack).less(latency(&profile)).as_ns()
        };
        // On one processor, a quarter of 2.5 us is added to the latency. In RO, the transfer took 3.75 us beside the
        // acknowledgement, and then the answer began. With the slower profile, transfer and acknowledgement run for
        // 3.85 us, and the acknowledgement needs another 0.375 us of the processor that sends the answer.
        assert_eq!((added(Scheme::Base), added(Scheme::Sr)), (625, 625));
        assert!(
            added(Scheme::Ro).abs_diff(475) <= 1,
            "{}",
            added(Scheme::Ro)
        );
    }

    #[test]
    fn a_profile_without_emp_or_a_placement_is_refused() {
        let refused = |profile: &Profile| {
            let error = reproduce(profile, &mut ()).unwrap_err();
            error.to_string()
        };
        let lanai = Profile::builtin("lanai-1998").unwrap();
        assert_eq!(
            refused(&lanai),
            "the profile has no section `[emp]`, which EMP needs"
        );
        let mut profile = Profile::builtin("tigon2-2002").unwrap();
        profile.placements.retain(|(name, _)| name != "DSR");
        assert_eq!(
            refused(&profile),
            "the profile has no `[placement.DSR]` on two processors, which EMP needs"
        );
    }
}
