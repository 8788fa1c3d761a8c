//! Turns on a host: which processes run, if a host has fewer processors than processes or a process has several
//! endpoints, and which loops of a NIC in host software.

use std::collections::VecDeque;

use nic_core::id::{EndpointId, NicId};

use crate::ids::{ProcessorId, Table};
use crate::spec::Scenario;

/// Processors of a host whose NIC is in host software, if the scenario does not say how many it has.
pub(crate) const PROCESSORS_WITH_LOOP: u32 = 1;

/// The waiting processes and free processors of all hosts.
///
/// Each host has a queue of processes, and each process has a queue of its endpoints. The queues of hosts and of
/// processes are first in, first out. A host without a limit has one processor for each process, unless its NIC is in host
/// software: then it has one for its loop and all processes.
#[derive(Clone, Debug)]
pub struct Turns {
    /// The process of each endpoint.
    process_of: Vec<u32>,
    /// Whether each endpoint waits in the queue of its process.
    is_waiting: Vec<bool>,
    processes: Vec<Process>,
    lines: Vec<Line>,
    /// The line of each NIC whose host has a certain number of processors.
    line_of_nic: Table<NicId, Option<u32>>,
}

/// A process, and the endpoints of the process that have work.
#[derive(Clone, Debug)]
struct Process {
    line: u32,
    is_busy: bool,
    is_in_line: bool,
    /// Whether the process comes before all others when it next waits for a processor.
    is_preferred: bool,
    waiting: VecDeque<EndpointId>,
}

/// The processes and loops that wait for the processors of one host.
#[derive(Clone, Debug)]
struct Line {
    free: u32,
    /// The NIC, if its loops run on the host.
    nic: Option<NicId>,
    /// Loops that wait for a processor, before all processes.
    loops: VecDeque<ProcessorId>,
    waiting: VecDeque<u32>,
}

impl Turns {
    /// Returns the turns of a scenario. The result is `None` if every process has one endpoint and its own processor,
    /// so that no process ever waits, and no NIC is in host software.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Option<Turns> {
        let nics = (0u32..).map(NicId).zip(&scenario.nics);
        let is_limited = nics
            .clone()
            .any(|(id, nic)| nic.host.is_some() || scenario.profile_of(id).is_on_host());
        let mut owned = vec![0; scenario.processes.len()];
        for process in scenario.endpoints.iter().filter_map(|spec| spec.process) {
            owned[process as usize] += 1;
        }
        if !is_limited && owned.iter().all(|&count| count < 2) {
            return None;
        }
        let mut turns = Turns {
            process_of: Vec::new(),
            is_waiting: vec![false; scenario.endpoints.len()],
            processes: Vec::new(),
            lines: Vec::new(),
            line_of_nic: Table::new(),
        };
        for (id, spec) in nics {
            let with_loops = scenario.profile_of(id).is_on_host().then_some(id);
            let processors = spec.host.or(with_loops.map(|_| PROCESSORS_WITH_LOOP));
            let line = processors.map(|processors| turns.add_line(processors, with_loops));
            turns.line_of_nic.push(line);
        }
        let line_on = |turns: &mut Turns, nic: NicId| match turns.line_of_nic[nic] {
            Some(line) => line,
            None => turns.add_line(1, None),
        };
        for process in &scenario.processes {
            let line = line_on(&mut turns, process.nic);
            turns.add_process(line);
        }
        for spec in &scenario.endpoints {
            let process = match spec.process {
                Some(process) => process,
                None => {
                    let line = line_on(&mut turns, spec.nic);
                    turns.add_process(line)
                }
            };
            turns.process_of.push(process);
        }
        Some(turns)
    }

    fn add_line(&mut self, processors: u32, nic: Option<NicId>) -> u32 {
        self.lines.push(Line {
            free: processors,
            nic,
            loops: VecDeque::new(),
            waiting: VecDeque::new(),
        });
        self.lines.len() as u32 - 1
    }

    fn add_process(&mut self, line: u32) -> u32 {
        self.processes.push(Process {
            line,
            is_busy: false,
            is_in_line: false,
            is_preferred: false,
            waiting: VecDeque::new(),
        });
        self.processes.len() as u32 - 1
    }

    /// Queues an endpoint that may have work, and its process if the process is not running.
    pub fn line_up(&mut self, id: EndpointId) {
        if std::mem::replace(&mut self.is_waiting[id.0 as usize], true) {
            return;
        }
        let number = self.process_of[id.0 as usize];
        self.processes[number as usize].waiting.push_back(id);
        self.line_up_process(number);
    }

    fn line_up_process(&mut self, number: u32) {
        let process = &mut self.processes[number as usize];
        if !process.is_busy && !process.is_in_line && !process.waiting.is_empty() {
            process.is_in_line = true;
            let waiting = &mut self.lines[process.line as usize].waiting;
            match process.is_preferred {
                true => waiting.push_front(number),
                false => waiting.push_back(number),
            }
        }
    }

    /// Lets the process of an endpoint come before all others of its host, the next time that it runs. Of several such
    /// processes the latest comes first.
    pub fn prefer(&mut self, id: EndpointId) {
        let number = self.process_of[id.0 as usize];
        let process = &mut self.processes[number as usize];
        process.is_preferred = true;
        if process.is_in_line {
            let waiting = &mut self.lines[process.line as usize].waiting;
            waiting.retain(|other| *other != number);
            waiting.push_front(number);
        }
    }

    /// Returns the queue for the processors of an endpoint's host.
    #[must_use]
    pub fn line_of(&self, id: EndpointId) -> u32 {
        self.processes[self.process_of[id.0 as usize] as usize].line
    }

    /// Starts the next process of a queue, if a processor is free besides those for `loops`. Returns the endpoint for which
    /// the started process works. The turn of the process lasts until [`Turns::end`].
    pub fn next_process(&mut self, line: u32, loops: u32) -> Option<EndpointId> {
        let line = &mut self.lines[line as usize];
        if line.free <= loops {
            return None;
        }
        let number = line.waiting.pop_front()?;
        line.free -= 1;
        let process = &mut self.processes[number as usize];
        process.is_in_line = false;
        process.is_preferred = false;
        process.is_busy = true;
        let next = process.waiting.pop_front()?;
        self.is_waiting[next.0 as usize] = false;
        Some(next)
    }

    /// Ends the turn of an endpoint's process, which frees its processor.
    pub fn end(&mut self, id: EndpointId) {
        let number = self.process_of[id.0 as usize];
        let process = &mut self.processes[number as usize];
        process.is_busy = false;
        self.lines[process.line as usize].free += 1;
        self.line_up_process(number);
    }

    /// Gives a processor to a loop of a NIC in host software, if one is free. If not, the loop waits for one. A NIC whose
    /// host is unknown has its own processors.
    pub(crate) fn begin_loop(&mut self, nic: NicId, on: ProcessorId) -> bool {
        let Some(line) = self.line_of_nic[nic] else {
            return true;
        };
        let line = &mut self.lines[line as usize];
        if line.free == 0 {
            line.loops.push_back(on);
            return false;
        }
        line.free -= 1;
        true
    }

    /// Frees the processor of a loop, and returns the queue for the processor.
    pub(crate) fn end_loop(&mut self, nic: NicId) -> Option<u32> {
        let line = self.line_of_nic[nic]?;
        self.lines[line as usize].free += 1;
        Some(line)
    }

    /// Gives a processor to the loop that has waited longest in a queue, if a processor is free.
    pub(crate) fn next_loop(&mut self, line: u32) -> Option<ProcessorId> {
        let line = &mut self.lines[line as usize];
        if line.free == 0 {
            return None;
        }
        let on = line.loops.pop_front()?;
        line.free -= 1;
        Some(on)
    }

    /// Returns the NIC whose loops use the processors of a queue.
    pub(crate) fn nic_of(&self, line: u32) -> Option<NicId> {
        self.lines[line as usize].nic
    }
}
