//! Listens on the socket, lets in the users that may send classes, and serves each client beside the others.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use jive_embed::text::printable_path;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::sockopt::socket_peercred;
use rustix::process::geteuid;

use super::super::console::{Console, Failure, Status};
use super::super::interrupt;
use super::delivery::Sender;
use super::line::Line;
use super::unusable;
use super::visit::{receive, reply};

/// How many clients are served at a time. Chosen: each has a thread and at most a class file in memory.
const CLIENTS_MAX: usize = 16;

/// How often Ctrl-C and ended clients are looked for while nobody connects.
const PATIENCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// Where the daemon listens, and for whom.
pub(super) struct Served<'a> {
    pub(super) socket: &'a Path,
    /// Users who may send classes, besides the daemon's own and root.
    pub(super) allowed: Vec<u32>,
    pub(super) timeout: Duration,
}

/// Serves clients until Ctrl-C.
pub(super) fn serve(
    served: Served<'_>,
    line: Line,
    console: &mut Console,
) -> Result<Status, Failure> {
    let is_interrupted = interrupt::requested();
    let shown = printable_path(served.socket).to_string();
    let listener = match listen(served.socket, served.allowed.is_empty()) {
        Ok(listener) => listener,
        Err(error) => return unusable(&format!("cannot listen on {shown}: {error}"), console),
    };
    let line_shown = printable_path(line.path());
    console.remark(&format!(
        "listening on {shown} for {line_shown}, until Ctrl-C"
    ))?;
    console.flush()?;
    let sender = Arc::new(Mutex::new(Sender::new(line)));
    let (ends, ended) = channel();
    let mut clients = 0;
    let mut result = Ok(Status::Done);
    while result.is_ok() && !is_interrupted.load(Ordering::Relaxed) {
        let stream = match next_client(&listener) {
            Ok(stream) => stream,
            Err(error) => {
                result = unusable(&format!("cannot listen on {shown}: {error}"), console);
                break;
            }
        };
        if let Err(failure) = show(&ended, &mut clients, console) {
            result = Err(failure);
        }
        let Some(mut stream) = stream else { continue };
        let uid = match socket_peercred(&stream) {
            Ok(peer) => peer.uid.as_raw(),
            Err(_) => continue,
        };
        let timeout = served.timeout;
        if !served.lets_in(uid) {
            // The system's buffer holds a line, so the client cannot keep anybody waiting.
            reply(
                &mut stream,
                "refused: this user may not send classes\n",
                timeout,
            );
            result = console
                .remark(&format!("refused: user {uid} may not send classes"))
                .map(|()| Status::Done)
                .map_err(Failure::from);
            continue;
        }
        if clients == CLIENTS_MAX {
            reply(&mut stream, "refused: too many clients\n", timeout);
            continue;
        }
        clients += 1;
        let (sender, ends) = (Arc::clone(&sender), ends.clone());
        thread::spawn(move || {
            let shown = receive(stream, &sender, timeout);
            // The daemon ends before its clients after Ctrl-C.
            let _ended = ends.send(shown);
        });
    }
    let _removed = fs::remove_file(served.socket);
    show(&ended, &mut clients, console)?;
    result
}

impl Served<'_> {
    fn lets_in(&self, uid: u32) -> bool {
        uid == 0 || uid == geteuid().as_raw() || self.allowed.contains(&uid)
    }
}

/// Shows what became of the clients that have been served.
fn show(
    ended: &Receiver<String>,
    clients: &mut usize,
    console: &mut Console,
) -> Result<(), Failure> {
    for shown in ended.try_iter() {
        *clients -= 1;
        console.remark(&shown)?;
    }
    console.flush()
}

/// Makes the socket. A socket on which nobody listens any more is replaced.
fn listen(path: &Path, is_private: bool) -> io::Result<UnixListener> {
    let known = fs::symlink_metadata(path);
    if known.is_ok_and(|known| known.file_type().is_socket()) {
        match UnixStream::connect(path) {
            Ok(_) => return Err(io::ErrorKind::AddrInUse.into()),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                fs::remove_file(path)?;
            }
            Err(error) => return Err(error),
        }
    }
    let listener = UnixListener::bind(path)?;
    // Who connects is asked for anyway; the mode keeps others from trying.
    let mode = if is_private { 0o600 } else { 0o666 };
    fs::set_permissions(path, Permissions::from_mode(mode))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Waits for a client, but not for long.
fn next_client(listener: &UnixListener) -> io::Result<Option<UnixStream>> {
    let mut polled = [PollFd::new(listener, PollFlags::IN)];
    match rustix::event::poll(&mut polled, Some(&PATIENCE)) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    match listener.accept() {
        Ok((stream, _)) => {
            stream.set_nonblocking(false)?;
            Ok(Some(stream))
        }
        Err(error) => match error.kind() {
            // The client may have gone before it was let in.
            io::ErrorKind::WouldBlock
            | io::ErrorKind::Interrupted
            | io::ErrorKind::ConnectionAborted => Ok(None),
            _ => Err(error),
        },
    }
}
