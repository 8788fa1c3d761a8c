//! Figure 5: the overhead of U-Net/SLE compared with standard U-Net, broken down by cost.
//!
//! An overhead is measured from events: the extra time that the processor works on a message compared with the base
//! path, without transfers. The value of a row is the decrease of the overhead when the row's cost in the profile is
//! set to zero.

use nic_core::event::DmaDirection;
use nic_core::id::EndpointId;
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::profile::{EntryCosts, NativeCosts, Profile};

use super::PaperError;
use super::lab::{Happening, Recording, Setup};
use super::report::{Agreement, Bar, BarChart, Drawing, Row, Tolerance, microseconds};

const FIGURE: &str = "Figure 5";
const NOTHING: PaperError = PaperError::NothingMeasured { figure: FIGURE };

/// The applet that the figure measures: the paper's Figure 2, corrected.
const APPLET: &str = "RawUnetSingle";

/// A column of the figure's two halves.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Column {
    Transmit(u32),
    Receive(u32),
}

/// The statement for each column.
const STATEMENTS: [&str; COLUMNS.len()] = ["S1-37", "S1-37", "S1-38", "S1-39"];

const COLUMNS: [Column; 4] = [
    Column::Transmit(40),
    Column::Transmit(1000),
    Column::Receive(40),
    Column::Receive(1000),
];

/// A row of the figure: its name, the cost in the profile, and the paper's value for each column in ns.
struct CostRow {
    name: &'static str,
    part: Part,
    cost: fn(&mut Profile) -> &mut SimDuration,
    printed_ns: [u64; COLUMNS.len()],
}

/// The parts of a bar: the rows of the figure, with the two sides merged.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Part {
    SetUp,
    Call,
    FreeBuffer,
    Dma,
    Transmit,
    Descriptor,
}

const PARTS: [(Part, &str); 6] = [
    (Part::SetUp, "check for classfile, set up call"),
    (Part::Call, "call applet method and return"),
    (Part::FreeBuffer, "get free buffer"),
    (Part::Dma, "DMA set-up"),
    (Part::Transmit, "transmit data"),
    (Part::Descriptor, "Rx descriptor DMA"),
];

const SETUP: &str = "check for classfile, set up applet call";

const COST_ROWS: [CostRow; 9] = [
    CostRow {
        name: SETUP,
        part: Part::SetUp,
        cost: |profile| &mut entry(profile).tx_setup,
        printed_ns: [700, 700, 0, 0],
    },
    CostRow {
        name: "call applet doTx method and return",
        part: Part::Call,
        cost: |profile| &mut entry(profile).tx_call,
        printed_ns: [3_900, 3_900, 0, 0],
    },
    CostRow {
        name: SETUP,
        part: Part::SetUp,
        cost: |profile| &mut entry(profile).rx_setup,
        printed_ns: [0, 0, 600, 600],
    },
    CostRow {
        name: "call applet doRx method and return",
        part: Part::Call,
        cost: |profile| &mut entry(profile).rx_call,
        printed_ns: [0, 0, 3_200, 3_200],
    },
    CostRow {
        name: "get free buffer",
        part: Part::FreeBuffer,
        cost: |profile| &mut native(profile).free_buffer,
        printed_ns: [0, 0, 0, 5_850],
    },
    CostRow {
        name: "DMA set-up overhead",
        part: Part::Dma,
        cost: |profile| &mut native(profile).dma_setup,
        printed_ns: [11_800, 11_800, 0, 11_800],
    },
    CostRow {
        name: "transmit data overhead",
        part: Part::Transmit,
        cost: |profile| &mut native(profile).transmit,
        printed_ns: [8_100, 8_100, 0, 0],
    },
    CostRow {
        name: "do Rx descriptor DMA",
        part: Part::Descriptor,
        cost: |profile| &mut native(profile).descriptor_inline,
        printed_ns: [0, 0, 12_900, 0],
    },
    CostRow {
        name: "do Rx descriptor DMA",
        part: Part::Descriptor,
        cost: |profile| &mut native(profile).descriptor_buffers,
        printed_ns: [0, 0, 0, 21_000],
    },
];

// The access cannot fail: a profile without the sections for applets is refused before anything is measured.
fn entry(profile: &mut Profile) -> &mut EntryCosts {
    profile.entry.as_mut().expect("a profile for applets")
}

fn native(profile: &mut Profile) -> &mut NativeCosts {
    profile.native.as_mut().expect("a profile for applets")
}

/// The paper's total for each column, of which the paper prints the last one as 42.5 us.
const TOTALS_NS: [u64; COLUMNS.len()] = [24_500, 24_500, 16_700, 42_450];

const NULL_CALL_NS: u64 = 5_500;

/// Measures a column. Returns each row's share of the total, in the order of [`COST_ROWS`], and the total.
fn measure(
    profile: &Profile,
    column: Column,
) -> Result<([SimDuration; COST_ROWS.len()], SimDuration), PaperError> {
    let total = column.overhead(profile, APPLET)?;
    let mut parts = [SimDuration::ZERO; COST_ROWS.len()];
    for (part, row) in parts.iter_mut().zip(&COST_ROWS) {
        let rest = column.overhead(&without(profile, row.cost), APPLET)?;
        *part = total.less(rest);
    }
    Ok((parts, total))
}

/// Returns the figure's rows.
pub(super) fn rows(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    let mut rows = Vec::new();
    for (index, column) in COLUMNS.into_iter().enumerate() {
        let statement = STATEMENTS[index];
        let (parts, total) = measure(profile, column)?;
        for (row, part) in COST_ROWS.iter().zip(parts) {
            let printed = row.printed_ns[index];
            if printed != 0 {
                rows.push(stated(statement, column, row.name, printed, part));
            }
        }
        let row = stated(statement, column, "total", TOTALS_NS[index], total);
        // The paper rounds the total of the last column.
        let is_printed = index + 1 < COLUMNS.len();
        rows.push(if is_printed { row } else { row.derived() });
    }
    let call = Column::Transmit(40);
    let cost: fn(&mut Profile) -> &mut SimDuration = |profile| &mut native(profile).null_call;
    let rest = call.overhead(&without(profile, cost), "NullCall")?;
    let part = call.overhead(profile, "NullCall")?.less(rest);
    let name = "(null native method call)";
    rows.push(stated("S1-40", call, name, NULL_CALL_NS, part));
    Ok(rows)
}

/// Returns the figure as stacked bars.
pub(super) fn plots(profile: &Profile) -> Result<Vec<Drawing>, PaperError> {
    let mut bars = Vec::new();
    for (index, column) in COLUMNS.into_iter().enumerate() {
        let mut bar = column.bar(TOTALS_NS[index]);
        let (parts, _) = measure(profile, column)?;
        for (row, part) in COST_ROWS.iter().zip(parts) {
            let of_part = PARTS.iter().zip(&mut bar.parts);
            for (_, length) in of_part.filter(|((of, _), _)| *of == row.part) {
                *length += microseconds(part);
            }
        }
        bars.push(bar);
    }
    Ok(vec![Drawing::Bars(BarChart {
        name: "figure-5",
        title: "Overhead over standard U-Net, row by row".to_owned(),
        label: "overhead (us)",
        parts: PARTS.iter().map(|&(_, name)| name).collect(),
        bars,
    })])
}

fn without(profile: &Profile, cost: fn(&mut Profile) -> &mut SimDuration) -> Profile {
    let mut changed = profile.clone();
    *cost(&mut changed) = SimDuration::ZERO;
    changed
}

fn stated(
    statement: &str,
    column: Column,
    name: &str,
    paper_ns: u64,
    simulated: SimDuration,
) -> Row {
    let name = format!("{}: {name}", column.name());
    let found = Agreement::time(SimDuration::from_ns(paper_ns), simulated, Tolerance::Exact);
    Row::new(statement, FIGURE, name, found)
}

impl Column {
    fn name(self) -> String {
        let (side, length) = match self {
            Column::Transmit(length) => ("transmit", length),
            Column::Receive(length) => ("receive", length),
        };
        format!("{side} {length} B")
    }

    /// Returns a bar with empty parts.
    fn bar(self, stated_ns: u64) -> Bar {
        Bar {
            name: self.name(),
            parts: vec![0.0; PARTS.len()],
            stated: microseconds(SimDuration::from_ns(stated_ns)),
        }
    }

    fn overhead(self, profile: &Profile, applet: &str) -> Result<SimDuration, PaperError> {
        let setup = Setup {
            applet: Some(applet),
            ..Setup::ONE
        };
        match self {
            Column::Transmit(length) => transmit_overhead(profile, Setup { length, ..setup }),
            Column::Receive(length) => receive_overhead(profile, Setup { length, ..setup }),
        }
    }
}

/// Returns how much longer the sender's processor works on a message than on the base path, without transfers.
pub(super) fn transmit_overhead(
    profile: &Profile,
    setup: Setup<'_>,
) -> Result<SimDuration, PaperError> {
    let id = Setup::sender(0);
    let begins = |happening| happening == Happening::Posted;
    let with = Span {
        begins,
        ends: |happening| matches!(happening, Happening::Returned),
    };
    // The base path finishes a message when it hands the message to the wire.
    let base = Span {
        begins,
        ends: |happening| matches!(happening, Happening::Left(_)),
    };
    let applet = with.busy(&setup.run(profile)?, id)?;
    let plain = Setup {
        applet: None,
        ..setup
    };
    Ok(applet.less(base.busy(&plain.run(profile)?, id)?))
}

/// Returns how much longer the receiver's processor works on a message than on the base path. The transfer of the
/// message into the buffer area runs in parallel and does not count.
pub(super) fn receive_overhead(
    profile: &Profile,
    setup: Setup<'_>,
) -> Result<SimDuration, PaperError> {
    let id = Setup::receiver(0);
    let begins = |happening| matches!(happening, Happening::Came(_));
    let with = Span {
        begins,
        ends: |happening| matches!(happening, Happening::Returned),
    };
    let applet = with.busy(&setup.run(profile)?, id)?;
    let plain = Setup {
        applet: None,
        ..setup
    };
    // On the base path, the receiver's processor handles a message in one piece of work.
    let recording = plain.run(profile)?;
    let came = recording.first(id, begins).ok_or(NOTHING)?;
    let done = recording.worked(came).ok_or(NOTHING)?;
    Ok(applet.less(done.since(came)))
}

/// The events that begin and end a processor's work on a message.
struct Span {
    begins: fn(Happening) -> bool,
    ends: fn(Happening) -> bool,
}

impl Span {
    /// Returns the time between the first and the last event, without the time that the processor waits for bytes from
    /// the host.
    fn busy(&self, recording: &Recording, id: EndpointId) -> Result<SimDuration, PaperError> {
        let begun: SimTime = recording.first(id, self.begins).ok_or(NOTHING)?;
        let ended = recording.first(id, self.ends).ok_or(NOTHING)?;
        let waited = recording
            .at(id)
            .filter_map(|(_, happening)| match happening {
                Happening::Transfer {
                    direction: DmaDirection::HostToNic,
                    takes,
                } => Some(takes),
                _ => None,
            })
            .fold(SimDuration::ZERO, |sum, takes| sum + takes);
        Ok(ended.since(begun).less(waited))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(profile: &Profile) -> [u64; COLUMNS.len()] {
        COLUMNS.map(|column| column.overhead(profile, APPLET).unwrap().as_ps())
    }

    #[test]
    fn a_changed_row_moves_exactly_the_totals_that_contain_it() {
        let profile = Profile::builtin("lanai-1998").unwrap();
        let before = totals(&profile);
        assert_eq!(before, TOTALS_NS.map(|ns| ns * 1000));
        for row in &COST_ROWS {
            let mut changed = profile.clone();
            let cost = (row.cost)(&mut changed);
            *cost += SimDuration::from_ns(13);
            let mut expected = before;
            for (total, printed) in expected.iter_mut().zip(row.printed_ns) {
                if printed != 0 {
                    *total += 13_000;
                }
            }
            assert_eq!(totals(&changed), expected, "{}", row.name);
        }
    }

    #[test]
    fn the_figure_comes_out_to_the_digit() {
        let profile = Profile::builtin("lanai-1998").unwrap();
        let rows = rows(&profile).unwrap();
        // The rows are 4 + 4 + 3 + 5 costs, 4 totals, and the null call.
        assert_eq!(rows.len(), 21);
        let off: Vec<&Row> = rows.iter().filter(|row| !row.holds()).collect();
        assert_eq!(off, Vec::<&Row>::new());
    }
}
