//! Bounded reading of untrusted files: at most a given number of bytes, with an error kind for each failure.
//!
//! A path in a scenario or in a directory must lead to a regular file. A read from a pipe can block forever, and a read
//! from a device can have side effects. Only a path that the user passes may be a pipe or a device.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Why a file cannot be read.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// No file has the given path.
    #[error("no such file")]
    Missing,
    /// The path of the file leads to a directory.
    #[error("expected a file, found a directory")]
    Directory,
    /// The path of the file leads to a pipe, a device or a socket.
    #[error("expected a regular file, found {found}")]
    NotRegular {
        /// The kind of file that was found, with an article.
        found: &'static str,
    },
    /// A line of the file is too long.
    #[error("expected lines of at most {limit} bytes, found a longer one in line {line}")]
    LineTooLong {
        /// Line number, from 1.
        line: usize,
        /// Greatest length that a line of the file may have, in bytes.
        limit: usize,
    },
    /// The user has no permission to read the file.
    #[error("permission denied")]
    Denied,
    /// The file is longer than the limit that the caller set.
    #[error("expected at most {limit} bytes, found more")]
    TooLarge {
        /// Greatest length that the file may have, in bytes.
        limit: u64,
    },
    /// Any other error that the operating system reports.
    #[error("{0}")]
    System(io::ErrorKind),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> ReadError {
        // A `ReadError` that passed through a reader or writer of the standard library.
        if let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
            return *inner;
        }
        match error.kind() {
            io::ErrorKind::NotFound => ReadError::Missing,
            io::ErrorKind::IsADirectory => ReadError::Directory,
            io::ErrorKind::PermissionDenied => ReadError::Denied,
            kind => ReadError::System(kind),
        }
    }
}

/// Reads a whole regular file of at most `limit` bytes.
///
/// # Errors
///
/// Any [`ReadError`]. Returns [`ReadError::TooLarge`] if the file is longer than `limit`.
pub fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    whole(read_file_prefix(path, limit.saturating_add(1))?, limit)
}

/// Reads the first `limit` bytes of a regular file, or the whole file if it is shorter.
///
/// # Errors
///
/// Any [`ReadError`], except [`ReadError::TooLarge`].
pub fn read_file_prefix(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    read_prefix(open_regular(path)?, limit)
}

/// Reads a file that the user named on the command line, like [`read_file`]. The file named by the user may be a pipe
/// or a device.
///
/// # Errors
///
/// The errors are those of [`read_file`].
pub fn read_given(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    whole(read_given_prefix(path, limit.saturating_add(1))?, limit)
}

/// Reads a file that the user named on the command line, like [`read_file_prefix`]. The file named by the user may be a
/// pipe or a device.
///
/// # Errors
///
/// The errors are those of [`read_file_prefix`].
pub fn read_given_prefix(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let file = File::open(path)?;
    // A directory is refused before it is read: on Unix, opening it succeeds, and reading it fails with a
    // system-dependent message.
    if file.metadata()?.is_dir() {
        return Err(ReadError::Directory);
    }
    read_prefix(file, limit)
}

/// Opens a regular file. `open_regular` never blocks, not even on a pipe without a writer.
///
/// # Errors
///
/// Fails if the file cannot be opened or is not a regular file.
pub fn open_regular(path: &Path) -> Result<File, ReadError> {
    // The kind of file is checked before opening, because opening a device can have side effects, such as rewinding a
    // tape.
    check_regular(std::fs::metadata(path)?.file_type())?;
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    // The opened file is checked again, because the path can lead to another file by now.
    check_regular(file.metadata()?.file_type())?;
    Ok(file)
}

fn check_regular(kind: std::fs::FileType) -> Result<(), ReadError> {
    if kind.is_file() {
        Ok(())
    } else if kind.is_dir() {
        Err(ReadError::Directory)
    } else {
        let found = special(kind);
        Err(ReadError::NotRegular { found })
    }
}

#[cfg(unix)]
fn special(kind: std::fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_fifo() { "a pipe" } else { "a device" }
}

#[cfg(not(unix))]
fn special(_: std::fs::FileType) -> &'static str {
    "something else"
}

/// Checks that the length of the bytes that were read is within the limit.
fn whole(bytes: Vec<u8>, limit: u64) -> Result<Vec<u8>, ReadError> {
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { limit });
    }
    Ok(bytes)
}

/// Reads the first `limit` bytes of a stream. The rest of the stream, which may be endless, is ignored.
///
/// # Errors
///
/// Fails if the stream fails before the limit is reached.
pub fn read_prefix(reader: impl Read, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    reader.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_stream_is_cut() {
        assert_eq!(read_prefix(io::repeat(7), 3), Ok(vec![7, 7, 7]));
    }

    #[test]
    fn directory_is_named() {
        assert_eq!(read_file(Path::new("."), 10), Err(ReadError::Directory));
    }

    #[test]
    #[cfg(unix)]
    fn only_the_user_may_name_a_device() {
        let found = ReadError::NotRegular { found: "a device" };
        let zero = Path::new("/dev/zero");
        assert_eq!(read_file(zero, 10), Err(found));
        assert_eq!(read_file_prefix(zero, 10), Err(found));
        assert_eq!(read_given_prefix(zero, 3), Ok(vec![0; 3]));
        assert_eq!(read_given(zero, 3), Err(ReadError::TooLarge { limit: 3 }));
    }

    #[test]
    fn missing_file_is_named() {
        assert_eq!(
            read_file(Path::new("no/such/file"), 10),
            Err(ReadError::Missing)
        );
    }

    #[test]
    fn file_one_byte_over_the_limit_is_refused() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file can be made");
        std::fs::write(file.path(), b"abcd").expect("it can be written");
        assert_eq!(read_file(file.path(), 4), Ok(b"abcd".to_vec()));
        assert_eq!(
            read_file(file.path(), 3),
            Err(ReadError::TooLarge { limit: 3 })
        );
    }
}
