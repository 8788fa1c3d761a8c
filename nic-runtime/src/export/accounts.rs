//! Accounts: what happened to the messages and packets of an endpoint. The outcomes of each account add up to a column
//! of the summary.

use std::collections::BTreeSet;

use nic_core::event::roles::Dropped;
use nic_core::event::{Refusal, Trigger, WireDropReason};
use nic_core::id::{EndpointId, PacketId};
use nic_core::time::SimTime;
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

    #[inline]
    pub(super) fn open(&mut self) {
        self.opened += 1;
    }

    #[inline]
    pub(super) fn close(&mut self, outcome: &'static str) {
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

/// The outcomes of a packet on the wire: it was received, lost for one of the reasons, or given up by its sender.
const ON_WIRE: [&str; WireDropReason::ALL.len() + 2] = {
    let mut outcomes = ["received"; WireDropReason::ALL.len() + 2];
    let mut reason = 0;
    while reason < WireDropReason::ALL.len() {
        outcomes[reason + 1] = WireDropReason::ALL[reason].word();
        reason += 1;
    }
    outcomes[WireDropReason::ALL.len() + 1] = "failed";
    outcomes
};

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
            wire: Account::new("in-flight", &ON_WIRE),
            arrivals: Account::new("waiting", &["delivered", "applet", "capsule"]),
        }
    }
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

    /// Counts a descriptor that is done.
    #[inline]
    pub(super) fn done(&mut self, status: &'static str, refusal: Option<&'static str>) {
        self.posts.close(status);
        if let Some(refusal) = refusal {
            self.refusals.add(refusal);
        }
    }

    /// Counts a packet that arrives.
    #[inline]
    pub(super) fn received(&mut self) {
        self.wire.close("received");
        self.arrivals.open();
    }
}

/// What a drop ended: a packet that an applet had pushed, or one that had arrived.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Push,
    Arrival,
}

/// How often each key was added and not taken, in the order of the keys.
///
/// Usually there are a few keys at a time, and a new one is the greatest. A tree would allocate for each packet.
#[derive(Clone, Debug)]
pub(super) struct Counts<K>(Vec<(K, u64)>);

impl<K> Default for Counts<K> {
    fn default() -> Counts<K> {
        Counts(Vec::new())
    }
}

impl<K: Copy + Ord> Counts<K> {
    #[inline]
    pub(super) fn add(&mut self, key: K) {
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
    #[inline]
    pub(super) fn take(&mut self, key: K) -> bool {
        if let [.., (last, count)] = &mut self.0[..]
            && *last == key
        {
            *count -= 1;
            if *count == 0 {
                self.0.pop();
            }
            return true;
        }
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

/// What the accounts must know of packets under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Clerk {
    /// Packets that applets pushed and that have not been sent.
    pub(super) pushed: Counts<PacketId>,
    /// Packets that were sent in frames and have not been received.
    pub(super) in_frames: BTreeSet<PacketId>,
    /// Number of invisible receive descriptors that `doRx` pushed, by packet.
    pub(super) described: Counts<(EndpointId, PacketId)>,
    /// The endpoint at which the last event showed an arrival, and the packet if it carried a message.
    pub(super) came: Option<Came>,
    /// Whether the last trap was on a message that an applet of a chain had passed on.
    pub(super) has_passed: bool,
}

/// An endpoint at which a packet has arrived, when it arrived, and the packet if it carried a message.
pub(super) type Came = (EndpointId, SimTime, Option<PacketId>);

impl Clerk {
    /// Takes note of a packet that is sent. Returns whether an applet had pushed it.
    #[inline]
    pub(super) fn sends(&mut self, packet: PacketId, is_in_frames: bool) -> bool {
        if is_in_frames {
            self.in_frames.insert(packet);
        }
        self.pushed.take(packet)
    }

    /// Returns what a drop ended. `came` is what the last event showed, and `call` is what caused the running call.
    pub(super) fn dropped(
        &mut self,
        (here, now, packet): (EndpointId, SimTime, PacketId),
        what: Dropped,
        (came, call): (Option<Came>, Option<Trigger>),
    ) -> Option<Ended> {
        if let (Dropped::Unread | Dropped::Copy, Some((at, since, came))) = (what, came)
            && (at, since) == (here, now)
        {
            // The dropped packet has just arrived. If it carried no message, its arrival is already counted.
            return came.map(|_| Ended::Arrival);
        }
        // An applet of this endpoint pushed the dropped packet, which has not been sent.
        if !matches!(what, Dropped::Frame | Dropped::Copy) && self.pushed.take(packet) {
            return Some(Ended::Push);
        }
        match what {
            // When an answer is dropped, the message itself was delivered. When an outgoing packet is dropped on the
            // base path, its `tx-done` is counted. When a frame is dropped, its packet may still arrive.
            Dropped::Answer | Dropped::Outgoing | Dropped::Frame | Dropped::Copy => None,
            // A drop during a call concerns a descriptor that the call pushed; the call is still handling the arrived
            // packet. A packet that nobody has read is another one than the packet of the call.
            Dropped::Arrival if call.is_some() => None,
            Dropped::Unread
                if call == Some(Trigger::Arrival(packet))
                    || call == Some(Trigger::Passed(packet)) =>
            {
                None
            }
            // The first applet of a chain has handled the dropped packet.
            Dropped::Trapped if std::mem::take(&mut self.has_passed) => None,
            Dropped::Arrival | Dropped::Unread | Dropped::Trapped => Some(Ended::Arrival),
        }
    }
}
