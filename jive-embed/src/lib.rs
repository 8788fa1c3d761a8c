//! Embeds safe packet code: loads classes that `javac` made, calls their methods, and says why others are rejected.
//!
//! [`load`] proves a class safe and returns a [`LoadedClass`], which owns its memory. [`LoadedClass::instantiate`] makes
//! an [`Instance`] of it, and [`Instance::call`] calls a method. The natives that the class may call are the caller's:
//! nothing here knows of a network interface.
//!
//! ```
//! use jive_core::NoNatives;
//! use jive_embed::{Limits, Value, load};
//!
//! # let bytes = include_bytes!("../examples/Average.class");
//! // The class declares a native. A table without natives has none for it, and the class is rejected.
//! let error = load(bytes, &[]).unwrap_err();
//! assert_eq!(error.code(), "subset/unknown-native");
//! ```
//!
//! `examples/filter.rs` filters packets, and `examples/custom_native.rs` offers a native. [`explain`] renders a rejection
//! with the line of the source and a hint. [`analysis`] bounds what an accepted class can do. [`load_class`] takes all
//! memory from an arena of the caller instead.

pub mod analysis;
pub mod diagnosis;
pub mod explanations;
mod inferred;
pub mod input;
mod instance;
mod load;
pub mod names;
mod owned;
mod rejection;
pub mod text;

pub use inferred::{FirstTypes, Inferred, KEPT_MAX, Types};
pub use instance::{ArrayRef, CallError, Instance, Limits, NamedTrap, Value};
pub use load::{LoadError, load_class, verify_class};
pub use owned::{LoadedClass, explain, load, load_as};
pub use rejection::{Rejection, Rejections};
