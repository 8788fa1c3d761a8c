//! Times of packets in scenarios of any size.

use nic_runtime::Run;
use nic_runtime::export::summary::Summary;
use nic_runtime::spec::Scenario;
pub use traffic::{Network, Traffic};

use crate::clock::{median, time};
use crate::pace::{Pace, Paced};

/// Rounds in which two scenarios are compared.
const ROUNDS: usize = 7;
/// Rounds in which one time is measured; each is short.
const SHORT_ROUNDS: usize = 25;

/// Traffic that is timed.
pub trait Timed {
    /// Returns the nanoseconds of CPU time for each packet, without building the simulation.
    ///
    /// # Panics
    ///
    /// Panics when the scenario cannot be simulated.
    #[must_use]
    fn ns_per_packet(&self, pace: &mut Pace) -> Paced;

    /// Returns the nanoseconds of CPU time for each packet in a run with a summary.
    ///
    /// # Panics
    ///
    /// Panics when the scenario cannot be simulated.
    #[must_use]
    fn summarized_ns_per_packet(&self, pace: &mut Pace) -> Paced;

    /// Returns the time of a packet relative to `other`. Both scenarios run in turns, and the result is the median over
    /// the rounds.
    ///
    /// # Panics
    ///
    /// Panics if a scenario cannot be simulated.
    #[must_use]
    fn times(&self, other: &Self) -> f64;
}

impl Timed for Traffic {
    fn ns_per_packet(&self, pace: &mut Pace) -> Paced {
        let scenarios = Scenarios::of(self);
        pace.beside(SHORT_ROUNDS, || scenarios.ns_per_packet(run_unheard))
    }

    fn summarized_ns_per_packet(&self, pace: &mut Pace) -> Paced {
        let scenarios = Scenarios::of(self);
        pace.beside(SHORT_ROUNDS, || scenarios.ns_per_packet(run_summarized))
    }

    fn times(&self, other: &Traffic) -> f64 {
        let [own, others] = [self, other].map(Scenarios::of);
        let ratios =
            (0..ROUNDS).map(|_| own.ns_per_packet(run_unheard) / others.ns_per_packet(run_unheard));
        median(ratios.collect())
    }
}

/// Runs a scenario without a listener.
fn run_unheard(scenario: &Scenario) {
    Run::new(scenario)
        .execute()
        .expect("the scenario can be simulated");
}

/// Runs a scenario and makes its summary, as `jive run --trace none` does.
fn run_summarized(scenario: &Scenario) {
    let mut summary = Summary::new(scenario);
    let end = Run::new(scenario)
        .sink(&mut summary)
        .execute()
        .expect("the scenario can be simulated")
        .end;
    summary.end(end.time, end.reason);
    std::hint::black_box(summary.totals().delivered);
}

/// A scenario, and the same scenario with one message for each sender. The difference of the two scenarios' times
/// excludes building the simulation and growing its buffers.
struct Scenarios {
    few: Scenario,
    all: Scenario,
    /// Number of packets by which one scenario exceeds the other.
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

    /// Times both scenarios once.
    fn ns_per_packet(&self, run: fn(&Scenario)) -> f64 {
        let [few, all] = [&self.few, &self.all].map(|scenario| time(|| run(scenario)));
        // The conversion is exact, because counts of packets are far below 2^52.
        all.saturating_sub(few).as_secs_f64() * 1e9 / self.packets as f64
    }
}
