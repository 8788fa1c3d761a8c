//! The port table of one direction of a link: which ports there are, their frames, and who maps them (S4-16).

use super::line::Line;
use super::names::{FrameId, Policy, PortId, VirtualPage};
use super::pages::PageEntry;
use crate::storage::{List, Storage};

/// Maximum number of ports of one direction of a link without an allocator. A send port costs 200 bytes and a receive port
/// 120, most of it for the processes that map it. Chosen.
pub const PORTS_MAX: usize = 16;

/// Maximum number of pages that map one port without an allocator. Each costs 24 bytes. Chosen.
pub const SHARERS_MAX: usize = 4;

/// How far a port is at one end.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PortState {
    /// This end has proposed the id, and waits for an answer.
    Offered,
    /// Both ends have the port, or the other end will have it before it hears of anything else.
    Open,
    /// The receiver has asked this end, the sender, to delete the port.
    Asked,
    /// This end has deleted the port or, as the receiver, has asked for it. The id is free once the other end agrees.
    Closing,
}

/// A page that maps a port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Sharer {
    /// The page.
    pub page: VirtualPage,
    /// The entry of a receive page while its port is out and the page is main memory (S4-16, S4-19).
    pub saved: Option<PageEntry>,
}

/// What only send ports have.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Sending {
    pub(super) policy: Policy,
    /// The gathered writes. A port with a line has a frame.
    pub(super) line: Option<Line>,
}

/// What only receive ports have, besides the saved entries of their sharers.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Receiving;

#[derive(Clone, Debug)]
pub(super) struct Port<S: Storage, E> {
    pub(super) state: PortState,
    /// The frame, while the port is resident.
    pub(super) frame: Option<FrameId>,
    pub(super) sharers: S::List<Sharer, SHARERS_MAX>,
    pub(super) own: E,
}

impl<S: Storage, E: Default> Port<S, E> {
    pub(super) fn new(state: PortState, frame: Option<FrameId>) -> Port<S, E> {
        Port {
            state,
            frame,
            sharers: S::List::default(),
            own: E::default(),
        }
    }
}

/// The ports of one direction of a link.
#[derive(Clone, Debug)]
pub(super) struct PortTable<S: Storage, E: Clone + core::fmt::Debug> {
    /// Each port at the place of its id, counted from 1.
    slots: S::List<Option<Port<S, E>>, PORTS_MAX>,
    /// The highest id.
    limit: u32,
}

impl<S: Storage, E: Clone + core::fmt::Debug> PortTable<S, E> {
    /// Returns an empty table for so many ports, for which the storage has room.
    pub(super) fn new(limit: u32) -> PortTable<S, E> {
        PortTable {
            slots: S::List::default(),
            limit,
        }
    }

    /// Returns the number of ports that the table may have.
    pub(super) fn limit(&self) -> u32 {
        self.limit
    }

    pub(super) fn get(&self, port: PortId) -> Option<&Port<S, E>> {
        self.slots.get(index(port))?.as_ref()
    }

    pub(super) fn get_mut(&mut self, port: PortId) -> Option<&mut Port<S, E>> {
        self.slots.get_mut(index(port))?.as_mut()
    }

    pub(super) fn state(&self, port: PortId) -> Option<PortState> {
        self.get(port).map(|port| port.state)
    }

    /// Returns the ports in the order of their ids.
    pub(super) fn iter(&self) -> impl Iterator<Item = (PortId, &Port<S, E>)> {
        let slots = (1..).map_while(PortId::new).zip(self.slots.iter());
        slots.filter_map(|(id, port)| Some((id, port.as_ref()?)))
    }

    /// Returns the lowest id above `than` that no port has and that `is_free` accepts.
    pub(super) fn lowest_above(
        &self,
        than: u32,
        is_free: impl Fn(PortId) -> bool,
    ) -> Option<PortId> {
        let above = than.checked_add(1)?;
        let mut ids = (above..=self.limit).filter_map(PortId::new);
        ids.find(|id| self.get(*id).is_none() && is_free(*id))
    }

    /// Puts a port at an id within the limit.
    pub(super) fn insert(&mut self, id: PortId, port: Port<S, E>) {
        while self.slots.len() <= index(id) && self.slots.push(None) {}
        if let Some(slot) = self.slots.get_mut(index(id)) {
            *slot = Some(port);
        }
    }

    pub(super) fn remove(&mut self, port: PortId) -> Option<Port<S, E>> {
        self.slots.get_mut(index(port))?.take()
    }

    /// Takes a page out of the sharers of whichever port it maps.
    pub(super) fn forget_sharer(&mut self, page: VirtualPage) {
        for port in self.slots.iter_mut().flatten() {
            let sharers = &mut port.sharers;
            if let Some(place) = sharers.iter().position(|sharer| sharer.page == page) {
                sharers[place..].rotate_left(1);
                sharers.pop();
            }
        }
    }
}

/// Returns a port's place in the table. Ids are positive.
fn index(port: PortId) -> usize {
    (port.number() - 1) as usize
}
