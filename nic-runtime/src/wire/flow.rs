//! Flows: the state of each channel on a faulty link direction. A flow counts packets to draw their fates, and holds
//! the packet that is being reordered.

use nic_core::id::{ChannelId, EndpointId};
use nic_core::random::{Generator, Name};
use nic_core::time::SimTime;

use super::{Fate, Faults, PacketRef};

/// The flow of the packets of one sender on one channel.
#[derive(Clone, Debug)]
struct Flow {
    from: (EndpointId, ChannelId),
    /// Number of packets of the flow whose fates were drawn.
    drawn: u64,
    /// The fate of the latest packet's copy, for the case that the link duplicates the packet.
    of_copy: Fate,
    /// The packet that is held back until the flow's next packet arrives, and the latest time of its delivery.
    held: Option<(PacketRef, SimTime)>,
}

/// The flows of a link direction, sorted by sender and channel. The list of flows is empty if faults are impossible.
#[derive(Clone, Debug, Default)]
pub struct Flows(Vec<Flow>);

impl Flows {
    fn of(&mut self, from: (EndpointId, ChannelId)) -> &mut Flow {
        let key = |flow: &Flow| (flow.from.0.0, flow.from.1.0);
        let wanted = (from.0.0, from.1.0);
        let place = match self.0.binary_search_by_key(&wanted, key) {
            Ok(place) => place,
            Err(place) => {
                let flow = Flow {
                    from,
                    drawn: 0,
                    of_copy: Fate::default(),
                    held: None,
                };
                self.0.insert(place, flow);
                place
            }
        };
        &mut self.0[place]
    }

    /// Draws the fate of the next packet of a sender on a channel. `direction` and `sender` are the hashed names of the
    /// link direction and the sender.
    ///
    /// The draws depend only on the two hashed names, the channel number and the number of earlier packets on the
    /// channel. Packets of other endpoints therefore never change the draws for a channel.
    pub fn draw_fate(
        &mut self,
        from: (EndpointId, ChannelId),
        (direction, sender): (Name, Name),
        faults: &Faults,
    ) -> Fate {
        let flow = self.of(from);
        let channel = u64::from(from.1.0.cast_unsigned());
        let identity = [sender.value(), channel, flow.drawn];
        flow.drawn += 1;
        let mut generator = Generator::numbered(direction, &identity);
        let original = Fate::draw(faults, &mut generator);
        flow.of_copy = Fate {
            duplicated: false,
            is_copy: true,
            ..Fate::draw(faults, &mut generator)
        };
        original
    }

    /// Returns the fate of the copy of the latest packet on a channel.
    pub fn fate_of_copy(&mut self, from: (EndpointId, ChannelId)) -> Fate {
        self.of(from).of_copy
    }

    /// Holds a packet back until the next packet of its channel arrives, or until the time `until`. Returns false if
    /// the flow already holds another packet of the channel.
    pub fn hold(
        &mut self,
        from: (EndpointId, ChannelId),
        packet: PacketRef,
        until: SimTime,
    ) -> bool {
        let flow = self.of(from);
        let is_free = flow.held.is_none();
        if is_free {
            flow.held = Some((packet, until));
        }
        is_free
    }

    /// Removes the held packet of a channel.
    pub fn take_held(&mut self, from: (EndpointId, ChannelId)) -> Option<PacketRef> {
        self.of(from).held.take().map(|(packet, _)| packet)
    }

    /// Returns whether a held packet of any flow has waited too long.
    #[must_use]
    pub fn is_overdue(&self, now: SimTime) -> bool {
        self.0.iter().any(|flow| flow.is_overdue(now))
    }

    /// Removes a held packet that has waited too long.
    pub fn take_overdue(&mut self, now: SimTime) -> Option<PacketRef> {
        let flow = self.0.iter_mut().find(|flow| flow.is_overdue(now))?;
        flow.held.take().map(|(packet, _)| packet)
    }
}

impl Flow {
    fn is_overdue(&self, now: SimTime) -> bool {
        self.held.is_some_and(|(_, until)| until <= now)
    }
}
