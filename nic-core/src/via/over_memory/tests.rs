//! The library against plain queues, and against peers that write nonsense.

use std::collections::VecDeque;

use super::*;
use crate::random::Generator;
use crate::remote::RemoteMemory;

const BUFFER: u32 = 8;
const BUFFERS: u32 = 3;

/// The writes that are on their way to the peer, in order.
#[derive(Default)]
struct Wire(VecDeque<(WindowId, u32, std::vec::Vec<u8>)>);

impl RemoteMemory for Wire {
    fn write(&mut self, to: WindowId, offset: u32, bytes: &[u8]) -> Result<(), WindowError> {
        self.0.push_back((to, offset, bytes.to_vec()));
        Ok(())
    }
}

impl OrderedMemory for Wire {
    // Every write arrives after the writes before it.
    type Behind = ();

    fn write_behind(
        &mut self,
        to: WindowId,
        offset: u32,
        bytes: &[u8],
        (): (),
    ) -> Result<(), WindowError> {
        self.write(to, offset, bytes)
    }
}

const CONTROL: WindowId = WindowId(0);
const DATA: WindowId = WindowId(1);

/// A node with its control window and its data window.
struct Node {
    library: Library,
    control: std::vec::Vec<u8>,
    data: std::vec::Vec<u8>,
    out: Wire,
    /// Offsets of the posted receive descriptors, oldest first.
    posted: VecDeque<u32>,
    free: VecDeque<u32>,
}

impl Node {
    fn new() -> Node {
        let layout = ControlLayout::new(BUFFERS).unwrap();
        Node {
            library: Library::new(layout, CONTROL, (BUFFER * BUFFERS).into()),
            control: vec![0; layout.bytes() as usize],
            data: vec![0; (BUFFER * BUFFERS) as usize],
            out: Wire::default(),
            posted: VecDeque::new(),
            free: (0..BUFFERS).map(|buffer| buffer * BUFFER).collect(),
        }
    }

    fn post(&mut self) {
        let Some(offset) = self.free.pop_front() else {
            return;
        };
        let segment = Share {
            window: DATA,
            offset,
            length: BUFFER,
        };
        let posted = self
            .library
            .post_receive(&self.control, &mut self.out, &[segment]);
        posted.unwrap();
        self.posted.push_back(offset);
    }

    fn send(&mut self, message: &[u8], splits: bool) -> Result<(), Unsent> {
        let length = message.len() as u32;
        let target = self.library.target(&self.control, length, splits);
        let transfer = match &target {
            Ok(target) => {
                let mut left = message;
                for share in &target.shares {
                    let (here, rest) = left.split_at(share.length as usize);
                    self.out.write(share.window, share.offset, here).unwrap();
                    left = rest;
                }
                self.library.take(&mut self.out, target).unwrap();
                Transfer::Message {
                    length,
                    immediate: Some(!length),
                    receives: target.receives,
                }
            }
            Err(Unsent::TooLong) => {
                let taken = self.library.take_first(&self.control, &mut self.out);
                taken.unwrap();
                Transfer::TooLong
            }
            Err(_) => return target.map(|_| ()),
        };
        let pointer = self
            .library
            .announce(&self.control, &mut self.out, transfer);
        pointer.unwrap().publish(&mut self.out, ()).unwrap();
        target.map(|_| ())
    }

    /// Returns the next received message, or `None` in place of a message that did not fit.
    fn receive(&mut self) -> Option<Option<std::vec::Vec<u8>>> {
        let next = self
            .library
            .next_transfer(&self.control, &mut self.out, false);
        let received = match next.unwrap()? {
            Transfer::Message {
                length,
                immediate,
                receives,
            } => {
                assert_eq!(immediate, Some(!length));
                let mut message = std::vec::Vec::new();
                for _ in 0..receives {
                    let offset = self.posted.pop_front().expect("it was posted");
                    let left = length - message.len() as u32;
                    let share = offset as usize..(offset + left.min(BUFFER)) as usize;
                    message.extend_from_slice(&self.data[share]);
                    self.free.push_back(offset);
                }
                assert_eq!(message.len() as u32, length);
                Some(message)
            }
            Transfer::TooLong => {
                let offset = self.posted.pop_front().expect("it was posted");
                self.free.push_back(offset);
                None
            }
        };
        Some(received)
    }

    /// Carries out the peer's oldest write, which arrives in this node's memory.
    fn arrive(&mut self, (window, offset, bytes): (WindowId, u32, std::vec::Vec<u8>)) {
        let memory = match window {
            CONTROL => &mut self.control,
            _ => &mut self.data,
        };
        memory[offset as usize..][..bytes.len()].copy_from_slice(&bytes);
    }
}

#[test]
fn messages_pass_as_through_a_plain_queue() {
    let mut refused = [0; 2];
    let mut received = 0;
    for seed in 0..400 {
        let mut generator = Generator::named(seed, &["over-memory"]);
        let splits = seed % 2 == 0;
        let (mut sender, mut receiver) = (Node::new(), Node::new());
        let mut model: VecDeque<Option<std::vec::Vec<u8>>> = VecDeque::new();
        // The number of posted receive descriptors that the sender has learned of.
        let mut posted = 0;
        for number in 0..200_u32 {
            match generator.draw() % 6 {
                0 => receiver.post(),
                1 | 2 => {
                    let length = generator.draw() % 29;
                    let message: std::vec::Vec<u8> = (0..length)
                        .map(|byte| (byte as u32 * 7 + number) as u8)
                        .collect();
                    let needed = match splits {
                        true => (length as u32).div_ceil(BUFFER).max(1),
                        false => 1,
                    };
                    let room = if splits { BUFFER * BUFFERS } else { BUFFER };
                    let fits = length <= room.into();
                    match sender.send(&message, splits) {
                        Ok(()) => {
                            assert!(fits && needed <= posted);
                            posted -= needed;
                            model.push_back(Some(message));
                        }
                        Err(Unsent::Empty) => {
                            assert!(needed > posted && (fits || posted == 0));
                            refused[0] += 1;
                        }
                        Err(Unsent::TooLong) => {
                            assert!(!fits && posted > 0);
                            posted -= 1;
                            model.push_back(None);
                            refused[1] += 1;
                        }
                        Err(Unsent::Failed(error)) => panic!("{error}"),
                    }
                }
                3 => {
                    if let Some(write) = sender.out.0.pop_front() {
                        receiver.arrive(write);
                    }
                }
                4 => {
                    if let Some(write) = receiver.out.0.pop_front() {
                        let layout = sender.library.layout;
                        let is_cookie = write.0 == CONTROL && write.1 == layout.cookies_written();
                        posted += u32::from(is_cookie);
                        sender.arrive(write);
                    }
                }
                _ => {
                    if let Some(message) = receiver.receive() {
                        assert_eq!(Some(message), model.pop_front());
                        received += 1;
                    }
                }
            }
        }
        for write in std::mem::take(&mut sender.out.0) {
            receiver.arrive(write);
        }
        while let Some(message) = receiver.receive() {
            assert_eq!(Some(message), model.pop_front());
        }
        assert!(model.is_empty(), "every message that was sent arrives");
    }
    assert!(
        received > 1_000 && refused.iter().all(|count| *count > 500),
        "{received} {refused:?}"
    );
}

#[test]
fn a_peer_that_writes_nonsense_causes_errors_alone() {
    let mut generator = Generator::named(2, &["nonsense"]);
    let mut errors = 0;
    for _ in 0..2_000 {
        let mut node = Node::new();
        generator.fill(&mut node.control);
        // The pointers in the random memory are small, so that the library reads entries too.
        let layout = node.library.layout;
        for pointer in [layout.cookies_written(), layout.transfers_written()] {
            let value = (generator.draw() % 5) as u32;
            node.control[pointer as usize..][..4].copy_from_slice(&value.to_be_bytes());
        }
        errors += u32::from(node.library.target(&node.control, 9, true).is_err());
        let next = node
            .library
            .next_transfer(&node.control, &mut node.out, true);
        errors += u32::from(next.is_err());
        errors += u32::from(node.library.unread(&node.control).is_err());
    }
    assert!(errors > 2_000, "{errors}");
}
