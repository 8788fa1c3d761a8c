//! The experiments on LMMC: processes that follow a script at the ports between two NICs, and what their runs show.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use nic_core::event::{EndReason, Event, EventKind, LmmcEvent, Names, NicEvent, Sink, ViaEvent};
use nic_core::id::{EndpointId, NicId};
use nic_core::lmmc::{PagingSide, PortId};
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::Run;
use nic_runtime::host::{Actions, Happened, HostProgram, Programs, WindowNews};
use nic_runtime::profile::Profile;
use nic_runtime::scenario;

use crate::paper::PaperError;

/// When the processes begin. The ports of the scenario are set up by then.
pub(super) const START: SimTime = SimTime::from_ps(10_000_000_000);

/// The NIC whose processes write first.
pub(super) const LEFT: NicId = NicId(0);

/// The NIC at the other end of the link.
pub(super) const RIGHT: NicId = NicId(1);

/// What a process does next.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Stores bytes in a page.
    Store {
        /// The page, by the number of its port in the scenario.
        page: i32,
        offset: u32,
        bytes: Vec<u8>,
    },
    /// Waits until the first word of a page is no longer this one.
    Wait { page: i32, was: u32 },
    /// Reads the first bytes of a page.
    Load { page: i32, length: u32 },
    /// Computes.
    Compute(SimDuration),
}

impl Step {
    /// A store of a word at the beginning of a page.
    pub(super) fn word(page: i32, word: u32) -> Step {
        Step::Store {
            page,
            offset: 0,
            bytes: word.to_le_bytes().to_vec(),
        }
    }
}

/// A process: its NIC, and what it does.
#[derive(Clone, Debug)]
pub(super) struct Process {
    pub(super) name: &'static str,
    pub(super) nic: NicId,
    pub(super) steps: Vec<Step>,
}

impl Process {
    pub(super) fn new(name: &'static str, nic: NicId, steps: Vec<Step>) -> Process {
        Process { name, nic, steps }
    }
}

/// A port: names of processes that write and that read, and whether writes are gathered.
#[derive(Clone, Debug)]
pub(super) struct Port {
    pub(super) from: &'static [&'static str],
    pub(super) to: &'static [&'static str],
    pub(super) is_late: bool,
}

impl Port {
    /// A port of which each write leaves at once.
    pub(super) fn immediate(from: &'static [&'static str], to: &'static [&'static str]) -> Port {
        Port {
            from,
            to,
            is_late: false,
        }
    }
}

/// An experiment on two NICs that a link joins.
#[derive(Clone, Debug)]
pub(super) struct Experiment {
    /// The part of the report that the experiment belongs to.
    pub(super) figure: &'static str,
    pub(super) processes: Vec<Process>,
    pub(super) ports: Vec<Port>,
    /// Processors of the host at the right; as many as processes, if nothing is said.
    pub(super) processors: Option<u32>,
    /// The profile of the NIC at the right, if it is another one.
    pub(super) right: Option<Profile>,
}

impl Experiment {
    /// One process at each end: the left one has the steps.
    pub(super) fn writing(figure: &'static str, ports: usize, steps: Vec<Step>) -> Experiment {
        let processes = vec![
            Process::new("writer", LEFT, steps),
            Process::new("reader", RIGHT, Vec::new()),
        ];
        let port = Port::immediate(&["writer"], &["reader"]);
        Experiment::of(figure, processes, vec![port; ports])
    }

    /// These processes and ports. Each process has a processor, and both NICs have the same profile.
    pub(super) fn of(
        figure: &'static str,
        processes: Vec<Process>,
        ports: Vec<Port>,
    ) -> Experiment {
        Experiment {
            figure,
            processes,
            ports,
            processors: None,
            right: None,
        }
    }

    /// Returns the experiment with steps for a process.
    pub(super) fn with(mut self, name: &str, steps: Vec<Step>) -> Experiment {
        for process in &mut self.processes {
            if process.name == name {
                process.steps.clone_from(&steps);
            }
        }
        self
    }

    /// Runs the experiment under a profile.
    pub(super) fn run(&self, profile: &Profile) -> Result<Seen, PaperError> {
        let text = self.text();
        let nothing = PaperError::NothingMeasured {
            figure: self.figure,
        };
        let mut scenario = scenario::parse_on(&text, profile).map_err(|_| nothing)?;
        if let Some(right) = &self.right {
            scenario.nics[RIGHT].profile = Some(Arc::new(right.clone()));
        }
        let loaded = Arc::new(Mutex::new(BTreeMap::new()));
        let mut programs = Programs::new();
        for process in &self.processes {
            let script = Script {
                name: process.name,
                steps: process.steps.clone(),
                loaded: Arc::clone(&loaded),
            };
            programs = programs.with(process.name, script);
        }
        let mut seen = Seen::default();
        let end = Run::new(&scenario)
            .programs(programs)
            .sink(&mut seen)
            .execute()?
            .end;
        seen.end = Some(end.reason);
        seen.loaded = std::mem::take(&mut *loaded.lock().unwrap_or_else(PoisonError::into_inner));
        match seen.is_refused {
            true => Err(nothing),
            false => Ok(seen),
        }
    }

    fn text(&self) -> String {
        let mut text = String::from(
            "until = '100s'\nmax_events = 100000000\n[[nic]]\nname = 'left'\n[[nic]]\nname = 'right'\n",
        );
        if let Some(processors) = self.processors {
            let _infallible = write!(text, "[[host]]\nnic = 'right'\nprocessors = {processors}\n");
        }
        for Process { name, nic, .. } in &self.processes {
            let nic = if *nic == LEFT { "left" } else { "right" };
            let _infallible = write!(
                text,
                "[[endpoint]]\nnic = '{nic}'\nname = '{name}'\ninterface = 'lmmc'\n"
            );
        }
        for Port { from, to, is_late } in &self.ports {
            let policy = if *is_late { "late" } else { "immediate" };
            let _infallible = write!(
                text,
                "[[port]]\nfrom = {from:?}\nto = {to:?}\npolicy = '{policy}'\n"
            );
        }
        text
    }
}

/// What each process has read, in the order of its loads.
type Loaded = BTreeMap<&'static str, Vec<Vec<u8>>>;

/// A program that does its steps one after the other, from [`START`] on.
struct Script {
    name: &'static str,
    steps: Vec<Step>,
    loaded: Arc<Mutex<Loaded>>,
}

impl HostProgram for Script {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        match what {
            Happened::Started => actions.wake_at(START),
            Happened::Time => {
                let Some(&home) = actions.endpoints().first() else {
                    return;
                };
                for step in std::mem::take(&mut self.steps) {
                    match step {
                        Step::Store {
                            page,
                            offset,
                            bytes,
                        } => actions.store(home, 0, (page, offset), bytes),
                        Step::Wait { page, was } => {
                            actions.wait_word(home, 0, (page, 0), (was, None));
                        }
                        Step::Load { page, length } => actions.load(home, 0, (page, 0, length)),
                        Step::Compute(takes) => actions.compute(takes),
                    }
                }
            }
            Happened::Window {
                what: WindowNews::Loaded { payload, .. },
                ..
            } => {
                let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
                loaded.entry(self.name).or_default().push(payload.to_vec());
            }
            Happened::Window { .. }
            | Happened::Message { .. }
            | Happened::Completed { .. }
            | Happened::Connection { .. }
            | Happened::Vi { .. }
            | Happened::Port { .. } => {}
        }
    }
}

/// A step of remote paging.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct PagingStep {
    pub(super) side: PagingSide,
    pub(super) number: u8,
    pub(super) port: PortId,
    pub(super) at: SimTime,
}

/// A message on the link.
#[derive(Copy, Clone, Debug)]
pub(super) struct OnWire {
    /// The NIC that it left.
    pub(super) nic: NicId,
    /// True for a remote write, and false for paging requests and messages of set-up.
    pub(super) is_write: bool,
    pub(super) begun: SimTime,
    pub(super) takes: SimDuration,
}

/// What happened from [`START`] on.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// Messages of every kind that left a NIC.
    pub(super) messages: u64,
    /// The first of these messages.
    pub(super) on_wire: Vec<OnWire>,
    /// Times at which writes arrived, with an endpoint of the NIC that they arrived at.
    pub(super) written: Vec<(SimTime, EndpointId)>,
    /// Times at which stores trapped.
    pub(super) faults: Vec<SimTime>,
    /// The steps of both sides, in the order of their ends.
    pub(super) steps: Vec<PagingStep>,
    /// What processes asked the operating system for, and set-up messages that trapped.
    pub(super) calls: u64,
    /// Times at which processes gave up their processor.
    pub(super) sleeps: Vec<SimTime>,
    /// Times at which the controllers stopped taking messages, and took them again.
    pub(super) stops: Vec<SimTime>,
    pub(super) goes: Vec<SimTime>,
    /// What the processes have read.
    pub(super) loaded: Loaded,
    /// Why the run ended.
    pub(super) end: Option<EndReason>,
    /// Whether a message or a request was refused, which no experiment expects.
    is_refused: bool,
}

/// As many messages as a drawing of one paging has, and more.
const KEPT: usize = 64;

impl Seen {
    fn sent(&mut self, event: &Event<'_>, takes: SimDuration, is_write: bool) {
        self.messages += 1;
        if self.on_wire.len() < KEPT {
            self.on_wire.push(OnWire {
                nic: event.nic,
                is_write,
                begun: event.time,
                takes,
            });
        }
    }

    /// Counts the traps of a side: each paging begins with one (S4-17, S4-18).
    pub(super) fn traps(&self, side: PagingSide) -> u64 {
        let begins = |step: &&PagingStep| step.side == side && step.number == 1;
        self.steps.iter().filter(begins).count() as u64
    }

    /// Returns whether each paging of a side takes its seven steps in order, as often as there was a fault.
    pub(super) fn has_seven_steps(&self, side: PagingSide) -> bool {
        let of_side = self.steps.iter().filter(|step| step.side == side);
        let of_side: Vec<&PagingStep> = of_side.collect();
        of_side.len() == 7 * self.faults.len()
            && of_side.chunks(7).all(|seven| {
                let ports = seven.iter().all(|step| step.port == seven[0].port);
                ports && (1..=7).eq(seven.iter().map(|step| step.number))
            })
    }

    /// Returns when the trap of the first fault began, which takes `trap`.
    pub(super) fn trapped(&self, trap: SimDuration) -> Option<SimTime> {
        let first = |step: &&PagingStep| step.side == PagingSide::Faulting && step.number == 1;
        let over = self.steps.iter().find(first)?.at;
        Some(SimTime::from_ps(over.as_ps().saturating_sub(trap.as_ps())))
    }

    /// Returns how long the first fault holds its process, if a trap takes `trap`.
    pub(super) fn pause(&self, trap: SimDuration) -> Option<SimDuration> {
        let last = |step: &&PagingStep| step.side == PagingSide::Faulting && step.number == 7;
        let end = self.steps.iter().find(last)?.at;
        Some(end.since(self.trapped(trap)?))
    }

    /// Returns how long the first request stops a controller.
    pub(super) fn stopped(&self) -> Option<SimDuration> {
        Some(self.goes.first()?.since(*self.stops.first()?))
    }
}

impl Sink for Seen {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let time = event.time;
        if time < START {
            return;
        }
        match event.kind {
            EventKind::Lmmc(lmmc) => match lmmc {
                LmmcEvent::Fault { .. } => self.faults.push(time),
                LmmcEvent::Paging { side, step, port } => self.steps.push(PagingStep {
                    side,
                    number: step,
                    port,
                    at: time,
                }),
                LmmcEvent::Port { .. } => self.calls += 1,
                LmmcEvent::Sleep { .. } => self.sleeps.push(time),
                LmmcEvent::Stop => self.stops.push(time),
                LmmcEvent::Go => self.goes.push(time),
                LmmcEvent::Refused { .. } | LmmcEvent::MessageRefused { .. } => {
                    self.is_refused = true;
                }
                LmmcEvent::Flush { .. } | LmmcEvent::Wake { .. } => {}
            },
            EventKind::Nic(NicEvent::WireRx { .. }) => {
                let reader = event.endpoint.unwrap_or(EndpointId(0));
                self.written.push((time, reader));
            }
            EventKind::Nic(NicEvent::WireTx { duration, .. }) => self.sent(event, duration, true),
            EventKind::Via(ViaEvent::ControlTx { duration, .. }) => {
                self.sent(event, duration, false)
            }
            EventKind::Nic(NicEvent::Drop { .. }) => self.is_refused = true,
            _ => {}
        }
    }
}
