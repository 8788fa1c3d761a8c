//! What still waits when nothing is due any more, and what a limit cut off.

use std::fmt;

use nic_core::event::Names;
use nic_core::event::fields::Escaped;
use nic_core::id::{ChannelId, EndpointId, NicId};
use serde::Serialize;

/// Something that waits although nothing is due any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Name of the NIC or switch.
    pub nic: String,
    /// Whether `nic` is a switch.
    #[serde(skip)]
    pub is_switch: bool,
    /// Name of the endpoint that waits; `None` if the NIC itself waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// What the endpoint or the NIC waits for, in words.
    pub awaits: String,
    /// How often.
    pub count: u64,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.endpoint {
            Some(endpoint) => write!(f, "endpoint {}", Escaped(endpoint))?,
            None if self.is_switch => write!(f, "switch {}", Escaped(&self.nic))?,
            None => write!(f, "NIC {}", Escaped(&self.nic))?,
        }
        write!(f, " waits for {}", self.awaits)?;
        match self.count {
            1 => Ok(()),
            count => write!(f, " ({count} times)"),
        }
    }
}

/// A program that has not done all that it had to do, and how far it came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HowFar {
    /// Name of the first endpoint of its process.
    pub endpoint: String,
    /// How much it has done, in words.
    pub after: String,
}

impl fmt::Display for HowFar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "endpoint {}: {}", Escaped(&self.endpoint), self.after)
    }
}

/// The messages of a `[[send]]` that a run did not bring to their end.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct CutSend {
    /// The position of the `[[send]]` in the file, from 0.
    pub table: u32,
    /// The endpoint that sends.
    pub endpoint: EndpointId,
    /// The endpoint's number of the channel.
    pub channel: ChannelId,
    /// How many messages the `[[send]]` has.
    pub messages: u64,
    /// How many of these were not posted.
    pub unposted: u64,
    /// How many were posted, and did not complete, or have packets that did not arrive. An endpoint whose own program
    /// posts too has none, because its messages cannot be told apart.
    pub under_way: u64,
}

impl CutSend {
    pub(crate) fn of(table: u32, endpoint: EndpointId, channel: ChannelId) -> CutSend {
        CutSend {
            table,
            endpoint,
            channel,
            messages: 0,
            unposted: 0,
            under_way: 0,
        }
    }
}

/// The list of what waits, while it is made.
pub(crate) struct Waiters<'s> {
    pub(crate) names: &'s dyn Names,
    /// How many NICs there are: the nodes behind them are switches.
    pub(crate) nics: usize,
    pub(crate) list: Vec<Waiting>,
}

impl Waiters<'_> {
    /// Returns the name of an endpoint as a report shows it.
    pub(crate) fn name(&self, id: EndpointId) -> String {
        Escaped(self.names.endpoint(id)).to_string()
    }

    /// Returns the name of a NIC or switch as a report shows it, with which of the two it is.
    pub(crate) fn node(&self, id: NicId) -> String {
        let kind = if self.is_switch(id) { "switch" } else { "NIC" };
        format!("{kind} {}", Escaped(self.names.nic(id)))
    }

    fn is_switch(&self, id: NicId) -> bool {
        id.0 as usize >= self.nics
    }

    /// Adds that an endpoint waits for something, unless `count` is 0.
    pub(crate) fn endpoint(&mut self, id: EndpointId, awaits: &str, count: usize) {
        let endpoint = self.names.endpoint(id).to_owned();
        self.add(self.names.home(id), Some(endpoint), awaits, count);
    }

    /// Adds that a NIC or switch waits for something, unless `count` is 0.
    pub(crate) fn nic(&mut self, id: NicId, awaits: &str, count: usize) {
        self.add(id, None, awaits, count);
    }

    fn add(&mut self, nic: NicId, endpoint: Option<String>, awaits: &str, count: usize) {
        let same = |waiting: &Waiting| waiting.endpoint == endpoint && waiting.awaits == awaits;
        if let Some(last) = self
            .list
            .last_mut()
            .filter(|last| endpoint.is_some() && same(last))
        {
            last.count += count as u64;
        } else if count > 0 {
            self.list.push(Waiting {
                nic: self.names.nic(nic).to_owned(),
                is_switch: self.is_switch(nic),
                endpoint,
                awaits: awaits.to_owned(),
                count: count as u64,
            });
        }
    }
}
