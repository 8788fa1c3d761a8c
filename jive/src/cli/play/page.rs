//! The files of the built page.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The most bytes that the files of the page have together.
const BYTES_MAX: u64 = 64 << 20;

/// The files without which there is no page.
const NEEDED: [&str; 3] = ["index.html", "page.js", "jive.wasm"];

/// The files of the page by their names. They are read before the first request, so no request leads to a file.
#[derive(Debug)]
pub(super) struct Page {
    files: BTreeMap<String, Vec<u8>>,
}

impl Page {
    /// Reads the files of a folder, and returns what of the folder is left out: folders, symbolic links, and files with
    /// other names than a page has.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read, one that a page needs is missing, or the folder is too large.
    pub(super) fn read(folder: &Path) -> io::Result<(Page, Vec<PathBuf>)> {
        let mut files = BTreeMap::new();
        let mut left_out = Vec::new();
        let mut room = BYTES_MAX;
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            // The type of the entry itself: it is not that of what a link leads to.
            let is_file = entry.file_type()?.is_file();
            let Some(name) = is_file.then(|| plain_name(&name)).flatten() else {
                left_out.push(entry.path());
                continue;
            };
            let mut bytes = Vec::new();
            File::open(entry.path())?
                .take(room + 1)
                .read_to_end(&mut bytes)?;
            let Some(rest) = room.checked_sub(bytes.len() as u64) else {
                return Err(io::Error::other(format!(
                    "it has more than {BYTES_MAX} bytes"
                )));
            };
            room = rest;
            files.insert(name, bytes);
        }
        if let Some(missing) = NEEDED.iter().find(|name| !files.contains_key(**name)) {
            return Err(io::Error::other(format!("it has no {missing}")));
        }
        left_out.sort();
        Ok((Page { files }, left_out))
    }

    /// Returns a file and its type by the name in a request. No name but that of a file that was read leads anywhere.
    pub(super) fn file(&self, name: &str) -> Option<(&[u8], &'static str)> {
        let bytes = self.files.get(name)?;
        Some((bytes, content_type(name)))
    }
}

/// Returns the folder `web/dist` of the working directory, or of the nearest directory above it that has one.
pub(super) fn default_folder() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    let folders = here.ancestors().map(|above| above.join("web/dist"));
    folders.into_iter().find(|folder| folder.is_dir())
}

fn plain_name(name: &OsStr) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let name = name.to_str()?;
    name.bytes().all(is_plain).then(|| name.to_owned())
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webp" => "image/webp",
        "wasm" => "application/wasm",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
