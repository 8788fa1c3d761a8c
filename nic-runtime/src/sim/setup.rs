//! What is fixed for a whole run, computed once so that no packet has to look at the scenario.

use crate::ids::Table;

use nic_core::id::NicId;

use crate::nic::Nic;
use crate::nic::costs::HostCosts;
use crate::profile::Flow;
use crate::spec::Scenario;

/// Facts about a run that stay as they are.
#[derive(Debug)]
pub(crate) struct Setup {
    transfers_delay_packets: bool,
    awaits_engines: bool,
    has_slow_paths: bool,
    reserves_slots: bool,
    poisons_rx_buf: bool,
    receives_directly: bool,
    lenient_load: bool,
    host_costs: Table<NicId, HostCosts>,
}

impl Setup {
    /// Returns the facts about the run of a scenario.
    pub(crate) fn new(scenario: &Scenario, nics: &Table<NicId, Nic>, has_chains: bool) -> Setup {
        let links = &scenario.links;
        let awaits_engines = nics.iter().any(|nic| nic.dma.takes_one());
        let numbers = (0u32..).map(NicId).take(scenario.nics.len());
        let host_costs = numbers.map(|nic| HostCosts::new(scenario.profile_of(nic)));
        Setup {
            transfers_delay_packets: links.iter().any(|link| link.wire.cell > 0)
                || nics.iter().any(|nic| nic.sends_in_turn),
            awaits_engines,
            has_slow_paths: awaits_engines || scenario.accepts_capsules() || has_chains,
            reserves_slots: links.iter().all(|link| link.wire.flow == Flow::Hold),
            poisons_rx_buf: scenario.poisons_rx_buf,
            receives_directly: nics.iter().any(|nic| nic.header.is_some()),
            lenient_load: scenario.lenient_load,
            host_costs: host_costs.collect(),
        }
    }

    /// Returns whether packets on the wire depend on DMA transfers, because some NIC sends in turn with its DMA or some
    /// link has cells. Usually they do not, so that packets need no checks for transfers.
    #[inline]
    pub(crate) fn transfers_delay_packets(&self) -> bool {
        self.transfers_delay_packets
    }

    /// Returns whether the DMA engines of any NIC have no queue (`dma.takes = "one"`).
    #[inline]
    pub(crate) fn awaits_engines(&self) -> bool {
        self.awaits_engines
    }

    /// Returns whether a taken item may need more than its interface or applet: it waits for a DMA engine, or is a capsule.
    /// Usually none does, so that items need no checks for DMA engines and capsules.
    #[inline]
    pub(crate) fn has_slow_paths(&self) -> bool {
        self.has_slow_paths
    }

    /// Returns whether packets on every link reserve an arrival slot before they leave the sender.
    #[inline]
    pub(crate) fn reserves_slots(&self) -> bool {
        self.reserves_slots
    }

    /// Returns whether any NIC receives directly into free buffers.
    #[inline]
    pub(crate) fn receives_directly(&self) -> bool {
        self.receives_directly
    }

    /// Returns whether the part of `RxBuf` that an arriving packet leaves unused is filled with a pattern.
    #[inline]
    pub(crate) fn poisons_rx_buf(&self) -> bool {
        self.poisons_rx_buf
    }

    /// Returns whether an endpoint whose applet traps while it is loaded starts without it.
    #[inline]
    pub(crate) fn lenient_load(&self) -> bool {
        self.lenient_load
    }

    /// Returns the costs for users on the host of a NIC.
    #[inline]
    pub(crate) fn host_costs(&self, nic: NicId) -> &HostCosts {
        &self.host_costs[nic]
    }
}
