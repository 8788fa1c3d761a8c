//! What every interface does under a profile: all of the work, each piece once.

use nic_core::time::SimDuration;
use nic_runtime::profile::Profile;

use super::INTERFACES;
use super::work::{Costs, Done, Found, NOTHING, Work, measure};
use crate::paper::PaperError;
use crate::paper::provenance::each;
use crate::paper::report::Quantity;

/// Lengths of the messages of the ping-pong, in bytes.
pub(super) const LENGTHS: [u32; 5] = [0, 4, 40, 1000, 4096];

/// Length of the messages of the stream, in bytes.
pub(super) const STREAMED: u32 = 4096;

/// Rounds of each piece of work.
#[derive(Copy, Clone, Debug)]
pub(super) struct Rounds {
    pub(super) pings: u32,
    pub(super) streamed: u32,
    pub(super) served: u32,
    /// Clients of the server.
    pub(super) clients: u32,
}

impl Rounds {
    fn of(self, job: Job) -> (Work, u32) {
        match job {
            Job::PingPong(length) => (Work::PingPong(length), self.pings),
            Job::Stream => (Work::Stream(STREAMED), self.streamed),
            Job::Server => (Work::Server(self.clients), self.served),
        }
    }
}

/// A piece of work, whose size depends on the rounds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Job {
    /// A ping-pong of messages with this length.
    PingPong(u32),
    Stream,
    Server,
}

/// Returns all jobs, in the order of the tables.
fn all_jobs() -> impl Iterator<Item = Job> {
    let pings = LENGTHS.into_iter().map(Job::PingPong);
    pings.chain([Job::Stream, Job::Server])
}

/// A job that an interface does.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The interface, by its number in [`INTERFACES`].
    pub(super) interface: usize,
    pub(super) job: Job,
    /// Whether the costs of messages are counted as well, which takes a second run.
    pub(super) counts: bool,
}

/// Returns every job of every interface.
pub(super) fn all_pieces() -> Vec<Piece> {
    let interfaces = 0..INTERFACES.len();
    let pieces = interfaces.flat_map(|interface| {
        all_jobs().map(move |job| Piece {
            interface,
            job,
            counts: true,
        })
    });
    pieces.collect()
}

/// What was measured of interfaces, each under a profile.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    /// The profiles, in the order of [`INTERFACES`].
    profiles: Vec<Profile>,
    found: Vec<(Piece, Found)>,
}

impl Measured {
    /// Measures jobs, each interface under its paper's own profile: the one of `given` with its name, or the
    /// built-in one.
    pub(super) fn on_own(
        given: &[Profile],
        pieces: &[Piece],
        rounds: Rounds,
    ) -> Result<Measured, PaperError> {
        let own = INTERFACES.iter().map(|interface| {
            let mut given = given.iter();
            match given.find(|profile| profile.name == interface.profile) {
                Some(given) => interface.bare(given),
                None => interface.bare(&interface.own_profile()),
            }
        });
        Measured::under(own.collect(), pieces, rounds)
    }

    /// Measures jobs of all interfaces under one profile.
    pub(super) fn on(
        profile: &Profile,
        pieces: &[Piece],
        rounds: Rounds,
    ) -> Result<Measured, PaperError> {
        let shared = INTERFACES.iter();
        let shared = shared.map(|interface| interface.on_shared(profile));
        Measured::under(shared.collect(), pieces, rounds)
    }

    fn under(
        profiles: Vec<Profile>,
        pieces: &[Piece],
        rounds: Rounds,
    ) -> Result<Measured, PaperError> {
        let found = each(pieces, |&piece| {
            Ok((piece, measured(&profiles, piece, rounds)?))
        });
        Ok(Measured {
            found: found.into_iter().collect::<Result<_, PaperError>>()?,
            profiles,
        })
    }

    /// Measures the same jobs with other profiles. An interface that does not see the difference is not measured again.
    /// If one cannot do a job that it could do before, nothing is measured.
    fn again(&self, profiles: Vec<Profile>, rounds: Rounds) -> Result<Measured, PaperError> {
        let again = |&(piece, before): &(Piece, Found)| {
            if self.profiles[piece.interface] == profiles[piece.interface] {
                return Ok((piece, before));
            }
            match (before, measured(&profiles, piece, rounds)?) {
                (Found::Done(_), Found::Cannot(_)) => Err(NOTHING),
                (_, found) => Ok((piece, found)),
            }
        };
        let found = self.found.iter().map(again);
        Ok(Measured {
            found: found.collect::<Result<_, PaperError>>()?,
            profiles,
        })
    }

    /// Measures the same with one profile in place of each interface's own that has its name.
    pub(super) fn with_own(
        &self,
        changed: &Profile,
        rounds: Rounds,
    ) -> Result<Measured, PaperError> {
        let all = INTERFACES.iter().zip(&self.profiles);
        let profiles = all.map(
            |(interface, unchanged)| match interface.profile == changed.name {
                true => interface.bare(changed),
                false => unchanged.clone(),
            },
        );
        self.again(profiles.collect(), rounds)
    }

    /// Measures the same with another profile in place of the one that all interfaces share.
    pub(super) fn with_shared(
        &self,
        shared: &Profile,
        rounds: Rounds,
    ) -> Result<Measured, PaperError> {
        let all = INTERFACES.iter();
        self.again(
            all.map(|interface| interface.on_shared(shared)).collect(),
            rounds,
        )
    }

    /// Returns the name of an interface's profile.
    pub(super) fn profile(&self, interface: usize) -> &str {
        self.profiles
            .get(interface)
            .map_or("", |profile| &profile.name)
    }

    /// Returns what was measured of an interface, by its number in [`INTERFACES`].
    pub(super) fn of(&self, interface: usize, measure: Measure) -> Result<Quantity, &'static str> {
        let fits = |(piece, _): &&(Piece, Found)| {
            let of_job = (piece.interface, piece.job) == (interface, measure.job());
            of_job && (piece.counts || !measure.is_cost())
        };
        match self.found.iter().find(fits) {
            Some((_, Found::Done(done))) => Ok(measure.quantity(done)),
            Some((_, Found::Cannot(word))) => Err(word),
            None => Err("not-measured"),
        }
    }
}

fn measured(profiles: &[Profile], piece: Piece, rounds: Rounds) -> Result<Found, PaperError> {
    let Piece {
        interface,
        job,
        counts,
    } = piece;
    let (work, rounds) = rounds.of(job);
    measure(
        &INTERFACES[interface],
        &profiles[interface],
        (work, rounds, counts),
    )
}

/// A quantity that is measured.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// Half of a round trip of a message with this length.
    HalfTrip(u32),
    /// The rate of the stream.
    Rate,
    /// Answers of the server in a second.
    Answers,
    /// What a message of a job costs.
    Cost(Job, Cost),
}

/// What a message costs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    /// Time of the processors of hosts.
    Host,
    /// How often a host entered its kernel.
    Traps,
    Packets,
    /// Bytes that a host's processor copied, or wrote to the network.
    Copied,
}

impl Measure {
    /// Returns whether this is a cost of messages.
    pub(super) fn is_cost(self) -> bool {
        matches!(self, Measure::Cost(..))
    }

    /// Returns the job of which this is measured.
    pub(super) fn job(self) -> Job {
        match self {
            Measure::HalfTrip(length) => Job::PingPong(length),
            Measure::Rate => Job::Stream,
            Measure::Answers => Job::Server,
            Measure::Cost(job, _) => job,
        }
    }

    fn quantity(self, done: &Done) -> Quantity {
        let Done {
            clients,
            round,
            costs,
        } = *done;
        let ps = u128::from(round.as_ps());
        match self {
            Measure::HalfTrip(_) => Quantity::Time(SimDuration::from_ps(round.as_ps() / 2)),
            // A second has 1,000,000,000,000 ps, and a kilobit 1,000 bits.
            Measure::Rate => {
                let rate = 8 * u128::from(STREAMED) * 1_000_000_000 / ps;
                Quantity::Rate(u64::try_from(rate).unwrap_or(u64::MAX))
            }
            Measure::Answers => {
                let rate = u128::from(clients) * 1_000_000_000_000 / ps;
                Quantity::Answers(u64::try_from(rate).unwrap_or(u64::MAX))
            }
            Measure::Cost(_, cost) => cost.quantity(costs),
        }
    }

    /// Returns the name by which relations show the measure.
    pub(super) fn name(self) -> String {
        match self {
            Measure::HalfTrip(length) => format!("half round trip, {length} B"),
            Measure::Rate => format!("rate, {STREAMED} B"),
            Measure::Answers => "answers".to_owned(),
            Measure::Cost(job, cost) => {
                let job = match job {
                    Job::PingPong(length) => format!("ping-pong, {length} B"),
                    Job::Stream => format!("stream, {STREAMED} B"),
                    Job::Server => "server".to_owned(),
                };
                format!("{}, {job}", cost.name())
            }
        }
    }
}

impl Cost {
    fn quantity(self, costs: Costs) -> Quantity {
        match self {
            Cost::Host => Quantity::Time(costs.host_time()),
            Cost::Traps => Quantity::Each(costs.traps),
            Cost::Packets => Quantity::Each(costs.packets),
            Cost::Copied => Quantity::Each(costs.copied),
        }
    }

    /// Returns the name by which tables and relations show the cost.
    pub(super) fn name(self) -> &'static str {
        match self {
            Cost::Host => "host time",
            Cost::Traps => "traps",
            Cost::Packets => "packets",
            Cost::Copied => "copied bytes",
        }
    }
}
