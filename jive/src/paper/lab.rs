//! The bench of a reproduction: two NICs, pairs of endpoints, and the times at which things happened.

use std::fmt::Write as _;

use nic_core::event::{DmaDirection, Event, EventKind, Names, NicEvent, Sink, SleEvent, UnetEvent};
use nic_core::id::{EndpointId, NicId, PacketId};
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::profile::Profile;
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

    fn scenario(&self, profile: &Profile) -> Scenario {
        // Memory is out of the question here: the paper's NIC holds a handful of endpoints.
        let mut text = String::from(
            "until = '100s'\nmax_events = 1000000000\n\
             [[nic]]\nname = 'a'\nsram = '1024MiB'\n[[nic]]\nname = 'b'\nsram = '1024MiB'\n",
        );
        let pairs = (0..self.pairs)
            .map(|_| self.applet)
            .chain((0..self.idle.0).map(|_| Some(self.idle.1)));
        let (count, length) = self.buffers;
        let area = count * length + self.room;
        for (pair, applet) in pairs.enumerate() {
            let applet =
                applet.map_or_else(String::new, |name| format!("applet = 'builtin:{name}'\n"));
            // A user that looks every nanosecond learns of a message at once; what it then does takes
            // the profile's time.
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
        for pair in 0..self.pairs {
            let Setup {
                length, messages, ..
            } = self;
            let _infallible = write!(
                text,
                "[[send]]\nendpoint = 's{pair}'\nchannel = 1\nat = '{}ps'\n\
                 payload = {{ zeros = {length} }}\nrepeat = {messages}\nevery = '0ns'\n",
                START.as_ps()
            );
        }
        scenario::parse_on(&text, profile).expect("setups are scenarios; tests build every one")
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
