//! Gives the linker one entry that loads, verifies, links and runs a class file. The ELF then shows what the
//! freestanding crates weigh in firmware.
//!
//! It is never run: class file, natives and memory come from where the optimiser cannot look.
#![no_std]
#![no_main]

#[path = "../../src/bytes.rs"]
mod bytes;

use core::hint::black_box;
use core::panic::PanicInfo;

use jive_core::{
    CallStack, ClassFile, Heap, Instance, Lifetime, MethodId, NativeDecl, NativeId,
    NativeParameter, NativeType, Natives, ProgramStorage, TrapKind, Verified, link,
};

/// A table with one row: what natives do lies outside of what is measured.
static NATIVES: &[NativeDecl] = &[NativeDecl {
    class: "unet/Nic",
    name: "txPush",
    parameters: &[NativeParameter {
        name: "buffer",
        kind: NativeType::ByteArray,
    }],
    result: None,
}];

/// What the runtime calls.
#[cfg(feature = "verifier")]
static ENTRIES: &[jive_core::EntryDecl] = &[
    jive_core::EntryDecl {
        name: "doTx",
        parameters: &["length", "channel", "offset"],
        descriptor: "(III)I",
        is_required: true,
    },
    jive_core::EntryDecl {
        name: "doRx",
        parameters: &["length", "channel"],
        descriptor: "(II)I",
        is_required: true,
    },
];

struct External;

impl Natives for External {
    fn call(&mut self, id: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind> {
        black_box((id, args, heap));
        black_box(Err(TrapKind::ProtectionFault))
    }
}

/// Memory as firmware lends it, from statics: how much and where is not for the optimiser to know.
#[inline(never)]
fn lent<T>() -> &'static mut [T] {
    black_box(&mut [])
}

/// Holds a class file to every rule: its format and its code.
#[cfg(feature = "verifier")]
fn vouched<'a>(bytes: &'a [u8], index: &'a mut [u32]) -> Option<Verified<'a>> {
    use jive_verifier::{Policy, WorkArea, verify};
    let class = ClassFile::parse(bytes, index).ok()?;
    let work = WorkArea {
        constants: lent(),
        signatures: lent(),
        marks: lent(),
        leaders: lent(),
        queue: lent(),
        states: lent(),
    };
    verify(class, Policy::Applet { entries: ENTRIES }, NATIVES, work).ok()
}

/// Takes the word of a host that has parsed and verified the class before it sent it.
#[cfg(not(feature = "verifier"))]
fn vouched<'a>(bytes: &'a [u8], index: &'a mut [u32]) -> Option<Verified<'a>> {
    let class = ClassFile::trusted(bytes, index).ok()?;
    Some(Verified::vouch(class, NATIVES, None))
}

fn load_and_run(bytes: &[u8]) -> Option<i32> {
    let verified = vouched(bytes, lent())?;
    let storage = ProgramStorage {
        ops: lent(),
        ends: lent(),
        places: lent(),
        marks: lent(),
        methods: lent(),
        fields: lent(),
        switches: lent(),
        constants: lent(),
    };
    let program = link(&verified, storage).ok()?;
    let mut instance = Instance::new(program, lent(), Heap::new(lent()));
    let mut stack = CallStack::new(lent(), lent());
    let method = black_box(MethodId(0));
    let fuel = black_box(1_000);
    let outcome = instance.call(
        &mut stack,
        method,
        &[],
        fuel,
        Lifetime::PerCall,
        &mut External,
    );
    outcome.ok()?
}

#[unsafe(no_mangle)]
extern "C" fn _start() -> ! {
    let bytes: &[u8] = black_box(&[]);
    black_box(load_and_run(bytes));
    loop {}
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
