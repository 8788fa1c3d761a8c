//! The state of remote memory: windows, what each endpoint may name, watches and mappings.

use std::num::NonZeroU32;

use crate::ids::{Table, at};
use nic_core::event::WindowName;
use nic_core::id::{ChannelId, EndpointId, NicId, PacketId, PostId};
use nic_core::memory::HostSpan;
use nic_core::remote::{
    OwnWindow, PeerWindow, WATCHES_MAX, Watch, WatchId, Watches, WindowId, WindowRights, Windows,
};
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::Channel;
use nic_core::via::ConnectionId;

use super::mapped::AllMappings;
use super::reading::Reads;
use super::requested::{Due, Requests};
use super::waiting::Noticing;
use crate::protocol::EntryNumber;
use crate::sim::{Engines, Parts};
use crate::spec::{Scenario, WindowSpec};
use crate::storage::{Endpoint, Growing};
use crate::wire::{Fabric, PacketRef};

/// Engines with remote memory among them, and what remote memory asks of the libraries that write to it.
pub(crate) trait HasRemote: Engines {
    /// Returns the state of remote memory.
    fn remote(&self) -> &WindowState;

    /// Returns the state of remote memory, to change it.
    fn remote_mut(&mut self) -> &mut WindowState;

    /// Returns the connection of writes from one endpoint to another, whose writes are numbered.
    fn connection_of(
        sim: &Parts<'_, Self>,
        from: EndpointId,
        to: EndpointId,
    ) -> Option<ConnectionId>;

    /// Returns the number of a library's write, if its connection numbers writes.
    fn number_write(
        sim: &mut Parts<'_, Self>,
        from: EndpointId,
        packet: (PacketRef, ConnectionId),
    ) -> Option<NonZeroU32>;

    /// Returns whether a library accepts a numbered write of its peer.
    fn takes_write(
        sim: &mut Parts<'_, Self>,
        to: EndpointId,
        numbered: (Option<PacketId>, NonZeroU32, ConnectionId),
    ) -> bool;

    /// Returns whether the memory of an endpoint is registered, so that a peer may write to its windows.
    fn is_registered(sim: &Parts<'_, Self>, owner: EndpointId) -> bool;

    /// Tells a library that its peer has written to its memory.
    fn written(
        sim: &mut Parts<'_, Self>,
        id: EndpointId,
        packet: (PacketId, Option<EntryNumber>),
        span: HostSpan,
    );

    /// Keeps the processor of a library busy.
    fn occupy(sim: &mut Parts<'_, Self>, id: EndpointId, takes: SimDuration);

    /// Interrupts the host of an endpoint for a time, after its earlier interrupts. Returns the end of the interrupt.
    fn interrupt(sim: &mut Parts<'_, Self>, id: EndpointId, takes: SimDuration) -> SimTime;

    /// Schedules what is to be done with the DMA requests of a NIC.
    fn schedule_request(sim: &mut Parts<'_, Self>, time: SimTime, due: Due);

    /// Schedules the end of a wait for a window to be mapped.
    fn schedule_mapped(sim: &mut Parts<'_, Self>, id: EndpointId, time: SimTime);

    /// Tells a library that all writes of a message have left.
    fn writes_over(sim: &mut Parts<'_, Self>, id: EndpointId, post: PostId);

    /// Ends a library's connection if it was to end after its writes, and none is left.
    fn end_in_turn(sim: &mut Parts<'_, Self>, id: EndpointId);
}

/// The windows of all nodes. No two windows have the same number.
pub(crate) type AllWindows = Windows<Growing>;

/// Remote memory of all nodes.
#[derive(Debug)]
pub(crate) struct WindowState {
    /// The windows. The windows of the scenario come first, in the order of the scenario file.
    pub(crate) windows: AllWindows,
    pub(super) declared: Table<WindowId, WindowSpec>,
    /// By endpoint. The list of endpoints is empty if the scenario declares no window.
    pub(super) ends: Table<EndpointId, WindowEnds>,
    /// By NIC. The list of NICs is empty if the scenario declares no window.
    pub(super) watches: Table<NicId, Watches<Growing>>,
    /// The windows that each NIC has mapped.
    pub(crate) mappings: AllMappings,
    /// The DMA requests of each NIC. The list of NICs is empty if no endpoint is a VI.
    pub(super) requests: Table<NicId, Requests>,
}

/// The windows that an endpoint's applet may name, and how many watches it may still set.
#[derive(Clone, Debug, Default)]
pub(super) struct WindowEnds {
    pub(super) own: Vec<OwnWindow>,
    pub(super) peers: Vec<PeerWindow>,
    pub(super) watches_left: u32,
    /// The reads that the endpoint has begun.
    pub(super) reads: Reads,
    /// What the endpoint's program waits for.
    pub(super) noticing: Noticing,
}

impl WindowState {
    /// Opens the windows that a scenario declares.
    pub(crate) fn new(
        scenario: &Scenario,
        fabric: &Fabric,
        endpoints: &Table<EndpointId, Endpoint>,
    ) -> WindowState {
        let has_vis = scenario.endpoints.iter().any(|spec| spec.vi.is_some());
        let mut remote = WindowState {
            windows: Windows::default(),
            declared: scenario.windows.clone().into(),
            ends: Table::new(),
            watches: Table::new(),
            mappings: match has_vis {
                true => AllMappings::new(scenario),
                false => AllMappings::default(),
            },
            requests: match has_vis {
                true => Table::filled(scenario.nics.len(), Requests::default()),
                false => Table::new(),
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
                is_readable: spec.is_readable,
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
            return WindowRights::NONE;
        };
        WindowRights {
            own: &end.own,
            peers: &end.peers,
            watches_left: end.watches_left,
            reads_left: end.reads.left(),
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

    /// Returns whether a read of an endpoint waits for an answer, or its program for a time.
    pub(crate) fn has_waits(&self, id: EndpointId) -> bool {
        let end = self.ends.get(id);
        end.is_some_and(|end| end.reads.is_any_awaited() || end.noticing.has_time())
    }

    /// Returns whether the scenario declares a window.
    pub(super) fn is_declared(&self, window: WindowId) -> bool {
        self.declared.get(window).is_some()
    }

    /// Returns the bytes of a read that has ended.
    pub(crate) fn bytes_read(&self, id: EndpointId, number: u32) -> &[u8] {
        let read = self.ends.get(id).and_then(|end| end.reads.get(number));
        let outcome = read.and_then(|read| read.outcome.as_ref());
        outcome.map_or(&[], |outcome| &outcome.bytes)
    }

    /// Returns whether an applet's read has not been forgotten.
    pub(crate) fn has_read(&self, id: EndpointId, number: u32) -> bool {
        self.ends
            .get(id)
            .is_some_and(|end| end.reads.get(number).is_some())
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
