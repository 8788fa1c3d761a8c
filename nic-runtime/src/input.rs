//! Reading of files that others wrote: never more than a stated number of bytes, and every way to
//! fail has a name.

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
        match error.kind() {
            io::ErrorKind::NotFound => ReadError::Missing,
            io::ErrorKind::IsADirectory => ReadError::Directory,
            io::ErrorKind::PermissionDenied => ReadError::Denied,
            kind => ReadError::System(kind),
        }
    }
}

/// Reads a whole file of at most `limit` bytes.
///
/// # Errors
///
/// Returns the reason where the file cannot be read, or [`ReadError::TooLarge`] where it is longer.
pub fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let bytes = read_file_prefix(path, limit.saturating_add(1))?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { limit });
    }
    Ok(bytes)
}

/// Reads the first `limit` bytes of a file, or all of it where it is shorter.
///
/// # Errors
///
/// Returns the reason where the file cannot be read.
pub fn read_file_prefix(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let file = File::open(path)?;
    // Opening a directory succeeds on Unix, and reading it fails with different words on each system.
    if file.metadata()?.is_dir() {
        return Err(ReadError::Directory);
    }
    read_prefix(file, limit)
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
