//! Splits an assembly source into lines and words, and expands repetitions.

use super::REPEATED_BYTES_MAX;
use super::error::AsmErrorKind;

/// A line of a source, with the line number for error messages.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) number: u32,
    pub(super) text: String,
}

/// How many bytes of memory a line takes besides its text.
const LINE_BYTES: usize = size_of::<Line>();

/// A result whose error has a line number. `assemble` adds the file's name to the error.
pub(super) type Located<T> = Result<T, (u32, AsmErrorKind)>;

/// Splits a source into lines, removes comments and expands repetitions.
///
/// The directives `.repeat N` … `.end` repeat the lines between them N times. In the repeated lines, `{n}` stands for
/// 0, 1, … N-1 and `{n+1}` for one more.
pub(super) fn lines(source: &str) -> Located<Vec<Line>> {
    let mut written = Vec::new();
    let mut repeated: Option<(u32, u32, Vec<Line>)> = None;
    let mut room = REPEATED_BYTES_MAX;
    for (number, text) in (1_u32..).zip(source.lines()) {
        let text = without_comment(text).trim();
        if let Some(count) = text.strip_prefix(".repeat") {
            if repeated.is_some() {
                return Err((number, AsmErrorKind::UnpairedRepeat));
            }
            let count = count
                .trim()
                .parse()
                .map_err(|_| (number, unexpected("a count of repetitions", count.trim())))?;
            repeated = Some((number, count, Vec::new()));
        } else if text == ".end" {
            let (_, count, body) = repeated
                .take()
                .ok_or((number, AsmErrorKind::UnpairedRepeat))?;
            // A repetition without lines has no effect, so it is skipped: the limit of written bytes would not end its
            // loop.
            let count = if body.is_empty() { 0 } else { count };
            for n in 0..count {
                for line in &body {
                    let text = line.text.replace("{n}", &n.to_string());
                    let text = text.replace("{n+1}", &(u64::from(n) + 1).to_string());
                    room = room.checked_sub(text.len() + LINE_BYTES).ok_or_else(|| {
                        let limit = REPEATED_BYTES_MAX;
                        (number, AsmErrorKind::TooLong { limit })
                    })?;
                    written.push(Line {
                        number: line.number,
                        text,
                    });
                }
            }
        } else if !text.is_empty() {
            let line = Line {
                number,
                text: text.to_owned(),
            };
            match &mut repeated {
                Some((_, _, body)) => body.push(line),
                None => written.push(line),
            }
        }
    }
    match repeated {
        Some((number, _, _)) => Err((number, AsmErrorKind::UnpairedRepeat)),
        None => Ok(written),
    }
}

/// Removes a comment from a line. A comment begins with a `;` at the start or after a space; descriptors contain other
/// semicolons.
fn without_comment(text: &str) -> &str {
    let mut quoted = false;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '"' if before != '\\' => quoted = !quoted,
            ';' if !quoted && before.is_whitespace() => return &text[..at],
            _ => {}
        }
        before = c;
    }
    text
}

/// Reads the words of a line, from left to right.
#[derive(Debug)]
pub(super) struct Words<'t> {
    rest: &'t str,
}

impl<'t> Words<'t> {
    pub(super) fn new(text: &'t str) -> Words<'t> {
        Words { rest: text.trim() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the next word without consuming it. A quoted text is one word, including its quotes.
    pub(super) fn peek(&self) -> Option<&'t str> {
        let end = match self.rest.strip_prefix('"') {
            Some(text) => closing_quote(text).map_or(self.rest.len(), |at| at + 2),
            None => self
                .rest
                .find(char::is_whitespace)
                .unwrap_or(self.rest.len()),
        };
        (end > 0).then(|| &self.rest[..end])
    }

    pub(super) fn next(&mut self) -> Option<&'t str> {
        let word = self.peek()?;
        self.rest = self.rest[word.len()..].trim_start();
        Some(word)
    }

    pub(super) fn take(&mut self, expected: &'static str) -> Result<&'t str, AsmErrorKind> {
        self.next().ok_or(AsmErrorKind::LineTooShort { expected })
    }

    /// Consumes the next word if it is `word`.
    pub(super) fn accept(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        if found {
            self.next();
        }
        found
    }

    /// Consumes the next word, which must be `word`.
    pub(super) fn demand(&mut self, word: &'static str) -> Result<(), AsmErrorKind> {
        let found = self.take(word)?;
        if found == word {
            Ok(())
        } else {
            Err(unexpected(word, found))
        }
    }

    pub(super) fn finish(mut self) -> Result<(), AsmErrorKind> {
        match self.next() {
            Some(found) => Err(AsmErrorKind::LineTooLong {
                found: found.to_owned(),
            }),
            None => Ok(()),
        }
    }
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let closes = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        closes.then_some(at)
    })
}

pub(super) fn unexpected(expected: &'static str, found: &str) -> AsmErrorKind {
    AsmErrorKind::Unexpected {
        expected,
        found: found.to_owned(),
    }
}

/// Parses a decimal or `0x` number with an optional sign.
pub(super) fn number(word: &str) -> Result<i64, AsmErrorKind> {
    let (digits, negative) = match word.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (word.strip_prefix('+').unwrap_or(word), false),
    };
    // The digits are parsed as an unsigned number, so that a second sign is refused.
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    value
        .ok()
        .filter(|_| !digits.starts_with('+'))
        .and_then(|value| {
            if negative {
                0_i64.checked_sub_unsigned(value)
            } else {
                i64::try_from(value).ok()
            }
        })
        .ok_or_else(|| unexpected("a number", word))
}

/// Returns the bytes of a name or descriptor, in which `\xNN` stands for one byte. Any other backslash in a name or
/// descriptor stands for itself.
pub(super) fn unescaped(word: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some(at) = rest.find("\\x") {
        let (before, escape) = rest.split_at(at);
        bytes.extend(before.as_bytes());
        let digits = escape.get(2..4);
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) => {
                bytes.push(byte);
                rest = &escape[4..];
            }
            None => {
                bytes.extend(&escape.as_bytes()[..2]);
                rest = &escape[2..];
            }
        }
    }
    bytes.extend(rest.as_bytes());
    bytes
}

/// Parses a quoted text. In the text, `\xNN` stands for one byte, which need not be valid modified UTF-8.
pub(super) fn quoted(word: &str) -> Result<Vec<u8>, AsmErrorKind> {
    let wrong = || unexpected("a quoted text", word);
    let inner = word
        .strip_prefix('"')
        .and_then(|word| word.strip_suffix('"'))
        .ok_or_else(wrong)?;
    let mut bytes = Vec::new();
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
            continue;
        }
        bytes.push(match rest.next() {
            Some('n') => b'\n',
            Some('"') => b'"',
            Some('\\') => b'\\',
            Some('x') => {
                let digits: String = rest.by_ref().take(2).collect();
                u8::from_str_radix(&digits, 16).map_err(|_| wrong())?
            }
            _ => return Err(wrong()),
        });
    }
    Ok(bytes)
}
