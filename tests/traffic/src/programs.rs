//! Programs of the tests with arrays and calls, run as applets are, or linked for a collector.

use bumpalo::Bump;
use jive_core::{
    BareStep, CallStack, CollectError, Collector, CollectorEntry, Frame, FromSpace, Heap, Instance,
    Lifetime, LinkedClass, MethodId, Motion, NoNatives, RootMap, TrapKind,
};
use jive_embed::{CollectedClass, load_class, load_collected};
use jive_verifier::Policy;

/// The programs: a class file, and the arguments of its method `run`.
const PROGRAMS: [(&[u8], &[i32]); 8] = [
    (include_bytes!("../../java/class/DnsName.class"), &[3, 20]),
    (
        include_bytes!("../../java/class/EditDistance.class"),
        &[1_234_567, 1_324_576],
    ),
    (include_bytes!("../../java/class/LruCache.class"), &[1, 200]),
    (
        include_bytes!("../../java/class/MergeSort.class"),
        &[1, 100],
    ),
    (include_bytes!("../../java/class/Queens.class"), &[6]),
    (include_bytes!("../../java/class/RunLength.class"), &[3]),
    (
        include_bytes!("../../java/class/Tokenizer.class"),
        &[123_456_789, 24],
    ),
    (
        include_bytes!("../../java/class/Utf8Validator.class"),
        &[1_633_837_924, 4],
    ),
];

/// Bytes of heap, which suffice without a collection.
const HEAP_BYTES: usize = 1 << 16;
/// The reference of the first array.
const FIRST: u32 = 8;
const NESTED: usize = 32;
const FUEL: u64 = 10_000_000;

/// A program that can be run, once.
pub struct Program<'a> {
    instance: Instance<'a>,
    stack: CallStack<'a>,
    /// The methods to call, with their arguments: the static initializer, if there is one, and `run`.
    calls: Vec<(MethodId, &'static [i32])>,
}

impl<'a> Program<'a> {
    fn new(arena: &'a Bump, class: &LinkedClass<'a>, arguments: &'static [i32]) -> Self {
        let program = class.program;
        let fields = arena.alloc_slice_fill_copy(program.field_count(), 0);
        let heap = Heap::new(arena.alloc_slice_fill_copy(HEAP_BYTES, 0));
        let mut methods = class.class.methods();
        let run = methods.find(|method| method.name == "run");
        let run = run.expect("each program has a method run").id;
        let initializers = program.initializers().map(|method| (method, &[][..]));
        Program {
            instance: Instance::new(program, fields, heap),
            stack: CallStack::new(
                arena.alloc_slice_fill_copy(NESTED, Frame::default()),
                arena.alloc_slice_fill_copy(program.slots_for(NESTED), 0),
            ),
            calls: initializers.chain([(run, arguments)]).collect(),
        }
    }

    /// Runs the program as an applet.
    pub fn run(&mut self) -> Option<i32> {
        let Program {
            instance,
            stack,
            calls,
        } = self;
        let lifetime = Lifetime::Persistent;
        let returned = calls.iter().map(|(method, arguments)| {
            let returned = instance.call(stack, *method, arguments, FUEL, lifetime, &mut NoNatives);
            returned.expect("the programs return")
        });
        returned.last().flatten()
    }
}

/// Returns the programs, linked as applets.
pub fn applets(arena: &Bump) -> Vec<Program<'_>> {
    let load = |(bytes, arguments): (&'static [u8], _)| {
        let class = load_class(arena, bytes, Policy::ClassOnly, &[]);
        Program::new(arena, &class.expect("the programs are valid"), arguments)
    };
    PROGRAMS.map(load).into()
}

/// A program that is linked for a collector.
pub struct CollectedProgram<'a> {
    program: Program<'a>,
    roots: RootMap<'a>,
    collector: Collector<'a>,
}

impl<'a> CollectedProgram<'a> {
    fn new(arena: &'a Bump, class: &'a CollectedClass<'a>, arguments: &'static [i32]) -> Self {
        let program = Program::new(arena, &class.class, arguments);
        let places = class.class.program.slots_for(NESTED);
        let places = places + class.class.program.field_count();
        let entries = arena.alloc_slice_fill_copy(places, CollectorEntry::default());
        CollectedProgram {
            program,
            roots: class.roots(),
            collector: Collector::new(Motion::Moving, entries),
        }
    }

    /// Runs the program, and collects when an array does not fit.
    pub fn run(&mut self) -> Option<i32> {
        let calls = std::mem::take(&mut self.program.calls);
        let returned = calls.iter().map(|(method, arguments)| {
            let Program {
                instance, stack, ..
            } = &mut self.program;
            let lifetime = Lifetime::Persistent;
            let started = instance.start(stack, *method, arguments, FUEL, lifetime);
            started.expect("the programs start");
            self.finish()
        });
        returned.last().flatten()
    }

    /// Runs a call to its end.
    fn finish(&mut self) -> Option<i32> {
        let Program {
            instance, stack, ..
        } = &mut self.program;
        let collector = &mut self.collector;
        loop {
            let id = match instance.run_bare(stack) {
                BareStep::Returned(value) => return value,
                BareStep::Trapped(trap) => panic!("expected programs that return, found {trap}"),
                BareStep::Native(id) => id,
            };
            let kind = id.allocates().expect("the programs call no native");
            let length = stack.native_arguments()[0];
            let mut made = collector.allocate(instance.heap_mut(), kind, length);
            if made == Err(TrapKind::OutOfMemoryError) {
                let mut space = FromSpace {
                    heap: FIRST,
                    to: FIRST,
                    buffers: &mut [],
                };
                let roots = &mut stack.roots(self.roots);
                let collected = instance.collect(collector, &mut space, &mut [roots]);
                made = collected
                    .map_err(CollectError::trap)
                    .and_then(|_| collector.allocate(instance.heap_mut(), kind, length));
            }
            stack.resume(made);
        }
    }
}

/// Returns the programs, linked for a collector.
pub fn collected(arena: &Bump) -> Vec<CollectedProgram<'_>> {
    let load = |(bytes, arguments): (&'static [u8], _)| {
        let class = load_collected(arena, bytes, Policy::ClassOnly, &[]);
        let class = arena.alloc(class.expect("the programs are valid"));
        CollectedProgram::new(arena, class, arguments)
    };
    PROGRAMS.map(load).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_return_the_same_with_a_collector() {
        let arena = Bump::new();
        let mut applets = applets(&arena);
        let returned = applets.iter_mut().map(Program::run);
        let mut collected = collected(&arena);
        assert!(returned.eq(collected.iter_mut().map(CollectedProgram::run)));
    }
}
