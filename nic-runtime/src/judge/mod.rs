//! Judges whether a run meets its scenario's expectations. The judge counts events during the run, and compares fields
//! of applets at the end of the run. [`Run::judge`](crate::Run::judge) asks for it.

mod difference;
mod fields;
mod messages;
mod shortfall;

use std::collections::BTreeMap;
use std::fmt;

pub use difference::Difference;
pub(crate) use fields::{InstanceAt, judge as fields};
use nic_core::event::roles::{Shown, Step};
use nic_core::event::{EndReason, Event, EventKind, Executed, HostEvent, Names, Sink};
use nic_core::id::{ChannelId, EndpointId};

use self::messages::Messages;
pub(crate) use self::shortfall::Shortfall;
use self::shortfall::{At, Count, On};
use crate::spec::{Expectation, Expected, Scenario, Span, Tally};

/// The result of comparing a run with its scenario's expectations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// How many expectations are met.
    pub met: usize,
    /// The expectations that are not met, in the order of the scenario file.
    pub unmet: Vec<Unmet>,
}

/// An expectation that is not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet {
    /// The expectation's place in the scenario file.
    pub place: Span,
    /// One sentence that says what was expected and what was found.
    pub title: String,
    /// For an expected message, the bytes that differ.
    pub note: Option<String>,
}

/// Passes each event to the judge and to the sink of the run.
pub(crate) struct Judging<'s> {
    /// The sink of the run, or `None` if only the judge receives events.
    sink: Option<&'s mut dyn Sink>,
    judge: Judge<'s>,
}

impl<'s> Judging<'s> {
    pub(crate) fn new(scenario: &'s Scenario, sink: Option<&'s mut dyn Sink>) -> Judging<'s> {
        Judging {
            sink: sink.filter(|sink| sink.listens()),
            judge: Judge::new(scenario),
        }
    }

    /// Judges the run, which ended for a reason. Returns `None` if the user or the sink ended it.
    pub(crate) fn end(
        self,
        reason: EndReason,
        of_fields: Vec<Option<Shortfall>>,
    ) -> Option<Judgement> {
        match reason {
            EndReason::Interrupted | EndReason::Unheard => None,
            EndReason::Idle
            | EndReason::Stuck
            | EndReason::Until
            | EndReason::MaxEvents
            | EndReason::MaxBytecodes
            | EndReason::LoadTrap(_) => Some(self.judge.end(of_fields)),
        }
    }
}

impl Sink for Judging<'_> {
    fn wants(&self, shown: Shown) -> bool {
        shown == Shown::Always || self.sink.as_ref().is_some_and(|sink| sink.wants(shown))
    }

    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        self.judge.take(event);
        if let Some(sink) = &mut self.sink {
            sink.event(names, event);
        }
    }

    fn left_out(&mut self, events: u64) {
        if let Some(sink) = &mut self.sink {
            sink.left_out(events);
        }
    }

    fn wants_posts(&self) -> bool {
        self.sink.as_ref().is_some_and(|sink| sink.wants_posts())
    }

    fn may_fail(&self) -> bool {
        self.sink.as_ref().is_some_and(|sink| sink.may_fail())
    }

    fn watches(&self) -> bool {
        self.sink.as_ref().is_some_and(|sink| sink.watches())
    }

    fn executed(&mut self, names: &dyn Names, executed: &Executed<'_>) {
        if let Some(sink) = &mut self.sink {
            sink.executed(names, executed);
        }
    }

    fn took_back(&mut self, endpoint: EndpointId) {
        if let Some(sink) = &mut self.sink {
            sink.took_back(endpoint);
        }
    }

    fn has_failed(&self) -> bool {
        self.sink.as_ref().is_some_and(|sink| sink.has_failed())
    }

    fn is_interrupted(&self) -> bool {
        self.sink.as_ref().is_some_and(|sink| sink.is_interrupted())
    }
}

/// The number of events of each kind.
type Counts = BTreeMap<&'static str, u64>;

/// The counts and messages of a run so far, as far as expectations refer to them.
struct Judge<'s> {
    scenario: &'s Scenario,
    messages: Messages<'s>,
    /// How many receive descriptors each endpoint got on each channel.
    delivered: BTreeMap<(EndpointId, ChannelId), u64>,
    drops: BTreeMap<EndpointId, Counts>,
    traps: BTreeMap<EndpointId, Counts>,
    /// For each expectation, the reason why the run does not meet it, once the reason is found.
    shortfalls: Vec<Option<Shortfall>>,
}

impl<'s> Judge<'s> {
    fn new(scenario: &'s Scenario) -> Judge<'s> {
        Judge {
            scenario,
            messages: Messages::new(scenario),
            delivered: BTreeMap::new(),
            drops: BTreeMap::new(),
            traps: BTreeMap::new(),
            shortfalls: vec![None; scenario.expectations.len()],
        }
    }

    fn take(&mut self, event: &Event<'_>) {
        let Some(endpoint) = event.endpoint else {
            return;
        };
        if let EventKind::Host(HostEvent::ProgramTrap { kind, .. }) = event.kind {
            let counts = self.traps.entry(endpoint).or_default();
            *counts.entry(kind.name()).or_default() += 1;
        }
        match event.kind.step() {
            Step::Delivered {
                channel, payload, ..
            } => {
                *self.delivered.entry((endpoint, channel)).or_default() += 1;
                self.messages
                    .take(endpoint, channel, payload, &mut self.shortfalls);
            }
            Step::Lost { reason, .. } | Step::Dropped { reason, .. } => {
                *self
                    .drops
                    .entry(endpoint)
                    .or_default()
                    .entry(reason)
                    .or_default() += 1;
            }
            Step::CallTrapped { kind, .. } => {
                let counts = self.traps.entry(endpoint).or_default();
                *counts.entry(kind.name()).or_default() += 1;
            }
            Step::Other
            | Step::Consumed { .. }
            | Step::Posted { .. }
            | Step::Completed { .. }
            | Step::CallBegan { .. }
            | Step::CallSuspended
            | Step::CallResumed
            | Step::Made(_)
            | Step::CallReturned { .. }
            | Step::Detached
            | Step::Mapped { .. }
            | Step::ControlSent { .. }
            | Step::ControlReceived { .. }
            | Step::Attached
            | Step::GivenUp { .. }
            | Step::Sent { .. }
            | Step::Forwarded { .. }
            | Step::Received { .. } => {}
        }
    }

    /// Judges every expectation after the run.
    fn end(mut self, of_fields: Vec<Option<Shortfall>>) -> Judgement {
        self.messages.end(&mut self.shortfalls);
        let known = std::mem::take(&mut self.shortfalls);
        let mut judgement = Judgement::default();
        let expectations = self.scenario.expectations.iter();
        for (expectation, (known, of_field)) in expectations.zip(known.into_iter().zip(of_fields)) {
            match known.or(of_field).or_else(|| self.of_counts(expectation)) {
                None => judgement.met += 1,
                Some(Shortfall { title, note }) => judgement.unmet.push(Unmet {
                    place: expectation.place,
                    title,
                    note,
                }),
            }
        }
        judgement
    }

    /// Compares an expectation about counts with the counts of the run.
    fn of_counts(&self, expectation: &Expectation) -> Option<Shortfall> {
        let Expectation { endpoint, what, .. } = expectation;
        let at = At(self.scenario, *endpoint);
        match what {
            Expected::Messages { .. } | Expected::Field { .. } => None,
            Expected::Count { channel, count } => {
                let is_meant = |(to, on): (EndpointId, ChannelId)| {
                    endpoint.is_none_or(|id| id == to) && channel.is_none_or(|id| id == on)
                };
                let delivered = self.delivered.iter().filter(|(way, _)| is_meant(**way));
                let found = delivered.map(|(_, count)| count).sum::<u64>();
                (found != *count).then(|| {
                    let expected = Count(*count, "receive descriptor");
                    let on = On(*channel);
                    Shortfall::of(format!("expected {expected} at {at}{on}, found {found}"))
                })
            }
            Expected::Drops(tally) => compare(tally, &sum(&self.drops, *endpoint), ("drop", &at)),
            Expected::Traps(tally) => compare(tally, &sum(&self.traps, *endpoint), ("trap", &at)),
            Expected::Trap(kind) => {
                let found = sum(&self.traps, *endpoint);
                let is_met = found.contains_key(kind.name());
                (!is_met).then(|| {
                    let found = Kinds(&found);
                    Shortfall::of(format!("expected a trap {kind} at {at}, found {found}"))
                })
            }
        }
    }
}

/// Returns the counts of one endpoint, or the sums over all endpoints.
fn sum(of_endpoints: &BTreeMap<EndpointId, Counts>, endpoint: Option<EndpointId>) -> Counts {
    let mut sum = Counts::new();
    for (id, counts) in of_endpoints {
        if endpoint.is_none_or(|endpoint| endpoint == *id) {
            for (kind, count) in counts {
                *sum.entry(kind).or_default() += count;
            }
        }
    }
    sum
}

/// Compares counts of events with the expected counts.
fn compare(
    tally: &Tally,
    found: &Counts,
    (noun, at): (&'static str, &At<'_>),
) -> Option<Shortfall> {
    let of = |kind: &str| found.get(kind).copied().unwrap_or(0);
    let (is_met, expected) = match tally {
        Tally::All(count) => (
            found.values().sum::<u64>() == *count,
            Count(*count, noun).to_string(),
        ),
        Tally::Each(each) => {
            let is_met = each.iter().all(|(kind, count)| of(kind) == *count);
            let each = each.iter().map(|(kind, count)| format!("{kind} {count}"));
            (
                is_met,
                format!("{noun}s {}", each.collect::<Vec<_>>().join(", ")),
            )
        }
    };
    (!is_met).then(|| {
        let found = Kinds(found);
        Shortfall::of(format!("expected {expected} at {at}, found {found}"))
    })
}

/// Formats counts by kind, such as `loss 3, crc 1`.
struct Kinds<'a>(&'a Counts);

impl fmt::Display for Kinds<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (position, (kind, count)) in self.0.iter().enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            write!(f, "{separator}{kind} {count}")?;
        }
        Ok(())
    }
}
