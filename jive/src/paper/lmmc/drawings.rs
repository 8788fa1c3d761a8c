//! The drawings: one remote paging on both sides, and faults against ports per frame.

use nic_core::lmmc::PagingSide;
use nic_core::random::Generator;
use nic_core::time::SimTime;
use nic_runtime::profile::{Profile, Victim};

use super::lab::{Experiment, LEFT, OnWire, PagingStep, RIGHT, Seen, Step};
use super::relations::{FAULTS, FRAMES};
use super::{with, with_frames};
use crate::paper::PaperError;
use crate::paper::provenance::each;
use crate::paper::report::{
    Axis, Curve, Drawing, Plot, Timeline, TimelineSpan, Track, microseconds,
};

const PAGING: &str = "one remote paging";

/// What each of the seven steps does: on the faulting side, and on the receiving side.
const STEPS: [[&str; 7]; 2] = [
    [
        "trap", "search", "search", "request", "entries", "entries", "return",
    ],
    [
        "trap", "search", "page out", "entries", "page in", "entries", "return",
    ],
];

const WRITE: &str = "write";

pub(super) fn plots(profile: &Profile) -> Result<Vec<Drawing>, PaperError> {
    Ok(vec![
        Drawing::Timeline(paging(profile)?),
        Drawing::Curves(faults(profile)?),
    ])
}

/// Draws the paging of one port. The sender stores twice, to a port that is in and to one that is out, and goes on.
fn paging(profile: &Profile) -> Result<Timeline, PaperError> {
    let profile = with_frames(profile, 1);
    let stores = (0..4).map(|number| Step::Store {
        page: i32::from(number > 0),
        offset: 4 * number,
        bytes: vec![number as u8 + 1; 4],
    });
    let seen = Experiment::writing(PAGING, 2, stores.collect()).run(&profile)?;
    let nothing = PaperError::NothingMeasured { figure: PAGING };
    let trap = profile.lmmc.ok_or(nothing)?.trap;
    let (fault, &stop) = seen.trapped(trap).zip(seen.stops.first()).ok_or(nothing)?;
    let first = seen
        .on_wire
        .first()
        .map_or(fault, |sent| sent.begun)
        .min(fault);
    let host = |side, begun| steps_of(&seen, side, begun, first);
    let wire = |nic| {
        let sent = seen.on_wire.iter().filter(|sent| sent.nic == nic);
        sent.map(|sent: &OnWire| {
            span(
                if sent.is_write { WRITE } else { "request" },
                sent.begun,
                sent.begun + sent.takes,
                first,
            )
        })
        .collect()
    };
    let track = |name: &str, spans| Track {
        name: name.to_owned(),
        spans,
    };
    let mut labels: Vec<&'static str> = Vec::new();
    for label in STEPS.as_flattened().iter().chain(&[WRITE]) {
        if !labels.contains(label) {
            labels.push(label);
        }
    }
    Ok(Timeline {
        name: "lmmc-paging",
        title: "a store to a port that is out: steps of the sender and of the receiver".to_owned(),
        tracks: vec![
            track("sender", host(PagingSide::Faulting, fault)),
            track("wire to", wire(LEFT)),
            track("wire back", wire(RIGHT)),
            track("receiver", host(PagingSide::Receiving, stop)),
        ],
        labels,
    })
}

/// Returns the boxes of a side's steps, of which the first begins at `begun`.
fn steps_of(seen: &Seen, side: PagingSide, begun: SimTime, first: SimTime) -> Vec<TimelineSpan> {
    let names = match side {
        PagingSide::Faulting => &STEPS[0],
        PagingSide::Receiving => &STEPS[1],
    };
    let of_side = seen.steps.iter().filter(|step| step.side == side);
    let mut begun = begun;
    names
        .iter()
        .zip(of_side)
        .map(|(name, step): (_, &PagingStep)| {
            let from = std::mem::replace(&mut begun, step.at);
            span(name, from, step.at, first)
        })
        .collect()
}

fn span(label: &'static str, from: SimTime, to: SimTime, first: SimTime) -> TimelineSpan {
    let at = |time: SimTime| microseconds(time.since(first.min(time)));
    TimelineSpan {
        label,
        from: at(from),
        to: at(to),
    }
}

/// How the ports of the curves are written: each in turn, at random, or every second write goes to one port.
#[derive(Copy, Clone)]
enum Order {
    InTurn,
    AtRandom,
    OneMost,
}

const CURVES: [(&str, Order, Victim); 4] = [
    ("in turn, fifo", Order::InTurn, Victim::Fifo),
    ("at random, fifo", Order::AtRandom, Victim::Fifo),
    ("one most, fifo", Order::OneMost, Victim::Fifo),
    ("one most, clock", Order::OneMost, Victim::Clock),
];

/// Ports of the curves' points, and writes of each point.
const PORTS: [u32; 9] = [2, 4, 5, 6, 8, 10, 12, 14, 16];
const WRITES: u32 = 2_000;

fn faults(profile: &Profile) -> Result<Plot, PaperError> {
    let profile = with_frames(profile, FRAMES);
    let points = CURVES
        .iter()
        .flat_map(|curve| PORTS.map(|ports| (curve, ports)));
    let points: Vec<_> = points.collect();
    let found = each(&points, |&((_, order, victim), ports)| {
        let profile = with(&profile, |lmmc| lmmc.victim = *victim);
        let mut drawn = Generator::named(1, &["lmmc", "faults"]);
        let steps = (0..WRITES).map(|write| {
            let page = match order {
                Order::InTurn => write % ports,
                Order::OneMost if write % 2 == 0 => 0,
                Order::AtRandom | Order::OneMost => (drawn.draw() % u64::from(ports)) as u32,
            };
            Step::word(page.cast_signed(), write)
        });
        let seen = Experiment::writing(FAULTS, ports as usize, steps.collect()).run(&profile)?;
        let of_hundred = 100.0 * seen.faults.len() as f64 / f64::from(WRITES);
        Ok((f64::from(ports) / f64::from(FRAMES), of_hundred))
    });
    let found: Vec<(f64, f64)> = found.into_iter().collect::<Result<_, PaperError>>()?;
    let curves = CURVES.iter().zip(found.chunks(PORTS.len()));
    let axis = |label| Axis {
        label,
        logarithmic: false,
    };
    Ok(Plot {
        name: "lmmc-faults",
        title: format!("writes to ports that share {FRAMES} frames"),
        x: axis("ports for each frame"),
        y: axis("faults for 100 writes"),
        curves: curves
            .map(|((name, ..), points)| Curve {
                name,
                points: points.to_vec(),
            })
            .collect(),
        marks: Vec::new(),
    })
}
