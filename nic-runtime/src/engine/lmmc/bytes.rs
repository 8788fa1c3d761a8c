//! The bytes of ports: in frames, in backing memory, and in the pages of readers.
//!
//! A frame is the dual-port memory of the interface. The page of a reader is host memory at one place, and shows the frame
//! while its port is resident and the backing memory while the port is out (S4-19). Page-out and page-in copy between
//! the two: the backing memory of a resident port is as old as its last page-out.

use nic_core::lmmc::{Direction, FrameId, PageCopy, PortId, VirtualPage};
use nic_core::memory::HostSpan;

use super::node::Node;
use super::site::{Site, SiteId};
use super::state::HasLmmc;
use crate::memory::HostMemory;
use crate::sim::Parts;

impl Site {
    /// Returns the backing memory of a port on which this end receives.
    fn backing_mut(&mut self, port: PortId) -> &mut [u8] {
        let length = self.end.sizes().page_bytes as usize;
        let backing = self.backing.entry(port);
        backing.or_insert_with(|| vec![0; length].into_boxed_slice())
    }

    /// Puts the bytes of a write into a frame.
    pub(super) fn land(&mut self, frame: FrameId, offset: u32, bytes: &[u8]) {
        let start = offset as usize;
        self.frames[frame.0 as usize][start..start + bytes.len()].copy_from_slice(bytes);
    }

    /// Copies a frame to the backing memory of the port in it.
    pub(super) fn copy_out(&mut self, PageCopy { port, frame }: PageCopy) {
        let bytes = std::mem::take(&mut self.frames[frame.0 as usize]);
        self.backing_mut(port).copy_from_slice(&bytes);
        self.frames[frame.0 as usize] = bytes;
    }

    /// Copies the backing memory of a port to a frame.
    pub(super) fn copy_in(&mut self, PageCopy { port, frame }: PageCopy) {
        let mut bytes = std::mem::take(&mut self.frames[frame.0 as usize]);
        bytes.copy_from_slice(self.backing_mut(port));
        self.frames[frame.0 as usize] = bytes;
    }

    /// Clears the bytes of a new port, whose frame and backing memory may have been those of other ports.
    pub(super) fn clear(&mut self, port: PortId, frame: Option<FrameId>) {
        self.backing.remove(&port);
        if let Some(frame) = frame {
            self.frames[frame.0 as usize].fill(0);
        }
    }

    /// Returns the bytes of a port on which this end receives, from wherever they are.
    pub(super) fn bytes(&self, port: PortId) -> Option<&[u8]> {
        match self.end.frame(Direction::Receive, port) {
            Some(frame) => Some(&self.frames[frame.0 as usize]),
            None => self.backing.get(&port).map(|backing| &**backing),
        }
    }

    /// Lets the page of a port show what the port is now.
    pub(super) fn show(&self, memory: &mut HostMemory, port: PortId) {
        let Some(&span) = self.memory.get(&port) else {
            return;
        };
        let page = memory.bytes_mut(span);
        match self.bytes(port) {
            Some(bytes) => page.copy_from_slice(bytes),
            None => page.fill(0),
        }
    }

    /// Returns whether the page of a port shows the bytes of its frame, if it has one.
    pub(super) fn agrees(&self, memory: &HostMemory, port: PortId) -> bool {
        let Some(&span) = self.memory.get(&port) else {
            return true;
        };
        let frame = self.end.frame(Direction::Receive, port);
        frame.is_none_or(|frame| *memory.bytes(span) == *self.frames[frame.0 as usize])
    }
}

impl Node {
    /// Returns host memory for a page.
    fn take_memory(&mut self, memory: &mut HostMemory, page_bytes: u32) -> Option<HostSpan> {
        if let Some(vacant) = self.vacant.pop() {
            return Some(vacant);
        }
        let region = memory.pin(page_bytes);
        region.span(0, page_bytes.into()).ok()
    }
}

/// Lets the page of a port show what the port is now.
pub(super) fn show(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId, port: PortId) {
    let site = &sim.engines.lmmc().sites[at];
    site.show(&mut sim.memory, port);
}

/// Shows the bytes of a write that has landed.
pub(super) fn show_landed(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (port, offset): (PortId, u32),
    bytes: &[u8],
) {
    let site = &sim.engines.lmmc().sites[at];
    if let Some(span) = site.memory.get(&port) {
        let start = offset as usize;
        sim.memory.bytes_mut(*span)[start..start + bytes.len()].copy_from_slice(bytes);
    }
    debug_assert!(site.agrees(&sim.memory, port), "a page shows its frame");
}

/// Gives a port on which this end receives its host memory, if it has none yet, and returns it.
pub(super) fn memory_of(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    port: PortId,
) -> Option<HostSpan> {
    let (node, site) = sim.engines.lmmc_mut().with_node(at)?;
    if let Some(&span) = site.memory.get(&port) {
        return Some(span);
    }
    let span = node.take_memory(&mut sim.memory, site.end.sizes().page_bytes)?;
    site.memory.insert(port, span);
    site.show(&mut sim.memory, port);
    Some(span)
}

/// Takes the host memory from a port that is gone. Its readers keep it.
pub(super) fn part(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId, port: PortId) {
    let Some((node, site)) = sim.engines.lmmc_mut().with_node(at) else {
        return;
    };
    site.backing.remove(&port);
    if let Some(span) = site.memory.remove(&port) {
        node.leave(span, false);
    }
}

impl Node {
    /// Forgets a page, and makes its memory vacant if nobody else has it.
    pub(super) fn forget(&mut self, sites: &crate::ids::Table<SiteId, Site>, page: VirtualPage) {
        let Some(mapped) = self.mapped.remove(&page) else {
            return;
        };
        if let Some(span) = mapped.memory {
            let of_port = sites[mapped.site].memory.get(&mapped.port);
            self.leave(span, of_port == Some(&span));
        }
    }

    /// Makes memory vacant if neither a page nor a port has it.
    fn leave(&mut self, span: HostSpan, is_of_port: bool) {
        let is_mapped = self.mapped.values().any(|other| other.memory == Some(span));
        if !is_of_port && !is_mapped {
            self.vacant.push(span);
        }
    }
}
