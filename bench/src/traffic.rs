//! How long packets take, in scenarios of any size.

use nic_runtime::sim;
pub use traffic::{Network, Traffic};

use crate::clock::{median, time};

const ROUNDS: usize = 5;

/// Traffic that is timed.
pub trait Timed {
    /// Returns how many nanoseconds of CPU time each packet takes, building the simulation not
    /// included.
    ///
    /// # Panics
    /// Where the scenario cannot be simulated.
    #[must_use]
    fn ns_per_packet(&self) -> f64;
}

impl Timed for Traffic {
    fn ns_per_packet(&self) -> f64 {
        // One message each, so that what grows with the first one has grown.
        let few = Traffic {
            packets: self.senders(),
            ..*self
        };
        let scenarios = [few.scenario(), self.scenario()];
        let rounds = (0..ROUNDS).map(|_| {
            let [few, all] = [&scenarios[0], &scenarios[1]].map(|scenario| {
                time(|| sim::run(scenario, &mut ()).expect("the scenario can be simulated"))
            });
            // Exact: counts of packets are far below 2^52.
            all.saturating_sub(few).as_secs_f64() * 1e9 / (self.packets - self.senders()) as f64
        });
        median(rounds.collect())
    }
}
