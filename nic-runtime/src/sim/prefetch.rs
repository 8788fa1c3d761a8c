//! Prefetching: touches the data that a packet is about to need of an endpoint, so that cache misses overlap.
//!
//! With thousands of active endpoints, an endpoint's data are no longer cached when its turn comes. Code that touches
//! one structure after another waits for each miss in turn. Loads that are issued together wait for memory at the same
//! time. The loaded values are not used, and `black_box` keeps the compiler from removing the loads.

use crate::ids::{AppletId, Table, at};
use std::hint::black_box;

use super::{Engines, Parts};
use crate::nic::item::Way;
use nic_core::id::{ChannelId, EndpointId};

/// Length of a cache line in bytes.
const LINE: usize = 64;

/// Reads a byte of the first cache line, and a byte of the second or else the last byte. A message of 64 bytes usually
/// lies in two cache lines.
#[inline]
pub(crate) fn read_lines(bytes: &[u8]) {
    let second = bytes.get(LINE).or(bytes.last());
    black_box((bytes.first().copied(), second.copied()));
}

impl<E: Engines> Parts<'_, E> {
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
