//! The SRAM in use is the sum of its parts. A program that several endpoints share counts once.

use nic_runtime::Run;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use nic_runtime::run::{self, SimError, SramShares};
use nic_runtime::spec::Scenario;
use tests::random::Random;
use tests::simulation::scenario;

use crate::runs::runs;

/// Returns the SRAM that the first NIC of a scenario needs.
fn demand(mut scenario: Scenario) -> SramShares {
    scenario.nics[0].sram = 0;
    match Run::new(&scenario).execute().map(|outcome| outcome.end) {
        Err(SimError::SramTooSmall(demand)) => demand.shares,
        other => panic!("expected too little SRAM, found {other:?}"),
    }
}

/// An endpoint of a random scenario.
#[derive(Clone, Copy)]
struct Endpoint {
    applet: Option<&'static str>,
    tx_queue: u64,
    free_buffers: u64,
    heap: u64,
}

/// Returns a scenario of a NIC with these endpoints, each of which has a channel to itself.
fn nic(endpoints: &[Endpoint]) -> Scenario {
    let mut text = String::from("[[nic]]\nname = 'a'\n");
    for (index, endpoint) in endpoints.iter().enumerate() {
        let Endpoint {
            applet,
            tx_queue,
            free_buffers,
            heap,
        } = endpoint;
        let applet = applet.map_or(String::new(), |name| {
            format!("applet = 'builtin:{name}'\nheap = {heap}\n")
        });
        write!(
            text,
            "[[endpoint]]\nnic = 'a'\nname = 'e{index}'\n{applet}tx_queue = {tx_queue}\n\
             free_buffers = {{ count = {free_buffers}, length = 64 }}\n\
             [[channel]]\ne{index} = [1, 2]\n"
        )
        .expect("a string takes all that is written");
    }
    scenario(&text, None, None)
}

#[test]
fn endpoints_add_up_and_share_their_programs() {
    let mut random = Random::new(77);
    let names = ["RawUnet", "RawUnetSingle", "Drop", "Counter", "PingPong"];
    let empty = demand(nic(&[]));
    assert_eq!((empty.programs, empty.applets, empty.queues), (0, 0, 0));
    let mut shared = 0;
    for round in 0..runs(30) {
        let count = 1 + random.below(8);
        let endpoints: Vec<Endpoint> = (0..count)
            .map(|_| Endpoint {
                applet: Some(random.pick(&names)).filter(|_| random.below(4) > 0),
                tx_queue: 1 + random.below(100),
                free_buffers: random.below(100),
                heap: 20_000 + 8 * random.below(100),
            })
            .collect();
        let mut expected = empty;
        let mut loaded = BTreeSet::new();
        for endpoint in &endpoints {
            let alone = demand(nic(&[*endpoint]));
            assert_eq!((alone.staging, alone.stack), (empty.staging, empty.stack));
            // A descriptor has 16 bytes, an offset has 4, and the endpoint's channel to itself has two entries of 16.
            let queues = 16 * endpoint.tx_queue + 4 * endpoint.free_buffers + 2 * 16;
            assert_eq!(alone.queues, queues, "round {round}");
            expected.queues += queues;
            expected.applets += alone.applets;
            assert_eq!(alone.applets > endpoint.heap, endpoint.applet.is_some());
            match endpoint.applet {
                Some(applet) if loaded.insert(applet) => expected.programs += alone.programs,
                Some(_) => shared += 1,
                None => assert_eq!(alone.programs, 0),
            }
        }
        let scenario = nic(&endpoints);
        assert_eq!(demand(scenario.clone()), expected, "round {round}");
        let holders = run::sram_holders(&scenario).expect("the classes are right");
        let held: u64 = holders.iter().map(|holder| holder.bytes).sum();
        assert_eq!(held, expected.total(), "round {round}");
        // A NIC with exactly this much SRAM is accepted.
        let mut fits = scenario;
        fits.nics[0].sram = u32::try_from(expected.total()).expect("it is small");
        Run::new(&fits).execute().expect("it fits");
        fits.nics[0].sram -= 1;
        let refused = Run::new(&fits).execute().map(|outcome| outcome.end);
        assert!(
            matches!(refused, Err(SimError::SramTooSmall(_))),
            "round {round}"
        );
    }
    assert!(shared > 20, "only {shared} programs are shared");
}
