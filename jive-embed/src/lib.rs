//! Embeds safe packet code: loads class files, calls their methods, and explains rejections.
//!
//! [`load`] verifies a class and returns a [`LoadedClass`], which owns its memory. [`LoadedClass::instantiate`]
//! creates an [`Instance`], and [`Instance::call`] calls a method. The caller supplies the natives. This crate does
//! not depend on a network interface.
//!
//! ```
//! use jive_core::NoNatives;
//! use jive_embed::{Limits, Value, load};
//!
//! # let bytes = include_bytes!("../examples/Average.class");
//! // The class declares a native. This table has no natives, so the class is rejected.
//! let error = load(bytes, &[]).unwrap_err();
//! assert_eq!(error.code(), "subset/unknown-native");
//! ```
//!
//! `examples/filter.rs` filters packets, and `examples/custom_native.rs` offers a native. [`explain`] renders a
//! rejection with the line of the source and a hint. [`analysis`] computes bounds on what an accepted class can do.
//! [`load_class`] is an alternative to [`load`] that allocates in an arena of the caller.

pub mod analysis;
pub mod diagnosis;
pub mod explanations;
pub mod fields;
mod inferred;
pub mod input;
mod instance;
pub mod lint;
mod load;
pub mod names;
mod owned;
pub mod plain_text;
mod rejection;
pub mod text;

pub use inferred::{FirstTypes, Inferred, KEPT_MAX, Types};
pub use instance::{ArrayRef, CallError, Instance, Limits, NamedTrap, Value};
pub use load::{LoadError, link_class, load_class, verify_class};
pub use owned::{LoadedClass, explain, load, load_as};
pub use rejection::{FoundAt, JavaSource, Rejection, Rejections, TrapDiagnosis, closest};
