//! Packets, and the store that reuses their memory.

use std::ops::{Index, IndexMut};

use nic_core::event::Trigger;
use nic_core::id::{ChannelId, DirectionId, EndpointId, PacketId};

use super::Fate;
use crate::protocol::Header;

/// A packet, from the push that makes the packet to its delivery or loss.
///
/// With cells, both ends work on a packet at the same time, so each field has one owner. The sender owns the packet
/// until its first bit leaves. From then on the header and the bytes belong to the link, which may flip a bit and
/// otherwise changes nothing; `has_send_slot` and `completes_later` stay the sender's; `has_arrival_slot` and
/// `is_accepted` are the receiver's.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Number of the packet, unique in the run. A duplicate has the number of its original.
    pub id: PacketId,
    /// The sender, and the sender's number of the channel.
    pub from: (EndpointId, ChannelId),
    /// The receiver, and the receiver's number of the channel.
    pub to: (EndpointId, ChannelId),
    /// The link direction on which the packet travels.
    pub route: DirectionId,
    /// The event that caused the packet. A transmit descriptor completes only after its packets have left.
    pub trigger: Trigger,
    /// The faults that the link applies to the packet; `None` until they are drawn.
    pub fate: Option<Fate>,
    /// Whether the packet has an arrival slot. Neither copies made by a link nor packets pushed while applets were
    /// loaded have an arrival slot.
    pub has_arrival_slot: bool,
    /// Whether the packet has a send slot, which becomes free when the packet has left.
    pub has_send_slot: bool,
    /// Whether the sender's descriptor completes with something that follows, and not when the packet has left.
    pub completes_later: bool,
    /// Whether the receiver has accepted the packet, and acknowledges it when its memory has the message.
    pub is_accepted: bool,
    /// The header that the packet carries besides the message.
    pub header: Header,
    /// The message.
    pub bytes: Vec<u8>,
}

impl Packet {
    /// Returns the packet's bytes on the wire, which the wire's framing surrounds.
    #[inline]
    #[must_use]
    pub fn wire_length(&self) -> u32 {
        let length = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        length.saturating_add(self.header.length())
    }
}

/// Index of a packet in the store. The index is meaningless after the packet is released, and debug builds panic where
/// one is used.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PacketRef(u32);

/// All packets of a run. The store grows to the largest number of packets that exist at a time, and then reuses their
/// memory.
#[derive(Clone, Debug, Default)]
pub struct PacketStore {
    packets: Vec<Packet>,
    vacant: Vec<PacketRef>,
    /// Whether each packet is released. Debug builds check that nothing uses the index of a released packet.
    #[cfg(debug_assertions)]
    vacant_now: Vec<bool>,
}

impl PacketStore {
    /// Adds a packet and copies `bytes` into reused memory.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn add(&mut self, packet: Packet, bytes: &[u8]) -> PacketRef {
        let place = match self.vacant.pop() {
            Some(place) => {
                self.note_vacant(place, false);
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
                #[cfg(debug_assertions)]
                self.vacant_now.push(false);
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

    /// Removes a packet, so that later packets reuse its memory.
    pub fn release(&mut self, packet: PacketRef) {
        self.note_vacant(packet, true);
        self.vacant.push(packet);
    }

    /// Returns the packets that are not released.
    pub fn live(&self) -> impl Iterator<Item = &Packet> {
        let mut is_vacant = vec![false; self.packets.len()];
        for place in &self.vacant {
            is_vacant[place.0 as usize] = true;
        }
        let packets = self.packets.iter().zip(is_vacant);
        packets
            .filter(|(_, is_vacant)| !is_vacant)
            .map(|(packet, _)| packet)
    }

    /// Notes in debug builds that a packet is released, or is used again.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn note_vacant(&mut self, packet: PacketRef, is_vacant: bool) {
        #[cfg(debug_assertions)]
        {
            let was = std::mem::replace(&mut self.vacant_now[packet.0 as usize], is_vacant);
            assert_ne!(was, is_vacant, "{packet:?} is released once");
        }
        _ = (packet, is_vacant);
    }

    /// Checks in debug builds that a packet is not released.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn check(&self, packet: PacketRef) {
        #[cfg(debug_assertions)]
        assert!(
            !self.vacant_now[packet.0 as usize],
            "{packet:?} is released"
        );
        _ = packet;
    }
}

impl Index<PacketRef> for PacketStore {
    type Output = Packet;

    fn index(&self, packet: PacketRef) -> &Packet {
        self.check(packet);
        &self.packets[packet.0 as usize]
    }
}

impl IndexMut<PacketRef> for PacketStore {
    fn index_mut(&mut self, packet: PacketRef) -> &mut Packet {
        self.check(packet);
        &mut self.packets[packet.0 as usize]
    }
}
