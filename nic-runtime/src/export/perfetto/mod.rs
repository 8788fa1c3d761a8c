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

use nic_core::event::fields::{self, PayloadMode};
use nic_core::event::{Event, EventKind, Levels, Names, Sink, Trigger};
use nic_core::id::{EndpointId, NicId};
use nic_core::time::{SimDuration, SimTime};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use self::arrows::{Arrows, Point};
use self::tracks::{Track, Tracks};
use self::writer::{NoArguments, Pending, Phase, Place, Records};
use super::json::Entries;

/// Writes events as a timeline.
#[derive(Debug)]
pub struct PerfettoTrace<W> {
    records: Records<W>,
    tracks: Tracks,
    arrows: Arrows,
    arrows_drawn: u64,
    /// The call that each processor runs.
    calls: BTreeMap<NicId, Call>,
    /// The calls that are suspended.
    suspended: BTreeMap<EndpointId, Call>,
    /// When the last event happened.
    now: SimTime,
}

/// A call that has not ended. A span is written before those inside it, so these wait for its end.
#[derive(Debug)]
struct Call {
    place: Place,
    begun: SimTime,
    method: String,
    fields: Box<RawValue>,
    inside: Pending,
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
            suspended: BTreeMap::new(),
            now: SimTime::ZERO,
        }
    }

    /// Ends the timeline, and calls that the end of the run cut off with it; returns the writer.
    ///
    /// # Errors
    ///
    /// Returns the first failure to write; nothing was written after it.
    pub fn finish(mut self) -> io::Result<W> {
        for call in std::mem::take(&mut self.calls).into_values() {
            self.end_call(&call, None);
        }
        self.records.finish()
    }

    fn show(&mut self, names: &dyn Names, event: &Event<'_>, shape: &Shape<'_>) {
        let track = (event.nic, shape.track);
        let place = self.tracks.place(&mut self.records, names, track);
        let what = (shape.phase, shape.name);
        let args = Fields { names, event };
        match self.calls.get_mut(&event.nic) {
            Some(call) if call.place == place => call.inside.add(what, shape.time, place, &args),
            Some(_) | None => self.records.write(what, shape.time, place, &args),
        }
        let here = Point {
            nic: event.nic,
            place,
            time: shape.time,
        };
        self.lead_to(event, here);
    }

    fn begin_call(&mut self, names: &dyn Names, event: &Event<'_>, method: &str) {
        let track = (event.nic, Track::Processor);
        let place = self.tracks.place(&mut self.records, names, track);
        let fields = serde_json::value::to_raw_value(&Fields { names, event });
        let call = Call {
            place,
            begun: event.time,
            method: method.to_owned(),
            fields: fields.expect("memory takes every field"),
            inside: Pending::default(),
        };
        self.calls.insert(event.nic, call);
        let here = Point {
            nic: event.nic,
            place,
            time: event.time,
        };
        self.lead_to(event, here);
    }

    fn end_call(&mut self, call: &Call, end: Option<Fields<'_>>) {
        let span = Phase::Complete(self.now.since(call.begun));
        let args = CallFields {
            call: &call.fields,
            end,
        };
        self.records
            .write((span, &call.method), call.begun, call.place, &args);
        self.records.write_pending(&call.inside);
    }

    /// Draws the arrow to an event from what led to it.
    fn lead_to(&mut self, event: &Event<'_>, to: Point) {
        let Some(from) = self.arrows.lead_to(event, to) else {
            return;
        };
        self.arrows_drawn += 1;
        let id = self.arrows_drawn;
        let mut arrow = Pending::default();
        for (phase, point) in [(Phase::FlowStart(id), from), (Phase::FlowEnd(id), to)] {
            let what = (phase, "packet");
            arrow.add(what, point.time, point.place, &NoArguments {});
        }
        // An arrow is written behind the spans that it joins.
        let is_inside =
            |point: Point, call: &Call| call.place == point.place && call.begun <= point.time;
        let call = [from, to].into_iter().find(|point| {
            let call = self.calls.get(&point.nic);
            call.is_some_and(|call| is_inside(*point, call))
        });
        match call.and_then(|point| self.calls.get_mut(&point.nic)) {
            Some(call) => call.inside.append(arrow),
            None => self.records.write_pending(&arrow),
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
                return self.begin_call(names, event, names.method(endpoint, method));
            }
            EventKind::AppletSuspend { .. } => {
                // The call is shown as two spans: what the processor does in between is others'.
                if let Some(call) = self.calls.remove(&event.nic) {
                    self.end_call(&call, Some(Fields { names, event }));
                    self.suspended.insert(endpoint, call);
                }
                return;
            }
            EventKind::AppletResume { .. } => {
                if let Some(call) = self.suspended.remove(&endpoint) {
                    let resumed = Call {
                        begun: event.time,
                        inside: Pending::default(),
                        ..call
                    };
                    self.calls.insert(event.nic, resumed);
                }
                return;
            }
            EventKind::AppletReturn { .. } | EventKind::Trap { .. } => {
                if let EventKind::Trap { kind, .. } = event.kind {
                    shape.track = Track::Processor;
                    shape.name = kind.name();
                    self.show(names, event, &shape);
                }
                if let Some(call) = self.calls.remove(&event.nic) {
                    self.end_call(&call, Some(Fields { names, event }));
                }
                return;
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
            EventKind::AppletDetach { duration, .. } => {
                shape.track = Track::Applet(endpoint);
                shape.phase = Phase::Complete(duration);
                shape.name = "detached";
            }
            EventKind::AppletAttach { .. } => shape.track = Track::Applet(endpoint),
            EventKind::WireRx { .. } | EventKind::WireDrop { .. } => shape.track = Track::WireIn,
        }
        self.show(names, event, &shape);
    }
}

/// The fields of a call and of what ended it, if anything did.
#[derive(Serialize)]
struct CallFields<'a> {
    call: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<Fields<'a>>,
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
