//! Host programs: the interface for programs that a user of the library supplies, and their actions.

use std::collections::{BTreeMap, VecDeque};

use nic_core::event::TxStatus;
use nic_core::host::Program;
pub use nic_core::host::Reaction;
use nic_core::id::{ChannelId, EndpointId};
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::ReceiveDescriptor;

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

/// Appends actions to the queue of a process.
pub struct Actions<'a> {
    now: SimTime,
    endpoints: &'a [EndpointId],
    queue: &'a mut VecDeque<Action>,
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

    /// Ends the connection of a VI (VIA). A request for an endpoint of another process or interface is ignored.
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

    /// Makes the process busy for a time.
    pub fn compute(&mut self, takes: SimDuration) {
        self.queue.push_back(Action::Compute(takes));
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

/// A process with a supplied program.
pub(crate) struct OwnProcess {
    pub(crate) program: Box<dyn HostProgram>,
    pub(crate) endpoints: Vec<EndpointId>,
    pub(crate) actions: VecDeque<Action>,
    /// Whether the program also sends captures.
    pub(crate) replays: bool,
}

impl OwnProcess {
    /// Returns the endpoint of the process to which actions without an endpoint are attributed.
    pub(crate) fn home(&self) -> EndpointId {
        self.endpoints[0]
    }

    /// Reports an event to the process's program.
    pub(crate) fn tell(&mut self, now: SimTime, what: Happened<'_>) {
        let mut actions = Actions {
            now,
            endpoints: &self.endpoints,
            queue: &mut self.actions,
        };
        self.program.happened(what, &mut actions);
    }
}

/// The built-in programs choose reactions to messages and do nothing else.
impl HostProgram for Program {
    fn react(&self, message: &ReceiveDescriptor, before: u64) -> Reaction {
        Program::react(*self, message, before)
    }
}
