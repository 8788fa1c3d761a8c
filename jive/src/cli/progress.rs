//! How far long work has come, on a terminal alone.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Work that takes less shows nothing.
const PATIENCE: Duration = Duration::from_secs(2);

/// Erases the line that the cursor is in (ECMA-48 §8.3.41), from its start on.
const ERASE_LINE: &str = "\r\x1b[K";

/// A line on standard error that says how many of many items are done.
#[derive(Debug)]
pub(super) struct Progress {
    noun: &'static str,
    total: usize,
    done: usize,
    began: Instant,
    /// Whether standard error is a terminal; nothing is shown elsewhere.
    has_terminal: bool,
    is_shown: bool,
}

impl Progress {
    /// Begins work on so many items, which `noun` names in the plural.
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

    /// Notes that one more item is done.
    pub(super) fn advance(&mut self) {
        self.done += 1;
    }

    /// Shows how far the work has come.
    pub(super) fn show(&mut self) {
        if let Some(line) = self.line(self.began.elapsed()) {
            self.is_shown = true;
            write(&format!("{ERASE_LINE}{line}"));
        }
    }

    /// Returns whether the terminal shows the line, which other output must not run into.
    pub(super) fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// Takes the line away.
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
    // A terminal that is gone needs no progress.
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
