//! Sends a class file to a daemon that runs.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;

use jive_embed::diagnosis::sentence;
use jive_embed::plain_text::plain_lossy;
use jive_embed::text::{printable, printable_path};

use super::super::class_file;
use super::super::console::{Console, Failure, Status};
use super::unusable;
use super::visit::{INSTALLED_LINE, REPLY_BYTES_MAX};

/// Sends a class file, and tells the user what became of it.
pub(super) fn send(class: &Path, socket: &Path, console: &mut Console) -> Result<Status, Failure> {
    let shown = printable_path(class);
    let bytes = match class_file::read(class) {
        Ok(bytes) => bytes,
        Err(error) => return unusable(&format!("cannot read {shown}: {error}"), console),
    };
    let reply = match exchanged(&bytes, socket) {
        Ok(reply) => reply,
        Err(error) => {
            let title = format!("cannot send {shown} to {}: {error}", printable_path(socket));
            return unusable(&title, console);
        }
    };
    if reply == INSTALLED_LINE {
        console.remark(&format!("ok: {shown} is installed"))?;
        return Ok(Status::Done);
    }
    let reply = printable(reply.trim_end());
    console.notice(&sentence(
        &format!("{shown} is not installed: {reply}"),
        &[],
    ))?;
    Ok(Status::Rejected)
}

/// Sends a class file, and returns the daemon's line.
fn exchanged(class: &[u8], socket: &Path) -> io::Result<String> {
    let mut stream = UnixStream::connect(socket)?;
    // A daemon that has read enough, or that allows nobody, answers and closes before it has read everything.
    let sent = stream.write_all(class);
    let sent = sent.and_then(|()| stream.shutdown(Shutdown::Write));
    let mut reply = Vec::new();
    let read = stream.take(REPLY_BYTES_MAX).read_to_end(&mut reply);
    if reply.is_empty() {
        sent?;
        read?;
        return Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            "the daemon has not answered",
        ));
    }
    Ok(plain_lossy(&reply).into_owned())
}
