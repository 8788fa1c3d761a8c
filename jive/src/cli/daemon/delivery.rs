//! Delivers a class with its certificate to the device, as a capsule, and waits for the answer.

use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nic_core::sle::capsule::{FRAGMENT_HEADER_BYTES, Part, read_answer};
use nic_core::sle::line::{FRAME_BYTES_MAX, FrameReader, LINE_FRAGMENT_BYTES, frame};
use nic_core::sle::{CapsuleRefusal, FragmentHeader, checksum};

use super::line::{Line, OpenLine};

/// How often a capsule is sent if the line loses or changes bytes of it.
const ATTEMPTS: usize = 3;

/// Answers after which the same capsule, sent again, may be accepted: the line is to blame.
const OF_THE_LINE: [CapsuleRefusal; 3] = [
    CapsuleRefusal::Gap,
    CapsuleRefusal::Mismatch,
    CapsuleRefusal::Checksum,
];

/// The sender of capsules, of which one is under way at a time.
#[derive(Debug)]
pub(super) struct Sender {
    pub(super) line: Line,
    last: u32,
}

impl Sender {
    pub(super) fn new(line: Line) -> Sender {
        Sender { line, last: 0 }
    }

    /// Sends a capsule, and returns the device's answer.
    ///
    /// # Errors
    ///
    /// Fails if the line cannot be opened, is cut, or if the device does not answer in time.
    pub(super) fn deliver(&mut self, certificate: &[u8], class: &[u8]) -> io::Result<String> {
        let number = self.next_number();
        let mut result = Err(io::ErrorKind::TimedOut.into());
        for _ in 0..ATTEMPTS {
            result = self.attempt(number, [certificate, class]);
            match &result {
                Ok(answer) if OF_THE_LINE.iter().any(|reason| reason.word() == answer) => {}
                Ok(_) => break,
                // A device that is busy answers the capsule that it has, and the line need not be opened again.
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
                Err(_) => self.line.close(),
            }
        }
        result
    }

    /// Returns the number of the next capsule. A device refuses numbers below those that it has seen, and a daemon that
    /// is started again knows of none: so it begins with the time, in seconds.
    fn next_number(&mut self) -> u32 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let seconds = now.map_or(0, |since| since.as_secs());
        let seconds = u32::try_from(seconds).unwrap_or(u32::MAX);
        self.last = self.last.saturating_add(1).max(seconds);
        self.last
    }

    fn attempt(&mut self, number: u32, parts: [&[u8]; 2]) -> io::Result<String> {
        let timeout = self.line.timeout;
        let mut line = self.line.opened()?;
        for (part, bytes) in [Part::Certificate, Part::Class].into_iter().zip(parts) {
            for packet in fragments(number, part, bytes) {
                // A slow line that goes on is not given up.
                line.extend(timeout);
                line.write(&frame(&packet).collect::<Vec<_>>())?;
            }
        }
        line.extend(timeout);
        answer(&mut line, number, timeout)
    }
}

/// Returns the packets of a part of a capsule.
fn fragments(number: u32, part: Part, whole: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let checksum = checksum(whole);
    let total = u32::try_from(whole.len()).unwrap_or(u32::MAX);
    let chunks = whole.chunks(LINE_FRAGMENT_BYTES);
    chunks
        .zip((0..).step_by(LINE_FRAGMENT_BYTES))
        .map(move |(bytes, offset)| {
            let header = FragmentHeader {
                number,
                total,
                offset,
                checksum,
            };
            let mut packet = Vec::with_capacity(FRAGMENT_HEADER_BYTES + bytes.len());
            packet.extend(header.to_bytes_of(part));
            packet.extend(bytes);
            packet
        })
}

/// Waits for the answer to a capsule. Answers to earlier ones, which came too late, are left out.
fn answer(line: &mut OpenLine<'_>, number: u32, timeout: Duration) -> io::Result<String> {
    let mut memory = [0; FRAME_BYTES_MAX];
    let mut reader = FrameReader::new(&mut memory);
    let mut buffer = [0; 256];
    line.extend(timeout);
    loop {
        for byte in line.read(&mut buffer)? {
            let answer = reader.take(*byte).and_then(read_answer);
            if let Some((of, text)) = answer
                && of == number
            {
                return Ok(text.to_owned());
            }
        }
    }
}
