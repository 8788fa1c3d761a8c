//! The statistics of a run as values, which pages and JSON show.

use nic_core::time::SimDuration;
use serde::Serialize;

use super::counts::ChannelCounts;
use super::latency::Latency;
use crate::export::ports::SwitchStats;
use crate::export::tally::Tally;

const PICOSECONDS_PER_SECOND: f64 = 1e12;

/// The statistics of a run as values.
#[derive(Clone, Debug, Serialize)]
pub struct StatsReport {
    /// From when on the statistics count, in nanoseconds.
    pub from_ns: u64,
    /// The end of the run, in nanoseconds.
    pub to_ns: u64,
    /// All channels together.
    pub total: Traffic,
    /// Drops of all endpoints, by reason.
    pub drops: Tally,
    /// Each channel of each endpoint, in the order of the scenario.
    pub channels: Vec<ChannelStats>,
    /// Each endpoint, in the order of the scenario.
    pub endpoints: Vec<EndpointStats>,
    /// Groups of endpoints, which the page shows in place of them if they are many.
    #[serde(skip)]
    pub(super) groups: Vec<GroupStats>,
    /// Each NIC, in the order of the scenario.
    pub nics: Vec<NicStats>,
    /// Each switch with a link, in the order of the scenario.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub switches: Vec<SwitchStats>,
    /// Whether the page shows each endpoint and each port, however many there are.
    #[serde(skip)]
    pub(super) shows_each: bool,
}

/// What was sent and received.
#[derive(Clone, Debug, Serialize)]
pub struct Traffic {
    /// Messages that users posted.
    pub posted: u64,
    /// Bytes of these messages.
    pub posted_bytes: u64,
    /// How many of these messages a user was shown, each counted once.
    pub arrived: u64,
    /// The share of these messages that no user was shown; `None` if there are none, and if messages came of which the
    /// post is not known. Those that are under way when the run ends count as lost, and so does a message that an applet
    /// puts together with another one.
    pub loss: Option<f64>,
    /// Messages that users were shown. A message that a link copies counts as often as it is shown.
    pub delivered: u64,
    /// Bytes of these messages.
    pub delivered_bytes: u64,
    /// How many of these messages have no latency, because no post is known that they come from. An applet may have made
    /// them itself, or more than 16,384 newer messages of the sender are under way.
    pub untimed: u64,
    /// Messages posted in a second.
    pub posted_per_second: f64,
    /// Messages shown in a second.
    pub delivered_per_second: f64,
    /// Bytes posted in a second.
    pub offered: f64,
    /// Bytes shown in a second.
    pub goodput: f64,
    /// From the post of a message to its receive descriptor.
    pub latency_ns: Option<Latency>,
    /// From the post of a request to the receive descriptor of its answer, where the host program echoes.
    pub round_trip_ns: Option<Latency>,
}

impl Traffic {
    pub(super) fn of(counts: &ChannelCounts, is_loss_known: bool, window: SimDuration) -> Traffic {
        let per_second = |count: u64| match window.as_ps() {
            0 => 0.0,
            ps => count as f64 * PICOSECONDS_PER_SECOND / ps as f64,
        };
        Traffic {
            posted: counts.posted,
            posted_bytes: counts.posted_bytes,
            arrived: counts.arrived,
            loss: (counts.posted > 0 && (is_loss_known || counts.arrived == counts.posted))
                .then(|| (counts.posted - counts.arrived) as f64 / counts.posted as f64),
            delivered: counts.delivered,
            delivered_bytes: counts.delivered_bytes,
            untimed: counts.untimed,
            posted_per_second: per_second(counts.posted),
            delivered_per_second: per_second(counts.delivered),
            offered: per_second(counts.posted_bytes),
            goodput: per_second(counts.delivered_bytes),
            latency_ns: counts.one_way.shown(),
            round_trip_ns: counts.round_trip.shown(),
        }
    }
}

/// The statistics of an endpoint's channel. Latencies are those of the messages that the endpoint receives.
#[derive(Clone, Debug, Serialize)]
pub struct ChannelStats {
    /// The endpoint's name.
    pub endpoint: String,
    /// The endpoint's number of the channel.
    pub channel: i32,
    /// What it sent and received.
    #[serde(flatten)]
    pub traffic: Traffic,
}

/// The statistics of an endpoint.
#[derive(Clone, Debug, Serialize)]
pub struct EndpointStats {
    /// The endpoint's name.
    pub endpoint: String,
    /// The name of its NIC.
    pub nic: String,
    /// What it sent and received.
    #[serde(flatten)]
    pub traffic: Traffic,
    /// Receive descriptors that were no messages but notices of the endpoint's applet.
    pub notices: u64,
    /// Drops at the endpoint, by reason.
    pub drops: Tally,
    /// Transmit descriptors that are not done.
    pub transmit_queue: QueueLength,
    /// Receive descriptors that the user has not taken.
    pub receive_queue: QueueLength,
    /// Free buffers.
    pub free_buffers: QueueLength,
}

/// The statistics of a group of endpoints: sums, but for the lengths of queues, which are those of an endpoint.
#[derive(Clone, Debug)]
pub(super) struct GroupStats {
    pub(super) name: String,
    pub(super) traffic: Traffic,
    pub(super) drops: Tally,
    /// The transmit queue, the receive queue and the free buffers.
    pub(super) lengths: [QueueLength; 3],
}

impl StatsReport {
    /// Makes the page show each endpoint and each port, however many there are.
    pub fn show_endpoints(&mut self) {
        self.groups.clear();
        self.shows_each = true;
    }
}

/// The length of a queue.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize)]
pub struct QueueLength {
    /// The mean over the time.
    pub mean: f64,
    /// The maximum.
    pub max: u32,
}

/// The shares of the time in which the parts of a NIC were in use.
#[derive(Clone, Debug, Serialize)]
pub struct NicStats {
    /// The NIC's name.
    pub nic: String,
    /// Each processor.
    pub processors: Vec<f64>,
    /// The DMA engine from the host to the NIC.
    pub dma_in: f64,
    /// The DMA engine from the NIC to the host.
    pub dma_out: f64,
    /// The wires that leave the NIC, together.
    pub wire: f64,
}
