//! Loaded classes that own their memory, for programs with an allocator.

use std::path::Path;

use bumpalo::Bump;
use jive_core::{LinkedClass, NativeDecl, Natives};
use jive_verifier::Policy;
use self_cell::self_cell;

use crate::instance::{CallError, Instance, Limits};
use crate::load::{LoadError, load_class};
use crate::names;
use crate::rejection::Rejection;

/// Parses, verifies and links a class file. The class may call only the natives of the table `natives`.
///
/// `load` requires no particular members of the class. Use [`load_as`] for a class that must satisfy a [`Policy`].
///
/// ```
/// use jive_embed::{Limits, Value, load};
/// use jive_core::NoNatives;
///
/// # let bytes = include_bytes!("../examples/Filter.class");
/// let filter = load(bytes, &[])?;
/// let mut instance = filter.instantiate(Limits::default(), NoNatives)?;
/// let packet = instance.bytes_from(b"hello")?;
/// let accepted = instance.call("accept", &[Value::Array(packet), Value::Int(5)])?;
/// assert_eq!(accepted, Some(Value::Int(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The error names the stage of loading that rejected the class. [`explain`](crate::explain) turns the error into a
/// diagnosis with names, the line and a hint.
pub fn load(bytes: &[u8], natives: &[NativeDecl<'_>]) -> Result<LoadedClass, LoadError> {
    load_as(bytes, Policy::ClassOnly, natives)
}

/// Parses, verifies and links a class file that must satisfy a policy.
///
/// # Errors
///
/// The error names the stage of loading that rejected the class.
pub fn load_as(
    bytes: &[u8],
    policy: Policy,
    natives: &[NativeDecl<'_>],
) -> Result<LoadedClass, LoadError> {
    let memory = Memory {
        bytes: bytes.into(),
        arena: Bump::new(),
    };
    let cell = Cell::try_new(memory, |memory| {
        load_class(&memory.arena, &memory.bytes, policy, natives)
    })?;
    Ok(LoadedClass { cell })
}

/// Explains why a class was rejected, with names, the instruction, the line of the Java source and a hint.
///
/// [`Rejection::render`] returns the text that `jive verify` prints. The returned rejection serialises to the JSON of
/// `jive verify`.
///
/// ```
/// let bytes = b"no class file";
/// let error = jive_embed::load(bytes, &[]).unwrap_err();
/// let rejection = jive_embed::explain(bytes, Policy::ClassOnly, &[], error);
/// assert_eq!(rejection.code, "malformed/magic");
/// assert!(rejection.render().contains("expected magic number 0xcafebabe"));
/// # use jive_verifier::Policy;
/// ```
#[must_use]
pub fn explain(
    bytes: &[u8],
    policy: Policy,
    natives: &[NativeDecl<'_>],
    error: LoadError,
) -> Rejection {
    Rejection::explore(Path::new("class file"), bytes, policy, natives, error)
}

/// A verified and linked class, with its memory.
///
/// A loaded class has the same guarantees as [`Verified`](jive_core::Verified). A loaded class can be moved to another
/// thread, but not shared between threads: load the class once for each thread.
pub struct LoadedClass {
    cell: Cell,
}

struct Memory {
    bytes: Box<[u8]>,
    arena: Bump,
}

self_cell! {
    struct Cell {
        owner: Memory,

        #[covariant]
        dependent: LinkedClass,
    }
}

impl LoadedClass {
    /// Borrows the parsed and linked class.
    #[must_use]
    pub fn linked(&self) -> &LinkedClass<'_> {
        self.cell.borrow_dependent()
    }

    /// Returns the name of the class in Java syntax, with `.` between packages.
    #[must_use]
    pub fn name(&self) -> String {
        names::class_name(&self.linked().class)
    }

    /// Creates an instance. Runs the static initializer and then the constructor without parameters, if the class has
    /// them.
    ///
    /// # Errors
    ///
    /// Fails if the static initializer or the constructor traps, or if a limit is too great.
    pub fn instantiate<N: Natives>(
        &self,
        limits: Limits,
        natives: N,
    ) -> Result<Instance<'_, N>, CallError> {
        Instance::new(self, limits, natives)
    }
}

impl std::fmt::Debug for LoadedClass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadedClass")
            .field("name", &self.name())
            .field("program", &self.linked().program)
            .finish_non_exhaustive()
    }
}
