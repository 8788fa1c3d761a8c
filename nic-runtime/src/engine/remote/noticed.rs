//! What programs notice at their windows: the events of their watches, and words that change.
//!
//! The event queue belongs to the process, which takes an event from it without the NIC (S5-09). A program that waits
//! for a word compares it all the time, so it sees a write as soon as the write has come (S5-19).

use nic_core::event::{RemoteEvent, WindowName};
use nic_core::id::EndpointId;
use nic_core::remote::{Watch, WatchId, WindowId};
use nic_core::time::SimDuration;

use super::state::HasRemote;
use crate::host::{Happened, WindowNews};
use crate::nic::work::Work;
use crate::sim::Parts;

pub(super) fn tell(
    sim: &mut Parts<'_, impl HasRemote>,
    endpoint: EndpointId,
    what: WindowNews<'_>,
) {
    sim.tell_program(endpoint, Happened::Window { endpoint, what });
}

/// Sets a watch of an endpoint. Returns `None` if the endpoint has set all watches that it may set.
pub(super) fn set(sim: &mut Parts<'_, impl HasRemote>, id: EndpointId, watch: Watch) -> Option<()> {
    let nic = sim.endpoints[id].nic;
    let remote = sim.engines.remote_mut();
    let watches = remote.watches.get_mut(nic)?;
    if watches.find(watch).is_some() {
        return Some(());
    }
    let end = remote.ends.get_mut(id)?;
    end.watches_left = end.watches_left.checked_sub(1)?;
    watches.set(watch).ok().map(|_| ())
}

/// Removes the watches of an endpoint's window, and their events.
pub(super) fn unwatch(sim: &mut Parts<'_, impl HasRemote>, id: EndpointId, window: WindowId) {
    let nic = sim.endpoints[id].nic;
    let remote = sim.engines.remote_mut();
    let (Some(watches), Some(end)) = (remote.watches.get_mut(nic), remote.ends.get_mut(id)) else {
        return;
    };
    while let Some(watch) = watches.first_of(window) {
        let removed = watches.remove(watch);
        debug_assert!(removed.is_ok(), "it was found");
        end.watches_left += 1;
        end.noticing.events.forget(watch);
    }
}

/// Tells the program of an endpoint of a write that has come to its window.
pub(super) fn written(
    sim: &mut Parts<'_, impl HasRemote>,
    id: EndpointId,
    (window, met): (WindowId, &[WatchId]),
) {
    for &watch in met {
        let Some(end) = sim.engines.remote_mut().ends.get_mut(id) else {
            return;
        };
        if end.noticing.events.add(watch)
            && let Some((number, Watch { offset, .. })) = watched(sim, id, watch)
        {
            let window = WindowName::Numbered(number);
            sim.report
                .emit(sim.now, id, RemoteEvent::Watch { window, offset });
        }
    }
    look_at_words(sim, id, window);
    let end = sim.engines.remote_mut().ends.get_mut(id);
    let waits = end.is_some_and(|end| end.noticing.waits.is_some());
    if waits && let Some(event) = next(sim, id) {
        if let Some(end) = sim.engines.remote_mut().ends.get_mut(id) {
            end.noticing.waits = None;
        }
        tell(sim, id, event);
    }
}

/// Returns a watch of an endpoint: the number of the watched window, and the watched range.
fn watched(
    sim: &Parts<'_, impl HasRemote>,
    id: EndpointId,
    watch: WatchId,
) -> Option<(i32, Watch)> {
    let owner = (id, &sim.endpoints[id]);
    sim.engines.remote().watched(owner, watch)
}

/// Takes the oldest event of an endpoint.
fn next(sim: &mut Parts<'_, impl HasRemote>, id: EndpointId) -> Option<WindowNews<'static>> {
    loop {
        let end = sim.engines.remote_mut().ends.get_mut(id)?;
        let event = end.noticing.events.take()?;
        if let Some((window, watch)) = watched(sim, id, event) {
            return Some(WindowNews::Event {
                window,
                offset: watch.offset,
                length: watch.length,
            });
        }
    }
}

/// Takes the oldest event of an endpoint, or waits for one for this long: not at all, or for ever (`Some(None)`).
pub(super) fn ask(
    sim: &mut Parts<'_, impl HasRemote>,
    id: EndpointId,
    within: Option<Option<SimDuration>>,
) -> SimDuration {
    let event = next(sim, id);
    let waits = within.map(|within| within.map(|within| sim.now + within));
    let end = sim.engines.remote_mut().ends.get_mut(id);
    match (event, waits, end) {
        (None, Some(until), Some(end)) if end.noticing.waits.is_none() => {
            end.noticing.waits = Some(until);
            if let Some(until) = until {
                sim.schedule.insert(until, Work::LookWindows(id));
            }
        }
        (event, _, _) => tell(sim, id, event.unwrap_or(WindowNews::NoEvent)),
    }
    SimDuration::ZERO
}

/// Tells the program of the words in a window that have changed.
pub(super) fn look_at_words(sim: &mut Parts<'_, impl HasRemote>, id: EndpointId, window: WindowId) {
    let Some(end) = sim.engines.remote().ends.get(id) else {
        return;
    };
    for word in end.noticing.words_of(window) {
        let Some(value) = value(sim, id, (window, word.offset)) else {
            continue;
        };
        if value == word.was {
            continue;
        }
        if let Some(end) = sim.engines.remote_mut().ends.get_mut(id) {
            end.noticing.remove(word);
        }
        let news = WindowNews::Word {
            ticket: word.ticket,
            value: Some(value),
        };
        tell(sim, id, news);
    }
}

/// Returns the value of a word in a window of the endpoint's own memory.
fn value(
    sim: &Parts<'_, impl HasRemote>,
    id: EndpointId,
    (window, offset): (WindowId, u32),
) -> Option<u32> {
    let spec = sim.engines.remote().declared.get(window)?;
    let start = i64::from(spec.offset) + i64::from(offset);
    let span = sim.endpoints[id].area.span(start, 4).ok()?;
    let bytes = sim.memory.bytes(span).try_into().ok()?;
    Some(u32::from_le_bytes(bytes))
}

/// Ends the waits of an endpoint's program whose time is over. Returns whether there were any.
pub(super) fn look(sim: &mut Parts<'_, impl HasRemote>, id: EndpointId) -> bool {
    let now = sim.now;
    let Some(end) = sim.engines.remote_mut().ends.get_mut(id) else {
        return false;
    };
    let (words, event) = end.noticing.overdue(now);
    for word in &words {
        let news = WindowNews::Word {
            ticket: word.ticket,
            value: None,
        };
        tell(sim, id, news);
    }
    if event {
        tell(sim, id, WindowNews::NoEvent);
    }
    event || !words.is_empty()
}
