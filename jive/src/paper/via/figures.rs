//! The figures: bandwidth and answers of VIA over CLAN, and round trips and bandwidth of VIA itself.

use nic_runtime::profile::Profile;

use super::clan::{
    CLIENTS, EMULEX, OUTSTANDING, QUEUE, TAILORED, answers, at_user_level, bandwidth, own_answers,
};
use super::lab::{FlowControl, Served, Setup};
use super::programs_in_java::{JavaSetup, Variant};
use super::{FEW, Rounds};
use crate::paper::PaperError;
use crate::paper::provenance::each;
use crate::paper::report::{Axis, Curve, Drawing, Mark, Plot, microseconds};

/// Message lengths of the curves, in bytes.
const LENGTHS: [u32; 13] = [
    16, 32, 64, 96, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768,
];

/// Messages of each point.
const ROUNDS: Rounds = Rounds {
    streamed: 60,
    served: 24,
    most: 256,
    ..FEW
};

/// A curve to measure: its name, the profile, and what moves the messages.
type Measured<'p> = (&'static str, &'p Profile, &'static str);

fn axis(label: &'static str, logarithmic: bool) -> Axis {
    Axis { label, logarithmic }
}

fn mark(label: &'static str, x: u32, y: f64) -> Mark {
    Mark {
        label,
        at: (f64::from(x), y),
    }
}

/// Measures curves at each of some numbers.
fn curves(
    measured: &[Measured<'_>],
    numbers: &[u32],
    measure: impl Fn(&Measured<'_>, u32) -> Result<f64, PaperError> + Sync,
) -> Result<Vec<Curve>, PaperError> {
    let points: Vec<(&Measured<'_>, u32)> = measured
        .iter()
        .flat_map(|curve| numbers.iter().map(move |&number| (curve, number)))
        .collect();
    let found = each(&points, |&(curve, number)| {
        Ok((f64::from(number), measure(curve, number)?))
    });
    let found: Vec<(f64, f64)> = found.into_iter().collect::<Result<_, PaperError>>()?;
    let parts = measured.iter().zip(found.chunks(numbers.len()));
    let curve = parts.map(|(&(name, ..), points)| Curve {
        name,
        points: points.to_vec(),
    });
    Ok(curve.collect())
}

/// Figures 6 and 7 of "VIA over the CLAN network", and servers with and without VIA.
pub(super) fn clan(profile: &Profile) -> Result<Vec<Drawing>, PaperError> {
    let emulex = Profile::builtin(EMULEX).ok_or(PaperError::NothingMeasured { figure: QUEUE })?;
    let bandwidths = [
        ("processor", profile, "pio"),
        ("DMA", profile, "dma"),
        ("either", profile, "auto"),
        ("giganet-1999", &emulex, "auto"),
    ];
    let bandwidths = curves(&bandwidths, &LENGTHS, |&(_, profile, transfer), length| {
        let rate = bandwidth(profile, (transfer, length), ROUNDS)?;
        Ok(megabits(rate))
    })?;
    let served = [
        ("processor", profile, "pio"),
        ("DMA", profile, "dma"),
        ("giganet-1999", &emulex, "auto"),
    ];
    let served = curves(&served, &OUTSTANDING, |&(_, profile, transfer), vis| {
        Ok(thousands(answers(profile, (transfer, vis), ROUNDS)?))
    })?;
    let mut served = served;
    served.push(Curve {
        name: "the paper's own protocol",
        points: OUTSTANDING
            .map(|vis| (f64::from(vis), f64::from(TAILORED) / 1_000.0))
            .into(),
    });
    Ok(vec![
        Drawing::Curves(Plot {
            name: "clan-bandwidth",
            title: "VIA over CLAN: bandwidth with credits, four receive buffers".to_owned(),
            x: axis("message size (bytes)", true),
            y: axis("bandwidth (Mbit/s)", false),
            curves: bandwidths,
            marks: vec![
                mark("limit of the processor 370", 32_768, 370.0),
                mark("limit of DMA 960", 32_768, 960.0),
            ],
        }),
        Drawing::Curves(Plot {
            name: "clan-answers",
            title: "VIA over CLAN: a server with a completion queue".to_owned(),
            x: axis("outstanding requests", true),
            y: axis("thousands of answers a second", false),
            curves: served,
            marks: Vec::new(),
        }),
        Drawing::Curves(servers(profile)?),
    ])
}

/// Servers with and without VIA, whose clients have one outstanding request each.
fn servers(profile: &Profile) -> Result<Plot, PaperError> {
    let at_user_level = at_user_level(profile);
    let via = [
        ("VIA, interrupts", profile, "pio"),
        ("VIA, no interrupts", &at_user_level, "pio"),
    ];
    let own = curves(&[("without VIA", profile, "")], &CLIENTS, |_, clients| {
        Ok(thousands(own_answers(profile, clients, ROUNDS)?))
    })?;
    let via = curves(&via, &CLIENTS, |&(_, profile, transfer), clients| {
        Ok(thousands(answers(profile, (transfer, clients), ROUNDS)?))
    })?;
    Ok(Plot {
        name: "clan-servers",
        title: "Servers over CLAN, with and without VIA".to_owned(),
        x: axis("clients", true),
        y: axis("thousands of answers a second", true),
        curves: own.into_iter().chain(via).collect(),
        marks: vec![mark("a server without VIA 400", 256, 400.0)],
    })
}

/// The raw curves of Table 1 and of the bandwidths of "Interfacing Java to the Virtual Interface Architecture".
pub(super) fn javia(profile: &Profile) -> Result<Vec<Drawing>, PaperError> {
    const ROUND_TRIPS: [u32; 9] = [
        4, 1_024, 2_048, 4_096, 8_192, 12_288, 16_384, 24_576, 32_768,
    ];
    const FIGURE: &str = "Figure 6";
    let raw = [("raw", profile, "auto")];
    let setup = |length| Setup {
        figure: FIGURE,
        transfer: "auto",
        length,
        flow: FlowControl::Deferred,
    };
    let round_trips = curves(&raw, &ROUND_TRIPS, |&(_, profile, _), length| {
        Ok(microseconds(setup(length).round_trip(profile)?))
    })?;
    let mut round_trips = round_trips;
    // The paper's line: 16.5 us, and 25 ns for each byte after the fourth.
    let line = ROUND_TRIPS.map(|length| {
        let ns = 16_500 + 25 * (length - 4);
        (f64::from(length), f64::from(ns) / 1_000.0)
    });
    round_trips.push(Curve {
        name: "the paper's line",
        points: line.to_vec(),
    });
    round_trips.extend(in_java(profile, &ROUND_TRIPS, |setup, profile| {
        let [trips, _] = ROUNDS.java;
        Ok(microseconds(setup.round_trip(profile, trips)?))
    })?);
    let bandwidths = curves(&raw, &ROUND_TRIPS[1..], |&(_, profile, _), length| {
        let rate = setup(length).rate(profile, ROUNDS.streamed)?;
        Ok(megabits(rate) / 8.0)
    })?;
    let mut bandwidths = bandwidths;
    bandwidths.extend(in_java(profile, &ROUND_TRIPS[1..], |setup, profile| {
        let [_, messages] = ROUNDS.java;
        Ok(megabits(setup.rate(profile, messages)?) / 8.0)
    })?);
    Ok(vec![
        Drawing::Curves(Plot {
            name: "javia-round-trips",
            title: "Java over VIA on a Giganet NIC: round trips".to_owned(),
            x: axis("message size (bytes)", false),
            y: axis("round trip (us)", false),
            curves: round_trips,
            marks: vec![mark("pin 38.0", 4, 38.0), mark("raw 16.5", 4, 16.5)],
        }),
        Drawing::Curves(Plot {
            name: "javia-bandwidth",
            title: "Java over VIA on a Giganet NIC: bandwidth".to_owned(),
            x: axis("message size (bytes)", false),
            y: axis("bandwidth (MB/s)", false),
            curves: bandwidths,
            marks: vec![
                mark("raw 80", 8_192, 80.0),
                mark("peak of Javia-I 70", 32_768, 70.0),
            ],
        }),
    ])
}

/// Measures a curve for each variant of Java programs, at some message lengths.
fn in_java(
    profile: &Profile,
    lengths: &[u32],
    measure: impl Fn(JavaSetup, &Profile) -> Result<f64, PaperError> + Sync,
) -> Result<Vec<Curve>, PaperError> {
    let mut drawn = Vec::new();
    for variant in Variant::ALL {
        let of = [(variant.name(), profile, "auto")];
        drawn.extend(curves(&of, lengths, |&(_, profile, _), length| {
            let setup = JavaSetup {
                figure: "Figures 3 and 6",
                variant,
                length,
            };
            measure(setup, profile)
        })?);
    }
    Ok(drawn)
}

/// Returns the thousands of answers of a server in a second.
fn thousands(served: Served) -> f64 {
    // The conversion is exact: answers are far below 2^52.
    served.rate as f64 / 1_000.0
}

/// Converts kilobits a second to megabits a second.
fn megabits(rate: u64) -> f64 {
    // The conversion is exact: rates of a figure are far below 2^52.
    rate as f64 / 1_000.0
}
