//! The reference interpreter: computes the results of an accepted class directly from the specification.
//!
//! [`Interpreter`] executes the bytes of the code one instruction at a time. [`Interpreter`] is written only from JVMS
//! §6.5, `docs/subset.md` and `docs/natives.md`. From `jive-core` the interpreter uses only the parser, for members and
//! the constant pool, but no decoder, opcode table or linked form. [`Twin`] runs the reference interpreter beside the
//! shipped interpreter and compares everything observable of a call.
//!
//! # Two second opinions
//!
//! The interpreter in `defensive` and the reference interpreter have different purposes. In `defensive`, values carry
//! types, and a check before each instruction compares the state with the verifier's inferred state. The interpreter in
//! `defensive` tests the verifier, and needs the decoder, the opcode table and the inferred states. The reference
//! interpreter trusts the verifier and tests the shipped interpreter: results, traps with method and pc, instruction
//! counts, fuel, fields, heap, calls of natives. The reference interpreter is short enough to be compared with the
//! specification in ten minutes, so checks of types belong in `defensive`.

mod arrays;
mod interpreter;
mod natives;
pub mod pairs;
pub mod phrases;
mod twin;

pub use arrays::Arrays;
pub use interpreter::{Interpreter, Natives};
pub use natives::Script;
pub use twin::{Tally, Twin, compare, compare_in};
