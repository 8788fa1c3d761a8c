//! `jive packet`: runs an applet on a few packets, one after the other, and shows its actions for each.

mod events;
pub(super) mod filter;
mod given;
mod simulate;
mod time;

use crate::cli::format::ReportFormat;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use jive_embed::diagnosis::sentence;
use jive_embed::input;
use jive_embed::text::{path_text, printable, printable_path};
use nic_core::event::EndReason;
use nic_core::id::ChannelId;
use nic_runtime::export::plain_json;
use nic_runtime::scenario::alone::{APPLET, alone, set_state};
use nic_runtime::spec::ClassSpec;
use nic_runtime::spec::Scenario;
use serde::Serialize;

use self::events::{Bytes, Gathered, Happened, hex};
use self::given::{Packet, Way};
use super::class_file;
use super::console::{Console, Failure, Status};
use super::fields::{self, Field};
use super::scenario_file;
use super::{run, traps};

/// Maximum number of packets of one command. A command line cannot hold more packets of full length.
const PACKETS_MAX: usize = 10_000;

/// The longest file of a packet, in bytes. No NIC has longer packets.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The number of events after which the run ends. An applet may set its timer again and again, so the events between
/// two packets are unlimited otherwise.
const EVENTS_MAX: u64 = 10_000_000;

const AFTER_HELP: &str = "\
BYTES are hexadecimal digits, in which spaces and colons do not count, `text:TEXT` for the bytes of a
text, or `@FILE` for those of a file. Packets come in the order of the command line, each when what the one before led to is over, all to one
instance of the applet. It runs on a NIC of its own with the defaults of a scenario; at the other end
of its channel is a peer that reads what it sends. What `--tx` gives lies in the applet's buffer area.

Examples:
  jive packet Parrot.class --rx 68656c6c6f
  jive packet Parrot.class --rx text:hello
  jive packet builtin:RawUnet --rx @frame.bin --tx 00ff --channel 7
  jive packet Filter.class --rx @frame.bin --repeat 100000
  jive packet Filter.class --rx 4500 --format json | jq .fields

Exit status:
  0  every call returned
  1  the class was rejected
  2  wrong usage, or a file that cannot be read
  3  a call trapped";

/// Runs an applet on packets, and shows what it sends, delivers, returns and keeps.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The applet's class file, or `builtin:NAME`; `-` is standard input
    #[arg(value_name = "APPLET")]
    applet: PathBuf,

    #[command(flatten)]
    packets: Packets,

    /// The number of the channel
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(i32).range(0..))]
    channel: i32,

    /// Set a static field before the static initializer runs, as in `WINDOW=8` or `KEYS=[1, 2]`
    #[arg(long, value_name = "NAME=VALUE")]
    state: Vec<String>,

    /// Measure the last packet's call: 5 rounds of N calls, each from the same state
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    repeat: Option<u64>,

    /// Look for Java sources in this directory first; may be given several times
    #[arg(long, value_name = "DIR")]
    source_path: Vec<PathBuf>,

    /// Fill `RxBuf` behind each packet with a pattern, so that an applet that reads there shows
    #[arg(long)]
    poison: bool,

    /// How it is printed
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// The packets of a command line in their order. `clap` collects the values of each option separately, with their
/// positions on the command line.
struct Packets(Vec<(Way, OsString)>);

impl FromArgMatches for Packets {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Packets, clap::Error> {
        let mut packets = Vec::new();
        for way in Way::ALL {
            let places = matches.indices_of(way.word()).into_iter().flatten();
            let values = matches.get_many::<OsString>(way.word());
            let values = values.into_iter().flatten().cloned();
            packets.extend(places.zip(values).map(|(place, value)| (place, way, value)));
        }
        packets.sort_by_key(|(place, ..)| *place);
        let packets = packets.into_iter().map(|(_, way, value)| (way, value));
        Ok(Packets(packets.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Packets::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Packets {
    fn augment_args(command: Command) -> Command {
        Way::ALL.into_iter().fold(command, |command, way| {
            command.arg(
                Arg::new(way.word())
                    .long(way.word())
                    .value_name("BYTES")
                    .help(way.help())
                    .action(ArgAction::Append)
                    .value_parser(ValueParser::new(OsStringValueParser::new())),
            )
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Packets::augment_args(command)
    }
}

/// The result of a command as JSON.
#[derive(Serialize)]
struct Report<'r> {
    applet: &'r str,
    load: &'r Happened,
    packets: Vec<Handled<'r>>,
    fields: &'r [Field],
    #[serde(skip_serializing_if = "Option::is_none")]
    ns_per_call: Option<f64>,
}

/// A packet and the applet's actions for it.
#[derive(Serialize)]
struct Handled<'r> {
    way: Way,
    channel: i32,
    length: usize,
    #[serde(serialize_with = "hex")]
    payload: &'r [u8],
    #[serde(flatten)]
    happened: &'r Happened,
}

/// Runs the command.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    match prepare(arguments) {
        Ok((scenario, packets)) => handle(arguments, &scenario, &packets, console),
        Err(title) => {
            console.notice(&sentence(&title, &[]))?;
            Ok(Status::Unusable)
        }
    }
}

/// Reads the class and the packets of the command.
fn prepare(arguments: &Arguments) -> Result<(Scenario, Vec<Packet>), String> {
    let given = &arguments.packets.0;
    if given.is_empty() {
        return Err("expected a packet: add `--rx BYTES` or `--tx BYTES`".to_owned());
    }
    if given.len() > PACKETS_MAX {
        return Err(format!("expected at most {PACKETS_MAX} packets"));
    }
    let file = arguments.applet.as_path();
    let bytes = class_file::read(file)
        .map_err(|error| format!("cannot read {}: {error}", printable_path(file)))?;
    let origin = path_text(file).into_owned();
    let mut scenario = alone(ClassSpec { origin, bytes }, ChannelId(arguments.channel));
    set_state(&mut scenario, &arguments.state).map_err(|reason| format!("`--state`: {reason}"))?;
    scenario.events_max = EVENTS_MAX;
    scenario.poisons_rx_buf = arguments.poison;
    let spec = &scenario.endpoints[APPLET.0 as usize];
    // The user sends messages from the part of the buffer area after the free buffers.
    let room = spec.buffer_area - spec.free_buffer_count * spec.free_buffer_length;
    let packets = given.iter().map(|(way, text)| {
        let bytes = bytes_of(text)?;
        let limit = match way {
            Way::Rx => scenario.profile.memory.max_packet.get(),
            Way::Tx => room,
        };
        if bytes.len() > limit as usize {
            let (way, found) = (way.word(), bytes.len());
            return Err(format!(
                "expected at most {limit} bytes for `--{way}`, found {found}"
            ));
        }
        Ok(Packet { way: *way, bytes })
    });
    let packets = packets.collect::<Result<Vec<_>, String>>()?;
    Ok((scenario, packets))
}

/// Reads the bytes of a packet.
fn bytes_of(given: &OsString) -> Result<Vec<u8>, String> {
    let text = path_text(Path::new(given));
    if let Some(file) = text.strip_prefix('@') {
        // A file name may contain bytes that are not valid text.
        let name = given.as_encoded_bytes().get(1..).unwrap_or_default();
        let path = match std::str::from_utf8(name) {
            Ok(name) => PathBuf::from(name),
            Err(_) => {
                return Err(format!(
                    "expected a name in UTF-8, found {}",
                    printable(file)
                ));
            }
        };
        return input::read_given(&path, FILE_BYTES_MAX)
            .map_err(|error| format!("cannot read {}: {error}", printable_path(&path)));
    }
    if text.starts_with("text:") {
        // Return the bytes as the command line gives them, whatever they encode.
        let bytes = given.as_encoded_bytes().get("text:".len()..);
        return Ok(bytes.unwrap_or_default().to_vec());
    }
    let wrong = || {
        let shown = printable(&text);
        format!("expected pairs of hexadecimal digits, `text:TEXT` or `@FILE`, found {shown:?}")
    };
    let digits = text.bytes().filter(|byte| !matches!(byte, b' ' | b':'));
    let digits = digits.map(|byte| char::from(byte).to_digit(16).ok_or_else(wrong));
    let digits = digits.collect::<Result<Vec<u32>, String>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(wrong());
    }
    // Each digit is below 16, so a pair of them fits in a byte.
    Ok(pairs
        .iter()
        .map(|[high, low]| (high << 4 | low) as u8)
        .collect())
}

fn handle(
    arguments: &Arguments,
    scenario: &Scenario,
    packets: &[Packet],
    console: &mut Console,
) -> Result<Status, Failure> {
    let channel = ChannelId(arguments.channel);
    let at = (Path::new(""), arguments.source_path[..].into());
    let mut gathered = Gathered::new(arguments.channel, packets.len());
    let (end, states) = match simulate::run(scenario, channel, packets, &mut gathered) {
        Ok(ran) => ran,
        Err(error) => {
            let (blame, report) = scenario_file::refusal(at, scenario, error);
            console.notice(&report)?;
            return Ok(blame.into());
        }
    };
    let class = &scenario.classes[0].bytes;
    let applet = states.first().and_then(|state| state.applet.as_ref());
    let fields = applet.map(|state| fields::of(class, state));
    let fields = fields.unwrap_or_default();
    let trapped = gathered.steps.iter().any(Happened::has_trapped);
    let time = match (arguments.repeat, packets.split_last()) {
        (Some(count), Some((last, before))) if !trapped => {
            time::measure(scenario, channel, (before, last), &gathered, count)
        }
        _ => None,
    };
    let [load, steps @ ..] = &gathered.steps[..] else {
        return Ok(Status::Done);
    };
    match arguments.format {
        ReportFormat::Text => {
            let out = console.out();
            if !load.calls.is_empty() {
                write!(out, "load\n{load}")?;
            }
            for (packet, happened) in packets.iter().zip(steps) {
                let (way, length) = (packet.way.word(), Bytes(packet.bytes.len()));
                let channel = arguments.channel;
                write!(out, "{way} {length} on channel {channel}\n{happened}")?;
            }
            writeln!(out, "fields")?;
            for field in &fields {
                writeln!(out, "  {field}")?;
            }
            if let Some(time) = time {
                writeln!(out, "time: {time:.1} ns per call (median of rounds)")?;
            }
        }
        ReportFormat::Json => {
            let packets = packets.iter().zip(steps).map(|(packet, happened)| Handled {
                way: packet.way,
                channel: arguments.channel,
                length: packet.bytes.len(),
                payload: &packet.bytes,
                happened,
            });
            let report = Report {
                applet: &scenario.classes[0].origin,
                load,
                packets: packets.collect(),
                fields: &fields,
                ns_per_call: time,
            };
            let json = plain_json::to_string(&report).map_err(std::io::Error::from)?;
            writeln!(console.out(), "{json}")?;
        }
    }
    let (name, source_path) = at;
    let reports = traps::of_run(&gathered.traps, (name, scenario), source_path);
    if !reports.is_empty() {
        console.notice(&reports.join("\n\n"))?;
    }
    run::report_stuck(&end, console)?;
    if end.reason == EndReason::MaxEvents {
        let title = format!("ended at {} after {EVENTS_MAX} events", end.time);
        console.notice(&sentence(&title, &[]))?;
    }
    let ended = run::status(&end);
    Ok(match trapped {
        true => Status::Trapped.max(ended),
        false => ended,
    })
}
