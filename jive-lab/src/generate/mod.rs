//! Generators of class files: random well-typed bodies and programs, and changed class files.
//!
//! A generated body consists of instructions of one [`Alphabet`], which represents every kind of instruction in the
//! subset. A [`Frame`] is the class around the body. [`typed`] generates well-typed bodies, and [`constructor`]
//! generates constructors with control flow. [`counted`] generates loops that count. [`change`] changes parts of valid
//! bodies or class files. A [`Program`] consists of several methods with expressions and statements. [`Smith`] makes
//! class files of every [`Kind`].

pub mod alphabet;
pub mod body;
pub mod change;
pub mod constructor;
pub mod counted;
mod expression;
mod program;
mod smith;
pub mod typed;

pub use alphabet::{Alphabet, Frame};
pub use body::{Body, Piece};
pub use program::Program;
pub use smith::{Kind, Smith, program};
