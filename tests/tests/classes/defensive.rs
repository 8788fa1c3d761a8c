//! Accepted classes never violate a guarantee of the verifier, and both interpreters give the same results for them.

use arbitrary::{Arbitrary, Unstructured};
use jive_core::{Lifetime, MethodId};
use jive_lab::Random;
use jive_lab::asm::assemble;
use jive_lab::generate::Program;
use jive_lab::generate::alphabet::{Alphabet, Family};
use jive_lab::generate::{change::break_one, typed::typed};
use jive_verifier::{Policy, VerificationType};
use nic_core::sle::NicNative;
use tests::defensive::{Breach, Interpreter, NativeAnswers, Plan, States, Tally, Value, run};
use tests::fixture::Fixture;
use tests::machine::parsed;
use tests::openjdk::{committed, jdk};

/// Number of generated programs.
const PROGRAMS: u32 = 200;
/// Length of the choices from which a program is built.
const CHOICES: usize = 3000;

/// Number of bodies with one change.
const BODIES: u32 = 3000;

/// Runs each of the classes, and returns the number of accepted classes.
fn run_all(what: &str, classes: impl IntoIterator<Item = (String, Vec<u8>)>, rounds: u32) -> usize {
    let mut random = Random::new(what.as_bytes());
    let mut tally = Tally::default();
    let plan = Plan {
        policy: Policy::ClassOnly,
        natives: NicNative::TABLE,
        rounds,
        method: None,
    };
    let mut accepted = 0;
    for (name, bytes) in classes {
        match run(&bytes, &plan, &mut random, &mut tally) {
            Ok(is_accepted) => accepted += usize::from(is_accepted),
            Err(finding) => panic!("{name}: {finding}"),
        }
    }
    jdk::announce(&format!("defensive, {what}: {tally}"));
    accepted
}

#[test]
fn shipped_applets_run_as_verified() {
    let applets = applets::ALL
        .iter()
        .map(|applet| (applet.name.to_owned(), applet.class.to_vec()));
    assert_eq!(run_all("applets", applets, 200), applets::ALL.len());
}

#[test]
fn accepted_fixtures_run_as_verified() {
    let fixtures: Vec<_> = Fixture::all()
        .into_iter()
        .filter(|fixture| fixture.name.starts_with("accept/"))
        .map(|fixture| (fixture.name, fixture.bytes))
        .collect();
    let count = fixtures.len();
    assert_eq!(run_all("fixtures", fixtures, 20), count);
}

#[test]
fn programs_of_the_comparison_run_as_verified() {
    let mut classes: Vec<_> = committed::files("class").into_iter().collect();
    for (name, source) in committed::files("assembled") {
        let source = String::from_utf8(source).expect("a text");
        let assembled = assemble(&name, &source).unwrap_or_else(|error| panic!("{error}"));
        classes.push((name, assembled.bytes));
    }
    let count = classes.len();
    assert_eq!(run_all("comparison programs", classes, 20), count);
}

#[test]
fn built_programs_run_as_verified() {
    let programs = (0..PROGRAMS).map(|n| {
        let choices = Random::new(&n.to_be_bytes()).bytes(CHOICES);
        let program = Program::arbitrary(&mut Unstructured::new(&choices));
        let source = program.expect("choices never run out").source;
        let class = assemble("program", &source).unwrap_or_else(|error| panic!("{error}"));
        (format!("program {n}"), class.bytes)
    });
    assert!(run_all("built programs", programs, 10) > 0);
}

#[test]
fn bodies_with_a_fault_run_as_verified_where_accepted() {
    // The defensive interpreter detects a broken body that the verifier wrongly accepts, without OpenJDK.
    let alphabet = Alphabet::new();
    let mut random = Random::new(b"faults");
    let bodies = (0..BODIES).map(|n| {
        let family = Family::ALL[usize::from(random.one_in(4))];
        let length = 3 + random.below(20);
        let mut body = typed(&alphabet, family, length, &mut random);
        break_one(&mut body, &alphabet, &mut random);
        let name = format!("body {n}: {}", body.shown(&alphabet));
        (name, body.class(&alphabet))
    });
    let bodies: Vec<_> = bodies.collect();
    let accepted = run_all("bodies with a fault", bodies, 3);
    // Some changes of a body are harmless, such as another constant, or a longer path.
    assert!((BODIES / 10..BODIES / 2).contains(&u32::try_from(accepted).expect("at most BODIES")));
}

#[test]
fn a_mismatch_with_the_inferred_states_is_detected() {
    // Check the type states of one method against the run of another method with an operand of another type.
    let method = |push: &str| {
        let source =
            format!(".omit all\n.method static run()V stack 1 locals 0\n{push}\npop\nreturn\n");
        assemble("method", &source)
            .unwrap_or_else(|error| panic!("{error}"))
            .bytes
    };
    let states = parsed(&method("iconst_0"), |class| {
        States::infer(class, Policy::ClassOnly, &[])
    });
    let states = states.expect("a class file").expect("an accepted class");
    let breach = parsed(&method("aconst_null"), |class| {
        let mut interpreter = Interpreter::new(class, states, 64, 1).expect("it has no fields");
        let mut natives = NativeAnswers::new(&[], 1);
        let ended = interpreter.call(MethodId(0), &[], 9, Lifetime::PerCall, &mut natives);
        let violation = ended.expect_err("null is no `int`");
        assert_eq!(violation.pc.0, 1);
        violation.breach
    });
    assert_eq!(
        breach.expect("a class file"),
        Breach::Operand {
            place: 0,
            inferred: VerificationType::Int,
            found: Value::Null
        }
    );
}
