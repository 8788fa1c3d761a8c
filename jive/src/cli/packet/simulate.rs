//! A run in which packets arrive at an applet one after the other. The next packet is sent only when the effects of the
//! previous one are over.

use nic_runtime::Run;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use nic_core::event::roles::{Cause, Shown, Step};
use nic_core::event::{Event, Made, Names, Sink, Trigger};
use nic_core::id::{ChannelId, EndpointId};
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::host::{Actions, Happened as Occurred, HostProgram, Programs};
use nic_runtime::run::{EndpointState, RunEnd, SimError};
use nic_runtime::scenario::alone::{APPLET, APPLET_NAME, PEER, PEER_NAME};
use nic_runtime::spec::Scenario;

use super::events::Gathered;
use super::given::{Packet, Way};

/// The effects of a packet are over when no event has occurred for this time. DMA or the wire needs less time for one
/// array.
const SETTLED: SimDuration = SimDuration::from_ns(1_000_000);

/// How often the users check whether the next packet is due.
const LOOK: SimDuration = SimDuration::from_ns(100_000);

/// The state that the users at both ends and the listener share.
struct Turns {
    channel: ChannelId,
    /// The packets that are still to be sent.
    rest: VecDeque<(Way, Vec<u8>)>,
    /// How many packets have been sent.
    begun: usize,
    /// When the last effect of a packet occurred; `None` while there is no effect to wait for.
    stirred: Option<SimTime>,
    /// What triggered the call that is running.
    call: Option<Trigger>,
    is_over: bool,
}

impl Turns {
    /// Returns whether the effects of the last packet are over.
    fn is_settled(&self, now: SimTime) -> bool {
        let is_quiet = |stirred: SimTime| now.since(stirred) >= SETTLED;
        let is_in_call = matches!(self.call, Some(Trigger::Arrival(_) | Trigger::Post(_)));
        !is_in_call && self.stirred.is_none_or(is_quiet)
    }

    /// Returns whether an event is an effect of a packet. Calls of the timer are no effects of a packet, because they
    /// continue without packets. What the applet sends and delivers while it is loaded counts as an effect of a packet.
    fn stirs(&self, cause: Cause, step: &Step<'_>) -> bool {
        let trigger = match cause {
            Cause::None => None,
            Cause::Of(trigger) => Some(trigger),
            Cause::OfCall => self.call,
        };
        match trigger {
            Some(Trigger::Timer) => false,
            Some(Trigger::Load) => matches!(step, Step::Made(Made::Packet(_) | Made::Descriptor)),
            Some(
                Trigger::Post(_)
                | Trigger::Arrival(_)
                | Trigger::Passed(_)
                | Trigger::Refill
                | Trigger::Watch
                | Trigger::Read,
            ) => true,
            None => !matches!(step, Step::Other),
        }
    }
}

/// The user at one end, who posts the packets that start at this end.
struct User {
    way: Way,
    at: EndpointId,
    turns: Arc<Mutex<Turns>>,
}

impl HostProgram for User {
    fn happened(&mut self, what: Occurred<'_>, actions: &mut Actions<'_>) {
        if !matches!(what, Occurred::Started | Occurred::Time) {
            return;
        }
        let turns = &mut *self.turns.lock().expect("nobody panics");
        if turns.is_over {
            return;
        }
        let now = actions.now();
        if turns.is_settled(now) {
            match turns.rest.front() {
                Some((way, _)) if *way != self.way => {}
                Some((_, bytes)) => {
                    let bytes = bytes.clone();
                    turns.rest.pop_front();
                    actions.post(self.at, turns.channel, bytes);
                    turns.begun += 1;
                    turns.stirred = Some(now);
                }
                None => turns.is_over = true,
            }
        }
        actions.wake_at(now + LOOK);
    }
}

/// Receives the events of the run and decides when the run is over.
struct Listener<'g> {
    gathered: &'g mut Gathered,
    turns: Arc<Mutex<Turns>>,
}

impl Sink for Listener<'_> {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let roles = event.kind.roles();
        let is_shown = matches!(roles.shown, Shown::Always | Shown::InDetail);
        if event.endpoint != Some(APPLET) || !is_shown {
            return;
        }
        let turns = &mut *self.turns.lock().expect("nobody panics");
        if let (Step::CallBegan { .. }, Cause::Of(trigger)) = (&roles.step, roles.cause) {
            turns.call = Some(trigger);
        }
        if turns.stirs(roles.cause, &roles.step) {
            turns.stirred = Some(event.time);
        }
        if let Step::CallReturned { .. } | Step::CallTrapped { .. } = roles.step {
            turns.call = None;
        }
        self.gathered.take(names, event, turns.begun);
    }

    /// Ends the run after the last packet, even if a timer is still set.
    fn has_failed(&self) -> bool {
        self.turns.lock().expect("nobody panics").is_over
    }
}

/// Runs a scenario so that its applet handles packets on its only channel. Returns how the run ended, and the final
/// state of each endpoint.
pub(super) fn run(
    scenario: &Scenario,
    channel: ChannelId,
    packets: &[Packet],
    gathered: &mut Gathered,
) -> Result<(RunEnd, Vec<EndpointState>), SimError> {
    let rest = packets
        .iter()
        .map(|packet| (packet.way, packet.bytes.clone()));
    let turns = Arc::new(Mutex::new(Turns {
        channel,
        rest: rest.collect(),
        begun: 0,
        stirred: None,
        call: None,
        is_over: false,
    }));
    let user = |way, at| User {
        way,
        at,
        turns: Arc::clone(&turns),
    };
    let programs = Programs::new()
        .with(APPLET_NAME, user(Way::Tx, APPLET))
        .with(PEER_NAME, user(Way::Rx, PEER));
    let turns = Arc::clone(&turns);
    Run::new(scenario)
        .programs(programs)
        .sink(&mut Listener { gathered, turns })
        .keep_states()
        .execute()
        .map(|outcome| outcome.end_and_states())
}
