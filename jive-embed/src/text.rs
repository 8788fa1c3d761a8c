//! Conversion of untrusted names and paths to text that is safe for display on a terminal.

use std::borrow::Cow;
use std::path::Path;

use jive_core::is_plain;

/// Returns a name with every character escaped that is not [plain](is_plain).
pub fn printable(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    for character in name.chars() {
        if is_plain(character) {
            shown.push(character);
        } else if character.is_control() {
            shown.extend(character.escape_debug());
        } else {
            shown.extend(character.escape_unicode());
        }
    }
    shown
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
