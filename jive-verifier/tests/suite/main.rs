//! The verifier against class files written byte by byte; codes of instructions by JVMS §6.5.

mod applet;
mod bounds;
mod class_bytes;
mod data_flow;
mod declarations;
mod members;
mod observed;
mod operands;
mod structure;
