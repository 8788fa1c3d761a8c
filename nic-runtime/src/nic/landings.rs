//! The packets that NICs have received directly into free buffers, and the buffer of each.

use std::collections::BTreeMap;

use crate::wire::PacketRef;

/// The packets in free buffers whose handling has not ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Landings(BTreeMap<PacketRef, Landing>);

#[derive(Copy, Clone, Debug)]
struct Landing {
    /// Offset of the buffer in the buffer area.
    offset: u32,
    /// Whether a descriptor has named the buffer. Then it is the user's, and another packet may already lie in it.
    is_named: bool,
}

impl Landings {
    /// Notes that a packet is received into the buffer at `offset`.
    pub(crate) fn add(&mut self, packet: PacketRef, offset: u32) {
        let is_named = false;
        self.0.insert(packet, Landing { offset, is_named });
    }

    /// Returns the offset of the buffer into which a packet was received.
    pub(crate) fn buffer_of(&self, packet: PacketRef) -> Option<u32> {
        self.0.get(&packet).map(|landing| landing.offset)
    }

    /// Returns the offset of a packet's buffer, unless a descriptor has named the buffer.
    pub(crate) fn own_buffer_of(&self, packet: PacketRef) -> Option<u32> {
        let landing = self.0.get(&packet)?;
        (!landing.is_named).then_some(landing.offset)
    }

    /// Notes that a packet's buffer is the user's.
    pub(crate) fn named(&mut self, packet: PacketRef) {
        if let Some(landing) = self.0.get_mut(&packet) {
            landing.is_named = true;
        }
    }

    /// Forgets a packet. Returns the offset of its buffer if no descriptor has named the buffer.
    pub(crate) fn remove(&mut self, packet: PacketRef) -> Option<u32> {
        let landing = self.0.remove(&packet)?;
        (!landing.is_named).then_some(landing.offset)
    }
}
