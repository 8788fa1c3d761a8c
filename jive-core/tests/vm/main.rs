//! Tests of the linker and the interpreter, with class files compiled by `javac`.

mod arrays;
mod compute;
mod control;
mod entering;
mod linking;
mod machine;
mod natives;
mod vouched;
