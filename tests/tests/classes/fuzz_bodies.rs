//! Runs the fuzz bodies on their seeds, so that a finding on a seed needs no fuzzer.

use arbitrary::{Arbitrary, Unstructured};
use jive_lab::asm::assemble;
use jive_lab::generate::change::{change_bytes, change_structure};
use jive_lab::{Random, generate::Program};
use jive_verifier::Policy;
use nic_core::sle::NicEntry;
use tests::fixture::Outcome;
use tests::fuzzing;
use tests::machine::judge;

/// Number of generated programs, of which fuzzing runs more.
const PROGRAMS: u32 = 300;
/// Number of changed class files.
const CHANGED: u32 = 5_000;
/// Length of the choices from which a program is built.
const CHOICES: usize = 3000;

fn programs() -> impl Iterator<Item = Program> {
    (0..PROGRAMS).map(|n| {
        let choices = Random::new(&n.to_be_bytes()).bytes(CHOICES);
        Program::arbitrary(&mut Unstructured::new(&choices)).expect("choices never run out")
    })
}

#[test]
fn bodies_hold_for_every_seed() {
    for (name, bytes) in fuzzing::seeds() {
        println!("{name}");
        fuzzing::parse(&bytes);
        fuzzing::verify(&bytes);
        fuzzing::run(&bytes);
    }
}

#[test]
fn bodies_hold_for_changed_classes() {
    let mut random = Random::new(b"changed");
    // Leave out very short seeds, in which nothing can be changed.
    let seeds = fuzzing::seeds()
        .into_iter()
        .filter(|(_, seed)| seed.len() > 64);
    let seeds = seeds.collect::<Vec<_>>();
    for number in 0..CHANGED {
        let (name, seed) = &seeds[random.below(seeds.len())];
        let mut bytes = seed.clone();
        if number % 4 == 0 {
            change_bytes(&mut bytes, &mut random);
        } else {
            change_structure(&mut bytes, &mut random);
        }
        println!("{number}: {name}");
        fuzzing::parse(&bytes);
        fuzzing::verify(&bytes);
    }
}

#[test]
fn bodies_hold_for_archived_inputs() {
    for (name, bytes) in fuzzing::archived("class") {
        println!("{name}");
        fuzzing::parse(&bytes);
        fuzzing::verify(&bytes);
        fuzzing::run(&bytes);
    }
    for (name, choices) in fuzzing::archived("body") {
        println!("{name}");
        fuzzing::body(&choices);
    }
    for (name, choices) in fuzzing::archived("lent") {
        println!("{name}");
        fuzzing::lent(&choices);
    }
    for (name, choices) in fuzzing::archived("program") {
        println!("{name}");
        let program = Program::arbitrary(&mut Unstructured::new(&choices));
        fuzzing::program(&program.expect("choices that run out are zeros"));
    }
}

#[test]
fn classes_are_accepted_with_certificates_only_if_verified() {
    let mut random = Random::new(b"certified");
    for (name, input) in fuzzing::certified_seeds() {
        println!("{name}");
        fuzzing::certified(&input);
        // A very short seed has nothing to change.
        for _ in 0..8 * usize::from(input.len() > 64) {
            let mut changed = input.clone();
            change_bytes(&mut changed, &mut random);
            fuzzing::certified(&changed);
        }
    }
}

#[test]
fn bodies_by_choices_run_as_verified() {
    for (name, choices) in fuzzing::body_seeds() {
        println!("{name}");
        fuzzing::body(&choices);
    }
}

#[test]
fn classes_by_choices_do_not_depend_on_lent_memory() {
    for (name, choices) in fuzzing::lent_seeds() {
        println!("{name}");
        fuzzing::lent(&choices);
    }
}

#[test]
fn accepted_programs_keep_their_promises() {
    for program in programs() {
        fuzzing::program(&program);
    }
}

#[test]
fn programs_are_neither_all_sound_nor_all_rejected() {
    // The generator is useful only if it often makes accepted and often rejected programs.
    let accepted = programs()
        .filter(|program| {
            let class = assemble("program", &program.source).expect("programs are assembly");
            judge(
                &class.bytes,
                Policy::Applet {
                    entries: NicEntry::TABLE,
                },
                nic_core::sle::NicNative::TABLE,
            ) == Outcome::Accepted
        })
        .count();
    let all = usize::try_from(PROGRAMS).expect("u32 fits usize");
    assert!(
        (all / 3..all - all / 10).contains(&accepted),
        "{accepted} of {all}"
    );
}
