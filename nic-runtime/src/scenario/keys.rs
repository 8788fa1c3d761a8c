//! The table of a scenario's keys: name, shape, default and meaning of each.
//!
//! The readers take shapes and defaults from here. The key tables of `docs/scenario.md`, `docs/scenario.schema.json` and
//! the dictionaries for fuzzing are made from it. What holds between keys is code of the readers.

use jive_core::TrapKind;
use nic_core::event::{DropReason, WireDropReason};
use nic_core::lmmc::Policy;
use nic_core::via::{Reliability, SEGMENTS_MAX, Status};
use toml::de::DeValue;

use super::capture::Cut;
use super::form::{Absent, Form, Row, Section, list};
use super::key::{
    Count, Default, Flag, Key, Name, NameOf, Numbers, Optional, Probability, Rate, Raw, Required,
    Shape, Shaped, Size, Text, Time, Words, tables,
};
use super::limits;
use super::mistake::{MistakeKind, Named};
use super::table;
use super::words::closest;
use crate::host::rings::RING_ENTRIES;
use crate::spec::{
    Arbiter, Code, Collector, EmpStage, ExchangePattern, Full, InterfaceKind, LinkType, OnEmpty,
    Order, PagePattern, Provider, RegionRequest, Routing, SwitchMode, Times, TransferMode,
};

/// A program that a process runs, without the keys of the program.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Program {
    Sink,
    Echo,
    Acknowledge,
    Exchange(ExchangePattern),
    RingServer,
    /// A client with this number of outstanding requests.
    RingClient(u32),
    /// A writer of pages.
    Pages(PagePattern),
    PageEcho,
    /// A class, whose name stands behind [`CLASS_PREFIX`].
    Class,
}

/// What precedes the name of a class that is the program of a process.
pub(super) const CLASS_PREFIX: &str = "class:";

/// The memory of an applet's arrays.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Heap {
    /// This number of bytes, whose arrays live until their call ends.
    Bytes(u64),
    /// The profile's number of bytes, with a collector.
    Collected,
}

/// A size, or the word for a collector.
pub(super) struct AnyHeap;

const COLLECTED: &str = "collected";

impl Shaped for AnyHeap {
    fn form(&self) -> Form {
        let size = Size(0, limits::HEAP_MAX).form();
        Form::Either(vec![size, Form::Words(vec![COLLECTED])])
    }
}

impl Shape for AnyHeap {
    type Value = Heap;

    fn read(&self, key: &'static str, value: &DeValue<'_>) -> Result<Heap, MistakeKind> {
        match table::text(value) {
            Ok(COLLECTED) => Ok(Heap::Collected),
            Ok(text) if !text.starts_with(|first: char| first.is_ascii_digit()) => {
                let suggestion = closest(text, [COLLECTED]);
                let known = vec![COLLECTED];
                Err(MistakeKind::UnknownChoice { known, suggestion })
            }
            _ => Size(0, limits::HEAP_MAX).read(key, value).map(Heap::Bytes),
        }
    }

    fn written(&self, text: &str) -> Option<Heap> {
        Size(0, limits::HEAP_MAX).written(text).map(Heap::Bytes)
    }
}

/// A built-in program, or a class.
pub(super) struct AnyProgram;

impl Shaped for AnyProgram {
    fn form(&self) -> Form {
        Form::Either(vec![Words(PROGRAMS).form(), Form::Text])
    }
}

impl Shape for AnyProgram {
    type Value = Program;

    fn read(&self, key: &'static str, value: &DeValue<'_>) -> Result<Program, MistakeKind> {
        match table::text(value)?.starts_with(CLASS_PREFIX) {
            true => Ok(Program::Class),
            false => Words(PROGRAMS).read(key, value),
        }
    }

    fn written(&self, text: &str) -> Option<Program> {
        Words(PROGRAMS).written(text)
    }
}

const PROGRAMS: &[(&str, Program)] = &[
    ("sink", Program::Sink),
    ("echo", Program::Echo),
    ("acknowledge", Program::Acknowledge),
    ("emp-ping", Program::Exchange(ExchangePattern::Ping)),
    ("emp-stream", Program::Exchange(ExchangePattern::Stream)),
    (
        "emp-both-ways",
        Program::Exchange(ExchangePattern::BothWays),
    ),
    ("credit-stream", Program::Exchange(ExchangePattern::Credits)),
    ("clan-ping", Program::RingClient(1)),
    ("clan-stream", Program::RingClient(RING_ENTRIES)),
    ("clan-server", Program::RingServer),
    ("lmmc-ping", Program::Pages(PagePattern::Ping)),
    ("lmmc-stream", Program::Pages(PagePattern::Stream)),
    ("lmmc-scatter", Program::Pages(PagePattern::Scatter)),
    ("lmmc-echo", Program::PageEcho),
];

const COLLECTORS: &[(&str, Collector)] = &[
    ("moving", Collector::Moving),
    ("stationary", Collector::Stationary),
];

/// What happens on a trap, without the keys of detaching.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum OnTrap {
    Drop,
    BasePath,
    Detach,
}

const ON_TRAP: &[(&str, OnTrap)] = &[
    ("drop", OnTrap::Drop),
    ("base-path", OnTrap::BasePath),
    ("detach", OnTrap::Detach),
];

/// The providers of VIA.
pub(super) const PROVIDERS: &[(&str, Provider)] = &[
    ("hardware", Provider::Hardware),
    ("emulated", Provider::Emulated),
    ("clan", Provider::Clan),
];

const SWITCH_MODES: &[(&str, SwitchMode)] = &[
    ("store-and-forward", SwitchMode::StoreAndForward),
    ("cut-through", SwitchMode::CutThrough),
    ("worm-hole", SwitchMode::WormHole),
    ("crossbar", SwitchMode::Crossbar(Arbiter::RoundRobin)),
];

/// How routes over switches are found.
pub(super) const ROUTES: Words<Routing> = Words(&[
    ("shortest", Routing::Shortest),
    ("spread", Routing::Spread),
    ("up-down", Routing::UpDown),
    ("dimension-order", Routing::DimensionOrder),
]);

/// A way to find routes, or the nodes of each route that is given.
fn route() -> Form {
    let nodes = list(Form::NameOf(Named::Node), 2, limits::SWITCHES_MAX + 2);
    Form::Either(vec![ROUTES.form(), list(nodes, 0, limits::CHANNELS_MAX)])
}

const FULL: &[(&str, Full)] = &[("drop", Full::Drop), ("stop", Full::Stop)];

const ARBITERS: &[(&str, Arbiter)] = &[
    ("round-robin", Arbiter::RoundRobin),
    ("oldest", Arbiter::Oldest),
];

const TRANSFERS: &[(&str, TransferMode)] = &[
    ("auto", TransferMode::Auto),
    ("pio", TransferMode::Pio),
    ("dma", TransferMode::Dma),
];

const TIMES: &[(&str, Times)] = &[
    ("exact", Times::Exact),
    ("order", Times::Order),
    ("none", Times::None),
];

/// The pace at which the packets of a capture are sent.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Pace {
    /// The packets are sent at the times in the capture.
    Recorded,
    /// The packets are sent as fast as the user can post them.
    BackToBack,
}

const PACES: &[(&str, Pace)] = &[
    ("recorded", Pace::Recorded),
    ("back-to-back", Pace::BackToBack),
];

/// The word that stands for every tag or every source.
pub(super) const ANY: &str = "any";

/// The placement in which a free processor takes the next item of EMP.
pub(super) const DYNAMIC: &str = "dynamic";

/// Largest 32-bit number.
const U32_MAX: u64 = u32::MAX as u64;

/// Largest tag of a message of EMP.
const TAG_MAX: u64 = u16::MAX as u64;

/// The shape of a topology.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Star,
    Ring,
    Mesh,
    Torus,
    FatTree,
}

const KINDS: &[(&str, Kind)] = &[
    ("star", Kind::Star),
    ("ring", Kind::Ring),
    ("mesh", Kind::Mesh),
    ("torus", Kind::Torus),
    ("fat-tree", Kind::FatTree),
];

/// The keys of switches and links that a topology chooses.
pub(super) const OF_TOPOLOGY: &[&str] = &["name", "ports", "at", "between"];

/// Most dimensions of a mesh: more than machines have.
pub(super) const DIMENSIONS_MAX: usize = 8;

fn size() -> Form {
    let number = || Form::Integer(1, limits::SWITCHES_MAX as u64);
    Form::Either(vec![number(), list(number(), 1, DIMENSIONS_MAX)])
}

/// Number of nodes of a link.
const ENDS: usize = 2;

/// Makes a list of words from a list of values.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident: $($all:expr => |$one:ident| $word:expr),+;)+) => {$(
        $(#[$doc])*
        pub(super) const $name: &[&str] = &{
            let mut words = [""; 0 $(+ $all.len())+];
            let mut index = 0;
            $(
                let first = index;
                while index - first < $all.len() {
                    let $one = $all[index - first];
                    words[index] = $word;
                    index += 1;
                }
            )+
            words
        };
    )+};
}

const NIC_STAGES: [&str; 7] = [
    "transmit", "receive", "doTx", "doRx", "doTimer", "doRefill", "doWatch",
];

words! {
    STAGES: NIC_STAGES => |name| name, EmpStage::NAMES => |name| name;
    /// The reasons for dropped packets, as keys of `drops`.
    REASONS: WireDropReason::ALL => |reason| reason.word(), DropReason::ALL => |reason| reason.word(),
        Status::OF_LOST_MESSAGES => |status| status.word();
    /// The kinds of traps, as keys of `traps` and values of `trap`.
    TRAPS: TrapKind::ALL => |kind| kind.name();
}

/// A section whose keys have one form, and no meaning but their names.
const fn same(what: &'static str, names: &'static [&'static str], each: fn() -> Form) -> Section {
    Section {
        what,
        names,
        keys: &[],
        one_of: &[],
        each: Some(each),
    }
}

/// The keys of a NIC's `placement`.
pub(super) static PLACEMENT: Section = same("`placement`", STAGES, || {
    Form::Integer(0, limits::PROCESSORS_MAX - 1)
});

/// The keys of `drops`.
pub(super) static DROPS: Section = same("`drops`", REASONS, number);

/// The keys of `traps`.
pub(super) static TRAP_COUNTS: Section = same("`traps`", TRAPS, number);

/// The sections that list only names.
pub const LISTS: &[&Section] = &[&PLACEMENT, &DROPS, &TRAP_COUNTS];

fn number() -> Form {
    Form::Integer(0, u64::MAX)
}

fn endpoint() -> Form {
    Form::NameOf(Named::Endpoint)
}

/// Tables of a section in an array.
fn several(section: &'static Section, most: usize) -> Form {
    list(Form::Table(section, &[]), 0, most)
}

/// The key of a `[[channel]]` that is no endpoint's name if its value is a word.
pub(super) const CONNECT: &str = "connect";

/// The word that leaves a connection to the programs at its ends.
pub(super) const BY_PROGRAM: &str = "program";

/// The number, or the two numbers, that an endpoint has for a channel; or, for the key `connect`, a word.
fn channel() -> Form {
    let number = || Form::Integer(0, limits::CHANNEL_NUMBER_MAX);
    // A text is a range of numbers, or the word of `connect`.
    let forms = vec![
        number(),
        list(number(), 2, 2),
        Form::Words(vec![BY_PROGRAM]),
        Form::Text,
    ];
    Form::Map(Box::new(Form::Either(forms)))
}

/// The value of a field.
fn value() -> Form {
    let one = || {
        Form::Either(vec![
            Form::Integer(i32::MIN.into(), U32_MAX / 2),
            Form::Flag,
        ])
    };
    Form::Either(vec![one(), list(one(), 0, usize::MAX)])
}

/// Values of static fields.
fn state() -> Form {
    Form::Map(Box::new(value()))
}

/// The name of an endpoint, or a list of names.
fn names_of_endpoints() -> Form {
    let name = || Form::NameOf(Named::Endpoint);
    Form::Either(vec![name(), list(name(), 1, limits::ENDPOINTS_MAX)])
}

/// The keys of payloads that no expected payload has.
pub(super) const NOT_EXPECTED: [&str; 2] = ["random", "pace"];

fn expected() -> Form {
    let one = || Form::Table(PAYLOAD.section, &NOT_EXPECTED);
    Form::Either(vec![one(), list(one(), 1, usize::MAX)])
}

tables! {
    ROOT in root: "the scenario" {
        /// The cost model: a built-in one, or the path of a TOML file (with `/` or `.` in it).
        profile: Text, default "lanai-1998";
        /// Seed of every random choice; the option `--seed` overrides it.
        seed: Count(0, u64::MAX), default "1";
        /// Virtual time at which the run ends at the latest; events at exactly this time still occur. With a capture,
        /// the default is a second after its last packet, if that is later.
        until: Time, default "1s";
        /// Number of simulation events after which the run ends at the latest; a message counts when its turn comes.
        /// Each packet of a capture adds 1,000 to the default.
        // A packet causes at least ten events.
        max_events: Count(1, limits::EVENTS_MAX), default "10000000";
        /// Limit of instructions of all applets together, in calls and while they are loaded. Each packet of a capture
        /// adds 200,000 to the default.
        // In a run that the default of `max_events` ends, this allows 2,000 instructions for each packet; the shipped
        // applets execute about 20. It takes 1 to 4 seconds of CPU time, and about 20 if applets mostly call natives.
        max_bytecodes: Count(1, limits::BYTECODES_MAX), default "2000000000";
        /// Format of messages in a capture of `jive run --pcap`: `"ethernet"` frames, or `"user0"` if unknown.
        link_type: Words<LinkType>(&[("user0", LinkType::User0), ("ethernet", LinkType::Ethernet)]), default "user0";
        /// The NICs; at least one.
        nic: Raw(|| list(Form::Table(NIC.section, &[]), 1, limits::NICS_MAX)), required;
        /// The links between NICs and switches, each with its properties.
        link: Raw(|| several(LINK.section, limits::LINKS_MAX)), or "";
        /// The switches of the [network](network.md).
        switch: Raw(|| several(SWITCH.section, limits::SWITCHES_MAX)), or "";
        /// Switches and links that join all NICs in one of the [usual forms](network.md#topologies).
        topology: Raw(|| Form::Table(TOPOLOGY.section, &[])), or "none";
        /// How packets find their way over switches: by the fewest links (`"shortest"`, or `"spread"` over all such
        /// routes), `"up-down"` over a tree, in `"dimension-order"` over a mesh; or a list of [routes](network.md#routes), each a list of the NICs and switches
        /// on it.
        route: Raw(route), or "`\"shortest\"`, or that of the topology";
        /// Whether the scenario is run although its packets may [wait for each other](network.md#packets-that-wait-in-a-circle)
        /// in a circle.
        allow_deadlock: Flag, default "false";
        /// The hosts of NICs.
        host: Raw(|| several(HOST.section, limits::NICS_MAX)), or "";
        /// The processes that own several endpoints.
        process: Raw(|| several(PROCESS.section, limits::ENDPOINTS_MAX)), or "";
        /// The endpoints.
        endpoint: Raw(|| several(ENDPOINT.section, limits::ENDPOINTS_MAX)), or "";
        /// The channels; the keys of each are names of endpoints, and `connect = "program"` leaves the connection of two
        /// VIs to their programs.
        channel: Raw(|| list(channel(), 0, limits::CHANNELS_MAX)), or "";
        /// The receives that users of EMP post.
        receive: Raw(|| several(RECEIVE.section, limits::SENDS_MAX)), or "";
        /// The messages that users send.
        send: Raw(|| several(SEND.section, limits::SENDS_MAX)), or "";
        /// The classes that become applets during the run.
        swap: Raw(|| several(SWAP.section, limits::SWAPS_MAX)), or "";
        /// When users of VIs deregister and register their memory.
        region: Raw(|| several(REGION.section, limits::REGIONS_MAX)), or "";
        /// Ranges of memory that another endpoint may write.
        window: Raw(|| several(WINDOW.section, limits::WINDOWS_MAX)), or "";
        /// The ports of link memory (LMMC).
        port: Raw(|| several(PORT.section, limits::PORTS_MAX)), or "";
        /// The time from which on `jive run --stats` counts: `{ from = "1ms" }`.
        stats: Raw(|| Form::Table(STATS.section, &[])), or "from the beginning";
        /// The plan of [`jive sweep`](sweep.md); a run ignores it.
        sweep: Raw(|| Form::Anything), or "";
        /// Contents of the scenario's golden trace.
        golden: Raw(|| Form::Table(GOLDEN.section, &[])), or "";
        /// Results that the run must have.
        expect: Raw(|| several(EXPECT.section, limits::EXPECTATIONS_MAX)), or "";
    }

    STATS in stats: "`stats`" {
        /// When the statistics begin, so that they leave out how the run warms up.
        from: Time, default "0s";
    }

    NIC in nic: "`[[nic]]`" {
        /// Unique among NICs, 1 to 64 bytes.
        name: Name, required;
        /// The cost model of this NIC and its host, by name or path as above.
        profile: Text, or "the scenario's";
        /// Size of its memory; if the contents do not fit, the run is refused and the sum is shown.
        sram: Size(1, limits::SRAM_MAX), or "the profile's";
        /// How many processors it has; each has a call stack in the NIC's memory.
        processors: Count(1, limits::PROCESSORS_MAX), default "1";
        /// The processor of each stage, such as `{ doTx = 0, doRx = 1 }`, or the name of a placement of EMP; needs
        /// `processors`.
        placement: Raw(|| Form::Either(vec![Form::Table(&PLACEMENT, &[]), Form::Text])), or "all on 0";
    }

    PROCESS in process: "`[[process]]`" {
        /// Unique among processes and endpoints, 1 to 64 bytes.
        name: Name, required;
        /// The NIC on whose host it runs; all of its endpoints are on this NIC.
        nic: NameOf(Named::Nic), required;
        /// `sink` reads messages, `echo` sends them back, `acknowledge` answers every Nth message with its first 4
        /// bytes; `emp-ping`, `emp-stream`, `emp-both-ways` and `credit-stream` exchange messages; `clan-ping` and
        /// `clan-stream` send requests to `clan-server` through windows; `lmmc-ping`, `lmmc-stream` and `lmmc-scatter` write
        /// to pages, and `lmmc-echo` writes back what it reads in one ([LMMC](lmmc.md#built-in-programs)). `class:FILE` is a [class](javia.md) that uses VIs
        /// by the natives of `via/Via`; its path is relative to the scenario, and `class:builtin:NAME` is built in.
        program: AnyProgram, default "sink";
        /// Values of static fields of the class, set before its static initializer runs, as at an endpoint.
        state: Raw(state), or "none";
        /// Size of the memory for the arrays of the class.
        heap: Size(0, limits::HEAP_MAX), default "65536";
        /// Size of the memory for the class's buffers outside its heap.
        buffers: Size(0, limits::HEAP_MAX), default "0";
        /// Instructions that the class may execute between two natives.
        fuel: Count(0, limits::FUEL_MAX), default "10000000";
        /// What frees arrays that the class can no longer reach: a collector that moves the others together, or one that
        /// leaves them where they are.
        collector: Words<Collector>(COLLECTORS), default "moving";
        /// The number N of `acknowledge`.
        // The burst length of the paper.
        acknowledge_every: Count(1, U32_MAX), default "25";
        /// How many messages or requests a program that exchanges messages, `clan-ping`, `clan-stream`, `lmmc-ping`,
        /// `lmmc-stream` or `lmmc-scatter` sends.
        // 20 rounds fill every queue, and 200 are measured.
        rounds: Count(1, U32_MAX), default "220";
        /// Length of each of these messages in bytes.
        // The shortest message that the paper on EMP measures.
        message_length: Count(0, limits::BUFFER_AREA_MAX), default "10";
    }

    HOST in host: "`[[host]]`" {
        /// The NIC.
        nic: NameOf(Named::Nic), required;
        /// How many of its processes run at a time; the others wait in a queue. The loops of a NIC in host software take
        /// processors of its host, before processes that wait, so the host needs at least one for each loop.
        processors: Count(1, limits::HOST_PROCESSORS_MAX), required;
    }

    LINK in link: "`[[link]]`" {
        /// The names of two NICs or switches.
        between: Raw(|| list(Form::NameOf(Named::Node), ENDS, ENDS)), required;
        /// The profile whose `[wire]` it has; required if it joins NICs with different profiles.
        profile: Text, or "that of its NICs";
        /// Probability that a packet is lost.
        loss: Probability, default "0.0";
        /// Probability that a packet arrives twice.
        duplicate: Probability, default "0.0";
        /// Probability that a bit of a packet is flipped.
        corrupt: Probability, default "0.0";
        /// Probability that a packet is held back behind the next.
        reorder: Probability, default "0.0";
        /// Latency of each direction.
        latency: Time, or "the profile's";
        /// Bandwidth of each direction.
        bandwidth: Rate, or "the profile's";
        /// Whether a packet with a flipped bit is detected and dropped; writes to
        /// [remote memory](via.md#faults-of-links-over-clan) always are.
        crc: Flag, default "true";
    }

    SWITCH in switch: "`[[switch]]`" {
        /// Unique among switches and NICs, 1 to 64 bytes.
        name: Name, required;
        /// How many links it may have.
        ports: Count(1, limits::SWITCH_PORTS_MAX), required;
        /// Time between the arrival of a packet and its place in the queue of the port by which it leaves.
        latency: Time, default "0s";
        /// A packet goes on when its last bit has arrived (`"store-and-forward"`), when its first bit has
        /// (`"cut-through"`), also while it keeps every link on its way (`"worm-hole"`), or when it is the first at its
        /// input and its output is free (`"crossbar"`).
        mode: Words<SwitchMode>(SWITCH_MODES), default "store-and-forward";
        /// Which of the packets that are first at their inputs an output of a `"crossbar"` takes: inputs have turns, or
        /// the packet that has waited longest comes first.
        arbiter: Words<Arbiter>(ARBITERS), default "round-robin";
        /// How many bytes of frames may wait at each port, or at each input of a `"crossbar"`.
        buffer: Size(1, U32_MAX), or "no limit";
        /// A packet for which the buffer has no room is lost by the endpoint with the most bytes in it (`"drop"`), or does
        /// not leave the NIC or switch before this one (`"stop"`); needs `buffer`.
        full: Words<Full>(FULL), default "drop";
        /// The place of the switch in a mesh, with a number for each dimension.
        at: Raw(|| list(Form::Integer(0, limits::SWITCHES_MAX as u64 - 1), 1, DIMENSIONS_MAX)), or "none";
    }

    TOPOLOGY in topology: "`[topology]`" {
        /// All NICs at one switch (`"star"`), switches in a circle (`"ring"`), in rows (`"mesh"`), in rows that are
        /// circles (`"torus"`), or in three layers (`"fat-tree"`).
        kind: Words<Kind>(KINDS), required;
        /// The number of switches of a ring, of each dimension of a mesh or torus, or the number of ports of each switch
        /// of a fat tree.
        size: Raw(size), or "required, but for a star";
        /// The keys of `[[switch]]` that each switch has.
        switch: Raw(|| Form::Table(SWITCH.section, OF_TOPOLOGY)), or "";
        /// The keys of `[[link]]` that each link has.
        link: Raw(|| Form::Table(LINK.section, OF_TOPOLOGY)), or "";
    }

    ENDPOINT in endpoint: "`[[endpoint]]`" {
        /// The endpoint's NIC.
        nic: NameOf(Named::Nic), required;
        /// Unique among endpoints, 1 to 64 bytes.
        name: Name, required;
        /// The interface of the user.
        interface: Words<InterfaceKind>(&InterfaceKind::ALL), default "unet";
        /// A class file, relative to the scenario, or a built-in one such as `builtin:RawUnet`; without an applet, the
        /// base U-Net path. A list is a [chain](simulation.md#chains-of-applets).
        applet: Raw(|| Form::Either(vec![Form::Text, list(Form::Text, 1, limits::CHAIN_MAX)])), or "none";
        /// Values of static fields of the applet, set before its static initializer runs:
        /// `state = { WINDOW = 8, KEYS = [1, 2] }`; for a chain, a list with a table for each applet.
        state: Raw(|| Form::Either(vec![state(), list(state(), 1, limits::CHAIN_MAX)])), or "none";
        /// Whether class files that arrive in packets become its applet; they come on the channel that this endpoint
        /// numbers 0 ([capsules](simulation.md#capsules)).
        accept_capsules: Flag, default "false";
        /// Size of the memory shared with the NIC.
        buffer_area: Size(1, limits::BUFFER_AREA_MAX), default "65536";
        /// The buffers at the start of the area, as in `{ count = 8, length = 4096 }`; the rest is for sending.
        free_buffers: Raw(|| Form::Table(FREE_BUFFERS.section, &[])), or "8 of 4096 bytes";
        /// The process that owns it; excludes `host` and the keys of programs.
        process: NameOf(Named::Process), or "its own";
        /// The program of its own process.
        host: Words<Program>(PROGRAMS), default "sink";
        /// The number N of `acknowledge`, as in `[[process]]`.
        acknowledge_every: Count(1, U32_MAX), default "25";
        /// How many messages its program posts, as in `[[process]]`.
        rounds: Count(1, U32_MAX), default "220";
        /// Length of these messages in bytes, as in `[[process]]`.
        message_length: Count(0, limits::BUFFER_AREA_MAX), default "10";
        /// Instructions that one call of the applet may execute.
        fuel: Count(0, limits::FUEL_MAX), default "1000000";
        /// What happens to a packet or descriptor on which the applet traps: `"drop"`, take the `"base-path"`, or drop
        /// and `"detach"` the applet after several traps.
        on_trap: Words<OnTrap>(ON_TRAP), default "drop";
        /// Number of consecutive traps after which the endpoint uses the base path for a while.
        detach_after: Count(1, U32_MAX), default "3";
        /// The first duration on the base path; it doubles whenever the first call after it traps again.
        back_off: Time, default "1ms";
        /// Size of the memory for the applet's arrays, without `RxBuf`. With `"collected"` it has the profile's size, and
        /// arrays live as long as something names them ([simulation.md](simulation.md#collected-applets)).
        heap: AnyHeap, or "the profile's";
        /// Number of transmit descriptors in the queue.
        tx_queue: Count(1, limits::QUEUE_MAX), default "64";
        /// Number of receive descriptors in the queue.
        rx_queue: Count(1, limits::QUEUE_MAX), default "64";
        /// The user polls the receive queue, or gets an `"upcall"`.
        notify: Words<bool>(&[("poll", false), ("upcall", true)]), default "poll";
        /// Time between two polls.
        poll_every: Time, or "the profile's";
        /// What moves the messages of a VI, the same at both ends.
        provider: Words<Provider>(PROVIDERS), or "the profile's";
        /// The reliability level of a VI, the same at both ends.
        reliability: Words<Reliability>(&Reliability::ALL), default "delivery";
        /// Completion queues of a VI's process: `{ send = "q", receive = "q", entries = 256 }`.
        completion: Raw(|| Form::Table(COMPLETION.section, &[])), or "none";
        /// Over CLAN: a VI's messages go by the processor (`"pio"`), by `"dma"`, or by the length of the message.
        transfer: Words<TransferMode>(TRANSFERS), default "auto";
        /// Over CLAN: whether a VI's message without a receive descriptor is not sent, or waits (`"defer"`).
        on_empty: Words<OnEmpty>(&[("drop", OnEmpty::Drop), ("defer", OnEmpty::Defer)]), default "drop";
        /// Whether a VI's message longer than a receive descriptor continues in the next ones.
        split: Flag, default "false";
        /// Over CLAN: whether the peer's access ends when a receive descriptor of a VI completes.
        strict: Flag, default "false";
    }

    FREE_BUFFERS in free_buffers: "`free_buffers`" {
        /// Number of buffers.
        count: Count(0, limits::BUFFER_AREA_MAX), default "8";
        /// Size of each.
        length: Size(1, limits::BUFFER_AREA_MAX), default "4096";
    }

    COMPLETION in completion: "`completion`" {
        /// Name of the completion queue of its sends.
        send: Name, or "none";
        /// Name of the completion queue of its receives.
        receive: Name, or "none";
        /// Room of each of the two queues.
        entries: Count(1, limits::COMPLETION_ENTRIES_MAX), or "all descriptors of its VIs";
    }

    SEND in send: "`[[send]]`" {
        /// The endpoint that sends.
        endpoint: NameOf(Named::Endpoint), required;
        /// The sender's number for the channel, which only `to` replaces; if there is no such channel, the NIC refuses the
        /// message in the run.
        channel: Numbers(0, limits::CHANNEL_NUMBER_MAX), or "required";
        /// Channels between which each message chooses at random, in place of `channel`.
        to: Raw(|| Form::Table(TO.section, &[])), or "none";
        /// Tag of the message; only for endpoints of EMP.
        tag: Count(0, TAG_MAX), default "0";
        /// A number that travels with the message; only for VIs.
        immediate: Count(0, U32_MAX), or "none";
        /// The pieces of the payload that make up the message, each an offset and a length; only for VIs without an
        /// applet.
        segments: Raw(|| list(list(number(), 2, 2), 0, SEGMENTS_MAX as usize)), or "the whole";
        /// When the first message is posted.
        at: Time, default "0s";
        /// The bytes of the message, in one of the forms below.
        payload: Raw(|| Form::Table(PAYLOAD.section, &[])), required;
        /// How many times the message is sent in all.
        repeat: Count(1, limits::REPEAT_MAX), default "1";
        /// Time between two messages; if 0, each is posted as soon as there is room.
        every: Time, default "0s";
        /// Random times between two messages, in place of `every`.
        gap: Raw(|| Form::Table(GAP.section, &[])), or "none";
        /// How many bytes of the payload each message has, from the first on.
        length: Raw(|| Form::Table(LENGTH.section, &[])), or "all";
        /// How many messages may be without an answer, for a closed loop: each message that the endpoint reads on the
        /// channel answers one, and the next is posted at once.
        outstanding: Count(1, limits::OUTSTANDING_MAX), or "none";
    }

    TO in to: "`to`" {
        /// Numbers of channels, all equally likely: `{ uniform = [1, 2, 3] }`.
        uniform: Raw(|| list(Form::Integer(0, limits::CHANNEL_NUMBER_MAX), 1, limits::CHANNELS_MAX)), required;
    }

    LENGTH in length: "`length`", one of [uniform, choices, zipf] {
        /// The least and the greatest of uniform lengths: `{ uniform = [64, 1500] }`.
        uniform: Raw(|| list(Form::Integer(0, U32_MAX), 2, 2)), or "";
        /// Lengths with their weights: `{ choices = { 64 = 7, 570 = 4, 1500 = 1 } }`.
        choices: Raw(|| Form::Map(Box::new(Form::Positive))), or "";
        /// Lengths of which the shortest is the most likely: `{ zipf = { from = 64, to = 1500, exponent = 1.2 } }`.
        zipf: Raw(|| Form::Table(ZIPF.section, &[])), or "";
    }

    ZIPF in zipf: "`zipf`" {
        /// The shortest length, which has rank 1.
        from: Count(0, U32_MAX), default "1";
        /// The longest length.
        to: Count(0, U32_MAX), required;
        /// The probability of rank k is proportional to k to the power of minus this exponent.
        exponent: Raw(|| Form::Positive), required;
    }

    GAP in gap: "`gap`", one of [poisson, uniform, on, trace] {
        /// The mean of exponential times, so that the messages are a Poisson process: `{ poisson = "10us" }`.
        poisson: Time, or "";
        /// The ends of uniform times: `{ uniform = ["1us", "5us"] }`.
        uniform: Raw(|| list(Form::Time, 2, 2)), or "";
        /// The mean of the exponential times in which messages come at the interval `every`: `{ on = "1ms", off = "4ms" }`.
        on: Time, or "";
        /// With `on`: the mean of the exponential times between, in which no messages come.
        off: Time, or "";
        /// A file with a time a line, over and over: with its unit, or a number of seconds as tshark prints it.
        trace: Text, or "";
    }

    PAYLOAD in payload: "a payload", one of [text, hex, zeros, count, random, file, pcap, capsule] {
        /// The text in UTF-8: `{ text = "hello" }`.
        text: Text, or "";
        /// The bytes given in hexadecimal: `{ hex = "00ff" }`.
        hex: Text, or "";
        /// This many zeros: `{ zeros = 1000 }`.
        zeros: Size(0, limits::PAYLOADS_TOTAL_MAX), or "";
        /// This many bytes: 0, 1, 2 and so on, from 0 again after 255.
        count: Size(0, limits::PAYLOADS_TOTAL_MAX), or "";
        /// This many random bytes, determined by the seed, the endpoint's name and the position among its sends; every
        /// repetition sends the same bytes.
        random: Size(0, limits::PAYLOADS_TOTAL_MAX), or "";
        /// The contents of a file, relative to the scenario: `{ file = "x.bin" }`.
        file: Text, or "";
        /// Each packet of a capture, pcap or pcapng, is one message; the times are those of the capture, starting at
        /// `at`.
        pcap: Text, or "";
        /// A class file in the fragments of a [capsule](simulation.md#capsules), each a message.
        capsule: Text, or "";
        /// With `pcap`: `"back-to-back"` posts all packets from `at` on, as fast as the user can.
        pace: Words<Pace>(PACES), default "recorded";
        /// With `pcap`: what is sent of a packet of which the capture has only the beginning (`tcpdump -s`): `"pad"`
        /// with zeros, `"drop"` it, or `"refuse"` the capture.
        cut: Words<Cut>(&Cut::ALL), default "refuse";
        /// With `capsule`: the number of the capsule.
        number: Count(0, U32_MAX), default "1";
        /// With `capsule`: the bytes of the class file in each fragment.
        // Many small classes fit in one packet of the built-in profiles.
        fragment: Size(limits::FRAGMENT_MIN, limits::FRAGMENT_MAX), default "1024";
    }

    RECEIVE in receive: "`[[receive]]`" {
        /// The endpoint, whose interface is `emp`.
        endpoint: NameOf(Named::Endpoint), required;
        /// The tag that it accepts, or `"any"`.
        tag: Raw(|| Form::Either(vec![Form::Integer(0, TAG_MAX), Form::Words(vec![ANY])])), required;
        /// The endpoint that it accepts messages from, or `"any"`.
        source: Raw(|| Form::Either(vec![endpoint(), Form::Words(vec![ANY])])), required;
        /// Length of the longest message that fits.
        length: Size(0, limits::BUFFER_AREA_MAX), required;
        /// When it is posted.
        at: Time, default "0s";
        /// How many times it is posted in all: again whenever the user has read the message in it.
        repeat: Count(1, limits::REPEAT_MAX), default "1";
    }

    REGION in region: "`[[region]]`" {
        /// When.
        at: Time, required;
        /// A VI.
        endpoint: NameOf(Named::Endpoint), required;
        /// What happens to its memory.
        action: Words<RegionRequest>(&[
            ("deregister", RegionRequest::Deregister),
            ("register", RegionRequest::Register)
        ]), required;
    }

    WINDOW in window: "`[[window]]`" {
        /// The endpoint to whose memory the window belongs.
        owner: NameOf(Named::Endpoint), required;
        /// The endpoint that may write to the window.
        writer: NameOf(Named::Endpoint), required;
        /// The number by which both endpoints name the window; no two windows of an owner, or of a
        /// writer, have the same number.
        number: Count(0, limits::CHANNEL_NUMBER_MAX), required;
        /// Where the window begins in the owner's buffer area.
        offset: Size(0, limits::BUFFER_AREA_MAX), default "0";
        /// The window's length.
        length: Size(0, limits::BUFFER_AREA_MAX), required;
        /// Whether the writer may also read the window.
        read: Flag, default "false";
    }

    PORT in port: "`[[port]]`" {
        /// The endpoint whose process writes, or a list of endpoints of one NIC. A page of each process maps the port.
        from: Raw(names_of_endpoints), required;
        /// The endpoint whose process reads, or a list of endpoints of one other NIC.
        to: Raw(names_of_endpoints), required;
        /// When writes leave: each at once, or gathered in a line.
        policy: Words<Policy>(&[("immediate", Policy::Immediate), ("late", Policy::Late)]), default "immediate";
    }

    SWAP in swap: "`[[swap]]`" {
        /// When the new class is verified; the switch follows at the end of the applet's running call.
        at: Time, required;
        /// The endpoint; it may be without an applet until then.
        endpoint: NameOf(Named::Endpoint), required;
        /// The class, as in `[[endpoint]]`; a class that is rejected is no mistake of the scenario, but an event of the
        /// run.
        applet: Text, required;
    }

    EXPECT in expect: "`[[expect]]`", one of [payload, count, drops, traps, trap, field] {
        /// The process whose program is checked, with `trap` and `field`.
        process: NameOf(Named::Process), or "none";
        /// The endpoint to check; `count`, `drops` and `traps` without it count all endpoints together.
        endpoint: NameOf(Named::Endpoint), or "all";
        /// Only check descriptors on this channel, given by the endpoint's own number; with `payload` and `count`.
        channel: Count(0, limits::CHANNEL_NUMBER_MAX), or "all";
        /// The endpoint's user receives a descriptor with exactly these bytes; a list of payloads stands for one
        /// descriptor each.
        payload: Raw(expected), or "";
        /// Whether the order of messages counts; with `payload`.
        order: Words<Order>(&[("file", Order::File), ("any", Order::Any)]), default "file";
        /// The number of such descriptors; with `order = "file"` they must be consecutive; with `payload`.
        repeat: Count(1, limits::REPEAT_MAX), default "1";
        /// The number of receive descriptors.
        count: Count(0, u64::MAX), or "";
        /// The number of drops by the endpoint's NIC or wire: the events `drop` and `wire-drop`, and packets whose receive descriptors complete as `length-error`.
        drops: Raw(|| Form::Either(vec![number(), Form::Table(&DROPS, &[])])), or "";
        /// The number of traps of the applet.
        traps: Raw(|| Form::Either(vec![number(), Form::Table(&TRAP_COUNTS, &[])])), or "";
        /// At least one trap of this kind, such as `"ArrayIndexOutOfBoundsException"`.
        trap: Raw(|| Form::Words(TRAPS.to_vec())), or "";
        /// The name of a field of the applet's class, static or not, which must have the value `value` at the end of
        /// the run; `NAME:TYPE` names one of [several fields of one name](#names-of-fields).
        field: Text, or "";
        /// A number, `true` or `false`, or an array of them, with `field`.
        value: Raw(value), or "";
    }

    GOLDEN in golden: "`[golden]`" {
        /// Whether the trace has the bytes of messages in hexadecimal; for more than 64 bytes it has the SHA-256 digest.
        payload: Flag, default "true";
        /// Whether the trace has times, and which order of events it has.
        times: Words<Times>(TIMES), default "exact";
        /// Whether the trace has the instructions of calls (`bytecodes`) and durations (`dur_ns`).
        costs: Flag, default "true";
        /// Whether the trace has the size of each class's code (`code_bytes`).
        code: Words<Code>(&[("none", Code::None), ("exact", Code::Exact)]), default "none";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_can_be_read() {
        assert_eq!(defaults_that_cannot_be_read(), [""; 0]);
    }
}
