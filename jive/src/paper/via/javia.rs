//! "Interfacing Java to the Virtual Interface Architecture" (1999): the rows of VIA itself, and of Java programs over it.

use nic_core::time::SimDuration;
use nic_runtime::profile::Profile;

use super::lab::{FlowControl, Setup};
use super::measured::{Both, Measured};
use super::programs_in_java::{JavaSetup, Variant};
use super::{Rounds, Studied, rate};
use crate::paper::report::{Agreement, Quantity, Report, Row, Tolerance};
use crate::paper::{PaperError, Progress};

const LATENCY: &str = "Table 1: raw round trips";
const BANDWIDTH: &str = "bandwidth of raw VIA";
const TABLES: &str = "Tables 1 and 2";
const FIGURES: &str = "Figures 3 and 6: bandwidth";

/// The rows with which `giganet-1999` does not agree.
pub(in crate::paper) const PIN_CROSSES_COPY: &str = "pin overtakes copy between 4 and 8 KiB";
pub(in crate::paper) const JAVIA_PEAK: &str = "peak of Javia-I, at 32 KiB: 70 MB/s";

const EMULEX: &str = "a later NIC of the same family";

/// Length of the shortest message of Table 1.
const SHORTEST: u32 = 4;

/// Reproduces the paper under a profile.
pub(in crate::paper) fn reproduce(
    profile: &Profile,
    progress: &mut dyn Progress,
) -> Result<Report, PaperError> {
    if let Some(section) = profile.lacks(&["base", "javia"]) {
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
    let rounds = *rounds;
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
    rows.extend(in_java(profile, rounds)?);
    Ok(rows)
}

/// What Table 1 and Table 2 say of a variant: the ids of the two cells, the round trip of 4 bytes in ns, and the time of
/// each further byte in ns, with the tolerance of the latter.
type Cells = (Variant, [&'static str; 2], u64, (u64, Tolerance));

const CELLS: [Cells; 4] = [
    (
        Variant::CopyAlloc,
        ["S2-22e", "S2-22f"],
        18_000,
        (55, Tolerance::PerMille(10)),
    ),
    (
        Variant::Copy,
        ["S2-22c", "S2-22d"],
        21_500,
        (42, Tolerance::PerMille(10)),
    ),
    (
        Variant::Pin,
        ["S2-22g", "S2-22h"],
        38_000,
        (38, Tolerance::PerMille(30)),
    ),
    (
        Variant::Buffer,
        ["S2-22a", "S2-22b"],
        20_500,
        (25, Tolerance::PerMille(10)),
    ),
];

const LONGEST: u32 = 32_768;

/// The rows of Java programs.
fn in_java(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let [trips, messages] = rounds.java;
    let mut rows = Vec::new();
    for (variant, [whole, per_byte], ns, (slope, tolerance)) in CELLS {
        let trip = |length| {
            let setup = JavaSetup {
                figure: TABLES,
                variant,
                length,
            };
            setup.round_trip(profile, trips)
        };
        let (short, long) = (trip(SHORTEST)?, trip(LONGEST)?);
        let found = Agreement::time(SimDuration::from_ns(ns), short, Tolerance::PerMille(10));
        let name = format!("{}, {SHORTEST} B", variant.name());
        rows.push(Row::new(whole, TABLES, name, found));
        let bytes = u64::from(LONGEST - SHORTEST);
        let each = SimDuration::from_ps(long.less(short).as_ps() / bytes);
        let found = Agreement::time(SimDuration::from_ns(slope), each, tolerance);
        let name = format!("{}, each byte up to 32 KiB", variant.name());
        rows.push(Row::new(per_byte, TABLES, name, found));
    }
    let java = |variant, length| {
        let setup = JavaSetup {
            figure: FIGURES,
            variant,
            length,
        };
        setup.rate(profile, messages)
    };
    let share = |variant: Variant, length: u32| -> Result<Quantity, PaperError> {
        let raw = Setup {
            figure: FIGURES,
            transfer: "auto",
            length,
            flow: FlowControl::Deferred,
        };
        let raw = raw.rate(profile, rounds.streamed)?.max(1);
        let part = java(variant, length)?.saturating_mul(10_000) / raw;
        Ok(Quantity::Share(i64::try_from(part).unwrap_or(i64::MAX)))
    };
    // The paper gives ranges: 97 to 99 %, 70 to 75 %, and about 85 % for messages longer than 6 KB.
    for (statement, variant, of_raw, points, lengths) in [
        (
            "S2-23a",
            Variant::Buffer,
            9_800,
            30,
            [1_024, 8_192, LONGEST],
        ),
        ("S2-23b", Variant::Copy, 7_250, 25, [4_096, 8_192, LONGEST]),
        ("S2-23c", Variant::Pin, 8_500, 20, [8_192, 16_384, LONGEST]),
    ] {
        for length in lengths {
            let found = Agreement::Stated {
                paper: Quantity::Share(of_raw),
                simulated: share(variant, length)?,
                tolerance: Tolerance::Points(points),
            };
            let name = format!("{} of raw, {} KiB", variant.name(), length / 1_024);
            rows.push(Row::new(statement, FIGURES, name, found));
        }
    }
    let pin_is_faster = |length| -> Result<bool, PaperError> {
        Ok(java(Variant::Pin, length)? > java(Variant::Copy, length)?)
    };
    let holds = !pin_is_faster(4_096)? && pin_is_faster(8_192)?;
    let found = Agreement::Order { holds };
    rows.push(Row::new(
        "S2-23d",
        FIGURES,
        PIN_CROSSES_COPY.to_owned(),
        found,
    ));
    let peak = java(Variant::Copy, LONGEST)?.max(java(Variant::Pin, LONGEST)?);
    let found = rate(560, peak, Tolerance::PerMille(10));
    rows.push(Row::new("S2-23e", FIGURES, JAVIA_PEAK.to_owned(), found));
    Ok(rows)
}
