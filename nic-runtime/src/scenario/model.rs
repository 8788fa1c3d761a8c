//! The data model of a scenario, checked and resolved: names are replaced by ids, defaults are filled in, and files are
//! read.
//!
//! Every id in a [`Scenario`] is in range. Names are unique, channel numbers are unique per endpoint, probabilities are
//! between 0 and 1, and no buffer layout overflows. The class files are not checked here.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use jive_core::FieldId;
use nic_core::id::{ChannelId, EndpointId, NicId};
use nic_core::time::{SimDuration, SimTime};
use nic_core::via::Reliability;

use crate::host::Exchange;
use crate::interface::InterfaceKind;
use crate::nic::Placement;
use crate::profile::{Profile, WireProfile};
use crate::scenario::{Expectation, FieldKind, FieldValue, GoldenSettings, Span};

/// A whole scenario, ready to be simulated.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The cost model of each NIC without its own.
    pub profile: Profile,
    /// The seed of every random choice.
    pub seed: u64,
    /// The virtual time at which the run ends at the latest.
    pub until: SimTime,
    /// The number of simulation events after which the run ends at the latest.
    pub events_max: u64,
    /// The limit of instructions of all applets together, counted as fuel is. It includes the instructions while
    /// applets are loaded.
    pub bytecodes_max: u64,
    /// The format of messages, for readers of captures.
    pub link_type: LinkType,
    /// What the golden trace contains. It does not influence the run.
    pub golden: GoldenSettings,
    /// The NICs; [`NicId`] indexes them.
    pub nics: Vec<NicSpec>,
    /// The links, each with two directions. There is one for every pair of NICs with a channel between them, and for a
    /// NIC with a channel to itself.
    pub links: Vec<LinkSpec>,
    /// The processes that the file declares. Each endpoint without one has its own process.
    pub processes: Vec<ProcessSpec>,
    /// The endpoints; [`EndpointId`] indexes them.
    pub endpoints: Vec<EndpointSpec>,
    /// The completion queues of VIs.
    pub completion_queues: Vec<CompletionQueueSpec>,
    /// The channels.
    pub channels: Vec<ChannelSpec>,
    /// The receives that users post, in file order (EMP).
    pub receives: Vec<ReceiveSpec>,
    /// The user's sends, in file order.
    pub sends: Vec<SendSpec>,
    /// The classes that become applets during the run, in file order.
    pub swaps: Vec<SwapSpec>,
    /// The windows of remote memory, in file order.
    pub windows: Vec<WindowSpec>,
    /// When users of VIs deregister and register their memory, in file order.
    pub regions: Vec<RegionSpec>,
    /// The expectations about the run, in file order. They do not influence the run.
    pub expectations: Vec<Expectation>,
    /// The class files. A class that several endpoints load is here once.
    pub classes: Vec<ClassSpec>,
    /// Whether the rest of `RxBuf` is [filled with a pattern](nic_core::sle::Applet::poison) after each packet, to
    /// reveal applets that read there. A command line option sets it, not the file.
    pub poisons_rx_buf: bool,
    /// The files that were read because the scenario names them. If a file was read twice, the list names it twice.
    pub files: Vec<PathBuf>,
}

impl Scenario {
    /// Returns whether a class may become an endpoint's applet during the run.
    #[must_use]
    pub fn replaces_applets(&self) -> bool {
        !self.swaps.is_empty() || self.accepts_capsules()
    }

    /// Returns whether an endpoint accepts capsules.
    #[must_use]
    pub fn accepts_capsules(&self) -> bool {
        self.endpoints.iter().any(|spec| spec.accepts_capsules)
    }

    /// Returns whether a class may become the applet of this endpoint during the run.
    #[must_use]
    pub fn may_replace_applet(&self, endpoint: EndpointId) -> bool {
        let spec = self.endpoints.get(endpoint.0 as usize);
        spec.is_some_and(|spec| spec.accepts_capsules)
            || self.swaps.iter().any(|swap| swap.endpoint == endpoint)
    }

    /// Returns for each endpoint whether it has an applet or may get one during the run.
    #[must_use]
    pub fn may_have_applets(&self) -> Vec<bool> {
        let may = |spec: &EndpointSpec| spec.class.is_some() || spec.accepts_capsules;
        let mut may: Vec<bool> = self.endpoints.iter().map(may).collect();
        for swap in &self.swaps {
            may[swap.endpoint.0 as usize] = true;
        }
        may
    }

    /// Returns the cost model of a NIC.
    #[must_use]
    pub fn profile_of(&self, nic: NicId) -> &Profile {
        let own = self.nics.get(nic.0 as usize);
        let own = own.and_then(|spec| spec.profile.as_deref());
        own.unwrap_or(&self.profile)
    }
}

/// The format of the messages. It does not influence the run.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum LinkType {
    /// Not specified: only the applets and users know it.
    #[default]
    User0,
    /// Ethernet frames without a frame check sequence.
    Ethernet,
}

/// One NIC.
#[derive(Clone, Debug)]
pub struct NicSpec {
    /// The NIC's name, unique among NICs.
    pub name: String,
    /// The cost model of this NIC alone; `None` if it uses the scenario's.
    pub profile: Option<Arc<Profile>>,
    /// The size of its SRAM in bytes.
    pub sram: u32,
    /// The place of the key `sram` in the file, or of the NIC if there is no such key.
    pub sram_place: Span,
    /// How many processors it has.
    pub processors: u32,
    /// Which processor runs which stage. Every number in it is below `processors`.
    pub placement: Placement,
    /// How many processes run at a time on its host; `None` if each has its own processor.
    pub host: Option<u32>,
}

/// One process on the host of a NIC.
#[derive(Clone, Debug)]
pub struct ProcessSpec {
    /// The process's name, unique among processes and endpoints.
    pub name: String,
    /// The NIC whose host it runs on.
    pub nic: NicId,
    /// The program that it runs.
    pub program: HostSpec,
}

/// A link between two NICs, or of one NIC to itself.
#[derive(Clone, Debug)]
pub struct LinkSpec {
    /// The NICs at its ends; twice the same for a NIC's link to itself.
    pub between: (NicId, NicId),
    /// The properties of each direction: the wire of a profile, with the latency and bandwidth of the file.
    pub wire: WireProfile,
    /// The probability that a packet is lost.
    pub loss: f64,
    /// The probability that a packet arrives twice.
    pub duplicate: f64,
    /// The probability that one bit of a packet is flipped.
    pub corrupt: f64,
    /// The probability that a packet is delayed until after the next one.
    pub reorder: f64,
    /// Whether the wire's CRC detects flipped bits.
    pub crc: bool,
}

/// A class file.
#[derive(Clone, Debug)]
pub struct ClassSpec {
    /// The class's path or `builtin:` name, as the scenario gives it.
    pub origin: String,
    /// The class's bytes. They are not verified.
    pub bytes: Vec<u8>,
}

/// One endpoint.
#[derive(Clone, Debug)]
pub struct EndpointSpec {
    /// The NIC that it belongs to.
    pub nic: NicId,
    /// The endpoint's name, unique among endpoints.
    pub name: String,
    /// The class of its applet, an index into [`Scenario::classes`]; `None` for the base path.
    pub class: Option<usize>,
    /// The values of static fields of its applet. They are set before any code of the class runs, and the static
    /// initializer's first store to each field is ignored.
    pub state: Vec<FieldState>,
    /// The applets after the first, if it has a chain of applets. See [`EndpointSpec::applets`].
    pub followers: Vec<AppletSpec>,
    /// Whether class files that arrive in packets on its channel 0 become its applet.
    pub accepts_capsules: bool,
    /// The interface of its user.
    pub interface: InterfaceKind,
    /// What it is as a VI; `None` unless its interface is VIA.
    pub vi: Option<ViSpec>,
    /// The size of its buffer area in bytes.
    pub buffer_area: u32,
    /// The number of free buffers. Their offsets are 0, L, 2L, …
    pub free_buffer_count: u32,
    /// The length L of each free buffer in bytes.
    pub free_buffer_length: u32,
    /// The offset from which on messages to send are placed: behind the free buffers or the receives.
    pub transmit_from: u32,
    /// The endpoint's process, an index into [`Scenario::processes`]; `None` if it has its own process.
    pub process: Option<u32>,
    /// The program of that process.
    pub host: HostSpec,
    /// The number of instructions that each call may execute.
    pub fuel: u64,
    /// What happens to a packet or descriptor on which the applet traps.
    pub on_trap: FaultPolicy,
    /// The bytes of heap for the applet's arrays, without `RxBuf`.
    pub heap: u32,
    /// The number of descriptors in the transmit queue.
    pub tx_queue: u32,
    /// The number of descriptors in the receive queue.
    pub rx_queue: u32,
    /// How the user learns of received messages.
    pub notify: Notify,
}

impl EndpointSpec {
    /// Returns the class and the state of each of its applets. Those of a chain are in the order of their `doTx`.
    pub fn applets(&self) -> impl Iterator<Item = (usize, &[FieldState])> {
        let first = self.class.map(|class| (class, &self.state[..]));
        let others = self.followers.iter();
        first
            .into_iter()
            .chain(others.map(|applet| (applet.class, &applet.state[..])))
    }

    /// Returns whether it has more than one applet.
    #[must_use]
    pub fn has_chain(&self) -> bool {
        !self.followers.is_empty()
    }

    /// Returns whether the user posts receives, and free buffers do not exist.
    #[must_use]
    pub fn posts_receives(&self) -> bool {
        self.interface == InterfaceKind::Emp && self.class.is_none()
    }
}

/// An applet of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppletSpec {
    /// The applet's class, an index into [`Scenario::classes`].
    pub class: usize,
    /// The values of its static fields.
    pub state: Vec<FieldState>,
}

/// An endpoint as a VI.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ViSpec {
    /// What it promises of messages.
    pub reliability: Reliability,
    /// Whether a message that is longer than a receive descriptor continues in the next.
    pub splits: bool,
    /// The completion queues of its sends and of its receives, indices into [`Scenario::completion_queues`].
    pub queues: [Option<u32>; 2],
    /// What moves its messages.
    pub provider: Provider,
    /// How a provider over remote memory writes messages.
    pub transfer: TransferMode,
    /// What happens to a message without a receive descriptor.
    pub on_empty: OnEmpty,
    /// Whether the peer's access to a receive descriptor ends when the descriptor completes.
    pub strict: bool,
}

/// What moves the messages of a VI.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Provider {
    /// A processor of the NIC.
    Hardware,
    /// A library that writes to remote memory over CLAN.
    Clan,
}

/// How a provider over remote memory writes messages.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum TransferMode {
    /// Short messages by the processor, long ones by DMA.
    #[default]
    Auto,
    /// By the processor.
    Pio,
    /// By DMA.
    Dma,
}

/// What happens to a message for which the peer has posted no receive descriptor.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum OnEmpty {
    /// The message is not sent.
    #[default]
    Drop,
    /// The message waits until the peer posts one (S5-22).
    Defer,
}

/// A completion queue of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionQueueSpec {
    /// The queue's name, unique in its process.
    pub name: String,
    /// The number of the queue's entries. The queue has room for every descriptor of its VIs.
    pub entries: u32,
}

/// A static field of an applet, and the value that a scenario stores in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldState {
    /// The field.
    pub field: FieldId,
    /// The field's type.
    pub kind: FieldKind,
    /// The value.
    pub value: FieldValue,
}

/// The program of a process.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum HostSpec {
    /// Reads messages and returns their buffers.
    Sink,
    /// Sends each message back on the channel on which it came.
    Echo,
    /// Reads messages. Answers every Nth message with its first bytes, on the channel on which it came.
    Acknowledge {
        /// The number N.
        every: NonZeroU32,
    },
    /// Exchanges equal messages on a channel of the process's first endpoint.
    Exchange(Exchange),
}

/// What happens to a packet or transmit descriptor on which an applet traps.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FaultPolicy {
    /// The packet or descriptor is dropped.
    Drop,
    /// The packet or descriptor takes the base path, as without an applet.
    BasePath,
    /// The packet or descriptor is dropped. After a number of consecutive traps, all traffic takes the base path for a
    /// while. That time doubles until a call returns.
    Detach {
        /// The number of consecutive traps.
        after: NonZeroU32,
        /// The first duration on the base path.
        back_off: SimDuration,
    },
}

/// How the user learns of received messages.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Notify {
    /// The user polls the receive queue, as long as a message may still arrive.
    Poll {
        /// The time from one poll to the next.
        every: SimDuration,
    },
    /// The NIC calls the user.
    Upcall,
}

/// A channel between two endpoints, or of one endpoint to itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ChannelSpec {
    /// One endpoint, and its number for the channel.
    pub a: (EndpointId, ChannelId),
    /// The other endpoint, and its number for the channel.
    pub b: (EndpointId, ChannelId),
}

/// A class that becomes the applet of an endpoint during the run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SwapSpec {
    /// When.
    pub at: SimTime,
    /// The endpoint.
    pub endpoint: EndpointId,
    /// The class, an index into [`Scenario::classes`]. It may turn out to be rejected.
    pub class: usize,
}

/// A receive that the user at an endpoint posts (EMP).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ReceiveSpec {
    /// The endpoint.
    pub endpoint: EndpointId,
    /// The tag that it accepts; `None` if it accepts every tag.
    pub tag: Option<u16>,
    /// The endpoint that it accepts messages from; `None` if it accepts messages from every endpoint.
    pub source: Option<EndpointId>,
    /// The offset of its bytes in the buffer area. The receives of an endpoint do not overlap.
    pub offset: u32,
    /// The receive's length in bytes.
    pub length: u32,
    /// When it is posted first.
    pub at: SimTime,
    /// How many times it is posted in all. It is posted again when the user has read the message in it.
    pub repeat: u64,
}

/// A window of an endpoint's buffer area, which the applet of another endpoint may write.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct WindowSpec {
    /// The endpoint whose memory it is.
    pub owner: EndpointId,
    /// The endpoint that may write it.
    pub writer: EndpointId,
    /// The number by which the applets of both name it.
    pub number: i32,
    /// Offset in the buffer area.
    pub offset: u32,
    /// Length in bytes.
    pub length: u32,
}

/// A time at which the user of a VI deregisters or registers the VI's region.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RegionSpec {
    /// When.
    pub at: SimTime,
    /// The VI.
    pub endpoint: EndpointId,
    /// What the user asks for.
    pub request: RegionRequest,
}

/// What a user asks for a region.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RegionRequest {
    /// Deregister it. Refused while descriptors under way name it.
    Deregister,
    /// Register it again.
    Register,
}

/// Messages that the user at an endpoint sends.
#[derive(Clone, Debug)]
pub struct SendSpec {
    /// The endpoint that sends.
    pub endpoint: EndpointId,
    /// The endpoint's number of the channel. If the channel does not exist, the NIC refuses the message.
    pub channel: ChannelId,
    /// When the first message is posted.
    pub at: SimTime,
    /// The bytes of the message. Random bytes are drawn when the file is read.
    pub payload: Vec<u8>,
    /// The tag of the message (EMP).
    pub tag: u16,
    /// The immediate data of the message, if it has any (VIA).
    pub immediate: Option<u32>,
    /// The pieces of the payload that make up the message, by offset and length (VIA). Empty if the message is the whole
    /// payload.
    pub segments: Vec<(u32, u32)>,
    /// How many times the message is sent in all.
    pub repeat: u64,
    /// The time between two messages.
    pub every: SimDuration,
}
