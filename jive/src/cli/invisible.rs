//! Names the difference of two lines that look alike, such as spaces at the end.

use jive_core::is_plain;

/// The most runs of equal characters that a description lists.
const RUNS_SHOWN_MAX: usize = 4;

/// A character of a line, or a byte that is not UTF-8.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Piece {
    Character(char),
    Byte(u8),
}

impl Piece {
    fn all(line: &[u8]) -> Vec<Piece> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let pieces = line.utf8_chunks().flat_map(|chunk| {
            let bytes = chunk.invalid().iter().copied().map(Piece::Byte);
            chunk.valid().chars().map(Piece::Character).chain(bytes)
        });
        pieces.collect()
    }

    /// Returns whether a reader sees this piece, and sees which it is.
    fn is_visible(self) -> bool {
        match self {
            Piece::Byte(_) | Piece::Character(char::REPLACEMENT_CHARACTER) => false,
            Piece::Character(character) => is_plain(character) && !character.is_whitespace(),
        }
    }

    fn described(self, count: usize) -> String {
        let (one, many) = match self {
            Piece::Character(' ') => ("a space".to_owned(), "spaces".to_owned()),
            Piece::Character('\t') => ("a tab".to_owned(), "tabs".to_owned()),
            Piece::Character('\r') => (
                "a carriage return".to_owned(),
                "carriage returns".to_owned(),
            ),
            Piece::Character(character) if self.is_visible() => {
                (format!("`{character}`"), format!("times `{character}`"))
            }
            Piece::Character(character) => {
                let number = u32::from(character);
                (format!("U+{number:04X}"), format!("times U+{number:04X}"))
            }
            Piece::Byte(byte) => (
                format!("byte {byte:#04x}, which is not UTF-8"),
                format!("times byte {byte:#04x}, which is not UTF-8"),
            ),
        };
        match count {
            1 => one,
            _ => format!("{count} {many}"),
        }
    }
}

/// Returns the visible characters of a line. Two lines look alike if these are equal.
pub(super) fn visible(line: &[u8]) -> String {
    let visible = Piece::all(line)
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Character(character) if piece.is_visible() => Some(character),
            Piece::Character(_) | Piece::Byte(_) => None,
        });
    visible.collect()
}

/// Describes a line without visible characters.
pub(super) fn blank(line: &[u8]) -> String {
    match &*Piece::all(line) {
        [] => "an empty line".to_owned(),
        pieces => format!("a line of {}", list(pieces)),
    }
}

/// Describes the first difference of two lines.
pub(super) fn difference(golden: &[u8], now: &[u8]) -> String {
    let (golden, now) = (Piece::all(golden), Piece::all(now));
    let alike = golden.iter().zip(&now).take_while(|(a, b)| a == b);
    // Both lines have equal pieces before the first difference, so a run that begins there is that of either.
    let mut start = alike.count();
    while start > 0 && !golden[start - 1].is_visible() {
        start -= 1;
    }
    let (old, new) = (run(&golden[start..]), run(&now[start..]));
    format!(
        "column {} is {old} in the golden trace, and {new} now",
        start + 1
    )
}

/// Describes the pieces that cannot be seen at the start of a rest of a line, or its first piece.
fn run(rest: &[Piece]) -> String {
    let hidden = rest.iter().take_while(|piece| !piece.is_visible()).count();
    match rest {
        [] => "the end of the line".to_owned(),
        _ => list(&rest[..hidden.max(1)]),
    }
}

fn list(pieces: &[Piece]) -> String {
    let mut runs = pieces.chunk_by(|a, b| a == b);
    let mut shown = runs
        .by_ref()
        .take(RUNS_SHOWN_MAX)
        .map(|run| run[0].described(run.len()))
        .collect::<Vec<_>>();
    let more = runs.count();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_named() {
        let of = |golden: &str, now: &str| difference(golden.as_bytes(), now.as_bytes());
        for (golden, now, expected) in [
            (
                "a b  \n",
                "a b\n",
                "column 4 is 2 spaces in the golden trace, and the end of the line now",
            ),
            (
                "a b\n",
                "a b\t\n",
                "column 4 is the end of the line in the golden trace, and a tab now",
            ),
            (
                "a b\r\n",
                "a b\n",
                "column 4 is a carriage return in the golden trace, and the end of the line now",
            ),
            (
                "a\u{a0}b\n",
                "a b\n",
                "column 2 is U+00A0 in the golden trace, and a space now",
            ),
            (
                "a b\n",
                "a   b\n",
                "column 2 is a space in the golden trace, and 3 spaces now",
            ),
            (
                " \ta\n",
                "  a\n",
                "column 1 is a space, a tab in the golden trace, and 2 spaces now",
            ),
            (
                "a\u{200b}b\n",
                "ab\n",
                "column 2 is U+200B in the golden trace, and `b` now",
            ),
        ] {
            assert_eq!(of(golden, now), expected);
            assert_eq!(visible(golden.as_bytes()), visible(now.as_bytes()));
        }
        assert_eq!(
            difference(b"a\xff", "a\u{fffd}".as_bytes()),
            "column 2 is byte 0xff, which is not UTF-8 in the golden trace, and U+FFFD now"
        );
        assert_eq!(blank(b"\n"), "an empty line");
        assert_eq!(blank(b"  \t\n"), "a line of 2 spaces, a tab");
        assert_ne!(visible(b"a b"), visible(b"a c"));
    }
}
