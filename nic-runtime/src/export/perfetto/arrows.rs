//! Arrows of the timeline, which connect the events on a packet's way.
//!
//! An arrow is written when the event at its end occurs, so that no arrow lacks an end. Possible starts of arrows are
//! kept until the arrow's end occurs, or until they can no longer lead to an event.

use std::collections::{BTreeMap, VecDeque};

use nic_core::event::roles::{Cause, Dropped, Forwarded, Roles, Step};
use nic_core::event::{Made, Trigger};
use nic_core::id::{EndpointId, PacketId, PostId};
use nic_core::time::SimTime;

use super::writer::Place;

/// A point of the timeline at which an arrow starts or ends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) place: Place,
    pub(super) time: SimTime,
}

/// Possible starts of arrows.
#[derive(Debug, Default)]
pub(super) struct Arrows {
    /// Posted descriptors that have not completed.
    posted: BTreeMap<(EndpointId, PostId), Point>,
    /// Packets that natives made and that have not been sent.
    made: BTreeMap<PacketId, Point>,
    /// Packets on a wire. A duplicate packet has the number of its original, so each number has a queue of points.
    sent: BTreeMap<PacketId, VecDeque<Point>>,
    /// Packets that have arrived and that neither an applet nor the NIC has handled.
    received: BTreeMap<PacketId, VecDeque<Point>>,
    /// Invisible receive descriptors that applets pushed, oldest first.
    described: BTreeMap<EndpointId, VecDeque<Point>>,
}

impl Arrows {
    /// Records an event shown at `here`, and returns the point of the earlier event that led to this event, if there is
    /// one.
    pub(super) fn lead_to(
        &mut self,
        endpoint: EndpointId,
        roles: &Roles<'_>,
        here: Point,
    ) -> Option<Point> {
        match roles.step {
            Step::Posted { post, .. } => {
                self.posted.insert((endpoint, post), here);
                None
            }
            Step::Completed { post, .. } => {
                self.posted.remove(&(endpoint, post));
                None
            }
            Step::CallBegan { .. } => match roles.cause {
                Cause::Of(Trigger::Post(post)) => self.posted.remove(&(endpoint, post)),
                Cause::Of(Trigger::Arrival(packet)) => take_first(&mut self.received, packet),
                Cause::Of(
                    Trigger::Load
                    | Trigger::Passed(_)
                    | Trigger::Timer
                    | Trigger::Refill
                    | Trigger::Watch
                    | Trigger::Read,
                )
                | Cause::None
                | Cause::OfCall => None,
            },
            Step::Made(made) => {
                match made {
                    Made::Nothing => {}
                    Made::Packet(packet) => {
                        self.made.insert(packet, here);
                    }
                    Made::Descriptor => self.described.entry(endpoint).or_default().push_back(here),
                }
                None
            }
            Step::Sent { packet, .. } => {
                self.sent.entry(packet).or_default().push_back(here);
                let posted = match roles.cause {
                    Cause::Of(Trigger::Post(post)) => self.posted.get(&(endpoint, post)).copied(),
                    Cause::Of(
                        Trigger::Load
                        | Trigger::Arrival(_)
                        | Trigger::Passed(_)
                        | Trigger::Timer
                        | Trigger::Refill
                        | Trigger::Watch
                        | Trigger::Read,
                    )
                    | Cause::None
                    | Cause::OfCall => None,
                };
                self.made.remove(&packet).or(posted)
            }
            // A switch sends one copy of a packet after the other, so each has the point of the hop before.
            Step::Forwarded(Forwarded { packet, .. }) => {
                let from = take_first(&mut self.sent, packet);
                self.sent.entry(packet).or_default().push_back(here);
                from
            }
            Step::Received { packet, .. } => {
                self.received.entry(packet).or_default().push_back(here);
                take_first(&mut self.sent, packet)
            }
            Step::Lost { packet, .. } => take_first(&mut self.sent, packet),
            Step::Consumed { packet, .. } => take_first(&mut self.received, packet),
            Step::Delivered { packet, .. } => {
                let described = take_first(&mut self.described, endpoint);
                described.or_else(|| take_first(&mut self.received, packet?))
            }
            Step::Dropped {
                what: Dropped::Frame | Dropped::Copy,
                ..
            } => None,
            Step::Dropped {
                packet: Some(packet),
                ..
            } => {
                let made = self.made.remove(&packet);
                made.or_else(|| take_first(&mut self.received, packet))
            }
            Step::Dropped { packet: None, .. }
            | Step::CallSuspended
            | Step::CallResumed
            | Step::CallReturned { .. }
            | Step::CallTrapped { .. }
            | Step::Detached
            | Step::Mapped { .. }
            | Step::ControlSent { .. }
            | Step::ControlReceived { .. }
            | Step::Attached
            | Step::GivenUp { .. }
            | Step::Other => None,
        }
    }
}

/// Removes the oldest point of a key's queue.
fn take_first<K: Ord>(points: &mut BTreeMap<K, VecDeque<Point>>, key: K) -> Option<Point> {
    let of_key = points.get_mut(&key)?;
    let first = of_key.pop_front();
    if of_key.is_empty() {
        points.remove(&key);
    }
    first
}
