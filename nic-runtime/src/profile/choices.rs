//! Values of a profile that are words: each names one of a few ways in which a resource works.

/// Number of DMA engines; written `1` and `2`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DmaEngines {
    /// The NIC has one DMA engine for both directions.
    Shared,
    /// The NIC has two DMA engines, one for each direction.
    PerDirection,
}

/// Whether a DMA engine has a queue; written `queue` and `one`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Takes {
    /// The DMA engine queues all requests.
    Queue,
    /// The DMA engine accepts one request at a time, and a processor with another request waits. All buffers of a
    /// message form one DMA request.
    One,
}

/// Whether DMA to and from the host and the sending of packets exclude each other; written `in-turn` if they do and
/// `parallel` if not.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WithWire {
    /// DMA and sending run at the same time.
    Parallel,
    /// Either DMA or the sending of a packet runs at a time, in the order of the requests. The arrival of packets is
    /// not delayed.
    InTurn,
}

/// Where a NIC's loop and its applets run; written `nic` and `host`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// On processors of the NIC.
    Nic,
    /// On processors of the host, in its kernel.
    Host,
}

/// How a library over remote memory learns that the peer has written; written `interrupt` and `user`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Events {
    /// The NIC interrupts the host, whose kernel passes the event to the library.
    Interrupt,
    /// The library polls its memory.
    User,
}

/// When the reader of a ring over remote memory tells the writer how far it has read; written `each` and `lazy`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ReadPointer {
    /// With each message that it reads.
    Each,
    /// After half a ring.
    Lazy,
}

/// Order in which packets leave that wait for a port of a NIC; written `handed-over` and `round-robin`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PortOrder {
    /// In the order in which they were handed over to the port.
    HandedOver,
    /// One packet of each channel after the other, and those of a channel in the order in which they were handed over.
    RoundRobin,
}

/// Handling of packets for which the receiver has no slot; written `hold`, `drop` and `stop`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The packets stay in their sender's memory until the receiver has a slot.
    Hold,
    /// The packets are sent, and the receiver drops them on arrival.
    Drop,
    /// The packets are sent, and wait in `wire.buffer` on arrival. The sender is told to stop before `wire.buffer` is
    /// full.
    Stop,
}

/// What a semaphore of a NIC protects; written `one`, `per-object` and `private`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Locks {
    /// One semaphore protects everything that processors share.
    One,
    /// Each kind of record has a semaphore.
    PerObject,
    /// Each processor has its own records, and no semaphore protects them.
    Private,
}

/// Which port of LMMC goes out when all frames of its link are taken; written `fifo` and `clock`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Victim {
    /// The port that came in first.
    Fifo,
    /// The next port that was not written since the last search.
    Clock,
}

/// What happens to a store of LMMC for which the link has no room; written `restarts` and `waits`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StalledStore {
    /// The processor gives the store up, and makes it again.
    Restarts,
    /// The processor stands still, and takes no trap.
    Waits,
}

/// Which process of a host runs next; written `preferred` and `plain`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// A process whose port was just paged in.
    Preferred,
    /// The process whose turn it is.
    Plain,
}
