//! Tests of the linker and the interpreter, with class files compiled by `javac`.
//!
//! `tests/variants` includes the files of this test, to test each variant of the interpreter.

mod arrays;
mod compute;
mod control;
mod entering;
mod linking;
mod machine;
mod natives;
mod values;
mod vouched;
