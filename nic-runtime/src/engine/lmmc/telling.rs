//! The events of LMMC.

use nic_core::event::{
    DropReason, LmmcEvent, NicEvent, RemoteEvent, ViaEvent, WindowName, WriteHow,
};
use nic_core::id::{EndpointId, PacketId};
use nic_core::lmmc::{Direction, FlushReason, Message, PagingSide, PortAction, PortId};
use nic_core::time::SimDuration;

use super::site::SiteId;
use super::state::HasLmmc;
use crate::sim::Parts;
use crate::wire::PacketRef;

/// Emits an event of an endpoint.
pub(super) fn tell(sim: &mut Parts<'_, impl HasLmmc>, id: EndpointId, event: LmmcEvent<'_>) {
    sim.report.emit(sim.now, id, event);
}

/// Emits an event of one end of a link.
pub(super) fn tell_at(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId, event: LmmcEvent<'_>) {
    let home = sim.engines.lmmc().sites[at].home;
    tell(sim, home, event);
}

/// Reports what has happened to a port at one end of a link.
pub(super) fn tell_port(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    action: PortAction,
    (direction, id): (Direction, Option<PortId>),
) {
    let event = LmmcEvent::Port {
        action,
        id,
        direction,
    };
    tell_at(sim, at, event);
}

/// Reports a step of a side's paging.
pub(super) fn tell_step(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (side, step): (PagingSide, u8),
    port: PortId,
) {
    tell_at(sim, at, LmmcEvent::Paging { side, step, port });
}

/// Reports gathered writes that leave.
pub(super) fn tell_flush(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    (port, reason): (PortId, FlushReason),
    length: usize,
) {
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    let event = LmmcEvent::Flush {
        port,
        reason,
        length,
    };
    tell(sim, id, event);
}

/// Reports a write that a process hands to the interface.
pub(super) fn tell_write(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    port: PortId,
    (offset, payload): (u32, &[u8]),
) {
    let window = i32::try_from(port.number()).unwrap_or(i32::MAX);
    let event = RemoteEvent::WindowWrite {
        window: WindowName::Numbered(window),
        offset,
        payload,
        how: WriteHow::Pio,
    };
    sim.report.emit(sim.now, id, event);
}

/// Reports a write that has landed in the frame of a port. Its packet carries no message for anybody else.
pub(super) fn tell_landed(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (packet, port): (PacketId, PortId),
    (offset, payload): (u32, &[u8]),
) {
    let window = i32::try_from(port.number()).unwrap_or(i32::MAX);
    let event = RemoteEvent::WindowWritten {
        packet,
        window: WindowName::Numbered(window),
        offset,
        length: u32::try_from(payload.len()).unwrap_or(u32::MAX),
    };
    let home = sim.engines.lmmc().sites[at].home;
    sim.report.emit(sim.now, home, event);
}

/// Reports a message that is refused and dropped.
pub(super) fn tell_refused(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (packet, peer): (PacketId, EndpointId),
    reason: &'static str,
) {
    let event = LmmcEvent::MessageRefused {
        packet,
        peer,
        reason,
    };
    tell_at(sim, at, event);
    let home = sim.engines.lmmc().sites[at].home;
    let drop = NicEvent::Drop {
        packet: Some(packet),
        reason: DropReason::BadMessage,
    };
    sim.report.emit(sim.now, home, drop);
}

/// Reports that the first bit of a message leaves: a write as a packet with a message, and any other by its kind.
pub(super) fn leaves(sim: &mut Parts<'_, impl HasLmmc>, packet: PacketRef, duration: SimDuration) {
    if !sim.report.listens() {
        return;
    }
    let sent = &sim.packets[packet];
    let (from, channel) = sent.from;
    let (peer, _) = sent.to;
    match shown(&sent.bytes) {
        Ok(payload) => {
            let kind = NicEvent::WireTx {
                packet: sent.id,
                peer,
                channel,
                payload,
                part: None,
                post: None,
                duration,
                trigger: sent.trigger,
            };
            sim.report.emit(sim.now, from, kind);
        }
        Err(kind) => {
            let kind = ViaEvent::ControlTx {
                packet: sent.id,
                peer,
                channel,
                kind,
                length: sent.wire_length(),
                duration,
                trigger: sent.trigger,
            };
            sim.report.emit(sim.now, from, kind);
        }
    }
}

/// Reports that the last bit of a message has arrived.
pub(super) fn arrives(sim: &mut Parts<'_, impl HasLmmc>, packet: PacketRef) {
    if !sim.report.listens() {
        return;
    }
    let arrived = &sim.packets[packet];
    let (to, channel) = arrived.to;
    let (peer, _) = arrived.from;
    match shown(&arrived.bytes) {
        Ok(payload) => {
            let kind = NicEvent::WireRx {
                packet: arrived.id,
                peer,
                channel,
                payload,
                part: None,
                post: None,
            };
            sim.report.emit(sim.now, to, kind);
        }
        Err(kind) => {
            let kind = ViaEvent::ControlRx {
                packet: arrived.id,
                peer,
                channel,
                kind,
                length: arrived.wire_length(),
            };
            sim.report.emit(sim.now, to, kind);
        }
    }
}

/// Returns the bytes that a message writes, or the word for its kind if it is no write.
fn shown(bytes: &[u8]) -> Result<&[u8], &'static str> {
    match Message::decode(bytes) {
        Ok(Message::Write(write)) => Ok(write.bytes),
        Ok(message) => Err(message.word()),
        Err(_) => Err("forged"),
    }
}
