//! Setting up and deleting ports, message by message.

use super::super::*;
use super::pair::{Half, SIZES, page, port, set_up, settle, with_ports};
use crate::storage::Fixed;

fn opened(number: u32, creation: Option<CreationId>, frame: Option<u32>) -> Progress {
    Progress::Opened {
        port: port(number),
        creation,
        frame: frame.map(FrameId),
    }
}

#[test]
fn a_new_port_has_the_lowest_id_and_a_frame_while_there_is_one() {
    let (mut sender, mut receiver) = (Half::new(), Half::new());
    for (number, frame) in [(1, Some(0)), (2, Some(1)), (3, None)] {
        let (creation, offer) = sender.create(Direction::Send);
        let frame_given = frame.map(FrameId);
        let step = SetUpStep::Offer { frame: frame_given };
        assert_eq!(offer, set_up(Direction::Send, number, step));
        let done = settle([&mut sender, &mut receiver], [vec![], vec![offer]]);
        let here = opened(number, Some(creation), frame);
        assert_eq!(done, [vec![here], vec![opened(number, None, frame)]]);
        let frames = [
            sender.end.frame(Direction::Send, port(number)),
            receiver.end.frame(Direction::Receive, port(number)),
        ];
        assert_eq!(frames, [frame_given; 2]);
    }
    // The ids of the other direction are others.
    let (creation, offer) = sender.create(Direction::Receive);
    let step = SetUpStep::Offer { frame: None };
    assert_eq!(offer, set_up(Direction::Receive, 1, step));
    let done = settle([&mut sender, &mut receiver], [vec![], vec![offer]]);
    let here = opened(1, Some(creation), Some(0));
    assert_eq!(done, [vec![here], vec![opened(1, None, Some(0))]]);
}

#[test]
fn ends_that_create_at_once_have_two_ports() {
    let (mut sender, mut receiver) = (Half::new(), Half::new());
    let (sent, from_sender) = sender.create(Direction::Send);
    let (received, from_receiver) = receiver.create(Direction::Receive);
    assert_eq!(from_sender.port, from_receiver.port);
    let queues = [vec![from_receiver], vec![from_sender]];
    let done = settle([&mut sender, &mut receiver], queues);
    let proposed = Progress::Proposed { port: port(2) };
    assert_eq!(
        done,
        [
            vec![
                proposed,
                opened(1, Some(sent), Some(0)),
                opened(2, None, Some(1))
            ],
            vec![opened(1, None, Some(0)), opened(2, Some(received), Some(1))],
        ]
    );
}

#[test]
fn ends_that_create_several_ports_at_once_have_all_of_them() {
    let (mut sender, mut receiver) = (Half::new(), Half::new());
    let offers = |half: &mut Half, direction| [(); 2].map(|()| half.create(direction).1).to_vec();
    let to_receiver = offers(&mut sender, Direction::Send);
    let to_sender = offers(&mut receiver, Direction::Receive);
    let done = settle([&mut sender, &mut receiver], [to_sender, to_receiver]);
    for (half, direction, done) in [
        (&sender, Direction::Send, &done[0]),
        (&receiver, Direction::Receive, &done[1]),
    ] {
        let states = [1, 2, 3, 4].map(|number| half.end.state(direction, port(number)));
        assert_eq!(states, [Some(PortState::Open); 4]);
        // Each end hears of its own two creations once.
        let mut creations: Vec<_> = done
            .iter()
            .filter_map(|progress| match progress {
                Progress::Opened { creation, .. } => *creation,
                _ => None,
            })
            .collect();
        creations.sort();
        assert_eq!(creations, [CreationId(0), CreationId(1)]);
    }
}

#[test]
fn without_an_id_there_is_no_port() {
    let (mut sender, mut receiver) = with_ports(3);
    // Both want the last id.
    let (_, from_sender) = sender.create(Direction::Send);
    let (creation, from_receiver) = receiver.create(Direction::Receive);
    let queues = [vec![from_receiver], vec![from_sender]];
    let [_, done] = settle([&mut sender, &mut receiver], queues);
    let failed = Progress::Failed {
        creation: Some(creation),
    };
    assert_eq!(done, [opened(4, None, None), failed]);
    for (half, direction) in [
        (&mut sender, Direction::Send),
        (&mut receiver, Direction::Receive),
    ] {
        let full = half.end.create(direction).unwrap_err();
        assert_eq!(full, PortError::Full { ports: 4 });
        assert_eq!(full.to_string(), "expected one of 4 port ids to be free");
    }
}

#[test]
fn a_peer_that_never_agrees_reaches_the_last_id() {
    let mut sender = Half::new();
    let (creation, offer) = sender.create(Direction::Send);
    assert_eq!(sender.create(Direction::Send).1.port, port(2));
    // The peer answers each id with one that the sender has given to another port.
    let step = SetUpStep::Answer {
        to: offer.port,
        frame: None,
    };
    let (progress, answer) = sender.take(set_up(Direction::Receive, 2, step));
    assert_eq!(progress, Progress::Proposed { port: port(3) });
    let step = SetUpStep::Answer {
        to: port(2),
        frame: Some(FrameId(0)),
    };
    assert_eq!(answer, Some(set_up(Direction::Send, 3, step)));
    // Id 1 is free again.
    let offers = [(); 2].map(|()| sender.create(Direction::Send).1.port);
    assert_eq!(offers, [port(1), port(4)]);
    let step = SetUpStep::Answer {
        to: port(3),
        frame: None,
    };
    let (progress, answer) = sender.take(set_up(Direction::Receive, 4, step));
    let failed = Progress::Failed {
        creation: Some(creation),
    };
    assert_eq!(progress, failed);
    let refuse = set_up(Direction::Send, 4, SetUpStep::Refuse);
    assert_eq!(answer, Some(refuse));
}

#[test]
fn a_refused_proposal_gives_its_frame_back() {
    let mut sender = Half::new();
    let (creation, _) = sender.create(Direction::Send);
    assert_eq!(
        sender.end.frames(Direction::Send).port(FrameId(0)),
        Some(port(1))
    );
    let refuse = set_up(Direction::Receive, 1, SetUpStep::Refuse);
    let failed = Progress::Failed {
        creation: Some(creation),
    };
    assert_eq!(sender.take(refuse), (failed, None));
    assert_eq!(sender.end.frames(Direction::Send).port(FrameId(0)), None);
    assert_eq!(sender.end.state(Direction::Send, port(1)), None);
    let (next, offer) = sender.create(Direction::Send);
    assert_ne!(next, creation);
    let frame = Some(FrameId(0));
    assert_eq!(
        offer,
        set_up(Direction::Send, 1, SetUpStep::Offer { frame })
    );
}

#[test]
fn two_creations_never_propose_the_same_id() {
    let mut receiver = Half::new();
    let (first, offer) = receiver.create(Direction::Receive);
    assert_eq!(offer.port, port(1));
    let step = SetUpStep::Offer { frame: None };
    let (progress, _) = receiver.take(set_up(Direction::Send, 1, step));
    assert_eq!(progress, opened(1, None, None));
    // An honest sender answers the receiver's own proposal before it deletes its port.
    receiver.take(set_up(Direction::Send, 1, SetUpStep::Delete));
    assert_eq!(receiver.end.state(Direction::Receive, port(1)), None);
    let (_, next) = receiver.create(Direction::Receive);
    assert_eq!(next.port, port(2));
    let step = SetUpStep::Answer {
        to: port(1),
        frame: None,
    };
    let (progress, _) = receiver.take(set_up(Direction::Send, 3, step));
    assert_eq!(progress, opened(3, Some(first), None));
}

#[test]
fn as_many_ports_as_the_storage_holds_are_set_up_at_once() {
    let sizes = Sizes {
        ports: PORTS_MAX as u32,
        ..SIZES
    };
    let mut end = LinkEnd::<Fixed>::new(LinkId(0), sizes).unwrap();
    for number in 1..=CREATIONS_MAX as u32 {
        assert_eq!(end.create(Direction::Receive).unwrap().1.port, port(number));
    }
    let refused = end.create(Direction::Receive).unwrap_err();
    assert_eq!(refused, PortError::Creations);
    assert_eq!(end.create(Direction::Send).unwrap().1.port, port(1));
}

#[test]
fn a_deleted_id_is_free_when_both_ends_have_deleted_it() {
    let (mut sender, mut receiver) = with_ports(1);
    receiver.map(page(7, 3), Direction::Receive, 1);
    let deletion = sender.end.delete(Direction::Send, port(1)).unwrap();
    let message = set_up(Direction::Send, 1, SetUpStep::Delete);
    let flushed = None;
    assert_eq!(deletion, Deletion { flushed, message });
    // The frame is free at once, the id is not.
    let (_, offer) = sender.create(Direction::Send);
    assert_eq!(offer.port, port(2));
    let frame = Some(FrameId(0));
    assert_eq!(offer.step, SetUpStep::Offer { frame });
    let done = settle([&mut sender, &mut receiver], [vec![], vec![message]]);
    let deleted = Progress::Deleted {
        port: port(1),
        frame,
    };
    assert_eq!(
        done,
        [vec![Progress::Freed { port: port(1) }], vec![deleted]]
    );
    // The reader has plain memory, which no other port with this id becomes.
    assert_eq!(receiver.place(page(7, 3)), Place::Memory);
    let (_, again) = sender.create(Direction::Send);
    assert_eq!(again.port, port(1));
    settle([&mut sender, &mut receiver], [vec![], vec![offer, again]]);
    assert_eq!(receiver.place(page(7, 3)), Place::Memory);
    assert_eq!(receiver.end.sharers(Direction::Receive, port(1)), []);
    receiver.end.unmap(&mut receiver.pages, page(7, 3)).unwrap();
}

#[test]
fn a_receiver_asks_its_sender_to_delete() {
    let (mut sender, mut receiver) = with_ports(2);
    sender.map(page(7, 3), Direction::Send, 1);
    sender.map(page(7, 4), Direction::Send, 2);
    let close = receiver.end.delete(Direction::Receive, port(1)).unwrap();
    assert_eq!(
        close.message,
        set_up(Direction::Receive, 1, SetUpStep::Close)
    );
    // Writes that are under way still land.
    let write = Write {
        frame: FrameId(0),
        offset: 5,
        bytes: &[1],
    };
    let landed = receiver
        .end
        .receive(&mut receiver.pages, Message::Write(write));
    assert!(matches!(landed, Ok(Received::Write(Landing { .. }))));
    let done = settle([&mut sender, &mut receiver], [vec![close.message], vec![]]);
    let asked = Progress::Asked { port: port(1) };
    assert_eq!(done[0], [asked, Progress::Freed { port: port(1) }]);
    let gone = ProtectionFault::NotMapped { page: page(7, 3) };
    let refused = sender.store(page(7, 3), (0, &[1])).unwrap_err();
    assert_eq!(refused, StoreError::Protection(gone));
    assert_eq!(sender.store(page(7, 4), (0, &[1])), Ok(Some((0, vec![1]))));
}

#[test]
fn ends_that_delete_at_once_delete_once() {
    let (mut sender, mut receiver) = with_ports(1);
    let delete = sender.end.delete(Direction::Send, port(1)).unwrap().message;
    let close = receiver
        .end
        .delete(Direction::Receive, port(1))
        .unwrap()
        .message;
    let done = settle([&mut sender, &mut receiver], [vec![close], vec![delete]]);
    assert_eq!(
        done[0],
        [Progress::Nothing, Progress::Freed { port: port(1) }]
    );
    assert_eq!(receiver.end.state(Direction::Receive, port(1)), None);
    assert_eq!(sender.end.state(Direction::Send, port(1)), None);
}

#[test]
fn a_port_in_use_is_not_deleted() {
    let (mut sender, mut receiver) = with_ports(3);
    sender.map(page(0, 0), Direction::Send, 1);
    receiver.map(page(0, 0), Direction::Receive, 1);
    receiver.map(page(1, 0), Direction::Receive, 1);
    let mapped = sender.end.delete(Direction::Send, port(1)).unwrap_err();
    assert_eq!(
        mapped.to_string(),
        "expected a port that no page maps, found port 1, which 1 pages map"
    );
    let mapped = receiver
        .end
        .delete(Direction::Receive, port(1))
        .unwrap_err();
    let sharers = 2;
    assert_eq!(
        mapped,
        PortError::Mapped {
            port: port(1),
            sharers
        }
    );
    let none = sender.end.delete(Direction::Receive, port(1)).unwrap_err();
    assert_eq!(none, PortError::NoPort { port: port(1) });
    // Port 3 is out. While it comes in, neither it nor the victim may go.
    sender.map(page(0, 3), Direction::Send, 3);
    let trapped = sender.end.trap(&sender.pages, page(0, 3)).unwrap();
    let faulted = sender.end.find_port(trapped);
    let victims = Victims::Named(FrameId(1));
    let chosen = sender.end.choose(&mut sender.pages, faulted, victims);
    assert_eq!(
        (chosen.victim(), chosen.frame()),
        (Some(port(2)), FrameId(1))
    );
    let paging = sender.end.delete(Direction::Send, port(2)).unwrap_err();
    assert_eq!(paging, PortError::Paging { port: port(2) });
    sender.end.unmap(&mut sender.pages, page(0, 3)).unwrap();
    let paging = sender.end.delete(Direction::Send, port(3)).unwrap_err();
    assert_eq!(paging, PortError::Paging { port: port(3) });
    // The receiver's wish waits too.
    let close = set_up(Direction::Receive, 3, SetUpStep::Close);
    assert_eq!(
        sender.take(close),
        (Progress::Asked { port: port(3) }, None)
    );
    assert_eq!(sender.end.delete_asked(&mut sender.pages), None);
    let (requested, _) = sender.end.request(chosen);
    let invalidated = sender.end.invalidate(&mut sender.pages, requested);
    let validated = sender.end.validate(&mut sender.pages, invalidated);
    sender.end.resume(validated);
    let (asked, _) = sender.end.delete_asked(&mut sender.pages).unwrap();
    assert_eq!(asked, port(3));
    assert_eq!(sender.end.delete_asked(&mut sender.pages), None);
    assert!(sender.end.delete(Direction::Send, port(2)).is_ok());
}

#[test]
fn nothing_maps_a_port_that_is_not_open() {
    let (mut sender, mut receiver) = with_ports(1);
    let (_, offer) = sender.create(Direction::Send);
    let map = |half: &mut Half, direction, number| {
        let Half { end, pages } = half;
        end.map(pages, page(0, 0), (direction, port(number)))
    };
    let not_open = |number| Err(PortError::NotOpen { port: port(number) });
    assert_eq!(map(&mut sender, Direction::Send, 2), not_open(2));
    settle([&mut sender, &mut receiver], [vec![], vec![offer]]);
    sender.end.delete(Direction::Send, port(1)).unwrap();
    receiver.end.delete(Direction::Receive, port(1)).unwrap();
    assert_eq!(map(&mut sender, Direction::Send, 1), not_open(1));
    assert_eq!(map(&mut receiver, Direction::Receive, 1), not_open(1));
    let none = Err(PortError::NoPort { port: port(3) });
    assert_eq!(map(&mut receiver, Direction::Receive, 3), none);
    assert_eq!(map(&mut sender, Direction::Send, 2), Ok(()));
    let taken = map(&mut sender, Direction::Send, 2).unwrap_err();
    assert_eq!(taken, PortError::PageTaken { page: page(0, 0) });
    let policy = |half: &mut Half, number| {
        let Half { end, pages } = half;
        end.set_write_policy(pages, port(number), Policy::Late)
    };
    assert_eq!(
        policy(&mut sender, 1),
        Err(PortError::NotOpen { port: port(1) })
    );
    assert_eq!(
        policy(&mut receiver, 1),
        Err(PortError::NoPort { port: port(1) })
    );
}

#[test]
fn set_up_messages_of_no_honest_peer_are_refused() {
    let (mut sender, mut receiver) = with_ports(1);
    let (_, _) = receiver.create(Direction::Receive);
    let given = |frame| SetUpStep::Offer {
        frame: Some(FrameId(frame)),
    };
    let answer = |to, frame: Option<u32>| SetUpStep::Answer {
        to: port(to),
        frame: frame.map(FrameId),
    };
    let to_receiver = [
        (5, given(1), "expected a port id up to 4, found 5"),
        (3, given(2), "expected a frame below 2, found 2"),
        (
            3,
            given(0),
            "expected an empty frame for a new port, found frame 0 with port 1",
        ),
        (2, answer(2, Some(2)), "expected a frame below 2, found 2"),
        (
            2,
            answer(2, Some(0)),
            "expected an empty frame for a new port, found frame 0 with port 1",
        ),
        (1, answer(2, None), "expected a port id above 2, found 1"),
        (
            3,
            answer(3, None),
            "expected an answer to a proposed port id, found one to id 3",
        ),
        (
            1,
            answer(1, None),
            "expected an answer to a proposed port id, found one to id 1",
        ),
        (
            4,
            answer(1, None),
            "expected an answer to a proposed port id, found one to id 1",
        ),
        (
            1,
            SetUpStep::Refuse,
            "expected an answer to a proposed port id, found one to id 1",
        ),
        (2, SetUpStep::Delete, "expected an open port, found id 2"),
        (3, SetUpStep::Delete, "expected an open port, found id 3"),
    ];
    for (number, step, text) in to_receiver {
        let message = Message::SetUp(set_up(Direction::Send, number, step));
        assert_eq!(receiver.refuse(message).to_string(), text, "{message:?}");
    }
    let (_, _) = sender.create(Direction::Send);
    let to_sender = [
        (3, SetUpStep::Close, "expected an open port, found id 3"),
        (2, SetUpStep::Close, "expected an open port, found id 2"),
        (
            1,
            SetUpStep::Deleted,
            "expected the id of a port that the sender has deleted, found 1",
        ),
        (
            3,
            SetUpStep::Deleted,
            "expected the id of a port that the sender has deleted, found 3",
        ),
    ];
    for (number, step, text) in to_sender {
        let message = Message::SetUp(set_up(Direction::Receive, number, step));
        assert_eq!(sender.refuse(message).to_string(), text, "{message:?}");
    }
    let close = set_up(Direction::Receive, 1, SetUpStep::Close);
    sender.take(close);
    let twice = sender.refuse(Message::SetUp(close));
    assert_eq!(twice, Refused::NoPort { port: port(1) });
    // The sender has given up its proposal of id 1 only as the sender of another direction.
    let (mut sender, mut receiver) = (Half::new(), Half::new());
    let (_, _) = receiver.create(Direction::Receive);
    let (_, offer) = sender.create(Direction::Send);
    receiver.take(offer);
    let accepted = set_up(Direction::Send, 1, answer(1, None));
    let refused = receiver.refuse(Message::SetUp(accepted));
    assert_eq!(refused, Refused::NotOffered { port: port(1) });
}
