//! Conversion of untrusted names and paths to text that is safe for display on a terminal.

use std::borrow::Cow;
use std::path::Path;

/// Returns a name with all characters escaped that could control a terminal.
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

/// Returns a path as text, in which bytes that are not valid UTF-8 are escaped as `\xff`.
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

/// Returns a path as text that is safe for display on a terminal.
pub fn printable_path(path: &Path) -> String {
    printable(&path_text(path))
}
