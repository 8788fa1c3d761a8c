//! Class files made by the million: every short method body, random well-typed ones, and changed ones.
//!
//! All are one class around one method body ([`Frame`]) over one [`Alphabet`] of instructions that stands for every
//! kind in the subset. [`scope`] goes through all bodies of a length, and [`typed`] writes bodies that fit together.
//! [`constructor`] writes constructors with control flow, and [`change`] breaks bodies or their class files. [`judge`]
//! compares this verifier's verdicts with OpenJDK's, leaving out what is not read here if that makes the difference
//! ([`normal`]).

pub mod alphabet;
pub mod body;
pub mod change;
pub mod constructor;
pub mod judge;
pub mod normal;
pub mod scope;
pub mod typed;

pub use alphabet::{Alphabet, Frame};
pub use body::{Body, Piece};
