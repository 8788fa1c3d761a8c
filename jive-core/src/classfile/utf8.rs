//! Modified UTF-8 (JVMS §4.4.7): its check, and its display on a terminal that it must not command.

use core::fmt::{self, Write};

/// A string of the constant pool.
///
/// Holding one proves that the bytes are modified UTF-8. There is no zero byte, no four-byte form, no overlong form but
/// that of zero, and no sequence cut short. Surrogates may stand unpaired.
///
/// It compares with `&str` byte by byte, which is right wherever the `&str` holds neither zeros nor
/// characters beyond U+FFFF. `Display` shows it with control characters escaped.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Utf8<'a>(&'a [u8]);

impl<'a> Utf8<'a> {
    /// Checks that bytes are modified UTF-8, and returns the offset of the first that is not otherwise.
    ///
    /// # Errors
    ///
    /// Where a sequence is malformed: the offset of its first byte.
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

    /// Wraps bytes that the parser has checked.
    pub(super) const fn vouched(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes.
    #[must_use]
    pub const fn as_bytes(self) -> &'a [u8] {
        self.0
    }
}

/// Splits the first UTF-16 code unit from modified UTF-8.
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

/// Shows bytes that claim to be modified UTF-8 without letting them command a terminal.
///
/// Control characters, line separators, characters that turn the direction of text, unpaired surrogates and backslashes
/// appear as `\u{…}`. Bytes that are not modified UTF-8 appear as `\x…`.
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
                Ok(character) if is_plain(character) => f.write_char(character)?,
                Ok(character) => write!(f, "\\u{{{:x}}}", u32::from(character))?,
                Err(unpaired) => write!(f, "\\u{{{unpaired:x}}}")?,
            }
            rest = after;
        }
        Ok(())
    }
}

/// Joins a code unit with the one behind it where the two are a surrogate pair.
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

/// Returns whether a character shows as itself and does nothing else.
fn is_plain(character: char) -> bool {
    !character.is_control()
        && !matches!(
            character,
            '\\' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    extern crate std;
    use std::string::ToString;

    #[test]
    fn the_boundaries_of_each_form_are_held() {
        // JVMS §4.4.7: the least and greatest unit of each form, surrogates included.
        let whole: [&[u8]; 7] = [
            b"\x01",
            b"\x7f",
            b"\xc0\x80",
            b"\xc2\x80",
            b"\xdf\xbf",
            b"\xe0\xa0\x80",
            b"\xed\xbf\xbf",
        ];
        for bytes in whole {
            assert_eq!(Utf8::new(bytes).map(Utf8::as_bytes), Ok(bytes));
        }
        let broken: [&[u8]; 8] = [
            b"\x00",
            b"\x80",
            b"\xc1\xbf",
            b"\xc2",
            b"\xc2\x41",
            b"\xe0\x9f\xbf",
            b"\xe0\xa0",
            b"\xf0\x90\x80\x80",
        ];
        for bytes in broken {
            assert_eq!(Utf8::new(bytes), Err(0), "{bytes:x?}");
        }
        assert_eq!(Utf8::new(b"ab\xff"), Err(2));
    }

    #[test]
    fn characters_beyond_the_plane_show_as_themselves() {
        // U+1F4A9 is the pair D83D DCA9.
        let pair = Utf8::new(b"\xed\xa0\xbd\xed\xb2\xa9").unwrap();
        assert_eq!(pair.to_string(), "\u{1f4a9}");
        assert_eq!(Utf8::new("é€".as_bytes()).unwrap().to_string(), "é€");
    }

    #[test]
    fn a_name_cannot_command_the_terminal() {
        let shown = |bytes| Escaped(bytes).to_string();
        assert_eq!(shown(b"\x1b[2J"), "\\u{1b}[2J");
        assert_eq!(shown(b"a\nb\x7f"), "a\\u{a}b\\u{7f}");
        // C1 control, right-to-left override, line separator, zero, unpaired surrogates.
        assert_eq!(shown(b"\xc2\x9b"), "\\u{9b}");
        assert_eq!(shown("\u{202e}\u{2028}".as_bytes()), "\\u{202e}\\u{2028}");
        assert_eq!(shown(b"\xc0\x80"), "\\u{0}");
        assert_eq!(shown(b"\xed\xa0\xbdx"), "\\u{d83d}x");
        assert_eq!(shown(b"\xed\xb2\xa9"), "\\u{dca9}");
        // What only looks like an escape is told apart, and bytes that are no text are shown.
        assert_eq!(shown(b"\\u{a}"), "\\u{5c}u{a}");
        assert_eq!(shown(b"\xff\xc3"), "\\xff\\xc3");
    }
}
