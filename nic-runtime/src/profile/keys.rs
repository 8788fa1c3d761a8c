//! The table of a profile's keys, one row for each key: meaning, type in the simulation, form in a file, and default.
//! [`sections!`](super::sections) generates the code for the rows of this table.

use std::num::{NonZeroU32, NonZeroU64};

use nic_core::sle::Need;
use nic_core::time::SimDuration;
use nic_core::via::SEGMENTS_MAX;

use super::kind::{
    Bytes, CallDepth, CallSlots, Cost, EngineTakes, Engines, EventsBy, Factor, Frequency,
    Instructions, Kind, LocksOf, LoopPlace, Multiple, ONE, OrderAtPort, PacketBytes, Packets, Rate,
    ReadPointerTold, SchedulingOf, Segments, Share, Slots, StalledStoreDoes, Time, VictimChosen,
    WireFlow, WireTurns,
};
use super::receive::{Listed, Receive};
use super::sections::{Absent, Entry, Key, Moved, Moving, Section, sections};
use super::source::{Source, Sourced};
use super::{
    DmaEngines, Events, Flow, Locks, Place, PortOrder, ReadPointer, Scheduling, StalledStore,
    Takes, Victim, WithWire,
};
use crate::spec::placement::EmpPlaces;
use crate::units::UnitError;

/// How long a packet waits at the end of a wire by default: long compared with a message, and short compared with a
/// run.
const TIMEOUT: SimDuration = SimDuration::from_ns(10_000_000);

/// Rate of copies by a processor of 40 MHz that takes four cycles for a word. Chosen, not measured.
const COPY: NonZeroU64 = NonZeroU64::new(40_000_000).expect("40 MB/s is not 0");

/// Mappings of a CLAN NIC: a registered region for each of 256 VIs. Chosen, not measured.
const MAPPINGS: NonZeroU32 = NonZeroU32::new(256).expect("256 is not 0");

/// The number of segments of a descriptor, if a profile does not give it: all that a descriptor of VIA over remote memory
/// can announce.
const SEGMENTS: NonZeroU32 = NonZeroU32::new(SEGMENTS_MAX).expect("252 is not 0");

/// Time of a kernel call that writes an entry of the CLAN NIC's table. Chosen, not measured.
const MAP: SimDuration = SimDuration::from_ns(20_000);

/// Time of an instruction of a program on the host, if a profile does not give it: compiled code at about 450 MHz. Chosen,
/// not measured.
const BYTECODE: SimDuration = SimDuration::from_ps(2_222);

/// Times of a collection on a processor of 40 MHz: some 400 cycles, and 40 for each root. Chosen, not measured.
const COLLECT: SimDuration = SimDuration::from_ns(10_000);
const ROOT: SimDuration = SimDuration::from_ns(1_000);

/// No time.
const NONE: SimDuration = SimDuration::ZERO;

sections! {
    /// The NIC's processor.
    processor: ProcessorProfile / WrittenProcessor holds semaphore: WrittenSemaphore {
        /// Cycles of the NIC's processor per second.
        clock: NonZeroU64 as Frequency;
        /// Time of the NIC's processor for each class-file instruction of an applet.
        bytecode: SimDuration as Cost;
        /// Factor by which compiled code of an applet is faster than interpreted code. An instruction takes
        /// `processor.bytecode` divided by this factor, also where another key's time includes the instruction. The Rust
        /// struct stores the factor in thousandths.
        compiled: u32 as Multiple = ONE;
        /// Maximum number of nested calls of an applet's methods.
        call_depth: NonZeroU32 as CallDepth;
        /// Maximum number of local variables and operands of all nested calls of an applet together.
        call_slots: NonZeroU32 as CallSlots;
        /// Time to pass an item of work from one processor of a NIC to another processor of the same NIC.
        handover: SimDuration as Time = NONE;
        /// Factor by which a processor's work takes longer while another processor of the NIC is busy. The Rust struct
        /// stores the factor in thousandths.
        contention: u32 as Multiple = ONE;
        /// Time of a stage of EMP to read and write one of its records in the SRAM that the processors share. The times of
        /// the stages in `[emp]` include it.
        shared: SimDuration as Cost = NONE;
        /// Time of a stage of EMP to read and write one of its records in the scratchpad of its processor, where records lie
        /// with `semaphore.locks = "private"`.
        local: SimDuration as Cost, or shared;
        /// Where the loops and applets of NICs run. With `nic`, they run on the processors of the NIC. With `host`, the NIC
        /// cannot be programmed: its loops take processors of the host from the host's processes and copy all bytes
        /// themselves, at the costs of `[kernel]`. The costs of the NIC's processor are then those of the host's. Of
        /// `[dma]` only `dma.descriptor` has a meaning then.
        place: Place as LoopPlace = Place::Nic;
    }

    /// The host's kernel, for `processor.place = "host"`. Without a NIC in host software the section has no meaning.
    kernel optional: KernelCosts / WrittenKernel {
        /// Time of a system call, which a host program makes for each transmit descriptor that it posts.
        call: SimDuration as Cost;
        /// Time of the interrupt for each packet that arrives.
        interrupt: SimDuration as Cost;
        /// Rate at which the kernel copies bytes between a buffer area and a packet.
        copy: NonZeroU64 as Rate;
    }

    /// Costs of standard U-Net, for endpoints with and without an applet.
    base optional: BaseCosts / WrittenBase {
        /// Time of the NIC's processor to take a transmit descriptor.
        transmit: SimDuration as Cost;
        /// Time of the NIC's processor to take a packet that has arrived.
        receive: SimDuration as Cost;
        /// Time of the NIC's processor to check whether one endpoint has something to send. Whenever a processor takes
        /// a descriptor or an arrived packet, the processor pays `base.poll` for each endpoint of the NIC.
        poll: SimDuration as Cost = NONE;
    }

    /// Costs of calling an applet.
    entry optional: EntryCosts / WrittenEntry {
        /// Time to set up a call of `doTx`, including the check whether the endpoint has an applet.
        tx_setup: SimDuration as Cost;
        /// Time of the NIC to call `doTx` and to return from `doTx`.
        tx_call: SimDuration as Cost;
        /// Time to set up a call of `doRx`, including the check whether the endpoint has an applet.
        rx_setup: SimDuration as Cost;
        /// Time of the NIC to call `doRx` and to return from `doRx`.
        rx_call: SimDuration as Cost;
        /// Time to set up a call of `doTimer`.
        timer_setup: SimDuration as Cost, or rx_setup;
        /// Time of the NIC to call `doTimer` and to return from `doTimer`.
        timer_call: SimDuration as Cost, or rx_call;
        /// Time to set up a call of `doRefill`.
        refill_setup: SimDuration as Cost, or rx_setup;
        /// Time of the NIC to call `doRefill` and to return from `doRefill`.
        refill_call: SimDuration as Cost, or rx_call;
        /// Time to set up a call of `doWatch` or `doRead`.
        watch_setup: SimDuration as Cost, or rx_setup;
        /// Time of the NIC to call `doWatch` or `doRead`, and to return from it.
        watch_call: SimDuration as Cost, or rx_call;
    }

    /// Costs of natives, without the transfers that they start.
    native optional: NativeCosts / WrittenNative {
        /// Time of each native that has no key of its own in `[native]`.
        null_call: SimDuration as Cost;
        /// Time of a native to pop the free queue.
        free_buffer: SimDuration as Cost;
        /// Time of a native to set up a DMA transfer, without the transfer itself.
        dma_setup: SimDuration as Cost;
        /// Time of a native to hand a packet to the wire.
        transmit: SimDuration as Cost;
        /// Time of a native to push a receive descriptor that contains the message.
        descriptor_inline: SimDuration as Cost;
        /// Time of a native to push a receive descriptor that names buffers.
        descriptor_buffers: SimDuration as Cost;
        /// Rate at which a NIC copies a message from one applet of a chain to the next applet of the chain.
        copy: NonZeroU64 as Rate = COPY;
        /// Time of a collection of an applet's arrays (`heap = "collected"`), whatever it finds. What moves is copied at
        /// `native.copy`.
        collect: SimDuration as Cost = COLLECT;
        /// Time of a collection for each place that names an array.
        root: SimDuration as Cost = ROOT;
    }

    /// Fuel of each class of natives, in instructions, in addition to the call instruction itself.
    native_fuel optional: NativeFuel / WrittenFuel {
        /// Fuel, in instructions, of each native that has no key of its own in `[native_fuel]`.
        null_call: u64 as Instructions;
        /// Fuel, in instructions, of a native that pops the free queue.
        free_buffer: u64 as Instructions;
        /// Fuel, in instructions, of a native that sets up a DMA transfer.
        dma_setup: u64 as Instructions;
        /// Fuel, in instructions, of a native that sends a packet.
        transmit: u64 as Instructions;
        /// Fuel, in instructions, of a native that pushes a receive descriptor that contains the message.
        descriptor_inline: u64 as Instructions;
        /// Fuel, in instructions, of a native that pushes a receive descriptor that names buffers.
        descriptor_buffers: u64 as Instructions;
    }

    /// The DMA engines between host and NIC memory.
    dma: DmaProfile / WrittenDma {
        /// Number of the NIC's DMA engines: one for both directions, or one for each direction.
        engines: DmaEngines as Engines;
        /// Rate of a DMA transfer, unless `dma.to_host` gives another rate for the direction to the host.
        bandwidth: NonZeroU64 as Rate;
        /// Rate of a DMA transfer from the NIC to the host.
        to_host: NonZeroU64 as Rate, or bandwidth;
        /// Time of each DMA request before its first byte moves.
        request: SimDuration as Time = NONE;
        /// Whether a DMA engine queues requests (`queue`) or accepts one request at a time (`one`). With `one`, a
        /// processor that has a request for a busy engine waits.
        takes: Takes as EngineTakes = Takes::Queue;
        /// Whether a NIC can move bytes to or from its host while it sends a packet (`parallel`). With `in-turn`, a NIC
        /// either sends a packet or moves bytes to or from its host.
        with_wire: WithWire as WireTurns = WithWire::Parallel;
        /// Number of bytes that a DMA engine moves to the host for each receive descriptor.
        descriptor: u32 as Bytes = 0;
    }

    /// The wire; a link may override some keys.
    wire: WireProfile / WrittenWire {
        /// Rate of each direction of a link.
        bandwidth: NonZeroU64 as Rate;
        /// Time from when the last bit of a packet leaves the sender until this last bit arrives at the receiver.
        latency: SimDuration as Time;
        /// Longest time for which a link that reorders packets holds a packet back behind the next packet.
        reorder_max: SimDuration as Time;
        /// Number of bytes of headers and trailers around each message on the wire.
        header: u32 as Bytes = 0;
        /// Minimum number of bytes of a frame on the wire, headers and trailers included.
        min_frame: u32 as Bytes = 0;
        /// Minimum idle time of the wire after a frame, expressed as a number of bytes.
        gap: u32 as Bytes = 0;
        /// Maximum number of bytes of a packet on the wire, without headers and trailers. If `wire.mtu` is 0, the wire
        /// carries packets as long as the NIC's longest packets.
        mtu: u32 as Bytes = 0;
        /// Number of bytes after which a packet moves on to its next stage: transmit DMA, wire, receive DMA. If
        /// `wire.cell` is 0, a stage of a packet begins when the previous stage has ended.
        cell: u32 as Bytes = 0;
        /// Number of the NIC's ports, each of which has one link; all packets on a link share its bandwidth. If
        /// `wire.ports` is 0, the NIC has a link of its own to each other NIC.
        ports: u32 as Packets = 0;
        /// When a packet leaves its sender. With `hold`, a packet leaves when the receiver has a slot for the packet.
        /// With `drop`, a packet leaves at once, and a receiver without a free slot drops the packet. With `stop`, a
        /// packet leaves at once, and waits at the end of the wire until the receiver has a slot. With `stop`, the
        /// sender stops before the packets at the end of the wire exceed `wire.buffer`.
        flow: Flow as WireFlow = Flow::Hold;
        /// Number of bytes of the buffer at the end of a wire with `wire.flow = "stop"`. The buffer at the end of a
        /// wire holds whole frames.
        buffer: u32 as Bytes = 0;
        /// How long a packet waits in the buffer at the end of a wire before the packet is dropped.
        timeout: SimDuration as Time = TIMEOUT;
    }

    /// The NIC's ports. Without this section, packets leave in the order in which they were handed over.
    port optional: PortProfile / WrittenPort {
        /// Order in which packets leave that wait for the same port of the NIC. With `handed-over`, the packet leaves
        /// first that was handed over first. With `round-robin`, the channels take turns, and each sends one packet when
        /// it has its turn. The VIs and windows of two endpoints take their turns as one channel.
        order: PortOrder as OrderAtPort;
    }

    /// The NIC's memory.
    memory: MemoryProfile / WrittenMemory {
        /// Number of bytes of a NIC's SRAM, unless the scenario gives this number.
        sram: u32 as Bytes;
        /// Maximum number of bytes of a packet.
        max_packet: NonZeroU32 as PacketBytes;
        /// Number of a NIC's slots for packets that have arrived and wait for the processor.
        arrival_slots: NonZeroU32 as Slots;
        /// Number of a NIC's slots for packets to send.
        send_slots: NonZeroU32 as Slots;
        /// Number of a NIC's slots for DMA transfers to the host that applets have queued.
        dma_slots: NonZeroU32 as Slots;
        /// Number of bytes of the heap for an applet's arrays, without the array `RxBuf`.
        heap: u32 as Bytes;
        /// Maximum number of segments of a VI's descriptor.
        segments: NonZeroU32 as Segments = SEGMENTS;
    }

    /// Costs of EMP, which include the transfers between host and NIC.
    emp optional: EmpCosts / WrittenEmp {
        /// Maximum number of bytes of a message in one EMP frame.
        payload: NonZeroU32 as PacketBytes;
        /// Time of the NIC to prepare the first EMP frame of a message.
        send_bookkeeping: SimDuration as Cost;
        /// Part of `emp.send_bookkeeping` that the NIC takes to prepare each later frame of a message. The Rust struct
        /// stores the part in thousandths.
        later_frames: u32 as Share = ONE;
        /// Time of the NIC to move an EMP frame from the host to the wire.
        transmission: SimDuration as Cost;
        /// Time of the NIC to find out which message an EMP acknowledgement is for.
        receive_ack: SimDuration as Cost;
        /// Time of the NIC to update the record of an acknowledged EMP message.
        update_record: SimDuration as Cost;
        /// Time of the NIC to find the posted receive to which an EMP frame belongs.
        receive_bookkeeping: SimDuration as Cost;
        /// Maximum number of bytes of a small EMP frame, without the frame's header.
        small_frame: u32 as Bytes = 0;
        /// Time by which `emp.receive_bookkeeping` is shorter for a small frame.
        small_frame_saves: SimDuration as Cost = NONE;
        /// Time of the NIC to record an EMP frame that has arrived.
        receive_frame: SimDuration as Cost;
        /// Time of the NIC to move an EMP frame to the host.
        receive_dma: SimDuration as Cost;
        /// Time of the NIC to send an EMP acknowledgement.
        send_ack: SimDuration as Cost;
        /// Number of EMP frames after which the receiver sends an acknowledgement.
        ack_every: NonZeroU32 as Slots;
        /// Time without an acknowledgement after which an EMP sender sends unacknowledged frames again.
        timeout: SimDuration as Time;
        /// How often in a row an EMP sender sends frames again before the message fails.
        retries: u32 as Packets;
    }

    /// Costs of the library for VIA over remote memory.
    via optional: ViaCosts / WrittenVia {
        /// Time of the VIA library on the host for each message.
        library: SimDuration as Time;
        /// Time of the VIA library to use a receive descriptor of the peer and to begin to write data.
        cookie: SimDuration as Time;
        /// Length from which on the VIA library moves messages by DMA, if the scenario leaves the choice to the
        /// library.
        pio_max: u32 as Bytes;
    }

    /// Writes to remote memory by the processor of a host with a CLAN NIC.
    clan optional: ClanCosts / WrittenClan {
        /// Number of bytes of a message that the bus bridge collects in a burst when the host's processor writes to
        /// remote memory.
        burst: u32 as Bytes;
        /// Rate of the bytes of a message in the bus bridge's burst.
        burst_rate: NonZeroU64 as Rate;
        /// Rate of the bytes of a message behind the bus bridge's burst.
        pio_rate: NonZeroU64 as Rate;
        /// Number of registered regions of other nodes that a NIC has mapped at a time, for writes by the host's
        /// processor. The rings of connections are mapped besides.
        mappings: NonZeroU32 as Slots = MAPPINGS;
        /// Time of the host to map a window before the host's processor writes to the window.
        map: SimDuration as Time = MAP;
        /// How the VIA library learns that the peer has written. With `user`, the library looks at its memory and
        /// learns of a write at once. With `interrupt`, an event of a VI with a completion queue, or of a VI whose user
        /// waits for an upcall, first takes `host.upcall` on a processor of the host.
        events: Events as EventsBy = Events::User;
        /// When the reader of the transfer queue tells the writer how far it has read. With `each`, the reader writes
        /// its pointer for every message. With `lazy`, it does so after half a ring.
        read_pointer: ReadPointer as ReadPointerTold = ReadPointer::Lazy;
        /// Time of the host for the interrupt that ends each DMA request. The NIC takes its next request when the
        /// interrupt is over.
        dma_interrupt: SimDuration as Time = NONE;
        /// Minimum number of bytes of a DMA request that the NIC carries out. The host's processor writes the bytes of
        /// a shorter request itself, and each such request takes the host `dma.request`.
        dma_min: u32 as Bytes = 0;
    }

    /// LMMC: communication memory that the operating system pages. All times are the host's, unless their key says
    /// otherwise.
    lmmc optional: LmmcCosts / WrittenLmmc {
        /// Number of bytes of a page, which is also the length of a port and of a frame: a power of two.
        page: u32 as Bytes;
        /// Maximum number of ports of each direction of a link.
        ports: NonZeroU32 as Slots;
        /// Number of frames of each direction of a link. As many ports are resident at a time.
        frames: NonZeroU32 as Slots;
        /// Which port goes out when all frames are taken. With `fifo`, it is the one that came in first. With `clock`, it
        /// is the next one that was not written since the last search.
        victim: Victim as VictimChosen = Victim::Fifo;
        /// What happens to a store for which the link has no room. With `restarts`, the processor gives the store up, takes
        /// traps meanwhile, and makes the store again when there is room. With `waits`, the store holds the processor, which
        /// takes no trap until the store is made.
        stalled_store: StalledStore as StalledStoreDoes = StalledStore::Restarts;
        /// Which process runs next on a host with fewer processors than processes. With `preferred`, it is a process whose
        /// port was just paged in. With `plain`, the processes take their turns.
        scheduling: Scheduling as SchedulingOf = Scheduling::Preferred;
        /// How long gathered writes stay in their line, counted from the first of them (late update).
        late_flush: SimDuration as Time;
        /// Time of a store that finds its page: the processor writes to the interface. The bytes take `host.bandwidth`
        /// besides.
        issue: SimDuration as Time;
        /// Time from the arrival of a set-up message or of a paging request until the interface raises the host's trap.
        interrupt: SimDuration as Time;
        /// Time to take a trap: from the store, or from the interface's signal, to the first instruction that serves it (step
        /// 1 of both sides).
        trap: SimDuration as Time;
        /// Time to find a port: by the page table on the faulting side, by the request and the frame table on the receiving
        /// side (step 2 of both sides).
        find: SimDuration as Time;
        /// Time to choose the port that goes out (step 3 of the faulting side).
        choose: SimDuration as Time;
        /// Time to make a paging request and to hand it to the interface (step 4 of the faulting side).
        request: SimDuration as Time;
        /// Time to change the entry of a page table, for each page that maps a port (steps 5 and 6 of the faulting side, and
        /// steps 4 and 6 of the receiving side).
        entry: SimDuration as Time;
        /// Time to return from a trap (step 7 of both sides).
        resume: SimDuration as Time;
        /// Time of a call of the operating system that creates, maps or deletes a port, or changes its policy.
        call: SimDuration as Time;
        /// Time to serve a set-up message, in addition to `lmmc.trap` and `lmmc.resume`.
        set_up: SimDuration as Time;
    }

    /// Limits of one call of an applet, in addition to fuel and heap. A call that exceeds them traps with
    /// `QuotaExceeded`.
    quota optional: Quota / WrittenQuota {
        /// Maximum number of bytes that one call of an applet moves by DMA, in both directions together.
        dma_bytes: u32 as Bytes;
        /// Maximum number of packets that one call of an applet sends.
        sends: u32 as Packets;
    }

    /// What keeps applets of a NIC from breaking the connections of their neighbours. Without this section a call of an
    /// applet holds its processor until the call ends.
    nic optional: NicProfile / WrittenNic {
        /// For how long calls of applets hold a processor of the NIC while work waits that keeps connections alive. Then
        /// the running call yields to the stages of EMP and the receive work of VIA. At most an eighth of
        /// `emp.timeout`, and of the 20 ms after which a VI takes a packet for lost.
        slice: SimDuration as Time;
        /// Number of bytes at the beginning of each packet that a NIC with `receive = "direct"` keeps in an arrival
        /// slot, for the native `peek`. It is required with `receive = "direct"`, and is 0 without.
        header: u32 as Bytes = 0;
    }

    /// How the processors of a NIC exclude each other in the stages of EMP. Without this section the stages take no
    /// semaphore. The section may also be written as a value: `processor.semaphore = { take = …, spin = …, release = … }`.
    semaphore optional: SemaphoreProfile / WrittenSemaphore {
        /// Time of a processor to take a free semaphore: it writes to its own register, and reads it once.
        take: SimDuration as Cost;
        /// Time between two reads of a processor's own register, while another processor holds the semaphore.
        spin: SimDuration as Cost;
        /// Time of a processor to release a semaphore.
        release: SimDuration as Cost;
        /// Part of its time in which a stage of EMP needs the shared records that it touches. The part comes last, and for
        /// its length the stage holds the semaphores of these records. The Rust struct stores the part in thousandths.
        held: u32 as Share = ONE;
        /// What a semaphore protects. With `one`, a single semaphore protects all records that stages of several
        /// processors touch, and the event registers. With `per-object`, each kind of record has its own. With `private`,
        /// each processor has its own records in its scratchpad, and none needs a semaphore.
        locks: Locks as LocksOf = Locks::One;
    }

    /// The processor of the host.
    host: HostProfile / WrittenHost {
        /// Time of a host program to compose and push a transmit descriptor.
        post: SimDuration as Time;
        /// Time of a host program to take a receive descriptor and to put the descriptor's buffers back.
        receive: SimDuration as Time;
        /// Time of an upcall from the NIC to the host.
        upcall: SimDuration as Time;
        /// Rate at which a host program reads or copies a message.
        bandwidth: NonZeroU64 as Rate;
        /// Time between two polls of the receive queue by a host program, unless the scenario gives this time.
        poll_every: SimDuration as Time;
        /// How long a process looks for another value of a word of a page, before it gives its processor up and waits for the
        /// next write (LMMC).
        spin: SimDuration as Time = NONE;
        /// Rate at which a processor of the host copies bytes from one place of its memory to another, as the library of
        /// Javia does.
        copy: NonZeroU64 as Rate, or bandwidth;
        /// Time of the host for each class-file instruction of a program.
        bytecode: SimDuration as Time = BYTECODE;
        /// Time to verify a byte of a class file on the host. The class of a `[[swap]]` reaches its NIC that much later.
        /// The daemon that verifies has a processor of its own.
        verify: SimDuration as Time = NONE;
    }

    /// Costs of the library with which a class on the host uses VIA (Javia).
    javia optional: JaviaCosts / WrittenJavia {
        /// Time of a call of a native that does nothing. Each native takes this time before it begins.
        native: SimDuration as Time;
        /// Time of the library for each message that a native of Javia-I sends.
        message: SimDuration as Time;
        /// Time to bring a ring of tickets up to date, for each message that a posted receive of Javia-I takes, or that a
        /// posted send has sent.
        ring: SimDuration as Time;
        /// Time to pin an array and to unpin it, whatever its length.
        pin: SimDuration as Time = NONE;
        /// Time to pin and unpin each page of an array.
        pin_page: SimDuration as Time;
        /// Part of the time of pinning and unpinning that is over before the descriptor is posted. The Rust struct stores
        /// the part in thousandths.
        pin_before: u32 as Share;
        /// Time of a native for a buffer of Javia-II, in addition to `javia.native`.
        buffer: SimDuration as Time;
        /// Rate at which the program's memory manager makes arrays, with the share of a collection that each byte will
        /// cost.
        allocate: NonZeroU64 as Rate;
        /// Time of a collection, whatever it finds.
        collect: SimDuration as Time;
        /// Time of a collection for each place that names an array.
        root: SimDuration as Time;
    }
}
