//! The measurements of EMP: two NICs under a scheme, and the programs with which the paper measures (§6.1).

use nic_core::event::{Event, EventKind, Names, NicEvent, Sink, UnetEvent};
use nic_core::id::{EndpointId, NicId};
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::Run;
use nic_runtime::profile::Profile;
use nic_runtime::scenario;

use crate::paper::PaperError;

/// How stages are placed on the processors of both NICs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    Base,
    So,
    Ro,
    Dsr,
    Sr,
    /// A free processor takes the next item of work: a placement that the paper leaves for later.
    Dynamic,
}

/// The schemes of the paper, and the dynamic placement.
pub(super) const SCHEMES: [Scheme; 6] = [
    Scheme::Base,
    Scheme::So,
    Scheme::Ro,
    Scheme::Dsr,
    Scheme::Sr,
    Scheme::Dynamic,
];

impl Scheme {
    /// Returns the scheme's name, which is that of a placement.
    pub(super) fn name(self) -> &'static str {
        match self {
            Scheme::Base => "base",
            Scheme::So => "SO",
            Scheme::Ro => "RO",
            Scheme::Dsr => "DSR",
            Scheme::Sr => "SR",
            Scheme::Dynamic => "dynamic",
        }
    }
}

/// How many messages are sent in a measurement.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Rounds {
    /// Number of messages that are sent first and fill the queues.
    pub(super) before: usize,
    /// Messages that are measured.
    pub(super) measured: usize,
}

/// Receives that are posted at each end (§6.1: "about 400").
const RECEIVES: u32 = 400;

/// Length of each posted receive in bytes, unless the messages are longer.
const ROOM: u32 = 16 * 1024;

/// A measurement.
#[derive(Copy, Clone, Debug)]
pub(super) struct Setup {
    pub(super) scheme: Scheme,
    /// Length of each message in bytes.
    pub(super) length: u32,
    pub(super) rounds: Rounds,
}

impl Setup {
    /// Returns half of a round trip: the pinging host waits until its message is complete and the echo has arrived.
    pub(super) fn latency(self, profile: &Profile) -> Result<SimDuration, PaperError> {
        let seen = self.run(profile, ["emp-ping", "echo"])?;
        let rounds = self.window(&seen.posted)?;
        let rounds = rounds.as_ps() / self.rounds.measured as u64;
        Ok(SimDuration::from_ps(rounds / 2))
    }

    /// Returns the rate of payload from one host to the other, in kilobits a second.
    pub(super) fn one_way(self, profile: &Profile) -> Result<u64, PaperError> {
        let seen = self.run(profile, ["emp-stream", "sink"])?;
        self.rate(&seen.received[1])
    }

    /// Returns the sum of the rates of payload in both directions, in kilobits a second.
    pub(super) fn both_ways(self, profile: &Profile) -> Result<u64, PaperError> {
        let seen = self.run(profile, ["emp-both-ways", "emp-both-ways"])?;
        Ok(self.rate(&seen.received[0])? + self.rate(&seen.received[1])?)
    }

    /// Returns when processors and wires were busy in a run.
    pub(super) fn spans(self, profile: &Profile) -> Result<Vec<Span>, PaperError> {
        let seen = Seen {
            keeps_spans: true,
            ..Seen::default()
        };
        Ok(self.run_into(profile, ["emp-stream", "sink"], seen)?.spans)
    }

    /// Returns the time from the last message that fills the queues to the last measured message.
    fn window(self, times: &[SimTime]) -> Result<SimDuration, PaperError> {
        let Rounds { before, measured } = self.rounds;
        let first = times.get(before.saturating_sub(1));
        let last = times.get(before + measured - 1);
        match (first, last) {
            (Some(&first), Some(&last)) if first < last => Ok(last.since(first)),
            _ => Err(PaperError::NothingMeasured {
                figure: super::FIGURE,
            }),
        }
    }

    fn rate(self, times: &[SimTime]) -> Result<u64, PaperError> {
        let bits = 8 * u128::from(self.length) * self.rounds.measured as u128;
        let ps = u128::from(self.window(times)?.as_ps());
        // Convert to kilobits a second: 1,000,000,000,000 ps are a second, and 1,000 bits a kilobit.
        Ok(u64::try_from(bits * 1_000_000_000 / ps).unwrap_or(u64::MAX))
    }

    fn run(self, profile: &Profile, programs: [&str; 2]) -> Result<Seen, PaperError> {
        self.run_into(profile, programs, Seen::default())
    }

    fn run_into(
        self,
        profile: &Profile,
        programs: [&str; 2],
        mut seen: Seen,
    ) -> Result<Seen, PaperError> {
        let name = self.scheme.name();
        let no_placement = PaperError::NoPlacement { name };
        let is_placed = self.scheme == Scheme::Dynamic || profile.placement(name).is_some();
        if !is_placed {
            return Err(no_placement);
        }
        let Rounds { before, measured } = self.rounds;
        let (rounds, length) = (before + measured, self.length);
        let room = length.max(ROOM);
        // Leave room for the two outstanding messages, because the region of messages wraps around.
        let area = RECEIVES * room + 4 * room;
        let mut text = "until = '1000s'\nmax_events = 1000000000\n".to_owned();
        for nic in ["a", "b"] {
            text += &format!("[[nic]]\nname = '{nic}'\nprocessors = 2\nplacement = '{name}'\n");
        }
        for ((nic, end), program) in [("a", "left"), ("b", "right")].into_iter().zip(programs) {
            text += &format!(
                "[[endpoint]]\nnic = '{nic}'\nname = '{end}'\ninterface = 'emp'\nhost = '{program}'\n\
                 buffer_area = '{area}B'\nrx_queue = {RECEIVES}\n\
                 free_buffers = {{ count = {RECEIVES}, length = '{room}B' }}\n"
            );
            if program.starts_with("emp-") {
                text += &format!("rounds = {rounds}\nmessage_length = {length}\n");
            }
        }
        text += "[[channel]]\nleft = 1\nright = 1\n";
        // A placement of the profile may name a processor that the NIC lacks.
        let scenario = scenario::parse_on(&text, profile).map_err(|_| no_placement)?;
        Run::new(&scenario).sink(&mut seen).execute()?;
        Ok(seen)
    }
}

/// What is busy.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Busy {
    /// A processor, by its number on the NIC.
    Processor { nic: u32, processor: u32 },
    /// The wire from a NIC.
    WireOf { nic: u32 },
}

/// A period in which a processor or a wire was busy.
#[derive(Copy, Clone, Debug)]
pub(super) struct Span {
    pub(super) busy: Busy,
    /// The stage that the processor runs, or the kind of the frame on the wire.
    pub(super) label: &'static str,
    pub(super) begun: SimTime,
    pub(super) takes: SimDuration,
}

/// The events of a run that measurements use.
#[derive(Debug, Default)]
struct Seen {
    /// When the first host posted its messages.
    posted: Vec<SimTime>,
    /// When each host received its messages.
    received: [Vec<SimTime>; 2],
    /// Whether the busy periods of processors and wires are kept.
    keeps_spans: bool,
    spans: Vec<Span>,
}

const FIRST: EndpointId = EndpointId(0);

impl Sink for Seen {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        match (event.kind, event.endpoint) {
            (EventKind::Unet(UnetEvent::TxPost { .. }), Some(FIRST)) => {
                self.posted.push(event.time);
            }
            (EventKind::Unet(UnetEvent::RxDescriptor { .. }), Some(EndpointId(end))) => {
                if let Some(received) = self.received.get_mut(end as usize) {
                    received.push(event.time);
                }
            }
            (EventKind::Nic(kind), _) if self.keeps_spans => {
                self.spans.extend(span(event.nic, event.time, kind));
            }
            (
                EventKind::Nic(_)
                | EventKind::Unet(_)
                | EventKind::Sle(_)
                | EventKind::Emp(_)
                | EventKind::Via(_)
                | EventKind::Remote(_)
                | EventKind::Lmmc(_)
                | EventKind::Host(_),
                _,
            ) => {}
        }
    }
}

/// Returns the period that an event describes, if a processor or a wire was busy.
fn span(NicId(nic): NicId, time: SimTime, kind: NicEvent<'_>) -> Option<Span> {
    match kind {
        NicEvent::Work {
            processor,
            stage,
            begun,
            duration,
        } => Some(Span {
            busy: Busy::Processor { nic, processor },
            label: stage,
            begun,
            takes: duration,
        }),
        NicEvent::WireTx { part, duration, .. } => Some(Span {
            busy: Busy::WireOf { nic },
            label: part.map_or("packet", |part| part.kind),
            begun: time,
            takes: duration,
        }),
        NicEvent::WireRx { .. }
        | NicEvent::Forward { .. }
        | NicEvent::WireDrop { .. }
        | NicEvent::Dma { .. }
        | NicEvent::Drop { .. }
        | NicEvent::Busy { .. }
        | NicEvent::Levels(_) => None,
    }
}
