//! Generators of class files: every short method body, random well-typed bodies, and changed class files.
//!
//! All consist of one class around one method body ([`Frame`]), over one [`Alphabet`] of instructions that represents
//! every kind in the subset. [`scope`] enumerates all bodies of a length, and [`typed`] generates well-typed bodies.
//! [`constructor`] generates constructors with control flow, and [`change`] breaks bodies or class files. [`judge`]
//! compares this verifier's verdicts with OpenJDK's. If they differ, it asks again without the parts that JIVE does not
//! read ([`normal`]).

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
