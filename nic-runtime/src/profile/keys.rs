//! The table of a profile's keys, one row for each key: meaning, type in the simulation, form in a file, and default.
//! [`sections!`](super::sections) generates the code for the rows of this table.

use std::num::{NonZeroU32, NonZeroU64};

use nic_core::time::SimDuration;

use super::kind::{
    Bytes, CallDepth, CallSlots, Cost, EngineTakes, Engines, EventsBy, Factor, Frequency,
    Instructions, Kind, Multiple, ONE, PacketBytes, Packets, Rate, Share, Slots, Time, WireFlow,
    WireTurns,
};
use super::sections::{Absent, Entry, Key, Moved, Section, sections};
use super::source::{Source, Sourced};
use super::{DmaEngines, Events, Flow, Profile, Takes, WithWire};
use crate::units::UnitError;

/// How long a packet waits at the end of a wire by default: long compared with a message, and short compared with a
/// run.
const TIMEOUT: SimDuration = SimDuration::from_ns(10_000_000);

/// Rate of copies by a processor of 40 MHz that takes four cycles for a word. Chosen, not measured.
const COPY: NonZeroU64 = NonZeroU64::new(40_000_000).expect("40 MB/s is not 0");

/// Mappings of a CLAN NIC: two windows for each of 512 VIs, and as many to spare. Chosen, not measured.
const MAPPINGS: NonZeroU32 = NonZeroU32::new(2_048).expect("2,048 is not 0");

/// Time of a kernel call that writes an entry of the CLAN NIC's table. Chosen, not measured.
const MAP: SimDuration = SimDuration::from_ns(20_000);

/// No time.
const NONE: SimDuration = SimDuration::ZERO;

sections! {
    /// The NIC's processor.
    processor: ProcessorProfile / WrittenProcessor {
        /// Cycles per second.
        clock: NonZeroU64 as Frequency;
        /// Time of each class-file instruction.
        bytecode: SimDuration as Cost;
        /// Most nested calls of an applet's methods.
        call_depth: NonZeroU32 as CallDepth;
        /// Most local variables and operands of all nested calls together.
        call_slots: NonZeroU32 as CallSlots;
        /// Time to pass an item from one processor of a NIC to another.
        handover: SimDuration as Time = NONE;
        /// Factor by which work takes longer while another processor of the NIC is busy (in the program, in
        /// thousandths).
        contention: u32 as Multiple = ONE;
    }

    /// Costs of standard U-Net, for endpoints with and without an applet.
    base optional: BaseCosts / WrittenBase {
        /// Time to take a transmit descriptor.
        transmit: SimDuration as Cost;
        /// Time to take an arrival.
        receive: SimDuration as Cost;
        /// Time to check whether one endpoint has something to send. It is paid for each endpoint of the NIC whenever a
        /// processor takes a descriptor or an arrival.
        poll: SimDuration as Cost = NONE;
    }

    /// Costs of calling an applet.
    entry optional: EntryCosts / WrittenEntry {
        /// Set-up before `doTx`, including the check for a class.
        tx_setup: SimDuration as Cost;
        /// Call of `doTx` and return from it.
        tx_call: SimDuration as Cost;
        /// Set-up before `doRx`, including the check for a class.
        rx_setup: SimDuration as Cost;
        /// Call of `doRx` and return from it.
        rx_call: SimDuration as Cost;
        /// Set-up before `doTimer`.
        timer_setup: SimDuration as Cost, or rx_setup;
        /// Call of `doTimer` and return from it.
        timer_call: SimDuration as Cost, or rx_call;
        /// Set-up before `doRefill`.
        refill_setup: SimDuration as Cost, or rx_setup;
        /// Call of `doRefill` and return from it.
        refill_call: SimDuration as Cost, or rx_call;
        /// Set-up before `doWatch`.
        watch_setup: SimDuration as Cost, or rx_setup;
        /// Call of `doWatch` and return from it.
        watch_call: SimDuration as Cost, or rx_call;
    }

    /// Costs of natives, without the transfers that they start.
    native optional: NativeCosts / WrittenNative {
        /// Natives without a key of their own.
        null_call: SimDuration as Cost;
        /// Popping the free queue.
        free_buffer: SimDuration as Cost;
        /// Setting up a DMA transfer.
        dma_setup: SimDuration as Cost;
        /// Handing a packet to the wire.
        transmit: SimDuration as Cost;
        /// Pushing a receive descriptor that carries the message.
        descriptor_inline: SimDuration as Cost;
        /// Pushing a receive descriptor that names buffers.
        descriptor_buffers: SimDuration as Cost;
        /// Rate of a copy within the NIC, between two applets of a chain.
        copy: NonZeroU64 as Rate = COPY;
    }

    /// Fuel of each class of natives, in instructions, in addition to the call instruction itself.
    native_fuel optional: NativeFuel / WrittenFuel {
        /// Natives without a key of their own.
        null_call: u64 as Instructions;
        /// Pops of the free queue.
        free_buffer: u64 as Instructions;
        /// Set-ups of DMA transfers.
        dma_setup: u64 as Instructions;
        /// Packets.
        transmit: u64 as Instructions;
        /// Receive descriptors that carry the message.
        descriptor_inline: u64 as Instructions;
        /// Receive descriptors that name buffers.
        descriptor_buffers: u64 as Instructions;
    }

    /// The DMA engines between host and NIC memory.
    dma: DmaProfile / WrittenDma {
        /// Number of engines: one for both directions, or one for each direction.
        engines: DmaEngines as Engines;
        /// Rate of a transfer.
        bandwidth: NonZeroU64 as Rate;
        /// Rate of a transfer to the host.
        to_host: NonZeroU64 as Rate, or bandwidth;
        /// Time of each request before its first byte moves.
        request: SimDuration as Time = NONE;
        /// Whether an engine has a queue of requests, or accepts one request at a time and makes processors wait.
        takes: Takes as EngineTakes = Takes::Queue;
        /// Whether a NIC can move bytes to or from its host while it sends a packet, or must do one after the other.
        with_wire: WithWire as WireTurns = WithWire::Parallel;
        /// Bytes that are moved to the host for each receive descriptor.
        descriptor: u32 as Bytes = 0;
    }

    /// The wire; a link may override some keys.
    wire: WireProfile / WrittenWire {
        /// Rate of each direction.
        bandwidth: NonZeroU64 as Rate;
        /// Time from the last bit out to the last bit in.
        latency: SimDuration as Time;
        /// Longest time for which a reordering link holds a packet back behind the next one.
        reorder_max: SimDuration as Time;
        /// Bytes of headers and trailers around each message.
        header: u32 as Bytes = 0;
        /// Least bytes of a frame, headers and trailers included.
        min_frame: u32 as Bytes = 0;
        /// Least idle time after a frame, in bytes.
        gap: u32 as Bytes = 0;
        /// Maximum number of bytes of a packet, without headers and trailers; 0 means as many as the NIC's packets have.
        mtu: u32 as Bytes = 0;
        /// Bytes after which a packet moves on to the next stage: transmit DMA, wire, receive DMA. With 0 a stage
        /// begins when the stage before has ended.
        cell: u32 as Bytes = 0;
        /// When a packet leaves. `hold`: when the receiver has a slot for it. `drop`: at once; without a slot it is
        /// dropped. `stop`: at once; without a slot it waits at the end of the wire, which stops its sender in time.
        flow: Flow as WireFlow = Flow::Hold;
        /// Bytes of the buffer at the end of a wire with `stop`, which holds whole frames.
        buffer: u32 as Bytes = 0;
        /// How long a packet waits in that buffer before it is dropped.
        timeout: SimDuration as Time = TIMEOUT;
    }

    /// The NIC's memory.
    memory: MemoryProfile / WrittenMemory {
        /// Bytes of SRAM, unless the scenario gives them.
        sram: u32 as Bytes;
        /// Maximum number of bytes of a packet.
        max_packet: NonZeroU32 as PacketBytes;
        /// Slots for packets that have arrived and wait for the processor.
        arrival_slots: NonZeroU32 as Slots;
        /// Slots for packets to send.
        send_slots: NonZeroU32 as Slots;
        /// Slots for transfers to the host that applets have queued.
        dma_slots: NonZeroU32 as Slots;
        /// Bytes of heap for an applet's arrays, without `RxBuf`.
        heap: u32 as Bytes;
    }

    /// Costs of EMP, which include the transfers between host and NIC.
    emp optional: EmpCosts / WrittenEmp {
        /// Maximum number of bytes of a message in a frame.
        payload: NonZeroU32 as PacketBytes;
        /// Time to prepare the first frame of a message.
        send_bookkeeping: SimDuration as Cost;
        /// Part of that time for each later frame (in the program, in thousandths).
        later_frames: u32 as Share = ONE;
        /// Time to move a frame from the host to the wire.
        transmission: SimDuration as Cost;
        /// Time to find out what an acknowledgement is for.
        receive_ack: SimDuration as Cost;
        /// Time to update the record of the acknowledged message.
        update_record: SimDuration as Cost;
        /// Time to find the receive of a frame.
        receive_bookkeeping: SimDuration as Cost;
        /// Maximum number of bytes of a small frame, without its header.
        small_frame: u32 as Bytes = 0;
        /// Time that a small frame saves there.
        small_frame_saves: SimDuration as Cost = NONE;
        /// Time to record a frame.
        receive_frame: SimDuration as Cost;
        /// Time to move a frame to the host.
        receive_dma: SimDuration as Cost;
        /// Time to send an acknowledgement.
        send_ack: SimDuration as Cost;
        /// Frames after which an acknowledgement is sent.
        ack_every: NonZeroU32 as Slots;
        /// Time without an acknowledgement after which frames are sent again.
        timeout: SimDuration as Time;
        /// How often in a row they are sent again before the message fails.
        retries: u32 as Packets;
    }

    /// Costs of the library for VIA over remote memory.
    via optional: ViaCosts / WrittenVia {
        /// Time of the library for each message.
        library: SimDuration as Time;
        /// Time to use a receive descriptor of the peer and to begin to write data.
        cookie: SimDuration as Time;
        /// Length from which on messages go by DMA, if the scenario leaves the choice.
        pio_max: u32 as Bytes;
    }

    /// Writes to remote memory by the processor of a host with a CLAN NIC.
    clan optional: ClanCosts / WrittenClan {
        /// Bytes that the bridge collects in a burst.
        burst: u32 as Bytes;
        /// Rate of a burst.
        burst_rate: NonZeroU64 as Rate;
        /// Rate of the bytes behind a burst.
        pio_rate: NonZeroU64 as Rate;
        /// Windows of other nodes that a NIC has mapped at a time, for writes by the processor.
        mappings: NonZeroU32 as Slots = MAPPINGS;
        /// Time of the host to map a window before the processor writes to it.
        map: SimDuration as Time = MAP;
        /// How the library learns that the peer has written. `user`: it looks at its memory, at once. `interrupt`: each
        /// event takes `host.upcall` on a processor of the host first.
        events: Events as EventsBy = Events::User;
    }

    /// Limits of one call of an applet, in addition to fuel and heap. A call that exceeds them traps with
    /// `QuotaExceeded`.
    quota optional: Quota / WrittenQuota {
        /// Bytes moved by DMA, in both directions together.
        dma_bytes: u32 as Bytes;
        /// Packets sent.
        sends: u32 as Packets;
    }

    /// The processor of the host.
    host: HostProfile / WrittenHost {
        /// Time to compose and push a transmit descriptor.
        post: SimDuration as Time;
        /// Time to take a receive descriptor and put its buffers back.
        receive: SimDuration as Time;
        /// Time of an upcall from the NIC.
        upcall: SimDuration as Time;
        /// Rate of reading or copying a message.
        bandwidth: NonZeroU64 as Rate;
        /// Time between two polls of the receive queue, unless the scenario gives it.
        poll_every: SimDuration as Time;
    }
}
