//! The rows about ordinary traffic, faults, remote paging, gathered writes and shared ports.

use std::num::NonZeroU64;

use nic_core::event::EndReason;
use nic_core::lmmc::PagingSide;
use nic_core::time::SimDuration;
use nic_runtime::profile::{Profile, Victim};

use super::lab::{Experiment, LEFT, Port, Process, RIGHT, Seen, Step};
use super::{Rounds, count, row, with, with_frames};
use crate::paper::PaperError;
use crate::paper::report::{Agreement, Quantity, Row, Tolerance};

const ORDINARY: &str = "ordinary traffic";
const PAGING: &str = "remote paging";
pub(super) const FAULTS: &str = "ports and frames";
const LATE: &str = "late update";
const FLOW: &str = "a sender goes on before the receiver";
const SHARING: &str = "shared ports";

/// The frames of the experiments on faults.
pub(super) const FRAMES: u32 = 4;

/// Bytes of a store and of the lines of late update, and the stores that fill a page.
const STORE: u32 = 4;
const LINE: u32 = 64;
const STORES: u32 = 1_024;

pub(super) fn rows(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let mut rows = ordinary(profile, rounds)?;
    rows.extend(paging(profile, rounds)?);
    rows.extend(faults(profile, rounds)?);
    rows.extend(late(profile)?);
    rows.extend(flow(profile)?);
    rows.extend(sharing(profile)?);
    Ok(rows)
}

/// Writes to a port that has a frame.
fn ordinary(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let steps = (0..rounds.writes).map(|number| Step::word(0, number));
    let seen = Experiment::writing(ORDINARY, 1, steps.collect()).run(profile)?;
    let writes = u64::from(rounds.writes);
    let [sender, receiver] = [PagingSide::Faulting, PagingSide::Receiving];
    Ok(vec![
        row("S4-02", ORDINARY, "one message for each write", {
            let holds = seen.messages == writes && seen.written.len() as u64 == writes;
            Agreement::Order { holds }
        }),
        row(
            "S4-02",
            ORDINARY,
            "traps of the sender",
            count(0, seen.traps(sender)),
        ),
        row(
            "S4-23",
            ORDINARY,
            "traps of the receiver",
            count(0, seen.traps(receiver)),
        ),
        row("S4-02", ORDINARY, "system calls", count(0, seen.calls)),
    ])
}

/// Writes `ports` ports in turn, each `turns` times.
pub(super) fn in_turn(profile: &Profile, ports: u32, turns: u32) -> Result<Seen, PaperError> {
    let steps = (1..=turns).flat_map(|turn| (0..ports).map(move |port| (port, turn)));
    let steps = steps.map(|(port, turn)| Step::word(port.cast_signed(), turn));
    Experiment::writing(FAULTS, ports as usize, steps.collect()).run(profile)
}

fn paging(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let profile = with_frames(profile, FRAMES);
    let seen = in_turn(&profile, FRAMES + 1, rounds.turns)?;
    let faults = seen.faults.len() as u64;
    let [sender, receiver] = [PagingSide::Faulting, PagingSide::Receiving];
    let steps = |side| Agreement::Order {
        holds: faults > 0 && seen.has_seven_steps(side),
    };
    let writes = u64::from(FRAMES + 1) * u64::from(rounds.turns);
    Ok(vec![
        row(
            "S4-17",
            PAGING,
            "traps of the sender, for each fault",
            count(faults, seen.traps(sender)),
        ),
        row(
            "S4-18",
            PAGING,
            "traps of the receiver, for each fault",
            count(faults, seen.traps(receiver)),
        ),
        row(
            "S4-17",
            PAGING,
            "the sender takes seven steps, in order",
            steps(sender),
        ),
        row(
            "S4-18",
            PAGING,
            "the receiver takes seven steps, in order",
            steps(receiver),
        ),
        row(
            "S4-06",
            PAGING,
            "messages: one for each write and for each fault",
            count(writes + faults, seen.messages),
        ),
    ])
}

fn faults(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let profile = with_frames(profile, FRAMES);
    let fifo = with(&profile, |lmmc| lmmc.victim = Victim::Fifo);
    let clock = with(&profile, |lmmc| lmmc.victim = Victim::Clock);
    let faults = |ports| -> Result<u64, PaperError> {
        Ok(in_turn(&fifo, ports, rounds.turns)?.faults.len() as u64)
    };
    // The first turn finds its first ports in their frames. From then on, each write needs the port that went out last.
    let writes = u64::from(FRAMES + 1) * u64::from(rounds.turns);
    // One port is written before each write to one of the others.
    let favourite = |profile: &Profile| -> Result<u64, PaperError> {
        let others = (0..rounds.turns.max(4) * FRAMES).map(|turn| 1 + turn % (FRAMES + 1));
        let steps =
            others.flat_map(|other| [Step::word(0, other), Step::word(other.cast_signed(), other)]);
        let experiment = Experiment::writing(FAULTS, FRAMES as usize + 2, steps.collect());
        Ok(experiment.run(profile)?.faults.len() as u64)
    };
    let holds = favourite(&clock)? < favourite(&fifo)?;
    Ok(vec![
        row(
            "S4-05",
            FAULTS,
            "faults with a frame for each port",
            count(0, faults(FRAMES)?),
        ),
        row(
            "S4-05",
            FAULTS,
            "faults with one port more, written in turn, first in, first out",
            count(writes - u64::from(FRAMES), faults(FRAMES + 1)?),
        ),
        row(
            "S4-17",
            FAULTS,
            "clock < fifo: faults, if one port is written most",
            Agreement::Order { holds },
        ),
    ])
}

fn late(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    let run = |is_late| -> Result<(u64, Vec<u8>), PaperError> {
        let steps = (0..STORES).map(|number| Step::Store {
            page: 0,
            offset: STORE * number,
            bytes: number.wrapping_mul(2_654_435_761).to_le_bytes().to_vec(),
        });
        let load = Step::Load {
            page: 0,
            length: STORE * STORES,
        };
        let wait = Step::Compute(SimDuration::from_ns(50_000_000));
        let mut experiment = Experiment::writing(LATE, 1, steps.collect());
        experiment = experiment.with("reader", vec![wait, load]);
        experiment.ports[0].is_late = is_late;
        let mut seen = experiment.run(profile)?;
        let loaded = seen.loaded.remove("reader").unwrap_or_default().concat();
        Ok((seen.messages, loaded))
    };
    let (immediate, bytes) = run(false)?;
    let (late, same) = run(true)?;
    let holds = bytes.len() as u32 == STORE * STORES && bytes == same;
    let lines = STORE * STORES / LINE;
    Ok(vec![
        row(
            "S4-21",
            LATE,
            "messages of 1,024 stores of 4 bytes, immediate",
            count(STORES.into(), immediate),
        ),
        row(
            "S4-21",
            LATE,
            "messages of 1,024 stores of 4 bytes, late",
            count(lines.into(), late),
        ),
        row(
            "S4-21",
            LATE,
            "the reader sees the same bytes",
            Agreement::Order { holds },
        ),
    ])
}

/// Two ports in one frame, and a receiver whose copies take their time or twice that.
fn flow(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    let profile = with_frames(profile, 1);
    let nothing = PaperError::NothingMeasured { figure: FLOW };
    let costs = profile.lmmc.ok_or(nothing)?;
    let times = |right: Option<Profile>| -> Result<[SimDuration; 2], PaperError> {
        let steps = vec![Step::word(0, 1), Step::word(1, 2)];
        let mut experiment = Experiment::writing(FLOW, 2, steps);
        experiment.right = right;
        let seen = experiment.run(&profile)?;
        let both = seen.pause(costs.trap).zip(seen.stopped());
        let both = both.ok_or(nothing)?;
        Ok(both.into())
    };
    let [pause, stop] = times(None)?;
    let mut slow = profile.clone();
    slow.host.bandwidth = NonZeroU64::new(profile.host.bandwidth.get() / 2).ok_or(nothing)?;
    let [with_slow, longer] = times(Some(slow))?;
    // One page goes out, and one comes in.
    let copies = SimDuration::of_transfer(costs.page, profile.host.bandwidth).times(2);
    let none = SimDuration::from_ps(0);
    Ok(vec![
        row(
            "S4-09",
            FLOW,
            "pause of the sender",
            Agreement::Measured(Quantity::Time(pause)),
        ),
        row(
            "S4-09",
            FLOW,
            "longer with copies of twice the time: the pause of the sender",
            Agreement::time(none, with_slow.less(pause), Tolerance::Exact),
        ),
        row(
            "S4-08",
            FLOW,
            "longer with copies of twice the time: the stop of the receiver",
            Agreement::time(copies, longer.less(stop), Tolerance::Exact),
        ),
    ])
}

const READERS: [&str; 3] = ["first", "second", "third"];

/// Stores for each page.
const SHARED: u32 = 32;

/// A port that three processes read, against a port for each of them.
fn sharing(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    let run = |is_shared: bool| -> Result<Seen, PaperError> {
        const TO: [&[&str]; 3] = [&["first"], &["second"], &["third"]];
        let port = |to| Port::immediate(&["writer"], to);
        let ports = match is_shared {
            true => vec![port(&READERS)],
            false => TO.map(port).to_vec(),
        };
        let pages = ports.len() as i32;
        let stores = (0..SHARED).flat_map(|turn| {
            (0..pages).map(move |page| Step::Store {
                page,
                offset: 3 * turn,
                bytes: vec![turn as u8 + 1; 4],
            })
        });
        let reader = |(number, name)| {
            let load = Step::Load {
                page: if is_shared { 0 } else { number },
                length: 100,
            };
            let later = Step::Compute(SimDuration::from_ns(10_000_000));
            Process::new(name, RIGHT, vec![later, load])
        };
        let writer = Process::new("writer", LEFT, stores.collect());
        let readers = (0..).zip(READERS).map(reader);
        let processes = std::iter::once(writer).chain(readers).collect();
        Experiment::of(SHARING, processes, ports).run(profile)
    };
    let (own, shared) = (run(false)?, run(true)?);
    let holds = own.loaded.len() == READERS.len()
        && own
            .loaded
            .values()
            .all(|loaded| loaded.len() == 1 && loaded[0][0] == 1)
        && own.loaded == shared.loaded
        && own.end == Some(EndReason::Idle);
    Ok(vec![
        row(
            "S4-11",
            SHARING,
            "three readers see the same bytes by one port as by three",
            Agreement::Order { holds },
        ),
        row(
            "S4-11",
            SHARING,
            "messages for three readers of one port",
            count(SHARED.into(), shared.messages),
        ),
        row(
            "S4-11",
            SHARING,
            "messages for three readers of a port each",
            count(3 * u64::from(SHARED), own.messages),
        ),
    ])
}
