//! The timeline for <https://ui.perfetto.dev>: spans, arrows and counters.
//!
//! The timeline shows a NIC as a process. The threads of a NIC's process are its hosts, processors, DMA engines, one
//! wire for each destination NIC, and arrivals. Arrows follow a message from its transmit descriptor to the receive
//! descriptor that announces it.

mod arrows;
mod tracks;
mod writer;

use std::collections::BTreeMap;
use std::io::{self, Write};

use jive_core::MethodId;
use nic_core::event::fields::PayloadMode;
use nic_core::event::roles::{self, Roles, Shape, Shown, Step};
use nic_core::event::{Event, Levels, Names, Sink};
use nic_core::id::EndpointId;
use nic_core::time::SimTime;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use self::arrows::{Arrows, Point};
use self::tracks::{Track, Tracks};
use self::writer::{NoArguments, Pending, Phase, Place, Records};
use super::json::Entries;
use super::plain_json;

/// A sink that writes events as a timeline.
#[derive(Debug)]
pub struct PerfettoTrace<W> {
    records: Records<W>,
    tracks: Tracks,
    arrows: Arrows,
    arrows_drawn: u64,
    /// The running call of each processor, by the place of the processor's track.
    calls: BTreeMap<Place, Call>,
    /// The track on which the call of each endpoint runs.
    running: BTreeMap<EndpointId, Place>,
    /// Suspended calls.
    suspended: BTreeMap<EndpointId, Call>,
    /// Time of the latest event.
    now: SimTime,
}

/// A call that has not ended. The trace format requires a span before the spans inside it, so the spans inside a call
/// are kept until the call ends.
#[derive(Debug)]
struct Call {
    place: Place,
    begun: SimTime,
    method: String,
    fields: Box<RawValue>,
    inside: Pending,
}

impl<W: Write> PerfettoTrace<W> {
    /// Starts a timeline. The timeline's sink writes nothing before the first event.
    pub fn new(writer: W) -> PerfettoTrace<W> {
        PerfettoTrace {
            records: Records::new(writer),
            tracks: Tracks::default(),
            arrows: Arrows::default(),
            arrows_drawn: 0,
            calls: BTreeMap::new(),
            running: BTreeMap::new(),
            suspended: BTreeMap::new(),
            now: SimTime::ZERO,
        }
    }

    /// Ends the timeline and all calls that still run. Returns the writer.
    ///
    /// # Errors
    ///
    /// Returns the first error of the writer, after which nothing was written.
    pub fn finish(mut self) -> io::Result<W> {
        for call in std::mem::take(&mut self.calls).into_values() {
            self.end_call(&call, None);
        }
        self.records.finish()
    }

    /// Returns the place of the track that shows an event.
    fn place(
        &mut self,
        names: &dyn Names,
        event: &Event<'_>,
        track: roles::Track,
    ) -> Option<Place> {
        let track = match track {
            roles::Track::Host => Track::Host(event.endpoint?),
            roles::Track::Applet => Track::Applet(event.endpoint?),
            roles::Track::Call => match self.running.get(&event.endpoint?) {
                Some(place) => return Some(*place),
                // Calls during the loading of an applet have no processor.
                None => Track::Processor(0),
            },
            roles::Track::Work(processor) => Track::Work(processor),
            roles::Track::Dma(direction) => Track::of_dma(direction),
            roles::Track::WireTo(peer) => Track::WireTo(names.home(peer)),
            roles::Track::WireToNode(node) => Track::WireTo(node),
            roles::Track::WireIn => Track::WireIn,
        };
        let track = (event.nic, track);
        Some(self.tracks.place(&mut self.records, names, track))
    }

    /// Writes an event that is neither the start nor the end of a call.
    fn show(&mut self, names: &dyn Names, event: &Event<'_>, roles: &Roles<'_>) {
        let (phase, time, name) = match roles.shape {
            Shape::Moment(name) => (Phase::Instant, event.time, name),
            Shape::From(name, duration) => (Phase::Complete(duration), event.time, name),
            Shape::Since(name, begun) => (Phase::Complete(event.time.since(begun)), begun, name),
            Shape::Counters(levels) => return self.count(names, event, levels),
        };
        let Some(place) = self.place(names, event, roles.track) else {
            return;
        };
        let args = Fields { names, event };
        match self.calls.get_mut(&place) {
            Some(call) => call.inside.add((phase, name), time, place, &args),
            None => self.records.write((phase, name), time, place, &args),
        }
        self.lead_to(event, roles, Point { place, time });
    }

    fn begin_call(
        &mut self,
        names: &dyn Names,
        (event, endpoint): (&Event<'_>, EndpointId),
        roles: &Roles<'_>,
        (method, processor): (MethodId, u32),
    ) {
        let track = (event.nic, Track::Processor(processor));
        let mut place = self.tracks.place(&mut self.records, names, track);
        // The initializers of a class that is loaded during the run take no processor time, and the processor may be in
        // another call.
        if self.calls.contains_key(&place) {
            let track = (event.nic, Track::Applet(endpoint));
            place = self.tracks.place(&mut self.records, names, track);
        }
        let fields = plain_json::to_raw_value(&Fields { names, event });
        let call = Call {
            place,
            begun: event.time,
            method: names.method(endpoint, method).to_owned(),
            fields: fields.expect("memory takes every field"),
            inside: Pending::default(),
        };
        self.calls.insert(place, call);
        self.running.insert(endpoint, place);
        let time = event.time;
        self.lead_to(event, roles, Point { place, time });
    }

    /// Removes the call of an endpoint from its processor.
    fn take_call(&mut self, endpoint: EndpointId) -> Option<Call> {
        let place = self.running.remove(&endpoint)?;
        self.calls.remove(&place)
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

    /// Writes the arrow that ends at this event, if an earlier event led to the event.
    fn lead_to(&mut self, event: &Event<'_>, roles: &Roles<'_>, to: Point) {
        let from = event
            .endpoint
            .and_then(|here| self.arrows.lead_to(here, roles, to));
        let Some(from) = from else {
            return;
        };
        self.arrows_drawn += 1;
        let id = self.arrows_drawn;
        let mut arrow = Pending::default();
        for (phase, point) in [(Phase::FlowStart(id), from), (Phase::FlowEnd(id), to)] {
            let what = (phase, "packet");
            arrow.add(what, point.time, point.place, &NoArguments {});
        }
        // Write the arrow after the spans that it connects. If one of the spans that an arrow connects is a running
        // call, keep the arrow with that call.
        let call = [from, to].into_iter().find(|point| {
            let call = self.calls.get(&point.place);
            call.is_some_and(|call| call.begun <= point.time)
        });
        match call.and_then(|point| self.calls.get_mut(&point.place)) {
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

/// Counter values: the lengths of an endpoint's queues.
#[derive(Serialize)]
struct Queues {
    transmit: u32,
    receive: u32,
    free: u32,
}

/// Counter value: the bytes used of an endpoint's heap.
#[derive(Serialize)]
struct HeapLevel {
    bytes: u32,
}

impl<W: Write> Sink for PerfettoTrace<W> {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let roles = event.kind.roles();
        if roles.shown == Shown::AsBusy {
            return;
        }
        self.now = event.time;
        let Some(endpoint) = event.endpoint else {
            return self.show(names, event, &roles);
        };
        match roles.step {
            Step::CallBegan {
                method, processor, ..
            } => {
                let call = (method, processor);
                self.begin_call(names, (event, endpoint), &roles, call);
            }
            Step::CallSuspended => {
                // A suspended call is shown as two spans, because its processor works for other endpoints in between.
                if let Some(call) = self.take_call(endpoint) {
                    self.end_call(&call, Some(Fields { names, event }));
                    self.suspended.insert(endpoint, call);
                }
            }
            Step::CallResumed => {
                if let Some(call) = self.suspended.remove(&endpoint) {
                    let resumed = Call {
                        begun: event.time,
                        inside: Pending::default(),
                        ..call
                    };
                    self.running.insert(endpoint, resumed.place);
                    self.calls.insert(resumed.place, resumed);
                }
            }
            Step::CallReturned { .. } => {
                if let Some(call) = self.take_call(endpoint) {
                    self.end_call(&call, Some(Fields { names, event }));
                }
            }
            Step::CallTrapped { .. } => {
                self.show(names, event, &roles);
                if let Some(call) = self.take_call(endpoint) {
                    self.end_call(&call, Some(Fields { names, event }));
                }
            }
            Step::Other
            | Step::Posted { .. }
            | Step::Completed { .. }
            | Step::Made(_)
            | Step::Detached
            | Step::Mapped { .. }
            | Step::ControlSent { .. }
            | Step::ControlReceived { .. }
            | Step::Attached
            | Step::GivenUp { .. }
            | Step::Sent { .. }
            | Step::Received { .. }
            | Step::Forwarded { .. }
            | Step::Lost { .. }
            | Step::Consumed { .. }
            | Step::Delivered { .. }
            | Step::Dropped { .. } => self.show(names, event, &roles),
        }
    }
}

/// Arguments of a call's span: the fields of the event that began it, and of the event that ended it.
#[derive(Serialize)]
struct CallFields<'a> {
    call: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<Fields<'a>>,
}

/// The fields of an event, with the names that the trace uses.
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
        self.event
            .visit(self.names, payload_mode, &mut Entries(&mut map))?;
        map.end()
    }
}
