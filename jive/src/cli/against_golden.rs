//! Comparison of a trace with its golden trace, line by line, while the trace is written. Only the lines from the first
//! difference on are kept in memory.

use std::io::{self, BufRead, Write};

use jive_embed::plain_text::Lines;

use super::event_diff::{self, Events};

/// Maximum number of lines of each trace that are compared, from the first difference on. The time of the comparison
/// grows with the product of the two traces' numbers of lines.
const DIFFERENCE_LINES_MAX: usize = 2_000;

/// Maximum number of bytes of each trace that are kept, from the first difference on: about 200 for each line.
const DIFFERENCE_BYTES_MAX: usize = 400_000;

/// The longest line of a golden trace in bytes, with its newline: many times the longest event.
const LINE_BYTES_MAX: usize = 1 << 16;

/// A writer that takes a trace and compares each line with the golden trace.
pub(super) struct AgainstGolden<R> {
    golden: Lines<R>,
    /// How many lines were equal before the first difference.
    alike: usize,
    /// The bytes of the line that is not complete yet.
    line: Vec<u8>,
    /// The lines of both traces from the first difference on; `None` while they are equal.
    difference: Option<Difference>,
}

/// The lines of both traces from the first difference on.
#[derive(Default)]
struct Difference {
    golden: Kept,
    now: Kept,
}

/// The lines of one trace from the first difference on, up to the limits.
#[derive(Default)]
struct Kept {
    lines: Vec<Vec<u8>>,
    bytes: usize,
    /// How many lines of the trace were omitted after the kept lines.
    behind: usize,
}

impl Kept {
    fn add(&mut self, line: Vec<u8>) {
        let bytes = self.bytes + line.len();
        let fits = self.lines.len() < DIFFERENCE_LINES_MAX && bytes <= DIFFERENCE_BYTES_MAX;
        if self.behind > 0 || !fits {
            self.behind += 1;
            return;
        }
        self.bytes = bytes;
        self.lines.push(line);
    }

    /// Returns how many lines may be compared: only the kept lines if lines of this trace were omitted, and any number
    /// otherwise.
    fn comparable(&self) -> usize {
        match self.behind {
            0 => usize::MAX,
            _ => self.lines.len(),
        }
    }

    /// Keeps only the first `compared` lines, and counts the dropped lines as omitted.
    fn cut(&mut self, compared: usize) {
        let cut = self.lines.len().saturating_sub(compared);
        self.lines.truncate(compared);
        self.behind += cut;
    }
}

impl<R: BufRead> AgainstGolden<R> {
    pub(super) fn new(golden: R) -> AgainstGolden<R> {
        AgainstGolden {
            golden: Lines::new(golden, LINE_BYTES_MAX),
            alike: 0,
            line: Vec::new(),
            difference: None,
        }
    }

    /// Ends the trace. Returns a description of the differences, event by event, or `None` if the traces are equal.
    ///
    /// # Errors
    ///
    /// Returns an error if the golden trace cannot be read.
    pub(super) fn finish(mut self) -> io::Result<Option<String>> {
        if !self.line.is_empty() {
            let mut line = std::mem::take(&mut self.line);
            line.push(b'\n');
            self.take_line(line)?;
        }
        let mut rest = self.golden.next_line()?;
        if !rest.is_empty() && self.difference.is_none() {
            self.difference = Some(Difference::default());
        }
        let Some(mut difference) = self.difference else {
            return Ok(None);
        };
        while !rest.is_empty() {
            difference.golden.add(rest);
            rest = self.golden.next_line()?;
        }
        Ok(Some(difference.show(self.alike)))
    }

    fn take_line(&mut self, line: Vec<u8>) -> io::Result<()> {
        if let Some(difference) = &mut self.difference {
            difference.now.add(line);
            return Ok(());
        }
        let golden = self.golden.next_line()?;
        if golden == line {
            self.alike += 1;
            return Ok(());
        }
        let mut difference = Difference::default();
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
    /// Describes the differences; `before` events at the start of each trace are equal.
    fn show(mut self, before: usize) -> String {
        let compared = self.golden.comparable().min(self.now.comparable());
        self.golden.cut(compared);
        self.now.cut(compared);
        let (golden, now) = (
            Events::new(self.golden.lines, before),
            Events::new(self.now.lines, before),
        );
        let mut text = event_diff::show(&golden, &now);
        if compared != usize::MAX {
            text.push_str(&format!(
                "(not compared behind event {}: {} more in the golden trace, {} more now)\n",
                before + compared,
                self.golden.behind,
                self.now.behind,
            ));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use jive_embed::input::ReadError;

    use super::*;

    fn difference(golden: &str, now: &str) -> Option<String> {
        let mut against = AgainstGolden::new(golden.as_bytes());
        // Write the trace in small pieces, as a formatter does.
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
    fn a_line_of_no_event_is_gone_and_another_new() {
        let shown = difference("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\nX\nf\n").expect("e is X");
        assert_eq!(shown, "- event 5: e\n+ event 5: X\n");
    }

    #[test]
    fn what_one_trace_has_more_is_a_difference() {
        let longer = difference("a\n", "a\nb\n").expect("b is new");
        assert_eq!(longer, "+ event 2: b\n");
        let shorter = difference("a\nb\nc\n", "a\n").expect("b and c are gone");
        assert_eq!(shorter, "- event 2: b\n- event 3: c\n");
    }

    #[test]
    fn no_more_than_a_bounded_number_of_lines_is_compared() {
        let golden = "a\n".repeat(5_000);
        let now = "b\n".repeat(6_000);
        let shown = difference(&golden, &now).expect("every line differs");
        let end = "(3960 more changes: 1960 gone, 2000 new)\n\
                   (not compared behind event 2000: 3000 more in the golden trace, 4000 more now)\n";
        assert!(shown.ends_with(end), "{shown}");
        assert_eq!(shown.lines().count(), 40 + 2);
    }

    #[test]
    fn no_more_than_a_bounded_number_of_bytes_is_compared() {
        let golden = format!("{}\n", "a".repeat(50_000)).repeat(100);
        let now = "b\n".repeat(5_000);
        let shown = difference(&golden, &now).expect("every line differs");
        let end = "(not compared behind event 7: 93 more in the golden trace, 4993 more now)\n";
        assert!(shown.ends_with(end), "{shown}");
        assert_eq!(shown.lines().count(), 2 * 7 + 1);
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
