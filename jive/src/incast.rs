//! Incast: many NICs send to one over a switch that drops what its buffer has no room for. The page `docs/incast.md` shows
//! the figures, which `cargo run --release -p jive --example incast` draws.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::num::NonZeroU32;

use nic_core::event::{Event, EventKind, Names, NicEvent, Sink, UnetEvent, ViaEvent};
use nic_core::id::EndpointId;
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::Run;
use nic_runtime::profile::{Flow, Profile};
use nic_runtime::scenario;

use crate::paper::{Axis, Curve, Drawing, PaperError, Plot};

/// The most senders.
pub const SENDERS: u32 = 16;

/// Bytes that each link carries in a second: Fast Ethernet. Two senders suffice to fill it over each interface.
pub const PORT: u64 = 12_500_000;

/// Bytes of a message, which is one packet.
const LENGTH: u32 = 1_400;

/// Bytes of the longest packet. A buffer of a switch must have room for one such packet of each endpoint.
const LONGEST: NonZeroU32 = NonZeroU32::new(1_500).expect("not 0");

/// Bytes of frames that a port of the switch has room for.
const BUFFER: &str = "32KiB";

/// Virtual time of a run in milliseconds.
const TIME: u64 = 200;

/// Half the time of a run.
const HALF: SimDuration = SimDuration::from_ns(TIME * 500_000);

/// How messages reach their receiver.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Interface {
    /// Endpoints of U-Net without an applet: what is lost stays lost.
    Base,
    /// The applet `Reliable`: a window of four messages, and repetitions after a time-out.
    Reliable,
    /// The applet `TokenFlow`: four messages for which the receiver has promised a buffer, and no repetitions.
    TokenFlow,
    /// VIs whose programs send with four credits, one for each receive descriptor. A lost packet ends a connection.
    Via,
    /// EMP: two messages under way, and repetitions after a time-out.
    Emp,
}

/// All interfaces.
pub const INTERFACES: [Interface; 5] = [
    Interface::Base,
    Interface::Reliable,
    Interface::TokenFlow,
    Interface::Via,
    Interface::Emp,
];

/// What a number of senders achieves.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Incast {
    /// Bytes of messages that the receivers' programs read in a second, together.
    pub goodput: u64,
    /// Packets that NICs sent.
    pub packets: u64,
    /// Packets that the switch dropped.
    pub dropped: u64,
    /// Senders of which a message was read in the second half of the run.
    pub served: u32,
}

impl Interface {
    /// Returns the name in the figures.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Interface::Base => "base path",
            Interface::Reliable => "Reliable",
            Interface::TokenFlow => "TokenFlow",
            Interface::Via => "VIA, credits",
            Interface::Emp => "EMP",
        }
    }

    /// Returns the built-in profile of the interface's own paper, with one port for each NIC.
    fn profile(self) -> &'static str {
        match self {
            Interface::Base | Interface::Reliable | Interface::TokenFlow => "lanai-1998-switched",
            Interface::Via => "giganet-1999-switched",
            Interface::Emp => "tigon2-2002-switched",
        }
    }

    /// Returns the number of buffers in which a receiver takes messages. A VI's are its credits.
    fn buffers(self) -> u32 {
        match self {
            Interface::Via => 4,
            Interface::Base | Interface::Reliable | Interface::TokenFlow | Interface::Emp => 16,
        }
    }

    /// Returns the keys of both endpoints of a channel, of the sender's, and of the receiver's.
    fn keys(self) -> [&'static str; 3] {
        match self {
            Interface::Base => ["", "", ""],
            Interface::Reliable => [
                "applet = 'builtin:Reliable'\nstate = { WINDOW = 4, SLOT = 1400, TIMEOUT = 5000 }\n",
                "",
                "",
            ],
            Interface::TokenFlow => [
                "applet = 'builtin:TokenFlow'\nstate = { WINDOW = 4, SLOT = 1400 }\n",
                "",
                "",
            ],
            Interface::Via => [
                "interface = 'via'\nreliability = 'delivery'\n",
                "host = 'credit-stream'\nrounds = 100000\nmessage_length = 1400\n",
                "host = 'acknowledge'\nacknowledge_every = 1\n",
            ],
            Interface::Emp => [
                "interface = 'emp'\nrx_queue = 16\n",
                "host = 'emp-stream'\nrounds = 100000\nmessage_length = 1400\n",
                "",
            ],
        }
    }

    /// Runs this many senders, all of which send as fast as they may.
    ///
    /// # Errors
    ///
    /// Returns an error if the scenario cannot be built or run.
    pub fn run(self, senders: u32) -> Result<Incast, PaperError> {
        let nothing = PaperError::NothingMeasured { figure: "incast" };
        let mut profile = Profile::builtin(self.profile()).ok_or(nothing)?;
        // With the flow "hold", a packet would wait at its sender for a slot of the receiver, and no buffer overflow.
        profile.wire.flow = Flow::Drop;
        profile.memory.max_packet = LONGEST;
        let scenario = scenario::parse_on(&self.text(senders), &profile).map_err(|_| nothing)?;
        let mut seen = Seen::default();
        Run::new(&scenario).sink(&mut seen).execute()?;
        Ok(Incast {
            goodput: seen.messages * u64::from(LENGTH) * 1_000 / TIME,
            packets: seen.packets,
            dropped: seen.dropped,
            served: u32::try_from(seen.served.len()).unwrap_or(u32::MAX),
        })
    }

    /// Returns the scenario: a star of one receiver and the senders. Endpoints of senders have even numbers.
    fn text(self, senders: u32) -> String {
        let [both, sender, receiver] = self.keys();
        let mut text = format!(
            "until = '{TIME}ms'\nmax_events = 100000000\n\
             [[switch]]\nname = 'switch'\nports = {}\nlatency = '1us'\n\
             mode = 'store-and-forward'\nbuffer = '{BUFFER}'\n\
             [[nic]]\nname = 'sink'\nsram = '64MiB'\n{}",
            senders + 1,
            link("sink"),
        );
        let common = format!(
            "{both}poll_every = '1us'\nbuffer_area = '128KiB'\n\
             free_buffers = {{ count = {}, length = 2048 }}\n",
            self.buffers()
        );
        for number in 0..senders {
            let nic = format!("n{number}");
            let _infallible = write!(
                text,
                "[[nic]]\nname = '{nic}'\n{}\
                 [[endpoint]]\nnic = '{nic}'\nname = 's{number}'\n{common}{sender}\
                 [[endpoint]]\nnic = 'sink'\nname = 'r{number}'\n{common}{receiver}\
                 [[channel]]\ns{number} = 1\nr{number} = 1\n",
                link(&nic),
            );
            if sender.is_empty() {
                // A message at the rate of the link.
                let _infallible = write!(
                    text,
                    "[[send]]\nendpoint = 's{number}'\nchannel = 1\n\
                     payload = {{ zeros = {LENGTH} }}\nrepeat = 10000\nevery = '112us'\n"
                );
            }
        }
        text
    }
}

/// Returns the link of a NIC to the switch.
fn link(nic: &str) -> String {
    format!("[[link]]\nbetween = ['{nic}', 'switch']\nbandwidth = '{PORT}B/s'\n")
}

/// The messages that receivers read, and the packets of a run.
#[derive(Clone, Debug, Default)]
struct Seen {
    messages: u64,
    packets: u64,
    dropped: u64,
    served: BTreeSet<EndpointId>,
}

impl Sink for Seen {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        match event.kind {
            EventKind::Unet(UnetEvent::RxDescriptor { .. })
            | EventKind::Via(ViaEvent::RxDescriptor { .. }) => {
                let receiver = event.endpoint.filter(|endpoint| endpoint.0 % 2 == 1);
                self.messages += u64::from(receiver.is_some());
                if event.time.since(SimTime::ZERO) > HALF {
                    self.served.extend(receiver);
                }
            }
            EventKind::Nic(NicEvent::WireTx { .. }) => self.packets += 1,
            EventKind::Nic(NicEvent::WireDrop { .. }) => self.dropped += 1,
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

/// What 1 to [`SENDERS`] senders achieve over each of [`INTERFACES`].
pub type Study = [[Incast; SENDERS as usize]; INTERFACES.len()];

/// Measures what each number of senders achieves over each interface.
///
/// # Errors
///
/// Returns an error if a scenario cannot be built or run.
pub fn study() -> Result<Study, PaperError> {
    let mut study = Study::default();
    for (interface, of_interface) in INTERFACES.into_iter().zip(&mut study) {
        for (senders, found) in (1..).zip(of_interface) {
            *found = interface.run(senders)?;
        }
    }
    Ok(study)
}

/// Returns the figures: goodput, the share of packets that are dropped, and how many senders are still served in the end,
/// against the number of senders.
#[must_use]
pub fn drawings(study: &Study) -> [Drawing; 3] {
    let mut goodput = vec![Curve {
        name: "the port",
        points: [1, SENDERS]
            .map(|senders| (f64::from(senders), megabytes(PORT)))
            .to_vec(),
    }];
    let (mut dropped, mut served) = (Vec::new(), Vec::new());
    for (interface, of_interface) in INTERFACES.into_iter().zip(study) {
        let (mut rates, mut shares, mut left) = (Vec::new(), Vec::new(), Vec::new());
        for (senders, found) in (1u32..).zip(of_interface) {
            let x = f64::from(senders);
            rates.push((x, megabytes(found.goodput)));
            // The conversions are exact: a run has far fewer than 2^52 packets.
            shares.push((
                x,
                found.dropped as f64 * 100.0 / found.packets.max(1) as f64,
            ));
            left.push((x, f64::from(found.served)));
        }
        let name = interface.name();
        goodput.push(Curve {
            name,
            points: rates,
        });
        served.push(Curve { name, points: left });
        dropped.push(Curve {
            name,
            points: shares,
        });
    }
    let plot = |name, title: &str, label, curves| {
        let axis = |label| Axis {
            label,
            logarithmic: false,
        };
        Drawing::Curves(Plot {
            name,
            title: title.to_owned(),
            x: axis("senders"),
            y: axis(label),
            curves,
            marks: Vec::new(),
        })
    };
    [
        plot(
            "incast-goodput",
            "Incast: what the receivers read",
            "goodput (MB/s)",
            goodput,
        ),
        plot(
            "incast-drops",
            "Incast: what the switch drops",
            "dropped packets (%)",
            dropped,
        ),
        plot(
            "incast-served",
            "Incast: whose messages are still read in the second half",
            "senders served",
            served,
        ),
    ]
}

/// Converts bytes a second to megabytes a second.
fn megabytes(rate: u64) -> f64 {
    // The conversion is exact: rates are far below 2^52.
    rate as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::paper::draw;

    static MEASURED: LazyLock<Study> = LazyLock::new(|| study().unwrap());

    #[test]
    fn goodput_is_at_most_one_ports() {
        for (interface, of_interface) in INTERFACES.into_iter().zip(&*MEASURED) {
            for (senders, found) in (1..).zip(of_interface) {
                assert!(found.goodput <= PORT, "{interface:?}, {senders}: {found:?}");
                // One sender loses nothing, and two fill nearly the whole port.
                if senders == 1 {
                    assert_eq!((found.dropped, found.served), (0, 1), "{interface:?}");
                }
                if senders == 2 {
                    assert!(found.goodput * 100 > PORT * 95, "{interface:?}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn what_the_page_says_of_sixteen_senders() {
        let of = |interface: Interface| {
            let place = INTERFACES.iter().position(|&one| one == interface);
            MEASURED[place.unwrap()][SENDERS as usize - 1]
        };
        let served = INTERFACES.map(|interface| of(interface).served);
        assert_eq!(served, [16, 16, 7, 0, 16]);
        // No recovery: all but a sixteenth of the packets are lost, and the port is never idle.
        let base = of(Interface::Base);
        assert!(base.dropped * 16 > base.packets * 14, "{base:?}");
        assert!(base.goodput * 100 > PORT * 99, "{base:?}");
        // Repetitions cost a part of the port, and lost credits all of it.
        let rates =
            [Interface::Emp, Interface::Reliable, Interface::Via].map(|one| of(one).goodput);
        assert!(rates.is_sorted_by(|more, less| more > less), "{rates:?}");
    }

    #[test]
    fn figures_of_the_page_are_those_that_are_drawn() {
        let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/figures");
        for drawing in &drawings(&MEASURED) {
            let shown = std::fs::read_to_string(directory.join(format!("{}.svg", drawing.name())));
            assert!(
                shown.unwrap() == draw(drawing).unwrap(),
                "{}: expected what `cargo run --release -p jive --example incast -- docs/figures` draws",
                drawing.name()
            );
        }
    }
}
