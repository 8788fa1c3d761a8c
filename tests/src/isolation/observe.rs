//! Records what victims see in a run, and compares two runs.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};

use nic_core::event::{
    EndReason, Event, EventKind, Names, NicEvent, RxBody, Sink, SleEvent, UnetEvent,
};
use nic_runtime::scenario::Scenario;

use super::cast::Cast;
use crate::simulation::payload;

/// An observation of a victim.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    /// A packet arrived.
    Arrived(Message),
    /// The victim's user received a message, inline or in buffers.
    Received {
        /// Whether the message was in the descriptor.
        inline: bool,
        /// The message.
        message: Message,
    },
    /// A transmit descriptor completed.
    Done(String),
    /// The runtime dropped something.
    Dropped(String),
}

/// A message, with as much detail as the comparison needs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Message {
    length: usize,
    digest: u64,
}

impl Message {
    fn of(bytes: &[u8]) -> Message {
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        Message {
            length: bytes.len(),
            digest: hasher.finish(),
        }
    }
}

/// The observations of all victims: for each name, channel and kind, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen(BTreeMap<Key, Vec<Sight>>);

type Key = (String, i32, &'static str);

impl Seen {
    /// Returns the number of observations.
    pub fn count(&self) -> u64 {
        let counts = self.0.values().map(|sights| sights.len() as u64);
        counts.sum()
    }
}

/// Returns the observation of an event, if a victim sees it.
fn sight(names: &dyn Names, event: &Event<'_>) -> Option<(Key, Sight)> {
    let name = names.endpoint(event.endpoint?);
    if !Cast::is_victim(name) {
        return None;
    }
    let (channel, kind, sight) = match event.kind {
        EventKind::Nic(NicEvent::WireRx {
            channel, payload, ..
        }) => (channel.0, "wire-rx", Sight::Arrived(Message::of(payload))),
        EventKind::Unet(UnetEvent::RxDescriptor {
            channel,
            length,
            body,
            ..
        }) => {
            let inline = matches!(body, RxBody::Inline(_));
            let message = Message::of(&payload(body, length));
            (
                channel.0,
                "rx-descriptor",
                Sight::Received { inline, message },
            )
        }
        EventKind::Unet(UnetEvent::TxDone {
            channel,
            length,
            status,
            ..
        }) => {
            let done = format!("{length} bytes {status:?}");
            (channel.0, "tx-done", Sight::Done(done))
        }
        EventKind::Nic(NicEvent::Drop { reason, .. }) => {
            (-1, "drop", Sight::Dropped(format!("{reason:?}")))
        }
        _ => return None,
    };
    Some(((name.to_owned(), channel, kind), sight))
}

/// Returns the endpoints whose packets may overtake each other, so that their observations are compared as sets.
fn unordered(scenario: &Scenario, cast: &Cast) -> Vec<String> {
    let names = scenario.endpoints.iter().map(|endpoint| &endpoint.name);
    names
        .filter(|name| cast.may_reorder(name))
        .cloned()
        .collect()
}

/// Returns whether observations are compared without their order. Transmit descriptors may complete in another order
/// than the order of posting, because a descriptor without a packet does not wait for the wire.
fn is_unordered(names: &[String], (name, _, kind): &Key) -> bool {
    *kind == "tx-done" || names.contains(name)
}

/// Records what the victims see.
pub(super) struct Record {
    seen: Seen,
    unordered: Vec<String>,
}

impl Record {
    pub(super) fn new(scenario: &Scenario, cast: &Cast) -> Record {
        Record {
            seen: Seen::default(),
            unordered: unordered(scenario, cast),
        }
    }

    pub(super) fn into_seen(mut self) -> Seen {
        for (key, sights) in &mut self.seen.0 {
            if is_unordered(&self.unordered, key) {
                sights.sort();
            }
        }
        self.seen
    }
}

impl Sink for Record {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        if let Some((key, sight)) = sight(names, event) {
            self.seen.0.entry(key).or_default().push(sight);
        }
    }
}

/// Compares what the victims see with the expected observations, and ends the run when all expected observations have
/// been seen.
pub(super) struct Compared {
    expected: Seen,
    record: Record,
    left: u64,
    breach: Option<String>,
    hostile_drops: u64,
    hostile_calls: u64,
}

impl Compared {
    pub(super) fn new(scenario: &Scenario, cast: &Cast, expected: Seen) -> Compared {
        Compared {
            left: expected.count(),
            expected,
            record: Record::new(scenario, cast),
            breach: None,
            hostile_drops: 0,
            hostile_calls: 0,
        }
    }

    pub(super) fn hostile_drops(&self) -> u64 {
        self.hostile_drops
    }

    pub(super) fn hostile_calls(&self) -> u64 {
        self.hostile_calls
    }

    /// Returns the result of the comparison.
    pub(super) fn verdict(self, end: EndReason) -> Result<(), String> {
        if let Some(breach) = self.breach {
            return Err(breach);
        }
        if self.left > 0 {
            return Err(format!(
                "{} sights did not come, the run ended with {end:?}",
                self.left
            ));
        }
        let seen = self.record.into_seen();
        if seen != self.expected {
            return Err(format!("expected {:?}\nfound {seen:?}", self.expected));
        }
        Ok(())
    }

    fn count_hostile(&mut self, kind: &EventKind<'_>) {
        match kind {
            EventKind::Nic(NicEvent::Drop { .. }) => self.hostile_drops += 1,
            EventKind::Sle(SleEvent::AppletCall { .. }) => self.hostile_calls += 1,
            _ => {}
        }
    }
}

impl Sink for Compared {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let Some((key, sight)) = sight(names, event) else {
            self.count_hostile(&event.kind);
            return;
        };
        let seen = self.record.seen.0.entry(key.clone()).or_default();
        let place = seen.len();
        seen.push(sight.clone());
        let expected = self.expected.0.get(&key);
        let wanted = expected.and_then(|sights| sights.get(place));
        let is_unordered = is_unordered(&self.record.unordered, &key);
        match wanted {
            Some(wanted) if is_unordered || *wanted == sight => self.left -= 1,
            _ => {
                let found =
                    format!("{key:?}, number {place}: expected {wanted:?}, found {sight:?}");
                self.breach.get_or_insert(found);
            }
        }
    }

    fn has_failed(&self) -> bool {
        self.left == 0 || self.breach.is_some()
    }
}
