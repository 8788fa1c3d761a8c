//! An assembler, random generators and reduction of class files.
#![forbid(unsafe_code)]

pub mod asm;
pub mod generate;
mod random;
pub mod shrink;

pub use random::Random;
