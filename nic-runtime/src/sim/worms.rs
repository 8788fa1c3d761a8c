//! Packets that cross worm-hole switches: each occupies every link on which a part of it lies.

use super::{Engines, Parts};
use crate::nic::work::Work;
use crate::wire::PacketRef;
use nic_core::id::DirectionId;
use nic_core::time::{SimDuration, SimTime};

impl<E: Engines> Parts<'_, E> {
    /// Notes that the beginning of a packet leaves on a link, and schedules when its end leaves the links behind. Returns
    /// when the end leaves this one.
    pub(crate) fn worm_goes_on(
        &mut self,
        id: DirectionId,
        packet: PacketRef,
        duration: SimDuration,
    ) -> SimTime {
        let direction = &self.fabric[id];
        let (latency, onward) = (direction.wire.latency, direction.onward);
        let ahead = onward.filter(|_| direction.is_worm_hole());
        let ahead = ahead.map(|onward| latency + onward.latency);
        let worms = &mut self.fabric.worms;
        if worms.of(packet).is_none() && ahead.is_some() {
            worms.begin(packet);
        }
        let Some(worm) = worms.of(packet) else {
            return self.now + duration;
        };
        let ends = worm.go_on(id, (self.now, duration), ahead);
        for (behind, ends) in worm.moved() {
            self.schedule.insert(ends, Work::WireOut(behind));
        }
        ends
    }

    /// Notes that a packet waits at a worm-hole switch, unless its beginning has left on the link.
    pub(crate) fn worm_stands(&mut self, id: DirectionId, packet: PacketRef) {
        if let Some(worm) = self.fabric.worms.of(packet)
            && !worm.begins_on(id)
        {
            worm.stand(self.now);
        }
    }
}
