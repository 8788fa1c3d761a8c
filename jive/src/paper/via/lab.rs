//! The measurements of VIs: round trips, streams of messages, and a server with many VIs and one completion queue.

use nic_runtime::Run;
use std::fmt::Write as _;

use nic_core::event::{Event, EventKind, Names, NicEvent, Sink, ViaEvent};
use nic_core::id::EndpointId;
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::profile::Profile;
use nic_runtime::scenario;

use crate::paper::PaperError;

/// A setup of two VIs, each on its own NIC.
#[derive(Copy, Clone, Debug)]
pub(super) struct Setup {
    /// The figure that is measured.
    pub(super) figure: &'static str,
    /// What moves the messages: `pio`, `dma` or `auto`.
    pub(super) transfer: &'static str,
    /// Length of each message in bytes.
    pub(super) length: u32,
    /// What keeps a stream of messages from overrunning the receiver.
    pub(super) flow: FlowControl,
}

/// What keeps a stream of messages from overrunning the receiver.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum FlowControl {
    /// The programs: the receiver answers each message with a credit (S5-27).
    Credits,
    /// The VI: over CLAN, a message waits until the peer has a receive descriptor for it (S5-22).
    Deferred,
}

const LEFT: EndpointId = EndpointId(0);
const RIGHT: EndpointId = EndpointId(1);

/// Receive descriptors of each VI (S5-27).
const RECEIVES: u32 = 4;

impl Setup {
    /// Returns the mean time between two posts of the same user, where both ends send each message back.
    pub(super) fn round_trip(self, profile: &Profile) -> Result<SimDuration, PaperError> {
        let seen = self.run(profile, ["echo", "echo"], 1)?;
        let (Some(&first), Some(&last)) = (seen.posted.first(), seen.posted.last()) else {
            return Err(self.nothing());
        };
        let trips = seen.posted.len() as u64 - 1;
        if trips == 0 {
            return Err(self.nothing());
        }
        Ok(SimDuration::from_ps(last.since(first).as_ps() / trips))
    }

    /// Returns half of the mean round trip.
    pub(super) fn half_trip(self, profile: &Profile) -> Result<SimDuration, PaperError> {
        let whole = self.round_trip(profile)?;
        Ok(SimDuration::from_ps(whole.as_ps() / 2))
    }

    /// Returns the time from the first bit of a message to its receive descriptor, without the time of the sender's host.
    pub(super) fn flight(self, profile: &Profile) -> Result<SimDuration, PaperError> {
        let seen = self.run(profile, ["sink", "sink"], 1)?;
        match (seen.left, seen.received.first()) {
            (Some(left), Some(&(_, received))) => Ok(received.since(left)),
            _ => Err(self.nothing()),
        }
    }

    /// Returns the rate of a stream of messages, in kilobits a second. The first messages of the stream fill the queues
    /// and are not measured.
    pub(super) fn rate(self, profile: &Profile, messages: u32) -> Result<u64, PaperError> {
        let hosts = match self.flow {
            FlowControl::Credits => ["credit-stream", "acknowledge"],
            FlowControl::Deferred => ["sink", "sink"],
        };
        let seen = self.run(profile, hosts, messages)?;
        let at_right = seen.received.iter().filter(|(end, _)| *end == RIGHT);
        let times: Vec<SimTime> = at_right.map(|&(_, time)| time).collect();
        let before = times.len() / 4;
        let (Some(&first), Some(&last)) = (times.get(before), times.last()) else {
            return Err(self.nothing());
        };
        if times.len() != messages as usize || first >= last {
            return Err(self.nothing());
        }
        let measured = (times.len() - 1 - before) as u128;
        let bits = 8 * u128::from(self.length) * measured;
        // Convert to kilobits a second: 1,000,000,000,000 ps are a second, and 1,000 bits a kilobit.
        let rate = bits * 1_000_000_000 / u128::from(last.since(first).as_ps());
        Ok(u64::try_from(rate).unwrap_or(u64::MAX))
    }

    fn nothing(self) -> PaperError {
        PaperError::NothingMeasured {
            figure: self.figure,
        }
    }

    fn run(self, profile: &Profile, hosts: [&str; 2], messages: u32) -> Result<Seen, PaperError> {
        let Setup {
            transfer, length, ..
        } = self;
        let [left, right] = hosts;
        // End an echo run after a millisecond, because a message that both ends send back never stops. A long message needs
        // more: on a link without cells, 32 KiB take 0.7 ms.
        let until = match left {
            "echo" => format!("{}us", 1_000 + length / 8),
            _ => "100s".to_owned(),
        };
        let room = length.max(64).next_multiple_of(64);
        let area = u64::from(room) * u64::from(2 * RECEIVES + 2);
        let transfer = match (profile.clan, self.flow) {
            (Some(_), FlowControl::Deferred) => {
                format!("transfer = '{transfer}'\non_empty = 'defer'\n")
            }
            (Some(_), FlowControl::Credits) => {
                format!("transfer = '{transfer}'\nreliability = 'delivery'\n")
            }
            (None, _) => String::new(),
        };
        let (left, right, sends) = match left {
            "credit-stream" => (
                format!("host = '{left}'\nrounds = {messages}\nmessage_length = {length}\n"),
                format!("host = '{right}'\nacknowledge_every = 1\n"),
                String::new(),
            ),
            _ => (
                format!("host = '{left}'\n"),
                format!("host = '{right}'\n"),
                format!(
                    "[[send]]\nendpoint = 'left'\nchannel = 1\nat = '10us'\n\
                     payload = {{ zeros = {length} }}\nrepeat = {messages}\nevery = '0ns'\n"
                ),
            ),
        };
        let common = format!(
            "interface = 'via'\nbuffer_area = '{area}B'\npoll_every = '1ns'\n{transfer}\
             free_buffers = {{ count = {RECEIVES}, length = '{room}B' }}\n"
        );
        let text = format!(
            "until = '{until}'\nmax_events = 100000000\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
             [[endpoint]]\nnic = 'a'\nname = 'left'\n{left}{common}\
             [[endpoint]]\nnic = 'b'\nname = 'right'\n{right}{common}\
             [[channel]]\nleft = 1\nright = 1\n{sends}"
        );
        let scenario = scenario::parse_on(&text, profile).map_err(|_| self.nothing())?;
        let mut seen = Seen::default();
        Run::new(&scenario).sink(&mut seen).execute()?;
        Ok(seen)
    }
}

/// When messages were posted, left a NIC and arrived.
#[derive(Clone, Debug, Default)]
struct Seen {
    posted: Vec<SimTime>,
    /// When the first bit of the first message left the NIC at the left.
    left: Option<SimTime>,
    received: Vec<(EndpointId, SimTime)>,
}

impl Sink for Seen {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let Some(here) = event.endpoint else { return };
        match event.kind {
            EventKind::Via(ViaEvent::TxPost { .. }) if here == LEFT => {
                self.posted.push(event.time);
            }
            EventKind::Nic(NicEvent::WireTx { .. }) if here == LEFT => {
                self.left.get_or_insert(event.time);
            }
            EventKind::Via(ViaEvent::RxDescriptor { .. }) if here == LEFT || here == RIGHT => {
                self.received.push((here, event.time));
            }
            EventKind::Nic(_)
            | EventKind::Unet(_)
            | EventKind::Sle(_)
            | EventKind::Emp(_)
            | EventKind::Via(_)
            | EventKind::Remote(_)
            | EventKind::Lmmc(_)
            | EventKind::Host(_) => {}
        }
    }
}

/// Number of NICs that run clients of a server.
const CLIENT_NICS: u32 = 8;

/// Length of a request in bytes.
pub(super) const REQUEST: u32 = 40;

/// Returns the mean time between requests that a server receives on `vis` VIs with one completion queue. All clients send
/// all their requests at once.
pub(super) fn time_per_request(
    figure: &'static str,
    profile: &Profile,
    (vis, requests): (u32, u32),
) -> Result<SimDuration, PaperError> {
    let nothing = PaperError::NothingMeasured { figure };
    let mut text = "until = '100s'\nmax_events = 100000000\n\
                    [[nic]]\nname = 'server'\nsram = '256MiB'\n"
        .to_owned();
    for nic in 0..CLIENT_NICS {
        let _infallible = write!(text, "[[nic]]\nname = 'n{nic}'\nsram = '256MiB'\n");
    }
    text += "[[process]]\nname = 'service'\nnic = 'server'\nprogram = 'sink'\n";
    let common = "interface = 'via'\nbuffer_area = 1024\npoll_every = '1ns'\n\
                  free_buffers = { count = 4, length = 64 }\n";
    for vi in 0..vis {
        let nic = vi % CLIENT_NICS;
        let _infallible = write!(
            text,
            "[[endpoint]]\nnic = 'n{nic}'\nname = 'c{vi}'\n{common}\
             [[endpoint]]\nnic = 'server'\nname = 's{vi}'\nprocess = 'service'\n{common}\
             completion = {{ receive = 'q' }}\n\
             [[channel]]\nc{vi} = 1\ns{vi} = 1\n\
             [[send]]\nendpoint = 'c{vi}'\nchannel = 1\nat = '10us'\n\
             payload = {{ zeros = {REQUEST} }}\nrepeat = {requests}\nevery = '0ns'\n"
        );
    }
    let scenario = scenario::parse_on(&text, profile).map_err(|_| nothing)?;
    let mut entries = Entries::default();
    Run::new(&scenario).sink(&mut entries).execute()?;
    let count = u64::from(vis) * u64::from(requests);
    if entries.0.len() as u64 != count || count < 2 {
        return Err(nothing);
    }
    match (entries.0.first(), entries.0.last()) {
        (Some(&first), Some(&last)) => {
            let whole = last.since(first).as_ps();
            Ok(SimDuration::from_ps(whole / (count - 1)))
        }
        _ => Err(nothing),
    }
}

/// When entries were added to a completion queue.
#[derive(Clone, Debug, Default)]
struct Entries(Vec<SimTime>);

impl Sink for Entries {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        if let EventKind::Via(ViaEvent::Completion { .. }) = event.kind {
            self.0.push(event.time);
        }
    }
}

/// A server whose VIs share a completion queue, and a client with a VI for each of them (S5-28). The client has one
/// request outstanding on each VI, and the server sends each request back.
///
/// All clients begin at once, and their first requests travel as one burst, which the host's interrupts at both ends
/// break up over several rounds. A round is an answer for each VI. The first half of the rounds is not measured.
#[derive(Copy, Clone, Debug)]
pub(super) struct Service {
    /// The figure that is measured.
    pub(super) figure: &'static str,
    /// What moves the messages: `pio`, `dma` or `auto`.
    pub(super) transfer: &'static str,
    /// Number of VIs at each end.
    pub(super) outstanding: u32,
    /// Number of rounds, of which the second half is measured.
    pub(super) rounds: u32,
}

/// What a client sees of a server.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Served {
    /// Answers in a second.
    pub(super) rate: u64,
    /// Whether every request has its answer, unless it is the last one on its VI.
    pub(super) is_whole: bool,
}

/// Time of a request beside the interrupt of its message, about. A run that turns out to be too short for its rounds is
/// repeated for twice as long, [`LONGER`] times at most.
const REQUEST_TAKES: SimDuration = SimDuration::from_ns(5_000);

const LONGER: u32 = 6;

impl Service {
    /// Counts the answers that reach the client.
    pub(super) fn serve(self, profile: &Profile) -> Result<Served, PaperError> {
        let nothing = PaperError::NothingMeasured {
            figure: self.figure,
        };
        let round = self.outstanding as usize;
        let all = self.rounds as usize * round;
        let settled = (self.rounds / 2) as usize * round;
        let takes = (REQUEST_TAKES + profile.host.upcall).as_ns();
        let requests = u64::from(self.rounds) * u64::from(self.outstanding);
        // Add 50 us for the first requests, which leave after 10 us.
        let expected = 50_000 + requests.saturating_mul(takes);
        for longer in 0..=LONGER {
            let Answers {
                received,
                requests,
                lost,
            } = self.run(profile, expected.saturating_mul(1 << longer))?;
            let ends = (settled.checked_sub(1), all.checked_sub(1));
            let (Some(from), Some(to)) = ends else {
                return Err(nothing);
            };
            let Some(answers) = received.get(from..=to) else {
                continue;
            };
            return Ok(Served {
                rate: per_second(answers).ok_or(nothing)?,
                is_whole: lost == 0 && requests - received.len() <= round,
            });
        }
        Err(nothing)
    }

    /// Runs the server for a number of nanoseconds.
    fn run(self, profile: &Profile, until: u64) -> Result<Answers, PaperError> {
        let Service {
            figure,
            transfer,
            outstanding,
            ..
        } = self;
        let nothing = PaperError::NothingMeasured { figure };
        let transfer = match profile.clan {
            Some(_) => format!("transfer = '{transfer}'\n"),
            None => String::new(),
        };
        let mut text = format!("until = '{until}ns'\nmax_events = 100000000\n");
        for nic in ["client", "server"] {
            let _infallible = write!(
                text,
                "[[nic]]\nname = '{nic}'\nsram = '256MiB'\n\
                 [[process]]\nname = '{nic}-process'\nnic = '{nic}'\nprogram = 'echo'\n"
            );
        }
        let common = format!(
            "interface = 'via'\nreliability = 'delivery'\nbuffer_area = 1024\npoll_every = '1ns'\n\
             free_buffers = {{ count = 4, length = 64 }}\n{transfer}"
        );
        for vi in 0..outstanding {
            let _infallible = write!(
                text,
                "[[endpoint]]\nnic = 'client'\nname = 'c{vi}'\nprocess = 'client-process'\n{common}\
                 [[endpoint]]\nnic = 'server'\nname = 's{vi}'\nprocess = 'server-process'\n{common}\
                 completion = {{ receive = 'q' }}\n\
                 [[channel]]\nc{vi} = 1\ns{vi} = 1\n\
                 [[send]]\nendpoint = 'c{vi}'\nchannel = 1\nat = '10us'\n\
                 payload = {{ zeros = {REQUEST} }}\n"
            );
        }
        let scenario = scenario::parse_on(&text, profile).map_err(|_| nothing)?;
        let mut answers = Answers::default();
        Run::new(&scenario).sink(&mut answers).execute()?;
        Ok(answers)
    }
}

/// Returns how many answers come in a second, from the times of some; `None` if they take no time.
pub(super) fn per_second(answers: &[SimTime]) -> Option<u64> {
    let (&first, &last) = (answers.first()?, answers.last()?);
    if first >= last {
        return None;
    }
    let count = (answers.len() - 1) as u128;
    // A second has 1,000,000,000,000 ps.
    let rate = count * 1_000_000_000_000 / u128::from(last.since(first).as_ps());
    Some(u64::try_from(rate).unwrap_or(u64::MAX))
}

/// The requests and answers of a client, whose endpoints have even numbers.
#[derive(Clone, Debug, Default)]
struct Answers {
    /// When each answer arrived.
    received: Vec<SimTime>,
    requests: usize,
    /// Messages that any NIC dropped.
    lost: u64,
}

impl Sink for Answers {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let Some(EndpointId(here)) = event.endpoint else {
            return;
        };
        let is_client = here % 2 == 0;
        match event.kind {
            EventKind::Via(ViaEvent::TxPost { .. }) if is_client => self.requests += 1,
            EventKind::Via(ViaEvent::RxDescriptor { .. }) if is_client => {
                self.received.push(event.time);
            }
            EventKind::Nic(NicEvent::Drop { .. }) => self.lost += 1,
            EventKind::Nic(_)
            | EventKind::Unet(_)
            | EventKind::Sle(_)
            | EventKind::Emp(_)
            | EventKind::Via(_)
            | EventKind::Remote(_)
            | EventKind::Lmmc(_)
            | EventKind::Host(_) => {}
        }
    }
}

/// Returns the longest half round trip of 40 bytes between two processes, while two other processes on the same hosts
/// stream messages of `streamed` bytes by DMA (S5-20).
pub(super) fn beside_stream(
    figure: &'static str,
    profile: &Profile,
    (transfer, streamed, rounds): (&str, u32, u32),
) -> Result<SimDuration, PaperError> {
    let nothing = PaperError::NothingMeasured { figure };
    let room = streamed.next_multiple_of(64);
    let area = u64::from(room) * u64::from(2 * RECEIVES + 2);
    let end = |nic: &str, name: &str, rest: &str| {
        format!(
            "[[endpoint]]\nnic = '{nic}'\nname = '{name}'\ninterface = 'via'\n\
             poll_every = '1ns'\n{rest}"
        )
    };
    let small = format!(
        "buffer_area = 1024\nfree_buffers = {{ count = 4, length = 64 }}\ntransfer = '{transfer}'\nhost = 'echo'\n"
    );
    let large = format!(
        "buffer_area = {area}\nfree_buffers = {{ count = {RECEIVES}, length = {room} }}\n\
         transfer = 'dma'\non_empty = 'defer'\n"
    );
    let text = format!(
        "until = '{}us'\nmax_events = 100000000\n[[nic]]\nname = 'a'\nsram = '64MiB'\n[[nic]]\nname = 'b'\nsram = '64MiB'\n{}{}{}{}\
         [[channel]]\nleft = 1\nright = 1\n[[channel]]\nsource = 1\nsink = 1\n\
         [[send]]\nendpoint = 'left'\nchannel = 1\nat = '10us'\npayload = {{ zeros = {REQUEST} }}\n\
         [[send]]\nendpoint = 'source'\nchannel = 1\nat = '10us'\n\
         payload = {{ zeros = {streamed} }}\nrepeat = 100000\nevery = '0ns'\n",
        rounds * 100,
        end("a", "left", &small),
        end("b", "right", &small),
        end("a", "source", &large),
        end("b", "sink", &large),
    );
    let scenario = scenario::parse_on(&text, profile).map_err(|_| nothing)?;
    let mut seen = Seen::default();
    Run::new(&scenario).sink(&mut seen).execute()?;
    let trips = seen
        .posted
        .windows(2)
        .map(|pair| pair[1].since(pair[0]).as_ps());
    let longest = trips.max().ok_or(nothing)?;
    Ok(SimDuration::from_ps(longest / 2))
}
