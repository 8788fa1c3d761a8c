//! One packet's story: the events that it takes part in, on whatever host, and those of the call or
//! the descriptor that made it, as a fold over all events.
//!
//! Which descriptor led to a packet shows only when the packet is made, so the events of each are kept
//! until then or until it is done.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use nic_core::event::fields::PayloadMode;
use nic_core::event::line::Line;
use nic_core::event::{Event, EventKind, Made, Names, Sink, Trigger};
use nic_core::id::{EndpointId, PacketId};
use nic_core::time::SimTime;

/// What something happens for, and at which endpoint.
type Source = (EndpointId, Trigger);

/// Writes the events of one packet as lines of text, each after the time since the one before.
#[derive(Debug)]
pub struct Story<W> {
    writer: W,
    packet: PacketId,
    payload_mode: PayloadMode,
    /// Sources that made the packet, or handle it.
    ours: BTreeSet<Source>,
    /// What happened for each source that may yet make the packet.
    pending: BTreeMap<Source, Vec<(SimTime, String)>>,
    /// What runs at each endpoint.
    running: BTreeMap<EndpointId, Trigger>,
    /// When the line before happened.
    told: Option<SimTime>,
    failure: Option<io::Error>,
}

impl<W: Write> Story<W> {
    /// Starts the story of a packet.
    pub fn new(writer: W, packet: PacketId, payload_mode: PayloadMode) -> Story<W> {
        Story {
            writer,
            packet,
            payload_mode,
            ours: BTreeSet::new(),
            pending: BTreeMap::new(),
            running: BTreeMap::new(),
            told: None,
            failure: None,
        }
    }

    /// Returns whether the packet occurred.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.told.is_some()
    }

    /// Returns the writer.
    ///
    /// # Errors
    ///
    /// Returns the first failure to write; nothing was written after it.
    pub fn finish(self) -> io::Result<W> {
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.writer),
        }
    }

    /// Writes what was kept of a source, which turns out to have made the packet.
    fn claim(&mut self, source: Source) {
        if self.ours.insert(source) {
            for (time, line) in self.pending.remove(&source).unwrap_or_default() {
                self.tell(time, &line);
            }
        }
    }

    fn forget(&mut self, source: Source) {
        self.ours.remove(&source);
        self.pending.remove(&source);
    }

    fn tell(&mut self, time: SimTime, line: &str) {
        let since = time.since(self.told.unwrap_or(time)).as_ns();
        self.told = Some(time);
        if self.failure.is_none() {
            let elapsed = format!("+{}.{:03}", since / 1000, since % 1000);
            self.failure = writeln!(self.writer, "{elapsed:>12}  {line}").err();
        }
    }

    /// Returns what an event happened for, and whether it is the last that does.
    fn source(&mut self, endpoint: EndpointId, kind: &EventKind<'_>) -> Option<(Trigger, bool)> {
        let running = self.running.get(&endpoint).copied();
        match *kind {
            EventKind::TxPost { post, .. } => Some((Trigger::Post(post), false)),
            EventKind::TxDone { post, .. } => Some((Trigger::Post(post), true)),
            EventKind::AppletCall { trigger, .. } => {
                self.running.insert(endpoint, trigger);
                Some((trigger, false))
            }
            EventKind::AppletReturn { .. } => {
                self.running.remove(&endpoint);
                running.map(|trigger| (trigger, !matches!(trigger, Trigger::Post(_))))
            }
            EventKind::Native { .. } => running.map(|trigger| (trigger, false)),
            // What is dropped for it may be reported yet.
            EventKind::Trap { .. } => {
                running.map(|trigger| (trigger, !matches!(trigger, Trigger::Post(_))))
            }
            EventKind::AppletDetach { trigger, .. } => {
                Some((trigger, !matches!(trigger, Trigger::Post(_))))
            }
            EventKind::AppletAttach { trigger }
            | EventKind::AppletSuspend { trigger }
            | EventKind::AppletResume { trigger } => Some((trigger, false)),
            EventKind::Dma { trigger, .. } => Some((trigger, false)),
            EventKind::WireTx { trigger, .. } => Some((trigger, false)),
            // A trap in `doTx` drops whatever it was about to send.
            EventKind::Drop { packet: None, .. } => running.map(|trigger| (trigger, false)),
            EventKind::Load { .. }
            | EventKind::WireRx { .. }
            | EventKind::WireDrop { .. }
            | EventKind::RxDescriptor { .. }
            | EventKind::Drop { .. }
            | EventKind::Levels(_) => None,
        }
    }

    /// Returns whether an event is the packet's own.
    fn names_packet(&self, kind: &EventKind<'_>) -> bool {
        let named = match *kind {
            EventKind::WireTx { packet, .. }
            | EventKind::WireRx { packet, .. }
            | EventKind::WireDrop { packet, .. } => Some(packet),
            EventKind::RxDescriptor { packet, .. } | EventKind::Drop { packet, .. } => packet,
            EventKind::Native { made, .. } => match made {
                Made::Packet(packet) => Some(packet),
                Made::Nothing | Made::Descriptor => None,
            },
            EventKind::AppletCall { trigger, .. }
            | EventKind::AppletDetach { trigger, .. }
            | EventKind::AppletAttach { trigger }
            | EventKind::AppletSuspend { trigger }
            | EventKind::AppletResume { trigger }
            | EventKind::Dma { trigger, .. } => match trigger {
                Trigger::Arrival(packet) => Some(packet),
                Trigger::Load | Trigger::Post(_) => None,
            },
            EventKind::Load { .. }
            | EventKind::TxPost { .. }
            | EventKind::TxDone { .. }
            | EventKind::AppletReturn { .. }
            | EventKind::Trap { .. }
            | EventKind::Levels(_) => None,
        };
        named == Some(self.packet)
    }
}

impl<W: Write> Sink for Story<W> {
    fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let Some(endpoint) = event.endpoint else {
            return;
        };
        let source = self.source(endpoint, &event.kind);
        let names_packet = self.names_packet(&event.kind);
        let found = source.map(|(trigger, _)| (endpoint, trigger));
        if let Some(source) = found.filter(|_| names_packet) {
            self.claim(source);
        }
        let is_ours = found.is_some_and(|source| self.ours.contains(&source));
        let line = || {
            let payload_mode = self.payload_mode;
            Line::new(names, event, payload_mode).to_string()
        };
        // Packets that the same source makes have stories of their own.
        let is_others = matches!(event.kind, EventKind::WireTx { .. }) && !names_packet;
        if (is_ours || names_packet) && !is_others {
            let line = line();
            self.tell(event.time, &line);
        } else if let Some(source) = found.filter(|_| !is_others) {
            let begins = matches!(
                event.kind,
                EventKind::TxPost { .. }
                    | EventKind::AppletAttach { .. }
                    | EventKind::AppletCall { .. }
            );
            if begins || self.pending.contains_key(&source) {
                let line = line();
                let kept = self.pending.entry(source).or_default();
                kept.push((event.time, line));
            }
        }
        if let Some((trigger, true)) = source {
            self.forget((endpoint, trigger));
        }
    }
}
