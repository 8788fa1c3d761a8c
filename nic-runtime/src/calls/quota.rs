//! The quota of an applet's call: how much DMA and how many packets the call has used.

use nic_core::sle::{Bound, Effect};

use crate::profile::Quota;

/// The part of its quota that a call has used.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Spent {
    dma_bytes: u64,
    sends: u32,
}

impl Spent {
    /// Returns the part of the quota that is used after `effect`.
    ///
    /// # Errors
    ///
    /// Returns the bound that the effect would break, so that the call traps with `QuotaExceeded`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn and(self, effect: &Effect, quota: &Quota) -> Result<Spent, Bound> {
        let mut spent = self;
        match effect {
            Effect::HostToNic { host, .. } | Effect::NicToHost { host, .. } => {
                spent.dma_bytes += u64::from(host.length());
                if spent.dma_bytes > u64::from(quota.dma_bytes) {
                    return Err(Bound::DmaQuota {
                        bytes: spent.dma_bytes,
                        most: quota.dma_bytes,
                    });
                }
            }
            Effect::Send { .. } | Effect::WriteWindow { .. } | Effect::ReadWindow { .. } => {
                spent.sends += 1;
                if spent.sends > quota.sends {
                    return Err(Bound::SendQuota {
                        packets: spent.sends,
                        most: quota.sends,
                    });
                }
            }
            Effect::Local(_)
            | Effect::Peek { .. }
            | Effect::Describe { .. }
            | Effect::Carry { .. } => {}
        }
        Ok(spent)
    }
}
