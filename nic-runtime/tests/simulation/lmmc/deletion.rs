//! Set-up and deletion of ports by programs: from either end, from both at once, and again with the same ids (S4-11,
//! S4-20).

use nic_core::id::EndpointId;
use nic_core::id::NicId;
use nic_core::lmmc::{Direction, Policy, PortId};
use nic_runtime::host::{Actions, Happened, PortName, PortNews};

use super::{Cast, us, world};
use crate::trace::{number, texts};

fn name(peer: u32, direction: Direction, id: u32) -> PortName {
    PortName {
        peer: NicId(peer),
        direction,
        id: PortId::new(id).expect("positive"),
    }
}

#[test]
fn both_ends_create_at_once_and_come_to_two_ids() {
    let scenario = world(&[&["a"], &["b"]], &[]);
    let cast = Cast::default()
        .does("a", |home, actions| {
            actions.port_create(home, 1, (NicId(1), Direction::Send));
        })
        .does("b", |home, actions| {
            actions.port_create(home, 2, (NicId(0), Direction::Receive));
        });
    let (trace, mut heard) = cast.run(&scenario);
    heard.sort();
    let ids = |line: &String| {
        let digits = line.rsplit("PortId(").next().expect("an id");
        digits.chars().next().expect("a digit")
    };
    assert_eq!(heard.iter().map(ids).collect::<Vec<_>>(), ['1', '2']);
    let actions = trace.of("port");
    let opened: Vec<(&str, u64)> = actions
        .iter()
        .filter(|event| event["action"] == "open")
        .map(|event| {
            let endpoint = event["endpoint"].as_str().expect("a name");
            (endpoint, number(event, "id"))
        })
        .collect();
    assert_eq!(opened.len(), 4);
    for end in ["a", "b"] {
        for id in [1, 2] {
            assert!(opened.contains(&(end, id)), "{end} {id}");
        }
    }
}

/// A program that creates, uses and deletes ports so often, one after the other.
fn uses_again(rounds: u32) -> impl FnMut(Happened<'_>, &mut Actions<'_>) + Send {
    let mut left = rounds;
    let ask = |actions: &mut Actions<'_>| {
        let home = actions.endpoints()[0];
        actions.port_create(home, 1, (NicId(1), Direction::Send));
    };
    move |what, actions| {
        let home = actions.endpoints()[0];
        match what {
            Happened::Started => ask(actions),
            Happened::Port {
                what: PortNews::Created { created, .. },
                ..
            } => {
                let port = created.expect("an id is free");
                actions.set_write_policy(home, 2, (port, Policy::Late));
                actions.port_map(home, 3, port);
            }
            Happened::Port {
                what: PortNews::Mapped { mapped, .. },
                ..
            } => {
                let page = mapped.expect("the port is open");
                actions.store(home, 4, (page, 8), vec![left as u8; 3]);
                actions.port_unmap(home, 5, page);
                actions.delete_port(home, 6, name(1, Direction::Send, 1));
            }
            Happened::Port {
                what: PortNews::Deleted { deleted, .. },
                ..
            } => {
                deleted.expect("nobody maps it");
                left -= 1;
                if left > 0 {
                    // The receiver has to agree before the id is free.
                    actions.compute(us(50));
                    ask(actions);
                }
            }
            _ => {}
        }
    }
}

#[test]
fn an_id_is_used_again_when_both_ends_have_deleted_its_port() {
    const ROUNDS: u32 = 20;
    let scenario = world(
        &[&["a"], &["b"]],
        &[("lmmc.ports", "1"), ("lmmc.frames", "1")],
    );
    let cast = Cast::default().told("a", uses_again(ROUNDS));
    let (trace, _) = cast.run(&scenario);
    let actions = trace.at("b", "port");
    let expected = ["open", "deleted"].repeat(ROUNDS as usize);
    assert_eq!(texts(&actions, "action"), expected);
    assert_eq!(trace.of("flush").len(), ROUNDS as usize);
    assert_eq!(trace.of("port-refused").len(), 0);
}

#[test]
fn the_pages_of_a_deleted_port_keep_what_was_written_last_and_a_new_port_begins_with_zeros() {
    let scenario = world(
        &[&["a"], &["b"]],
        &[("lmmc.ports", "1"), ("lmmc.frames", "1")],
    );
    let sender = |home: EndpointId, actions: &mut Actions<'_>| {
        for byte in [1, 2] {
            let port = name(1, Direction::Send, 1);
            actions.port_create(home, 0, (NicId(1), Direction::Send));
            actions.compute(us(100));
            actions.port_map(home, 0, port);
            actions.compute(us(100));
            actions.store(home, 0, (i32::from(byte) - 1, 4), vec![byte; 2]);
            actions.compute(us(300));
            actions.port_unmap(home, 0, i32::from(byte) - 1);
            actions.delete_port(home, 0, port);
            actions.compute(us(500));
        }
    };
    let cast = Cast::default()
        .does("a", sender)
        .does("b", |home, actions| {
            for turn in 0..2 {
                actions.compute(us(150));
                actions.port_map(home, 0, name(0, Direction::Receive, 1));
                // Before the store, after it, and after the port is gone.
                actions.load(home, 1, (turn, 0, 8));
                actions.compute(us(200));
                actions.load(home, 2, (turn, 0, 8));
                actions.compute(us(600));
                actions.load(home, 3, (turn, 0, 8));
                actions.load(home, 4, (0, 0, 8));
                actions.compute(us(50));
            }
            // Mapping a port that is gone.
            actions.compute(us(500));
            actions.port_map(home, 5, name(0, Direction::Receive, 1));
            actions.port_unmap(home, 6, 0);
            actions.load(home, 7, (0, 0, 1));
        });
    let (_, heard) = cast.run(&scenario);
    let loads: Vec<&str> = heard
        .iter()
        .filter(|line| line.starts_with("b: ") && line.contains('['))
        .map(|line| &line[3..])
        .collect();
    let with = |byte: u8| format!("[0, 0, 0, 0, {byte}, {byte}, 0, 0]");
    let expected = [
        format!("1 {}", with(0)),
        format!("2 {}", with(1)),
        format!("3 {}", with(1)),
        format!("4 {}", with(1)),
        format!("1 {}", with(0)),
        format!("2 {}", with(2)),
        format!("3 {}", with(2)),
        format!("4 {}", with(1)),
    ];
    assert_eq!(loads, expected);
    assert!(
        heard
            .iter()
            .any(|line| line.contains("ticket: 5") && line.contains("NoPort"))
    );
    assert_eq!(heard.last().map(String::as_str), Some("b: 7 not-mapped"));
}

#[test]
fn the_receiver_asks_the_sender_to_delete_and_later_stores_are_protection_faults() {
    let scenario = world(&[&["a"], &["b"]], &[("lmmc.frames", "1")]);
    let port = name(1, Direction::Send, 1);
    let cast = Cast::default()
        .does("a", move |home, actions| {
            actions.port_create(home, 0, (NicId(1), Direction::Send));
            actions.compute(us(100));
            actions.set_write_policy(home, 0, (port, Policy::Late));
            actions.port_map(home, 0, port);
            // Gathered when the request comes.
            for turn in 0..200 {
                actions.store(home, 1, (0, turn), vec![7]);
                actions.compute(us(1));
            }
            actions.port_map(home, 2, port);
        })
        .does("b", |home, actions| {
            actions.compute(us(200));
            let port = name(0, Direction::Receive, 1);
            actions.delete_port(home, 3, port);
            actions.port_map(home, 4, port);
        });
    let (trace, heard) = cast.run(&scenario);
    let faults = heard
        .iter()
        .filter(|line| *line == "a: 1 not-mapped")
        .count();
    assert!((1..200).contains(&faults), "{faults}");
    for (ticket, reason) in [(2, "NoPort"), (4, "NotOpen")] {
        let ticket = format!("ticket: {ticket}");
        // A node that has not heard of the end yet says that the port is being deleted.
        let found = heard
            .iter()
            .find(|line| line.contains(&ticket))
            .expect("an answer");
        assert!(
            found.contains(reason) || found.contains("NotOpen"),
            "{found}"
        );
    }
    let deletes = trace.of("flush");
    assert!(
        deletes
            .iter()
            .filter(|event| event["reason"] == "delete")
            .count()
            <= 1
    );
    assert_eq!(trace.of("message-refused").len(), 0);
    let freed = trace.at("a", "port");
    assert_eq!(texts(&freed, "action").last(), Some(&"free"));
}
