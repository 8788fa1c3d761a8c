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
        let seen = self.run(profile, ["sink", "sink"], messages)?;
        let times: Vec<SimTime> = seen.received.iter().map(|&(_, time)| time).collect();
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
        // End an echo run after 3 ms, because a message that both ends send back never stops.
        let until = if left == "echo" { "3ms" } else { "100s" };
        let room = length.max(64).next_multiple_of(64);
        let area = u64::from(room) * u64::from(2 * RECEIVES + 2);
        let transfer = match profile.clan {
            Some(_) => format!("transfer = '{transfer}'\non_empty = 'defer'\n"),
            None => String::new(),
        };
        let common = format!(
            "interface = 'via'\nbuffer_area = '{area}B'\npoll_every = '1ns'\n{transfer}\
             free_buffers = {{ count = {RECEIVES}, length = '{room}B' }}\n"
        );
        let text = format!(
            "until = '{until}'\nmax_events = 100000000\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
             [[endpoint]]\nnic = 'a'\nname = 'left'\nhost = '{left}'\n{common}\
             [[endpoint]]\nnic = 'b'\nname = 'right'\nhost = '{right}'\n{common}\
             [[channel]]\nleft = 1\nright = 1\n\
             [[send]]\nendpoint = 'left'\nchannel = 1\nat = '10us'\n\
             payload = {{ zeros = {length} }}\nrepeat = {messages}\nevery = '0ns'\n"
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
            | EventKind::Remote(_) => {}
        }
    }
}

/// Number of NICs that run clients of a server.
const CLIENT_NICS: u32 = 8;

/// Length of a request in bytes.
const REQUEST: u32 = 40;

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
