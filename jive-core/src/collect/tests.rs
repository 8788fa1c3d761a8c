//! Collectors against a model: every array that a root names keeps its contents, and no two become one.

extern crate std;

use std::collections::BTreeMap;
use std::vec;
use std::vec::Vec;

use super::*;

const MEMORY: usize = 4096;
/// Where the heap begins: behind null and an array for buffers of 512 bytes.
const HEAP: u32 = 8 + 8 + 512;
const BUFFERS: i32 = 8;
const KINDS: [ArrayKind; 4] = ArrayKind::ALL;

/// A heap behind an array for buffers.
fn heap(memory: &mut [u8]) -> Heap<'_> {
    let mut heap = Heap::new(memory);
    let buffers = heap.allocate(ArrayKind::Byte, 512).unwrap();
    assert_eq!((buffers, heap.next_reference()), (BUFFERS, HEAP as i32));
    heap
}

fn space(buffers: &mut [FromBuffer]) -> FromSpace<'_> {
    FromSpace {
        heap: HEAP,
        to: HEAP,
        buffers,
    }
}

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

/// What an array holds.
type Contents = (ArrayKind, Vec<u8>);

fn contents(heap: &Heap<'_>, reference: i32) -> Contents {
    let array = heap.array(reference).unwrap();
    (array.kind, heap.bytes(reference).unwrap().into())
}

/// Asserts that the roots name arrays with the contents of the model, one array for each name of the model.
fn check(heap: &Heap<'_>, roots: &[i32], names: &[usize], model: &BTreeMap<usize, Contents>) {
    let mut found = BTreeMap::new();
    for (root, name) in roots.iter().zip(names) {
        match model.get(name) {
            None => assert!(*root <= 0),
            Some(expected) => {
                assert_eq!(contents(heap, *root), *expected);
                assert_eq!(found.entry(name).or_insert(*root), root);
            }
        }
    }
    let blocks = found.values().map(|root| heap.block(*root).unwrap());
    let mut blocks = blocks.collect::<Vec<_>>();
    blocks.sort_by_key(|block| block.start);
    assert!(blocks.windows(2).all(|pair| pair[0].end <= pair[1].start));
}

/// Random allocations, stores, forgotten roots, buffers that are given back, and collections.
fn random_sequence(seed: u64, motion: Motion) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut memory = [0xaa; MEMORY];
    let mut heap = heap(&mut memory);
    let mut entries = [CollectorEntry::default(); 12];
    let mut collector = Collector::new(motion, &mut entries);
    let mut roots = vec![0; 12];
    // The name that the model has for the array of each root; 0 is none, and `THIS` is no array.
    let mut names = vec![0; 12];
    let mut model = BTreeMap::new();
    // Buffers of 64 bytes that have been given back, or hold an array that has not been.
    let mut given_back: Vec<u32> = Vec::new();
    let mut in_use: Vec<u32> = Vec::new();
    for name in 1..200 {
        let place = random.below(12);
        match random.below(8) {
            0..3 => {
                let (kind, length) = (KINDS[random.below(4)], random.below(60) as i32);
                let used = names
                    .iter()
                    .copied()
                    .collect::<std::collections::BTreeSet<usize>>();
                model.retain(|name, _| used.contains(name));
                if let Ok(reference) = collector.allocate(&mut heap, kind, length) {
                    assert!(heap.bytes(reference).unwrap().iter().all(|byte| *byte == 0));
                    heap.bytes_mut(reference).unwrap().fill(name as u8);
                    model.insert(name, contents(&heap, reference));
                    (roots[place], names[place]) = (reference, name);
                }
            }
            3 => (roots[place], names[place]) = (random.below(2) as i32 - 1, 0),
            4 => {
                let from = random.below(12);
                (roots[place], names[place]) = (roots[from], names[from]);
            }
            5 => {
                let free = (0..8).map(|number| BUFFERS as u32 + 8 + 64 * number);
                let free = free.filter(|at| !given_back.contains(at) && !in_use.contains(at));
                if let Some(at) = free.collect::<Vec<_>>().first() {
                    let kind = KINDS[random.below(4)];
                    let offset = at - (BUFFERS as u32 + 8);
                    let length = random.below(56 / usize::from(kind.width()) + 1) as u32;
                    let reference = heap.place(BUFFERS, offset, kind, length).unwrap();
                    heap.bytes_mut(reference).unwrap().fill(name as u8);
                    model.insert(name, contents(&heap, reference));
                    (roots[place], names[place]) = (reference, name);
                    in_use.push(*at);
                }
            }
            6 if !in_use.is_empty() => {
                given_back.push(in_use.swap_remove(random.below(in_use.len())));
            }
            _ => {
                let buffers = given_back.iter().map(|at| FromBuffer {
                    start: *at,
                    end: at + 64,
                    is_named: false,
                });
                let mut buffers = buffers.collect::<Vec<_>>();
                let named = |buffer: &FromBuffer| roots.contains(&(buffer.start as i32));
                let expected = buffers.iter().map(named).collect::<Vec<_>>();
                let before = heap.used();
                let collected = collector.collect(
                    &mut heap,
                    &mut space(&mut buffers),
                    &mut [&mut Held(&mut roots)],
                );
                match collected {
                    Ok(done) => {
                        let arrays = roots.iter().filter(|root| **root > 0).count();
                        assert_eq!(done.roots as usize, arrays);
                        assert!(buffers.iter().map(|buffer| buffer.is_named).eq(expected));
                        if motion == Motion::Moving {
                            given_back.clear();
                        } else {
                            assert_eq!(done.moved, 0);
                            let named = buffers.iter().filter(|buffer| buffer.is_named);
                            given_back = named.map(|buffer| buffer.start).collect();
                        }
                    }
                    Err(error) => {
                        assert!(matches!(error, CollectError::OutOfMemory { .. }), "{error}");
                        assert_eq!(heap.used(), before);
                    }
                }
                let in_old = |root: &i32| {
                    let free = |at: &u32| !given_back.contains(at) && !in_use.contains(at);
                    *root > 0 && *root < HEAP as i32 && free(&root.cast_unsigned())
                };
                assert!(!roots.iter().any(in_old), "a root names a free buffer");
            }
        }
        check(&heap, &roots, &names, &model);
    }
}

#[test]
fn arrays_that_move_are_those_of_a_model() {
    (0..500).for_each(|seed| random_sequence(seed, Motion::Moving));
}

#[test]
fn arrays_that_stay_are_those_of_a_model() {
    (0..500).for_each(|seed| random_sequence(seed, Motion::Stationary));
}

#[test]
fn arrays_slide_over_garbage_and_over_each_other() {
    let mut memory = [0; MEMORY];
    let mut heap = heap(&mut memory);
    let mut entries = [CollectorEntry::default(); 4];
    let mut collector = Collector::new(Motion::Moving, &mut entries);
    let mut roots = [0; 4];
    for root in &mut roots {
        *root = heap.allocate(ArrayKind::Byte, 100).unwrap();
        let name = *root as u8;
        heap.bytes_mut(*root).unwrap().fill(name);
    }
    let names = roots.map(|root| root as u8);
    roots[1] = THIS;
    // Three arrays of 112 bytes with their headers are left, of which one was not copied, and one is free.
    let done = collector.collect(&mut heap, &mut space(&mut []), &mut [&mut Held(&mut roots)]);
    let expected = Collected {
        roots: 3,
        moved: 2 * 108,
        freed: 112,
    };
    assert_eq!(done, Ok(expected));
    let first = HEAP as i32;
    assert_eq!(roots, [first, THIS, first + 112, first + 224]);
    for (root, name) in roots.iter().zip(names).filter(|(root, _)| **root > 0) {
        assert_eq!(heap.bytes(*root), Some(&[name; 100][..]));
    }
    // All move up by less than their lengths, and down again.
    for to in [HEAP + 8, HEAP + 96, HEAP + 16, HEAP] {
        let mut space = FromSpace {
            heap: roots[0].cast_unsigned(),
            to,
            buffers: &mut [],
        };
        let done = collector.collect(&mut heap, &mut space, &mut [&mut Held(&mut roots)]);
        assert_eq!(done.map(|done| (done.moved, done.freed)), Ok((3 * 108, 0)));
        assert_eq!(roots[3].cast_unsigned(), to + 224);
        for (root, name) in roots.iter().zip(names).filter(|(root, _)| **root > 0) {
            assert_eq!(heap.bytes(*root), Some(&[name; 100][..]));
        }
    }
}

#[test]
fn nothing_changes_if_a_buffer_does_not_fit() {
    let mut memory = [0; MEMORY];
    let mut heap = heap(&mut memory);
    let mut entries = [CollectorEntry::default(); 2];
    let mut collector = Collector::new(Motion::Moving, &mut entries);
    // With their headers, the array of the buffer takes 32 bytes, and the other all but 24 of the heap.
    let in_buffer = heap.place(BUFFERS, 0, ArrayKind::Byte, 20).unwrap();
    let garbage = heap.allocate(ArrayKind::Byte, 8).unwrap();
    let length = heap.free() as i32 - 16;
    let mut roots = [in_buffer, heap.allocate(ArrayKind::Byte, length).unwrap()];
    let before = (roots, heap.contents().to_vec());
    let mut buffers = [FromBuffer {
        start: 16,
        end: 48,
        is_named: false,
    }];
    let mut collect = |roots: &mut [i32]| {
        let mut held = Held(roots);
        let done = collector.collect(&mut heap, &mut space(&mut buffers), &mut [&mut held]);
        (done, heap.contents().to_vec())
    };
    let most = MEMORY as u32;
    let needed = most + 8;
    let refused = Err(CollectError::OutOfMemory { needed, most });
    assert_eq!(collect(&mut roots), (refused, before.1));
    assert_eq!(roots, before.0);
    // Without the other array there is room.
    let mut roots = [in_buffer, garbage];
    let (done, _) = collect(&mut roots);
    assert_eq!(done.map(|done| done.moved), Ok(28));
    assert_eq!(roots, [HEAP as i32 + 16, HEAP as i32]);
    assert!(buffers[0].is_named);
}

#[test]
fn forged_references_are_refused() {
    let mut memory = [0; MEMORY];
    let mut heap = heap(&mut memory);
    let array = heap.allocate(ArrayKind::Byte, 40).unwrap();
    let behind = heap.allocate(ArrayKind::Byte, 40).unwrap();
    // Elements that look like a header.
    let inside = heap.place(array, 8, ArrayKind::Byte, 16).unwrap();
    for motion in [Motion::Moving, Motion::Stationary] {
        let mut entries = [CollectorEntry::default(); 3];
        let mut collector = Collector::new(motion, &mut entries);
        for forged in [
            inside,
            -2,
            i32::MIN,
            i32::MAX,
            array + 8,
            array + 1,
            behind + 48,
        ] {
            let mut roots = [behind, forged, array];
            let before = (roots, heap.contents().to_vec());
            let mut held = Held(&mut roots);
            let refused = collector.collect(&mut heap, &mut space(&mut []), &mut [&mut held]);
            assert_eq!(refused, Err(CollectError::Unverified), "{forged}");
            assert_eq!((roots, heap.contents().to_vec()), before);
        }
    }
}

#[test]
fn too_few_entries_are_counted() {
    let mut memory = [0; MEMORY];
    let mut heap = heap(&mut memory);
    let array = heap.allocate(ArrayKind::Byte, 40).unwrap();
    let mut entries = [CollectorEntry::default(); 2];
    let mut collector = Collector::new(Motion::Moving, &mut entries);
    let mut roots = [array; 3];
    let refused = collector.collect(&mut heap, &mut space(&mut []), &mut [&mut Held(&mut roots)]);
    let (needed, found) = (3, 2);
    assert_eq!(refused, Err(CollectError::Entries { needed, found }));
}
