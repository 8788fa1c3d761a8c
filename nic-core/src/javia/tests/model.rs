//! The model of a program's buffers: buffers that have their bytes to themselves, and arrays that share them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use jive_core::ArrayKind;

use crate::javia::*;
use crate::random::Generator;
use crate::storage::Fixed;
use crate::via::Handle;

/// Length of the space.
pub(super) const SPACE: u32 = 252;
/// The part of the space that places can use.
const USABLE: u32 = 248;
const HEADER: [u8; 8] = [0xee; 8];
const KINDS: [ArrayKind; 3] = [ArrayKind::Byte, ArrayKind::Short, ArrayKind::Int];

type Bytes = Rc<RefCell<Vec<u8>>>;

/// The table of the Javia paper, section 2.3, written out.
#[derive(Copy, Clone, PartialEq)]
enum Row {
    Unref,
    Ref(ArrayKind),
    ToBeUnref(ArrayKind, i32),
}

struct ModelBuffer {
    bytes: Bytes,
    row: Row,
    /// Where the real buffer lies.
    place: Place,
}

struct ModelRegistration {
    buffer: i32,
    vi: u32,
    under_way: u32,
}

/// A descriptor that the NIC has not completed.
struct Descriptor {
    ticket: i32,
    part: Range<usize>,
    receives: bool,
}

/// An array that the program refers to: where it really lies, and the bytes that it must show.
struct Held {
    real: Real,
    model: Bytes,
}

enum Real {
    InSpace(Range<usize>),
    Moved(Vec<u8>),
}

#[derive(Copy, Clone, PartialEq)]
enum Collector {
    Moving,
    Stationary,
}

pub(super) struct World {
    random: Generator,
    collector: Collector,
    /// One more than the greatest length of a new buffer, with which now the table is full first and now the space.
    longest: u32,
    real: Buffers<Fixed>,
    memory: Vec<u8>,
    buffers: BTreeMap<i32, ModelBuffer>,
    registrations: BTreeMap<i32, ModelRegistration>,
    left: Vec<i32>,
    held: Vec<Held>,
    under_way: Vec<Descriptor>,
    made: i32,
    registered: i32,
    /// The outcomes that have occurred, by operation and result.
    pub(super) seen: BTreeSet<String>,
}

fn index(number: u32) -> usize {
    number as usize
}

fn elements(place: Place) -> Range<usize> {
    index(place.start())..index(place.start() + place.bytes())
}

fn overlaps(a: (u32, u32), b: (u32, u32)) -> bool {
    a.0 < b.1 && b.0 < a.1
}

impl World {
    pub(super) fn new(run: u64) -> World {
        let mut random = Generator::named(run, &["javia"]);
        let collector = match random.draw() % 2 {
            0 => Collector::Moving,
            _ => Collector::Stationary,
        };
        let longest = match random.draw() % 2 {
            0 => 3,
            _ => 43,
        };
        World {
            random,
            collector,
            longest,
            real: Buffers::new(SPACE),
            memory: vec![0; index(SPACE)],
            buffers: BTreeMap::new(),
            registrations: BTreeMap::new(),
            left: Vec::new(),
            held: Vec::new(),
            under_way: Vec::new(),
            made: 0,
            registered: 0,
            seen: BTreeSet::new(),
        }
    }

    fn below(&mut self, end: u32) -> u32 {
        u32::try_from(self.random.draw() % u64::from(end)).unwrap()
    }

    /// Returns a handle or ticket: mostly one that exists, and else one that never did or no longer does.
    fn number(&mut self, known: &[i32], last: i32) -> i32 {
        match (self.below(12), known) {
            (0, _) | (_, []) => {
                let number = self.below(u32::try_from(last).unwrap() + 3);
                i32::try_from(number).unwrap() - 1
            }
            (_, known) => known[index(self.below(u32::try_from(known.len()).unwrap()))],
        }
    }

    fn buffer(&mut self) -> i32 {
        let known = Vec::from_iter(self.buffers.keys().copied());
        self.number(&known, self.made)
    }

    fn ticket(&mut self) -> i32 {
        let known = Vec::from_iter(self.registrations.keys().copied());
        self.number(&known, self.registered)
    }

    fn kind(&mut self) -> ArrayKind {
        KINDS[index(self.below(3))]
    }

    fn forbidden(&self, buffer: i32, operation: Operation, obstacle: Obstacle) -> Refusal {
        let state = match self.buffers[&buffer].row {
            Row::Unref => State::Unref,
            Row::Ref(kind) => State::Ref(kind),
            Row::ToBeUnref(kind, _) => State::ToBeUnref(kind),
        };
        Refusal::Forbidden {
            buffer,
            operation,
            state,
            obstacle,
        }
    }

    /// Checks the result of an operation, and returns its value if there is one.
    fn check<T: PartialEq + std::fmt::Debug>(
        &mut self,
        operation: &str,
        found: Result<T, Refusal>,
        expected: Result<T, Refusal>,
    ) -> Option<T> {
        assert_eq!(found, expected, "{operation}");
        let outcome = match &expected {
            Ok(_) => "done".to_owned(),
            Err(refusal) => format!("{:?} {refusal:?}", refusal.trap()),
        };
        let words = outcome.split(|c: char| !c.is_ascii_alphabetic());
        let words = Vec::from_iter(words.filter(|word| !word.is_empty())).join(" ");
        self.seen.insert(format!("{operation}: {words}"));
        found.ok()
    }

    fn alloc(&mut self) {
        let bytes = i32::try_from(self.below(self.longest + 1)).unwrap() - 1;
        let found = self.real.alloc(bytes);
        let Ok(length) = u32::try_from(bytes) else {
            let expected = Err(Refusal::NegativeLength { bytes });
            self.check("alloc", found, expected);
            return;
        };
        // First fit: the lowest multiple of 8 at which a header and the elements overlap no other place.
        let needed = 8 + length.div_ceil(8) * 8;
        let fits = |start: &u32| {
            let live = self.buffers.values();
            let mut live = live.map(|known| (known.place.header(), known.place.end()));
            start + needed <= USABLE && !live.any(|place| overlaps((*start, start + needed), place))
        };
        let start = (0..USABLE).step_by(8).find(fits);
        if start.is_some() && self.buffers.len() == BUFFERS_MAX {
            self.seen.insert("alloc: full table".to_owned());
        }
        let start = start.filter(|_| self.buffers.len() < BUFFERS_MAX);
        let expected = start
            .map(|_| self.made + 1)
            .ok_or(Refusal::NoRoom { bytes: length });
        let Some(handle) = self.check("alloc", found, expected) else {
            return;
        };
        self.made = handle;
        let place = self.real.registrable(handle, 0).unwrap();
        assert_eq!((Some(place.header()), place.bytes()), (start, length));
        assert_eq!(place.end(), place.header() + needed);
        let whole = index(place.header())..index(place.end());
        assert!(self.memory[whole].iter().all(|byte| *byte == 0));
        let buffer = ModelBuffer {
            bytes: Rc::new(RefCell::new(vec![0; index(length)])),
            row: Row::Unref,
            place,
        };
        self.buffers.insert(handle, buffer);
    }

    fn free(&mut self) {
        let buffer = self.buffer();
        let found = self.real.free(buffer);
        let mut registrations = self.registrations.values();
        let registered = registrations.find(|known| known.buffer == buffer);
        let expected = match self.buffers.get(&buffer) {
            None => Err(Refusal::NoBuffer { buffer }),
            Some(known) if known.row != Row::Unref => {
                Err(self.forbidden(buffer, Operation::Free, Obstacle::State))
            }
            Some(known) => match registered {
                Some(&ModelRegistration { vi, .. }) => {
                    let obstacle = Obstacle::Registered { vi };
                    Err(self.forbidden(buffer, Operation::Free, obstacle))
                }
                None => Ok(known.place),
            },
        };
        if let Some(place) = self.check("free", found, expected) {
            self.memory[index(place.header())..index(place.end())].fill(0);
            self.buffers.remove(&buffer);
        }
    }

    fn register(&mut self) {
        let (buffer, vi) = (self.buffer(), self.below(3));
        let handle = Handle(self.registered.cast_unsigned() * 3);
        let found = self.real.register(buffer, vi, handle);
        let mut registrations = self.registrations.values();
        let is_registered = registrations.any(|known| known.buffer == buffer && known.vi == vi);
        let expected = match self.buffers.get(&buffer) {
            None => Err(Refusal::NoBuffer { buffer }),
            Some(_) if is_registered => {
                let obstacle = Obstacle::Registered { vi };
                Err(self.forbidden(buffer, Operation::Register, obstacle))
            }
            Some(_) if self.registrations.len() == REGISTRATIONS_MAX => {
                Err(Refusal::NoRegistration)
            }
            Some(_) => Ok(self.registered + 1),
        };
        if let Some(ticket) = self.check("register", found, expected) {
            self.registered = ticket;
            let registration = ModelRegistration {
                buffer,
                vi,
                under_way: 0,
            };
            self.registrations.insert(ticket, registration);
            assert_eq!(self.real.registration(ticket).unwrap().handle, handle);
        }
    }

    fn deregister(&mut self) {
        let ticket = self.ticket();
        let found = self.real.deregister(ticket).map(|known| known.buffer);
        let expected = match self.registrations.get(&ticket) {
            None => Err(Refusal::NoTicket { ticket }),
            Some(&ModelRegistration {
                under_way: descriptors @ 1..,
                buffer,
                ..
            }) => {
                let obstacle = Obstacle::UnderWay { descriptors };
                Err(self.forbidden(buffer, Operation::Deregister, obstacle))
            }
            Some(known) => Ok(known.buffer),
        };
        if self.check("deregister", found, expected).is_some() {
            self.registrations.remove(&ticket);
        }
    }

    fn ask_for_array(&mut self) {
        let (buffer, kind) = (self.buffer(), self.kind());
        let operation = Operation::ToArray(kind);
        let found = self.real.to_array(buffer, kind);
        let width = u32::from(kind.width());
        let expected = match self.buffers.get(&buffer) {
            None => Err(Refusal::NoBuffer { buffer }),
            Some(known) => match known.row {
                Row::Ref(other) if other != kind => {
                    Err(self.forbidden(buffer, operation, Obstacle::State))
                }
                Row::ToBeUnref(..) => Err(self.forbidden(buffer, operation, Obstacle::State)),
                Row::Unref | Row::Ref(_) if known.place.bytes() % width != 0 => {
                    let bytes = known.place.bytes();
                    Err(self.forbidden(buffer, operation, Obstacle::Length { bytes }))
                }
                Row::Unref | Row::Ref(_) => Ok(BufferArray {
                    place: known.place,
                    length: known.place.bytes() / width,
                    is_new: known.row == Row::Unref,
                }),
            },
        };
        let Some(array) = self.check(operation.word(), found, expected) else {
            return;
        };
        if array.is_new {
            let header = index(array.place.header())..index(array.place.start());
            self.memory[header].copy_from_slice(&HEADER);
        }
        let known = self.buffers.get_mut(&buffer).unwrap();
        known.row = Row::Ref(kind);
        self.held.push(Held {
            real: Real::InSpace(elements(array.place)),
            model: Rc::clone(&known.bytes),
        });
    }

    fn un_ref(&mut self) {
        let buffer = self.buffer();
        let number = self.random.draw() as i32;
        let found = self.real.un_ref(buffer, number);
        let expected = match self.buffers.get(&buffer).map(|known| known.row) {
            None => Err(Refusal::NoBuffer { buffer }),
            Some(Row::Ref(_)) => Ok(()),
            Some(Row::Unref | Row::ToBeUnref(..)) => {
                Err(self.forbidden(buffer, Operation::UnRef, Obstacle::State))
            }
        };
        if self.check("un-ref", found, expected).is_some() {
            let known = self.buffers.get_mut(&buffer).unwrap();
            let Row::Ref(kind) = known.row else {
                unreachable!("checked above")
            };
            known.row = Row::ToBeUnref(kind, number);
            self.left.push(buffer);
        }
    }

    fn post(&mut self) {
        let ticket = self.ticket();
        let receives = self.below(2) == 0;
        let operation = match receives {
            true => Operation::PostReceive,
            false => Operation::PostSend,
        };
        let offset = i32::try_from(self.below(12)).unwrap() - 1;
        let length = i32::try_from(self.below(24)).unwrap() - 1;
        let found = match receives {
            true => self.real.post_receive(ticket),
            false => self.real.post_send(ticket, offset, length),
        };
        let known = self.registrations.get(&ticket);
        let known = known.map(|known| (known.buffer, &self.buffers[&known.buffer]));
        let expected = match known {
            None => Err(Refusal::NoTicket { ticket }),
            Some((buffer, known)) => {
                let bytes = known.place.bytes();
                let is_inside = offset >= 0
                    && length >= 0
                    && i64::from(offset) + i64::from(length) <= i64::from(bytes);
                match known.row {
                    _ if !receives && !is_inside => Err(Refusal::Outside {
                        offset,
                        length,
                        bytes,
                    }),
                    Row::ToBeUnref(..) => Err(self.forbidden(buffer, operation, Obstacle::State)),
                    Row::Unref | Row::Ref(_) if receives => Ok((0, bytes)),
                    Row::Unref | Row::Ref(_) => {
                        Ok((offset.cast_unsigned(), length.cast_unsigned()))
                    }
                }
            }
        };
        let found = found.map(|posted| (posted.offset, posted.length));
        let Some((offset, length)) = self.check(operation.word(), found, expected) else {
            return;
        };
        let known = self.registrations.get_mut(&ticket).unwrap();
        known.under_way += 1;
        let start = elements(self.buffers[&known.buffer].place).start;
        let start = start + index(offset);
        self.under_way.push(Descriptor {
            ticket,
            part: start..start + index(length),
            receives,
        });
    }

    /// The NIC reads or writes the memory of a descriptor and completes it.
    fn complete(&mut self) {
        if self.under_way.is_empty() {
            return;
        }
        let chosen = self.below(u32::try_from(self.under_way.len()).unwrap());
        let Descriptor {
            ticket,
            part,
            receives,
        } = self.under_way.swap_remove(index(chosen));
        let known = self.registrations.get_mut(&ticket).unwrap();
        known.under_way -= 1;
        let buffer = &self.buffers[&known.buffer];
        let start = part.start - elements(buffer.place).start;
        let own = start..start + part.len();
        if receives {
            self.random.fill(&mut self.memory[part.clone()]);
            buffer.bytes.borrow_mut()[own].copy_from_slice(&self.memory[part]);
        } else {
            assert_eq!(self.memory[part], buffer.bytes.borrow()[own]);
        }
        self.real.complete(ticket).unwrap();
    }

    fn store(&mut self) {
        if self.held.is_empty() {
            return;
        }
        let chosen = index(self.below(u32::try_from(self.held.len()).unwrap()));
        let (place, byte) = (self.below(44), self.random.draw() as u8);
        let held = &mut self.held[chosen];
        let mut model = held.model.borrow_mut();
        if let Some(stored) = model.get_mut(index(place)) {
            *stored = byte;
            match &mut held.real {
                Real::InSpace(range) => self.memory[range.start + index(place)] = byte,
                Real::Moved(bytes) => bytes[index(place)] = byte,
            }
        }
    }

    fn forget(&mut self) {
        if !self.held.is_empty() {
            let chosen = self.below(u32::try_from(self.held.len()).unwrap());
            self.held.swap_remove(index(chosen));
        }
    }

    /// A collection: every array in a buffer that waits moves, or stays as long as the program refers to it.
    fn collect(&mut self) {
        let waiting = self.real.waiting().map(|waiting| waiting.buffer);
        assert_eq!(Vec::from_iter(waiting), self.left, "the order of `unRef`");
        if self.collector == Collector::Moving {
            for waiting in Vec::from_iter(self.real.waiting()) {
                let place = elements(waiting.place);
                // All references to one array go on to name one array, which no operation of this test tells apart.
                for held in &mut self.held {
                    if matches!(&held.real, Real::InSpace(range) if *range == place) {
                        held.real = Real::Moved(self.memory[place.clone()].to_vec());
                    }
                }
                // In the model the buffer parts with the bytes of its array, and goes on with a copy.
                let known = self.buffers.get_mut(&waiting.buffer).unwrap();
                let copied = known.bytes.borrow().clone();
                let array = std::mem::replace(&mut known.bytes, Rc::new(RefCell::new(copied)));
                for held in &mut self.held {
                    if Rc::ptr_eq(&held.model, &array) {
                        // Each moved reference of this test has bytes of its own.
                        let bytes = held.model.borrow().clone();
                        held.model = Rc::new(RefCell::new(bytes));
                    }
                }
            }
        }
        let stays = |waiting: Waiting| {
            let place = elements(waiting.place);
            let mut held = self.held.iter();
            held.any(|held| matches!(&held.real, Real::InSpace(range) if *range == place))
        };
        let mut done = Vec::new();
        while let Some(waiting) = self.real.collected(stays) {
            done.push((waiting.buffer, waiting.number));
        }
        let is_held = |buffer: &i32| {
            let bytes = &self.buffers[buffer].bytes;
            self.held.iter().any(|held| Rc::ptr_eq(&held.model, bytes))
        };
        let (kept, expected) = self.left.iter().partition::<Vec<i32>, _>(|b| is_held(b));
        let expected = expected.into_iter().map(|buffer| {
            let known = self.buffers.get_mut(&buffer).unwrap();
            let Row::ToBeUnref(_, number) = known.row else {
                unreachable!("it is in the list")
            };
            known.row = Row::Unref;
            (buffer, number)
        });
        assert_eq!(done, Vec::from_iter(expected));
        if self.collector == Collector::Moving {
            assert_eq!(kept, [0; 0]);
        } else if !kept.is_empty() {
            self.seen.insert("collect: stays".to_owned());
        }
        self.left = kept;
    }

    /// Every array shows its own bytes, and none lies in a buffer that was freed or has got another array.
    fn compare(&self) {
        for held in &self.held {
            let found = match &held.real {
                Real::InSpace(range) => {
                    assert_eq!(self.memory[range.start - 8..range.start], HEADER);
                    &self.memory[range.clone()]
                }
                Real::Moved(bytes) => bytes,
            };
            assert_eq!(found, &held.model.borrow()[..]);
        }
        for (handle, known) in &self.buffers {
            assert_eq!(self.memory[elements(known.place)], known.bytes.borrow()[..]);
            let expected = match known.row {
                Row::Unref => State::Unref,
                Row::Ref(kind) => State::Ref(kind),
                Row::ToBeUnref(kind, _) => State::ToBeUnref(kind),
            };
            assert_eq!(self.real.state(*handle), Ok(expected));
        }
    }

    /// Does one random operation on the real buffers and on the model, and compares them.
    pub(super) fn step(&mut self) {
        match self.below(24) {
            0..4 => self.alloc(),
            4..6 => self.free(),
            6..8 => self.register(),
            8 => self.deregister(),
            9..12 => self.ask_for_array(),
            12..14 => self.un_ref(),
            14..17 => self.post(),
            17..20 => self.complete(),
            20 => self.store(),
            21..23 => self.forget(),
            _ => self.collect(),
        }
        self.compare();
    }
}
