//! A class that runs without a network: its instance, a call stack, and an endpoint for its natives.

use bumpalo::Bump;
use jive_core::{
    CallStack, FieldId, Frame, Heap, Instance, Lifetime, LinkedClass, MethodId, Motion, NativeId,
    Natives, Trap, TrapKind,
};
use jive_embed::{CollectedClass, Collecting, FoundAt, TrapDiagnosis, names};
use nic_core::sle::{Rights, TrapCause};
use nic_runtime::applet::DetachedEndpoint;

use super::call::Call;
use super::cpu_clock;

/// How deep the calls within one call may nest.
const NESTED_CALLS: usize = 200;

/// How many frames the call stack has.
const FRAMES: usize = NESTED_CALLS + 1;

/// An instance of a class with everything that its calls need.
pub(super) struct Machine<'a> {
    loaded: LinkedClass<'a>,
    instance: Instance<'a>,
    stack: CallStack<'a>,
    endpoint: Endpoint,
    fuel: u64,
    /// Makes the calls, if there is a collection at every allocation.
    collecting: Option<Collecting<'a>>,
}

/// The endpoint that natives act on, and whether a native was called.
struct Endpoint {
    detached: DetachedEndpoint,
    touched: bool,
}

impl Natives for Endpoint {
    fn call(&mut self, id: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind> {
        self.touched = true;
        self.detached.call(id, args, heap)
    }
}

/// A copy of the instance's state between two calls.
pub(super) struct Snapshot {
    fields: Vec<i32>,
    heap: Vec<u8>,
    endpoint: DetachedEndpoint,
}

impl<'a> Machine<'a> {
    /// Makes an instance without running code of the class.
    pub(super) fn new(
        arena: &'a Bump,
        loaded: &LinkedClass<'a>,
        heap_bytes: u32,
        fuel: u64,
    ) -> Machine<'a> {
        let program = loaded.program;
        let fields = arena.alloc_slice_fill_copy(program.field_count(), 0);
        let heap = Heap::new(arena.alloc_slice_fill_copy(heap_bytes as usize, 0));
        Machine {
            loaded: *loaded,
            instance: Instance::new(program, fields, heap),
            stack: CallStack::new(
                arena.alloc_slice_fill_copy(FRAMES, Frame::default()),
                arena.alloc_slice_fill_copy(program.slots_for(FRAMES), 0),
            ),
            endpoint: Endpoint {
                detached: DetachedEndpoint::default(),
                touched: false,
            },
            fuel,
            collecting: None,
        }
    }

    /// Makes an instance as [`Machine::new`] does, with a collection at every allocation.
    pub(super) fn with_collector(
        arena: &'a Bump,
        collected: &'a CollectedClass<'a>,
        motion: Motion,
        heap_bytes: u32,
        fuel: u64,
    ) -> Machine<'a> {
        let mut machine = Machine::new(arena, &collected.class, heap_bytes, fuel);
        let slots = collected.class.program.slots_for(FRAMES);
        machine.collecting = Some(Collecting::new(
            arena,
            collected.roots(),
            motion,
            &machine.instance,
            slots,
        ));
        machine
    }

    /// Runs the static initializer and the constructor without parameters.
    pub(super) fn initialize(&mut self) -> Result<(), Trap> {
        let program = self.instance.program();
        for method in program.initializers() {
            self.run(method, &[])?;
        }
        Ok(())
    }

    /// Runs one call.
    pub(super) fn call(&mut self, call: &Call) -> Result<Option<i32>, Trap> {
        self.run(call.method, &call.args)
    }

    /// Returns the heap.
    pub(super) fn heap(&self) -> &Heap<'a> {
        self.instance.heap()
    }

    fn run(&mut self, method: MethodId, args: &[i32]) -> Result<Option<i32>, Trap> {
        let Machine {
            instance,
            stack,
            endpoint,
            fuel,
            collecting,
            ..
        } = self;
        let outcome = match collecting {
            None => instance.call(stack, method, args, *fuel, Lifetime::Persistent, endpoint),
            Some(collecting) => collecting.call((instance, stack), method, args, *fuel, endpoint),
        };
        if endpoint.touched {
            match outcome {
                Ok(_) => endpoint.detached.call_returned(),
                Err(_) => endpoint.detached.call_trapped(),
            }
        }
        outcome
    }

    /// Copies the instance's state, so that it can be restored later.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            fields: self.instance.fields().to_vec(),
            heap: self.instance.heap().contents().to_vec(),
            endpoint: self.endpoint.detached.clone(),
        }
    }

    fn restore(&mut self, snapshot: &Snapshot) {
        for (id, value) in (0..).zip(&snapshot.fields) {
            self.instance.set_field(FieldId(id), *value);
        }
        self.instance
            .heap_mut()
            .restore(&snapshot.heap)
            .expect("the heap held these contents before");
        if std::mem::take(&mut self.endpoint.touched) {
            self.endpoint.detached.clone_from(&snapshot.endpoint);
        }
    }

    /// Measures a call that starts from the state of a snapshot. Returns nanoseconds per call: the median of several
    /// rounds of `count` calls.
    pub(super) fn time(&mut self, call: &Call, snapshot: &Snapshot, count: u64) -> f64 {
        self.restore(snapshot);
        let _same = self.call(call);
        let touches_endpoint = self.endpoint.touched;
        let restore = |machine: &mut Machine<'_>| {
            machine.endpoint.touched = touches_endpoint;
            machine.restore(snapshot);
        };
        cpu_clock::median_ns(count, self, restore, |machine| {
            // The result cannot differ: an equal call from the same state returned before.
            let _same = std::hint::black_box(machine.call(call));
        })
    }

    /// Explains a trap in which the last call ended.
    pub(super) fn explain(&mut self, trap: Trap, found: FoundAt<'_>) -> String {
        let calls = self.instance.backtrace(&self.stack, trap).collect();
        let values = self.instance.trap_values(&self.stack, trap.kind);
        let why = values.map(|values| {
            let heap = self.instance.heap_at_trap(&self.stack);
            let rights = Rights::of(self.endpoint.detached.endpoint());
            TrapCause::of(trap.kind, values, &heap, &rights).to_string()
        });
        let diagnosis = TrapDiagnosis {
            kind: trap.kind,
            why,
            calls,
            calls_omitted: 0,
            notes: Vec::new(),
        };
        diagnosis.render(found, &self.loaded.class)
    }

    /// Describes a trap in one line.
    pub(super) fn describe(&self, trap: Trap) -> String {
        let Trap { kind, method, pc } = trap;
        let name = names::method_name(&self.loaded.class, method);
        let line = self.loaded.line(method, pc);
        let line = line.map_or(String::new(), |line| format!(" (line {line})"));
        format!("trap: {kind} at {name} pc {pc}{line}")
    }
}
