//! Figure 3: round-trip times against message size, and the numbers of section 4.1 about them.

use nic_core::time::SimDuration;
use nic_runtime::profile::Profile;

use super::PaperError;
use super::breakdown::{receive_overhead, transmit_overhead};
use super::lab::{Happening, Setup};
use super::report::{
    Agreement, Axis, Curve, Drawing, Mark, Plot, Quantity, Row, Tolerance, microseconds,
};

const FIGURE: &str = "Figure 3";
const NOTHING: PaperError = PaperError::NothingMeasured { figure: FIGURE };

/// Message lengths of the curves, in bytes. The figure ends at the length of Figure 2's buffer.
pub(super) const LENGTHS: [u32; 16] = [
    1, 16, 40, 56, 57, 128, 256, 512, 768, 1000, 1536, 2048, 2560, 3072, 3584, 4096,
];

const STANDARD: &str = "RawUnet";
const SIMPLIFIED: &str = "RawUnetSingle";
const PING_PONG: &str = "PingPong";

const SMALL: u32 = 40;
const LARGE: u32 = 1000;
const LONGEST: u32 = 4096;

/// The time that the standard applet adds per direction is, by §4.1, "between 41.2 (for small messages) and 99.7 (for
/// large messages)".
const STANDARD_LARGE_NS: u64 = 99_700;

/// The time that the simplified applet adds per direction, by §4.1: "the simplified applet ... 42.5".
const SIMPLIFIED_LARGE_NS: u64 = 42_500;

/// Free-buffer lengths with which the standard applet receives a message of [`LONGEST`] bytes. The paper does not give
/// the length of its free buffers.
const BUFFERS: [u32; 3] = [4096, 1024, 512];

/// Length of the standard applet's buffers in the figure: a message needs up to four of them.
const BUFFER: u32 = 1024;

/// Returns the figure's rows.
pub(super) fn rows(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    let mut rows = sums(profile)?;
    rows.push(time(
        "S1-42",
        format!("standard applet, {SMALL} B: half the added round trip"),
        41_200,
        half_added(profile, one(Some(STANDARD), SMALL))?,
        Tolerance::PerMille(10),
    ));
    for buffer in BUFFERS {
        let count = LONGEST / buffer;
        let buffers = if count == 1 { "buffer" } else { "buffers" };
        rows.push(time(
            "S1-43",
            format!("standard applet, {LONGEST} B, {count} {buffers}: half the added round trip"),
            STANDARD_LARGE_NS,
            half_added(profile, over(buffer, one(Some(STANDARD), LONGEST)))?,
            Tolerance::PerMille(10),
        ));
    }
    rows.push(time(
        "S1-44",
        format!("simplified applet, {LONGEST} B: half the added round trip"),
        SIMPLIFIED_LARGE_NS,
        half_added(profile, one(Some(SIMPLIFIED), LONGEST))?,
        Tolerance::PerMille(100),
    ));
    rows.push(Row::new(
        "S1-44",
        FIGURE,
        format!("simplified applet, {LARGE} B: half the added round trip"),
        Agreement::Measured(Quantity::Time(half_added(
            profile,
            one(Some(SIMPLIFIED), LARGE),
        )?)),
    ));
    rows.push(time(
        "S1-45b",
        "NIC-to-NIC round trip, 1 B".to_owned(),
        64_000,
        nic_round_trip(profile, 1)?,
        Tolerance::PerMille(1),
    ));
    rows.push(time(
        "S1-45a",
        format!("NIC-to-NIC round trip, {LONGEST} B"),
        119_000,
        nic_round_trip(profile, LONGEST)?,
        Tolerance::PerMille(40),
    ));
    Ok(rows)
}

/// Returns the figure.
pub(super) fn plots(profile: &Profile) -> Result<Vec<Drawing>, PaperError> {
    Ok(vec![Drawing::Curves(plot(profile)?)])
}

/// Returns the rows whose numbers are sums of numbers in Figure 5.
fn sums(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    let overheads = |applet, length| -> Result<(SimDuration, SimDuration), PaperError> {
        let setup = one(Some(applet), length);
        Ok((
            transmit_overhead(profile, setup)?,
            receive_overhead(profile, setup)?,
        ))
    };
    let exact = |statement, name: &str, ns, simulated| {
        let name = format!("{name}: overhead");
        time(statement, name, ns, simulated, Tolerance::Exact)
    };
    let (transmit, receive) = overheads(STANDARD, SMALL)?;
    let both = "standard applet, 40 B, both sides";
    let small = exact("S1-42", both, 41_200, transmit + receive);
    let (transmit, receive) = overheads(SIMPLIFIED, LARGE)?;
    let one = "simplified applet, 1000 B, receive side (42.5)";
    let both = "simplified applet, 1000 B, both sides (67.0)";
    Ok(vec![
        small,
        exact("S1-44", one, 42_450, receive).derived(),
        exact("S1-44", both, 66_950, transmit + receive).derived(),
    ])
}

fn time(
    statement: &str,
    name: String,
    paper_ns: u64,
    simulated: SimDuration,
    tolerance: Tolerance,
) -> Row {
    let found = Agreement::time(SimDuration::from_ns(paper_ns), simulated, tolerance);
    Row::new(statement, FIGURE, name, found)
}

fn one(applet: Option<&str>, length: u32) -> Setup<'_> {
    Setup {
        applet,
        length,
        ..Setup::ONE
    }
}

/// Returns the setup with free buffers of another length.
fn over(length: u32, setup: Setup<'_>) -> Setup<'_> {
    Setup {
        buffers: (32, length),
        ..setup
    }
}

/// Returns half of the time that an applet adds to a round trip. Section 4.1 of the paper states half of the time that
/// an applet adds to a round trip as the added time per direction.
fn half_added(profile: &Profile, setup: Setup<'_>) -> Result<SimDuration, PaperError> {
    let plain = Setup {
        applet: None,
        ..setup
    };
    let added = round_trip(profile, setup)?.less(round_trip(profile, plain)?);
    Ok(SimDuration::from_ps(added.as_ps() / 2))
}

/// Returns the time from the user's post to the receive descriptor of the echo.
fn round_trip(profile: &Profile, setup: Setup<'_>) -> Result<SimDuration, PaperError> {
    let setup = Setup {
        host: "echo",
        ..setup
    };
    let recording = setup.run(profile)?;
    let id = Setup::sender(0);
    let posted = recording.first(id, |happening| happening == Happening::Posted);
    let back = recording.last(id, |happening| matches!(happening, Happening::Described));
    Ok(back.ok_or(NOTHING)?.since(posted.ok_or(NOTHING)?))
}

/// Returns the time from the applet's push until it has handled the answer: one round, with the same work at both ends.
fn nic_round_trip(profile: &Profile, length: u32) -> Result<SimDuration, PaperError> {
    let recording = one(Some(PING_PONG), length).run(profile)?;
    let id = Setup::sender(0);
    let pushed = recording.at(id).find_map(|(_, happening)| match happening {
        Happening::Native {
            name: "txPush",
            begun,
        } => Some(begun),
        _ => None,
    });
    let came = recording.last(id, |happening| matches!(happening, Happening::Came(_)));
    let done = recording.last(id, |happening| matches!(happening, Happening::Returned));
    let (pushed, came) = (pushed.ok_or(NOTHING)?, came.ok_or(NOTHING)?);
    // Check the order, because without an answer the last call that returned would be `doTx`.
    let done = done.filter(|&done| done >= came).ok_or(NOTHING)?;
    Ok(done.since(pushed))
}

fn plot(profile: &Profile) -> Result<Plot, PaperError> {
    type Measure<'m> = &'m dyn Fn(u32) -> Result<SimDuration, PaperError>;
    let curve = |name, measure: Measure<'_>| -> Result<Curve, PaperError> {
        let point = |length| Ok((f64::from(length), microseconds(measure(length)?)));
        let points = LENGTHS
            .into_iter()
            .map(point)
            .collect::<Result<_, PaperError>>()?;
        Ok(Curve { name, points })
    };
    // Section 4.1 states the time that applets add per direction.
    let added = |setup: Setup<'_>, ns: u64| -> Result<(f64, f64), PaperError> {
        let stated = round_trip(profile, setup)? + SimDuration::from_ns(2 * ns);
        Ok((f64::from(setup.length), microseconds(stated)))
    };
    Ok(Plot {
        name: "figure-3",
        title: "Round trip against message size".to_owned(),
        x: Axis {
            label: "message size (bytes)",
            logarithmic: false,
        },
        y: Axis {
            label: "round trip (us)",
            logarithmic: false,
        },
        curves: vec![
            curve("standard applet, 1024-byte buffers", &|length| {
                round_trip(profile, over(BUFFER, one(Some(STANDARD), length)))
            })?,
            // If instructions cost nothing, the simplified and the standard applet cost the same for messages that fit
            // in one buffer.
            curve("simplified applet", &|length| {
                round_trip(profile, one(Some(SIMPLIFIED), length))
            })?,
            curve("base U-Net", &|length| {
                round_trip(profile, one(None, length))
            })?,
            curve("NIC-to-NIC ping-pong", &|length| {
                nic_round_trip(profile, length)
            })?,
        ],
        marks: vec![
            Mark {
                label: "64",
                at: (0.0, 64.0),
            },
            Mark {
                label: "119",
                at: (4096.0, 119.0),
            },
            Mark {
                label: "+ 2 x 41.2",
                at: added(one(None, SMALL), 41_200)?,
            },
            Mark {
                label: "+ 2 x 99.7",
                at: added(over(BUFFER, one(None, LONGEST)), STANDARD_LARGE_NS)?,
            },
            Mark {
                label: "+ 2 x 42.5",
                at: added(one(None, LONGEST), SIMPLIFIED_LARGE_NS)?,
            },
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_split_profiles_instructions_are_fitted_to_99_7_us() {
        // Measure sender and receiver with two buffers, and with enough DMA slots that the processor never waits for
        // one.
        let mut profile = Profile::builtin("lanai-1998-split").unwrap();
        profile.memory.dma_slots = profile.memory.dma_slots.saturating_add(16);
        let setup = over(2048, one(Some(STANDARD), LONGEST));
        let transmit = transmit_overhead(&profile, setup).unwrap();
        let receive = receive_overhead(&profile, setup).unwrap();
        let apart = (transmit + receive).as_ns().abs_diff(STANDARD_LARGE_NS);
        // Simulated and stated overhead differ by at most half a nanosecond for each of 120 instructions.
        assert!(apart <= 60, "{apart} ns");
    }
}
