//! Remote paging, step by step, and requests of peers that do not follow the protocol.

use super::super::*;
use super::pair::{Half, page, port, set_up, with_ports};

#[test]
fn paging_moves_all_who_share_a_port() {
    let (mut sender, mut receiver) = with_ports(3);
    for process in [1, 2] {
        for number in [1, 3] {
            sender.map(page(process, number), Direction::Send, number);
            receiver.map(page(process, number), Direction::Receive, number);
        }
    }
    let places = |half: &Half, number| [1, 2].map(|process| half.place(page(process, number)));
    let (in_frame, out) = ([Place::Frame(FrameId(0)); 2], [Place::Memory; 2]);
    assert_eq!(places(&sender, 1), in_frame);
    assert_eq!(places(&sender, 3), [Place::Port(port(3)); 2]);
    assert_eq!(
        (places(&receiver, 1), places(&receiver, 3)),
        (in_frame, out)
    );
    let fault = sender.store(page(1, 3), (0, &[1])).unwrap_err();
    assert_eq!(fault, StoreError::Fault { port: port(3) });
    let page_out = sender.fault(page(1, 3), Victims::Fifo);
    assert_eq!(page_out.flushed, None);
    assert_eq!(places(&sender, 1), [Place::Port(port(1)); 2]);
    assert_eq!(places(&sender, 3), in_frame);
    let frame = FrameId(0);
    let copies = receiver.serve(page_out.request);
    let copy = |number| PageCopy {
        port: port(number),
        frame,
    };
    assert_eq!(copies, (Some(copy(1)), copy(3)));
    assert_eq!(
        (places(&receiver, 1), places(&receiver, 3)),
        (out, in_frame)
    );
    // A port that is mapped while it is out is memory, and comes in with the others.
    receiver.map(page(3, 1), Direction::Receive, 1);
    assert_eq!(receiver.place(page(3, 1)), Place::Memory);
    let again = sender.fault(page(2, 1), Victims::Fifo);
    assert_eq!(again.request.frame, FrameId(1));
    assert_eq!(receiver.serve(again.request).0.unwrap().port, port(2));
    assert_eq!(receiver.place(page(3, 1)), Place::Frame(FrameId(1)));
    assert_eq!(places(&receiver, 1), [Place::Frame(FrameId(1)); 2]);
}

#[test]
fn an_empty_frame_is_taken_before_a_victim() {
    let (mut sender, mut receiver) = with_ports(3);
    let delete = sender.end.delete(Direction::Send, port(2)).unwrap();
    receiver.take(delete.message);
    sender.map(page(0, 3), Direction::Send, 3);
    let page_out = sender.fault(page(0, 3), Victims::Named(FrameId(0)));
    assert_eq!(page_out.request.frame, FrameId(1));
    assert_eq!(receiver.serve(page_out.request).0, None);
}

#[test]
fn the_clock_spares_what_any_sharer_has_written() {
    let (mut sender, _) = with_ports(4);
    for number in 1..=4 {
        sender.map(page(0, number), Direction::Send, number);
        sender.map(page(1, number), Direction::Send, number);
    }
    sender.store(page(1, 1), (0, &[1])).unwrap();
    let gone = sender.fault(page(0, 3), Victims::Clock);
    assert_eq!(gone.request.frame, FrameId(1));
    // The search has taken the used bit of port 1, which nobody has written since.
    let gone = sender.fault(page(0, 4), Victims::Clock);
    assert_eq!(gone.request.frame, FrameId(0));
}

#[test]
fn a_fault_under_way_keeps_others_from_its_frame() {
    let (mut sender, _) = with_ports(3);
    for (at, number) in [
        (page(0, 1), 1),
        (page(1, 1), 1),
        (page(0, 3), 3),
        (page(1, 3), 3),
    ] {
        sender.map(at, Direction::Send, number);
    }
    let stores = |half: &mut Half| [page(1, 1), page(1, 3)].map(|at| half.store(at, (0, &[1])));
    let there = Ok(Some((0, vec![1])));
    let fault = |number| Err(StoreError::Fault { port: port(number) });
    let resident = sender.end.trap(&sender.pages, page(0, 1)).unwrap_err();
    assert_eq!(resident, FaultError::Resident { frame: FrameId(0) });
    let trapped = sender.end.trap(&sender.pages, page(0, 3)).unwrap();
    let busy = sender.end.trap(&sender.pages, page(1, 3)).unwrap_err();
    assert_eq!(busy, FaultError::Busy { port: port(3) });
    assert_eq!(
        busy.to_string(),
        "expected no fault under way, found one of port 3"
    );
    let faulted = sender.end.find_port(trapped);
    assert_eq!(faulted.port(), port(3));
    let chosen = sender.end.choose(&mut sender.pages, faulted, Victims::Fifo);
    assert_eq!(stores(&mut sender), [there.clone(), fault(3)]);
    let (requested, _) = sender.end.request(chosen);
    // A message of a store would follow the request now, and land in port 3.
    let held = Err(StoreError::Held { frame: FrameId(0) });
    assert_eq!(stores(&mut sender), [held, fault(3)]);
    let invalidated = sender.end.invalidate(&mut sender.pages, requested);
    assert_eq!(stores(&mut sender), [fault(1), fault(3)]);
    // The frame is empty, but taken.
    let (_, offer) = sender.create(Direction::Send);
    assert_eq!(offer.step, SetUpStep::Offer { frame: None });
    let validated = sender.end.validate(&mut sender.pages, invalidated);
    assert_eq!(stores(&mut sender), [fault(1), there.clone()]);
    let busy = sender.end.trap(&sender.pages, page(1, 1)).unwrap_err();
    assert_eq!(busy, FaultError::Busy { port: port(3) });
    assert_eq!(sender.end.resume(validated), page(0, 3));
    assert!(sender.end.trap(&sender.pages, page(1, 1)).is_ok());
}

#[test]
fn a_victim_whose_set_up_is_refused_leaves_its_id_to_others() {
    let mut sender = Half::new();
    let (_, first) = sender.create(Direction::Send);
    let (_, second) = sender.create(Direction::Send);
    let (_, third) = sender.create(Direction::Send);
    for offer in [first, third] {
        let step = SetUpStep::Answer {
            to: offer.port,
            frame: None,
        };
        sender.take(set_up(Direction::Receive, offer.port.number(), step));
    }
    sender.map(page(0, 3), Direction::Send, 3);
    let trapped = sender.end.trap(&sender.pages, page(0, 3)).unwrap();
    let faulted = sender.end.find_port(trapped);
    let victims = Victims::Named(FrameId(1));
    let chosen = sender.end.choose(&mut sender.pages, faulted, victims);
    assert_eq!(chosen.victim(), Some(second.port));
    // The peer refuses the victim, and its id goes to a port with another frame.
    sender.take(set_up(Direction::Receive, 2, SetUpStep::Refuse));
    let delete = sender.end.delete(Direction::Send, port(1)).unwrap();
    assert_eq!(delete.message.step, SetUpStep::Delete);
    let (_, again) = sender.create(Direction::Send);
    let frame = Some(FrameId(0));
    assert_eq!(
        again,
        set_up(Direction::Send, 2, SetUpStep::Offer { frame })
    );
    let (requested, _) = sender.end.request(chosen);
    let invalidated = sender.end.invalidate(&mut sender.pages, requested);
    let validated = sender.end.validate(&mut sender.pages, invalidated);
    sender.end.resume(validated);
    let frames = [2, 3].map(|number| sender.end.frame(Direction::Send, port(number)));
    assert_eq!(frames, [frame, Some(FrameId(1))]);
    let frames = sender.end.frames(Direction::Send);
    let ports = [0, 1].map(|frame| frames.port(FrameId(frame)));
    assert_eq!(ports, [Some(port(2)), Some(port(3))]);
}

#[test]
fn writes_and_requests_of_no_honest_peer_are_refused() {
    let (mut sender, mut receiver) = with_ports(2);
    let deletion = sender.end.delete(Direction::Send, port(2)).unwrap();
    receiver.take(deletion.message);
    let (_, offer) = receiver.create(Direction::Receive);
    assert_eq!(offer.port, port(2));
    receiver.map(page(0, 0), Direction::Receive, 1);
    let bytes = [1; 2];
    let write = |frame, offset| {
        Message::Write(Write {
            frame: FrameId(frame),
            offset,
            bytes: &bytes,
        })
    };
    let paging = |number, frame| {
        Message::Paging(PageRequest {
            port: port(number),
            frame: FrameId(frame),
        })
    };
    let refused = [
        (write(2, 0), "expected a frame below 2, found 2"),
        (
            write(1, 0),
            "expected a frame that holds a port, found frame 1",
        ),
        (
            write(0, 4095),
            "expected an access within a page of 4096 bytes, found 2 bytes at 4095",
        ),
        (
            write(0, u32::MAX),
            "expected an access within a page of 4096 bytes, found 2 bytes at 4294967295",
        ),
        (paging(1, 2), "expected a frame below 2, found 2"),
        (paging(3, 1), "expected an open port, found id 3"),
        (paging(2, 1), "expected an open port, found id 2"),
        (paging(9, 1), "expected an open port, found id 9"),
        (
            paging(1, 1),
            "expected a port that is out, found port 1 in frame 0",
        ),
        (
            paging(1, 0),
            "expected a port that is out, found port 1 in frame 0",
        ),
    ];
    for (message, text) in refused {
        assert_eq!(receiver.refuse(message).to_string(), text, "{message:?}");
    }
    let landing = receiver.end.receive(&mut receiver.pages, write(0, 4094));
    let Ok(Received::Write(landing)) = landing else {
        panic!("{landing:?}");
    };
    let expected = Landing {
        port: port(1),
        frame: FrameId(0),
        offset: 4094,
    };
    assert_eq!(landing, expected);
}

#[test]
fn a_stopped_controller_takes_nothing() {
    let (_, mut receiver) = with_ports(3);
    let request = Message::Paging(PageRequest {
        port: port(3),
        frame: FrameId(0),
    });
    let received = receiver.end.receive(&mut receiver.pages, request);
    let Ok(Received::Paging(stopped)) = received else {
        panic!("{received:?}");
    };
    assert!(receiver.end.is_stopped());
    let write = Message::Write(Write {
        frame: FrameId(0),
        offset: 0,
        bytes: &[1],
    });
    for message in [write, request] {
        let refused = receiver.end.receive(&mut receiver.pages, message);
        assert_eq!(refused.unwrap_err(), Refused::Stopped);
    }
    let outgoing = receiver.end.read_request(stopped).unwrap();
    assert_eq!(
        (outgoing.outgoing(), outgoing.incoming()),
        (Some(port(1)), port(3))
    );
    let (paged_out, _) = receiver.end.page_out(outgoing);
    let saved = receiver.end.save(&mut receiver.pages, paged_out);
    let (paged_in, _) = receiver.end.page_in(saved);
    let restored = receiver.end.restore(&mut receiver.pages, paged_in);
    assert!(receiver.end.is_stopped());
    assert_eq!(receiver.end.go(restored), port(3));
    assert!(!receiver.end.is_stopped());
    assert!(receiver.end.receive(&mut receiver.pages, write).is_ok());
}
