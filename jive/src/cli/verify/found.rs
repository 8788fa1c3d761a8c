//! Finds the class files that `jive verify` judges: those named, and those below a named folder.

use std::fs;
use std::path::{Path, PathBuf};

use jive_core::ClassFile;
use jive_embed::input;
use nic_core::javia::ViaNative;
use nic_core::sle::NicNative;
use nic_runtime::scenario::limits::CLASS_BYTES_READ;

/// The class files to judge.
#[derive(Debug, Default)]
pub(super) struct ClassFiles {
    /// The files in the order of the command line, those of a folder sorted by path.
    pub(super) files: Vec<PathBuf>,
    /// The named folders that have no class file.
    pub(super) empty: Vec<PathBuf>,
}

impl ClassFiles {
    /// Finds the class files at each path. A path that cannot be read counts as a file, for which reading fails later.
    pub(super) fn of(paths: &[PathBuf]) -> ClassFiles {
        let mut found = ClassFiles::default();
        for path in paths {
            if !fs::metadata(path).is_ok_and(|data| data.is_dir()) {
                found.files.push(path.clone());
                continue;
            }
            let below = below(path);
            if below.is_empty() {
                found.empty.push(path.clone());
            }
            found.files.extend(below);
        }
        found
    }
}

/// Returns the class files below a folder, sorted by path. A folder that cannot be read is returned as a file, so that
/// the reason is shown.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            files.push(folder);
            continue;
        };
        // An error ends the folder, because the iterator may return the same error without end.
        for entry in entries.map_while(Result::ok) {
            let path = entry.path();
            // A symbolic link does not count as a folder, so a cycle of links is not followed.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "class")
                && !declares_natives(&path)
            {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Returns whether a file is a class that declares natives for the compiler, which is no applet and no program. Builds
/// put it beside the applets and programs.
fn declares_natives(path: &Path) -> bool {
    let Ok(bytes) = input::read_file(path, CLASS_BYTES_READ) else {
        return false;
    };
    let mut index = vec![0; ClassFile::index_len(&bytes)];
    let class = ClassFile::parse(&bytes, &mut index);
    class.is_ok_and(|class| {
        let mut rows = NicNative::TABLE.iter().chain(ViaNative::TABLE);
        rows.any(|row| class.name() == row.class)
    })
}
