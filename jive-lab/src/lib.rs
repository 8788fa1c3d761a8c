//! An assembler and random generators of class files.
#![forbid(unsafe_code)]

pub mod asm;
pub mod generate;
mod random;

pub use random::Random;
