//! What programs with an allocator need around the verifier and the virtual machine: loading a class, what
//! an accepted class can do at most, and diagnoses of those that are rejected.
//!
//! The natives that classes may call are always the caller's: nothing here knows of a network interface.

pub mod analysis;
pub mod diagnosis;
pub mod explanations;
mod inferred;
pub mod input;
mod load;
pub mod names;
mod rejection;
pub mod text;

pub use inferred::{FirstTypes, Inferred, KEPT_MAX, Types};
pub use load::{LoadError, load_class, verify_class};
pub use rejection::Rejection;
