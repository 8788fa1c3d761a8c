//! Why a text is not a valid profile.

use nic_core::time::SimDuration;

use crate::units::UnitError;

/// Least time after which frames of EMP are sent again. Each check for an acknowledgement costs the simulator an event.
pub(super) const LEAST_TIMEOUT: SimDuration = SimDuration::from_ns(1_000);

/// Why a text is not a valid profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// A key of the profile is missing, unknown or malformed. The error message shows the line of the key.
    #[error("{0}")]
    Toml(toml::de::Error),
    /// A cost in cycles exceeds the longest time.
    #[error("a cost in cycles is {0}")]
    Cycles(UnitError),
    /// A cost that includes instructions is less than the time that those instructions take.
    #[error(
        "the row `{row}` holds {instructions} instructions, which take {takes}: longer than the row"
    )]
    InstructionsExceedRow {
        /// The key of the cost.
        row: &'static str,
        /// Number of instructions that the cost includes.
        instructions: u64,
        /// Time that the included instructions take.
        takes: SimDuration,
    },
    /// The NIC's packets are longer than the longest packet of the wire.
    #[error(
        "`memory.max_packet` is {packet} bytes, and `wire.mtu` lets {mtu} pass: make one fit the other"
    )]
    PacketsExceedMtu {
        /// Maximum number of bytes of a NIC's packet.
        packet: u32,
        /// Maximum number of bytes of a packet on the wire.
        mtu: u32,
    },
    /// The NIC offers windows, and has no costs of remote memory.
    #[error(
        "`natives` lists `windows`, and windows need the section `[clan]`: add it, or list them not"
    )]
    WindowsWithoutClan,
    /// The NIC receives directly, and has remote memory.
    #[error(
        "`receive = \"direct\"` fits no `[clan]`: the NIC keeps only headers, and writes to windows need whole packets"
    )]
    DirectWindows,
    /// The NIC receives directly, and is software of the host.
    #[error("`receive = \"direct\"` is for NICs with DMA: `processor.place` is \"host\"")]
    DirectOnHost,
    /// The NIC keeps headers, and does not receive directly.
    #[error("`nic.header` is for `receive = \"direct\"`: write both, or none")]
    IdleHeader,
    /// The NIC receives directly, and keeps no headers.
    #[error(
        "`receive = \"direct\"` needs `nic.header`, the number of bytes that the NIC keeps of each packet"
    )]
    NoHeader,
    /// The header is longer than the longest packet.
    #[error("`nic.header` is {header} bytes, and a packet has {longest} at most")]
    LongHeader {
        /// Bytes of the header.
        header: u32,
        /// Maximum number of bytes of a packet.
        longest: u32,
    },
    /// A cell is longer than the longest packet.
    #[error(
        "`wire.cell` is {cell} bytes, and a packet has {longest} at most: write a shorter cell, or 0 for none"
    )]
    CellExceedsPacket {
        /// Bytes of a cell.
        cell: u32,
        /// Maximum number of bytes of a packet.
        longest: u32,
    },
    /// The buffer at the end of a wire is too small for the bytes that may be under way.
    #[error(
        "with `wire.flow = \"stop\"` `wire.buffer` holds at least {least} bytes: two frames, and what the wire carries there \
         and back"
    )]
    SmallBuffer {
        /// Least size in bytes.
        least: u64,
    },
    /// A buffer at the end of a wire is given, but the wire's flow control does not use it.
    #[error("`wire.buffer` is for `wire.flow = \"stop\"`")]
    IdleBuffer,
    /// Cells and stop-and-go flow control are combined.
    #[error("`wire.cell` and `wire.flow = \"stop\"` exclude each other")]
    CellsStop,
    /// A frame of EMP is longer than a packet slot in the NIC's memory.
    #[error(
        "`emp.payload` is {payload} bytes and a frame has 14 more, but `memory.max_packet` is {slot}: make a frame fit"
    )]
    FrameExceedsSlot {
        /// Maximum number of bytes of a message in a frame.
        payload: u32,
        /// Bytes of a slot.
        slot: u32,
    },
    /// Frames of EMP would be sent again before they can be acknowledged.
    #[error("`emp.timeout` is {timeout}: write at least {LEAST_TIMEOUT}")]
    ShortTimeout {
        /// The timeout.
        timeout: SimDuration,
    },
    /// Calls of applets would yield too late for the connections of the NIC, or all the time.
    #[error(
        "`nic.slice` is {slice}: write more than 0 and at most {most}, an eighth of the shortest time-out, {timeout}"
    )]
    Slice {
        /// The slice.
        slice: SimDuration,
        /// The longest slice.
        most: SimDuration,
        /// The shortest time-out.
        timeout: SimDuration,
    },
    /// A placement lacks a stage of EMP, or names one that does not exist.
    #[error("`placement.{name}` {problem}")]
    Placement {
        /// Name of the placement.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// The semaphore is written twice.
    #[error("`processor.semaphore` is the section `[semaphore]`: write one of them")]
    TwoSemaphores,
    /// A processor would read its register without end and no time would pass.
    #[error("`semaphore.spin` is 0: write the time between two reads of a processor's register")]
    NoSpin,
    /// A scratchpad is slower than the memory that processors share.
    #[error(
        "`processor.local` is {local}, and `processor.shared` {shared}: write a scratchpad that is as fast or faster"
    )]
    SlowScratchpad {
        /// Time of a record in the scratchpad.
        local: SimDuration,
        /// Time of a record in shared memory.
        shared: SimDuration,
    },
    /// A stage of EMP takes less than the records that its time includes.
    #[error(
        "the stage `{stage}` touches {records} records, which take `processor.shared` each: longer than the stage"
    )]
    RecordsExceedStage {
        /// The stage.
        stage: &'static str,
        /// How many records it touches.
        records: u64,
    },
    /// A NIC in host software lacks the costs of its kernel.
    #[error(
        "with `processor.place = \"host\"` the NIC works in the host's kernel: add a section `[kernel]` with `call`, \
         `interrupt` and `copy`, or write `place = \"nic\"`"
    )]
    NoKernel,
    /// A NIC in host software is to write to remote memory by itself.
    #[error(
        "`[clan]` describes a NIC that writes to remote memory without a processor, and `processor.place = \"host\"` \
         leaves all work to the host's: remove one of them"
    )]
    ClanOnHost,
    /// Cells are combined with a NIC in host software.
    #[error(
        "with `wire.cell` a packet is on the wire while the rest of it is moved, and with `processor.place = \"host\"` a \
         processor copies it before: write `place = \"nic\"`, or no cell"
    )]
    CellsOnHost,
    /// Cells are combined with a NIC that cannot move bytes by DMA and send at the same time.
    #[error(
        "with `wire.cell` a packet is on the wire while the rest of it is moved, and `dma.with_wire = \"in-turn\"` \
         forbids that: write \"parallel\", or no cell"
    )]
    CellsInTurn,
    /// A page has a length that no page of a processor has.
    #[error("`lmmc.page` is {found} bytes: write a power of two")]
    LmmcPage {
        /// The length.
        found: u32,
    },
    /// A store of a whole page is longer than the longest packet.
    #[error(
        "`lmmc.page` is {page} bytes and a message has {header} more, but `memory.max_packet` is {packet}: make a whole page \
         fit"
    )]
    PageExceedsPacket {
        /// Bytes of a page.
        page: u32,
        /// Bytes of a message's header.
        header: u32,
        /// Maximum number of bytes of a packet.
        packet: u32,
    },
    /// A link of LMMC has flow control that could lose messages, or that lets the sender wait for the receiver.
    #[error(
        "`[lmmc]` needs links that hold what a stopped receiver does not take: write `wire.flow = \"stop\"` and \
         `wire.buffer`"
    )]
    LmmcFlow,
    /// Pages of LMMC are on a NIC that works in the host's kernel.
    #[error(
        "`[lmmc]` describes an interface that writes to frames without a processor, and `processor.place = \"host\"` leaves \
         all work to the host's: remove one of them"
    )]
    LmmcOnHost,
    /// Pages of LMMC are on a NIC that keeps only headers.
    #[error(
        "`receive = \"direct\"` fits no `[lmmc]`: the NIC keeps only headers, and frames need whole messages"
    )]
    DirectFrames,
}
