//! `jive compile`: prints a class file as safe Rust.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use jive_build::{BuildError, Options, Printed};
use jive_embed::diagnosis::sentence;
use jive_embed::text::{printable, printable_path};
use jive_verifier::Policy;
use nic_core::sle::NicNative;

use super::class_file;
use super::console::{Console, Failure, Status};
use super::output_file::OutputFile;

const AFTER_HELP: &str = "\
The printed module needs the crate jive-core of the same version, and nothing else: no allocator and
no class file. It has a type with the name of the class, whose methods are those of the class. The
class may call the natives of `unet/Nic`; the program that uses the module performs them.

A method that stays interpreted is named, with the reason. The verifier must accept the class.

Examples:
  jive compile Filter.class                 prints the module
  jive compile Filter.class -o filter.rs
  jive compile Filter.class --crate filter  a crate, for `cargo build`

Exit status:
  0  printed
  1  the class was rejected
  2  wrong usage, or a file that cannot be read or written";

/// Prints a class file as safe Rust, which runs without the class file.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// A class file, or `builtin:NAME`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write the module to FILE
    #[arg(short, long, value_name = "FILE", conflicts_with = "crate_folder")]
    output: Option<PathBuf>,

    /// Write a crate to the new folder DIR
    #[arg(long = "crate", value_name = "DIR", id = "crate_folder")]
    crate_folder: Option<PathBuf>,

    /// Bytes of heap of each instance
    #[arg(long, value_name = "BYTES", default_value_t = 65_536, value_parser = clap::value_parser!(u32).range(8..=1 << 30))]
    heap: u32,

    /// How many calls can be nested
    #[arg(long, value_name = "CALLS", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    depth: u16,

    /// Instructions that each call may execute
    #[arg(long, value_name = "COUNT", default_value_t = 10_000_000)]
    fuel: u64,
}

/// Carries the command out.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let file = arguments.file.as_path();
    let unusable = |what: &str, path: &Path, error: &dyn std::fmt::Display| {
        sentence(
            &format!("cannot {what} {}: {error}", printable_path(path)),
            &[],
        )
    };
    let bytes = match class_file::read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            console.notice(&unusable("read", file, &error))?;
            return Ok(Status::Unusable);
        }
    };
    let options = Options::new()
        .natives(NicNative::TABLE)
        .policy(Policy::ClassOnly)
        .heap_bytes(usize::try_from(arguments.heap).unwrap_or(usize::MAX))
        .nested_calls(arguments.depth.into())
        .fuel(arguments.fuel);
    let printed = match options.print(file, &bytes) {
        Ok(printed) => printed,
        Err(BuildError::Refused { diagnosis }) => {
            console.notice(&diagnosis)?;
            return Ok(Status::Rejected);
        }
        Err(error) => {
            console.notice(&sentence(&error.to_string(), &[]))?;
            return Ok(Status::Unusable);
        }
    };
    for (method, reason) in &printed.interpreted {
        let title = format!("`{}` stays interpreted: {reason}", printable(method));
        console.notice(&sentence(&title, &[]))?;
    }
    match (&arguments.output, &arguments.crate_folder) {
        (None, None) => console.out().write_all(printed.text.as_bytes())?,
        (Some(output), _) => {
            if let Err(error) = write_named(output, &printed.text) {
                console.notice(&unusable("write", output, &error))?;
                return Ok(Status::Unusable);
            }
        }
        (None, Some(folder)) => {
            if let Err(error) = write_crate(folder, &printed) {
                console.notice(&unusable("write", folder, &error))?;
                return Ok(Status::Unusable);
            }
        }
    }
    Ok(Status::Done)
}

fn write_named(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OutputFile::named(path)?;
    file.write_all(text.as_bytes())?;
    file.place()
}

/// Writes a crate that has the module alone. The folder must not exist: no file of the user is replaced.
fn write_crate(folder: &Path, printed: &Printed) -> io::Result<()> {
    fs::create_dir(folder)?;
    fs::create_dir(folder.join("src"))?;
    let version = env!("CARGO_PKG_VERSION");
    let name = printed.module.trim_matches('_').replace('_', "-");
    let manifest = format!(
        "[package]\nname = \"compiled-{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\njive-core = \"={version}\"\n\n[workspace]\n"
    );
    write_named(&folder.join("Cargo.toml"), &manifest)?;
    let Printed {
        text,
        module,
        type_name,
        ..
    } = printed;
    let library = format!(
        "//! The class `{type_name}`, compiled.\n#![no_std]\n#![forbid(unsafe_code)]\n\n\
         pub use {module}::{type_name};\n\n{text}"
    );
    write_named(&folder.join("src/lib.rs"), &library)
}
