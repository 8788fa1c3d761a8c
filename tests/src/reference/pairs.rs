//! Measures which ordered pairs of linked ops the generators execute, of all possible pairs.
//!
//! A pair consists of two consecutive ops of a method, both executed, where control can pass directly from the first to
//! the second. Two optimizations depend on such pairs: an op may use the value that the previous op computed, and two
//! ops may be fused (`jive-core/src/op/pairs.rs`).

use std::collections::BTreeSet;

use arbitrary::{Arbitrary, Unstructured};
use jive_core::Op;
use jive_verifier::Policy;
use nic_core::sle::NicNative;

use super::phrases::{self, PHRASES, Phrase};
use super::twin::{Tally, Twin, compare_in};
use crate::machine::Room;
use jive_lab::Random;
use jive_lab::asm::assemble;
use jive_lab::generate::Program;
use jive_lab::generate::alphabet::{Alphabet, Family};
use jive_lab::generate::typed::typed;

/// The names of two consecutive ops.
pub type Pair = [&'static str; 2];

/// Ops that occur only in code of more than 65,535 ops, which `tests/tests/classes/lowering.rs` executes.
const FAR: [&str; 5] = [
    "GotoFar",
    "SkipEqual",
    "SkipNotEqual",
    "SkipLess",
    "SkipNotLess",
];

/// Number of methods in a class.
const METHODS: usize = 50;

/// Heap, call depth and fuel for several rounds of a loop; many of the loops never end.
const ROOM: Room = Room {
    heap: 2048,
    frames: 8,
    fuel: 200,
};

/// Returns whether the op that follows in the code may be executed next, also after the return of a call or native.
fn may_go_on(op: &Op) -> bool {
    op.goes_on() || matches!(op.name(), "Call" | "Native")
}

/// Returns all possible pairs of ops, and some impossible pairs. The table of ops records whether an op falls through,
/// computes a value and uses a value, but not the type of that value.
#[must_use]
pub fn possible() -> BTreeSet<Pair> {
    let kinds: Vec<Op> = Op::kinds().filter(|op| !FAR.contains(&op.name())).collect();
    let firsts = kinds.iter().filter(|op| may_go_on(op));
    firsts
        .flat_map(|first| {
            let seconds = kinds.iter();
            let fitting = seconds.filter(|second| first.computes() || !second.takes());
            fitting.map(|second| [first.name(), second.name()])
        })
        .collect()
}

/// Returns the fused pairs.
#[must_use]
pub fn fused() -> BTreeSet<Pair> {
    Op::PAIRS.iter().copied().collect()
}

/// Adds the executed pairs of a class.
pub fn add(twin: &Twin<'_, '_>, reached: &mut BTreeSet<Pair>) {
    let program = twin.program();
    for (method, visits) in twin.class().methods().zip(twin.visits()) {
        let linked = program.method(method.id).expect("a method of the class");
        let origins: Vec<_> = linked
            .ops()
            .map(|op| program.origin(method.id, u32::try_from(op).expect("an index of an op")))
            .map(|origin| origin.expect("an op of the method"))
            .collect();
        // An op that only moves a value is executed together with the instruction that follows it.
        let is_executed = |at: usize| {
            let performs = origins[at..].iter().find(|origin| origin.instructions > 0);
            performs.is_some_and(|origin| visits[origin.pc.index()] > 0)
        };
        let ops = &program.ops()[linked.ops()];
        for (at, both) in ops.windows(2).enumerate() {
            if may_go_on(&both[0]) && is_executed(at) && is_executed(at + 1) {
                reached.insert([both[0].name(), both[1].name()]);
            }
        }
    }
}

/// Runs a class on both interpreters and adds the executed pairs of ops.
///
/// # Panics
///
/// Panics if the interpreters differ, or the class is rejected.
pub fn run(
    bytes: &[u8],
    policy: Policy,
    random: &mut Random,
    tally: &mut Tally,
    reached: &mut BTreeSet<Pair>,
) {
    let natives = NicNative::TABLE;
    let add = |twin: &Twin<'_, '_>| add(twin, reached);
    let compared = compare_in(ROOM, 3, bytes, policy, natives, random, tally, add);
    assert_eq!(compared, Ok(true));
    tally.classes += 1;
}

/// Generates classes in which any two phrases follow each other `rounds` times, in both orders.
pub fn all_pairs(rounds: usize, random: &mut Random) -> impl Iterator<Item = Vec<u8>> {
    let firsts = || PHRASES.iter().filter(|phrase| phrase.goes_on());
    let computing: Vec<&Phrase> = firsts().filter(|phrase| phrase.computes()).collect();
    let twos: Vec<[&Phrase; 2]> = firsts()
        .flat_map(|first| PHRASES.iter().map(move |second| [first, second]))
        .collect();
    let count = twos.len().div_ceil(METHODS);
    (0..rounds * count).map(move |class| {
        let twos = twos.chunks(METHODS).nth(class % count).unwrap_or_default();
        let groups: Vec<Vec<&Phrase>> = twos
            .iter()
            .map(|two| {
                // In half of the cases, give the first phrase of a pair an operand that was just computed.
                let before = computing[random.below(computing.len())];
                let before = random.one_in(2).then_some(before);
                before.into_iter().chain(*two).collect()
            })
            .collect();
        assembled(&phrases::class(&groups, random))
    })
}

/// Generates a class of longer random groups of phrases.
#[must_use]
pub fn drawn(random: &mut Random) -> Vec<u8> {
    let methods = 1 + random.below(8);
    let groups: Vec<Vec<&Phrase>> = (0..methods)
        .map(|_| {
            let length = 1 + random.below(8);
            let mut group = Vec::new();
            for _ in 0..length {
                let phrase = &PHRASES[random.below(PHRASES.len())];
                group.push(phrase);
                if !phrase.goes_on() {
                    break;
                }
            }
            group
        })
        .collect();
    assembled(&phrases::class(&groups, random))
}

fn assembled(source: &str) -> Vec<u8> {
    match assemble("phrases", source) {
        Ok(class) => class.bytes,
        Err(error) => panic!("{error}\n{source}"),
    }
}

/// The name of a generator, its runs, and the executed pairs.
pub type Measured = (&'static str, Tally, BTreeSet<Pair>);

/// Runs the classes of each generator; in those of phrases, any two phrases meet `rounds` times.
///
/// # Panics
///
/// Panics if the interpreters differ, or a class is rejected.
#[must_use]
pub fn measure(rounds: usize) -> Vec<Measured> {
    let mut random = Random::new(b"pairs");
    let alphabet = Alphabet::new();
    let program = |random: &mut Random| loop {
        let choices = random.bytes(3000);
        let program = Program::arbitrary(&mut Unstructured::new(&choices));
        let program = program.expect("choices never run out");
        if program.sound {
            return assembled(&program.source);
        }
    };
    let body = |random: &mut Random| {
        let length = 3 + random.below(40);
        typed(&alphabet, Family::Static, length, random).class(&alphabet)
    };
    let programs: Vec<_> = (0..400).map(|_| program(&mut random)).collect();
    let bodies: Vec<_> = (0..4000).map(|_| body(&mut random)).collect();
    let phrases: Vec<_> = (0..2000).map(|_| drawn(&mut random)).collect();
    let twos: Vec<_> = all_pairs(rounds, &mut random).collect();
    let generators = [
        ("programs", programs),
        ("bodies that fit", bodies),
        ("phrases, drawn", phrases),
        ("phrases, each two", twos),
    ];
    generators
        .into_iter()
        .map(|(name, classes)| {
            let (mut tally, mut reached) = (Tally::default(), BTreeSet::new());
            for bytes in classes {
                run(
                    &bytes,
                    Policy::ClassOnly,
                    &mut random,
                    &mut tally,
                    &mut reached,
                );
            }
            (name, tally, reached)
        })
        .collect()
}

/// Prints how many of the possible pairs each generator reaches, where any two phrases meet `rounds` times, and the fused
/// pairs that no generator reached.
///
/// # Panics
///
/// Panics if a generator reached a pair that is not possible.
pub fn print(rounds: usize) {
    let (possible, fused) = (possible(), fused());
    let mut all: BTreeSet<Pair> = BTreeSet::new();
    println!("generator              classes   calls  pairs  of these run as one");
    for (name, tally, reached) in measure(rounds) {
        let together = reached.intersection(&fused).count();
        let (classes, calls) = (tally.classes, tally.calls);
        println!(
            "{name:22} {classes:7} {calls:7} {:6} {together:6}",
            reached.len()
        );
        all.extend(reached);
    }
    let together = all.intersection(&fused).count();
    println!("{:38} {:6} {together:6}", "all", all.len());
    println!("{:38} {:6} {:6}", "at most", possible.len(), fused.len());
    let unforeseen: Vec<_> = all.difference(&possible).collect();
    assert!(unforeseen.is_empty(), "{unforeseen:?}");
    println!("missed of those run as one:");
    for [first, second] in fused.difference(&all) {
        println!("  {first} {second}");
    }
}
