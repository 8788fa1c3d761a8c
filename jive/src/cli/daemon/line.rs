//! The line to the NIC, as a file descriptor with deadlines.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::termios::{OptionalActions, isatty, tcgetattr, tcsetattr};

/// A line that is opened when something is to be sent, and again after it broke.
#[derive(Debug)]
pub(super) struct Line {
    path: PathBuf,
    pub(super) timeout: Duration,
    open: Option<OwnedFd>,
}

impl Line {
    /// Returns the line, which is not open yet.
    pub(super) fn new(path: &Path, timeout: Duration) -> Line {
        Line {
            path: path.to_owned(),
            timeout,
            open: None,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the line, unless it is open.
    pub(super) fn opened(&mut self) -> io::Result<OpenLine<'_>> {
        if self.open.is_none() {
            self.open = Some(open(&self.path)?);
        }
        let line = self.open.as_ref().expect("it was opened above");
        Ok(OpenLine {
            line: line.as_fd(),
            deadline: Instant::now() + self.timeout,
        })
    }

    /// Closes the line, so that the next use opens it again.
    pub(super) fn close(&mut self) {
        self.open = None;
    }
}

/// Opens a socket on which QEMU listens, or else a device.
fn open(path: &Path) -> io::Result<OwnedFd> {
    if fs::metadata(path)?.file_type().is_socket() {
        let stream = UnixStream::connect(path)?;
        stream.set_nonblocking(true)?;
        return Ok(stream.into());
    }
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let device = rustix::fs::open(path, flags, Mode::empty())?;
    if isatty(&device) {
        // A terminal would echo bytes, and change some of them.
        let mut settings = tcgetattr(&device)?;
        settings.make_raw();
        tcsetattr(&device, OptionalActions::Now, &settings)?;
    }
    Ok(device)
}

/// A line on which one exchange has to end by a deadline.
#[derive(Debug)]
pub(super) struct OpenLine<'l> {
    line: BorrowedFd<'l>,
    deadline: Instant,
}

impl OpenLine<'_> {
    /// Writes all bytes.
    pub(super) fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match rustix::io::write(self.line, bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(Errno::AGAIN) => self.wait(PollFlags::OUT)?,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reads what has come, or waits for it. Fails at the end of the line.
    pub(super) fn read<'b>(&mut self, buffer: &'b mut [u8]) -> io::Result<&'b [u8]> {
        loop {
            match rustix::io::read(self.line, &mut *buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => return Ok(&buffer[..read]),
                Err(Errno::AGAIN) => self.wait(PollFlags::IN)?,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Begins to wait anew: for the next part of an exchange.
    pub(super) fn extend(&mut self, timeout: Duration) {
        self.deadline = Instant::now() + timeout;
    }

    /// Waits until the line is ready.
    fn wait(&self, flags: PollFlags) -> io::Result<()> {
        let rest = self.deadline.saturating_duration_since(Instant::now());
        if rest.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let rest = Timespec::try_from(rest).map_err(io::Error::other)?;
        let mut polled = [PollFd::from_borrowed_fd(self.line, flags)];
        match rustix::event::poll(&mut polled, Some(&rest)) {
            // The caller tries again, and finds out whether the deadline is over.
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
