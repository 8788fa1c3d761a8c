//! The law of isolation: what an endpoint does never decides whether a neighbour's packets arrive.
//!
//! A random [`Cast`] has victims, who talk to each other, and hostile endpoints on the same NICs and links,
//! who talk to each other too. The cast is run twice, with the hostile endpoints and without. The victims must
//! see the same messages and the same completions on each channel, in the same order; only the times may
//! differ. A cast that breaks the law is reduced to a smaller one that does.

mod cast;
mod hostile;
mod observe;
mod shrink;

pub use cast::{Cast, Hostile, Link, NicKeys, Victims};
pub use hostile::{Action, Body, HostileApplet};
use nic_core::event::EndReason;
use nic_runtime::sim;
use observe::{Compared, Record};
pub use observe::{Seen, Sight};
pub use shrink::shrink;

use crate::random::Random;

/// How a cast broke the law.
#[derive(Clone, Debug)]
pub struct Breach {
    /// The smallest cast found that breaks it.
    pub cast: Cast,
    /// What the victims saw, or did not.
    pub found: String,
}

/// Draws a cast by its number and runs it.
///
/// # Errors
/// The cast, made smaller, if it breaks the law.
pub fn hold(number: u64) -> Result<Tally, Box<Breach>> {
    let mut random = Random::new(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let cast = Cast::draw(&mut random);
    check(&cast).map_err(|found| {
        let cast = shrink(cast, |smaller| check(smaller).is_err());
        let found = check(&cast).err().unwrap_or(found);
        Box::new(Breach { cast, found })
    })
}

/// What a number of runs saw.
#[derive(Copy, Clone, Debug, Default)]
pub struct Tally {
    /// What victims saw alone: messages, completions and drops.
    pub sights: u64,
    /// Packets of hostile endpoints that were dropped because they closed a circle.
    pub hostile_drops: u64,
    /// Calls of hostile applets.
    pub hostile_calls: u64,
}

impl Tally {
    /// Adds another run's.
    pub fn add(&mut self, other: Tally) {
        self.sights += other.sights;
        self.hostile_drops += other.hostile_drops;
        self.hostile_calls += other.hostile_calls;
    }
}

/// Runs a cast with and without its hostile endpoints, and compares what the victims see.
///
/// # Errors
/// Says what differs.
pub fn check(cast: &Cast) -> Result<Tally, String> {
    let alone = cast.scenario(false)?;
    let mut record = Record::new(&alone, cast);
    let end = sim::run(&alone, &mut record).map_err(|error| format!("alone: {error}"))?;
    if end.reason != EndReason::Idle {
        return Err(format!("alone the victims end with {:?}", end.reason));
    }
    let expected = record.into_seen();
    let sights = expected.count();
    let beside = cast.scenario(true)?;
    let mut compared = Compared::new(&beside, cast, expected);
    let end = sim::run(&beside, &mut compared).map_err(|error| format!("beside: {error}"))?;
    let tally = Tally {
        sights,
        hostile_drops: compared.hostile_drops(),
        hostile_calls: compared.hostile_calls(),
    };
    compared.verdict(end.reason)?;
    Ok(tally)
}
