//! The library of applets as a corpus: the packets of each applet's built-in scenario, many times over.

use nic_core::time::{SimDuration, SimTime};
use nic_runtime::Run;
use nic_runtime::export::summary::Summary;
use nic_runtime::scenario::{builtin, limits, parse};
use nic_runtime::spec::Scenario;
use serde::Serialize;
use traffic::library::library;

use crate::clock::{median, time};

/// How often the work of a scenario is repeated.
const REPEATED: u64 = 500;

/// Time between two repetitions, which is longer than any of the scenarios takes without a timeout.
const EVERY: SimDuration = SimDuration::from_ns(50_000_000);

/// Rounds of a measurement: few, because there are many applets.
const ROUNDS: usize = 5;

/// The speed of an applet.
#[derive(Clone, Debug, Serialize)]
pub struct AppletSpeed {
    /// Name of the applet, or of the scenario `chain`.
    pub name: String,
    /// Packets on the wires in a run.
    pub packets: u64,
    /// CPU time of a packet in nanoseconds, with all calls of applets and all work of the simulator.
    pub ns: f64,
}

impl AppletSpeed {
    /// Measures each applet of the library, and a chain of three.
    ///
    /// # Panics
    ///
    /// Panics if a built-in scenario cannot be simulated, or if repetitions cause no packets.
    #[must_use]
    pub fn measure() -> Vec<AppletSpeed> {
        let applets = library().map(|(applet, scenario)| (applet.name.to_owned(), scenario));
        let chain = ("chain".to_owned(), "chain".to_owned());
        applets
            .chain([chain])
            .map(|(name, scenario)| AppletSpeed::of(name, &scenario))
            .collect()
    }

    fn of(name: String, scenario: &str) -> AppletSpeed {
        let [few, many] = [1, REPEATED].map(|times| repeated(scenario, times));
        let [packets_of_few, packets] = [&few, &many].map(packets);
        assert!(
            packets > packets_of_few,
            "{name}: no packets by repetitions"
        );
        let spent = |scenario: &Scenario| {
            time(|| {
                Run::new(scenario)
                    .execute()
                    .expect("the scenario can be simulated")
                    .end
            })
        };
        let rounds = (0..ROUNDS).map(|_| {
            let more = spent(&many).saturating_sub(spent(&few));
            more.as_secs_f64() * 1e9 / (packets - packets_of_few) as f64
        });
        let ns = median(rounds.collect());
        AppletSpeed { name, packets, ns }
    }
}

/// Returns a built-in scenario whose work is repeated `times` times: its sends, or the episodes of a barrier that needs
/// no sends.
fn repeated(name: &str, times: u64) -> Scenario {
    let builtin = builtin(name).expect("each applet has a built-in scenario");
    let episodes = format!("{{ EPISODES = {times}, FAREWELLS");
    let text = builtin.text.replace("{ FAREWELLS", &episodes);
    let mut scenario = parse(text.as_bytes(), None, None).expect("it is valid");
    // A message that the scenario file repeats at short intervals is sent once in each repetition of the scenario.
    for send in &mut scenario.sends {
        send.repeat = times;
        send.every = EVERY;
    }
    let long = EVERY.times(2 * times);
    scenario.until = scenario.until.max(SimTime::ZERO + long);
    scenario.events_max = limits::EVENTS_MAX;
    scenario.bytecodes_max = limits::BYTECODES_MAX;
    scenario
}

/// Counts the packets of a run.
fn packets(scenario: &Scenario) -> u64 {
    let mut summary = Summary::new(scenario);
    let end = Run::new(scenario)
        .sink(&mut summary)
        .execute()
        .expect("the scenario can be simulated")
        .end;
    summary.end(end.time, end.reason);
    summary.totals().packets_sent
}

#[cfg(test)]
mod tests {
    use traffic::library::library;

    use super::{packets, repeated};

    #[test]
    fn repetitions_of_each_scenario_cause_packets() {
        for (applet, scenario) in library() {
            let [once, twice] = [1, 2].map(|times| packets(&repeated(&scenario, times)));
            assert!(once > 0 && twice > once, "{}: {once}, {twice}", applet.name);
        }
    }
}
