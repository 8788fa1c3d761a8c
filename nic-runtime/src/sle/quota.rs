//! The quota of an applet's call: how much DMA and how many packets the call has used.

use jive_core::TrapKind;
use nic_core::sle::Effect;

use crate::profile::Quota;

/// The part of its quota that a call has used.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Spent {
    dma_bytes: u64,
    sends: u32,
}

impl Spent {
    /// Returns the used part after `effect`.
    ///
    /// # Errors
    ///
    /// [`TrapKind::QuotaExceeded`] if the effect would exceed the quota.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn and(self, effect: &Effect, quota: &Quota) -> Result<Spent, TrapKind> {
        let mut spent = self;
        let is_within = match effect {
            Effect::HostToNic { host, .. } | Effect::NicToHost { host, .. } => {
                spent.dma_bytes += u64::from(host.length());
                spent.dma_bytes <= u64::from(quota.dma_bytes)
            }
            Effect::Send { .. } => {
                spent.sends += 1;
                spent.sends <= quota.sends
            }
            Effect::NewArray { .. }
            | Effect::BufferLength
            | Effect::PopBuffer
            | Effect::Describe { .. }
            | Effect::Carry { .. }
            | Effect::Time
            | Effect::Timer { .. }
            | Effect::Note { .. } => true,
        };
        if !is_within {
            return Err(TrapKind::QuotaExceeded);
        }
        Ok(spent)
    }
}
