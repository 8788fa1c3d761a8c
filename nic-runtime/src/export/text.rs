//! The trace as text: a line for each event.

use std::io::{self, Write};

use nic_core::event::fields::PayloadMode;
use nic_core::event::line::Line;
use nic_core::event::roles::Shown;
use nic_core::event::{Event, Names, Sink};

/// A sink that writes events as lines of text.
#[derive(Debug)]
pub struct TextTrace<W> {
    writer: W,
    payload_mode: PayloadMode,
    shows_work: bool,
    failure: Option<io::Error>,
}

impl<W: Write> TextTrace<W> {
    /// Starts a trace.
    pub fn new(writer: W, payload_mode: PayloadMode) -> TextTrace<W> {
        TextTrace {
            writer,
            payload_mode,
            shows_work: false,
            failure: None,
        }
    }

    /// Sets whether the trace shows the `work` events of processors.
    #[must_use]
    pub fn with_work(self, shows_work: bool) -> TextTrace<W> {
        TextTrace { shows_work, ..self }
    }

    /// Returns the writer.
    ///
    /// # Errors
    ///
    /// Returns the first error of the writer, after which nothing was written.
    pub fn finish(self) -> io::Result<W> {
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.writer),
        }
    }
}

impl<W: Write> Sink for TextTrace<W> {
    fn wants(&self, shown: Shown) -> bool {
        super::is_shown(shown, self.shows_work)
    }

    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let shown = event.kind.roles().shown;
        if self.failure.is_none() && super::is_shown(shown, self.shows_work) {
            let line = Line::new(names, event, self.payload_mode);
            self.failure = writeln!(self.writer, "{line}").err();
        }
    }

    fn has_failed(&self) -> bool {
        self.failure.is_some()
    }
}
