//! The page tables of a node's processes, as far as their entries are of links (S4-13, S4-14).

use super::names::{
    Direction, FrameId, LinkId, PageNumber, Policy, PortId, ProcessId, VirtualPage,
};
use crate::storage::{List, Storage};

/// Maximum number of link pages of all processes of a node without an allocator. Each costs 24 bytes. Chosen.
pub const PAGES_MAX: usize = 64;

/// What an entry of the page table refers to. It stands for three fields of the paper's entries: the use, the valid bit,
/// and the number of a frame or the id of a port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Communication memory, valid: the page is this frame.
    Frame(FrameId),
    /// Communication memory, not valid: an access traps, and the entry has the port's id in place of a frame (S4-14).
    Port(PortId),
    /// Main memory: the backing memory of a receive page that is out (S4-19).
    Memory,
}

/// The direction of a page, and what only pages of this direction have. Send pages can only be written, receive pages
/// only be read (S4-13).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// A page to write to.
    Send {
        /// When writes leave.
        policy: Policy,
        /// Whether the page was written since the bit was last taken.
        used: bool,
    },
    /// A page to read from.
    Receive,
}

/// An entry of a process's page table.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PageEntry {
    /// The link that the page is of.
    pub link: LinkId,
    /// The page's direction and policy.
    pub access: Access,
    /// Where accesses go.
    pub place: Place,
}

impl PageEntry {
    /// Returns the page's direction.
    #[must_use]
    pub const fn direction(&self) -> Direction {
        match self.access {
            Access::Send { .. } => Direction::Send,
            Access::Receive => Direction::Receive,
        }
    }
}

/// A send page, as a store finds it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SendPage {
    /// The link that the page is of.
    pub link: LinkId,
    /// When writes leave.
    pub policy: Policy,
    /// The page's frame if it is valid, and otherwise the port for which the store traps.
    pub frame: Result<FrameId, PortId>,
}

/// A receive page, as a load finds it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ReceivePage {
    /// The link that the page is of.
    pub link: LinkId,
    /// The page's frame, or `None` if the page is main memory.
    pub frame: Option<FrameId>,
}

/// An access that the page table does not allow. Nothing happens besides.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtectionFault {
    /// The process has no link page there.
    #[error("expected a mapped page of process {}, found page {}", page.process.0, page.number.0)]
    NotMapped {
        /// The page.
        page: VirtualPage,
    },
    /// A store to a page that can only be read.
    #[error("expected a store to a send page, found receive page {} of process {}", page.number.0, page.process.0)]
    StoreToReceive {
        /// The page.
        page: VirtualPage,
    },
    /// A load from a page that can only be written.
    #[error("expected a load from a receive page, found send page {} of process {}", page.number.0, page.process.0)]
    LoadFromSend {
        /// The page.
        page: VirtualPage,
    },
    /// The access goes beyond its page.
    #[error(
        "expected an access within a page of {page_bytes} bytes, found {length} bytes at {offset}"
    )]
    Beyond {
        /// Offset in the page.
        offset: u32,
        /// Length in bytes.
        length: usize,
        /// Length of a page.
        page_bytes: u32,
    },
}

impl ProtectionFault {
    /// Returns the word that the trace shows for the fault.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            ProtectionFault::NotMapped { .. } => "not-mapped",
            ProtectionFault::StoreToReceive { .. } => "store-to-receive-page",
            ProtectionFault::LoadFromSend { .. } => "load-from-send-page",
            ProtectionFault::Beyond { .. } => "beyond-page",
        }
    }
}

/// Checks that an access lies within a page.
///
/// # Errors
///
/// Returns [`ProtectionFault::Beyond`] if it does not.
pub fn check_within(page_bytes: u32, offset: u32, length: usize) -> Result<(), ProtectionFault> {
    let end = (offset as usize).checked_add(length);
    match end.is_some_and(|end| end <= page_bytes as usize) {
        true => Ok(()),
        false => Err(ProtectionFault::Beyond {
            offset,
            length,
            page_bytes,
        }),
    }
}

/// The entries of all processes of a node that are of links.
#[derive(Clone, Debug)]
pub struct PageTables<S: Storage> {
    /// Sorted by process and page.
    list: S::List<(VirtualPage, PageEntry), PAGES_MAX>,
}

impl<S: Storage> Default for PageTables<S> {
    fn default() -> PageTables<S> {
        PageTables {
            list: S::List::default(),
        }
    }
}

impl<S: Storage> PageTables<S> {
    /// Returns the entry of a page, if it is a link page.
    #[must_use]
    pub fn entry(&self, page: VirtualPage) -> Option<&PageEntry> {
        let place = self.place(page).ok()?;
        self.list.get(place).map(|(_, entry)| entry)
    }

    /// Returns a page as a store finds it.
    ///
    /// # Errors
    ///
    /// Returns [`ProtectionFault`] if the page is no send page.
    pub fn send_page(&self, page: VirtualPage) -> Result<SendPage, ProtectionFault> {
        let entry = self.mapped(page)?;
        let link = entry.link;
        match (entry.access, entry.place) {
            (Access::Send { policy, .. }, Place::Frame(frame)) => Ok(SendPage {
                link,
                policy,
                frame: Ok(frame),
            }),
            (Access::Send { policy, .. }, Place::Port(port)) => Ok(SendPage {
                link,
                policy,
                frame: Err(port),
            }),
            // Only receive pages are ever main memory.
            (Access::Receive, _) | (_, Place::Memory) => {
                Err(ProtectionFault::StoreToReceive { page })
            }
        }
    }

    /// Returns a page as a load finds it. A load never traps (S4-19).
    ///
    /// # Errors
    ///
    /// Returns [`ProtectionFault`] if the page is no receive page.
    pub fn receive_page(&self, page: VirtualPage) -> Result<ReceivePage, ProtectionFault> {
        let entry = self.mapped(page)?;
        match entry.access {
            Access::Receive => Ok(ReceivePage {
                link: entry.link,
                frame: match entry.place {
                    Place::Frame(frame) => Some(frame),
                    Place::Memory | Place::Port(_) => None,
                },
            }),
            Access::Send { .. } => Err(ProtectionFault::LoadFromSend { page }),
        }
    }

    /// Returns the link pages of a process with their entries.
    pub fn of_process(&self, process: ProcessId) -> impl Iterator<Item = (PageNumber, &PageEntry)> {
        let first = VirtualPage {
            process,
            number: PageNumber(0),
        };
        let start = self.place(first).unwrap_or_else(|start| start);
        let pages = self.list[start..].iter();
        let own = pages.take_while(move |(page, _)| page.process == process);
        own.map(|(page, entry)| (page.number, entry))
    }

    pub(super) fn entry_mut(&mut self, page: VirtualPage) -> Option<&mut PageEntry> {
        let place = self.place(page).ok()?;
        self.list.get_mut(place).map(|(_, entry)| entry)
    }

    /// Adds an entry, or returns false if the storage is full. The page has none yet.
    pub(super) fn add(&mut self, page: VirtualPage, entry: PageEntry) -> bool {
        let Err(place) = self.place(page) else {
            return false;
        };
        let is_added = self.list.push((page, entry));
        if is_added {
            self.list[place..].rotate_right(1);
        }
        is_added
    }

    /// Removes the entry of a page.
    pub(super) fn remove(&mut self, page: VirtualPage) {
        if let Ok(place) = self.place(page) {
            self.list[place..].rotate_left(1);
            self.list.pop();
        }
    }

    fn mapped(&self, page: VirtualPage) -> Result<&PageEntry, ProtectionFault> {
        self.entry(page).ok_or(ProtectionFault::NotMapped { page })
    }

    /// Returns the place of a page in the list, or the place where it belongs.
    fn place(&self, page: VirtualPage) -> Result<usize, usize> {
        self.list.binary_search_by_key(&page, |(page, _)| *page)
    }
}
