//! A second interpreter, slow and suspicious, that holds running classes to their verification.
//!
//! It executes the class file's own instructions, not linked ops, and its values carry their types. Before each
//! instruction it checks that the concrete state lies inside the state that the verifier inferred for that pc. So an
//! unsound acceptance shows even if nothing crashes. [`Pair`] runs it beside the shipped interpreter and compares
//! everything that can be observed: results, traps with method and pc, instructions executed, fuel left. It also
//! compares fields, every byte of the heap, and the calls of natives with their arguments.
//!
//! Of `jive-core` it uses the parser, the decoder and the opcode table; lowering, linking, frames and
//! heap it does again, its own way.
//!
//! It tests the verifier; `reference` is the shorter interpreter that tests the shipped one. Its module comment
//! says how the two divide the work.

mod arrays;
mod compute;
mod interpreter;
mod members;
mod natives;
mod pair;
mod runs;
mod states;
mod step;
mod uses;
mod value;

use core::fmt;

use jive_core::{MethodId, Opcode, Pc};
use jive_verifier::VerificationType;

pub use interpreter::{Ended, Interpreter};
pub use members::Declared;
pub use natives::{Answer, NativeAnswers};
pub use pair::{Finding, Pair};
pub use runs::{Plan, Tally, run};
pub use states::States;
pub use value::{ArrayRef, Value};

/// Where and how a running class left what its verification promised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The method that ran.
    pub method: MethodId,
    /// The instruction before or in which it was noticed.
    pub pc: Pc,
    /// What was noticed.
    pub breach: Breach,
}

/// A promise of the verifier that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// No instruction of the subset stands at the pc.
    NoInstruction,
    /// The verifier says that no path leads here.
    Unreachable,
    /// The operand stack is not as deep as the verifier says.
    Depth {
        /// What it says.
        inferred: usize,
        /// How deep it is.
        found: usize,
    },
    /// A local variable is not of its inferred type.
    Local {
        /// Its index.
        local: usize,
        /// What the verifier says.
        inferred: VerificationType,
        /// What is there.
        found: Value,
    },
    /// An operand is not of its inferred type.
    Operand {
        /// Its place, from the bottom of the stack.
        place: usize,
        /// What the verifier says.
        inferred: VerificationType,
        /// What is there.
        found: Value,
    },
    /// Whether `Object.<init>` has been called is not as the verifier says.
    Receiver {
        /// What the verifier says.
        inferred: VerificationType,
    },
    /// An instruction found something else than it works on.
    Confusion {
        /// The instruction.
        opcode: Opcode,
        /// What it found.
        found: Value,
    },
    /// An instruction popped from an empty stack.
    Underflow,
    /// An instruction pushed beyond `max_stack`.
    Overflow,
    /// An instruction named a local variable that is not there.
    NoLocal {
        /// Its index.
        local: u16,
    },
    /// A constant names no member that the instruction can use.
    NoMember,
    /// A reference outlived its array.
    Dangling {
        /// The reference.
        found: Value,
    },
    /// A field holds what its descriptor does not allow.
    Field {
        /// What it holds.
        found: Value,
    },
    /// A method was called with, or gave back, what its descriptor does not allow.
    Signature {
        /// The value.
        found: Value,
    },
    /// A constructor returned before it had called `Object.<init>`.
    NotInitialized,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "method {} pc {}: {:?}",
            self.method, self.pc, self.breach
        )
    }
}
