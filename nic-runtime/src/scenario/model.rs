//! What a scenario says, checked and resolved: names are ids, defaults are filled in, files are read.
//!
//! Holding a [`Scenario`] proves that every id in it is in range. Names are unique, channel numbers are unique per
//! endpoint, probabilities lie in 0 to 1, and no buffer layout overflows. It proves nothing of the class files'
//! contents.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use jive_core::{ArrayKind, FieldId};
use nic_core::id::{ChannelId, EndpointId, NicId};
use nic_core::time::{SimDuration, SimTime};

use crate::interface::InterfaceKind;
use crate::nic::Placement;
use crate::profile::{Profile, WireProfile};
use crate::scenario::{Expectation, GoldenSettings, Span};

/// A whole scenario, ready to be simulated.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The cost model of each NIC that has none of its own.
    pub profile: Profile,
    /// Seed of every random choice.
    pub seed: u64,
    /// Virtual time at which the run ends at the latest.
    pub until: SimTime,
    /// Number of simulation events after which the run ends at the latest.
    pub events_max: u64,
    /// Instructions, as fuel counts them, that all applets of a run execute at most, while they are
    /// loaded and in calls.
    pub bytecodes_max: u64,
    /// What messages are, for readers of captures.
    pub link_type: LinkType,
    /// What a golden trace of it shows. Nothing in a run depends on it.
    pub golden: GoldenSettings,
    /// The NICs; [`NicId`] indexes them.
    pub nics: Vec<NicSpec>,
    /// The links, each of two directions, for every pair that can talk; a NIC's link to itself included.
    pub links: Vec<LinkSpec>,
    /// The processes that the file names; each endpoint without one is a process of its own.
    pub processes: Vec<ProcessSpec>,
    /// The endpoints; [`EndpointId`] indexes them.
    pub endpoints: Vec<EndpointSpec>,
    /// The channels.
    pub channels: Vec<ChannelSpec>,
    /// The user's sends, in file order.
    pub sends: Vec<SendSpec>,
    /// What the run is expected to do, in file order. Nothing in a run depends on it.
    pub expectations: Vec<Expectation>,
    /// The class files, each once however many endpoints load it.
    pub classes: Vec<ClassSpec>,
    /// Whether `RxBuf` is [poisoned](nic_core::sle::Applet::poison) behind each packet. No file says so: it is for a run that
    /// looks for applets that read there.
    pub poisons_rx_buf: bool,
    /// The files that were read because the scenario names them, each once for each time it was read.
    pub files: Vec<PathBuf>,
}

impl Scenario {
    /// Returns the cost model of a NIC.
    #[must_use]
    pub fn profile_of(&self, nic: NicId) -> &Profile {
        let own = self.nics.get(nic.0 as usize);
        let own = own.and_then(|spec| spec.profile.as_deref());
        own.unwrap_or(&self.profile)
    }
}

/// What the messages of a scenario are. Nothing in a run depends on it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum LinkType {
    /// A matter of the applets and users alone.
    #[default]
    User0,
    /// Ethernet frames without a frame check sequence.
    Ethernet,
}

/// One NIC.
#[derive(Clone, Debug)]
pub struct NicSpec {
    /// Its name, unique.
    pub name: String,
    /// Its own cost model; `None` where that is the scenario's.
    pub profile: Option<Arc<Profile>>,
    /// Bytes of its SRAM.
    pub sram: u32,
    /// Where the file says how much SRAM it has, or else the NIC itself.
    pub sram_place: Span,
    /// How many processors it has.
    pub processors: u32,
    /// Which of them runs which stage; each is one that it has.
    pub placement: Placement,
    /// How many processes run at a time on its host; `None` where each has a processor of its own.
    pub host: Option<u32>,
}

/// One process on the host of a NIC.
#[derive(Clone, Debug)]
pub struct ProcessSpec {
    /// Its name, unique among processes and endpoints.
    pub name: String,
    /// The NIC whose host it runs on.
    pub nic: NicId,
    /// The program that it runs.
    pub program: HostSpec,
}

/// A link between two NICs, or of one NIC to itself.
#[derive(Clone, Debug)]
pub struct LinkSpec {
    /// The ends; the same twice for a NIC's link to itself.
    pub between: (NicId, NicId),
    /// What each direction is like: the wire of a profile, with the latency and bandwidth that the file gives.
    pub wire: WireProfile,
    /// Probability that a packet is lost.
    pub loss: f64,
    /// Probability that a packet arrives twice.
    pub duplicate: f64,
    /// Probability that one bit of a packet is flipped.
    pub corrupt: f64,
    /// Probability that a packet is delayed behind the next.
    pub reorder: f64,
    /// Whether the wire's CRC detects flipped bits.
    pub crc: bool,
}

/// A class file as it was read.
#[derive(Clone, Debug)]
pub struct ClassSpec {
    /// Its path or `builtin:` name, as the scenario gives it.
    pub origin: String,
    /// Its bytes: a claim, nothing more.
    pub bytes: Vec<u8>,
}

/// One endpoint.
#[derive(Clone, Debug)]
pub struct EndpointSpec {
    /// The NIC it lives on.
    pub nic: NicId,
    /// Its name, unique.
    pub name: String,
    /// Index in [`Scenario::classes`] of the class it loads; `None` for the base path.
    pub class: Option<usize>,
    /// What is in static fields of its applet before any code of the class runs, and after the static initializer's first
    /// store to each.
    pub state: Vec<FieldState>,
    /// What it is to its user.
    pub interface: InterfaceKind,
    /// Bytes of its buffer area.
    pub buffer_area: u32,
    /// Number of free buffers; they lie at 0, L, 2L, …
    pub free_buffer_count: u32,
    /// Length L of each free buffer, in bytes.
    pub free_buffer_length: u32,
    /// The process that it belongs to, as a position in [`Scenario::processes`]; `None` where it is one of its own.
    pub process: Option<u32>,
    /// The program of that process.
    pub host: HostSpec,
    /// Instructions each call may execute.
    pub fuel: u64,
    /// What becomes of what the applet traps on.
    pub on_trap: FaultPolicy,
    /// Bytes of heap for the applet's arrays, `RxBuf` not counted.
    pub heap: u32,
    /// Descriptors the transmit queue holds.
    pub tx_queue: u32,
    /// Descriptors the receive queue holds.
    pub rx_queue: u32,
    /// How the user learns of received messages.
    pub notify: Notify,
}

/// A static field of an applet and what a scenario stores there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldState {
    /// The field, which has the value's type.
    pub field: FieldId,
    /// The value.
    pub value: FieldValue,
}

/// What a scenario stores in a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// A number within the field's type; 1 and 0 are true and false.
    Scalar(i32),
    /// A new array with these elements, each within the type.
    Array(ArrayKind, Vec<i32>),
}

/// Which program a process runs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum HostSpec {
    /// Reads messages and puts their buffers back.
    Sink,
    /// Sends each message back on the channel it came from.
    Echo,
    /// Reads messages, and answers the Nth, 2Nth, … message with its first bytes, on the channel it came from.
    Acknowledge {
        /// How many messages for each answer.
        every: NonZeroU32,
    },
}

/// What becomes of a packet or a transmit descriptor on which an applet traps.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FaultPolicy {
    /// It is dropped.
    Drop,
    /// It takes the base path, as without an applet.
    BasePath,
    /// The message or packet is dropped. After so many traps in a row everything takes the base path for a while, which
    /// doubles each time until a call returns.
    Detach {
        /// How many traps.
        after: NonZeroU32,
        /// How long, at first.
        back_off: SimDuration,
    },
}

/// How the user learns of received messages.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Notify {
    /// The user looks at the receive queue this often while something can still arrive.
    Poll {
        /// The time between two looks.
        every: SimDuration,
    },
    /// The NIC calls the user.
    Upcall,
}

/// A channel between two endpoints, or of one endpoint to itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ChannelSpec {
    /// One end and its number for the channel.
    pub a: (EndpointId, ChannelId),
    /// The other end and its number for the channel.
    pub b: (EndpointId, ChannelId),
}

/// Messages that the user at an endpoint sends.
#[derive(Clone, Debug)]
pub struct SendSpec {
    /// The sender.
    pub endpoint: EndpointId,
    /// Its channel. Whether it exists is the NIC's to check, not the scenario's: a user may err.
    pub channel: ChannelId,
    /// When the first message is posted.
    pub at: SimTime,
    /// The message's bytes, drawn from the seed where random.
    pub payload: Vec<u8>,
    /// How many times in all.
    pub repeat: u64,
    /// Time between two.
    pub every: SimDuration,
}
