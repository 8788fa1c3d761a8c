//! The bench of a reproduction: two NICs, pairs of endpoints, and the times at which things happened.

use std::fmt::Write as _;

use nic_core::event::{DmaDirection, Event, EventKind, Names, NicEvent, Sink, SleEvent, UnetEvent};
use nic_core::id::{EndpointId, NicId, PacketId};
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::profile::Profile;
use nic_runtime::scenario::model::{ChannelSpec, SendSpec};
use nic_runtime::scenario::{self, Scenario};
use nic_runtime::sim::{self, SimError};

/// When the first message of every setup is sent.
pub(super) const START: SimTime = SimTime::from_ps(10_000_000);

/// The NIC of the endpoints that receive.
const RECEIVER: NicId = NicId(1);

/// Pairs of endpoints, one of each on either of two NICs.
#[derive(Copy, Clone, Debug)]
pub(super) struct Setup<'s> {
    /// What runs at both ends of the pairs that send: the name of a shipped applet, or the base path.
    pub(super) applet: Option<&'s str>,
    /// How many pairs there are.
    pub(super) pairs: u32,
    /// The program at the ends that receive.
    pub(super) host: &'s str,
    /// Bytes of each message.
    pub(super) length: u32,
    /// Messages of each sender, all due at once.
    pub(super) messages: u32,
    /// Free buffers of each endpoint: how many, and the length of each.
    pub(super) buffers: (u32, u32),
    /// Bytes that an endpoint has for messages that it sends.
    pub(super) room: u32,
    /// Pairs beside them that have this applet and never send.
    pub(super) idle: (u32, &'s str),
}

impl Setup<'_> {
    /// One message on the base path, to a user that only reads.
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

    /// Returns the sender of a pair that sends.
    pub(super) fn sender(pair: u32) -> EndpointId {
        EndpointId(2 * pair)
    }

    /// Returns the receiver of a pair that sends.
    pub(super) fn receiver(pair: u32) -> EndpointId {
        EndpointId(2 * pair + 1)
    }

    /// Runs the setup.
    pub(super) fn run(&self, profile: &Profile) -> Result<Recording, SimError> {
        let mut recording = Recording::default();
        let end = sim::run(&self.scenario(profile), &mut recording)?;
        recording.host = end.host;
        Ok(recording)
    }

    /// Returns the scenario: one pair of each kind is read from text, and the others are like it.
    fn scenario(&self, profile: &Profile) -> Scenario {
        // Memory is out of the question here: the paper's NIC holds a handful of endpoints.
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
                endpoint: Setup::sender(pair),
                ..send.clone()
            }));
        }
        scenario
    }

    /// Writes a pair and its channel.
    fn write_pair(&self, text: &mut String, pair: usize, applet: Option<&str>) {
        let (count, length) = self.buffers;
        let area = count * length + self.room;
        let applet = applet.map_or_else(String::new, |name| format!("applet = 'builtin:{name}'\n"));
        // A user that looks every nanosecond learns of a message at once; what it then does takes the profile's time.
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

/// What happened when.
#[derive(Clone, Debug, Default)]
pub(super) struct Recording {
    /// What all users' processors have worked.
    pub(super) host: SimDuration,
    moments: Vec<Moment>,
    /// When the receiving NIC's processor had done with something.
    worked: Vec<SimTime>,
}

#[derive(Copy, Clone, Debug)]
struct Moment {
    time: SimTime,
    endpoint: EndpointId,
    happening: Happening,
}

/// What a measurement can begin or end with.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Happening {
    /// The user pushed a transmit descriptor.
    Posted,
    /// A native that had been reached then has completed.
    Native { name: &'static str, begun: SimTime },
    /// `doTx` or `doRx` has returned.
    Returned,
    /// A transfer began.
    Transfer {
        direction: DmaDirection,
        takes: SimDuration,
    },
    /// A packet's first bit left.
    Left(PacketId),
    /// A packet's last bit came in.
    Came(PacketId),
    /// A receive descriptor became visible.
    Described,
}

impl Sink for Recording {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let happening = match event.kind {
            EventKind::Unet(UnetEvent::TxPost { .. }) => Happening::Posted,
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
            EventKind::Unet(UnetEvent::RxDescriptor { .. }) => Happening::Described,
            EventKind::Nic(NicEvent::Work { .. }) if event.nic == RECEIVER => {
                return self.worked.push(event.time);
            }
            EventKind::Nic(_) | EventKind::Unet(_) | EventKind::Sle(_) => return,
        };
        // What happens while applets are loaded is no part of any measurement.
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
    /// Returns when the receiving NIC's processor had done with what it began at `begun`.
    pub(super) fn worked(&self, begun: SimTime) -> Option<SimTime> {
        self.worked.iter().copied().find(|&time| time > begun)
    }

    /// Returns what happened at an endpoint, and when, in order.
    pub(super) fn at(
        &self,
        endpoint: EndpointId,
    ) -> impl DoubleEndedIterator<Item = (SimTime, Happening)> {
        self.moments
            .iter()
            .filter(move |moment| moment.endpoint == endpoint)
            .map(|moment| (moment.time, moment.happening))
    }

    /// Returns what happened anywhere, and when, in order.
    pub(super) fn everywhere(&self) -> impl Iterator<Item = (SimTime, Happening)> {
        self.moments
            .iter()
            .map(|moment| (moment.time, moment.happening))
    }

    /// Returns when something that `wanted` picks first happened at an endpoint.
    pub(super) fn first(
        &self,
        endpoint: EndpointId,
        wanted: impl Fn(Happening) -> bool,
    ) -> Option<SimTime> {
        self.at(endpoint)
            .find(|&(_, happening)| wanted(happening))
            .map(|(time, _)| time)
    }

    /// Returns when something that `wanted` picks last happened at an endpoint.
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
