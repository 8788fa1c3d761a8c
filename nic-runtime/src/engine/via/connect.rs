//! Connections that programs make: requests with a tag, their answers and time-outs.
//!
//! The requests and answers are control packets. Over remote memory they carry the windows of the rings, and announce
//! the receive descriptors that are posted (`setup`).

use nic_core::event::{Trigger, ViaEvent};
use nic_core::id::EndpointId;
use nic_core::time::SimDuration;
use nic_core::via::{
    Answer, CONTROL_BYTES, ConnectionId, Reason, Request, Status, ViState, ViaHeader,
};

use super::control::{send_control, send_setup};
use super::delays::schedule;
use super::state::{Delay, HasVia, ViaState};
use super::{announcing, joining, regions};
use crate::host::{ConnectionNews, Happened};
use crate::sim::Parts;

/// Returns whether programs make the connections of a VI.
pub(super) fn is_by_program(sim: &Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    let end = sim.engines.via().end(id);
    end.is_some_and(|end| end.by_program.is_some())
}

/// Tells the program of a VI what has become of its connection.
fn tell(sim: &mut Parts<'_, impl HasVia>, endpoint: EndpointId, what: ConnectionNews) {
    sim.tell_program(endpoint, Happened::Connection { endpoint, what });
}

fn tell_state(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, state: ViState, reason: Reason) {
    let kind = ViaEvent::ViState { state, reason };
    sim.report.emit(sim.now, id, kind);
}

/// Returns whether a VI without a connection still has descriptors of the former one, which complete before its next.
pub(super) fn is_ending(sim: &Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    let end = sim.engines.via().end(id);
    let flushes = end.is_some_and(|end| end.flush_waits.is_some());
    is_free(sim, id) && (sim.endpoints[id].transmit.pending() > 0 || flushes)
}

/// Returns whether a program may ask for a connection of a VI now.
fn is_free(sim: &Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    let end = sim.engines.via().end(id);
    end.is_some_and(|end| {
        let is_waiting = end.handshake.is_waiting();
        end.by_program.is_some() && !end.vi.is_connected() && !is_waiting
    })
}

/// Prepares a VI for its next connection, or tells its program that it cannot have one now. Returns whether it can.
fn begins(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    let can = is_free(sim, id);
    if can {
        post_flushed(sim, id);
    } else {
        tell(sim, id, ConnectionNews::NotPossible);
    }
    can
}

/// Requests a connection from the peer.
pub(super) fn connect(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    (tag, within): (u32, Option<SimDuration>),
) {
    if !begins(sim, id) {
        return;
    }
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    let Some(connection) = end.handshake.request() else {
        return tell(sim, id, ConnectionNews::NotPossible);
    };
    let connecting = end.vi.connect();
    debug_assert_eq!(connecting, Ok(()), "a VI without a connection can connect");
    tell_state(sim, id, ViState::Connecting, Reason::Requested);
    let setup = set_up(sim, id);
    let header = ViaHeader::Connect { connection, tag };
    send_setup(sim, id, header, (Trigger::Timer, &setup));
    time_out(sim, id, within);
}

/// Accepts a request with this tag: the one that waits, or the next.
pub(super) fn accept(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    (tag, within): (u32, Option<SimDuration>),
) {
    if !begins(sim, id) {
        return;
    }
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    let setup = end
        .by_program
        .as_mut()
        .map(|own| std::mem::take(&mut own.requested));
    let answer = end.handshake.accept(tag);
    carry_out(sim, id, answer, setup.unwrap_or_default());
    if waits_now(sim, id) {
        time_out(sim, id, within);
    }
}

/// Refuses the request that waits.
pub(super) fn refuse(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    match end.handshake.refuse() {
        Some(connection) => {
            if let Some(own) = &mut end.by_program {
                own.requested.clear();
            }
            send_control(sim, id, ViaHeader::Refuse { connection }, Trigger::Timer);
        }
        None => tell(sim, id, ConnectionNews::NotPossible),
    }
}

/// Handles a request of the peer.
pub(super) fn requested(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    request: Request,
    setup: Vec<u8>,
) {
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    let is_free = end.by_program.is_some() && !end.vi.is_connected();
    let answer = end.handshake.requested(request, is_free);
    carry_out(sim, id, answer, setup);
}

/// Does what is decided about a request of the peer, whose set-up has these bytes.
fn carry_out(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, answer: Answer, setup: Vec<u8>) {
    match answer {
        Answer::Wait => {
            let Some(end) = sim.engines.via_mut().end_mut(id) else {
                return;
            };
            let Some(request) = end.handshake.waiting() else {
                return;
            };
            if let Some(own) = &mut end.by_program {
                own.requested = setup;
            }
            tell(sim, id, ConnectionNews::Requested { tag: request.tag });
        }
        Answer::Refuse(connection) => {
            send_control(sim, id, ViaHeader::Refuse { connection }, Trigger::Timer);
        }
        Answer::Accept(Request { connection, .. }) => {
            let own = set_up(sim, id);
            if !joining::meet(sim, id, &setup) {
                joining::forget_peer(sim, id);
                send_control(sim, id, ViaHeader::Refuse { connection }, Trigger::Timer);
                return tell(sim, id, ConnectionNews::Refused);
            }
            let Some(end) = sim.engines.via_mut().end_mut(id) else {
                return;
            };
            let connected = end.vi.connect().and_then(|()| end.vi.accepted());
            debug_assert_eq!(connected, Ok(()), "a VI without a connection can connect");
            tell_state(sim, id, ViState::Connected, Reason::Accepted);
            let header = ViaHeader::Accept { connection };
            send_setup(sim, id, header, (Trigger::Timer, &own));
            announcing::post_rest(sim, id);
            tell(sim, id, ConnectionNews::Made);
        }
    }
}

/// Handles the packet by which the peer accepts the request of a VI. Any other such packet is void.
pub(super) fn accepted(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    connection: ConnectionId,
    setup: &[u8],
) {
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    if !end.handshake.answered(connection) {
        return;
    }
    if !joining::meet(sim, id, setup) {
        // The program of this end never has the connection, but the peer's may.
        let reason = Reason::Loss;
        let header = ViaHeader::Close { connection, reason };
        send_control(sim, id, header, Trigger::Timer);
        not_accepted(sim, id);
        return tell(sim, id, ConnectionNews::Refused);
    }
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    let accepted = end.vi.accepted();
    debug_assert_eq!(accepted, Ok(()), "the VI is connecting");
    tell_state(sim, id, ViState::Connected, Reason::Accepted);
    announcing::post_rest(sim, id);
    tell(sim, id, ConnectionNews::Made);
}

/// Handles the packet by which the peer refuses the request of a VI. Any other such packet is void.
pub(super) fn refused(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, connection: ConnectionId) {
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    if end.handshake.answered(connection) {
        not_accepted(sim, id);
        tell(sim, id, ConnectionNews::Refused);
    }
}

/// Makes a VI idle again whose request has come to nothing.
fn not_accepted(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    let idle = end.vi.not_accepted();
    debug_assert_eq!(idle, Ok(()), "the VI is connecting");
    joining::forget_peer(sim, id);
    tell_state(sim, id, ViState::Idle, Reason::NotAccepted);
}

/// Forgets a request that the peer has taken back.
pub(super) fn withdrawn(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    connection: ConnectionId,
) {
    if let Some(end) = sim.engines.via_mut().end_mut(id)
        && end.handshake.withdrawn(connection)
        && let Some(own) = &mut end.by_program
    {
        own.requested.clear();
    }
}

/// Ends a wait of a VI for its connection, if it waits, and takes its request back. Returns whether it waited.
pub(super) fn give_up(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    if !waits_now(sim, id) {
        return false;
    }
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return false;
    };
    if let Some(connection) = end.handshake.give_up() {
        let reason = Reason::Disconnect;
        let header = ViaHeader::Close { connection, reason };
        send_control(sim, id, header, Trigger::Timer);
        not_accepted(sim, id);
    }
    true
}

fn waits_now(sim: &Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    let end = sim.engines.via().end(id);
    end.is_some_and(|end| end.handshake.is_waiting())
}

/// Schedules the time-out of the wait that a VI has just begun.
fn time_out(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, within: Option<SimDuration>) {
    let end = sim.engines.via().end(id);
    if let (Some(end), Some(within)) = (end, within) {
        let (time, turn) = (sim.now + within, end.handshake.turn());
        schedule(sim, time, Delay::Handshake(id, turn));
    }
}

/// Returns whether a VI is still in the turn of a wait.
pub(super) fn waits(sim: &Parts<'_, impl HasVia>, id: EndpointId, turn: u32) -> bool {
    let end = sim.engines.via().end(id);
    end.is_some_and(|end| end.handshake.is_waiting() && end.handshake.turn() == turn)
}

/// Ends a wait whose time is over. Returns whether the VI was still in that wait.
pub(super) fn timed_out(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, turn: u32) -> bool {
    let is_due = waits(sim, id, turn) && give_up(sim, id);
    if is_due {
        tell(sim, id, ConnectionNews::TimedOut);
    }
    is_due
}

/// Ends what a VI keeps for a connection that has ended, and tells its program.
pub(super) fn ended(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, reason: Reason) {
    if is_by_program(sim, id) {
        joining::forget_peer(sim, id);
        tell(sim, id, ConnectionNews::Ended { reason });
    }
}

/// Posts the receive descriptors again that the end of the former connection has flushed.
fn post_flushed(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    let flushed = end
        .by_program
        .as_mut()
        .map(|own| std::mem::take(&mut own.flushed));
    let length = sim.endpoints[id].free.buffer_length();
    for offset in flushed.unwrap_or_default() {
        sim.endpoints[id].free.put_back(offset);
        regions::hold(sim, id, 1);
        sim.report
            .emit(sim.now, id, ViaEvent::RxPost { offset, length });
    }
    sim.levels_changed(id);
    if !regions::is_registered(sim, id) {
        ViaState::flush_buffers(sim, id, Status::ProtectionError);
    }
}

/// Returns the bytes of the control packet that offers a VI's connection to the peer.
fn set_up(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) -> Vec<u8> {
    let setup = joining::set_up(sim, id);
    setup.unwrap_or_else(|| vec![0; CONTROL_BYTES as usize])
}
