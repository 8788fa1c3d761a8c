//! `jive verify`: verifies class files and explains each rejection.

mod found;
mod lines;
mod sarif;

use std::io::Write;
use std::path::{Path, PathBuf};

use bumpalo::Bump;
use clap::{Args, ValueEnum};
use jive_embed::diagnosis::sentence;
use jive_embed::lint::Warnings;
use jive_embed::text::{path_text, printable, printable_path};
use jive_embed::{Accepted, Asked, FoundAt, Rejected, Verdict, load_class};
use jive_verifier::Policy;
use nic_core::javia::ProgramEntry;
use nic_core::sle::NicEntry;
use nic_experiment::scenario_file::{faults, natives_of, not_offered_by};
use nic_runtime::export::plain_json;
use nic_runtime::profile::{APPLET_SECTIONS, Profile};
use serde::Serialize;

use self::found::ClassFiles;
use self::lines::Style;
use super::bound;
use super::class_file;
use super::console::{Console, Failure, Status};
use super::named_profile;

const AFTER_HELP: &str = "\
Examples:
  jive verify Filter.class              is it an applet that may run on the NIC?
  jive verify --report Filter.class     and what can it do at most?
  jive verify --lint Filter.class       also warns of what is safe but probably wrong
  jive verify --first Filter.class      the first fault alone, in place of all
  jive verify --profile lanai-1998 Filter.class
                                        may it run on a NIC with this profile?
  jive verify --program Stream.class    is it a program that may run on the host?
  jive verify --class-only *.class      judges classes that are neither
  cat Filter.class | jive verify -
  jive verify --lint build/classes      every class below a folder
  jive verify --format json Filter.class | jq .code
  jive verify --format sarif build/classes > jive.sarif

Exit status:
  0  every class was accepted, with or without warnings
  1  a class was rejected
  2  wrong usage, a file that cannot be read, or a folder without a class; outranks 1";

/// Parses and verifies class files: one line for each accepted file, one diagnosis for each fault of a rejected file.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// Class files, folders of class files, or `builtin:NAME`; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Judge the class alone, without the members that every applet has
    #[arg(long)]
    class_only: bool,

    /// Judge the class as a program that runs on the host, in place of an applet
    #[arg(long, conflicts_with = "class_only")]
    program: bool,

    /// Also refuse what the NIC of this profile does not offer: a profile file, or the name of a built-in profile
    #[arg(long, value_name = "PROFILE", conflicts_with_all = ["class_only", "program"])]
    profile: Option<PathBuf>,

    /// Say of each accepted class what it can do at most; JSON always says it
    #[arg(long)]
    report: bool,

    /// Also warn of code in accepted classes that is probably not what was meant
    #[arg(long)]
    lint: bool,

    /// Look for Java sources in this directory first; may be given several times
    #[arg(long, value_name = "DIR")]
    source_path: Vec<PathBuf>,

    /// Stop at the first fault of a class
    #[arg(long)]
    first: bool,

    /// Accept a folder that has no class file
    #[arg(long)]
    allow_empty: bool,

    /// How verdicts are printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Copy, Clone, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// An object for each file, on a line of its own
    Json,
    /// A line for each fault and warning, as javac writes it: for editors and problem matchers
    Javac,
    /// A workflow command for each fault and warning, which GitHub Actions shows at its line
    Github,
    /// One log of SARIF 2.1.0
    Sarif,
}

#[derive(Serialize)]
struct Report<'f> {
    file: &'f str,
    #[serde(flatten)]
    verdict: &'f Verdict,
}

/// What every applet must have.
const APPLET: Policy = Policy::Applet {
    entries: NicEntry::TABLE,
};

/// What every program must have.
const PROGRAM: Policy = Policy::Program {
    entries: ProgramEntry::TABLE,
};

/// Runs the command.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let profile = match arguments
        .profile
        .as_deref()
        .map(named_profile::read)
        .transpose()
    {
        Ok(profile) => profile,
        Err(message) => {
            console.notice(&message)?;
            return Ok(Status::Unusable);
        }
    };
    if let Some(profile) = &profile
        && let Some(section) = profile.lacks(APPLET_SECTIONS)
    {
        let name = printable(&profile.name);
        let title =
            format!("the profile `{name}` has no section `[{section}]`, which an applet needs");
        console.notice(&sentence(&title, &[]))?;
        return Ok(Status::Unusable);
    }
    let policy = match &profile {
        Some(profile) => profile.receive.policy(),
        None if arguments.class_only => Policy::ClassOnly,
        None if arguments.program => PROGRAM,
        None => APPLET,
    };
    let ClassFiles { files, empty } = ClassFiles::of(&arguments.files);
    let mut status = Status::Done;
    if !arguments.allow_empty {
        for folder in &empty {
            status = Status::Unusable;
            let title = format!("{} has no class file", printable_path(folder));
            let note = "`--allow-empty` accepts a folder without one".to_owned();
            console.notice(&sentence(&title, &[note]))?;
        }
    }
    let mut log = sarif::Log::new();
    for file in &files {
        let verdict = judge(file, (policy, profile.as_ref()), arguments);
        status = status.max(match verdict {
            Verdict::Accepted(_) => Status::Done,
            Verdict::Rejected(_) => Status::Rejected,
            Verdict::Unreadable { .. } => Status::Unusable,
        });
        match arguments.format {
            Format::Text => show(file, &verdict, console)?,
            Format::Json => {
                let report = Report {
                    file: &path_text(file),
                    verdict: &verdict,
                };
                plain_json::to_writer(console.out(), &report).map_err(std::io::Error::from)?;
                writeln!(console.out())?;
            }
            Format::Javac => lines::write(Style::Javac, file, &verdict, console.out())?,
            Format::Github => lines::write(Style::Github, file, &verdict, console.out())?,
            Format::Sarif => log.add(file, &verdict),
        }
    }
    if arguments.format == Format::Sarif {
        plain_json::to_writer(console.out(), &log.finish()).map_err(std::io::Error::from)?;
        writeln!(console.out())?;
    }
    Ok(status)
}

/// Returns the class files at a path: the file itself, or those below a directory, sorted by path.
pub(super) fn class_files(path: &Path) -> Vec<PathBuf> {
    ClassFiles::of(&[path.to_owned()]).files
}

/// Verifies an applet and shows the verdict, with warnings.
pub(super) fn with_warnings(file: &Path, console: &mut Console) -> Result<(), Failure> {
    let arguments = Arguments {
        files: Vec::new(),
        class_only: false,
        program: false,
        profile: None,
        report: false,
        lint: true,
        source_path: Vec::new(),
        first: false,
        allow_empty: false,
        format: Format::Text,
    };
    show(file, &judge(file, (APPLET, None), &arguments), console)
}

fn judge(
    file: &Path,
    (policy, profile): (Policy, Option<&Profile>),
    arguments: &Arguments,
) -> Verdict {
    let bytes = match class_file::read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            let message = error.to_string();
            return Verdict::Unreadable { message };
        }
    };
    let environment = arguments.lint.then(|| bound::default_environment(policy));
    let asked = Asked {
        first: arguments.first,
        analysis: arguments.report || arguments.format == Format::Json,
        lints: environment.as_ref(),
    };
    let found = FoundAt {
        file,
        source_path: arguments.source_path[..].into(),
    };
    let natives = natives_of(policy);
    let mut verdict = Verdict::of(found, &bytes, (policy, natives), asked);
    if let Verdict::Rejected(rejected) = &mut verdict
        && let Some(error) = load_class(&Bump::new(), &bytes, policy, natives).err()
    {
        let all = faults(found, &bytes, policy, error);
        rejected.first.help.clone_from(&all.first().help);
        rejected.all = rejected.all.is_some().then_some(all);
    }
    let is_accepted = matches!(verdict, Verdict::Accepted(_));
    let profile = profile.filter(|_| is_accepted);
    match profile.and_then(|profile| not_offered_by(found, &bytes, profile)) {
        Some(all) => Verdict::Rejected(Box::new(Rejected {
            first: all.first().clone(),
            all: (!arguments.first).then_some(all),
        })),
        None => verdict,
    }
}

fn show(file: &Path, verdict: &Verdict, console: &mut Console) -> Result<(), Failure> {
    let name = printable_path(file);
    match verdict {
        Verdict::Accepted(accepted) => {
            console.remark(&accepted.line(&name))?;
            let Accepted {
                analysis, warnings, ..
            } = accepted;
            if let Some(analysis) = analysis {
                console.data(analysis.to_string().trim_end())?;
            }
            let warnings = warnings.as_ref().map(Warnings::render);
            if let Some(warnings) = warnings.filter(|warnings| !warnings.is_empty()) {
                console.data(&format!("\n{warnings}\n"))?;
            }
        }
        Verdict::Rejected(rejected) => {
            console.data(&format!("{}\n", rejected.render()))?;
        }
        Verdict::Unreadable { message } => {
            console.notice(&sentence(&format!("cannot read {name}: {message}"), &[]))?;
        }
    }
    Ok(())
}
