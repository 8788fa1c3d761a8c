//! `jive bound`: the worst case of each entry point of a class.

use std::io::Write;
use std::path::PathBuf;

use bumpalo::Bump;
use clap::{Args, ValueEnum};
use jive_core::ClassFile;
use jive_embed::analysis::{Bound, Bounds, Environment};
use jive_embed::diagnosis::sentence;
use jive_embed::text::{path_text, printable_path};
use jive_embed::{FoundAt, Rejections, load_class, names};
use jive_verifier::Policy;
use nic_core::sle::{NicEntry, NicNative};
use nic_runtime::export::plain_json;
use nic_runtime::profile::Profile;
use nic_runtime::scenario::limits;
use nic_runtime::sle::{DetachedShape, class_environment, environment};
use serde::Serialize;

use super::bound_text;
use super::class_file;
use super::console::{Console, Failure, Status};
use super::named_profile::{self, PROFILE_DEFAULT};

const AFTER_HELP: &str = "\
The numbers hold for every packet, every state of the applet and every result of a native, as long as
the endpoint is no larger than is assumed and nothing but the class stores to its fields.
docs/bound.md says which loops have a bound.

Examples:
  jive bound Filter.class
  jive bound Filter.class --profile modern
  jive bound Filter.class --check 5000
  jive bound builtin:RawUnet --format json | jq '.entry_points[] | {method, bytecodes}'

Exit status:
  0  done
  1  the class was rejected, or a call may execute more bytecodes than `--check` allows
  2  wrong usage, or a file that cannot be read";

/// States what each call of an applet costs at most: bytecodes, time, operands, calls, heap and natives.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The class file, or `builtin:NAME`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The costs: a profile file, or the name of a built-in profile
    #[arg(long, value_name = "PROFILE", default_value = PROFILE_DEFAULT)]
    profile: PathBuf,

    /// Fail if a call may execute more than N bytecodes, or any number
    #[arg(long, value_name = "N")]
    check: Option<u64>,

    /// Maximum number of bytes of the endpoint's buffer area
    #[arg(long, value_name = "BYTES", default_value_t = DetachedShape::default().buffer_area,
          value_parser = clap::value_parser!(u32).range(..=limits::BUFFER_AREA_MAX as i64))]
    buffer_area: u32,

    /// Maximum number of bytes of a free buffer
    #[arg(long, value_name = "BYTES", default_value_t = DetachedShape::default().free_buffer_length,
          value_parser = clap::value_parser!(u32).range(..=limits::BUFFER_AREA_MAX as i64))]
    free_buffer: u32,

    /// Maximum number of bytes of heap; default: the profile's
    #[arg(long, value_name = "BYTES",
          value_parser = clap::value_parser!(u32).range(..=limits::HEAP_MAX as i64))]
    heap: Option<u32>,

    /// Judge the class alone: every method may be called, with any arguments
    #[arg(long)]
    class_only: bool,

    /// How it is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Copy, Clone, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One object
    Json,
}

/// The endpoint that the bounds assume.
#[derive(Copy, Clone, Serialize)]
pub(super) struct Assumed {
    /// Maximum number of bytes of a packet.
    pub(super) packet_bytes: u32,
    pub(super) buffer_area_bytes: u32,
    pub(super) free_buffer_bytes: u32,
    pub(super) heap_bytes: u32,
    /// Whether only the class itself stores to its fields. The NIC stores to a class's fields too if an endpoint has
    /// `state` or its applet is replaced.
    pub(super) only_own_stores: bool,
}

/// The bounds of a class.
#[derive(Serialize)]
pub(super) struct Report<'r> {
    file: &'r str,
    pub(super) class: String,
    pub(super) profile: &'r str,
    /// The endpoint that the bounds assume; absent if every method may be called with any arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) assumes: Option<Assumed>,
    /// With `--check N`: whether no call executes more than N bytecodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    holds: Option<bool>,
    pub(super) entry_points: &'r [Bound],
}

impl<'r> Report<'r> {
    fn of(
        class: &ClassFile<'_>,
        policy: Policy,
        profile: &'r Profile,
        (shape, heap): (DetachedShape, u32),
        bounds: &'r Bounds,
    ) -> Report<'r> {
        Report {
            file: "",
            class: names::class_name(class),
            profile: &profile.name,
            assumes: match policy {
                Policy::Applet { .. } => Some(Assumed {
                    packet_bytes: shape.max_packet,
                    buffer_area_bytes: shape.buffer_area,
                    free_buffer_bytes: shape.free_buffer_length,
                    heap_bytes: heap,
                    only_own_stores: bounds.relies_on_fields,
                }),
                Policy::ClassOnly => None,
            },
            holds: None,
            entry_points: &bounds.entry_points,
        }
    }
}

/// Returns the bounds of an accepted class under the default costs and limits, and the text that describes these
/// bounds.
pub(super) fn said(class: &ClassFile<'_>, policy: Policy) -> (Bounds, String) {
    let profile = Profile::builtin(PROFILE_DEFAULT).expect("it is built in");
    let shape = DetachedShape::default();
    let endpoint = (shape, profile.memory.heap);
    let bounds = bounds_of(class, policy, &profile, endpoint);
    let shown =
        bound_text::Text(&Report::of(class, policy, &profile, endpoint, &bounds)).to_string();
    (bounds, shown)
}

/// Returns the costs and limits that the bounds of an accepted class assume unless the user names others.
pub(super) fn default_environment(policy: Policy) -> Environment {
    let profile = Profile::builtin(PROFILE_DEFAULT).expect("it is built in");
    let endpoint = (DetachedShape::default(), profile.memory.heap);
    environment_of(policy, &profile, endpoint)
}

/// Runs the command.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let given = named_profile::read(&arguments.profile).and_then(|profile| {
        let file = &arguments.file;
        let bytes = class_file::read(file).map_err(|error| {
            sentence(
                &format!("cannot read {}: {error}", printable_path(file)),
                &[],
            )
        })?;
        Ok((profile, bytes))
    });
    let (profile, bytes) = match given {
        Ok(given) => given,
        Err(message) => {
            console.notice(&message)?;
            return Ok(Status::Unusable);
        }
    };
    let policy = if arguments.class_only {
        Policy::ClassOnly
    } else {
        Policy::Applet {
            entries: NicEntry::TABLE,
        }
    };
    let arena = Bump::new();
    let loaded = match load_class(&arena, &bytes, policy, NicNative::TABLE) {
        Ok(loaded) => loaded,
        Err(error) => {
            let found = FoundAt::from(arguments.file.as_path());
            let rejections = Rejections::explore(found, &bytes, policy, NicNative::TABLE, error);
            console.notice(&rejections.render())?;
            return Ok(Status::Rejected);
        }
    };
    let shape = DetachedShape {
        buffer_area: arguments.buffer_area,
        free_buffer_length: arguments.free_buffer,
        max_packet: profile.memory.max_packet.get(),
        ..DetachedShape::default()
    };
    let heap = arguments.heap.unwrap_or(profile.memory.heap);
    let bounds = bounds_of(&loaded.class, policy, &profile, (shape, heap));
    let exceeding = exceeding(&bounds, arguments.check);
    let file = path_text(&arguments.file);
    let mut report = Report::of(&loaded.class, policy, &profile, (shape, heap), &bounds);
    report.file = &file;
    report.holds = arguments.check.map(|_| exceeding.is_empty());
    match arguments.format {
        Format::Text => write!(console.out(), "{}", bound_text::Text(&report))?,
        Format::Json => {
            let json = plain_json::to_string(&report).map_err(std::io::Error::from)?;
            writeln!(console.out(), "{json}")?;
        }
    }
    for message in &exceeding {
        console.notice(&sentence(message, &[]))?;
    }
    Ok(if exceeding.is_empty() {
        Status::Done
    } else {
        Status::Rejected
    })
}

/// Returns the bounds of an accepted class.
fn bounds_of(
    class: &ClassFile<'_>,
    policy: Policy,
    profile: &Profile,
    endpoint: (DetachedShape, u32),
) -> Bounds {
    Bounds::of(*class, &environment_of(policy, profile, endpoint))
}

fn environment_of(
    policy: Policy,
    profile: &Profile,
    (shape, heap): (DetachedShape, u32),
) -> Environment {
    match policy {
        Policy::Applet { .. } => environment(profile, shape, heap),
        Policy::ClassOnly => class_environment(profile, shape),
    }
}

/// Returns a message for each method whose calls may execute more bytecodes than are allowed. Initializers run once,
/// before any packet, so `--check` ignores them.
fn exceeding(bounds: &Bounds, allowed: Option<u64>) -> Vec<String> {
    let Some(allowed) = allowed else {
        return Vec::new();
    };
    let called = bounds
        .entry_points
        .iter()
        .filter(|bound| !bound.is_initializer);
    let exceeding = called.filter(|bound| bound.bytecodes.is_none_or(|most| most > allowed));
    let message = |bound: &Bound| {
        let method = &bound.method;
        match bound.bytecodes {
            Some(most) => {
                format!("`{method}` may execute {most} bytecodes, and `--check` allows {allowed}")
            }
            None => format!(
                "`{method}` has no bound, and `--check` allows {allowed} bytecodes: {}",
                bound_text::reason(bound)
            ),
        }
    };
    exceeding.map(message).collect()
}
