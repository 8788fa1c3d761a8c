//! Groups of NICs that do not meet: one after the other, where nobody listens.
//!
//! A packet goes where a channel leads, and nothing else passes from one NIC to another. So what happens in a group,
//! and in which order, does not depend on the other groups. Running one group to its end and then the next gives the
//! result that the order of time would give. Only a listener could tell the difference, because listeners are promised
//! events in the order of time. A run that its count of events cuts off could too, because the count goes over all
//! groups. What it saves: a group's NICs stay in the processor's caches, and as a rule little else is due between two
//! stages of a packet.
//!
//! Which channels will be used is not known: an applet may send on any. The sends name some, replies go back
//! on them, and as a rule that is all. So the first guess is that no other channel is used. A packet that
//! leaves its group proves it wrong, and the run begins anew, in groups that no channel joins.

use nic_core::event::{EndReason, Sink};
use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimTime;

use super::{Simulation, Work, at};
use crate::scenario::model::{ChannelSpec, Scenario};

/// The sends of a scenario, group by group.
pub(crate) struct Groups {
    // In the order of the groups, then of the sends.
    sends: Vec<Send>,
    of_nic: Vec<NicId>,
}

/// A send, by its position in the scenario.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Send {
    group: NicId,
    send: u32,
}

/// Which channels join NICs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Joins {
    /// Those that sends name.
    Sends,
    /// All.
    Channels,
}

impl Groups {
    /// Finds the groups of a scenario; `None` where all that is sent is in one.
    pub(crate) fn of(scenario: &Scenario, joins: Joins) -> Option<Groups> {
        let home = |endpoint: EndpointId| scenario.endpoints[at(endpoint.0)].nic;
        let mut joined = Joined::new(scenario.nics.len());
        let used = match joins {
            Joins::Channels => None,
            Joins::Sends => {
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

/// Which NICs are in one group: each names one before it that is, until one names itself.
struct Joined(Vec<NicId>);

impl Joined {
    fn new(nics: usize) -> Joined {
        Joined((0u32..).map(NicId).take(nics).collect())
    }

    /// Returns the first NIC of a NIC's group.
    fn group(&mut self, mut nic: NicId) -> NicId {
        while self.0[at(nic.0)] != nic {
            // The way is half as long next time.
            let next = self.0[at(nic.0)];
            self.0[at(nic.0)] = self.0[at(next.0)];
            nic = next;
        }
        nic
    }

    fn join(&mut self, a: NicId, b: NicId) {
        let (a, b) = (self.group(a), self.group(b));
        self.0[at(a.max(b).0)] = a.min(b);
    }
}

impl<S: Sink> Simulation<'_, S> {
    /// Handles what is due in each group until the run ends; `None` where a packet left its group.
    ///
    /// If the run ends with [`EndReason::MaxEvents`] or [`EndReason::MaxBytecodes`], the order of time would have ended
    /// it by a limit too. But the time might differ, and so might the limit.
    pub(crate) fn handle_apart(&mut self, groups: &Groups) -> Option<EndReason> {
        debug_assert!(!S::LISTENS, "events have to be in the order of time");
        self.fabric.mark_leaving(|nic| groups.of_nic[at(nic.0)]);
        let (mut ended, mut reason) = (SimTime::ZERO, EndReason::Idle);
        for group in groups.sends.chunk_by(|a, b| a.group == b.group) {
            self.now = SimTime::ZERO;
            for &Send { send, .. } in group {
                self.schedule_send(send);
            }
            let end = self.handle_due();
            if self.has_left_group {
                return None;
            }
            match end {
                EndReason::Idle => {}
                EndReason::Until => reason = EndReason::Until,
                cut @ (EndReason::MaxEvents
                | EndReason::MaxBytecodes
                | EndReason::LoadTrap
                | EndReason::Unheard
                | EndReason::Interrupted) => return Some(cut),
            }
            ended = ended.max(self.now);
            self.schedule.reset();
        }
        self.now = ended;
        Some(reason)
    }

    /// Notes that a packet is about to leave its group, and has no more events handled.
    pub(crate) fn leave_group(&mut self) {
        self.has_left_group = true;
        self.handle_no_more();
    }

    pub(crate) fn schedule_send(&mut self, send: u32) {
        let spec = &self.sends[at(send)];
        if spec.repeat > 0 {
            self.schedule.insert(spec.at, Work::Send(send));
        }
    }
}
