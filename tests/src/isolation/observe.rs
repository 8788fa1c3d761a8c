//! Records what victims see in a run, and compares two runs.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};

use nic_core::event::{
    EndReason, Event, EventKind, Names, NicEvent, RxBody, Sink, SleEvent, TxStatus, UnetEvent,
    ViaEvent,
};
use nic_core::id::{ChannelId, EndpointId};
use nic_core::via::Status;
use nic_runtime::spec::InterfaceKind;
use nic_runtime::spec::Scenario;

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
    /// A VI changed its state.
    State(String),
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

    /// Checks that each message arrived as it was posted, and that its sender knows, wherever no applet and no fault
    /// changes messages.
    ///
    /// # Errors
    ///
    /// Returns a description of the endpoint that lacks messages, or has others.
    pub(super) fn check_arrived(&self, scenario: &Scenario, cast: &Cast) -> Result<(), String> {
        let names = cast.must_receive();
        let name = |endpoint: EndpointId| &scenario.endpoints[endpoint.0 as usize].name;
        for channel in &scenario.channels {
            for (from, to) in [(channel.a, channel.b), (channel.b, channel.a)] {
                let (sender, receiver) = (name(from.0), name(to.0));
                if !names.contains(sender) {
                    continue;
                }
                let mut posted = Vec::new();
                for send in scenario.sends.iter().filter(|send| send.endpoint == from.0) {
                    let times = usize::try_from(send.repeat).unwrap_or(usize::MAX);
                    posted.extend(std::iter::repeat_n(Message::of(&send.payload), times));
                }
                let of = |name: &str, channel: ChannelId, kind| {
                    let found = self.0.get(&(name.to_owned(), channel.0, kind));
                    found.map_or(&[][..], Vec::as_slice)
                };
                let received = of(receiver, to.1, "rx-descriptor").iter();
                let received = received.filter_map(|sight| match sight {
                    Sight::Received { message, .. } => Some(*message),
                    Sight::Arrived(_) | Sight::Done(_) | Sight::Dropped(_) | Sight::State(_) => {
                        None
                    }
                });
                let mut received: Vec<Message> = received.collect();
                let lengths = |messages: &[Message]| -> Vec<String> {
                    let mut lengths: Vec<_> = messages
                        .iter()
                        .map(|message| done(u32::try_from(message.length).unwrap_or(u32::MAX)))
                        .collect();
                    lengths.sort();
                    lengths
                };
                let sent = of(sender, from.1, "tx-done").iter();
                let sent = sent.filter_map(|sight| match sight {
                    Sight::Done(done) => Some(done.clone()),
                    Sight::Received { .. }
                    | Sight::Arrived(_)
                    | Sight::Dropped(_)
                    | Sight::State(_) => None,
                });
                let mut sent: Vec<String> = sent.collect();
                sent.sort();
                posted.sort();
                received.sort();
                if received != posted || sent != lengths(&posted) {
                    return Err(format!(
                        "{sender} posted {} messages to {receiver}, which received {} ({} as they were posted); {sent:?}",
                        posted.len(),
                        received.len(),
                        received
                            .iter()
                            .filter(|message| posted.contains(message))
                            .count(),
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Returns the observation of an event, if a victim sees it.
fn sight(names: &dyn Names, cast: &Cast, event: &Event<'_>) -> Option<(Key, Sight)> {
    let name = names.endpoint(event.endpoint?);
    let interface = match Cast::is_victim(name) {
        true => cast.interface_of(name)?,
        false => return None,
    };
    // What the NICs of a connection send each other depends on time: they repeat frames and acknowledge them together.
    let sees_packets = match interface {
        InterfaceKind::Unet => true,
        InterfaceKind::Emp | InterfaceKind::Via | InterfaceKind::Lmmc => false,
    };
    let (channel, kind, sight) = match event.kind {
        EventKind::Nic(NicEvent::WireRx {
            channel, payload, ..
        }) if sees_packets => (channel.0, "wire-rx", Sight::Arrived(Message::of(payload))),
        EventKind::Via(ViaEvent::RxDescriptor {
            channel,
            length,
            status: Status::Ok,
            offsets,
            share,
            area,
            ..
        }) => {
            let body = RxBody::Buffers {
                offsets,
                share,
                area,
            };
            let message = Message::of(&payload(body, length));
            let inline = false;
            (
                channel.0,
                "rx-descriptor",
                Sight::Received { inline, message },
            )
        }
        EventKind::Via(ViaEvent::RxDescriptor {
            channel, status, ..
        }) => (
            channel.0,
            "rx-descriptor",
            Sight::Dropped(format!("{status:?}")),
        ),
        EventKind::Via(ViaEvent::TxDone {
            channel,
            length,
            status,
            ..
        }) => {
            let done = match status {
                Status::Ok => done(length),
                status => format!("{length} bytes {status:?}"),
            };
            (channel.0, "tx-done", Sight::Done(done))
        }
        EventKind::Via(ViaEvent::ViState { state, reason }) => {
            let state = format!("{state:?} {reason:?}");
            (-1, "vi-state", Sight::State(state))
        }
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
            let done = match status {
                TxStatus::Ok => done(length),
                status => format!("{length} bytes {status:?}"),
            };
            (channel.0, "tx-done", Sight::Done(done))
        }
        EventKind::Nic(NicEvent::Drop { reason, .. }) if sees_packets => {
            (-1, "drop", Sight::Dropped(format!("{reason:?}")))
        }
        _ => return None,
    };
    Some(((name.to_owned(), channel, kind), sight))
}

/// Returns how an observation of a message that was sent names the message.
fn done(length: u32) -> String {
    format!("{length} bytes Ok")
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
pub(super) struct Record<'c> {
    cast: &'c Cast,
    seen: Seen,
    unordered: Vec<String>,
}

impl<'c> Record<'c> {
    pub(super) fn new(scenario: &Scenario, cast: &'c Cast) -> Record<'c> {
        Record {
            cast,
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

impl Sink for Record<'_> {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        if let Some((key, sight)) = sight(names, self.cast, event) {
            self.seen.0.entry(key).or_default().push(sight);
        }
    }
}

/// Compares what the victims see with the expected observations, and ends the run when all expected observations have
/// been seen.
pub(super) struct Compared<'c> {
    expected: Seen,
    record: Record<'c>,
    left: u64,
    /// Where messages may fail: how many that their senders take for sent have not arrived.
    owed: i64,
    breach: Option<String>,
    hostile_drops: u64,
    hostile_calls: u64,
}

impl<'c> Compared<'c> {
    pub(super) fn new(scenario: &Scenario, cast: &'c Cast, expected: Seen) -> Compared<'c> {
        let mut sights = expected.0.iter();
        let dones = sights
            .by_ref()
            .filter(|((_, _, kind), _)| *kind == "tx-done");
        Compared {
            left: match cast.may_fail() {
                true => dones.map(|(_, sights)| sights.len() as u64).sum(),
                false => expected.count(),
            },
            owed: 0,
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
        if self.owed > 0 {
            return Err(format!(
                "{} messages were sent and did not arrive, the run ended with {end:?}",
                self.owed
            ));
        }
        if self.left > 0 {
            let seen = &self.record.seen.0;
            let lacking = self.expected.0.iter().filter_map(|(key, sights)| {
                let found = seen.get(key).map_or(0, Vec::len);
                (found < sights.len()).then(|| format!("{key:?}: {found} of {}", sights.len()))
            });
            return Err(format!(
                "{} sights did not come, the run ended with {end:?}: {}",
                self.left,
                Vec::from_iter(lacking).join(", ")
            ));
        }
        let may_fail = self.record.cast.may_fail();
        let seen = self.record.into_seen();
        if may_fail {
            return Ok(());
        }
        if seen != self.expected {
            return Err(format!("expected {:?}\nfound {seen:?}", self.expected));
        }
        Ok(())
    }

    /// Compares an observation where messages may fail. Each message that arrives is the next expected one or a later
    /// one, and each message that the sender takes for sent has arrived in the end.
    fn weigh(&mut self, key: Key, sight: Sight) {
        let expected = self.expected.0.get(&key).map_or(&[][..], Vec::as_slice);
        let seen = self.record.seen.0.entry(key.clone()).or_default();
        match sight {
            Sight::Done(done) => {
                self.left -= 1;
                if done.ends_with("Ok") {
                    self.owed += 1;
                }
                return;
            }
            Sight::Received { .. } => {
                let passed = expected[seen.len().min(expected.len())..].iter();
                let skipped = passed.take_while(|wanted| **wanted != sight).count();
                // What was skipped has failed, and takes its place in the order.
                seen.extend(
                    expected
                        .iter()
                        .skip(seen.len())
                        .take(skipped)
                        .cloned()
                        .collect::<Vec<_>>(),
                );
                let is_expected = seen.len() < expected.len();
                seen.push(sight.clone());
                self.owed -= 1;
                if is_expected {
                    return;
                }
            }
            Sight::Arrived(_) | Sight::Dropped(_) | Sight::State(_) => {}
        }
        let found = format!("{key:?}: found {sight:?}, which was not expected any more");
        self.breach.get_or_insert(found);
    }

    fn count_hostile(&mut self, kind: &EventKind<'_>) {
        match kind {
            EventKind::Nic(NicEvent::Drop { .. }) => self.hostile_drops += 1,
            EventKind::Sle(SleEvent::AppletCall { .. }) => self.hostile_calls += 1,
            _ => {}
        }
    }
}

impl Sink for Compared<'_> {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let Some((key, sight)) = sight(names, self.record.cast, event) else {
            self.count_hostile(&event.kind);
            return;
        };
        if self.record.cast.may_fail() {
            return self.weigh(key, sight);
        }
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
        self.left == 0 && self.owed <= 0 || self.breach.is_some()
    }
}
