//! Printed code does what the interpreter does: result, trap with its place and values, backtrace, fuel, fields, heap
//! and natives.

use compiled::{CLASSES, Class, Mock, Performed};
use jive_core::{
    CallSite, CallStack, FieldType, Frame, Heap, Instance, Lifetime, MethodAccess,
    MethodDescriptor, MethodId, Program, Trap, TrapValues,
};
use jive_embed::{Policy, load_as};
use nic_core::sle::NicNative;

/// Bytes of heap of each instance.
const HEAP: usize = 4096;

/// Amounts of fuel from 0 up.
const SWEEP: u64 = 200;

/// What can be seen of a call that has ended.
#[derive(Clone, Debug, PartialEq)]
struct Seen<'s> {
    outcome: Result<Option<i32>, Trap>,
    values: Option<TrapValues<'s>>,
    backtrace: Vec<CallSite>,
    executed: u64,
    left: u64,
    fields: Vec<i32>,
    heap: Vec<u8>,
    at_trap: Vec<u8>,
    cleared: u32,
    performed: Vec<Performed>,
}

/// Lends the memory of an instance.
struct Memory {
    fields: Vec<i32>,
    heap: Vec<u8>,
    frames: Vec<Frame>,
    slots: Vec<i32>,
}

impl Memory {
    fn new(program: &Program<'_>, depth: usize, slots: usize) -> Memory {
        Memory {
            fields: vec![0; program.field_count()],
            heap: vec![0xa5; HEAP],
            frames: vec![Frame::default(); depth],
            slots: vec![0x5a5a_5a5a; program.slots_for(slots)],
        }
    }
}

struct Machine<'m> {
    instance: Instance<'m>,
    stack: CallStack<'m>,
    natives: Mock,
}

impl<'m> Machine<'m> {
    fn new(program: Program<'m>, memory: &'m mut Memory, suspends: bool) -> Machine<'m> {
        let heap = Heap::new(&mut memory.heap);
        Machine {
            instance: Instance::new(program, &mut memory.fields, heap),
            stack: CallStack::new(&mut memory.frames, &mut memory.slots),
            natives: Mock {
                suspends,
                ..Mock::default()
            },
        }
    }

    fn seen(&mut self, outcome: Result<Option<i32>, Trap>) -> Seen<'_> {
        let trap = outcome.err();
        let heap = self.instance.heap().contents().to_vec();
        let at_trap = match trap {
            Some(_) => self.instance.heap_at_trap(&self.stack).contents().to_vec(),
            None => Vec::new(),
        };
        Seen {
            outcome,
            values: trap.and_then(|trap| self.instance.trap_values(&self.stack, trap.kind)),
            backtrace: match trap {
                Some(trap) => self.instance.backtrace(&self.stack, trap).collect(),
                None => Vec::new(),
            },
            executed: self.stack.executed(),
            left: self.stack.fuel_left(),
            fields: self.instance.fields().to_vec(),
            heap,
            at_trap,
            cleared: self.instance.heap_mut().take_cleared(),
            performed: std::mem::take(&mut self.natives.performed),
        }
    }
}

/// A setting for all methods of a class.
#[derive(Copy, Clone, Debug)]
struct Setting {
    depth: usize,
    /// For how many calls the slots suffice.
    slots: usize,
    lifetime: Lifetime,
    suspends: bool,
}

const SETTINGS: [Setting; 3] = [
    Setting {
        depth: 6,
        slots: 6,
        lifetime: Lifetime::PerCall,
        suspends: false,
    },
    Setting {
        depth: 3,
        slots: 2,
        lifetime: Lifetime::Persistent,
        suspends: true,
    },
    Setting {
        depth: 40,
        slots: 40,
        lifetime: Lifetime::PerCall,
        suspends: true,
    },
];

/// Values of `int` parameters, taken in turn.
const INTS: [i32; 12] = [0, 1, 5, -1, 2, 17, 63, i32::MIN, i32::MAX, 255, -129, 9];

/// Makes the arguments of a method in both heaps.
fn arguments(method: &str, turn: usize, heaps: [&mut Heap<'_>; 2]) -> Vec<i32> {
    let descriptor = MethodDescriptor::parse(method.as_bytes()).unwrap();
    let [first, second] = heaps;
    let parameters = descriptor.parameters().enumerate();
    parameters
        .map(|(place, parameter)| match parameter {
            FieldType::Array { .. } => {
                let kind = parameter.array_kind();
                let length = [8, 0, 3, 20][(turn + place) % 4];
                match kind {
                    Some(kind) if !(turn + place).is_multiple_of(5) => {
                        let array = first.allocate(kind, length);
                        assert_eq!(array, second.allocate(kind, length));
                        let array = array.unwrap_or(0);
                        for heap in [&mut *first, &mut *second] {
                            let bytes = heap.bytes_mut(array).unwrap_or_default();
                            for (at, byte) in bytes.iter_mut().enumerate() {
                                let value = (at * 37 + turn) % 251;
                                *byte = match kind {
                                    jive_core::ArrayKind::Boolean => (value & 1) as u8,
                                    _ => value as u8,
                                };
                            }
                        }
                        array
                    }
                    _ => 0,
                }
            }
            FieldType::Object(_) => -i32::from(!(turn + place).is_multiple_of(3)),
            FieldType::Boolean => i32::try_from((turn + place) % 2).unwrap(),
            FieldType::Byte => (INTS[(turn + place * 5) % INTS.len()] as i8).into(),
            FieldType::Short => (INTS[(turn + place * 5) % INTS.len()] as i16).into(),
            _ => INTS[(turn + place * 5) % INTS.len()],
        })
        .collect()
}

struct Both<'m> {
    class: &'m Class,
    interpreted: Machine<'m>,
    compiled: Machine<'m>,
    lifetime: Lifetime,
    calls: u64,
}

impl Both<'_> {
    /// Makes a call on both, and compares what is seen of it. Returns whether fuel was left.
    fn call(&mut self, method: MethodId, arguments: &[i32], fuel: u64, more: u64) -> bool {
        let Both {
            class,
            interpreted: i,
            compiled: c,
            lifetime,
            calls,
        } = self;
        *calls += 1;
        let outcome = i.instance.call(
            &mut i.stack,
            method,
            arguments,
            fuel,
            *lifetime,
            &mut i.natives,
        );
        let expected = i.seen(outcome);
        let outcome = (class.call)(
            &mut c.instance,
            &mut c.stack,
            method,
            arguments,
            fuel,
            *lifetime,
            &mut c.natives,
        );
        let found = c.seen(outcome);
        let place = (class.name, method, arguments, fuel);
        assert_eq!(expected, found, "{place:?}");
        let exhausted = matches!(
            expected.outcome,
            Err(Trap {
                kind: jive_core::TrapKind::FuelExhausted,
                ..
            })
        );
        let (left, cleared) = (expected.left > 0 || !exhausted, expected.cleared);
        if exhausted && cleared == 0 && more > 0 {
            let outcome = refueled(i, more);
            let expected = i.seen(outcome);
            let outcome = refueled(c, more);
            assert_eq!(expected, c.seen(outcome), "{place:?}, and {more} more");
        }
        left
    }
}

/// Grants more fuel to a call, and performs its natives.
fn refueled(machine: &mut Machine<'_>, fuel: u64) -> Result<Option<i32>, Trap> {
    use jive_core::{Natives as _, Step};
    let Machine {
        instance,
        stack,
        natives,
    } = machine;
    let mut step = instance.refuel(stack, fuel);
    loop {
        match step {
            Step::Returned(value) => return Ok(value),
            Step::Trapped(trap) => return Err(trap),
            Step::Native { id, .. } => {
                let outcome = stack
                    .charge(natives.extra_fuel(id))
                    .and_then(|()| natives.call(id, stack.native_arguments(), instance.heap_mut()));
                stack.resume(outcome);
                step = instance.run(stack);
            }
        }
    }
}

/// Compares every method of a class under a setting. Returns how many calls were made.
fn compare(class: &Class, setting: Setting) -> u64 {
    let loaded = load_as(class.bytes, Policy::ClassOnly, NicNative::TABLE).unwrap();
    let linked = loaded.linked();
    let methods: Vec<(MethodId, String, bool)> = linked
        .class
        .methods()
        .filter(|method| method.code().is_some())
        .map(|method| {
            let is_static = method.access.contains(MethodAccess::STATIC);
            (method.id, method.descriptor.to_string(), is_static)
        })
        .collect();
    let mut calls = 0;
    for (number, (method, descriptor, _)) in methods.iter().enumerate() {
        let mut memories = [linked.program, *class.program]
            .map(|program| Memory::new(&program, setting.depth, setting.slots));
        let [first, second] = &mut memories;
        let mut both = Both {
            class,
            interpreted: Machine::new(linked.program, first, false),
            compiled: Machine::new(*class.program, second, setting.suspends),
            lifetime: setting.lifetime,
            calls: 0,
        };
        for initializer in linked.program.initializers() {
            both.call(initializer, &[], 2_000, 0);
        }
        let mut fuel = 0;
        let mut turn = number;
        while fuel <= SWEEP {
            let used = both.interpreted.instance.heap().used();
            let arguments = arguments(
                descriptor,
                turn,
                [
                    both.interpreted.instance.heap_mut(),
                    both.compiled.instance.heap_mut(),
                ],
            );
            let more = [0, 1, 7, 50][turn % 4];
            both.call(*method, &arguments, fuel, more);
            for machine in [&mut both.interpreted, &mut both.compiled] {
                let kept = setting.lifetime == Lifetime::Persistent && turn.is_multiple_of(2);
                if !kept {
                    machine.instance.heap_mut().free_behind(used);
                }
            }
            turn += 1;
            fuel += 1;
        }
        let arguments = arguments(
            descriptor,
            turn,
            [
                both.interpreted.instance.heap_mut(),
                both.compiled.instance.heap_mut(),
            ],
        );
        for fuel in [3_000, 20_000, u64::MAX / 3] {
            if fuel > 20_000 && class.name.contains(' ') {
                continue;
            }
            if !both.call(*method, &arguments, fuel.min(50_000), 10) {
                break;
            }
        }
        calls += both.calls;
    }
    calls
}

#[test]
fn printed_code_does_what_the_interpreter_does() {
    let mut calls = 0;
    for (number, class) in CLASSES.iter().enumerate() {
        calls += compare(class, SETTINGS[number % SETTINGS.len()]);
    }
    println!("{} classes, {calls} calls, 0 differences", CLASSES.len());
}
