//! The reference interpreter: computes the results of an accepted class directly from the specification.
//!
//! [`Interpreter`] executes the bytes of the code one instruction at a time. It is written only from JVMS §6.5,
//! `docs/subset.md` and `docs/natives.md`. From `jive-core` it uses only the parser, for members and the constant pool,
//! but no decoder, opcode table or linked form. [`Twin`] runs it beside the shipped interpreter and compares everything
//! observable of a call.
//!
//! # Two second opinions
//!
//! `defensive` has another purpose. Its values carry types, and before each instruction it checks the state against the
//! verifier's inferred state. So it tests the *verifier*, and needs the decoder, the opcode table and the inferred
//! states. The reference interpreter trusts the verifier and tests the *interpreter*: results, traps with method and
//! pc, instruction counts, fuel, fields, heap, calls of natives. It is short enough to be compared with the
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
