//! One end of a link: its tables, and how processes of the node map and delete its ports (S4-10, S4-20).

use super::frames::{FRAMES_MAX, FrameTable};
use super::line::Flushed;
use super::message::{SetUp, SetUpStep};
use super::names::{CreationId, Direction, FrameId, LinkId, Policy, PortId, VirtualPage};
use super::pages::{Access, PageEntry, PageTables, Place};
use super::ports::{PORTS_MAX, Port, PortState, PortTable, Receiving, Sending, Sharer};
use crate::storage::{List, Storage};

/// Maximum number of ports that one end sets up at the same time without an allocator. Each costs 8 bytes. Chosen.
pub const CREATIONS_MAX: usize = 8;

/// The sizes of a link, which are the same at both ends and in both directions.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Length of a page and of a frame in bytes.
    pub page_bytes: u32,
    /// Number of link page frames.
    pub frames: u32,
    /// Maximum number of ports.
    pub ports: u32,
}

/// Why a link cannot have these sizes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizesError {
    /// Pages have no such length.
    #[error("expected a page whose length is a power of two, found {found} bytes")]
    Page {
        /// Length in bytes.
        found: u32,
    },
    /// Nothing could ever be sent.
    #[error("expected at least one frame, found none")]
    NoFrames,
    /// A table without an allocator is too small.
    #[error("expected tables with room for {frames} frames and {ports} ports")]
    Full {
        /// Number of frames.
        frames: u32,
        /// Number of ports.
        ports: u32,
    },
}

/// Why a process of the node cannot do something with a port.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// The link has no such port in this direction, or has no longer.
    #[error("expected a port of the link, found id {}", port.number())]
    NoPort {
        /// The port.
        port: PortId,
    },
    /// The port is being set up or deleted.
    #[error("expected an open port, found port {}, which is being set up or deleted", port.number())]
    NotOpen {
        /// The port.
        port: PortId,
    },
    /// The port is mapped.
    #[error("expected a port that no page maps, found port {}, which {sharers} pages map", port.number())]
    Mapped {
        /// The port.
        port: PortId,
        /// Number of pages.
        sharers: usize,
    },
    /// The port is being paged in or out.
    #[error("expected a port at rest, found port {}, which is being paged", port.number())]
    Paging {
        /// The port.
        port: PortId,
    },
    /// All ids of the direction are in use.
    #[error("expected one of {ports} port ids to be free")]
    Full {
        /// Number of ids.
        ports: u32,
    },
    /// Too many ports are being set up.
    #[error("expected fewer ports under set-up than {CREATIONS_MAX}")]
    Creations,
    /// The page is mapped already.
    #[error("expected a free page of process {}, found page {}, which is mapped", page.process.0, page.number.0)]
    PageTaken {
        /// The page.
        page: VirtualPage,
    },
    /// The page is not mapped, or is of another link.
    #[error("expected a page of this link, found page {} of process {}", page.number.0, page.process.0)]
    NotMapped {
        /// The page.
        page: VirtualPage,
    },
    /// The tables have no room for another mapping.
    #[error("expected room for another mapping of port {}", port.number())]
    Mappings {
        /// The port.
        port: PortId,
    },
}

impl PortError {
    /// Returns the word that the trace shows for the reason.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            PortError::NoPort { .. } => "no-port",
            PortError::NotOpen { .. } => "not-open",
            PortError::Mapped { .. } => "mapped",
            PortError::Paging { .. } => "paging",
            PortError::Full { .. } => "full",
            PortError::Creations => "creations",
            PortError::PageTaken { .. } => "page-taken",
            PortError::NotMapped { .. } => "not-mapped",
            PortError::Mappings { .. } => "mappings",
        }
    }
}

/// What leaves when a port is deleted: its gathered writes first, if it has some, then the message.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// The gathered writes.
    pub flushed: Option<Flushed>,
    /// What the other end is told.
    pub message: SetUp,
}

/// A paging request of this end that is under way, as far as others must know of it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct UnderWay {
    pub(super) port: PortId,
    pub(super) victim: Option<PortId>,
    /// Set from step 3 on: no other port gets the frame.
    pub(super) frame: Option<FrameId>,
    /// Set from step 4 on: what is stored to the frame now would follow the request, and arrive in the other port.
    pub(super) holds_stores: bool,
}

/// The tables of one direction.
#[derive(Clone, Debug)]
pub(super) struct Side<S: Storage, E: Clone + core::fmt::Debug> {
    pub(super) ports: PortTable<S, E>,
    pub(super) frames: FrameTable<S>,
    /// The ports that this end is setting up, each with the id that it has proposed for it last.
    pub(super) creations: S::List<(CreationId, PortId), CREATIONS_MAX>,
}

impl<S: Storage, E: Clone + core::fmt::Debug> Side<S, E> {
    fn new(sizes: Sizes) -> Side<S, E> {
        Side {
            ports: PortTable::new(sizes.ports),
            frames: FrameTable::new(sizes.frames),
            creations: S::List::default(),
        }
    }

    /// Returns a port that may be mapped, or changed otherwise.
    pub(super) fn open(&mut self, port: PortId) -> Result<&mut Port<S, E>, PortError> {
        let found = self.ports.get_mut(port).ok_or(PortError::NoPort { port })?;
        match found.state {
            PortState::Open => Ok(found),
            PortState::Offered | PortState::Asked | PortState::Closing => {
                Err(PortError::NotOpen { port })
            }
        }
    }

    /// Returns a port that nobody maps any more.
    fn unmapped(&mut self, port: PortId) -> Result<&mut Port<S, E>, PortError> {
        let found = self.open(port)?;
        match found.sharers.len() {
            0 => Ok(found),
            sharers => Err(PortError::Mapped { port, sharers }),
        }
    }

    /// Maps a port at a page that has no entry yet.
    fn map(
        &mut self,
        pages: &mut PageTables<S>,
        page: VirtualPage,
        (port, entry): (PortId, PageEntry),
    ) -> Result<(), PortError> {
        let found = self.open(port)?;
        let (place, saved) = match (found.frame, entry.access) {
            (Some(frame), _) => (Place::Frame(frame), None),
            (None, Access::Send { .. }) => (Place::Port(port), None),
            (None, Access::Receive) => (Place::Memory, Some(entry)),
        };
        if !found.sharers.push(Sharer { page, saved }) {
            return Err(PortError::Mappings { port });
        }
        if !pages.add(page, PageEntry { place, ..entry }) {
            found.sharers.pop();
            return Err(PortError::Mappings { port });
        }
        Ok(())
    }
}

/// One end of a link. It knows nothing of time or of bytes in memory: its owner carries its messages, and copies
/// between frames and backing memory when told to.
///
/// Ports and frames of each direction are managed by the sender (S4-10).
#[derive(Clone, Debug)]
pub struct LinkEnd<S: Storage> {
    pub(super) link: LinkId,
    pub(super) sizes: Sizes,
    pub(super) send: Side<S, Sending>,
    pub(super) receive: Side<S, Receiving>,
    pub(super) next_creation: u32,
    pub(super) under_way: Option<UnderWay>,
    /// Whether the controller takes no message because it serves a paging request (S4-08).
    pub(super) is_stopped: bool,
}

impl<S: Storage> LinkEnd<S> {
    /// Returns an end of a link without ports.
    ///
    /// # Errors
    ///
    /// Returns [`SizesError`] if no link can have the sizes.
    pub fn new(link: LinkId, sizes: Sizes) -> Result<LinkEnd<S>, SizesError> {
        let Sizes {
            page_bytes,
            frames,
            ports,
        } = sizes;
        if !page_bytes.is_power_of_two() {
            return Err(SizesError::Page { found: page_bytes });
        }
        if frames == 0 {
            return Err(SizesError::NoFrames);
        }
        // Tables are made only if they have room: on a small stack there is no place for a second copy of them.
        let room = (
            S::capacity::<FRAMES_MAX>(frames),
            S::capacity::<PORTS_MAX>(ports),
        );
        if room != (frames, ports) {
            return Err(SizesError::Full { frames, ports });
        }
        Ok(LinkEnd {
            link,
            sizes,
            send: Side::new(sizes),
            receive: Side::new(sizes),
            next_creation: 0,
            under_way: None,
            is_stopped: false,
        })
    }

    /// Returns the sizes of the link.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// Returns which port each frame of a direction holds.
    #[must_use]
    pub fn frames(&self, direction: Direction) -> &FrameTable<S> {
        match direction {
            Direction::Send => &self.send.frames,
            Direction::Receive => &self.receive.frames,
        }
    }

    /// Returns how far a port is, if there is one with this id.
    #[must_use]
    pub fn state(&self, direction: Direction, port: PortId) -> Option<PortState> {
        match direction {
            Direction::Send => self.send.ports.state(port),
            Direction::Receive => self.receive.ports.state(port),
        }
    }

    /// Returns the frame of a port, if it is resident.
    #[must_use]
    pub fn frame(&self, direction: Direction, port: PortId) -> Option<FrameId> {
        match direction {
            Direction::Send => self.send.ports.get(port)?.frame,
            Direction::Receive => self.receive.ports.get(port)?.frame,
        }
    }

    /// Returns the pages that map a port.
    #[must_use]
    pub fn sharers(&self, direction: Direction, port: PortId) -> &[Sharer] {
        match direction {
            Direction::Send => self.send.ports.get(port).map(|port| &port.sharers[..]),
            Direction::Receive => self.receive.ports.get(port).map(|port| &port.sharers[..]),
        }
        .unwrap_or_default()
    }

    /// Maps an open port at a page of a process (`port_map`, S4-20). A receive page of a port that is out is main memory
    /// until the port is paged in.
    ///
    /// # Errors
    ///
    /// Returns [`PortError`] if the port is not open, the page is taken, or a table is full.
    pub fn map(
        &mut self,
        pages: &mut PageTables<S>,
        page: VirtualPage,
        (direction, port): (Direction, PortId),
    ) -> Result<(), PortError> {
        if pages.entry(page).is_some() {
            return Err(PortError::PageTaken { page });
        }
        let entry = |access| PageEntry {
            link: self.link,
            access,
            place: Place::Port(port),
        };
        match direction {
            Direction::Send => {
                let policy = self.send.open(port)?.own.policy;
                let used = false;
                let entry = entry(Access::Send { policy, used });
                self.send.map(pages, page, (port, entry))
            }
            Direction::Receive => {
                let entry = entry(Access::Receive);
                self.receive.map(pages, page, (port, entry))
            }
        }
    }

    /// Takes a page of this link away from its process. Bytes that it has written and that are still gathered stay with
    /// the port.
    ///
    /// # Errors
    ///
    /// Returns [`PortError::NotMapped`] if the page is not of this link.
    pub fn unmap(&mut self, pages: &mut PageTables<S>, page: VirtualPage) -> Result<(), PortError> {
        let entry = pages.entry(page).filter(|entry| entry.link == self.link);
        let entry = entry.ok_or(PortError::NotMapped { page })?;
        match entry.direction() {
            Direction::Send => self.send.ports.forget_sharer(page),
            Direction::Receive => self.receive.ports.forget_sharer(page),
        }
        pages.remove(page);
        Ok(())
    }

    /// Changes when writes to a port leave (`set_write_policy`, S4-20), for all who map it. Returns the gathered writes,
    /// which leave first.
    ///
    /// # Errors
    ///
    /// Returns [`PortError`] if the link has no such send port that is open.
    pub fn set_write_policy(
        &mut self,
        pages: &mut PageTables<S>,
        port: PortId,
        policy: Policy,
    ) -> Result<Option<Flushed>, PortError> {
        let found = self.send.open(port)?;
        found.own.policy = policy;
        for sharer in found.sharers.iter() {
            let entry = pages.entry_mut(sharer.page);
            if let Some(Access::Send { policy: own, .. }) = entry.map(|entry| &mut entry.access) {
                *own = policy;
            }
        }
        Ok(self.flush(port))
    }

    /// Takes the gathered writes of a port, which leave at once. The caller asks for them when they are old enough.
    pub fn flush(&mut self, port: PortId) -> Option<Flushed> {
        let found = self.send.ports.get_mut(port)?;
        let frame = found.frame?;
        let line = found.own.line.take()?;
        Some(Flushed { frame, line })
    }

    /// Deletes a port that nobody at this end maps (`delete_port`, S4-20).
    ///
    /// The sender's port is gone at once. The receiver only asks the sender, which may have written already: its port
    /// goes when the sender has answered.
    ///
    /// # Errors
    ///
    /// Returns [`PortError`] if the port is not open, is mapped, or is being paged.
    pub fn delete(&mut self, direction: Direction, port: PortId) -> Result<Deletion, PortError> {
        match direction {
            Direction::Send => {
                self.send.unmapped(port)?;
                if self.pages(port) {
                    return Err(PortError::Paging { port });
                }
                Ok(self.end(port))
            }
            Direction::Receive => {
                self.receive.unmapped(port)?.state = PortState::Closing;
                Ok(Deletion {
                    flushed: None,
                    message: SetUp {
                        by: Direction::Receive,
                        port,
                        step: SetUpStep::Close,
                    },
                })
            }
        }
    }

    /// Deletes a send port that its receiver has asked to delete, and takes it away from all who map it: later stores of
    /// theirs are protection faults. The caller asks after each message and after each fault of this end, until there is
    /// no such port. A port that is being paged is not deleted before that is over.
    pub fn delete_asked(&mut self, pages: &mut PageTables<S>) -> Option<(PortId, Deletion)> {
        let is_ready = |(id, port): (PortId, &Port<S, Sending>)| {
            (port.state == PortState::Asked && !self.pages(id)).then_some(id)
        };
        let asked = self.send.ports.iter().find_map(is_ready)?;
        for sharer in self.sharers(Direction::Send, asked) {
            pages.remove(sharer.page);
        }
        Some((asked, self.end(asked)))
    }

    /// Ends a send port: what it has gathered leaves, its frame is free, and its id stays taken until the receiver has
    /// deleted the port too.
    fn end(&mut self, port: PortId) -> Deletion {
        let flushed = self.flush(port);
        if let Some(frame) = self.frame(Direction::Send, port) {
            self.send.frames.clear(frame);
        }
        let closing = Port::new(PortState::Closing, None);
        self.send.ports.insert(port, closing);
        Deletion {
            flushed,
            message: SetUp {
                by: Direction::Send,
                port,
                step: SetUpStep::Delete,
            },
        }
    }

    /// Returns whether a fault of this end pages a port in or out.
    fn pages(&self, port: PortId) -> bool {
        let under_way = self.under_way.as_ref();
        under_way.is_some_and(|paging| paging.port == port || paging.victim == Some(port))
    }
}
