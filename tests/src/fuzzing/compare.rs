//! Bodies that hold the shipped interpreter against the reference one.

use jive_verifier::Policy;
use nic_core::sle::NicNative;

use super::Random;
use crate::reference::{Tally, compare, pairs};

/// An accepted class file computes the same on the shipped interpreter and on the reference one, in large and small
/// rooms. Arguments, fuel and the answers of natives come from the bytes.
pub fn reference(bytes: &[u8]) {
    compared(bytes, &mut Random::new(bytes));
}

/// The bytes choose a class made of phrases, which is accepted and computes the same on both interpreters.
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
