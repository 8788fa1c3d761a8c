//! Classes that were declared verified wrongly, and registers that are said to hold references although they do not:
//! collections end in a trap, or in nonsense, but never in a panic.

use bumpalo::Bump;
use jive_core::{
    CallStack, ClassFile, Frame, Heap, Instance, Motion, Program, ProgramStorage, Registers,
    RootMap, RootSite, TrapKind, Verified, link_collected, program_size,
};
use jive_embed::Collecting;
use jive_lab::Random;
use jive_lab::generate::{Kind, Smith};
use nic_core::sle::NicNative;
use nic_runtime::applet::DetachedEndpoint;
use tests::lent::Storage;

use crate::runs::runs;

const NESTED: usize = 20;
const FUEL: u64 = 2_000;

/// Returns a map that claims random registers of each op, or knows nothing of it.
fn claims(program: Program<'_>, random: &mut Random) -> Vec<RootSite> {
    let sites = program.waiting().filter_map(|waiting| {
        let mut registers = Registers::default();
        for register in 0..=u8::MAX {
            if random.one_in(4) {
                registers.insert(register);
            }
        }
        // Registers that the method does not have overlap those of its callee.
        let first = u8::try_from(random.below(12)).expect("a small number");
        let registers = if random.one_in(8) {
            registers
        } else {
            registers.below(first)
        };
        let op = waiting.op;
        (!random.one_in(20)).then_some(RootSite { op, registers })
    });
    sites.collect()
}

/// Calls the methods of a class. Returns how many calls returned, and how many trapped for a broken promise.
fn call_all(program: Program<'_>, motion: Motion, random: &mut Random) -> (u32, u32) {
    let arena = Bump::new();
    let sites = claims(program, random);
    let fields = arena.alloc_slice_fill_copy(program.field_count(), 0);
    let heap = Heap::new(arena.alloc_slice_fill_copy(1 << 12, 0));
    let mut instance = Instance::new(program, fields, heap);
    let slots = program.slots_for(NESTED);
    let frames = arena.alloc_slice_fill_copy(NESTED, Frame::default());
    let mut stack = CallStack::new(frames, arena.alloc_slice_fill_copy(slots, 0));
    let map = RootMap::new(&sites);
    let mut collecting = Collecting::new(&arena, map, motion, &instance, slots);
    let mut natives = DetachedEndpoint::default();
    let (mut returned, mut refused) = (0, 0);
    for method in (0..).map(jive_core::MethodId) {
        if program.method(method).is_none() {
            break;
        }
        for arguments in 0..4 {
            let arguments = (0..arguments).map(|_| random.int()).collect::<Vec<_>>();
            let running = (&mut instance, &mut stack);
            match collecting.call(running, method, &arguments, FUEL, &mut natives) {
                Ok(_) => returned += 1,
                Err(trap) => refused += u32::from(trap.kind == TrapKind::Unverified),
            }
        }
    }
    (returned, refused)
}

#[test]
fn a_class_that_was_vouched_for_wrongly_makes_no_collector_panic() {
    let smith = Smith::new(vec![applets::RAW_UNET.class.to_vec()]);
    let (mut returned, mut refused) = (0, 0);
    for number in 0..runs(1_000) {
        let mut random = Random::new(&number.to_be_bytes());
        let kind = Kind::ALL[random.below(Kind::ALL.len())];
        let bytes = smith.class(kind, &mut random);
        let mut index = vec![0; ClassFile::index_len(&bytes)];
        let Ok(class) = ClassFile::trusted(&bytes, &mut index) else {
            continue;
        };
        let vouched = Verified::vouch(class, NicNative::TABLE, None);
        let Ok(size) = program_size(&vouched) else {
            continue;
        };
        let mut storage = Storage::default();
        let lent: ProgramStorage<'_, '_> = storage.lend(&size);
        let Ok(program) = link_collected(&vouched, lent) else {
            continue;
        };
        for motion in [Motion::Moving, Motion::Stationary] {
            let (more, broken) = call_all(program, motion, &mut random);
            returned += more;
            refused += broken;
        }
    }
    println!("{returned} calls returned, {refused} broke a promise");
    assert!(returned > 1_000 && refused > 1_000, "{returned}, {refused}");
}
