//! `jive stub`: prints or writes the Java class that applets or programs compile against.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use jive_embed::text::printable_path;
use nic_runtime::applet::{java_stub, natives_reference, program_stub};

use super::console::{Console, Failure, Status};
use super::output_file::{directory_of, unwritable, write_derived};

/// Path below a source directory at which the Java compiler looks for the class `Nic`.
const STUB_PATH: &str = "unet/Nic.java";

/// Path below a source directory at which the Java compiler looks for the class `Via`.
const PROGRAM_STUB_PATH: &str = "via/Via.java";

/// File name of the JAR with the natives in plain Java.
const MODEL_FILE: &str = "jive-model.jar";

const AFTER_HELP: &str = "\
Examples:
  jive stub --out .                   writes ./unet/Nic.java
  javac --release 8 -d . Filter.java unet/Nic.java
  jive stub > Nic.java
  jive stub --program --out .         writes ./via/Via.java, for programs on the host
  jive stub --model --out .           writes ./jive-model.jar, to run an applet on a JVM
  jive stub --javac-plugin jive-javac.jar
  javac -processorpath jive-javac.jar Filter.java

Exit status:
  0  done
  2  wrong usage, or the file cannot be written";

/// Prints or writes unet/Nic.java, which declares the natives of applets for the Java compiler.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// Write the class below this directory in place of printing it
    #[arg(long, value_name = "DIR", conflicts_with = "markdown")]
    out: Option<PathBuf>,

    /// Print or write via/Via.java instead: the natives of programs on the host
    #[arg(long, conflicts_with_all = ["model", "markdown", "javac_plugin"])]
    program: bool,

    /// Write jive-model.jar instead: the natives in plain Java, for a debugger and for unit tests
    #[arg(long, requires = "out")]
    model: bool,

    /// Write a jar to this path, by which javac verifies the applets that it compiles
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "model", "markdown"])]
    javac_plugin: Option<PathBuf>,

    /// Print the natives' reference, the page `docs/natives.md`, in place of the class
    #[arg(long)]
    markdown: bool,
}

/// Carries the command out.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    if let Some(path) = &arguments.javac_plugin {
        return write(path, applets::JAVAC_JAR, console);
    }
    let (stub, stub_path) = match arguments.program {
        true => (program_stub(), PROGRAM_STUB_PATH),
        false => (java_stub(), STUB_PATH),
    };
    let Some(directory) = &arguments.out else {
        let text = if arguments.markdown {
            natives_reference()
        } else {
            stub
        };
        write!(console.out(), "{text}")?;
        return Ok(Status::Done);
    };
    let (path, bytes) = match arguments.model {
        true => (directory.join(MODEL_FILE), applets::MODEL_JAR.to_vec()),
        false => (directory.join(stub_path), stub.into_bytes()),
    };
    write(&path, bytes, console)
}

/// Writes a file, and the directories in which it lies.
fn write(path: &Path, bytes: impl AsRef<[u8]>, console: &mut Console) -> Result<Status, Failure> {
    let written = fs::create_dir_all(directory_of(path)).and_then(|()| write_derived(path, bytes));
    match written {
        Ok(()) => {
            console.written(&format!("wrote {}", printable_path(path)))?;
            Ok(Status::Done)
        }
        Err(error) => {
            console.notice(&unwritable(path, &error))?;
            Ok(Status::Unusable)
        }
    }
}
