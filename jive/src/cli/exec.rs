//! `jive exec`: calls static methods of a class, without a network.

use std::io::Write;
use std::path::{Path, PathBuf};

use bumpalo::Bump;
use clap::{Args, ValueEnum};
use jive_core::{LinkedClass, Motion, Trap};
use jive_embed::diagnosis::sentence;
use jive_embed::text::{printable, printable_path};
use jive_embed::{
    CollectedClass, FoundAt, Rejections, closest, input, load_class, load_collected, names,
    plain_text,
};
use jive_verifier::Policy;
use nic_core::sle::NicNative;

use super::call::{Call, CallError};
use super::class_file;
use super::console::{Console, Failure, Status};
use super::explained::Explained;
use super::machine::Machine;

/// Maximum number of bytes of a file of calls: a million short calls.
const CALLS_BYTES_MAX: u64 = 16 << 20;

const AFTER_HELP: &str = "\
The class is verified without asking for an applet's members. Its static initializer runs, then its
constructor without parameters where it has one, then METHOD. What is printed is `return: N` (`return`
of a void method) or `trap: NAME at METHOD pc N (line L)`. Natives act on one endpoint that has no
channel.

A file for --calls has a call on each line, `METHOD INT…`; empty lines do not count. State is kept from
call to call, after a trap too. A METHOD on the command line is called last.

Examples:
  jive exec Maths.class gcd 12 -18
  jive exec --fuel 1000 Maths.class loop
  jive exec --calls calls.txt Maths.class
  jive exec --time 1000 Maths.class checksum 0 1500
  jive exec --collect Maths.class primes 100

Exit status:
  0  every call returned
  1  the class was rejected
  2  wrong usage, a file that cannot be read, or arguments that do not fit the method
  3  a call trapped";

/// Calls a static method of a class file and prints what it returns, or the trap that ended it.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// Instructions that each call may execute
    #[arg(long, default_value_t = 10_000_000, value_name = "N")]
    fuel: u64,

    /// Bytes of heap
    #[arg(long, default_value_t = 1 << 20, value_name = "BYTES",
          value_parser = clap::value_parser!(u32).range(..=i64::from(i32::MAX)))]
    heap: u32,

    /// Look for Java sources in this directory first; may be given several times
    #[arg(long, value_name = "DIR")]
    source_path: Vec<PathBuf>,

    /// Make the calls of this file first
    #[arg(long, value_name = "CALLS")]
    calls: Option<PathBuf>,

    /// Measure METHOD: 5 rounds of N calls, each from the same state
    #[arg(long, value_name = "N", requires = "call",
          value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,

    /// Collect garbage at every allocation: results, traps and fuel must not change
    #[arg(long, value_enum, value_name = "COLLECTOR", num_args = 0..=1, require_equals = true,
          default_missing_value = "moving", conflicts_with = "time")]
    collect: Option<Collects>,

    /// A class file, or `builtin:NAME`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The method and its arguments
    #[arg(value_name = "METHOD [INT]", num_args = 1.., required_unless_present = "calls",
          trailing_var_arg = true, allow_negative_numbers = true)]
    call: Vec<String>,
}

/// A collector.
#[derive(Copy, Clone, ValueEnum)]
enum Collects {
    /// Each collection moves every array
    Moving,
    /// Arrays stay where they are, and new ones take the gaps
    Stationary,
}

/// Carries the command out.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let file = arguments.file.as_path();
    let bytes = match class_file::read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            let title = format!("cannot read {}: {error}", printable_path(file));
            console.notice(&sentence(&title, &[]))?;
            return Ok(Status::Unusable);
        }
    };
    let arena = Bump::new();
    let (policy, natives) = (Policy::ClassOnly, NicNative::TABLE);
    let loaded = match arguments.collect {
        None => load_class(&arena, &bytes, policy, natives).map(Loaded::Applet),
        Some(collects) => load_collected(&arena, &bytes, policy, natives)
            .map(|collected| Loaded::Collected(collected, collects)),
    };
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(error) => {
            let found = FoundAt {
                file,
                source_path: arguments.source_path[..].into(),
            };
            let rejections = Rejections::explore(found, &bytes, policy, natives, error);
            console.notice(&rejections.render())?;
            return Ok(Status::Rejected);
        }
    };
    match plan(arguments, loaded.class()) {
        Ok(plan) => {
            let machine = loaded.machine(&arena, arguments);
            execute(arguments, machine, &plan, console)
        }
        Err(WrongCall { title, notes }) => {
            console.notice(&sentence(&title, &notes))?;
            Ok(Status::Unusable)
        }
    }
}

/// A class, linked as the options say.
enum Loaded<'a> {
    Applet(LinkedClass<'a>),
    Collected(CollectedClass<'a>, Collects),
}

impl<'a> Loaded<'a> {
    fn class(&self) -> &LinkedClass<'a> {
        match self {
            Loaded::Applet(class) => class,
            Loaded::Collected(collected, _) => &collected.class,
        }
    }

    fn machine(&'a self, arena: &'a Bump, arguments: &Arguments) -> Machine<'a> {
        let Arguments { heap, fuel, .. } = *arguments;
        match self {
            Loaded::Applet(class) => Machine::new(arena, class, heap, fuel),
            Loaded::Collected(class, collects) => {
                let motion = match collects {
                    Collects::Moving => Motion::Moving,
                    Collects::Stationary => Motion::Stationary,
                };
                Machine::with_collector(arena, class, motion, heap, fuel)
            }
        }
    }
}

/// The calls to make, each of which fits its method.
struct Plan {
    /// The calls from the file that `--calls` names.
    calls: Vec<Call>,
    /// The call from the command line.
    last: Option<Call>,
}

fn plan(arguments: &Arguments, loaded: &LinkedClass<'_>) -> Result<Plan, WrongCall> {
    let calls = match &arguments.calls {
        Some(path) => calls_of_file(path, loaded)?,
        None => Vec::new(),
    };
    let last = match arguments.call.split_first() {
        Some((method, args)) => {
            let args = args.iter().map(String::as_str);
            let call = Call::parse(&loaded.class, method, args);
            Some(call.map_err(|error| WrongCall::of(loaded, method, error))?)
        }
        None => None,
    };
    Ok(Plan { calls, last })
}

fn calls_of_file(path: &Path, loaded: &LinkedClass<'_>) -> Result<Vec<Call>, WrongCall> {
    let shown = printable_path(path);
    let bytes = input::read_given(path, CALLS_BYTES_MAX)
        .map_err(|error| format!("cannot read {shown}: {error}"))?;
    let text = plain_text::plain(&bytes).map_err(|error| format!("{shown}: {error}"))?;
    let mut calls = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        if let Some(method) = words.next() {
            let call = Call::parse(&loaded.class, method, words).map_err(|error| {
                let mut wrong = WrongCall::of(loaded, method, error);
                wrong.title = format!("{shown}:{}: {}", number + 1, wrong.title);
                wrong
            })?;
            calls.push(call);
        }
    }
    Ok(calls)
}

/// Why the calls cannot be made.
struct WrongCall {
    title: String,
    /// The notes: the signature of the method, or the name of the method that the user probably meant.
    notes: Vec<String>,
}

impl From<String> for WrongCall {
    fn from(title: String) -> WrongCall {
        let notes = Vec::new();
        WrongCall { title, notes }
    }
}

impl WrongCall {
    fn of(loaded: &LinkedClass<'_>, method: &str, error: CallError) -> WrongCall {
        let class = &loaded.class;
        let title = format!("cannot call {}: {error}", printable(method));
        let known = class.methods().find(|known| known.name == method);
        let signature = |id| names::signature(class, id);
        let note = match known {
            Some(known) => signature(known.id).map(|shown| format!("it is `{shown}`")),
            None => {
                let names = class.methods().map(|known| known.name.to_string());
                let names = names.filter(|name| !name.starts_with('<'));
                let names = names.collect::<Vec<_>>();
                closest(method, names.iter().map(String::as_str)).and_then(|meant| {
                    let meant = class.methods().find(|known| known.name == meant)?;
                    Some(format!("did you mean `{}`?", signature(meant.id)?))
                })
            }
        };
        WrongCall {
            title,
            notes: note.into_iter().collect(),
        }
    }
}

fn execute(
    arguments: &Arguments,
    mut machine: Machine<'_>,
    plan: &Plan,
    console: &mut Console,
) -> Result<Status, Failure> {
    let mut explained = Explained::default();
    if let Err(trap) = machine.initialize() {
        return tell(arguments, &mut machine, (trap, &mut explained), console);
    }
    let mut status = Status::Done;
    for call in &plan.calls {
        status = status.max(result(
            arguments,
            &mut machine,
            (call, &mut explained),
            console,
        )?);
    }
    if let Some(call) = &plan.last {
        let before = machine.snapshot();
        let last = result(arguments, &mut machine, (call, &mut explained), console)?;
        status = status.max(last);
        if let (Some(count), Status::Done) = (arguments.time, last) {
            let nanoseconds = machine.time(call, &before, count);
            let line = format!("time: {nanoseconds:.1} ns per call (median of rounds)");
            writeln!(console.out(), "{line}")?;
        }
    }
    Ok(status)
}

/// Makes a call and prints its result.
fn result(
    arguments: &Arguments,
    machine: &mut Machine<'_>,
    (call, explained): (&Call, &mut Explained),
    console: &mut Console,
) -> Result<Status, Failure> {
    match machine.call(call) {
        Ok(None) => writeln!(console.out(), "return")?,
        Ok(Some(value)) => writeln!(
            console.out(),
            "return: {}",
            call.shown(value, machine.heap())
        )?,
        Err(trap) => return tell(arguments, machine, (trap, explained), console),
    }
    Ok(Status::Done)
}

/// Prints a trap, and explains it if it is the first of its kind at its place.
fn tell(
    arguments: &Arguments,
    machine: &mut Machine<'_>,
    (trap, explained): (Trap, &mut Explained),
    console: &mut Console,
) -> Result<Status, Failure> {
    writeln!(console.out(), "{}", machine.describe(trap))?;
    if explained.is_new(trap) {
        let found = FoundAt {
            file: &arguments.file,
            source_path: arguments.source_path[..].into(),
        };
        console.notice(&machine.explain(trap, found))?;
    }
    Ok(Status::Trapped)
}
