//! What programs' own descriptors do to the state of their VI: they hold their memory, take messages, and complete.
//!
//! A descriptor is checked when it is posted, and holds its memory until it completes. A VI whose process has no free
//! buffers takes receive descriptors from its program. Their messages wait until the program asks for them.

use nic_core::event::{DropReason, NicEvent, TxStatus, ViaEvent};
use nic_core::id::{EndpointId, PostId};
use nic_core::memory::HostSpan;
use nic_core::remote::WindowId;
use nic_core::unet::{Channel, MESSAGE_BUFFERS_MAX};
use nic_core::via::{Handle, Reason, Segment, Share, Side, Status, Vi};

use super::completions::enter_completion;
use super::delays::schedule;
use super::own::{Completed, Named, Receives};
use super::receive::Message;
use super::regions;
use super::state::{Delay, HasVia, ViaState};
use crate::host::Notify;
use crate::ids::at;
use crate::sim::Parts;

/// Returns the receive descriptors of a VI's program; `None` if the process posts its free buffers instead.
pub(super) fn receives<'s>(
    sim: &'s mut Parts<'_, impl HasVia>,
    id: EndpointId,
) -> Option<&'s mut Receives> {
    let end = sim.engines.via_mut().end_mut(id)?;
    end.by_program.as_mut()?.receives.as_mut()
}

/// Returns whether a VI's program posts the receive descriptors.
pub(super) fn posts_own(sim: &Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    let by_program = sim
        .engines
        .via()
        .end(id)
        .and_then(|end| end.by_program.as_deref());
    by_program.is_some_and(|own| own.receives.is_some())
}

/// Returns the message that a send descriptor of a program names, if the descriptor is one.
pub(super) fn named(state: &ViaState, id: EndpointId, post: PostId) -> Option<&Named> {
    let extras = state.end(id)?.extras.get(&post)?;
    extras.named.as_deref()
}

/// Returns whether a VI may send the message of a descriptor: its memory is registered.
pub(super) fn may_send(sim: &Parts<'_, impl HasVia>, id: EndpointId, post: PostId) -> bool {
    match named(sim.engines.via(), id, post) {
        Some(named) => named.error.is_none(),
        None => regions::is_registered(sim, id),
    }
}

/// Returns the connection of a VI, with a place for a message whose place its descriptor names.
pub(super) fn place(sim: &Parts<'_, impl HasVia>, id: EndpointId) -> Option<(Channel, HostSpan)> {
    let connection = sim.engines.via().end(id)?.connection;
    let place = sim.endpoints[id].area.span(0, 0).ok()?;
    Some((connection, place))
}

/// Checks the segments of a descriptor of a VI, and holds their memory.
pub(super) fn name(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    (ticket, segments): (u64, &[Segment]),
) -> Named {
    let nic = sim.endpoints[id].nic;
    let most = sim.scenario.profile_of(nic).memory.segments.get();
    let registry = &mut sim.engines.via_mut().registry;
    let mut named = Named {
        ticket,
        ..Named::default()
    };
    if segments.len() > at(most) {
        named.error = Some(Status::LengthError);
        return named;
    }
    for segment in segments {
        let Segment {
            handle,
            offset,
            length,
        } = *segment;
        let Ok(span) = registry.span(handle, id.0, (offset.into(), length.into())) else {
            named.error = Some(Status::ProtectionError);
            break;
        };
        let Some(sum) = named.length.checked_add(length) else {
            named.error = Some(Status::LengthError);
            break;
        };
        named.length = sum;
        named.spans.push(span);
        named.places.push((handle, offset));
    }
    if named.error.is_some() {
        named.length = 0;
        named.spans.clear();
        named.places.clear();
    }
    for (handle, _) in &named.places {
        let held = registry.hold(*handle);
        debug_assert_eq!(held, Ok(()), "the region is registered");
    }
    named
}

fn release(sim: &mut Parts<'_, impl HasVia>, handles: impl Iterator<Item = Handle>) {
    for handle in handles {
        let released = sim.engines.via_mut().registry.release(handle);
        debug_assert_eq!(released, Ok(()), "a region in use stays registered");
    }
}

/// Releases the memory of a send descriptor that is complete.
pub(super) fn released(sim: &mut Parts<'_, impl HasVia>, named: &Named) {
    release(sim, named.places.iter().map(|(handle, _)| *handle));
}

/// Records for the program how a send descriptor of its own has completed.
pub(super) fn sent(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    named: &Named,
    (status, failed): (TxStatus, Option<Status>),
) -> Status {
    let status = match status {
        TxStatus::Ok => Status::Ok,
        TxStatus::Trap => Status::Trap,
        TxStatus::Refused => named.error.unwrap_or(Status::ProtectionError),
        TxStatus::Failed => failed.unwrap_or(Status::Flushed),
    };
    if let Some(end) = sim.engines.via_mut().end_mut(id)
        && let Some(own) = &mut end.by_program
    {
        own.sent.push_back((named.ticket, status, named.length));
    }
    status
}

/// Returns the places in the peer's view of a receive descriptor: windows, offsets and lengths. Opens the windows that
/// are not open.
pub(super) fn shares(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    named: &Named,
    strict: bool,
) -> Option<Vec<Share>> {
    let (via, remote) = sim.engines.via_and_remote();
    let registry = &via.registry;
    let end = via.ends.get_mut(id)?.as_deref_mut()?;
    let peer = end.connection.peer;
    let own = end.by_program.as_mut()?.receives.as_mut()?;
    let mut shares = Vec::new();
    let mut opened = Vec::new();
    for (span, (handle, offset)) in named.spans.iter().zip(&named.places) {
        let (window, offset) = if strict {
            let window = remote.windows.open_span(*span, peer).ok()?;
            opened.push(window);
            (window, 0)
        } else {
            let window = match own.windows.get(handle) {
                Some(window) => *window,
                None => {
                    let whole = registry.range(*handle)?;
                    let window = remote.windows.open_span(whole, peer).ok()?;
                    own.windows.insert(*handle, window);
                    window
                }
            };
            (window, *offset)
        };
        shares.push(Share {
            window,
            offset,
            length: span.length(),
        });
    }
    if strict {
        own.strict.push_back(opened);
    }
    if shares.is_empty() {
        // A descriptor without segments takes a message without bytes.
        shares.push(Share {
            window: WindowId(u32::MAX),
            offset: 0,
            length: 0,
        });
    }
    Some(shares)
}

/// Closes the windows of a descriptor that was not announced after all.
pub(super) fn not_announced(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let closed = receives(sim, id).and_then(|own| own.strict.pop_back());
    for window in closed.unwrap_or_default() {
        sim.engines.remote_mut().windows.close(window);
    }
}

/// Closes all windows of the peer to memory of descriptors.
pub(super) fn close_windows(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let Some(own) = receives(sim, id) else { return };
    let mut closed: Vec<WindowId> = std::mem::take(&mut own.windows).into_values().collect();
    closed.extend(std::mem::take(&mut own.strict).into_iter().flatten());
    for window in closed {
        sim.engines.remote_mut().windows.close(window);
    }
}

/// Completes a receive descriptor without a message.
pub(super) fn complete(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    named: Named,
    status: Status,
) {
    let completed = Completed {
        tickets: vec![named.ticket],
        spans: Vec::new(),
        offsets: vec![named.offset()],
        held: named.places.iter().map(|(handle, _)| *handle).collect(),
        packet: None,
        length: 0,
        status,
        immediate: None,
    };
    show(sim, id, completed);
}

/// Completes the oldest posted receive descriptors as flushed, this many.
pub(super) fn flush(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, count: usize) {
    let flushed: Option<Vec<Named>> =
        receives(sim, id).map(|own| own.posted.drain(..count.min(own.posted.len())).collect());
    for named in flushed.into_iter().flatten() {
        complete(sim, id, named, Status::Flushed);
    }
}

/// Uses up receive descriptors of a program for a message; their completion becomes visible when the caller publishes
/// it. Returns the places of the message, or `None` if the message is lost, after reporting the loss and, if the level
/// demands it, ending the connection. A message that fits into no descriptor completes one, which is published.
pub(super) fn take(
    sim: &mut Parts<'_, impl HasVia>,
    to: EndpointId,
    (message, splits): (Message, bool),
) -> Option<Vec<HostSpan>> {
    let vi: Vi = sim.engines.via().end(to)?.vi;
    let is_over_memory = sim.engines.via().is_over_memory(to);
    let own = receives(sim, to)?;
    let first = own.posted.front().map(|named| named.length);
    let mut needed = 0;
    let mut room = 0_u64;
    for named in &own.posted {
        room += u64::from(named.length);
        needed += 1;
        if room >= u64::from(message.length) || !splits {
            break;
        }
    }
    let fits = room >= u64::from(message.length);
    let lost = match first {
        None => Some((DropReason::NoFreeBuffer, Reason::Overrun)),
        Some(_) if fits && needed <= MESSAGE_BUFFERS_MAX => None,
        Some(_) if splits && fits => Some((DropReason::TooLong, Reason::Overrun)),
        Some(_) if splits => Some((DropReason::NoFreeBuffer, Reason::Overrun)),
        Some(_) => {
            let named = own.posted.pop_front()?;
            own.filling.push_back(Completed {
                tickets: vec![named.ticket],
                spans: Vec::new(),
                offsets: vec![named.offset()],
                held: named.places.iter().map(|(handle, _)| *handle).collect(),
                packet: message.packet,
                length: 0,
                status: Status::LengthError,
                immediate: None,
            });
            // Over remote memory the sender knows that the message does not fit, and the caller publishes this.
            if is_over_memory {
                return Some(Vec::new());
            }
            sim.publish_in_turn(to);
            if vi.reliability().is_reliable() {
                ViaState::breaks(sim, to, Reason::LengthError);
            }
            return None;
        }
    };
    if let Some((reason, breaks)) = lost {
        let packet = message.packet;
        sim.report
            .emit(sim.now, to, NicEvent::Drop { packet, reason });
        if vi.reliability().is_reliable() {
            ViaState::breaks(sim, to, breaks);
        }
        return None;
    }
    let mut completed = Completed {
        tickets: Vec::new(),
        spans: Vec::new(),
        offsets: Vec::new(),
        held: Vec::new(),
        packet: message.packet,
        length: message.length,
        status: Status::Ok,
        immediate: message.immediate,
    };
    let mut left = message.length;
    for named in own.posted.drain(..needed) {
        completed.tickets.push(named.ticket);
        completed.offsets.push(named.offset());
        for span in named.spans {
            let here = left.min(span.length());
            completed
                .spans
                .extend(span.part(0, here).filter(|_| here > 0));
            left -= here;
        }
        completed
            .held
            .extend(named.places.iter().map(|(handle, _)| *handle));
    }
    let spans = completed.spans.clone();
    own.filling.push_back(completed);
    Some(spans)
}

/// Returns how many receive descriptors the oldest completion that is not visible has used, and closes their windows.
pub(super) fn close_completed(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let Some(own) = receives(sim, id) else { return };
    let used = own
        .filling
        .back()
        .map_or(0, |completed| completed.tickets.len());
    let used = used.min(own.strict.len());
    let closed: Vec<WindowId> = own.strict.drain(..used).flatten().collect();
    for window in closed {
        sim.engines.remote_mut().windows.close(window);
    }
}

/// Makes the oldest completion visible.
pub(super) fn publish(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    if let Some(completed) = receives(sim, id).and_then(|own| own.filling.pop_front()) {
        show(sim, id, completed);
    }
}

/// Makes a completion visible, and wakes the program if it waits for a message.
fn show(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, completed: Completed) {
    let Some(channel) = sim.engines.via().end(id).map(|end| end.connection.id) else {
        return;
    };
    let message: Vec<u8> = bytes(sim, &completed.spans);
    let kind = ViaEvent::RxDescriptor {
        packet: completed.packet,
        channel,
        length: completed.length,
        status: completed.status,
        immediate: completed.immediate,
        offsets: &completed.offsets,
        share: 0,
        area: sim.memory.region(sim.endpoints[id].area),
        whole: Some(&message),
        post: completed
            .packet
            .and_then(|packet| sim.report.post_of(packet)),
    };
    sim.report.emit(sim.now, id, kind);
    release(sim, completed.held.iter().copied());
    enter_completion(sim, id, Side::Receive);
    let Some(own) = receives(sim, id) else { return };
    own.done.push_back(completed);
    if std::mem::take(&mut own.waits) {
        own.turn = own.turn.wrapping_add(1);
        let turn = own.turn;
        let time = match sim.users[id].notify {
            Notify::Poll(every) => sim.now.next_multiple_of(every),
            Notify::Upcall(takes) => sim.now + takes,
        };
        schedule(sim, time, Delay::Notice(id, turn));
    }
}

pub(super) fn bytes(sim: &Parts<'_, impl HasVia>, spans: &[HostSpan]) -> Vec<u8> {
    let bytes = spans.iter().flat_map(|span| sim.memory.bytes(*span));
    bytes.copied().collect()
}
