//! "VIA over the CLAN network" (2001): half round trips, bandwidths and a completion queue under load.

use nic_core::time::SimDuration;
use nic_runtime::profile::Profile;

use super::lab::{Setup, time_per_request};
use super::{FEW, Rounds, rate};
use crate::paper::report::{Agreement, Quantity, Report, Row, Tolerance};
use crate::paper::{PaperError, Progress};

const LATENCY: &str = "half round trips";
const BANDWIDTH: &str = "bandwidth";
const QUEUE: &str = "completion queue";

/// Length of a message that shows the limit of the processor's writes, because the fixed costs of a message hardly
/// count.
const LARGE: u32 = 32 * 1024;

/// Length of a message for which the bandwidth of DMA is close to that of the bus.
const LONG: u32 = 10 * 1024;

/// Reproduces the paper under a profile.
pub(in crate::paper) fn reproduce(
    profile: &Profile,
    progress: &mut dyn Progress,
) -> Result<Report, PaperError> {
    if let Some(section) = profile.lacks(&["via", "clan"]) {
        return Err(PaperError::Lacks {
            section,
            paper: "VIA over CLAN",
        });
    }
    super::reproduce(("clan", rows, orders), profile, progress)
}

/// Returns all rows under a profile, without the analysis of the values on which they depend.
pub(super) fn rows(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let mut rows = latencies(profile)?;
    rows.extend(bandwidths(profile, rounds)?);
    rows.push(queue(profile, rounds)?);
    Ok(rows)
}

fn latencies(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    let setup = |transfer, length| Setup {
        figure: LATENCY,
        transfer,
        length,
    };
    let time = |ns, simulated| {
        let tolerance = Tolerance::PerMille(50);
        Agreement::time(SimDuration::from_ns(ns), simulated, tolerance)
    };
    let row = |statement, name: &str, found| Row::new(statement, LATENCY, name.to_owned(), found);
    let flight = setup("pio", 0).flight(profile)?;
    let mut rows = vec![row(
        "S5-10",
        "writes of a message without bytes, from host to host",
        time(2_600, flight),
    )];
    for (statement, transfer, length, ns) in [
        ("S5-25", "pio", 0, 3_400),
        ("S5-25", "pio", 4, 4_600),
        ("S5-25", "pio", 40, 4_700),
        ("S5-25", "dma", 0, 4_400),
        ("S5-25a", "dma", 4, 6_400),
        ("S5-25a", "dma", 40, 6_800),
    ] {
        let found = time(ns, setup(transfer, length).half_trip(profile)?);
        let by = match transfer {
            "pio" => "by the processor",
            _ => "by DMA",
        };
        rows.push(row(statement, &format!("{length} B {by}"), found));
    }
    Ok(rows)
}

fn bandwidths(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let of = |transfer, length| {
        let setup = Setup {
            figure: BANDWIDTH,
            transfer,
            length,
        };
        setup.rate(profile, rounds.streamed)
    };
    let row = |statement, name: &str, found| Row::new(statement, BANDWIDTH, name.to_owned(), found);
    let by_processor = of("pio", LARGE)?;
    let by_dma = of("dma", LONG)?;
    let dips = dips(profile, rounds)?;
    Ok(vec![
        row(
            "S5-26",
            "limit of the processor's writes, 32 KiB",
            rate(370, by_processor, Tolerance::PerMille(30)),
        ),
        row(
            "S5-10a",
            "DMA, 10 KiB",
            rate(960, by_dma, Tolerance::PerMille(80)),
        ),
        row(
            "S5-26",
            "128 B < 96 B: DMA begins",
            Agreement::Order { holds: dips },
        ),
    ])
}

/// Returns whether messages of 128 bytes, which DMA moves, are slower than those of 96 bytes.
fn dips(profile: &Profile, rounds: Rounds) -> Result<bool, PaperError> {
    let of = |length| {
        let setup = Setup {
            figure: BANDWIDTH,
            transfer: "auto",
            length,
        };
        setup.rate(profile, rounds.streamed)
    };
    Ok(of(128)? < of(96)?)
}

fn orders(profile: &Profile) -> Result<Vec<bool>, PaperError> {
    Ok(vec![dips(profile, FEW)?])
}

/// Returns by how much a request takes longer with 512 VIs than with 64.
fn queue(profile: &Profile, rounds: Rounds) -> Result<Row, PaperError> {
    let of = |vis| time_per_request(QUEUE, profile, (vis, rounds.requests));
    let (few, many) = (of(64)?.as_ps(), of(512)?.as_ps());
    let more = (i128::from(many) - i128::from(few)) * 10_000 / i128::from(few.max(1));
    let found = Agreement::Stated {
        paper: Quantity::Share(0),
        simulated: Quantity::Share(i64::try_from(more).unwrap_or(i64::MAX)),
        tolerance: Tolerance::Points(50),
    };
    let name = "a request with 512 VIs: longer than with 64".to_owned();
    Ok(Row::new("S5-28", QUEUE, name, found))
}
