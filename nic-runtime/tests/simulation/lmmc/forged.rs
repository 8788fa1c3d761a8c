//! A hostile node forges messages. Each is refused with an event and a reason, and harms no port but those of its own
//! link.

use nic_core::id::NicId;
use nic_core::lmmc::{
    Direction, FrameId, Message, PageRequest, Policy, PortId, SetUp, SetUpStep, Write,
};
use nic_runtime::spec::Scenario;

use super::{Cast, port, us, world};
use crate::trace::{Trace, texts};

fn id(number: u32) -> PortId {
    PortId::new(number).expect("positive")
}

fn bytes(message: &Message<'_>) -> Vec<u8> {
    [&message.header(), message.payload()].concat()
}

fn write(frame: u32, offset: u32, length: usize) -> Vec<u8> {
    bytes(&Message::Write(Write {
        frame: FrameId(frame),
        offset,
        bytes: &vec![0xee; length],
    }))
}

fn paging(port: u32, frame: u32) -> Vec<u8> {
    bytes(&Message::Paging(PageRequest {
        port: id(port),
        frame: FrameId(frame),
    }))
}

fn set_up(by: Direction, port: u32, step: SetUpStep) -> Vec<u8> {
    bytes(&Message::SetUp(SetUp {
        by,
        port: id(port),
        step,
    }))
}

/// Changes a byte of a message.
fn with(mut message: Vec<u8>, place: usize, value: u8) -> Vec<u8> {
    message[place] = value;
    message
}

/// The forged messages to a node on which the link has one port, which is in frame 0, with what is wrong.
fn forged() -> Vec<(Vec<u8>, &'static str)> {
    let offer = |frame: Option<u32>| SetUpStep::Offer {
        frame: frame.map(FrameId),
    };
    let send = Direction::Send;
    let receive = Direction::Receive;
    let answer = SetUpStep::Answer {
        to: id(9),
        frame: None,
    };
    vec![
        (vec![], "short"),
        (vec![1; 15], "short"),
        (with(write(0, 0, 1), 0, 3), "kind"),
        (with(set_up(send, 2, offer(None)), 1, 6), "step"),
        (set_up(send, 1, SetUpStep::Close), "step"),
        (set_up(receive, 1, SetUpStep::Delete), "step"),
        (with(set_up(send, 2, offer(None)), 2, 2), "side"),
        (with(set_up(send, 2, offer(None)), 7, 0), "port-zero"),
        (with(paging(1, 0), 7, 0), "port-zero"),
        (with(write(0, 0, 1), 3, 1), "unused"),
        (with(paging(2, 0), 15, 1), "unused"),
        (with(write(0, 0, 4), 15, 5), "length"),
        ([paging(1, 0), vec![0]].concat(), "length"),
        (with(write(0, 0, 1), 15, 0), "empty"),
        (write(2, 0, 1), "no-frame"),
        (write(u32::MAX, 0, 1), "no-frame"),
        (write(1, 0, 1), "empty-frame"),
        (write(0, 4096, 1), "beyond-page"),
        (write(0, u32::MAX, 2), "beyond-page"),
        (write(0, 4095, 2), "beyond-page"),
        (paging(1, 2), "no-frame"),
        (paging(2, 1), "no-port"),
        (paging(u32::MAX, 1), "no-port"),
        (paging(1, 0), "resident"),
        (paging(1, 1), "resident"),
        (set_up(send, 5, offer(None)), "no-id"),
        (set_up(send, 2, offer(Some(2))), "no-frame"),
        (set_up(send, 2, offer(Some(0))), "frame-taken"),
        (set_up(send, 4, answer), "no-offer"),
        (set_up(receive, 4, answer), "no-offer"),
        (set_up(send, 2, SetUpStep::Refuse), "not-offered"),
        (set_up(receive, 1, SetUpStep::Deleted), "not-deleted"),
        (set_up(send, 2, SetUpStep::Delete), "no-port"),
        (set_up(receive, 2, SetUpStep::Close), "no-port"),
    ]
}

/// A node with a reader of the hostile node's port and of an honest node's.
fn three_nodes() -> Scenario {
    let values = [("lmmc.frames", "2"), ("lmmc.ports", "4")];
    let mut scenario = world(&[&["reader"], &["hostile"], &["honest"]], &values);
    scenario.ports = vec![
        port(&[1], &[0], Policy::Immediate),
        port(&[2], &[0], Policy::Immediate),
        port(&[0], &[1], Policy::Immediate),
    ];
    scenario
}

/// Runs the nodes while one of them sends these messages.
fn attack(messages: Vec<Vec<u8>>) -> (Trace, Vec<String>) {
    let cast = Cast::default()
        .does("hostile", move |home, actions| {
            actions.store(home, 0, (0, 0), vec![1; 4]);
            for message in &messages {
                actions.lmmc_message(home, NicId(0), message.clone());
            }
            actions.compute(us(2_000));
            actions.store(home, 0, (0, 4), vec![2; 4]);
        })
        .does("honest", |home, actions| {
            for place in 0..200 {
                actions.store(home, 0, (1, place), vec![place as u8]);
                actions.compute(us(10));
            }
        })
        .does("reader", |home, actions| {
            actions.compute(us(20_000));
            actions.load(home, 0, (0, 0, 12));
            actions.load(home, 1, (1, 0, 204));
            actions.store(home, 2, (2, 0), vec![5]);
        });
    cast.run(&three_nodes())
}

fn of_honest() -> String {
    let bytes: Vec<u8> = (0..200).chain([0; 4]).collect();
    format!("reader: 1 {bytes:?}")
}

#[test]
fn each_forged_message_is_refused_with_its_reason_and_harms_nothing() {
    let (messages, reasons): (Vec<_>, Vec<_>) = forged().into_iter().unzip();
    let (trace, heard) = attack(messages);
    let refused = trace.of("message-refused");
    let reasons: Vec<&str> = reasons
        .into_iter()
        .map(|reason| {
            if reason == "no-offer" {
                "not-offered"
            } else {
                reason
            }
        })
        .collect();
    assert_eq!(texts(&refused, "reason"), reasons);
    assert!(refused.iter().all(|event| event["endpoint"] == "reader"));
    let dropped = trace.of("drop");
    assert_eq!(
        texts(&dropped, "reason"),
        vec!["bad-message"; reasons.len()]
    );
    // Even the port of the hostile node works on.
    assert_eq!(
        heard,
        [
            "reader: 0 [1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0]".to_owned(),
            of_honest()
        ]
    );
}

#[test]
fn what_a_hostile_node_may_send_harms_its_own_ports_alone() {
    // The node makes a port, pages it into the frame of its other port, writes there, and sends all of it again.
    let offer = SetUpStep::Offer { frame: None };
    let once = [
        set_up(Direction::Send, 2, offer),
        paging(2, 0),
        write(0, 0, 8),
        set_up(Direction::Send, 1, SetUpStep::Delete),
        write(0, 8, 8),
    ];
    let twice: Vec<Vec<u8>> = once.iter().chain(&once).cloned().collect();
    let (trace, heard) = attack(twice);
    // The first port shows what it was when it was paged out.
    assert_eq!(heard[0], "reader: 0 [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]");
    assert_eq!(heard[1], of_honest());
    let refused = trace.at("reader", "message-refused");
    assert!(texts(&refused, "reason").contains(&"resident"));
}

#[test]
fn a_flood_of_set_ups_ends() {
    // Each id of either side, a hundred times. The reader has at most four ports of each direction.
    let offer = SetUpStep::Offer { frame: None };
    let mut messages = Vec::new();
    for _ in 0..100 {
        for port in 1..=4 {
            messages.push(set_up(Direction::Send, port, offer));
            messages.push(set_up(Direction::Receive, port, offer));
        }
    }
    let (trace, heard) = attack(messages);
    assert_eq!(heard[1], of_honest());
    assert!(trace.at("reader", "port").len() < 2_000);
}

#[test]
fn random_bytes_are_refused() {
    let mut generator = nic_core::random::Generator::named(1, &["lmmc", "forged"]);
    let mut messages = Vec::new();
    for (message, _) in forged() {
        for _ in 0..20 {
            let mut message = message.clone();
            if let Some(count) = message.len().checked_sub(1) {
                let place = (generator.draw() % (count as u64 + 1)) as usize;
                message[place] = generator.draw() as u8;
            }
            messages.push(message);
        }
    }
    let (_, heard) = attack(messages);
    assert_eq!(heard[1], of_honest());
}
