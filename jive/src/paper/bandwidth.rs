//! Figure 4: bandwidth against message size, for bursts of 25 messages that are acknowledged.
//!
//! The paper's text gives no numbers for this figure, only a description of its five configurations. The costs
//! determine the order of the curves, and the rows check that order.

use std::ops::RangeInclusive;

use nic_core::time::SimDuration;
use nic_runtime::profile::{Profile, WithWire};

use super::PaperError;
use super::lab::{Happening, Setup};
use super::report::{Agreement, Axis, Curve, Drawing, Plot, Quantity, Row};

const FIGURE: &str = "Figure 4";
const NOTHING: PaperError = PaperError::NothingMeasured { figure: FIGURE };

/// Messages of a burst (§4.1).
pub(super) const BURST: u32 = 25;

/// Message lengths of the curves, in bytes.
const LENGTHS: [u32; 14] = [
    4, 16, 40, 56, 57, 128, 256, 512, 1024, 1536, 2048, 2560, 3072, 4096,
];

/// Lengths at which the receiver's overheads are larger than a transfer.
const SMALL: RangeInclusive<u32> = 0..=2048;
/// Lengths at which the sender's overheads and its transfer together are larger than the receiver's overheads. For
/// messages shorter than these lengths, the receiver limits the bandwidth of every applet.
const MEDIUM: RangeInclusive<u32> = 1536..=u32::MAX;
/// Lengths at which a transfer takes longer than the receiver's overheads.
const LARGE: RangeInclusive<u32> = 2560..=u32::MAX;
/// Lengths at which a transfer takes longer than all work of the receiver's processor on a message.
const LONGEST: RangeInclusive<u32> = 4096..=u32::MAX;

/// The configurations that the figure compares.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Configuration {
    Standard,
    AckInNic,
    Burst25,
    Generator,
    Base,
}

const CONFIGURATIONS: [Configuration; 5] = [
    Configuration::Standard,
    Configuration::AckInNic,
    Configuration::Burst25,
    Configuration::Generator,
    Configuration::Base,
];

impl Configuration {
    pub(super) fn name(self) -> &'static str {
        match self {
            Configuration::Standard => "standard applet",
            Configuration::AckInNic => "acknowledgement between applets",
            Configuration::Burst25 => "25 sends per request",
            Configuration::Generator => "no transmit-side DMA",
            Configuration::Base => "base U-Net",
        }
    }

    fn short(self) -> &'static str {
        match self {
            Configuration::Standard => "standard",
            Configuration::AckInNic => "ack in NIC",
            Configuration::Burst25 => "25 sends",
            Configuration::Generator => "no tx DMA",
            Configuration::Base => "base",
        }
    }

    pub(super) fn setup(self, length: u32) -> Setup<'static> {
        let (applet, host, messages) = match self {
            Configuration::Standard => (Some("RawUnet"), "acknowledge", BURST),
            Configuration::AckInNic => (Some("AckInNic"), "sink", BURST),
            Configuration::Burst25 => (Some("Burst25"), "acknowledge", 1),
            Configuration::Generator => (Some("Generator"), "acknowledge", BURST),
            Configuration::Base => (None, "acknowledge", BURST),
        };
        Setup {
            applet,
            host,
            messages,
            length,
            ..Setup::ONE
        }
    }

    /// Returns the time from the first post of a burst to its acknowledgement, at the user or in the applet.
    fn burst(self, profile: &Profile, length: u32) -> Result<SimDuration, PaperError> {
        let recording = self.setup(length).run(profile)?;
        let (sender, receiver) = (Setup::sender(0), Setup::receiver(0));
        let came = recording
            .at(receiver)
            .filter(|&(_, happening)| is_described(happening))
            .count();
        let posted = recording.first(sender, |happening| happening == Happening::Posted);
        let acknowledged = match self {
            // The sender's applet handles the acknowledgement, so the last call that returns is that of its `doRx`.
            Configuration::AckInNic => recording
                .last(sender, |happening| matches!(happening, Happening::Came(_)))
                .and_then(|came| {
                    recording
                        .last(sender, |happening| matches!(happening, Happening::Returned))
                        .filter(|&returned| returned >= came)
                }),
            // Take the first descriptor, because `Burst25` repeats the acknowledgement as often as the message.
            Configuration::Standard
            | Configuration::Burst25
            | Configuration::Generator
            | Configuration::Base => recording.first(sender, is_described),
        };
        match (posted, acknowledged) {
            (Some(posted), Some(acknowledged)) if came == BURST as usize => {
                Ok(acknowledged.since(posted))
            }
            _ => Err(NOTHING),
        }
    }
}

/// An expected order of two curves, the lengths for which it is expected, and the cost that explains it.
struct Order {
    upper: Configuration,
    lower: Configuration,
    lengths: RangeInclusive<u32>,
    because: &'static str,
}

const EVERY: RangeInclusive<u32> = 0..=u32::MAX;

const ORDERS: [Order; 10] = {
    use Configuration::{AckInNic, Base, Burst25, Generator, Standard};
    [
        order(AckInNic, Standard, EVERY, "the answer passes no user"),
        order(
            Burst25,
            Standard,
            MEDIUM,
            "one request and one transfer for all",
        ),
        order(
            Generator,
            Standard,
            EVERY,
            "no transfer on the transmit side",
        ),
        order(Base, Standard, EVERY, "no overheads"),
        order(Base, AckInNic, EVERY, "no overheads for 25 messages"),
        order(Base, Burst25, SMALL, "no overheads of the receive side"),
        order(Base, Generator, SMALL, "no overheads of the receive side"),
        // Transfers into the host limit the bandwidth of both configurations. The generator's first packet needs no
        // transfer before it leaves.
        order(
            Generator,
            Base,
            LONGEST,
            "the first packet waits for no transfer",
        ),
        order(
            Generator,
            AckInNic,
            LARGE,
            "transmit-side transfers outweigh the answer",
        ),
        order(Burst25, AckInNic, LARGE, "one such transfer in place of 25"),
    ]
};

const fn order(
    upper: Configuration,
    lower: Configuration,
    lengths: RangeInclusive<u32>,
    because: &'static str,
) -> Order {
    Order {
        upper,
        lower,
        lengths,
        because,
    }
}

/// Returns the times of bursts, by configuration and length.
fn bursts(profile: &Profile) -> Result<Vec<Vec<SimDuration>>, PaperError> {
    let of = |configuration: &Configuration| {
        let lengths = LENGTHS.into_iter();
        lengths
            .map(|length| configuration.burst(profile, length))
            .collect()
    };
    CONFIGURATIONS.iter().map(of).collect()
}

/// Returns whether each expected order holds, in the order of the rows.
fn orders(profile: &Profile) -> Result<Vec<bool>, PaperError> {
    let bursts = bursts(profile)?;
    let of = |wanted: Configuration| {
        let index = CONFIGURATIONS.iter().position(|&each| each == wanted);
        &bursts[index.expect("every configuration was run")]
    };
    let holds = |order: &Order| {
        let times = of(order.upper).iter().zip(of(order.lower));
        LENGTHS
            .iter()
            .zip(times)
            .filter(|(length, _)| order.lengths.contains(length))
            .all(|(_, (upper, lower))| upper < lower)
    };
    Ok(ORDERS.iter().map(holds).collect())
}

/// Returns the figure's rows.
pub(super) fn rows(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    let row = |(order, holds): (&Order, bool)| {
        let lengths = match (*order.lengths.start(), *order.lengths.end()) {
            (0, u32::MAX) => String::new(),
            (0, end) => format!(" up to {end} B"),
            (start, _) => format!(" from {start} B"),
        };
        let (upper, lower) = (order.upper.short(), order.lower.short());
        let name = format!("{upper} > {lower}{lengths}: {}", order.because);
        Row::new("S1-46", FIGURE, name, Agreement::Order { holds })
    };
    let mut rows: Vec<Row> = ORDERS.iter().zip(orders(profile)?).map(row).collect();
    rows.push(Row::new(
        "S1-36",
        FIGURE,
        format!("base U-Net, {TURNS_LENGTH} B: lost per message to transfers and packets in turn"),
        Agreement::Measured(Quantity::Time(lost_to_turns(profile)?)),
    ));
    Ok(rows)
}

/// Length of the messages that show the cost of taking turns, in bytes.
const TURNS_LENGTH: u32 = 4096;

/// Returns how much longer a message of a burst takes if transfers and outgoing packets exclude each other. The result
/// is zero if the profile lets transfers and outgoing packets overlap.
fn lost_to_turns(profile: &Profile) -> Result<SimDuration, PaperError> {
    let mut parallel = profile.clone();
    parallel.dma.with_wire = WithWire::Parallel;
    let base = Configuration::Base;
    let lost = base
        .burst(profile, TURNS_LENGTH)?
        .less(base.burst(&parallel, TURNS_LENGTH)?);
    Ok(SimDuration::from_ps(lost.as_ps() / u64::from(BURST)))
}

/// Returns the figure.
pub(super) fn plots(profile: &Profile) -> Result<Vec<Drawing>, PaperError> {
    Ok(vec![Drawing::Curves(plot(&bursts(profile)?))])
}

fn is_described(happening: Happening) -> bool {
    matches!(happening, Happening::Described)
}

fn plot(bursts: &[Vec<SimDuration>]) -> Plot {
    let curves = CONFIGURATIONS
        .iter()
        .zip(bursts)
        .map(|(configuration, times)| Curve {
            name: configuration.name(),
            points: LENGTHS
                .iter()
                .zip(times)
                .map(|(&length, time)| (f64::from(length), megabytes_per_second(length, *time)))
                .collect(),
        });
    Plot {
        name: "figure-4",
        title: "Bandwidth in bursts of 25 messages (the paper's text has no numbers)".to_owned(),
        x: Axis {
            label: "message size (bytes)",
            logarithmic: true,
        },
        y: Axis {
            label: "bandwidth (MB/s)",
            // The curves of short messages differ by a factor, and all of them are near 0.
            logarithmic: true,
        },
        curves: curves.collect(),
        marks: Vec::new(),
    }
}

fn megabytes_per_second(length: u32, burst: SimDuration) -> f64 {
    // Bytes per nanosecond are GB/s. The numbers of bytes and of nanoseconds are far below 2^52, so their conversions
    // are exact.
    f64::from(length * BURST) / burst.as_ns() as f64 * 1000.0
}
