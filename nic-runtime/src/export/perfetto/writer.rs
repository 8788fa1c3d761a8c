//! Records of the Chrome trace event format, written one by one.
//!
//! The format is that of "Trace Event Format" (Google, 2016): an object with a list `traceEvents`.
//! Times are microseconds; six decimals hold a picosecond, so nothing is rounded.

use std::io::{self, Write};

use nic_core::time::{SimDuration, SimTime};
use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// What a file begins with.
const HEAD: &[u8] = b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";

/// What stands before each record but the first.
const SEPARATOR: &[u8] = b",\n";

const PICOSECONDS_PER_MICROSECOND: u64 = 1_000_000;

/// A process or thread id of the format.
pub(super) type Id = u32;

/// Where a record belongs: a process and one of its threads.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) process: Id,
    pub(super) thread: Id,
}

/// What a record is; names and letters are the format's.
#[derive(Copy, Clone, Debug)]
pub(super) enum Phase {
    /// A span. Of two that begin at once, the one that is written first is around the other.
    Complete(SimDuration),
    /// A point in time.
    Instant,
    /// Where an arrow starts: in the span around it.
    FlowStart(u64),
    /// Where an arrow ends: in the span around it.
    FlowEnd(u64),
    /// Values of counters.
    Counter,
    /// A name or rank of a process or thread.
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

/// Arguments of a record that has none.
#[derive(Serialize)]
pub(super) struct NoArguments {}

/// Writes records.
#[derive(Debug)]
pub(super) struct Records<W> {
    writer: W,
    begun: bool,
    /// Empty; kept for its memory alone.
    pending: Pending,
    failure: Option<io::Error>,
}

/// A record in the members of the format.
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
    /// How far an instant reaches: its thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'static str>,
    /// What the end of an arrow binds to: the span around it, not the next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'static str>,
    args: &'a A,
}

/// Records that are rendered and not written.
#[derive(Debug, Default)]
pub(super) struct Pending(Vec<u8>);

impl Pending {
    /// Adds a record behind the others.
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
        serde_json::to_writer(&mut self.0, &record).expect("memory takes every record");
    }

    /// Adds other records behind these.
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

    /// Writes a record; after a failure nothing.
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

    /// Writes records that were rendered before.
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

    /// Ends the list and returns the writer.
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

/// Picoseconds, written as microseconds without a detour through binary fractions.
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
