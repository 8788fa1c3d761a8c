//! Gives the linker one entry that runs an applet as compiled code, in an image without parser, verifier, linker and
//! interpreter. The linked ELF file shows how many bytes the applet and what it runs on take.
//!
//! This program is never run. Natives and memory come from `black_box`, as in `main.rs`.
#![no_std]
#![no_main]

#[path = "../../src/bytes.rs"]
mod bytes;

use core::hint::black_box;
use core::panic::PanicInfo;

use jive_core::compiled::call_standalone;
use jive_core::{CallStack, Heap, Instance, Lifetime, MethodId, NativeId, Natives, TrapKind};
use raw_unet::{Code, PROGRAM};

include!(concat!(env!("OUT_DIR"), "/raw_unet.rs"));

struct External;

impl Natives for External {
    fn call(&mut self, id: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind> {
        black_box((id, args, heap));
        black_box(Err(TrapKind::ProtectionFault))
    }
}

/// Returns memory as firmware lends it from statics.
#[inline(never)]
fn lent<T>() -> &'static mut [T] {
    black_box(&mut [])
}

fn run() -> Option<i32> {
    let mut instance = Instance::new(PROGRAM, lent(), Heap::new(lent()));
    let mut stack = CallStack::new(&mut [], &mut []);
    let method = black_box(MethodId(0));
    let fuel = black_box(1_000);
    let kept = Lifetime::PerCall;
    let args = lent();
    let outcome = call_standalone::<Code, _>(
        &mut instance,
        &mut stack,
        method,
        args,
        fuel,
        kept,
        &mut External,
    );
    outcome.ok()?
}

#[unsafe(no_mangle)]
extern "C" fn _start() -> ! {
    black_box(run());
    loop {}
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
