//! The console: data goes to standard output, everything else to standard error. Colours are used only on a terminal.

use std::io::{self, BufWriter, Stderr, Stdout, Write};
use std::process::ExitCode;

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};

use super::interrupt;
use super::scenario_file::Blame;

/// The result of a command. If several results apply to a command, the one that is declared last here wins.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    /// The command succeeded.
    Done,
    /// A default ended a run that had messages left to send, or programs left to finish.
    Cut,
    /// A class was rejected, a golden trace differed, an expectation is not met, or an applet trapped while it was
    /// loaded.
    Rejected,
    /// A call ended in a trap.
    Trapped,
    /// A file could not be read or parsed, or an argument does not fit the file.
    Unusable,
    /// The user interrupted a run.
    Interrupted,
}

impl From<Blame> for Status {
    fn from(blame: Blame) -> Status {
        match blame {
            Blame::Class => Status::Rejected,
            Blame::Scenario => Status::Unusable,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(match status {
            Status::Done => 0,
            Status::Rejected => 1,
            Status::Unusable => 2,
            Status::Trapped => 3,
            Status::Cut => 4,
            Status::Interrupted => interrupt::STATUS,
        })
    }
}

/// Why a command had to stop.
#[derive(Debug)]
pub(super) enum Failure {
    /// The output of the command cannot be written.
    Output(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

impl Failure {
    /// Prints the failure and returns the exit status. A closed pipe is not a failure.
    pub(super) fn report(self) -> ExitCode {
        match self {
            // The reader of the output has seen enough, as in `jive run | head`: exit without an error.
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                Status::Done.into()
            }
            Failure::Output(error) => {
                let _nowhere_else = writeln!(io::stderr(), "error: cannot write: {error}");
                Status::Unusable.into()
            }
        }
    }
}

/// The streams of the process.
#[derive(Debug)]
pub(super) struct Console {
    out: BufWriter<Stdout>,
    out_choice: ColorChoice,
    err: AutoStream<Stderr>,
    is_quiet: bool,
}

impl Console {
    /// Returns the standard streams of the process. A quiet console leaves remarks out.
    pub(super) fn of_process(is_quiet: bool) -> Console {
        Console {
            out: BufWriter::new(io::stdout()),
            out_choice: AutoStream::choice(&io::stdout()),
            err: anstream::stderr(),
            is_quiet,
        }
    }

    /// Returns standard output, for data without colours.
    pub(super) fn out(&mut self) -> &mut impl Write {
        &mut self.out
    }

    /// Writes a coloured text and a newline to standard output, as data.
    pub(super) fn data(&mut self, text: &str) -> io::Result<()> {
        if self.out_choice == ColorChoice::Never {
            writeln!(self.out, "{}", strip_str(text))
        } else {
            writeln!(self.out, "{text}")
        }
    }

    /// Returns whether summaries and remarks are left out.
    pub(super) fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    /// Writes a line to standard output that says that all is well, unless the console is quiet.
    pub(super) fn remark(&mut self, text: &str) -> io::Result<()> {
        if self.is_quiet {
            return Ok(());
        }
        writeln!(self.out, "{text}")
    }

    /// Says on standard error what the command has written, unless the console is quiet.
    pub(super) fn written(&mut self, text: &str) -> io::Result<()> {
        if self.is_quiet {
            return Ok(());
        }
        self.notice(text)
    }

    /// Writes a coloured text and a newline to standard error.
    pub(super) fn notice(&mut self, text: &str) -> io::Result<()> {
        // Flush standard output first: on a terminal, earlier data must appear before the notice.
        self.out.flush()?;
        writeln!(self.err, "{text}")
    }

    /// Writes out buffered data.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }
}
