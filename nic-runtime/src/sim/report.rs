//! The exit of events from the simulation: the sink, and the names of NICs, endpoints, classes and methods.

use jive_core::{Cut, LinkedClass, MethodId};
use nic_core::event::roles::Shown;
use nic_core::event::{Event, EventKind, Names, Sink};
use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimTime;

use crate::scenario::model::Scenario;

/// The sink of a run, with its table of names.
pub(crate) struct Report<'a, S: Sink> {
    sink: &'a mut S,
    names: NameTable<'a>,
    /// Whether the sink wants the spans of processors' work.
    pub(super) wants_work: bool,
    /// Whether the sink wants the levels of queues and heaps.
    pub(super) wants_levels: bool,
}

impl<'a, S: Sink> Report<'a, S> {
    pub(crate) fn new(
        scenario: &'a Scenario,
        classes: &[LinkedClass<'_>],
        sink: &'a mut S,
    ) -> Report<'a, S> {
        Report {
            wants_work: S::LISTENS && sink.wants(Shown::WithWork),
            wants_levels: S::LISTENS && sink.wants(Shown::Never),
            sink,
            names: NameTable::new(scenario, classes),
        }
    }

    /// Returns whether the sink can no longer write.
    pub(crate) fn has_failed(&self) -> bool {
        S::LISTENS && self.sink.has_failed()
    }

    /// Returns whether the user interrupts the run.
    pub(crate) fn is_interrupted(&self) -> bool {
        S::LISTENS && self.sink.is_interrupted()
    }

    /// Emits an event of an endpoint.
    #[inline]
    pub(crate) fn emit<'e>(
        &mut self,
        now: SimTime,
        endpoint: EndpointId,
        kind: impl Into<EventKind<'e>>,
    ) {
        if !S::LISTENS {
            return;
        }
        let nic = self.names.home(endpoint);
        let event = Event {
            time: now,
            nic,
            endpoint: Some(endpoint),
            kind: kind.into(),
        };
        self.sink.event(&self.names, &event);
    }

    /// Emits an event of a NIC that belongs to no endpoint.
    #[inline]
    pub(crate) fn emit_of_nic<'e>(
        &mut self,
        now: SimTime,
        nic: NicId,
        kind: impl Into<EventKind<'e>>,
    ) {
        if !S::LISTENS {
            return;
        }
        let event = Event {
            time: now,
            nic,
            endpoint: None,
            kind: kind.into(),
        };
        self.sink.event(&self.names, &event);
    }
}

struct NameTable<'a> {
    scenario: &'a Scenario,
    classes: Vec<ClassNames>,
}

/// Names of a class and its methods. They are shortened once, when the table is built.
struct ClassNames {
    class: String,
    methods: Vec<String>,
}

impl<'a> NameTable<'a> {
    fn new(scenario: &'a Scenario, classes: &[LinkedClass<'_>]) -> NameTable<'a> {
        let classes = classes
            .iter()
            .map(|loaded| ClassNames {
                class: Cut(loaded.class.name()).to_string(),
                methods: loaded
                    .class
                    .methods()
                    .map(|method| Cut(method.name).to_string())
                    .collect(),
            })
            .collect();
        NameTable { scenario, classes }
    }

    fn class_of(&self, endpoint: EndpointId) -> Option<&ClassNames> {
        self.classes
            .get(self.scenario.endpoints.get(endpoint.0 as usize)?.class?)
    }
}

impl Names for NameTable<'_> {
    fn nic(&self, nic: NicId) -> &str {
        &self.scenario.nics[nic.0 as usize].name
    }

    fn endpoint(&self, endpoint: EndpointId) -> &str {
        &self.scenario.endpoints[endpoint.0 as usize].name
    }

    fn home(&self, endpoint: EndpointId) -> NicId {
        self.scenario.endpoints[endpoint.0 as usize].nic
    }

    fn class(&self, endpoint: EndpointId) -> Option<&str> {
        self.class_of(endpoint).map(|names| names.class.as_str())
    }

    fn method(&self, endpoint: EndpointId, method: MethodId) -> &str {
        self.class_of(endpoint)
            .and_then(|names| names.methods.get(method.index()))
            .map_or("?", String::as_str)
    }
}
