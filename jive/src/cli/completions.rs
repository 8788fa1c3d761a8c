//! `jive completions`: scripts that complete the command in a shell, and its manual pages.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use jive_embed::text::printable_path;

use super::console::{Console, Failure, Status};
use super::output_file::{unwritable, write_derived};

const AFTER_HELP: &str = "\
Examples:
  jive completions bash > ~/.local/share/bash-completion/completions/jive
  jive completions zsh > ~/.zfunc/_jive
  jive completions --man ~/.local/share/man/man1

Exit status:
  0  done
  2  wrong usage, or a file cannot be written";

/// Prints a script that completes the command in a shell, or writes its manual pages.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The shell
    #[arg(value_enum, required_unless_present = "man")]
    shell: Option<Shell>,

    /// Write manual pages into this directory: jive.1, and one for each command
    #[arg(long, value_name = "DIR")]
    man: Option<PathBuf>,
}

/// Carries the command out.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let mut command = super::Arguments::command();
    if let Some(shell) = arguments.shell {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut command, "jive", &mut script);
        console.out().write_all(&script)?;
    }
    if let Some(directory) = &arguments.man {
        command.build();
        if let Err((path, error)) = write_pages(&command, directory) {
            console.notice(&unwritable(&path, &error))?;
            return Ok(Status::Unusable);
        }
        console.notice(&format!(
            "wrote manual pages to {}",
            printable_path(directory)
        ))?;
    }
    Ok(Status::Done)
}

/// Writes a manual page for `jive` and for each of its subcommands.
fn write_pages(command: &clap::Command, directory: &Path) -> Result<(), (PathBuf, io::Error)> {
    fs::create_dir_all(directory).map_err(|error| (directory.to_owned(), error))?;
    for page in std::iter::once(command).chain(command.get_subcommands()) {
        // When `clap` built the command `jive`, it gave each subcommand a name such as `jive-run`.
        let name = page.get_display_name().unwrap_or(page.get_name());
        let path = directory.join(format!("{name}.1"));
        let written = render(page.clone()).and_then(|text| write_derived(&path, text));
        written.map_err(|error| (path, error))?;
    }
    Ok(())
}

fn render(command: clap::Command) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    Ok(text)
}
