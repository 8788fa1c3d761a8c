//! Generators of class files: random well-typed bodies and programs, and changed class files.
//!
//! Bodies consist of one class around one method body ([`Frame`]), over one [`Alphabet`] of instructions that represents
//! every kind in the subset. [`typed`] generates well-typed bodies, and [`constructor`] constructors with control flow.
//! [`change`] breaks bodies or class files. A [`Program`] consists of several methods with expressions and statements.
//! [`Smith`] makes class files of every [`Kind`].

pub mod alphabet;
pub mod body;
pub mod change;
pub mod constructor;
mod expression;
mod program;
mod smith;
pub mod typed;

pub use alphabet::{Alphabet, Frame};
pub use body::{Body, Piece};
pub use program::Program;
pub use smith::{Kind, Smith, program};
