//! Bytes as hexadecimal digits and as text, 16 in a row, as `hexdump -C` prints them.

use std::fmt;

/// Bytes per row.
pub const ROW_BYTES: usize = 16;

/// A row: its offset, up to [`ROW_BYTES`] bytes, and the same bytes as text.
#[derive(Copy, Clone, Debug)]
pub struct HexRow<'b> {
    /// The offset of the row's first byte in the message.
    pub offset: usize,
    /// The bytes.
    pub bytes: &'b [u8],
}

impl fmt::Display for HexRow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}  ", self.offset)?;
        for column in 0..ROW_BYTES {
            match self.bytes.get(column) {
                Some(byte) => write!(f, "{byte:02x} ")?,
                None => f.write_str("   ")?,
            }
        }
        f.write_str(" |")?;
        for &byte in self.bytes {
            let plain = byte.is_ascii_graphic() || byte == b' ';
            write!(f, "{}", if plain { char::from(byte) } else { '.' })?;
        }
        f.write_str("|")
    }
}

/// Returns the rows of a message.
pub fn rows(message: &[u8]) -> impl Iterator<Item = HexRow<'_>> {
    let rows = message.chunks(ROW_BYTES).enumerate();
    rows.map(|(number, bytes)| HexRow {
        offset: number * ROW_BYTES,
        bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_offset_digits_and_text() {
        let shown: Vec<_> = rows(b"0123456789abcdef\x00~\x7f")
            .map(|row| row.to_string())
            .collect();
        let full = "00000000  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  |0123456789abcdef|";
        let rest = "00000010  00 7e 7f                                         |.~.|";
        assert_eq!(shown, [full, rest]);
        assert_eq!(rows(b"").count(), 0);
    }
}
