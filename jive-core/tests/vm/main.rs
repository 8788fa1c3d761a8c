//! The linker and the interpreter on class files of `javac`.

mod arrays;
mod compute;
mod control;
mod entering;
mod linking;
mod machine;
mod natives;
mod vouched;
