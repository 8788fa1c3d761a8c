//! Printed code of the classes of the tree and of generated classes, beside the class files.
#![forbid(unsafe_code)]

mod machine;
mod mock;
mod printed;

/// Classes as a user compiles them.
pub mod user {
    include!(concat!(env!("OUT_DIR"), "/filter.rs"));
    include!(concat!(env!("OUT_DIR"), "/arrays.rs"));
}

/// The same class for a program without an interpreter.
pub mod standalone {
    include!(concat!(env!("OUT_DIR"), "/standalone_filter.rs"));
}

pub use machine::{Machine, Memory, Seen, arguments, methods};
pub use mock::{Mock, Performed, Suspends};
pub use printed::{CLASSES, INTERPRETED, STANDALONE_CALLS, STANDALONES, SuspendedCode};

use jive_core::{BareStep, CallStack, Instance, Lifetime, MethodId, Pc, Program, Trap};

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

/// A call as [`Instance::start`] begins it, which has run until it waits or ends.
pub type Start = fn(
    &mut Instance<'_>,
    &mut CallStack<'_>,
    MethodId,
    &[i32],
    u64,
    Lifetime,
    &mut Mock,
) -> BareStep;

/// A call that goes on as with [`Instance::run`].
pub type Run = fn(&mut Instance<'_>, &mut CallStack<'_>, &mut Mock) -> BareStep;

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
    /// Begins a call.
    pub start: Start,
    /// Goes on with a call that has waited.
    pub run: Run,
}

/// A class that is printed without an interpreter.
#[derive(Debug)]
pub struct Standalone {
    /// The class.
    pub class: &'static Class,
    /// The program, which has no ops.
    pub program: &'static Program<'static>,
    /// The names of the class and of its methods.
    pub names: (&'static str, &'static [&'static str]),
    /// Finds the source line of a trap.
    pub line: fn(MethodId, Pc) -> Option<u16>,
    /// Calls a method.
    pub call: Call,
}
