//! Values of a profile that are words: each names one of a few ways in which a resource works.

/// Number of DMA engines; written `1` and `2`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DmaEngines {
    /// One, for both directions.
    Shared,
    /// Two, one for each direction.
    PerDirection,
}

/// Whether a DMA engine has a queue; written `queue` and `one`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Takes {
    /// The engine queues all requests.
    Queue,
    /// The engine accepts one request at a time, and a processor with another waits. All buffers of a message form one
    /// request.
    One,
}

/// Whether DMA to and from the host and the sending of packets exclude each other; written `in-turn` if they do and
/// `parallel` if not.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WithWire {
    /// DMA and sending run at the same time.
    Parallel,
    /// One runs at a time, in the order of the requests. Arriving packets are not delayed.
    InTurn,
}

/// How a library over remote memory learns that the peer has written; written `interrupt` and `user`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Events {
    /// The NIC interrupts the host, whose kernel tells the library.
    Interrupt,
    /// The library looks at its memory.
    User,
}

/// Handling of packets for which the receiver has no slot; written `hold`, `drop` and `stop`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The packets stay with their sender until there is a slot.
    Hold,
    /// The packets are sent, and dropped on arrival.
    Drop,
    /// The packets are sent, and wait in `wire.buffer` on arrival. The sender is told to stop before that is full.
    Stop,
}
