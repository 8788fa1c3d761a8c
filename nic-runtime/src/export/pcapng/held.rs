//! A queue of capture records that wait for their verdicts, in the order of time.
//!
//! A packet's comment must be written with the packet, but what happened to the packet becomes known only later. Each
//! record is therefore held until it and all earlier records have verdicts.

use std::collections::VecDeque;

use nic_core::time::SimTime;

/// Maximum number of bytes that the queue holds. If the queue holds more bytes, the oldest record is written without a
/// verdict.
const HELD_BYTES_MAX: usize = 1 << 26;

/// Estimated memory of a record in bytes, without the bytes of its packet.
const RECORD_BYTES: usize = 256;

/// Number of a record, counted from the start of the capture.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct RecordId(u64);

/// A captured packet, as one tap of a NIC saw it.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) interface: u32,
    /// `epb_flags` of the tap.
    pub(super) flags: u32,
    pub(super) time: SimTime,
    pub(super) bytes: Vec<u8>,
    /// The text of the packet's comment that precedes the verdict.
    pub(super) about: String,
    pub(super) verdict: Option<String>,
    /// How the call that handled the packet ended.
    pub(super) call: Option<String>,
    /// Whether a call that handles the packet still runs.
    pub(super) is_in_call: bool,
}

/// The queue of capture records that wait for verdicts.
#[derive(Debug, Default)]
pub(super) struct Held {
    records: VecDeque<Record>,
    /// Number of records that have been removed from the queue.
    taken: u64,
    bytes: usize,
}

impl Held {
    /// Appends a record.
    pub(super) fn add(&mut self, record: Record) -> RecordId {
        let id = RecordId(self.taken + self.records.len() as u64);
        self.bytes += RECORD_BYTES + record.bytes.len();
        self.records.push_back(record);
        id
    }

    /// Sets a record's verdict, if it has none. Does nothing if the record has already been written.
    pub(super) fn judge(&mut self, id: RecordId, verdict: impl Into<String>) {
        let position = id.0.checked_sub(self.taken);
        let position = position.and_then(|position| usize::try_from(position).ok());
        if let Some(record) = position.and_then(|position| self.records.get_mut(position)) {
            record.verdict.get_or_insert_with(|| verdict.into());
        }
    }

    /// Records that a call begins to handle the captured packet.
    pub(super) fn begin_call(&mut self, id: RecordId) {
        if let Some(record) = self.find(id) {
            record.is_in_call = true;
        }
    }

    /// Records how the call that handled the captured packet ended.
    pub(super) fn end_call(&mut self, id: RecordId, end: String) {
        if let Some(record) = self.find(id) {
            record.is_in_call = false;
            record.call = Some(end);
        }
    }

    fn find(&mut self, id: RecordId) -> Option<&mut Record> {
        let position = id.0.checked_sub(self.taken)?;
        self.records.get_mut(usize::try_from(position).ok()?)
    }

    /// Removes the oldest record if it has a verdict and no call handles its packet, or if the queue is too large.
    pub(super) fn take_ready(&mut self) -> Option<Record> {
        let first = self.records.front()?;
        let waits = first.verdict.is_none() || first.is_in_call;
        if waits && self.bytes <= HELD_BYTES_MAX {
            return None;
        }
        self.take()
    }

    /// Removes the oldest record, with or without a verdict.
    pub(super) fn take(&mut self) -> Option<Record> {
        let record = self.records.pop_front()?;
        self.taken += 1;
        self.bytes -= RECORD_BYTES + record.bytes.len();
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(length: usize) -> Record {
        Record {
            interface: 0,
            flags: 0,
            time: SimTime::ZERO,
            bytes: vec![0; length],
            about: String::new(),
            verdict: None,
            call: None,
            is_in_call: false,
        }
    }

    #[test]
    fn a_record_waits_for_its_verdict_and_for_those_before_it() {
        let mut held = Held::default();
        let (first, second) = (held.add(record(1)), held.add(record(2)));
        held.judge(second, "b");
        assert!(held.take_ready().is_none());
        held.judge(first, "a");
        held.judge(first, "too late");
        let verdict = |record: Option<Record>| record.and_then(|record| record.verdict);
        assert_eq!(verdict(held.take_ready()).as_deref(), Some("a"));
        held.judge(first, "gone");
        assert_eq!(verdict(held.take_ready()).as_deref(), Some("b"));
        assert!(held.take().is_none());
    }

    #[test]
    fn memory_is_bounded_although_a_verdict_never_comes() {
        let mut held = Held::default();
        held.add(record(HELD_BYTES_MAX));
        assert_eq!(held.take_ready().map(|record| record.verdict), Some(None));
        assert_eq!(held.bytes, 0);
    }
}
