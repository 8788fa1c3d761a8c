//! The fuzz targets as ordinary functions: properties that hold for any input.
//!
//! The crate `fuzz` calls the functions of the targets from libFuzzer. A test calls the functions of the targets for
//! every fixture and built-in class. Each function returns nothing, and reports a finding by a panic.

mod applet;
mod archive;
mod body;
mod capsules;
mod certified;
mod collected;
mod compare;
mod dictionary;
mod files;
mod frames;
mod lent;
mod natives;
mod program;
mod targets;

use core::fmt::Write;

pub use applet::{applet, applet_seeds};
pub use archive::archived;
pub use body::body;
pub use capsules::{capsule, capsule_seeds};
pub use certified::{certified, certified_seeds};
pub use compare::{phrases, reference};
pub use dictionary::dictionaries;
pub use files::{capture, capture_seeds, golden, golden_seeds, scenario, scenario_seeds, verdict};
pub use frames::{frames, frames_seeds};
use jive_core::{
    ClassFile, Described, Disassembly, FieldType, Lifetime, MethodDescriptor, TrapKind,
    instructions,
};
use jive_lab::Random;
use jive_verifier::Policy;
pub use lent::lent;
pub use natives::{RandomNatives, check_argument};
use nic_core::sle::{NicEntry, NicNative};
pub use program::program;
pub use targets::{TARGETS, Target, replay, write_seeds};

use self::collected::check_collected;
use crate::defensive::States;
use crate::fixture::{Fixture, Outcome};
use crate::machine::{Machine, Room, judge, machine, parsed};
use jive_lab::asm::disassemble;

/// A heap and call depth that are large enough for loops to iterate, and small enough for many runs per second.
const ROOM: Room = Room {
    heap: 4096,
    frames: 16,
    fuel: 2_000,
};

/// Parsing and displaying must never panic.
pub fn parse(bytes: &[u8]) {
    if let Err(error) = parsed(bytes, walk) {
        assert!(!error.to_string().is_empty());
        assert!(!error.code().is_empty());
    }
}

/// Visits every part of a class file, as the disassembler does.
fn walk(class: ClassFile<'_>) {
    let mut shown = String::new();
    let mut show = |text: &dyn core::fmt::Display| {
        shown.clear();
        write!(shown, "{text}").expect("a string takes everything");
    };
    show(&class.name());
    if let Some(source) = class.source_file() {
        show(&source);
    }
    for (index, _) in class.pool().iter() {
        show(&Described::new(class.pool(), index));
    }
    for field in class.fields() {
        show(&field.name);
        show(&field.descriptor);
        if let Some(index) = field.constant_value() {
            show(&Described::new(class.pool(), index));
        }
    }
    for method in class.methods() {
        show(&method.name);
        show(&method.descriptor);
        let Some(code) = method.code() else { continue };
        for insn in instructions(code.bytes) {
            match insn {
                Ok(insn) => {
                    core::hint::black_box(code.line(insn.pc));
                    show(&Disassembly::new(insn, class));
                }
                Err(error) => show(&error),
            }
        }
        core::hint::black_box(code.exceptions().count());
    }
    core::hint::black_box(disassemble(class));
}

/// Verification must end with a verdict under each policy, and a valid applet must be a valid class. Observers must not
/// change the verdict.
pub fn verify(bytes: &[u8]) {
    let applet = judge(
        bytes,
        Policy::Applet {
            entries: NicEntry::TABLE,
        },
        NicNative::TABLE,
    );
    let class = judge(bytes, Policy::ClassOnly, NicNative::TABLE);
    if applet == Outcome::Accepted {
        assert_eq!(class, Outcome::Accepted);
    }
    let watched = parsed(bytes, |class| {
        States::infer(class, Policy::ClassOnly, NicNative::TABLE).map_err(|error| error.kind.code())
    });
    match (class, watched) {
        (Outcome::Accepted, watched) => assert!(matches!(watched, Ok(Ok(_)))),
        (Outcome::Rejected { code, .. }, Ok(watched)) => {
            assert_eq!(watched.err(), Some(code.as_str()));
        }
        (_, watched) => assert!(watched.is_err()),
    }
    check_collected(bytes);
}

/// An accepted class must run without breaking the verifier's promises, whatever natives answer.
pub fn run(bytes: &[u8]) {
    run_as(bytes, Policy::ClassOnly, Random::new(bytes));
}

/// Runs an accepted class as [`run`] does, with natives whose answers depend on `seed`.
pub fn run_seeded(bytes: &[u8], seed: u64) {
    run_as(bytes, Policy::ClassOnly, Random::new(&seed.to_be_bytes()));
}

/// Runs every method of a class once, and returns the verdict on the class.
fn run_as(bytes: &[u8], policy: Policy, random: Random) -> Outcome {
    let verdict = machine(bytes, policy, NicNative::TABLE, ROOM, |machine| {
        let mut natives = RandomNatives::new(random);
        let loaded = machine.load(&mut natives);
        check(machine, loaded.err().map(|trap| trap.kind));
        let methods: Vec<_> = machine
            .class
            .methods()
            .filter(|method| method.code().is_some() && !method.name.as_bytes().starts_with(b"<"))
            .map(|method| (method.id, method.descriptor))
            .collect();
        for (id, descriptor) in methods {
            let arguments = arguments(descriptor.as_bytes(), &mut natives.random);
            let lifetime = if natives.random.one_in(2) {
                Lifetime::PerCall
            } else {
                Lifetime::Persistent
            };
            let result = machine.call(id, &arguments, lifetime, &mut natives);
            check(machine, result.err().map(|trap| trap.kind));
        }
    });
    match verdict {
        Ok(()) => Outcome::Accepted,
        Err(rejected) => rejected,
    }
}

/// Checks that must hold after every call.
fn check(machine: &Machine<'_>, trap: Option<TrapKind>) {
    assert_ne!(
        trap,
        Some(TrapKind::Unverified),
        "verification promised too much"
    );
    let executed = machine.stack.executed();
    assert!(executed <= machine.fuel, "{executed} instructions executed");
    for field in machine.instance.fields() {
        assert!(
            !machine.instance.heap().is_transient(*field) || *field <= 0,
            "a field holds an array that has ended with its call"
        );
    }
}

/// Makes arguments that fit a method's descriptor: any `int` for an integer type, and null for every reference type.
fn arguments(descriptor: &[u8], random: &mut Random) -> Vec<i32> {
    MethodDescriptor::parse(descriptor)
        .expect("the verifier has parsed it")
        .parameters()
        .map(|parameter| match parameter {
            FieldType::Array { .. } | FieldType::Object(_) => 0,
            _ => random.int(),
        })
        .collect()
}

/// Returns the seed class files by name: every fixture and built-in applet.
#[must_use]
pub fn seeds() -> Vec<(String, Vec<u8>)> {
    let fixtures = Fixture::all().into_iter().map(|fixture| {
        let name = fixture.name.replace('/', "-");
        (name, fixture.bytes)
    });
    let applets = applets::ALL
        .iter()
        .map(|applet| (applet.name.to_owned(), applet.class.to_vec()));
    fixtures.chain(applets).collect()
}

/// Returns seeds of choices from which programs are generated, by name.
#[must_use]
pub fn program_seeds() -> Vec<(String, Vec<u8>)> {
    // Return enough choices to reach the last method of a program.
    choices(3000)
}

/// Returns seeds of choices from which bodies are generated, by name.
#[must_use]
pub fn body_seeds() -> Vec<(String, Vec<u8>)> {
    choices(300)
}

/// Returns seeds of choices from which classes that share memory are generated, by name.
#[must_use]
pub fn lent_seeds() -> Vec<(String, Vec<u8>)> {
    choices(900)
}

fn choices(count: usize) -> Vec<(String, Vec<u8>)> {
    (0..100_u8)
        .map(|n| (n.to_string(), Random::new(&[n]).bytes(count)))
        .collect()
}
