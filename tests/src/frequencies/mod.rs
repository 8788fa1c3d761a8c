//! Frequencies of instructions and of sequences of instructions in programs. The frequencies decide which ops are
//! fused.

mod corpus;
mod page;
mod sequence;
mod taken;
mod together;

pub use corpus::{Counted, count};
pub use page::{OPS, render};
pub use together::pairs;
