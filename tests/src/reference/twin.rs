//! Runs the shipped and the reference interpreter side by side, and compares everything observable.

use core::fmt;
use std::collections::BTreeMap;

use jive_core::{
    ArrayKind, ClassFile, FieldId, FieldType, Lifetime, Method, MethodDescriptor, MethodId,
    NativeDecl, Pc, Program, Trap, Values, Watcher,
};
use jive_embed::replay::Replay;
use jive_verifier::Policy;

use super::interpreter::{Interpreter, State, THIS};
use super::natives::Script;
use crate::machine::{Machine, Room, machine};
use jive_lab::Random;

/// A class that is loaded in the shipped and in the reference interpreter.
pub struct Twin<'t, 'm> {
    shipped: &'t mut Machine<'m>,
    reference: Interpreter<'m>,
    natives: &'static [NativeDecl<'static>],
    /// Arrays made by the test, which outlive calls.
    arrays: Vec<(ArrayKind, i32)>,
}

/// Counts of runs.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Number of accepted classes.
    pub classes: u64,
    /// Number of calls on both interpreters.
    pub calls: u64,
    /// Number of instructions executed by each interpreter.
    pub instructions: u64,
    /// Number of calls by outcome: the name of a trap, or `returned`.
    pub endings: BTreeMap<&'static str, u64>,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally {
            classes,
            calls,
            instructions,
            endings,
        } = self;
        write!(
            f,
            "{calls} calls of {classes} classes, {instructions} instructions"
        )?;
        endings
            .iter()
            .try_for_each(|(name, count)| write!(f, ", {count} {name}"))
    }
}

impl<'t, 'm> Twin<'t, 'm> {
    /// Loads the class of a fresh machine into a reference interpreter.
    pub fn new(
        shipped: &'t mut Machine<'m>,
        natives: &'static [NativeDecl<'static>],
        room: Room,
    ) -> Twin<'t, 'm> {
        let reference = Interpreter::new(shipped.class, natives, room.heap, room.frames);
        Twin {
            shipped,
            reference,
            natives,
            arrays: Vec::new(),
        }
    }

    /// Returns the class.
    #[must_use]
    pub fn class(&self) -> ClassFile<'m> {
        self.shipped.class
    }

    /// Returns the linked program.
    #[must_use]
    pub fn program(&self) -> Program<'m> {
        self.shipped.instance.program()
    }

    /// Returns the execution count of each instruction since the class was loaded, by method, then pc.
    #[must_use]
    pub fn visits(&self) -> &[Vec<u64>] {
        &self.reference.visits
    }

    /// Makes an array filled with `byte`, if there is room.
    fn make_array(&mut self, kind: ArrayKind, length: i32, byte: u8) -> Option<i32> {
        let heap = self.shipped.instance.heap_mut();
        let shipped = heap.allocate(kind, length);
        assert_eq!(shipped, self.reference.arrays.make(kind, length));
        let array = shipped.ok()?;
        let byte = if kind == ArrayKind::Boolean {
            byte & 1
        } else {
            byte
        };
        heap.bytes_mut(array).expect("it was just made").fill(byte);
        self.reference
            .arrays
            .get(array)
            .expect("as above")
            .fill(byte);
        self.arrays.push((kind, array));
        Some(array)
    }

    /// Sets `RxBuf`, then runs `<clinit>` and `<init>` up to the first trap, as loading does.
    fn load(&mut self, random: &mut Random, tally: &mut Tally) -> Result<(), String> {
        let class = self.shipped.class;
        let mut fields = class.fields();
        let buffer = fields.find(|field| field.name == "RxBuf" && field.descriptor == "[B");
        if let Some(field) = buffer
            && let Some(array) = self.make_array(ArrayKind::Byte, 64, 0x5a)
        {
            self.shipped.instance.set_field(field.id, array);
            self.reference.fields[field.id.index()] = array;
        }
        for name in ["<clinit>", "<init>"] {
            let mut methods = class.methods();
            let method = methods.find(|method| method.name == name && method.descriptor == "()V");
            if let Some(method) = method
                && self
                    .call(method, &[], Lifetime::Persistent, random, tally)?
                    .is_err()
            {
                break;
            }
        }
        Ok(())
    }

    /// Returns arguments that fit a method's descriptor: any `int`, null, an array made by the test, or the object.
    fn arguments(&self, method: Method<'_>, random: &mut Random) -> Vec<i32> {
        let descriptor = MethodDescriptor::parse(method.descriptor.as_bytes());
        let descriptor = descriptor.expect("the verifier has parsed it");
        let argument = |parameter: FieldType<'_>| match parameter {
            FieldType::Object(_) => [0, THIS, THIS, THIS][random.below(4)],
            FieldType::Array { .. } => {
                let arrays = self.arrays.iter();
                let fitting = arrays.filter(|(kind, _)| parameter.array_kind() == Some(*kind));
                let fitting: Vec<i32> = fitting.map(|(_, array)| *array).collect();
                match fitting.len() {
                    count if count > 0 && !random.one_in(8) => fitting[random.below(count)],
                    _ => 0,
                }
            }
            _ => random.int(),
        };
        descriptor.parameters().map(argument).collect()
    }

    /// Makes a call on both interpreters.
    ///
    /// # Errors
    ///
    /// The difference.
    fn call(
        &mut self,
        method: Method<'m>,
        arguments: &[i32],
        lifetime: Lifetime,
        random: &mut Random,
        tally: &mut Tally,
    ) -> Result<Result<Option<i32>, Trap>, String> {
        let (shipped, reference) = (&mut *self.shipped, &mut self.reference);
        let mut script = Script::new(self.natives, random.clone());
        // Advance the random numbers, so that natives answer the next call differently.
        random.draw();
        // Watch every second call, in which both interpreters must execute the same instructions.
        let class = shipped.class;
        let mut watched = (tally.calls % 2 == 1).then(|| Visits {
            counts: reference.visits.clone(),
            replay: Replay::new(class),
            states: Vec::new(),
        });
        let ended = match &mut watched {
            Some(visits) => {
                shipped.call_watched(method.id, arguments, lifetime, &mut script, visits)
            }
            None => shipped.call(method.id, arguments, lifetime, &mut script),
        };
        let is_per_call = lifetime == Lifetime::PerCall;
        reference.states = watched.is_some().then(Vec::new);
        let expected = reference.call(method, arguments, shipped.fuel, is_per_call, &mut script);
        same("outcome", &ended, &expected)?;
        if let Some(visits) = watched {
            same("instructions", &visits.counts, &reference.visits)?;
            for (found, expected) in visits.states.iter().zip(reference.states.iter().flatten()) {
                same("values before an instruction", found, expected)?;
            }
        }
        if let Some(difference) = script.difference() {
            return Err(format!("natives: {difference}"));
        }
        let spent = (shipped.stack.executed(), shipped.stack.fuel_left());
        let expected = (reference.executed, reference.fuel);
        same("instructions and fuel left", &spent, &expected)?;
        let fields: Vec<FieldId> = shipped.class.fields().map(|field| field.id).collect();
        for (id, expected) in fields.into_iter().zip(&reference.fields) {
            same("field", &shipped.instance.field(id), expected)?;
        }
        let heap = shipped.instance.heap();
        let used = u32::try_from(reference.arrays.used()).expect("rooms are small");
        same("bytes of heap", &heap.used(), &used)?;
        for (address, array) in reference.arrays.iter() {
            let found = heap.array(address).map(|array| array.kind);
            same("kind of array", &found, &Some(array.kind))?;
            same("elements", &heap.bytes(address), &Some(&array.bytes()[..]))?;
        }
        tally.calls += 1;
        tally.instructions += spent.0;
        let ending = ended.map_or_else(|trap| trap.kind.name(), |_| "returned");
        *tally.endings.entry(ending).or_default() += 1;
        Ok(ended)
    }
}

/// Counts the executions of each instruction, by method, then pc, and records the values before each.
struct Visits<'c> {
    counts: Vec<Vec<u64>>,
    replay: Replay<'c>,
    states: Vec<State>,
}

impl Watcher for Visits<'_> {
    fn executed(&mut self, depth: u32, method: MethodId, instructions: &[Pc], before: Values<'_>) {
        for pc in instructions {
            self.counts[method.index()][pc.index()] += 1;
        }
        let states = &mut self.states;
        self.replay
            .executed(depth, method, instructions, before, |moment| {
                let frames = moment.frames.iter().map(|frame| {
                    let (locals, stack) = (frame.locals.clone(), frame.stack.clone());
                    (frame.method, frame.pc.index(), locals, stack)
                });
                states.push((moment.fields.to_vec(), frames.collect()));
            });
    }
}

/// Returns an error if two values differ.
fn same<T: PartialEq + fmt::Debug>(what: &str, shipped: &T, reference: &T) -> Result<(), String> {
    if shipped == reference {
        return Ok(());
    }
    Err(format!(
        "{what}: shipped {shipped:?}, reference {reference:?}"
    ))
}

/// If a class is accepted, runs it on both interpreters, with a small and with a large heap and call depth.
///
/// Returns whether the class was accepted.
///
/// # Errors
///
/// Returns the difference and the method in which it occurred.
pub fn compare(
    bytes: &[u8],
    policy: Policy,
    natives: &'static [NativeDecl<'static>],
    random: &mut Random,
    tally: &mut Tally,
) -> Result<bool, String> {
    let small = Room {
        heap: [16, 64, 128, 256][random.below(4)],
        frames: 1 + random.below(4),
        fuel: 2000,
    };
    let large = Room {
        heap: 4096,
        frames: 16,
        fuel: 2000,
    };
    for (room, rounds) in [(large, 2), (small, 1)] {
        let visit = |_: &Twin<'_, '_>| {};
        if !compare_in(room, rounds, bytes, policy, natives, random, tally, visit)? {
            return Ok(false);
        }
    }
    tally.classes += 1;
    Ok(true)
}

/// Runs each method of an accepted class several times with one size of heap and call stack, and then passes the twin
/// to `then`.
///
/// Returns whether the class was accepted.
///
/// # Errors
///
/// Returns the difference and the method in which it occurred.
#[expect(
    clippy::too_many_arguments,
    reason = "the class and how it is judged, the memory and natives, and the rounds"
)]
pub fn compare_in(
    room: Room,
    rounds: u32,
    bytes: &[u8],
    policy: Policy,
    natives: &'static [NativeDecl<'static>],
    random: &mut Random,
    tally: &mut Tally,
    visit: impl FnOnce(&Twin<'_, '_>),
) -> Result<bool, String> {
    let verdict = machine(bytes, policy, natives, room, |machine| {
        let class = machine.class;
        let mut twin = Twin::new(machine, natives, room);
        twin.load(random, tally)?;
        for kind in ArrayKind::ALL {
            let [byte, length, ..] = random.draw().to_be_bytes();
            twin.make_array(kind, i32::from(length % 9), byte);
        }
        for _ in 0..rounds {
            for method in class.methods().filter(|method| method.code().is_some()) {
                let arguments = twin.arguments(method, random);
                let lifetime = match random.below(8) {
                    0 => Lifetime::Persistent,
                    _ => Lifetime::PerCall,
                };
                // Little fuel ends a call at any instruction; much fuel allows several rounds of a loop.
                let least = match random.below(4) {
                    0 => random.below(30),
                    1 => random.below(300),
                    _ => usize::MAX,
                };
                let least = u64::try_from(least).expect("usize has at most 64 bits");
                twin.shipped.fuel = least.min(room.fuel);
                twin.call(method, &arguments, lifetime, random, tally)
                    .map(drop)
                    .map_err(|difference| format!("method `{}`: {difference}", method.name))?;
            }
        }
        visit(&twin);
        Ok(())
    });
    match verdict {
        Ok(ran) => ran.map(|()| true),
        Err(_) => Ok(false),
    }
}
