//! The reference interpreter: computes the results of an accepted class directly from the specification.
//!
//! [`Interpreter`] executes the bytes of the code one instruction at a time. [`Interpreter`] is written only from JVMS
//! §6.5, `docs/subset.md` and `docs/natives.md`. From `jive-core` the interpreter uses only the parser, for members and
//! the constant pool, but no decoder, opcode table or linked form. [`Twin`] runs the reference interpreter beside the
//! shipped interpreter and compares everything observable of a call.
//!
//! The interpreter in `defensive` cannot see a mistake of the decoder or of the opcode table, which it shares with the
//! shipped interpreter. This one shares neither, and is short enough to be compared with the specification in ten
//! minutes.

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
