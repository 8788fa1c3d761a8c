//! The moments of a run: every event that a trace shows, and every instruction of an applet, in their order.
//!
//! Who steps through a run, forwards or backwards, asks for a moment: [`find`] runs the scenario up to it, and runs it once
//! more to show the values of the applet's call there. Since runs are deterministic, a step back is a run to an earlier
//! moment.

mod state;

use std::collections::BTreeMap;

use jive_core::ClassFile;
use jive_embed::replay::Replay;
use nic_core::event::fields::PayloadMode;
use nic_core::event::line::Line;
use nic_core::event::roles::{Shown, Step};
use nic_core::event::{Event, Executed, Names, Sink};
use nic_core::id::EndpointId;
use nic_core::time::SimTime;
use serde::{Deserialize, Serialize};

pub use self::state::{Array, CallState, FrameState, Value};

/// Which moment is wanted. Moments are numbered from 1.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Wanted {
    /// The moment with this number.
    Number(u64),
    /// The first instruction behind a moment.
    InstructionAfter(u64),
    /// The last instruction before a moment.
    InstructionBefore(u64),
    /// The first event behind a moment.
    EventAfter(u64),
    /// The last event before a moment.
    EventBefore(u64),
    /// The first event of this name at an endpoint and at a time.
    Event {
        /// The time in picoseconds.
        time: u64,
        /// The event's name in the trace.
        name: String,
        /// The endpoint's name.
        endpoint: String,
    },
}

/// A moment of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Moment {
    /// The moment's number.
    pub number: u64,
    /// How many events there were, with this one if it is an event.
    pub events: u64,
    /// Whether the moment is an event. If not, the moment is an instruction.
    pub is_event: bool,
    /// The last event, as a line of the trace. Empty before the first event.
    pub event: String,
    /// The call of the applet: before the instruction, or at the last instruction before the event. At the beginning of a
    /// call, before its first instruction.
    pub call: Option<CallState>,
}

/// Where the state of a call is shown.
#[derive(Copy, Clone, Debug)]
enum Place {
    /// At the instruction that is the moment of this number.
    At(u64),
    /// At an endpoint's first instruction behind the moment of this number.
    After(u64, EndpointId),
}

/// Finds a moment. The function `run` runs the scenario with a sink; it is called twice.
///
/// The classes are those of the scenario, in their order. Returns `None` if the run has no such moment.
///
/// # Errors
///
/// Returns the error of `run`.
pub fn find<E>(
    classes: &[Option<ClassFile<'_>>],
    wanted: &Wanted,
    mut run: impl FnMut(&mut dyn Sink) -> Result<(), E>,
) -> Result<Option<Moment>, E> {
    let mut search = Search::new(wanted);
    run(&mut search)?;
    let Some((mut moment, place)) = search.found else {
        return Ok(None);
    };
    if let Some(place) = place {
        let mut capture = Capture::new(classes, place);
        run(&mut capture)?;
        moment.call = capture.state;
    }
    Ok(Some(moment))
}

/// A sink that finds a moment.
struct Search<'w> {
    wanted: &'w Wanted,
    number: u64,
    events: u64,
    event: String,
    /// The number of the last instruction of each endpoint's running call, or of the call's beginning.
    running: BTreeMap<EndpointId, Place>,
    found: Option<(Moment, Option<Place>)>,
    is_over: bool,
}

impl<'w> Search<'w> {
    fn new(wanted: &'w Wanted) -> Search<'w> {
        Search {
            wanted,
            number: 0,
            events: 0,
            event: String::new(),
            running: BTreeMap::new(),
            found: None,
            is_over: false,
        }
    }

    /// Counts a moment, and keeps it if it may be the wanted one.
    fn pass(&mut self, place: Option<Place>, is_event: bool, is_named: bool) {
        self.number += 1;
        let number = self.number;
        let (is_candidate, is_over) = match *self.wanted {
            Wanted::Number(wanted) => (number == wanted, number >= wanted),
            Wanted::InstructionAfter(from) => {
                let is_it = !is_event && number > from;
                (is_it, is_it)
            }
            Wanted::EventAfter(from) => {
                let is_it = is_event && number > from;
                (is_it, is_it)
            }
            Wanted::InstructionBefore(behind) => (!is_event && number < behind, number >= behind),
            Wanted::EventBefore(behind) => (is_event && number < behind, number >= behind),
            Wanted::Event { .. } => (is_named, is_named),
        };
        if is_candidate {
            let moment = Moment {
                number,
                events: self.events,
                is_event,
                event: self.event.clone(),
                call: None,
            };
            self.found = Some((moment, place));
        }
        self.is_over = is_over;
    }

    fn is_named(&self, names: &dyn Names, event: &Event<'_>) -> bool {
        let Wanted::Event {
            time,
            name,
            endpoint,
        } = self.wanted
        else {
            return false;
        };
        let is_there = |id| names.endpoint(id) == endpoint;
        event.time == SimTime::from_ps(*time)
            && event.kind.roles().name == name
            && event.endpoint.is_some_and(is_there)
    }
}

impl Sink for Search<'_> {
    fn wants(&self, shown: Shown) -> bool {
        super::is_shown(shown, false)
    }

    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let roles = event.kind.roles();
        if self.is_over || !super::is_shown(roles.shown, false) {
            return;
        }
        self.events += 1;
        self.event = Line::new(names, event, PayloadMode::Omitted).to_string();
        let endpoint = event.endpoint;
        if let (Step::CallBegan { .. }, Some(endpoint)) = (roles.step, endpoint) {
            let place = Place::After(self.number, endpoint);
            self.running.insert(endpoint, place);
        }
        let place = endpoint.and_then(|endpoint| self.running.get(&endpoint).copied());
        self.pass(place, true, self.is_named(names, event));
        if let (Step::CallReturned { .. } | Step::CallTrapped { .. }, Some(endpoint)) =
            (roles.step, endpoint)
        {
            self.running.remove(&endpoint);
        }
    }

    fn watches(&self) -> bool {
        true
    }

    fn executed(&mut self, _names: &dyn Names, executed: &Executed<'_>) {
        for _ in executed.instructions {
            if self.is_over {
                return;
            }
            let place = Place::At(self.number + 1);
            self.running.insert(executed.endpoint, place);
            self.pass(Some(place), false, false);
        }
    }

    fn has_failed(&self) -> bool {
        self.is_over
    }
}

/// A sink that keeps the state of a call at a place.
struct Capture<'c> {
    classes: &'c [Option<ClassFile<'c>>],
    place: Place,
    number: u64,
    replays: BTreeMap<(EndpointId, usize), Replay<'c>>,
    state: Option<CallState>,
    is_over: bool,
}

impl<'c> Capture<'c> {
    fn new(classes: &'c [Option<ClassFile<'c>>], place: Place) -> Capture<'c> {
        Capture {
            classes,
            place,
            number: 0,
            replays: BTreeMap::new(),
            state: None,
            is_over: false,
        }
    }
}

impl Sink for Capture<'_> {
    fn wants(&self, shown: Shown) -> bool {
        super::is_shown(shown, false)
    }

    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let roles = event.kind.roles();
        if let (Step::CallBegan { .. }, Some(endpoint)) = (roles.step, event.endpoint) {
            let of_endpoint = (endpoint, 0)..=(endpoint, usize::MAX);
            let replays = self.replays.range_mut(of_endpoint);
            replays.for_each(|(_, replay)| replay.begin());
        }
        if super::is_shown(roles.shown, false) {
            self.number += 1;
        }
    }

    fn watches(&self) -> bool {
        true
    }

    fn executed(&mut self, names: &dyn Names, executed: &Executed<'_>) {
        if self.is_over {
            return;
        }
        let Executed {
            endpoint,
            class,
            depth,
            method,
            instructions,
            before,
            ..
        } = *executed;
        // The classes that came in capsules are not among those of the scenario.
        let Some(parsed) = self.classes.get(class).copied().flatten() else {
            self.number += instructions.len() as u64;
            return;
        };
        let replay = self.replays.entry((endpoint, class));
        let replay = replay.or_insert_with(|| Replay::new(parsed));
        let (place, number) = (self.place, &mut self.number);
        let (state, is_over) = (&mut self.state, &mut self.is_over);
        replay.executed(depth, method, instructions, before, |moment| {
            *number += 1;
            let is_here = match place {
                Place::At(wanted) => *number == wanted,
                Place::After(behind, at) => *number > behind && endpoint == at,
            };
            if is_here && !*is_over {
                *state = Some(CallState::of(names.endpoint(endpoint), parsed, moment));
                *is_over = true;
            }
        });
    }

    fn has_failed(&self) -> bool {
        self.is_over
    }
}
