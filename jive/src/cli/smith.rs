//! `jive smith`: makes random class files, and says what the verifier's verdict on each is.

use crate::cli::format::ReportFormat;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

use bumpalo::Bump;
use clap::{Args, ValueEnum};
use jive_embed::load_class;
use jive_embed::text::printable_path;
use jive_lab::Random;
use jive_lab::generate::{Kind, Smith};
use jive_verifier::Policy;
use nic_core::sle::NicNative;
use nic_runtime::export::plain_json;
use serde::Serialize;

use super::console::{Console, Failure, Status};
use super::output_file::{unwritable, write_derived};
use super::progress::Progress;

/// Maximum number of class files of one command: a directory with more is slow to list.
const COUNT_MAX: u64 = 1_000_000;

const AFTER_HELP: &str = "\
A class file is called KIND-SEED-NUMBER.class. It depends on these three alone, so `--from NUMBER --count
1` makes it again. Numbers begin at 0. Each line of the output names a class file and the verdict of the
verifier: `accepted`, or the code of the first fault.

Kinds:
  typed        a method whose instructions find operands of the right types
  broken       the same with one fault, which may be harmless
  constructor  calls of Object.<init> on branches and in loops, once on each path or not
  program      several methods of expressions, loops and calls, sometimes with a mistake
  structure    a changed constant, flag, index or length
  bytes        one or two changed bytes

Examples:
  jive smith --out made --count 1000
  jive smith --out made --kind broken --kind structure --seed 7
  jive smith --out made --count 1000 --format json | jq -r 'select(.code == null).file'

Exit status:
  0  every class file was written
  2  wrong usage, or a file cannot be written";

/// Makes random class files, valid and nearly valid ones.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The directory for the class files; it is made if it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// The number of class files
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(1..=COUNT_MAX))]
    count: u64,

    /// Equal seeds make equal class files
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The number of the first class file
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u64).range(..=u64::MAX - COUNT_MAX))]
    from: u64,

    /// A kind to make; may be given several times; without it all kinds are made
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Vec<Chosen>,

    /// How the list is printed
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// A kind of class files, as an argument.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Chosen(Kind);

impl ValueEnum for Chosen {
    fn value_variants<'a>() -> &'a [Chosen] {
        const ALL: [Chosen; Kind::ALL.len()] = {
            let mut all = [Chosen(Kind::Typed); Kind::ALL.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = Chosen(Kind::ALL[at]);
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.name()))
    }
}

/// A class file that was made.
#[derive(Serialize)]
struct Made<'m> {
    file: String,
    kind: &'static str,
    number: u64,
    bytes: usize,
    /// The code of the first fault, if the class is rejected.
    code: Option<&'m str>,
}

/// Carries the command out.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let directory = &arguments.out;
    if let Err(error) = fs::create_dir_all(directory) {
        console.notice(&unwritable(directory, &error))?;
        return Ok(Status::Unusable);
    }
    let shipped = applets::ALL.iter().map(|applet| applet.class.to_vec());
    let smith = Smith::new(shipped.collect());
    let total = arguments.count;
    let mut progress = Progress::new("class files", total).unless(console.is_quiet());
    let mut accepted = 0_u64;
    for number in arguments.from..arguments.from + arguments.count {
        let (kind, bytes) = make(&smith, arguments, number);
        let name = format!("{}-{}-{number}.class", kind.name(), arguments.seed);
        let path = directory.join(name);
        if let Err(error) = write_derived(&path, &bytes) {
            progress.clear();
            console.notice(&unwritable(&path, &error))?;
            return Ok(Status::Unusable);
        }
        let code = verdict(&bytes);
        accepted += u64::from(code.is_none());
        let made = Made {
            file: printable_path(&path),
            kind: kind.name(),
            number,
            bytes: bytes.len(),
            code,
        };
        show(&made, arguments.format, console)?;
        progress.advance();
        progress.show();
    }
    progress.clear();
    let (count, rejected) = (arguments.count, arguments.count - accepted);
    console.notice(&format!(
        "wrote {count} class files to {}: {accepted} accepted, {rejected} rejected",
        printable_path(directory)
    ))?;
    Ok(Status::Done)
}

/// Makes the class file with a number, independently of the class files with other numbers.
fn make(smith: &Smith, arguments: &Arguments, number: u64) -> (Kind, Vec<u8>) {
    let seed = [arguments.seed.to_be_bytes(), number.to_be_bytes()].concat();
    let mut random = Random::new(&seed);
    let kind = match arguments.kind.as_slice() {
        [] => Kind::draw(&mut random),
        chosen => chosen[random.below(chosen.len())].0,
    };
    // Use a new random generator, so that the class does not depend on the kinds that the user chose.
    let seed = [&seed, kind.name().as_bytes()].concat();
    (kind, smith.class(kind, &mut Random::new(&seed)))
}

/// Returns the code of the first fault of a class; `None` if the verifier accepts the class.
fn verdict(bytes: &[u8]) -> Option<&'static str> {
    let arena = Bump::new();
    let loaded = load_class(&arena, bytes, Policy::ClassOnly, NicNative::TABLE);
    loaded.err().map(|error| error.code())
}

fn show(made: &Made<'_>, format: ReportFormat, console: &mut Console) -> Result<(), Failure> {
    match format {
        ReportFormat::Text => {
            let verdict = made.code.unwrap_or("accepted");
            writeln!(console.out(), "{}  {verdict}", made.file)?;
        }
        ReportFormat::Json => {
            let line = plain_json::to_string(made).map_err(std::io::Error::from)?;
            writeln!(console.out(), "{line}")?;
        }
    }
    Ok(())
}
