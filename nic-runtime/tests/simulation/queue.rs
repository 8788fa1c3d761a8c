//! A NIC as a server of queueing theory: messages with random times between them wait for its processor.

use nic_core::event::roles::Step;
use nic_core::event::{EndReason, Event, Names, Sink};
use nic_core::id::EndpointId;
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::Run;
use nic_runtime::export::stats::Stats;
use nic_runtime::profile::BaseCosts;
use nic_runtime::scenario::parse;
use nic_runtime::spec::Scenario;

use crate::runs::runs;

/// The service of a message, which nothing else delays.
const SERVICE: SimDuration = SimDuration::from_ns(10_000);

/// When the first endpoint's messages were posted, and when the second was shown them.
#[derive(Default)]
struct Seen {
    posted: Vec<SimTime>,
    shown: Vec<SimTime>,
}

impl Sink for Seen {
    fn event(&mut self, _: &dyn Names, event: &Event<'_>) {
        let list = match (event.kind.roles().step, event.endpoint) {
            (Step::Posted { .. }, Some(EndpointId(0))) => &mut self.posted,
            (Step::Delivered { .. }, Some(EndpointId(1))) => &mut self.shown,
            _ => return,
        };
        list.push(event.time);
    }
}

/// Returns a scenario in which messages, whose send has these keys, go through a NIC whose processor takes [`SERVICE`] for
/// each.
fn scenario(keys: &str, seed: u64) -> Scenario {
    let text = format!(
        "until = '3600s'\nmax_events = 100000000\n[[nic]]\nname = 'a'\nsram = '2MiB'\n[[nic]]\nname = 'b'\n\
         [[endpoint]]\nnic = 'a'\nname = 'client'\ntx_queue = 65536\n\
         buffer_area = '8MiB'\n[[endpoint]]\nnic = 'b'\nname = 'server'\nrx_queue = 1024\n\
         [[channel]]\nclient = 1\nserver = 1\n\
         [[send]]\nendpoint = 'client'\nchannel = 1\npayload = {{ zeros = 8 }}\n{keys}\n"
    );
    let mut scenario = parse(text.as_bytes(), None, Some(seed)).expect("it is valid");
    // Only the sending processor takes time that depends on other messages.
    let profile = &mut scenario.profile;
    profile.host.post = SimDuration::ZERO;
    profile.host.bandwidth = std::num::NonZeroU64::MAX;
    profile.base = Some(BaseCosts {
        transmit: SERVICE,
        receive: SimDuration::ZERO,
        poll: SimDuration::ZERO,
    });
    scenario
}

/// Runs such a scenario, and returns what was seen.
fn run(keys: &str, seed: u64) -> Seen {
    let scenario = scenario(keys, seed);
    let mut seen = Seen::default();
    let end = Run::new(&scenario)
        .sink(&mut seen)
        .execute()
        .expect("it can be run")
        .end;
    assert_eq!(end.reason, EndReason::Idle);
    seen
}

#[test]
fn every_message_waits_as_lindleys_recursion_says() {
    for (load, seed) in [(30, 1), (60, 2), (90, 3), (95, 4)] {
        let mean = SERVICE.as_ns() * 100 / load;
        let keys = format!("repeat = 2000\ngap = {{ poisson = '{mean}ns' }}");
        let Seen { posted, shown } = run(&keys, seed);
        assert_eq!((posted.len(), shown.len()), (2_000, 2_000), "load {load}");
        // Without waiting, a message takes this long.
        let alone = shown[0].since(posted[0]);
        let mut free = SimTime::ZERO;
        let mut waited = 0;
        for (at, shown) in posted.iter().zip(&shown) {
            let wait = if free > *at {
                free.since(*at)
            } else {
                SimDuration::ZERO
            };
            waited += u64::from(wait > SimDuration::ZERO);
            let found = shown.since(*at);
            assert_eq!(found, wait + alone, "load {load}, at {at}");
            free = *at + wait + SERVICE;
        }
        // Of Poisson arrivals, as many wait as the server is busy.
        let share = waited * 100 / 2_000;
        assert!(share.abs_diff(load) <= 8, "load {load}: {share} % wait");
    }
}

/// The formula of Pollaczek and Khinchine: with the load ρ and a constant service S, the mean wait is ρS / 2(1 - ρ).
/// `JIVE_RUNS=20` runs as many seeds as the page about validation says.
#[test]
fn poisson_arrivals_wait_in_whole_runs_as_long_as_the_formula_says() {
    /// The runs whose mean is within 2 % of the formula.
    const SEEDS: u64 = 20;
    let seeds = runs(1);
    // The error of a mean shrinks with the root of the number of runs.
    let close = 0.02 * (SEEDS as f64 / seeds.min(SEEDS) as f64).sqrt();
    for load in [30, 60, 90] {
        let mean = SERVICE.as_ns() * 100 / load;
        let (mut waits, mut messages) = (0.0, 0.0);
        for seed in 1..=seeds {
            let keys = format!("repeat = 100000\ngap = {{ poisson = '{mean}ns' }}");
            let scenario = scenario(&keys, seed);
            let mut stats = Stats::new(&scenario);
            let end = Run::new(&scenario).sink(&mut stats).execute();
            stats.end(end.expect("it can be run").end.time);
            let latency = stats.report().total.latency_ns.expect("messages");
            // The message with the least latency has not waited.
            waits += (latency.mean - latency.min) * latency.count as f64;
            messages += latency.count as f64;
        }
        let service = SERVICE.as_ns() as f64;
        let load = service / mean as f64;
        let expected = load * service / (2.0 * (1.0 - load));
        let found = waits / messages;
        println!("load {load:.1}: {found:.1} ns, by the formula {expected:.1} ns");
        assert!(
            (found / expected - 1.0).abs() < close,
            "load {load}: {found} ns, {expected} ns"
        );
    }
}

#[test]
fn gaps_follow_the_seed_and_no_neighbour() {
    let keys = "repeat = 50\ngap = { uniform = ['1us', '50us'] }";
    let (one, same, other) = (run(keys, 7), run(keys, 7), run(keys, 8));
    assert_eq!(one.posted, same.posted);
    assert_ne!(one.posted, other.posted);
    let neighbour = format!("{keys}\n[[endpoint]]\nnic = 'b'\nname = 'third'");
    assert_eq!(run(&neighbour, 7).posted, one.posted);
    for pair in one.posted.windows(2) {
        let gap = pair[1].since(pair[0]);
        let range = SimDuration::from_ns(1_000)..=SimDuration::from_ns(50_000);
        assert!(range.contains(&gap), "{gap}");
    }
    assert_eq!(one.posted[0], SimTime::ZERO, "the first is posted at `at`");
}

#[test]
fn gaps_that_there_are_not_are_mistakes() {
    for (keys, part) in [
        ("gap = { poisson = '0s' }", "poisson"),
        ("gap = { uniform = ['5us', '1us'] }", "uniform"),
        ("gap = { poisson = '-1us' }", "expected"),
        ("gap = { uniform = ['1us'] }", "uniform"),
        ("gap = {}", "expected one of"),
        (
            "gap = { poisson = '1us', uniform = ['1us', '2us'] }",
            "expected one of",
        ),
        (
            "every = '1us'\ngap = { poisson = '1us' }",
            "expected no `every` beside `gap`",
        ),
    ] {
        let text = format!(
            "[[nic]]\nname = 'a'\n[[endpoint]]\nnic = 'a'\nname = 'x'\n[[channel]]\nx = [1, 2]\n\
             [[send]]\nendpoint = 'x'\nchannel = 1\npayload = {{ zeros = 1 }}\n{keys}\n"
        );
        let error = parse(text.as_bytes(), None, None)
            .expect_err(keys)
            .to_string();
        assert!(error.contains(part), "{keys}: {error}");
    }
}

/// Runs a closed loop over two NICs whose processors take these times for each message, and returns the answers that
/// came in a second of virtual time after a warm-up of another.
fn answers_in_a_second(outstanding: u64, services: [SimDuration; 2]) -> f64 {
    let text = format!(
        "until = '2s'\nmax_events = 100000000\nstats = {{ from = '1s' }}\n\
         [[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[endpoint]]\nnic = 'a'\nname = 'client'\n\
         [[endpoint]]\nnic = 'b'\nname = 'server'\nhost = 'echo'\n\
         [[channel]]\nclient = 1\nserver = 1\n\
         [[send]]\nendpoint = 'client'\nchannel = 1\npayload = {{ zeros = 8 }}\n\
         repeat = 1000000\noutstanding = {outstanding}\n"
    );
    let mut scenario = parse(text.as_bytes(), None, None).expect("it is valid");
    for (nic, transmit) in scenario.nics.iter_mut().zip(services) {
        let mut profile = scenario.profile.clone();
        profile.host.post = SimDuration::ZERO;
        profile.host.bandwidth = std::num::NonZeroU64::MAX;
        profile.base = Some(BaseCosts {
            transmit,
            receive: SimDuration::ZERO,
            poll: SimDuration::ZERO,
        });
        nic.profile = Some(std::sync::Arc::new(profile));
    }
    let mut stats = Stats::new(&scenario);
    let end = Run::new(&scenario).sink(&mut stats).execute();
    stats.end(end.expect("it can be run").end.time);
    let report = stats.report();
    let client = report.endpoints.iter().find(|row| row.endpoint == "client");
    client
        .expect("it is an endpoint")
        .traffic
        .delivered_per_second
}

/// Operational bounds: a closed network with N messages over stations of constant service has a throughput of
/// min(N / (S1 + S2), 1 / max S). Wires and hosts take some microseconds, which is little beside the services.
#[test]
fn a_closed_network_is_as_fast_as_its_slowest_station_allows() {
    for (outstanding, us) in [
        (8, [500, 500]),
        (8, [900, 100]),
        (8, [50, 1_000]),
        (1, [1_000, 1_000]),
        (1, [5_000, 200]),
    ] {
        let services = us.map(|us| SimDuration::from_ns(us * 1_000));
        let found = answers_in_a_second(outstanding, services);
        let [first, second] = us.map(|us| us as f64 / 1e6);
        let bound = (outstanding as f64 / (first + second)).min(1.0 / first.max(second));
        assert!(
            found <= bound + 1.0 && found >= bound * 0.97,
            "{outstanding} over {us:?} us: {found}, {bound}"
        );
    }
}
