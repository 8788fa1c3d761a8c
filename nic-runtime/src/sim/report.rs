//! Passes events from the simulation to the sink, with the names of NICs, endpoints, classes and their members.

use super::posts::Posts;
use crate::calls::classes::Classes;
use crate::ids::Table;
use crate::spec::Scenario;
use crate::wire::Packet;
use jive_core::{
    CallStack, ClassFile, Cut, FieldId, Instance, MethodId, Pc, Step, Values, Watcher,
};
use jive_embed::fields;
use nic_core::event::roles::Shown;
use nic_core::event::{Event, EventKind, Executed, Names, Sink, SleEvent, SwapRefusal};
use nic_core::id::{EndpointId, NicId, PacketId, PostNumber};
use nic_core::time::{SimDuration, SimTime};

/// The sink of a run, if there is one, with its table of names.
pub(crate) struct Report<'a> {
    sink: Option<&'a mut dyn Sink>,
    names: NameTable<'a>,
    /// Whether the sink wants the instructions that applets execute.
    watches: bool,
    /// Whether the sink may fail at any event.
    may_fail: bool,
    /// Whether the sink wants the natives that create nothing.
    wants_detail: bool,
    /// Number of events that a trace shows and that were not built.
    left_out: u64,
    /// Which posts packets come from, if the sink wants to know.
    posts: Option<Posts>,
    /// Whether the sink wants the spans of processors' work.
    pub(crate) wants_work: bool,
    /// Whether the sink wants to know how long processors work without a pause.
    pub(crate) wants_busy: bool,
    /// Whether the sink wants the levels of queues and heaps.
    pub(crate) wants_levels: bool,
}

/// Passes the instructions of an endpoint's applet on to the sink.
struct Watching<'w, 'a> {
    report: &'w mut Report<'a>,
    endpoint: EndpointId,
    class: usize,
    each: SimDuration,
}

impl Watcher for Watching<'_, '_> {
    fn executed(&mut self, depth: u32, method: MethodId, instructions: &[Pc], before: Values<'_>) {
        let executed = Executed {
            endpoint: self.endpoint,
            class: self.class,
            depth,
            method,
            instructions,
            each: self.each,
            before,
        };
        let Report { sink, names, .. } = &mut *self.report;
        if let Some(sink) = sink {
            sink.executed(names, &executed);
        }
    }
}

impl<'a> Report<'a> {
    pub(crate) fn new(
        scenario: &'a Scenario,
        classes: Classes<'_>,
        sink: Option<&'a mut dyn Sink>,
    ) -> Report<'a> {
        let listening = sink.as_ref();
        let wants = |shown| listening.is_some_and(|sink| sink.wants(shown));
        Report {
            watches: listening.is_some_and(|sink| sink.watches()),
            may_fail: listening.is_some_and(|sink| sink.may_fail()),
            wants_detail: wants(Shown::InDetail),
            left_out: 0,
            posts: listening
                .is_some_and(|sink| sink.wants_posts())
                .then(Posts::default),
            wants_work: wants(Shown::WithWork),
            wants_busy: wants(Shown::AsBusy),
            wants_levels: wants(Shown::Never),
            sink,
            names: NameTable::new(scenario, classes),
        }
    }

    /// Returns where to note which posts packets come from, if the sink wants to know.
    #[inline]
    pub(crate) fn posts_mut(&mut self) -> Option<&mut Posts> {
        self.posts.as_mut()
    }

    /// Returns the post of a packet that has left, if there is one and the sink wants to know.
    #[inline]
    pub(crate) fn post_of(&self, packet: PacketId) -> Option<PostNumber> {
        self.posts.as_ref()?.of(packet)
    }

    /// Returns the post of a packet that leaves, if there is one and the sink wants to know.
    #[inline]
    pub(crate) fn post_sent(&mut self, packet: &Packet) -> Option<PostNumber> {
        let posts = self.posts.as_mut()?;
        posts.sent(packet.id, packet.from.0, packet.trigger)
    }

    /// Returns whether a sink listens to the run.
    #[inline]
    pub(crate) fn listens(&self) -> bool {
        self.sink.is_some()
    }

    /// Returns whether an event that means nothing but to readers of a trace is to be built. If it is not, counts it.
    #[inline]
    pub(crate) fn details(&mut self) -> bool {
        self.left_out += u64::from(!self.wants_detail);
        self.wants_detail
    }

    /// Returns whether events have the details that mean nothing but to readers of a trace.
    #[inline]
    pub(crate) fn wants_detail(&self) -> bool {
        self.wants_detail
    }

    /// Tells the sink at the end of the run how many events were not built.
    pub(crate) fn end(&mut self) {
        if let Some(sink) = &mut self.sink {
            sink.left_out(self.left_out);
        }
    }

    /// Returns the names of NICs and endpoints.
    pub(crate) fn names(&self) -> &dyn Names {
        &self.names
    }

    /// Returns whether the sink may fail at any event.
    pub(crate) fn may_fail(&self) -> bool {
        self.may_fail
    }

    /// Returns whether the sink can no longer write.
    pub(crate) fn has_failed(&self) -> bool {
        self.sink.as_ref().is_some_and(|sink| sink.has_failed())
    }

    /// Returns whether the user interrupts the run.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.sink.as_ref().is_some_and(|sink| sink.is_interrupted())
    }

    /// Runs an applet up to its next stop, as [`Instance::run`] does. If the sink wants instructions, reports each
    /// instruction to the sink.
    ///
    /// Each instruction of the applet takes the time `each`.
    #[inline(always)]
    pub(crate) fn run<'s>(
        &mut self,
        endpoint: EndpointId,
        each: SimDuration,
        (instance, stack): (&mut Instance<'_>, &'s mut CallStack<'_>),
    ) -> Step<'s> {
        if self.watches {
            return self.run_watched(endpoint, each, (instance, stack));
        }
        instance.run(stack)
    }

    #[cold]
    fn run_watched<'s>(
        &mut self,
        endpoint: EndpointId,
        each: SimDuration,
        (instance, stack): (&mut Instance<'_>, &'s mut CallStack<'_>),
    ) -> Step<'s> {
        let mut watching = Watching {
            class: self.names.current[endpoint].unwrap_or_default() as usize,
            endpoint,
            each,
            report: self,
        };
        instance.run_watched(stack, &mut watching)
    }

    /// Takes back the report of a native that an applet has reached, because the applet lacks the fuel for the native.
    pub(crate) fn take_back(&mut self, endpoint: EndpointId) {
        if let Some(sink) = &mut self.sink
            && self.watches
        {
            sink.took_back(endpoint);
        }
    }

    /// Emits an event of an endpoint. Without a sink, the event is not even built.
    #[inline(always)]
    pub(crate) fn emit<'e>(
        &mut self,
        now: SimTime,
        endpoint: EndpointId,
        kind: impl Into<EventKind<'e>>,
    ) {
        if self.sink.is_some() {
            let nic = self.names.home(endpoint);
            self.emit_to_sink(&Event {
                time: now,
                nic,
                endpoint: Some(endpoint),
                kind: kind.into(),
            });
        }
    }

    /// Emits an event of an endpoint's packet at a NIC or switch.
    pub(crate) fn emit_at<'e>(
        &mut self,
        now: SimTime,
        (at, endpoint): (NicId, EndpointId),
        kind: impl Into<EventKind<'e>>,
    ) {
        if self.sink.is_some() {
            self.emit_to_sink(&Event {
                time: now,
                nic: at,
                endpoint: Some(endpoint),
                kind: kind.into(),
            });
        }
    }

    /// Emits an event to the sink. Not inlined, so that a run without a sink passes over little code.
    #[cold]
    #[inline(never)]
    fn emit_to_sink(&mut self, event: &Event<'_>) {
        if let Some(sink) = &mut self.sink {
            sink.event(&self.names, event);
        }
    }

    /// Emits the event that a class did not become an endpoint's applet.
    #[cold]
    pub(crate) fn emit_refused(
        &mut self,
        now: SimTime,
        endpoint: EndpointId,
        class: Option<usize>,
        reason: SwapRefusal,
    ) {
        let Some(sink) = &mut self.sink else {
            return;
        };
        let class = class.and_then(|class| self.names.classes[class].as_ref());
        let class = class.map(|names| names.class.as_str());
        let event = Event {
            time: now,
            nic: self.names.home(endpoint),
            endpoint: Some(endpoint),
            kind: SleEvent::SwapRefused { class, reason }.into(),
        };
        sink.event(&self.names, &event);
    }

    /// Adds the names of a class that came in a capsule.
    pub(crate) fn add_class(&mut self, class: &ClassFile<'_>) {
        self.names.classes.push(Some(ClassNames::of(class)));
    }

    /// Changes the class whose names an endpoint's events show.
    pub(crate) fn set_class(&mut self, endpoint: EndpointId, class: Option<usize>) {
        self.names.current[endpoint] = class.map(position);
    }

    /// Emits an event of a NIC that belongs to no endpoint.
    #[inline(always)]
    pub(crate) fn emit_of_nic<'e>(
        &mut self,
        now: SimTime,
        nic: NicId,
        kind: impl Into<EventKind<'e>>,
    ) {
        if self.sink.is_some() {
            self.emit_to_sink(&Event {
                time: now,
                nic,
                endpoint: None,
                kind: kind.into(),
            });
        }
    }
}

struct NameTable<'a> {
    scenario: &'a Scenario,
    /// The classes of [`Scenario::classes`] in their order, then the classes that came in capsules. A class's entry is
    /// `None` if the file is no class file.
    classes: Vec<Option<ClassNames>>,
    /// The class of each endpoint's applet, as a position in `classes`. Positions of classes have 32 bits, so that an
    /// idle endpoint needs little memory.
    current: Table<EndpointId, Option<u32>>,
}

/// Converts a position among the classes of a run to 32 bits.
fn position(class: usize) -> u32 {
    u32::try_from(class).expect("a run has far fewer classes")
}

/// Names of a class and its members, shortened once, when the table of names is built.
struct ClassNames {
    class: String,
    methods: Vec<String>,
    fields: Vec<String>,
}

impl ClassNames {
    fn of(class: &ClassFile<'_>) -> ClassNames {
        let methods = class.methods();
        let methods = methods.map(|method| Cut(method.name).to_string());
        ClassNames {
            class: Cut(class.name()).to_string(),
            methods: methods.collect(),
            fields: fields::shown(class),
        }
    }

    /// Returns the names of a rejected class.
    fn of_rejected(bytes: &[u8]) -> Option<ClassNames> {
        let mut index = vec![0; ClassFile::index_len(bytes)];
        let class = ClassFile::parse(bytes, &mut index).ok()?;
        Some(ClassNames {
            class: Cut(class.name()).to_string(),
            methods: Vec::new(),
            fields: Vec::new(),
        })
    }
}

impl<'a> NameTable<'a> {
    fn new(scenario: &'a Scenario, classes: Classes<'_>) -> NameTable<'a> {
        let names = classes.iter().zip(&scenario.classes);
        let names = names.map(|(loaded, spec)| match loaded {
            Ok(loaded) => Some(ClassNames::of(&loaded.class)),
            Err(_) => ClassNames::of_rejected(&spec.bytes),
        });
        NameTable {
            scenario,
            classes: names.collect(),
            current: scenario
                .endpoints
                .iter()
                .map(|spec| scenario.class_of(spec).map(position))
                .collect(),
        }
    }

    fn class_of(&self, endpoint: EndpointId) -> Option<&ClassNames> {
        let current = *self.current.get(endpoint)?;
        self.classes.get(current? as usize)?.as_ref()
    }
}

impl Names for NameTable<'_> {
    fn in_chain(&self, endpoint: EndpointId) -> Option<&str> {
        let spec = &self.scenario.endpoints[endpoint];
        match spec.has_chain() {
            true => self.class(endpoint),
            false => None,
        }
    }

    fn nic(&self, nic: NicId) -> &str {
        self.scenario.node_name(nic)
    }

    fn is_switch(&self, nic: NicId) -> bool {
        self.scenario.switch(nic).is_some()
    }

    fn endpoint(&self, endpoint: EndpointId) -> &str {
        &self.scenario.endpoints[endpoint].name
    }

    fn home(&self, endpoint: EndpointId) -> NicId {
        self.scenario.endpoints[endpoint].nic
    }

    fn class(&self, endpoint: EndpointId) -> Option<&str> {
        self.class_of(endpoint).map(|names| names.class.as_str())
    }

    fn method(&self, endpoint: EndpointId, method: MethodId) -> &str {
        self.class_of(endpoint)
            .and_then(|names| names.methods.get(method.index()))
            .map_or("?", String::as_str)
    }
    fn field(&self, endpoint: EndpointId, field: FieldId) -> &str {
        self.class_of(endpoint)
            .and_then(|names| names.fields.get(field.index()))
            .map_or("?", String::as_str)
    }
}
