//! Late update: gathered writes, and when they leave (S4-21).

use nic_core::id::NicId;
use nic_core::lmmc::{Direction, Policy, PortId};
use nic_runtime::host::{Actions, PortName};
use nic_runtime::spec::Scenario;

use super::{Cast, port, us, world};
use crate::trace::{Trace, number, numbers, texts};

fn late(count: u32, values: &[(&str, &str)]) -> Scenario {
    let mut scenario = world(&[&["a"], &["b"]], values);
    scenario.ports = (0..count).map(|_| port(&[0], &[1], Policy::Late)).collect();
    scenario
}

/// The port with an id to the other node.
fn to_b(id: u32) -> PortName {
    PortName {
        peer: NicId(1),
        direction: Direction::Send,
        id: PortId::new(id).expect("positive"),
    }
}

#[test]
fn late_update_shows_the_same_bytes_in_fewer_messages() {
    let run = |policy| {
        let mut scenario = late(1, &[]);
        scenario.ports[0].policy = policy;
        let cast = Cast::default()
            .does("a", |home, actions| {
                for number in 0..1_024u32 {
                    let word = number.wrapping_mul(2_654_435_761).to_le_bytes();
                    actions.store(home, 0, (0, 4 * number), word.to_vec());
                }
            })
            .does("b", |home, actions| {
                actions.compute(us(5_000));
                actions.load(home, 0, (0, 0, 4096));
            });
        let (trace, heard) = cast.run(&scenario);
        (trace.of("window-write").len(), heard)
    };
    let (at_once, bytes) = run(Policy::Immediate);
    let (gathered, same) = run(Policy::Late);
    assert_eq!(bytes, same);
    assert!(bytes[0].len() > 4096);
    // 4096 bytes are 64 lines of 64 bytes.
    assert_eq!((at_once, gathered), (1_024, 64));
}

fn flushes(trace: &Trace) -> Vec<(u64, &str, u64)> {
    let events = trace.of("flush");
    let ports = numbers(&events, "port");
    let lengths = numbers(&events, "length");
    let reasons = texts(&events, "reason");
    let all = ports.into_iter().zip(reasons).zip(lengths);
    all.map(|((port, reason), length)| (port, reason, length))
        .collect()
}

#[test]
fn a_line_leaves_for_each_of_five_reasons() {
    let cast = Cast::default()
        .does("a", |home, actions| {
            // Another line, and then the time.
            actions.store(home, 0, (0, 0), vec![1; 8]);
            actions.store(home, 0, (0, 64), vec![2; 4]);
            actions.compute(us(50));
            // A hole within the line.
            actions.store(home, 0, (0, 0), vec![3; 4]);
            actions.store(home, 0, (0, 8), vec![4; 2]);
            actions.set_write_policy(home, 1, (to_b(1), Policy::Immediate));
            actions.store(home, 0, (0, 16), vec![5]);
            // The other port takes the only frame.
            actions.store(home, 0, (1, 0), vec![6; 3]);
            actions.store(home, 0, (0, 17), vec![7]);
            actions.store(home, 0, (1, 100), vec![8; 5]);
            actions.port_unmap(home, 2, 1);
            actions.delete_port(home, 3, to_b(2));
        })
        .does("b", |home, actions| {
            actions.compute(us(5_000));
            actions.load(home, 4, (0, 0, 20));
            actions.load(home, 5, (0, 64, 4));
            actions.load(home, 6, (1, 0, 4));
            actions.load(home, 7, (1, 99, 7));
        });
    let (trace, heard) = cast.run(&late(
        2,
        &[("lmmc.frames", "1"), ("lmmc.late_flush", "'20us'")],
    ));
    assert_eq!(
        flushes(&trace),
        [
            (1, "outside", 8),
            (1, "time", 4),
            (1, "outside", 4),
            (1, "policy", 2),
            (2, "page-out", 3),
            (2, "delete", 5),
        ]
    );
    let loaded: Vec<&String> = heard.iter().filter(|line| line.starts_with("b:")).collect();
    assert_eq!(
        loaded,
        [
            "b: 4 [3, 3, 3, 3, 1, 1, 1, 1, 4, 4, 0, 0, 0, 0, 0, 0, 5, 7, 0, 0]",
            "b: 5 [2, 2, 2, 2]",
            "b: 6 [6, 6, 6, 0]",
            "b: 7 [0, 8, 8, 8, 8, 8, 0]",
        ]
    );
}

#[test]
fn the_time_of_a_line_counts_from_its_first_byte() {
    let at = |trace: &Trace| {
        let events = trace.of("flush");
        events
            .iter()
            .map(|event| number(event, "t_ns"))
            .collect::<Vec<_>>()
    };
    let run = |acts: fn(nic_core::id::EndpointId, &mut Actions<'_>)| {
        let (trace, _) = Cast::default().does("a", acts).run(&late(1, &[]));
        (at(&trace), trace)
    };
    // A store of one byte takes 100 ns and 12.5 ns, and the flush 5 µs.
    let (once, _) = run(|home, actions| actions.store(home, 0, (0, 0), vec![1]));
    let (often, trace) = run(|home, actions| {
        for byte in 0..30 {
            actions.store(home, 0, (0, byte), vec![1]);
        }
    });
    assert_eq!(once, often);
    assert_eq!(flushes(&trace), [(1, "time", 30)]);
    // The next line has a time of its own, and so has one that begins when the other has left before its time.
    let (times, trace) = run(|home, actions| {
        actions.store(home, 0, (0, 0), vec![1]);
        actions.compute(us(4));
        actions.store(home, 0, (0, 64), vec![2]);
        actions.compute(us(20));
        actions.store(home, 0, (0, 0), vec![3]);
    });
    assert_eq!(
        flushes(&trace),
        [(1, "outside", 1), (1, "time", 1), (1, "time", 1)]
    );
    // The bytes at 64 are gathered with the first line's flush, and leave 5 µs later, not 1 µs later.
    assert_eq!(times[1] - times[0], 5_000);
}

#[test]
fn a_store_over_lines_is_divided_in_order() {
    let bytes: Vec<u8> = (0..200).collect();
    let stored = bytes.clone();
    let cast = Cast::default()
        .does("a", move |home, actions| {
            actions.store(home, 0, (0, 30), stored.clone());
        })
        .does("b", |home, actions| {
            actions.compute(us(500));
            actions.load(home, 0, (0, 30, 200));
        });
    let (trace, heard) = cast.run(&late(1, &[]));
    assert_eq!(heard, [format!("b: 0 {bytes:?}")]);
    // From 30 to 64, two whole lines, and from 192 to 230.
    let lengths: Vec<u64> = flushes(&trace)
        .iter()
        .map(|(_, _, length)| *length)
        .collect();
    assert_eq!(lengths, [34, 64, 64, 38]);
}
