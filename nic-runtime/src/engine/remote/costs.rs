//! What remote memory costs, by the profile of a NIC.

use nic_core::time::{Rate, SimDuration};

use crate::profile::{ClanCosts, Events, Profile, ReadPointer};

/// What remote memory costs.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Costs {
    clan: ClanCosts,
    request: SimDuration,
    event: Option<SimDuration>,
}

impl Costs {
    /// Returns the costs of remote memory in a profile; `None` if the profile's NIC has no remote memory.
    pub(crate) fn of(profile: &Profile) -> Option<Costs> {
        let clan = profile.clan?;
        Some(Costs {
            clan,
            request: profile.dma.request,
            event: match clan.events {
                Events::Interrupt => Some(profile.host.upcall),
                Events::User => None,
            },
        })
    }

    /// Returns how long a host's processor takes to write the bytes of a message.
    pub(crate) fn write_takes(&self, bytes: u32) -> SimDuration {
        pio_takes(&self.clan, bytes)
    }

    /// Returns how long the host is busy with an event before the library sees the event; `None` if the library polls.
    pub(crate) fn event_takes(&self) -> Option<SimDuration> {
        self.event
    }

    /// Returns how long the host is busy with the start of this number of DMA requests. The work for requests that a
    /// scheduler takes one by one is charged when it comes.
    pub(crate) fn starts_take(&self, requests: u64) -> SimDuration {
        match schedules(&self.clan) {
            false => SimDuration::from_ps(self.request.as_ps().saturating_mul(requests)),
            true => SimDuration::ZERO,
        }
    }

    /// Returns how long the scheduler on the host needs for a DMA request whose bytes it writes itself; `None` if the
    /// NIC moves the bytes.
    pub(super) fn scheduler_takes(&self, length: u32) -> Option<SimDuration> {
        let takes = self.request + self.write_takes(length);
        (length < self.clan.dma_min).then_some(takes)
    }

    /// Returns how long the host is busy with the interrupt that ends a DMA request of the NIC.
    pub(super) fn dma_interrupt(&self) -> SimDuration {
        self.clan.dma_interrupt
    }

    /// Returns whether the reader of a ring tells the writer of each message that it has read.
    pub(crate) fn tells_each_read(&self) -> bool {
        self.clan.read_pointer == ReadPointer::Each
    }
}

/// Returns whether a scheduler on the host takes the DMA requests one by one.
pub(super) fn schedules(clan: &ClanCosts) -> bool {
    clan.dma_interrupt > SimDuration::ZERO || clan.dma_min > 0
}

/// Returns how long a processor takes to write the bytes of a message to remote memory. The bridge collects the first
/// bytes in a burst; the later bytes pass the bus one word at a time.
fn pio_takes(costs: &ClanCosts, bytes: u32) -> SimDuration {
    let burst = bytes.min(costs.burst);
    Rate::new(costs.burst_rate).time(burst) + Rate::new(costs.pio_rate).time(bytes - burst)
}
