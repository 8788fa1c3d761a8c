//! Loads classes into memory cut from one slice: as much memory as a class asks for is enough, and less is an error.

use std::mem::MaybeUninit;

use jive_core::{ClassFile, Lifetime, LinkErrorKind, NoNatives};
use jive_load::{LoadError, LoadSize, Room, Shortage, Storage, initialize, load};
use jive_verifier::{Policy, VerifyErrorKind};
use nic_core::sle::{NicEntry, NicNative};

const POLICY: Policy = Policy::Applet {
    entries: NicEntry::TABLE,
};

const FILTER: &[u8] = include_bytes!("../examples/Filter.class");

fn memory(bytes: usize) -> Vec<MaybeUninit<u8>> {
    vec![MaybeUninit::uninit(); bytes]
}

/// Returns how many bytes a class keeps, its index included, and how many bytes of scratch memory loading needs.
fn sizes(bytes: &[u8]) -> (usize, usize) {
    let mut index = vec![0; ClassFile::index_len(bytes)];
    let class = ClassFile::parse(bytes, &mut index).expect("a class file");
    let size = LoadSize::of(&class);
    (
        size_of_val(&index[..]) + size.kept_bytes(),
        size.scratch_bytes(),
    )
}

#[test]
fn a_class_fits_memory_of_its_stated_size() {
    for applet in applets::staged() {
        let (kept, scratch) = sizes(applet.class);
        let (mut kept, mut scratch) = (memory(kept), memory(scratch));
        let storage = Storage::new(&mut kept);
        let scratch = Storage::new(&mut scratch);
        let loaded = load(applet.class, POLICY, NicNative::TABLE, &storage, &scratch);
        assert_eq!(loaded.err(), None, "{}", applet.name);
    }
}

#[test]
fn too_little_memory_names_the_stage() {
    let (enough, scratch_enough) = sizes(FILTER);
    let mut codes = Vec::new();
    for length in 0..enough {
        let (mut kept, mut scratch) = (memory(length), memory(scratch_enough));
        let (kept, scratch) = (Storage::new(&mut kept), Storage::new(&mut scratch));
        if let Err(error) = load(FILTER, Policy::ClassOnly, &[], &kept, &scratch) {
            codes.push(error.code());
        }
    }
    codes.dedup();
    assert_eq!(codes, ["limit/index-size", "limit/program-storage"]);
    for length in 0..scratch_enough {
        let (mut kept, mut scratch) = (memory(enough), memory(length));
        let (kept, scratch) = (Storage::new(&mut kept), Storage::new(&mut scratch));
        match load(FILTER, Policy::ClassOnly, &[], &kept, &scratch) {
            // Less scratch memory can be enough, because `scratch_bytes` is an upper bound that includes padding.
            Ok(_) => assert!(length > scratch_enough / 2),
            Err(LoadError::Verify(error)) => {
                assert!(matches!(error.kind, VerifyErrorKind::WorkArea));
            }
            Err(LoadError::Link(error)) => {
                assert!(matches!(error.kind, LinkErrorKind::StorageTooSmall { .. }));
            }
            Err(LoadError::Parse(error)) => panic!("{error}"),
        }
    }
}

#[test]
fn an_instance_lies_in_what_is_left() {
    let (kept, scratch) = sizes(FILTER);
    let (mut kept, mut scratch) = (memory(kept + 2_000), memory(scratch));
    let storage = Storage::new(&mut kept);
    let scratch = Storage::new(&mut scratch);
    let class = load(FILTER, Policy::ClassOnly, &[], &storage, &scratch).expect("a sound class");
    let found = storage.remaining();
    let room = |heap_bytes| Room {
        heap_bytes,
        nested_calls: 2,
    };
    for heap_bytes in [found, usize::MAX] {
        let shortage = storage.instance(&class, room(heap_bytes)).map(|_| ());
        assert!(matches!(shortage, Err(Shortage { found: left, .. }) if left == found));
    }
    let (mut filter, mut stack) = storage.instance(&class, room(0)).expect("room for it");
    initialize(&mut filter, &mut stack, 100, &mut NoNatives).expect("no trap");
    let accept = class.method("accept").expect("a method of this name");
    let accepted = filter.call(
        &mut stack,
        accept,
        &[0, 0],
        100,
        Lifetime::PerCall,
        &mut NoNatives,
    );
    assert_eq!(accepted, Ok(Some(0)));
    assert_eq!(class.method("refuse"), None);
}
