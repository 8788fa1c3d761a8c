//! Waits for a word: a process looks and then sleeps, and the process whose port was paged in runs next (S4-19, S4-22).

use nic_core::lmmc::Policy;
use nic_runtime::host::{Happened, WindowNews};

use super::{Cast, port, us, world};
use crate::trace::{Trace, number};

fn times(trace: &Trace, name: &str) -> Vec<u64> {
    trace
        .of(name)
        .iter()
        .map(|event| number(event, "t_ns"))
        .collect()
}

#[test]
fn a_process_looks_before_it_sleeps_until_its_page_is_written() {
    let mut scenario = world(&[&["a"], &["b"]], &[]);
    scenario.ports = vec![port(&[0], &[1], Policy::Immediate)];
    let cast = Cast::default()
        .does("a", |home, actions| {
            actions.compute(us(100));
            // Another word: the process wakes up, looks and sleeps again.
            actions.store(home, 0, (0, 64), vec![1]);
            actions.compute(us(100));
            actions.store(home, 0, (0, 0), vec![1]);
            actions.compute(us(100));
            actions.store(home, 0, (0, 0), vec![2]);
        })
        .does("b", |home, actions| {
            actions.wait_word(home, 1, (0, 0), (0, None));
            // This one looks for less than host.spin.
            actions.compute(us(85));
            actions.wait_word(home, 2, (0, 0), (1, None));
            actions.wait_word(home, 3, (0, 0), (1, None));
        });
    let (trace, heard) = cast.run(&scenario);
    assert_eq!(
        heard,
        [
            "b: 1 word Some(1)",
            "b: 2 word Some(2)",
            "b: 3 word Some(2)"
        ]
    );
    let (sleeps, wakes) = (times(&trace, "sleep"), times(&trace, "wake"));
    assert_eq!((sleeps.len(), wakes.len()), (2, 2));
    // The process looks for 20 µs before it sleeps, from when the port is mapped and from when it wakes up.
    let mapped = number(trace.at("b", "port")[1], "t_ns");
    assert_eq!(sleeps, [mapped + 20_000, wakes[0] + 20_000]);
    let landed: Vec<u64> = trace.at("b", "wire-rx")[1..]
        .iter()
        .map(|event| number(event, "t_ns"))
        .collect();
    assert_eq!(wakes, landed[..2]);
}

/// Two ports in one frame. The process at `b` waits for a word of the first, which is out.
fn waits_while_out(values: &[(&str, &str)]) -> (Trace, Vec<String>) {
    let values = [&[("lmmc.frames", "1")], values].concat();
    let mut scenario = world(&[&["a"], &["b"]], &values);
    scenario.ports = (0..2)
        .map(|_| port(&[0], &[1], Policy::Immediate))
        .collect();
    let cast = Cast::default()
        .does("a", |home, actions| {
            actions.store(home, 0, (0, 0), vec![1]);
            actions.store(home, 0, (1, 0), vec![1]);
            actions.compute(us(1_000));
            actions.store(home, 0, (0, 0), vec![2]);
        })
        .does("b", |home, actions| {
            actions.compute(us(500));
            actions.load(home, 1, (0, 0, 4));
            actions.wait_word(home, 2, (0, 0), (1, None));
        });
    cast.run(&scenario)
}

#[test]
fn a_process_sleeps_at_once_if_its_page_is_out() {
    let (trace, heard) = waits_while_out(&[]);
    assert_eq!(heard, ["b: 1 [1, 0, 0, 0]", "b: 2 word Some(2)"]);
    // A load of four bytes takes 50 ns.
    assert_eq!(times(&trace, "sleep"), [500_050]);
    // The process wakes when the port is paged in, and looks until the write that has caused the paging is there.
    let go = times(&trace, "go");
    assert_eq!(times(&trace, "wake"), go[1..]);
}

#[test]
fn a_poller_on_a_page_that_is_out_costs_no_message_and_no_trap() {
    let run = |polls: u64| {
        let mut scenario = world(&[&["a"], &["b"]], &[("lmmc.frames", "1")]);
        scenario.ports = (0..2)
            .map(|_| port(&[0], &[1], Policy::Immediate))
            .collect();
        let cast = Cast::default()
            .does("a", |home, actions| {
                actions.store(home, 0, (0, 0), vec![1]);
                actions.store(home, 0, (1, 0), vec![2]);
            })
            .does("b", move |home, actions| {
                actions.compute(us(1_000));
                for _ in 0..polls {
                    actions.load(home, 0, (0, 0, 4));
                }
            });
        let (trace, heard) = cast.run(&scenario);
        assert_eq!(heard.len() as u64, polls);
        assert!(heard.iter().all(|line| line == "b: 0 [1, 0, 0, 0]"));
        ["wire-tx", "paging", "fault"].map(|name| trace.of(name).len())
    };
    assert_eq!(run(0), run(1_000));
}

#[test]
fn a_wait_ends_when_its_time_is_over() {
    let mut scenario = world(&[&["a"], &["b"]], &[]);
    scenario.ports = vec![port(&[0], &[1], Policy::Immediate)];
    let cast = Cast::default()
        .does("a", |home, actions| {
            actions.compute(us(150));
            actions.store(home, 0, (0, 0), vec![9]);
        })
        .told("b", {
            let mut began = 0;
            move |what, actions| {
                let home = actions.endpoints()[0];
                match what {
                    Happened::Started => {
                        // The first ends while the process looks, the second while it sleeps.
                        actions.wait_word(home, 1, (0, 0), (0, Some(us(10))));
                        actions.wait_word(home, 2, (0, 0), (0, Some(us(60))));
                        actions.wait_word(home, 3, (0, 0), (0, Some(us(600))));
                        actions.wait_word(home, 4, (0, 0), (9, Some(us(30))));
                        // A time of an earlier wait ends no later one.
                        actions.wait_word(home, 5, (0, 0), (9, Some(us(3_000))));
                    }
                    Happened::Window {
                        what: WindowNews::Word { ticket, .. },
                        ..
                    } => {
                        let now = actions.now().as_ps() / 1_000;
                        if ticket == 5 {
                            // The process has slept before, so that it takes 10 µs to go on, and 50 ns for the load.
                            assert_eq!(now - began, 3_000_000 + 10_000 + 50);
                        }
                        began = now;
                    }
                    _ => {}
                }
            }
        });
    let (_, heard) = cast.run(&scenario);
    assert_eq!(
        heard,
        [
            "b: 1 word None",
            "b: 2 word None",
            "b: 3 word Some(9)",
            "b: 4 word None",
            "b: 5 word None",
        ]
    );
}

/// Two processes of one processor at `b`: one answers what it waits for, the other computes. Returns when the last answer
/// comes.
fn ping_pong(scheduling: &str) -> u64 {
    let mut scenario = world(
        &[&["a"], &["b", "c", "d"]],
        &[("lmmc.frames", "1"), ("lmmc.scheduling", scheduling)],
    );
    scenario.nics[1].host = Some(1);
    // Both ports of each direction share a frame, so that each turn pages one in.
    scenario.ports = vec![
        port(&[0], &[1], Policy::Immediate),
        port(&[0], &[2], Policy::Immediate),
        port(&[1], &[0], Policy::Immediate),
    ];
    const TURNS: u32 = 10;
    let cast = Cast::default()
        .does("a", |home, actions| {
            for turn in 1..=TURNS {
                actions.store(home, 0, (1, 0), turn.to_le_bytes().to_vec());
                actions.store(home, 0, (0, 0), turn.to_le_bytes().to_vec());
                actions.wait_word(home, turn.into(), (2, 0), (turn - 1, None));
            }
        })
        .does("b", |home, actions| {
            for turn in 1..=TURNS {
                actions.wait_word(home, 0, (0, 0), (turn - 1, None));
                actions.store(home, 0, (2, 0), turn.to_le_bytes().to_vec());
            }
        });
    let busy = |_home, actions: &mut nic_runtime::host::Actions<'_>| {
        (0..200).for_each(|_| actions.compute(us(50)));
    };
    let (trace, heard) = cast.does("c", busy).does("d", busy).run(&scenario);
    assert_eq!(
        heard.iter().filter(|line| line.starts_with("a:")).count(),
        TURNS as usize
    );
    let written = trace.at("b", "window-write");
    assert_eq!(written.len(), TURNS as usize);
    number(written[TURNS as usize - 1], "t_ns")
}

#[test]
fn the_process_whose_port_was_paged_in_runs_next() {
    let (preferred, plain) = (ping_pong("'preferred'"), ping_pong("'plain'"));
    assert!(preferred < plain, "{preferred} {plain}");
}
