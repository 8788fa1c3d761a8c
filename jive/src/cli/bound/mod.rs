//! `jive bound`: the worst case of each entry point of a class.

mod report;
mod text;

use crate::cli::format::ReportFormat;
use std::io::Write;
use std::path::{Path, PathBuf};

use bumpalo::Bump;
use clap::Args;
use jive_core::ClassFile;
use jive_embed::analysis::{Bound, Bounds, Environment, ForeignFields};
use jive_embed::diagnosis::sentence;
use jive_embed::input;
use jive_embed::text::{path_text, printable, printable_path};
use jive_embed::{FoundAt, Rejections, load_class};
use jive_verifier::Policy;
use nic_core::id::EndpointId;
use nic_core::sle::NicNative;
use nic_runtime::applet::{AppletSite, DetachedShape, class_environment, environment};
use nic_runtime::export::plain_json;
use nic_runtime::profile::Profile;
use nic_runtime::scenario::{closest, limits};

use self::report::{Placed, Report};
use super::class_file;
use super::console::{Console, Failure, Status};
use super::named_profile::{self, PROFILE_DEFAULT};
use super::scenario_file;

const AFTER_HELP: &str = "\
The numbers hold for every packet, every state of the applet and every result of a native, as long as
the endpoint is no larger than is assumed, it has no other applet, and nothing but the class stores to
its fields. With `--scenario`, the numbers hold for an applet where it runs: in a chain, with `state`,
swaps and capsules. docs/bound.md says which loops have a bound.

Examples:
  jive bound Filter.class
  jive bound Filter.class --profile modern
  jive bound Filter.class --check 5000
  jive bound --scenario my.toml --endpoint server --check 5000
  jive bound builtin:RawUnet --format json | jq '.entry_points[] | {method, bytecodes}'

Exit status:
  0  done
  1  the class was rejected, or a call may execute more bytecodes than `--check` allows
  2  wrong usage, or a file that cannot be read";

/// States what each call of an applet costs at most: bytecodes, time, operands, calls, heap and natives.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The class file, or `builtin:NAME`; `-` is standard input [default: the endpoint's applet]
    #[arg(value_name = "FILE", required_unless_present = "scenario")]
    file: Option<PathBuf>,

    /// Judge the class where it runs in a scenario: a TOML file, or the name of a built-in scenario
    #[arg(long, value_name = "SCENARIO", requires = "endpoint",
          conflicts_with_all = ["profile", "buffer_area", "free_buffer", "heap", "class_only"])]
    scenario: Option<PathBuf>,

    /// The name of the endpoint in the scenario
    #[arg(long, value_name = "NAME", requires = "scenario")]
    endpoint: Option<String>,

    /// Which applet of the endpoint's chain, counted from 1 at the user's side
    #[arg(long, value_name = "N", requires = "scenario", value_parser = clap::value_parser!(u32).range(1..))]
    applet: Option<u32>,

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
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// Returns the bounds of an accepted class under the default costs and limits, and the text that describes these
/// bounds.
pub(super) fn said(class: &ClassFile<'_>, policy: Policy) -> (Bounds, String) {
    let (profile, site) = default_place();
    let bounds = Bounds::of(*class, &environment_of(policy, &profile, &site));
    let report = Report::of(class, policy, (&profile, &site), None, &bounds);
    let shown = text::Text(&report).to_string();
    (bounds, shown)
}

/// Returns the costs and limits that the bounds of an accepted class assume unless the user names others.
pub(super) fn default_environment(policy: Policy) -> Environment {
    let (profile, site) = default_place();
    environment_of(policy, &profile, &site)
}

fn default_place() -> (Profile, AppletSite) {
    let profile = Profile::builtin(PROFILE_DEFAULT).expect("it is built in");
    let site = AppletSite::alone(DetachedShape::default(), profile.memory.heap);
    (profile, site)
}

fn environment_of(policy: Policy, profile: &Profile, site: &AppletSite) -> Environment {
    match policy {
        Policy::Applet { .. } | Policy::DirectApplet { .. } => environment(profile, site),
        Policy::Program { .. } | Policy::ClassOnly => {
            let shape = DetachedShape {
                buffer_area: site.buffer_area,
                free_buffer_length: site.free_buffer_length,
                max_packet: site.max_packet,
                ..DetachedShape::default()
            };
            class_environment(profile, shape)
        }
    }
}

/// What the command judges.
struct Given {
    /// The name of the class file.
    file: PathBuf,
    bytes: Vec<u8>,
    profile: Profile,
    site: AppletSite,
    place: Option<Placed>,
}

impl Arguments {
    /// Reads the class and the place where it runs.
    fn given(&self) -> Result<Given, String> {
        let (profile, mut site, placed) = match (&self.scenario, &self.endpoint) {
            (Some(scenario), Some(endpoint)) => self.placed(scenario, endpoint)?,
            _ => {
                let profile = named_profile::read(&self.profile)?;
                let shape = DetachedShape {
                    buffer_area: self.buffer_area,
                    free_buffer_length: self.free_buffer,
                    max_packet: profile.memory.max_packet.get(),
                    ..DetachedShape::default()
                };
                let heap = self.heap.unwrap_or(profile.memory.heap);
                (profile, AppletSite::alone(shape, heap), None)
            }
        };
        let (place, class) = placed.unzip();
        match (&self.file, class.flatten()) {
            (Some(file), _) => {
                if self.scenario.is_some() {
                    // The class is not the one that the scenario's `state` is for, and comes later if at all.
                    site.foreign = ForeignFields::Kept;
                }
                let bytes = class_file::read(file).map_err(|error| {
                    let title = format!("cannot read {}: {error}", printable_path(file));
                    sentence(&title, &[])
                })?;
                let file = file.clone();
                Ok(Given {
                    file,
                    bytes,
                    profile,
                    site,
                    place,
                })
            }
            (None, Some((file, bytes))) => Ok(Given {
                file,
                bytes,
                profile,
                site,
                place,
            }),
            (None, None) => Err(sentence(
                "the endpoint begins without an applet, so the class file must be named",
                &[],
            )),
        }
    }

    /// Returns the place of an applet in a scenario, and the class that is there when the run begins.
    fn placed(&self, path: &Path, name: &str) -> Result<PlacedClass, String> {
        let scenario = scenario_file::load(path, None, input::read_given)
            .map_err(|reports| reports.join("\n\n"))?;
        let endpoints = (0..).map(EndpointId).zip(&scenario.endpoints);
        let Some((id, spec)) = endpoints.into_iter().find(|(_, spec)| spec.name == name) else {
            let names = scenario.endpoints.iter().map(|spec| spec.name.as_str());
            let notes = closest(name, names).map(|word| format!("did you mean `{word}`?"));
            let title = format!("the scenario has no endpoint `{}`", printable(name));
            return Err(sentence(&title, notes.as_slice()));
        };
        let applets = 1 + spec.followers.len();
        let Some(number) = self.applet.or((applets == 1).then_some(1)) else {
            let title = format!(
                "endpoint `{}` has a chain of {applets} applets: `--applet` says which",
                printable(name)
            );
            return Err(sentence(&title, &[]));
        };
        let position = usize::try_from(number - 1).unwrap_or(usize::MAX);
        let Some(site) = AppletSite::of(&scenario, id, position) else {
            let title = format!(
                "expected an applet from 1 to {applets} of endpoint `{}`, found {number}",
                printable(name)
            );
            return Err(sentence(&title, &[]));
        };
        let class = spec.applets().nth(position).map(|(class, _)| {
            let (file, bytes) = scenario_file::class_file(path, &scenario, class);
            (file, bytes.to_vec())
        });
        let place = Placed {
            scenario: path_text(path).into_owned(),
            endpoint: name.to_owned(),
            applet: position + 1,
            applets,
        };
        Ok((
            scenario.profile_of(spec.nic).clone(),
            site,
            Some((place, class)),
        ))
    }
}

/// The costs of a place in a scenario, the place, and the file and bytes of its class.
type PlacedClass = (
    Profile,
    AppletSite,
    Option<(Placed, Option<(PathBuf, Vec<u8>)>)>,
);

/// Runs the command.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let given = match arguments.given() {
        Ok(given) => given,
        Err(message) => {
            console.notice(&message)?;
            return Ok(Status::Unusable);
        }
    };
    let policy = if arguments.class_only {
        Policy::ClassOnly
    } else {
        given.profile.receive.policy()
    };
    let Given {
        file,
        bytes,
        profile,
        site,
        place,
    } = &given;
    let arena = Bump::new();
    let loaded = match load_class(&arena, bytes, policy, NicNative::TABLE) {
        Ok(loaded) => loaded,
        Err(error) => {
            let found = FoundAt::from(file.as_path());
            let rejections = Rejections::explore(found, bytes, policy, NicNative::TABLE, error);
            console.notice(&rejections.render())?;
            return Ok(Status::Rejected);
        }
    };
    let bounds = Bounds::of(loaded.class, &environment_of(policy, profile, site));
    let exceeding = exceeding(&bounds, arguments.check);
    let file = path_text(file);
    let place = place.as_ref();
    let mut report = Report::of(&loaded.class, policy, (profile, site), place, &bounds);
    report.file = &file;
    report.holds = arguments.check.map(|_| exceeding.is_empty());
    match arguments.format {
        ReportFormat::Text => write!(console.out(), "{}", text::Text(&report))?,
        ReportFormat::Json => {
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
                text::reason(bound)
            ),
        }
    };
    exceeding.map(message).collect()
}
