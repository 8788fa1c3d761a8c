//! Names and paths that someone else chose, as text that is fit for a terminal.

use std::borrow::Cow;
use std::path::Path;

/// Returns a name that someone else chose, with every character written out that could steer a
/// terminal.
pub fn printable(name: &str) -> String {
    name.chars()
        .flat_map(|c| {
            let plain = c.escape_debug().len() == 1 || matches!(c, '\'' | '"' | '\\');
            let escaped = (!plain).then(|| c.escape_debug());
            plain
                .then_some(c)
                .into_iter()
                .chain(escaped.into_iter().flatten())
        })
        .collect()
}

/// Returns a path as text. A byte that is not UTF-8 is written out as `\xff` is.
pub fn path_text(path: &Path) -> Cow<'_, str> {
    if let Some(text) = path.to_str() {
        return Cow::Borrowed(text);
    }
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    Cow::Owned(text)
}

/// Returns a path as text that is fit for a terminal.
pub fn printable_path(path: &Path) -> String {
    printable(&path_text(path))
}
