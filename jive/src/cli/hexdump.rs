//! A hex dump: 16 bytes on a line, with their offset and as text.

use std::fmt;

/// Bytes per line.
const LINE: usize = 16;

/// Formats bytes as a hex dump whose lines start with the given indent.
pub(super) struct Hexdump<'b>(pub(super) &'b [u8], pub(super) &'static str);

impl fmt::Display for Hexdump<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Hexdump(bytes, indent) = self;
        for (number, line) in bytes.chunks(LINE).enumerate() {
            write!(f, "{indent}{:04x} ", number * LINE)?;
            for byte in line {
                write!(f, " {byte:02x}")?;
            }
            let text = line.iter().map(|byte| match byte {
                b' '..=b'~' => char::from(*byte),
                _ => '.',
            });
            let gap = 3 * (LINE - line.len()) + 2;
            writeln!(f, "{:gap$}{}", "", text.collect::<String>())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_offset_digits_and_text() {
        let shown = Hexdump(b"0123456789abcdef\x00~\x7f", "  ").to_string();
        let full = "  0000  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef\n";
        let rest = "  0010  00 7e 7f                                         .~.\n";
        assert_eq!(shown, format!("{full}{rest}"));
        assert_eq!(Hexdump(b"", "").to_string(), "");
    }
}
