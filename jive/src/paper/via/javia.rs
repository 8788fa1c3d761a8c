//! "Interfacing Java to the Virtual Interface Architecture" (1999): the rows of VIA itself, before Java is added.

use nic_core::time::SimDuration;
use nic_runtime::profile::Profile;

use super::lab::{FlowControl, Setup};
use super::measured::{Both, Measured};
use super::{Studied, rate};
use crate::paper::report::{Agreement, Quantity, Report, Row, Tolerance};
use crate::paper::{PaperError, Progress};

const LATENCY: &str = "Table 1: raw round trips";
const BANDWIDTH: &str = "bandwidth of raw VIA";
const EMULEX: &str = "a later NIC of the same family";

/// Length of the shortest message of Table 1.
const SHORTEST: u32 = 4;

/// Reproduces the paper under a profile.
pub(in crate::paper) fn reproduce(
    profile: &Profile,
    progress: &mut dyn Progress,
) -> Result<Report, PaperError> {
    if let Some(section) = profile.lacks(&["base"]) {
        return Err(PaperError::Lacks {
            section,
            paper: "Javia",
        });
    }
    STUDIED.reproduce(profile, progress)
}

pub(super) const STUDIED: Studied = Studied {
    name: "javia",
    compared: None,
    rows,
    orders: |_| Ok(Vec::new()),
    figures: super::figures::javia,
};

/// Returns all rows under a profile, without the analysis of the values on which they depend.
fn rows(Both { own, .. }: Both<'_>) -> Result<Vec<Row>, PaperError> {
    let Measured {
        profile, rounds, ..
    } = own;
    let setup = |figure, length| Setup {
        figure,
        transfer: "auto",
        length,
        flow: FlowControl::Deferred,
    };
    let time = |paper, simulated| Agreement::time(paper, simulated, Tolerance::PerMille(10));
    let row = |statement, figure, name: String, found| Row::new(statement, figure, name, found);
    let mut rows = Vec::new();
    // The paper states the latency as 16.5 us + 25 ns for each byte after the fourth.
    for (length, ns) in [
        (SHORTEST, 16_500),
        (1_000, 41_400),
        (8_192, 221_200),
        (32_768, 835_600),
    ] {
        let found = setup(LATENCY, length).round_trip(profile)?;
        let found = time(SimDuration::from_ns(ns), found);
        let row = row("S2-22", LATENCY, format!("{length} B"), found);
        // The paper prints only the first round trip and the slope.
        let is_printed = length == SHORTEST;
        rows.push(if is_printed { row } else { row.derived() });
    }
    let rate_8k = setup(BANDWIDTH, 8_192).rate(profile, rounds.streamed)?;
    rows.push(row(
        "S2-23",
        BANDWIDTH,
        "8 KiB: 80 MB/s".to_owned(),
        rate(640, rate_8k, Tolerance::PerMille(20)),
    ));
    for (length, stated) in [(0, "6.6"), (4, "7.5"), (40, "9.5")] {
        let half = setup(EMULEX, length).half_trip(profile)?;
        let name = format!("half of {length} B (Emulex: {stated})");
        let found = Agreement::Measured(Quantity::Time(half));
        rows.push(row("S5-25", EMULEX, name, found));
    }
    Ok(rows)
}
