//! Runs unsafe classes that are declared verified: they trap or compute wrong results, but cause no panic.

use jive_core::{
    CallStack, ClassFile, Frame, Heap, Instance, Lifetime, MethodDescriptor, MethodId, NativeId,
    Natives, ParseError, Trap, TrapKind, Verified, link, program_size,
};
use proptest::prelude::*;

use super::machine::in_storage;
use super::natives::Nic;

const FUEL: u64 = 500;

const CLASSES: [&[u8]; 6] = [
    include_bytes!("../classes/Arithmetic.class"),
    include_bytes!("../classes/Arrays.class"),
    include_bytes!("../classes/Control.class"),
    include_bytes!("../classes/Dead.class"),
    include_bytes!("../classes/Natives.class"),
    include_bytes!("../classes/Storage.class"),
];

/// Natives that only allocate.
struct Allocating;

impl Natives for Allocating {
    fn call(&mut self, _: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind> {
        let length = args.first().copied().unwrap_or(1);
        heap.allocate(jive_core::ArrayKind::Byte, length)
    }
}

/// A way to read a class file: with or without full checks.
#[derive(Copy, Clone)]
enum Reading {
    Parsed,
    Trusted,
}

impl Reading {
    fn read<'a>(self, bytes: &'a [u8], index: &'a mut [u32]) -> Result<ClassFile<'a>, ParseError> {
        match self {
            Reading::Parsed => ClassFile::parse(bytes, index),
            Reading::Trusted => ClassFile::trusted(bytes, index),
        }
    }
}

/// The observable result of a call: how it ended, the number of instructions, and the fields after it.
type Seen = (Result<Option<i32>, Trap>, u64, Vec<i32>);

/// Declares a class verified and calls each of its methods, if the class can be read and linked.
///
/// Returns the results of the calls.
fn vouch_and_run(bytes: &[u8], reading: Reading) -> Vec<Seen> {
    vouch_and_run_in(bytes, reading, 0)
}

/// Does the same as `vouch_and_run`, on a call stack whose slots initially contain `slot`.
fn vouch_and_run_in(bytes: &[u8], reading: Reading, slot: i32) -> Vec<Seen> {
    let mut index = vec![0; ClassFile::index_len(bytes)];
    let Ok(class) = reading.read(bytes, &mut index) else {
        return Vec::new();
    };
    let verified = Verified::vouch(class, Nic::TABLE, None);
    let Ok(size) = program_size(&verified) else {
        return Vec::new();
    };
    in_storage(size, |storage| {
        let Ok(program) = link(&verified, storage) else {
            return Vec::new();
        };
        let (mut fields, mut memory) = (vec![0; size.fields], vec![0; 256]);
        let (mut frames, mut slots) = ([Frame::default(); 10], [slot; 350]);
        let mut stack = CallStack::new(&mut frames, &mut slots);
        let mut instance = Instance::new(program, &mut fields, Heap::new(&mut memory));
        let mut seen = Vec::new();
        for method in class.methods() {
            let descriptor = MethodDescriptor::parse(method.descriptor.as_bytes()).unwrap();
            let args = vec![3; usize::from(descriptor.parameter_slots())];
            seen.push(run(&mut instance, &mut stack, method.id, &args));
        }
        seen
    })
}

fn run(
    instance: &mut Instance<'_>,
    stack: &mut CallStack<'_>,
    method: MethodId,
    args: &[i32],
) -> Seen {
    let outcome = instance.call(
        stack,
        method,
        args,
        FUEL,
        Lifetime::PerCall,
        &mut Allocating,
    );
    assert!(stack.executed() <= FUEL, "{outcome:?}");
    assert_eq!(instance.heap().used(), 0, "{outcome:?}");
    (outcome, stack.executed(), instance.fields().to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn a_false_voucher_causes_no_panic(
        class in 0..CLASSES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = CLASSES[class].to_vec();
        // Only the second half of the file is changed, because it contains the code. A changed constant pool usually
        // fails to parse.
        let half = bytes.len() / 2;
        for (place, byte) in changes {
            let place = half + place.index(bytes.len() - half);
            bytes[place] = byte;
        }
        let parsed = vouch_and_run(&bytes, Reading::Parsed);
        let trusted = vouch_and_run(&bytes, Reading::Trusted);
        // Values that an earlier call left on the call stack are not visible, even to unsafe code.
        for slot in [-1, 8] {
            prop_assert_eq!(&vouch_and_run_in(&bytes, Reading::Parsed, slot), &parsed);
            prop_assert_eq!(&vouch_and_run_in(&bytes, Reading::Trusted, slot), &trusted);
        }
    }

    #[test]
    fn an_unchecked_class_file_causes_no_panic(
        class in 0..CLASSES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = CLASSES[class].to_vec();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        vouch_and_run(&bytes, Reading::Trusted);
    }

    #[test]
    fn a_class_file_of_shuffled_indices_causes_no_panic(
        class in 0..CLASSES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..120_u16), 1..12),
    ) {
        let mut bytes = CLASSES[class].to_vec();
        for (place, index) in changes {
            let place = place.index(bytes.len() - 1);
            bytes[place..place + 2].copy_from_slice(&index.to_be_bytes());
        }
        vouch_and_run(&bytes, Reading::Trusted);
    }
}

#[test]
fn a_valid_class_runs_the_same_trusted_and_parsed() {
    for bytes in CLASSES {
        let parsed = vouch_and_run(bytes, Reading::Parsed);
        assert!(!parsed.is_empty());
        assert_eq!(vouch_and_run(bytes, Reading::Trusted), parsed);
    }
}
