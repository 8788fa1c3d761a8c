//! Prefetching: touches the data that a packet is about to need of an endpoint, so that cache misses overlap.
//!
//! With thousands of active endpoints, an endpoint's data are no longer cached when its turn comes. Code that touches
//! one structure after another waits for each miss in turn. Loads that are issued together wait for memory at the same
//! time. The loaded values are not used, and `black_box` keeps the compiler from removing the loads.

use crate::ids::{AppletId, Table, at};
use std::hint::black_box;

use super::Simulation;
use crate::nic::item::Way;
use crate::spec::Scenario;
use nic_core::id::{ChannelId, EndpointId};

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
pub(crate) struct LastArrays(Option<Table<AppletId, [i32; 2]>>);

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

/// Length of a cache line in bytes.
const LINE: usize = 64;

/// Reads a byte of the first cache line, and a byte of the second or else the last byte. A message of 64 bytes usually
/// lies in two cache lines.
#[inline]
pub(crate) fn read_lines(bytes: &[u8]) {
    let second = bytes.get(LINE).or(bytes.last());
    black_box((bytes.first().copied(), second.copied()));
}

impl Simulation<'_> {
    /// Reads a word of each structure that the endpoint, its user and its applet are about to use.
    #[inline]
    pub(crate) fn prefetch(&self, id: EndpointId, way: Way) {
        if let Some(arrays) = &self.last_arrays.0 {
            self.read_pieces(arrays, id, way);
        }
    }

    fn read_pieces(&self, last_arrays: &Table<AppletId, [i32; 2]>, id: EndpointId, way: Way) {
        let endpoint = &self.endpoints[id];
        let user = &self.users[id];
        black_box((user.messages, user.task));
        black_box((
            self.live[id].fault.is_attached(self.now),
            endpoint.free.len(),
        ));
        if let Some(id) = self.infos[id].applet {
            let applet = &self.applets[id];
            let instance = &applet.instance;
            let method = match way {
                Way::Out => applet.members.do_tx,
                Way::In => applet.members.do_rx,
            };
            black_box(instance.program().method(method));
            black_box(instance.fields().first().copied());
            // A reference is the offset of an array's header in the heap, whose contents begin after the header of
            // null. So the slice `elements` begins with the array's elements. The slice goes on behind the array,
            // because the applet may have allocated other arrays there that the call needs.
            let array = last_arrays[id][way as usize];
            let elements = instance.heap().contents().get(at(array.cast_unsigned())..);
            read_lines(elements.unwrap_or_default());
            if way == Way::In {
                read_lines(applet.rx_buf());
            }
        }
        let area = self.memory.region(endpoint.area);
        let message = match way {
            Way::Out => {
                black_box((endpoint.transmit.next_post(), user.due.is_empty()));
                black_box(endpoint.channels.get(ChannelId(0)).is_some());
                user.region.next()
            }
            Way::In => {
                black_box((endpoint.receive.visible(), user.notice));
                endpoint.free.first().unwrap_or(0)
            }
        };
        read_lines(area.get(at(message)..).unwrap_or_default());
    }
}
