//! The command line of `jive`: its commands, and all code that prints.

mod against_golden;
mod asm;
mod bound;
mod call;
mod certify;
mod child_process;
mod class_file;
mod compile;
mod completions;
mod console;
mod cpu_clock;
mod daemon;
mod disasm;
mod event_diff;
mod event_line;
mod exec;
mod explain;
mod explained;
mod fields;
mod format;
mod golden;
mod init;
mod interrupt;
mod invisible;
mod junit;
mod machine;
mod named_profile;
mod openjdk;
mod outputs;
mod overwrite;
mod packet;
mod paper;
mod play;
mod profile;
mod progress;
mod replay;
mod run;
pub mod said;
mod shrink;
mod smith;
mod sram;
mod stub;
mod sweep;
mod test_files;
mod verify;
mod watch;

use std::process::ExitCode;

use anstream::ColorChoice;
use clap::{Parser, Subcommand, ValueEnum};
use console::Console;
use jive_embed::text::printable_path;
use nic_experiment::{expectations, in_order, output_file, scenario_file, scenario_report, traps};

const ABOUT: &str = "Verifies compiled Java applets and runs them on a simulated network interface";

const EXIT_STATUS: &str = "\
Exit status:
  0  done
  1  a class was rejected, a golden trace differed, an expectation is not met, an applet trapped
     while it was loaded, a call may cost more than `--check` allows, or a row of a paper left its
     tolerance
  2  wrong usage, or a file that cannot be read or parsed as a scenario; outranks 1
  3  a call trapped (`jive exec` and `jive packet` alone)
  4  a limit that the scenario does not set cut the run (`jive run` alone)
  130  interrupted by Ctrl-C (`jive run`, `jive profile` and `jive shrink` alone)";

const EXAMPLES: &str = "\
Examples:
  jive init Parrot                    starts an applet with its test
  jive run                            the built-in scenario `pingpong`
  jive sweep plan.toml                a scenario over many values and seeds, with means
  jive run my.toml --format json      a scenario of your own, as JSON Lines
  jive verify Filter.class            may this class run on the NIC, and if not, why
  jive exec Filter.class hash 5 -1    calls one static method
  jive packet Filter.class --rx 4500  what does it do with this packet?
  jive compile Filter.class           the class as safe Rust
  jive asm --print Filter.class       the class as text, which `jive asm` reads
  jive bound Filter.class             what does a call cost at most?
  jive profile my.toml                where do its applets spend their time?
  jive explain subset/long            what a rejection means and how to fix it
  jive paper unet-sle                 the paper's figures, stated and simulated
  jive daemon --socket nic.sock --line /dev/ttyACM0    sends classes to a NIC that runs
  jive watch                          verifies and tests what changes
  jive play                           the web page, which compiles Java

Colour is used on a terminal only, and never where NO_COLOR is set.

";

#[derive(Parser)]
#[command(name = "jive", version, about = ABOUT, after_help = concat_help())]
struct Arguments {
    /// When text is coloured; `auto`: on a terminal, and never where NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: Colour,

    /// Leave out summaries, `ok:` and `wrote` lines, and progress; data, differences and errors stay
    #[arg(long, global = true)]
    quiet: bool,

    #[command(subcommand)]
    command: Command,
}

/// When text is coloured.
#[derive(Copy, Clone, Debug, Default, ValueEnum)]
enum Colour {
    #[default]
    Auto,
    Always,
    Never,
}

impl From<Colour> for ColorChoice {
    fn from(colour: Colour) -> ColorChoice {
        match colour {
            Colour::Auto => ColorChoice::Auto,
            Colour::Always => ColorChoice::Always,
            Colour::Never => ColorChoice::Never,
        }
    }
}

#[derive(Subcommand)]
enum Command {
    Run(run::Arguments),
    Test(golden::Arguments),
    Verify(verify::Arguments),
    Disasm(disasm::Arguments),
    Exec(exec::Arguments),
    Compile(compile::Arguments),
    Packet(packet::Arguments),
    Bound(bound::Arguments),
    Profile(profile::Arguments),
    Explain(explain::Arguments),
    Paper(paper::Arguments),
    Asm(asm::Arguments),
    Smith(smith::Arguments),
    Sweep(sweep::Arguments),
    Shrink(shrink::Arguments),
    Stub(stub::Arguments),
    Certify(certify::Arguments),
    Daemon(daemon::Arguments),
    Watch(watch::Arguments),
    Play(play::Arguments),
    Init(init::Arguments),
    Completions(completions::Arguments),
}

fn concat_help() -> String {
    format!("{EXAMPLES}{EXIT_STATUS}")
}

/// Runs the command given by the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    let Arguments {
        color,
        quiet,
        command,
    } = parse();
    ColorChoice::from(color).write_global();
    let mut console = Console::of_process(quiet);
    let ran = match command {
        Command::Run(arguments) => run::main(&arguments, &mut console),
        Command::Test(arguments) => golden::main(&arguments, &mut console),
        Command::Verify(arguments) => verify::main(&arguments, &mut console),
        Command::Disasm(arguments) => disasm::main(&arguments, &mut console),
        Command::Exec(arguments) => exec::main(&arguments, &mut console),
        Command::Compile(arguments) => compile::main(&arguments, &mut console),
        Command::Packet(arguments) => packet::main(&arguments, &mut console),
        Command::Bound(arguments) => bound::main(&arguments, &mut console),
        Command::Profile(arguments) => profile::main(&arguments, &mut console),
        Command::Explain(arguments) => explain::main(&arguments, &mut console),
        Command::Paper(arguments) => paper::main(&arguments, &mut console),
        Command::Asm(arguments) => asm::main(&arguments, &mut console),
        Command::Smith(arguments) => smith::main(&arguments, &mut console),
        Command::Sweep(arguments) => sweep::main(&arguments, &mut console),
        Command::Shrink(arguments) => shrink::main(&arguments, &mut console),
        Command::Stub(arguments) => stub::main(&arguments, &mut console),
        Command::Certify(arguments) => certify::main(&arguments, &mut console),
        Command::Daemon(arguments) => daemon::main(&arguments, &mut console),
        Command::Watch(arguments) => watch::main(&arguments, &mut console),
        Command::Play(arguments) => play::main(&arguments, &mut console),
        Command::Init(arguments) => init::main(&arguments, &mut console),
        Command::Completions(arguments) => completions::main(&arguments, &mut console),
    };
    let status = ran.and_then(|status| console.flush().map(|()| status));
    match status {
        Ok(status) => status.into(),
        Err(failure) => failure.report(),
    }
}

/// Parses the process's arguments. If the arguments are wrong, the process ends with status 2 and a message on standard
/// error.
fn parse() -> Arguments {
    Arguments::try_parse().unwrap_or_else(|error| {
        // The message of `clap` shows arguments verbatim, and a file name from a glob may contain control characters.
        // Parsing the escaped arguments fails in the same way, with a safe message.
        let written_out = std::env::args_os().map(|argument| printable_path(argument.as_ref()));
        let written_out = Arguments::try_parse_from(written_out);
        written_out.err().unwrap_or(error).exit()
    })
}
