//! The state of the interface after each event of random runs: pages and frames, and the tables of both ends.
//!
//! A run is cut after each number of events in turn. The tests of whole runs (`tests/simulation/lmmc`) see only what
//! programs and traces show.

use nic_core::event::EndReason;
use nic_core::lmmc::{Direction, Place, Policy, PortId, PortState};
use nic_core::random::Generator;
use nic_core::time::SimDuration;

use super::site::{Site, SiteId, Trap};
use crate::engine::Simulation;
use crate::host::{Actions, Happened, HostProgram, Programs};
use crate::profile::Profile;
use crate::run::run_and_look;
use crate::scenario::parse_on;
use crate::spec::Scenario;

/// Stores to random pages, with pauses.
struct Stores(Generator, Vec<i32>);

impl HostProgram for Stores {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let Happened::Started = what else { return };
        let home = actions.endpoints()[0];
        let Stores(generator, pages) = self;
        for _ in 0..14 {
            let draw = generator.draw();
            let page = pages[draw as usize % pages.len()];
            let offset = (draw >> 8) as u32 % 50;
            actions.store(home, 0, (page, offset), vec![(draw >> 16) as u8; 12]);
            actions.compute(SimDuration::from_ns((draw >> 24) % 8_000));
        }
    }
}

/// Two nodes with three ports in each direction, and one frame or two.
fn scenario(seed: u64) -> Scenario {
    let text = include_str!("../../../profiles/lmmc-1997.toml");
    let frames = format!("frames = {}", 1 + seed % 2);
    let text = text.replace("frames = 8", &frames);
    let text = text.replace("page = \"4KiB\"", "page = \"64B\"");
    let profile = Profile::parse(&text).expect("the keys fit");
    let mut text = String::new();
    for name in ["a", "b"] {
        text += &format!(
            "[[nic]]\nname = 'n{name}'\n[[endpoint]]\nnic = 'n{name}'\nname = '{name}'\ninterface = 'lmmc'\n"
        );
    }
    for (number, (from, to)) in [("a", "b"), ("b", "a")].repeat(3).into_iter().enumerate() {
        let policy = if number % 3 == 0 { "late" } else { "immediate" };
        text += &format!("[[port]]\nfrom = '{from}'\nto = '{to}'\npolicy = '{policy}'\n");
    }
    parse_on(&text, &profile).expect("the scenario is right")
}

fn programs(seed: u64) -> Programs {
    let stores =
        |name: &str, pages: &[i32]| Stores(Generator::named(seed, &["lmmc", name]), pages.to_vec());
    Programs::new()
        .with("a", stores("a", &[0, 2, 4]))
        .with("b", stores("b", &[1, 3, 5]))
}

fn ids(site: &Site) -> impl Iterator<Item = PortId> {
    (1..=site.end.sizes().ports).filter_map(PortId::new)
}

/// Checks one end of a link. A set-up message that is served is between two states.
fn check_end(simulation: &Simulation<'_>, at: SiteId, when: &str) {
    let lmmc = &simulation.engines.lmmc;
    let site = &lmmc.sites[at];
    let node = &lmmc.nodes[&site.nic];
    for port in ids(site) {
        assert!(site.agrees(&simulation.memory, port), "{when}: {port:?}");
        for direction in [Direction::Send, Direction::Receive] {
            let frame = site.end.frame(direction, port);
            if let Some(frame) = frame {
                let held = site.end.frames(direction).port(frame);
                assert_eq!(held, Some(port), "{when}: one port for each frame");
            }
            for sharer in site.end.sharers(direction, port) {
                let entry = node.pages.entry(sharer.page).expect("a sharer is mapped");
                let expected = match (frame, direction) {
                    (Some(frame), _) => Place::Frame(frame),
                    (None, Direction::Send) => Place::Port(port),
                    (None, Direction::Receive) => Place::Memory,
                };
                assert_eq!(entry.place, expected, "{when}: {direction:?} {port:?}");
            }
        }
    }
}

/// Returns whether nothing is under way on the link of two ends.
fn is_at_rest(simulation: &Simulation<'_>, ends: [&Site; 2]) -> bool {
    let has_work = |site: &&Site| {
        let trap = matches!(site.trap, Some(Trap::SetUp(_) | Trap::Paging(_)));
        trap || site.fault.is_some() || !site.inbox.is_empty() || !site.unsent.is_empty()
    };
    simulation.packets.live().next().is_none() && !ends.iter().any(has_work)
}

/// Checks both ends. Returns whether their tables could be compared.
fn check(simulation: &Simulation<'_>, when: &str) -> bool {
    let sites = &simulation.engines.lmmc.sites;
    let ends = [SiteId(0), SiteId(1)];
    for at in ends {
        check_end(simulation, at, when);
    }
    let [one, other] = ends.map(|at| &sites[at]);
    let rests = is_at_rest(simulation, [one, other]);
    if rests {
        for port in ids(one) {
            for (from, to) in [(one, other), (other, one)] {
                let (send, receive) = (Direction::Send, Direction::Receive);
                let states = [from.end.state(send, port), to.end.state(receive, port)];
                assert_eq!(states[0], states[1], "{when}: {port:?}");
                let frames = [from.end.frame(send, port), to.end.frame(receive, port)];
                assert_eq!(frames[0], frames[1], "{when}: {port:?}");
            }
        }
    }
    rests
}

#[test]
fn pages_frames_and_both_tables_agree_after_each_event() {
    let mut compared = 0;
    for seed in 0..20 {
        let mut scenario = scenario(seed);
        assert!(
            scenario
                .ports
                .iter()
                .any(|port| port.policy == Policy::Late)
        );
        for events in 1.. {
            scenario.events_max = events;
            let when = format!("seed {seed}, event {events}");
            let look = |simulation: &Simulation<'_>| check(simulation, &when);
            let run = run_and_look(&scenario, programs(seed), None, look);
            let (end, rests) = run.expect("it runs");
            compared += u32::from(rests);
            if end.reason != EndReason::MaxEvents {
                assert_eq!(end.reason, EndReason::Idle);
                assert!(rests, "nothing is under way when nothing is due");
                break;
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn the_ports_of_the_scenario_are_open_at_both_ends() {
    let scenario = scenario(1);
    let look = |simulation: &Simulation<'_>| {
        let sites = &simulation.engines.lmmc.sites;
        let states = |at: u32, direction| {
            let end = &sites[SiteId(at)].end;
            let open = ids(&sites[SiteId(at)]);
            open.filter(|port| end.state(direction, *port) == Some(PortState::Open))
                .count()
        };
        let sends = [states(0, Direction::Send), states(1, Direction::Send)];
        let receives = [states(0, Direction::Receive), states(1, Direction::Receive)];
        (sends, receives)
    };
    let (_, open) = run_and_look(&scenario, Programs::new(), None, look).expect("it runs");
    assert_eq!(open, ([3, 3], [3, 3]));
}
