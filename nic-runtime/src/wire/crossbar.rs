//! A crossbar: a switch whose packets wait at its inputs, each for its turn at the output that it needs.

use std::collections::VecDeque;

use nic_core::id::DirectionId;
use nic_core::time::SimTime;

use super::{PacketRef, Port, Waits};
use crate::spec::Arbiter;

/// The queue of an input. Only its first packet can leave, and only one packet at a time, so a packet whose output is
/// busy holds up all packets behind it.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) buffer: Port,
    pub(crate) queue: VecDeque<PacketRef>,
    /// Whether a packet of the input is at an output, and has not left.
    pub(crate) is_busy: bool,
}

impl Input {
    pub(crate) fn new(buffer: Port) -> Input {
        Input {
            buffer,
            queue: VecDeque::new(),
            is_busy: false,
        }
    }

    /// Removes the first packet, which goes to its output. Returns it with what is known of it.
    pub(crate) fn take(&mut self) -> Option<(PacketRef, Waits)> {
        let packet = self.queue.pop_front()?;
        let waits = self.buffer.begin()?;
        self.buffer.end();
        self.is_busy = true;
        let behind = self.queue.len();
        Some((packet, Waits { behind, ..waits }))
    }
}

/// The inputs and outputs of a switch.
#[derive(Clone, Debug)]
pub(crate) struct Crossbar {
    pub(crate) arbiter: Arbiter,
    pub(crate) inputs: Vec<DirectionId>,
    pub(crate) outputs: Vec<Output>,
    /// Whether the arbiters decide at the end of the present instant.
    pub(crate) is_due: bool,
}

/// An output with its arbiter.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Output {
    pub(crate) direction: DirectionId,
    /// The position of the input whose packet the arbiter has passed last.
    pub(crate) last: usize,
}

/// A packet that is first at its input: the input's position, and since when the packet has waited.
pub(crate) type Request = (usize, SimTime);

impl Crossbar {
    pub(crate) fn new(arbiter: Arbiter) -> Crossbar {
        Crossbar {
            arbiter,
            inputs: Vec::new(),
            outputs: Vec::new(),
            is_due: false,
        }
    }

    pub(crate) fn add_output(&mut self, direction: DirectionId) {
        self.outputs.push(Output { direction, last: 0 });
    }

    /// Returns the input whose packet an output takes, of those that request the output.
    pub(crate) fn choose(&mut self, output: usize, requests: &[Request]) -> Option<usize> {
        let inputs = self.inputs.len();
        let last = self.outputs.get(output)?.last;
        // The number of inputs after the one that had its turn.
        let turn = |input: usize| (input + inputs - last - 1) % inputs;
        let chosen = requests
            .iter()
            .min_by_key(|(input, since)| match self.arbiter {
                Arbiter::RoundRobin => (SimTime::ZERO, turn(*input)),
                Arbiter::Oldest => (*since, turn(*input)),
            });
        let (chosen, _) = *chosen?;
        self.outputs[output].last = chosen;
        Some(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn four(arbiter: Arbiter) -> Crossbar {
        let mut crossbar = Crossbar::new(arbiter);
        crossbar.inputs = (0..4).map(DirectionId).collect();
        crossbar.add_output(DirectionId(9));
        crossbar
    }

    fn at(ns: u64) -> SimTime {
        SimTime::from_ps(ns * 1_000)
    }

    #[test]
    fn the_turn_goes_around() {
        let mut crossbar = four(Arbiter::RoundRobin);
        let all = [(0, at(3)), (1, at(1)), (3, at(2))];
        let mut next = || crossbar.choose(0, &all);
        assert_eq!(
            [next(), next(), next(), next()],
            [Some(1), Some(3), Some(0), Some(1)]
        );
        assert_eq!(crossbar.choose(0, &[]), None);
    }

    #[test]
    fn the_oldest_comes_first_and_then_whose_turn_it_is() {
        let mut crossbar = four(Arbiter::Oldest);
        assert_eq!(
            crossbar.choose(0, &[(0, at(3)), (1, at(1)), (3, at(2))]),
            Some(1)
        );
        assert_eq!(crossbar.choose(0, &[(0, at(3)), (3, at(3))]), Some(3));
        assert_eq!(crossbar.choose(0, &[(0, at(3)), (3, at(3))]), Some(0));
    }
}
