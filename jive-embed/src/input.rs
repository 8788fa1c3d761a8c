//! Reading of files that others wrote: never more than a stated number of bytes, and every way to
//! fail has a name.
//!
//! A path that a scenario or a folder names must lead to a regular file. Reading a pipe may wait forever, and reading a
//! device may do anything. Only a path that the user gives may be a pipe or a device.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Why a file's bytes are not there.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// No file of that name exists.
    #[error("no such file")]
    Missing,
    /// The name is a directory's.
    #[error("expected a file, found a directory")]
    Directory,
    /// The name is that of a pipe, a device or a socket.
    #[error("expected a regular file, found {found}")]
    NotRegular {
        /// What it is, with its article.
        found: &'static str,
    },
    /// A line of the file is longer than it may be.
    #[error("expected lines of at most {limit} bytes, found a longer one in line {line}")]
    LineTooLong {
        /// Its number, from 1 on.
        line: usize,
        /// The most bytes that a line may have.
        limit: usize,
    },
    /// The file may not be read by this user.
    #[error("permission denied")]
    Denied,
    /// The file holds more than may be read.
    #[error("expected at most {limit} bytes, found more")]
    TooLarge {
        /// The most that is read.
        limit: u64,
    },
    /// The operating system failed otherwise.
    #[error("{0}")]
    System(io::ErrorKind),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> ReadError {
        // One that came through a writer or reader of the standard library.
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
/// Returns the reason where the file cannot be read, or [`ReadError::TooLarge`] where it is longer.
pub fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    whole(read_file_prefix(path, limit.saturating_add(1))?, limit)
}

/// Reads the first `limit` bytes of a regular file, or all of it where it is shorter.
///
/// # Errors
///
/// Returns the reason where the file cannot be read.
pub fn read_file_prefix(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    read_prefix(open_regular(path)?, limit)
}

/// Reads what the user named on the command line, as [`read_file`] does; it may be a pipe or a device.
///
/// # Errors
///
/// As for [`read_file`].
pub fn read_given(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    whole(read_given_prefix(path, limit.saturating_add(1))?, limit)
}

/// Reads what the user named on the command line, as [`read_file_prefix`] does; it may be a pipe or a
/// device.
///
/// # Errors
///
/// As for [`read_file_prefix`].
pub fn read_given_prefix(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let file = File::open(path)?;
    // Opening a directory succeeds on Unix, and reading it fails with different words on each system.
    if file.metadata()?.is_dir() {
        return Err(ReadError::Directory);
    }
    read_prefix(file, limit)
}

/// Opens a regular file, at once whatever it is: a pipe that nobody writes to is not waited for.
///
/// # Errors
///
/// Returns the reason where the file cannot be opened or is none.
pub fn open_regular(path: &Path) -> Result<File, ReadError> {
    // A device is not even opened: that alone may rewind a tape or start a watchdog.
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
    // Asked of the file that is open: the path may lead elsewhere by now.
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

/// Refuses bytes of which there are more than may be read.
fn whole(bytes: Vec<u8>, limit: u64) -> Result<Vec<u8>, ReadError> {
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { limit });
    }
    Ok(bytes)
}

/// Reads the first `limit` bytes of a stream, however much more it would give.
///
/// # Errors
///
/// Returns the reason where the stream fails before.
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
