//! Printed code of the classes of the tree and of generated classes, beside the class files.
#![forbid(unsafe_code)]

mod mock;
mod printed;

/// Classes as a user compiles them.
pub mod user {
    include!(concat!(env!("OUT_DIR"), "/filter.rs"));
    include!(concat!(env!("OUT_DIR"), "/arrays.rs"));
}

pub use mock::{Mock, Performed};
pub use printed::{CLASSES, INTERPRETED};

use jive_core::{CallStack, Instance, Lifetime, MethodId, Program, Trap};

/// A call as [`Instance::call`] makes it.
pub type Call = fn(
    &mut Instance<'_>,
    &mut CallStack<'_>,
    MethodId,
    &[i32],
    u64,
    Lifetime,
    &mut Mock,
) -> Result<Option<i32>, Trap>;

/// A class and its printed code.
#[derive(Debug)]
pub struct Class {
    /// Where the class comes from.
    pub name: &'static str,
    /// The class file.
    pub bytes: &'static [u8],
    /// The program as it was printed.
    pub program: &'static Program<'static>,
    /// Calls a method in printed code.
    pub call: Call,
}
