//! Host programs: the interface for programs that a user of the library supplies, and their actions.

use std::collections::{BTreeMap, VecDeque};

use nic_core::event::{HostEvent, TxStatus};
use nic_core::host::Program;
pub use nic_core::host::Reaction;
use nic_core::id::{ChannelId, EndpointId, NicId};
use nic_core::lmmc::{Direction, Policy};
use nic_core::memory::Region;
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::ReceiveDescriptor;
use nic_core::via::{Handle, Reason, RegistryError, Segment, Status, ViaHeader};

use super::port::{PortAsked, PortName, PortNews};
use super::window::{WindowAsked, WindowNews};
use crate::memory::HostMemory;

/// A program that runs in a process. The runtime reports events to the program, and the program queues its next
/// actions.
///
/// A process does one thing at a time: it reads a message, posts a message or computes. Each action of a process takes
/// the time given by the profile or the action, and the next action begins afterwards. The scenario's sends for the
/// endpoints of the process alternate with the actions of the program.
pub trait HostProgram: Send {
    /// Returns the reaction to the message that the process is about to read, after `before` earlier messages of that
    /// endpoint. Whatever the reaction, the process reads the message and returns its buffers.
    fn react(&self, message: &ReceiveDescriptor, before: u64) -> Reaction {
        let _ = (message, before);
        Reaction::Read
    }

    /// Reports an event to the program. The argument `actions` appends to the actions that the process has not carried
    /// out yet.
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let _ = (what, actions);
    }

    /// Returns how far the program came, if it has not done all that it had to do. The run then says that the program
    /// gave up, or that a limit cut it. A program that works for as long as it is asked, as a server does, returns `None`.
    fn unfinished(&self) -> Option<Unfinished> {
        None
    }
}

/// How far a program came that has not done all that it had to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// How much it has done, in words.
    pub after: String,
    /// Whether the program has stopped, so that no message makes it go on.
    pub has_stopped: bool,
}

/// An event that the runtime reports to a program.
#[derive(Copy, Clone, Debug)]
pub enum Happened<'a> {
    /// The run begins.
    Started,
    /// The process has read a message and returned its buffers.
    Message {
        /// The endpoint that received the message.
        endpoint: EndpointId,
        /// The receiving endpoint's number of the channel.
        channel: ChannelId,
        /// The message.
        payload: &'a [u8],
    },
    /// A posted message has completed.
    Completed {
        /// The endpoint at which the message was posted.
        endpoint: EndpointId,
        /// The channel on which the message was posted.
        channel: ChannelId,
        /// The completion status.
        status: TxStatus,
    },
    /// A time requested by [`Actions::wake_at`] has come.
    Time,
    /// The connection of a VI, which programs make, has changed, or an action for it has failed (VIA).
    Connection {
        /// The VI.
        endpoint: EndpointId,
        /// What has become of it.
        what: ConnectionNews,
    },
    /// An answer to an action of the program for a VI, or a completed descriptor of its own (VIA).
    Vi {
        /// The VI.
        endpoint: EndpointId,
        /// What has happened.
        what: ViNews<'a>,
    },
    /// An answer to an action of the program for a port (LMMC).
    Port {
        /// The endpoint of the process.
        endpoint: EndpointId,
        /// What has happened.
        what: PortNews,
    },
    /// An answer to an action of the program for a window (remote memory), or for a page (LMMC).
    Window {
        /// The endpoint that has the window, or may use it.
        endpoint: EndpointId,
        /// What has happened.
        what: WindowNews<'a>,
    },
}

/// What a program learns of the descriptors and the memory of a VI.
#[derive(Copy, Clone, Debug)]
pub enum ViNews<'a> {
    /// The answer to [`Actions::register`].
    Registered {
        /// The number that the program gave the action.
        ticket: u64,
        /// The handle of the memory, or why it is not registered.
        registered: Result<Handle, RegionRefusal>,
    },
    /// The answer to [`Actions::deregister`].
    Deregistered {
        /// The number that the program gave the action.
        ticket: u64,
        /// The handle, or why its memory stays registered.
        deregistered: Result<Handle, RegionRefusal>,
    },
    /// A send descriptor of the program has completed.
    Sent {
        /// The number that the program gave the descriptor.
        ticket: u64,
        /// How it completed.
        status: Status,
        /// The length of its message in bytes.
        length: u32,
    },
    /// The program has taken a completed receive descriptor.
    Received(Descriptor<'a>),
    /// No message is there, or none has come in the time for which the program was ready to wait.
    NoMessage,
    /// The VI does not take the descriptor: its queue is full, or its process posts free buffers.
    NotPossible {
        /// The number that the program gave the descriptor.
        ticket: u64,
    },
}

/// Receive descriptors of a program that have completed together.
#[derive(Copy, Clone, Debug)]
pub struct Descriptor<'a> {
    /// The numbers that the program gave the descriptors. A message that is split uses several.
    pub tickets: &'a [u64],
    /// How they completed.
    pub status: Status,
    /// The immediate data of the message, if it has any.
    pub immediate: Option<u32>,
    /// The message, as it lies in the memory of the descriptors.
    pub payload: &'a [u8],
}

/// Why memory is not registered, or not deregistered.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RegionRefusal {
    /// The range does not lie in the buffer area.
    Outside,
    /// No memory of the VI is registered under the handle.
    NotRegistered,
    /// Descriptors under way name the memory.
    InUse,
    /// No more memory can be registered.
    Full,
}

impl From<RegistryError> for RegionRefusal {
    fn from(error: RegistryError) -> RegionRefusal {
        match error {
            RegistryError::NotRegistered { .. } | RegistryError::WrongTag { .. } => {
                RegionRefusal::NotRegistered
            }
            RegistryError::Outside(_) => RegionRefusal::Outside,
            RegistryError::InUse { .. } => RegionRefusal::InUse,
            RegistryError::Full => RegionRefusal::Full,
        }
    }
}

/// What has become of a connection that programs make.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ConnectionNews {
    /// The peer requests a connection, and waits until this program accepts or refuses the request.
    Requested {
        /// The tag of the request.
        tag: u32,
    },
    /// The VI has a connection.
    Made,
    /// The peer has refused the request, or its own request has crossed this one.
    Refused,
    /// The time for the request or for the wait is over.
    TimedOut,
    /// The VI has ended its connection.
    Ended {
        /// Why.
        reason: Reason,
    },
    /// The VI cannot do what the program asked for: it has a connection or is waiting for one, no request waits that
    /// could be refused, or its connection exists from the start.
    NotPossible,
}

/// An action of a process.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// Posts a message.
    Post {
        endpoint: EndpointId,
        channel: ChannelId,
        payload: Vec<u8>,
    },
    /// The process ends the connection of a VI.
    Disconnect(EndpointId),
    /// The process writes to its own memory: in the given time, or in that of a program which copies.
    Fill {
        memory: EndpointId,
        offset: u32,
        bytes: Vec<u8>,
        takes: Option<SimDuration>,
    },
    /// The class that the process runs goes on.
    GoOn,
    /// Emits an event of the program.
    Emit(HostEvent<'static>),
    /// The process asks the interface of an endpoint for something.
    Ask(EndpointId, Asked),
    /// The process asks for something at a window of an endpoint.
    Window(EndpointId, WindowAsked),
    /// The process writes to a window of a VI's peer.
    Write {
        endpoint: EndpointId,
        window: u32,
        offset: u32,
        bytes: Vec<u8>,
    },
    /// The process puts a frame of EMP on the wire.
    Frame {
        endpoint: EndpointId,
        channel: ChannelId,
        bytes: Vec<u8>,
    },
    /// The process is busy for this time.
    Compute(SimDuration),
    /// The process requests [`Happened::Time`] at this time.
    WakeAt(SimTime),
}

/// What a process asks the interface of an endpoint for.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    /// Requests a connection with this tag, and gives up after this time.
    Connect(u32, Option<SimDuration>),
    /// Accepts a request with this tag, and stops to wait for one after this time.
    Accept(u32, Option<SimDuration>),
    /// Refuses the request that waits.
    Refuse,
    /// Puts a control packet on the wire, whatever the state of the VI.
    Control(ViaHeader, Vec<u8>),
    /// Registers a range of memory of the process.
    Register(OwnMemory, (u32, u32), u64),
    /// Asks for the handle of the VI's buffer area, which is registered.
    Area(u64),
    /// Deregisters memory.
    Deregister(Handle, u64),
    /// Posts a send descriptor with these segments, and with immediate data if there is any.
    Send(u64, Vec<Segment>, Option<u32>),
    /// Posts a receive descriptor with these segments.
    Receive(u64, Vec<Segment>),
    /// Takes the oldest message, and waits for one for this long: not at all, or for ever (`Some(None)`).
    Take(Option<Option<SimDuration>>),
    /// Asks for something at a port.
    Port(PortAsked),
    /// Accesses a page, or waits for a word of one.
    Page(WindowAsked),
}

/// Memory of a process.
#[derive(Copy, Clone, Debug)]
pub(crate) enum OwnMemory {
    /// The buffer area of an endpoint.
    Area(EndpointId),
    /// The linear memory of the class that the process runs.
    Linear(Region),
}

/// How a process goes on after it has asked an interface for something.
#[derive(Clone, Debug)]
pub(crate) enum Asking {
    /// The process is busy for this time.
    Busy(SimDuration),
    /// The process is busy, and holds its processor, until the interface ends that.
    Held,
    /// The interface does not have what was asked for.
    Ignored,
    /// The process waits until a descriptor of the endpoint completes, and asks again. It holds no processor meanwhile.
    Later(Asked),
}

/// Appends actions to the queue of a process.
pub struct Actions<'a> {
    pub(super) now: SimTime,
    pub(super) endpoints: &'a [EndpointId],
    pub(super) queue: &'a mut VecDeque<Action>,
    pub(super) memory: &'a mut HostMemory,
    pub(super) linear: Option<Region>,
}

impl Actions<'_> {
    /// Returns the current time.
    #[must_use]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Returns the endpoints of the process, of which there is at least one, in the order of the scenario.
    #[must_use]
    pub fn endpoints(&self) -> &[EndpointId] {
        self.endpoints
    }

    /// Posts a message. The process waits if the transmit queue or region has no room for the message. A message longer
    /// than the endpoint's transmit region is dropped (`no-transmit-room`). A message for an endpoint of another
    /// process is ignored.
    pub fn post(&mut self, endpoint: EndpointId, channel: ChannelId, payload: Vec<u8>) {
        if self.endpoints.contains(&endpoint) {
            self.queue.push_back(Action::Post {
                endpoint,
                channel,
                payload,
            });
        }
    }

    /// Requests a connection with a tag (VIA). The peer's program must accept a request with this tag. If the time
    /// `within` passes before the answer, the request is taken back. The answer is [`Happened::Connection`]. The process
    /// waits until the send descriptors of a former connection have completed. A request for an endpoint of another
    /// process or interface is ignored.
    pub fn connect(&mut self, endpoint: EndpointId, tag: u32, within: Option<SimDuration>) {
        self.ask(endpoint, Asked::Connect(tag, within));
    }

    /// Accepts the request for a connection that waits, or the next one (VIA). A request with another tag is refused.
    /// The VI stops to wait when the time `within` has passed. The answer is [`Happened::Connection`]. The process waits,
    /// and requests are ignored, as with [`Actions::connect`].
    pub fn accept(&mut self, endpoint: EndpointId, tag: u32, within: Option<SimDuration>) {
        self.ask(endpoint, Asked::Accept(tag, within));
    }

    /// Refuses the request for a connection that waits (VIA).
    pub fn refuse(&mut self, endpoint: EndpointId) {
        self.ask(endpoint, Asked::Refuse);
    }

    /// Puts a control packet of VIA on the wire to the peer of a VI, whatever the state of the VI, with these bytes. A
    /// program can thereby be a peer that forges control packets. A header that is none of a control packet, and bytes
    /// longer than a packet, are ignored.
    pub fn send_control(&mut self, endpoint: EndpointId, header: ViaHeader, bytes: Vec<u8>) {
        self.ask(endpoint, Asked::Control(header, bytes));
    }

    /// Writes to the buffer area of an endpoint of the process, which takes the time of a copy. Bytes beyond the area are
    /// not written, nor are those before them.
    pub fn fill(&mut self, memory: EndpointId, offset: u32, bytes: Vec<u8>) {
        if self.endpoints.contains(&memory) {
            self.queue.push_back(Action::Fill {
                memory,
                offset,
                bytes,
                takes: None,
            });
        }
    }

    /// Writes to the buffer area of an endpoint of the process, in the given time.
    pub(crate) fn fill_in(
        &mut self,
        memory: EndpointId,
        offset: u32,
        bytes: Vec<u8>,
        takes: SimDuration,
    ) {
        self.queue.push_back(Action::Fill {
            memory,
            offset,
            bytes,
            takes: Some(takes),
        });
    }

    /// Emits an event of the program when the actions before are done.
    pub(crate) fn emit(&mut self, event: HostEvent<'static>) {
        self.queue.push_back(Action::Emit(event));
    }

    /// Returns the linear memory of the class that the process runs; without a class, there is none.
    pub(crate) fn linear(&mut self) -> &mut [u8] {
        match self
            .linear
            .and_then(|region| region.span(0, region.length().into()).ok())
        {
            Some(span) => self.memory.bytes_mut(span),
            None => &mut [],
        }
    }

    /// Asks for the handle of the buffer area of a VI. The answer is [`ViNews::Registered`].
    pub(crate) fn area(&mut self, vi: EndpointId, ticket: u64) {
        self.ask(vi, Asked::Area(ticket));
    }

    /// Registers a range of the linear memory of the class that the process runs.
    pub(crate) fn register_linear(&mut self, vi: EndpointId, range: (u32, u32), ticket: u64) {
        if let Some(region) = self.linear {
            self.ask(
                vi,
                Asked::Register(OwnMemory::Linear(region), range, ticket),
            );
        }
    }

    /// Registers a range, an offset and a length, of the buffer area of `memory` for the descriptors of a VI (VIA). Both
    /// are endpoints of the process. The answer is [`ViNews::Registered`].
    pub fn register(&mut self, vi: EndpointId, memory: EndpointId, range: (u32, u32), ticket: u64) {
        if self.endpoints.contains(&memory) {
            let memory = OwnMemory::Area(memory);
            self.ask(vi, Asked::Register(memory, range, ticket));
        }
    }

    /// Deregisters memory of a VI's descriptors (VIA). The answer is [`ViNews::Deregistered`].
    pub fn deregister(&mut self, vi: EndpointId, handle: Handle, ticket: u64) {
        self.ask(vi, Asked::Deregister(handle, ticket));
    }

    /// Posts a send descriptor that names the pieces of its message (VIA). The NIC reads them while it sends. The
    /// process waits while the transmit queue is full. [`ViNews::Sent`] tells how the descriptor completes.
    pub fn post_send(
        &mut self,
        vi: EndpointId,
        ticket: u64,
        segments: Vec<Segment>,
        immediate: Option<u32>,
    ) {
        self.ask(vi, Asked::Send(ticket, segments, immediate));
    }

    /// Posts a receive descriptor that names the memory for a message (VIA). A VI takes such descriptors if its
    /// programs connect it and it has no free buffers (`free_buffers = { count = 0 }`).
    pub fn post_receive(&mut self, vi: EndpointId, ticket: u64, segments: Vec<Segment>) {
        self.ask(vi, Asked::Receive(ticket, segments));
    }

    /// Takes the oldest completed receive descriptor of a VI (VIA). The answer is [`ViNews::Received`], or
    /// [`ViNews::NoMessage`] if there is none.
    pub fn receive(&mut self, vi: EndpointId) {
        self.ask(vi, Asked::Take(None));
    }

    /// Takes the oldest completed receive descriptor of a VI, as [`Actions::receive`] does, and waits for one for as long
    /// as `within`. Meanwhile the process goes on with its other actions.
    pub fn receive_within(&mut self, vi: EndpointId, within: Option<SimDuration>) {
        self.ask(vi, Asked::Take(Some(within)));
    }

    fn ask(&mut self, endpoint: EndpointId, asked: Asked) {
        if self.endpoints.contains(&endpoint) {
            self.queue.push_back(Action::Ask(endpoint, asked));
        }
    }

    /// Ends the connection of a VI, or its wait for one (VIA). A request for an endpoint of another process or interface
    /// is ignored.
    pub fn disconnect(&mut self, endpoint: EndpointId) {
        if self.endpoints.contains(&endpoint) {
            self.queue.push_back(Action::Disconnect(endpoint));
        }
    }

    /// Writes bytes to a window of a VI's peer, as the library of a provider over remote memory does. The peer refuses
    /// the write if the VI has no right to write to the window. The action is ignored if the VI has no provider over
    /// remote memory.
    pub fn write_window(
        &mut self,
        endpoint: EndpointId,
        (window, offset): (u32, u32),
        bytes: Vec<u8>,
    ) {
        if self.endpoints.contains(&endpoint) {
            self.queue.push_back(Action::Write {
                endpoint,
                window,
                offset,
                bytes,
            });
        }
    }

    /// Puts bytes, a header and its payload, on the wire as a frame of EMP, without the NIC's protocol. A program can
    /// thereby be a peer that forges frames. Bytes without a valid header are discarded, as a wire's CRC would discard
    /// them. A frame that is longer than a packet, or for an endpoint of another process or interface, is ignored.
    pub fn send_frame(&mut self, endpoint: EndpointId, channel: ChannelId, bytes: Vec<u8>) {
        if self.endpoints.contains(&endpoint) {
            self.queue.push_back(Action::Frame {
                endpoint,
                channel,
                bytes,
            });
        }
    }

    /// Reads `length` bytes of a peer's window, from `offset` on, into the buffer area of the endpoint, from `into` on
    /// (remote memory). The scenario must allow reads of the window. [`WindowNews::Read`] tells how the read ends; the
    /// process goes on meanwhile.
    pub fn read_window(
        &mut self,
        endpoint: EndpointId,
        ticket: u64,
        range: (i32, u32, u32),
        into: u32,
    ) {
        self.ask_window(
            endpoint,
            WindowAsked::Read {
                ticket,
                range,
                into,
            },
        );
    }

    /// Writes bytes to a peer's window, by the processor of the host (remote memory), or to a page of the process (LMMC).
    /// The program learns of a write that it may not make. The owner of the window refuses a write while the window is
    /// closed, which the program does not learn. A store to a page whose port is out takes the process until the port is
    /// paged in.
    pub fn store(
        &mut self,
        endpoint: EndpointId,
        ticket: u64,
        (window, offset): (i32, u32),
        bytes: Vec<u8>,
    ) {
        let asked = WindowAsked::Store {
            ticket,
            window,
            offset,
            bytes,
        };
        self.ask_window(endpoint, asked);
    }

    /// Reads `length` bytes of a window of the endpoint's own memory (remote memory) or of a page (LMMC), from `offset` on.
    /// The answer is [`WindowNews::Loaded`].
    pub fn load(&mut self, endpoint: EndpointId, ticket: u64, range: (i32, u32, u32)) {
        self.ask_window(endpoint, WindowAsked::Load { ticket, range });
    }

    /// Watches `length` bytes of a window of the endpoint's own memory, from `offset` on, or removes the watches of the
    /// window if `length` is 0 (remote memory). The answer is [`WindowNews::Watching`]. The watches of an endpoint with
    /// an applet are the applet's.
    pub fn watch(&mut self, endpoint: EndpointId, ticket: u64, range: (i32, u32, u32)) {
        self.ask_window(endpoint, WindowAsked::Watch { ticket, range });
    }

    /// Waits until the word at an offset of a window of the endpoint's own memory has another value than `was`, but no
    /// longer than `within` (remote memory). The answer is [`WindowNews::Word`]; the process goes on meanwhile.
    ///
    /// At a page (LMMC) the process does nothing else meanwhile. It looks for `host.spin`, then gives its processor up until
    /// the page is written or paged in (S4-22).
    pub fn wait_word(
        &mut self,
        endpoint: EndpointId,
        ticket: u64,
        (window, offset): (i32, u32),
        (was, within): (u32, Option<SimDuration>),
    ) {
        let asked = WindowAsked::WaitWord {
            ticket,
            window,
            offset,
            was,
            within,
        };
        self.ask_window(endpoint, asked);
    }

    /// Takes the oldest event of an endpoint's watches (remote memory). The answer is [`WindowNews::Event`], or
    /// [`WindowNews::NoEvent`] if there is none.
    pub fn take_event(&mut self, endpoint: EndpointId) {
        self.ask_window(endpoint, WindowAsked::Event { within: None });
    }

    /// Takes an event as [`Actions::take_event`] does, and waits for one for as long as `within`. Meanwhile the process
    /// goes on with its other actions.
    pub fn event_within(&mut self, endpoint: EndpointId, within: Option<SimDuration>) {
        let within = Some(within);
        self.ask_window(endpoint, WindowAsked::Event { within });
    }

    /// Sets up a port between the NIC of an endpoint and a peer, to send or to receive on (LMMC). The answer is
    /// [`PortNews::Created`]; the process goes on meanwhile. The endpoint and its process must be at an interface of LMMC, as
    /// for all actions for ports.
    pub fn port_create(
        &mut self,
        endpoint: EndpointId,
        ticket: u64,
        (peer, direction): (NicId, Direction),
    ) {
        let asked = PortAsked::Create {
            ticket,
            peer,
            direction,
        };
        self.ask(endpoint, Asked::Port(asked));
    }

    /// Maps a port, which any process of the node may do (LMMC). The answer is [`PortNews::Mapped`], with the number of the
    /// page. The ports of the scenario are mapped from the start, and their pages have the numbers of their places in the
    /// file, from 0 on.
    pub fn port_map(&mut self, endpoint: EndpointId, ticket: u64, port: PortName) {
        self.ask(endpoint, Asked::Port(PortAsked::Map { ticket, port }));
    }

    /// Takes a page out of the address space of the process (LMMC). The answer is [`PortNews::Unmapped`].
    pub fn port_unmap(&mut self, endpoint: EndpointId, ticket: u64, page: i32) {
        self.ask(endpoint, Asked::Port(PortAsked::Unmap { ticket, page }));
    }

    /// Changes when stores to a port leave, for all processes that map it (LMMC). The answer is [`PortNews::Policy`].
    pub fn set_write_policy(
        &mut self,
        endpoint: EndpointId,
        ticket: u64,
        (port, policy): (PortName, Policy),
    ) {
        let asked = PortAsked::Policy {
            ticket,
            port,
            policy,
        };
        self.ask(endpoint, Asked::Port(asked));
    }

    /// Deletes a port that no process of the node maps (LMMC). The answer is [`PortNews::Deleted`].
    pub fn delete_port(&mut self, endpoint: EndpointId, ticket: u64, port: PortName) {
        self.ask(endpoint, Asked::Port(PortAsked::Delete { ticket, port }));
    }

    /// Puts bytes, a header and what follows it, on the link to a peer as a message of LMMC, below the operating system. A
    /// program can thereby be a peer that forges messages. Bytes that are longer than a packet, or for a NIC without a link of
    /// LMMC, are ignored.
    pub fn lmmc_message(&mut self, endpoint: EndpointId, peer: NicId, bytes: Vec<u8>) {
        self.ask(endpoint, Asked::Port(PortAsked::Message { peer, bytes }));
    }

    fn ask_window(&mut self, endpoint: EndpointId, asked: WindowAsked) {
        if self.endpoints.contains(&endpoint) {
            self.queue.push_back(Action::Window(endpoint, asked));
        }
    }

    /// Makes the process busy for a time.
    pub fn compute(&mut self, takes: SimDuration) {
        self.queue.push_back(Action::Compute(takes));
    }

    /// Lets the class that the process runs go on when the actions before this one are carried out.
    pub(crate) fn go_on(&mut self) {
        self.queue.push_back(Action::GoOn);
    }

    /// Requests [`Happened::Time`] at a time. A time in the past is treated as the current time.
    pub fn wake_at(&mut self, time: SimTime) {
        self.queue.push_back(Action::WakeAt(time));
    }
}

/// Programs that a user of the library supplies, by the name of the process that runs them.
#[derive(Default)]
pub struct Programs(BTreeMap<String, Box<dyn HostProgram>>);

impl Programs {
    /// Returns an empty set of programs.
    #[must_use]
    pub fn new() -> Programs {
        Programs::default()
    }

    /// Adds a program for a process, in place of the program that the scenario gives. An endpoint without a process is
    /// treated as a process with the endpoint's name.
    #[must_use]
    pub fn with(mut self, process: &str, program: impl HostProgram + 'static) -> Programs {
        self.0.insert(process.to_owned(), Box::new(program));
        self
    }

    /// Returns the names of the processes with a supplied program.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(crate) fn take(&mut self, process: &str) -> Option<Box<dyn HostProgram>> {
        self.0.remove(process)
    }
}

/// The built-in programs choose reactions to messages and do nothing else.
impl HostProgram for Program {
    fn react(&self, message: &ReceiveDescriptor, before: u64) -> Reaction {
        Program::react(*self, message, before)
    }
}
