//! Reading ahead: what a packet is about to need of an endpoint, all at once.
//!
//! With thousands of active endpoints, an endpoint's data have left the processor's caches when its turn comes. Code
//! that then touches one piece after the other waits for each in turn. Pieces that are asked for together arrive
//! together. Nothing is done with what is read here.

use std::hint::black_box;

use nic_core::event::Sink;
use nic_core::id::{ChannelId, EndpointId};

use super::{AppletId, Simulation, at};
use crate::scenario::model::Scenario;

/// Senders up to which nothing is read ahead: what their packets need stays in the caches, and reading costs
/// 3 % of a packet. As measured, 2,000 senders gain nothing by it, and 20,000 some 3 %; more where caches are
/// small.
const CACHED_SENDERS: usize = 1000;

/// For each applet and entry, the array that a native was given last. The next call will usually need it too.
#[derive(Clone, Debug)]
pub(crate) struct LastArrays(Option<Vec<[i32; 2]>>);

/// What an applet is called for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// For what its user sends.
    Out,
    /// For what arrives.
    In,
}

impl LastArrays {
    /// Returns the record of a scenario with this many applets, with no array given yet. Returns `None` if so few
    /// endpoints send that nothing need be fetched ahead.
    pub(crate) fn new(applets: usize, scenario: &Scenario) -> LastArrays {
        let mut senders: Vec<_> = scenario.sends.iter().map(|send| send.endpoint).collect();
        senders.sort_unstable();
        senders.dedup();
        LastArrays((senders.len() > CACHED_SENDERS).then(|| vec![[0; 2]; applets]))
    }

    /// Notes that a native was given an array.
    #[inline]
    pub(crate) fn note(&mut self, applet: AppletId, way: Way, array: i32) {
        if let Some(arrays) = &mut self.0 {
            arrays[at(applet.0)][way as usize] = array;
        }
    }
}

impl<S: Sink> Simulation<'_, S> {
    /// Reads a word of each piece that an endpoint, its user and its applet are about to need.
    #[inline]
    pub(crate) fn read_ahead(&self, id: EndpointId, way: Way) {
        if let Some(arrays) = &self.last_arrays.0 {
            self.read_pieces(arrays, id, way);
        }
    }

    fn read_pieces(&self, last_arrays: &[[i32; 2]], id: EndpointId, way: Way) {
        let endpoint = &self.endpoints[at(id.0)];
        let user = &self.users[at(id.0)];
        black_box((user.messages, user.task));
        black_box((
            self.residents[at(id.0)].fault.is_attached(self.now),
            endpoint.free.len(),
        ));
        if let Some(id) = self.seats[at(id.0)].applet {
            let applet = &self.applets[at(id.0)];
            let instance = &applet.instance;
            black_box((applet.members.do_tx, instance.program().code_bytes()));
            black_box(instance.fields().first().copied());
            black_box(instance.heap().array(last_arrays[at(id.0)][way as usize]));
            if way == Way::In {
                black_box(applet.rx_buf().first().copied());
            }
        }
        let area = self.memory.region(endpoint.area);
        match way {
            Way::Out => {
                black_box(area.get(at(user.region.next())).copied());
                black_box((endpoint.transmit.is_drained(), user.due.is_empty()));
                black_box(endpoint.channels.get(ChannelId(0)).is_some());
            }
            Way::In => {
                black_box((area.first().copied(), endpoint.receive.visible()));
                black_box((endpoint.free.is_first_free(), user.notice));
            }
        }
    }
}
