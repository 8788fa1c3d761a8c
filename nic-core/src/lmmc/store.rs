//! Stores to send pages: what a process does to send (S4-02, S4-21).

use super::line::{Flushed, Line};
use super::link::LinkEnd;
use super::message::{Message, Write};
use super::names::{FrameId, LinkId, Policy, PortId, VirtualPage};
use super::pages::{Access, PageTables, ProtectionFault, SendPage, check_within};
use crate::storage::Storage;

/// Why a store is not made. Nothing has happened besides.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The page table does not allow it.
    #[error(transparent)]
    Protection(#[from] ProtectionFault),
    /// The page is of another link.
    #[error("expected a page of this link, found one of link {}", link.0)]
    OtherLink {
        /// The page's link.
        link: LinkId,
    },
    /// The port is out: the store traps, and is made again after it was paged in (S4-17).
    #[error("expected a resident port, found port {}, which is out", port.number())]
    Fault {
        /// The port.
        port: PortId,
    },
    /// The frame is on its way to another port. The store is made again when the paging is over.
    #[error("expected a frame at rest, found frame {}, which changes its port", frame.0)]
    Held {
        /// The frame.
        frame: FrameId,
    },
}

/// A store that may be made.
///
/// Holding one proves that the page is a valid send page and that the bytes lie in it, until something else happens at
/// this end.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[must_use = "the store is not made yet"]
pub struct Store<'a> {
    page: VirtualPage,
    port: PortId,
    frame: FrameId,
    offset: u32,
    bytes: &'a [u8],
    effect: Effect,
}

/// What a store does.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Effect {
    /// The store has no bytes.
    Nothing,
    /// The store leaves at once.
    Leaves,
    /// The store goes into the port's line.
    Joins,
    /// The store begins a line, and the line before it leaves if there is one.
    Begins { leaves: bool },
}

impl Store<'_> {
    /// Returns how many bytes the store takes of those that it was asked for. The rest is another store: under late
    /// update, a store lies within a line.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.bytes.len()
    }

    /// Returns whether the store makes a message, so that it needs room in the link.
    #[must_use]
    pub fn sends(&self) -> bool {
        match self.effect {
            Effect::Leaves | Effect::Begins { leaves: true } => true,
            Effect::Nothing | Effect::Joins | Effect::Begins { leaves: false } => false,
        }
    }

    /// Returns whether the store begins a line, which leaves some time later unless something else makes it leave
    /// before.
    #[must_use]
    pub fn begins_line(&self) -> bool {
        matches!(self.effect, Effect::Begins { .. })
    }

    /// Returns the port that is written.
    #[must_use]
    pub fn port(&self) -> PortId {
        self.port
    }
}

/// The message that a store makes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Sent<'a> {
    /// The store itself.
    Now(Write<'a>),
    /// What was gathered before it.
    Line(Flushed),
}

impl Sent<'_> {
    /// Returns the message.
    #[must_use]
    pub fn message(&self) -> Message<'_> {
        match self {
            Sent::Now(write) => Message::Write(*write),
            Sent::Line(flushed) => Message::Write(flushed.write()),
        }
    }
}

impl<S: Storage> LinkEnd<S> {
    /// Looks at what a store to a page would do. Nothing changes yet.
    ///
    /// # Errors
    ///
    /// Returns [`StoreError`] if the store is not allowed, or must wait for a port to be paged in.
    pub fn resolve<'a>(
        &self,
        pages: &PageTables<S>,
        page: VirtualPage,
        (offset, bytes): (u32, &'a [u8]),
    ) -> Result<Store<'a>, StoreError> {
        let SendPage {
            link,
            policy,
            frame,
        } = pages.send_page(page)?;
        check_within(self.sizes.page_bytes, offset, bytes.len())?;
        if link != self.link {
            return Err(StoreError::OtherLink { link });
        }
        let frame = frame.map_err(|port| StoreError::Fault { port })?;
        let under_way = self.under_way.filter(|paging| paging.holds_stores);
        if under_way.is_some_and(|paging| paging.frame == Some(frame)) {
            return Err(StoreError::Held { frame });
        }
        // A valid entry agrees with the frame table.
        let port = self.send.frames.port(frame);
        let port = port.ok_or(StoreError::Held { frame })?;
        let taken = match policy {
            Policy::Immediate => bytes.len(),
            Policy::Late => bytes.len().min(Line::room(offset) as usize),
        };
        let line = self.send.ports.get(port).and_then(|port| port.own.line);
        let effect = match (policy, line) {
            _ if taken == 0 => Effect::Nothing,
            (Policy::Immediate, _) => Effect::Leaves,
            (Policy::Late, Some(line)) if line.takes(offset, taken) => Effect::Joins,
            (Policy::Late, line) => Effect::Begins {
                leaves: line.is_some(),
            },
        };
        Ok(Store {
            page,
            port,
            frame,
            offset,
            bytes: &bytes[..taken],
            effect,
        })
    }

    /// Makes a store. Returns the message that leaves now: under immediate update the store itself (S4-02), under late
    /// update the writes gathered before it, if the store falls outside of their line.
    pub fn store<'a>(&mut self, pages: &mut PageTables<S>, store: Store<'a>) -> Option<Sent<'a>> {
        let Store {
            page,
            port,
            frame,
            offset,
            bytes,
            effect,
        } = store;
        let entry = pages.entry_mut(page);
        if let Some(Access::Send { used, .. }) = entry.map(|entry| &mut entry.access) {
            *used = true;
        }
        let line = &mut self.send.ports.get_mut(port)?.own.line;
        match effect {
            Effect::Nothing => None,
            Effect::Leaves => Some(Sent::Now(Write {
                frame,
                offset,
                bytes,
            })),
            Effect::Joins => {
                if let Some(line) = line {
                    line.put(offset, bytes);
                }
                None
            }
            Effect::Begins { .. } => {
                let left = line.replace(Line::new(offset, bytes));
                left.map(|line| Sent::Line(Flushed { frame, line }))
            }
        }
    }
}
