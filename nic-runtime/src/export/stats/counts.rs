//! Counts of what an endpoint sent and received on a channel, and their latencies.

use super::latency::Latencies;

/// What an endpoint sent and received on a channel.
#[derive(Clone, Debug, Default)]
pub(super) struct ChannelCounts {
    pub(super) posted: u64,
    pub(super) posted_bytes: u64,
    pub(super) arrived: u64,
    pub(super) delivered: u64,
    pub(super) delivered_bytes: u64,
    pub(super) untimed: u64,
    pub(super) one_way: Latencies,
    pub(super) round_trip: Latencies,
}

impl ChannelCounts {
    pub(super) fn merge(&mut self, other: &ChannelCounts) {
        self.posted += other.posted;
        self.posted_bytes += other.posted_bytes;
        self.arrived += other.arrived;
        self.delivered += other.delivered;
        self.delivered_bytes += other.delivered_bytes;
        self.untimed += other.untimed;
        self.one_way.merge(&other.one_way);
        self.round_trip.merge(&other.round_trip);
    }
}
