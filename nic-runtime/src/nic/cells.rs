//! The packets that move cell by cell: each with the time during which its bytes leave the stage before.

use std::collections::BTreeMap;

use super::transfer::TransferRef;
use crate::wire::PacketRef;
use nic_core::time::{SimDuration, SimTime};

/// The packets that two stages work on at the same time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    /// Whether any wire has cells.
    pub(crate) are_on: bool,
    pub(crate) passing: BTreeMap<PacketRef, Passage>,
    /// Durations of those DMA transfers that the stage before them delays.
    pub(crate) durations: BTreeMap<TransferRef, SimDuration>,
}

/// The time during which the bytes of a packet leave a stage, at a constant rate.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Passage {
    pub(crate) begins: SimTime,
    pub(crate) ends: SimTime,
}

impl Passage {
    /// Returns how long the first `bytes` of a packet's `length` bytes take to leave the stage.
    pub(crate) fn of(self, bytes: u32, length: u32) -> SimDuration {
        let all = u128::from(self.ends.since(self.begins).as_ps());
        let share = all * u128::from(bytes) / u128::from(length.max(1));
        SimDuration::from_ps(u64::try_from(share).unwrap_or(u64::MAX))
    }
}

impl Cells {
    /// Returns a record that contains no packets.
    pub(crate) fn new(are_on: bool) -> Cells {
        Cells {
            are_on,
            ..Cells::default()
        }
    }

    /// Returns whether any wire has cells.
    #[inline]
    pub(crate) fn are_on(&self) -> bool {
        self.are_on
    }

    /// Returns whether the receiver has the first cell of a packet, or will have it before the packet's last cell.
    #[cold]
    pub(crate) fn has_begun(&self, packet: PacketRef) -> bool {
        self.passing.contains_key(&packet)
    }

    /// Returns the duration of a transfer that the stage before it delays.
    pub(crate) fn duration(&self, transfer: TransferRef) -> Option<SimDuration> {
        self.durations.get(&transfer).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_packet_pass_evenly() {
        let at = |ns: u64| SimTime::from_ps(ns * 1_000);
        let passage = Passage {
            begins: at(5),
            ends: at(25),
        };
        let taken = |bytes| passage.of(bytes, 1_000).as_ps();
        assert_eq!([0, 250, 1_000].map(taken), [0, 5_000, 20_000]);
        // A packet length of zero does not cause a division by zero.
        assert_eq!(passage.of(0, 0).as_ps(), 0);
    }
}
