//! A trace beside its golden one, compared line by line while it is written: only what a difference needs
//! is kept.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};

use anstyle::{AnsiColor, Style};
use jive_embed::input::ReadError;
use jive_embed::text::printable;
use similar::{ChangeTag, TextDiff};

/// Lines of each trace that are compared from the first difference on; comparing takes the product.
const DIFFERENCE_LINES_MAX: usize = 2_000;

/// Bytes of each trace that are kept from the first difference on: some 200 for each of these lines.
const DIFFERENCE_BYTES_MAX: usize = 400_000;

/// Bytes of a golden trace's line, its newline included: many times the longest event.
const LINE_BYTES_MAX: usize = 1 << 16;

/// Lines that are shown around a difference.
const CONTEXT_LINES: usize = 3;

/// Takes a trace as it is written, and compares it with a golden one.
pub(super) struct AgainstGolden<R> {
    golden: Lines<R>,
    /// Lines that were alike.
    alike: usize,
    /// The last of them.
    context: VecDeque<Vec<u8>>,
    /// The line that is being written.
    line: Vec<u8>,
    /// Where they differ, what each has from there on, the context before it included.
    difference: Option<Difference>,
}

/// The lines of a golden trace.
struct Lines<R> {
    golden: R,
    /// How many were read.
    count: usize,
}

impl<R: BufRead> Lines<R> {
    /// Returns the next line, its newline included; no bytes at the end.
    fn next(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        let limit = LINE_BYTES_MAX;
        let mut bounded = io::Read::take(&mut self.golden, limit as u64 + 1);
        bounded.read_until(b'\n', &mut line)?;
        self.count += 1;
        if line.len() > limit {
            let line = self.count;
            return Err(io::Error::other(ReadError::LineTooLong { line, limit }));
        }
        Ok(line)
    }
}

struct Difference {
    golden: Kept,
    now: Kept,
}

/// Lines of a trace around a difference, as many as are compared.
#[derive(Clone, Default)]
struct Kept {
    lines: Vec<Vec<u8>>,
    bytes: usize,
    /// Whether there are more than were kept.
    goes_on: bool,
}

impl Kept {
    fn add(&mut self, line: Vec<u8>) {
        let bytes = self.bytes + line.len();
        let fits = self.lines.len() < DIFFERENCE_LINES_MAX && bytes <= DIFFERENCE_BYTES_MAX;
        if self.goes_on || !fits {
            self.goes_on = true;
            return;
        }
        self.bytes = bytes;
        self.lines.push(line);
    }

    /// Returns how many lines can be compared.
    fn comparable(&self) -> usize {
        if self.goes_on {
            self.lines.len()
        } else {
            usize::MAX
        }
    }
}

impl<R: BufRead> AgainstGolden<R> {
    pub(super) fn new(golden: R) -> AgainstGolden<R> {
        AgainstGolden {
            golden: Lines { golden, count: 0 },
            alike: 0,
            context: VecDeque::new(),
            line: Vec::new(),
            difference: None,
        }
    }

    /// Ends the trace, and shows where it differs, an event a line; `None` where it does not.
    ///
    /// # Errors
    ///
    /// The golden trace cannot be read.
    pub(super) fn finish(mut self) -> io::Result<Option<String>> {
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.take_line(line)?;
        }
        let start = self.alike - self.context.len();
        let mut rest = self.golden.next()?;
        if !rest.is_empty() && self.difference.is_none() {
            self.difference = Some(Difference::after(&self.context));
        }
        let Some(mut difference) = self.difference else {
            return Ok(None);
        };
        while !rest.is_empty() && !difference.golden.goes_on {
            difference.golden.add(rest);
            rest = self.golden.next()?;
        }
        Ok(Some(difference.show(start)))
    }

    fn take_line(&mut self, line: Vec<u8>) -> io::Result<()> {
        if let Some(difference) = &mut self.difference {
            difference.now.add(line);
            return Ok(());
        }
        let golden = self.golden.next()?;
        if golden == line {
            self.alike += 1;
            if self.context.len() == CONTEXT_LINES {
                self.context.pop_front();
            }
            self.context.push_back(line);
            return Ok(());
        }
        let mut difference = Difference::after(&self.context);
        difference.now.add(line);
        if !golden.is_empty() {
            difference.golden.add(golden);
        }
        self.difference = Some(difference);
        Ok(())
    }
}

impl<R: BufRead> Write for AgainstGolden<R> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = match bytes.iter().position(|&byte| byte == b'\n') {
            Some(newline) => newline + 1,
            None => bytes.len(),
        };
        self.line.extend_from_slice(&bytes[..taken]);
        if self.line.ends_with(b"\n") {
            let line = std::mem::take(&mut self.line);
            self.take_line(line)?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Difference {
    fn after(context: &VecDeque<Vec<u8>>) -> Difference {
        let mut kept = Kept::default();
        for line in context {
            kept.add(line.clone());
        }
        Difference {
            golden: kept.clone(),
            now: kept,
        }
    }

    fn show(&self, start: usize) -> String {
        let compared = self.golden.comparable().min(self.now.comparable());
        let [golden, now] = [&self.golden, &self.now].map(|kept| {
            let shown = kept
                .lines
                .iter()
                .take(compared)
                .map(|line| String::from_utf8_lossy(line.trim_ascii_end()));
            shown.map(|line| printable(&line)).collect::<Vec<_>>()
        });
        let golden = golden.iter().map(String::as_str).collect::<Vec<_>>();
        let now = now.iter().map(String::as_str).collect::<Vec<_>>();
        let diff = TextDiff::from_slices(&golden, &now);
        let mut text = String::new();
        for group in diff.grouped_ops(CONTEXT_LINES) {
            let first = group.first().map_or(0, |op| op.old_range().start);
            text.push_str(&format!("@@ event {} @@\n", start + first + 1));
            for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                let (sign, style) = match change.tag() {
                    ChangeTag::Equal => (' ', Style::new()),
                    ChangeTag::Delete => ('-', AnsiColor::Red.on_default()),
                    ChangeTag::Insert => ('+', AnsiColor::Green.on_default()),
                };
                text.push_str(&format!("{style}{sign} {}{style:#}\n", change.value()));
            }
        }
        if compared != usize::MAX {
            let compared = start + compared;
            text.push_str(&format!("(not compared behind event {compared})\n"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(golden: &str, now: &str) -> Option<String> {
        let mut against = AgainstGolden::new(golden.as_bytes());
        // In pieces, as a formatter writes them.
        for piece in now.as_bytes().chunks(3) {
            against.write_all(piece).expect("memory can be read");
        }
        let shown = against.finish().expect("memory can be read")?;
        Some(anstream::adapter::strip_str(&shown).to_string())
    }

    #[test]
    fn traces_that_are_alike_do_not_differ() {
        assert_eq!(difference("", ""), None);
        assert_eq!(difference("a\nbcdef\n", "a\nbcdef\n"), None);
    }

    #[test]
    fn a_changed_line_stands_between_its_neighbours() {
        let shown = difference("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\nX\nf\n").expect("e is X");
        assert_eq!(shown, "@@ event 2 @@\n  b\n  c\n  d\n- e\n+ X\n  f\n");
    }

    #[test]
    fn what_one_trace_has_more_is_a_difference() {
        let longer = difference("a\n", "a\nb\n").expect("b is new");
        assert_eq!(longer, "@@ event 1 @@\n  a\n+ b\n");
        let shorter = difference("a\nb\nc\n", "a\n").expect("b and c are gone");
        assert_eq!(shorter, "@@ event 1 @@\n  a\n- b\n- c\n");
        assert!(difference("a\n", "a").is_some(), "the newline is gone");
    }

    #[test]
    fn no_more_than_a_bounded_number_of_lines_is_compared() {
        let golden = "a\n".repeat(5_000);
        let now = "b\n".repeat(5_000);
        let shown = difference(&golden, &now).expect("every line differs");
        assert!(shown.ends_with("(not compared behind event 2000)\n"));
        assert_eq!(shown.lines().count(), 1 + 2 * 2_000 + 1);
    }

    #[test]
    fn no_more_than_a_bounded_number_of_bytes_is_compared() {
        let golden = format!("{}\n", "a".repeat(50_000)).repeat(100);
        let now = "b\n".repeat(5_000);
        let shown = difference(&golden, &now).expect("every line differs");
        assert!(shown.ends_with("(not compared behind event 7)\n"));
        assert_eq!(shown.lines().count(), 1 + 2 * 7 + 1);
    }

    #[test]
    fn a_line_of_a_golden_trace_is_bounded() {
        let golden = format!("a\n{}", "a".repeat(LINE_BYTES_MAX + 1));
        let limit = LINE_BYTES_MAX;
        for now in ["a\nb\n", "a\n", "b\n"] {
            let mut against = AgainstGolden::new(golden.as_bytes());
            let taken = against.write_all(now.as_bytes());
            let error = taken.and_then(|()| against.finish()).expect_err("too long");
            let line = 2;
            assert_eq!(
                ReadError::from(error),
                ReadError::LineTooLong { line, limit }
            );
        }
    }
}
