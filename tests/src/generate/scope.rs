//! Every body of a length, without exception: verified, and run where accepted.

use core::fmt;

use jive_core::Opcode;
use jive_verifier::Policy;
use nic_runtime::sle::NicNative;

use super::alphabet::{Alphabet, Family};
use super::body::{Body, Piece};
use crate::defensive::{Plan, Tally, run};
use crate::fuzzing::Random;
use crate::machine::{parsed, verified};

/// A letter of the alphabet, before it is known where in a body it stands.
#[derive(Copy, Clone, Debug)]
enum Letter {
    Symbol(usize),
    /// A branch over the next instruction.
    Forward(Opcode),
    /// A branch to the instruction before, or to itself where there is none.
    Backward(Opcode),
    /// A switch back, ahead and behind the next instruction.
    Table,
}

/// How many bodies were judged, and how.
#[derive(Clone, Debug, Default)]
pub struct Count {
    /// Letters of the alphabet.
    pub letters: usize,
    /// Bodies accepted.
    pub accepted: u64,
    /// Bodies rejected.
    pub rejected: u64,
    /// The runs of those accepted.
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
            Letter::Forward(Opcode::Goto),
            Letter::Backward(Opcode::Goto),
            Letter::Forward(Opcode::Ifeq),
            Letter::Backward(Opcode::Ifeq),
            Letter::Forward(Opcode::Ifnull),
            Letter::Forward(Opcode::IfAcmpeq),
            Letter::Table,
        ])
        .collect()
}

impl Letter {
    fn at(self, place: usize) -> Piece {
        let back = place.saturating_sub(1);
        match self {
            Letter::Symbol(number) => Piece::Symbol(number),
            Letter::Forward(opcode) => Piece::Branch(opcode, place + 2),
            Letter::Backward(opcode) => Piece::Branch(opcode, back),
            Letter::Table => Piece::Table([back, place + 1, place + 2]),
        }
    }
}

/// Judges every body of exactly this length, and runs those accepted on both interpreters.
///
/// Behind each body stands what ends it well: `iconst_1` and `ireturn`, or `return` in a constructor.
///
/// # Errors
///
/// What must not be, with the body.
pub fn explore(alphabet: &Alphabet, family: Family, length: usize) -> Result<Count, String> {
    let letters = letters(alphabet);
    let ending: &[&str] = match family {
        Family::Static => &["iconst_1", "ireturn"],
        Family::Constructor => &["return"],
    };
    let ending: Vec<Piece> = ending
        .iter()
        .map(|line| Piece::Symbol(alphabet.symbol(line)))
        .collect();
    let plan = Plan {
        policy: Policy::ClassOnly,
        natives: NicNative::TABLE,
        rounds: 2,
        method: Some(family.method()),
    };
    let mut count = Count {
        letters: letters.len(),
        ..Count::default()
    };
    let mut random = Random::new(family.method().as_bytes());
    let mut body = Body::new(family);
    let mut word = vec![0; length];
    loop {
        body.pieces.clear();
        let placed = word.iter().enumerate();
        body.pieces
            .extend(placed.map(|(place, letter)| letters[*letter].at(place)));
        body.pieces.extend(&ending);
        let class = body.class(alphabet);
        let verdict = parsed(&class, |class| {
            verified(class, plan.policy, plan.natives, |_| ()).is_ok()
        });
        if verdict == Ok(true) {
            count.accepted += 1;
            run(&class, &plan, &mut random, &mut count.tally)
                .map_err(|finding| format!("{finding}\n{}", body.shown(alphabet)))?;
        } else {
            count.rejected += 1;
        }
        if !advance(&mut word, letters.len()) {
            return Ok(count);
        }
    }
}

/// Goes on to the next word of the same length; `false` behind the last one.
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
