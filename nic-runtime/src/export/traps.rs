//! Traps with the names of methods and fields, and the log of all traps of a run.

use jive_core::{MethodId, Pc, TrapKind};
use nic_core::event::fields::NamedDetails;
use nic_core::event::roles::{Shown, Step};
use nic_core::event::{Event, Names, Sink, TrapDetails};
use nic_core::id::EndpointId;
use nic_core::time::SimTime;
use serde::{Serialize, Serializer};

/// Maximum number of places of traps that a log of traps keeps. The maximum of 16 places is chosen: it is more than a
/// person reads.
const PLACES_MAX: usize = 16;

/// A trap of an applet, with the names of its methods and fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TracedTrap {
    /// The kind's name.
    #[serde(serialize_with = "name")]
    pub kind: TrapKind,
    /// The innermost method.
    pub method: String,
    /// The instruction that trapped.
    #[serde(serialize_with = "number")]
    pub pc: Pc,
    /// Source line of the instruction that trapped, if the class has line numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u16>,
    /// The trap's cause and its nested calls.
    #[serde(flatten)]
    pub facts: TrapFacts,
}

/// Cause and nested calls of a trap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TrapFacts {
    /// Why the instruction trapped, as in `index 16, length 16`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The numbers in the text of `why`, by name.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "object")]
    pub values: Option<Vec<(&'static str, i64)>>,
    /// The nested calls at the trap, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<NestedCall>,
    /// Number of nested calls at the trap that `calls` omits because there were too many.
    #[serde(skip_serializing_if = "is_zero")]
    pub calls_omitted: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A call that had not returned when a trap occurred.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NestedCall {
    /// The method's name.
    pub method: String,
    /// The method.
    #[serde(skip)]
    pub id: MethodId,
    /// The instruction that the method was executing.
    #[serde(serialize_with = "number")]
    pub pc: Pc,
    /// Source line of the executing instruction, if the class has line numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u16>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn name<S: Serializer>(kind: &TrapKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn number<S: Serializer>(pc: &Pc, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u16(pc.0)
}

fn object<S: Serializer>(
    values: &Option<Vec<(&'static str, i64)>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().flatten().copied())
}

impl TrapFacts {
    /// Reads the trap's names and numbers from the details of an event.
    #[must_use]
    pub fn of(details: &NamedDetails<'_>) -> TrapFacts {
        let values = details.cause().map(|cause| {
            let mut values = Vec::new();
            cause.values(&mut |name, value| values.push((name, value)));
            values
        });
        let calls = details.calls().map(|(method, call)| NestedCall {
            method: method.to_owned(),
            id: call.method,
            pc: call.pc,
            line: call.line,
        });
        TrapFacts {
            why: details.cause().map(|_| details.to_string()),
            values,
            calls: calls.collect(),
            calls_omitted: details.omitted(),
        }
    }
}

impl TracedTrap {
    /// Returns the trap of an endpoint's applet, if the event is a trap.
    #[must_use]
    pub fn of(names: &dyn Names, endpoint: EndpointId, step: &Step<'_>) -> Option<TracedTrap> {
        let Step::CallTrapped {
            kind,
            pc,
            line,
            method,
            details,
            ..
        } = *step
        else {
            return None;
        };
        Some(TracedTrap {
            kind,
            method: names.method(endpoint, method).to_owned(),
            pc,
            line,
            facts: facts(names, endpoint, details),
        })
    }
}

fn facts(names: &dyn Names, endpoint: EndpointId, details: TrapDetails<'_>) -> TrapFacts {
    TrapFacts::of(&NamedDetails::new(names, Some(endpoint), details))
}

/// A place in an applet's method at which the applet trapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrapPlace {
    /// The endpoint.
    pub endpoint: EndpointId,
    method: MethodId,
    /// The first trap at this place.
    pub first: TracedTrap,
    /// When the first trap at this place occurred.
    pub time: SimTime,
    /// How often the endpoint's applet trapped at this place with this kind of trap.
    pub count: u64,
}

/// A sink that keeps the first trap of each place, and counts the later traps.
#[derive(Clone, Debug, Default)]
pub struct TrapLog {
    places: Vec<TrapPlace>,
    elsewhere: u64,
}

impl TrapLog {
    /// Returns the places of traps in the order of their first trap. The log keeps only the first 16 places.
    #[must_use]
    pub fn places(&self) -> &[TrapPlace] {
        &self.places
    }

    /// Returns how many traps occurred at places that the log does not keep.
    #[must_use]
    pub fn elsewhere(&self) -> u64 {
        self.elsewhere
    }
}

impl Sink for TrapLog {
    fn wants_posts(&self) -> bool {
        false
    }

    fn wants(&self, shown: Shown) -> bool {
        shown == Shown::Always
    }

    fn may_fail(&self) -> bool {
        false
    }

    #[inline]
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        if let (Some(endpoint), Some(step)) = (event.endpoint, event.kind.trap()) {
            self.add(names, endpoint, event.time, &step);
        }
    }
}

impl TrapLog {
    #[cold]
    fn add(&mut self, names: &dyn Names, endpoint: EndpointId, time: SimTime, step: &Step<'_>) {
        let Step::CallTrapped {
            kind, method, pc, ..
        } = *step
        else {
            return;
        };
        let known = self.places.iter_mut().find(|place| {
            (
                place.endpoint,
                place.method,
                place.first.kind,
                place.first.pc,
            ) == (endpoint, method, kind, pc)
        });
        if let Some(place) = known {
            place.count += 1;
        } else if self.places.len() < PLACES_MAX {
            self.places.extend(
                TracedTrap::of(names, endpoint, step).map(|first| TrapPlace {
                    endpoint,
                    method,
                    first,
                    time,
                    count: 1,
                }),
            );
        } else {
            self.elsewhere += 1;
        }
    }
}
