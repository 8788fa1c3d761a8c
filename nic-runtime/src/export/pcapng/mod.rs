//! The capture for Wireshark: all packets that pass the taps of the NICs, in pcapng format.
//!
//! Each NIC has four taps, which are interfaces of the file. `host-tx` has the messages that users post, and `wire-tx`
//! the packets that are sent. `wire-rx` has the packets that arrive, and `host-rx` the messages that users receive.
//! Timestamps are virtual nanoseconds since the start of the run. A comment on each packet says what happened to it.

mod held;
mod verdict;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use nic_core::event::fields::Escaped;
use nic_core::event::roles::{Roles, Step};
use nic_core::event::{Event, Names, Sink};
use nic_core::id::NicId;
pub use pcap_file::DataLink;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{Endianness, PcapError};

use self::held::{Held, Record};
use self::verdict::Verdicts;

/// A point at which a NIC's packets are captured.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Tap {
    HostTx,
    WireTx,
    WireRx,
    HostRx,
}

impl Tap {
    const ALL: [Tap; 4] = [Tap::HostTx, Tap::WireTx, Tap::WireRx, Tap::HostRx];

    fn name(self) -> &'static str {
        match self {
            Tap::HostTx => "host-tx",
            Tap::WireTx => "wire-tx",
            Tap::WireRx => "wire-rx",
            Tap::HostRx => "host-rx",
        }
    }

    /// Returns the number of the tap's interface. Each NIC has four, in the order of `ALL`.
    fn interface(self, nic: NicId) -> u32 {
        nic.0 * Tap::ALL.len() as u32 + self as u32
    }

    /// Returns the direction bits of `epb_flags`: 1 for inbound, 2 for outbound.
    fn flags(interface: u32) -> u32 {
        match Tap::ALL[interface as usize % Tap::ALL.len()] {
            Tap::WireRx | Tap::HostRx => 1,
            Tap::HostTx | Tap::WireTx => 2,
        }
    }
}

/// The value of `if_tsresol` for nanoseconds: 10 to the power -9.
const NANOSECONDS: u8 = 9;

/// A sink that writes packets as pcapng.
pub struct Capture<W: Write> {
    writer: PcapNgWriter<W>,
    held: Held,
    verdicts: Verdicts,
    failure: Option<io::Error>,
}

impl<W: Write> Capture<W> {
    /// Starts a capture for these NICs, in the order of their ids. `link` is the link type of the packets.
    ///
    /// # Errors
    ///
    /// Returns the writer's error if the header cannot be written.
    pub fn new<'n>(
        writer: W,
        link: DataLink,
        nics: impl IntoIterator<Item = &'n str>,
    ) -> io::Result<Capture<W>> {
        let section = SectionHeaderBlock {
            // A fixed byte order, so that the same run gives the same bytes on every machine.
            endianness: Endianness::Little,
            options: vec![SectionHeaderOption::UserApplication(Cow::Borrowed("jive"))],
            ..SectionHeaderBlock::default()
        };
        let mut writer = PcapNgWriter::with_section_header(writer, section).map_err(failure_of)?;
        for nic in nics {
            for tap in Tap::ALL {
                let name = format!("{} {}", Escaped(nic), tap.name());
                let block = InterfaceDescriptionBlock {
                    linktype: link,
                    snaplen: 0,
                    options: vec![
                        InterfaceDescriptionOption::IfName(Cow::Owned(name)),
                        InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
                    ],
                };
                writer.write_pcapng_block(block).map_err(failure_of)?;
            }
        }
        Ok(Capture {
            writer,
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
        let comment = format!("{}: {verdict}", record.about);
        let length =
            u32::try_from(record.bytes.len()).expect("messages are shorter than 2³² bytes");
        let block = EnhancedPacketBlock {
            interface_id: record.interface,
            timestamp: Duration::from_nanos(record.time.as_ns()),
            original_len: length,
            data: Cow::Borrowed(&record.bytes),
            options: vec![
                EnhancedPacketOption::Comment(Cow::Owned(comment)),
                EnhancedPacketOption::Flags(Tap::flags(record.interface)),
            ],
        };
        let written = self.writer.write_pcapng_block(block);
        self.failure = written.map_err(failure_of).err();
    }
}

impl<W: Write> Sink for Capture<W> {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let roles = event.kind.roles();
        if let Some(here) = event.endpoint {
            let seen = record(names, event, &roles).map(|record| self.held.add(record));
            self.verdicts.take(&mut self.held, here, &roles, seen);
        }
        while let Some(record) = self.held.take_ready() {
            self.write(&record);
        }
    }
}

/// Returns the record of an event, if a tap captures it.
fn record(names: &dyn Names, event: &Event<'_>, roles: &Roles<'_>) -> Option<Record> {
    let here = Escaped(names.endpoint(event.endpoint?));
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
        } => {
            let peer = Escaped(names.endpoint(peer));
            let about = format!("packet {} from {here} to {peer}", packet.0);
            (Tap::WireTx, payload.to_vec(), about)
        }
        Step::Received {
            packet,
            peer,
            payload,
        } => {
            let peer = Escaped(names.endpoint(peer));
            let about = format!("packet {} from {peer} to {here}", packet.0);
            (Tap::WireRx, payload.to_vec(), about)
        }
        Step::Delivered {
            packet,
            channel,
            payload,
        } => {
            let mut about = format!("message for {here} on channel {}", channel.0);
            if let Some(packet) = packet {
                write!(about, ", packet {}", packet.0).expect("a string takes all");
            }
            (Tap::HostRx, payload.bytes().collect(), about)
        }
        Step::Completed { .. }
        | Step::CallBegan { .. }
        | Step::CallSuspended
        | Step::CallResumed
        | Step::CallReturned { .. }
        | Step::CallTrapped { .. }
        | Step::Made(_)
        | Step::Detached
        | Step::Attached
        | Step::Lost { .. }
        | Step::Dropped { .. }
        | Step::Other => return None,
    };
    Some(Record {
        interface: tap.interface(event.nic),
        time: event.time,
        bytes,
        about,
        verdict: None,
    })
}

/// Returns the writer's own error. The library has no other reason to reject our blocks.
fn failure_of(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(failure) => failure,
        other => io::Error::other(other),
    }
}
