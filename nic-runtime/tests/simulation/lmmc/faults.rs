//! Faults: which there are, their steps at both sides, and who waits for whom (S4-05, S4-08, S4-09, S4-17, S4-18).

use nic_core::lmmc::Policy;
use nic_runtime::host::Programs;

use super::{Cast, Tally, port, steps, us, with_profile, world};
use crate::trace::{Trace, number, numbers};

/// Two nodes with ports from `a` to `b`, and as many frames.
fn ports(count: u32, frames: &str) -> nic_runtime::spec::Scenario {
    let mut scenario = world(&[&["a"], &["b"]], &[("lmmc.frames", frames)]);
    let one = || port(&[0], &[1], Policy::Immediate);
    scenario.ports = (0..count).map(|_| one()).collect();
    scenario
}

#[test]
fn a_fault_is_seven_steps_and_one_trap_at_each_side() {
    let cast = Cast::default()
        .does("a", |home, actions| {
            for turn in 0..4 {
                actions.store(home, turn, ((turn % 2) as i32, 0), vec![turn as u8 + 1]);
            }
        })
        .does("b", |home, actions| {
            actions.compute(us(2_000));
            actions.load(home, 0, (0, 0, 1));
            actions.load(home, 1, (1, 0, 1));
        });
    let (trace, heard) = cast.run(&ports(2, "1"));
    let seven: Vec<u64> = (1..=7).collect();
    // The first port has the frame from the start. Each store after the first goes to a port that is out.
    let three = seven.repeat(3);
    assert_eq!(steps(&trace, "faulting"), three);
    assert_eq!(steps(&trace, "receiving"), three);
    let faults = trace.of("fault");
    let ids: Vec<[u64; 3]> = faults
        .iter()
        .map(|fault| ["port", "victim", "frame"].map(|field| number(fault, field)))
        .collect();
    assert_eq!(ids, [[2, 1, 0], [1, 2, 0], [2, 1, 0]]);
    assert_eq!((trace.of("stop").len(), trace.of("go").len()), (3, 3));
    // What was paged out and in lies where it was.
    assert_eq!(heard, ["b: 0 [3]", "b: 1 [4]"]);
}

#[test]
fn ordinary_traffic_traps_nowhere() {
    const WRITES: u64 = 100_000;
    let mut scenario = ports(8, "8");
    scenario.events_max = u64::MAX;
    let cast = Cast::default().does("a", |home, actions| {
        for number in 0..WRITES {
            let place = ((number % 8) as i32, (number % 1024) as u32 * 4);
            actions.store(home, number, place, vec![number as u8; 4]);
        }
    });
    let (tally, _) = Tally::of(&scenario, cast.programs);
    assert_eq!(tally.count("window-write"), WRITES);
    for trap in ["fault", "paging", "stop"] {
        assert_eq!(tally.count(trap), 0, "{trap}");
    }
}

/// Stores to so many ports, one after the other, in this many rounds.
fn rounds(count: u32, frames: &str, rounds: u64) -> Trace {
    let cast = Cast::default().does("a", move |home, actions| {
        for round in 0..rounds {
            for page in 0..count {
                actions.store(home, round, (page as i32, 0), vec![round as u8 + 1]);
            }
        }
    });
    cast.run(&ports(count, frames)).0
}

#[test]
fn one_port_more_than_frames_faults_in_turn_and_first_in_goes_first() {
    for (count, frames) in [(1, "1"), (4, "4"), (8, "8")] {
        assert!(rounds(count, frames, 3).of("fault").is_empty(), "{frames}");
    }
    let trace = rounds(4, "3", 3);
    let faults = trace.of("fault");
    // The first three stores find their ports in. Each of the other nine brings in the port that went out last.
    assert_eq!(numbers(&faults, "port"), [4, 1, 2, 3, 4, 1, 2, 3, 4]);
    assert_eq!(numbers(&faults, "victim"), [1, 2, 3, 4, 1, 2, 3, 4, 1]);
    assert_eq!(numbers(&faults, "frame"), [0, 1, 2, 0, 1, 2, 0, 1, 2]);
}

#[test]
fn the_clock_spares_a_port_that_was_written() {
    let run = |victim: &'static str| {
        let mut scenario = world(
            &[&["a"], &["b"]],
            &[("lmmc.frames", "3"), ("lmmc.victim", victim)],
        );
        scenario.ports = (0..5)
            .map(|_| port(&[0], &[1], Policy::Immediate))
            .collect();
        let cast = Cast::default().does("a", |home, actions| {
            // Page 0 is written before each store to one of the other four.
            for turn in 0..12 {
                actions.store(home, turn, (0, 0), vec![1]);
                actions.store(home, turn, (1 + (turn % 4) as i32, 0), vec![2]);
            }
        });
        cast.run(&scenario).0.of("fault").len()
    };
    let (fifo, clock) = (run("'fifo'"), run("'clock'"));
    assert!(clock < fifo, "{clock} {fifo}");
}

/// Returns how long the process at `a` takes from its first store to its last, with these costs of `b`.
fn pause(values: &[(&str, &str)]) -> (u64, u64) {
    let mut scenario = ports(2, "1");
    with_profile(
        &mut scenario,
        1,
        &[&[("lmmc.frames", "1")], values].concat(),
    );
    let cast = Cast::default().does("a", |home, actions| {
        actions.store(home, 0, (0, 0), vec![1]);
        actions.store(home, 1, (1, 0), vec![2]);
        actions.compute(us(1));
    });
    let (trace, _) = cast.run(&scenario);
    let last = |side: &str| {
        let all = trace.of("paging");
        let of_side = all.into_iter().rfind(|event| event["side"] == side);
        number(of_side.expect("a step"), "t_ns")
    };
    (last("faulting"), last("receiving"))
}

#[test]
fn the_sender_does_not_wait_for_the_receivers_page_out() {
    let (sender, receiver) = pause(&[]);
    // A page at half the bandwidth takes twice as long.
    let (with_slow, slow) = pause(&[("host.bandwidth", "'40MB/s'")]);
    let page = 4096 * 1_000 / 80;
    assert_eq!(sender, with_slow);
    assert_eq!(slow - receiver, 2 * page);
    assert!(receiver > sender);
}

#[test]
fn the_controller_takes_nothing_while_it_serves_a_request() {
    let cast = Cast::default().does("a", |home, actions| {
        for turn in 0..20 {
            actions.store(home, turn, (0, turn as u32), vec![1]);
        }
        actions.store(home, 0, (1, 0), vec![2]);
        for turn in 0..20 {
            actions.store(home, turn, (1, turn as u32), vec![3]);
        }
    });
    let (trace, _) = cast.run(&ports(2, "1"));
    let time = |name: &str| number(trace.of(name)[0], "t_ns");
    let (stop, go) = (time("stop"), time("go"));
    // The receive buffer has one place. Its message is shown when it arrives, the others when the buffer is free.
    let during = trace.at("b", "wire-rx");
    let during = during
        .iter()
        .filter(|event| (stop + 1..go).contains(&number(event, "t_ns")));
    assert!(during.count() <= 1);
    assert_eq!(trace.of("window-write").len(), 41);
    assert_eq!(trace.of("wire-drop").len(), 0);
}

#[test]
fn two_processes_that_fault_at_once_take_their_turns() {
    let mut scenario = world(&[&["a", "c"], &["b"]], &[("lmmc.frames", "1")]);
    scenario.ports = (0..3)
        .map(|number| {
            let from = [[0], [1], [0]][number];
            port(&from, &[2], Policy::Immediate)
        })
        .collect();
    let stores = |pages: [i32; 4]| {
        move |home, actions: &mut nic_runtime::host::Actions<'_>| {
            for (turn, page) in (1u8..).zip(pages) {
                actions.store(home, 0, (page, u32::from(turn)), vec![turn]);
            }
        }
    };
    let cast = Cast::default()
        .does("a", stores([0, 2, 0, 2]))
        .does("c", stores([1; 4]))
        .does("b", |home, actions| {
            actions.compute(us(5_000));
            for page in 0..3 {
                actions.load(home, page, (page as i32, 0, 5));
            }
        });
    let (trace, heard) = cast.run(&scenario);
    assert_eq!(
        heard,
        [
            "b: 0 [0, 1, 0, 3, 0]",
            "b: 1 [0, 1, 2, 3, 4]",
            "b: 2 [0, 0, 2, 0, 4]"
        ]
    );
    let faulting = steps(&trace, "faulting");
    assert_eq!(
        faulting,
        (1..=7).collect::<Vec<u64>>().repeat(faulting.len() / 7)
    );
}

#[test]
fn a_port_for_each_process_and_a_shared_one_show_the_same() {
    let readers = ["b", "c", "d"];
    let run = |is_shared: bool| {
        let mut scenario = world(&[&["a"], &readers], &[("lmmc.frames", "2")]);
        scenario.ports = match is_shared {
            true => vec![port(&[0], &[1, 2, 3], Policy::Immediate)],
            false => (1..=3)
                .map(|to| port(&[0], &[to], Policy::Immediate))
                .collect(),
        };
        let pages: &[i32] = if is_shared { &[0] } else { &[0, 1, 2] };
        let mut cast = Cast::default().does("a", move |home, actions| {
            for turn in 0..10u8 {
                for page in pages {
                    actions.store(home, 0, (*page, u32::from(turn) * 3), vec![turn; 4]);
                }
            }
        });
        for (number, name) in (0..).zip(readers) {
            let page = if is_shared { 0 } else { number };
            cast = cast.does(name, move |home, actions| {
                actions.compute(us(5_000 + number as u64));
                actions.load(home, 0, (page, 0, 40));
            });
        }
        let (trace, heard) = cast.run(&scenario);
        (heard, trace.of("window-write").len())
    };
    let (own, shared) = (run(false), run(true));
    assert_eq!(own.0, shared.0);
    assert_eq!((own.1, shared.1), (30, 10));
}

#[test]
fn nothing_happens_without_programs() {
    let (tally, end) = Tally::of(&ports(3, "2"), Programs::new());
    assert_eq!(end.reason, nic_core::event::EndReason::Idle);
    // Three offers, and three answers.
    assert_eq!(tally.count("wire-tx"), 6);
}
