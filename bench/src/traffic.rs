//! How long packets take, in scenarios of any size.

use nic_runtime::scenario::Scenario;
use nic_runtime::sim;
pub use traffic::{Network, Traffic};

use crate::clock::{median, time};
use crate::pace::{Pace, Paced};

/// Rounds in which two are compared.
const ROUNDS: usize = 7;
/// Rounds in which a time is measured, each of it short.
const SHORT_ROUNDS: usize = 25;

/// Traffic that is timed.
pub trait Timed {
    /// Returns how many nanoseconds of CPU time each packet takes, building the simulation not
    /// included.
    ///
    /// # Panics
    /// Where the scenario cannot be simulated.
    #[must_use]
    fn ns_per_packet(&self, pace: &mut Pace) -> Paced;

    /// Returns how many times the other's time a packet takes: both in turns, the median of the rounds'.
    ///
    /// # Panics
    /// Where a scenario cannot be simulated.
    #[must_use]
    fn times(&self, other: &Self) -> f64;
}

impl Timed for Traffic {
    fn ns_per_packet(&self, pace: &mut Pace) -> Paced {
        let scenarios = Scenarios::of(self);
        pace.beside(SHORT_ROUNDS, || scenarios.ns_per_packet())
    }

    fn times(&self, other: &Traffic) -> f64 {
        let [own, others] = [self, other].map(Scenarios::of);
        let ratios = (0..ROUNDS).map(|_| own.ns_per_packet() / others.ns_per_packet());
        median(ratios.collect())
    }
}

/// Traffic, and as much of it as has grown what grows with the first message: one of each sender.
struct Scenarios {
    few: Scenario,
    all: Scenario,
    /// Packets of which the one has more than the other.
    packets: u64,
}

impl Scenarios {
    fn of(traffic: &Traffic) -> Scenarios {
        let few = Traffic {
            packets: traffic.senders(),
            ..*traffic
        };
        Scenarios {
            few: few.scenario(),
            all: traffic.scenario(),
            packets: traffic.packets - traffic.senders(),
        }
    }

    /// Times both once.
    fn ns_per_packet(&self) -> f64 {
        let [few, all] = [&self.few, &self.all].map(|scenario| {
            time(|| sim::run(scenario, &mut ()).expect("the scenario can be simulated"))
        });
        // Exact: counts of packets are far below 2^52.
        all.saturating_sub(few).as_secs_f64() * 1e9 / self.packets as f64
    }
}
