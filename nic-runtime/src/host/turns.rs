//! Turns on a host: which processes run, if a host has fewer processors than processes or a process has several
//! endpoints.

use std::collections::VecDeque;

use nic_core::id::EndpointId;

use crate::spec::Scenario;

/// The waiting processes and free processors of all hosts.
///
/// Each host has a queue of processes, and each process has a queue of its endpoints. The queues of hosts and of
/// processes are first in, first out. A host without a limit has one processor for each process.
#[derive(Clone, Debug)]
pub struct Turns {
    /// The process of each endpoint.
    process_of: Vec<u32>,
    /// Whether each endpoint waits in the queue of its process.
    is_waiting: Vec<bool>,
    processes: Vec<Process>,
    lines: Vec<Line>,
}

/// A process, and the endpoints of the process that have work.
#[derive(Clone, Debug)]
struct Process {
    line: u32,
    is_busy: bool,
    is_in_line: bool,
    waiting: VecDeque<EndpointId>,
}

/// The processes that wait for the processors of one host.
#[derive(Clone, Debug)]
struct Line {
    free: u32,
    waiting: VecDeque<u32>,
}

impl Turns {
    /// Returns the turns of a scenario. The result is `None` if every process has one endpoint and its own processor,
    /// so that no process ever waits.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Option<Turns> {
        let is_limited = scenario.nics.iter().any(|nic| nic.host.is_some());
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
        };
        let mut line_of_nic = vec![None; scenario.nics.len()];
        for (nic, spec) in scenario.nics.iter().enumerate() {
            line_of_nic[nic] = spec.host.map(|processors| turns.add_line(processors));
        }
        let line_on = |turns: &mut Turns, nic: usize| match line_of_nic[nic] {
            Some(line) => line,
            None => turns.add_line(1),
        };
        for process in &scenario.processes {
            let line = line_on(&mut turns, process.nic.0 as usize);
            turns.add_process(line);
        }
        for spec in &scenario.endpoints {
            let process = match spec.process {
                Some(process) => process,
                None => {
                    let line = line_on(&mut turns, spec.nic.0 as usize);
                    turns.add_process(line)
                }
            };
            turns.process_of.push(process);
        }
        Some(turns)
    }

    fn add_line(&mut self, processors: u32) -> u32 {
        self.lines.push(Line {
            free: processors,
            waiting: VecDeque::new(),
        });
        self.lines.len() as u32 - 1
    }

    fn add_process(&mut self, line: u32) -> u32 {
        self.processes.push(Process {
            line,
            is_busy: false,
            is_in_line: false,
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
            self.lines[process.line as usize].waiting.push_back(number);
        }
    }

    /// Starts the next process of the queue that also holds the process of `id`, if a processor is free. Returns the
    /// endpoint for which the started process works. The turn of the process lasts until [`Turns::end`].
    pub fn next_beside(&mut self, id: EndpointId) -> Option<EndpointId> {
        let number = self.process_of[id.0 as usize];
        let line = &mut self.lines[self.processes[number as usize].line as usize];
        if line.free == 0 {
            return None;
        }
        let number = line.waiting.pop_front()?;
        line.free -= 1;
        let process = &mut self.processes[number as usize];
        process.is_in_line = false;
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
}
