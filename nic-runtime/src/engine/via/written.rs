//! What a library does after the peer has written to its memory: completes receive descriptors, and sends waiting
//! messages.

use crate::ids::at;
use nic_core::event::{NicEvent, Trigger, TxStatus};
use nic_core::id::{EndpointId, PacketId};
use nic_core::memory::HostSpan;
use nic_core::via::{ConnectionId, Placement, Reason, Reliability, Transfer as Entry, Vi, place};

use super::interrupt::interrupt;
use super::library::{Over, Pointer};
use super::named;
use super::over_memory::{end, send_due};
use super::receive::{Message, remark};
use super::state::{HasVia, Remark, Sent, ViaState, over};
use crate::engine::remote::{self, Writes};
use crate::protocol::EntryNumber;
use crate::sim::Parts;

/// Handles a write of the peer to this end's memory.
pub(crate) fn written(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    (packet, opens): (PacketId, Option<EntryNumber>),
    span: HostSpan,
) {
    let Some(over) = over(sim, id) else { return };
    if let Some(entry) = opens {
        over.came.insert(entry, packet);
    }
    if span.region() != over.control.index() {
        return;
    }
    let layout = over.layout;
    let is_at = |offset: u32| span.range().contains(&at(offset));
    let pointer = if is_at(layout.transfers_written()) {
        Pointer::Transfers
    } else if is_at(layout.cookies_written()) {
        Pointer::Cookies
    } else if is_at(layout.transfers_read()) {
        Pointer::Read
    } else {
        return;
    };
    match over.interrupt_takes(pointer) {
        Some(takes) => interrupt(sim, id, pointer, takes),
        None => sees(sim, id, pointer),
    }
}

/// Lets the library react to a pointer that the peer has written.
pub(super) fn sees(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, pointer: Pointer) {
    match pointer {
        Pointer::Transfers => receive(sim, id),
        Pointer::Cookies => send_due(sim, id),
        Pointer::Read => complete_read(sim, id),
    }
}

/// Completes the send descriptors whose entries the peer has read from the transfer queue.
fn complete_read(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let Some(end_of) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    let Some(over) = end_of.over.as_deref() else {
        return;
    };
    let Ok(unread) = over.library.unread(sim.memory.region(over.control)) else {
        return ViaState::breaks(sim, id, Reason::Loss);
    };
    // The peer cannot have read an entry whose pointer DMA has not written.
    let unread = unread.max(over.moving.count());
    let done = end_of.sent.len().saturating_sub(at(unread));
    let done: Vec<Sent> = end_of.sent.drain(..done).collect();
    for Sent { post, .. } in done {
        if let Some(post) = post {
            end(sim, id, post, TxStatus::Ok);
        }
    }
}

/// Completes receive descriptors for the new entries of the transfer queue.
pub(super) fn receive(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    // The entry of a message waits in the transfer queue until the user's receive queue has room. It cannot be dropped:
    // its receive descriptors are used, and the next message would be read from them.
    while !sim.engines.via_mut().is_broken(id) && sim.endpoints[id].receive.has_room() {
        let Some(end_of) = sim.engines.via_mut().end_mut(id) else {
            return;
        };
        let (connection, vi) = (end_of.connection, end_of.vi);
        let Some(over) = end_of.over.as_deref_mut() else {
            return;
        };
        let own = sim.memory.region(over.control);
        let mut writes = Writes::default();
        let tells = vi.reliability() == Reliability::Reception || over.costs.1.tells_each_read();
        let next = over.library.next_transfer(own, &mut writes, tells);
        let (entry, packet) = match next {
            Ok(Some(entry)) => (entry, came(over)),
            Ok(None) => return,
            Err(_) => return ViaState::breaks(sim, id, Reason::Loss),
        };
        complete(sim, id, entry, packet);
        remote::carry_out(sim, id, &connection, &writes, Trigger::Timer);
    }
}

/// Takes the packet of the message whose entry the library has taken last.
fn came(over: &mut Over) -> Option<PacketId> {
    over.came.remove(&EntryNumber::of(over.library.taken()))
}

/// Completes the oldest receive descriptors for an entry of the transfer queue.
fn complete(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    entry: Entry,
    packet: Option<PacketId>,
) {
    let Some((connection, level)) = sim
        .engines
        .via_mut()
        .end(id)
        .map(|end| (end.connection, end.vi.reliability()))
    else {
        return;
    };
    let (message, splits) = match entry {
        Entry::Message {
            length, immediate, ..
        } => {
            let message = Message {
                packet,
                channel: connection.id,
                length,
                immediate,
            };
            // The sender has already decided whether it splits the message.
            (message, true)
        }
        Entry::TooLong => {
            let message = Message {
                packet,
                channel: connection.id,
                length: u32::MAX,
                immediate: None,
            };
            (message, false)
        }
    };
    if named::posts_own(sim, id) {
        if named::take(sim, id, (message, splits)).is_some() {
            named::close_completed(sim, id);
            sim.publish(id);
        }
        return;
    }
    let vi = Vi::new(level, splits);
    let endpoint = &mut sim.endpoints[id];
    let placed = place(
        endpoint,
        &vi,
        (message.packet, message.channel, message.length),
    );
    let descriptors = match placed {
        Placement::Into(buffers) => {
            if let Some(immediate) = message.immediate {
                remark(sim, id, Remark::Immediate(immediate));
            }
            buffers.offsets().len()
        }
        Placement::Short => {
            remark(sim, id, Remark::TooLong);
            1
        }
        Placement::Dropped(reason) => {
            // The peer has written to descriptors that are not posted.
            let kind = NicEvent::Drop { packet, reason };
            sim.report.emit(sim.now, id, kind);
            if let Some(reason) = Placement::Dropped(reason).breaks(&vi) {
                ViaState::breaks(sim, id, reason);
            }
            return;
        }
    };
    if let Some(over) = over(sim, id) {
        for window in over.opened.completed(descriptors) {
            sim.engines.remote_mut().windows.close(window);
        }
    }
    sim.levels_changed(id);
    sim.publish(id);
}

/// Lets the library see a pointer when the host has handled the interrupt for it.
pub(super) fn taken(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    pointer: Pointer,
    connection: ConnectionId,
) {
    if !sim.engines.via_mut().is_current(id, connection) {
        return;
    }
    if let Some(over) = over(sim, id) {
        *over.coming.of(pointer) = false;
    }
    sees(sim, id, pointer);
}
