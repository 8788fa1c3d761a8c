//! Enumerates all bodies of a length, verifies each body, and runs the accepted bodies.
//!
//! The bodies of static methods are all words over an alphabet of instructions. The bodies of constructors are all
//! words over steps of several instructions ([`jive_lab::generate::constructor`]), because a branch must skip both
//! instructions that call `Object.<init>`. The verdict on a constructor is also checked path by path.

use core::fmt;

use jive_core::Opcode;
use jive_verifier::Policy;
use nic_core::sle::NicNative;

use crate::defensive::{Plan, Tally, run};
use crate::fixture::Outcome;
use crate::machine::judge;
use jive_lab::Random;
use jive_lab::generate::alphabet::{Alphabet, Family};
use jive_lab::generate::body::{Body, Piece};
use jive_lab::generate::constructor;

/// A letter of the alphabet, independent of its position.
#[derive(Copy, Clone, Debug)]
enum Letter {
    Symbol(usize),
    /// A branch that skips this many instructions.
    Forward(Opcode, usize),
    /// A branch to the previous instruction, or to itself at the start.
    Backward(Opcode),
    /// A switch with targets before, after and well after the next instruction.
    Table,
}

/// The number of bodies by verdict.
#[derive(Clone, Debug, Default)]
pub struct Count {
    /// Size of the alphabet.
    pub letters: usize,
    /// Bodies accepted.
    pub accepted: u64,
    /// Bodies rejected.
    pub rejected: u64,
    /// The runs of the accepted bodies.
    pub tally: Tally,
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} letters, {} bodies accepted, {} rejected; {}",
            self.letters, self.accepted, self.rejected, self.tally
        )
    }
}

fn letters(alphabet: &Alphabet) -> Vec<Letter> {
    let symbols = alphabet.symbols.iter().enumerate();
    symbols
        .filter(|(_, symbol)| symbol.is_representative)
        .map(|(number, _)| Letter::Symbol(number))
        .chain([
            Letter::Forward(Opcode::Goto, 1),
            Letter::Backward(Opcode::Goto),
            Letter::Forward(Opcode::Ifeq, 1),
            Letter::Forward(Opcode::Ifeq, 2),
            Letter::Backward(Opcode::Ifeq),
            Letter::Forward(Opcode::Ifnull, 1),
            Letter::Forward(Opcode::IfAcmpeq, 1),
            Letter::Table,
        ])
        .collect()
}

impl Letter {
    /// Returns the piece at a position. No target of a branch is after `last`.
    fn at(self, place: usize, last: usize) -> Piece {
        let back = place.saturating_sub(1);
        match self {
            Letter::Symbol(number) => Piece::Symbol(number),
            Letter::Forward(opcode, passed) => Piece::Branch(opcode, last.min(place + 1 + passed)),
            Letter::Backward(opcode) => Piece::Branch(opcode, back),
            Letter::Table => Piece::Table([back, place + 1, place + 2]),
        }
    }
}

/// Returns the plan for the runs of each accepted body.
fn plan(family: Family) -> Plan {
    Plan {
        policy: Policy::ClassOnly,
        natives: NicNative::TABLE,
        rounds: 2,
        method: Some(family.method()),
    }
}

/// Verifies every body of exactly this length, and runs the accepted bodies on both interpreters.
///
/// The body of a static method is followed by `iconst_1` and `ireturn`, and that of a constructor by `return`.
///
/// # Errors
///
/// Returns the failure, with the body.
pub fn explore(alphabet: &Alphabet, family: Family, length: u32) -> Result<Count, String> {
    match family {
        Family::Static => explore_static(alphabet, length),
        Family::Constructor => explore_constructors(alphabet, length),
    }
}

fn explore_static(alphabet: &Alphabet, length: u32) -> Result<Count, String> {
    let letters = letters(alphabet);
    let ending = ["iconst_1", "ireturn"].map(|line| Piece::Symbol(alphabet.symbol(line)));
    let plan = plan(Family::Static);
    let mut count = Count {
        letters: letters.len(),
        ..Count::default()
    };
    let mut random = Random::new(b"static");
    let mut body = Body::new(Family::Static);
    let mut word = vec![0; usize::try_from(length).expect("u32 fits usize")];
    loop {
        body.pieces.clear();
        let last = word.len();
        let placed = word.iter().enumerate();
        body.pieces
            .extend(placed.map(|(place, letter)| letters[*letter].at(place, last)));
        body.pieces.extend(ending);
        count.add(&body, alphabet, &plan, &mut random)?;
        if !advance(&mut word, letters.len()) {
            return Ok(count);
        }
    }
}

fn explore_constructors(alphabet: &Alphabet, length: u32) -> Result<Count, String> {
    let plan = plan(Family::Constructor);
    let mut count = Count {
        letters: constructor::LETTERS.len(),
        ..Count::default()
    };
    let mut random = Random::new(b"constructor");
    for number in 0..constructor::count(length) {
        let steps = constructor::numbered(length, number);
        let body = constructor::body(&steps, alphabet);
        let is_accepted = count.add(&body, alphabet, &plan, &mut random)?;
        constructor::check(&steps, is_accepted)?;
    }
    Ok(count)
}

impl Count {
    /// Verifies a body, runs it if it is accepted, and returns whether it was accepted.
    fn add(
        &mut self,
        body: &Body,
        alphabet: &Alphabet,
        plan: &Plan,
        random: &mut Random,
    ) -> Result<bool, String> {
        let class = body.class(alphabet);
        let verdict = judge(&class, plan.policy, plan.natives);
        if verdict != Outcome::Accepted {
            self.rejected += 1;
            return Ok(false);
        }
        self.accepted += 1;
        run(&class, plan, random, &mut self.tally)
            .map_err(|finding| format!("{finding}\n{}", body.shown(alphabet)))
    }
}

/// Advances to the next word of the same length, and returns false after the last word.
fn advance(word: &mut [usize], letters: usize) -> bool {
    for letter in word {
        *letter += 1;
        if *letter < letters {
            return true;
        }
        *letter = 0;
    }
    false
}
