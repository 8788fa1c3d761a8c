//! Loads random classes into clean memory and into memory with each filling, and compares what a caller can observe.

use core::fmt;
use std::sync::LazyLock;

use arbitrary::{Arbitrary, Unstructured};

use super::memory::{Filling, Memory};
use super::seen::{Seen, see};
use jive_lab::Random;
use jive_lab::asm::assemble;
use jive_lab::generate::Program;
use jive_lab::generate::alphabet::{Alphabet, Family};
use jive_lab::generate::change::{break_one, change_bytes, change_structure, scatter};
use jive_lab::generate::constructor;
use jive_lab::generate::typed::typed;

/// Number of choices for one larger program.
const CHOICES: usize = 1500;

static ALPHABET: LazyLock<Alphabet> = LazyLock::new(Alphabet::new);

/// A comparison of many classes, which use the same memory one after another.
pub struct Campaign {
    random: Random,
    memory: Memory,
    /// Number of classes compared.
    pub classes: u64,
    /// Number of the compared classes that were accepted and run.
    pub accepted: u64,
    /// Number of calls of the accepted classes in each memory.
    pub calls: u64,
}

impl fmt::Display for Campaign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} classes in filled memory, {} of them accepted and called {} times in each",
            self.classes, self.accepted, self.calls
        )
    }
}

/// Compares a class in clean memory with the same class in used memory with each filling.
///
/// # Errors
///
/// The difference.
pub fn compare(
    bytes: &[u8],
    seed: u64,
    memory: &mut Memory,
    random: &mut Random,
) -> Result<Seen, String> {
    let clean = see(bytes, seed, &mut Memory::default(), None);
    for filling in Filling::ALL {
        let dirty = see(bytes, seed, memory, Some((filling, random)));
        if let Some(difference) = clean.difference(&dirty) {
            return Err(format!("in memory filled with {filling:?}: {difference}"));
        }
    }
    Ok(clean)
}

impl Campaign {
    /// Starts a campaign that depends on `random`.
    #[must_use]
    pub fn new(random: Random) -> Campaign {
        Campaign {
            random,
            memory: Memory::default(),
            classes: 0,
            accepted: 0,
            calls: 0,
        }
    }

    /// Compares `count` more classes.
    ///
    /// # Errors
    ///
    /// Returns the difference, with the class as text if a text exists.
    pub fn run(&mut self, count: u64) -> Result<(), String> {
        for _ in 0..count {
            let (bytes, shown) = self.class();
            let seed = self.random.draw();
            let seen = compare(&bytes, seed, &mut self.memory, &mut self.random)
                .map_err(|difference| format!("{difference}\n{shown}"))?;
            self.classes += 1;
            self.accepted += u64::from(seen.rejected.is_none());
            self.calls += u64::try_from(seen.calls()).expect("few calls");
        }
        Ok(())
    }

    /// Generates a class, with its text if it was generated as text.
    fn class(&mut self) -> (Vec<u8>, String) {
        let random = &mut self.random;
        if random.one_in(32) {
            let choices = random.bytes(CHOICES);
            let program = Program::arbitrary(&mut Unstructured::new(&choices));
            let source = program.expect("choices never run out").source;
            let class = assemble("program", &source).unwrap_or_else(|error| panic!("{error}"));
            return (class.bytes, source);
        }
        if random.one_in(8) {
            let body = constructor::body(&constructor::nested(random), &ALPHABET);
            return (body.class(&ALPHABET), body.shown(&ALPHABET));
        }
        let family = Family::ALL[usize::from(random.one_in(5))];
        let length = 3 + random.below(40);
        let mut body = typed(&ALPHABET, family, length, random);
        if random.one_in(8) {
            return (scatter(&mut body, &ALPHABET, random), body.shown(&ALPHABET));
        }
        let choice = random.below(8);
        if choice < 2 {
            break_one(&mut body, &ALPHABET, random);
        }
        let mut bytes = body.class(&ALPHABET);
        match choice {
            2 => change_structure(&mut bytes, random),
            3 => change_bytes(&mut bytes, random),
            _ => {}
        }
        (bytes, body.shown(&ALPHABET))
    }
}
