//! The law of isolation: an endpoint's actions never decide whether its neighbours' packets arrive.
//!
//! A random [`Cast`] has victims, which talk to each other, and hostile endpoints on the same NICs and links, which
//! talk to each other too. The cast is run twice, with and without the hostile endpoints. With and without hostile
//! endpoints, victims must see the same messages and completions on each channel, in the same order; only times may
//! differ. A cast that breaks the law of isolation is reduced to a smaller one.

mod cast;
mod hostile;
mod observe;
mod shrink;
#[path = "../../../nic-runtime/tests/shared/spaced.rs"]
#[expect(dead_code, reason = "the law of isolation adds no times of its own")]
mod spaced;

pub use cast::{Cast, Hostile, Link, NicKeys, Victims};
pub use hostile::{Action, Body, HostileApplet};
use nic_core::event::EndReason;
use nic_runtime::Run;
use nic_runtime::spec::InterfaceKind;
use observe::{Compared, Record};
pub use observe::{Seen, Sight};
pub use shrink::shrink;

use crate::random::Random;

/// A violation of the law.
#[derive(Clone, Debug)]
pub struct Breach {
    /// The smallest cast found that violates the law.
    pub cast: Cast,
    /// The difference in what victims saw.
    pub found: String,
}

/// Returns the interface of the victims in the cast with this number. Every second cast has the first interface, since
/// its casts are the shortest, and the other interfaces take turns.
fn interface_of(number: u64) -> InterfaceKind {
    let all = cast::interfaces();
    let others = all.len() as u64 - 1;
    let place = match number % 2 {
        0 => 0,
        _ => 1 + (number / 2) % others,
    };
    let place = usize::try_from(place).expect("there are few interfaces");
    all[place]
}

/// Returns the random cast with this number.
pub fn cast(number: u64) -> Cast {
    let mut random = Random::new(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    Cast::draw(&mut random, interface_of(number))
}

/// Runs the random cast with this number.
///
/// # Errors
///
/// Returns the reduced cast, if the cast violates the law.
pub fn hold(number: u64) -> Result<Tally, Box<Breach>> {
    let cast = cast(number);
    check(&cast).map_err(|found| {
        let cast = shrink(cast, |smaller| check(smaller).is_err());
        let found = check(&cast).err().unwrap_or(found);
        Box::new(Breach { cast, found })
    })
}

/// Counts over several runs.
#[derive(Copy, Clone, Debug, Default)]
pub struct Tally {
    /// Messages, completions and drops that victims saw without hostile endpoints.
    pub sights: u64,
    /// Packets of hostile endpoints that were dropped because they would have closed a circle of waiting applets.
    pub hostile_drops: u64,
    /// Calls of hostile applets.
    pub hostile_calls: u64,
    /// Casts whose NICs share the switches and links of a network.
    pub networks: u64,
}

impl Tally {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: Tally) {
        self.sights += other.sights;
        self.hostile_drops += other.hostile_drops;
        self.hostile_calls += other.hostile_calls;
        self.networks += other.networks;
    }
}

/// Runs a cast with and without its hostile endpoints, and compares what victims see.
///
/// # Errors
///
/// Returns a description of the difference in what victims see.
pub fn check(cast: &Cast) -> Result<Tally, String> {
    let alone = cast.scenario(false)?;
    let mut record = Record::new(&alone, cast);
    let end = Run::new(&alone)
        .sink(&mut record)
        .execute()
        .map_err(|error| format!("alone: {error}"))?
        .end;
    if end.reason != EndReason::Idle {
        return Err(format!("alone the victims end with {end:?}"));
    }
    let expected = record.into_seen();
    expected
        .check_arrived(&alone, cast)
        .map_err(|found| format!("alone: {found}"))?;
    let sights = expected.count();
    let beside = cast.scenario(true)?;
    let mut compared = Compared::new(&beside, cast, expected);
    let end = Run::new(&beside)
        .sink(&mut compared)
        .execute()
        .map_err(|error| format!("beside: {error}"))?
        .end;
    let tally = Tally {
        sights,
        hostile_drops: compared.hostile_drops(),
        hostile_calls: compared.hostile_calls(),
        networks: u64::from(cast.network.is_some()),
    };
    if end.reason == EndReason::Stuck {
        return Err(format!("the run is stuck: {:?}", end.waiting));
    }
    compared.verdict(end.reason)?;
    Ok(tally)
}
