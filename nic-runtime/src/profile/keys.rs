//! Every key of a profile, a row each: what it means, what it is in the simulation, how a file writes it, and its
//! default. [`sections!`](super::sections) makes the rest of these rows.

use std::num::{NonZeroU32, NonZeroU64};

use nic_core::time::SimDuration;

use super::kind::{
    Bytes, CallDepth, CallSlots, Cost, EngineTakes, Engines, Factor, Frequency, Instructions, Kind,
    Multiple, ONE, PacketBytes, Packets, Rate, Slots, Time, WireFlow, WireTurns,
};
use super::sections::{Absent, Entry, Key, Moved, Section, sections};
use super::source::{Source, Sourced};
use super::{DmaEngines, Flow, Profile, Takes, WithWire};
use crate::units::UnitError;

/// How long a packet waits at the end of a wire: long beside a message, and short beside a run.
const TIMEOUT: SimDuration = SimDuration::from_ns(10_000_000);

/// No time.
const NONE: SimDuration = SimDuration::ZERO;

sections! {
    /// The NIC's processor.
    processor: ProcessorProfile / WrittenProcessor {
        /// Cycles per second.
        clock: NonZeroU64 as Frequency;
        /// What each class-file instruction takes.
        bytecode: SimDuration as Cost;
        /// Calls of an applet's methods that may be nested.
        call_depth: NonZeroU32 as CallDepth;
        /// Locals and operands that nested calls may hold together.
        call_slots: NonZeroU32 as CallSlots;
        /// Passing an item from one processor of a NIC to another.
        handover: SimDuration as Time = NONE;
        /// What work takes while a neighbour on the NIC is busy too, as a multiple of what it takes alone (in the program, in thousandths).
        contention: u32 as Multiple = ONE;
    }

    /// What standard U-Net takes, with or without an applet.
    base optional: BaseCosts / WrittenBase {
        /// Taking a transmit descriptor.
        transmit: SimDuration as Cost;
        /// Taking an arrival.
        receive: SimDuration as Cost;
        /// Looking whether one endpoint has something to send; paid for each endpoint of the NIC whenever its processor
        /// takes a descriptor or an arrival.
        poll: SimDuration as Cost = NONE;
    }

    /// What calling an applet takes.
    entry optional: EntryCosts / WrittenEntry {
        /// Check for a class and set-up, before `doTx`.
        tx_setup: SimDuration as Cost;
        /// Call of `doTx` and return from it.
        tx_call: SimDuration as Cost;
        /// Check for a class and set-up, before `doRx`.
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
    }

    /// What calling a native takes, the transfers that it starts not included.
    native optional: NativeCosts / WrittenNative {
        /// Natives without a row of their own.
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
    }

    /// Instructions that each class of natives adds to the fuel its call uses, beside its own one.
    native_fuel optional: NativeFuel / WrittenFuel {
        /// Natives without a row of their own.
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
        /// One engine for transfers of both directions, or one for each.
        engines: DmaEngines as Engines;
        /// What an engine moves.
        bandwidth: NonZeroU64 as Rate;
        /// What it moves to the host.
        to_host: NonZeroU64 as Rate, or bandwidth;
        /// What it takes for each request before the first byte moves.
        request: SimDuration as Time = NONE;
        /// Whether it takes requests while it works, or one at a time, for which processors wait.
        takes: Takes as EngineTakes = Takes::Queue;
        /// Whether transfers to and from the host go on while the NIC sends a packet, or take turns with that.
        with_wire: WithWire as WireTurns = WithWire::Parallel;
        /// What an engine moves to the host for each receive descriptor.
        descriptor: u32 as Bytes = 0;
    }

    /// The wire, where a link does not say otherwise.
    wire: WireProfile / WrittenWire {
        /// What each direction carries.
        bandwidth: NonZeroU64 as Rate;
        /// Time from last bit out to last bit in.
        latency: SimDuration as Time;
        /// How long a link that reorders holds a packet back for the next.
        reorder_max: SimDuration as Time;
        /// Headers and trailers around each message.
        header: u32 as Bytes = 0;
        /// The shortest frame, headers and trailers included.
        min_frame: u32 as Bytes = 0;
        /// For how many bytes the wire is idle behind a frame.
        gap: u32 as Bytes = 0;
        /// What a packet on it has at most, headers and trailers not included; 0 is as much as the NIC's packets.
        mtu: u32 as Bytes = 0;
        /// Bytes after which the rest of a packet follows through transmit DMA, wire and receive DMA. 0 means all of
        /// it: each stage begins when the one before is over.
        cell: u32 as Bytes = 0;
        /// When a packet leaves: when the receiver has a place for it, or at once. Without a place it is then dropped,
        /// or waits at the end of the wire, which has its sender stop.
        flow: Flow as WireFlow = Flow::Hold;
        /// What waits at the end of a wire with stop and go, frames as a whole.
        buffer: u32 as Bytes = 0;
        /// How long a packet waits there before it is dropped.
        timeout: SimDuration as Time = TIMEOUT;
    }

    /// The NIC's memory.
    memory: MemoryProfile / WrittenMemory {
        /// SRAM, where the scenario does not say otherwise.
        sram: u32 as Bytes;
        /// What one packet holds at most.
        max_packet: NonZeroU32 as PacketBytes;
        /// Packets that came in and wait for the processor.
        arrival_slots: NonZeroU32 as Slots;
        /// Packets on their way out.
        send_slots: NonZeroU32 as Slots;
        /// Transfers that applets have queued from NIC memory to the host.
        dma_slots: NonZeroU32 as Slots;
        /// Heap for an applet's arrays, `RxBuf` not included.
        heap: u32 as Bytes;
    }

    /// What one call of an applet may use, beside its endpoint's fuel and heap; more is the trap `QuotaExceeded`.
    quota optional: Quota / WrittenQuota {
        /// Bytes by DMA, both directions together.
        dma_bytes: u32 as Bytes;
        /// Packets.
        sends: u32 as Packets;
    }

    /// The user's processor.
    host: HostProfile / WrittenHost {
        /// Composing and pushing a transmit descriptor.
        post: SimDuration as Time;
        /// Taking a receive descriptor and putting its buffers back.
        receive: SimDuration as Time;
        /// Being called by the NIC.
        upcall: SimDuration as Time;
        /// What it reads or copies of a message.
        bandwidth: NonZeroU64 as Rate;
        /// Time between two looks at the receive queue, where the scenario does not say otherwise.
        poll_every: SimDuration as Time;
    }
}
