//! `jive run --applet`: the packets of a capture arrive at an applet, as they follow each other in the capture.

use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use clap::Args;
use jive_embed::diagnosis::{sentence, warning};
use jive_embed::input::ReadError;
use jive_embed::text::{path_text, printable_path};
use nic_core::id::ChannelId;
use nic_core::time::SimTime;
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};
use nic_runtime::scenario::alone::{PEER, PEER_NAME, UNTIL, alone};
use nic_runtime::scenario::{Arrival, CaptureError, Cut, Elapsed, PacketStream};
use nic_runtime::spec::Scenario;
use nic_runtime::spec::{ClassSpec, LinkType};

use super::class_file;
use super::console::{Console, Failure, Status};
use super::packet::filter::Condition;

/// The number of the only channel.
const CHANNEL: ChannelId = ChannelId(1);

/// LINKTYPE_ETHERNET: Ethernet frames.
const ETHERNET: u16 = 1;

const NANOSECONDS_PER_DAY: u64 = 24 * 60 * 60 * 1_000_000_000;

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

    /// What arrives of a packet of which the capture has only the beginning (`tcpdump -s`): `pad` it with zeros, `drop`
    /// it, or `refuse` to read on
    #[arg(long, value_name = "HOW", requires = "applet", value_parser = cut, default_value = "refuse")]
    cut: Cut,

    /// Packets that arrive: `len>=60`, or `12:2=0800` for two bytes from offset 12 on; several must all hold
    #[arg(long, value_name = "CONDITION", requires = "applet")]
    filter: Vec<Condition>,
}

/// Reads what happens to cut packets.
fn cut(word: &str) -> Result<Cut, String> {
    let mut words = Cut::ALL.into_iter();
    let found = words.find(|(known, _)| *known == word);
    let names = || Cut::ALL.map(|(word, _)| word).join(", ");
    found
        .map(|(_, cut)| cut)
        .ok_or_else(|| format!("expected one of {}", names()))
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
    ) -> Result<(Scenario, Programs, Arc<Mutex<Replayed>>), String> {
        let chosen = Chosen {
            skip: self.skip,
            count: self.count,
            filter: self.filter.clone(),
            cut: self.cut,
        };
        prepare(applet, capture, chosen)
    }
}

/// Says which packets of a capture did not arrive as the capture has them. Returns the exit status that follows, given
/// that of the run.
pub(super) fn report(
    replayed: &Replayed,
    (capture, scenario): (&Path, &Scenario),
    of_run: Status,
    console: &mut Console,
) -> Result<Status, Failure> {
    if let Some(Told { count, .. }) = replayed.too_long {
        let limit = scenario.profile.memory.max_packet;
        let title = format!(
            "left out {count} packets of more than {limit} bytes, which no packet of the NIC has"
        );
        console.notice(&sentence(&title, &[]))?;
    }
    for (count, what) in [
        (replayed.padded, "padded with zeros"),
        (replayed.dropped, "left out"),
    ] {
        if count > 0 {
            let title =
                format!("{count} packets, of which the capture has only the beginning, are {what}");
            console.notice(&warning(&title))?;
        }
    }
    let mut told = Vec::new();
    if let (Some(packets), Some(link)) = (replayed.other_link, replayed.link) {
        told.push(format!(
            "left out {packets}: the first packet has link type {link}, not theirs"
        ));
    }
    if let Some(packets) = replayed.too_late {
        let days = UNTIL.since(SimTime::ZERO).as_ns() / NANOSECONDS_PER_DAY;
        told.push(format!(
            "left out {packets}: they come more than {days} days after the first, the longest time of a run"
        ));
    }
    if let Some(packets) = replayed.early {
        told.push(format!(
            "{packets} arrived together with the packet before, whose time is later"
        ));
    }
    // A run that is not done has said itself why it ended.
    if let (Some(packet), Status::Done) = (replayed.waiting, of_run) {
        told.push(format!("the run ended before packet {packet} was sent"));
    }
    if let Some(error) = replayed.failure {
        told.push(format!("cannot read {}: {error}", printable_path(capture)));
    }
    for title in &told {
        console.notice(&sentence(title, &[]))?;
    }
    Ok(if told.is_empty() {
        of_run
    } else {
        of_run.max(Status::Unusable)
    })
}

/// Which packets of a capture arrive.
struct Chosen {
    /// How many packets at the start of the capture are skipped.
    skip: u64,
    /// Maximum number of packets that arrive at the applet.
    count: u64,
    /// The conditions that each packet meets.
    filter: Vec<Condition>,
    /// What happens to packets of which the capture has only the beginning.
    cut: Cut,
}

/// Which packets of a capture did not arrive as the capture has them, and why.
#[derive(Debug, Default)]
pub(super) struct Replayed {
    /// The packets that were left out because they are longer than the NIC's packets.
    too_long: Option<Told>,
    /// How many packets end in zeros, and how many were left out, because the capture has only their beginnings.
    padded: u64,
    dropped: u64,
    /// The packets that were left out because of their link type.
    other_link: Option<Told>,
    /// The packets that were left out because no run lasts so long.
    too_late: Option<Told>,
    /// The packets that arrived later than in the capture, because they precede the packet before.
    early: Option<Told>,
    /// The next packet to be sent, or the one that is being sent.
    waiting: Option<u64>,
    /// The link type of the packets that arrive.
    link: Option<u16>,
    /// Why a part of the capture was not read.
    failure: Option<CaptureError>,
}

/// Some packets of a capture, to be told to the user.
#[derive(Copy, Clone, Debug)]
struct Told {
    count: u64,
    /// The number of the first of these packets.
    first: u64,
}

impl Told {
    fn add(told: &mut Option<Told>, packet: u64) {
        told.get_or_insert(Told {
            count: 0,
            first: packet,
        })
        .count += 1;
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Told { count, first } = *self;
        match count {
            1 => write!(f, "packet {first}"),
            _ => write!(f, "packet {first} and {} more", count - 1),
        }
    }
}

/// A packet that will be posted.
struct Waiting {
    number: u64,
    at: SimTime,
    bytes: Vec<u8>,
}

/// The user at the other end, who posts each packet of the capture at its time.
struct Player {
    packets: PacketStream<BufReader<File>>,
    /// Number of packets that were read.
    read: u64,
    elapsed: Elapsed,
    chosen: Chosen,
    longest: usize,
    next: Option<Waiting>,
    /// Whether the NIC still has the previous packet: packets are posted one at a time, so that their memory is
    /// bounded.
    is_posted: bool,
    replayed: Arc<Mutex<Replayed>>,
}

impl Player {
    /// Reads the capture up to the next packet that arrives.
    fn advance(&mut self) {
        let replayed = Arc::clone(&self.replayed);
        let replayed = &mut *replayed.lock().expect("nobody panics");
        self.next = None;
        while self.chosen.count > 0 {
            let packet = match self.packets.next() {
                None => return,
                Some(Err(error)) => {
                    replayed.failure = Some(error);
                    return;
                }
                Some(Ok(packet)) => packet,
            };
            self.read += 1;
            let number = self.read;
            // The packets that are passed over count in time, or the first that arrives would always be on time.
            let arrival = self.elapsed.next(packet.at);
            if self.chosen.skip > 0 {
                self.chosen.skip -= 1;
                continue;
            }
            let mut conditions = self.chosen.filter.iter();
            if !conditions.all(|condition| condition.holds(&packet.bytes)) {
                continue;
            }
            if packet.missing > 0 && self.chosen.cut == Cut::Drop {
                replayed.dropped += 1;
                continue;
            }
            replayed.padded += u64::from(packet.missing > 0);
            self.chosen.count -= 1;
            if *replayed.link.get_or_insert(packet.link) != packet.link {
                Told::add(&mut replayed.other_link, number);
                continue;
            }
            if packet.bytes.len() > self.longest {
                Told::add(&mut replayed.too_long, number);
                continue;
            }
            let at = match arrival {
                Arrival::After(after) | Arrival::Early(after) => SimTime::ZERO + after,
                Arrival::Beyond => SimTime::MAX,
            };
            if at > UNTIL {
                Told::add(&mut replayed.too_late, number);
                continue;
            }
            if matches!(arrival, Arrival::Early(_)) {
                Told::add(&mut replayed.early, number);
            }
            self.next = Some(Waiting {
                number,
                at,
                bytes: packet.bytes,
            });
            return;
        }
    }

    /// Notes which packet is the next to be sent.
    fn note(&self, number: Option<u64>) {
        self.replayed.lock().expect("nobody panics").waiting = number;
    }
}

impl HostProgram for Player {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        match what {
            Happened::Completed { .. } => {
                self.is_posted = false;
                self.note(self.next.as_ref().map(|next| next.number));
            }
            Happened::Started
            | Happened::Time
            | Happened::Connection { .. }
            | Happened::Vi { .. }
            | Happened::Port { .. }
            | Happened::Window { .. } => {}
            Happened::Message { .. } => return,
        }
        if self.is_posted {
            return;
        }
        let Some(next) = &self.next else { return };
        if next.at > actions.now() {
            return actions.wake_at(next.at);
        }
        if let Some(Waiting { number, bytes, .. }) = self.next.take() {
            actions.post(PEER, CHANNEL, bytes);
            self.is_posted = true;
            self.note(Some(number));
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
) -> Result<(Scenario, Programs, Arc<Mutex<Replayed>>), String> {
    let unreadable = |path: &Path, error: &dyn fmt::Display| {
        format!("cannot read {}: {error}", printable_path(path))
    };
    let bytes = class_file::read(applet).map_err(|error| unreadable(applet, &error))?;
    let origin = path_text(applet).into_owned();
    let mut scenario = alone(ClassSpec { origin, bytes }, CHANNEL);
    let file = open(capture).map_err(|error| unreadable(capture, &error))?;
    let packets = PacketStream::new(BufReader::new(file));
    let packets = packets.map_err(|error| unreadable(capture, &error))?;
    let packets = packets.with_cut(chosen.cut);
    let replayed = Arc::new(Mutex::new(Replayed::default()));
    let mut player = Player {
        packets,
        read: 0,
        elapsed: Elapsed::default(),
        chosen,
        longest: scenario.profile.memory.max_packet.get() as usize,
        next: None,
        is_posted: false,
        replayed: Arc::clone(&replayed),
    };
    // The link type is that of the first packet which arrives.
    player.advance();
    player.note(player.next.as_ref().map(|next| next.number));
    match replayed.lock().expect("nobody panics").link {
        None => {}
        Some(ETHERNET) => scenario.link_type = LinkType::Ethernet,
        Some(number) => scenario.link_type = LinkType::Numbered(number),
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
