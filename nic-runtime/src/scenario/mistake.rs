//! Mistakes in a scenario file that is valid TOML: kinds of mistakes, and their places in the file.
//!
//! A mistake consists of a place in the file and a kind of mistake. The text at the place of a mistake is looked up in
//! the file when the mistake is shown.

use jive_embed::fields::Candidates;
use jive_embed::input::ReadError;
use jive_embed::plain_text::NotUtf8;
use nic_core::sle::capsule::CODE_CHANNEL;

use super::capture::CaptureError;
use super::limits;
use super::words::{Choices, FieldNames};
use crate::profile::ProfileError;
use crate::spec::Span;
use crate::units::UnitError;

/// A mistake and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Place of the offending text.
    pub span: Span,
    /// Kind of the mistake.
    pub kind: MistakeKind,
}

/// A sort of thing that a scenario names.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A NIC.
    Nic,
    /// A NIC or switch.
    Node,
    /// An endpoint.
    Endpoint,
    /// A process.
    Process,
}

impl Named {
    /// Returns the noun for the sort of thing, with its article.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Named::Nic => "a NIC",
            Named::Node => "a NIC or switch",
            Named::Endpoint => "an endpoint",
            Named::Process => "a process",
        }
    }
}

/// Why packets of two NICs do not reach each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unjoined {
    /// This NIC has no link to another node.
    Bare(String),
    /// The NICs have different profiles, and no link of the scenario joins them.
    Profiles,
    /// Links and switches join the first NIC with these nodes, and not with the second.
    Elsewhere(String),
    /// Links join the NICs, and `route` leads over none of them.
    Route,
}

/// Returns the part of a message that names what is missing between two NICs, and what to do.
fn because(a: &str, b: &str, cause: &Unjoined) -> String {
    match cause {
        Unjoined::Bare(bare) => {
            let other = if bare == a { b } else { a };
            format!(
                "`{bare}` has no link: nothing reaches it from `{other}`; add a `[[link]]` with it"
            )
        }
        Unjoined::Profiles => format!(
            "`{a}` and `{b}` have different profiles and so no link by default: add a `[[link]]`"
        ),
        Unjoined::Elsewhere(ends) => format!(
            "no links lead from `{a}` to `{b}`: what links and switches join with `{a}` ends at {ends}; add a `[[link]]`"
        ),
        Unjoined::Route => format!(
            "`route` leads over none of the links from `{a}` to `{b}`: choose another, or add a `[[link]]` on its way"
        ),
    }
}

/// Kind of a mistake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MistakeKind {
    /// The table has a key that is unknown.
    #[error("unknown key in {table}; expected {}", Choices(.known))]
    UnknownKey {
        /// The table with the unknown key, as messages name it.
        table: &'static str,
        /// The known keys.
        known: &'static [&'static str],
        /// The most similar known key, if one is similar.
        suggestion: Option<&'static str>,
    },
    /// A required key is missing.
    #[error("{table} needs the key `{key}`")]
    MissingKey {
        /// The table that lacks the key, as messages name it.
        table: &'static str,
        /// The missing key.
        key: &'static str,
    },
    /// A value in the scenario has the wrong type.
    #[error("expected {expected}, found {found}")]
    WrongType {
        /// The expected type of the value, with its article.
        expected: &'static str,
        /// The type of the found value, with its article.
        found: &'static str,
    },
    /// A value in the scenario is not in a fixed set of words.
    #[error("expected {}", Choices(.known))]
    UnknownChoice {
        /// The words that the set of allowed values contains.
        known: Vec<&'static str>,
        /// The allowed word most similar to the given text, if one is similar.
        suggestion: Option<&'static str>,
    },
    /// The text in the file is not a quantity with a unit.
    #[error(transparent)]
    Unit(#[from] UnitError),
    /// A number in the scenario is outside its allowed range.
    #[error("expected {minimum} to {maximum} for {what}")]
    OutOfRange {
        /// Name of the number.
        what: &'static str,
        /// The smallest allowed value.
        minimum: u64,
        /// The largest allowed value.
        maximum: u64,
    },
    /// The profile of a NIC lacks a section that an endpoint needs.
    #[error(
        "{needs} needs the section `[{section}]`, and the profile `{profile}` of its NIC has none"
    )]
    ProfileLacks {
        /// The endpoint's part that needs the missing section, with its article.
        needs: String,
        /// The missing section.
        section: &'static str,
        /// Name of the profile.
        profile: String,
    },
    /// The two NICs of a link have different profiles, and the link names no profile.
    #[error(
        "the NICs at its ends have different profiles, so it needs one of its own: add `profile`, whose wire it is"
    )]
    LinkNeedsProfile,
    /// A channel joins NICs that no link and no route over switches joins.
    #[error("expected NICs that links join, but {}", because(.a, .b, .cause))]
    NoLink {
        /// The NIC of one end of the channel.
        a: String,
        /// The NIC of the other end of the channel.
        b: String,
        /// What is missing between them.
        cause: Unjoined,
    },
    /// A number that must be a probability is less than 0 or more than 1.
    #[error("expected a probability from 0.0 to 1.0")]
    Probability,
    /// The name is empty or too long.
    #[error("expected a name of 1 to {} bytes", limits::NAME_BYTES_MAX)]
    NameLength,
    /// A table of the scenario defines a name that is already used.
    #[error("expected a name that is unique, found that of {}", .named.noun())]
    DuplicateName {
        /// The sort of thing that already has the name.
        named: Named,
        /// Place of its definition.
        first: Span,
    },
    /// A name to which the scenario refers is not defined.
    #[error("expected the name of {}", .named.noun())]
    UnknownName {
        /// The sort of thing whose name was expected.
        named: Named,
        /// Place of a similar name's definition.
        suggestion: Option<Span>,
    },
    /// The scenario has too many entries of one kind, or these entries are too large together.
    #[error("expected at most {limit} {what}")]
    TooMany {
        /// The name of the entries, in the plural.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// A name has braces with two dots that are no range.
    #[error("expected a range such as `{{0..63}}`, from a number to one that is not less")]
    Range,
    /// The ranges of an entry have different lengths.
    #[error("expected as many numbers in each range of an entry, found {one} and {other}")]
    UnequalRanges {
        /// The length of the first range.
        one: u64,
        /// That of this one.
        other: u64,
    },
    /// A scenario without a NIC.
    #[error("expected at least one `[[nic]]`")]
    NoNics,
    /// A channel does not name two ends.
    #[error("expected two endpoints, or one endpoint with two numbers such as `[1, 2]`")]
    ChannelEnds,
    /// The endpoint already uses the channel number for another channel.
    #[error("expected a channel number that the endpoint uses once")]
    DuplicateChannelNumber {
        /// Place of the first use of the channel number.
        first: Span,
    },
    /// The endpoint already uses the window number for another window.
    #[error("expected a number that its owner and its writer use for one window")]
    DuplicateWindowNumber {
        /// Place of the first use of the window number.
        first: Span,
    },
    /// The window is not inside its owner's buffer area.
    #[error(
        "expected a window inside a buffer area of {area} bytes, found one that ends at {needed}"
    )]
    WindowDoesNotFit {
        /// Bytes of the buffer area.
        area: u64,
        /// Where the window ends.
        needed: u64,
    },
    /// An endpoint accepts capsules and has no channel for capsules.
    #[error(
        "expected a `[[channel]]` to which this endpoint gives the number {}: capsules come on it",
        CODE_CHANNEL.0
    )]
    NoCodeChannel,
    /// The program of an endpoint exchanges messages, but the endpoint has no channel.
    #[error("expected a `[[channel]]` of this endpoint, on which its program exchanges messages")]
    ExchangeWithoutChannel,
    /// A stream with credits stops, because its receiver would acknowledge after more messages than it has room for.
    #[error(
        "expected a peer that acknowledges before its {buffers} buffers are full, found `acknowledge_every = {every}`: \
         give the peer more `free_buffers`, or let it acknowledge sooner"
    )]
    CreditsRunOut {
        /// Messages after which the peer acknowledges.
        every: u32,
        /// Free buffers or receive descriptors of the peer.
        buffers: u32,
    },
    /// The messages of a program are longer than a packet of its endpoint.
    #[error(
        "expected messages that fit into a packet of {most} bytes, found {length} bytes; `message_length` says how long \
         they are"
    )]
    MessageTooLong {
        /// Bytes that a packet would have.
        length: u32,
        /// Most bytes of a packet.
        most: u32,
    },
    /// The endpoints at one end of a port are on several NICs.
    #[error("expected endpoints of one NIC")]
    PortEnds,
    /// Both ends of a port are on one NIC.
    #[error("expected a port to another NIC: a link has two ends, and each has frames of its own")]
    PortToItself,
    /// An end of a port names an endpoint twice.
    #[error("expected an endpoint that the port names once")]
    PortTwice {
        /// Place of the first name.
        first: Span,
    },
    /// Switches join the NICs of a port, and no link does.
    #[error(
        "expected a link between the NICs of the port: the frames are those of its two ends, and switches have none"
    )]
    PortOverSwitches,
    /// A link has more ports than its tables hold.
    #[error("expected at most {ports} ports from one NIC to another (`lmmc.ports`)")]
    TooManyPorts {
        /// Maximum number of ports.
        ports: u32,
    },
    /// A port joins NICs with different values of a key of LMMC that a NIC assumes of its peer.
    #[error("expected a port between NICs with the same `lmmc.{key}`, found {a} and {b}")]
    OtherPages {
        /// The key.
        key: &'static str,
        /// The value of one NIC.
        a: String,
        /// That of the other.
        b: String,
    },
    /// A link between endpoints of LMMC has faults.
    #[error(
        "expected a link without faults between NICs with endpoints of `lmmc`: nothing sends a message again"
    )]
    LmmcFaults,
    /// A link between endpoints of LMMC has flow control that could lose messages, or lets the sender wait.
    #[error(
        "expected `wire.flow = \"stop\"` for a link between NICs with endpoints of `lmmc`: the link holds what a stopped \
         receiver does not take"
    )]
    LmmcFlow,
    /// The program of an endpoint of LMMC exchanges messages.
    #[error(
        "expected a program that uses pages, such as `lmmc-ping`, for an endpoint without messages"
    )]
    ProgramOfMessages,
    /// The program of an endpoint writes to pages, and the endpoint has none.
    #[error(
        "expected a `[[port]]` from this endpoint{}, for its program",
        if *needs_answers { " and one to it" } else { "" }
    )]
    ProgramWithoutPorts {
        /// Whether the program also reads a page.
        needs_answers: bool,
    },
    /// The messages of a program have no room for their number.
    #[error(
        "expected messages of at least {least} bytes, which their number takes, found {length}"
    )]
    NoRoomForNumber {
        /// Bytes of a message.
        length: u32,
        /// Bytes of a number.
        least: u32,
    },
    /// The messages of a program are longer than a page.
    #[error(
        "expected messages that fit into a page of {page} bytes, found {length} bytes; `message_length` says how long they are"
    )]
    MessageExceedsPage {
        /// Bytes of a message.
        length: u32,
        /// Bytes of a page.
        page: u32,
    },
    /// The program of an endpoint uses rings, but the endpoint and a peer have no windows for each other.
    #[error(
        "expected a `[[window]]` of this endpoint that another endpoint may write, and one back, for the rings of its \
         program"
    )]
    ProgramWithoutWindows,
    /// The windows of a program with rings are too short.
    #[error("expected windows of at least {needed} bytes, both ways, for the rings of the program")]
    RingTooShort {
        /// Bytes of the shortest window that has room for a ring with the program's messages.
        needed: u64,
    },
    /// A link does not name two NICs or switches.
    #[error("expected the names of two NICs or switches")]
    LinkEnds,
    /// A link joins a switch to itself.
    #[error("expected a link to another node: a switch sends nothing to itself")]
    SwitchToItself,
    /// The NIC or switch has fewer ports than links.
    #[error(
        "expected a port that is free, but other links take every port of `{node}` ({ports} in all)"
    )]
    NoPort {
        /// The name of the NIC or switch.
        node: String,
        /// The number of its ports.
        ports: u32,
    },
    /// The size of a topology does not fit its kind.
    #[error("expected {what}")]
    TopologySize {
        /// What the kind needs.
        what: &'static str,
    },
    /// A given route is none from a NIC over switches to another.
    #[error("expected a route from a NIC to another NIC, with switches alone between them")]
    RouteEnds,
    /// A route visits a node twice.
    #[error("expected a NIC or switch that the route visits once")]
    RouteTwice {
        /// Place of the first visit.
        first: Span,
    },
    /// Two neighbours in a route have no link.
    #[error("expected a NIC or switch that has a link to the one before it in the route")]
    RouteWithoutLink,
    /// Two routes lead from the same NIC to the same NIC.
    #[error("expected one route from a NIC to another")]
    DuplicateRoute {
        /// Place of the first route.
        first: Span,
    },
    /// A route in dimension order crosses switches that are in no mesh.
    #[error("expected switches with places in a mesh: give each `{key}`, with as many numbers")]
    NoMesh {
        /// The key of the place.
        key: &'static str,
    },
    /// Another switch is at the same place of a mesh.
    #[error("expected a place in the mesh where no other switch is, found that of `{other}`")]
    SamePlace {
        /// The name of the other switch.
        other: String,
    },
    /// The wire of a link to a switch has cells.
    #[error(
        "expected a profile whose wire has no cells (`wire.cell`) for a link to a switch: a switch sends whole packets on"
    )]
    CellsAtSwitch,
    /// Two links to switches have a different flow control.
    #[error("expected the same `wire.flow` as that of the other links to switches")]
    OtherFlow,
    /// The buffer of a switch has no room for a packet of each endpoint.
    #[error(
        "expected a `buffer` of at least {needed} bytes: the packets of several endpoints share one ({endpoints}), and the longest of each must find room"
    )]
    SmallSwitchBuffer {
        /// The bytes that the longest packet of each endpoint takes together.
        needed: u64,
        /// The number of endpoints whose packets leave by one port.
        endpoints: usize,
    },
    /// The buffer of a switch has no room for the longest packet.
    #[error("expected a `buffer` of at least {needed} bytes, which the longest packet takes")]
    PacketLongerThanBuffer {
        /// The bytes of the longest packet.
        needed: u64,
    },
    /// Packets may wait for each other in a circle.
    #[error(
        "expected routes on which packets never wait for each other in a circle, found {circle}: add `route = \"up-down\"`, or `allow_deadlock = true`"
    )]
    Deadlock {
        /// The names of the nodes on the circle.
        circle: String,
    },
    /// The pair of NICs already has a link.
    #[error("expected one link for each pair of NICs or switches")]
    DuplicateLink {
        /// Place of the first link of the pair.
        first: Span,
    },
    /// The free buffers do not fit in the buffer area.
    #[error("expected free buffers that fit a buffer area of {area} bytes, found {needed} bytes")]
    FreeBuffersDoNotFit {
        /// Bytes of the buffer area.
        area: u64,
        /// Bytes of all free buffers.
        needed: u64,
    },
    /// The payload is longer than the endpoint's transmit region.
    #[error(
        "expected a payload that fits the endpoint's transmit region of {region} bytes, found {length} bytes"
    )]
    PayloadDoesNotFit {
        /// Bytes of the payload.
        length: u64,
        /// Bytes of the transmit region.
        region: u64,
    },
    /// The text does not consist of pairs of hexadecimal digits.
    #[error("expected pairs of hexadecimal digits")]
    Hex,
    /// A table must have exactly one of several keys, but has none or more than one.
    #[error("expected one of {}", Choices(.known))]
    OneOf {
        /// The keys.
        known: &'static [&'static str],
    },
    /// A key is given without the key or value that it needs.
    #[error("`{key}` needs `{partner}`")]
    NeedsPartner {
        /// The key.
        key: &'static str,
        /// The missing key or value that the given key needs.
        partner: &'static str,
    },
    /// The times of a distribution make no distribution.
    #[error("expected times above 0 of `{key}`, two of which are in their order")]
    NotAGap {
        /// The key of the distribution.
        key: &'static str,
    },
    /// A sender of bursts is on for less than the time between two messages.
    #[error("expected `on` of at least `every`, which is above 0")]
    ShortBursts,
    /// A line of a file with times is no time.
    #[error("expected a time in line {line}: with its unit, or a number of seconds")]
    NotATime {
        /// The number of the line, from 1.
        line: u64,
    },
    /// Weights or ends make no distribution of lengths.
    #[error("expected `{key}` of 1 to {limit} lengths, with finite weights above 0")]
    NotALength {
        /// The key of the distribution.
        key: &'static str,
        /// Maximum number of lengths.
        limit: u64,
    },
    /// Messages are the beginnings of a payload that is shorter.
    #[error("expected a payload of at least {length} bytes, the greatest length, found {found}")]
    LongerThanPayload {
        /// The greatest length.
        length: u64,
        /// Bytes of the payload.
        found: u64,
    },
    /// Two keys exclude each other.
    #[error("expected no `{key}` beside `{of}`")]
    Excluded {
        /// The key.
        key: &'static str,
        /// The other key.
        of: &'static str,
    },
    /// The endpoint's interface does not offer what a key requests.
    #[error("expected no `{key}` beside `interface = \"{interface}\"`")]
    ExcludedByInterface {
        /// The key.
        key: &'static str,
        /// The interface.
        interface: &'static str,
    },
    /// The endpoint needs NIC memory for whole packets, and its NIC receives directly.
    #[error(
        "expected no {what}: the profile `{profile}` receives directly, so that the NIC keeps only headers of packets"
    )]
    ReceivesDirectly {
        /// What needs the memory.
        what: &'static str,
        /// Name of the profile.
        profile: String,
    },
    /// The endpoint's process is on another host.
    #[error("expected a process on the host of the endpoint's NIC")]
    ProcessElsewhere {
        /// Place in the file at which the process names its NIC.
        place: Span,
    },
    /// Two `[[host]]` tables describe the host of one NIC.
    #[error("expected one `[[host]]` for each NIC")]
    DuplicateHost {
        /// Place of the host's first description.
        first: Span,
    },
    /// A NIC in host software has more loops than its host has processors.
    #[error(
        "expected at most {has} loops, one for each processor of the host, found {loops}: say by `[[host]] processors` how \
         many the host has"
    )]
    LoopsExceedHost {
        /// Number of the NIC's loops.
        loops: u32,
        /// Number of the host's processors.
        has: u32,
        /// Place of the host's description; `None` if it has none.
        place: Option<Span>,
    },
    /// A stage is placed on a processor that the NIC does not have.
    #[error("expected a processor from 0 to {last} of this NIC; `processors` says how many it has")]
    NoSuchProcessor {
        /// Number of the NIC's last processor.
        last: u32,
    },
    /// The profile has a semaphore, and the NIC has one processor.
    #[error(
        "expected `processors = 2` or more: the profile has a `[semaphore]`, which processors of a NIC share"
    )]
    SharesAlone,
    /// The profile has no placement of this name.
    #[error("expected a placement of the profile: {known}")]
    UnknownPlacement {
        /// The names.
        known: String,
    },
    /// A channel joins endpoints of two interfaces whose packets differ.
    #[error(
        "expected a channel between endpoints of one interface: packets of `{a}` and `{b}` differ"
    )]
    OtherProtocol {
        /// One interface.
        a: &'static str,
        /// The other.
        b: &'static str,
    },
    /// A channel joins endpoints of EMP whose NICs have different values of a key that a NIC assumes of its peer.
    #[error("expected a channel between NICs with the same `emp.{key}`, found {a} and {b}")]
    OtherFrames {
        /// The key.
        key: &'static str,
        /// The value of one NIC.
        a: String,
        /// That of the other.
        b: String,
    },
    /// A VI has no channel, or several.
    #[error("expected one channel for a VI, found {found}")]
    ViChannels {
        /// Number of channels.
        found: u32,
    },
    /// The two ends of a connection between VIs have different reliability levels.
    #[error("expected the same `reliability` at both ends of a connection")]
    OtherLevel,
    /// The NIC does not have the given provider of VIA.
    #[error("expected a provider of profile `{profile}`, which has {has}")]
    NoProvider {
        /// The profile of the NIC.
        profile: String,
        /// The providers that the profile has.
        has: String,
    },
    /// The two ends of a connection between VIs have different providers.
    #[error("expected the same `provider` at both ends of a connection")]
    OtherProvider,
    /// The provider of a VI does not offer the value that the scenario gives for a key.
    #[error("expected a value that provider `{provider}` offers")]
    NotOffered {
        /// The provider.
        provider: &'static str,
    },
    /// A completion queue has too few entries for the descriptors of its VIs.
    #[error("expected a completion queue of at least {needed} entries")]
    CompletionQueueTooSmall {
        /// Number of descriptors.
        needed: u64,
    },
    /// A file that the scenario names cannot be read.
    #[error("cannot read the file: {0}")]
    File(ReadError),
    /// A file that must be text is not UTF-8.
    #[error("cannot read the file: {0}")]
    NotUtf8(NotUtf8),
    /// No built-in applet or program has this name.
    #[error("no such built-in applet or program")]
    UnknownBuiltin {
        /// The known name most similar to the given name, if one is similar.
        suggestion: Option<&'static str>,
    },
    /// The expectation is about a field, but the endpoint has no applet.
    #[error("expected an endpoint with an applet, whose class has the field")]
    NoApplet,
    /// The class has no field of the given name.
    #[error("expected a field of class `{class}`, which has {}", FieldNames(.names, *.more))]
    UnknownField {
        /// The class.
        class: String,
        /// The names of the first few fields of the class.
        names: Vec<String>,
        /// How many other fields the class has.
        more: usize,
        /// The name of the field that was probably meant.
        suggestion: Option<String>,
    },
    /// Several fields of the class have the given name.
    #[error("{candidates} in class `{class}`")]
    AmbiguousField {
        /// The class.
        class: String,
        /// The fields of that name.
        candidates: Candidates,
    },
    /// A scenario cannot give a value of the field's type.
    #[error("expected a field of a number, a boolean, or an array of them")]
    FieldType,
    /// The number does not fit the field's type.
    #[error("expected {minimum} to {maximum} for a `{kind}`")]
    FieldRange {
        /// The field's type, as Java spells it.
        kind: &'static str,
        /// The least value of the field's type.
        minimum: i32,
        /// The greatest value of the field's type.
        maximum: i32,
    },
    /// The name is neither a built-in profile nor a path.
    #[error("expected the name of a built-in profile, or a path such as `mine.toml`")]
    UnknownProfile {
        /// The known name most similar to the given name, if one is similar.
        suggestion: Option<&'static str>,
    },
    /// The file of the profile is invalid.
    #[error("the profile cannot be used")]
    Profile(ProfileError),
    /// The capture cannot be replayed.
    #[error(transparent)]
    Capture(CaptureError),
    /// The class has no static field of the given name.
    #[error("expected the name of a static field of the class{}", .suggestion.as_deref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    UnknownStateField {
        /// The name of the field that was probably meant.
        suggestion: Option<String>,
    },
    /// The field belongs to the applet's object, which does not exist yet when fields are set.
    #[error("expected a static field, found one of the applet's object")]
    FieldNotStatic,
    /// The scenario sets a field that only the runtime sets.
    #[error("expected a field that only the applet sets: the runtime sets `RxBuf`")]
    FieldOfRuntime,
    /// The scenario sets a constant field, whose value the compiler has copied to each use.
    #[error(
        "expected a field that code reads: the compiler has put the value of this `final` field wherever it is used; \
         take `final` away, or assign it in a `static` block"
    )]
    FieldConstant,
    /// The arrays in an applet's state need more bytes than the applet's heap has.
    #[error(
        "expected arrays that fit in a heap of {heap} bytes, found {needed} bytes with their headers"
    )]
    StateDoesNotFit {
        /// Bytes of the heap.
        heap: u64,
        /// Bytes of the arrays.
        needed: u64,
    },
    /// The class has so many constants that the simulator cannot add the constants that it needs for setting fields.
    #[error("expected a class of at most {limit} constants, if a state is set, found {constants}")]
    StateConstants {
        /// How many constants the class has.
        constants: u16,
        /// How many constants the class may have, given the number of its fields.
        limit: u16,
    },
    /// The endpoint has a chain of applets, which a key of its table does not support.
    #[error("expected an endpoint with a single applet: {what}")]
    Chain {
        /// The item of the scenario that needs a single applet.
        what: &'static str,
    },
    /// The state of a chain is not a list with one table for each applet.
    #[error("expected a list of {applets} tables, one for each applet of the chain, found {found}")]
    StatesOfChain {
        /// How many applets the chain has.
        applets: usize,
        /// How many tables the list has.
        found: usize,
    },
    /// The name of a field does not say which applet of a chain has it.
    #[error("expected `CLASS.FIELD` with the class of an applet of the chain")]
    FieldOfChain,
    /// The chain is empty.
    #[error("expected at least one applet")]
    NoApplets,
    /// A time in the scenario is zero, but must be positive.
    #[error("expected a time above zero")]
    NotPositive,
    /// Something does not go with a class that is the program of a process.
    #[error("expected {what}, because a process runs a class: {why}")]
    OfProgram {
        /// What there must be in its place.
        what: &'static str,
        /// What the class does or needs.
        why: &'static str,
    },
    /// A path in the scenario is empty.
    #[error("expected a path")]
    EmptyPath,
    /// The scenario names a file, but has no directory.
    #[error("expected `builtin:NAME`: a built-in scenario has no files beside it")]
    NoDirectory,
}

/// Additional help for fixing a mistake.
enum Help<'m> {
    /// No additional help, because the message is enough.
    Message,
    /// A related place in the file, and a note on this place.
    Place(Span, &'static str),
    /// A word that was probably meant in place of the offending text.
    Word(&'m str),
}

impl MistakeKind {
    fn help(&self) -> Help<'_> {
        match *self {
            MistakeKind::DuplicateName { first, .. }
            | MistakeKind::DuplicateChannelNumber { first }
            | MistakeKind::DuplicateWindowNumber { first } => Help::Place(first, "first used here"),
            MistakeKind::PortTwice { first } => Help::Place(first, "first named here"),
            MistakeKind::RouteTwice { first } => Help::Place(first, "first visited here"),
            MistakeKind::DuplicateRoute { first } => Help::Place(first, "first given here"),
            MistakeKind::DuplicateLink { first } => Help::Place(first, "first joined here"),
            MistakeKind::DuplicateHost { first } => Help::Place(first, "first described here"),
            MistakeKind::LoopsExceedHost { place, .. } => place.map_or(Help::Message, |place| {
                Help::Place(place, "the host is described here")
            }),
            MistakeKind::ProcessElsewhere { place } => Help::Place(place, "the process is here"),
            MistakeKind::UnknownName { suggestion, .. } => suggestion
                .map_or(Help::Message, |span| {
                    Help::Place(span, "a similar name is defined here")
                }),
            MistakeKind::UnknownKey { suggestion, .. }
            | MistakeKind::UnknownChoice { suggestion, .. }
            | MistakeKind::UnknownBuiltin { suggestion }
            | MistakeKind::UnknownProfile { suggestion } => {
                suggestion.map_or(Help::Message, Help::Word)
            }
            MistakeKind::UnknownField { ref suggestion, .. } => {
                suggestion.as_deref().map_or(Help::Message, Help::Word)
            }
            MistakeKind::MissingKey { .. }
            | MistakeKind::NoApplet
            | MistakeKind::AmbiguousField { .. }
            | MistakeKind::FieldType
            | MistakeKind::FieldRange { .. }
            | MistakeKind::WrongType { .. }
            | MistakeKind::Unit(_)
            | MistakeKind::OutOfRange { .. }
            | MistakeKind::ProfileLacks { .. }
            | MistakeKind::LinkNeedsProfile
            | MistakeKind::NoLink { .. }
            | MistakeKind::Probability
            | MistakeKind::NameLength
            | MistakeKind::TooMany { .. }
            | MistakeKind::NoNics
            | MistakeKind::Range
            | MistakeKind::UnequalRanges { .. }
            | MistakeKind::ChannelEnds
            | MistakeKind::NoCodeChannel
            | MistakeKind::ExchangeWithoutChannel
            | MistakeKind::CreditsRunOut { .. }
            | MistakeKind::MessageTooLong { .. }
            | MistakeKind::PortEnds
            | MistakeKind::PortToItself
            | MistakeKind::PortOverSwitches
            | MistakeKind::TooManyPorts { .. }
            | MistakeKind::OtherPages { .. }
            | MistakeKind::LmmcFaults
            | MistakeKind::LmmcFlow
            | MistakeKind::ProgramOfMessages
            | MistakeKind::ProgramWithoutPorts { .. }
            | MistakeKind::NoRoomForNumber { .. }
            | MistakeKind::MessageExceedsPage { .. }
            | MistakeKind::ProgramWithoutWindows
            | MistakeKind::RingTooShort { .. }
            | MistakeKind::LinkEnds
            | MistakeKind::SwitchToItself
            | MistakeKind::NoPort { .. }
            | MistakeKind::TopologySize { .. }
            | MistakeKind::PacketLongerThanBuffer { .. }
            | MistakeKind::Deadlock { .. }
            | MistakeKind::RouteEnds
            | MistakeKind::RouteWithoutLink
            | MistakeKind::NoMesh { .. }
            | MistakeKind::SamePlace { .. }
            | MistakeKind::CellsAtSwitch
            | MistakeKind::OtherFlow
            | MistakeKind::SmallSwitchBuffer { .. }
            | MistakeKind::FreeBuffersDoNotFit { .. }
            | MistakeKind::PayloadDoesNotFit { .. }
            | MistakeKind::WindowDoesNotFit { .. }
            | MistakeKind::Hex
            | MistakeKind::OneOf { .. }
            | MistakeKind::NeedsPartner { .. }
            | MistakeKind::Excluded { .. }
            | MistakeKind::NotAGap { .. }
            | MistakeKind::ShortBursts
            | MistakeKind::LongerThanPayload { .. }
            | MistakeKind::NotATime { .. }
            | MistakeKind::NotALength { .. }
            | MistakeKind::NoSuchProcessor { .. }
            | MistakeKind::SharesAlone
            | MistakeKind::UnknownPlacement { .. }
            | MistakeKind::OtherProtocol { .. }
            | MistakeKind::OtherFrames { .. }
            | MistakeKind::ExcludedByInterface { .. }
            | MistakeKind::ReceivesDirectly { .. }
            | MistakeKind::ViChannels { .. }
            | MistakeKind::OtherLevel
            | MistakeKind::NoProvider { .. }
            | MistakeKind::OtherProvider
            | MistakeKind::NotOffered { .. }
            | MistakeKind::CompletionQueueTooSmall { .. }
            | MistakeKind::File(_)
            | MistakeKind::NotUtf8(_)
            | MistakeKind::Profile(_)
            | MistakeKind::Capture(_)
            | MistakeKind::UnknownStateField { .. }
            | MistakeKind::FieldNotStatic
            | MistakeKind::FieldOfRuntime
            | MistakeKind::FieldConstant
            | MistakeKind::StateDoesNotFit { .. }
            | MistakeKind::Chain { .. }
            | MistakeKind::StatesOfChain { .. }
            | MistakeKind::NoApplets
            | MistakeKind::FieldOfChain
            | MistakeKind::StateConstants { .. }
            | MistakeKind::NotPositive
            | MistakeKind::OfProgram { .. }
            | MistakeKind::EmptyPath
            | MistakeKind::NoDirectory => Help::Message,
        }
    }

    /// Returns a place that is related to the mistake, and a note on this place.
    #[must_use]
    pub fn related(&self) -> Option<(Span, &'static str)> {
        match self.help() {
            Help::Place(span, what) => Some((span, what)),
            Help::Message | Help::Word(_) => None,
        }
    }

    /// Returns the word that was probably meant in place of the offending text.
    #[must_use]
    pub fn suggestion(&self) -> Option<&str> {
        match self.help() {
            Help::Word(word) => Some(word),
            Help::Message | Help::Place(..) => None,
        }
    }
}
