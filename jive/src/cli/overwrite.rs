//! Refuses to write a file over one that the same command reads, or over another of its outputs.

#[cfg(unix)]
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use jive_embed::diagnosis::sentence;
use jive_embed::text::printable_path;

use super::output_file::directory_of;

/// What makes two paths one file.
#[derive(PartialEq, Eq)]
enum Identity {
    /// A regular file that exists, whatever its names are.
    #[cfg(unix)]
    File { device: u64, inode: u64 },
    /// Elsewhere, and for a file that does not exist yet: its only name.
    Name(PathBuf),
}

/// Checks the files that a command is about to write, before it writes any.
///
/// Pipes and devices are no files in this sense: many outputs may go to `/dev/null`.
///
/// # Errors
///
/// Returns what to tell the user where an output is one of the inputs, is another output, or is where
/// standard output goes.
pub(super) fn check(outputs: &[&Path], inputs: &[&Path]) -> Result<(), String> {
    let standard_output = standard_output();
    for (position, output) in outputs.iter().enumerate() {
        let Some(identity) = of_output(output) else {
            continue;
        };
        let is_same = |other: Option<Identity>| other.as_ref() == Some(&identity);
        let why = if let Some(input) = inputs.iter().find(|input| is_same(existing(input))) {
            format!("the command reads it as {}", shown(input))
        } else if let Some(earlier) = outputs[..position]
            .iter()
            .find(|earlier| is_same(of_output(earlier)))
        {
            format!("another output goes there, as {}", shown(earlier))
        } else if standard_output.as_ref() == Some(&identity) {
            "standard output goes there".to_owned()
        } else {
            continue;
        };
        return Err(sentence(
            &format!("cannot write {}: {why}", shown(output)),
            &[],
        ));
    }
    Ok(())
}

/// Returns what an output is, whether or not it exists; `None` for what is no file.
fn of_output(path: &Path) -> Option<Identity> {
    match fs::metadata(path) {
        Ok(_) => existing(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let directory = directory_of(path).canonicalize().ok()?;
            Some(Identity::Name(directory.join(path.file_name()?)))
        }
        Err(_) => None,
    }
}

/// Returns what a path leads to, where that is a regular file.
fn existing(path: &Path) -> Option<Identity> {
    let found = fs::metadata(path).ok()?;
    found.is_file().then(|| identity(path, &found))?
}

#[cfg(unix)]
fn identity(_: &Path, found: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some(Identity::File {
        device: found.dev(),
        inode: found.ino(),
    })
}

#[cfg(not(unix))]
fn identity(path: &Path, _: &Metadata) -> Option<Identity> {
    path.canonicalize().ok().map(Identity::Name)
}

/// Returns which regular file standard output goes to.
#[cfg(unix)]
fn standard_output() -> Option<Identity> {
    use std::os::fd::AsFd;
    let stream = io::stdout().as_fd().try_clone_to_owned().ok()?;
    let found = File::from(stream).metadata().ok()?;
    found.is_file().then(|| identity(Path::new(""), &found))?
}

#[cfg(not(unix))]
fn standard_output() -> Option<Identity> {
    None
}

fn shown(path: &Path) -> String {
    printable_path(path)
}
