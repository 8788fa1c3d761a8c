//! The defensive interpreter: a second, slow interpreter that checks running classes against their verification.
//!
//! The defensive interpreter executes the class file's own instructions instead of linked ops, and its values carry
//! types. Before each instruction the interpreter checks that the concrete state lies within the state that the
//! verifier inferred for that pc. The check before each instruction detects an unsound acceptance even if nothing
//! crashes. [`Pair`] runs the defensive beside the shipped interpreter and compares everything observable: results,
//! traps with method and pc, instruction counts, remaining fuel. [`Pair`] also compares fields, every byte of the heap,
//! and calls of natives with their arguments.
//!
//! The defensive interpreter shares the parser, the decoder and the opcode table with `jive-core`. Member lookup,
//! frames and heap are implemented separately.
//!
//! The interpreter in `reference` cannot see an unsound acceptance that happens to compute the right result: its values
//! have no types.

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

/// A broken promise of the verifier: where and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The running method.
    pub method: MethodId,
    /// The pc of the instruction at which the violation was detected.
    pub pc: Pc,
    /// The broken promise.
    pub breach: Breach,
}

/// A promise of the verifier that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// The class has no instruction of the subset at the pc.
    NoInstruction,
    /// The verifier inferred that no path reaches this pc.
    Unreachable,
    /// The depth of the operand stack differs from the inferred depth.
    Depth {
        /// The inferred depth.
        inferred: usize,
        /// The actual depth.
        found: usize,
    },
    /// A local variable does not have its inferred type.
    Local {
        /// The index of the local variable.
        local: usize,
        /// The inferred type.
        inferred: VerificationType,
        /// The actual value.
        found: Value,
    },
    /// An operand does not have its inferred type.
    Operand {
        /// The operand's position, from the bottom of the stack.
        place: usize,
        /// The inferred type.
        inferred: VerificationType,
        /// The actual value.
        found: Value,
    },
    /// The state of `this` in a constructor differs from the inferred state.
    Receiver {
        /// The inferred type of `this`.
        inferred: VerificationType,
    },
    /// An instruction found a value of the wrong type.
    Confusion {
        /// The instruction.
        opcode: Opcode,
        /// The value.
        found: Value,
    },
    /// An instruction popped from an empty stack.
    Underflow,
    /// An instruction pushed beyond `max_stack`.
    Overflow,
    /// An instruction names a local variable that does not exist.
    NoLocal {
        /// The index that the instruction names.
        local: u16,
    },
    /// A constant does not name a member that the instruction can use.
    NoMember,
    /// A reference names an array that has ended.
    Dangling {
        /// The reference.
        found: Value,
    },
    /// A field holds a value that its descriptor does not allow.
    Field {
        /// The value.
        found: Value,
    },
    /// An argument or result does not conform to the method's descriptor.
    Signature {
        /// The value.
        found: Value,
    },
    /// A constructor returned before it called `Object.<init>`.
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
