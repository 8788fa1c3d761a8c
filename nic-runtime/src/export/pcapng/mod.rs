//! The capture for Wireshark: all packets that pass the taps of NICs and switches, in pcapng format.
//!
//! Each NIC has four taps, which are interfaces of the capture file. Tap `host-tx` captures the messages that users
//! post, and `wire-tx` the packets that are sent. Tap `wire-rx` captures the packets that arrive, and `host-rx` the
//! messages that users receive. Each port of a switch has the tap `port-tx`, for the packets that leave by it.
//! Timestamps of packets are virtual nanoseconds since the start of the run. A comment on each packet says what happened
//! to it.

mod held;
mod verdict;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use nic_core::event::fields::Escaped;
use nic_core::event::roles::{Carries, Forwarded, Roles, Step};
use nic_core::event::{Event, Names, Sink};
use nic_core::id::NicId;
use pcap_file::DataLink;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{Endianness, PcapError};

use self::held::{Held, Record};
use self::verdict::Verdicts;
use crate::spec::{LinkType, Scenario};

/// A point at which the packets of a NIC or switch are captured.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tap {
    /// What users post.
    HostTx,
    /// Packets that are sent.
    WireTx,
    /// Packets that leave a switch by one of its ports.
    PortTx,
    /// Packets that arrive.
    WireRx,
    /// Messages that users receive.
    HostRx,
}

impl Tap {
    /// Every tap, in the order in which a packet passes the taps of its sender and its receiver.
    pub const ALL: [Tap; 5] = [
        Tap::HostTx,
        Tap::WireTx,
        Tap::PortTx,
        Tap::WireRx,
        Tap::HostRx,
    ];

    /// Returns the tap's name in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tap::HostTx => "host-tx",
            Tap::WireTx => "wire-tx",
            Tap::PortTx => "port-tx",
            Tap::WireRx => "wire-rx",
            Tap::HostRx => "host-rx",
        }
    }

    /// Returns the direction bits of `epb_flags`: 1 for inbound, 2 for outbound.
    fn flags(self) -> u32 {
        match self {
            Tap::WireRx | Tap::HostRx => 1,
            Tap::HostTx | Tap::WireTx | Tap::PortTx => 2,
        }
    }
}

/// What a capture has.
#[derive(Copy, Clone, Debug)]
pub struct Watched<'t> {
    /// The taps that are captured at each NIC, and at each port of a switch. No tap occurs twice.
    pub taps: &'t [Tap],
    /// Whether a packet's comment also says how the call that handled the packet ended.
    pub calls: bool,
}

impl Default for Watched<'_> {
    /// Captures at every tap, and leaves the ends of calls out of the comments.
    fn default() -> Self {
        Watched {
            taps: &Tap::ALL,
            calls: false,
        }
    }
}

/// The value of `if_tsresol` for nanoseconds: 10 to the power -9.
const NANOSECONDS: u8 = 9;

/// A place at which packets are captured: a NIC, or a switch and the node to which one of its ports leads.
type Place = (NicId, Option<NicId>);

/// A sink that writes packets as pcapng.
pub struct Capture<W: Write> {
    writer: PcapNgWriter<W>,
    /// The number of each interface of the file.
    interfaces: BTreeMap<(Place, Tap), u32>,
    shows_calls: bool,
    held: Held,
    verdicts: Verdicts,
    failure: Option<io::Error>,
}

impl<W: Write> Capture<W> {
    /// Starts a capture of all NICs and switches of a scenario, at every tap.
    ///
    /// # Errors
    ///
    /// Returns the writer's error if the header cannot be written.
    pub fn new(writer: W, scenario: &Scenario) -> io::Result<Capture<W>> {
        let nics = scenario.nics.len();
        Capture::of_scenario(writer, scenario, nics, Watched::default())
    }

    /// Starts a capture of the first NICs of a scenario and of all its switches, at the taps that the caller selects.
    ///
    /// # Errors
    ///
    /// As for [`Capture::new`].
    pub fn of_scenario(
        writer: W,
        scenario: &Scenario,
        nics: usize,
        watched: Watched<'_>,
    ) -> io::Result<Capture<W>> {
        let section = SectionHeaderBlock {
            // The byte order of the file is fixed, so that the same run gives the same bytes on every machine.
            endianness: Endianness::Little,
            options: vec![SectionHeaderOption::UserApplication(Cow::Borrowed("jive"))],
            ..SectionHeaderBlock::default()
        };
        let mut writer = PcapNgWriter::with_section_header(writer, section).map_err(failure_of)?;
        let linktype = match scenario.link_type {
            LinkType::User0 => DataLink::USER0,
            LinkType::Ethernet => DataLink::ETHERNET,
            LinkType::Numbered(number) => DataLink::from(u32::from(number)),
        };
        let mut interfaces = BTreeMap::new();
        for ((place, tap), number) in taps(scenario, nics, watched.taps).into_iter().zip(0..) {
            let name = interface_name(scenario, place, tap);
            let block = InterfaceDescriptionBlock {
                linktype,
                snaplen: 0,
                options: vec![
                    InterfaceDescriptionOption::IfName(Cow::Owned(name)),
                    InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
                ],
            };
            writer.write_pcapng_block(block).map_err(failure_of)?;
            interfaces.insert((place, tap), number);
        }
        Ok(Capture {
            writer,
            interfaces,
            shows_calls: watched.calls,
            held: Held::default(),
            verdicts: Verdicts::default(),
            failure: None,
        })
    }

    /// Ends the capture and returns the writer.
    ///
    /// # Errors
    ///
    /// Returns the first error of the writer, after which nothing was written.
    pub fn finish(mut self) -> io::Result<W> {
        while let Some(record) = self.held.take() {
            self.write(&record);
        }
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.writer.into_inner()),
        }
    }

    fn write(&mut self, record: &Record) {
        if self.failure.is_some() {
            return;
        }
        let verdict = record.verdict.as_deref().unwrap_or("undecided");
        let mut comment = format!("{}: {verdict}", record.about);
        if let Some(call) = record.call.as_deref().filter(|_| self.shows_calls) {
            comment.push_str("; ");
            comment.push_str(call);
        }
        let length =
            u32::try_from(record.bytes.len()).expect("messages are shorter than 2³² bytes");
        let block = EnhancedPacketBlock {
            interface_id: record.interface,
            timestamp: Duration::from_nanos(record.time.as_ns()),
            original_len: length,
            data: Cow::Borrowed(&record.bytes),
            options: vec![
                EnhancedPacketOption::Comment(Cow::Owned(comment)),
                EnhancedPacketOption::Flags(record.flags),
            ],
        };
        let written = self.writer.write_pcapng_block(block);
        self.failure = written.map_err(failure_of).err();
    }
}

impl<W: Write> Sink for Capture<W> {
    fn wants_posts(&self) -> bool {
        false
    }

    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let roles = event.kind.roles();
        if let Some(here) = event.endpoint {
            let seen = self.record(names, event, &roles);
            let seen = seen.map(|record| self.held.add(record));
            let held = (&mut self.held, names);
            self.verdicts.take(held, (event.nic, here), &roles, seen);
        }
        while let Some(record) = self.held.take_ready() {
            self.write(&record);
        }
    }
}

impl<W: Write> Capture<W> {
    /// Returns the capture record of an event, if a watched tap captures the event.
    fn record(&self, names: &dyn Names, event: &Event<'_>, roles: &Roles<'_>) -> Option<Record> {
        let here = Escaped(names.endpoint(event.endpoint?));
        let mut port = None;
        let (tap, bytes, about) = match roles.step {
            Step::Posted {
                channel, payload, ..
            } => {
                let about = format!("posted by {here} on channel {}", channel.0);
                (Tap::HostTx, payload.to_vec(), about)
            }
            Step::Sent {
                packet,
                peer,
                payload,
                ..
            } => {
                let peer = Escaped(names.endpoint(peer));
                let about = format!("packet {} from {here} to {peer}", packet.0);
                (Tap::WireTx, payload.to_vec(), about)
            }
            // A capture has what NICs send for endpoints, and not what they tell each other.
            Step::Forwarded(Forwarded {
                carries: Carries::Control,
                ..
            }) => return None,
            Step::Forwarded(Forwarded {
                packet,
                peer,
                next,
                payload,
                ..
            }) => {
                let peer = Escaped(names.endpoint(peer));
                let about = format!("packet {} from {here} to {peer}", packet.0);
                port = Some(next);
                (Tap::PortTx, payload.to_vec(), about)
            }
            Step::Received {
                packet,
                peer,
                payload,
                ..
            } => {
                let peer = Escaped(names.endpoint(peer));
                let about = format!("packet {} from {peer} to {here}", packet.0);
                (Tap::WireRx, payload.to_vec(), about)
            }
            Step::Delivered {
                packet,
                channel,
                payload,
                ..
            } => {
                let mut about = format!("message for {here} on channel {}", channel.0);
                if let Some(packet) = packet {
                    write!(about, ", packet {}", packet.0).expect("a string takes all");
                }
                (Tap::HostRx, payload.bytes().collect(), about)
            }
            Step::Completed { .. }
            | Step::Consumed { .. }
            | Step::CallBegan { .. }
            | Step::CallSuspended
            | Step::CallResumed
            | Step::CallReturned { .. }
            | Step::CallTrapped { .. }
            | Step::Made(_)
            | Step::Detached
            | Step::Mapped { .. }
            | Step::ControlSent { .. }
            | Step::ControlReceived { .. }
            | Step::Attached
            | Step::GivenUp { .. }
            | Step::Lost { .. }
            | Step::Dropped { .. }
            | Step::Other => return None,
        };
        let interface = *self.interfaces.get(&((event.nic, port), tap))?;
        Some(Record {
            interface,
            flags: tap.flags(),
            time: event.time,
            bytes,
            about,
            verdict: None,
            call: None,
            is_in_call: false,
        })
    }
}

/// Returns the interfaces of a capture: the watched taps of each NIC, and then those of each switch, port by port.
fn taps(scenario: &Scenario, nics: usize, watched: &[Tap]) -> Vec<(Place, Tap)> {
    let nics = (0u32..).map(NicId).take(nics);
    let of_nic = watched.iter().copied().filter(|tap| *tap != Tap::PortTx);
    let of_nics = nics.flat_map(|nic| of_nic.clone().map(move |tap| ((nic, None), tap)));
    let mut taps = Vec::from_iter(of_nics);
    if watched.contains(&Tap::PortTx) {
        let ports = BTreeSet::from_iter(scenario.ports());
        taps.extend(
            ports
                .into_iter()
                .map(|(at, to)| ((at, Some(to)), Tap::PortTx)),
        );
    }
    taps
}

fn interface_name(scenario: &Scenario, (at, to): Place, tap: Tap) -> String {
    let name = |node| Escaped(scenario.node_name(node));
    match to {
        None => format!("{} {}", name(at), tap.name()),
        Some(to) => format!("{} to {} {}", name(at), name(to), tap.name()),
    }
}

/// Returns the writer's error from an error of the pcapng library. The pcapng library has no other reason to reject the
/// blocks of a capture.
fn failure_of(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(failure) => failure,
        other => io::Error::other(other),
    }
}
