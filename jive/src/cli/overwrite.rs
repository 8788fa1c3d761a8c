//! Refuses outputs that would overwrite an input or another output of the same command.

#[cfg(unix)]
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use jive_embed::diagnosis::sentence;
use jive_embed::text::printable_path;

use super::output_file::directory_of;

/// Identifies a file, so that two paths to the same file are recognized.
#[derive(PartialEq, Eq)]
enum Identity {
    /// An existing regular file, independent of its names.
    #[cfg(unix)]
    File { device: u64, inode: u64 },
    /// A path, for files that do not exist yet and for systems other than Unix.
    Name(PathBuf),
}

/// Checks all output files of a command before the first is written.
///
/// Pipes and devices are exempt: several outputs may go to `/dev/null`.
///
/// # Errors
///
/// Returns the message for the user if an output is also an input, another output or standard output.
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

/// Returns the identity of an output, which need not exist yet, or `None` for pipes and devices.
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

/// Returns the identity of an existing regular file.
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

/// Returns the identity of standard output, if it is a regular file.
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
