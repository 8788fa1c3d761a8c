//! Windows that the scenario gives to endpoints: what applets may name, the writes of applets, and their watches.
//!
//! An applet's write is a packet like any other: it needs a send slot on its own NIC and an arrival slot at the owner.
//! The NIC of the window's owner changes the memory as soon as the packet arrives, without using a processor. After the
//! change, the owner's NIC looks for watches of the written bytes.

use crate::ids::{Table, at};
use nic_core::event::{DropReason, NicEvent, RemoteEvent, Trigger, WindowName, WriteHow};
use nic_core::id::{ChannelId, EndpointId, NicId, PacketId};
use nic_core::remote::{
    OwnWindow, PeerWindow, WATCHES_MAX, Watch, WatchId, Watches, WindowId, WindowRights, Windows,
};
use nic_core::sle::ArraySpan;
use nic_core::unet::Channel;

use super::AllWindows;
use super::HasRemote;
use super::mapping::AllMappings;
use crate::nic::endpoint::AppletAt;
use crate::sim::Parts;
use crate::spec::{Scenario, WindowSpec};
use crate::storage::Endpoint;
use crate::storage::Growing;
use crate::wire::protocol::Header;
use crate::wire::protocol::RemoteWrite;
use crate::wire::{Admission, Fabric, Packet, PacketRef};

/// Remote memory of all nodes.
#[derive(Debug)]
pub(crate) struct WindowState {
    /// The windows. The windows of the scenario come first, in the order of the scenario file.
    pub(crate) windows: AllWindows,
    declared: Table<WindowId, WindowSpec>,
    /// By endpoint. The list of endpoints is empty if the scenario declares no window.
    ends: Table<EndpointId, WindowEnds>,
    /// By NIC. The list of NICs is empty if the scenario declares no window.
    watches: Table<NicId, Watches<Growing>>,
    /// The windows that each NIC has mapped.
    pub(crate) mappings: AllMappings,
}

/// The windows that an endpoint's applet may name, and how many watches it may still set.
#[derive(Clone, Debug, Default)]
struct WindowEnds {
    own: Vec<OwnWindow>,
    peers: Vec<PeerWindow>,
    watches_left: u32,
}

impl WindowState {
    /// Opens the windows that a scenario declares.
    pub(crate) fn new(
        scenario: &Scenario,
        fabric: &Fabric,
        endpoints: &Table<EndpointId, Endpoint>,
    ) -> WindowState {
        let mut remote = WindowState {
            windows: Windows::default(),
            declared: scenario.windows.clone().into(),
            ends: Table::new(),
            watches: Table::new(),
            mappings: match scenario.endpoints.iter().any(|spec| spec.vi.is_some()) {
                true => AllMappings::new(scenario),
                false => AllMappings::default(),
            },
        };
        if scenario.windows.is_empty() {
            return remote;
        }
        remote.ends = Table::filled(endpoints.len(), WindowEnds::default());
        remote.watches = Table::filled(scenario.nics.len(), Watches::default());
        for spec in &scenario.windows {
            let (owner, writer) = (&endpoints[spec.owner], &endpoints[spec.writer]);
            let range = (spec.offset, spec.length);
            let opened = remote.windows.open(owner.area, range, spec.writer);
            let route = fabric.route(writer.nic, owner.nic);
            let (Ok(window), Some(route)) = (opened, route) else {
                debug_assert!(false, "the reader has checked ranges and links");
                continue;
            };
            let (number, length) = (spec.number, spec.length);
            remote.ends[spec.owner].own.push(OwnWindow {
                number,
                window,
                length,
            });
            remote.ends[spec.writer].peers.push(PeerWindow {
                number,
                window,
                length,
                path: Channel {
                    id: ChannelId(number),
                    peer: spec.owner,
                    peer_id: ChannelId(number),
                    route,
                },
            });
        }
        remote.share_watches(endpoints);
        remote
    }

    /// Divides the watches of each NIC equally among its endpoints with windows, so that no endpoint can use all.
    fn share_watches(&mut self, endpoints: &Table<EndpointId, Endpoint>) {
        let mut owners = Table::filled(self.watches.len(), 0_usize);
        for (end, endpoint) in self.ends.iter().zip(endpoints) {
            owners[endpoint.nic] += usize::from(!end.own.is_empty());
        }
        for (end, endpoint) in self.ends.iter_mut().zip(endpoints) {
            let share = WATCHES_MAX / owners[endpoint.nic].max(1);
            end.own.sort_unstable_by_key(|own| own.number);
            end.peers.sort_unstable_by_key(|peer| peer.number);
            end.watches_left = u32::try_from(share).unwrap_or(u32::MAX);
        }
    }

    /// Returns the windows that the applet of an endpoint may name.
    pub(crate) fn rights(&self, id: EndpointId) -> WindowRights<'_> {
        let Some(end) = self.ends.get(id) else {
            return WindowRights::default();
        };
        WindowRights {
            own: &end.own,
            peers: &end.peers,
            watches_left: end.watches_left,
        }
    }

    /// Returns the path of writes to a peer's window; an earlier check found the window at this position of the
    /// endpoint's table.
    pub(crate) fn path(&self, id: EndpointId, peer: u32) -> Channel {
        self.ends[id].peers[at(peer)].path
    }

    /// Returns the paths from an endpoint to the owners of its peer windows.
    pub(crate) fn paths(&self, id: EndpointId) -> impl Iterator<Item = &Channel> {
        let end = self.ends.get(id);
        end.into_iter()
            .flat_map(|end| &end.peers)
            .map(|peer| &peer.path)
    }

    /// Returns the name by which owner and writer of a window refer to the window.
    pub(super) fn name(&self, window: WindowId) -> WindowName {
        match self.declared.get(window) {
            Some(spec) => WindowName::Numbered(spec.number),
            None => WindowName::Cookie(window),
        }
    }

    /// Returns a watch of an endpoint: the number of the watched window, and the watched range. The result is `None` if
    /// the watch was removed.
    pub(crate) fn watched(
        &self,
        endpoint: (EndpointId, &Endpoint),
        watch: WatchId,
    ) -> Option<(i32, Watch)> {
        let (id, endpoint) = endpoint;
        let watch = self.watches.get(endpoint.nic)?.get(watch)?;
        let spec = self.declared.get(watch.window)?;
        (spec.owner == id).then_some((spec.number, watch))
    }
}

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
            opens: false,
            how: WriteHow::Nic,
            number: None,
        }),
        ..packet
    };
    let heap = sim.applets[applet_at.applet].instance.heap();
    Some(sim.packets.add(packet, from.bytes(heap)))
}

/// Reports an applet's write that has changed a window, and notifies the owner's applet if it watches these bytes.
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
    let Some(applet) = sim.infos[owner].applet else {
        return;
    };
    let applet_at = AppletAt {
        endpoint: owner,
        applet,
    };
    let nic = sim.endpoints[owner].nic;
    let Some(watches) = sim.engines.remote_mut().watches.get(nic) else {
        return;
    };
    let met: Vec<WatchId> = watches.met(window, offset, length).collect();
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
