//! One line of a text trace, split into time, place and fields.
//!
//! A golden trace may contain any text. A line that is no event is kept whole and has no fields.

use jive_embed::text::printable;

/// The units of times in a trace.
const UNITS: [&str; 4] = ["ns", "us", "ms", "s"];

/// One event of a trace, as text to show.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EventLine {
    text: String,
    /// The end of the time at the start of the line; 0 if there is no time.
    time_end: usize,
    /// The end of the columns that identify the event: NIC, endpoint and name.
    place_end: usize,
}

impl EventLine {
    /// Parses a line of a file. Characters that could control a terminal are escaped.
    pub(super) fn new(line: &[u8]) -> EventLine {
        let text = printable(&String::from_utf8_lossy(line.trim_ascii()));
        let tokens = tokens(&text);
        let token = |index: usize| tokens.get(index).map_or("", |range| &text[range.clone()]);
        let is_number = |word: &str| {
            word.starts_with(|c: char| c.is_ascii_digit())
                && word.chars().all(|c| c.is_ascii_digit() || c == '.')
        };
        let has_time = is_number(token(0)) && UNITS.contains(&token(1));
        let behind_time = if has_time { 2 } else { 0 };
        let time_end = match has_time {
            true => tokens.get(1).map_or(0, |unit| unit.end),
            false => 0,
        };
        let place = tokens.get(behind_time..behind_time + 3);
        let mut fields = tokens.iter().skip(behind_time + 3);
        let has_fields = fields.all(|range| text[range.clone()].contains('='));
        let place_end = match place {
            Some([.., name]) if has_fields => name.end,
            Some(_) | None => text.len(),
        };
        EventLine {
            text,
            time_end,
            place_end,
        }
    }

    /// Returns the whole line.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the time of the event, or an empty text.
    pub(super) fn time(&self) -> &str {
        &self.text[..self.time_end]
    }

    /// Returns the line without its time.
    pub(super) fn untimed(&self) -> &str {
        self.text[self.time_end..].trim_start()
    }

    /// Returns the columns NIC, endpoint and name of the event. A line that is no event is returned whole.
    pub(super) fn place(&self) -> &str {
        self.text[self.time_end..self.place_end].trim_start()
    }

    /// Returns the names and values of the fields.
    pub(super) fn fields(&self) -> Vec<(&str, &str)> {
        let rest = &self.text[self.place_end..];
        let fields = tokens(rest)
            .into_iter()
            .filter_map(|range| rest[range].split_once('='));
        fields.collect()
    }
}

/// Returns the ranges of the words of a line. Spaces between quotes do not end a word.
fn tokens(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, c) in text.char_indices() {
        if c == ' ' && !is_quoted {
            found.extend(start.take().map(|start| start..at));
            continue;
        }
        start.get_or_insert(at);
        is_quoted ^= c == '"' && !is_escaped;
        is_escaped = is_quoted && c == '\\' && !is_escaped;
    }
    found.extend(start.map(|start| start..text.len()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_trace_has_time_place_and_fields() {
        let line = b"     57.666 us  b     server    native        name=f args=[1,2] result=null\n";
        let line = EventLine::new(line);
        assert_eq!(line.time(), "57.666 us");
        assert_eq!(line.place(), "b     server    native");
        let fields = [("name", "f"), ("args", "[1,2]"), ("result", "null")];
        assert_eq!(line.fields(), fields);
        assert!(line.untimed().starts_with("b     server"));
    }

    #[test]
    fn a_quoted_name_is_one_word() {
        let line = EventLine::new(br#"1.000 us  "a b"  "say \"c d\""  load class="x y""#);
        assert_eq!(line.place(), r#""a b"  "say \"c d\""  load"#);
        assert_eq!(line.fields(), [("class", r#""x y""#)]);
    }

    #[test]
    fn a_line_without_a_time_begins_with_its_place() {
        let line = EventLine::new(b"b     server    drop          reason=crc");
        assert_eq!((line.time(), line.place()), ("", "b     server    drop"));
    }

    #[test]
    fn any_other_line_is_one_whole() {
        for text in ["", "a", "one two three four", "1.0 us", "\u{1b}[31m \""] {
            let line = EventLine::new(text.as_bytes());
            assert_eq!(line.fields(), []);
            assert_eq!(line.place(), line.untimed());
            assert!(!line.text().contains('\u{1b}'));
        }
    }
}
