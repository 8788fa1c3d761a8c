//! The freestanding half of JIVE: class files, linked programs and the interpreter.
#![no_std]
#![forbid(unsafe_code)]

mod id;
mod opcode;

pub use id::{CpIndex, FieldId, MethodId, NativeId, Pc};
pub use opcode::{Exclusion, Opcode, OperandLayout, StackEffect, StackKind};
