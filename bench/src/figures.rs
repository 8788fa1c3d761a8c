//! Figures about loading, the packet path and memory.

use serde::Serialize;
use traffic::large::LOOPS_MAX;

use crate::loading::{self, LargeClass};
use crate::memory;
use crate::pace::{Pace, Paced};
use crate::traffic::{Network, Timed as _, Traffic};

/// Number of methods of each large class, and of loops in each method.
const LARGE: [(u32, u32); 5] = [
    (1, 45),
    (1, 375),
    (1, LOOPS_MAX),
    (4, LOOPS_MAX),
    (16, LOOPS_MAX),
];
/// Index of the class with a single method of full size.
const FULL_METHOD: usize = 2;
/// Numbers of endpoints on one NIC.
const ENDPOINTS: [u32; 5] = [1, 10, 100, 1_000, 10_000];
/// Numbers of pairs of NICs.
const NIC_PAIRS: [u32; 4] = [1, 5, 50, 500];
/// Messages of a run that is compared with another.
const PACKETS: u64 = 200_000;
/// Messages for each endpoint, so that building the endpoint contributes little to the time.
const PACKETS_FOR_ENDPOINT: u64 = 50;
/// Messages of a run that is timed alone, in many rounds.
const PACKETS_OF_SHORT: u64 = 20_000;

/// Times of loading: parse, verify and link.
#[derive(Clone, Debug, Serialize)]
pub struct Loading {
    /// Bytes of `RawUnet`'s class file.
    pub raw_unet_bytes: usize,
    /// Microseconds to load `RawUnet`.
    pub raw_unet_us: Paced,
    /// Large classes, from small to large.
    pub large: Vec<Large>,
}

/// A large class.
#[derive(Clone, Debug, Serialize)]
pub struct Large {
    /// Length of the class file in bytes.
    pub bytes: usize,
    /// Megabytes of the class file that are loaded in a second.
    pub megabytes_per_second: Paced,
}

/// Costs of packets and endpoints.
#[derive(Clone, Debug, Serialize)]
pub struct Packets {
    /// CPU time of a packet of 64 bytes between one pair of endpoints, in nanoseconds.
    pub ns: Paced,
    /// CPU time of a packet in nanoseconds in a run with a summary, as in `jive run --trace none`.
    pub summarized_ns: Paced,
    /// Costs of a packet with more endpoints on each NIC.
    pub endpoints: Vec<Endpoints>,
    /// Costs of a packet with more NICs.
    pub nics: Vec<Nics>,
    /// Bytes of an idle endpoint with `RawUnet`, without its buffer area, its `RxBuf` and its heap.
    pub idle_endpoint_bytes: i64,
    /// Resident bytes of an idle endpoint, arrays included; `None` if the operating system does not report them.
    pub idle_endpoint_resident: Option<i64>,
}

/// The cost of a packet with `count` endpoints on each NIC, relative to one endpoint.
#[derive(Clone, Debug, Serialize)]
pub struct Endpoints {
    /// Number of endpoints on each NIC.
    pub count: u32,
    /// The cost of a packet if one of the endpoints is active.
    pub one_active: f64,
    /// The cost of a packet if all endpoints are active.
    pub all_active: f64,
}

/// The cost of a packet with `count` busy NICs, relative to two NICs.
#[derive(Clone, Debug, Serialize)]
pub struct Nics {
    /// Number of NICs.
    pub count: u32,
    /// The cost of a packet if channels join only pairs of NICs.
    pub all_busy: f64,
    /// The cost of a packet if channels join all NICs, but only pairs of NICs exchange packets.
    pub in_one_network: f64,
    /// The cost of a packet if each pair of NICs has sent a message to the next pair.
    pub met: f64,
    /// The cost of a hop if switches join the NICs of each pair, relative to a packet between NICs that have met.
    pub hop: f64,
}

impl Loading {
    /// Measures loading.
    #[must_use]
    pub fn measure() -> Loading {
        let mut pace = Pace::new();
        let large = LARGE.map(|(methods, loops)| {
            let class = LargeClass::new(methods, loops);
            Large {
                bytes: class.bytes.len(),
                megabytes_per_second: class.megabytes_per_second(&mut pace),
            }
        });
        Loading {
            raw_unet_bytes: applets::RAW_UNET.class.len(),
            raw_unet_us: loading::raw_unet_us(&mut pace),
            large: large.to_vec(),
        }
    }
}

impl Loading {
    /// Returns the MB/s of the class that loads most slowly.
    ///
    /// # Panics
    ///
    /// Panics if no class was loaded.
    #[must_use]
    pub fn slowest(&self) -> Paced {
        let speeds = self.large.iter().map(|large| large.megabytes_per_second);
        let slowest = speeds.min_by(|a, b| a.measured.total_cmp(&b.measured));
        slowest.expect("there are large classes")
    }

    /// Returns the time for a byte of the largest class, divided by the time for a byte of the class with one full
    /// method. A value of 1 means that loading time is linear in the size.
    #[must_use]
    pub fn bend(&self) -> f64 {
        let [.., last] = &self.large[FULL_METHOD..] else {
            return f64::NAN;
        };
        let speed = |large: &Large| large.megabytes_per_second.as_promised_for;
        speed(&self.large[FULL_METHOD]) / speed(last)
    }
}

impl Nics {
    /// Returns what each link after the first adds to the cost of a packet, relative to a packet between NICs that have
    /// met. A hop also bears its share of the calls at both ends.
    #[must_use]
    pub fn further_link(&self) -> f64 {
        let hops = f64::from(Network::Switched.hops());
        (self.hop * hops - 1.0) / (hops - 1.0)
    }
}

/// Returns the time of a packet between NICs that switches join, divided by its hops and by the time of a packet
/// between NICs that have met.
fn hop(traffic: Traffic) -> f64 {
    let [switched, met] =
        [Network::Switched, Network::Met].map(|network| Traffic { network, ..traffic });
    switched.times(&met) / f64::from(Network::Switched.hops())
}

impl Packets {
    /// Measures packets and endpoints, for which the program must use the counting allocator of `allocations`.
    #[must_use]
    pub fn measure() -> Packets {
        // Measure resident memory first, because a later measurement would reuse memory that others have freed.
        let idle_endpoint_resident = memory::idle_endpoint_resident();
        let short = Traffic::of_one_pair(PACKETS_OF_SHORT);
        let ns = short.ns_per_packet(&mut Pace::new());
        let summarized_ns = short.summarized_ns_per_packet(&mut Pace::new());
        let one = Traffic::of_one_pair(PACKETS);
        let endpoints = ENDPOINTS.map(|count| {
            let few = Traffic {
                endpoints: count,
                packets: PACKETS + PACKETS_FOR_ENDPOINT * u64::from(count),
                ..one
            };
            let all = Traffic {
                active: count,
                ..few
            };
            Endpoints {
                count,
                one_active: few.times(&one),
                all_active: all.times(&one),
            }
        });
        let nics = NIC_PAIRS.map(|nic_pairs| {
            let many = Traffic { nic_pairs, ..one };
            let times = |network| Traffic { network, ..many }.times(&one);
            Nics {
                count: 2 * nic_pairs,
                all_busy: times(Network::Apart),
                in_one_network: times(Network::Silent),
                met: times(Network::Met),
                hop: hop(many),
            }
        });
        Packets {
            ns,
            summarized_ns,
            endpoints: endpoints.to_vec(),
            nics: nics.to_vec(),
            idle_endpoint_bytes: memory::idle_endpoint_bytes(),
            idle_endpoint_resident,
        }
    }

    /// Returns the rate in millions of packets a second.
    #[must_use]
    pub fn millions_per_second(&self) -> Paced {
        self.ns.rate(1e3)
    }
}
