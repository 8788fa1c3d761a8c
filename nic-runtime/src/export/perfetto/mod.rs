//! The timeline that <https://ui.perfetto.dev> opens: spans, arrows and counters, as a fold over the
//! events.
//!
//! A NIC is a process. Its threads are the hosts at its endpoints, its processor, its DMA engines, a
//! wire to each NIC that it sends to, and what comes in. Arrows join what a message went through, from
//! the descriptor that asked for it to the descriptor that announces it.

mod arrows;
mod tracks;
mod writer;

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use self::arrows::{Arrows, Point};
use self::tracks::{Track, Tracks};
use self::writer::{NoArguments, Phase, Place, Records};
use super::fields::{self, PayloadMode};
use super::json::Entries;
use crate::event::{Event, EventKind, Levels, Names, NicId, Sink, Trigger};
use crate::time::{SimDuration, SimTime};

/// Writes events as a timeline.
#[derive(Debug)]
pub struct PerfettoTrace<W> {
    records: Records<W>,
    tracks: Tracks,
    arrows: Arrows,
    arrows_drawn: u64,
    /// Calls that have not ended, each with its processor's place.
    calls: BTreeMap<NicId, Place>,
    /// When the last event happened.
    now: SimTime,
}

/// How an event is shown on its track.
struct Shape<'n> {
    track: Track,
    phase: Phase,
    time: SimTime,
    name: &'n str,
}

impl<W: Write> PerfettoTrace<W> {
    /// Starts a timeline; nothing is written before the first event.
    pub fn new(writer: W) -> PerfettoTrace<W> {
        PerfettoTrace {
            records: Records::new(writer),
            tracks: Tracks::default(),
            arrows: Arrows::default(),
            arrows_drawn: 0,
            calls: BTreeMap::new(),
            now: SimTime::ZERO,
        }
    }

    /// Ends the timeline, and calls that the end of the run cut off with it; returns the writer.
    ///
    /// # Errors
    ///
    /// Returns the first failure to write; nothing was written after it.
    pub fn finish(mut self) -> io::Result<W> {
        for place in std::mem::take(&mut self.calls).into_values() {
            self.records
                .write((Phase::End, ""), self.now, place, &NoArguments {});
        }
        self.records.finish()
    }

    fn show(&mut self, names: &dyn Names, event: &Event<'_>, shape: &Shape<'_>) {
        let track = (event.nic, shape.track);
        let place = self.tracks.place(&mut self.records, names, track);
        let args = Fields { names, event };
        self.records
            .write((shape.phase, shape.name), shape.time, place, &args);
        match shape.phase {
            Phase::Begin => {
                self.calls.insert(event.nic, place);
            }
            Phase::End => {
                self.calls.remove(&event.nic);
            }
            _ => {}
        }
        let here = Point {
            time: shape.time,
            place,
        };
        if let Some(origin) = self.arrows.lead_to(event, here) {
            self.draw(origin, here);
        }
    }

    fn draw(&mut self, from: Point, to: Point) {
        self.arrows_drawn += 1;
        let id = self.arrows_drawn;
        for (phase, point) in [(Phase::FlowStart(id), from), (Phase::FlowEnd(id), to)] {
            self.records
                .write((phase, "packet"), point.time, point.place, &NoArguments {});
        }
    }

    fn count(&mut self, names: &dyn Names, event: &Event<'_>, levels: Levels) {
        let Some(endpoint) = event.endpoint else {
            return;
        };
        let track = (event.nic, Track::Host(endpoint));
        let place = self.tracks.place(&mut self.records, names, track);
        let Levels {
            transmit,
            receive,
            free,
            heap,
        } = levels;
        let queues = Queues {
            transmit,
            receive,
            free,
        };
        let name = names.endpoint(endpoint);
        let counter = (Phase::Counter, &*format!("{name} queue"));
        self.records.write(counter, event.time, place, &queues);
        let counter = (Phase::Counter, &*format!("{name} heap"));
        self.records
            .write(counter, event.time, place, &HeapLevel { bytes: heap });
    }
}

/// Counters of an endpoint's queues.
#[derive(Serialize)]
struct Queues {
    transmit: u32,
    receive: u32,
    free: u32,
}

/// The counter of an endpoint's heap.
#[derive(Serialize)]
struct HeapLevel {
    bytes: u32,
}

impl<W: Write> Sink for PerfettoTrace<W> {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        self.now = event.time;
        if let EventKind::Levels(levels) = event.kind {
            return self.count(names, event, levels);
        }
        let Some(endpoint) = event.endpoint else {
            return;
        };
        let mut shape = Shape {
            track: Track::Host(endpoint),
            phase: Phase::Instant,
            time: event.time,
            name: fields::event_name(&event.kind),
        };
        match event.kind {
            EventKind::Load { .. }
            | EventKind::TxPost { .. }
            | EventKind::TxDone { .. }
            | EventKind::RxDescriptor { .. }
            | EventKind::Drop { .. }
            | EventKind::Levels(_) => {}
            EventKind::AppletCall { method, .. } => {
                shape.track = Track::Processor;
                shape.phase = Phase::Begin;
                shape.name = names.method(endpoint, method);
            }
            EventKind::AppletReturn { method, .. } => {
                shape.track = Track::Processor;
                shape.phase = Phase::End;
                shape.name = names.method(endpoint, method);
            }
            EventKind::Trap { kind, .. } => {
                shape.track = Track::Processor;
                shape.name = kind.name();
                self.show(names, event, &shape);
                shape.phase = Phase::End;
            }
            EventKind::Native { name, begun, .. } => {
                shape.track = Track::Processor;
                shape.phase = Phase::Complete(event.time.since(begun));
                shape.time = begun;
                shape.name = name;
            }
            EventKind::Dma {
                direction,
                duration,
                trigger,
                ..
            } => {
                shape.track = Track::of_dma(direction);
                // While applets are loaded no time passes.
                shape.phase = Phase::Complete(match trigger {
                    Trigger::Load => SimDuration::ZERO,
                    Trigger::Post(_) | Trigger::Arrival(_) => duration,
                });
            }
            EventKind::WireTx { peer, duration, .. } => {
                shape.track = Track::WireTo(names.home(peer));
                shape.phase = Phase::Complete(duration);
            }
            EventKind::WireRx { .. } | EventKind::WireDrop { .. } => shape.track = Track::WireIn,
        }
        self.show(names, event, &shape);
    }
}

/// The fields of an event, as the trace shows them.
struct Fields<'a> {
    names: &'a dyn Names,
    event: &'a Event<'a>,
}

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(endpoint) = self.event.endpoint {
            map.serialize_entry("endpoint", self.names.endpoint(endpoint))?;
        }
        let payload_mode = PayloadMode::Omitted;
        fields::visit(self.names, self.event, payload_mode, &mut Entries(&mut map))?;
        map.end()
    }
}
