//! Accounts: what happened to the messages and packets of an endpoint. The outcomes of each account add up to a column
//! of the summary.

use std::collections::BTreeSet;

use nic_core::event::roles::{Cause, Dropped, Roles, Step};
use nic_core::event::{Made, Refusal, Trigger};
use nic_core::id::{EndpointId, PacketId};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::tally::Tally;

/// Counts the messages or packets of one kind, and their outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    opened: u64,
    outcomes: Tally,
    /// Name in outputs for messages or packets that have no outcome yet.
    open: &'static str,
    /// The outcomes that outputs for programs always show.
    known: &'static [&'static str],
}

impl Account {
    fn new(open: &'static str, known: &'static [&'static str]) -> Account {
        Account {
            opened: 0,
            outcomes: Tally::default(),
            open,
            known,
        }
    }

    fn open(&mut self) {
        self.opened += 1;
    }

    fn close(&mut self, outcome: &'static str) {
        self.outcomes.add(outcome);
    }

    fn merge(&mut self, other: &Account) {
        self.opened += other.opened;
        self.outcomes.merge(&other.outcomes);
    }

    /// Returns the number of messages or packets that were counted.
    #[must_use]
    pub fn opened(&self) -> u64 {
        self.opened
    }

    /// Returns the number of messages or packets that have no outcome because the run ended first.
    #[must_use]
    pub fn pending(&self) -> u64 {
        self.opened.saturating_sub(self.outcomes.sum())
    }

    /// Returns the number of messages or packets with this outcome.
    #[must_use]
    pub fn outcome(&self, name: &str) -> u64 {
        self.outcomes.get(name)
    }

    /// Returns the number of messages or packets by outcome, with those that have no outcome last.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let pending = Some((self.open, self.pending())).filter(|(_, count)| *count > 0);
        self.outcomes.iter().chain(pending)
    }
}

impl Serialize for Account {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, count) in self.outcomes.with_all(self.known.iter().copied()).iter() {
            map.serialize_entry(name, &count)?;
        }
        map.serialize_entry(self.open, &self.pending())?;
        map.end()
    }
}

/// Shows every reason for which a NIC refuses a descriptor.
fn all_refusals<S: Serializer>(refusals: &Tally, serializer: S) -> Result<S::Ok, S::Error> {
    let words = [
        Refusal::UnknownChannel,
        Refusal::OutsideArea,
        Refusal::TooLong,
    ];
    let all = refusals.with_all(words.into_iter().map(Refusal::word));
    all.serialize(serializer)
}

/// The accounts of an endpoint, or the sums over all endpoints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Accounts {
    /// Transmit descriptors that the user pushed, by the status of their `tx-done`.
    pub posts: Account,
    /// Refused descriptors, by reason.
    #[serde(serialize_with = "all_refusals")]
    pub refusals: Tally,
    /// Packets that the applet pushed: `sent`, or dropped for a reason.
    pub pushes: Account,
    /// Packets sent to the endpoint, copies included: `received`, or lost for a reason.
    pub wire: Account,
    /// Packets that arrived: `delivered` on the base path, handled by the `applet`, or dropped for a reason. Packets
    /// that carry no message are counted here by their kind.
    pub arrivals: Account,
}

impl Default for Accounts {
    fn default() -> Accounts {
        Accounts {
            posts: Account::new("pending", &["ok", "trap", "refused", "failed"]),
            refusals: Tally::default(),
            pushes: Account::new("waiting", &["sent", "failed"]),
            wire: Account::new(
                "in-flight",
                &["received", "loss", "crc", "overrun", "failed"],
            ),
            arrivals: Account::new("waiting", &["delivered", "applet", "capsule"]),
        }
    }
}

/// A change to the accounts of an endpoint.
#[derive(Copy, Clone, Debug)]
pub(super) enum Entry {
    Posted,
    Done(&'static str, Option<&'static str>),
    Pushed,
    /// A packet that an applet pushed was sent, or dropped before it was sent.
    PushEnded(&'static str),
    /// A packet was sent to the endpoint.
    Sent,
    /// A packet arrived.
    Received,
    /// A link lost a packet.
    Lost(&'static str),
    ArrivalEnded(&'static str),
}

impl Accounts {
    /// Adds every account of another endpoint to these accounts.
    pub(super) fn merge(&mut self, other: &Accounts) {
        self.posts.merge(&other.posts);
        self.refusals.merge(&other.refusals);
        self.pushes.merge(&other.pushes);
        self.wire.merge(&other.wire);
        self.arrivals.merge(&other.arrivals);
    }

    pub(super) fn enter(&mut self, entry: Entry) {
        match entry {
            Entry::Posted => self.posts.open(),
            Entry::Done(status, refusal) => {
                self.posts.close(status);
                if let Some(refusal) = refusal {
                    self.refusals.add(refusal);
                }
            }
            Entry::Pushed => self.pushes.open(),
            Entry::PushEnded(outcome) => self.pushes.close(outcome),
            Entry::Sent => self.wire.open(),
            Entry::Received => {
                self.wire.close("received");
                self.arrivals.open();
            }
            Entry::Lost(reason) => self.wire.close(reason),
            Entry::ArrivalEnded(outcome) => self.arrivals.close(outcome),
        }
    }
}

/// How often each key was added and not taken, in the order of the keys.
///
/// Usually there are a few keys at a time, and a new one is the greatest. A tree would allocate for each packet.
#[derive(Clone, Debug)]
struct Counts<K>(Vec<(K, u64)>);

impl<K> Default for Counts<K> {
    fn default() -> Counts<K> {
        Counts(Vec::new())
    }
}

impl<K: Copy + Ord> Counts<K> {
    fn add(&mut self, key: K) {
        match self.0.last() {
            Some((last, _)) if *last >= key => {
                match self.0.binary_search_by_key(&key, |(known, _)| *known) {
                    Ok(place) => self.0[place].1 += 1,
                    Err(place) => self.0.insert(place, (key, 1)),
                }
            }
            Some(_) | None => self.0.push((key, 1)),
        }
    }

    /// Takes a key once; returns false if it is not there.
    fn take(&mut self, key: K) -> bool {
        let Ok(place) = self.0.binary_search_by_key(&key, |(known, _)| *known) else {
            return false;
        };
        self.0[place].1 -= 1;
        if self.0[place].1 == 0 {
            self.0.remove(place);
        }
        true
    }
}

/// Translates events into changes of the accounts.
#[derive(Clone, Debug, Default)]
pub(super) struct Clerk {
    /// What caused the running call of each endpoint.
    calls: Vec<Option<Trigger>>,
    /// Packets that applets pushed and that have not been sent.
    pushed: Counts<PacketId>,
    /// Packets that were sent in frames and have not been received.
    in_frames: BTreeSet<PacketId>,
    /// Number of invisible receive descriptors that `doRx` pushed, by packet.
    described: Counts<(EndpointId, PacketId)>,
    /// The endpoint at which the last event showed an arrival, and the packet if it carried a message.
    came: Option<(EndpointId, Option<PacketId>)>,
    /// Whether the last trap was on a message that an applet of a chain had passed on.
    has_passed: bool,
}

impl Clerk {
    /// Returns the cause of the running call of an endpoint.
    fn call(&mut self, here: EndpointId) -> &mut Option<Trigger> {
        let place = here.0 as usize;
        if place >= self.calls.len() {
            self.calls.resize(place + 1, None);
        }
        &mut self.calls[place]
    }

    /// Takes note of a packet that is sent or received in frames. If the packet was not on its way, returns the endpoint
    /// that it came from, and its length.
    ///
    /// A packet in frames can arrive more often than it was sent. A link without a CRC may change the number of a frame,
    /// so that the frame opens another message. Such a packet counts as a copy that the link has made. So does a packet
    /// whose last frame arrives after its sender has given it up.
    pub(super) fn copied(&mut self, roles: &Roles<'_>) -> Option<(EndpointId, u64)> {
        if let Step::Sent {
            packet,
            is_in_frames: true,
            ..
        } = roles.step
        {
            self.in_frames.insert(packet);
        }
        let Step::Received {
            packet,
            peer,
            payload,
            is_in_frames: true,
        } = roles.step
        else {
            return None;
        };
        let was_on_its_way = self.in_frames.remove(&packet);
        (!was_on_its_way).then_some((peer, payload.len() as u64))
    }

    /// Returns the changes of accounts that an event causes, at most two, each with its endpoint.
    pub(super) fn entries(
        &mut self,
        here: EndpointId,
        roles: &Roles<'_>,
    ) -> [Option<(EndpointId, Entry)>; 2] {
        let one = |entry| [Some((here, entry)), None];
        let came = self.came.take();
        match roles.step {
            Step::Posted { .. } => one(Entry::Posted),
            Step::Completed {
                status, refusal, ..
            } => one(Entry::Done(status, refusal)),
            Step::CallBegan { .. } => {
                if let Cause::Of(trigger) = roles.cause {
                    *self.call(here) = Some(trigger);
                }
                [None, None]
            }
            Step::CallReturned { .. } => match self.call(here).take() {
                Some(Trigger::Arrival(_)) => one(Entry::ArrivalEnded("applet")),
                Some(
                    Trigger::Load
                    | Trigger::Post(_)
                    | Trigger::Passed(_)
                    | Trigger::Timer
                    | Trigger::Refill
                    | Trigger::Watch,
                )
                | None => [None, None],
            },
            // The `drop` event that follows the trap decides the outcome of the packet.
            Step::CallTrapped { .. } => {
                let trigger = self.call(here).take();
                self.has_passed = matches!(trigger, Some(Trigger::Passed(_)));
                [None, None]
            }
            Step::Made(made) => match made {
                Made::Nothing => [None, None],
                Made::Packet(packet) => {
                    self.pushed.add(packet);
                    one(Entry::Pushed)
                }
                Made::Descriptor => {
                    if let Some(Trigger::Arrival(packet) | Trigger::Passed(packet)) =
                        *self.call(here)
                    {
                        self.described.add((here, packet));
                    }
                    [None, None]
                }
            },
            Step::Sent { packet, peer, .. } => {
                let pushed = self.pushed.take(packet);
                let left = pushed.then_some((here, Entry::PushEnded("sent")));
                [Some((peer, Entry::Sent)), left]
            }
            Step::Received { packet, .. } => {
                self.came = Some((here, Some(packet)));
                one(Entry::Received)
            }
            Step::ControlSent { peer, .. } => [Some((peer, Entry::Sent)), None],
            Step::ControlReceived { kind, .. } => {
                self.came = Some((here, None));
                let entries = [Entry::Received, Entry::ArrivalEnded(kind)];
                entries.map(|entry| Some((here, entry)))
            }
            Step::GivenUp { packet, peer } => {
                let pushed = self.pushed.take(packet);
                let was_on_its_way = self.in_frames.remove(&packet);
                [
                    was_on_its_way.then_some((peer, Entry::Lost("failed"))),
                    pushed.then_some((here, Entry::PushEnded("failed"))),
                ]
            }
            Step::Lost { reason, .. } => one(Entry::Lost(reason)),
            Step::Consumed { by, .. } => one(Entry::ArrivalEnded(by)),
            Step::Delivered {
                packet: Some(packet),
                ..
            } => {
                if self.is_described(here, packet) {
                    return [None, None];
                }
                one(Entry::ArrivalEnded("delivered"))
            }
            Step::Dropped {
                packet: Some(packet),
                reason,
                what,
            } => match (what, came) {
                // The dropped packet has just arrived. If it carried no message, its arrival is already counted.
                (Dropped::Unread | Dropped::Copy, Some((at, came))) if at == here => {
                    let ended = (here, Entry::ArrivalEnded(reason));
                    [came.map(|_| ended), None]
                }
                _ => self.dropped(here, packet, (reason, what)),
            },
            Step::Delivered { packet: None, .. }
            | Step::Dropped { packet: None, .. }
            | Step::CallSuspended
            | Step::CallResumed
            | Step::Detached
            | Step::Mapped { .. }
            | Step::Attached
            | Step::Other => [None, None],
        }
    }

    /// Returns whether the running call of an endpoint handles this packet.
    fn handles(&mut self, here: EndpointId, packet: PacketId) -> bool {
        match *self.call(here) {
            Some(Trigger::Arrival(own) | Trigger::Passed(own)) => own == packet,
            Some(
                Trigger::Load
                | Trigger::Post(_)
                | Trigger::Timer
                | Trigger::Refill
                | Trigger::Watch,
            )
            | None => false,
        }
    }

    /// Removes a receive descriptor that an applet pushed; returns false if no applet pushed one for this packet.
    fn is_described(&mut self, here: EndpointId, packet: PacketId) -> bool {
        self.described.take((here, packet))
    }

    fn dropped(
        &mut self,
        here: EndpointId,
        packet: PacketId,
        (reason, what): (&'static str, Dropped),
    ) -> [Option<(EndpointId, Entry)>; 2] {
        // An applet of this endpoint pushed the dropped packet, which has not been sent.
        if !matches!(what, Dropped::Frame | Dropped::Copy) && self.pushed.take(packet) {
            return [Some((here, Entry::PushEnded(reason))), None];
        }
        match what {
            // When an answer is dropped, the message itself was delivered. When an outgoing packet is dropped on the
            // base path, its `tx-done` is counted. When a frame is dropped, its packet may still arrive.
            Dropped::Answer | Dropped::Outgoing | Dropped::Frame | Dropped::Copy => [None, None],
            // A drop during a call concerns a descriptor that the call pushed; the call is still handling the arrived
            // packet. A packet that nobody has read is another one than the packet of the call.
            Dropped::Arrival if self.call(here).is_some() => [None, None],
            Dropped::Unread if self.handles(here, packet) => [None, None],
            // The first applet of a chain has handled the dropped packet.
            Dropped::Trapped if std::mem::take(&mut self.has_passed) => [None, None],
            Dropped::Arrival | Dropped::Unread | Dropped::Trapped => {
                [Some((here, Entry::ArrivalEnded(reason))), None]
            }
        }
    }
}
