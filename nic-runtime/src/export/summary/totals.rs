//! Counts and sums of an endpoint, or of all endpoints.

use std::num::NonZeroU64;

use nic_core::time::SimDuration;
use serde::{Serialize, Serializer};

use crate::export::accounts::Accounts;
use crate::export::tally::Tally;

/// Counts and sums of an endpoint, or of all endpoints.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Transmit descriptors that users pushed.
    pub posted: u64,
    /// Packets sent.
    pub packets_sent: u64,
    /// Message bytes of the sent packets.
    pub bytes_sent: u64,
    /// Packets received.
    pub packets_received: u64,
    /// Message bytes of the received packets.
    pub bytes_received: u64,
    /// Messages whose receive descriptors became visible to users.
    pub delivered: u64,
    /// Receive descriptors that are no messages but notices of an applet to its user, on a negative channel.
    pub notices: u64,
    /// Outcomes of the messages and packets.
    pub accounts: Accounts,
    /// Dropped packets by reason.
    #[serde(serialize_with = "all_drops")]
    pub drops: Tally,
    /// Traps by kind.
    #[serde(serialize_with = "all_traps")]
    pub traps: Tally,
    /// How often traps caused the applet to be detached.
    pub detachments: u64,
    /// Windows of other nodes that the host mapped during the run.
    pub windows_mapped: u64,
    /// Mapped windows whose mappings were given to other windows.
    pub windows_evicted: u64,
    /// Total time of the applet's calls, including time spent waiting for DMA.
    #[serde(rename = "applet_ns", serialize_with = "nanoseconds")]
    pub applet: SimDuration,
    /// Total time of the applet's calls in cycles of the NIC's clock, rounded; 0 until the run has ended.
    pub applet_cycles: u64,
    /// Total time of DMA transfers.
    #[serde(rename = "dma_ns", serialize_with = "nanoseconds")]
    pub dma: SimDuration,
    /// Total time during which sent packets occupied the wire.
    #[serde(rename = "wire_ns", serialize_with = "nanoseconds")]
    pub wire: SimDuration,
}

const PICOSECONDS_PER_SECOND: u128 = 1_000_000_000_000;

/// Converts a time to cycles of a clock, rounded to the nearest whole cycle.
pub(super) fn cycles(span: SimDuration, hertz: NonZeroU64) -> u64 {
    let cycles = u128::from(span.as_ps()) * u128::from(hertz.get());
    let rounded = (cycles + PICOSECONDS_PER_SECOND / 2) / PICOSECONDS_PER_SECOND;
    u64::try_from(rounded).unwrap_or(u64::MAX)
}

fn all_drops<S: Serializer>(drops: &Tally, serializer: S) -> Result<S::Ok, S::Error> {
    drops.of_all_drops().serialize(serializer)
}

fn all_traps<S: Serializer>(traps: &Tally, serializer: S) -> Result<S::Ok, S::Error> {
    traps.of_all_traps().serialize(serializer)
}

fn nanoseconds<S: Serializer>(span: &SimDuration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(span.as_ns())
}

impl Totals {
    /// Adds the counts and sums of another endpoint to these totals. Cycles are not added, because they are rounded for
    /// each endpoint.
    pub(super) fn merge(&mut self, other: &Totals) {
        let Totals {
            posted,
            packets_sent,
            bytes_sent,
            packets_received,
            bytes_received,
            delivered,
            notices,
            accounts,
            drops,
            traps,
            detachments,
            windows_mapped,
            windows_evicted,
            applet,
            applet_cycles: _,
            dma,
            wire,
        } = other;
        self.posted += posted;
        self.packets_sent += packets_sent;
        self.bytes_sent += bytes_sent;
        self.packets_received += packets_received;
        self.bytes_received += bytes_received;
        self.delivered += delivered;
        self.notices += notices;
        self.accounts.merge(accounts);
        self.drops.merge(drops);
        self.traps.merge(traps);
        self.detachments += detachments;
        self.windows_mapped += windows_mapped;
        self.windows_evicted += windows_evicted;
        self.applet += *applet;
        self.dma += *dma;
        self.wire += *wire;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_those_of_the_paper() {
        let lanai = NonZeroU64::new(37_000_000).unwrap();
        // In U-Net/SLE the null call takes 203.5 cycles, `doTx` 144 and `doRx` 118. Half cycles are rounded up.
        for (ns, expected) in [(5_500, 204), (3_900, 144), (3_200, 118), (0, 0)] {
            assert_eq!(cycles(SimDuration::from_ns(ns), lanai), expected);
        }
        let most = SimDuration::from_ps(u64::MAX);
        assert_eq!(cycles(most, NonZeroU64::MAX), u64::MAX);
    }
}
