//! Programs of processes: those that a scenario names, and those that a user of the library brings.

use std::collections::{BTreeMap, VecDeque};

use nic_core::event::TxStatus;
use nic_core::host::Program;
pub use nic_core::host::Reaction;
use nic_core::id::{ChannelId, EndpointId};
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::ReceiveDescriptor;

/// What runs in a process. The runtime asks it when something has happened, and it answers with what it does next.
///
/// A process does one thing at a time: it reads a message, posts one or computes. Each takes the time that the profile
/// or the action says, and the next begins when it is over. The sends that a scenario writes for the process's
/// endpoints take their turns beside what the program does.
pub trait HostProgram {
    /// Says what becomes of a message that the process is about to read, the next after so many others of its
    /// endpoint. Whatever it says, the process reads the message and gives its buffers back.
    fn react(&self, message: &ReceiveDescriptor, before: u64) -> Reaction {
        let _ = (message, before);
        Reaction::Read
    }

    /// Learns what has happened; `actions` takes what the process does next, behind what it has yet to do.
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let _ = (what, actions);
    }
}

/// What a program learns of.
#[derive(Copy, Clone, Debug)]
pub enum Happened<'a> {
    /// The run begins.
    Started,
    /// The process has read a message and given its buffers back.
    Message {
        /// The endpoint that it came to.
        endpoint: EndpointId,
        /// The channel that it came on.
        channel: ChannelId,
        /// Its bytes.
        payload: &'a [u8],
    },
    /// The NIC is done with a message that was posted.
    Completed {
        /// The endpoint that it was posted at.
        endpoint: EndpointId,
        /// The channel that it was posted on.
        channel: ChannelId,
        /// How it ended.
        status: TxStatus,
    },
    /// A time is reached that [`Actions::wake_at`] named.
    Time,
}

/// What a process does next.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// Posts a message.
    Post {
        endpoint: EndpointId,
        channel: ChannelId,
        payload: Vec<u8>,
    },
    /// Computes.
    Compute(SimDuration),
    /// Wants to be woken.
    WakeAt(SimTime),
}

/// Takes the actions of a program, in their order.
pub struct Actions<'a> {
    now: SimTime,
    endpoints: &'a [EndpointId],
    queue: &'a mut VecDeque<Action>,
}

impl Actions<'_> {
    /// Returns the time.
    #[must_use]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Returns the endpoints of the process, in the order of the scenario; there is at least one.
    #[must_use]
    pub fn endpoints(&self) -> &[EndpointId] {
        self.endpoints
    }

    /// Posts a message; the process waits for room where there is none. A message that is longer than the endpoint's
    /// transmit region is dropped (`no-transmit-room`), and so is one for an endpoint of another process.
    pub fn post(&mut self, endpoint: EndpointId, channel: ChannelId, payload: Vec<u8>) {
        if self.endpoints.contains(&endpoint) {
            self.queue.push_back(Action::Post {
                endpoint,
                channel,
                payload,
            });
        }
    }

    /// Computes for a while, in which the process does nothing else.
    pub fn compute(&mut self, takes: SimDuration) {
        self.queue.push_back(Action::Compute(takes));
    }

    /// Has the program learn when a time is reached, as [`Happened::Time`]; a time that is over counts as now.
    pub fn wake_at(&mut self, time: SimTime) {
        self.queue.push_back(Action::WakeAt(time));
    }
}

/// Programs that a user of the library brings, by the names of the processes that run them.
#[derive(Default)]
pub struct Programs(BTreeMap<String, Box<dyn HostProgram>>);

impl Programs {
    /// Returns none.
    #[must_use]
    pub fn new() -> Programs {
        Programs::default()
    }

    /// Has a process run a program, in place of what the scenario says. An endpoint without a process is one of its
    /// own name.
    #[must_use]
    pub fn with(mut self, process: &str, program: impl HostProgram + 'static) -> Programs {
        self.0.insert(process.to_owned(), Box::new(program));
        self
    }

    /// Returns the names of the processes.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn take(&mut self, process: &str) -> Option<Box<dyn HostProgram>> {
        self.0.remove(process)
    }
}

/// A process whose program a user of the library has brought.
pub(crate) struct OwnProcess {
    pub(crate) program: Box<dyn HostProgram>,
    pub(crate) endpoints: Vec<EndpointId>,
    pub(crate) actions: VecDeque<Action>,
}

impl OwnProcess {
    /// Returns the endpoint at which the process does what belongs to none.
    pub(crate) fn home(&self) -> EndpointId {
        self.endpoints[0]
    }

    /// Informs the program of what has happened.
    pub(crate) fn tell(&mut self, now: SimTime, what: Happened<'_>) {
        let mut actions = Actions {
            now,
            endpoints: &self.endpoints,
            queue: &mut self.actions,
        };
        self.program.happened(what, &mut actions);
    }
}

/// The programs that a scenario names: they read, echo or acknowledge what comes, and do nothing by themselves.
impl HostProgram for Program {
    fn react(&self, message: &ReceiveDescriptor, before: u64) -> Reaction {
        Program::react(*self, message, before)
    }
}
