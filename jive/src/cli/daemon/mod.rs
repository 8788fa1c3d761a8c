//! `jive daemon`: takes class files by a Unix socket, verifies them, and sends them with their certificates to a NIC that
//! runs.

#[cfg(target_os = "linux")]
mod client;
#[cfg(target_os = "linux")]
mod delivery;
#[cfg(target_os = "linux")]
mod line;
#[cfg(target_os = "linux")]
mod server;
#[cfg(target_os = "linux")]
mod visit;

use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::time::Duration;

use clap::Args;

use super::console::{Console, Failure, Status};

const AFTER_HELP: &str = "\
A client connects to the socket, writes one class file, and ends its writing. The answer is one line: `installed`, or
`refused: ` and the reason. The daemon's own user, root and the users of `--allow` may connect. The class is verified
here; the device checks it again, with the certificate, and keeps its applet if it refuses the class.

Examples:
  jive daemon --socket nic.sock --line /dev/ttyACM0       a serial line, whose speed `stty` sets
  jive daemon --socket nic.sock --line qemu.sock          QEMU with `-serial unix:qemu.sock,server=on,wait=off`
  jive daemon --socket nic.sock --send Filter.class       sends a class to the daemon
  nc -NU nic.sock <Filter.class                           the same without jive

Exit status:
  0  ended by Ctrl-C; with `--send`: the class is installed
  1  with `--send`: the class was refused
  2  wrong usage, a socket that is taken, a file that cannot be read, or no daemon";

/// Takes class files by a Unix socket, verifies them, and sends them with their certificates to a NIC that runs
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The Unix socket on which the daemon listens, or with `--send` the one of a daemon that runs
    #[arg(long, value_name = "PATH")]
    socket: PathBuf,

    /// The line to the NIC: a serial device, a pseudoterminal, or a Unix socket on which QEMU listens
    #[arg(long, value_name = "PATH", required_unless_present = "send")]
    line: Option<PathBuf>,

    /// Send this class file to the daemon; `builtin:NAME` for a built-in applet, `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["line", "allow"])]
    send: Option<PathBuf>,

    /// Allow this user, by number, to send classes; can be given several times
    #[arg(long, value_name = "UID")]
    allow: Vec<u32>,

    /// Give up a client, and wait for an answer of the device, after N seconds
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
}

/// Carries the command out.
#[cfg(target_os = "linux")]
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let timeout = Duration::from_secs(arguments.timeout.into());
    match (&arguments.send, &arguments.line) {
        (Some(class), _) => client::send(class, &arguments.socket, console),
        (None, Some(line)) => {
            let served = server::Served {
                socket: &arguments.socket,
                allowed: arguments.allow.clone(),
                timeout,
            };
            server::serve(served, line::Line::new(line, timeout), console)
        }
        (None, None) => unusable("expected `--line` or `--send`", console),
    }
}

/// Carries the command out.
#[cfg(not(target_os = "linux"))]
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let Arguments {
        socket: _,
        line: _,
        send: _,
        allow: _,
        timeout: _,
    } = arguments;
    unusable(
        "expected Linux, where a socket tells who has connected",
        console,
    )
}

fn unusable(title: &str, console: &mut Console) -> Result<Status, Failure> {
    console.notice(&jive_embed::diagnosis::sentence(title, &[]))?;
    Ok(Status::Unusable)
}
