//! A class that skips verification (`Verified::vouch`) gives the results of the same class parsed and verified.

use arbitrary::{Arbitrary, Unstructured};
use jive_core::{ClassFile, LinkError, LinkErrorKind, LinkSite, Pc, Verified};
use jive_lab::Random;
use jive_lab::asm::assemble;
use jive_lab::generate::Alphabet;
use jive_lab::generate::Program;
use jive_lab::generate::alphabet::Family;
use jive_lab::generate::typed::typed;
use nic_core::sle::NicNative;
use tests::fixture::Fixture;
use tests::lent::{Loaded, Memory, look, see};
use tests::openjdk::{committed, jdk};

/// Number of seeds for each class. A seed determines arguments, fuel, array lifetimes and results of natives.
const SEEDS: u64 = 3;
/// Number of generated programs and bodies.
const PROGRAMS: u8 = 40;
const BODIES: u32 = 400;
/// Length of the choices from which a program is built.
const CHOICES: usize = 2000;

/// Returns all available class files by name: those of compilers and of the assembler, and generated class files.
fn classes() -> Vec<(String, Vec<u8>)> {
    let mut classes: Vec<_> = applets::ALL
        .iter()
        .map(|applet| (applet.name.to_owned(), applet.class.to_vec()))
        .collect();
    classes.extend(committed::files("class"));
    classes.extend(
        Fixture::all()
            .into_iter()
            .map(|fixture| (fixture.name, fixture.bytes)),
    );
    classes.extend((0..PROGRAMS).map(|number| {
        let choices = Random::new(&[number]).bytes(CHOICES);
        let program = Program::arbitrary(&mut Unstructured::new(&choices));
        let source = program.expect("choices never run out").source;
        let class = assemble("program", &source).unwrap_or_else(|error| panic!("{error}"));
        (format!("program {number}"), class.bytes)
    }));
    let alphabet = Alphabet::new();
    let mut random = Random::new(b"trusted");
    classes.extend((0..BODIES).map(|number| {
        let family = Family::ALL[usize::from(random.one_in(5))];
        let body = typed(&alphabet, family, 30, &mut random);
        (format!("body {number}"), body.class(&alphabet))
    }));
    classes
}

#[test]
fn a_trusted_class_gives_the_results_of_a_parsed_one() {
    let (mut memory, mut loaded) = (Memory::default(), Loaded::default());
    let (mut compared, mut calls) = (0_u32, 0);
    for (name, bytes) in classes() {
        for seed in 0..SEEDS {
            let parsed = see(&bytes, seed, &mut memory, None);
            if parsed.rejected.is_some() {
                break;
            }
            let mut index = vec![0; ClassFile::index_len(&bytes)];
            let class = ClassFile::trusted(&bytes, &mut index)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            let vouched = Verified::vouch(class, NicNative::TABLE, None);
            let trusted = look(&vouched, seed, &mut loaded, None);
            if let Some(difference) = parsed.running_difference(&trusted) {
                panic!("{name}: {difference}");
            }
            compared += 1;
            calls += trusted.calls();
        }
    }
    jdk::announce(&format!(
        "trusted: {calls} calls in {compared} runs of classes"
    ));
    assert!(compared > 1_500, "{compared}");
}

#[test]
fn a_local_variable_beyond_max_locals_is_not_linked() {
    // The local variable is in a register after the registers that are cleared when the method is called.
    let source = ".method static run()I stack 1 locals 1\n iload 200\n ireturn\n";
    let class = assemble("local", source).unwrap_or_else(|error| panic!("{error}"));
    let mut index = vec![0; ClassFile::index_len(&class.bytes)];
    let class = ClassFile::trusted(&class.bytes, &mut index).expect("its parts are whole");
    let vouched = Verified::vouch(class, NicNative::TABLE, None);
    let linked = tests::machine::linked(&vouched, |_| ());
    let error = linked.expect_err("it has one local variable");
    let run = class.methods().find(|method| method.name == "run");
    let method = run.expect("the class has it").id;
    let at = LinkSite::Code { method, pc: Pc(0) };
    let kind = LinkErrorKind::Count;
    assert_eq!(error, LinkError { at, kind });
}
