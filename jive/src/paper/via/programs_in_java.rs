//! The measurements of Java programs over VIA: `Ping` and `Pong`, and `Source` and `Drain`, run on two hosts.

use nic_core::event::{Event, EventKind, HostEvent, Names, Sink, ViaEvent};
use nic_core::id::EndpointId;
use nic_core::time::{SimDuration, SimTime};
use nic_core::via::Status;
use nic_runtime::Run;
use nic_runtime::profile::Profile;
use nic_runtime::scenario;

use crate::paper::PaperError;

/// How a Java program sends and receives (S2-11, S2-15).
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::paper) enum Variant {
    /// A copy at each side, and a new array for each message.
    CopyAlloc,
    /// A copy at each side.
    Copy,
    /// The sender's array is pinned, and the receiver copies.
    Pin,
    /// Buffers outside the heap, which the NIC reads and writes.
    Buffer,
    /// The sender's array is pinned, and each message makes a new array.
    PinAlloc,
}

impl Variant {
    /// Every variant, in the order in which figures draw them.
    pub(super) const ALL: [Variant; 5] = [
        Variant::Buffer,
        Variant::CopyAlloc,
        Variant::Copy,
        Variant::Pin,
        Variant::PinAlloc,
    ];

    /// Returns the name that the paper uses.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Variant::CopyAlloc => "copy+alloc",
            Variant::Copy => "copy",
            Variant::Pin => "pin",
            Variant::Buffer => "buffer",
            Variant::PinAlloc => "pin+alloc",
        }
    }

    /// Returns the number by which the programs know the variant.
    pub(in crate::paper) const fn number(self) -> u32 {
        match self {
            Variant::CopyAlloc => 0,
            Variant::Copy => 1,
            Variant::Pin => 2,
            Variant::Buffer => 3,
            Variant::PinAlloc => 4,
        }
    }
}

/// Messages that are exchanged before those that are measured.
const WARM: usize = 4;

/// Messages that a stream may have outstanding.
const CREDITS: u32 = 24;

const LEFT: EndpointId = EndpointId(0);
const RIGHT: EndpointId = EndpointId(1);

/// A measurement of messages of one length.
#[derive(Copy, Clone, Debug)]
pub(super) struct JavaSetup {
    /// The figure that is measured.
    pub(super) figure: &'static str,
    pub(super) variant: Variant,
    /// Length of each message in bytes, at least 4.
    pub(super) length: u32,
}

impl JavaSetup {
    /// Returns the mean time between two posts of `Ping`.
    pub(super) fn round_trip(
        self,
        profile: &Profile,
        rounds: u32,
    ) -> Result<SimDuration, PaperError> {
        let state = format!("rounds = {rounds}");
        let seen = self.run(profile, ["Ping", "Pong"], &state)?;
        let measured = seen.posted.get(WARM..).unwrap_or_default();
        match (measured.first(), measured.last()) {
            (Some(&first), Some(&last)) if measured.len() > 1 => {
                let trips = measured.len() as u64 - 1;
                Ok(SimDuration::from_ps(last.since(first).as_ps() / trips))
            }
            _ => Err(self.nothing()),
        }
    }

    /// Returns the rate of a stream from `Source` to `Drain`, in kilobits a second. The first quarter is not measured.
    pub(super) fn rate(self, profile: &Profile, messages: u32) -> Result<u64, PaperError> {
        let state = format!("count = {messages}, credits = {CREDITS}");
        let seen = self.run(profile, ["Source", "Drain"], &state)?;
        let before = seen.received.len() / 4;
        let (Some(&first), Some(&last)) = (seen.received.get(before), seen.received.last()) else {
            return Err(self.nothing());
        };
        if seen.received.len() != messages as usize || first >= last {
            return Err(self.nothing());
        }
        let measured = (seen.received.len() - 1 - before) as u128;
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

    fn run(
        self,
        profile: &Profile,
        [left, right]: [&str; 2],
        state: &str,
    ) -> Result<Seen, PaperError> {
        let JavaSetup {
            variant, length, ..
        } = self;
        let buffers = 2 * CREDITS + 4;
        let room = length.max(64).next_multiple_of(64);
        let free = match variant {
            Variant::Buffer => 0,
            Variant::CopyAlloc | Variant::Copy | Variant::Pin | Variant::PinAlloc => buffers,
        };
        let area = u64::from(room) * u64::from(2 * buffers);
        let memory = u64::from(room + 64) * u64::from(2 * buffers);
        let host = |nic: &str, class: &str, name: &str| {
            format!(
                "[[nic]]\nname = '{nic}'\n[[process]]\nname = '{nic}-runs'\nnic = '{nic}'\n\
                 program = 'class:builtin:{class}'\nheap = '{memory}B'\nbuffers = '{memory}B'\n\
                 state = {{ variant = {}, length = {length}, {state} }}\n\
                 [[endpoint]]\nnic = '{nic}'\nname = '{name}'\nprocess = '{nic}-runs'\ninterface = 'via'\n\
                 buffer_area = '{area}B'\nfree_buffers = {{ count = {free}, length = '{room}B' }}\n",
                variant.number()
            )
        };
        let text = format!(
            "until = '100s'\nmax_events = 100000000\n{}{}[[channel]]\nleft = 1\nright = 1\nconnect = 'program'\n",
            host("a", left, "left"),
            host("b", right, "right"),
        );
        let scenario = scenario::parse_on(&text, profile).map_err(|_| self.nothing())?;
        let mut seen = Seen::default();
        Run::new(&scenario).sink(&mut seen).execute()?;
        match seen.trapped {
            true => Err(self.nothing()),
            false => Ok(seen),
        }
    }
}

/// When messages were posted at the left and arrived at the right.
#[derive(Clone, Debug, Default)]
struct Seen {
    posted: Vec<SimTime>,
    received: Vec<SimTime>,
    trapped: bool,
}

impl Sink for Seen {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        match (event.kind, event.endpoint) {
            (EventKind::Via(ViaEvent::TxPost { .. }), Some(LEFT)) => self.posted.push(event.time),
            (
                EventKind::Via(ViaEvent::RxDescriptor {
                    status: Status::Ok, ..
                }),
                Some(RIGHT),
            ) => self.received.push(event.time),
            (EventKind::Host(HostEvent::ProgramTrap { .. }), _) => self.trapped = true,
            _ => {}
        }
    }
}
