//! A crossbar: a switch whose packets wait at its inputs, each for its turn at the output that it needs.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use nic_core::id::DirectionId;
use nic_core::time::SimTime;

use super::{PacketRef, Port, Waits};
use crate::spec::Arbiter;

/// The queue of an input. Only its first packet can leave, and only one packet at a time, so a packet whose output is
/// busy holds up all packets behind it.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// The input's position at its switch.
    pub(crate) position: usize,
    pub(crate) buffer: Port,
    pub(crate) queue: VecDeque<PacketRef>,
    /// Whether a packet of the input is at an output, and has not left.
    pub(crate) is_busy: bool,
}

impl Input {
    pub(crate) fn new(position: usize, buffer: Port) -> Input {
        Input {
            position,
            buffer,
            queue: VecDeque::new(),
            is_busy: false,
        }
    }

    /// Returns the packet that may leave, and since when it has waited.
    pub(crate) fn first(&self) -> Option<(PacketRef, SimTime)> {
        let first = self.queue.front().filter(|_| !self.is_busy)?;
        Some((*first, self.buffer.first()?.since))
    }

    /// Removes the first packet, which goes to its output. Returns it with what is known of it.
    pub(crate) fn take(&mut self) -> Option<(PacketRef, Waits)> {
        let packet = self.queue.pop_front()?;
        let waits = self.buffer.begin()?;
        self.buffer.end();
        self.is_busy = true;
        Some((packet, waits))
    }
}

/// The inputs and outputs of a switch. An arbiter knows the inputs whose first packet needs its output, so a decision
/// takes no longer at a switch with more ports.
#[derive(Clone, Debug)]
pub(crate) struct Crossbar {
    arbiter: Arbiter,
    inputs: Vec<DirectionId>,
    outputs: Vec<Output>,
    /// The position of each output, by the number of its direction.
    positions: BTreeMap<u32, usize>,
    /// The positions of the outputs whose arbiters decide at the end of the present instant.
    due: BTreeSet<usize>,
}

/// An output with its arbiter.
#[derive(Clone, Debug)]
struct Output {
    direction: DirectionId,
    /// The position of the input whose packet the arbiter has passed last.
    last: usize,
    /// The inputs whose first packet needs the output. Those with the least time come first, and of them the arbiter takes
    /// the one whose turn it is.
    requests: BTreeSet<(SimTime, usize)>,
    /// How many packets at all inputs need the output.
    waiting: usize,
}

impl Crossbar {
    pub(crate) fn new(arbiter: Arbiter) -> Crossbar {
        Crossbar {
            arbiter,
            inputs: Vec::new(),
            outputs: Vec::new(),
            positions: BTreeMap::new(),
            due: BTreeSet::new(),
        }
    }

    /// Adds an input, and returns its position.
    pub(crate) fn add_input(&mut self, direction: DirectionId) -> usize {
        self.inputs.push(direction);
        self.inputs.len() - 1
    }

    pub(crate) fn add_output(&mut self, direction: DirectionId) {
        self.positions.insert(direction.0, self.outputs.len());
        self.outputs.push(Output {
            direction,
            last: 0,
            requests: BTreeSet::new(),
            waiting: 0,
        });
    }

    /// Notes that a packet has come which needs an output.
    pub(crate) fn came(&mut self, output: DirectionId) {
        if let Some(output) = self.position(output) {
            self.outputs[output].waiting += 1;
        }
    }

    /// Notes that a packet no longer waits for an output, and returns how many others do.
    pub(crate) fn left(&mut self, output: DirectionId) -> usize {
        let Some(output) = self.position(output) else {
            return 0;
        };
        let waiting = &mut self.outputs[output].waiting;
        *waiting = waiting.saturating_sub(1);
        *waiting
    }

    /// Notes that the first packet of an input needs an output, and has waited since a time.
    pub(crate) fn request(&mut self, input: usize, output: DirectionId, since: SimTime) {
        let request = self.rank(input, since);
        if let Some(output) = self.position(output) {
            self.outputs[output].requests.insert(request);
            self.due.insert(output);
        }
    }

    /// Notes that an input no longer needs an output.
    pub(crate) fn withdraw(&mut self, input: usize, output: DirectionId, since: SimTime) {
        let request = self.rank(input, since);
        if let Some(output) = self.position(output) {
            self.outputs[output].requests.remove(&request);
        }
    }

    /// Notes that an output is free.
    pub(crate) fn free(&mut self, output: DirectionId) {
        if let Some(output) = self.position(output) {
            self.due.insert(output);
        }
    }

    /// Returns whether an arbiter has something to decide.
    pub(crate) fn is_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// Returns the outputs whose arbiters decide now.
    pub(crate) fn take_due(&mut self) -> Vec<DirectionId> {
        let due = std::mem::take(&mut self.due);
        let outputs = due.into_iter().map(|output| self.outputs[output].direction);
        outputs.collect()
    }

    /// Returns the input whose packet an output takes, of those that need the output.
    pub(crate) fn choose(&mut self, output: DirectionId) -> Option<DirectionId> {
        let output = self.position(output)?;
        let Output { last, requests, .. } = &mut self.outputs[output];
        let first = *requests.first()?;
        let behind = (first.0, *last + 1)..=(first.0, usize::MAX);
        let chosen = requests.range(behind).next().copied().unwrap_or(first);
        requests.remove(&chosen);
        *last = chosen.1;
        self.inputs.get(chosen.1).copied()
    }

    fn position(&self, output: DirectionId) -> Option<usize> {
        self.positions.get(&output.0).copied()
    }

    /// Returns what the arbiter compares of a request. Where inputs have turns, all times are equal.
    fn rank(&self, input: usize, since: SimTime) -> (SimTime, usize) {
        match self.arbiter {
            Arbiter::RoundRobin => (SimTime::ZERO, input),
            Arbiter::Oldest => (since, input),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: DirectionId = DirectionId(9);

    fn four(arbiter: Arbiter) -> Crossbar {
        let mut crossbar = Crossbar::new(arbiter);
        for input in 0..4 {
            crossbar.add_input(DirectionId(input));
        }
        crossbar.add_output(OUTPUT);
        crossbar
    }

    fn at(ns: u64) -> SimTime {
        SimTime::from_ps(ns * 1_000)
    }

    /// Makes requests, and returns the inputs that the output takes one after the other.
    fn taken(crossbar: &mut Crossbar, requests: &[(usize, u64)]) -> Vec<u32> {
        for (input, since) in requests {
            crossbar.request(*input, OUTPUT, at(*since));
        }
        assert!(requests.is_empty() || crossbar.is_due());
        assert!(crossbar.take_due().iter().all(|due| *due == OUTPUT));
        std::iter::from_fn(|| crossbar.choose(OUTPUT))
            .map(|input| input.0)
            .collect()
    }

    #[test]
    fn the_turn_goes_around() {
        let mut crossbar = four(Arbiter::RoundRobin);
        assert_eq!(taken(&mut crossbar, &[(0, 3), (1, 1), (3, 2)]), [1, 3, 0]);
        assert_eq!(taken(&mut crossbar, &[(0, 3), (2, 1)]), [2, 0]);
        assert_eq!(taken(&mut crossbar, &[]), [0; 0]);
    }

    #[test]
    fn the_oldest_comes_first_and_then_whose_turn_it_is() {
        let mut crossbar = four(Arbiter::Oldest);
        assert_eq!(taken(&mut crossbar, &[(0, 3), (1, 1), (3, 2)]), [1, 3, 0]);
        assert_eq!(
            taken(&mut crossbar, &[(0, 3), (1, 3), (3, 3), (2, 9)]),
            [1, 3, 0, 2]
        );
    }

    #[test]
    fn what_is_withdrawn_is_not_taken() {
        let mut crossbar = four(Arbiter::Oldest);
        crossbar.request(2, OUTPUT, at(1));
        crossbar.withdraw(2, OUTPUT, at(1));
        assert_eq!(taken(&mut crossbar, &[(3, 5)]), [3]);
    }
}
