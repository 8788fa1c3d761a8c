//! A reference interpreter: what an accepted class must compute, as the specification says it.
//!
//! [`Interpreter`] executes the bytes of a class file's code, one instruction at a time, from JVMS §6.5 and
//! `docs/subset.md` and `docs/natives.md` alone. It takes the members and the constant pool from the parser and nothing
//! else from `jive-core`: no decoder, no opcode table, no linked form. [`Twin`] runs it beside the shipped
//! interpreter and compares everything that can be observed of a call.
//!
//! # Two second opinions
//!
//! `defensive` answers another question. Its values carry types, and before each instruction it checks that the state
//! lies in what the verifier inferred. So it tests the *verifier*, and needs the decoder, the opcode table and the
//! inferred states. The reference interpreter believes the verifier and tests the *interpreter*: results, traps with
//! method and pc, instructions, fuel, fields, heap, calls of natives. It is kept short enough to be read against the
//! specification in ten minutes; whatever checks types belongs into `defensive`.

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
