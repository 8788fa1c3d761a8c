//! What VIA keeps: VIs with their connections, completion queues, registered regions and delays.

use crate::ids::Table;
use std::collections::{BTreeMap, VecDeque};

use nic_core::id::{EndpointId, NicId, PacketId, PostId};
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::Channel;
use nic_core::via::{
    CompletionQueue, ConnectionId, Handle, Handshake, Registry, Status, Vi, ViState,
};

use super::library::{Over, Pointer, SendTurn};
use super::own::{Named, Receives};
use crate::engine::remote::{Due, HasRemote, WindowState};
use crate::nic::waiting::Waiters;
use crate::sim::Parts;
use crate::slab::{DelayRef, Slab};
use crate::spec::InterfaceKind;
use crate::spec::{EndpointSpec, Scenario, SendSpec};
use crate::storage::{Endpoint, Growing};

/// How long a VI waits, or writes nothing, before its NIC acts.
pub(super) const SILENCE: SimDuration = crate::profile::VI_TIMEOUT;

/// Returns whether any endpoint of a scenario is a VI.
pub(crate) fn is_used(scenario: &Scenario) -> bool {
    let mut endpoints = scenario.endpoints.iter();
    endpoints.any(|spec| spec.interface == InterfaceKind::Via)
}

/// Engines with VIA among them.
pub(crate) trait HasVia: HasRemote {
    /// Returns the state of VIA.
    fn via(&self) -> &ViaState;

    /// Returns the state of VIA, to change it.
    fn via_mut(&mut self) -> &mut ViaState;

    /// Returns the states of VIA and of remote memory, to change both.
    fn via_and_remote(&mut self) -> (&mut ViaState, &mut WindowState);
}

/// The state of all VIs.
#[derive(Debug)]
pub(crate) struct ViaState {
    /// By endpoint. The list of VIs is empty if no endpoint is a VI.
    pub(super) ends: Table<EndpointId, Option<Box<ViEndpoint>>>,
    pub(super) queues: Vec<CompletionQueue<Growing>>,
    /// The time at which the host of each NIC has handled all interrupts of its libraries. By NIC.
    pub(super) interrupts_end: Table<NicId, SimTime>,
    /// The time at which each process has done the work of its VIs' libraries over remote memory. By the first endpoint
    /// of the process.
    pub(super) libraries_end: Table<EndpointId, SimTime>,
    pub(super) registry: Registry<Growing>,
    /// Segments and immediate data of the send descriptor that a user is about to post.
    pub(super) next: Extras,
    pub(super) delays: Slab<DelayRef, Delay>,
}

/// The segments and the immediate data of a send descriptor. Most descriptors have neither.
#[derive(Clone, Debug, Default)]
pub(super) struct Extras {
    pub(super) immediate: Option<u32>,
    /// The pieces of the payload that form the message, each with offset and length. The list of pieces is empty if the
    /// message is in one piece.
    pub(super) segments: Vec<(u32, u32)>,
    /// Whether the descriptor was posted while the VI had no connection, so that it completes as flushed.
    pub(super) is_void: bool,
    /// The memory of a descriptor that a program has posted itself.
    pub(super) named: Option<Box<Named>>,
}

/// One VI.
#[derive(Debug)]
pub(super) struct ViEndpoint {
    pub(super) vi: Vi,
    pub(super) connection: Channel,
    /// The VI's part in making connections.
    pub(super) handshake: Handshake,
    /// What programs make of the connection; `None` if the connection exists from the start.
    pub(super) by_program: Option<Box<ByProgram>>,
    /// Packets of the VI that the peer has not acknowledged, oldest first. A VI at the unreliable level has no packets
    /// in this list.
    pub(super) sent: VecDeque<Sent>,
    /// Whether a check for an overdue acknowledgement is scheduled.
    pub(super) is_watched: bool,
    /// The VI's registered region.
    pub(super) region: Option<Handle>,
    /// Number of descriptors under way, which use the region.
    pub(super) under_way: u32,
    /// The immediate data that the running call of the applet has set.
    pub(super) set: Option<u32>,
    /// Immediate data of arrived packets that the applet may still handle or deliver, oldest first.
    pub(super) arrived: VecDeque<(PacketId, u32)>,
    /// Segments and immediate data of posted send descriptors that have any.
    pub(super) extras: BTreeMap<PostId, Extras>,
    /// Number of receive descriptors whose message the user has read and returned.
    pub(super) returned: u64,
    /// Remarks on completed receive descriptors, by their numbers. Most descriptors have none.
    pub(super) remarks: BTreeMap<u64, Remark>,
    /// How many receive descriptors of a program are to be flushed, with all free buffers, if the connection has ended
    /// while messages were on their way to memory. The descriptors of these messages complete first.
    pub(super) flush_waits: Option<u32>,
    /// Positions of the completion queues for the VI's sends and for its receives.
    pub(super) queues: [Option<u32>; 2],
    /// The VI's library, if its provider is the one over remote memory.
    pub(super) over: Option<Box<Over>>,
}

/// What a VI keeps whose connections programs make.
#[derive(Debug, Default)]
pub(super) struct ByProgram {
    /// The buffers of receive descriptors that the end of a connection has flushed, which the process posts again for
    /// its next connection.
    pub(super) flushed: Vec<u32>,
    /// The bytes of the peer's request that waits: over remote memory, where its rings are.
    pub(super) requested: Vec<u8>,
    /// The receive descriptors of the program, if the process has no free buffers.
    pub(super) receives: Option<Receives>,
    /// Send descriptors of the program that have completed and of which it has not been told: its numbers for them,
    /// statuses and lengths.
    pub(super) sent: VecDeque<(u64, Status, u32)>,
}

/// A remark on a completed receive descriptor of a VI.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Remark {
    /// The message's immediate data.
    Immediate(u32),
    /// The descriptor has no message, because the message was longer than the descriptor.
    TooLong,
}

/// A packet that a VI has sent and the peer has not acknowledged.
#[derive(Copy, Clone, Debug)]
pub(super) struct Sent {
    pub(super) at: SimTime,
    /// The send descriptor that completes with the acknowledgement of this packet, if there is one.
    pub(super) post: Option<PostId>,
}

impl ViaState {
    /// Returns the state at the start of a run, in which every VI has its connection. The channels of U-Net also exist
    /// from the start.
    pub(super) fn new(scenario: &Scenario, endpoints: &Table<EndpointId, Endpoint>) -> ViaState {
        let mut state = ViaState {
            ends: Table::new(),
            queues: Vec::new(),
            interrupts_end: Table::new(),
            libraries_end: Table::new(),
            registry: Registry::default(),
            next: Extras::default(),
            delays: Slab::default(),
        };
        if !is_used(scenario) {
            return state;
        }
        state.interrupts_end = Table::filled(scenario.nics.len(), SimTime::ZERO);
        let queues = scenario.completion_queues.iter();
        state.queues = queues
            .map(|spec| CompletionQueue::new(spec.entries))
            .collect();
        let mut connections = Table::filled(endpoints.len(), None);
        let ends = scenario.channels.iter();
        for (side, (endpoint, id)) in ends.flat_map(|spec| [(0, spec.a), (1, spec.b)]) {
            let channel = endpoints[endpoint].channels.get(id).copied();
            connections[endpoint] = channel.map(|channel| (channel, side));
        }
        let vis = scenario.endpoints.iter().zip(connections);
        for (endpoint, connection) in vis {
            let spec = endpoint;
            // The reader of scenarios has checked that every VI has its connection.
            let (Some(spec), Some((connection, side))) = (spec.vi, connection) else {
                state.ends.push(None);
                continue;
            };
            let mut vi = Vi::new(spec.reliability, spec.splits);
            if !spec.connects_by_program {
                let connected = vi.connect().and_then(|()| vi.accepted());
                debug_assert_eq!(connected, Ok(()), "a new VI can connect");
            }
            state.ends.push(Some(Box::new(ViEndpoint {
                vi,
                connection,
                handshake: Handshake::new(side),
                by_program: spec.connects_by_program.then(|| {
                    let posts = endpoint.free_buffer_count == 0 && endpoint.class.is_none();
                    Box::new(ByProgram {
                        receives: posts.then(Receives::default),
                        ..ByProgram::default()
                    })
                }),
                sent: VecDeque::new(),
                is_watched: false,
                region: None,
                under_way: 0,
                set: None,
                arrived: VecDeque::new(),
                extras: BTreeMap::new(),
                returned: 0,
                remarks: BTreeMap::new(),
                flush_waits: None,
                queues: spec.queues,
                over: None,
            })));
        }
        state
    }

    /// Returns whether a VI uses the provider over remote memory.
    pub(super) fn is_over_memory(&self, id: EndpointId) -> bool {
        self.end(id).is_some_and(|end| end.over.is_some())
    }

    /// Returns whether any endpoint of the simulation is a VI.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        !self.ends.is_empty()
    }

    /// Sets the immediate data and the segments of the next send descriptor of a user.
    pub(super) fn set_next(&mut self, spec: &SendSpec) {
        self.next = Extras {
            immediate: spec.immediate,
            segments: spec.segments.clone(),
            is_void: false,
            named: None,
        };
    }

    /// Returns whether a send descriptor was posted while its VI had no connection.
    pub(super) fn is_void(&self, id: EndpointId, post: PostId) -> bool {
        let extras = self.end(id).and_then(|end| end.extras.get(&post));
        extras.is_some_and(|extras| extras.is_void)
    }

    /// Returns the immediate data of a posted send descriptor, if the descriptor has any.
    pub(super) fn immediate(&self, id: EndpointId, post: PostId) -> Option<u32> {
        self.end(id)?.extras.get(&post)?.immediate
    }

    pub(super) fn end(&self, id: EndpointId) -> Option<&ViEndpoint> {
        self.ends.get(id)?.as_deref()
    }

    pub(super) fn end_mut(&mut self, id: EndpointId) -> Option<&mut ViEndpoint> {
        self.ends.get_mut(id)?.as_deref_mut()
    }

    /// Adds the packets of a NIC's VIs that still wait for an acknowledgement when nothing is due any more.
    pub(super) fn sent_at_rest(
        &self,
        nic: NicId,
        specs: &[EndpointSpec],
        waiters: &mut Waiters<'_>,
    ) {
        for ((id, end), spec) in (0u32..).map(EndpointId).zip(&self.ends).zip(specs) {
            let sent = end.as_ref().filter(|_| spec.nic == nic);
            let sent = sent.map_or(0, |end| end.sent.len());
            waiters.endpoint(id, "an acknowledgement of a packet", sent);
        }
    }

    /// Returns the current or last connection of writes between two endpoints, if they are the ends of connections over
    /// remote memory. NICs number these writes.
    pub(crate) fn connection_of(&self, from: EndpointId, to: EndpointId) -> Option<ConnectionId> {
        let end = self.end(from)?;
        let is_over_memory = end.over.is_some() && end.connection.peer == to;
        is_over_memory.then_some(end.handshake.connection())
    }

    /// Returns the number of a VI's current or last connection.
    pub(super) fn current(&self, id: EndpointId) -> ConnectionId {
        let end = self.end(id);
        end.map_or(ConnectionId::default(), |end| end.handshake.connection())
    }

    /// Returns whether a number is that of a VI's current or last connection.
    pub(super) fn is_current(&self, id: EndpointId, connection: ConnectionId) -> bool {
        let end = self.end(id);
        end.is_some_and(|end| end.handshake.connection() == connection)
    }

    /// Returns whether a VI has the connection with this number.
    pub(super) fn has(&self, id: EndpointId, connection: ConnectionId) -> bool {
        self.is_current(id, connection) && !self.is_broken(id)
    }

    /// Returns whether the connection of a VI has ended, so that nothing may be posted to it. A VI that waits for a
    /// connection, its first one or another, takes receive descriptors, and so does one that has had none.
    pub(super) fn has_ended(&self, id: EndpointId) -> bool {
        let end = self.end(id).filter(|end| !end.handshake.is_waiting());
        let state = end.map(|end| end.vi.state());
        matches!(state, Some(ViState::Error | ViState::Disconnected))
    }

    /// Returns whether an endpoint is a VI without a connection.
    pub(super) fn is_broken(&self, id: EndpointId) -> bool {
        self.end(id).is_some_and(|end| !end.vi.is_connected())
    }
}

/// Returns whether an endpoint is a VI. The result is false if the simulation has no VI.
#[inline]
pub(crate) fn is_vi(sim: &Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    sim.engines.via().is_on() && sim.engines.via().end(id).is_some()
}

/// What the interface schedules.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Delay {
    /// With the hardware provider, a check whether the VI has waited for an acknowledgement for too long.
    Look(EndpointId),
    /// Over remote memory, the end of the library's work for a posted descriptor. Void if the descriptors of that time
    /// were flushed.
    Library(EndpointId, SendTurn),
    /// Over remote memory, a check whether the VI has written nothing for so long that its NIC sends the peer the
    /// number of writes on this connection.
    Silence(EndpointId, ConnectionId),
    /// Over remote memory, the end of an interrupt at the host, after which the library sees a pointer of this
    /// connection.
    Event(EndpointId, Pointer, ConnectionId),
    /// The time at which a program that waits for a message learns that there is one, if it has not asked since.
    Notice(EndpointId, u32),
    /// The time-out of a wait for a message, if the program is still in the same turn.
    NoMessage(EndpointId, u32),
    /// A program has read a message.
    Taken(EndpointId),
    /// The time-out of a wait for a connection, if the VI still has the same turn.
    Handshake(EndpointId, u32),
    /// Over remote memory, the time at which a window of the peer is mapped, for which writes of this VI wait.
    Mapped(EndpointId),
    /// Over remote memory, the time at which the host's processor has done its part for a DMA request.
    Request(Due),
    /// A user requests to deregister or register a region. The variant holds the request's position in the scenario.
    Region(u32),
}

/// Returns the library of a VI, if the VI's provider is the one over remote memory.
pub(super) fn over<'s>(
    sim: &'s mut Parts<'_, impl HasVia>,
    id: EndpointId,
) -> Option<&'s mut Over> {
    sim.engines.via_mut().end_mut(id)?.over.as_deref_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_vi_needs_little_memory() {
        let hardware =
            size_of::<Option<Box<ViEndpoint>>>() + size_of::<ViEndpoint>() + size_of::<Endpoint>();
        let over = hardware + size_of::<Over>();
        println!(
            "bytes of an idle VI: hardware {hardware}, over remote memory {over} and its rings"
        );
        assert!(hardware <= 640 && over <= 1_024, "{hardware} {over}");
    }
}
