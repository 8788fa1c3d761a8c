#![no_std]
mod opcode;
pub use opcode::*;
