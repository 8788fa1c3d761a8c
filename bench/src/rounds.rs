//! Rounds: in each round, every peer runs the kernel for a while, one peer after another.

use std::time::Duration;

use crate::clock::median;
use crate::kernel::Kernel;
use crate::peer::{Peer, PeerError, Running, SWEEP};

/// The number and length of rounds.
#[derive(Copy, Clone, Debug)]
pub struct Effort {
    /// Number of rounds that count.
    pub rounds: usize,
    /// Time that a peer should run in each round.
    pub turn: Duration,
}

/// Rounds before those that count, in which JIT compilers compile, caches fill, and the number of sweeps settles.
const WARM_UP: usize = 8;
/// Maximum number of sweeps in a turn.
const SWEEPS_MAX: f64 = 1e7;

/// The measured times of a kernel.
#[derive(Clone, Debug)]
pub struct Row {
    /// The kernel.
    pub kernel: Kernel,
    /// The check value, which is equal for every implementation.
    pub check: i32,
    /// The times of each peer, in the order of the peers; `None` for a peer without an implementation.
    pub times: Vec<Option<Times>>,
}

/// Nanoseconds for each invocation, one value for each round.
#[derive(Clone, Debug, PartialEq)]
pub struct Times(pub Vec<f64>);

impl Times {
    /// Returns the median.
    #[must_use]
    pub fn ns(&self) -> f64 {
        median(self.0.clone())
    }

    /// Returns the median over the rounds of this peer's time divided by the other peer's time in the same round.
    #[must_use]
    pub fn ratio(&self, other: &Times) -> f64 {
        median(self.ratios(other).collect())
    }

    /// Returns the least and the greatest quotient of this peer's time and the other peer's time in the same round.
    #[must_use]
    pub fn spread(&self, other: &Times) -> (f64, f64) {
        let least = self.ratios(other).fold(f64::INFINITY, f64::min);
        let greatest = self.ratios(other).fold(f64::NEG_INFINITY, f64::max);
        (least, greatest)
    }

    fn ratios(&self, other: &Times) -> impl Iterator<Item = f64> {
        self.0
            .iter()
            .zip(&other.0)
            .map(|(mine, other)| mine / other)
    }
}

/// Measures a kernel with all peers that have an implementation of it, in turns.
///
/// # Errors
///
/// Returns an error if a peer fails, or if its check value differs from the first peer's.
pub fn measure(
    kernel: &Kernel,
    peers: &mut [Box<dyn Peer>],
    effort: Effort,
) -> Result<Row, PeerError> {
    let names: Vec<_> = peers.iter().map(|peer| peer.name()).collect();
    let mut turns = Vec::new();
    for (place, peer) in peers.iter_mut().enumerate() {
        if let Some(running) = peer.start(kernel)? {
            turns.push(Turn::new(place, running));
        }
    }
    let first = turns.first().ok_or("no peer has this kernel")?;
    let (check, reference) = (first.running.check, names[first.place]);
    for turn in &turns {
        if turn.running.check != check {
            let (name, peer, found) = (kernel.name, names[turn.place], turn.running.check);
            let error = format!("{name}: {reference} gives {check}, {peer} gives {found}");
            return Err(error.into());
        }
    }
    for _ in 0..WARM_UP {
        for turn in &mut turns {
            turn.settle(effort.turn)?;
        }
    }
    for _ in 0..effort.rounds {
        for turn in &mut turns {
            let ns = turn.ns()?;
            turn.times.push(ns);
        }
    }
    let mut times = vec![None; names.len()];
    for turn in turns {
        times[turn.place] = Some(Times(turn.times));
    }
    Ok(Row {
        kernel: *kernel,
        check,
        times,
    })
}

/// The state of one peer between its turns.
struct Turn<'p> {
    place: usize,
    running: Running<'p>,
    sweeps: u32,
    times: Vec<f64>,
}

impl Turn<'_> {
    fn new(place: usize, running: Running<'_>) -> Turn<'_> {
        Turn {
            place,
            running,
            sweeps: 1,
            times: Vec::new(),
        }
    }

    /// Runs a turn and returns the nanoseconds for each invocation.
    fn ns(&mut self) -> Result<f64, PeerError> {
        let taken = (self.running.time)(self.sweeps)?;
        let invocations = f64::from(self.sweeps) * f64::from(SWEEP);
        Ok(taken.as_secs_f64() * 1e9 / invocations)
    }

    /// Runs a turn, and adjusts the number of sweeps so that the next turn takes about `turn`.
    fn settle(&mut self, turn: Duration) -> Result<(), PeerError> {
        let mut rest = turn.as_secs_f64();
        // One sweep does not predict the time of thousands of sweeps, so the number grows by at most a factor of 8.
        while rest > 0.0 {
            let taken = (self.running.time)(self.sweeps)?.as_secs_f64().max(1e-9);
            rest -= taken;
            let sweeps = f64::from(self.sweeps);
            let fitting = (sweeps * turn.as_secs_f64() / taken).clamp(1.0, SWEEPS_MAX);
            // Truncate the value to a whole number of sweeps.
            self.sweeps = fitting.min(sweeps * 8.0) as u32;
        }
        Ok(())
    }
}
