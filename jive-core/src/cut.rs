//! Truncation of long names for display.

use core::fmt::{self, Write};

use crate::limits::NAME_CHARS_MAX;

/// The ellipsis that replaces the rest of a truncated name.
const MARK: char = '…';

/// Displays at most [`NAME_CHARS_MAX`] characters of a name, and an ellipsis in place of the rest.
///
/// A class file can hold a name of 65,535 bytes, and 300,000 instructions can refer to it. Every display of a class
/// truncates names with `Cut`, so that the size of its output is linear in the size of the file. An escape counts as
/// many characters as are displayed for it.
///
/// ```
/// use jive_core::Cut;
///
/// assert_eq!(Cut("doRx").to_string(), "doRx");
/// let long = "n".repeat(60_000);
/// assert_eq!(Cut(&long).to_string(), format!("{}…", "n".repeat(256)));
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Cut<T>(pub T);

impl<T: fmt::Display> fmt::Display for Cut<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut prefix = Prefix {
            out: f,
            room: NAME_CHARS_MAX,
            is_cut: false,
        };
        let shown = write!(prefix, "{}", self.0);
        if prefix.is_cut {
            return f.write_char(MARK);
        }
        shown
    }
}

/// Writes up to `room` characters of a name and fails at the next character. The failure stops the formatting of the
/// rest of the name.
struct Prefix<'f, 'b> {
    out: &'f mut fmt::Formatter<'b>,
    room: usize,
    is_cut: bool,
}

impl Write for Prefix<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // A name with few enough bytes needs no search for the place to cut, because a string has at most as many
        // characters as bytes.
        if text.len() <= self.room {
            self.room = self.room.saturating_sub(text.chars().count());
            return self.out.write_str(text);
        }
        match text.char_indices().nth(self.room) {
            Some((end, _)) => {
                self.is_cut = true;
                self.out.write_str(text.get(..end).unwrap_or(text))?;
                Err(fmt::Error)
            }
            None => {
                self.room = self.room.saturating_sub(text.chars().count());
                self.out.write_str(text)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classfile::Utf8;

    extern crate std;
    use std::format;
    use std::string::{String, ToString};

    #[test]
    fn a_name_is_cut_between_characters() {
        // The test displays the longest name that is not truncated, and the same name with one more character. The
        // names consist of letters of one byte and of three bytes.
        for letter in ["n", "語"] {
            let whole = letter.repeat(NAME_CHARS_MAX);
            assert_eq!(Cut(&whole).to_string(), whole);
            let longer = letter.repeat(NAME_CHARS_MAX + 1);
            assert_eq!(Cut(&longer).to_string(), format!("{whole}…"));
        }
        assert_eq!(Cut("").to_string(), "");
    }

    #[test]
    fn escapes_count_as_they_are_shown() {
        // `\u{1b}` has six characters.
        let controls = [0x1b; NAME_CHARS_MAX];
        let shown = Cut(Utf8::new(&controls).unwrap()).to_string();
        assert_eq!(shown.chars().count(), NAME_CHARS_MAX + 1);
        assert!(shown.starts_with("\\u{1b}\\u{1b}") && shown.ends_with('…'));
    }

    #[test]
    fn pieces_are_counted_together() {
        let pieces = format!("{}{}", "a".repeat(100), "b".repeat(NAME_CHARS_MAX));
        let shown = Cut(format_args!("{}{}", &pieces[..100], &pieces[100..])).to_string();
        let expected: String = pieces.chars().take(NAME_CHARS_MAX).chain(['…']).collect();
        assert_eq!(shown, expected);
    }
}
