//! What the end of a run left behind: messages that were not posted, or were under way, when a default ended it, and
//! programs that have not done all that they had to do.
//!
//! A scenario that sets a limit wants the run to end there. A default is no decision, so messages that it cuts off are
//! reported. Only messages of `[[send]]` tables count, and programs with a number of rounds: an applet's timer may go on
//! for ever, and so may the answers of two programs to each other.

use std::collections::{BTreeMap, BTreeSet};

use nic_core::event::{EndReason, Trigger};
use nic_core::id::{ChannelId, EndpointId, PostId};

use crate::engine::Simulation;
use crate::host::program::Unfinished;
use crate::ids::at;
use crate::nic::waiting::{CutSend, HowFar};
use crate::spec::{Expectation, Expected, Scenario};

impl Simulation<'_> {
    /// Returns what the end of the run cut off.
    pub(super) fn cut(&self, scenario: &Scenario, reason: EndReason) -> Vec<CutSend> {
        let is_by_default = scenario.limits_set.is_default(reason);
        let mut tables = BTreeMap::new();
        if is_by_default {
            self.count_sends(&mut tables);
        }
        for (replay, progress) in scenario.replays.iter().zip(&self.own.replays) {
            let unposted = replay.count.saturating_sub(progress.posted());
            // A capture that ends before its time has changed since it was read first.
            if is_by_default || (reason == EndReason::Idle && unposted > 0) {
                let of = CutSend::of(replay.table, replay.endpoint, replay.channel);
                tables.insert(
                    replay.table,
                    CutSend {
                        messages: replay.count,
                        unposted,
                        ..of
                    },
                );
            }
        }
        if is_by_default {
            self.count_under_way(&mut tables);
        }
        let tables = tables.into_values();
        tables
            .filter(|cut| cut.unposted + cut.under_way > 0)
            .collect()
    }

    /// Returns the programs that have not done all that they had to do: those that do no more, and those that the end of
    /// the run cut. A run in which nothing is left to do brings no program an answer any more.
    pub(super) fn programs_left(&self, reason: EndReason) -> (Vec<HowFar>, Vec<HowFar>) {
        let processes = self.own.processes.iter();
        let left = processes.filter_map(|process| {
            let Unfinished { after, has_stopped } = process.program.program().unfinished()?;
            let endpoint = self.report.names().endpoint(process.home()).to_owned();
            // A trap that the scenario expects is what the program had to do.
            let is_expected = |of: &Expectation| {
                of.endpoint == Some(process.home()) && matches!(of.what, Expected::Trap(_))
            };
            if has_stopped && self.scenario.expectations.iter().any(is_expected) {
                return None;
            }
            let gave_up = has_stopped || reason == EndReason::Idle;
            Some((gave_up, HowFar { endpoint, after }))
        });
        let (gave_up, unfinished): (Vec<_>, Vec<_>) = left.partition(|(gave_up, _)| *gave_up);
        let all = |programs: Vec<(bool, HowFar)>| programs.into_iter().map(|(_, far)| far);
        (all(gave_up).collect(), all(unfinished).collect())
    }

    /// Counts the messages of sends, and those of them that were not posted.
    fn count_sends(&self, tables: &mut BTreeMap<u32, CutSend>) {
        let mut posted: Vec<u64> = self.sends.counts().map(|(_, due)| due).collect();
        let due = self.users.iter().flat_map(|user| user.due.counts());
        for (send, count) in due {
            posted[at(send)] -= count;
        }
        for ((spec, _), posted) in self.sends.counts().zip(posted) {
            let of = CutSend::of(spec.table, spec.endpoint, spec.channel);
            let cut = tables.entry(spec.table).or_insert(of);
            cut.messages += spec.repeat;
            cut.unposted += spec.repeat - posted;
        }
    }

    /// Counts the messages that are under way. Of several tables of an endpoint and channel, the last of the file has
    /// them.
    fn count_under_way(&self, tables: &mut BTreeMap<u32, CutSend>) {
        let mut posts = BTreeMap::<EndpointId, u64>::new();
        for cut in tables.values() {
            *posts.entry(cut.endpoint).or_default() += cut.messages - cut.unposted;
        }
        let mut posted = BTreeSet::<(EndpointId, ChannelId, PostId)>::new();
        for (&endpoint, &of_sends) in &posts {
            let queue = &self.endpoints[endpoint].transmit;
            if u64::from(queue.posted()) <= of_sends {
                let outstanding = queue.outstanding();
                posted.extend(outstanding.map(|(post, of)| (endpoint, of.channel, post)));
            }
        }
        for packet in self.packets.live() {
            let (endpoint, channel) = packet.from;
            let of_sends = posts.get(&endpoint).copied().unwrap_or(0);
            if let Trigger::Post(post) = packet.trigger
                && u64::from(self.endpoints[endpoint].transmit.posted()) <= of_sends
            {
                posted.insert((endpoint, channel, post));
            }
        }
        for (endpoint, channel, _) in posted {
            let mut tables = tables.values_mut().rev();
            let of = tables.find(|cut| {
                (cut.endpoint, cut.channel) == (endpoint, channel)
                    && cut.under_way < cut.messages - cut.unposted
            });
            if let Some(cut) = of {
                cut.under_way += 1;
            }
        }
    }
}
