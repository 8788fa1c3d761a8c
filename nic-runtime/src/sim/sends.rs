//! The scenario's sends, and how many messages of each have become due.

use std::collections::BTreeMap;
use std::ops::Range;

use nic_core::time::SimDuration;

use crate::ids::at;
use crate::spec::{Gaps, SendSpec};

/// The sends of a run.
#[derive(Debug)]
pub(crate) struct Sends<'a> {
    specs: &'a [SendSpec],
    /// Number of messages of each send that have become due.
    due: Vec<u64>,
    /// The random times of each send that has them and has begun.
    gaps: BTreeMap<u32, Gaps>,
}

impl<'a> Sends<'a> {
    /// Returns sends of which no message has become due.
    pub(crate) fn new(specs: &'a [SendSpec]) -> Sends<'a> {
        Sends {
            specs,
            due: vec![0; specs.len()],
            gaps: BTreeMap::new(),
        }
    }

    /// Returns the description of a send.
    #[inline]
    pub(crate) fn spec(&self, send: u32) -> &'a SendSpec {
        &self.specs[at(send)]
    }

    /// Returns the numbers of all sends.
    pub(crate) fn numbers(&self) -> Range<u32> {
        0..u32::try_from(self.specs.len()).unwrap_or(u32::MAX)
    }

    /// Returns the descriptions of all sends, each with the number of its messages that have become due.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&'a SendSpec, u64)> {
        self.specs.iter().zip(self.due.iter().copied())
    }

    /// Counts all messages of a send as due.
    pub(crate) fn all_due(&mut self, send: u32) {
        self.due[at(send)] = self.spec(send).repeat;
    }

    /// Counts one more message of a send as due. Returns the time until the next one, or `None` if it was the last.
    pub(crate) fn one_due(&mut self, send: u32) -> Option<SimDuration> {
        let spec = self.spec(send);
        let due = &mut self.due[at(send)];
        *due += 1;
        (*due < spec.repeat).then(|| match &spec.gap {
            None => spec.every,
            Some(first) => {
                let gaps = self.gaps.entry(send);
                gaps.or_insert_with(|| first.clone()).draw()
            }
        })
    }
}

#[cfg(test)]
impl Sends<'_> {
    /// Adds what is kept for sends to the census.
    pub(crate) fn counted(&self, census: &mut crate::at_rest::Census) {
        census.length("sends", self.due.len());
        census.length("gaps", self.gaps.len());
    }
}
