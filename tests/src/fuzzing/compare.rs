//! Fuzz targets that compare the shipped interpreter with the reference interpreter.

use jive_verifier::Policy;
use nic_core::sle::NicNative;

use crate::reference::{Tally, compare, pairs};
use jive_lab::Random;

/// The input is a class file. If the class is accepted, both interpreters must compute the same results, with a large
/// and with a small heap and call depth. Arguments, fuel and answers of natives depend on the input.
pub fn reference(bytes: &[u8]) {
    compared(bytes, &mut Random::new(bytes));
}

/// The input chooses a class made of phrases, which must be accepted, and on which both interpreters must compute the
/// same results.
pub fn phrases(choices: &[u8]) {
    let mut random = Random::of_choices(choices);
    let class = pairs::drawn(&mut random);
    assert!(compared(&class, &mut random), "the class is rejected");
}

fn compared(bytes: &[u8], random: &mut Random) -> bool {
    let mut tally = Tally::default();
    let accepted = compare(
        bytes,
        Policy::ClassOnly,
        NicNative::TABLE,
        random,
        &mut tally,
    );
    accepted.unwrap_or_else(|difference| panic!("{difference}"))
}
