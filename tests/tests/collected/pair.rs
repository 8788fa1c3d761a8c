//! A class that runs twice, linked for a collector and as an applet, and the comparison of both.

use std::collections::HashMap;

use bumpalo::Bump;
use jive_core::{
    ArrayKind, CallStack, ClassFile, Collected, Frame, Heap, Instance, Lifetime, LinkedClass,
    MethodDescriptor, MethodId, Motion, Trap, TrapKind, TrapValues, ValueKind,
};
use jive_embed::{Collecting, load_class, load_collected};
use jive_verifier::Policy;
use nic_core::sle::NicNative;
use nic_runtime::applet::DetachedEndpoint;

/// The memory of an instance, and the endpoint that natives act on.
struct Side<'a> {
    instance: Instance<'a>,
    stack: CallStack<'a>,
    endpoint: DetachedEndpoint,
}

impl<'a> Side<'a> {
    fn new(arena: &'a Bump, class: &LinkedClass<'a>, room: Room) -> Self {
        let program = class.program;
        let fields = arena.alloc_slice_fill_copy(program.field_count(), 0);
        let heap = Heap::new(arena.alloc_slice_fill_copy(room.heap, 0));
        Side {
            instance: Instance::new(program, fields, heap),
            stack: CallStack::new(
                arena.alloc_slice_fill_copy(room.nested, Frame::default()),
                arena.alloc_slice_fill_copy(program.slots_for(room.nested), 0),
            ),
            endpoint: DetachedEndpoint::default(),
        }
    }

    fn ended(&mut self, outcome: &Result<Option<i32>, Trap>) {
        match outcome {
            Ok(_) => self.endpoint.call_returned(),
            Err(_) => self.endpoint.call_trapped(),
        }
    }

    /// Describes an array by its contents.
    fn array(&self, reference: i32) -> Option<(ArrayKind, Vec<i32>)> {
        let heap = self.instance.heap();
        let kind = heap.array(reference)?.kind;
        let bytes = heap.bytes(reference)?;
        Some((kind, kind.elements(bytes).collect()))
    }
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Int(i32),
    Null,
    Array(ArrayKind, i32),
}

/// A class that runs twice.
pub(crate) struct Pair<'a> {
    pub(crate) class: ClassFile<'a>,
    applet: Side<'a>,
    collected: Side<'a>,
    collecting: Collecting<'a>,
    /// Whether the applet has run out of memory, which the other side then need not.
    is_over: bool,
}

/// The resources of a pair.
#[derive(Copy, Clone)]
pub(crate) struct Room {
    pub(crate) motion: Motion,
    pub(crate) heap: usize,
    pub(crate) fuel: u64,
    /// How many calls may be nested.
    pub(crate) nested: usize,
}

/// Loads a class twice and passes both to `then`. Returns what the collections did, or `None` if the class is refused.
pub(crate) fn pair(
    bytes: &[u8],
    room: Room,
    then: impl FnOnce(&mut Pair<'_>),
) -> Option<(u64, Collected)> {
    let arena = Bump::new();
    let (policy, natives) = (Policy::ClassOnly, NicNative::TABLE);
    let applet = load_class(&arena, bytes, policy, natives);
    let collected = load_collected(&arena, bytes, policy, natives);
    let (applet, collected) = match (applet, collected) {
        (Ok(applet), Ok(collected)) => (applet, collected),
        (applet, collected) => {
            assert_eq!(applet.err(), collected.err());
            return None;
        }
    };
    let applet = Side::new(&arena, &applet, room);
    let other = Side::new(&arena, &collected.class, room);
    let slots = other.instance.program().slots_for(room.nested);
    let roots = collected.roots();
    let mut pair = Pair {
        class: collected.class.class,
        collecting: Collecting::new(&arena, roots, room.motion, &other.instance, slots),
        applet,
        collected: other,
        is_over: false,
    };
    let initializers = collected.class.program.initializers();
    for method in initializers.collect::<Vec<_>>() {
        if pair.call(method, &[], room.fuel).is_err() {
            return Some(pair.collecting.done());
        }
    }
    then(&mut pair);
    Some(pair.collecting.done())
}

impl Pair<'_> {
    /// Makes a call on both sides and compares all that it did. Returns the outcome, or `Ok` if the applet has run out
    /// of memory.
    pub(crate) fn call(
        &mut self,
        method: MethodId,
        arguments: &[Argument],
        fuel: u64,
    ) -> Result<Option<i32>, Trap> {
        if self.is_over {
            return Ok(None);
        }
        let Some([ours, others]) = self.arguments(arguments) else {
            self.is_over = true;
            return Ok(None);
        };
        let Pair {
            applet,
            collected,
            collecting,
            ..
        } = self;
        let lifetime = Lifetime::Persistent;
        let instance = &mut applet.instance;
        let natives = &mut applet.endpoint;
        let plain = instance.call(&mut applet.stack, method, &ours, fuel, lifetime, natives);
        if plain.is_err_and(|trap| trap.kind == TrapKind::OutOfMemoryError) {
            self.is_over = true;
            return plain;
        }
        let running = (&mut collected.instance, &mut collected.stack);
        let natives = &mut collected.endpoint;
        let other = collecting.call(running, method, &others, fuel, natives);
        applet.ended(&plain);
        collected.ended(&other);
        let (spent, left) = (applet.stack.executed(), applet.stack.fuel_left());
        let also = (collected.stack.executed(), collected.stack.fuel_left());
        assert_eq!((spent, left), also, "{plain:?} and {other:?}");
        if let Err(trap) = plain {
            assert_eq!(other, plain);
            let shown = |side: &Side<'_>| {
                let values = side.instance.trap_values(&side.stack, trap.kind);
                let calls = side.instance.backtrace(&side.stack, trap);
                // References are numbers of their own on each side.
                let values = values.filter(|values| !matches!(values, TrapValues::Native { .. }));
                (
                    values.map(|values| values.to_string()),
                    calls.collect::<Vec<_>>(),
                )
            };
            assert_eq!(shown(applet), shown(collected), "{trap:?}");
        }
        self.compare_values(method, plain, other);
        self.compare_fields();
        plain
    }

    /// Makes the arguments on each side, unless one has no memory for them.
    fn arguments(&mut self, arguments: &[Argument]) -> Option<[Vec<i32>; 2]> {
        let sides = [&mut self.applet, &mut self.collected];
        let [ours, others] = sides.map(|side| {
            let values = arguments.iter().map(|argument| match argument {
                Argument::Int(value) => Some(*value),
                Argument::Null => Some(0),
                Argument::Array(kind, length) => {
                    side.instance.heap_mut().allocate(*kind, *length).ok()
                }
            });
            values.collect::<Option<Vec<_>>>()
        });
        Some([ours?, others?])
    }

    fn compare_values(
        &self,
        method: MethodId,
        plain: Result<Option<i32>, Trap>,
        other: Result<Option<i32>, Trap>,
    ) {
        let called = self.class.method(method).expect("the method was called");
        let descriptor = MethodDescriptor::parse(called.descriptor.as_bytes());
        let result = descriptor.expect("the method is verified").result();
        let (Ok(Some(ours)), Ok(Some(others))) = (plain, other) else {
            return assert_eq!(plain, other);
        };
        if result.is_some_and(|result| result.array_kind().is_some()) {
            assert_eq!(self.applet.array(ours), self.collected.array(others));
            assert_eq!(ours.signum(), others.signum());
        } else {
            assert_eq!(ours, others);
        }
    }

    /// Compares the fields. Equal references are equal on both sides, so that arrays have the same names.
    fn compare_fields(&self) {
        let program = self.applet.instance.program();
        let (ours, others) = (
            self.applet.instance.fields(),
            self.collected.instance.fields(),
        );
        let mut same = HashMap::new();
        for ((field, ours), others) in program.fields().iter().zip(ours).zip(others) {
            if field.kind == ValueKind::Reference && *ours > 0 {
                assert_eq!(same.entry(ours).or_insert(others), &others);
                assert_eq!(self.applet.array(*ours), self.collected.array(*others));
                assert!(self.applet.array(*ours).is_some(), "{ours} is no array");
            } else {
                assert_eq!(ours, others);
            }
        }
        let named = same.values().collect::<std::collections::HashSet<_>>();
        assert_eq!(named.len(), same.len(), "arrays that were two are one");
    }
}
