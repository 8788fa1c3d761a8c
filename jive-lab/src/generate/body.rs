//! A method body: instructions, and branches whose targets are indices of instructions.

use jive_core::Opcode;

use super::alphabet::{Alphabet, Family, MAX_LOCALS, MAX_STACK};

/// An instruction of a body.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A symbol of the alphabet of instructions, by index.
    Symbol(usize),
    /// A branch with this opcode, to the instruction with this index.
    Branch(Opcode, usize),
    /// The targets of a `tableswitch` with the keys 0 and 1, and a default.
    Table([usize; 3]),
}

/// A generated method body, with the limits of its method.
#[derive(Clone, Debug)]
pub struct Body {
    /// The family of its method.
    pub family: Family,
    /// The body's instructions.
    pub pieces: Vec<Piece>,
    /// `max_stack`.
    pub max_stack: u16,
    /// `max_locals`.
    pub max_locals: u16,
}

impl Body {
    /// Begins an empty body.
    #[must_use]
    pub fn new(family: Family) -> Body {
        Body {
            family,
            pieces: Vec::new(),
            max_stack: MAX_STACK,
            max_locals: MAX_LOCALS,
        }
    }

    /// Returns a class file with this body as the code of a method.
    ///
    /// A branch to an instruction index that the body does not have targets the end of the code.
    #[must_use]
    pub fn class(&self, alphabet: &Alphabet) -> Vec<u8> {
        self.class_with_targets(alphabet, |target, _| target)
    }

    /// Returns a class file with this body as the code of a method.
    ///
    /// `pc_of` receives the pc of each branch's target, and the pc of the end of the code. `pc_of` returns the pc to
    /// which the branch goes in the class file.
    #[must_use]
    pub fn class_with_targets(
        &self,
        alphabet: &Alphabet,
        pc_of: impl FnMut(usize, usize) -> usize,
    ) -> Vec<u8> {
        let code = self.code(alphabet, pc_of);
        alphabet
            .frame(self.family)
            .class(&code, self.max_stack, self.max_locals)
    }

    fn code(&self, alphabet: &Alphabet, mut pc_of: impl FnMut(usize, usize) -> usize) -> Vec<u8> {
        let mut offsets = Vec::with_capacity(self.pieces.len() + 1);
        let mut offset = 0_usize;
        for piece in &self.pieces {
            offsets.push(offset);
            offset += match piece {
                Piece::Symbol(number) => alphabet.symbols[*number].bytes.len(),
                Piece::Branch(Opcode::GotoW, _) => 5,
                Piece::Branch(..) => 3,
                // A `tableswitch` has an opcode, padding to a multiple of four, and five words.
                Piece::Table(_) => (offset + 1).next_multiple_of(4) - offset + 20,
            };
        }
        offsets.push(offset);
        let mut target = |from: usize, to: usize| -> i32 {
            let to = pc_of(*offsets.get(to).unwrap_or(&offset), offset);
            let signed = |offset: usize| i32::try_from(offset).expect("bodies are short");
            signed(to) - signed(from)
        };
        let mut code = Vec::with_capacity(offset);
        for piece in &self.pieces {
            let from = code.len();
            match piece {
                Piece::Symbol(number) => code.extend(&alphabet.symbols[*number].bytes),
                Piece::Branch(Opcode::GotoW, to) => {
                    code.push(Opcode::GotoW.byte());
                    code.extend(target(from, *to).to_be_bytes());
                }
                Piece::Branch(opcode, to) => {
                    let distance = i16::try_from(target(from, *to)).expect("bodies are short");
                    code.push(opcode.byte());
                    code.extend(distance.to_be_bytes());
                }
                Piece::Table([first, second, default]) => {
                    code.push(Opcode::Tableswitch.byte());
                    code.resize(code.len().next_multiple_of(4), 0);
                    let words = [
                        target(from, *default),
                        0,
                        1,
                        target(from, *first),
                        target(from, *second),
                    ];
                    code.extend(words.into_iter().flat_map(i32::to_be_bytes));
                }
            }
        }
        code
    }

    /// Returns the body as assembly, with one instruction on each line.
    #[must_use]
    pub fn shown(&self, alphabet: &Alphabet) -> String {
        let mut text = format!(
            "{} stack {} locals {}\n",
            self.family.method(),
            self.max_stack,
            self.max_locals
        );
        for (number, piece) in self.pieces.iter().enumerate() {
            let line = match piece {
                Piece::Symbol(symbol) => alphabet.symbols[*symbol].line.to_owned(),
                Piece::Branch(opcode, to) => format!("{opcode} {to}"),
                Piece::Table(targets) => format!("tableswitch {targets:?}"),
            };
            text.push_str(&format!("{number}: {line}\n"));
        }
        text
    }
}
