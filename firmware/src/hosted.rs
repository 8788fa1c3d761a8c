//! The host version of the program, so that its trace can be compared with that of the device.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nic_core::sle::PATIENCE;

use crate::failure::Failure;
use crate::machine::{Footprint, Line, Machine, Wait};

/// How long the line is waited for at a time.
const PAUSE: Duration = Duration::from_millis(20);

/// The environment variable with the path of a Unix socket that stands for the serial line. The program listens on it, as
/// QEMU does.
const LINE: &str = "FIRMWARE_LINE";

/// Runs a program with the process's arguments.
pub fn start(
    program: fn(&mut Host, &mut dyn Iterator<Item = &str>) -> Result<(), Failure>,
) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut host = Host::default();
    match program(&mut host, &mut arguments.iter().map(String::as_str)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("firmware: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// The process.
#[derive(Default)]
pub struct Host {
    /// The socket that stands for the line, and the one who is connected to it.
    line: Option<(UnixListener, Option<UnixStream>)>,
}

impl Host {
    fn line(&mut self) -> Result<&mut (UnixListener, Option<UnixStream>), Failure> {
        if self.line.is_none() {
            let path = std::env::var_os(LINE).ok_or(Failure::Read)?;
            let listener = UnixListener::bind(path).map_err(|_| Failure::Read)?;
            self.line = Some((listener, None));
        }
        self.line.as_mut().ok_or(Failure::Read)
    }
}

impl Line for Host {
    fn receive(&mut self, wait: Wait) -> Result<Option<u8>, Failure> {
        let patience = Duration::from_nanos(PATIENCE.as_ns());
        let end = (wait == Wait::Patience).then(|| Instant::now() + patience);
        let (listener, stream) = self.line()?;
        listener.set_nonblocking(true).map_err(|_| Failure::Read)?;
        while end.is_none_or(|end| Instant::now() < end) {
            if stream.is_none() {
                *stream = listener.accept().ok().map(|(stream, _)| stream);
            }
            let mut byte = [0];
            let read = stream.as_mut().map(|stream| {
                let limited = stream.set_read_timeout(Some(PAUSE));
                limited.and_then(|()| stream.read(&mut byte))
            });
            match read {
                Some(Ok(1)) => return Ok(Some(byte[0])),
                // Another one may connect.
                Some(Ok(_)) => *stream = None,
                Some(Err(error)) if error.kind() == ErrorKind::ConnectionReset => *stream = None,
                Some(Err(_)) => {}
                None => std::thread::sleep(PAUSE),
            }
        }
        Ok(None)
    }

    fn transmit(&mut self, bytes: impl Iterator<Item = u8>) -> Result<(), Failure> {
        let (_, stream) = self.line()?;
        if let Some(connected) = stream {
            let bytes: Vec<u8> = bytes.collect();
            // The sender may have gone.
            if connected.write_all(&bytes).is_err() {
                *stream = None;
            }
        }
        Ok(())
    }
}

impl Machine for Host {
    fn read(&mut self, path: &str, place: &mut [u8]) -> Result<usize, Failure> {
        let mut bytes = Vec::new();
        let limit = place.len() as u64 + 1;
        let file = std::fs::File::open(path).map_err(|_| Failure::Read)?;
        file.take(limit)
            .read_to_end(&mut bytes)
            .map_err(|_| Failure::Read)?;
        let read = place.get_mut(..bytes.len()).ok_or(Failure::Read)?;
        read.copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn write_trace(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        io::stdout().write_all(bytes).map_err(|_| Failure::Write)
    }

    fn write_report(&mut self, line: Arguments<'_>) -> Result<(), Failure> {
        writeln!(io::stderr(), "{line}").map_err(|_| Failure::Write)
    }

    fn mark_stack(&mut self) {}

    fn stack_since_mark(&self) -> Option<usize> {
        None
    }

    fn footprint(&self) -> Option<Footprint> {
        None
    }
}
