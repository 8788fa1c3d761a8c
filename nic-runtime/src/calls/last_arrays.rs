//! The arrays that applets passed to natives last, which are fetched into the caches before the next call.

use crate::ids::{AppletId, Table};

use crate::nic::item::Way;
use crate::spec::Scenario;

/// Number of senders on a NIC up to which nothing is prefetched, because their data stay in the caches. With 100
/// senders, prefetching was measured to cost 4 to 6 % of a packet's run time. With 1,000 senders, prefetching saved up
/// to 9 % of a packet's run time, and with 10,000 senders more than a third.
///
/// The senders of other NICs do not count. NICs work at the same time, so many NICs prefetch before the first of them
/// uses its data, and the caches lose the data again. With 1,000 NICs of one sender each, prefetching costs 11 %.
const CACHED_SENDERS: usize = 200;

/// For each applet and direction: the array that the applet last passed to a native. An applet's next call usually
/// needs the same array as its last call.
#[derive(Clone, Debug)]
pub(crate) struct LastArrays(pub(crate) Option<Table<AppletId, [i32; 2]>>);

impl LastArrays {
    /// Returns the record of last arrays for a scenario with this many applets. The record is `None` if each NIC has so
    /// few senders that prefetching does not pay.
    pub(crate) fn new(applets: usize, scenario: &Scenario) -> LastArrays {
        let mut senders: Vec<_> = scenario.sends.iter().map(|send| send.endpoint).collect();
        senders.sort_unstable();
        senders.dedup();
        let mut nics: Vec<_> = senders
            .iter()
            .map(|sender| scenario.endpoints[*sender].nic)
            .collect();
        nics.sort_unstable();
        let prefetches = nics
            .chunk_by(|one, next| one == next)
            .any(|senders| senders.len() > CACHED_SENDERS);
        LastArrays(prefetches.then(|| Table::filled(applets, [0; 2])))
    }

    /// Records the array that an applet passed to a native.
    #[inline]
    pub(crate) fn note(&mut self, applet: AppletId, way: Way, array: i32) {
        if let Some(arrays) = &mut self.0 {
            arrays[applet][way as usize] = array;
        }
    }
}
