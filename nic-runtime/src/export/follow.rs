//! The story of one packet (`run --follow`): its events on all hosts, and those of the call or descriptor that made it.
//!
//! Only when an applet or endpoint makes the packet is it known which descriptor caused the packet. The events of each
//! descriptor are therefore kept until the packet is made, or until the descriptor completes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use nic_core::event::fields::PayloadMode;
use nic_core::event::line::Line;
use nic_core::event::roles::{Cause, Roles, Step};
use nic_core::event::{Event, Names, Sink, Trigger};
use nic_core::id::{EndpointId, PacketId};
use nic_core::time::SimTime;

/// A cause of events, and the endpoint where it occurred.
type Source = (EndpointId, Trigger);

/// A sink that writes the story of one packet as lines of text. Each line begins with the time since the previous line.
#[derive(Debug)]
pub struct Story<W> {
    writer: W,
    packet: PacketId,
    payload_mode: PayloadMode,
    /// Causes of events that made the followed packet or handle it.
    ours: BTreeSet<Source>,
    /// Lines of each cause of events that may still make the followed packet.
    pending: BTreeMap<Source, Vec<(SimTime, String)>>,
    /// The cause of the running call of each endpoint.
    running: BTreeMap<EndpointId, Trigger>,
    /// Time of the previous line.
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

    /// Returns whether the followed packet occurred in the run.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.told.is_some()
    }

    /// Returns the writer.
    ///
    /// # Errors
    ///
    /// Returns the first error of the writer, after which nothing was written.
    pub fn finish(self) -> io::Result<W> {
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.writer),
        }
    }

    /// Writes the lines that were kept for a cause, because this cause made the followed packet.
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

    /// Returns the cause of an event, and whether this is the last event of that cause.
    fn source(&mut self, endpoint: EndpointId, roles: &Roles<'_>) -> Option<(Trigger, bool)> {
        let trigger = match roles.cause {
            Cause::None => return None,
            Cause::Of(trigger) => trigger,
            Cause::OfCall => *self.running.get(&endpoint)?,
        };
        let is_last = match roles.step {
            Step::CallBegan { .. } => {
                self.running.insert(endpoint, trigger);
                false
            }
            Step::CallReturned { .. } => {
                self.running.remove(&endpoint);
                !matches!(trigger, Trigger::Post(_))
            }
            // The `drop` event of the trapped call may still follow the trap.
            Step::CallTrapped { .. } | Step::Detached => !matches!(trigger, Trigger::Post(_)),
            Step::Completed { .. } => true,
            _ => false,
        };
        Some((trigger, is_last))
    }

    /// Returns whether an event names the followed packet, or was caused by the packet's arrival.
    fn names_packet(&self, roles: &Roles<'_>) -> bool {
        let named = match (roles.step, roles.cause) {
            (Step::Sent { packet, .. }, _) => Some(packet),
            (_, Cause::Of(Trigger::Arrival(packet))) => Some(packet),
            (step, _) => step.packet(),
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
        let roles = event.kind.roles();
        let source = self.source(endpoint, &roles);
        let names_packet = self.names_packet(&roles);
        let found = source.map(|(trigger, _)| (endpoint, trigger));
        if let Some(source) = found.filter(|_| names_packet) {
            self.claim(source);
        }
        let is_ours = found.is_some_and(|source| self.ours.contains(&source));
        let line = || {
            let payload_mode = self.payload_mode;
            Line::new(names, event, payload_mode).to_string()
        };
        // Omit the other packets that the same cause of events makes.
        let is_others = matches!(roles.step, Step::Sent { .. }) && !names_packet;
        if (is_ours || names_packet) && !is_others {
            let line = line();
            self.tell(event.time, &line);
        } else if let Some(source) = found.filter(|_| !is_others) {
            let begins = matches!(
                roles.step,
                Step::Posted { .. } | Step::Attached | Step::CallBegan { .. }
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
