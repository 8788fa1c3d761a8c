//! What remote memory costs, by the profile of a NIC.

use nic_core::time::{Rate, SimDuration};

use crate::profile::{ClanCosts, Events, Profile};

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

    /// Returns how long the host is busy with this number of DMA requests, because an interrupt starts each request.
    pub(crate) fn interrupts_take(&self, requests: u64) -> SimDuration {
        SimDuration::from_ps(self.request.as_ps().saturating_mul(requests))
    }
}

/// Returns how long a processor takes to write the bytes of a message to remote memory. The bridge collects the first
/// bytes in a burst; the later bytes pass the bus one word at a time.
fn pio_takes(costs: &ClanCosts, bytes: u32) -> SimDuration {
    let burst = bytes.min(costs.burst);
    Rate::new(costs.burst_rate).time(burst) + Rate::new(costs.pio_rate).time(bytes - burst)
}
