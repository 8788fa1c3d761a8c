//! Prints verified class files as safe Rust, in a build script or for a file.
//!
//! [`compile`] in the build script of a crate writes a module for a class file; `include!` it:
//!
//! ```no_run
//! // In `main` of build.rs.
//! jive_build::compile("Filter.class").unwrap_or_else(|error| panic!("{error}"));
//! ```
//!
//! ```text
//! // src/main.rs
//! include!(concat!(env!("OUT_DIR"), "/filter.rs"));
//!
//! let mut filter = filter::Filter::new(jive_core::NoNatives)?;
//! let accepted = filter.accept(b"hello", 5)?;
//! ```
//!
//! The crate depends on `jive-core`, and its build script on `jive-build`, both of the same version. [`Options`] has the
//! natives that the class may call, the size of the heap, the depth of calls and their fuel. `docs/compiled.md` of the
//! repository explains what printed code does.
#![forbid(unsafe_code)]

mod error;
mod graph;
mod live;
mod method;
mod module;
mod names;
mod tables;
mod typed;

use std::path::Path;
use std::{env, fs};

use jive_core::{
    ClassFile, LinkError, NativeDecl, ProgramStorage, Verified, link_portable, program_size,
};
use jive_embed::input::read_given_prefix;
use jive_embed::{LoadError, Policy, Rejection, verify_class};

pub use error::BuildError;
pub use method::Interpreted;
pub use module::Printed;

/// What a class is compiled for.
#[derive(Copy, Clone, Debug)]
pub struct Options<'n> {
    natives: &'n [NativeDecl<'n>],
    policy: Policy,
    heap_bytes: usize,
    nested_calls: usize,
    fuel: u64,
    interpreter: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            natives: &[],
            policy: Policy::ClassOnly,
            heap_bytes: 64 << 10,
            nested_calls: 64,
            fuel: 10_000_000,
            interpreter: true,
        }
    }
}

impl<'n> Options<'n> {
    /// Returns the options of [`compile`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the natives that the class may call. At run time a native's number is its place in this table.
    #[must_use]
    pub const fn natives(mut self, natives: &'n [NativeDecl<'n>]) -> Self {
        self.natives = natives;
        self
    }

    /// Sets what the class must be besides safe.
    #[must_use]
    pub const fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets the bytes of heap of each instance, which are a part of the printed type.
    #[must_use]
    pub const fn heap_bytes(mut self, heap_bytes: usize) -> Self {
        self.heap_bytes = heap_bytes;
        self
    }

    /// Sets how many calls can be nested.
    #[must_use]
    pub const fn nested_calls(mut self, nested_calls: usize) -> Self {
        self.nested_calls = nested_calls;
        self
    }

    /// Sets how many instructions each call may execute.
    #[must_use]
    pub const fn fuel(mut self, fuel: u64) -> Self {
        self.fuel = fuel;
        self
    }

    /// Prints code that needs no interpreter, for a program in which nothing else needs one either. An exit ends the call
    /// with a trap. Kind, method and pc are those of the interpreter, but fuel is tested for a whole stretch of code in
    /// advance. `docs/compiled.md` of the repository has the differences.
    #[must_use]
    pub const fn without_interpreter(mut self) -> Self {
        self.interpreter = false;
        self
    }

    /// Compiles a class file in a build script: writes a module to the folder that `OUT_DIR` names. The file has the name
    /// of the class in lower case, with `_` between words: `RawUnet` becomes `raw_unet.rs`.
    ///
    /// A method that stays interpreted is reported as a warning of the build.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or written, or if the class is refused. The error of a class that is refused says
    /// where and why, as `jive verify` does.
    pub fn compile(&self, path: impl AsRef<Path>) -> Result<(), BuildError> {
        let path = path.as_ref();
        println!("cargo::rerun-if-changed={}", path.display());
        let bytes = read(path)?;
        let printed = self.print(path, &bytes)?;
        for (method, reason) in &printed.interpreted {
            let name = jive_embed::text::printable(method);
            println!(
                "cargo::warning={}: `{name}` stays interpreted: {reason}",
                path.display()
            );
        }
        let out = env::var_os("OUT_DIR").ok_or(BuildError::NoFolder)?;
        let file = Path::new(&out).join(format!("{}.rs", printed.module));
        // An unchanged file keeps its time, so that nothing is compiled anew.
        if fs::read(&file).is_ok_and(|written| written == printed.text.as_bytes()) {
            return Ok(());
        }
        fs::write(&file, &printed.text).map_err(|error| BuildError::Write {
            path: file.display().to_string(),
            error,
        })
    }

    /// Prints the class of a file as a module. The path is for messages alone.
    ///
    /// # Errors
    ///
    /// Fails if the class is refused.
    pub fn print(&self, path: &Path, bytes: &[u8]) -> Result<Printed, BuildError> {
        let refused = |error| {
            let rejection = Rejection::explore(path, bytes, self.policy, self.natives, error);
            BuildError::Refused {
                diagnosis: rejection.render(),
            }
        };
        let mut index = vec![0; ClassFile::index_len(bytes)];
        let class = ClassFile::parse(bytes, &mut index)
            .map_err(|error| refused(LoadError::Parse(error)))?;
        let verified = verify_class(class, self.policy, self.natives, &mut ())
            .map_err(|error| refused(LoadError::Verify(error)))?;
        let printed = self
            .print_verified(&verified)
            .map_err(|error| refused(LoadError::Link(error)))?;
        match printed.interpreted.first() {
            Some((method, reason)) if !self.interpreter => Err(BuildError::NeedsInterpreter {
                method: jive_embed::text::printable(method),
                reason: *reason,
            }),
            _ => Ok(printed),
        }
    }

    /// Prints a verified class as a module. Without an interpreter, a call of a method that stays interpreted traps.
    ///
    /// # Errors
    ///
    /// Fails if the class was declared verified wrongly.
    pub fn print_verified(&self, verified: &Verified<'_>) -> Result<Printed, LinkError> {
        let size = program_size(verified)?;
        let (mut ops, mut ends) = (vec![Default::default(); size.ops], vec![0; size.ops]);
        let mut places = vec![Default::default(); size.places];
        let mut methods = vec![Default::default(); size.methods];
        let mut fields = vec![Default::default(); size.fields];
        let mut switches = vec![Default::default(); size.switches];
        let mut constants = vec![Default::default(); size.constants];
        let mut marks = vec![Default::default(); size.marks];
        let program = link_portable(
            verified,
            ProgramStorage {
                ops: &mut ops,
                ends: &mut ends,
                places: &mut places,
                methods: &mut methods,
                fields: &mut fields,
                switches: &mut switches,
                constants: &mut constants,
                marks: &mut marks,
            },
        )?;
        Ok(module::module(&verified.class(), &program, self))
    }
}

/// Compiles a class file that calls no natives, in a build script. [`Options::compile`] does the same for other classes.
///
/// # Errors
///
/// Fails as [`Options::compile`] does.
pub fn compile(path: impl AsRef<Path>) -> Result<(), BuildError> {
    Options::new().compile(path)
}

fn read(path: &Path) -> Result<Vec<u8>, BuildError> {
    // One byte more than a class file may have, so that the parser refuses what is longer.
    let most = jive_core::limits::FILE_BYTES_MAX as u64 + 1;
    read_given_prefix(path, most).map_err(|error| BuildError::Read {
        path: jive_embed::text::printable_path(path),
        error,
    })
}
