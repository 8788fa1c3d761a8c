//! The arrows that join a packet's way: which point of the timeline led to which.
//!
//! An arrow is drawn when its end is reached, so that none is left without one. What has not led to
//! anything yet waits here, and is forgotten when it no longer can.

use std::collections::{BTreeMap, VecDeque};

use nic_core::event::roles::{Cause, Roles, Step};
use nic_core::event::{Made, Trigger};
use nic_core::id::{EndpointId, PacketId, PostId};
use nic_core::time::SimTime;

use super::writer::Place;

/// A point that an arrow starts from or ends at.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) place: Place,
    pub(super) time: SimTime,
}

/// Points that may lead to others.
#[derive(Debug, Default)]
pub(super) struct Arrows {
    /// Descriptors that are not done.
    posted: BTreeMap<(EndpointId, PostId), Point>,
    /// Packets that natives made and that have not left.
    made: BTreeMap<PacketId, Point>,
    /// Packets on a wire; a duplicate has the number of its original.
    sent: BTreeMap<PacketId, VecDeque<Point>>,
    /// Packets that came in and that nobody has handled.
    received: BTreeMap<PacketId, VecDeque<Point>>,
    /// Receive descriptors that applets pushed and that the user does not see, oldest first.
    described: BTreeMap<EndpointId, VecDeque<Point>>,
}

impl Arrows {
    /// Takes an event of an endpoint that is shown at `here`; returns the point that led to it, if one did.
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
                Cause::Of(Trigger::Load | Trigger::Timer | Trigger::Refill)
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
                        Trigger::Load | Trigger::Arrival(_) | Trigger::Timer | Trigger::Refill,
                    )
                    | Cause::None
                    | Cause::OfCall => None,
                };
                self.made.remove(&packet).or(posted)
            }
            Step::Received { packet, .. } => {
                self.received.entry(packet).or_default().push_back(here);
                take_first(&mut self.sent, packet)
            }
            Step::Lost { packet, .. } => take_first(&mut self.sent, packet),
            Step::Delivered { packet, .. } => {
                let described = take_first(&mut self.described, endpoint);
                described.or_else(|| take_first(&mut self.received, packet?))
            }
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
            | Step::Attached
            | Step::Other => None,
        }
    }
}

/// Takes the oldest point of a key.
fn take_first<K: Ord>(points: &mut BTreeMap<K, VecDeque<Point>>, key: K) -> Option<Point> {
    let of_key = points.get_mut(&key)?;
    let first = of_key.pop_front();
    if of_key.is_empty() {
        points.remove(&key);
    }
    first
}
