//! The other figures of a run: loading, the packet path, memory.

use serde::Serialize;
use tests::large::LOOPS_MAX;

use crate::loading::{self, LargeClass};
use crate::memory;
use crate::pace::{Pace, Paced};
use crate::traffic::{Network, Timed as _, Traffic};

/// Methods of the large classes, and loops of each method.
const LARGE: [(u32, u32); 5] = [
    (1, 45),
    (1, 375),
    (1, LOOPS_MAX),
    (4, LOOPS_MAX),
    (16, LOOPS_MAX),
];
/// Which of them has one full method.
const FULL_METHOD: usize = 2;
/// Numbers of endpoints on one NIC.
const ENDPOINTS: [u32; 5] = [1, 10, 100, 1_000, 10_000];
/// Numbers of pairs of NICs.
const NIC_PAIRS: [u32; 4] = [1, 5, 50, 500];
/// Messages of a run that is compared with another.
const PACKETS: u64 = 200_000;
/// And for each endpoint that is there, so that making it weighs little.
const PACKETS_FOR_ENDPOINT: u64 = 50;
/// Messages of a run that is timed by itself, in many rounds.
const PACKETS_OF_SHORT: u64 = 20_000;

/// How long loading takes: parse, verify and link.
#[derive(Clone, Debug, Serialize)]
pub struct Loading {
    /// Bytes of `RawUnet`'s class file.
    pub raw_unet_bytes: usize,
    /// Microseconds to load it.
    pub raw_unet_us: Paced,
    /// Large classes, from small to large.
    pub large: Vec<Large>,
}

/// A large class.
#[derive(Clone, Debug, Serialize)]
pub struct Large {
    /// Its bytes.
    pub bytes: usize,
    /// Millions of them that are loaded in a second.
    pub megabytes_per_second: Paced,
}

/// What packets and endpoints cost.
#[derive(Clone, Debug, Serialize)]
pub struct Packets {
    /// CPU time of a packet of 64 bytes between one pair of endpoints, in nanoseconds.
    pub ns: Paced,
    /// More endpoints on each NIC.
    pub endpoints: Vec<Endpoints>,
    /// More NICs.
    pub nics: Vec<Nics>,
    /// Bytes that an idle endpoint with `RawUnet` takes, without buffer area, `RxBuf` and heap.
    pub idle_endpoint_bytes: i64,
    /// Bytes that the system holds for it, arrays included, where the system tells.
    pub idle_endpoint_resident: Option<i64>,
}

/// The cost of a packet with some endpoints on each NIC, in times of that with one.
#[derive(Clone, Debug, Serialize)]
pub struct Endpoints {
    /// How many there are.
    pub count: u32,
    /// With one of them active.
    pub one_active: f64,
    /// With all of them active.
    pub all_active: f64,
}

/// The cost of a packet with some NICs, all busy, in times of that with two.
#[derive(Clone, Debug, Serialize)]
pub struct Nics {
    /// How many there are.
    pub count: u32,
    /// The cost, where NICs meet in pairs.
    pub all_busy: f64,
    /// The cost, where channels join all pairs and stay silent.
    pub in_one_network: f64,
    /// The cost, where each pair has sent a message to the next one.
    pub met: f64,
}

impl Loading {
    /// Measures it.
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
    /// Returns how many MB/s the class takes that is loaded most slowly.
    ///
    /// # Panics
    /// Where none was loaded.
    #[must_use]
    pub fn slowest(&self) -> Paced {
        let speeds = self.large.iter().map(|large| large.megabytes_per_second);
        let slowest = speeds.min_by(|a, b| a.measured.total_cmp(&b.measured));
        slowest.expect("there are large classes")
    }

    /// Returns the time of a byte of the largest class over that of a byte of the class with one full method. 1 means
    /// that time grows as size does.
    #[must_use]
    pub fn bend(&self) -> f64 {
        let [.., last] = &self.large[FULL_METHOD..] else {
            return f64::NAN;
        };
        let speed = |large: &Large| large.megabytes_per_second.as_promised_for;
        speed(&self.large[FULL_METHOD]) / speed(last)
    }
}

impl Packets {
    /// Measures it; needs an allocator that counts.
    #[must_use]
    pub fn measure() -> Packets {
        // Before anything else has left behind memory that could be used again.
        let idle_endpoint_resident = memory::idle_endpoint_resident();
        let ns = Traffic::of_one_pair(PACKETS_OF_SHORT).ns_per_packet(&mut Pace::new());
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
            }
        });
        Packets {
            ns,
            endpoints: endpoints.to_vec(),
            nics: nics.to_vec(),
            idle_endpoint_bytes: memory::idle_endpoint_bytes(),
            idle_endpoint_resident,
        }
    }

    /// Returns how many millions of packets that is in a second.
    #[must_use]
    pub fn millions_per_second(&self) -> Paced {
        self.ns.rate(1e3)
    }
}
