//! The scenarios that `jive test` runs: files with a golden trace beside them, or with expectations in them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jive_embed::input::{self, ReadError};
use jive_embed::text::path_text;
use nic_runtime::scenario::{has_expectations, limits};

/// A scenario to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TestFile {
    /// Its path.
    pub(super) path: PathBuf,
    /// Whether a golden trace lies beside it.
    pub(super) has_golden: bool,
    /// Whether the user named it.
    pub(super) is_named: bool,
}

impl TestFile {
    /// Returns where its golden trace lies, or would lie.
    pub(super) fn golden(&self) -> PathBuf {
        self.path.with_extension("trace")
    }
}

/// What there is to run.
#[derive(Debug, Default)]
pub(super) struct TestFiles {
    /// In the order of their paths.
    pub(super) files: Vec<TestFile>,
    /// What cannot be looked at. It keeps nothing else from being run.
    pub(super) unreadable: Vec<(PathBuf, ReadError)>,
}

impl TestFiles {
    /// Finds what a path names: a scenario, or a directory below which scenarios lie. Only those are meant whose path
    /// contains `filter`.
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
                    // What fails once may fail without end.
                    break;
                };
                let path = entry.path();
                // The type of a link is not that of its target, so a circle of links is not walked.
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

    /// Adds a file of a directory if it is a test. Many files that are TOML are none.
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
                // These cannot be scenarios, and a link that leads nowhere says nothing.
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

    /// Notes which path a failure is about.
    fn note<T>(&mut self, path: &Path, read: io::Result<T>) -> Option<T> {
        read.map_err(|error| self.unreadable.push((path.to_owned(), error.into())))
            .ok()
    }
}

/// Returns whether something has this name, even if it cannot be looked at.
fn has_entry(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(_) => true,
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}
