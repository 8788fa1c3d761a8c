//! Finds the scenarios that `jive test` runs: files that have a golden trace beside them or contain expectations.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jive_embed::input::{self, ReadError};
use jive_embed::text::path_text;
use nic_runtime::scenario::{has_expectations, limits};

/// A scenario file to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TestFile {
    /// The scenario file's path.
    pub(super) path: PathBuf,
    /// Whether a golden trace exists beside the scenario file.
    pub(super) has_golden: bool,
    /// Whether the user named this file on the command line.
    pub(super) is_named: bool,
}

impl TestFile {
    /// Returns the path of the scenario's golden trace, whether this trace exists or not.
    pub(super) fn golden(&self) -> PathBuf {
        self.path.with_extension("trace")
    }
}

/// The scenarios found below a path.
#[derive(Debug, Default)]
pub(super) struct TestFiles {
    /// The scenario files, sorted by path.
    pub(super) files: Vec<TestFile>,
    /// The files and directories that cannot be read; all other scenarios are run.
    pub(super) unreadable: Vec<(PathBuf, ReadError)>,
}

impl TestFiles {
    /// Finds the scenarios at a path: the file itself, or all scenarios below a directory. Skips scenarios whose path
    /// does not contain `filter`.
    pub(super) fn below(path: &Path, filter: Option<&str>) -> TestFiles {
        let mut found = TestFiles::default();
        let data = found.note(path, fs::metadata(path));
        match data.map(|data| data.is_dir()) {
            None => {}
            Some(true) => found.walk(path),
            Some(false) => {
                let mut file = TestFile {
                    path: path.to_owned(),
                    has_golden: false,
                    is_named: true,
                };
                file.has_golden = has_entry(&file.golden());
                found.files.push(file);
            }
        }
        if let Some(filter) = filter {
            found
                .files
                .retain(|file| path_text(&file.path).contains(filter));
        }
        found.files.sort_by(|a, b| a.path.cmp(&b.path));
        found.unreadable.sort_by(|(a, _), (b, _)| a.cmp(b));
        found
    }

    fn walk(&mut self, path: &Path) {
        let mut directories = vec![path.to_owned()];
        while let Some(directory) = directories.pop() {
            let Some(entries) = self.note(&directory, fs::read_dir(&directory)) else {
                continue;
            };
            for entry in entries {
                let Some(entry) = self.note(&directory, entry) else {
                    // Stop reading the directory, because the iterator may return the same error without end.
                    break;
                };
                let path = entry.path();
                // A symbolic link does not count as a directory, even if its target is one, so a cycle of links is not
                // followed.
                let is_directory = self
                    .note(&path, entry.file_type())
                    .map(|kind| kind.is_dir());
                let is_toml = path
                    .extension()
                    .is_some_and(|extension| extension == "toml");
                match is_directory {
                    Some(true) => directories.push(path),
                    Some(false) if is_toml => self.consider(path),
                    Some(false) | None => {}
                }
            }
        }
    }

    /// Adds a file of a directory if it is a test, which many TOML files are not.
    fn consider(&mut self, path: PathBuf) {
        let mut file = TestFile {
            path,
            has_golden: false,
            is_named: false,
        };
        file.has_golden = has_entry(&file.golden());
        let is_test = file.has_golden
            || match input::read_file(&file.path, limits::FILE_BYTES_MAX) {
                Ok(bytes) => has_expectations(&bytes),
                // Skip files that cannot be scenarios, and broken links, without a message.
                Err(
                    ReadError::NotRegular { .. }
                    | ReadError::TooLarge { .. }
                    | ReadError::Directory
                    | ReadError::Missing,
                ) => false,
                Err(
                    error @ (ReadError::LineTooLong { .. }
                    | ReadError::Denied
                    | ReadError::System(_)),
                ) => {
                    self.unreadable.push((file.path.clone(), error));
                    false
                }
            };
        if is_test {
            self.files.push(file);
        }
    }

    /// Returns the value that was read, or records the error with the path.
    fn note<T>(&mut self, path: &Path, read: io::Result<T>) -> Option<T> {
        read.map_err(|error| self.unreadable.push((path.to_owned(), error.into())))
            .ok()
    }
}

/// Returns whether a directory entry exists, even if its file cannot be read.
fn has_entry(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(_) => true,
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}
