//! Figure 3: round trips against message size, and the sentences of section 4.1 about them.

use nic_core::time::SimDuration;
use nic_runtime::profile::Profile;

use super::PaperError;
use super::breakdown::{receive_overhead, transmit_overhead};
use super::lab::{Happening, Setup};
use super::report::{
    Agreement, Axis, Corner, Curve, Drawing, Mark, Origin, Plot, Report, Row, Stroke, Tolerance,
    microseconds,
};

const FIGURE: &str = "Figure 3";
const NOTHING: PaperError = PaperError::NothingMeasured { figure: FIGURE };

/// Bytes of the messages of the curves: the paper's figure ends at the length of Figure 2's buffer.
const LENGTHS: [u32; 16] = [
    1, 16, 40, 56, 57, 128, 256, 512, 768, 1000, 1536, 2048, 2560, 3072, 3584, 4096,
];

const STANDARD: &str = "RawUnet";
const SIMPLIFIED: &str = "RawUnetSingle";
const PING_PONG: &str = "PingPong";

const SMALL: u32 = 40;
const LARGE: u32 = 1000;
const LONGEST: u32 = 4096;

/// §4.1: "between 41.2 (for small messages) and 99.7 (for large messages)".
const STANDARD_LARGE_NS: u64 = 99_700;

/// How the 99.7 us can be read (docs/papers.md, S1-43): the text does not say which buffers, nor which sides.
#[derive(Copy, Clone, Debug)]
enum Reading {
    /// Receive side alone, a message over four buffers.
    ReceiveOnly,
    /// Both sides, a message over two buffers.
    BothSides,
}

/// Adds the figure's rows and its plot to a report.
pub(super) fn reproduce(profile: &Profile, report: &mut Report) -> Result<(), PaperError> {
    statements(profile, report)?;
    for reading in [Reading::ReceiveOnly, Reading::BothSides] {
        let c = reading.fit(profile)?;
        let simulated = reading.overhead(&with_bytecode(profile, c))?;
        let words = match reading {
            Reading::ReceiveOnly => "receive, 4 buffers",
            Reading::BothSides => "both sides, 2 buffers",
        };
        let ns = (c.as_ps() + 500) / 1000;
        report.rows.push(time(
            format!("standard applet, {LONGEST} B, {words}, c = {ns} ns"),
            STANDARD_LARGE_NS,
            simulated,
            Tolerance::PerMille(10),
            Origin::Fitted,
        ));
    }
    ping_pong(profile, report)?;
    let (standard, simplified) = (Some(STANDARD), Some(SIMPLIFIED));
    for (name, applet, length) in [
        ("standard", standard, SMALL),
        ("simplified", simplified, LARGE),
        ("simplified", simplified, LONGEST),
    ] {
        let longer = round_trip(profile, applet, length)?.less(round_trip(profile, None, length)?);
        let half = SimDuration::from_ps(longer.as_ps() / 2);
        report.rows.push(Row {
            figure: FIGURE,
            name: format!("{name} applet, {length} B: half the added round trip"),
            found: Agreement::Measured(half),
        });
    }
    report.plots.push(Drawing::Curves(plot(profile)?));
    Ok(())
}

/// The sentences whose numbers need no fit.
fn statements(profile: &Profile, report: &mut Report) -> Result<(), PaperError> {
    let overheads = |applet, length| -> Result<(SimDuration, SimDuration), PaperError> {
        let setup = one(Some(applet), length);
        Ok((
            transmit_overhead(profile, setup)?,
            receive_overhead(profile, setup)?,
        ))
    };
    let (transmit, receive) = overheads(STANDARD, SMALL)?;
    let exact = |name: &str, ns, simulated| {
        let name = format!("{name}: overhead");
        time(name, ns, simulated, Tolerance::Exact, Origin::Predicted)
    };
    report.rows.push(exact(
        "standard applet, 40 B, both sides",
        41_200,
        transmit + receive,
    ));
    let (transmit, receive) = overheads(SIMPLIFIED, LARGE)?;
    report.rows.push(exact(
        "simplified applet, 1000 B, receive side (42.5)",
        42_450,
        receive,
    ));
    report.rows.push(exact(
        "simplified applet, 1000 B, both sides (67.0)",
        66_950,
        transmit + receive,
    ));
    Ok(())
}

fn ping_pong(profile: &Profile, report: &mut Report) -> Result<(), PaperError> {
    report.rows.push(time(
        "NIC-to-NIC round trip, 1 B".to_owned(),
        64_000,
        nic_round_trip(profile, 1)?,
        Tolerance::PerMille(1),
        Origin::Fitted,
    ));
    report.rows.push(time(
        format!("NIC-to-NIC round trip, {LONGEST} B"),
        119_000,
        nic_round_trip(profile, LONGEST)?,
        Tolerance::PerMille(40),
        Origin::Predicted,
    ));
    Ok(())
}

fn time(
    name: String,
    paper_ns: u64,
    simulated: SimDuration,
    tolerance: Tolerance,
    origin: Origin,
) -> Row {
    Row {
        figure: FIGURE,
        name,
        found: Agreement::Time {
            paper: SimDuration::from_ns(paper_ns),
            simulated,
            tolerance,
            origin,
        },
    }
}

fn one(applet: Option<&str>, length: u32) -> Setup<'_> {
    Setup {
        applet,
        length,
        ..Setup::ONE
    }
}

fn with_bytecode(profile: &Profile, c: SimDuration) -> Profile {
    let mut changed = profile.clone();
    changed.processor.bytecode = c;
    changed
}

impl Reading {
    fn overhead(self, profile: &Profile) -> Result<SimDuration, PaperError> {
        let mut profile = profile.clone();
        // An overhead leaves transfers out, so none may make the processor wait for its slot.
        profile.memory.dma_slots = profile.memory.dma_slots.saturating_add(16);
        let setup = one(Some(STANDARD), LONGEST);
        match self {
            Reading::ReceiveOnly => {
                let buffers = (32, 1024);
                receive_overhead(&profile, Setup { buffers, ..setup })
            }
            Reading::BothSides => {
                let buffers = (32, 2048);
                let setup = Setup { buffers, ..setup };
                Ok(transmit_overhead(&profile, setup)? + receive_overhead(&profile, setup)?)
            }
        }
    }

    /// Returns the cost of an instruction with which the stated overhead comes out, zero where the rows
    /// alone are more. The overhead is linear in it, so two runs tell.
    fn fit(self, profile: &Profile) -> Result<SimDuration, PaperError> {
        let probe = SimDuration::from_ns(100);
        let rows = self.overhead(&with_bytecode(profile, SimDuration::ZERO))?;
        let probed = self.overhead(&with_bytecode(profile, probe))?.less(rows);
        let missing = SimDuration::from_ns(STANDARD_LARGE_NS).less(rows);
        let c = u128::from(missing.as_ps()) * u128::from(probe.as_ps());
        let c = c.checked_div(probed.as_ps().into()).ok_or(NOTHING)?;
        Ok(SimDuration::from_ps(u64::try_from(c).unwrap_or(u64::MAX)))
    }
}

/// Returns the time from the user's post to the descriptor of the echo.
fn round_trip(
    profile: &Profile,
    applet: Option<&str>,
    length: u32,
) -> Result<SimDuration, PaperError> {
    let setup = Setup {
        host: "echo",
        ..one(applet, length)
    };
    let recording = setup.run(profile)?;
    let id = Setup::sender(0);
    let posted = recording.first(id, |happening| happening == Happening::Posted);
    let back = recording.last(id, |happening| matches!(happening, Happening::Described));
    Ok(back.ok_or(NOTHING)?.since(posted.ok_or(NOTHING)?))
}

/// Returns the time from the applet's push to when it has done with the answer: once around, with the
/// same work at both ends.
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
    // The last return is the answer's, and not that of `doTx`, only where an answer came.
    let done = done.filter(|&done| done >= came).ok_or(NOTHING)?;
    Ok(done.since(pushed))
}

fn plot(profile: &Profile) -> Result<Plot, PaperError> {
    type Measure<'m> = &'m dyn Fn(u32) -> Result<SimDuration, PaperError>;
    let curve = |name, stroke, measure: Measure<'_>| -> Result<Curve, PaperError> {
        let point = |length| Ok((f64::from(length), microseconds(measure(length)?)));
        let points = LENGTHS
            .into_iter()
            .map(point)
            .collect::<Result<_, PaperError>>()?;
        Ok(Curve {
            name,
            stroke,
            points,
        })
    };
    // Section 4.1 states what the standard applet adds in each direction.
    let added = |length, ns: u64| -> Result<(f64, f64), PaperError> {
        let stated = round_trip(profile, None, length)? + SimDuration::from_ns(2 * ns);
        Ok((f64::from(length), microseconds(stated)))
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
        legend: Corner::UpperLeft,
        curves: vec![
            curve("standard applet", Stroke::Solid, &|length| {
                round_trip(profile, Some(STANDARD), length)
            })?,
            // Without a cost for instructions the two applets cost the same where one buffer holds a message.
            curve("simplified applet", Stroke::Dashed, &|length| {
                round_trip(profile, Some(SIMPLIFIED), length)
            })?,
            curve("base U-Net", Stroke::Solid, &|length| {
                round_trip(profile, None, length)
            })?,
            curve("NIC-to-NIC ping-pong", Stroke::Solid, &|length| {
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
                at: added(SMALL, 41_200)?,
            },
            Mark {
                label: "+ 2 x 99.7, of more buffers",
                at: added(LONGEST, STANDARD_LARGE_NS)?,
            },
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_split_profile_has_what_the_fit_gives() {
        let profile = Profile::builtin("lanai-1998").unwrap();
        let fitted = Reading::BothSides.fit(&profile).unwrap();
        let split = Profile::builtin("lanai-1998-split").unwrap();
        let ns = (fitted.as_ps() + 500) / 1000;
        assert_eq!(split.processor.bytecode.as_ns(), ns);
    }
}
