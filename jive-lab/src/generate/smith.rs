//! Makes random class files of a given kind.

use arbitrary::{Arbitrary, Unstructured};

use super::alphabet::{Alphabet, Family};
use super::change::{break_one, change_bytes, change_structure};
use super::program::Program;
use super::typed::typed;
use super::{Body, constructor};
use crate::Random;
use crate::asm::assemble;

/// Number of random bytes from which one program is generated.
const CHOICES: usize = 1500;

/// A kind of class files.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A well-typed body.
    Typed,
    /// A well-typed body with one fault.
    Broken,
    /// A constructor with control flow, which may violate the rule that each path calls `Object.<init>` once.
    Constructor,
    /// A program: several methods of expressions and statements, sometimes with a mistake.
    Program,
    /// A class file whose structure was changed.
    Structure,
    /// A class file in which one or two bytes were changed.
    Bytes,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 6] = [
        Kind::Typed,
        Kind::Broken,
        Kind::Constructor,
        Kind::Program,
        Kind::Structure,
        Kind::Bytes,
    ];

    /// Returns the name of the kind, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Typed => "typed",
            Kind::Broken => "broken",
            Kind::Constructor => "constructor",
            Kind::Program => "program",
            Kind::Structure => "structure",
            Kind::Bytes => "bytes",
        }
    }

    /// Returns a random kind. Kinds whose classes the verifier mostly accepts are as frequent as all other kinds
    /// together.
    #[must_use]
    pub fn draw(random: &mut Random) -> Kind {
        match random.below(12) {
            0..=1 => Kind::Typed,
            2..=4 => Kind::Broken,
            5..=6 => Kind::Constructor,
            7 => Kind::Program,
            8..=9 => Kind::Structure,
            _ => Kind::Bytes,
        }
    }
}

/// Makes class files of every kind. From equal random numbers, a `Smith` makes equal class files.
#[derive(Clone, Debug)]
pub struct Smith {
    alphabet: Alphabet,
    /// Well-formed class files. One in four class files that [`Kind::Structure`] and [`Kind::Bytes`] change is one of
    /// the `originals`.
    originals: Vec<Vec<u8>>,
}

impl Smith {
    /// Assembles the alphabet. The `originals` are well-formed class files to change, in addition to generated bodies.
    #[must_use]
    pub fn new(originals: Vec<Vec<u8>>) -> Smith {
        Smith {
            alphabet: Alphabet::new(),
            originals,
        }
    }

    /// Makes a class file.
    #[must_use]
    pub fn class(&self, kind: Kind, random: &mut Random) -> Vec<u8> {
        match kind {
            Kind::Typed => self.body(random).class(&self.alphabet),
            Kind::Broken => {
                let mut body = self.body(random);
                break_one(&mut body, &self.alphabet, random);
                body.class(&self.alphabet)
            }
            Kind::Constructor => {
                let steps = if random.one_in(3) {
                    constructor::scattered(random)
                } else {
                    constructor::nested(random)
                };
                constructor::body(&steps, &self.alphabet).class(&self.alphabet)
            }
            Kind::Program => program(random),
            Kind::Structure => {
                let mut bytes = self.original(random);
                change_structure(&mut bytes, random);
                bytes
            }
            Kind::Bytes => {
                let mut bytes = self.original(random);
                change_bytes(&mut bytes, random);
                bytes
            }
        }
    }

    fn body(&self, random: &mut Random) -> Body {
        let family = Family::ALL[usize::from(random.one_in(4))];
        let length = 3 + random.below(30);
        typed(&self.alphabet, family, length, random)
    }

    fn original(&self, random: &mut Random) -> Vec<u8> {
        if !self.originals.is_empty() && random.one_in(4) {
            return self.originals[random.below(self.originals.len())].clone();
        }
        self.body(random).class(&self.alphabet)
    }
}

/// Makes a program from random choices.
///
/// # Panics
///
/// `program` never panics: when the random bytes run out, zeros replace them, and every program is valid assembly.
#[must_use]
pub fn program(random: &mut Random) -> Vec<u8> {
    let choices = random.bytes(CHOICES);
    let program = Program::arbitrary(&mut Unstructured::new(&choices));
    let source = program.expect("choices never run out").source;
    let class = assemble("program", &source).unwrap_or_else(|error| panic!("{error}"));
    class.bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_files_depend_on_the_seed() {
        let smith = Smith::new(Vec::new());
        for kind in Kind::ALL {
            let class = |seed: u8| smith.class(kind, &mut Random::new(&[seed]));
            assert_eq!(class(1), class(1), "{kind:?}");
            assert_ne!(class(1), class(2), "{kind:?}");
            // JVMS §4.1.
            assert_eq!(class(1)[..4], [0xca, 0xfe, 0xba, 0xbe], "{kind:?}");
        }
    }

    #[test]
    fn every_kind_is_drawn() {
        let mut random = Random::new(b"kinds");
        let mut drawn: Vec<Kind> = (0..200).map(|_| Kind::draw(&mut random)).collect();
        drawn.sort();
        drawn.dedup();
        assert_eq!(drawn, Kind::ALL);
    }
}
