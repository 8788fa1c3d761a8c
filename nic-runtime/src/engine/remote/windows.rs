//! Windows that the scenario gives to endpoints: what applets may name, the writes of applets, and their watches.
//!
//! An applet's write is a packet like any other: it needs a send slot on its own NIC and an arrival slot at the owner.
//! The NIC of the window's owner changes the memory as soon as the packet arrives, without using a processor. After the
//! change, the owner's NIC looks for watches of the written bytes.

use crate::ids::at;
use nic_core::event::{DropReason, NicEvent, RemoteEvent, Trigger, WindowName, WriteHow};
use nic_core::id::{EndpointId, PacketId};
use nic_core::remote::{PeerWindow, Watch, WatchId, WindowId};
use nic_core::sle::ArraySpan;
use nic_core::via::ConnectionId;

use super::noticed;
use super::state::HasRemote;
use crate::nic::endpoint::AppletAt;
use crate::protocol::Header;
use crate::protocol::RemoteWrite;
use crate::sim::Parts;
use crate::wire::{Admission, Packet, PacketRef};

/// Sets a watch of a window, or removes all watches of the window if the range is empty. An applet without `doWatch`
/// has no watches.
#[cold]
pub(crate) fn watch(
    sim: &mut Parts<'_, impl HasRemote>,
    applet_at: AppletAt,
    window: WindowId,
    (offset, length): (u32, u32),
) {
    if sim.applets[applet_at.applet].members.do_watch.is_none() {
        return;
    }
    if length == 0 {
        return unwatch(sim, applet_at, window);
    }
    let nic = sim.endpoints[applet_at.endpoint].nic;
    let remote = sim.engines.remote_mut();
    let watches = &mut remote.watches[nic];
    let wanted = Watch {
        window,
        offset,
        length,
    };
    let left = &mut remote.ends[applet_at.endpoint].watches_left;
    if *left > 0 && watches.find(wanted).is_none() && watches.set(wanted).is_ok() {
        *left -= 1;
    }
}

/// Removes all watches of an endpoint's window, and the events of these watches.
fn unwatch(sim: &mut Parts<'_, impl HasRemote>, applet_at: AppletAt, window: WindowId) {
    let nic = sim.endpoints[applet_at.endpoint].nic;
    loop {
        let watches = &mut sim.engines.remote_mut().watches[nic];
        let Some(watch) = watches.first_of(window) else {
            return;
        };
        let removed = watches.remove(watch);
        debug_assert!(removed.is_ok(), "it was found");
        sim.engines.remote_mut().ends[applet_at.endpoint].watches_left += 1;
        sim.forget_watch(applet_at, watch);
    }
}

/// Removes all watches of an endpoint, because the endpoint's new applet has no `doWatch`.
pub(crate) fn unwatch_all(sim: &mut Parts<'_, impl HasRemote>, applet_at: AppletAt) {
    let Some(end) = sim.engines.remote_mut().ends.get(applet_at.endpoint) else {
        return;
    };
    let own: Vec<WindowId> = end.own.iter().map(|own| own.window).collect();
    for window in own {
        unwatch(sim, applet_at, window);
    }
}

/// Makes the packet of an applet's write.
pub(crate) fn make_write(
    sim: &mut Parts<'_, impl HasRemote>,
    applet_at: AppletAt,
    trigger: Trigger,
    (from, peer, offset): (ArraySpan, u32, u32),
) -> Option<PacketRef> {
    let end = sim.engines.remote_mut().ends.get(applet_at.endpoint)?;
    let PeerWindow { window, path, .. } = *end.peers.get(at(peer))?;
    let has_arrival_slot = sim.fabric[path.route].admission == Admission::Slot;
    let packet = sim.new_packet(applet_at.endpoint, &path, trigger);
    let packet = Packet {
        has_arrival_slot: packet.has_arrival_slot && has_arrival_slot,
        header: Header::Remote(RemoteWrite {
            window,
            offset,
            opens: None,
            how: WriteHow::Nic,
            connection: ConnectionId::default(),
            number: None,
        }),
        ..packet
    };
    let heap = sim.applets[applet_at.applet].instance.heap();
    Some(sim.packets.add(packet, from.bytes(heap)))
}

/// Reports a write that has changed a window, and notifies the owner's applet or program if it watches these bytes.
pub(super) fn written(
    sim: &mut Parts<'_, impl HasRemote>,
    owner: EndpointId,
    (packet, window): (PacketId, WindowId),
    (offset, length): (u32, u32),
) {
    let kind = RemoteEvent::WindowWritten {
        packet,
        window: sim.engines.remote_mut().name(window),
        offset,
        length,
    };
    sim.report.emit(sim.now, owner, kind);
    let nic = sim.endpoints[owner].nic;
    let Some(watches) = sim.engines.remote_mut().watches.get(nic) else {
        return;
    };
    let met: Vec<WatchId> = watches.met(window, offset, length).collect();
    let Some(applet) = sim.infos[owner].applet else {
        return noticed::written(sim, owner, (window, &met));
    };
    let applet_at = AppletAt {
        endpoint: owner,
        applet,
    };
    for watch in met {
        let found = sim
            .engines
            .remote_mut()
            .watched((owner, &sim.endpoints[owner]), watch);
        let Some((number, Watch { offset, .. })) = found else {
            continue;
        };
        if sim.add_watch(applet_at, watch) {
            let kind = RemoteEvent::Watch {
                window: WindowName::Numbered(number),
                offset,
            };
            sim.report.emit(sim.now, owner, kind);
        }
    }
    sim.come_back(owner);
    // Watches are the applet's. A program that compares a word sees the write all the same.
    noticed::look_at_words(sim, owner, window);
}

/// Refuses a write. The argument `packet` is the packet of the write's message, if the write carries one.
pub(super) fn refuse(
    sim: &mut Parts<'_, impl HasRemote>,
    owner: EndpointId,
    packet: Option<PacketId>,
) {
    let kind = NicEvent::Drop {
        packet,
        reason: DropReason::WindowRefused,
    };
    sim.report.emit(sim.now, owner, kind);
}
