//! The simulation: an event loop over NICs, links, endpoints and users, on one schedule and one thread.
//!
//! An event of the trace is emitted only when the clock shows its time, so the stream of events is ordered by time. The
//! files:
//!
//! - `processor` is the loop of a NIC's processor, `sources` finds its next work
//! - `contention` says how long work takes beside busy processors
//! - `slice` makes calls yield to work that keeps connections alive
//! - `stuck` looks for what still waits when nothing is due, `cut` for messages that a limit left behind
//! - `build` prepares a run, `partition` splits it into groups of NICs
//! - `state` is the final state
//!
//! Engines decide what a NIC does with a descriptor or a packet: the engine of the endpoint's
//! interface, and [`applet`] for applets.

pub(crate) mod build;
mod contention;
mod cut;
mod partition;
pub(crate) mod processor;
pub(crate) mod slice;
mod sources;
mod state;
pub(crate) mod stuck;

use bumpalo::Bump;
use nic_core::event::{EndReason, Sink};
use nic_core::time::{SimDuration, SimTime};

use self::partition::{Groups, PartitionBy};
pub use self::state::{AppletClass, AppletState, EndpointState};
use crate::applet;
use crate::applet::load::{self, NotLoaded};
use crate::calls::classes;
use crate::calls::programs::load_programs;
pub use crate::calls::refused::SimError;
use crate::calls::sram;
use crate::engine::{self, Simulation};
use crate::host::own::{Misfit, OwnProcesses};
use crate::host::{Happened, Programs};
use crate::judge::{self, Judgement, Judging};
#[cfg(doc)]
use crate::nic::ClaimId;
pub use crate::nic::role::CallWaits;
pub use crate::nic::sram::{SramDemand, SramHolder, SramShare, SramShares};
pub use crate::nic::waiting::{CutSend, HowFar, Waiting};
use crate::nic::work::Work;
use crate::spec::{InterfaceKind, Scenario};

/// How and when a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEnd {
    /// The virtual time at which the run ended.
    pub time: SimTime,
    /// The reason.
    pub reason: EndReason,
    /// What waits for what, if the run is [stuck](EndReason::Stuck); otherwise empty.
    pub waiting: Vec<Waiting>,
    /// Whether the scenario allows that packets wait for each other in a circle of switches. A run that is stuck without
    /// this shows an error of the simulator.
    pub allows_deadlock: bool,
    /// The programs that have not done all that they had to do, and do no more.
    pub gave_up: Vec<HowFar>,
    /// The programs that would have gone on when the run ended.
    pub unfinished: Vec<HowFar>,
    /// The messages of `[[send]]` tables that a limit left unposted or under way, although the scenario does not set the
    /// limit; see [`CutSend`].
    pub cut: Vec<CutSend>,
    /// Number of simulation events handled.
    pub events: u64,
    /// Total time that users' processors spend on the work that they have begun: posting, reading and copying. The loop of
    /// a NIC in host software adds the time for which it has a processor.
    pub host: SimDuration,
    /// How often a NIC interrupted a host: to call a user, to tell a library of a write, or at the end of a DMA request. The
    /// packets that interrupt the loop of a NIC in host software are not counted.
    pub interrupts: u64,
    /// Bytes that programs in Java copied between their arrays and the library's memory.
    pub copied: u64,
}

/// A run of a scenario that has not begun.
///
/// ```
/// use nic_runtime::{Run, scenario};
///
/// let text = "[[nic]]\nname = 'n'\n[[endpoint]]\nnic = 'n'\nname = 'a'\n";
/// let scenario = scenario::parse(text.as_bytes(), None, None).expect("a right scenario");
/// let outcome = Run::new(&scenario).execute().expect("it fits the NIC");
/// assert_eq!(outcome.end.events, 0);
/// ```
#[must_use = "nothing runs until `execute`"]
pub struct Run<'s> {
    scenario: &'s Scenario,
    programs: Programs,
    sink: Option<&'s mut dyn Sink>,
    judges: bool,
    keeps_states: bool,
}

impl<'s> Run<'s> {
    /// Returns a run of a scenario: without a sink, and with the programs that the scenario names.
    pub fn new(scenario: &'s Scenario) -> Run<'s> {
        Run {
            scenario,
            programs: Programs::new(),
            sink: None,
            judges: false,
            keeps_states: false,
        }
    }

    /// Adds host programs, in place of those that the scenario names for the same processes.
    pub fn programs(self, programs: Programs) -> Run<'s> {
        Run { programs, ..self }
    }

    /// Reports every event to a sink.
    pub fn sink(self, sink: &'s mut dyn Sink) -> Run<'s> {
        Run {
            sink: Some(sink),
            ..self
        }
    }

    /// Judges the run by the scenario's expectations. Judging does not change the run.
    pub fn judge(self) -> Run<'s> {
        Run {
            judges: true,
            ..self
        }
    }

    /// Keeps the final state of each endpoint, which takes as much memory as their buffer areas and heaps.
    pub fn keep_states(self) -> Run<'s> {
        Run {
            keeps_states: true,
            ..self
        }
    }

    /// Runs the scenario to its end.
    ///
    /// # Errors
    ///
    /// Returns [`SimError`] and runs nothing if the scenario cannot be simulated.
    pub fn execute(self) -> Result<Outcome, SimError> {
        let Run {
            scenario,
            programs,
            sink,
            judges,
            keeps_states,
        } = self;
        let states = |simulation: &Simulation<'_>| match keeps_states {
            true => simulation.state(),
            false => Vec::new(),
        };
        if !judges || scenario.expectations.is_empty() {
            let (end, states) = run_and_look(scenario, programs, sink, states)?;
            return Ok(Outcome {
                end,
                judgement: None,
                states,
            });
        }
        let mut judging = Judging::new(scenario, sink);
        let (end, (of_fields, states)) =
            run_and_look(scenario, programs, Some(&mut judging), |simulation| {
                let instances = |endpoint| simulation.instances_at(endpoint);
                (judge::fields(scenario, instances), states(simulation))
            })?;
        Ok(Outcome {
            judgement: judging.end(end.reason, of_fields),
            end,
            states,
        })
    }
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How and when the run ended.
    pub end: RunEnd,
    /// How the run meets the scenario's expectations. There is no judgement if the run was not to be
    /// [judged](Run::judge), if the scenario has no expectations, or if the user or the sink ended the run.
    pub judgement: Option<Judgement>,
    /// The final state of each endpoint, in the order of the scenario; empty unless the run was to
    /// [keep](Run::keep_states) them.
    pub states: Vec<EndpointState>,
}

impl Outcome {
    /// Returns the end of the run and the final states.
    #[must_use]
    pub fn end_and_states(self) -> (RunEnd, Vec<EndpointState>) {
        (self.end, self.states)
    }

    /// Returns the end of the run and the judgement.
    #[must_use]
    pub fn judged(self) -> (RunEnd, Option<Judgement>) {
        (self.end, self.judgement)
    }

    /// Returns the end of the run, the judgement and the final states.
    #[must_use]
    pub fn judged_and_states(self) -> (RunEnd, Option<Judgement>, Vec<EndpointState>) {
        (self.end, self.judgement, self.states)
    }
}

/// Runs a scenario, and calls a function with the final state of the simulation.
///
/// # Errors
///
/// Returns [`SimError`] and runs nothing if the scenario cannot be simulated.
pub(crate) fn run_and_look<T>(
    scenario: &Scenario,
    programs: Programs,
    sink: Option<&mut dyn Sink>,
    look: impl Fn(&Simulation<'_>) -> T,
) -> Result<(RunEnd, T), SimError> {
    let arena = Bump::new();
    let mut run = Prepared::new(&arena, scenario, programs)?;
    // A sink that listens needs the events in the order of time. Swaps of applets rule out groups: each swap would have
    // to be scheduled in its NIC's group, and swaps are too rare for that. Supplied programs rule out groups: they
    // cannot be run a second time after a wrong guess, and they may post on any channel.
    let sink = sink.filter(|sink| sink.listens());
    if sink.is_none()
        && !run.brings_programs()
        && !scenario.replaces_applets()
        && !engine::have_own_work(&scenario.endpoints)
        && scenario.windows.is_empty()
        && !scenario.has_loops_on_hosts()
    {
        for by in [PartitionBy::Sends, PartitionBy::Channels] {
            let Some(groups) = Groups::of(scenario, by) else {
                continue;
            };
            match run.handle(None, Some(&groups), &look)? {
                None => {}
                // Only a run in the order of time determines which event reaches the limit of events or instructions
                // first.
                Some((end, _))
                    if matches!(end.reason, EndReason::MaxEvents | EndReason::MaxBytecodes) =>
                {
                    break;
                }
                Some(left) => return Ok(left),
            }
        }
    }
    let left = run.handle(sink, None, &look)?;
    Ok(left.expect("nobody leaves the only group"))
}

/// A scenario whose classes are loaded and fit into SRAM.
pub(crate) struct Prepared<'a> {
    arena: &'a Bump,
    scenario: &'a Scenario,
    pub(crate) classes: classes::Classes<'a>,
    /// The processes with supplied programs, which the first run takes out of this struct.
    own: OwnProcesses<'a>,
}

impl<'a> Prepared<'a> {
    pub(crate) fn new(
        arena: &'a Bump,
        scenario: &'a Scenario,
        programs: Programs,
    ) -> Result<Prepared<'a>, SimError> {
        let classes = classes::load_classes(arena, scenario)?;
        let of_classes = load_programs(arena, scenario)?;
        sram::check(scenario, classes, InterfaceKind::record_bytes)?;
        Ok(Prepared {
            arena,
            scenario,
            classes,
            own: OwnProcesses::new(scenario, programs, of_classes).map_err(
                |misfit| match misfit {
                    Misfit::NoProcess { program } => SimError::NoProcess { program },
                    Misfit::NobodyConnects { channel } => SimError::NobodyConnects { channel },
                },
            )?,
        })
    }

    /// Returns whether the caller supplies programs.
    fn brings_programs(&self) -> bool {
        !self.own.is_empty()
    }

    /// Runs the scenario from its beginning and applies `look` to the simulation's final state. With `groups`, runs one
    /// group of NICs after another, and returns `None` if a packet left its group.
    fn handle<T>(
        &mut self,
        sink: Option<&mut dyn Sink>,
        groups: Option<&Groups>,
        look: impl Fn(&Simulation<'_>) -> T,
    ) -> Result<Option<(RunEnd, T)>, SimError> {
        let Prepared {
            arena,
            scenario,
            classes,
            own,
        } = self;
        // `vec![0; n]` gets zeroed pages from the operating system, so the memory of an unused heap is never touched.
        let mut memory = vec![0; build::applet_memory_bytes(scenario)];
        // The sink is lent for as long as the memory is.
        let sink = sink.map(|sink| sink as &mut dyn Sink);
        let mut simulation = Simulation::build((arena, &mut memory), scenario, classes, sink)?;
        simulation.bring(std::mem::take(own));
        let end = simulation.run(groups);
        for on in simulation.processors.ids() {
            simulation.end_busy(on);
        }
        simulation.report.end();
        Ok(end.map(|mut end| {
            end.cut = simulation.cut(scenario, end.reason);
            end.allows_deadlock = scenario.allows_deadlock;
            (end, look(&simulation))
        }))
    }
}

/// Returns every holder of each NIC's SRAM with its bytes, in the order of the NICs, even if the holders do not fit.
///
/// # Errors
///
/// Returns [`SimError::Class`] if a class is rejected.
pub fn sram_holders(scenario: &Scenario) -> Result<Vec<SramHolder>, SimError> {
    let arena = Bump::new();
    let classes = classes::load_classes(&arena, scenario)?;
    Ok(sram::holders(
        scenario,
        classes,
        InterfaceKind::record_bytes,
    ))
}

/// Number of events after which a run with a sink asks whether the user interrupts the run.
const EVENTS_BETWEEN_QUESTIONS: u64 = 1_024;

impl Simulation<'_> {
    /// Loads the applets, then handles events until the run ends. With `groups`, runs one group of NICs after another,
    /// and returns `None` if a packet left its group.
    pub(crate) fn run(&mut self, groups: Option<&Groups>) -> Option<RunEnd> {
        engine::prepare(self);
        let loaded = load::load_applets(self);
        // Work that applets scheduled while loading may belong to any group, so groups require an empty schedule.
        let groups = groups.filter(|_| self.schedule.is_empty());
        let reason = match (loaded, groups) {
            (Ok(()), Some(groups)) => self.handle_partition(groups)?,
            (Ok(()), None) => {
                applet::swap::schedule(self);
                self.schedule_sends();
                engine::start(self);
                self.start_programs();
                self.handle_due()
            }
            (Err(NotLoaded::Trap(endpoint)), _) => EndReason::LoadTrap(endpoint),
            (Err(NotLoaded::Exceeded), _) => EndReason::MaxBytecodes,
        };
        self.count_loops();
        let (reason, waiting) = self.look_at_rest(reason);
        let (gave_up, unfinished) = self.programs_left(reason);
        Some(RunEnd {
            time: self.now,
            reason,
            waiting,
            allows_deadlock: false,
            gave_up,
            unfinished,
            cut: Vec::new(),
            events: self.limits.events(),
            host: self.host_time,
            interrupts: self.interrupts,
            copied: self.own.copied(),
        })
    }

    fn schedule_sends(&mut self) {
        for send in self.sends.numbers() {
            self.schedule_send(send);
        }
    }

    fn handle_due(&mut self) -> EndReason {
        loop {
            let Some((time, work)) = self.schedule.take() else {
                return EndReason::Idle;
            };
            if time > self.limits.until() || !self.limits.count_event() {
                match self.pause_before(time, work) {
                    Pause::Over => {}
                    Pause::Obsolete => continue,
                    Pause::End(reason) => return reason,
                }
            }
            let before = std::mem::replace(&mut self.now, time);
            self.handle(work, before);
        }
    }

    /// Returns how the event loop goes on at a pause before this work. Work that is handled has been counted.
    // In a function of its own, since the loop would otherwise keep the count of events in case it must be restored.
    #[cold]
    #[inline(never)]
    fn pause_before(&mut self, time: SimTime, work: Work) -> Pause {
        if time <= self.limits.until() {
            self.limits.take_event_back();
        }
        if self.is_obsolete(time, work) {
            return Pause::Obsolete;
        }
        if let Some(reason) = self.end_at_pause(time) {
            return Pause::End(reason);
        }
        self.limits.count_event();
        Pause::Over
    }

    /// Returns why the run ends at this pause of the event loop, or sets the next pause and returns `None`.
    fn end_at_pause(&mut self, time: SimTime) -> Option<EndReason> {
        if time > self.limits.until() {
            self.now = self.limits.until();
            return Some(EndReason::Until);
        }
        let events = self.limits.events();
        if self.limits.have_all_events_passed() {
            return Some(self.limit_reached());
        }
        if !self.report.listens() {
            self.limits.pause_at(u64::MAX);
            return None;
        }
        if self.report.has_failed() {
            return Some(EndReason::Unheard);
        }
        if events.is_multiple_of(EVENTS_BETWEEN_QUESTIONS) && self.report.is_interrupted() {
            return Some(EndReason::Interrupted);
        }
        // A run whose sink may fail pauses before each event, so that it ends as soon as the sink can no longer write.
        if !self.report.may_fail() {
            let next = (events / EVENTS_BETWEEN_QUESTIONS + 1) * EVENTS_BETWEEN_QUESTIONS;
            self.limits.pause_at(next);
        }
        None
    }

    /// Returns the limit that ended the run.
    fn limit_reached(&self) -> EndReason {
        if self.budget.is_exceeded() {
            EndReason::MaxBytecodes
        } else {
            EndReason::MaxEvents
        }
    }

    /// Handles one event; `before` is the time of the previous event.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn handle(&mut self, work: Work, before: SimTime) {
        match work {
            Work::Processor(on) => self.go_on(on),
            Work::Stretched(_) | Work::LookHeld(_) | Work::LookBacklog(_)
                if self.is_obsolete(self.now, work) =>
            {
                self.take_back_unless(false, before);
            }
            Work::Stretched(on) => self.load_ends(on),
            Work::Yield(on) => {
                let is_event = self.look_at_call(on);
                self.take_back_unless(is_event, before);
            }
            Work::Timer(endpoint) => {
                let is_event = applet::pending_calls::look_at_timer(self, endpoint);
                self.take_back_unless(is_event, before);
            }
            Work::LookWindows(endpoint) => {
                let is_event = engine::look_at_windows(self, endpoint);
                self.take_back_unless(is_event, before);
            }
            Work::Own(own) => {
                let is_event = engine::due(self, own.interface(), own.delay());
                self.take_back_unless(is_event, before);
            }
            // Nobody sees that a capsule is given up, so the check is no event.
            Work::LookCapsule(endpoint) => {
                applet::swap::look_at_capsule(self, endpoint);
                self.take_back_unless(false, before);
            }
            Work::Swap(swap) => applet::swap::due(self, swap),
            Work::Send(send) => self.send_due(send),
            Work::TaskDone(endpoint) => self.task_done(endpoint),
            Work::Wake(endpoint) => self.tell_program(endpoint, Happened::Time),
            Work::Notice(endpoint) => self.notice(endpoint),
            Work::TransferStart(transfer) => self.transfer_starts(transfer),
            Work::EngineFree(on) => self.landed(on),
            Work::TransferEnd(transfer) => {
                if let Some(on) = self.transfer_ends(transfer) {
                    self.landed(on);
                }
            }
            Work::Publish(endpoint) => self.publish(endpoint),
            Work::WireStart(direction) => self.wire_turn(direction),
            Work::WireOut(direction) => self.last_bit_out(direction),
            Work::WireFree(direction) => self.gap_over(direction),
            Work::WireIn(packet) => self.last_bit_in(packet),
            Work::WireLost(packet) => self.lost(packet),
            Work::Forward(packet) => self.forward(packet),
            Work::Arbitrate(switch) => self.arbitrate(switch),
            Work::FirstCellMoved(transfer) => self.first_cell_moved(transfer),
            Work::FirstCellIn(packet) => self.arrive(packet),
            Work::ArrivalOver(packet) => self.end_arrival(packet),
            Work::LookHeld(direction) => self.release_held(direction),
            Work::LookBacklog(direction) => self.drop_overdue(direction),
            Work::Heard(direction) => self.heard(direction),
        }
    }

    /// Returns whether scheduled work has become obsolete: a check for a packet that is gone, or an end of work that
    /// has moved.
    #[cold]
    fn is_obsolete(&self, time: SimTime, work: Work) -> bool {
        match work {
            Work::LookHeld(direction) => !self.fabric[direction].flows.is_overdue(time),
            Work::LookBacklog(direction) => {
                let backlog = &self.fabric[direction].backlog;
                !backlog
                    .as_ref()
                    .is_some_and(|backlog| backlog.is_overdue(time))
            }
            Work::Stretched(on) => self.is_stretched(time, on),
            // If the call goes on beyond `until`, so does its processor.
            Work::Yield(_) | Work::LookCapsule(_) => time > self.limits.until(),
            Work::Own(own) => {
                time > self.limits.until()
                    && engine::is_obsolete(self, own.interface(), own.delay())
            }
            Work::LookWindows(endpoint) => {
                time > self.limits.until() && !self.engines.has_waits(endpoint)
            }
            // A timer set for later than this check gets a check of its own.
            Work::Timer(endpoint) => {
                time > self.limits.until()
                    && self
                        .applets_of(endpoint)
                        .all(|applet| self.pending_calls.has_no_timer(applet))
            }
            Work::Processor(_)
            | Work::Swap(_)
            | Work::Send(_)
            | Work::TaskDone(_)
            | Work::Wake(_)
            | Work::Notice(_)
            | Work::EngineFree(_)
            | Work::TransferStart(_)
            | Work::TransferEnd(_)
            | Work::Publish(_)
            | Work::WireStart(_)
            | Work::WireOut(_)
            | Work::WireIn(_)
            | Work::WireLost(_)
            | Work::WireFree(_)
            | Work::Forward(_)
            | Work::Arbitrate(_)
            | Work::FirstCellMoved(_)
            | Work::FirstCellIn(_)
            | Work::ArrivalOver(_)
            | Work::Heard(_) => false,
        }
    }

    /// Takes an event back if it was a check that found nothing to do: such a check neither counts nor moves the clock.
    fn take_back_unless(&mut self, is_event: bool, before: SimTime) {
        if !is_event {
            self.now = before;
            self.limits.take_event_back();
        }
    }

    /// Advances the clock by `delay` if nothing else is due until then, and returns true. If something is due before
    /// `delay` is over, schedules `work` and returns false. Call `advance` only as the last action of an event.
    ///
    /// Advancing the clock at once saves an insertion and a removal, which matters because usually no event falls
    /// between two stages of a packet.
    #[inline(always)]
    fn advance(&mut self, delay: SimDuration, work: Work) -> bool {
        let Some(time) = self.now.checked_add(delay) else {
            return self.advance_later(delay, work);
        };
        if time > self.limits.until() {
            return self.advance_later(delay, work);
        }
        if !self.limits.count_event() {
            return self.pause_instead(delay, work);
        }
        let passes = self.schedule.is_clear_or_insert(time, work);
        if passes {
            self.now = time;
        } else {
            self.limits.take_event_back();
        }
        passes
    }

    /// Schedules the work with which the run goes on after `delay`, and returns false.
    #[cold]
    #[inline(never)]
    fn advance_later(&mut self, delay: SimDuration, work: Work) -> bool {
        self.schedule.insert(self.now + delay, work);
        false
    }

    /// Takes back an event before which the run pauses, and schedules its work.
    #[cold]
    #[inline(never)]
    fn pause_instead(&mut self, delay: SimDuration, work: Work) -> bool {
        self.limits.take_event_back();
        self.advance_later(delay, work)
    }
}

/// How the event loop goes on after a pause.
enum Pause {
    /// The work is handled.
    Over,
    /// The work has become pointless.
    Obsolete,
    /// The run ends.
    End(EndReason),
}
