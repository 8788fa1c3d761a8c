//! A progress line for long work, shown on terminals only.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Shorter work shows no progress line.
const PATIENCE: Duration = Duration::from_secs(2);

/// Moves to the start of the current line and erases it (ECMA-48 §8.3.41).
const ERASE_LINE: &str = "\r\x1b[K";

/// A line on standard error with the number of finished items.
#[derive(Debug)]
pub(super) struct Progress {
    noun: &'static str,
    total: usize,
    done: usize,
    began: Instant,
    /// Whether standard error is a terminal. If not, nothing is shown.
    has_terminal: bool,
    is_shown: bool,
}

impl Progress {
    /// Begins work on `total` items; `noun` is their name in the plural.
    pub(super) fn new(noun: &'static str, total: usize) -> Progress {
        Progress {
            noun,
            total,
            done: 0,
            began: Instant::now(),
            has_terminal: io::stderr().is_terminal(),
            is_shown: false,
        }
    }

    /// Counts one more finished item.
    pub(super) fn advance(&mut self) {
        self.done += 1;
    }

    /// Shows the current progress.
    pub(super) fn show(&mut self) {
        if let Some(line) = self.line(self.began.elapsed()) {
            self.is_shown = true;
            write(&format!("{ERASE_LINE}{line}"));
        }
    }

    /// Returns whether the line is on the terminal. It must be erased before other output.
    pub(super) fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// Erases the line.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            write(ERASE_LINE);
        }
    }

    fn line(&self, elapsed: Duration) -> Option<String> {
        let Progress {
            noun, total, done, ..
        } = self;
        let is_due = self.has_terminal && elapsed >= PATIENCE;
        is_due.then(|| format!("{done} of {total} {noun}"))
    }
}

fn write(text: &str) {
    let mut terminal = io::stderr();
    // Ignore the error: without a terminal nobody needs the progress line.
    let _ = terminal.write_all(text.as_bytes());
    let _ = terminal.flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_shown_on_a_terminal_and_after_two_seconds() {
        let mut progress = Progress::new("scenarios", 12);
        progress.advance();
        for (has_terminal, seconds, line) in [
            (true, 1, None),
            (true, 2, Some("1 of 12 scenarios")),
            (false, 2, None),
        ] {
            progress.has_terminal = has_terminal;
            let shown = progress.line(Duration::from_secs(seconds));
            assert_eq!(shown.as_deref(), line);
        }
    }
}
