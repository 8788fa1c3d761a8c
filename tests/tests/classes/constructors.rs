//! Constructors with branches, loops and switches are accepted exactly if every path is legal.

use jive_lab::Random;
use jive_lab::generate::Alphabet;
use jive_lab::generate::constructor::{Step, body, check, legal, nested, scattered};
use jive_verifier::Policy;
use nic_core::sle::NicNative;
use tests::defensive::{Plan, Tally, run};
use tests::fixture::Outcome;
use tests::machine::judge;
use tests::openjdk::jdk;

/// Number of constructors of each kind. `trust judge` compares any number with OpenJDK.
const CONSTRUCTORS: u32 = 4_000;

/// Verifies constructors, compares the verdicts with the rule about paths, and runs accepted constructors. Returns the
/// number of constructors that were accepted.
fn check_all(what: &str, write: impl Fn(&mut Random) -> Vec<Step>) -> u32 {
    let alphabet = Alphabet::new();
    let mut random = Random::new(what.as_bytes());
    let mut tally = Tally::default();
    let plan = Plan {
        policy: Policy::ClassOnly,
        natives: NicNative::TABLE,
        rounds: 3,
        method: Some("<init>"),
    };
    let mut accepted = 0;
    for _ in 0..CONSTRUCTORS {
        let steps = write(&mut random);
        let body = body(&steps, &alphabet);
        let class = body.class(&alphabet);
        let is_accepted = judge(&class, plan.policy, plan.natives) == Outcome::Accepted;
        check(&steps, is_accepted).unwrap_or_else(|finding| panic!("{finding}"));
        accepted += u32::from(is_accepted);
        run(&class, &plan, &mut random, &mut tally)
            .unwrap_or_else(|finding| panic!("{finding}\n{}", body.shown(&alphabet)));
    }
    jdk::announce(&format!(
        "constructors, {what}: {accepted} accepted; {tally}"
    ));
    accepted
}

#[test]
fn nested_constructors_are_judged_by_their_paths() {
    let accepted = check_all("nested", nested);
    assert!((CONSTRUCTORS / 4..CONSTRUCTORS * 3 / 4).contains(&accepted));
}

#[test]
fn scattered_constructors_are_judged_by_their_paths() {
    let accepted = check_all("scattered", scattered);
    assert!((CONSTRUCTORS / 50..CONSTRUCTORS / 2).contains(&accepted));
}

#[test]
fn the_rule_is_that_of_the_specification() {
    use Step::{Construct, Escape, Goto, If, Lose, Nop, Set};
    // JVMS §4.10.2.4 requires exactly one call on each path, and before the call allows only stores to own fields.
    assert!(legal(&[Construct]));
    assert!(!legal(&[]));
    assert!(!legal(&[Construct, Construct]));
    assert!(legal(&[Set, Construct, Escape]));
    assert!(!legal(&[Escape, Construct]));
    assert!(!legal(&[Lose, Construct]));
    // Check branches with the call in both arms, and with the call in only one arm.
    assert!(legal(&[If(3), Construct, Goto(4), Construct]));
    assert!(!legal(&[If(3), Construct, Goto(4), Nop]));
    assert!(!legal(&[If(3), Nop, Goto(4), Construct]));
    // Check a loop that contains the call, and a loop before the call.
    assert!(!legal(&[Construct, If(0)]));
    assert!(legal(&[Nop, If(0), Construct]));
}
