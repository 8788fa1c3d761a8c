//! `jive run --applet`: the packets of a capture arrive at an applet, as they follow each other in the capture.

use std::cell::RefCell;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::Args;
use jive_embed::diagnosis::sentence;
use jive_embed::input::ReadError;
use jive_embed::text::{path_text, printable_path};
use nic_core::id::ChannelId;
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};
use nic_runtime::scenario::alone::{PEER, PEER_NAME, alone};
use nic_runtime::scenario::model::{ClassSpec, LinkType};
use nic_runtime::scenario::{CaptureError, PacketStream, Scenario};

use super::class_file;
use super::console::{Console, Failure, Status};
use super::packet_filter::Condition;

/// The number of the only channel.
const CHANNEL: ChannelId = ChannelId(1);

/// DLT_EN10MB: Ethernet frames.
const ETHERNET: u32 = 1;

/// The options of a command that replays a capture in place of a scenario.
#[derive(Args)]
pub(super) struct CaptureArguments {
    /// In place of a scenario, run this applet (a class file, or `builtin:NAME`) on the packets of a capture
    #[arg(
        long,
        value_name = "FILE",
        requires = "input",
        conflicts_with = "scenario"
    )]
    pub(super) applet: Option<PathBuf>,

    /// The capture whose packets arrive at the applet: pcap or pcapng, of any length
    #[arg(long = "in", id = "input", value_name = "FILE", requires = "applet")]
    input: Option<PathBuf>,

    /// Pass over the first N packets of the capture
    #[arg(long, value_name = "N", requires = "applet", default_value_t = 0)]
    skip: u64,

    /// Stop after N packets that arrive
    #[arg(long, value_name = "N", requires = "applet", default_value_t = u64::MAX, hide_default_value = true)]
    count: u64,

    /// Packets that arrive: `len>=60`, or `12:2=0800` for two bytes from offset 12 on; several must all hold
    #[arg(long, value_name = "CONDITION", requires = "applet")]
    filter: Vec<Condition>,
}

impl CaptureArguments {
    /// Returns the applet and the capture, if they are given.
    pub(super) fn files(&self) -> Option<(&Path, &Path)> {
        self.applet.as_deref().zip(self.input.as_deref())
    }

    /// Prepares a run in which the chosen packets of a capture arrive at an applet.
    ///
    /// # Errors
    ///
    /// Returns an error with the file that cannot be read and the reason.
    pub(super) fn prepare(
        &self,
        applet: &Path,
        capture: &Path,
    ) -> Result<(Scenario, Programs, Rc<RefCell<Replayed>>), String> {
        let chosen = Chosen {
            skip: self.skip,
            count: self.count,
            filter: self.filter.clone(),
        };
        prepare(applet, capture, chosen)
    }
}

/// Says which packets of a capture did not arrive, and returns the exit status that follows.
pub(super) fn report(
    replayed: &Replayed,
    (capture, scenario): (&Path, &Scenario),
    console: &mut Console,
) -> Result<Status, Failure> {
    if replayed.too_long > 0 {
        let (count, limit) = (replayed.too_long, scenario.profile.memory.max_packet);
        let title = format!(
            "left out {count} packets of more than {limit} bytes, which no packet of the NIC has"
        );
        console.notice(&sentence(&title, &[]))?;
    }
    let Some(error) = replayed.failure else {
        return Ok(Status::Done);
    };
    let title = format!("cannot read {}: {error}", printable_path(capture));
    console.notice(&sentence(&title, &[]))?;
    Ok(Status::Unusable)
}

/// Which packets of a capture arrive.
struct Chosen {
    /// How many packets at the start of the capture are skipped.
    skip: u64,
    /// Maximum number of packets that arrive at the applet.
    count: u64,
    /// The conditions that each packet meets.
    filter: Vec<Condition>,
}

/// Which packets of a capture did not arrive, and why.
#[derive(Debug, Default)]
pub(super) struct Replayed {
    /// How many packets were left out because they are longer than the NIC's packets.
    pub(super) too_long: u64,
    /// Why a part of the capture was not read.
    pub(super) failure: Option<CaptureError>,
}

/// The user at the other end, who posts each packet of the capture at its time.
struct Player {
    packets: PacketStream<BufReader<File>>,
    chosen: Chosen,
    longest: usize,
    /// The next packet and its time.
    next: Option<(SimDuration, Vec<u8>)>,
    /// Whether the NIC still has the previous packet: packets are posted one at a time, so that their memory is
    /// bounded.
    is_posted: bool,
    replayed: Rc<RefCell<Replayed>>,
}

impl Player {
    /// Reads the capture up to the next packet that arrives.
    fn advance(&mut self) {
        self.next = None;
        while self.chosen.count > 0 {
            match self.packets.next() {
                None => return,
                Some(Err(error)) => {
                    self.replayed.borrow_mut().failure = Some(error);
                    return;
                }
                Some(Ok(_)) if self.chosen.skip > 0 => self.chosen.skip -= 1,
                Some(Ok((after, bytes))) => {
                    if !self
                        .chosen
                        .filter
                        .iter()
                        .all(|condition| condition.holds(&bytes))
                    {
                        continue;
                    }
                    self.chosen.count -= 1;
                    if bytes.len() <= self.longest {
                        self.next = Some((after, bytes));
                        return;
                    }
                    self.replayed.borrow_mut().too_long += 1;
                }
            }
        }
    }
}

impl HostProgram for Player {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        match what {
            Happened::Completed { .. } => self.is_posted = false,
            Happened::Started | Happened::Time => {}
            Happened::Message { .. } => return,
        }
        if self.is_posted {
            return;
        }
        let Some((after, _)) = &self.next else { return };
        let time = SimTime::ZERO + *after;
        if time > actions.now() {
            return actions.wake_at(time);
        }
        if let Some((_, bytes)) = self.next.take() {
            actions.post(PEER, CHANNEL, bytes);
            self.is_posted = true;
            self.advance();
        }
    }
}

/// Prepares a run in which the packets of a capture arrive at an applet.
///
/// # Errors
///
/// Returns an error with the file that cannot be read and the reason.
fn prepare(
    applet: &Path,
    capture: &Path,
    chosen: Chosen,
) -> Result<(Scenario, Programs, Rc<RefCell<Replayed>>), String> {
    let unreadable = |path: &Path, error: &dyn std::fmt::Display| {
        format!("cannot read {}: {error}", printable_path(path))
    };
    let bytes = class_file::read(applet).map_err(|error| unreadable(applet, &error))?;
    let origin = path_text(applet).into_owned();
    let mut scenario = alone(ClassSpec { origin, bytes }, CHANNEL);
    let file = open(capture).map_err(|error| unreadable(capture, &error))?;
    let packets = PacketStream::new(BufReader::new(file));
    let packets = packets.map_err(|error| unreadable(capture, &error))?;
    let replayed = Rc::new(RefCell::new(Replayed::default()));
    let mut player = Player {
        packets,
        chosen,
        longest: scenario.profile.memory.max_packet.get() as usize,
        next: None,
        is_posted: false,
        replayed: Rc::clone(&replayed),
    };
    // The capture's link type is known only after its first packet was read.
    player.advance();
    if u32::from(player.packets.link()) == ETHERNET {
        scenario.link_type = LinkType::Ethernet;
    }
    let programs = Programs::new().with(PEER_NAME, player);
    Ok((scenario, programs, replayed))
}

/// Opens the capture that the user named, which may be a pipe.
fn open(path: &Path) -> Result<File, ReadError> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(ReadError::Directory);
    }
    Ok(file)
}
