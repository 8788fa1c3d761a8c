//! JIVE: loads the class file as `jive exec` does, and calls the method as the NIC calls an applet.

use bumpalo::Bump;
use jive_core::{
    CallStack, ClassFile, Frame, Heap, Instance, Lifetime, MethodId, NoNatives, Program, Trap,
};
use jive_embed::load_class;
use jive_verifier::Policy;
use nic_core::sle::NicNative;

use crate::copies::COPIES;
use crate::kernel::Kernel;
use crate::peer::{Peer, PeerError, Running, in_process};

/// Maximum depth of nested calls, as in `jive exec`.
pub(super) const FRAMES: usize = 201;
/// Bytes of heap.
pub(super) const HEAP_BYTES: usize = 64 << 10;
/// Instructions that each call may execute, as in `jive exec`.
pub(super) const FUEL: u64 = 10_000_000;
/// Registers in a page of 4,096 bytes.
const PAGE: usize = 4096 / size_of::<i32>();

/// The peer JIVE.
///
/// Processors compare the lowest 12 bits of addresses to predict whether a load reads what an earlier store wrote. If
/// the registers of a loop agree with its ops in those bits, loads of ops wait: `crc32` took 1.1 to 1.4 times as long at
/// five of 256 places in a page. So each copy of the executable chooses another place.
#[derive(Copy, Clone, Debug)]
pub struct Jive {
    /// The place of the call stack in a page, in [`COPIES`]ths of the page.
    pub place: usize,
}

impl Peer for Jive {
    fn name(&self) -> &'static str {
        "JIVE"
    }

    fn start(&mut self, kernel: &Kernel) -> Result<Option<Running<'_>>, PeerError> {
        // The arena is leaked: it holds a few classes until the process ends.
        let arena: &'static Bump = Box::leak(Box::default());
        let loaded = load_class(arena, kernel.class, Policy::ClassOnly, NicNative::TABLE)?;
        let mut machine = Machine::new(arena, loaded.program, self.place);
        for method in machine.program.initializers() {
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

pub(super) fn method(class: &ClassFile<'_>, name: &str) -> Result<MethodId, PeerError> {
    let position = class.methods().position(|method| method.name == name);
    let position = position.ok_or_else(|| format!("the class has no method {name}"))?;
    Ok(MethodId(u16::try_from(position)?))
}

pub(super) fn text(trap: Trap) -> PeerError {
    format!("trap: {} at pc {}", trap.kind, trap.pc).into()
}

struct Machine<'a> {
    program: Program<'a>,
    instance: Instance<'a>,
    stack: CallStack<'a>,
}

impl<'a> Machine<'a> {
    fn new(arena: &'a Bump, program: Program<'a>, place: usize) -> Machine<'a> {
        let fields = arena.alloc_slice_fill_copy(program.field_count(), 0);
        let heap = Heap::new(arena.alloc_slice_fill_copy(HEAP_BYTES, 0));
        let frames = arena.alloc_slice_fill_copy(FRAMES, Frame::default());
        let slots = arena.alloc_slice_fill_copy(2 * PAGE + program.slots_for(FRAMES), 0);
        let start = slots.as_ptr().align_offset(4096) + place % COPIES * PAGE / COPIES;
        Machine {
            program,
            instance: Instance::new(program, fields, heap),
            stack: CallStack::new(frames, &mut slots[start..]),
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
