//! Reads text that people keep in files: scenarios, profiles, assembly, sources, lists of calls and golden traces.
//!
//! Editors and version control may add a byte order mark, end lines with CR LF, or leave the last line without an end.
//! [`plain`] and [`Lines`] undo all three, so that a text means the same whichever editor wrote it. Every reader of such
//! a file goes through one of the two. Offsets, lines and columns refer to the plain text: a byte order mark takes no
//! column, and a line ends at its LF.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

use crate::input::ReadError;

/// The byte order mark in UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// What is wrong with a text that [has another mark](has_another_mark).
pub const ANOTHER_MARK: &str = "expected one byte order mark at most, found two";

/// Returns whether a plain text begins with a byte order mark, and its file therefore with two. Readers that pass over a
/// mark of their own ask for this first, so that no text has two.
#[must_use]
pub fn has_another_mark(plain: &str) -> bool {
    plain.as_bytes().starts_with(BYTE_ORDER_MARK)
}

/// Where a text stops being UTF-8.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected UTF-8 text, found byte {byte:#04x} in line {line}")]
pub struct NotUtf8 {
    /// How many bytes of the plain text precede the first byte that is not UTF-8.
    pub valid: usize,
    /// The number of the line, from 1.
    pub line: usize,
    /// The first byte that is not UTF-8.
    pub byte: u8,
}

/// Returns the plain text of a file's bytes.
///
/// # Errors
///
/// Fails if the bytes are not UTF-8.
pub fn plain(bytes: &[u8]) -> Result<Cow<'_, str>, NotUtf8> {
    let not_utf8 = |bytes: &[u8], valid: usize| NotUtf8 {
        valid,
        line: bytes[..valid].iter().filter(|byte| **byte == b'\n').count() + 1,
        byte: bytes.get(valid).copied().unwrap_or_default(),
    };
    match plain_bytes(bytes) {
        Cow::Borrowed(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(error) => Err(not_utf8(bytes, error.valid_up_to())),
        },
        Cow::Owned(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Cow::Owned(text)),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                Err(not_utf8(error.as_bytes(), valid))
            }
        },
    }
}

/// Returns the plain text of a file's bytes, in which U+FFFD stands for what is not UTF-8. Up to the first U+FFFD the
/// offsets are those of [`plain`].
#[must_use]
pub fn plain_lossy(bytes: &[u8]) -> Cow<'_, str> {
    match plain_bytes(bytes) {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

fn plain_bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let has_crlf = bytes.windows(2).any(|pair| pair == b"\r\n");
    let is_ended = bytes.is_empty() || bytes.ends_with(b"\n");
    if !has_crlf && is_ended {
        return Cow::Borrowed(bytes);
    }
    let mut plain = Vec::with_capacity(bytes.len() + 1);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        plain.extend_from_slice(content(line));
        plain.push(b'\n');
    }
    Cow::Owned(plain)
}

/// Returns a line without its end.
fn content(line: &[u8]) -> &[u8] {
    match line.strip_suffix(b"\n") {
        Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
        None => line,
    }
}

/// Reads the lines of a plain text one by one, for texts that are too long to be held in memory.
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    /// How many lines were read.
    count: usize,
    /// The longest line that is accepted, in bytes, with its end.
    limit: usize,
}

impl<R: BufRead> Lines<R> {
    /// Reads lines of at most `limit` bytes.
    pub fn new(reader: R, limit: usize) -> Lines<R> {
        Lines {
            reader,
            count: 0,
            limit,
        }
    }

    /// Returns the next line with an LF behind it, or no bytes at the end of the file.
    ///
    /// # Errors
    ///
    /// Fails if the reader fails, or with [`ReadError::LineTooLong`].
    pub fn next_line(&mut self) -> io::Result<Vec<u8>> {
        let limit = self.limit;
        let mut line = Vec::new();
        let mut bounded = Read::take(&mut self.reader, limit as u64 + 1);
        bounded.read_until(b'\n', &mut line)?;
        self.count += 1;
        if line.len() > limit {
            let line = self.count;
            return Err(io::Error::other(ReadError::LineTooLong { line, limit }));
        }
        if self.count == 1 && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        if !line.is_empty() {
            line.truncate(content(&line).len());
            line.push(b'\n');
        }
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All texts of up to `length` of the pieces that matter for the plain form.
    fn texts(length: usize) -> Vec<Vec<u8>> {
        const PIECES: [&[u8]; 6] = [
            b"\r",
            b"\n",
            b"a",
            BYTE_ORDER_MARK,
            b"\xff",
            "\u{e9}".as_bytes(),
        ];
        let mut texts = vec![Vec::new()];
        let mut last = texts.clone();
        for _ in 0..length {
            let longer = last
                .iter()
                .flat_map(|text| PIECES.map(|piece| [text.as_slice(), piece].concat()));
            last = longer.collect();
            texts.extend(last.iter().cloned());
        }
        texts
    }

    #[test]
    fn one_text_in_every_form_is_the_same_plain_text() {
        let text = "eins\n\nzwei \u{e9}\r3\n";
        for mark in ["", "\u{feff}"] {
            for end in ["\n", "\r\n"] {
                for last in [end, ""] {
                    let body = text.strip_suffix('\n').unwrap().replace('\n', end);
                    let kept = format!("{mark}{body}{last}");
                    assert_eq!(plain(kept.as_bytes()).as_deref(), Ok(text), "{kept:?}");
                }
            }
        }
        assert_eq!(plain(b"").as_deref(), Ok(""));
        assert_eq!(plain(BYTE_ORDER_MARK).as_deref(), Ok(""));
    }

    #[test]
    fn the_lines_are_those_of_the_whole_text() {
        for bytes in texts(5) {
            let mut lines = Lines::new(bytes.as_slice(), 100);
            let mut joined = Vec::new();
            loop {
                let line = lines.next_line().expect("memory can be read");
                if line.is_empty() {
                    break;
                }
                joined.extend(line);
            }
            assert_eq!(joined, *plain_bytes(&bytes), "{bytes:?}");
        }
    }

    #[test]
    fn invalid_utf_8_keeps_its_place_in_the_text() {
        let bytes = b"\xef\xbb\xbfa\r\nb\xff\r\n";
        let (valid, line, byte) = (3, 2, 0xff);
        assert_eq!(plain(bytes), Err(NotUtf8 { valid, line, byte }));
        assert_eq!(plain_lossy(bytes), "a\nb\u{fffd}\n");
        for bytes in texts(4) {
            let Err(NotUtf8 { valid, .. }) = plain(&bytes) else {
                continue;
            };
            assert!(
                plain_lossy(&bytes)[valid..].starts_with('\u{fffd}'),
                "{bytes:?}"
            );
        }
    }

    #[test]
    fn lines_are_read_up_to_the_limit() {
        let mut lines = Lines::new(b"abc\nabcd\n".as_slice(), 4);
        assert_eq!(lines.next_line().unwrap(), b"abc\n");
        let (line, limit) = (2, 4);
        let error = lines.next_line().expect_err("five bytes");
        assert_eq!(
            ReadError::from(error),
            ReadError::LineTooLong { line, limit }
        );
    }
}
