//! Protection: what a process may not do has no effect, and an event (S4-13).

use nic_core::id::NicId;
use nic_core::lmmc::{Direction, Policy, PortId};
use nic_runtime::host::PortName;

use super::{Cast, port, us, world};
use crate::trace::texts;

#[test]
fn an_access_that_the_page_does_not_allow_is_a_protection_fault() {
    let mut scenario = world(&[&["a"], &["b"]], &[]);
    scenario.ports = vec![
        port(&[0], &[1], Policy::Immediate),
        port(&[1], &[0], Policy::Immediate),
    ];
    let cast = Cast::default().does("a", |home, actions| {
        actions.load(home, 1, (0, 0, 1));
        actions.store(home, 2, (1, 0), vec![1]);
        actions.store(home, 3, (0, 4096), vec![1]);
        actions.store(home, 4, (0, 4095), vec![1, 2]);
        actions.store(home, 5, (0, u32::MAX), vec![1, 2]);
        actions.load(home, 6, (1, 4096, 1));
        actions.load(home, 7, (1, u32::MAX, 4));
        actions.wait_word(home, 8, (0, 0), (0, None));
        actions.wait_word(home, 9, (1, 4094), (0, None));
        actions.store(home, 10, (2, 0), vec![1]);
        actions.load(home, 11, (-1, 0, 1));
        // Each of them again, after one that is allowed.
        actions.store(home, 12, (0, 4095), vec![1]);
        actions.load(home, 13, (0, 0, 1));
    });
    let (trace, heard) = cast.run(&scenario);
    assert_eq!(
        heard,
        [
            "a: 1 load-from-send-page",
            "a: 2 store-to-receive-page",
            "a: 3 beyond-page",
            "a: 4 beyond-page",
            "a: 5 beyond-page",
            "a: 6 beyond-page",
            "a: 7 beyond-page",
            "a: 8 load-from-send-page",
            "a: 9 beyond-page",
            "a: 10 not-mapped",
            "a: 11 not-mapped",
            "a: 13 load-from-send-page",
        ]
    );
    let refused = trace.of("port-refused");
    assert_eq!(refused.len(), 12);
    assert_eq!(texts(&refused[..2], "request"), ["load", "store"]);
    assert_eq!(trace.of("window-write").len(), 1);
    assert_eq!(trace.of("fault").len(), 0);
}

#[test]
fn calls_for_ports_that_are_not_there_are_refused() {
    let scenario = world(&[&["a"], &["b"]], &[("lmmc.ports", "2")]);
    let name = |peer, direction, id| PortName {
        peer: NicId(peer),
        direction,
        id: PortId::new(id).expect("positive"),
    };
    let cast = Cast::default().does("a", move |home, actions| {
        actions.port_map(home, 1, name(1, Direction::Send, 1));
        actions.port_map(home, 2, name(0, Direction::Send, 1));
        actions.port_map(home, 3, name(7, Direction::Send, 1));
        actions.delete_port(home, 4, name(1, Direction::Receive, 2));
        actions.set_write_policy(home, 5, (name(1, Direction::Receive, 1), Policy::Late));
        actions.port_unmap(home, 6, 0);
        // Two ports are all that there may be. The third is refused at once, and works when one is gone.
        for ticket in 7..10 {
            actions.port_create(home, ticket, (NicId(1), Direction::Send));
        }
        actions.compute(us(1_000));
        actions.port_map(home, 10, name(1, Direction::Send, 2));
        actions.port_map(home, 11, name(1, Direction::Send, 2));
        actions.delete_port(home, 12, name(1, Direction::Send, 2));
        actions.port_unmap(home, 13, 0);
        actions.port_unmap(home, 14, 0);
        actions.port_unmap(home, 15, 1);
        actions.delete_port(home, 16, name(1, Direction::Send, 2));
        actions.delete_port(home, 17, name(1, Direction::Send, 2));
        actions.compute(us(1_000));
        actions.port_create(home, 18, (NicId(1), Direction::Send));
    });
    let (trace, heard) = cast.run(&scenario);
    let refused = trace.of("port-refused");
    assert_eq!(
        texts(&refused, "reason"),
        [
            "no-port",
            "no-link",
            "no-link",
            "no-port",
            "no-port",
            "not-mapped",
            "full",
            "mapped",
            "not-mapped",
            "not-open",
        ]
    );
    let answers = |ticket: u32| {
        let wanted = format!("ticket: {ticket},");
        let found = heard.iter().find(|line| line.contains(&wanted));
        found
            .unwrap_or_else(|| panic!("{ticket} of {heard:?}"))
            .contains("Ok(")
    };
    let is_done: Vec<u32> = (1..=18).filter(|ticket| answers(*ticket)).collect();
    assert_eq!(is_done, [7, 8, 10, 11, 13, 15, 16, 18]);
}
