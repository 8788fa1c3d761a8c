//! A progress line for long work, shown on terminals only.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Work that is shorter than this time shows no progress line.
const PATIENCE: Duration = Duration::from_secs(2);

/// Moves to the start of the current line and erases it (ECMA-48 §8.3.41).
const ERASE_LINE: &str = "\r\x1b[K";

/// A line on standard error with the number of finished items.
#[derive(Debug)]
pub(super) struct Progress {
    noun: &'static str,
    total: u64,
    done: u64,
    began: Instant,
    /// Whether standard error is a terminal; no line is shown elsewhere.
    has_terminal: bool,
    is_shown: bool,
}

impl Progress {
    /// Begins work on `total` items; `noun` is their name in the plural.
    pub(super) fn new(noun: &'static str, total: u64) -> Progress {
        Progress {
            noun,
            total,
            done: 0,
            began: Instant::now(),
            has_terminal: io::stderr().is_terminal(),
            is_shown: false,
        }
    }

    /// Shows nothing if the user asked for quiet.
    pub(super) fn unless(mut self, is_quiet: bool) -> Progress {
        self.has_terminal &= !is_quiet;
        self
    }

    /// Counts one more finished item.
    pub(super) fn advance(&mut self) {
        self.done += 1;
    }

    /// Learns how many items are finished.
    pub(super) fn reach(&mut self, done: u64) {
        self.done = done;
    }

    /// Shows the current progress.
    pub(super) fn show(&mut self) {
        if let Some(line) = self.line(self.began.elapsed()) {
            self.is_shown = true;
            write(&format!("{ERASE_LINE}{line}"));
        }
    }

    /// Returns whether the progress line is on the terminal, where it must be erased before other output.
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
        is_due.then(|| format!("{done} of {total} {noun}{}", self.left(elapsed)))
    }

    /// Returns how long the rest takes, if it takes as long as what is finished.
    fn left(&self, elapsed: Duration) -> String {
        if self.done == 0 {
            return String::new();
        }
        let rest = self.total.saturating_sub(self.done) as f64;
        let seconds = elapsed.as_secs_f64() * rest / self.done as f64;
        match seconds {
            ..90.0 => format!(", about {seconds:.0} s left"),
            90.0..5_400.0 => format!(", about {:.0} min left", seconds / 60.0),
            _ => format!(", about {:.1} h left", seconds / 3_600.0),
        }
    }
}

/// A line on standard error with the number of events of a long run, in thousands.
#[derive(Debug)]
pub(super) struct Pulse {
    began: Instant,
    /// How often the run has asked whether it is interrupted: about once in a thousand events.
    asked: Cell<u64>,
    has_terminal: bool,
    shown: Cell<Option<u64>>,
}

impl Pulse {
    /// Begins a run, whose progress line is shown only if `is_wanted` is set.
    pub(super) fn new(is_wanted: bool) -> Pulse {
        Pulse {
            began: Instant::now(),
            asked: Cell::new(0),
            has_terminal: is_wanted && io::stderr().is_terminal(),
            shown: Cell::new(None),
        }
    }

    /// Counts a question of the run whether it is interrupted, and shows the progress line about once a second.
    pub(super) fn tick(&self) {
        self.asked.set(self.asked.get() + 1);
        if !self.has_terminal {
            return;
        }
        if let Some((second, line)) = self.line(self.began.elapsed()) {
            self.shown.set(Some(second));
            write(&format!("{ERASE_LINE}{line}"));
        }
    }

    /// Returns the progress line and the second in which it is shown, if a new line is due.
    fn line(&self, elapsed: Duration) -> Option<(u64, String)> {
        let second = elapsed.as_secs();
        let is_due = elapsed >= PATIENCE && self.shown.get() != Some(second);
        let thousands = self.asked.get();
        is_due.then(|| (second, format!("{thousands} thousand simulation events")))
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        if self.shown.get().is_some() {
            write(ERASE_LINE);
        }
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
            (true, 2, Some("1 of 12 scenarios, about 22 s left")),
            (true, 20, Some("1 of 12 scenarios, about 4 min left")),
            (false, 2, None),
        ] {
            progress.has_terminal = has_terminal;
            let shown = progress.line(Duration::from_secs(seconds));
            assert_eq!(shown.as_deref(), line);
        }
        progress.has_terminal = true;
        progress.reach(0);
        let shown = progress.line(PATIENCE);
        assert_eq!(shown.as_deref(), Some("0 of 12 scenarios"));
    }

    #[test]
    fn a_long_run_says_once_a_second_how_far_it_is() {
        let pulse = Pulse::new(false);
        (0..5).for_each(|_| pulse.tick());
        let line = |millis| pulse.line(Duration::from_millis(millis));
        let shown = Some((2, "5 thousand simulation events".to_owned()));
        assert_eq!((line(1_999), line(2_100)), (None, shown));
        pulse.shown.set(Some(2));
        assert_eq!(line(2_900), None);
        assert_eq!(line(3_000).map(|(second, _)| second), Some(3));
        // Reset the mark that this test has set, because the progress line is not on the terminal.
        pulse.shown.set(None);
    }
}
