//! EMP in the simulator: the engine, and the state of endpoints, messages and NICs.
//!
//! - `engine` gives items to processors, and charges the time of each stage
//! - `transmit` cuts messages into frames, takes acknowledgements and repeats lost frames
//! - `receive` matches and places frames, acknowledges them and delivers messages
//! - `user` posts receives
//!
//! The stages of EMP are functions of an item, and none depends on the processor that runs it, so a placement changes
//! only times.

mod engine;
mod receive;
mod transmit;
mod user;

use crate::ids::{Table, at};
use std::collections::VecDeque;

use nic_core::emp::{Cut, Frame, Inbound, PostedReceive, Receives, TransmitRecord, WINDOW};
use nic_core::event::{Part, Trigger};
use nic_core::id::{ChannelId, EndpointId, NicId, PacketId, PostId};
use nic_core::memory::HostSpan;
use nic_core::time::SimTime;
use nic_core::unet::Channel;

pub(crate) use self::engine::Emp;
use crate::nic::waiting::Waiters;
use crate::profile::EmpCosts;
use crate::sim::Engines;
use crate::slab::{DelayRef, JobRef, Slab};
use crate::spec::EmpPlacement;
use crate::spec::InterfaceKind;
use crate::spec::{EndpointSpec, Scenario};
use crate::storage::Endpoint;
use crate::storage::Growing;
use crate::wire::PacketRef;

/// Engines with EMP among them.
pub(crate) trait HasEmp: Engines {
    fn emp(&self) -> &EmpState;

    fn emp_mut(&mut self) -> &mut EmpState;
}

/// The state of all EMP endpoints, and of the NICs that serve them.
#[derive(Debug)]
pub(crate) struct EmpState {
    /// By endpoint. The list of endpoints is empty if no endpoint uses EMP.
    ends: Table<EndpointId, Option<Box<EmpEndpoint>>>,
    /// By NIC. The list of NICs is empty if no endpoint uses EMP.
    nics: Table<NicId, Option<EmpNic>>,
    /// Messages that are being sent. Entries are reused.
    outgoing: Vec<Entry>,
    vacant: Vec<u32>,
    /// The tag of the next message that a user posts.
    tag: u16,
    delays: Slab<DelayRef, engine::Delay>,
    jobs: Slab<JobRef, engine::Job>,
}

/// An endpoint.
#[derive(Debug)]
struct EmpEndpoint {
    /// The posted receives that no message has matched yet.
    waiting: Receives<Growing>,
    /// The bytes that each receive uses, sorted by offset, without overlaps.
    buffers: Vec<Buffer>,
    /// Number of receives posted so far.
    posted: u32,
    /// The flows of an EMP endpoint by channel, sorted by the endpoint's own channel numbers.
    flows: Vec<Flow>,
    /// Whether a complete message may wait for room in the receive queue.
    awaits_room: bool,
}

/// A part of an EMP endpoint's buffer area for which a receive is posted again and again.
#[derive(Copy, Clone, Debug)]
struct Buffer {
    receive: PostedReceive,
    /// How often the receive for this buffer may still be posted; `None` if there is no limit.
    left: Option<u64>,
}

/// The messages between an EMP endpoint and a peer in both directions.
#[derive(Debug)]
struct Flow {
    channel: Channel,
    /// Number of the next message to the peer.
    next: u16,
    /// Messages to the peer that are being sent, oldest first.
    outstanding: VecDeque<OutgoingRef>,
    /// Messages to the peer that wait until fewer messages are outstanding.
    waiting: VecDeque<OutgoingRef>,
    /// Messages that arrive.
    inbound: Inbound<Matched>,
    /// Whether a check is scheduled that looks for arriving messages whose frames have ceased to come.
    is_watched: bool,
}

/// An arriving message that has a place for its frames.
#[derive(Copy, Clone, Debug)]
struct Matched {
    packet: PacketId,
    frames: u16,
    room: Room,
    /// The time at which the NIC last heard of the message.
    heard: SimTime,
}

/// The place into which the NIC moves the frames of an arriving message.
#[derive(Copy, Clone, Debug)]
enum Room {
    /// The frames are placed in host memory, in the room of the receive that matched the message.
    Host(PostedReceive),
    /// The frames are placed in NIC memory, where the message is put together for an applet.
    Nic(PacketRef),
}

/// The costs of EMP on a NIC, and the messages that the NIC cuts into frames.
#[derive(Debug)]
struct EmpNic {
    costs: EmpCosts,
    cut: Cut,
    placement: EmpPlacement,
    /// Messages that wait until the NIC cuts them into frames, in this order.
    queue: VecDeque<OutgoingRef>,
    /// The message whose frames are being sent. The NIC begins the next message when the present one has no more
    /// frames.
    cutting: Option<OutgoingRef>,
    /// The frame that waits for a send slot. Until the slot is found, only messages that need no slots are cut. Such
    /// messages may themselves hold the slots, which they return when their frames are acknowledged, so cutting them
    /// must not wait for the frame.
    parked: Option<(OutgoingRef, PacketRef)>,
}

/// A message that is being sent.
#[derive(Debug)]
struct Outgoing {
    from: EndpointId,
    channel: Channel,
    trigger: Trigger,
    packet: PacketId,
    source: Source,
    tag: u16,
    /// The message's number between its two endpoints, which is valid only after the message has become outstanding.
    message: u16,
    length: u32,
    record: TransmitRecord,
    /// The time at which a frame of the message was last sent or acknowledged.
    active: SimTime,
    /// Number of frames of the message that have been cut and that have not reached the wire.
    on_board: u32,
    /// Whether the message is in its NIC's queue, or the NIC is cutting the message.
    is_queued: bool,
    /// Whether the message's first frame has been sent.
    is_opened: bool,
    /// Whether a check is scheduled that looks for an overdue acknowledgement of the message.
    is_watched: bool,
}

impl Outgoing {
    /// Returns whether the NIC still has frames of the message to send, so that no acknowledgement is overdue.
    fn is_busy(&self) -> bool {
        self.is_queued || self.on_board > 0
    }

    /// Returns whether each frame of the message needs a send slot. A message in NIC memory has a slot of its own.
    fn needs_slots(&self) -> bool {
        matches!(self.source, Source::Host(..))
    }
}

/// The place of the bytes of an outgoing message.
#[derive(Copy, Clone, Debug)]
enum Source {
    /// The bytes are in host memory, at the span that this transmit descriptor names.
    Host(PostId, HostSpan),
    /// The bytes are in NIC memory, in the packet that an applet made.
    Nic(PacketRef),
}

/// An entry in the list of messages that are being sent.
#[derive(Debug, Default)]
struct Entry {
    /// How many messages used this entry before the present one.
    turn: u32,
    outgoing: Option<Outgoing>,
}

/// A reference to a message that is being sent, or was sent.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutgoingRef {
    entry: u32,
    turn: u32,
}

impl EmpState {
    /// Returns the state of EMP at the start of a run.
    pub(crate) fn new(scenario: &Scenario, endpoints: &Table<EndpointId, Endpoint>) -> EmpState {
        let mut state = EmpState {
            ends: Table::new(),
            nics: Table::new(),
            outgoing: Vec::new(),
            vacant: Vec::new(),
            tag: 0,
            delays: Slab::default(),
            jobs: Slab::default(),
        };
        let mut specs = scenario.endpoints.iter();
        if specs.all(|spec| spec.interface != InterfaceKind::Emp) {
            return state;
        }
        let flows = |id: EndpointId| {
            let ends = scenario.channels.iter().flat_map(|spec| [spec.a, spec.b]);
            let own = ends.filter(|(endpoint, _)| *endpoint == id);
            let channels = own.filter_map(|(_, channel)| endpoints[id].channels.get(channel));
            let mut flows: Vec<Flow> = channels.copied().map(Flow::new).collect();
            flows.sort_by_key(|flow| flow.channel.id);
            flows
        };
        let ids = (0u32..).map(EndpointId);
        state.ends = ids
            .zip(&scenario.endpoints)
            .map(|(id, spec)| {
                let is_emp = spec.interface == InterfaceKind::Emp;
                is_emp.then(|| {
                    Box::new(EmpEndpoint {
                        waiting: Receives::default(),
                        buffers: user::buffers(scenario, id, &endpoints[id]),
                        posted: 0,
                        flows: flows(id),
                        awaits_room: false,
                    })
                })
            })
            .collect();
        let nics = (0u32..).map(NicId).zip(&scenario.nics);
        state.nics = nics
            .map(|(nic, spec)| {
                let costs = scenario.profile_of(nic).emp?;
                Some(EmpNic {
                    cut: Cut::new(costs.payload),
                    costs,
                    placement: spec.placement.emp,
                    queue: VecDeque::new(),
                    cutting: None,
                    parked: None,
                })
            })
            .collect();
        state
    }

    /// Returns how many arrival slots of a NIC hold messages that no applet will get, because their senders have given
    /// up. Adds the messages that are still being sent. Called when nothing is due any more.
    fn held_at_rest(&self, nic: NicId, specs: &[EndpointSpec], waiters: &mut Waiters<'_>) -> usize {
        let mut held = 0;
        for ((id, end), spec) in (0u32..).map(EndpointId).zip(&self.ends).zip(specs) {
            let flows = end.iter().filter(|_| spec.nic == nic);
            for flow in flows.flat_map(|end| &end.flows) {
                let rooms = flow.inbound.held().map(|matched| matched.room);
                held += rooms.filter(|room| matches!(room, Room::Nic(_))).count();
                let peer = waiters.name(flow.channel.peer);
                let count = flow.outstanding.len();
                let awaits = format!("an acknowledgement from endpoint {peer}");
                waiters.endpoint(id, &awaits, count);
                let count = flow.waiting.len();
                let awaits = format!("the turn of a message to endpoint {peer}");
                waiters.endpoint(id, &awaits, count);
                // A check is always scheduled that gives such a message up.
                let count = flow.inbound.unfinished().count();
                let awaits = format!("the frames of a message from endpoint {peer}");
                waiters.endpoint(id, &awaits, count);
            }
        }
        if let Some(emp_nic) = self.nics.get(nic).and_then(Option::as_ref) {
            let from = |of: &OutgoingRef| self.peek(*of).map(|outgoing| outgoing.from);
            for id in emp_nic
                .cutting
                .iter()
                .chain(&emp_nic.queue)
                .filter_map(from)
            {
                waiters.endpoint(id, "a message to be cut into frames", 1);
            }
            if let Some(id) = emp_nic.parked.and_then(|(of, _)| from(&of)) {
                waiters.endpoint(id, "a send slot for a frame", 1);
            }
        }
        held
    }

    /// Returns the header fields that events show for a frame at a NIC.
    fn part<'s>(&self, frame: Frame, nic: NicId, opens: Option<&'s [u8]>) -> Part<'s> {
        let emp_nic = self.nics.get(nic).and_then(Option::as_ref);
        let of = emp_nic.and_then(|emp_nic| emp_nic.cut.frames(frame.length));
        Part {
            kind: frame.kind.word(),
            frame: frame.frame,
            of: of.unwrap_or(u16::MAX),
            opens,
        }
    }

    /// Takes the next message of a NIC to be cut into frames. While a frame waits for a send slot, passes over the
    /// messages whose frames need slots.
    fn take_queued(&mut self, nic: NicId) -> Option<OutgoingRef> {
        let waits = self.nic_state(nic).parked.is_some();
        let next = |of: &OutgoingRef| {
            let outgoing = self.peek(*of);
            !waits || outgoing.is_none_or(|outgoing| !outgoing.needs_slots())
        };
        let place = self.nics[nic].as_ref()?.queue.iter().position(next)?;
        self.nic_state(nic).queue.remove(place)
    }

    fn nic_state(&mut self, nic: NicId) -> &mut EmpNic {
        let emp_nic = self.nics.get_mut(nic).and_then(Option::as_mut);
        emp_nic.expect("an EMP endpoint's NIC has a profile with costs of EMP")
    }

    fn end(&mut self, id: EndpointId) -> Option<&mut EmpEndpoint> {
        self.ends.get_mut(id)?.as_deref_mut()
    }

    fn flow_of(&self, id: EndpointId, channel: ChannelId) -> Option<&Flow> {
        let flows = &self.ends.get(id)?.as_deref()?.flows;
        let place = flows.binary_search_by_key(&channel, |flow| flow.channel.id);
        place.ok().and_then(|place| flows.get(place))
    }

    fn flow(&mut self, id: EndpointId, channel: ChannelId) -> Option<&mut Flow> {
        let flows = &mut self.end(id)?.flows;
        let place = flows.binary_search_by_key(&channel, |flow| flow.channel.id);
        place.ok().and_then(|place| flows.get_mut(place))
    }

    /// Returns a message that is being sent, for reading; `None` if the message has ended.
    fn peek(&self, of: OutgoingRef) -> Option<&Outgoing> {
        let entry = self.outgoing.get(at(of.entry))?;
        let outgoing = entry.outgoing.as_ref();
        outgoing.filter(|_| entry.turn == of.turn)
    }

    /// Returns a message that is being sent; `None` if the message has ended.
    fn outgoing(&mut self, of: OutgoingRef) -> Option<&mut Outgoing> {
        let entry = self.outgoing.get_mut(at(of.entry))?;
        let outgoing = entry.outgoing.as_mut();
        outgoing.filter(|_| entry.turn == of.turn)
    }

    /// Returns the message with this number that an endpoint is sending.
    fn outgoing_numbered(
        &self,
        from: (EndpointId, ChannelId),
        message: u16,
    ) -> Option<OutgoingRef> {
        // Messages complete in any order, so a message's number does not give its place in the list. A channel has few
        // outstanding messages.
        let flow = self.flow_of(from.0, from.1)?;
        debug_assert!(flow.outstanding.len() <= usize::from(WINDOW));
        let mut outstanding = flow.outstanding.iter().copied();
        outstanding.find(|&of| {
            let found = self.peek(of);
            found.is_some_and(|found| found.message == message)
        })
    }

    fn add(&mut self, outgoing: Outgoing) -> OutgoingRef {
        let entry = self.vacant.pop().unwrap_or_else(|| {
            self.outgoing.push(Entry::default());
            u32::try_from(self.outgoing.len() - 1).expect("queues bound the messages")
        });
        let place = &mut self.outgoing[at(entry)];
        place.outgoing = Some(outgoing);
        OutgoingRef {
            entry,
            turn: place.turn,
        }
    }

    fn remove(&mut self, of: OutgoingRef) -> Option<Outgoing> {
        self.outgoing(of)?;
        let entry = &mut self.outgoing[at(of.entry)];
        entry.turn = entry.turn.wrapping_add(1);
        self.vacant.push(of.entry);
        entry.outgoing.take()
    }
}

impl Flow {
    fn new(channel: Channel) -> Flow {
        Flow {
            channel,
            next: 0,
            outstanding: VecDeque::new(),
            waiting: VecDeque::new(),
            inbound: Inbound::default(),
            is_watched: false,
        }
    }
}

/// Returns the number by which frames name a process: the number of the process's endpoint.
fn source_number(id: EndpointId) -> u16 {
    // A scenario has far fewer endpoints than `u16` has values.
    u16::try_from(id.0).unwrap_or(u16::MAX)
}
