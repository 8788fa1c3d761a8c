//! Everything that a caller can observe of a class, from its verdict to the heap after each call.

use std::hash::{DefaultHasher, Hash, Hasher};

use jive_core::{
    CallStack, ClassFile, FieldType, Heap, Instance, Lifetime, LinkedField, LinkedMethod,
    MethodDescriptor, MethodId, NativeId, Natives, Op, Origin, Pc, Program, Step, Trap, TrapKind,
    Verified, link, program_size,
};
use jive_verifier::{Observer, Policy, TypeState, verify_with, work_size};
use nic_core::sle::NicNative;

use super::memory::{Filling, Loaded, Memory};
use crate::fuzzing::RandomNatives;
use jive_lab::Random;

/// Heap in bytes, number of nested calls, and fuel, which are enough for loops to iterate.
const HEAP: usize = 512;
const FRAMES: usize = 8;
const FUEL: u64 = 300;

/// The observations of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Why the class was rejected; `None` if it was accepted.
    pub rejected: Option<String>,
    /// A digest of the verifier's inferred states and steps.
    states: u64,
    program: Linked,
    calls: Vec<Called>,
}

/// The observations of a linked program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Linked {
    ops: Vec<Op>,
    origins: Vec<Option<Origin>>,
    methods: Vec<LinkedMethod>,
    fields: Vec<LinkedField>,
    initializer: Option<MethodId>,
    constructor: Option<MethodId>,
    bytes: usize,
    code_bytes: u32,
    slots: usize,
}

/// The observations of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Called {
    method: MethodId,
    ended: Result<Option<i32>, Trap>,
    executed: u64,
    fuel_left: u64,
    fields: Vec<i32>,
    heap: Vec<u8>,
    natives: Vec<(NativeId, Vec<i32>)>,
}

/// Hashes everything that the verifier reports.
struct Digest(DefaultHasher);

impl Observer for Digest {
    fn reached(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>) {
        (method.0, pc.0, state.receiver()).hash(&mut self.0);
        for kind in state.locals().chain(state.stack()) {
            kind.hash(&mut self.0);
        }
    }

    fn failed(&mut self, method: MethodId, pc: Pc, state: TypeState<'_>) {
        self.reached(method, pc, state);
    }

    fn took(&mut self, method: MethodId, steps: u32, limit: u32) {
        (method.0, steps, limit).hash(&mut self.0);
    }
}

/// Verifies a class in this memory. If the class is accepted, links and calls it as [`look`] does.
///
/// If a filling is given, fills the memory first; the random numbers of the filling do not affect the calls.
pub fn see(
    bytes: &[u8],
    seed: u64,
    memory: &mut Memory,
    mut filled: Option<(Filling, &mut Random)>,
) -> Seen {
    let mut seen = Seen::default();
    let words = ClassFile::index_len(bytes);
    let index = match &mut filled {
        None => memory.index.lend(words),
        Some((filling, random)) => memory.index.hostile(words, *filling, random),
    };
    let class = match ClassFile::parse(bytes, index) {
        Ok(class) => class,
        Err(error) => {
            seen.rejected = Some(error.to_string());
            return seen;
        }
    };
    let size = work_size(&class);
    let work = match &mut filled {
        None => memory.work.lend(&size),
        Some((filling, random)) => memory.work.hostile(&size, *filling, random),
    };
    let mut digest = Digest(DefaultHasher::new());
    let (policy, natives) = (Policy::ClassOnly, NicNative::TABLE);
    match verify_with(class, policy, natives, work, &mut digest) {
        Ok(verified) => seen = look(&verified, seed, &mut memory.loaded, filled),
        Err(error) => seen.rejected = Some(error.to_string()),
    }
    seen.states = digest.0.finish();
    seen
}

/// Links a class in this memory and calls each of its methods. The arguments of the calls depend on a seed.
///
/// If a filling is given, fills the memory first; the random numbers of the filling do not affect the calls.
///
/// # Panics
///
/// Panics if the linker rejects the class.
pub fn look(
    verified: &Verified<'_>,
    seed: u64,
    memory: &mut Loaded,
    mut filled: Option<(Filling, &mut Random)>,
) -> Seen {
    let class = verified.class();
    let size = program_size(verified).expect("the verifier has decoded the code");
    let lent = match &mut filled {
        None => memory.storage.lend(&size),
        Some((filling, random)) => memory.storage.hostile(&size, *filling, random),
    };
    let program = link(verified, lent).expect("the linker takes what the verifier accepts");
    let mut seen = Seen {
        program: linked(&program, class),
        ..Seen::default()
    };
    let (slots, fields) = (program.slots_for(FRAMES), program.field_count());
    if let Some((filling, random)) = filled {
        memory.frames.hostile(FRAMES, filling, random);
        memory.slots.hostile(slots, filling, random);
        memory.fields.hostile(fields, filling, random);
        memory.heap.hostile(HEAP, filling, random);
    }
    // The sizes of call stack and heap must be equal in all memories, because they decide when a call exhausts either.
    let (frames, slots) = (memory.frames.lend(FRAMES), memory.slots.lend(slots));
    let heap = Heap::new(memory.heap.lend(HEAP));
    let mut stack = CallStack::new(frames, slots);
    let mut instance = Instance::new(program, memory.fields.lend(fields), heap);
    let random = &mut Random::new(&seed.to_be_bytes());
    for id in program.initializers() {
        let called = call(&mut instance, &mut stack, id, &[], random);
        seen.calls.push(called);
    }
    for method in class.methods().filter(|method| method.code().is_some()) {
        let arguments = arguments(method.descriptor.as_bytes(), instance.heap_mut(), random);
        let called = call(&mut instance, &mut stack, method.id, &arguments, random);
        seen.calls.push(called);
    }
    seen
}

/// Returns everything that can be observed of a program.
fn linked(program: &Program<'_>, class: ClassFile<'_>) -> Linked {
    let methods = class.methods().filter_map(|method| {
        let linked = program.method(method.id)?;
        Some((method.id, *linked))
    });
    let methods: Vec<_> = methods.collect();
    let origins = methods.iter().flat_map(|(id, linked)| {
        linked.ops().map(|op| {
            let op = u32::try_from(op).expect("few ops");
            program.origin(*id, op)
        })
    });
    Linked {
        ops: program.ops().to_vec(),
        origins: origins.collect(),
        methods: methods.iter().map(|(_, linked)| *linked).collect(),
        fields: program.fields().to_vec(),
        initializer: program.initializer(),
        constructor: program.constructor(),
        bytes: program.byte_size(),
        code_bytes: program.code_bytes(),
        slots: program.slots_for(1),
    }
}

/// Makes arguments that fit a method's descriptor: any `int`, null, and arrays of the right type.
fn arguments(descriptor: &[u8], heap: &mut Heap<'_>, random: &mut Random) -> Vec<i32> {
    let descriptor = MethodDescriptor::parse(descriptor).expect("the verifier has parsed it");
    let parameters = descriptor.parameters();
    parameters
        .map(|parameter| match parameter {
            FieldType::Array { .. } if random.one_in(4) => 0,
            FieldType::Array { .. } => {
                let kind = parameter.array_kind().expect("an array of the subset");
                heap.allocate(kind, 1 + (random.int() & 3)).unwrap_or(0)
            }
            // Null is valid for every class.
            FieldType::Object(_) => 0,
            _ => random.int(),
        })
        .collect()
}

/// Makes a call, at once or step by step, and returns its observations.
fn call(
    instance: &mut Instance<'_>,
    stack: &mut CallStack<'_>,
    method: MethodId,
    arguments: &[i32],
    random: &mut Random,
) -> Called {
    let lifetime = [Lifetime::PerCall, Lifetime::Persistent][random.below(2)];
    let fuel = if random.one_in(4) {
        random.draw() % 20
    } else {
        FUEL
    };
    let mut natives = Noting {
        natives: RandomNatives::new(Random::new(&random.draw().to_be_bytes())),
        asked: Vec::new(),
    };
    let ended = if random.one_in(2) {
        instance.call(stack, method, arguments, fuel, lifetime, &mut natives)
    } else {
        in_steps(
            instance,
            stack,
            method,
            arguments,
            fuel,
            lifetime,
            &mut natives,
        )
    };
    Called {
        method,
        ended,
        executed: stack.executed(),
        fuel_left: stack.fuel_left(),
        fields: instance.fields().to_vec(),
        heap: instance.heap().contents().to_vec(),
        natives: natives.asked,
    }
}

/// Makes a call in steps, as the simulator does, which stops at each native.
fn in_steps(
    instance: &mut Instance<'_>,
    stack: &mut CallStack<'_>,
    method: MethodId,
    arguments: &[i32],
    fuel: u64,
    lifetime: Lifetime,
    natives: &mut Noting,
) -> Result<Option<i32>, Trap> {
    instance.start(stack, method, arguments, fuel, lifetime)?;
    loop {
        let (id, arguments) = match instance.run(stack) {
            Step::Returned(value) => return Ok(value),
            Step::Trapped(trap) => return Err(trap),
            Step::Native { id, args } => (id, args.to_vec()),
        };
        let charged = stack.charge(natives.extra_fuel(id));
        let outcome = charged.and_then(|()| natives.call(id, &arguments, instance.heap_mut()));
        stack.resume(outcome);
    }
}

/// Natives that record their arguments.
struct Noting {
    natives: RandomNatives,
    asked: Vec<(NativeId, Vec<i32>)>,
}

impl Natives for Noting {
    fn call(&mut self, id: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind> {
        self.asked.push((id, args.to_vec()));
        self.natives.call(id, args, heap)
    }

    fn extra_fuel(&self, id: NativeId) -> u64 {
        u64::from(id.0 % 3)
    }
}

impl Seen {
    /// Returns the number of calls.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.calls.len()
    }

    /// Returns the first difference from other observations, or `None` if the observations are equal.
    #[must_use]
    pub fn difference(&self, other: &Seen) -> Option<String> {
        if self == other {
            return None;
        }
        if (&self.rejected, self.states) != (&other.rejected, other.states) {
            return Some(format!(
                "verdicts {:?} and {:?}, or the states inferred",
                self.rejected, other.rejected
            ));
        }
        self.running_difference(other)
    }

    /// Returns the first difference in the program or its runs, or `None` if these are equal.
    #[must_use]
    pub fn running_difference(&self, other: &Seen) -> Option<String> {
        if self.program != other.program {
            return Some(format!(
                "programs {:#?}\nand {:#?}",
                self.program, other.program
            ));
        }
        if self.calls == other.calls {
            return None;
        }
        let calls = self.calls.iter().zip(&other.calls);
        let differing = calls.into_iter().find(|(one, two)| one != two);
        Some(format!("calls {differing:#?}"))
    }
}
