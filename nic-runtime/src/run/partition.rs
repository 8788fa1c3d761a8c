//! Simulates groups of NICs that never exchange packets one after another, if no sink listens.
//!
//! Only packets connect NICs, and packets follow channels. Without packets between them, groups of NICs do not
//! influence each other's events. Running one group of NICs to its end and then the next therefore gives the same
//! result as handling all events in order of time.
//!
//! Two cases are excluded. Runs with a sink are excluded, because a sink is promised events in the order of time. Runs
//! that end at `max_events` are excluded, because this limit counts the events of all groups together. Simulating
//! groups apart keeps a group's NICs in the CPU's caches, and the schedule holds little else between two stages of a
//! packet.
//!
//! The channels that a run will use are not known in advance, because an applet may send on any channel. The first
//! guess is that a run uses only the channels that the scenario's sends name, in both directions. If a packet leaves
//! its group, the guess of used channels was wrong, and the run starts again with groups that no channel joins.

use crate::engine::Simulation;
use crate::ids::Table;
use crate::spec::{ChannelSpec, Scenario};
use nic_core::event::EndReason;
use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimTime;

/// The sends of a scenario, sorted by group.
pub(crate) struct Groups {
    // The sends are sorted by group, then by position in the scenario.
    sends: Vec<Send>,
    of_nic: Table<NicId, NicId>,
}

/// A send: its group, and its position in the scenario.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Send {
    group: NicId,
    send: u32,
}

/// Selects the channels that join the NICs at their ends into one group.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum PartitionBy {
    /// Only channels that a send names join NICs.
    Sends,
    /// All channels.
    Channels,
}

impl Groups {
    /// Returns the groups of a scenario, or `None` if all sends belong to one group.
    pub(crate) fn of(scenario: &Scenario, by: PartitionBy) -> Option<Groups> {
        // Packets of different groups would meet at the ports of switches.
        if !scenario.switches.is_empty() {
            return None;
        }
        let home = |endpoint: EndpointId| scenario.endpoints[endpoint].nic;
        let mut joined = Joined::new(scenario.nics.len());
        let used = match by {
            PartitionBy::Channels => None,
            PartitionBy::Sends => {
                let sends = scenario.sends.iter();
                let mut ends: Vec<_> = sends.map(|send| (send.endpoint, send.channel)).collect();
                ends.sort_unstable();
                Some(ends)
            }
        };
        for ChannelSpec { a, b } in &scenario.channels {
            let is_used = used
                .as_ref()
                .is_none_or(|ends| ends.binary_search(a).is_ok() || ends.binary_search(b).is_ok());
            if is_used {
                joined.join(home(a.0), home(b.0));
            }
        }
        let mut sends: Vec<Send> = (0u32..)
            .zip(&scenario.sends)
            .map(|(send, spec)| Send {
                group: joined.group(home(spec.endpoint)),
                send,
            })
            .collect();
        sends.sort_unstable();
        let (first, last) = (sends.first()?, sends.last()?);
        if first.group == last.group {
            return None;
        }
        let nics = (0u32..).map(NicId).take(scenario.nics.len());
        Some(Groups {
            sends,
            of_nic: nics.map(|nic| joined.group(nic)).collect(),
        })
    }
}

/// A union-find structure over NICs. Each NIC refers to an earlier NIC of its group, and a group's first NIC refers to
/// itself.
struct Joined(Table<NicId, NicId>);

impl Joined {
    fn new(nics: usize) -> Joined {
        Joined((0u32..).map(NicId).take(nics).collect())
    }

    /// Returns the first NIC of a NIC's group.
    fn group(&mut self, mut nic: NicId) -> NicId {
        while self.0[nic] != nic {
            // Path halving: the next search for the first NIC of this group takes half as many steps.
            let next = self.0[nic];
            self.0[nic] = self.0[next];
            nic = next;
        }
        nic
    }

    fn join(&mut self, a: NicId, b: NicId) {
        let (a, b) = (self.group(a), self.group(b));
        self.0[a.max(b)] = a.min(b);
    }
}

impl Simulation<'_> {
    /// Runs each group to its end. Returns `None` if a packet left its group.
    ///
    /// A result of [`EndReason::MaxEvents`] or [`EndReason::MaxBytecodes`] means that a run in the order of time ends
    /// by a limit too. A run in the order of time may reach a different limit, and at a different time.
    pub(crate) fn handle_partition(&mut self, groups: &Groups) -> Option<EndReason> {
        debug_assert!(
            !self.report.listens(),
            "events have to be in the order of time"
        );
        self.fabric.mark_leaving(|nic| groups.of_nic[nic]);
        let (mut ended, mut reason) = (SimTime::ZERO, EndReason::Idle);
        for group in groups.sends.chunk_by(|a, b| a.group == b.group) {
            self.now = SimTime::ZERO;
            for &Send { send, .. } in group {
                self.schedule_send(send);
            }
            let end = self.handle_due();
            if self.limits.has_left_group() {
                return None;
            }
            match end {
                EndReason::Idle => {}
                EndReason::Until => reason = EndReason::Until,
                cut @ (EndReason::Stuck
                | EndReason::MaxEvents
                | EndReason::MaxBytecodes
                | EndReason::LoadTrap(_)
                | EndReason::Unheard
                | EndReason::Interrupted) => return Some(cut),
            }
            ended = ended.max(self.now);
            self.schedule.reset();
        }
        self.now = ended;
        Some(reason)
    }
}
