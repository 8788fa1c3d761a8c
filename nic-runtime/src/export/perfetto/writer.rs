//! A writer for the Chrome trace event format.
//!
//! The format is described in "Trace Event Format" (Google, 2016): an object with a list `traceEvents`. Times are
//! microseconds. A time with six decimals holds a picosecond exactly, so the writer does not round.

use std::io::{self, Write};

use nic_core::time::{SimDuration, SimTime};
use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::export::plain_json;

/// Beginning of the file.
const HEAD: &[u8] = b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";

/// Separator before each record except the first.
const SEPARATOR: &[u8] = b",\n";

const PICOSECONDS_PER_MICROSECOND: u64 = 1_000_000;

/// A process or thread id of the format.
pub(super) type Id = u32;

/// The process and the thread of a record.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) process: Id,
    pub(super) thread: Id,
}

/// The kind of a record; the names and letters of kinds are those of the format.
#[derive(Copy, Clone, Debug)]
pub(super) enum Phase {
    /// A span. If two spans begin at the same time, the span written first encloses the other.
    Complete(SimDuration),
    /// A point in time.
    Instant,
    /// Start of an arrow, attached to the span in which the arrow starts.
    FlowStart(u64),
    /// End of an arrow, attached to the span in which the arrow ends.
    FlowEnd(u64),
    /// Counter values.
    Counter,
    /// Name or sort index of a process or thread.
    Metadata,
}

impl Phase {
    fn letter(self) -> &'static str {
        match self {
            Phase::Complete(_) => "X",
            Phase::Instant => "i",
            Phase::FlowStart(_) => "s",
            Phase::FlowEnd(_) => "f",
            Phase::Counter => "C",
            Phase::Metadata => "M",
        }
    }
}

/// An empty set of arguments.
#[derive(Serialize)]
pub(super) struct NoArguments {}

/// The file's writer.
#[derive(Debug)]
pub(super) struct Records<W> {
    writer: W,
    begun: bool,
    /// A buffer that is empty between records, so that its memory is reused.
    pending: Pending,
    failure: Option<io::Error>,
}

/// A record of the file, with the field names of the format.
#[derive(Serialize)]
struct Record<'a, A> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<&'static str>,
    ph: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    ts: Microseconds,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<Microseconds>,
    pid: Id,
    tid: Id,
    /// The scope of an instant, which is the instant's thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'static str>,
    /// Binds the end of an arrow to the span around it, instead of the next span.
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'static str>,
    args: &'a A,
}

/// Rendered records that have not been written to the file.
#[derive(Debug, Default)]
pub(super) struct Pending(Vec<u8>);

impl Pending {
    /// Appends a record.
    pub(super) fn add<A: Serialize>(
        &mut self,
        (phase, name): (Phase, &str),
        time: SimTime,
        place: Place,
        args: &A,
    ) {
        let (id, cat) = match phase {
            Phase::FlowStart(id) | Phase::FlowEnd(id) => (Some(id), Some("packet")),
            Phase::Complete(_) | Phase::Instant | Phase::Counter | Phase::Metadata => (None, None),
        };
        let dur = match phase {
            Phase::Complete(duration) => Some(Microseconds(duration.as_ps())),
            Phase::Instant
            | Phase::FlowStart(_)
            | Phase::FlowEnd(_)
            | Phase::Counter
            | Phase::Metadata => None,
        };
        let record = Record {
            name,
            cat,
            ph: phase.letter(),
            id,
            ts: Microseconds(time.as_ps()),
            dur,
            pid: place.process,
            tid: place.thread,
            s: matches!(phase, Phase::Instant).then_some("t"),
            bp: matches!(phase, Phase::FlowEnd(_)).then_some("e"),
            args,
        };
        self.0.extend_from_slice(SEPARATOR);
        plain_json::to_writer(&mut self.0, &record).expect("memory takes every record");
    }

    /// Appends the records of another buffer.
    pub(super) fn append(&mut self, mut others: Pending) {
        self.0.append(&mut others.0);
    }
}

impl<W: Write> Records<W> {
    pub(super) fn new(writer: W) -> Records<W> {
        Records {
            writer,
            begun: false,
            pending: Pending::default(),
            failure: None,
        }
    }

    /// Writes a record; does nothing after an error.
    pub(super) fn write<A: Serialize>(
        &mut self,
        what: (Phase, &str),
        time: SimTime,
        place: Place,
        args: &A,
    ) {
        let mut pending = std::mem::take(&mut self.pending);
        pending.add(what, time, place, args);
        self.write_pending(&pending);
        pending.0.clear();
        self.pending = pending;
    }

    /// Writes rendered records; does nothing after an error.
    pub(super) fn write_pending(&mut self, pending: &Pending) {
        if self.failure.is_some() || pending.0.is_empty() {
            return;
        }
        let written = if self.begun {
            self.writer.write_all(&pending.0)
        } else {
            self.begun = true;
            let first = &pending.0[SEPARATOR.len()..];
            let head = self.writer.write_all(HEAD);
            head.and_then(|()| self.writer.write_all(first))
        };
        self.failure = written.err();
    }

    /// Ends the list of records and returns the writer.
    pub(super) fn finish(mut self) -> io::Result<W> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if !self.begun {
            self.writer.write_all(HEAD)?;
        }
        self.writer.write_all(b"\n]}\n")?;
        Ok(self.writer)
    }
}

/// Picoseconds, written as decimal microseconds. A floating-point number would round the time.
struct Microseconds(u64);

impl Serialize for Microseconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let whole = self.0 / PICOSECONDS_PER_MICROSECOND;
        let rest = self.0 % PICOSECONDS_PER_MICROSECOND;
        let number =
            RawValue::from_string(format!("{whole}.{rest:06}")).map_err(S::Error::custom)?;
        number.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact_to_the_picosecond() {
        let shown = |ps| serde_json::to_string(&Microseconds(ps)).expect("a number");
        assert_eq!(shown(0), "0.000000");
        assert_eq!(shown(12_345_678), "12.345678");
        assert_eq!(shown(u64::MAX), "18446744073709.551615");
    }

    #[test]
    fn a_file_without_records_is_well_formed() {
        let bytes = Records::new(Vec::new()).finish().expect("memory takes it");
        let read: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
        assert_eq!(read["traceEvents"], serde_json::json!([]));
    }
}
