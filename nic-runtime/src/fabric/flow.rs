//! What one direction of a faulty link knows of each channel: how many packets it has carried, and which packet waits
//! for the next one. Each packet's fate is its own.

use nic_core::id::{ChannelId, EndpointId};
use nic_core::random::{Generator, Name};
use nic_core::time::SimTime;

use super::{Fate, Faults, PacketRef};

/// The packets of one sender on one channel.
#[derive(Clone, Debug)]
struct Flow {
    from: (EndpointId, ChannelId),
    /// How many packets had their fate drawn.
    drawn: u64,
    /// What happens to the copy of the packet that was drawn for last, if the link makes one.
    of_copy: Fate,
    /// The packet that is delayed behind the next of this flow, and when it waits no longer.
    held: Option<(PacketRef, SimTime)>,
}

/// The flows of one direction, in the order of senders and their channels. Empty where no fault can strike.
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

    /// Draws what happens to the next packet of a sender's channel, on a link direction whose hashed name this
    /// is; `sender` is the sender's.
    ///
    /// The draws depend on these names, the channel's number and the count of the packet on its channel. So
    /// nobody else's packets change them, whether they come before or between.
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

    /// Returns what happens to the copy of the packet that was drawn for last on this channel.
    pub fn fate_of_copy(&mut self, from: (EndpointId, ChannelId)) -> Fate {
        self.of(from).of_copy
    }

    /// Holds a packet back until the next of its channel, or this time, unless another is held already; says
    /// whether it is held.
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

    /// Takes the packet that waits for the next of this channel.
    pub fn take_held(&mut self, from: (EndpointId, ChannelId)) -> Option<PacketRef> {
        self.of(from).held.take().map(|(packet, _)| packet)
    }

    /// Returns whether a packet has waited long enough.
    #[must_use]
    pub fn is_overdue(&self, now: SimTime) -> bool {
        self.0.iter().any(|flow| flow.is_overdue(now))
    }

    /// Takes a packet that has waited long enough.
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
