//! What an endpoint weighs that does nothing.

use allocations::allocated;
use nic_runtime::event::{Event, Names, Sink};
use nic_runtime::sim;

use crate::traffic::Traffic;

/// Pairs of endpoints in the larger of two runs that are compared.
const PAIRS: u32 = 1_000;

/// Returns the bytes that one more idle endpoint with `RawUnet` adds to a simulation, without its
/// buffer area, its `RxBuf` and its heap.
///
/// # Panics
/// Where the scenario cannot be simulated.
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
        sim::run(&scenario, &mut most).expect("the scenario can be simulated");
        let endpoint = &scenario.endpoints[0];
        let lent = endpoint.buffer_area + endpoint.heap + scenario.profile.memory.max_packet.get();
        let endpoints = i64::from(2 * traffic.endpoints);
        most.0 - before - endpoints * i64::from(lent)
    });
    (many - few) / i64::from(2 * PAIRS)
}

/// The most memory that was in use when an event happened.
struct MostBytes(i64);

impl Sink for MostBytes {
    fn event(&mut self, _names: &dyn Names, _event: &Event<'_>) {
        self.0 = self.0.max(allocated().bytes);
    }
}
