//! What the summary says of the `[[send]]` tables: which messages a limit cut off, and what their captures had.

use std::fmt;

use nic_core::event::fields::Escaped;
use serde::Serialize;

use crate::nic::waiting::CutSend;
use crate::spec::{CaptureCounts, Scenario};

/// The messages of a `[[send]]` that a limit cut off. Tables are counted from 1.
#[derive(Clone, Debug, Serialize)]
pub(super) struct CutRow {
    send: u64,
    endpoint: String,
    channel: i32,
    messages: u64,
    unposted: u64,
    under_way: u64,
}

impl CutRow {
    pub(super) fn of(names: &[String], cut: &CutSend) -> CutRow {
        let name = names.get(cut.endpoint.0 as usize);
        CutRow {
            send: u64::from(cut.table) + 1,
            endpoint: name.cloned().unwrap_or_default(),
            channel: cut.channel.0,
            messages: cut.messages,
            unposted: cut.unposted,
            under_way: cut.under_way,
        }
    }
}

impl fmt::Display for CutRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CutRow {
            send,
            channel,
            messages,
            unposted,
            under_way,
            ..
        } = self;
        let endpoint = Escaped(&self.endpoint);
        write!(
            f,
            "{unposted} of {messages} messages of `[[send]]` {send} ({endpoint}, channel {channel}) are not posted, \
             and {under_way} are under way"
        )
    }
}

/// Shows as text which messages of a `[[send]]` a limit cut off.
pub struct CutLine<'a> {
    /// The scenario of the run.
    pub scenario: &'a Scenario,
    /// The messages.
    pub cut: &'a CutSend,
}

impl fmt::Display for CutLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.scenario.endpoints.iter().map(|spec| spec.name.clone());
        CutRow::of(&Vec::from_iter(names), self.cut).fmt(f)
    }
}

/// What was found in the capture of a `[[send]]`. Tables are counted from 1.
#[derive(Clone, Debug, Serialize)]
pub(super) struct CaptureRow {
    pub(super) send: u64,
    pub(super) packets: u64,
    pub(super) padded: u64,
    pub(super) left_out: u64,
}

impl CaptureRow {
    pub(super) fn of(counts: &CaptureCounts) -> CaptureRow {
        CaptureRow {
            send: u64::from(counts.send) + 1,
            packets: counts.sent,
            padded: counts.padded,
            left_out: counts.dropped,
        }
    }
}
