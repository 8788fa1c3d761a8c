//! The processes whose programs act by themselves: those that the caller supplies, and those that a scenario names.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::acting::{Acting, OwnProcess};
use super::javia::ClassProgram;
use super::pages::{PageEcho, PageWriter, PagesOf};
use super::program::{HostProgram, Programs};
use super::replay::{Progress, Replaying};
use super::rings::{RingClient, RingServer, Rings};
use super::{Credits, Exchanging};
use crate::spec::{EndpointSpec, HostSpec, Scenario};
use nic_core::host::Program;
use nic_core::id::EndpointId;

/// Why programs do not fit a scenario.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// No process of the scenario has the name under which a program was supplied.
    NoProcess {
        /// The position of the program among those that were supplied.
        program: usize,
    },
    /// Programs are to make a connection, and no program was supplied at either end.
    NobodyConnects {
        /// The position of the channel in the scenario.
        channel: usize,
    },
}

/// The processes whose programs act by themselves; usually none.
#[derive(Default)]
pub(crate) struct OwnProcesses<'a> {
    pub(crate) processes: Vec<OwnProcess<'a>>,
    pub(crate) of_endpoint: BTreeMap<EndpointId, usize>,
    /// How far each capture of [`Scenario::replays`] has come.
    pub(crate) replays: Vec<Arc<Progress>>,
}

impl<'a> OwnProcesses<'a> {
    /// Connects each program to its process: the supplied programs, those of the scenario, and its classes, which are in
    /// the order of [`Scenario::programs`].
    pub(crate) fn new(
        scenario: &Scenario,
        mut programs: Programs,
        classes: Vec<ClassProgram<'a>>,
    ) -> Result<OwnProcesses<'a>, Misfit> {
        let mut own = OwnProcesses::default();
        let names: Vec<String> = programs.names().map(str::to_owned).collect();
        for (number, name) in names.into_iter().enumerate() {
            let process = scenario.processes.iter().position(|spec| spec.name == name);
            let endpoints = endpoints_where(scenario, |spec| match (process, spec.process) {
                (Some(process), Some(of)) => of as usize == process,
                (None, None) => spec.name == name,
                (Some(_), None) | (None, Some(_)) => false,
            });
            let program = programs.take(&name);
            let Some(program) = program.filter(|_| !endpoints.is_empty()) else {
                return Err(Misfit::NoProcess { program: number });
            };
            own.add(Acting::Own(program), endpoints);
        }
        own.add_classes(scenario, classes);
        own.check_connections(scenario)?;
        own.add_exchanges(scenario);
        own.add_rings(scenario);
        own.add_pages(scenario);
        own.add_replays(scenario);
        Ok(own)
    }

    /// Adds the classes that processes run. A supplied program replaces a class too.
    fn add_classes(&mut self, scenario: &Scenario, classes: Vec<ClassProgram<'a>>) {
        for (program, class) in (0u32..).zip(classes) {
            let runs = |spec: &EndpointSpec| spec.host == HostSpec::Class(program);
            let endpoints = endpoints_where(scenario, runs);
            let is_free = |id: &EndpointId| !self.of_endpoint.contains_key(id);
            if endpoints.first().is_some_and(is_free) {
                self.add(Acting::Class(Box::new(class)), endpoints);
            }
        }
    }

    /// Checks that each connection which programs make has a supplied program at one end: no program of a scenario makes
    /// connections.
    fn check_connections(&self, scenario: &Scenario) -> Result<(), Misfit> {
        let channels = scenario.channels.iter().enumerate();
        for (channel, spec) in channels {
            let ends = [spec.a.0, spec.b.0];
            let vi = scenario.endpoints[ends[0]].vi;
            let is_by_program = vi.is_some_and(|vi| vi.connects_by_program);
            if is_by_program && !ends.iter().any(|end| self.of_endpoint.contains_key(end)) {
                return Err(Misfit::NobodyConnects { channel });
            }
        }
        Ok(())
    }

    /// Lets the process of each endpoint that sends long captures send them, besides what its program does.
    fn add_replays(&mut self, scenario: &Scenario) {
        let replays = scenario.replays.iter();
        self.replays = replays.map(|_| Arc::default()).collect();
        for replay in &scenario.replays {
            let home = replay.endpoint;
            let spec = &scenario.endpoints[home];
            let process = match self.of_endpoint.get(&home) {
                Some(&process) => process,
                None => {
                    let program: Box<dyn HostProgram> = Box::new(program_of(spec.host));
                    self.add(Acting::Own(program), endpoints_beside(scenario, home));
                    self.processes.len() - 1
                }
            };
            if self.processes[process].replays {
                continue;
            }
            let OwnProcess {
                program,
                endpoints,
                replays,
                ..
            } = &mut self.processes[process];
            *replays = true;
            let progress = self.replays.iter().map(Arc::clone);
            let of_process = scenario.replays.iter().zip(progress);
            let of_process = of_process.filter(|(replay, _)| endpoints.contains(&replay.endpoint));
            // The reader of scenarios refuses sends of a process that runs a class.
            if let Acting::Own(program) = program {
                let inner = std::mem::replace(program, Box::new(Program::Sink));
                *program = Box::new(Replaying::new(of_process, inner));
            }
        }
    }

    /// Adds the programs that the scenario names and that post messages by themselves. A supplied program replaces the
    /// program that the scenario names for the same process.
    fn add_exchanges(&mut self, scenario: &Scenario) {
        for (first, spec) in (0u32..).map(EndpointId).zip(&scenario.endpoints) {
            let HostSpec::Exchange(exchange) = spec.host else {
                continue;
            };
            if self.of_endpoint.contains_key(&first) {
                continue;
            }
            let channels = scenario.channels.iter();
            let ends = channels.flat_map(|spec| [(spec.a, spec.b), (spec.b, spec.a)]);
            let mut own = ends.filter(|((endpoint, _), _)| *endpoint == first);
            // The scenario reader refuses an exchange without a channel.
            let Some(((_, channel), (peer, _))) = own.next() else {
                continue;
            };
            let peer = &scenario.endpoints[peer];
            let credits = Credits {
                first: peer.free_buffer_count,
                each: match peer.host {
                    HostSpec::Acknowledge { every } => every.get(),
                    HostSpec::Sink
                    | HostSpec::Echo
                    | HostSpec::Exchange(_)
                    | HostSpec::RingServer
                    | HostSpec::RingClient(_)
                    | HostSpec::Pages(_)
                    | HostSpec::PageEcho { .. }
                    | HostSpec::Class(_) => 1,
                },
            };
            let program = Box::new(Exchanging::new((exchange, credits), channel));
            self.add(Acting::Own(program), endpoints_beside(scenario, first));
        }
    }

    /// Adds the programs that the scenario names and that write to windows by themselves. A supplied program replaces them
    /// too.
    fn add_rings(&mut self, scenario: &Scenario) {
        for (first, spec) in (0u32..).map(EndpointId).zip(&scenario.endpoints) {
            if self.of_endpoint.contains_key(&first) {
                continue;
            }
            let rings = |endpoints: &[EndpointId]| {
                let of_each = endpoints.iter().map(|&id| Rings::of(id, &scenario.windows));
                of_each.flatten().collect::<Vec<_>>()
            };
            let endpoints = endpoints_beside(scenario, first);
            let program: Box<dyn HostProgram> = match spec.host {
                HostSpec::RingServer => Box::new(RingServer::new(rings(&endpoints))),
                HostSpec::RingClient(requests) => match rings(&endpoints).first() {
                    Some(rings) => Box::new(RingClient::new(*rings, requests)),
                    // The scenario reader refuses a client without rings.
                    None => continue,
                },
                HostSpec::Sink
                | HostSpec::Echo
                | HostSpec::Acknowledge { .. }
                | HostSpec::Exchange(_)
                | HostSpec::Pages(_)
                | HostSpec::PageEcho { .. }
                | HostSpec::Class(_) => continue,
            };
            self.add(Acting::Own(program), endpoints);
        }
    }

    /// Adds the programs that the scenario names and that write to pages. A supplied program replaces them too.
    fn add_pages(&mut self, scenario: &Scenario) {
        for (first, spec) in (0u32..).map(EndpointId).zip(&scenario.endpoints) {
            if self.of_endpoint.contains_key(&first) {
                continue;
            }
            // A process may have several places at interfaces. Its program uses those pages that its first place has.
            let pages = || PagesOf::of(first, &scenario.ports);
            let program: Box<dyn HostProgram> = match spec.host {
                HostSpec::Pages(traffic) => Box::new(PageWriter::new(pages(), traffic)),
                HostSpec::PageEcho { length } => Box::new(PageEcho::new(pages(), length)),
                HostSpec::Sink
                | HostSpec::Echo
                | HostSpec::Acknowledge { .. }
                | HostSpec::Exchange(_)
                | HostSpec::RingServer
                | HostSpec::RingClient(_)
                | HostSpec::Class(_) => continue,
            };
            self.add(Acting::Own(program), endpoints_beside(scenario, first));
        }
    }

    fn add(&mut self, program: Acting<'a>, endpoints: Vec<EndpointId>) {
        for &endpoint in &endpoints {
            self.of_endpoint.insert(endpoint, self.processes.len());
        }
        self.processes.push(OwnProcess {
            program,
            endpoints,
            actions: VecDeque::new(),
            replays: false,
            linear: None,
        });
    }

    /// Returns how many bytes the programs in Java have copied.
    pub(crate) fn copied(&self) -> u64 {
        let of_each = self.processes.iter().map(|process| match &process.program {
            Acting::Own(_) => 0,
            Acting::Class(program) => program.copied(),
        });
        of_each.sum()
    }

    /// Returns whether no process has a program that acts by itself.
    pub(crate) fn is_empty(&self) -> bool {
        self.processes.is_empty()
    }

    #[cold]
    pub(crate) fn of(&mut self, id: EndpointId) -> Option<&mut OwnProcess<'a>> {
        let process = *self.of_endpoint.get(&id)?;
        self.processes.get_mut(process)
    }

    /// Returns whether an endpoint is the home of a process with pending actions.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn acts(&self, id: EndpointId) -> bool {
        let process = self.process(id);
        process.is_some_and(|process| process.home() == id && !process.actions.is_empty())
    }

    /// Returns the process of an endpoint. Usually there is none.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn process(&self, id: EndpointId) -> Option<&OwnProcess<'a>> {
        if self.processes.is_empty() {
            return None;
        }
        let process = *self.of_endpoint.get(&id)?;
        self.processes.get(process)
    }
}

/// Returns the reactions of a program to messages.
pub(crate) fn program_of(host: HostSpec) -> Program {
    match host {
        // These programs act by themselves, so the user's program here only reads arriving messages.
        HostSpec::Sink
        | HostSpec::Exchange(_)
        | HostSpec::RingServer
        | HostSpec::RingClient(_)
        | HostSpec::Pages(_)
        | HostSpec::PageEcho { .. }
        | HostSpec::Class(_) => Program::Sink,
        HostSpec::Echo => Program::Echo,
        HostSpec::Acknowledge { every } => Program::Acknowledge { every },
    }
}

/// Returns the endpoints of the process of an endpoint.
fn endpoints_beside(scenario: &Scenario, id: EndpointId) -> Vec<EndpointId> {
    match scenario.endpoints[id].process {
        Some(process) => endpoints_where(scenario, |spec| spec.process == Some(process)),
        None => vec![id],
    }
}

/// Returns the endpoints with a property, in the order of the scenario.
fn endpoints_where(scenario: &Scenario, has: impl Fn(&EndpointSpec) -> bool) -> Vec<EndpointId> {
    let endpoints = (0u32..).map(EndpointId).zip(&scenario.endpoints);
    endpoints
        .filter(|(_, spec)| has(spec))
        .map(|(id, _)| id)
        .collect()
}

#[cfg(test)]
impl OwnProcesses<'_> {
    /// Counts the actions that programs have requested.
    pub(crate) fn counted(&self, census: &mut crate::at_rest::Census) {
        let OwnProcesses {
            processes,
            of_endpoint,
            replays,
        } = self;
        census.length("own.replays", replays.len());
        census.length("own.processes", processes.len());
        census.length("own.of_endpoint", of_endpoint.len());
        for OwnProcess {
            program: _,
            endpoints,
            actions,
            replays: _,
            linear: _,
        } in processes
        {
            census.length("own.endpoints", endpoints.len());
            census.length("own.actions", actions.len());
        }
    }
}
