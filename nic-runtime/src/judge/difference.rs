//! The first difference between the expected and the received bytes of a message, shown as hex dump rows.

use std::fmt;

use crate::hexdump::{HexRow, ROW_BYTES};

/// The first byte that differs, and the row that contains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The offset of the first byte that differs. The offset may be the end of the shorter of the expected and the
    /// received bytes.
    pub offset: usize,
    /// The number of expected bytes.
    pub expected_length: usize,
    /// The number of received bytes.
    pub found_length: usize,
    expected_row: Vec<u8>,
    found_row: Vec<u8>,
}

impl Difference {
    /// Compares expected with received bytes. Returns `None` if expected and received bytes are equal. The function
    /// `found` is called for each pass over the received bytes.
    pub fn between<I: Iterator<Item = u8>>(
        expected: &[u8],
        found: impl Fn() -> I,
    ) -> Option<Difference> {
        let mut pairs = found();
        let alike = expected
            .iter()
            .take_while(|byte| pairs.next() == Some(**byte));
        let offset = alike.count();
        let found_length = found().count();
        if offset == expected.len() && offset == found_length {
            return None;
        }
        let row = offset - offset % ROW_BYTES;
        Some(Difference {
            offset,
            expected_length: expected.len(),
            found_length,
            expected_row: expected.iter().skip(row).take(ROW_BYTES).copied().collect(),
            found_row: found().skip(row).take(ROW_BYTES).collect(),
        })
    }
}

impl fmt::Display for Difference {
    /// Shows the expected row above the received row, and marks the first byte that differs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = self.offset % ROW_BYTES;
        let offset = self.offset - column;
        if self.expected_length == self.found_length {
            write!(f, "byte {} differs", self.offset)?;
        } else {
            let (expected, found) = (self.expected_length, self.found_length);
            write!(
                f,
                "expected {expected} bytes, found {found}; byte {} differs",
                self.offset
            )?;
        }
        let rows = [("expected", &self.expected_row), ("found", &self.found_row)];
        for (name, bytes) in rows {
            write!(f, "\n{name:<8}  {}", HexRow { offset, bytes })?;
        }
        // The mark is below the differing digits: after the name, the offset, and three characters for each earlier
        // byte of the row.
        let margin = 8 + 2 + 8 + 2 + 3 * column;
        write!(f, "\n{:margin$}^^", "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(expected: &[u8], found: &[u8]) -> Option<Difference> {
        Difference::between(expected, || found.iter().copied())
    }

    #[test]
    fn bytes_that_are_alike_do_not_differ() {
        assert_eq!(between(b"", b""), None);
        assert_eq!(between(b"hello", b"hello"), None);
    }

    #[test]
    fn the_row_of_the_first_difference_is_shown_twice() {
        let difference = between(b"0123456789abcdefhello", b"0123456789abcdefheLlo");
        let shown = difference.expect("a byte differs").to_string();
        assert_eq!(
            shown,
            "byte 18 differs\n\
             expected  00000010  68 65 6c 6c 6f                                   |hello|\n\
             found     00000010  68 65 4c 6c 6f                                   |heLlo|\n\
             \x20                         ^^"
        );
    }

    #[test]
    fn bytes_that_one_of_the_two_lacks_are_a_difference() {
        let shorter = between(b"hello", b"he").expect("bytes lack");
        assert_eq!(
            (
                shorter.offset,
                shorter.expected_length,
                shorter.found_length
            ),
            (2, 5, 2)
        );
        let longer = between(b"", b"\x00").expect("a byte too many");
        assert_eq!(
            longer.to_string(),
            "expected 0 bytes, found 1; byte 0 differs\n\
             expected  00000000                                                   ||\n\
             found     00000000  00                                               |.|\n\
             \x20                   ^^"
        );
    }
}
