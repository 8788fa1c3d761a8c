//! What EMP keeps: endpoints with their receives and flows, messages that are being sent, and NICs.

use crate::ids::{Table, at};
use std::collections::VecDeque;

use nic_core::emp::{Cut, Filter, Frame, Inbound, PostedReceive, Receives, TransmitRecord, WINDOW};
use nic_core::event::{Part, Trigger};
use nic_core::id::{ChannelId, EndpointId, NicId, PacketId, PostId};
use nic_core::memory::HostSpan;
use nic_core::time::SimTime;
use nic_core::unet::Channel;

use crate::nic::sharing::Sharing;
use crate::nic::waiting::Waiters;
use crate::profile::EmpCosts;
use crate::sim::Engines;
use crate::slab::{DelayRef, JobRef, Slab};
use crate::spec::InterfaceKind;
use crate::spec::{EmpPlacement, EmpStage};
use crate::spec::{EndpointSpec, ReceiveSpec, Scenario};
use crate::storage::Endpoint;
use crate::storage::Growing;
use crate::wire::PacketRef;

/// The engine of EMP endpoints.
pub(crate) enum Emp {}

/// What EMP schedules.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Delay {
    /// Checks whether this message has waited for an acknowledgement for too long. The check is void once the message
    /// has ended, even if another message uses its entry.
    LookSilence(OutgoingRef),
    /// Checks whether frames of messages that arrive on this channel have ceased to come. A channel has at most one
    /// check, which looks at the messages that arrive when it is due.
    LookUnfinished(EndpointId, ChannelId),
    /// A receive of the scenario becomes due. The variant holds the receive's position in the scenario.
    Receive(u32),
}

/// An item of EMP.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Job {
    /// The EMP stage that the processor runs for this item.
    pub(super) stage: EmpStage,
    pub(super) subject: Subject,
    /// Whether another processor had the item before.
    pub(super) is_handed_over: bool,
}

/// The subject of an item of EMP: a message or a frame.
#[derive(Copy, Clone, Debug)]
pub(super) enum Subject {
    /// A message from which the processor cuts the next frame.
    Message(OutgoingRef),
    /// A frame of a message that is being sent.
    Outgoing(OutgoingRef, PacketRef),
    /// A frame that has arrived, or an acknowledgement that arrives or is sent.
    Frame(PacketRef),
}

/// Engines with EMP among them.
pub(crate) trait HasEmp: Engines {
    /// Returns the state of EMP.
    fn emp(&self) -> &EmpState;

    /// Returns the state of EMP, to change it.
    fn emp_mut(&mut self) -> &mut EmpState;
}

/// The state of all EMP endpoints, and of the NICs that serve them.
#[derive(Debug)]
pub(crate) struct EmpState {
    /// By endpoint. The list of endpoints is empty if no endpoint uses EMP.
    pub(super) ends: Table<EndpointId, Option<Box<EmpEndpoint>>>,
    /// By NIC. The list of NICs is empty if no endpoint uses EMP.
    pub(super) nics: Table<NicId, Option<EmpNic>>,
    /// Messages that are being sent. Entries are reused.
    pub(super) outgoing: Vec<Entry>,
    pub(super) vacant: Vec<u32>,
    /// The tag of the next message that a user posts.
    pub(super) tag: u16,
    pub(super) delays: Slab<DelayRef, Delay>,
    pub(super) jobs: Slab<JobRef, Job>,
}

/// An endpoint.
#[derive(Debug)]
pub(super) struct EmpEndpoint {
    /// The posted receives that no message has matched yet.
    pub(super) waiting: Receives<Growing>,
    /// The bytes that each receive uses, sorted by offset, without overlaps.
    pub(super) buffers: Vec<Buffer>,
    /// Number of receives posted so far.
    pub(super) posted: u32,
    /// The flows of an EMP endpoint by channel, sorted by the endpoint's own channel numbers.
    pub(super) flows: Vec<Flow>,
    /// Whether a complete message may wait for room in the receive queue.
    pub(super) awaits_room: bool,
}

/// A part of an EMP endpoint's buffer area for which a receive is posted again and again.
#[derive(Copy, Clone, Debug)]
pub(super) struct Buffer {
    pub(super) receive: PostedReceive,
    /// How often the receive for this buffer may still be posted; `None` if there is no limit.
    pub(super) left: Option<u64>,
}

/// The messages between an EMP endpoint and a peer in both directions.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) channel: Channel,
    /// Number of the next message to the peer.
    pub(super) next: u16,
    /// Messages to the peer that are being sent, oldest first.
    pub(super) outstanding: VecDeque<OutgoingRef>,
    /// Messages to the peer that wait until fewer messages are outstanding.
    pub(super) waiting: VecDeque<OutgoingRef>,
    /// Messages that arrive.
    pub(super) inbound: Inbound<Matched>,
    /// Whether a check is scheduled that looks for arriving messages whose frames have ceased to come.
    pub(super) is_watched: bool,
}

/// An arriving message that has a place for its frames.
#[derive(Copy, Clone, Debug)]
pub(super) struct Matched {
    pub(super) packet: PacketId,
    pub(super) frames: u16,
    pub(super) room: Room,
    /// The time at which the NIC last heard of the message.
    pub(super) heard: SimTime,
}

/// The place into which the NIC moves the frames of an arriving message.
#[derive(Copy, Clone, Debug)]
pub(super) enum Room {
    /// The frames are placed in host memory, in the room of the receive that matched the message.
    Host(PostedReceive),
    /// The frames are placed in NIC memory, where the message is put together for an applet.
    Nic(PacketRef),
}

/// The costs of EMP on a NIC, and the messages that the NIC cuts into frames.
#[derive(Debug)]
pub(super) struct EmpNic {
    pub(super) costs: EmpCosts,
    pub(super) cut: Cut,
    pub(super) placement: EmpPlacement,
    /// What the NIC's processors share, if the profile has a semaphore.
    pub(super) sharing: Option<Box<Sharing>>,
    /// Messages that wait until the NIC cuts them into frames, in this order.
    pub(super) queue: VecDeque<OutgoingRef>,
    /// The message whose frames are being sent. The NIC begins the next message when the present one has no more
    /// frames.
    pub(super) cutting: Option<OutgoingRef>,
    /// The frame that waits for a send slot. Until the slot is found, only messages that need no slots are cut. Such
    /// messages may themselves hold the slots, which they return when their frames are acknowledged, so cutting them
    /// must not wait for the frame.
    pub(super) parked: Option<(OutgoingRef, PacketRef)>,
}

/// A message that is being sent.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) from: EndpointId,
    pub(super) channel: Channel,
    pub(super) trigger: Trigger,
    pub(super) packet: PacketId,
    pub(super) source: Source,
    pub(super) tag: u16,
    /// The message's number between its two endpoints, which is valid only after the message has become outstanding.
    pub(super) message: u16,
    pub(super) length: u32,
    pub(super) record: TransmitRecord,
    /// The time at which a frame of the message was last sent or acknowledged.
    pub(super) active: SimTime,
    /// Number of frames of the message that have been cut and that have not reached the wire.
    pub(super) on_board: u32,
    /// Whether the message is in its NIC's queue, or the NIC is cutting the message.
    pub(super) is_queued: bool,
    /// Whether the message's first frame has been sent.
    pub(super) is_opened: bool,
    /// Whether a check is scheduled that looks for an overdue acknowledgement of the message.
    pub(super) is_watched: bool,
}

impl Outgoing {
    /// Returns whether the NIC still has frames of the message to send, so that no acknowledgement is overdue.
    pub(super) fn is_busy(&self) -> bool {
        self.is_queued || self.on_board > 0
    }

    /// Returns whether each frame of the message needs a send slot. A message in NIC memory has a slot of its own.
    pub(super) fn needs_slots(&self) -> bool {
        matches!(self.source, Source::Host(..))
    }
}

/// The place of the bytes of an outgoing message.
#[derive(Copy, Clone, Debug)]
pub(super) enum Source {
    /// The bytes are in host memory, at the span that this transmit descriptor names.
    Host(PostId, HostSpan),
    /// The bytes are in NIC memory, in the packet that an applet made.
    Nic(PacketRef),
}

/// An entry in the list of messages that are being sent.
#[derive(Debug, Default)]
pub(super) struct Entry {
    /// How many messages used this entry before the present one.
    pub(super) turn: u32,
    pub(super) outgoing: Option<Outgoing>,
}

/// A reference to a message that is being sent, or was sent.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutgoingRef {
    pub(super) entry: u32,
    pub(super) turn: u32,
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
                        buffers: buffers(scenario, id, &endpoints[id]),
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
                let profile = scenario.profile_of(nic);
                let costs = profile.emp?;
                let sharing = Sharing::new(profile, &spec.placement.emp, spec.processors);
                Some(EmpNic {
                    cut: Cut::new(costs.payload),
                    costs,
                    placement: spec.placement.emp,
                    sharing: sharing.map(Box::new),
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
    pub(super) fn held_at_rest(
        &self,
        nic: NicId,
        specs: &[EndpointSpec],
        waiters: &mut Waiters<'_>,
    ) -> usize {
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
            let semaphores = emp_nic.sharing.as_ref().map_or(0, |sharing| sharing.held());
            waiters.nic(nic, "a processor to release its semaphores", semaphores);
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
    pub(super) fn part<'s>(&self, frame: Frame, nic: NicId, opens: Option<&'s [u8]>) -> Part<'s> {
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
    pub(super) fn take_queued(&mut self, nic: NicId) -> Option<OutgoingRef> {
        let waits = self.nic_state(nic).parked.is_some();
        let next = |of: &OutgoingRef| {
            let outgoing = self.peek(*of);
            !waits || outgoing.is_none_or(|outgoing| !outgoing.needs_slots())
        };
        let place = self.nics[nic].as_ref()?.queue.iter().position(next)?;
        self.nic_state(nic).queue.remove(place)
    }

    pub(super) fn nic_state(&mut self, nic: NicId) -> &mut EmpNic {
        let emp_nic = self.nics.get_mut(nic).and_then(Option::as_mut);
        emp_nic.expect("an EMP endpoint's NIC has a profile with costs of EMP")
    }

    pub(super) fn end(&mut self, id: EndpointId) -> Option<&mut EmpEndpoint> {
        self.ends.get_mut(id)?.as_deref_mut()
    }

    pub(super) fn flow_of(&self, id: EndpointId, channel: ChannelId) -> Option<&Flow> {
        let flows = &self.ends.get(id)?.as_deref()?.flows;
        let place = flows.binary_search_by_key(&channel, |flow| flow.channel.id);
        place.ok().and_then(|place| flows.get(place))
    }

    pub(super) fn flow(&mut self, id: EndpointId, channel: ChannelId) -> Option<&mut Flow> {
        let flows = &mut self.end(id)?.flows;
        let place = flows.binary_search_by_key(&channel, |flow| flow.channel.id);
        place.ok().and_then(|place| flows.get_mut(place))
    }

    /// Returns a message that is being sent, for reading; `None` if the message has ended.
    pub(super) fn peek(&self, of: OutgoingRef) -> Option<&Outgoing> {
        let entry = self.outgoing.get(at(of.entry))?;
        let outgoing = entry.outgoing.as_ref();
        outgoing.filter(|_| entry.turn == of.turn)
    }

    /// Returns a message that is being sent; `None` if the message has ended.
    pub(super) fn outgoing(&mut self, of: OutgoingRef) -> Option<&mut Outgoing> {
        let entry = self.outgoing.get_mut(at(of.entry))?;
        let outgoing = entry.outgoing.as_mut();
        outgoing.filter(|_| entry.turn == of.turn)
    }

    /// Returns the message with this number that an endpoint is sending.
    pub(super) fn outgoing_numbered(
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

    pub(super) fn add(&mut self, outgoing: Outgoing) -> OutgoingRef {
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

    pub(super) fn remove(&mut self, of: OutgoingRef) -> Option<Outgoing> {
        self.outgoing(of)?;
        let entry = &mut self.outgoing[at(of.entry)];
        entry.turn = entry.turn.wrapping_add(1);
        self.vacant.push(of.entry);
        entry.outgoing.take()
    }
}

impl Flow {
    pub(super) fn new(channel: Channel) -> Flow {
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
pub(super) fn source_number(id: EndpointId) -> u16 {
    // A scenario has far fewer endpoints than `u16` has values.
    u16::try_from(id.0).unwrap_or(u16::MAX)
}

/// Returns the parts of an endpoint's buffer area that its receives use, in the order of the scenario. Each receive has
/// a place of its own in that area, counted from the area's start.
pub(super) fn buffers(scenario: &Scenario, id: EndpointId, endpoint: &Endpoint) -> Vec<Buffer> {
    let spec = &scenario.endpoints[id];
    if !spec.posts_receives() {
        return Vec::new();
    }
    let own = scenario.receives.iter().filter(|spec| spec.endpoint == id);
    let of_scenario: Vec<Buffer> = own
        .filter_map(|spec| buffer(endpoint, spec.offset, spec.length, Some(spec)))
        .collect();
    if !of_scenario.is_empty() {
        return of_scenario;
    }
    let length = spec.free_buffer_length;
    (0..spec.free_buffer_count)
        .filter_map(|number| buffer(endpoint, number * length, length, None))
        .collect()
}

pub(super) fn buffer(
    endpoint: &Endpoint,
    offset: u32,
    length: u32,
    spec: Option<&ReceiveSpec>,
) -> Option<Buffer> {
    let source = spec.and_then(|spec| spec.source);
    Some(Buffer {
        receive: PostedReceive {
            tag: spec
                .and_then(|spec| spec.tag)
                .map_or(Filter::Any, Filter::Only),
            source: source.map_or(Filter::Any, |id| Filter::Only(source_number(id))),
            room: endpoint.area.span(offset.into(), length.into()).ok()?,
            number: 0,
        },
        left: spec.map(|spec| spec.repeat),
    })
}
