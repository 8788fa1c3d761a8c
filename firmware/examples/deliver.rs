//! Sends a capsule to a device as `jive daemon` does, but whatever class and certificate it is given, and perhaps only its
//! first bytes. Prints the device's answer, so that `scripts/firmware` can see what a device refuses.
//!
//! `deliver LINE NUMBER CLASS CERTIFICATE [BYTES [cut]]`: the Unix socket of the line, the number of the capsule, the two
//! files, and how many bytes are sent. With `cut`, the line is cut behind them, and no answer can come.
#![cfg(not(target_os = "none"))]

use std::error::Error;
use std::io::{BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nic_core::sle::capsule::{Part, read_answer};
use nic_core::sle::line::{FRAME_BYTES_MAX, FrameReader, LINE_FRAGMENT_BYTES, frame};
use nic_core::sle::{FragmentHeader, checksum};

/// How long a line that is to be cut stays open, as QEMU gives the device a byte at a time and forgets the rest. Shorter
/// than the device's patience.
const PAUSE: Duration = Duration::from_millis(300);

/// How often a capsule is sent if QEMU closes the line, which it does when it finds out late that an earlier sender has
/// gone.
const ATTEMPTS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, number, class, certificate, rest @ ..] = &arguments[..] else {
        return Err("usage: deliver LINE NUMBER CLASS CERTIFICATE [BYTES [cut]]".into());
    };
    let number = number.parse()?;
    let mut sent = Vec::new();
    for (part, path) in [(Part::Certificate, certificate), (Part::Class, class)] {
        let whole = std::fs::read(path)?;
        let mut offset = 0;
        for bytes in whole.chunks(LINE_FRAGMENT_BYTES) {
            let header = FragmentHeader {
                number,
                total: whole.len().try_into()?,
                offset,
                checksum: checksum(&whole),
            };
            sent.extend(frame(&[&header.to_bytes_of(part)[..], bytes].concat()));
            offset += u32::try_from(bytes.len())?;
        }
    }
    if let Some(bytes) = rest.first() {
        sent.truncate(bytes.parse()?);
    }
    let is_cut = rest.get(1).is_some_and(|word| word == "cut");
    for _ in 0..ATTEMPTS {
        let mut line = UnixStream::connect(path)?;
        line.write_all(&sent)?;
        if is_cut {
            std::thread::sleep(PAUSE);
            return Ok(());
        }
        if let Some(text) = answer(line, number) {
            println!("{text}");
            return Ok(());
        }
    }
    Err("the line ended without an answer".into())
}

/// Returns the device's answer to a capsule, unless the line ends before it.
fn answer(line: UnixStream, number: u32) -> Option<String> {
    let mut memory = [0; FRAME_BYTES_MAX];
    let mut reader = FrameReader::new(&mut memory);
    for byte in BufReader::new(line).bytes() {
        if let Some((of, text)) = reader.take(byte.ok()?).and_then(read_answer)
            && of == number
        {
            return Some(text.to_owned());
        }
    }
    None
}
