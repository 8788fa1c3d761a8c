//! JIVE: loads the class file as `jive exec` does, and calls the method as the NIC calls an applet.

use bumpalo::Bump;
use jive_core::{
    CallStack, ClassFile, Frame, Heap, Instance, Lifetime, MethodId, NoNatives, Program, Trap,
};
use jive_embed::load_class;
use jive_verifier::Policy;
use nic_core::sle::NicNative;

use crate::kernel::Kernel;
use crate::peer::{Peer, PeerError, Running, in_process};

/// Maximum depth of nested calls, as in `jive exec`.
const FRAMES: usize = 201;
/// Bytes of heap.
const HEAP_BYTES: usize = 64 << 10;
/// Instructions that each call may execute, as in `jive exec`.
const FUEL: u64 = 10_000_000;

/// The peer JIVE.
#[derive(Copy, Clone, Debug)]
pub struct Jive;

impl Peer for Jive {
    fn name(&self) -> &'static str {
        "JIVE"
    }

    fn start(&mut self, kernel: &Kernel) -> Result<Option<Running<'_>>, PeerError> {
        // The arena is leaked: it holds a few classes until the process ends.
        let arena: &'static Bump = Box::leak(Box::default());
        let loaded = load_class(arena, kernel.class, Policy::ClassOnly, NicNative::TABLE)?;
        let mut machine = Machine::new(arena, loaded.program);
        let initializers = [machine.program.initializer(), machine.program.constructor()];
        for method in initializers.into_iter().flatten() {
            machine
                .call(method, &[], Lifetime::Persistent)
                .map_err(text)?;
        }
        let init = method(&loaded.class, "init")?;
        machine
            .call(init, &[0, 0], Lifetime::Persistent)
            .map_err(text)?;
        let run = method(&loaded.class, kernel.method)?;
        let invoke = move |a, b| {
            let result = machine
                .call(run, &[a, b], Lifetime::PerCall)
                .map_err(text)?;
            result.ok_or_else(|| PeerError::from("the kernel is void"))
        };
        in_process(kernel.b, invoke).map(Some)
    }
}

fn method(class: &ClassFile<'_>, name: &str) -> Result<MethodId, PeerError> {
    let position = class.methods().position(|method| method.name == name);
    let position = position.ok_or_else(|| format!("the class has no method {name}"))?;
    Ok(MethodId(u16::try_from(position)?))
}

fn text(trap: Trap) -> PeerError {
    format!("trap: {} at pc {}", trap.kind, trap.pc).into()
}

struct Machine<'a> {
    program: Program<'a>,
    instance: Instance<'a>,
    stack: CallStack<'a>,
}

impl<'a> Machine<'a> {
    fn new(arena: &'a Bump, program: Program<'a>) -> Machine<'a> {
        let fields = arena.alloc_slice_fill_copy(program.field_count(), 0);
        let heap = Heap::new(arena.alloc_slice_fill_copy(HEAP_BYTES, 0));
        Machine {
            program,
            instance: Instance::new(program, fields, heap),
            stack: CallStack::new(
                arena.alloc_slice_fill_copy(FRAMES, Frame::default()),
                arena.alloc_slice_fill_copy(program.slots_for(FRAMES), 0),
            ),
        }
    }

    fn call(
        &mut self,
        method: MethodId,
        args: &[i32],
        lifetime: Lifetime,
    ) -> Result<Option<i32>, Trap> {
        let Machine {
            instance, stack, ..
        } = self;
        instance.call(stack, method, args, FUEL, lifetime, &mut NoNatives)
    }
}
