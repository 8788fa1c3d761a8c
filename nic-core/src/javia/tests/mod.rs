//! The buffers of a program against a model, and the rings of tickets.
//!
//! `JIVE_RUNS=100000 cargo test --release -p nic-core javia` runs as many random sequences as the page about Javia says.

mod model;

use std::collections::BTreeSet;

use jive_core::{ArrayKind, TrapKind};

use self::model::{SPACE, World};
use super::*;
use crate::storage::Fixed;
use crate::via::{Handle, Status};

/// Returns how many random sequences the test runs: `JIVE_RUNS` if it is set, and otherwise `default`.
fn runs(default: u64) -> u64 {
    match std::env::var("JIVE_RUNS") {
        Ok(runs) => runs.parse().expect("JIVE_RUNS is a number"),
        Err(_) => default,
    }
}

#[test]
fn buffers_do_what_the_table_of_states_says() {
    let mut seen = BTreeSet::new();
    for run in 0..runs(1000) {
        let mut world = World::new(run);
        for _ in 0..160 {
            world.step();
        }
        seen.append(&mut world.seen);
    }
    // Each row of the table, and each refusal, must have occurred.
    for outcome in [
        "alloc: done",
        "alloc: NegativeArraySizeException NegativeLength bytes",
        "alloc: OutOfMemoryError NoRoom bytes",
        "alloc: full table",
        "free: done",
        "free: ProtectionFault NoBuffer buffer",
        "register: done",
        "register: ProtectionFault NoBuffer buffer",
        "deregister: done",
        "deregister: ProtectionFault NoTicket ticket",
        "to-int-array: done",
        "to-int-array: ProtectionFault NoBuffer buffer",
        "un-ref: done",
        "un-ref: ProtectionFault NoBuffer buffer",
        "post-send: done",
        "post-send: ProtectionFault NoTicket ticket",
        "post-send: ProtectionFault Outside offset length bytes",
        "post-receive: done",
        "collect: stays",
    ] {
        assert!(seen.contains(outcome), "{outcome}: {seen:#?}");
    }
    let forbidden = [
        ("free", "Free state Ref Byte obstacle State"),
        ("free", "Free state ToBeUnref Int obstacle State"),
        ("free", "Free state Unref obstacle Registered vi"),
        (
            "register",
            "Register state ToBeUnref Short obstacle Registered vi",
        ),
        (
            "deregister",
            "Deregister state Ref Int obstacle UnderWay descriptors",
        ),
        ("to-int-array", "ToArray Int state Ref Byte obstacle State"),
        (
            "to-byte-array",
            "ToArray Byte state ToBeUnref Byte obstacle State",
        ),
        (
            "to-short-array",
            "ToArray Short state Unref obstacle Length bytes",
        ),
        ("un-ref", "UnRef state Unref obstacle State"),
        ("un-ref", "UnRef state ToBeUnref Byte obstacle State"),
        ("post-send", "PostSend state ToBeUnref Int obstacle State"),
        (
            "post-receive",
            "PostReceive state ToBeUnref Byte obstacle State",
        ),
    ];
    for (operation, words) in forbidden {
        let outcome = format!("{operation}: BufferState Forbidden buffer operation {words}");
        assert!(seen.contains(&outcome), "{outcome}: {seen:#?}");
    }
}

#[test]
fn a_refusal_says_what_was_expected() {
    let mut buffers = Buffers::<Fixed>::new(SPACE);
    let buffer = buffers.alloc(6).unwrap();
    let refused = |refusal: Refusal| (refusal.trap(), refusal.to_string());
    let length = buffers.to_array(buffer, ArrayKind::Int).unwrap_err();
    assert_eq!(
        refused(length),
        (
            TrapKind::BufferState,
            "`to-int-array` of buffer 1: expected a length of whole elements, found 6 bytes".into()
        )
    );
    buffers.to_array(buffer, ArrayKind::Byte).unwrap();
    let ticket = buffers.register(buffer, 2, Handle(0)).unwrap();
    for (refusal, text) in [
        (
            buffers.to_array(buffer, ArrayKind::Short).unwrap_err(),
            "`to-short-array` of buffer 1: expected state `unref`, or `ref` with this type, found `ref byte[]`",
        ),
        (
            buffers.free(buffer).unwrap_err(),
            "`free` of buffer 1: expected state `unref`, found `ref byte[]`",
        ),
        (
            buffers.register(buffer, 2, Handle(1)).unwrap_err(),
            "`register` of buffer 1: expected a VI without it, it is registered for VI 2",
        ),
    ] {
        assert_eq!(refused(refusal), (TrapKind::BufferState, text.to_owned()));
    }
    let outside = buffers.post_send(ticket, i32::MAX, i32::MAX).unwrap_err();
    assert_eq!(
        refused(outside),
        (
            TrapKind::ProtectionFault,
            "offset 2147483647, length 2147483647, buffer has 6 bytes".into()
        )
    );
}

#[test]
fn a_ring_returns_tickets_in_the_order_of_their_posts() {
    let mut ring = TicketRing::<Fixed>::new(2, (0, 1));
    let bytes = (8, ArrayKind::Byte);
    assert_eq!(ring.take(), None);
    assert_eq!(ring.post(bytes, (0, 4), 7), Some(0));
    assert_eq!(ring.post((24, ArrayKind::Int), (1, 2), 8), Some(1));
    assert_eq!(ring.post(bytes, (0, 4), 9), None);
    assert_eq!(ring.take(), None);
    assert_eq!(ring.first_under_way().unwrap().number, 0);
    assert_eq!(ring.complete(Status::Ok, (3, 5)).unwrap().number, 0);
    // A collection moves the arrays of both tickets.
    for root in ring.roots() {
        *root += 16;
    }
    let done = ring.take().unwrap();
    assert_eq!((done.array, done.length, done.tag), (24, 3, 5));
    assert_eq!(ring.returned(0), Some(done));
    assert_eq!(ring.returned(1), None);
    // The place is free again, and the number is another.
    assert_eq!(ring.post(bytes, (0, 1), 0), Some(2));
    assert_eq!(ring.take(), None);
    assert_eq!(ring.returned(0), None);
    ring.complete(Status::Flushed, (0, 0)).unwrap();
    ring.complete(Status::Flushed, (0, 0)).unwrap();
    assert_eq!(ring.complete(Status::Flushed, (0, 0)), None);
    assert_eq!(ring.take().unwrap().array, 40);
    assert_eq!(ring.take().unwrap().number, 2);
    assert!(ring.is_empty());
}
