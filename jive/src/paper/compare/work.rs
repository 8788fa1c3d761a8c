//! The work that every interface does, and what a run of it shows: times from events, and what one message costs from the
//! difference of two runs.

use nic_core::event::roles::Step;
use nic_core::event::{Event, EventKind, Names, NicEvent, RemoteEvent, Sink, ViaEvent, WriteHow};
use nic_core::id::EndpointId;

use nic_core::time::{SimDuration, SimTime};
use nic_core::via::RegionAction;
use nic_runtime::Run;
use nic_runtime::profile::Profile;
use nic_runtime::run::SimError;
use nic_runtime::scenario;

use super::interfaces::Interface;
use crate::paper::PaperError;

/// Length of a request of a client, in bytes.
pub(super) const REQUEST: u32 = 40;

/// Something that every interface is asked to do.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// A program sends a message of this length and waits for it to come back.
    PingPong(u32),
    /// A program sends messages of this length, as fast as the receiver lets it.
    Stream(u32),
    /// Each of so many clients sends a request, and waits for the answer.
    Server(u32),
}

impl Work {
    /// Returns how many messages a round has.
    fn messages(self) -> u64 {
        match self {
            Work::PingPong(_) => 2,
            Work::Stream(_) => 1,
            Work::Server(clients) => 2 * u64::from(clients),
        }
    }
}

/// The endpoints whose messages are measured: at the left they are posted, and at the right they arrive.
#[derive(Copy, Clone, Debug)]
pub(super) struct Ends {
    posts: u32,
    /// The first endpoint at which messages arrive; those with greater numbers count as well.
    arrives_from: u32,
}

impl Ends {
    /// One sender and one receiver.
    pub(super) const PAIR: Ends = Ends {
        posts: 0,
        arrives_from: 1,
    };

    /// Answers at clients, whose endpoints come after so many of the server.
    pub(super) fn clients_after(of_server: u32) -> Ends {
        Ends {
            posts: of_server,
            arrives_from: of_server,
        }
    }
}

/// What is found of a piece of work.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The interface did the work.
    Done(Done),
    /// The interface cannot do it, for the reason that this word names.
    Cannot(&'static str),
}

/// What a run of some work shows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Done {
    /// Messages that are under way at a time: clients, or 1.
    pub(super) clients: u32,
    /// The time of a round.
    pub(super) round: SimDuration,
    /// What one message costs.
    pub(super) costs: Costs,
}

/// What a message costs, in hundredths.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Costs {
    /// Time of the processors of all hosts, in hundredths of a picosecond.
    pub(super) host: u64,
    /// How often a host entered its kernel: for interrupts, and for what a process asked.
    pub(super) traps: u64,
    pub(super) packets: u64,
    /// Bytes that a host's processor copied, or wrote to the network.
    pub(super) copied: u64,
}

impl Costs {
    /// Returns the time of the processors of all hosts.
    pub(super) fn host_time(self) -> SimDuration {
        SimDuration::from_ps(self.host / 100)
    }
}

/// Does some work, and does half of it before if costs are counted: what the second run has more is the cost of its further
/// messages, without any set-up. Costs that are not counted are 0.
pub(super) fn measure(
    interface: &Interface,
    profile: &Profile,
    (work, rounds, counts): (Work, u32, bool),
) -> Result<Found, PaperError> {
    let once = |rounds| match interface.scenario(work, rounds) {
        Ok(text) => run(&text, profile, interface.ends(work)),
        Err(word) => Ok(Ran::Not(word)),
    };
    let half = match counts {
        true => Some(once(rounds)?),
        false => None,
    };
    let half = match half {
        Some(Ran::Whole(half)) => Some(half),
        Some(Ran::Not(word)) => return Ok(Found::Cannot(word)),
        None => None,
    };
    let seen = match once(2 * rounds)? {
        Ran::Whole(seen) => seen,
        Ran::Not(word) => return Ok(Found::Cannot(word)),
    };
    let messages = work.messages() * u64::from(rounds);
    let each = |of: fn(&Totals) -> u64| {
        let before = half
            .as_ref()
            .map_or(of(&seen.totals), |half| of(&half.totals));
        let more = of(&seen.totals).saturating_sub(before);
        more.saturating_mul(100) / messages
    };
    let times = match work {
        Work::PingPong(_) => &seen.posted,
        Work::Stream(_) | Work::Server(_) => &seen.arrived,
    };
    let clients = match work {
        Work::PingPong(_) | Work::Stream(_) => 1,
        Work::Server(clients) => clients,
    };
    let round = time_of_round(times, clients.into()).ok_or(NOTHING)?;
    Ok(Found::Done(Done {
        clients,
        round,
        costs: Costs {
            host: each(|totals| totals.host),
            traps: each(|totals| totals.traps),
            packets: each(|totals| totals.packets),
            copied: each(|totals| totals.copied),
        },
    }))
}

/// Nothing can be measured.
pub(super) const NOTHING: PaperError = PaperError::NothingMeasured { figure: "compare" };

/// Returns the mean time of a round, which has so many of the times. The first quarter fills queues, and the last quarter
/// empties them.
fn time_of_round(times: &[SimTime], of_round: u64) -> Option<SimDuration> {
    let quarter = times.len() / 4;
    let measured = times.get(quarter..times.len() - quarter)?;
    let (&first, &last) = (measured.first()?, measured.last()?);
    let gaps = measured.len() as u64 - 1;
    if gaps == 0 || first >= last {
        return None;
    }
    let whole = u128::from(last.since(first).as_ps()) * u128::from(of_round);
    let round = u64::try_from(whole / u128::from(gaps)).ok()?;
    Some(SimDuration::from_ps(round))
}

/// How a run went.
enum Ran {
    Whole(Seen),
    /// A word for what the interface or its NIC cannot do.
    Not(&'static str),
}

fn run(text: &str, profile: &Profile, ends: Ends) -> Result<Ran, PaperError> {
    // A user's profile may lack a section that an interface needs.
    let Ok(scenario) = scenario::parse_on(text, profile) else {
        return Ok(Ran::Not("no-costs"));
    };
    let mut seen = Seen {
        ends,
        ..Seen::default()
    };
    let ran = Run::new(&scenario).sink(&mut seen).execute();
    let end = match ran {
        Ok(outcome) => outcome.end,
        Err(SimError::SramTooSmall(_)) => return Ok(Ran::Not("memory")),
        Err(error) => return Err(error.into()),
    };
    if let Some(word) = seen.refused {
        return Ok(Ran::Not(word));
    }
    if !end.gave_up.is_empty() || !end.unfinished.is_empty() {
        return Err(NOTHING);
    }
    seen.totals.host = end.host.as_ps();
    seen.totals.traps += end.interrupts;
    seen.totals.copied += end.copied;
    Ok(Ran::Whole(seen))
}

impl Default for Ends {
    fn default() -> Ends {
        Ends::PAIR
    }
}

/// What is counted of a whole run.
#[derive(Copy, Clone, Debug, Default)]
struct Totals {
    host: u64,
    traps: u64,
    packets: u64,
    copied: u64,
}

/// What measurements use of a run.
#[derive(Debug, Default)]
struct Seen {
    ends: Ends,
    posted: Vec<SimTime>,
    arrived: Vec<SimTime>,
    totals: Totals,
    /// The word for the reason of the first message that was refused.
    refused: Option<&'static str>,
}

impl Sink for Seen {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        match event.kind {
            EventKind::Nic(NicEvent::WireTx { .. })
            | EventKind::Via(ViaEvent::ControlTx { .. }) => {
                self.totals.packets += 1;
            }
            EventKind::Remote(RemoteEvent::WindowWrite {
                payload,
                how: WriteHow::Pio,
                ..
            }) => self.totals.copied += payload.len() as u64,
            // A window is mapped, and memory is pinned, by a call of the kernel.
            EventKind::Remote(RemoteEvent::WindowMap { .. })
            | EventKind::Via(ViaEvent::Region {
                action: RegionAction::Registered | RegionAction::Deregistered,
                ..
            }) => self.totals.traps += 1,
            _ => {}
        }
        let Some(EndpointId(here)) = event.endpoint else {
            return;
        };
        match event.kind.step() {
            Step::Posted { .. } if here == self.ends.posts => self.posted.push(event.time),
            Step::Delivered { .. } if here >= self.ends.arrives_from => {
                self.arrived.push(event.time);
            }
            Step::Completed {
                refusal: Some(word),
                ..
            } => _ = self.refused.get_or_insert(word),
            _ => {}
        }
    }
}
