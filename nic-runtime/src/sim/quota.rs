//! What one call of an applet has used of its quota.

use jive_core::TrapKind;

use crate::profile::Quota;
use crate::sle::Applied;

/// What a call has used so far.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Spent {
    dma_bytes: u64,
    sends: u32,
}

impl Spent {
    /// Returns what the call will have used when `applied` is done.
    ///
    /// # Errors
    ///
    /// [`TrapKind::QuotaExceeded`] where that is more than it may.
    pub(super) fn and(self, applied: &Applied, quota: &Quota) -> Result<Spent, TrapKind> {
        let mut spent = self;
        match applied {
            Applied::HostToNic { host, .. } | Applied::NicToHost { host, .. } => {
                spent.dma_bytes += u64::from(host.length());
            }
            Applied::Send { .. } => spent.sends += 1,
            Applied::Value(_) | Applied::Described | Applied::RxQueueFull => {}
        }
        if spent.dma_bytes > u64::from(quota.dma_bytes) || spent.sends > quota.sends {
            return Err(TrapKind::QuotaExceeded);
        }
        Ok(spent)
    }
}
