//! Printed code: the Rust that `jive-build` prints of a class, compiled with this program. Fuel is exact, and all checks
//! are made.

use bumpalo::Bump;
use jive_core::{CallStack, Frame, Heap, Instance, Lifetime, MethodId, NoNatives, Program, Trap};
use jive_embed::load_class;
use jive_verifier::Policy;
use nic_core::sle::NicNative;

use super::jive::{FRAMES, FUEL, HEAP_BYTES, method, text};
use crate::kernel::Kernel;
use crate::peer::{Peer, PeerError, Running, in_process};

type Call = fn(
    &mut Instance<'_>,
    &mut CallStack<'_>,
    MethodId,
    &[i32],
    u64,
    Lifetime,
    &mut NoNatives,
) -> Result<Option<i32>, Trap>;

/// The peer that runs printed code.
#[derive(Copy, Clone, Debug)]
pub struct Printed;

impl Peer for Printed {
    fn name(&self) -> &'static str {
        "JIVE, printed Rust"
    }

    fn start(&mut self, kernel: &Kernel) -> Result<Option<Running<'_>>, PeerError> {
        let printed = modules::PRINTED.iter();
        let Some(printed) = { printed }.find(|printed| printed.class == kernel.class) else {
            return Ok(None);
        };
        // The arena is leaked: it holds a few classes until the process ends.
        let arena: &'static Bump = Box::leak(Box::default());
        let loaded = load_class(arena, kernel.class, Policy::ClassOnly, NicNative::TABLE)?;
        let program = *printed.program;
        let fields = arena.alloc_slice_fill_copy(program.field_count(), 0);
        let heap = Heap::new(arena.alloc_slice_fill_copy(HEAP_BYTES, 0));
        let frames = arena.alloc_slice_fill_copy(FRAMES, Frame::default());
        let slots = arena.alloc_slice_fill_copy(program.slots_for(FRAMES), 0);
        let mut instance = Instance::new(program, fields, heap);
        let mut stack = CallStack::new(frames, slots);
        let mut call = move |method: MethodId, arguments: &[i32], lifetime| {
            let (instance, stack) = (&mut instance, &mut stack);
            (printed.call)(
                instance,
                stack,
                method,
                arguments,
                FUEL,
                lifetime,
                &mut NoNatives,
            )
        };
        for method in program.initializers() {
            call(method, &[], Lifetime::Persistent).map_err(text)?;
        }
        let init = method(&loaded.class, "init")?;
        call(init, &[0, 0], Lifetime::Persistent).map_err(text)?;
        let run = method(&loaded.class, kernel.method)?;
        let invoke = move |a, b| {
            let result = call(run, &[a, b], Lifetime::PerCall).map_err(text)?;
            result.ok_or_else(|| PeerError::from("the kernel is void"))
        };
        in_process(kernel.b, invoke).map(Some)
    }
}

/// A class and its printed code.
pub(super) struct Module {
    class: &'static [u8],
    program: &'static Program<'static>,
    call: Call,
}

/// What the build script printed.
mod modules {
    use super::Module as Printed;

    include!(concat!(env!("OUT_DIR"), "/printed.rs"));
}
