//! The one stream of events: everything a run reports, as values that every output is a fold over.
//!
//! Events are small, carry ids and borrow what they show; names are interned in [`Names`] when the
//! simulation is built. Whoever emits does not know who listens.

use jive_core::{MethodId, Pc, TrapKind};

pub mod fields;
pub mod line;

use crate::id::{ChannelId, EndpointId, NicId, PacketId, PostId};
use crate::time::{SimDuration, SimTime};

/// What a NIC does something for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trigger {
    /// An applet is loaded.
    Load,
    /// The user pushed a transmit descriptor.
    Post(PostId),
    /// A packet arrived.
    Arrival(PacketId),
}

/// One event: when, where, what.
#[derive(Copy, Clone, Debug)]
pub struct Event<'a> {
    /// When it happened; never less than that of the event before.
    pub time: SimTime,
    /// The NIC it happened at.
    pub nic: NicId,
    /// The endpoint it belongs to, where it belongs to one.
    pub endpoint: Option<EndpointId>,
    /// What happened.
    pub kind: EventKind<'a>,
}

/// What happened, with the fields that the trace shows (CONTRACT §6), and those with which the other
/// outputs join events.
#[derive(Copy, Clone, Debug)]
pub enum EventKind<'a> {
    /// An applet's class is loaded: its initializers have returned.
    Load {
        /// Sum of the methods' `code_length`, in bytes.
        code_bytes: u32,
        /// Arrays alive after the constructor, in bytes of heap.
        heap_bytes: u32,
    },
    /// The user pushed a transmit descriptor.
    TxPost {
        /// Channel tag.
        channel: ChannelId,
        /// Offset in the buffer area.
        offset: u32,
        /// Length in bytes.
        length: u32,
        /// The message's bytes; not in the trace.
        payload: &'a [u8],
        /// Which descriptor it is; not in the trace.
        post: PostId,
    },
    /// A transmit descriptor's completion flag is set.
    TxDone {
        /// Channel tag.
        channel: ChannelId,
        /// Offset in the buffer area.
        offset: u32,
        /// Length in bytes.
        length: u32,
        /// How it ended.
        status: TxStatus,
        /// Why the NIC refused it, where it did.
        refusal: Option<Refusal>,
        /// Which descriptor it is; not in the trace.
        post: PostId,
    },
    /// The runtime calls a method of an applet.
    AppletCall {
        /// The method.
        method: MethodId,
        /// Its arguments.
        args: &'a [i32],
        /// What it is called for; not in the trace.
        trigger: Trigger,
    },
    /// A method that the runtime called has returned.
    AppletReturn {
        /// The method.
        method: MethodId,
        /// What it returned; `None` for `void`.
        value: Option<i32>,
        /// Class-file instructions executed, callees' included.
        bytecodes: u64,
    },
    /// A native has completed.
    Native {
        /// Its name.
        name: &'static str,
        /// Its arguments.
        args: &'a [NativeArg],
        /// What it returned; `None` for `void`.
        result: Option<NativeArg>,
        /// When the applet had reached it; not in the trace.
        begun: SimTime,
        /// What it left behind; not in the trace.
        made: Made,
    },
    /// A DMA transfer started.
    Dma {
        /// Which way.
        direction: DmaDirection,
        /// Offset in the endpoint's buffer area.
        offset: u32,
        /// Length in bytes.
        length: u32,
        /// How long it takes.
        duration: SimDuration,
        /// What it is made for; not in the trace.
        trigger: Trigger,
    },
    /// A packet's first bit left on the wire.
    WireTx {
        /// The packet.
        packet: PacketId,
        /// The endpoint it goes to.
        peer: EndpointId,
        /// The sender's number of the channel.
        channel: ChannelId,
        /// The message's bytes.
        payload: &'a [u8],
        /// Time until its last bit has left; not in the trace.
        duration: SimDuration,
        /// What it was made for; not in the trace.
        trigger: Trigger,
    },
    /// A packet's last bit came in.
    WireRx {
        /// The packet.
        packet: PacketId,
        /// The endpoint it came from.
        peer: EndpointId,
        /// The receiver's number of the channel.
        channel: ChannelId,
        /// The message's bytes.
        payload: &'a [u8],
    },
    /// The wire lost a packet, or its CRC gave it away.
    WireDrop {
        /// The packet.
        packet: PacketId,
        /// Why.
        reason: WireDropReason,
    },
    /// A receive descriptor became visible to the user.
    RxDescriptor {
        /// The packet that was handled when the descriptor was pushed; `None` where a `doTx` pushed it.
        packet: Option<PacketId>,
        /// The receiver's number of the channel, as the descriptor says it.
        channel: ChannelId,
        /// The message's length in bytes.
        length: u32,
        /// Where the message lies.
        body: RxBody<'a>,
    },
    /// The runtime dropped a packet.
    Drop {
        /// The packet; `None` where a `doTx` trapped.
        packet: Option<PacketId>,
        /// Why.
        reason: DropReason,
    },
    /// A call of an applet ended in a trap.
    Trap {
        /// Which trap.
        kind: TrapKind,
        /// The innermost method.
        method: MethodId,
        /// The instruction that trapped.
        pc: Pc,
        /// Its source line, where the class has line numbers.
        line: Option<u16>,
    },
    /// An applet trapped so often in a row that its endpoint is on the base path for a while.
    AppletDetach {
        /// Traps since a call last returned.
        traps: u32,
        /// For how long the applet gets no call.
        duration: SimDuration,
        /// What it trapped on last; not in the trace.
        trigger: Trigger,
    },
    /// The time of a detached applet is over and it takes what its endpoint has to do: this is about
    /// to be its first call.
    AppletAttach {
        /// What it is about to be called for; not in the trace.
        trigger: Trigger,
    },
    /// A call of an applet waits for a place for the packet that it pushes; the processor serves others.
    AppletSuspend {
        /// What the applet was called for; not in the trace.
        trigger: Trigger,
    },
    /// A suspended call goes on: its packet has a place.
    AppletResume {
        /// What the applet was called for; not in the trace.
        trigger: Trigger,
    },
    /// An endpoint's queues or its applet's heap hold more or less than before. The trace does not
    /// show it, and it is not counted among its events.
    Levels(Levels),
}

/// What a native left behind.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// Neither a packet nor a descriptor.
    Nothing,
    /// This packet, which is about to leave.
    Packet(PacketId),
    /// A receive descriptor, which the user is about to see.
    Descriptor,
}

/// How much an endpoint's queues and its applet's heap hold.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// Transmit descriptors that are not done.
    pub transmit: u32,
    /// Receive descriptors that the user sees and has not taken.
    pub receive: u32,
    /// Free buffers in the free queue.
    pub free: u32,
    /// Bytes of the applet's heap that arrays take; 0 without an applet.
    pub heap: u32,
}

/// How a transmit descriptor ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TxStatus {
    /// Every packet it led to has left.
    Ok,
    /// `doTx` trapped.
    Trap,
    /// It names what the endpoint may not send; no call was made.
    Refused,
}

/// Why a NIC refuses a transmit descriptor.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The endpoint has no channel of this number.
    UnknownChannel,
    /// Its bytes lie outside of the endpoint's buffer area.
    OutsideArea,
    /// The message is longer than a packet may be (base path).
    TooLong,
}

/// Which way a DMA transfer goes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DmaDirection {
    /// From the buffer area into NIC memory.
    HostToNic,
    /// From NIC memory into the buffer area.
    NicToHost,
}

/// Why the wire dropped a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WireDropReason {
    /// The link lost it.
    Loss,
    /// A bit was flipped and the CRC caught it.
    Crc,
}

/// Why the runtime dropped a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The free queue does not hold the buffers that the message needs.
    NoFreeBuffer,
    /// The receive queue is full.
    RxQueueFull,
    /// The applet trapped on it.
    AppletTrap,
    /// The message needs more buffers than a descriptor names (base path).
    TooLong,
    /// Its sender would wait for itself: the applets of a circle of endpoints all push packets to the next.
    /// Or the sender could not wait: its call needs more memory than its heap has left.
    NicFull,
    /// The user has no room to send it on: it is longer than the whole transmit region (`echo`).
    NoTransmitRoom,
}

/// Where a received message lies.
#[derive(Copy, Clone, Debug)]
pub enum RxBody<'a> {
    /// In the descriptor itself.
    Inline(&'a [u8]),
    /// In buffers of the buffer area.
    Buffers {
        /// Offset of each share.
        offsets: &'a [u32],
        /// Bytes in each share but the last, which may hold fewer.
        share: u32,
        /// The endpoint's buffer area, to read the message from.
        area: &'a [u8],
    },
}

/// An argument or result of a native, as the trace shows it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum NativeArg {
    /// An integer.
    Int(i32),
    /// The null reference.
    Null,
    /// An array, shown as `byte[4096]`.
    Array {
        /// Name of its element type in Java.
        element: &'static str,
        /// Its length in elements.
        length: u32,
    },
}

/// Names of what the ids of a run's events stand for, interned when the simulation is built.
pub trait Names {
    /// Returns the NIC's name in the scenario.
    fn nic(&self, nic: NicId) -> &str;
    /// Returns the endpoint's name in the scenario.
    fn endpoint(&self, endpoint: EndpointId) -> &str;
    /// Returns the NIC that the endpoint lives on.
    fn home(&self, endpoint: EndpointId) -> NicId;
    /// Returns the name of the class that the endpoint loaded, or `None` where it loaded none.
    fn class(&self, endpoint: EndpointId) -> Option<&str>;
    /// Returns the method's name in the class that the endpoint loaded.
    fn method(&self, endpoint: EndpointId, method: MethodId) -> &str;
}

/// Why a run ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// Nothing was left to do.
    Idle,
    /// The scenario's `until` was reached.
    Until,
    /// The scenario's `max_events` was reached.
    MaxEvents,
    /// An applet was about to execute more than the scenario's `max_bytecodes` left.
    MaxBytecodes,
    /// An applet trapped while it was loaded.
    LoadTrap,
    /// Whoever listened has failed.
    Unheard,
    /// The user ended it.
    Interrupted,
}

/// What listens to a run.
pub trait Sink {
    /// Whether anyone listens. Where nobody does, no event is made.
    const LISTENS: bool = true;

    /// Takes one event; `names` tells what its ids stand for.
    fn event(&mut self, names: &dyn Names, event: &Event<'_>);

    /// Returns whether what is still to come would be lost on it, as on a pipe that nobody reads; the run
    /// ends then.
    fn has_failed(&self) -> bool {
        false
    }

    /// Returns whether the user wants the run to end now. A run asks once in many events.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// Nobody listens, and nobody pays.
impl Sink for () {
    const LISTENS: bool = false;

    fn event(&mut self, _names: &dyn Names, _event: &Event<'_>) {}
}
