//! Gives the linker one entry that loads, verifies, links and runs a class file. The linked ELF file shows how many
//! bytes the freestanding crates add to firmware.
//!
//! This program is never run. Class file, natives and memory come from `black_box`, so the optimiser cannot remove code
//! that uses them.
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

/// A table of natives with one row: the code that performs natives is not part of the measured size.
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
#[cfg(any(feature = "verifier", feature = "check"))]
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

/// Returns memory as firmware lends it from statics. `black_box` hides the length and address of the memory from the
/// optimiser.
#[inline(never)]
fn lent<T>() -> &'static mut [T] {
    black_box(&mut [])
}

/// Parses and verifies a class file, so that every rule for its format and its code is checked.
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

/// Parses a class file and checks it against a certificate, which a host sent with the class.
#[cfg(feature = "check")]
fn vouched<'a>(bytes: &'a [u8], index: &'a mut [u32]) -> Option<Verified<'a>> {
    use jive_verifier::{CheckArea, Policy, check};
    let class = ClassFile::parse(bytes, index).ok()?;
    let area = CheckArea {
        constants: lent(),
        signatures: lent(),
        frame: lent().first_chunk_mut()?,
    };
    let policy = Policy::Applet { entries: ENTRIES };
    check(class, policy, NATIVES, lent(), area).ok()
}

/// Parses a class file with every check of its format, and declares it verified: what there is besides verifier or check.
#[cfg(feature = "parser")]
fn vouched<'a>(bytes: &'a [u8], index: &'a mut [u32]) -> Option<Verified<'a>> {
    let class = ClassFile::parse(bytes, index).ok()?;
    Some(Verified::vouch(class, NATIVES, None))
}

/// Declares a class file verified without checks, because a host has parsed and verified the class before sending it.
#[cfg(not(any(feature = "verifier", feature = "check", feature = "parser")))]
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
