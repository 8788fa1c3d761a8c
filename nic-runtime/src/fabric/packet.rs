//! Packets, and the store that keeps and reuses their memory.

use std::ops::{Index, IndexMut};

use nic_core::event::Trigger;
use nic_core::id::{ChannelId, DirectionId, EndpointId, PacketId};

use super::Fate;

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
    /// Whether it has an arrival slot at the receiver. Copies that the link makes have none, and packets that
    /// were pushed while applets were loaded.
    pub has_arrival_slot: bool,
    /// The message.
    pub bytes: Vec<u8>,
}

/// Where a packet lies in the store. Holding one proves nothing once the packet is released.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PacketRef(u32);

/// Every packet that exists. Memory grows to the most that ever existed at once and is then reused.
#[derive(Clone, Debug, Default)]
pub struct PacketStore {
    packets: Vec<Packet>,
    vacant: Vec<PacketRef>,
}

impl PacketStore {
    /// Adds a packet; its bytes are copied into memory that is reused.
    #[cfg_attr(not(debug_assertions), inline(always))]
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
        let own = &mut self[place].bytes;
        own.clear();
        if !bytes.is_empty() {
            own.extend_from_slice(bytes);
        }
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
