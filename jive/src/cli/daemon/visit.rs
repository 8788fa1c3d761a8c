//! One client's visit: a class file comes in, is verified and delivered, and a line goes back.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jive_core::ClassFile;
use jive_core::limits::FILE_BYTES_MAX;
use jive_embed::{CertifyError, LoadError, certify};
use jive_verifier::Policy;
use nic_core::sle::capsule::INSTALLED;
use nic_core::sle::{NicEntry, NicNative};

use super::delivery::Sender;

/// The answer to a class that has become the applet.
pub(super) const INSTALLED_LINE: &str = "installed\n";

/// More bytes than any answer has.
pub(super) const REPLY_BYTES_MAX: u64 = 4096;

/// Why a class was not installed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    /// The client was too slow.
    #[error("the class file has not come within {0} seconds")]
    Slow(u64),
    /// The connection failed.
    #[error("the class file cannot be read: {0}")]
    Read(io::Error),
    /// The file is longer than a class file may be.
    #[error("expected a class file of at most {FILE_BYTES_MAX} bytes")]
    TooLong,
    /// The class was rejected here.
    #[error("{code}: {error}", code = .0.code(), error = .0)]
    Rejected(LoadError),
    /// The class has so many branch targets that no capsule carries its certificate.
    #[error("expected a certificate of at most {FILE_BYTES_MAX} bytes, found {0}")]
    Certificate(usize),
    /// The class could not be delivered.
    #[error("the device cannot be reached: {0}")]
    Line(io::Error),
    /// The device refused the class.
    #[error("the device says {0:?}")]
    Device(String),
}

/// Serves a client. Returns what the console shows of it.
pub(super) fn receive(stream: UnixStream, sender: &Mutex<Sender>, timeout: Duration) -> String {
    let mut stream = stream;
    let result = read_class(&mut stream, timeout)
        .and_then(|class| Ok((class.len(), installed(&class, sender)?)));
    let (line, shown) = match result {
        Ok((length, name)) => (
            INSTALLED_LINE.to_owned(),
            format!("installed {name}, {length} bytes"),
        ),
        Err(refused) => {
            let line = format!("refused: {refused}");
            (format!("{line}\n"), line)
        }
    };
    reply(&mut stream, &line, timeout);
    shown
}

/// Writes the answer. A client that has gone, or does not read, loses it.
pub(super) fn reply(stream: &mut UnixStream, line: &str, timeout: Duration) {
    let limited = stream.set_write_timeout(Some(timeout));
    let written = limited.and_then(|()| stream.write_all(line.as_bytes()));
    let _gone = written.and_then(|()| stream.shutdown(Shutdown::Write));
}

/// Reads a class file up to the end of the client's writing.
fn read_class(stream: &mut UnixStream, timeout: Duration) -> Result<Vec<u8>, Refused> {
    // One deadline for the whole file: a client that writes a byte now and then is slow too.
    let deadline = Instant::now() + timeout;
    let mut class = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let rest = deadline.saturating_duration_since(Instant::now());
        if rest.is_zero() {
            return Err(Refused::Slow(timeout.as_secs()));
        }
        let limited = stream.set_read_timeout(Some(rest));
        match limited.and_then(|()| stream.read(&mut buffer)) {
            Ok(0) => return Ok(class),
            Ok(read) if class.len() + read > FILE_BYTES_MAX => return Err(Refused::TooLong),
            Ok(read) => class.extend(&buffer[..read]),
            // The loop finds out whether the time is over.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock
                        | io::ErrorKind::TimedOut
                        | io::ErrorKind::Interrupted
                ) => {}
            Err(error) => return Err(Refused::Read(error)),
        }
    }
}

/// Verifies a class and delivers it. Returns its name.
fn installed(class: &[u8], sender: &Mutex<Sender>) -> Result<String, Refused> {
    let mut index = vec![0; ClassFile::index_len(class)];
    let parsed = ClassFile::parse(class, &mut index);
    let parsed = parsed.map_err(|error| Refused::Rejected(error.into()))?;
    let policy = Policy::Applet {
        entries: NicEntry::TABLE,
    };
    let certificate = certify(parsed, policy, NicNative::TABLE).map_err(|error| match error {
        CertifyError::Rejected(error) => Refused::Rejected(error.into()),
        CertifyError::TooLong { needed } => Refused::Certificate(needed),
    })?;
    if certificate.len() > FILE_BYTES_MAX {
        return Err(Refused::Certificate(certificate.len()));
    }
    // A delivery that panicked has left the line as it is, and the next one begins with a new frame.
    let mut sender = sender.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = sender.deliver(&certificate, class).map_err(Refused::Line)?;
    match answer.as_str() {
        INSTALLED => Ok(jive_core::Cut(parsed.name()).to_string()),
        _ => Err(Refused::Device(answer)),
    }
}
