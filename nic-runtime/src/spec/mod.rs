//! Scenarios as values, checked and resolved: names are replaced by ids, defaults are filled in, and files are
//! read.
//!
//! Every id in a [`Scenario`] is in range. Names are unique, channel numbers are unique per endpoint, probabilities are
//! between 0 and 1, and no buffer layout overflows. Building the model does not check the class files.

mod exchange;
mod expect;
mod field;
mod gap;
mod golden;
pub(crate) mod interface;
mod length;
mod network;
mod pages;
pub(crate) mod placement;
pub(crate) mod preset;
mod rings;
mod routes;
mod span;

use crate::ids::{Id, Table};
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use jive_core::FieldId;
use jive_verifier::Policy;
use nic_core::event::EndReason;
use nic_core::id::{ChannelId, EndpointId, NicId};
use nic_core::lmmc;
use nic_core::time::{SimDuration, SimTime};
use nic_core::via::Reliability;

use crate::profile::{Profile, Receive};
pub use exchange::{Exchange, ExchangePattern};
pub use expect::{Expectation, Expected, Order, Tally};
pub use field::{FieldKind, FieldName, FieldValue};
pub use gap::{Gap, Gaps};
pub use golden::{Code, GoldenSettings, Times};
pub use interface::InterfaceKind;
pub use length::{Length, draw_channel};
pub use network::{Arbiter, Full, LinkSpec, SwitchMode, SwitchSpec};
pub use pages::{PagePattern, PageTraffic};
pub use placement::{EmpPlacement, EmpPlaces, EmpRecord, EmpStage, Placement};
pub use rings::RingRequests;
pub use routes::{Routes, Routing};
pub use span::Span;

/// A whole scenario, ready to be simulated.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The cost model of each NIC that has no cost model of its own.
    pub profile: Profile,
    /// The seed of every random choice.
    pub seed: u64,
    /// The virtual time at which the run ends at the latest.
    pub until: SimTime,
    /// The number of simulation events after which the run ends at the latest.
    pub events_max: u64,
    /// The limit of instructions of all applets together, counted as fuel is. The limit on instructions includes those
    /// that applets execute while they are loaded.
    pub bytecodes_max: u64,
    /// Which of these limits the file sets. The others are defaults.
    pub limits_set: LimitsSet,
    /// The time from which on statistics count, which does not influence the run.
    pub stats_from: SimTime,
    /// The format of the messages, for programs that read captures of the run.
    pub link_type: LinkType,
    /// The contents of the golden trace, which do not influence the run.
    pub golden: GoldenSettings,
    /// The NICs; [`NicId`] indexes them.
    pub nics: Table<NicId, NicSpec>,
    /// The switches, which are the nodes of the network behind the NICs.
    pub switches: Vec<SwitchSpec>,
    /// How the routes over switches are found.
    pub routing: Routing,
    /// The links, each with two directions. A link or a route over switches joins every pair of NICs with a channel
    /// between them, and a link joins a NIC with a channel to itself.
    pub links: Vec<LinkSpec>,
    /// Whether packets may wait for each other in a circle of switches.
    pub allows_deadlock: bool,
    /// The processes that the file declares. Each endpoint without a declared process has a process of its own.
    pub processes: Vec<ProcessSpec>,
    /// The classes that processes run.
    pub programs: Vec<ProgramSpec>,
    /// The endpoints; [`EndpointId`] indexes them.
    pub endpoints: Table<EndpointId, EndpointSpec>,
    /// The completion queues of VIs.
    pub completion_queues: Vec<CompletionQueueSpec>,
    /// The channels.
    pub channels: Vec<ChannelSpec>,
    /// The receives that users post, in file order (EMP).
    pub receives: Vec<ReceiveSpec>,
    /// The sends of all users, in file order.
    pub sends: Vec<SendSpec>,
    /// The sends whose messages are made during the run, in file order.
    pub replays: Vec<ReplaySpec>,
    /// What was found in the captures that sends name, in file order.
    pub captures: Vec<CaptureCounts>,
    /// The classes that become applets during the run, in file order.
    pub swaps: Vec<SwapSpec>,
    /// The windows of remote memory, in file order.
    pub windows: Vec<WindowSpec>,
    /// The ports of link memory, in file order (LMMC).
    pub ports: Vec<PortSpec>,
    /// The times at which users of VIs deregister and register their memory, in file order.
    pub regions: Vec<RegionSpec>,
    /// The expectations about the run, in file order, which do not influence the run.
    pub expectations: Vec<Expectation>,
    /// The class files; a class that several endpoints load is in the list once.
    pub classes: Vec<ClassSpec>,
    /// Whether the part of `RxBuf` after each packet is [filled with a pattern](nic_core::sle::Applet::poison), to
    /// reveal applets that read beyond the packet. A command line option sets `poisons_rx_buf`; the scenario file
    /// cannot.
    pub poisons_rx_buf: bool,
    /// Whether an endpoint starts without its applets if one of them traps while it is loaded. Otherwise such a trap
    /// ends the run. A command line option sets `lenient_load`; the scenario file cannot.
    pub lenient_load: bool,
    /// The files that were read because the scenario names them; a file that was read twice is listed twice.
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
        let spec = self.endpoints.get(endpoint);
        spec.is_some_and(|spec| spec.accepts_capsules)
            || self.swaps.iter().any(|swap| swap.endpoint == endpoint)
    }

    /// Returns for each endpoint whether it has an applet or may get one during the run.
    #[must_use]
    pub fn may_have_applets(&self) -> Table<EndpointId, bool> {
        let may = |spec: &EndpointSpec| spec.class.is_some() || spec.accepts_capsules;
        let mut may: Table<EndpointId, bool> = self.endpoints.iter().map(may).collect();
        for swap in &self.swaps {
            may[swap.endpoint] = true;
        }
        may
    }

    /// Returns the class that runs at an endpoint: its first applet, or the class that its process runs.
    #[must_use]
    pub fn class_of(&self, spec: &EndpointSpec) -> Option<usize> {
        match spec.host {
            HostSpec::Class(program) => self.programs.get(program as usize).map(|spec| spec.class),
            HostSpec::Sink
            | HostSpec::Echo
            | HostSpec::Acknowledge { .. }
            | HostSpec::Exchange(_)
            | HostSpec::RingServer
            | HostSpec::Pages(_)
            | HostSpec::PageEcho { .. }
            | HostSpec::RingClient(_) => spec.class,
        }
    }

    /// Returns for each class the policies under which it must be accepted: those of the NICs whose applet it is or may
    /// become. A class that nobody uses has one policy.
    #[must_use]
    pub fn policies(&self) -> Vec<Vec<Policy>> {
        let mut receives = vec![BTreeSet::new(); self.classes.len()];
        let first = self.endpoints.iter().flat_map(|spec| {
            let nic = spec.nic;
            spec.applets().map(move |(class, _)| (class, nic))
        });
        let swaps = self.swaps.iter();
        let later = swaps.map(|swap| (swap.class, self.endpoints[swap.endpoint].nic));
        for (class, nic) in first.chain(later) {
            receives[class].insert(self.profile_of(nic).receive);
        }
        let policies = receives.into_iter().map(|mut of_class| {
            if of_class.is_empty() {
                of_class.insert(self.profile.receive);
            }
            of_class.into_iter().map(Receive::policy).collect()
        });
        policies.collect()
    }

    /// Returns the switch at a node of the network, unless the node is a NIC.
    #[must_use]
    pub fn switch(&self, node: NicId) -> Option<&SwitchSpec> {
        let number = node.index().checked_sub(self.nics.len())?;
        self.switches.get(number)
    }

    /// Returns the name of a NIC or switch.
    #[must_use]
    pub fn node_name(&self, node: NicId) -> &str {
        match self.switch(node) {
            Some(switch) => &switch.name,
            None => &self.nics[node].name,
        }
    }

    /// Visits the ports of the switches that have links: each switch and the node to which the port leads.
    pub fn ports(&self) -> impl Iterator<Item = (NicId, NicId)> {
        let links = self.links.iter().map(|link| link.between);
        let ends = links.flat_map(|(a, b)| [(a, b), (b, a)]);
        ends.filter(|(at, _)| self.switch(*at).is_some())
    }

    /// Returns the routes over the scenario's links.
    #[must_use]
    pub fn routes(&self) -> Routes {
        let names: Vec<&str> = self.nics.iter().map(|nic| nic.name.as_str()).collect();
        Routes::new(&names, &self.switches, &self.links, &self.routing)
    }

    /// Returns whether a NIC is in host software.
    #[must_use]
    pub fn has_loops_on_hosts(&self) -> bool {
        let mut nics = (0u32..).map(NicId).take(self.nics.len());
        nics.any(|nic| self.profile_of(nic).is_on_host())
    }

    /// Returns the cost model of a NIC. For a switch it is the scenario's.
    #[must_use]
    pub fn profile_of(&self, nic: NicId) -> &Profile {
        let own = self.nics.get(nic);
        let own = own.and_then(|spec| spec.profile.as_deref());
        own.unwrap_or(&self.profile)
    }
}

/// The format of the messages, which does not influence the run.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum LinkType {
    /// The format is not specified: only the applets and users can interpret the messages.
    #[default]
    User0,
    /// Ethernet frames without a frame check sequence.
    Ethernet,
    /// The format with this number in the registry of tcpdump. Only a replayed capture has it.
    Numbered(u16),
}

/// One NIC.
#[derive(Clone, Debug)]
pub struct NicSpec {
    /// The NIC's name, unique among NICs.
    pub name: String,
    /// The cost model of this NIC alone; `None` if the NIC uses the scenario's cost model.
    pub profile: Option<Arc<Profile>>,
    /// The size of the NIC's SRAM in bytes.
    pub sram: u32,
    /// The place of the key `sram` in the file, or the place of the NIC if it has no such key.
    pub sram_place: Span,
    /// Place of `processors` in the scenario's text, or of the NIC's table.
    pub processors_place: Span,
    /// How many processors the NIC has.
    pub processors: u32,
    /// Which processor of the NIC runs which stage. Every processor number in the placement is below `processors`.
    pub placement: Placement,
    /// How many processes run at a time on the NIC's host; `None` if each process has its own processor.
    pub host: Option<u32>,
}

/// One process on the host of a NIC.
#[derive(Clone, Debug)]
pub struct ProcessSpec {
    /// The process's name, unique among processes and endpoints.
    pub name: String,
    /// The NIC on whose host the process runs.
    pub nic: NicId,
    /// The program that the process runs.
    pub program: HostSpec,
}

/// A class that a process runs (Javia).
#[derive(Clone, Debug)]
pub struct ProgramSpec {
    /// The class, an index into [`Scenario::classes`].
    pub class: usize,
    /// Values of static fields, which are set before the static initializer runs.
    pub state: Vec<FieldState>,
    /// Size of the memory for arrays in bytes.
    pub heap: u32,
    /// Size of the memory for buffers outside the heap in bytes.
    pub buffers: u32,
    /// Maximum number of instructions between two natives.
    pub fuel: u64,
    /// What frees arrays that the class cannot reach.
    pub collector: Collector,
}

/// What frees the arrays that a program cannot reach any more (S2-18).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Collector {
    /// A collector that moves the other arrays together.
    Moving,
    /// A collector that leaves the other arrays where they are.
    Stationary,
}

/// A class file.
#[derive(Clone, Debug)]
pub struct ClassSpec {
    /// The class's path or `builtin:` name, as the scenario gives it.
    pub origin: String,
    /// The bytes of the class file, which are not verified.
    pub bytes: Vec<u8>,
}

/// One endpoint.
#[derive(Clone, Debug)]
pub struct EndpointSpec {
    /// The NIC that the endpoint belongs to.
    pub nic: NicId,
    /// The endpoint's name, unique among endpoints.
    pub name: String,
    /// The class of the endpoint's applet, an index into [`Scenario::classes`]; `None` for an endpoint on the base
    /// path.
    pub class: Option<usize>,
    /// The values of static fields of the endpoint's applet. The fields in `state` are set before any code of the class
    /// runs, and the static initializer's first store to each is ignored.
    pub state: Vec<FieldState>,
    /// The applets after the first, if the endpoint has a chain of applets. See [`EndpointSpec::applets`].
    pub followers: Vec<AppletSpec>,
    /// Whether class files that arrive in packets on the endpoint's channel 0 become the endpoint's applet.
    pub accepts_capsules: bool,
    /// The interface that the endpoint's user sees.
    pub interface: InterfaceKind,
    /// The endpoint's settings as a VI; `None` unless its interface is VIA.
    pub vi: Option<ViSpec>,
    /// The size of the endpoint's buffer area in bytes.
    pub buffer_area: u32,
    /// The number of free buffers, whose offsets are 0, L, 2L, …
    pub free_buffer_count: u32,
    /// The length L of each free buffer in bytes.
    pub free_buffer_length: u32,
    /// The offset from which on messages to send are placed: after the free buffers or the receives.
    pub transmit_from: u32,
    /// The endpoint's process, an index into [`Scenario::processes`]; `None` if it has its own process.
    pub process: Option<u32>,
    /// The program of the endpoint's process.
    pub host: HostSpec,
    /// The number of instructions that each call of the applet may execute.
    pub fuel: u64,
    /// The treatment of a packet or descriptor on which the applet traps.
    pub on_trap: FaultPolicy,
    /// The bytes of heap for the applet's arrays, without `RxBuf`.
    pub heap: u32,
    /// Whether the arrays of the applet are collected. Otherwise they live until their call ends.
    pub is_collected: bool,
    /// The number of descriptors in the transmit queue.
    pub tx_queue: u32,
    /// The number of descriptors in the receive queue.
    pub rx_queue: u32,
    /// How the user learns of received messages.
    pub notify: Notify,
}

impl EndpointSpec {
    /// Returns the class and the state of each applet of the endpoint. The applets of a chain are in the order of their
    /// `doTx`.
    pub fn applets(&self) -> impl Iterator<Item = (usize, &[FieldState])> {
        let first = self.class.map(|class| (class, &self.state[..]));
        let others = self.followers.iter();
        first
            .into_iter()
            .chain(others.map(|applet| (applet.class, &applet.state[..])))
    }

    /// Returns whether the endpoint has more than one applet.
    #[must_use]
    pub fn has_chain(&self) -> bool {
        !self.followers.is_empty()
    }

    /// Returns whether the endpoint's free buffers are receive descriptors, of which each message takes one.
    pub(crate) fn posts_descriptors(&self) -> bool {
        self.vi.is_some()
    }

    /// Returns whether the endpoint's user posts receives, so that free buffers do not exist.
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
    /// The values of the applet's static fields.
    pub state: Vec<FieldState>,
}

/// An endpoint as a VI.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ViSpec {
    /// The level of reliability that the VI promises for messages.
    pub reliability: Reliability,
    /// Whether a message that is longer than a receive descriptor continues in the next receive descriptor.
    pub splits: bool,
    /// The completion queues of the VI's sends and of its receives, indices into [`Scenario::completion_queues`].
    pub queues: [Option<u32>; 2],
    /// The provider of VIA that moves the VI's messages.
    pub provider: Provider,
    /// How a provider over remote memory writes messages.
    pub transfer: TransferMode,
    /// The fate of a message for which the peer has posted no receive descriptor.
    pub on_empty: OnEmpty,
    /// Whether the peer's access to a receive descriptor ends when the descriptor completes.
    pub strict: bool,
    /// Whether the programs at its ends make the VI's connection. Otherwise the connection exists from the start.
    pub connects_by_program: bool,
    /// The receive buffers that the library of a class posts; `None` if the VI's process runs no class.
    pub native: Option<NativeBuffers>,
}

/// The buffers at the start of a VI's buffer area that the library of Javia posts (S2-10).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NativeBuffers {
    /// Number of buffers.
    pub count: u32,
    /// Length of each in bytes.
    pub length: u32,
}

/// The provider of VIA, which moves the messages of a VI.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Provider {
    /// A processor of the NIC.
    Hardware,
    /// The kernel of the host, which is the NIC's processor, as in M-VIA: a NIC in host software.
    Emulated,
    /// A library that writes to remote memory over CLAN.
    Clan,
}

/// How a provider over remote memory writes messages.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum TransferMode {
    /// The processor writes short messages, and DMA writes long ones.
    #[default]
    Auto,
    /// By the processor.
    Pio,
    /// By DMA.
    Dma,
}

/// The fate of a message for which the peer has posted no receive descriptor.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum OnEmpty {
    /// The message is not sent.
    #[default]
    Drop,
    /// The message waits until the peer posts a receive descriptor (S5-22).
    Defer,
}

/// A completion queue of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionQueueSpec {
    /// The queue's name, unique in its process.
    pub name: String,
    /// The number of the queue's entries, which is enough for every descriptor of the queue's VIs.
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
    /// The program reads messages and returns their buffers.
    Sink,
    /// The program sends each message back on the channel on which it came.
    Echo,
    /// The program reads messages, and answers every Nth message with its first bytes, on the channel on which it came.
    Acknowledge {
        /// The number N.
        every: NonZeroU32,
    },
    /// The program exchanges equal messages on a channel of the process's first endpoint.
    Exchange(Exchange),
    /// The program answers the requests in the rings of the process's windows.
    RingServer,
    /// The program sends requests through the first pair of rings in the windows of the process.
    RingClient(RingRequests),
    /// The program writes to the pages of the process's endpoints (LMMC).
    Pages(PageTraffic),
    /// The program writes each message in its first page that it reads back, to its first page that it writes (LMMC).
    PageEcho {
        /// Length of a message in bytes.
        length: u32,
    },
    /// The program is a class: this one of [`Scenario::programs`].
    Class(u32),
}

/// The treatment of a packet or transmit descriptor on which an applet traps.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FaultPolicy {
    /// The packet or descriptor is dropped.
    Drop,
    /// The packet or descriptor takes the base path, as at an endpoint without an applet.
    BasePath,
    /// The packet or descriptor is dropped. After a number of consecutive traps, all traffic takes the base path for
    /// some time. The time on the base path doubles at each further trap until a call returns.
    Detach {
        /// The number of consecutive traps.
        after: NonZeroU32,
        /// The first duration for which traffic takes the base path.
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
    /// The NIC calls the user by an upcall.
    Upcall,
}

/// A channel between two endpoints, or of one endpoint to itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ChannelSpec {
    /// One endpoint of the channel, and its number for the channel.
    pub a: (EndpointId, ChannelId),
    /// The other endpoint of the channel, and its number for the channel.
    pub b: (EndpointId, ChannelId),
}

/// A class that becomes the applet of an endpoint during the run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SwapSpec {
    /// When.
    pub at: SimTime,
    /// The endpoint.
    pub endpoint: EndpointId,
    /// The new class, an index into [`Scenario::classes`], which the verifier may still reject.
    pub class: usize,
}

/// A receive that the user at an endpoint posts (EMP).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ReceiveSpec {
    /// The endpoint.
    pub endpoint: EndpointId,
    /// The tag that the receive accepts; `None` if the receive accepts every tag.
    pub tag: Option<u16>,
    /// The endpoint from which the receive accepts messages; `None` if it accepts messages from every endpoint.
    pub source: Option<EndpointId>,
    /// The offset of the receive's bytes in the buffer area. The receives of an endpoint do not overlap.
    pub offset: u32,
    /// The receive's length in bytes.
    pub length: u32,
    /// When the user posts the receive first.
    pub at: SimTime,
    /// How many times the user posts the receive in all. A receive is posted again when the user has read the message
    /// in it.
    pub repeat: u64,
}

/// A window of an endpoint's buffer area, which another endpoint may write.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct WindowSpec {
    /// The endpoint whose buffer area contains the window.
    pub owner: EndpointId,
    /// The endpoint that may write the window.
    pub writer: EndpointId,
    /// The number by which owner and writer name the window.
    pub number: i32,
    /// Offset in the buffer area.
    pub offset: u32,
    /// Length in bytes.
    pub length: u32,
    /// Whether the writer may also read the window.
    pub is_readable: bool,
}

/// A port, which exists and is mapped when the run begins (LMMC).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortSpec {
    /// The endpoints whose processes write, all of one NIC; at least one.
    pub from: Vec<EndpointId>,
    /// The endpoints whose processes read, all of one other NIC; at least one.
    pub to: Vec<EndpointId>,
    /// When writes leave.
    pub policy: lmmc::Policy,
}

/// A time at which the user of a VI deregisters or registers the VI's region.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RegionSpec {
    /// When.
    pub at: SimTime,
    /// The VI.
    pub endpoint: EndpointId,
    /// The user's request for the region.
    pub request: RegionRequest,
}

/// The request of a user for a region.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RegionRequest {
    /// The user deregisters the region; the NIC refuses this while descriptors in progress name the region.
    Deregister,
    /// The user registers the region again.
    Register,
}

/// Which limits of a run the scenario sets.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct LimitsSet {
    /// Whether the scenario sets [`Scenario::until`].
    pub until: bool,
    /// Whether the scenario sets [`Scenario::events_max`].
    pub events: bool,
    /// Whether the scenario sets [`Scenario::bytecodes_max`].
    pub bytecodes: bool,
}

impl LimitsSet {
    /// Returns whether a run ended at a limit that the scenario does not set.
    #[must_use]
    pub fn is_default(self, reason: EndReason) -> bool {
        match reason {
            EndReason::Until => !self.until,
            EndReason::MaxEvents => !self.events,
            EndReason::MaxBytecodes => !self.bytecodes,
            EndReason::Idle
            | EndReason::Stuck
            | EndReason::LoadTrap(_)
            | EndReason::Unheard
            | EndReason::Interrupted => false,
        }
    }
}

/// Messages that are made one after the other while they are sent.
pub trait Messages: std::fmt::Debug + Send + Sync {
    /// Starts to make the messages.
    fn open(&self) -> Box<dyn Iterator<Item = MadeMessage> + Send>;
}

/// A message that is made when the one before it has been given to the sender's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeMessage {
    /// When the message is due, after the first one.
    pub after: SimDuration,
    /// The endpoint's number of the channel; `None` if it is that of the `[[send]]`.
    pub channel: Option<ChannelId>,
    /// The bytes of the message.
    pub bytes: Vec<u8>,
}

/// Messages of a `[[send]]` that are made one after the other while the user at an endpoint sends them: a capture that is
/// too long to be held, messages with random lengths or channels, or a closed loop.
#[derive(Clone, Debug)]
pub struct ReplaySpec {
    /// The position of the `[[send]]` in the file, from 0.
    pub table: u32,
    /// The endpoint that sends.
    pub endpoint: EndpointId,
    /// The endpoint's number of the channel, or of the first of several.
    pub channel: ChannelId,
    /// When the first message is posted.
    pub at: SimTime,
    /// How many messages there are.
    pub count: u64,
    /// How many messages may be without an answer, in a closed loop.
    pub outstanding: Option<u64>,
    /// The messages.
    pub messages: Arc<dyn Messages>,
}

/// What was found in a capture.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct CaptureCounts {
    /// The position of the `[[send]]` in the file, from 0.
    pub send: u32,
    /// How many packets are sent.
    pub sent: u64,
    /// How many of these end in zeros, which stand for bytes that the capture does not have.
    pub padded: u64,
    /// How many packets are left out, because the capture has only their beginnings.
    pub dropped: u64,
}

/// Messages that the user at an endpoint sends.
#[derive(Clone, Debug)]
pub struct SendSpec {
    /// The position of the `[[send]]` in the file, from 0. The packets of a capture have the same.
    pub table: u32,
    /// The endpoint that sends.
    pub endpoint: EndpointId,
    /// The endpoint's number of the channel. If the channel of a send does not exist, the NIC refuses the message.
    pub channel: ChannelId,
    /// When the first message is posted.
    pub at: SimTime,
    /// The bytes of the message that is sent. Random bytes of a payload are drawn when the scenario file is read.
    pub payload: Vec<u8>,
    /// The tag of the message (EMP).
    pub tag: u16,
    /// The immediate data of the message, if it has any (VIA).
    pub immediate: Option<u32>,
    /// The pieces of the payload that make up the message, by offset and length (VIA). The list of pieces is empty if
    /// the message is the whole payload.
    pub segments: Vec<(u32, u32)>,
    /// How many times the message is sent in all.
    pub repeat: u64,
    /// The time between two successive messages of the send.
    pub every: SimDuration,
    /// The random times between them, in place of `every`, and the random numbers from which they are drawn.
    pub gap: Option<Gaps>,
}
