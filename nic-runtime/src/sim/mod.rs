//! The simulation: what happens when, to NICs, links, endpoints and their users.
//!
//! One schedule, one thread. An event of the trace is emitted only while the clock shows its time, so
//! the stream is in the order of time. The parts: `wire` moves packets between NICs, `cells` does so piece by piece, and
//! `backlogs` has them wait at the ends of wires; `dma` moves bytes between NIC and host; `processor` is a NIC's loop,
//! `sources` where it finds what to do, `crew` several processors; `staging` has places for packets; `user` and
//! `programs` are what the hosts do, `ahead` reads what they will need; `budget` bounds what applets execute, `build`
//! and `sram` make it ready, `apart` has NICs that never meet run one after the other.
//!
//! The engines say what a NIC does with a descriptor or a packet: that of the endpoint's [interface](crate::interface),
//! and that of applets, [`sle`].

pub(crate) mod ahead;
mod apart;
mod backlogs;
pub(crate) mod budget;
mod build;
mod cells;
pub(crate) mod costs;
pub(crate) mod crew;
pub(crate) mod dma;
mod levels;
pub(crate) mod processor;
mod programs;
mod report;
mod resident;
mod sources;
mod sram;
pub(crate) mod staging;
mod state;
mod user;
mod wire;

use bumpalo::Bump;
use jive_embed::LoadError;
use nic_core::chain::Link;
use nic_core::event::{EndReason, Levels, Sink};
use nic_core::id::{DirectionId, EndpointId};
use nic_core::random::Name;
use nic_core::sle::{Applet, AppletError};
use nic_core::time::{SimDuration, SimTime};

use self::ahead::LastArrays;
use self::apart::{Groups, Joins};
use self::backlogs::Backlogs;
use self::budget::Budget;
use self::cells::Cells;
use self::costs::HostCosts;
pub use self::crew::CallWaits;
use self::dma::{TransferRef, Transfers};
use self::processor::{Next, Processor};
use self::programs::OwnProcesses;
use self::report::Report;
use self::resident::{Resident, Seat};
pub use self::sram::{SramDemand, SramHolder, SramShare, SramShares};
pub use self::state::{AppletState, EndpointState};
use crate::fabric::{Fabric, PacketRef, PacketStore};
use crate::host::{Happened, Programs, Turns, User};
use crate::memory::HostMemory;
#[cfg(doc)]
use crate::nic::ClaimId;
use crate::nic::{Nic, ProcessorId};
use crate::scenario::model::{EndpointSpec, Scenario, SendSpec};
use crate::sched::Schedule;
use crate::sle;
use crate::sle::agenda::Agendas;
use crate::sle::load::{self, NotLoaded};
use crate::sle::suspend::Suspensions;
use crate::unet::Endpoint;

/// How a run ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RunEnd {
    /// What the clock showed.
    pub time: SimTime,
    /// Why.
    pub reason: EndReason,
    /// How many simulation events were handled.
    pub events: u64,
    /// How long all users' processors work on what they have begun: posting, reading and copying, all together.
    pub host: SimDuration,
}

/// Why a scenario cannot be simulated. Positions are those in the [`Scenario`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimError {
    /// A class was rejected.
    #[error("class {class} is rejected: {error}")]
    Class {
        /// Its position in [`Scenario::classes`].
        class: usize,
        /// Why.
        error: LoadError,
    },
    /// A class that was accepted cannot be an applet.
    #[error("class {class} is rejected: {error}")]
    Applet {
        /// Its position in [`Scenario::classes`].
        class: usize,
        /// Why.
        error: AppletError,
    },
    /// What the scenario puts on a NIC does not fit in its SRAM.
    #[error("{0}")]
    SramTooSmall(SramDemand),
    /// A send's payload is longer than its endpoint's transmit region.
    #[error("send {send} has {length} bytes of payload, its endpoint's transmit region {room}")]
    PayloadTooLong {
        /// Its position in [`Scenario::sends`].
        send: usize,
        /// The payload's length in bytes.
        length: usize,
        /// The transmit region's length in bytes.
        room: u32,
    },
    /// A program is brought for a process that does not exist or owns no endpoint.
    #[error("program {program} is for a process that does not exist, or owns no endpoint")]
    NoProcess {
        /// Its position in the order of the names of [`Programs`].
        program: usize,
    },
    /// A channel joins endpoints on NICs between which there is no link.
    #[error("channel {channel} joins endpoints between whose NICs there is no link")]
    NoLink {
        /// Its position in [`Scenario::channels`].
        channel: usize,
    },
}

/// Runs a scenario, with these programs in place of those that it names, and reports every event to `sink`.
///
/// # Errors
///
/// [`SimError`] says why nothing was run.
pub fn run_with<S: Sink>(
    scenario: &Scenario,
    programs: Programs,
    sink: &mut S,
) -> Result<RunEnd, SimError> {
    let (end, ()) = run_and_look(scenario, programs, sink, |_| ())?;
    Ok(end)
}

/// Runs a scenario as [`run_with`] does, and returns what it leaves behind at each endpoint, in their order.
///
/// # Errors
///
/// [`SimError`] says why nothing was run.
pub fn run_with_to_state<S: Sink>(
    scenario: &Scenario,
    programs: Programs,
    sink: &mut S,
) -> Result<(RunEnd, Vec<EndpointState>), SimError> {
    run_and_look(scenario, programs, sink, |simulation| simulation.state())
}

/// Runs a scenario and reports every event to `sink`.
///
/// # Errors
///
/// [`SimError`] says why nothing was run.
pub fn run<S: Sink>(scenario: &Scenario, sink: &mut S) -> Result<RunEnd, SimError> {
    run_with(scenario, Programs::new(), sink)
}

/// Runs a scenario as [`run`] does, and returns what it leaves behind at each endpoint, in their order.
///
/// # Errors
///
/// [`SimError`] says why nothing was run.
pub fn run_to_state<S: Sink>(
    scenario: &Scenario,
    sink: &mut S,
) -> Result<(RunEnd, Vec<EndpointState>), SimError> {
    run_with_to_state(scenario, Programs::new(), sink)
}

fn run_and_look<S: Sink, T>(
    scenario: &Scenario,
    programs: Programs,
    sink: &mut S,
    look: impl Fn(&Simulation<'_, S>) -> T,
) -> Result<(RunEnd, T), SimError> {
    let arena = Bump::new();
    let classes = load::load_classes(&arena, scenario)?;
    sram::check(scenario, classes)?;
    let brings_programs = !programs.is_empty();
    let mut own = Some(OwnProcesses::new(scenario, programs)?);
    let mut run = |groups: Option<&Groups>| {
        // Zeroed by the operating system where it can be: a page that no applet touches is not there.
        let mut memory = vec![0; build::applet_memory_bytes(scenario)];
        let mut simulation = Simulation::build((&arena, &mut memory), scenario, classes, sink)?;
        simulation.bring(own.take().unwrap_or_default());
        let end = simulation.run(groups);
        Ok(end.map(|end| (end, look(&simulation))))
    };
    // A program that has run cannot be run anew, and may post on any channel.
    if !S::LISTENS && !brings_programs {
        for joins in [Joins::Sends, Joins::Channels] {
            let Some(groups) = Groups::of(scenario, joins) else {
                continue;
            };
            match run(Some(&groups))? {
                None => {}
                // Which event was the last one depends on the order of time alone.
                Some((end, _))
                    if matches!(end.reason, EndReason::MaxEvents | EndReason::MaxBytecodes) =>
                {
                    break;
                }
                Some(left) => return Ok(left),
            }
        }
    }
    run(None).map(|left| left.expect("nobody leaves the only group"))
}

/// Returns what holds how much of each NIC's SRAM, in the order of the NICs, whether or not it fits.
///
/// # Errors
///
/// [`SimError::Class`] where a class is rejected.
pub fn sram_holders(scenario: &Scenario) -> Result<Vec<SramHolder>, SimError> {
    let arena = Bump::new();
    let classes = load::load_classes(&arena, scenario)?;
    Ok(sram::holders(scenario, classes))
}

/// Events after which a run with a listener asks whether the user has interrupted it.
const EVENTS_BETWEEN_PAUSES: u64 = 1_024;

/// Everything that exists in a run.
pub(crate) struct Simulation<'a, S: Sink> {
    pub(crate) now: SimTime,
    pub(crate) schedule: Schedule<Work>,
    /// Simulation events handled so far.
    pub(crate) events: u64,
    /// Whether any NIC sends in turn with its transfers, or any link cell by cell. Usually none does, and the packet
    /// that is first in line is sent.
    pub(crate) minds_transfers: bool,
    pub(crate) cells: Cells,
    pub(crate) backlogs: Backlogs,
    /// Whether any NIC's DMA engines take one request at a time.
    pub(crate) awaits_engines: bool,
    /// Whether each packet has its arrival slot before it leaves, on every link.
    pub(crate) reserves_slots: bool,
    /// Whether `RxBuf` is poisoned behind each packet.
    pub(crate) poisons_rx_buf: bool,
    /// How long users' processors work on what they have begun.
    pub(crate) host_time: SimDuration,
    pub(crate) until: SimTime,
    pub(crate) events_max: u64,
    /// Number of events at which the run pauses to see whether it ends; at most `events_max`.
    pub(crate) pause: u64,
    /// What applets may still execute.
    pub(crate) budget: Budget,
    /// A packet was about to go where NICs are not expected to meet.
    pub(crate) has_left_group: bool,
    /// What things cost users, by the NIC of their host.
    pub(crate) host_costs: Vec<HostCosts>,
    pub(crate) sends: &'a [SendSpec],
    /// How many of each send's messages became due.
    pub(crate) sends_made: Vec<u64>,
    pub(crate) nics: Vec<Nic>,
    pub(crate) processors: Vec<Processor<'a>>,
    /// Suspended calls, plus one if a NIC has several processors, plus one if there are agendas. Usually zero, and a
    /// processor looks for arrivals and transmit descriptors alone.
    pub(crate) more_sources: u32,
    pub(crate) fabric: Fabric,
    pub(crate) packets: PacketStore,
    pub(crate) transfers: Transfers,
    pub(crate) memory: HostMemory,
    pub(crate) endpoints: Vec<Endpoint>,
    /// What the scenario says of each endpoint.
    pub(crate) specs: &'a [EndpointSpec],
    /// Where each endpoint lives.
    pub(crate) seats: Vec<Seat>,
    /// What is known of each endpoint.
    pub(crate) residents: Vec<Resident>,
    /// For each claim the one that waits behind it for an arrival slot: two for each endpoint, see [`ClaimId`].
    pub(crate) links: Vec<Link>,
    /// For each applet how processors have waited for it; empty where every NIC has one.
    pub(crate) waits: Vec<CallWaits>,
    pub(crate) agendas: Agendas,
    pub(crate) arena: &'a Bump,
    pub(crate) suspensions: Suspensions<'a>,
    pub(crate) applets: Vec<Applet<'a>>,
    /// What the applets will read next, perhaps.
    pub(crate) last_arrays: LastArrays,
    /// What each endpoint's queues and heap held when that was last reported; empty where nobody listens.
    pub(crate) levels: Vec<Levels>,
    /// The endpoints' names, where a link has faults.
    pub(crate) names: Vec<Name>,
    pub(crate) users: Vec<User>,
    /// Whether each user does what it does without regard to others: no turns and no programs that are brought.
    pub(crate) users_are_alone: bool,
    /// The processes and endpoints that wait for their turn on a host; `None` if none can wait.
    pub(crate) turns: Option<Turns>,
    pub(crate) own: OwnProcesses,
    pub(crate) report: Report<'a, S>,
}

/// Position of an applet among all of them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct AppletId(pub(crate) u32);

/// An endpoint that has an applet, and the applet.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Tenant {
    pub(crate) endpoint: EndpointId,
    pub(crate) applet: AppletId,
}

/// What can be due.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Work {
    /// A NIC's processor goes on.
    Processor(ProcessorId),
    /// The next of a send's messages becomes due; the send's position in the scenario.
    Send(u32),
    /// A user has done what it was doing.
    TaskDone(EndpointId),
    /// A program wants to know of this time; the endpoint at which its process is at home.
    Wake(EndpointId),
    /// A user looks at the receive queue, or is called because of it.
    Notice(EndpointId),
    /// Looks whether the time is over that the applet of an endpoint has set.
    Timer(EndpointId),
    /// A DMA transfer starts.
    TransferStart(TransferRef),
    /// A DMA transfer is over.
    TransferEnd(TransferRef),
    /// The next receive descriptor of an endpoint becomes visible.
    Publish(EndpointId),
    /// The last bit of a packet is out.
    WireOut(DirectionId),
    /// The first bit of a packet that waited for its turn leaves.
    WireStart(DirectionId),
    /// The last bit of a packet is in.
    WireIn(PacketRef),
    /// The last bit of a packet would be in, had it not been lost.
    WireLost(PacketRef),
    /// The gap behind a packet is over, and another waits for that.
    WireFree(DirectionId),
    /// The first cell of a packet is in the NIC that sends it.
    FirstCellMoved(TransferRef),
    /// The first cell of a packet is in the NIC that receives it.
    FirstCellIn(PacketRef),
    /// All of a packet is there that ended when its first cell was.
    ArrivalOver(PacketRef),
    /// Looks whether a direction has held a packet back for too long.
    LookHeld(DirectionId),
    /// Looks whether a packet has waited at the end of a direction for too long.
    LookBacklog(DirectionId),
    /// A NIC hears whether it may send on a direction.
    Heard(DirectionId),
    /// A processor that its neighbours slow down has done its work, unless they have slowed it down since.
    Stretched(ProcessorId),
}

impl<S: Sink> Simulation<'_, S> {
    /// Loads the applets, then handles what is due until the run ends: in the order of time, or group by
    /// group; `None` where a packet left its group.
    fn run(&mut self, groups: Option<&Groups>) -> Option<RunEnd> {
        let loaded = load::load_applets(self);
        // What applets did while they were loaded may be due in any group.
        let groups = groups.filter(|_| self.schedule.is_empty());
        let reason = match (loaded, groups) {
            (Ok(()), Some(groups)) => self.handle_apart(groups)?,
            (Ok(()), None) => {
                self.schedule_sends();
                self.start_programs();
                self.handle_due()
            }
            (Err(NotLoaded::Trap), _) => EndReason::LoadTrap,
            (Err(NotLoaded::Exceeded), _) => EndReason::MaxBytecodes,
        };
        debug_assert!(
            reason != EndReason::Idle || self.holds_no_packet(),
            "nothing is due, and a packet has a place or waits for one"
        );
        Some(RunEnd {
            time: self.now,
            reason,
            events: self.events,
            host: self.host_time,
        })
    }

    fn schedule_sends(&mut self) {
        for (send, _) in (0u32..).zip(self.sends) {
            self.schedule_send(send);
        }
    }

    fn handle_due(&mut self) -> EndReason {
        loop {
            let Some((time, work)) = self.schedule.take() else {
                return EndReason::Idle;
            };
            if time > self.until || self.events >= self.pause {
                if self.is_vain(time, work) {
                    continue;
                }
                if let Some(reason) = self.end_at_pause(time) {
                    return reason;
                }
            }
            if self.report.has_failed() {
                return EndReason::Unheard;
            }
            let before = std::mem::replace(&mut self.now, time);
            self.events += 1;
            self.handle(work, before);
        }
    }

    /// Returns why the run ends here, if it does, and otherwise sets the next pause.
    #[cold]
    fn end_at_pause(&mut self, time: SimTime) -> Option<EndReason> {
        if time > self.until {
            self.now = self.until;
            return Some(EndReason::Until);
        }
        if self.events >= self.events_max {
            return Some(self.limit_reached());
        }
        if self.report.is_interrupted() {
            return Some(EndReason::Interrupted);
        }
        self.pause = self.events_max;
        if S::LISTENS {
            self.pause = self.pause.min(self.events + EVENTS_BETWEEN_PAUSES);
        }
        None
    }

    /// Has no more events handled.
    fn handle_no_more(&mut self) {
        self.events_max = self.events;
        self.pause = self.events;
    }

    /// Returns which limit has ended the run.
    fn limit_reached(&self) -> EndReason {
        if self.budget.is_exceeded() {
            EndReason::MaxBytecodes
        } else {
            EndReason::MaxEvents
        }
    }

    /// Ends the run: an applet on this NIC wants to execute more than the run may.
    #[cold]
    pub(crate) fn exceed_budget(&mut self, on: ProcessorId) -> Next {
        self.budget.exceed();
        // No event is handled any more; one is due now, so that the run ends now.
        self.handle_no_more();
        self.schedule.insert(self.now, Work::Processor(on));
        Next::Stopped
    }

    /// Handles an event; `before` is the time of the last one.
    fn handle(&mut self, work: Work, before: SimTime) {
        match work {
            Work::Processor(on) => self.go_on(on),
            Work::Stretched(_) | Work::LookHeld(_) | Work::LookBacklog(_)
                if self.is_vain(self.now, work) =>
            {
                // A look that finds nothing to do is no event and does not move the clock.
                self.now = before;
                self.events -= 1;
            }
            Work::Stretched(on) => self.contended_ends(on),
            Work::Timer(endpoint) => {
                if !sle::agenda::look_at_timer(self, endpoint) {
                    self.now = before;
                    self.events -= 1;
                }
            }
            Work::Send(send) => self.send_due(send),
            Work::TaskDone(endpoint) => self.task_done(endpoint),
            Work::Wake(endpoint) => self.tell_program(endpoint, Happened::Time),
            Work::Notice(endpoint) => self.notice(endpoint),
            Work::TransferStart(transfer) => self.transfer_starts(transfer),
            Work::TransferEnd(transfer) => self.transfer_ends(transfer),
            Work::Publish(endpoint) => self.publish(endpoint),
            Work::WireStart(direction) => self.wire_turn(direction),
            Work::WireOut(direction) => self.last_bit_out(direction),
            Work::WireFree(direction) => self.gap_over(direction),
            Work::WireIn(packet) => self.last_bit_in(packet),
            Work::WireLost(packet) => self.lost(packet),
            Work::FirstCellMoved(transfer) => self.first_cell_moved(transfer),
            Work::FirstCellIn(packet) => self.arrive(packet),
            Work::ArrivalOver(packet) => self.end_arrival(packet),
            Work::LookHeld(direction) => self.release_held(direction),
            Work::LookBacklog(direction) => self.drop_overdue(direction),
            Work::Heard(direction) => self.heard(direction),
        }
    }

    /// Returns whether the work has become pointless. Then it looks for a packet that no link holds any more, or for a
    /// processor that has been slowed down since.
    #[cold]
    fn is_vain(&self, time: SimTime, work: Work) -> bool {
        match work {
            Work::LookHeld(direction) => !self.fabric[direction].flows.is_overdue(time),
            Work::LookBacklog(direction) => {
                let backlog = &self.fabric[direction].backlog;
                !backlog
                    .as_ref()
                    .is_some_and(|backlog| backlog.is_overdue(time))
            }
            Work::Stretched(on) => self.is_stretched(time, on),
            // A time that was set later than this is looked at again.
            Work::Timer(endpoint) => {
                time > self.until && self.agendas.has_no_timer(self.seats[at(endpoint.0)].applet)
            }
            Work::Processor(_)
            | Work::Send(_)
            | Work::TaskDone(_)
            | Work::Wake(_)
            | Work::Notice(_)
            | Work::TransferStart(_)
            | Work::TransferEnd(_)
            | Work::Publish(_)
            | Work::WireStart(_)
            | Work::WireOut(_)
            | Work::WireIn(_)
            | Work::WireLost(_)
            | Work::WireFree(_)
            | Work::FirstCellMoved(_)
            | Work::FirstCellIn(_)
            | Work::ArrivalOver(_)
            | Work::Heard(_) => false,
        }
    }

    /// Lets `delay` pass before `work`: moves the clock there and returns true where nothing else is due
    /// until then, schedules `work` otherwise. Only for the last thing that handling an event does.
    fn pass(&mut self, delay: SimDuration, work: Work) -> bool {
        let time = self.now + delay;
        if time > self.until || self.events >= self.pause {
            self.schedule.insert(time, work);
            return false;
        }
        let passes = self.schedule.is_clear_or_insert(time, work);
        if passes {
            self.now = time;
            self.events += 1;
        }
        passes
    }
}

/// The schedule copies entries about; keep them small.
const _: () = assert!(size_of::<Work>() <= 8);

/// What fills the places of a schedule in which nothing is.
impl Default for Work {
    fn default() -> Work {
        Work::Processor(ProcessorId(0))
    }
}

/// Returns the position that an id stands for, to index with.
pub(crate) fn at(id: u32) -> usize {
    id as usize
}
