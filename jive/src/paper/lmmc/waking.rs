//! The rows about processes that wait for a word, and about stores for which a link has no room.

use std::num::NonZeroU32;

use nic_core::event::EndReason;
use nic_core::lmmc::{HEADER_BYTES, PagingSide};
use nic_core::time::SimDuration;
use nic_runtime::profile::{Profile, Scheduling, StalledStore};

use super::lab::{Experiment, LEFT, Port, Process, RIGHT, Seen, Step};
use super::{Rounds, count, row, with, with_frames};
use crate::paper::PaperError;
use crate::paper::report::{Agreement, Quantity, Row};

const POLLING: &str = "reading a page that is out";
const TURNS: &str = "two processes on one processor";
pub(super) const STANDSTILL: &str = "stores that stand still";

pub(super) fn rows(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let mut rows = polling(profile, rounds)?;
    rows.extend(turns(profile, rounds)?);
    rows.extend(standstill(profile, rounds)?);
    Ok(rows)
}

/// Two ports in one frame: the second store pages the first port out, and the reader reads that one.
fn polling(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let profile = with_frames(profile, 1);
    let later = SimDuration::from_ns(5_000_000);
    let run = |reads: Vec<Step>| -> Result<Seen, PaperError> {
        let mut steps = vec![Step::word(0, 1), Step::word(1, 1)];
        // The port comes in again long after the reads.
        steps.push(Step::Compute(SimDuration::from_ns(100_000_000)));
        steps.push(Step::word(0, 2));
        let mut reading = vec![Step::Compute(later)];
        reading.extend(reads);
        Experiment::writing(POLLING, 2, steps)
            .with("reader", reading)
            .run(&profile)
    };
    let without = run(Vec::new())?;
    let polls = run((0..rounds.polls)
        .map(|_| Step::Load { page: 0, length: 4 })
        .collect())?;
    let traps = |seen: &Seen| seen.traps(PagingSide::Faulting) + seen.traps(PagingSide::Receiving);
    let same = |loaded: &Vec<Vec<u8>>| {
        loaded.len() == rounds.polls as usize && loaded.iter().all(|bytes| bytes == &[1, 0, 0, 0])
    };
    let sees = polls.loaded.get("reader").is_some_and(same);
    let waits = run(vec![
        Step::Wait { page: 0, was: 1 },
        Step::Load { page: 0, length: 4 },
    ])?;
    let spin = profile.host.spin;
    let began = super::lab::START + later;
    // A process that finds its page out looks no further.
    let sleeps_at_once = waits
        .sleeps
        .first()
        .is_some_and(|&at| at.since(began) < spin);
    let wakes = waits
        .loaded
        .get("reader")
        .is_some_and(|loaded| loaded == &[vec![2, 0, 0, 0]]);
    Ok(vec![
        row(
            "S4-19",
            POLLING,
            "messages of the reads",
            count(0, polls.messages.abs_diff(without.messages)),
        ),
        row(
            "S4-19",
            POLLING,
            "traps of the reads",
            count(0, traps(&polls).abs_diff(traps(&without))),
        ),
        row(
            "S4-19",
            POLLING,
            "the reads see what was written last",
            Agreement::Order { holds: sees },
        ),
        row(
            "S4-22",
            POLLING,
            "a process that waits sleeps at once, and wakes at the page-in",
            Agreement::Order {
                holds: sleeps_at_once && wakes,
            },
        ),
    ])
}

/// A ping-pong with a process that shares its processor with one that computes, in pieces of two scheduler's turns.
fn turns(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let trip = |scheduling| -> Result<SimDuration, PaperError> {
        let profile = with(&with_frames(profile, 1), |lmmc| {
            lmmc.scheduling = scheduling
        });
        let seen = shared_processor(rounds.trips).run(&profile)?;
        let answers: Vec<_> = seen
            .written
            .iter()
            .filter(|(_, reader)| reader.0 == 0)
            .map(|(at, _)| *at)
            .collect();
        match (answers.first(), answers.last()) {
            (Some(&first), Some(&last)) if answers.len() == rounds.trips as usize => {
                let trips = u64::from(rounds.trips - 1).max(1);
                Ok(SimDuration::from_ps(last.since(first).as_ps() / trips))
            }
            _ => Err(PaperError::NothingMeasured { figure: TURNS }),
        }
    };
    let preferred = trip(Scheduling::Preferred)?;
    let plain = trip(Scheduling::Plain)?;
    let shown = |time| Agreement::Measured(Quantity::Time(time));
    Ok(vec![
        row(
            "S4-22",
            TURNS,
            "round trip, the process of the page that came in first",
            shown(preferred),
        ),
        row(
            "S4-22",
            TURNS,
            "round trip, each process in its turn",
            shown(plain),
        ),
        row(
            "S4-22",
            TURNS,
            "preferred < plain: round trip",
            Agreement::Order {
                holds: preferred < plain,
            },
        ),
    ])
}

/// One process at the left, three at the right on one processor. Of these, one answers and two compute. Each trip pages
/// the port of the answering process in.
fn shared_processor(trips: u32) -> Experiment {
    let asks = (1..=trips).flat_map(|trip| {
        [
            Step::word(1, trip),
            Step::word(0, trip),
            Step::Wait {
                page: 2,
                was: trip - 1,
            },
        ]
    });
    let answers = (1..=trips).flat_map(|trip| {
        [
            Step::Wait {
                page: 0,
                was: trip - 1,
            },
            Step::word(2, trip),
        ]
    });
    let computes = || {
        (0..30 * trips)
            .map(|_| Step::Compute(SimDuration::from_ns(50_000)))
            .collect()
    };
    let processes = vec![
        Process::new("asks", LEFT, asks.collect()),
        Process::new("answers", RIGHT, answers.collect()),
        Process::new("computes", RIGHT, computes()),
        Process::new("computes-too", RIGHT, computes()),
    ];
    let ports = vec![
        Port::immediate(&["asks"], &["answers"]),
        Port::immediate(&["asks"], &["computes"]),
        Port::immediate(&["answers"], &["asks"]),
    ];
    Experiment {
        processors: Some(1),
        ..Experiment::of(TURNS, processes, ports)
    }
}

/// Length of a page and of the longest message where little room shows a standstill soon.
const SHORT_PAGE: u32 = 64;
const SHORT_MESSAGE: u32 = SHORT_PAGE + HEADER_BYTES as u32;

/// Two nodes that page each other in, with one frame and a link that holds two messages. The signal of the interface takes
/// so long that both processors have stored more than the links hold before they hear of it.
fn standstill(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    const STORES: u32 = 20;
    let ends = |stalled| -> Result<Seen, PaperError> {
        let mut profile = with(&with_frames(profile, 1), |lmmc| {
            lmmc.stalled_store = stalled;
            lmmc.page = SHORT_PAGE;
            lmmc.interrupt = SimDuration::from_ns(30_000);
        });
        let nothing = PaperError::NothingMeasured { figure: STANDSTILL };
        profile.memory.max_packet = NonZeroU32::new(SHORT_MESSAGE).ok_or(nothing)?;
        // Two messages, and the bytes that are under way there and back.
        let wire = &mut profile.wire;
        let under_way = u128::from(wire.latency.as_ps()) * 2 * u128::from(wire.bandwidth.get());
        let under_way = under_way.div_ceil(1_000_000_000_000);
        wire.buffer = u32::try_from(under_way).unwrap_or(u32::MAX / 2) + 2 * SHORT_MESSAGE;
        let steps = |pages: [i32; 2]| -> Vec<Step> {
            let store = |page, offset| Step::Store {
                page,
                offset,
                bytes: vec![1; 32],
            };
            let turn = std::iter::once(store(pages[0], 0))
                .chain((0..STORES).map(|at| store(pages[1], at)));
            let turn: Vec<Step> = turn.collect();
            (0..rounds.turns).flat_map(|_| turn.clone()).collect()
        };
        let processes = vec![
            Process::new("one", LEFT, steps([0, 1])),
            Process::new("other", RIGHT, steps([2, 3])),
        ];
        let there = || Port::immediate(&["one"], &["other"]);
        let back = || Port::immediate(&["other"], &["one"]);
        let ports = vec![there(), there(), back(), back()];
        Experiment::of(STANDSTILL, processes, ports).run(&profile)
    };
    let stores = 2 * (1 + STORES) * rounds.turns;
    let made_again = ends(StalledStore::Restarts)?;
    let restarts = made_again.end == Some(EndReason::Idle)
        && made_again.written.len() as u64 == u64::from(stores);
    let waits = ends(StalledStore::Waits)?.end == Some(EndReason::Stuck);
    Ok(vec![
        row(
            "S4-09",
            STANDSTILL,
            "stores are made again: both ends finish",
            Agreement::Order { holds: restarts },
        ),
        row(
            "S4-09",
            STANDSTILL,
            "stores wait and take no trap: both ends stand still",
            Agreement::Order { holds: waits },
        ),
    ])
}
