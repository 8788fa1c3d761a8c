//! Figure 1: latency, and bandwidth one way and both ways, against message size. A further figure shows by how much each
//! scheme is faster than base, because the latencies lie too close together to tell them apart.

use nic_core::time::SimDuration;
use nic_runtime::profile::Profile;

use super::lab::{Rounds, SCHEMES, Scheme, Setup};
use super::{NOT_FULL, SHORT, STREAMED};
use crate::paper::PaperError;
use crate::paper::provenance::each;
use crate::paper::report::{Axis, Curve, Drawing, Mark, Plot, microseconds};

/// Message lengths of the curves, in bytes.
const LENGTHS: [u32; 13] = [
    4, 16, 64, 256, 1_024, 1_486, 4_096, 8_192, NOT_FULL, STREAMED, 32_768, 49_152, 65_536,
];

/// Messages of each point.
const ROUNDS: Rounds = Rounds {
    before: 5,
    measured: 20,
};

/// A panel of the figure.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Panel {
    Latency,
    OneWay,
    BothWays,
}

/// Returns the three panels, and the gains in latency.
pub(super) fn plots(profile: &Profile) -> Result<Vec<Drawing>, PaperError> {
    let latency = Panel::Latency.plot(profile)?;
    let gains = gains(&latency);
    let one_way = Panel::OneWay.plot(profile)?;
    let both_ways = Panel::BothWays.plot(profile)?;
    let plots = [latency, gains, one_way, both_ways];
    Ok(plots.map(Drawing::Curves).into())
}

/// Returns by how much the latency of each scheme is less than that of base, the first scheme.
fn gains(latency: &Plot) -> Plot {
    let base = latency.curves.first();
    let base = base.into_iter().flat_map(|curve| &curve.points);
    let curves = latency.curves.iter().map(|curve| {
        let both = base.clone().zip(&curve.points);
        let points =
            both.map(|(&(length, base), &(_, time))| (length, (1.0 - time / base) * 100.0));
        Curve {
            name: curve.name,
            points: points.collect(),
        }
    });
    let mark = |label, length: u32, y| Mark {
        label,
        at: (f64::from(length), y),
    };
    Plot {
        name: "emp-gain",
        title: "EMP: latency, faster than base".to_owned(),
        x: latency.x,
        y: Axis {
            label: "faster than base (%)",
            logarithmic: false,
        },
        curves: curves.collect(),
        marks: vec![
            mark("DSR 6", SHORT, 6.0),
            mark("RO 7.0", SHORT, 6.95),
            mark("RO 8.3", NOT_FULL, 8.3),
        ],
    }
}

impl Panel {
    fn plot(self, profile: &Profile) -> Result<Plot, PaperError> {
        let points: Vec<(Scheme, u32)> = SCHEMES
            .into_iter()
            .flat_map(|scheme| LENGTHS.map(|length| (scheme, length)))
            .collect();
        let measured = each(&points, |&(scheme, length)| {
            let setup = Setup {
                scheme,
                length,
                // The point of the table's rows has their messages.
                rounds: match length {
                    STREAMED => super::ROUNDS,
                    _ => ROUNDS,
                },
            };
            let y = match self {
                Panel::Latency => microseconds(setup.latency(profile)?),
                Panel::OneWay => megabits(setup.one_way(profile)?),
                Panel::BothWays => megabits(setup.both_ways(profile)?),
            };
            Ok((f64::from(length), y))
        });
        let measured: Vec<(f64, f64)> = measured.into_iter().collect::<Result<_, PaperError>>()?;
        let curves = SCHEMES.iter().zip(measured.chunks(LENGTHS.len()));
        let curves = curves.map(|(scheme, points)| Curve {
            name: scheme.name(),
            points: points.to_vec(),
        });
        let (name, title, quantity) = match self {
            Panel::Latency => ("emp-latency", "EMP: latency", "latency (us)"),
            Panel::OneWay => (
                "emp-one-way",
                "EMP: bandwidth one way",
                "bandwidth (Mbit/s)",
            ),
            Panel::BothWays => (
                "emp-both-ways",
                "EMP: bandwidth both ways",
                "bandwidth (Mbit/s)",
            ),
        };
        Ok(Plot {
            name,
            title: title.to_owned(),
            x: Axis {
                label: "message size (bytes)",
                logarithmic: true,
            },
            y: Axis {
                label: quantity,
                logarithmic: self == Panel::Latency,
            },
            curves: curves.collect(),
            marks: self.marks(),
        })
    }

    /// Returns the paper's statements. The paper does not give the length of its streamed messages, which are drawn at
    /// ten frames.
    fn marks(self) -> Vec<Mark> {
        let mark = |label, length: u32, y| Mark {
            label,
            at: (f64::from(length), y),
        };
        match self {
            Panel::Latency => {
                let at = |ns| microseconds(SimDuration::from_ns(ns));
                vec![
                    mark("base 24.31", SHORT, at(24_310)),
                    mark("RO 22.62", SHORT, at(22_620)),
                ]
            }
            Panel::OneWay => vec![
                mark("base 840", STREAMED, 840.0),
                mark("RO 964", STREAMED, 964.0),
            ],
            Panel::BothWays => vec![
                mark("base 940", STREAMED, 940.0),
                mark("SO 1100", STREAMED, 1_100.0),
            ],
        }
    }
}

/// Converts kilobits a second to megabits a second.
fn megabits(rate: u64) -> f64 {
    // The conversion is exact: rates of a figure are far below 2^52.
    rate as f64 / 1_000.0
}
