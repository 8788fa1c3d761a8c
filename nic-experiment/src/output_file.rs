//! The files that commands write. All commands write files through this module.
//!
//! A command writes to a new temporary file in the destination's directory, and renames it when it is complete. A
//! command never opens an existing file for writing, and a failed command leaves the destination unchanged. Only a pipe
//! or a device named on the command line is written in place, and a [`journal`] goes on where it ended.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use jive_embed::diagnosis::sentence;
use jive_embed::text::printable_path;
use tempfile::NamedTempFile;

/// Prefix of the names of temporary files.
pub const TEMPORARY_PREFIX: &str = ".jive-";

/// A file that is being written. The destination changes only when the file is [placed](OutputFile::place).
#[derive(Debug)]
pub struct OutputFile(To);

#[derive(Debug)]
enum To {
    /// A temporary file, and its destination.
    New(BufWriter<NamedTempFile>, PathBuf),
    /// A pipe or a device.
    InPlace(BufWriter<File>),
}

impl OutputFile {
    /// Opens an output that the user named on the command line. Symbolic links are followed, because the user chose the
    /// name.
    ///
    /// # Errors
    ///
    /// Returns an error if the destination cannot be written.
    pub fn named(path: &Path) -> io::Result<OutputFile> {
        match fs::metadata(path) {
            Ok(found) if found.is_file() => {
                // Check that writing is allowed: renaming would replace a file that the user has write-protected.
                OpenOptions::new().write(true).open(path)?;
                let target = path.canonicalize()?;
                OutputFile::new(target, Some(found.permissions()))
            }
            Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => {
                let file = OpenOptions::new().write(true).open(path)?;
                Ok(OutputFile(To::InPlace(BufWriter::new(file))))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                OutputFile::new(path.to_owned(), None)
            }
            Err(error) => Err(error),
        }
    }

    /// Opens an output whose name the command derived from other names. An existing file is replaced, and a symbolic
    /// link is not followed.
    ///
    /// # Errors
    ///
    /// Returns an error if the destination cannot be written.
    pub fn derived(path: &Path) -> io::Result<OutputFile> {
        OutputFile::new(path.to_owned(), None)
    }

    fn new(target: PathBuf, permissions: Option<Permissions>) -> io::Result<OutputFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(TEMPORARY_PREFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The process's umask removes permission bits, as for any new file. By the library's default, only the
            // owner may read a temporary file.
            builder.permissions(Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(directory_of(&target))?;
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions)?;
        }
        Ok(OutputFile(To::New(BufWriter::new(file), target)))
    }

    /// Completes the file and renames it to its destination.
    ///
    /// # Errors
    ///
    /// Returns an error if the last bytes cannot be written or renaming fails.
    pub fn place(self) -> io::Result<()> {
        match self.0 {
            To::New(writer, target) => {
                let file = writer
                    .into_inner()
                    .map_err(io::IntoInnerError::into_error)?;
                file.persist(target).map_err(|failed| failed.error)?;
                Ok(())
            }
            To::InPlace(mut file) => file.flush(),
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            To::New(file, _) => file.write(bytes),
            To::InPlace(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            To::New(file, _) => file.flush(),
            To::InPlace(file) => file.flush(),
        }
    }
}

/// Opens a file that work goes on in after it was interrupted, and makes it if it is missing. Its name is derived, so a
/// symbolic link is not followed.
///
/// # Errors
///
/// Returns an error if the file cannot be opened.
pub fn journal(path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::from(io::ErrorKind::AlreadyExists));
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // The name may have become a link by now.
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    options.open(path)
}

/// Locks a file for this process, and returns whether no other process has locked it. Where there are no locks, it is
/// always this one's.
#[must_use]
pub fn is_ours(file: &File) -> bool {
    #[cfg(unix)]
    {
        use rustix::fs::{FlockOperation, flock};
        flock(file, FlockOperation::NonBlockingLockExclusive).is_ok()
    }
    #[cfg(not(unix))]
    {
        let _no_locks = file;
        true
    }
}

/// Writes a complete file whose name the command derived from other names.
///
/// # Errors
///
/// Returns an error if the file cannot be written.
pub fn write_derived(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = OutputFile::derived(path)?;
    file.write_all(bytes.as_ref())?;
    file.place()
}

/// Returns the directory of a file.
#[must_use]
pub fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// Returns the message for a file that cannot be written.
#[must_use]
pub fn unwritable(path: &Path, error: &io::Error) -> String {
    // Show only the kind of error: its text could name the temporary file, which the user does not know.
    let why = match error.kind() {
        io::ErrorKind::NotFound => "no such directory".to_owned(),
        kind => kind.to_string(),
    };
    let shown = printable_path(path);
    sentence(&format!("cannot write {shown}: {why}"), &[])
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_file_appears_when_it_is_placed_and_not_before() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        fs::write(&path, "old").unwrap();
        for open in [OutputFile::named, OutputFile::derived] {
            let mut file = open(&path).unwrap();
            file.write_all(b"new").unwrap();
            file.flush().unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"old");
            drop(file);
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        write_derived(&path, "new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn only_a_link_that_the_user_names_is_followed() {
        let directory = tempfile::tempdir().unwrap();
        let [target, link] = ["target", "link"].map(|name| directory.path().join(name));
        fs::write(&target, "old").unwrap();
        symlink("target", &link).unwrap();
        let mut named = OutputFile::named(&link).unwrap();
        named.write_all(b"named").unwrap();
        named.place().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"named");
        assert!(link.is_symlink());
        write_derived(&link, "derived").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"named");
        assert_eq!(fs::read(&link).unwrap(), b"derived");
        assert!(!link.is_symlink());
    }

    #[test]
    fn a_journal_goes_on_and_follows_no_link() {
        let directory = tempfile::tempdir().unwrap();
        let [target, link] = ["target", "link"].map(|name| directory.path().join(name));
        journal(&target).unwrap().write_all(b"old").unwrap();
        journal(&target).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"old");
        symlink("target", &link).unwrap();
        assert!(journal(&link).is_err());
    }

    #[test]
    fn replaced_files_keep_their_permissions() {
        let directory = tempfile::tempdir().unwrap();
        let [plain, new, old] = ["plain", "new", "old"].map(|name| directory.path().join(name));
        fs::write(&plain, "").unwrap();
        write_derived(&new, "").unwrap();
        assert_eq!(mode(&new), mode(&plain));
        fs::write(&old, "").unwrap();
        fs::set_permissions(&old, Permissions::from_mode(0o640)).unwrap();
        OutputFile::named(&old).unwrap().place().unwrap();
        assert_eq!(mode(&old), 0o640);
    }
}
