//! The parts of a simulation, in one struct.

use crate::ids::{AppletId, ProcessorId, Table};
use std::collections::VecDeque;

use bumpalo::Bump;
use nic_core::chain::Link;
use nic_core::event::Levels;
use nic_core::id::{EndpointId, NicId};
use nic_core::random::Name;
use nic_core::sle::Applet;
use nic_core::time::{SimDuration, SimTime};

use super::limits::Limits;
use super::report::Report;
use super::sends::Sends;
use super::setup::Setup;
use crate::calls::budget::Budget;
use crate::calls::chain::Chains;
use crate::calls::collector::Collectors;
use crate::calls::last_arrays::LastArrays;
use crate::calls::pending::AllPendingCalls;
use crate::calls::processor::Processor;
use crate::calls::suspended::Suspensions;
use crate::calls::swaps::Swaps;
use crate::host::own::OwnProcesses;
use crate::host::{Turns, User};
use crate::memory::HostMemory;
#[cfg(doc)]
use crate::nic::ClaimId;
use crate::nic::Nic;
use crate::nic::cells::Cells;
use crate::nic::endpoint::{EndpointInfo, LiveEndpoint};
use crate::nic::item::{Item, Next};
use crate::nic::landings::Landings;
use crate::nic::role::CallWaits;
use crate::nic::transfer::Transfers;
use crate::nic::work::Work;
use crate::sched::Schedule;
use crate::spec::{EndpointSpec, Scenario};
use crate::storage::Endpoint;
use crate::wire::{Backlogs, Fabric, PacketStore};

/// The parts of a simulation: NICs with their processors, wires, hosts, and what they keep about applets, at one time. The
/// engines of the interfaces are a parameter, so that nothing here knows any of them.
pub(crate) struct Parts<'a, E> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) now: SimTime,
    pub(crate) schedule: Schedule<Work>,
    pub(crate) limits: Limits,
    pub(crate) setup: Setup,
    pub(crate) cells: Cells,
    pub(crate) backlogs: Backlogs,
    /// Total time of the work that users' processors have begun, and of loops in host software on their processors.
    pub(crate) host_time: SimDuration,
    /// How often a NIC has interrupted the host of a user or a library.
    pub(crate) interrupts: u64,
    /// Instructions that applets may still execute.
    pub(crate) budget: Budget,
    pub(crate) sends: Sends<'a>,
    pub(crate) nics: Table<NicId, Nic>,
    pub(crate) processors: Table<ProcessorId, Processor<'a>>,
    /// The number of suspended calls, plus one if a NIC has several processors, plus one if applets have timers or
    /// refills. While `more_sources` is zero, as usual, a processor checks only arrivals and transmit descriptors.
    pub(crate) more_sources: u32,
    /// Items that any processor of a NIC may take, oldest first, by NIC. The lists in `shared` are empty unless an
    /// interface lets any processor run its stages.
    pub(crate) shared: Table<NicId, VecDeque<Item>>,
    /// The state of each interface.
    pub(crate) engines: E,
    pub(crate) fabric: Fabric,
    pub(crate) packets: PacketStore,
    pub(crate) transfers: Transfers,
    /// The packets that NICs have received directly into free buffers.
    pub(crate) landings: Landings,
    pub(crate) memory: HostMemory,
    pub(crate) endpoints: Table<EndpointId, Endpoint>,
    /// The scenario's description of each endpoint.
    pub(crate) specs: &'a Table<EndpointId, EndpointSpec>,
    /// The fixed facts about each endpoint.
    pub(crate) infos: Table<EndpointId, EndpointInfo>,
    /// The changing state of each endpoint.
    pub(crate) live: Table<EndpointId, LiveEndpoint>,
    /// By endpoint, how many more send slots the messages of an interface may hold that keep theirs for long; empty if no
    /// interface does. Below zero, they hold more than their share, because a slot counts when its message has begun.
    pub(crate) send_slots_left: Table<EndpointId, i32>,
    /// For each claim, the next claim that waits for the same arrival slots. Each endpoint has two claims; see
    /// [`ClaimId`].
    pub(crate) links: Vec<Link>,
    /// For each applet, how long processors have waited for it; empty if every NIC has one processor.
    pub(crate) waits: Table<AppletId, CallWaits>,
    pub(crate) pending_calls: AllPendingCalls,
    pub(crate) chains: Chains,
    pub(crate) arena: &'a Bump,
    pub(crate) suspensions: Suspensions<'a>,
    pub(crate) applets: Table<AppletId, Applet<'a>>,
    /// The collectors of applets whose arrays are collected.
    pub(crate) collectors: Collectors<'a>,
    pub(crate) swaps: Swaps<'a>,
    /// The arrays to prefetch.
    pub(crate) last_arrays: LastArrays,
    /// The levels last reported for each endpoint; empty without a sink.
    pub(crate) levels: Table<EndpointId, Levels>,
    /// Hashed names of the endpoints; empty if no link has faults.
    pub(crate) names: Table<EndpointId, Name>,
    pub(crate) users: Table<EndpointId, User>,
    /// Processes, endpoints and loops that wait for a processor of their host; `None` if no host limits its processors.
    pub(crate) turns: Option<Turns>,
    pub(crate) own: OwnProcesses<'a>,
    pub(crate) report: Report<'a>,
}

impl<E> Parts<'_, E> {
    pub(crate) fn schedule_send(&mut self, send: u32) {
        let spec = self.sends.spec(send);
        if spec.repeat > 0 {
            self.schedule.insert(spec.at, Work::Send(send));
        }
    }

    /// Ends the run because an applet exceeds the run's instruction budget.
    #[cold]
    pub(crate) fn exceed_budget(&mut self, on: ProcessorId) -> Next {
        self.budget.exceed();
        // The event loop checks limits only when it takes work, so schedule some work for the present time.
        self.limits.handle_no_more();
        self.schedule.insert(self.now, Work::Processor(on));
        Next::Stopped
    }
}
