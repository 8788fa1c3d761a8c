//! How an end takes the messages of its peer.

use super::link::LinkEnd;
use super::message::{Message, SetUp, Write};
use super::names::{FrameId, PortId};
use super::pages::{PageTables, check_within};
use super::paging::Stopped;
use super::refused::Refused;
use super::set_up::Progress;
use crate::storage::Storage;

/// What a message does at the end that receives it.
#[derive(Debug)]
pub enum Received {
    /// A remote write. The caller puts its bytes into the frame.
    Write(Landing),
    /// A set-up message, with the answer to the peer.
    SetUp {
        /// What it did.
        progress: Progress,
        /// The answer.
        answer: Option<SetUp>,
    },
    /// A paging request. The caller takes the remaining steps.
    Paging(Stopped),
}

/// Where a remote write lands. Holding one proves that the frame holds the port and that the bytes lie in it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Landing {
    /// The port that the frame holds.
    pub port: PortId,
    /// The frame.
    pub frame: FrameId,
    /// Offset in the frame.
    pub offset: u32,
}

impl<S: Storage> LinkEnd<S> {
    /// Returns whether the controller takes no message until a paging request is served (S4-08).
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Takes the next message of the peer.
    ///
    /// # Errors
    ///
    /// Returns [`Refused`] if no honest peer could have sent it, and changes nothing. Whatever a peer sends concerns
    /// ports of this link alone, and no memory but their frames and backing memory.
    pub fn receive(
        &mut self,
        pages: &mut PageTables<S>,
        message: Message<'_>,
    ) -> Result<Received, Refused> {
        if self.is_stopped {
            return Err(Refused::Stopped);
        }
        match message {
            Message::Write(write) => self.land(write).map(Received::Write),
            Message::SetUp(set_up) => {
                let (progress, answer) = self.set_up(pages, set_up)?;
                Ok(Received::SetUp { progress, answer })
            }
            Message::Paging(request) => Ok(Received::Paging(self.stop(request))),
        }
    }

    /// Finds out whose frame a write goes to: the write says only which frame (S4-15).
    fn land(&self, write: Write<'_>) -> Result<Landing, Refused> {
        let Write {
            frame,
            offset,
            bytes,
        } = write;
        let frames = &self.receive.frames;
        if !frames.has(frame) {
            let frames = frames.count();
            return Err(Refused::NoFrame { frame, frames });
        }
        let port = frames.port(frame).ok_or(Refused::EmptyFrame { frame })?;
        check_within(self.sizes.page_bytes, offset, bytes.len())?;
        Ok(Landing {
            port,
            frame,
            offset,
        })
    }
}
