//! What printed code runs on: Rust that `jive-build` has printed from the ops of a class.
//!
//! A printed method keeps its registers in local variables, and counts its fuel in one more. Where an op would trap, or
//! where fuel or the call stack might not suffice, the method *leaves*. It stores the registers that the rest of the
//! method reads in the call stack, and place and fuel in the activation. Then the interpreter goes on from that op.
//! Printed code itself raises no trap, and a call that has stopped looks the same as one that was interpreted.
//!
//! - `run.rs`: the state of a call in printed code, and how such a call begins, leaves and ends.
//! - `outside.rs`: the natives that it calls, and the arrays that it makes.
//! - `behind.rs`: how a call that has left goes on behind its next native.
//! - `calls.rs`: calls from outside.
//! - `standalone.rs`: calls without an interpreter, where an exit ends the call with a trap.
//! - `tables.rs`: the tables of a program as constants.
//! - `form.rs`: ops as a compiler reads them.
//! - `unit.rs`: an instance of a printed class with its memory.
//!
//! Programs use this module through the modules that `jive-build` prints. Its items may change with each version of
//! JIVE, and printed code says which it needs (`FORM`).

mod behind;
mod calls;
mod elements;
mod form;
mod outside;
mod run;
mod standalone;
mod tables;
mod unit;

pub use crate::frame::THIS;
pub use calls::{call, run, start};
pub use elements::{
    divide, length, load_byte, load_int, load_short, load_unsigned, remainder, shift_left,
    shift_right, shift_right_unsigned, store_byte, store_int, store_short,
};
pub use form::{Element, Form, Source, Target, form};
pub use outside::Outside;
pub use run::{CALL, Code, OUTERMOST, Outcome, Run};
pub use standalone::{Cause, StandaloneCode, StandaloneRun, Stop, call_standalone};
pub use tables::{FORM, MethodRow, Tables, bits, ops, pcs, rows};
pub use unit::{Array, Elements, Scalar, Unit};
