//! Sizes, mappings and stores, call by call.

use super::super::*;
use super::pair::{Half, SIZES, page, port, with_ports};
use crate::storage::Fixed;

#[test]
fn sizes_that_no_link_has_are_refused() {
    let refused = |sizes| {
        LinkEnd::<Fixed>::new(LinkId(0), sizes)
            .unwrap_err()
            .to_string()
    };
    for (page_bytes, text) in [
        (
            0,
            "expected a page whose length is a power of two, found 0 bytes",
        ),
        (
            4095,
            "expected a page whose length is a power of two, found 4095 bytes",
        ),
    ] {
        assert_eq!(
            refused(Sizes {
                page_bytes,
                ..SIZES
            }),
            text
        );
    }
    let frames = 0;
    assert_eq!(
        refused(Sizes { frames, ..SIZES }),
        "expected at least one frame, found none"
    );
    let frames = FRAMES_MAX as u32 + 1;
    assert_eq!(
        refused(Sizes { frames, ..SIZES }),
        "expected tables with room for 9 frames and 4 ports"
    );
    let ports = PORTS_MAX as u32 + 1;
    assert_eq!(
        refused(Sizes { ports, ..SIZES }),
        "expected tables with room for 2 frames and 17 ports"
    );
    assert_eq!(
        LinkEnd::<Fixed>::new(LinkId(0), SIZES).unwrap().sizes(),
        SIZES
    );
}

#[test]
fn what_a_page_does_not_allow_is_a_protection_fault() {
    let (mut sender, mut receiver) = with_ports(1);
    sender.map(page(1, 8), Direction::Send, 1);
    receiver.map(page(1, 8), Direction::Receive, 1);
    let store = |half: &mut Half, at, offset, length| {
        let bytes = vec![1; length];
        half.store(at, (offset, &bytes))
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(store(&mut sender, page(1, 8), 0, 4096), Ok(()));
    assert_eq!(store(&mut sender, page(1, 8), 4095, 1), Ok(()));
    let refused = [
        (
            store(&mut sender, page(1, 8), 4095, 2),
            "expected an access within a page of 4096 bytes, found 2 bytes at 4095",
        ),
        (
            store(&mut sender, page(1, 8), u32::MAX, 1),
            "expected an access within a page of 4096 bytes, found 1 bytes at 4294967295",
        ),
        (
            store(&mut sender, page(2, 8), 0, 1),
            "expected a mapped page of process 2, found page 8",
        ),
        (
            store(&mut receiver, page(1, 8), 0, 1),
            "expected a store to a send page, found receive page 8 of process 1",
        ),
    ];
    for (refused, text) in refused {
        assert_eq!(refused, Err(text.to_owned()));
    }
    let load = |half: &Half, at| half.pages.receive_page(at).map(|page| page.frame);
    assert_eq!(load(&receiver, page(1, 8)), Ok(Some(FrameId(0))));
    assert_eq!(
        load(&sender, page(1, 8)).unwrap_err().to_string(),
        "expected a load from a receive page, found send page 8 of process 1"
    );
    let unmapped = ProtectionFault::NotMapped { page: page(1, 9) };
    assert_eq!(load(&receiver, page(1, 9)), Err(unmapped));
    // Nor does a page of another link lead anywhere.
    let mut other = LinkEnd::<Fixed>::new(LinkId(1), SIZES).unwrap();
    let resolved = other.resolve(&sender.pages, page(1, 8), (0, &[1]));
    assert_eq!(resolved, Err(StoreError::OtherLink { link: LinkId(0) }));
    let trapped = other.trap(&sender.pages, page(1, 8)).unwrap_err();
    assert_eq!(trapped, FaultError::OtherLink { link: LinkId(0) });
    let unmapped = PortError::NotMapped { page: page(1, 8) };
    assert_eq!(other.unmap(&mut sender.pages, page(1, 8)), Err(unmapped));
}

/// Makes 1,024 stores of 4 bytes in a row, and returns the messages that leave and the page that they make.
fn stream(policy: Policy) -> (usize, Vec<u8>) {
    let (mut sender, _) = with_ports(1);
    sender.map(page(0, 0), Direction::Send, 1);
    let Half { end, pages } = &mut sender;
    let flushed = end.set_write_policy(pages, port(1), policy).unwrap();
    assert_eq!(flushed, None);
    let mut memory = vec![0; 4096];
    let mut messages = 0;
    let mut land = |offset: u32, bytes: &[u8]| {
        messages += 1;
        memory[offset as usize..][..bytes.len()].copy_from_slice(bytes);
    };
    for number in 0..1024_u32 {
        let sent = sender.store(page(0, 0), (number * 4, &number.to_be_bytes()));
        if let Some((offset, bytes)) = sent.unwrap() {
            land(offset, &bytes);
        }
    }
    if let Some(flushed) = sender.end.flush(port(1)) {
        assert_eq!(flushed.frame, FrameId(0));
        let write = flushed.write();
        land(write.offset, write.bytes);
    }
    assert_eq!(sender.end.flush(port(1)), None);
    (messages, memory)
}

#[test]
fn late_update_makes_fewer_messages_of_the_same_bytes() {
    let (immediate, bytes) = stream(Policy::Immediate);
    let (late, gathered) = stream(Policy::Late);
    assert_eq!((immediate, late), (1024, 64));
    assert_eq!(bytes, gathered);
    let numbers = (0..1024_u32).flat_map(u32::to_be_bytes);
    assert!(bytes.into_iter().eq(numbers));
}

#[test]
fn gathered_writes_leave_before_what_comes_after_them() {
    let (mut sender, _) = with_ports(3);
    sender.map(page(0, 0), Direction::Send, 1);
    sender.map(page(1, 5), Direction::Send, 1);
    let policy = |half: &mut Half, policy| {
        let Half { end, pages } = half;
        let flushed = end.set_write_policy(pages, port(1), policy).unwrap();
        flushed.map(|flushed| (flushed.write().offset, flushed.write().bytes.to_vec()))
    };
    assert_eq!(policy(&mut sender, Policy::Late), None);
    // The policy is the port's: each process that maps it gathers into the same line, also one that maps it later.
    sender.map(page(2, 9), Direction::Send, 1);
    for (at, offset) in [(page(0, 0), 10), (page(1, 5), 11), (page(2, 9), 12)] {
        assert_eq!(sender.store(at, (offset, &[offset as u8])), Ok(None));
    }
    let left = sender.store(page(0, 0), (20, &[20]));
    assert_eq!(left, Ok(Some((10, vec![10, 11, 12]))));
    // A store that is longer than what is left of its line is divided.
    let resolved = sender
        .end
        .resolve(&sender.pages, page(0, 0), (21, &[1; 50]))
        .unwrap();
    assert_eq!(
        (resolved.taken(), resolved.port(), resolved.sends()),
        (43, port(1), false)
    );
    let begins = |half: &Half, offset, bytes: &[u8]| {
        let store = half.end.resolve(&half.pages, page(0, 0), (offset, bytes));
        store.unwrap().begins_line()
    };
    assert!(!begins(&sender, 21, &[1]) && begins(&sender, 22, &[1]) && !begins(&sender, 22, &[]));
    assert_eq!(sender.store(page(0, 0), (21, &[])), Ok(None));
    assert_eq!(sender.store(page(0, 0), (90, &[])), Ok(None));
    assert_eq!(policy(&mut sender, Policy::Immediate), Some((20, vec![20])));
    assert_eq!(
        sender.store(page(1, 5), (30, &[3])),
        Ok(Some((30, vec![3])))
    );
    assert_eq!(sender.store(page(1, 5), (30, &[])), Ok(None));
    // Before its port is paged out.
    assert_eq!(policy(&mut sender, Policy::Late), None);
    assert!(begins(&sender, 7, &[7]));
    assert_eq!(sender.store(page(0, 0), (7, &[7])), Ok(None));
    sender.map(page(0, 3), Direction::Send, 3);
    let page_out = sender.fault(page(0, 3), Victims::Fifo);
    let write = page_out
        .flushed
        .as_ref()
        .map(|flushed| flushed.write())
        .unwrap();
    assert_eq!(
        (write.frame, write.offset, write.bytes),
        (FrameId(0), 7, &[7][..])
    );
    let request = PageRequest {
        port: port(3),
        frame: FrameId(0),
    };
    assert_eq!(page_out.request, request);
    // Before its port is deleted.
    sender.fault(page(0, 0), Victims::Fifo);
    assert_eq!(sender.store(page(0, 0), (8, &[8])), Ok(None));
    for at in [page(0, 0), page(1, 5), page(2, 9)] {
        sender.end.unmap(&mut sender.pages, at).unwrap();
    }
    let deletion = sender.end.delete(Direction::Send, port(1)).unwrap();
    assert_eq!(deletion.flushed.unwrap().write().bytes, [8]);
}

#[test]
fn tables_without_an_allocator_hold_so_many_mappings() {
    let (mut sender, _) = with_ports(1);
    for number in 0..SHARERS_MAX as u32 {
        sender.map(page(0, number), Direction::Send, 1);
    }
    let Half { end, pages } = &mut sender;
    let full = end.map(pages, page(0, 100), (Direction::Send, port(1)));
    assert_eq!(full, Err(PortError::Mappings { port: port(1) }));
    assert_eq!(pages.entry(page(0, 100)), None);
    end.unmap(pages, page(0, 0)).unwrap();
    end.map(pages, page(0, 100), (Direction::Send, port(1)))
        .unwrap();
    let sharers = end.sharers(Direction::Send, port(1));
    let sharers: Vec<_> = sharers.iter().map(|sharer| sharer.page.number.0).collect();
    assert_eq!(sharers, [1, 2, 3, 100]);
    // The page tables of the node are full before the port's list of pages is.
    let (mut sender, _) = with_ports(1);
    for number in 0..PAGES_MAX as u32 {
        let entry = PageEntry {
            link: LinkId(1),
            access: Access::Receive,
            place: Place::Memory,
        };
        assert!(sender.pages.add(page(9, number), entry));
        assert!(!sender.pages.add(page(9, number), entry));
    }
    let Half { end, pages } = &mut sender;
    let full = end.map(pages, page(0, 0), (Direction::Send, port(1)));
    assert_eq!(full, Err(PortError::Mappings { port: port(1) }));
    assert_eq!(end.sharers(Direction::Send, port(1)), []);
}

#[test]
fn the_pages_of_a_process_are_its_own() {
    let (mut sender, _) = with_ports(2);
    for (process, number, id) in [(2, 5, 1), (1, 9, 1), (2, 3, 2), (3, 0, 1), (2, 0, 1)] {
        sender.map(page(process, number), Direction::Send, id);
    }
    let of = |half: &Half, process| {
        let pages = half.pages.of_process(ProcessId(process));
        pages.map(|(number, _)| number.0).collect::<Vec<_>>()
    };
    let all = [0, 1, 2, 3, 4].map(|process| of(&sender, process));
    assert_eq!(all, [vec![], vec![9], vec![0, 3, 5], vec![0], vec![]]);
    sender.end.unmap(&mut sender.pages, page(2, 3)).unwrap();
    assert_eq!(of(&sender, 2), [0, 5]);
    assert_eq!(sender.end.sharers(Direction::Send, port(2)), []);
}
