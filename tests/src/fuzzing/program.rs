//! Fuzz target: programs of expressions and statements, sometimes with a mistake.
//!
//! A program without a mistake must be accepted, so this target finds wrong rejections as well as wrong acceptances.

use jive_lab::Random;
use jive_lab::asm::assemble;
use jive_lab::generate::Program;
use jive_verifier::Policy;
use nic_core::sle::NicEntry;

use super::run_as;
use crate::fixture::Outcome;

/// A sound program must be accepted, and an accepted program must keep the verifier's promises.
pub fn program(program: &Program) {
    let class = assemble("program", &program.source)
        .unwrap_or_else(|error| panic!("{error}\n{}", program.source));
    let verdict = run_as(
        &class.bytes,
        Policy::Applet {
            entries: NicEntry::TABLE,
        },
        Random::new(&class.bytes),
    );
    assert!(
        !program.sound || verdict == Outcome::Accepted,
        "{verdict}\n{}",
        program.source
    );
}
