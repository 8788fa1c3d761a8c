//! The memory of an idle endpoint.

use allocations::allocated;
use nic_core::event::{Event, EventKind, Names, Sink, UnetEvent};
use nic_runtime::Run;

use crate::traffic::Traffic;

/// Pairs of endpoints in the larger of the two compared runs.
const PAIRS: u32 = 1_000;
/// Pairs of endpoints if resident pages are counted: many, because several endpoints share a page.
const PAIRS_RESIDENT: u32 = 5_000;

/// Returns the bytes that one more idle endpoint with `RawUnet` adds to a simulation, without its buffer area, its
/// `RxBuf` and its heap.
///
/// # Panics
///
/// Panics when the scenario cannot be simulated.
#[must_use]
pub fn idle_endpoint_bytes() -> i64 {
    let few = Traffic::of_one_pair(1);
    let many = Traffic {
        endpoints: 1 + PAIRS,
        ..few
    };
    let [few, many] = [few, many].map(|traffic| {
        let scenario = traffic.scenario();
        let before = allocated().bytes;
        let mut most = MostBytes(0);
        Run::new(&scenario)
            .sink(&mut most)
            .execute()
            .expect("the scenario can be simulated");
        let endpoint = &scenario.endpoints[0];
        let lent = endpoint.buffer_area + endpoint.heap + scenario.profile.memory.max_packet.get();
        let endpoints = i64::from(2 * traffic.endpoints);
        most.0 - before - endpoints * i64::from(lent)
    });
    (many - few) / i64::from(2 * PAIRS)
}

/// Returns the resident bytes of one more idle endpoint with `RawUnet`, including the touched pages of its buffer area,
/// `RxBuf` and heap. Returns `None` if the operating system does not report resident bytes.
///
/// # Panics
///
/// Panics when the scenario cannot be simulated.
#[must_use]
pub fn idle_endpoint_resident() -> Option<i64> {
    let few = Traffic::of_one_pair(1);
    let many = Traffic {
        endpoints: 1 + PAIRS_RESIDENT,
        ..few
    };
    let resident = |traffic: Traffic| {
        let scenario = traffic.scenario();
        let before = resident_bytes()?;
        let mut loaded = ResidentWhenLoaded(None);
        Run::new(&scenario)
            .sink(&mut loaded)
            .execute()
            .expect("the scenario can be simulated");
        Some(loaded.0? - before)
    };
    let (few, many) = (resident(few)?, resident(many)?);
    Some((many - few) / i64::from(2 * PAIRS_RESIDENT))
}

/// Returns the resident bytes of this process.
fn resident_bytes() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: i64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

/// A sink that records the resident bytes at the first posted message, when all applets are loaded.
struct ResidentWhenLoaded(Option<i64>);

impl Sink for ResidentWhenLoaded {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        if let (EventKind::Unet(UnetEvent::TxPost { .. }), None) = (event.kind, self.0) {
            self.0 = resident_bytes();
        }
    }
}

/// A sink that records the maximum of allocated bytes over all events.
struct MostBytes(i64);

impl Sink for MostBytes {
    fn event(&mut self, _names: &dyn Names, _event: &Event<'_>) {
        self.0 = self.0.max(allocated().bytes);
    }
}
