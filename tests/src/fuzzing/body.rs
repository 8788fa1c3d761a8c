//! Fuzz target: well-typed bodies, half of them with one fault, run on both interpreters.

use std::sync::LazyLock;

use jive_verifier::Policy;
use nic_core::sle::NicNative;

use crate::defensive::{Plan, Tally, run};
use jive_lab::Random;
use jive_lab::generate::alphabet::{Alphabet, Family};
use jive_lab::generate::{change::break_one, typed::typed};

/// Number of calls of an accepted body's method.
const ROUNDS: u32 = 2;

static ALPHABET: LazyLock<Alphabet> = LazyLock::new(Alphabet::new);

/// The input chooses a body. A body without a fault must be accepted. An accepted body must keep the verifier's
/// promises on the defensive interpreter, and behave alike on the shipped interpreter.
pub fn body(bytes: &[u8]) {
    let mut random = Random::of_choices(bytes);
    let family = Family::ALL[usize::from(random.one_in(4))];
    let is_broken = random.one_in(2);
    let length = 3 + random.below(40);
    let mut body = typed(&ALPHABET, family, length, &mut random);
    if is_broken {
        break_one(&mut body, &ALPHABET, &mut random);
    }
    let plan = Plan {
        policy: Policy::ClassOnly,
        natives: NicNative::TABLE,
        rounds: ROUNDS,
        method: Some(family.method()),
    };
    let class = body.class(&ALPHABET);
    match run(&class, &plan, &mut random, &mut Tally::default()) {
        Ok(is_accepted) => assert!(
            is_accepted || is_broken,
            "rejected:\n{}",
            body.shown(&ALPHABET)
        ),
        Err(finding) => panic!("{finding}\n{}", body.shown(&ALPHABET)),
    }
}
