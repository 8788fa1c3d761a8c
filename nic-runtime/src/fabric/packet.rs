//! Packets, and the store that keeps and reuses their memory.

use std::ops::{Index, IndexMut};

use super::{DirectionId, Fate};
use crate::event::{ChannelId, EndpointId, PacketId, Trigger};

/// Numbers that each endpoint has for its packets: far more than a run handles events by default.
const NUMBERS_PER_ENDPOINT: u64 = 1_000_000_000;

/// Returns the number of the packet that an endpoint makes after `earlier` others.
///
/// No two packets of a run share a number, and it depends on the sender alone: whatever else a scenario
/// holds, an endpoint's packets keep theirs, so traces with and without a neighbour compare. In decimal
/// it reads as the endpoint's position, if not 0, followed by nine digits that count its packets from 1.
#[must_use]
pub fn packet_number(sender: EndpointId, earlier: u64) -> PacketId {
    // Both factors are far below 2³² and 2³⁰; the count would have to outlast 2⁶³ events.
    PacketId(u64::from(sender.0) * NUMBERS_PER_ENDPOINT + earlier + 1)
}

/// A packet, from the push that made it to where it ends.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Its number, unique in the run; a duplicate keeps it.
    pub id: PacketId,
    /// The sender, and its number of the channel.
    pub from: (EndpointId, ChannelId),
    /// The receiver, and its number of the channel.
    pub to: (EndpointId, ChannelId),
    /// The link direction that it takes.
    pub route: DirectionId,
    /// What it was made for; a transmit descriptor waits until it has left.
    pub trigger: Trigger,
    /// What the link does to it; `None` until it is drawn.
    pub fate: Option<Fate>,
    /// The message.
    pub bytes: Vec<u8>,
}

/// Where a packet lies in the store. Holding one proves nothing once the packet is released.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PacketRef(u32);

/// Every packet that exists. Memory grows to the most that ever existed at once and is then reused.
#[derive(Clone, Debug, Default)]
pub struct PacketStore {
    packets: Vec<Packet>,
    vacant: Vec<PacketRef>,
}

impl PacketStore {
    /// Adds a packet; its bytes are copied into memory that is reused.
    pub fn add(&mut self, packet: Packet, bytes: &[u8]) -> PacketRef {
        let place = match self.vacant.pop() {
            Some(place) => {
                let reused = std::mem::take(&mut self[place].bytes);
                self[place] = Packet {
                    bytes: reused,
                    ..packet
                };
                place
            }
            None => {
                let place = u32::try_from(self.packets.len()).expect("slots bound the packets");
                self.packets.push(packet);
                PacketRef(place)
            }
        };
        self[place].bytes.clear();
        self[place].bytes.extend_from_slice(bytes);
        place
    }

    /// Adds a copy of a packet.
    pub fn duplicate(&mut self, original: PacketRef) -> PacketRef {
        let bytes = std::mem::take(&mut self[original].bytes);
        let header = self[original].clone();
        let copy = self.add(header, &bytes);
        self[original].bytes = bytes;
        copy
    }

    /// Ends a packet; its memory is used again.
    pub fn release(&mut self, packet: PacketRef) {
        self.vacant.push(packet);
    }
}

impl Index<PacketRef> for PacketStore {
    type Output = Packet;

    fn index(&self, packet: PacketRef) -> &Packet {
        &self.packets[packet.0 as usize]
    }
}

impl IndexMut<PacketRef> for PacketStore {
    fn index_mut(&mut self, packet: PacketRef) -> &mut Packet {
        &mut self.packets[packet.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packet_numbers_tell_the_sender_and_count_from_one() {
        assert_eq!(packet_number(EndpointId(0), 0), PacketId(1));
        assert_eq!(packet_number(EndpointId(0), 41), PacketId(42));
        assert_eq!(packet_number(EndpointId(3), 41), PacketId(3_000_000_042));
        assert_eq!(
            packet_number(EndpointId(u32::MAX), 0).0,
            4_294_967_295_000_000_001
        );
    }
}
