//! Room in the buffers of switches that hold back their neighbours (`full = "stop"`).
//!
//! A packet for such a switch leaves when the buffer in which it will wait has room for all of it. Until then it stays
//! first at its link, and holds up whatever is behind it. The packets that wait for one buffer get room in the order in
//! which they asked.

use super::{Engines, Parts};
use crate::spec::Full;
use crate::wire::{BufferAt, PacketRef};
use nic_core::id::DirectionId;

impl<E: Engines> Parts<'_, E> {
    /// Returns whether a packet may leave for a switch now. If the switch has no room for the packet, the link waits for
    /// room.
    pub(crate) fn finds_room(&mut self, id: DirectionId, packet: PacketRef) -> bool {
        let Some((buffer, frame)) = self.room_for(id, packet) else {
            return true;
        };
        let port = self.fabric.buffer(buffer);
        port.is_none_or(|port| port.reserve(id, frame))
    }

    /// Gives up the room of a packet that has left for a switch and is lost on its way.
    pub(crate) fn give_up_room(&mut self, packet: PacketRef) {
        let id = self.packets[packet].route;
        if let Some((buffer, frame)) = self.room_for(id, packet) {
            if let Some(port) = self.fabric.buffer(buffer) {
                port.give_up(frame);
            }
            self.use_room(buffer);
        }
    }

    /// Lets the links begin that have waited for room in a buffer.
    pub(crate) fn use_room(&mut self, buffer: BufferAt) {
        while let Some(first) = self
            .fabric
            .buffer(buffer)
            .and_then(|port| port.first_stopped())
        {
            let direction = &self.fabric[first];
            let Some(packet) = direction.sending else {
                debug_assert!(false, "a link waits for room with a packet");
                return;
            };
            let duration = direction.occupied_by(self.packets[packet].wire_length());
            if direction.port.is_some() {
                self.first_bit_out_of_switch(first, packet, duration);
            } else {
                self.first_bit_goes(first, packet, duration);
            }
            let now_first = self
                .fabric
                .buffer(buffer)
                .and_then(|port| port.first_stopped());
            if now_first == Some(first) {
                return;
            }
        }
    }

    /// Returns the buffer in which a packet of a link will wait at the switch, with the bytes that it will take there.
    /// Returns `None` if the switch holds nobody back.
    fn room_for(&self, id: DirectionId, packet: PacketRef) -> Option<(BufferAt, u32)> {
        let direction = &self.fabric[id];
        direction
            .onward
            .filter(|onward| onward.full == Full::Stop)?;
        let next = self.fabric.next(direction.to, self.ends(packet))?;
        let buffer = match direction.input {
            Some(_) => BufferAt::Input(id),
            None => BufferAt::Port(next),
        };
        Some((buffer, self.frame_at(next, packet)))
    }

    /// Returns the bytes that a packet takes in the buffer of a port. A packet that no switch drops has its place beside
    /// the buffers.
    pub(crate) fn frame_at(&self, port: DirectionId, packet: PacketRef) -> u32 {
        let packet = &self.packets[packet];
        match packet.fate.is_some_and(|fate| fate.is_exempt) {
            true => 0,
            false => self.fabric[port].wire.framing.frame(packet.wire_length()),
        }
    }
}
