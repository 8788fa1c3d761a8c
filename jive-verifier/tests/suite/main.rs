//! Tests of the verifier with class files built byte by byte. Instructions are encoded as in JVMS §6.5.

mod applet;
mod bounds;
mod class_bytes;
mod collected;
mod data_flow;
mod declarations;
mod members;
mod observed;
mod operands;
mod structure;
