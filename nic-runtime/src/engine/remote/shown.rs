//! How outputs show the packets of VIs and of remote memory: a message as a packet of the wire, any other packet by its kind.

use nic_core::event::{NicEvent, ViaEvent};
use nic_core::time::SimDuration;

use crate::sim::{Engines, Parts};
use crate::wire::{Packet, PacketRef};

/// How outputs show a packet of a VI.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Shown {
    /// The packet is shown as the packet of a message.
    Message,
    /// The packet is shown as a packet of this kind, without a message.
    Control {
        /// The word for the packet's kind in traces.
        kind: &'static str,
        /// Number of its bytes.
        length: u32,
    },
}

/// Reports that the first bit of a VI's packet leaves.
pub(crate) fn tell_leaves(
    sim: &mut Parts<'_, impl Engines>,
    packet: PacketRef,
    shown: Shown,
    duration: SimDuration,
) {
    let Packet {
        id,
        from: (from, channel),
        to: (peer, _),
        trigger,
        ..
    } = sim.packets[packet];
    match shown {
        Shown::Message => {
            let kind = NicEvent::WireTx {
                packet: id,
                peer,
                channel,
                payload: &sim.packets[packet].bytes,
                part: None,
                post: sim.report.post_sent(&sim.packets[packet]),
                duration,
                trigger,
            };
            sim.report.emit(sim.now, from, kind);
        }
        Shown::Control { kind, length } => {
            let kind = ViaEvent::ControlTx {
                packet: id,
                peer,
                channel,
                kind,
                length,
                duration,
                trigger,
            };
            sim.report.emit(sim.now, from, kind);
        }
    }
}

/// Reports that the last bit of a VI's packet has arrived.
pub(crate) fn tell_arrives(sim: &mut Parts<'_, impl Engines>, packet: PacketRef, shown: Shown) {
    let Packet {
        id,
        from: (peer, _),
        to: (to, channel),
        ..
    } = sim.packets[packet];
    match shown {
        Shown::Message => {
            let kind = NicEvent::WireRx {
                packet: id,
                peer,
                channel,
                payload: &sim.packets[packet].bytes,
                part: None,
                post: sim.report.post_of(id),
            };
            sim.report.emit(sim.now, to, kind);
        }
        Shown::Control { kind, length } => {
            let kind = ViaEvent::ControlRx {
                packet: id,
                peer,
                channel,
                kind,
                length,
            };
            sim.report.emit(sim.now, to, kind);
        }
    }
}
