//! Waits for a word: a process looks for some time and then sleeps, or sleeps at once if its page is out (S4-22).

use nic_core::event::LmmcEvent;
use nic_core::id::EndpointId;
use nic_core::lmmc::{Direction, PortId, VirtualPage};
use nic_core::time::SimDuration;

use super::delays::Delay;
use super::loads::read;
use super::place::{Phase, Wait};
use super::process::{costs, mapped, place, refuse_access, tell_window};
use super::site::SiteId;
use super::state::HasLmmc;
use super::telling::tell;
use super::timing::{after, at};
use crate::host::program::Action;
use crate::host::{Asked, Asking, WindowAsked, WindowNews};
use crate::sim::Parts;

/// Waits until a word of a page has another value than `was`. The process does nothing else meanwhile.
pub(super) fn wait_word(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    (ticket, window, offset): (u64, i32, u32),
    (was, within): (u32, Option<SimDuration>),
) -> Asking {
    let found = mapped(sim, id, window);
    let word = read(sim, id, window, (offset, 4));
    let ((page, of), word) = match (found, word) {
        (Ok(found), Ok(word)) => (found, word),
        (Err(fault), _) | (_, Err(fault)) => {
            end(sim, id);
            return refuse_access(sim, id, (ticket, "wait-word"), (None, fault));
        }
    };
    let value = word.first_chunk().map(|word| u32::from_le_bytes(*word));
    let now = sim.now;
    let begun = place(sim, id).and_then(|place| place.wait);
    let is_over = begun.is_some_and(|wait| wait.until.is_some_and(|until| until <= now));
    let changed = value.filter(|value| *value != was);
    if changed.is_some() || is_over {
        end(sim, id);
        let takes = costs(sim, id).map(|costs| costs.of_bytes(4));
        let woken = begun.is_some_and(|wait| wait.phase == Phase::Wakes);
        let wakes = costs(sim, id).filter(|_| woken).map(|costs| costs.wake);
        let value = changed;
        tell_window(sim, id, WindowNews::Word { ticket, value });
        return Asking::Busy(takes.unwrap_or_default() + wakes.unwrap_or_default());
    }
    let again = WindowAsked::WaitWord {
        ticket,
        window,
        offset,
        was,
        within,
    };
    let wait = begun.unwrap_or_else(|| {
        let word = (window, of.port, offset, was);
        begin(sim, id, word, within)
    });
    let phase = match wait.phase {
        // Something else has let the process go on.
        Phase::Sleeps => return Asking::Later(Asked::Page(again)),
        Phase::Tires => Phase::Sleeps,
        Phase::Looks | Phase::Wakes => match is_in(sim, id, page) {
            true => Phase::Looks,
            false => Phase::Sleeps,
        },
    };
    set(sim, id, phase);
    if phase == Phase::Looks {
        sim.put_action(id, Action::Ask(id, Asked::Page(again)));
        let spin = costs(sim, id).map(|costs| costs.spin).unwrap_or_default();
        let turn = place(sim, id).map_or(0, |place| place.turn);
        after(sim, spin, Delay::Spin(id, turn));
        return Asking::Held;
    }
    tell(sim, id, LmmcEvent::Sleep { port: wait.port });
    Asking::Later(Asked::Page(again))
}

/// Begins a wait.
fn begin(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    (window, port, offset, was): (i32, PortId, u32, u32),
    within: Option<SimDuration>,
) -> Wait {
    let until = within.map(|within| sim.now + within);
    let wait = Wait {
        window,
        port,
        offset,
        was,
        until,
        phase: Phase::Looks,
    };
    let Some(place) = place(sim, id) else {
        return wait;
    };
    place.wait = Some(wait);
    place.waits = place.waits.wrapping_add(1);
    let number = place.waits;
    if let Some(until) = until {
        at(sim, until, Delay::Until(id, number));
    }
    wait
}

fn set(sim: &mut Parts<'_, impl HasLmmc>, id: EndpointId, phase: Phase) {
    if let Some(place) = place(sim, id) {
        place.turn = place.turn.wrapping_add(1);
        if let Some(wait) = &mut place.wait {
            wait.phase = phase;
        }
    }
}

fn end(sim: &mut Parts<'_, impl HasLmmc>, id: EndpointId) {
    if let Some(place) = place(sim, id) {
        place.wait = None;
        place.turn = place.turn.wrapping_add(1);
        place.waits = place.waits.wrapping_add(1);
    }
}

/// Returns whether a page is in, so that a write would show.
fn is_in(sim: &Parts<'_, impl HasLmmc>, id: EndpointId, page: VirtualPage) -> bool {
    let node = sim.engines.lmmc().nodes.get(&sim.endpoints[id].nic);
    let found = node.and_then(|node| node.pages.receive_page(page).ok());
    found.is_some_and(|found| found.frame.is_some())
}

/// A process has looked for long enough. Returns false if it does not look any more.
pub(super) fn spin_over(sim: &mut Parts<'_, impl HasLmmc>, id: EndpointId, turn: u32) -> bool {
    let Some(place) = place(sim, id).filter(|place| place.turn == turn) else {
        return false;
    };
    let Some(wait) = place
        .wait
        .as_mut()
        .filter(|wait| wait.phase == Phase::Looks)
    else {
        return false;
    };
    wait.phase = Phase::Tires;
    sim.host_time += costs(sim, id).map(|costs| costs.spin).unwrap_or_default();
    sim.let_go(id, SimDuration::ZERO);
    true
}

/// The time of a wait is over. Returns false if the wait was over before.
pub(super) fn time_over(sim: &mut Parts<'_, impl HasLmmc>, id: EndpointId, number: u32) -> bool {
    let is_current = place(sim, id).is_some_and(|place| place.waits == number);
    is_current && wake(sim, id, true)
}

/// Lets a waiting process compare its word again. Returns whether it waits. A process that looks sees no more than a
/// change of its word, unless its time is over.
fn wake(sim: &mut Parts<'_, impl HasLmmc>, id: EndpointId, is_over: bool) -> bool {
    let Some(wait) = place(sim, id).and_then(|place| place.wait) else {
        return false;
    };
    match wait.phase {
        Phase::Looks => {
            let word = read(sim, id, wait.window, (wait.offset, 4));
            let is_same = word.is_ok_and(|word| *word == wait.was.to_le_bytes());
            if is_over || !is_same {
                set(sim, id, Phase::Tires);
                sim.let_go(id, SimDuration::ZERO);
            }
        }
        Phase::Sleeps => {
            set(sim, id, Phase::Wakes);
            tell(sim, id, LmmcEvent::Wake { port: wait.port });
            sim.begin_next(id);
        }
        // The process is about to compare the word anyway.
        Phase::Tires | Phase::Wakes => {}
    }
    true
}

/// A port was written, so the processes that wait for a word of it compare the word again.
pub(super) fn written(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId, port: PortId) {
    for id in readers(sim, at, port) {
        wake(sim, id, false);
    }
}

/// A port was paged in. Its readers run next, and those that sleep wake up.
pub(super) fn paged_in(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId, port: PortId) {
    let nic = sim.engines.lmmc().sites[at].nic;
    let node = sim.engines.lmmc().nodes.get(&nic);
    let prefers = node.is_some_and(|node| node.costs.prefers());
    for id in readers(sim, at, port) {
        if prefers {
            sim.prefer(id);
        }
        wake(sim, id, false);
    }
}

/// Returns the processes that wait for a word of a port, and those that map it and wait for nothing.
fn readers(sim: &Parts<'_, impl HasLmmc>, at: SiteId, port: PortId) -> Vec<EndpointId> {
    let lmmc = sim.engines.lmmc();
    let Some(node) = lmmc.nodes.get(&lmmc.sites[at].nic) else {
        return Vec::new();
    };
    let pages = node.pages_of(at, (Direction::Receive, port));
    let is_for = |page: u32, id: EndpointId| {
        let wait = lmmc.places.get(&id).and_then(|place| place.wait);
        wait.is_none_or(|wait| u32::try_from(wait.window) == Ok(page))
    };
    let of_page = |page: VirtualPage| {
        let id = EndpointId(page.process.0);
        is_for(page.number.0, id).then_some(id)
    };
    pages.filter_map(|(page, _)| of_page(page)).collect()
}
