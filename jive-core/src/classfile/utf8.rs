//! Modified UTF-8 (JVMS §4.4.7): validation, and display without control characters.

use core::fmt::{self, Write};

use crate::plain::is_plain;

/// A string of the constant pool.
///
/// The bytes of the string are valid modified UTF-8. Valid modified UTF-8 contains no zero byte, no four-byte form, no
/// incomplete sequence, and no overlong form except that of zero. Surrogates may be unpaired.
///
/// A string of the constant pool is compared with a `&str` byte by byte. The comparison with a `&str` is exact if the
/// `&str` has no zeros and no characters above U+FFFF. `Display` escapes what is not [plain](is_plain).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Utf8<'a>(&'a [u8]);

impl<'a> Utf8<'a> {
    /// Validates bytes as modified UTF-8.
    ///
    /// # Errors
    ///
    /// If a sequence is malformed, the error is the offset of the first byte of the sequence.
    pub fn new(bytes: &'a [u8]) -> Result<Self, usize> {
        let mut rest = bytes;
        while !rest.is_empty() {
            match next_unit(rest) {
                Some((_, after)) => rest = after,
                None => return Err(bytes.len().saturating_sub(rest.len())),
            }
        }
        Ok(Self(bytes))
    }

    /// Wraps bytes that the parser has validated.
    pub(super) const fn from_checked(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes.
    #[must_use]
    pub const fn as_bytes(self) -> &'a [u8] {
        self.0
    }
}

/// Decodes the first UTF-16 code unit, and returns it with the remaining bytes.
fn next_unit(bytes: &[u8]) -> Option<(u16, &[u8])> {
    const CONTINUATION: u8 = 0b1000_0000;
    let bits =
        |byte: u8| (byte & 0b1100_0000 == CONTINUATION).then_some(u16::from(byte & 0b0011_1111));
    match *bytes {
        [a @ 0x01..=0x7f, ref rest @ ..] => Some((u16::from(a), rest)),
        [a @ 0xc0..=0xdf, b, ref rest @ ..] => {
            let unit = u16::from(a & 0b0001_1111) << 6 | bits(b)?;
            (unit == 0 || unit >= 0x80).then_some((unit, rest))
        }
        [a @ 0xe0..=0xef, b, c, ref rest @ ..] => {
            let unit = u16::from(a & 0b0000_1111) << 12 | bits(b)? << 6 | bits(c)?;
            (unit >= 0x800).then_some((unit, rest))
        }
        _ => None,
    }
}

impl PartialEq<str> for Utf8<'_> {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl PartialEq<&str> for Utf8<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl fmt::Display for Utf8<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Escaped(self.0), f)
    }
}

impl fmt::Debug for Utf8<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

/// Displays bytes that may not be valid modified UTF-8, so that they cannot control a terminal.
///
/// Characters that are not [plain](is_plain), unpaired surrogates and backslashes are shown as `\u{…}`. Bytes that are not modified UTF-8 are shown as `\x…`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Escaped<'a>(pub &'a [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(&byte) = rest.first() {
            let Some((unit, after)) = next_unit(rest) else {
                write!(f, "\\x{byte:02x}")?;
                rest = rest.get(1..).unwrap_or(&[]);
                continue;
            };
            let (decoded, after) = pair_up(unit, after);
            match decoded {
                Ok(character) if character != '\\' && is_plain(character) => {
                    f.write_char(character)?
                }
                Ok(character) => write!(f, "\\u{{{:x}}}", u32::from(character))?,
                Err(unpaired) => write!(f, "\\u{{{unpaired:x}}}")?,
            }
            rest = after;
        }
        Ok(())
    }
}

/// Decodes a code unit as a character. If the next code unit completes a surrogate pair, consumes that code unit too.
fn pair_up(unit: u16, after: &[u8]) -> (Result<char, u16>, &[u8]) {
    let low = next_unit(after);
    let units = [Some(unit), low.map(|(unit, _)| unit)];
    match char::decode_utf16(units.into_iter().flatten()).next() {
        Some(Ok(character)) if character.len_utf16() == 2 => {
            (Ok(character), low.map_or(after, |(_, rest)| rest))
        }
        Some(Ok(character)) => (Ok(character), after),
        Some(Err(_)) | None => (Err(unit), after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern crate std;
    use std::string::ToString;

    #[test]
    fn the_boundaries_of_each_form_are_enforced() {
        // The test covers the least and greatest code unit of each form in JVMS §4.4.7, including surrogates.
        let valid: [&[u8]; 7] = [
            b"\x01",
            b"\x7f",
            b"\xc0\x80",
            b"\xc2\x80",
            b"\xdf\xbf",
            b"\xe0\xa0\x80",
            b"\xed\xbf\xbf",
        ];
        for bytes in valid {
            assert_eq!(Utf8::new(bytes).map(Utf8::as_bytes), Ok(bytes));
        }
        let malformed: [&[u8]; 8] = [
            b"\x00",
            b"\x80",
            b"\xc1\xbf",
            b"\xc2",
            b"\xc2\x41",
            b"\xe0\x9f\xbf",
            b"\xe0\xa0",
            b"\xf0\x90\x80\x80",
        ];
        for bytes in malformed {
            assert_eq!(Utf8::new(bytes), Err(0), "{bytes:x?}");
        }
        assert_eq!(Utf8::new(b"ab\xff"), Err(2));
    }

    #[test]
    fn surrogate_pairs_are_displayed_as_one_character() {
        // U+1F4A9 is the surrogate pair D83D DCA9.
        let pair = Utf8::new(b"\xed\xa0\xbd\xed\xb2\xa9").unwrap();
        assert_eq!(pair.to_string(), "\u{1f4a9}");
        assert_eq!(Utf8::new("é€".as_bytes()).unwrap().to_string(), "é€");
    }

    #[test]
    fn names_cannot_control_the_terminal() {
        let shown = |bytes| Escaped(bytes).to_string();
        assert_eq!(shown(b"\x1b[2J"), "\\u{1b}[2J");
        assert_eq!(shown(b"a\nb\x7f"), "a\\u{a}b\\u{7f}");
        // The string has a C1 control, a right-to-left override, a line separator, a zero, and unpaired surrogates.
        assert_eq!(shown(b"\xc2\x9b"), "\\u{9b}");
        assert_eq!(shown("\u{202e}\u{2028}".as_bytes()), "\\u{202e}\\u{2028}");
        assert_eq!(shown(b"\xc0\x80"), "\\u{0}");
        assert_eq!(shown(b"\xed\xa0\xbdx"), "\\u{d83d}x");
        assert_eq!(shown(b"\xed\xb2\xa9"), "\\u{dca9}");
        // A literal backslash is escaped, and invalid bytes are shown in hexadecimal.
        assert_eq!(shown(b"\\u{a}"), "\\u{5c}u{a}");
        assert_eq!(shown(b"\xff\xc3"), "\\xff\\xc3");
    }
}
