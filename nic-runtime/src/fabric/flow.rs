//! Flows: the state of each channel on a faulty link direction. A flow counts packets to draw their fates, and holds
//! the packet that is being reordered.

use nic_core::id::{ChannelId, EndpointId};
use nic_core::random::{Generator, Name};
use nic_core::time::SimTime;

use super::{Fate, Faults, PacketRef};

/// The packets of a sender on one channel.
#[derive(Clone, Debug)]
struct Flow {
    from: (EndpointId, ChannelId),
    /// Number of packets whose fates were drawn.
    drawn: u64,
    /// The fate of the copy of the latest packet, in case the link duplicates it.
    of_copy: Fate,
    /// The packet delayed behind the next of this flow, and the time at which it is delivered at the latest.
    held: Option<(PacketRef, SimTime)>,
}

/// The flows of a direction, sorted by sender and channel. Empty if faults are impossible.
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

    /// Draws the fate of the next packet on a sender's channel. `direction` and `sender` are the hashed names of the
    /// link direction and the sender.
    ///
    /// The draws depend only on these names, the channel number and the packet's count on its channel. Packets of other
    /// endpoints therefore never change them.
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
            ..Fate::draw(faults, &mut generator)
        };
        original
    }

    /// Returns the fate of the copy of the latest packet on a channel.
    pub fn fate_of_copy(&mut self, from: (EndpointId, ChannelId)) -> Fate {
        self.of(from).of_copy
    }

    /// Holds a packet back until the next of its channel arrives, or until `until`. Returns false if another packet of
    /// the channel is already held.
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

    /// Returns whether a held packet has waited too long.
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
