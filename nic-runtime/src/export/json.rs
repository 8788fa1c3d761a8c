//! The trace as JSON Lines: a header object, an object for each event, and the summary. `docs/trace.schema.json` is the
//! schema.

use std::collections::BTreeMap;
use std::io::{self, Write};

use nic_core::event::fields::{ArrayShape, FieldSink, NamedDetails, PayloadMode, Value};
use nic_core::event::roles::Shown;
use nic_core::event::{Event, Family, Names, NativeArg, Sink};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::plain_json::{self, Object};
use super::summary::Summary;
use super::traps::TrapFacts;
use crate::spec::NicSpec;
use crate::spec::Scenario;

/// Version of the format. The version changes when a field is renamed or removed, but not when a field is added.
pub const VERSION: u32 = 1;

/// Writes events as JSON Lines.
#[derive(Debug)]
pub struct JsonTrace<W> {
    writer: W,
    payload_mode: PayloadMode,
    shows_work: bool,
    shows_events: bool,
    /// The header of the trace, until the header has been written. A run that is refused writes no header.
    head: Option<Head>,
    failure: Option<io::Error>,
}

/// Contents of the header.
#[derive(Debug)]
struct Head {
    profile: String,
    /// Names of the profiles of NICs that have their own profile, by NIC name.
    own_profiles: BTreeMap<String, String>,
    seed: u64,
}

impl<W: Write> JsonTrace<W> {
    /// Starts the trace of a scenario. The first event also writes the header.
    pub fn new(writer: W, payload_mode: PayloadMode, scenario: &Scenario) -> JsonTrace<W> {
        let own_profile = |nic: &NicSpec| {
            let own = nic.profile.as_ref()?;
            Some((nic.name.clone(), own.name.clone()))
        };
        JsonTrace {
            writer,
            payload_mode,
            shows_work: false,
            shows_events: true,
            head: Some(Head {
                profile: scenario.profile.name.clone(),
                own_profiles: scenario.nics.iter().filter_map(own_profile).collect(),
                seed: scenario.seed,
            }),
            failure: None,
        }
    }

    /// Sets whether the trace shows the `work` events of processors.
    #[must_use]
    pub fn with_work(self, shows_work: bool) -> JsonTrace<W> {
        JsonTrace { shows_work, ..self }
    }

    /// Leaves out the header and the events, so that the trace has the summary and added objects alone.
    #[must_use]
    pub fn without_events(self) -> JsonTrace<W> {
        JsonTrace {
            shows_events: false,
            head: None,
            ..self
        }
    }

    /// Adds an object other than an event, on a line of its own.
    pub fn add(&mut self, object: &impl Serialize) {
        self.write_head();
        if self.failure.is_some() {
            return;
        }
        let written = plain_json::to_writer(&mut self.writer, object);
        self.failure = written
            .map_err(io::Error::from)
            .and_then(|()| self.writer.write_all(b"\n"))
            .err();
    }

    fn write_head(&mut self) {
        if let Some(head) = self.head.take() {
            self.line(|map| {
                map.serialize_entry("event", "trace")?;
                map.serialize_entry("version", &VERSION)?;
                map.serialize_entry("profile", &head.profile)?;
                if !head.own_profiles.is_empty() {
                    map.serialize_entry("nic_profiles", &head.own_profiles)?;
                }
                map.serialize_entry("seed", &head.seed)
            });
        }
    }

    /// Writes the summary as the last line, and returns the writer.
    ///
    /// # Errors
    ///
    /// Returns the first error of the writer, after which nothing was written.
    pub fn finish(mut self, summary: &Summary) -> io::Result<W> {
        self.write_head();
        self.line(|map| summary.serialize_fields(map));
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.writer),
        }
    }

    /// Writes one object on a line of its own.
    fn line(&mut self, fill: impl FnOnce(&mut Object<'_, W>) -> serde_json::Result<()>) {
        if self.failure.is_some() {
            return;
        }
        let mut serializer = plain_json::serializer(&mut self.writer);
        let written = serializer.serialize_map(None).and_then(|mut map| {
            fill(&mut map)?;
            SerializeMap::end(map)
        });
        self.failure = written
            .map_err(io::Error::from)
            .and_then(|()| self.writer.write_all(b"\n"))
            .err();
    }
}

impl<W: Write> Sink for JsonTrace<W> {
    fn wants(&self, shown: Shown) -> bool {
        self.shows_events && super::is_shown(shown, self.shows_work)
    }

    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        if !self.wants(event.kind.shown()) {
            return;
        }
        let name = event.kind.name();
        self.write_head();
        let payload_mode = self.payload_mode;
        self.line(|map| {
            map.serialize_entry("t_ns", &event.time.as_ns())?;
            map.serialize_entry("nic", names.nic(event.nic))?;
            if let Some(endpoint) = event.endpoint {
                map.serialize_entry("endpoint", names.endpoint(endpoint))?;
            }
            map.serialize_entry("event", name)?;
            event.visit(names, payload_mode, &mut Entries(map))
        });
    }

    fn has_failed(&self) -> bool {
        self.failure.is_some()
    }
}

/// Writes fields of an event as entries of a JSON object.
pub(super) struct Entries<'m, M>(pub(super) &'m mut M);

impl<M: SerializeMap> FieldSink for Entries<'_, M> {
    type Error = M::Error;

    fn field(&mut self, key: &'static str, value: Value<'_>) -> Result<(), M::Error> {
        self.0.serialize_entry(key, &Json(value))
    }

    fn details(&mut self, details: &NamedDetails<'_>) -> Result<(), M::Error> {
        let TrapFacts {
            why,
            values,
            calls,
            calls_omitted,
        } = TrapFacts::of(details);
        if let (Some(why), Some(values)) = (why, values) {
            self.0.serialize_entry("why", &why)?;
            self.0.serialize_entry("values", &Numbers(values))?;
        }
        if !calls.is_empty() {
            self.0.serialize_entry("calls", &calls)?;
        }
        match calls_omitted {
            0 => Ok(()),
            omitted => self.0.serialize_entry("calls_omitted", &omitted),
        }
    }
}

/// Serializes numbers with names as a JSON object.
struct Numbers(Vec<(&'static str, i64)>);

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

/// Serializes the value of an event's field.
struct Json<'a>(Value<'a>);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Signed(number) => serializer.serialize_i32(number),
            Value::Number(number) | Value::Cost(number) => serializer.serialize_u64(number),
            Value::CodeSize(bytes) => serializer.serialize_u32(bytes),
            Value::Flag(flag) => serializer.serialize_bool(flag),
            Value::Name(name) => serializer.serialize_str(name),
            Value::Word(word) => serializer.serialize_str(word),
            Value::Null | Value::Native(NativeArg::Null) => serializer.serialize_unit(),
            Value::Arguments(args) => args.serialize(serializer),
            Value::Offsets(offsets) => offsets.serialize(serializer),
            Value::NativeArguments(args) => {
                let mut list = serializer.serialize_seq(Some(args.len()))?;
                for arg in args {
                    list.serialize_element(&Json(Value::Native(*arg)))?;
                }
                list.end()
            }
            Value::Native(NativeArg::Int(number)) => serializer.serialize_i32(number),
            Value::Native(NativeArg::Array { element, length }) => {
                serializer.collect_str(&ArrayShape { element, length })
            }
            Value::Payload(payload) => serializer.collect_str(&payload),
        }
    }
}
