//! The experiments of a reproduction: sets up pairs of endpoints on two NICs, and records when events happen.

use nic_runtime::Run;
use std::fmt::Write as _;

use nic_core::event::{
    DmaDirection, Event, EventKind, Names, NicEvent, Sink, SleEvent, UnetEvent, ViaEvent,
};
use nic_core::id::{EndpointId, NicId, PacketId};
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::profile::Profile;
use nic_runtime::run::SimError;
use nic_runtime::scenario::{self};
use nic_runtime::spec::Scenario;
use nic_runtime::spec::{ChannelSpec, SendSpec};

/// The time at which the first message of every setup is sent.
pub(super) const START: SimTime = SimTime::from_ps(10_000_000);

/// The NIC with the receiving endpoints.
const RECEIVER: NicId = NicId(1);

/// A setup of pairs of endpoints. Each pair has one endpoint on each of two NICs.
#[derive(Copy, Clone, Debug)]
pub(super) struct Setup<'s> {
    /// The applet at both ends of the sending pairs, by its built-in name; `None` for the base path.
    pub(super) applet: Option<&'s str>,
    /// Number of sending pairs.
    pub(super) pairs: u32,
    /// The host program at the receiving ends.
    pub(super) host: &'s str,
    /// Length of each message, in bytes.
    pub(super) length: u32,
    /// Messages of each sender, all due at the start.
    pub(super) messages: u32,
    /// Free buffers of each endpoint: number and length.
    pub(super) buffers: (u32, u32),
    /// Size of each endpoint's transmit region, in bytes.
    pub(super) room: u32,
    /// Additional pairs that never send: their number and applet.
    pub(super) idle: (u32, &'s str),
}

impl Setup<'_> {
    /// One message on the base path, to a user that only reads it.
    pub(super) const ONE: Setup<'static> = Setup {
        applet: None,
        pairs: 1,
        host: "sink",
        length: 0,
        messages: 1,
        buffers: (32, 4096),
        room: 128 * 1024,
        idle: (0, "RawUnet"),
    };

    /// Returns the sender of a pair.
    pub(super) fn sender(pair: u32) -> EndpointId {
        EndpointId(2 * pair)
    }

    /// Returns the receiver of a pair.
    pub(super) fn receiver(pair: u32) -> EndpointId {
        EndpointId(2 * pair + 1)
    }

    /// Runs the setup.
    pub(super) fn run(&self, profile: &Profile) -> Result<Recording, SimError> {
        let mut recording = Recording::default();
        let end = Run::new(&self.scenario(profile))
            .sink(&mut recording)
            .execute()?
            .end;
        recording.host = end.host;
        Ok(recording)
    }

    /// Returns the scenario. One pair of each kind is parsed from text and then copied, because parsing a thousand
    /// pairs is slow.
    fn scenario(&self, profile: &Profile) -> Scenario {
        // Give the NICs a large SRAM, so that the number of endpoints is not limited. The SRAM of the paper's NIC has
        // room for only a few endpoints.
        let mut text = String::from(
            "until = '100s'\nmax_events = 1000000000\n\
             [[nic]]\nname = 'a'\nsram = '1024MiB'\n[[nic]]\nname = 'b'\nsram = '1024MiB'\n",
        );
        let (idle, idle_applet) = self.idle;
        let kinds = [(self.pairs, self.applet), (idle, Some(idle_applet))];
        for (pair, &(_, applet)) in kinds.iter().enumerate() {
            self.write_pair(&mut text, pair, applet);
        }
        let Setup {
            length, messages, ..
        } = self;
        let _infallible = write!(
            text,
            "[[send]]\nendpoint = 's0'\nchannel = 1\nat = '{}ps'\n\
             payload = {{ zeros = {length} }}\nrepeat = {messages}\nevery = '0ns'\n",
            START.as_ps()
        );
        let mut scenario = scenario::parse_on(&text, profile)
            .expect("setups are scenarios; tests build every one");
        let (pairs, channels) = (
            std::mem::take(&mut scenario.endpoints),
            std::mem::take(&mut scenario.channels),
        );
        let sends = std::mem::take(&mut scenario.sends);
        let of_each = kinds.iter().zip(pairs.chunks(2)).zip(&channels);
        for ((&(count, _), pair), channel) in of_each {
            for _ in 0..count {
                let number = u32::try_from(scenario.channels.len()).expect("setups are small");
                let (sender, receiver) = (Setup::sender(number), Setup::receiver(number));
                for (end, spec) in ["s", "r"].iter().zip(pair) {
                    let mut spec = spec.clone();
                    spec.name = format!("{end}{number}");
                    scenario.endpoints.push(spec);
                }
                scenario.channels.push(ChannelSpec {
                    a: (sender, channel.a.1),
                    b: (receiver, channel.b.1),
                });
            }
        }
        for pair in 0..self.pairs {
            scenario.sends.extend(sends.iter().map(|send| SendSpec {
                table: 0,
                gap: None,
                endpoint: Setup::sender(pair),
                ..send.clone()
            }));
        }
        scenario
    }

    /// Appends a pair and its channel to the text.
    fn write_pair(&self, text: &mut String, pair: usize, applet: Option<&str>) {
        let (count, length) = self.buffers;
        let area = count * length + self.room;
        let applet = applet.map_or_else(String::new, |name| format!("applet = 'builtin:{name}'\n"));
        // Polling every nanosecond makes the user notice a message at once, so that the user's reaction takes the
        // profile's time.
        let common = format!(
            "{applet}poll_every = '1ns'\nbuffer_area = '{area}B'\n\
             free_buffers = {{ count = {count}, length = '{length}B' }}\n"
        );
        let host = self.host;
        let _infallible = write!(
            text,
            "[[endpoint]]\nnic = 'a'\nname = 's{pair}'\n{common}\
             [[endpoint]]\nnic = 'b'\nname = 'r{pair}'\nhost = '{host}'\n{common}\
             [[channel]]\ns{pair} = 1\nr{pair} = 1\n"
        );
    }
}

/// The events of a run that measurements use, with their times.
#[derive(Clone, Debug, Default)]
pub(super) struct Recording {
    /// Total time that the users' processors have worked.
    pub(super) host: SimDuration,
    moments: Vec<Moment>,
    /// Times at which the receiving NIC's processor ended a piece of work.
    worked: Vec<SimTime>,
}

#[derive(Copy, Clone, Debug)]
struct Moment {
    time: SimTime,
    endpoint: EndpointId,
    happening: Happening,
}

/// An event at which a measurement can begin or end.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Happening {
    /// The user pushed a transmit descriptor.
    Posted,
    /// A native has completed, which was called at `begun`.
    Native { name: &'static str, begun: SimTime },
    /// `doTx` or `doRx` has returned.
    Returned,
    /// A transfer began.
    Transfer {
        direction: DmaDirection,
        takes: SimDuration,
    },
    /// A packet's first bit left the NIC.
    Left(PacketId),
    /// A packet's last bit arrived at the NIC.
    Came(PacketId),
    /// A receive descriptor became visible.
    Described,
}

impl Sink for Recording {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let happening = match event.kind {
            EventKind::Unet(UnetEvent::TxPost { .. }) | EventKind::Via(ViaEvent::TxPost { .. }) => {
                Happening::Posted
            }
            EventKind::Sle(SleEvent::Native { name, begun, .. }) => {
                Happening::Native { name, begun }
            }
            EventKind::Sle(SleEvent::AppletReturn { .. }) => Happening::Returned,
            EventKind::Nic(NicEvent::Dma {
                direction,
                duration,
                ..
            }) => Happening::Transfer {
                direction,
                takes: duration,
            },
            EventKind::Nic(NicEvent::WireTx { packet, .. }) => Happening::Left(packet),
            EventKind::Nic(NicEvent::WireRx { packet, .. }) => Happening::Came(packet),
            EventKind::Unet(UnetEvent::RxDescriptor { .. })
            | EventKind::Via(ViaEvent::RxDescriptor { .. }) => Happening::Described,
            EventKind::Nic(NicEvent::Work { .. }) if event.nic == RECEIVER => {
                return self.worked.push(event.time);
            }
            EventKind::Nic(_)
            | EventKind::Unet(_)
            | EventKind::Sle(_)
            | EventKind::Emp(_)
            | EventKind::Via(_)
            | EventKind::Remote(_)
            | EventKind::Lmmc(_)
            | EventKind::Host(_) => return,
        };
        // Events during loading belong to no measurement.
        if let Some(endpoint) = event.endpoint.filter(|_| event.time >= START) {
            self.moments.push(Moment {
                time: event.time,
                endpoint,
                happening,
            });
        }
    }
}

impl Recording {
    /// Returns when the receiving NIC's processor ended the work that it began at `begun`.
    pub(super) fn worked(&self, begun: SimTime) -> Option<SimTime> {
        self.worked.iter().copied().find(|&time| time > begun)
    }

    /// Returns the events of an endpoint with their times, in order.
    pub(super) fn at(
        &self,
        endpoint: EndpointId,
    ) -> impl DoubleEndedIterator<Item = (SimTime, Happening)> {
        self.moments
            .iter()
            .filter(move |moment| moment.endpoint == endpoint)
            .map(|moment| (moment.time, moment.happening))
    }

    /// Returns the events of all endpoints with their times, in order.
    pub(super) fn everywhere(&self) -> impl Iterator<Item = (SimTime, Happening)> {
        self.moments
            .iter()
            .map(|moment| (moment.time, moment.happening))
    }

    /// Returns the time of the first event at an endpoint that `wanted` accepts.
    pub(super) fn first(
        &self,
        endpoint: EndpointId,
        wanted: impl Fn(Happening) -> bool,
    ) -> Option<SimTime> {
        self.at(endpoint)
            .find(|&(_, happening)| wanted(happening))
            .map(|(time, _)| time)
    }

    /// Returns the time of the last event at an endpoint that `wanted` accepts.
    pub(super) fn last(
        &self,
        endpoint: EndpointId,
        wanted: impl Fn(Happening) -> bool,
    ) -> Option<SimTime> {
        self.at(endpoint)
            .rfind(|&(_, happening)| wanted(happening))
            .map(|(time, _)| time)
    }
}
