//! An assembler, random generators and a reducer for class files.
#![forbid(unsafe_code)]

pub mod asm;
pub mod generate;
mod random;
pub mod shrink;

pub use random::Random;
