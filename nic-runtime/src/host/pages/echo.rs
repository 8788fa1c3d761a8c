//! A program that writes each message that it reads back.

use super::layout::{PagesOf, number_at};
use crate::host::program::{Actions, Happened, HostProgram};
use crate::host::window::WindowNews;

/// A program that waits for the number of a message in its first receive page to change, loads the message, and stores it
/// to its first send page. Of messages that are written faster than it looks it answers the last.
#[derive(Clone, Debug)]
pub struct PageEcho {
    pages: PagesOf,
    /// Length of a message in bytes.
    length: u32,
    /// The number of the last message that was answered.
    answered: u32,
}

impl PageEcho {
    /// Returns a program with these pages, for messages of this length.
    #[must_use]
    pub fn new(pages: PagesOf, length: u32) -> PageEcho {
        PageEcho {
            pages,
            length,
            answered: 0,
        }
    }

    fn wait(&self, actions: &mut Actions<'_>) {
        if let Some(&page) = self.pages.receives.first() {
            let word = (page, number_at(self.length));
            actions.wait_word(self.pages.endpoint, 0, word, (self.answered, None));
        }
    }
}

impl HostProgram for PageEcho {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let PagesOf {
            endpoint,
            ref sends,
            ref receives,
        } = self.pages;
        let (Some(&out), Some(&into)) = (sends.first(), receives.first()) else {
            // The reader of scenarios refuses a program without pages.
            return;
        };
        match what {
            Happened::Started => self.wait(actions),
            Happened::Window {
                what: WindowNews::Word { .. },
                ..
            } => actions.load(endpoint, 0, (into, 0, self.length)),
            Happened::Window {
                what: WindowNews::Loaded { payload, .. },
                ..
            } => {
                if let Some(number) = payload.last_chunk() {
                    self.answered = u32::from_le_bytes(*number);
                    actions.store(endpoint, 0, (out, 0), payload.to_vec());
                }
                self.wait(actions);
            }
            Happened::Window { .. }
            | Happened::Port { .. }
            | Happened::Message { .. }
            | Happened::Completed { .. }
            | Happened::Time
            | Happened::Connection { .. }
            | Happened::Vi { .. } => {}
        }
    }
}
