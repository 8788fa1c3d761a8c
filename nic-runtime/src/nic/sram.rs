//! What the SRAM of a NIC holds: bytes by use, and by holder.

use std::fmt;

use nic_core::id::{EndpointId, NicId};

#[cfg(doc)]
use crate::spec::Scenario;

/// Bytes of a NIC's SRAM by use. Receive queues are in host memory and are not included.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct SramShares {
    /// Arrival, send and DMA slots.
    pub staging: u64,
    /// The call stacks of the processors.
    pub stack: u64,
    /// Linked programs; each is counted once.
    pub programs: u64,
    /// Heaps, `RxBuf` arrays and fields of applets.
    pub applets: u64,
    /// Transmit queues, free queues and channel tables; for EMP, posted receives and records of messages.
    pub queues: u64,
}

impl SramShares {
    /// Returns the sum.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.staging + self.stack + self.programs + self.applets + self.queues
    }
}

/// A holder of a part of a NIC's SRAM.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SramHolder {
    /// The NIC.
    pub nic: NicId,
    /// The purpose of the holder's part of the SRAM.
    pub share: SramShare,
    /// Size in bytes.
    pub bytes: u64,
}

/// The purpose of a part of a NIC's SRAM.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SramShare {
    /// Arrival, send and DMA slots.
    Staging,
    /// The call stacks of the processors.
    Stack,
    /// A linked program, given by the position of its class in [`Scenario::classes`].
    Program(usize),
    /// Heap, `RxBuf` and fields of an endpoint's applet.
    Applet(EndpointId),
    /// Transmit and free queue and channel table of an endpoint.
    Queues(EndpointId),
}

/// The demand for a NIC's SRAM.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SramDemand {
    /// The NIC.
    pub nic: NicId,
    /// The SRAM that the NIC has, in bytes.
    pub sram: u32,
    /// The demand by use.
    pub shares: SramShares,
}

impl fmt::Display for SramDemand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SramShares {
            staging,
            stack,
            programs,
            applets,
            queues,
        } = self.shares;
        write!(
            f,
            "{total} bytes do not fit in {sram} bytes of SRAM: staging slots {staging}, call stack {stack}, \
             programs {programs}, heaps and fields of applets {applets}, queues {queues}",
            total = self.shares.total(),
            sram = self.sram,
        )
    }
}
