//! A program that writes messages to its pages, and waits for answers or not.

use super::layout::{PagesOf, message, number_at};
use crate::host::program::{Actions, Happened, HostProgram, Unfinished};
use crate::host::window::WindowNews;
use crate::spec::{PagePattern, PageTraffic};

/// A program that writes a number of messages, counted from 1.
///
/// With [`PagePattern::Ping`] it writes to its first send page, and waits for the answer in its first receive page before
/// it writes the next. With [`PagePattern::Stream`] it writes all messages, and waits for the answer to the last. With
/// [`PagePattern::Scatter`] it writes to its send pages in turn, and waits for nothing.
#[derive(Clone, Debug)]
pub struct PageWriter {
    pages: PagesOf,
    traffic: PageTraffic,
    /// The number of the last message that was written.
    written: u32,
    /// The number of the last message that has its answer.
    answered: u32,
}

impl PageWriter {
    /// Returns a program with these pages and messages.
    #[must_use]
    pub fn new(pages: PagesOf, traffic: PageTraffic) -> PageWriter {
        PageWriter {
            pages,
            traffic,
            written: 0,
            answered: 0,
        }
    }

    /// Writes the next message, if there is one. The ticket of a store is its number, and so a program with many messages
    /// has one store at a time among its actions.
    fn write(&mut self, actions: &mut Actions<'_>) {
        let PageTraffic {
            pattern,
            rounds,
            length,
        } = self.traffic;
        if self.written == rounds {
            return;
        }
        let page = match pattern {
            PagePattern::Scatter => {
                let pages = self.pages.sends.len().max(1);
                self.pages.sends.get(self.written as usize % pages)
            }
            PagePattern::Ping | PagePattern::Stream => self.pages.sends.first(),
        };
        // The reader of scenarios refuses a program without pages.
        let Some(&page) = page else { return };
        self.written += 1;
        let bytes = message(self.written, length);
        let ticket = self.written.into();
        actions.store(self.pages.endpoint, ticket, (page, 0), bytes);
        match pattern {
            PagePattern::Ping => self.wait(actions),
            PagePattern::Stream if self.written == rounds => self.wait(actions),
            // The time of the next message is that at which the store before it is made.
            PagePattern::Stream | PagePattern::Scatter => actions.wake_at(actions.now()),
        }
    }

    /// Waits for another number than that of the last answer.
    fn wait(&mut self, actions: &mut Actions<'_>) {
        if let Some(&page) = self.pages.receives.first() {
            let word = (page, number_at(self.traffic.length));
            let ticket = self.written.into();
            actions.wait_word(self.pages.endpoint, ticket, word, (self.answered, None));
        }
    }
}

impl HostProgram for PageWriter {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        match what {
            Happened::Started | Happened::Time => self.write(actions),
            Happened::Window {
                what: WindowNews::Word { value, .. },
                ..
            } => {
                self.answered = value.unwrap_or(self.answered);
                match self.answered == self.written {
                    true => self.write(actions),
                    // An answer to an earlier message of a stream.
                    false => self.wait(actions),
                }
            }
            Happened::Window { .. }
            | Happened::Port { .. }
            | Happened::Message { .. }
            | Happened::Completed { .. }
            | Happened::Connection { .. }
            | Happened::Vi { .. } => {}
        }
    }

    fn unfinished(&self) -> Option<Unfinished> {
        let (done, what) = match self.traffic.pattern {
            PagePattern::Ping | PagePattern::Stream => (self.answered, "have their answers"),
            PagePattern::Scatter => (self.written, "are written"),
        };
        let rounds = self.traffic.rounds;
        (done < rounds).then(|| Unfinished {
            after: format!("{done} of {rounds} messages {what}"),
            has_stopped: false,
        })
    }
}
