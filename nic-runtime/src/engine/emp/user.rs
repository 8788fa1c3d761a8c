//! Receives: users post them when the run starts, at the times of the scenario, and again when a message has been read.

use crate::ids::at;
use nic_core::emp::{EmpEvent, Filter, PostedReceive};
use nic_core::id::{ChannelId, EndpointId};
use nic_core::unet::MessageBody;

use super::jobs::schedule;
use super::receive;
use super::state::Delay;
use super::state::{Buffer, EmpEndpoint, HasEmp};
use crate::sim::Parts;

/// Posts the receives that an endpoint has from the start of the run, and schedules the others.
pub(crate) fn start(sim: &mut Parts<'_, impl HasEmp>) {
    let scenario = sim.scenario;
    for (number, spec) in (0u32..).zip(&scenario.receives) {
        schedule(sim, spec.at, Delay::Receive(number));
    }
    for index in 0..sim.engines.emp_mut().ends.len() {
        let id = EndpointId(u32::try_from(index).expect("endpoints have u32 numbers"));
        let buffers = sim
            .engines
            .emp_mut()
            .end(id)
            .map_or(0, |end| end.buffers.len());
        for number in 0..buffers {
            let is_due = sim
                .engines
                .emp_mut()
                .end(id)
                .is_some_and(|end| end.buffers[number].left.is_none());
            if is_due {
                post(sim, id, number);
            }
        }
    }
}

/// A receive of the scenario becomes due.
pub(crate) fn receive_due(sim: &mut Parts<'_, impl HasEmp>, receive: u32) {
    let spec = &sim.scenario.receives[at(receive)];
    if let Some(number) = sim
        .engines
        .emp_mut()
        .end(spec.endpoint)
        .and_then(|end| end.buffer_at(spec.offset))
    {
        post(sim, spec.endpoint, number);
    }
}

impl EmpEndpoint {
    /// Returns the position, in the list of receive buffers, of the buffer that begins at an offset of the buffer area.
    fn buffer_at(&self, offset: u32) -> Option<usize> {
        let start = |buffer: &Buffer| buffer.receive.room.offset();
        self.buffers.binary_search_by_key(&offset, start).ok()
    }
}

/// Posts a receive of EMP, unless the endpoint has posted it as often as the scenario says.
fn post(sim: &mut Parts<'_, impl HasEmp>, id: EndpointId, number: usize) {
    let Some(end) = sim.engines.emp_mut().end(id) else {
        return;
    };
    let buffer = &mut end.buffers[number];
    match &mut buffer.left {
        None => {}
        Some(0) => return,
        Some(left) => *left -= 1,
    }
    let receive = PostedReceive {
        number: end.posted,
        ..buffer.receive
    };
    end.posted = end.posted.wrapping_add(1);
    let is_posted = end.waiting.post(receive);
    debug_assert!(is_posted, "the list of receives grows");
    if sim.report.listens() {
        let only = |filter| match filter {
            Filter::Any => None,
            Filter::Only(number) => Some(number),
        };
        let kind = EmpEvent::RxPost {
            receive: receive.number,
            tag: only(receive.tag),
            source: only(receive.source).map(|number| EndpointId(number.into())),
            offset: receive.room.offset(),
            length: receive.room.length(),
        };
        sim.report.emit(sim.now, id, kind);
    }
}

/// Posts again the receive of the oldest message, because the user has read this message.
pub(super) fn message_read(sim: &mut Parts<'_, impl HasEmp>, id: EndpointId) {
    let first = sim.endpoints[id].receive.first();
    let Some(MessageBody::Buffers(list)) = first.map(|message| &message.body) else {
        return;
    };
    let Some(&offset) = list.offsets().first() else {
        return;
    };
    let number = sim
        .engines
        .emp_mut()
        .end(id)
        .and_then(|end| end.buffer_at(offset));
    if let Some(number) = number {
        post(sim, id, number);
    }
}

/// Delivers messages that waited for room in the receive queue.
pub(super) fn room_made(sim: &mut Parts<'_, impl HasEmp>, id: EndpointId) {
    // Nearly always nothing waits, and an endpoint may have thousands of channels.
    let Some(end) = sim.engines.emp_mut().end(id) else {
        return;
    };
    if !std::mem::take(&mut end.awaits_room) {
        return;
    }
    for flow in 0..end.flows.len() {
        let channel = sim
            .engines
            .emp_mut()
            .end(id)
            .map(|end| end.flows[flow].channel.id);
        receive::deliver(sim, (id, channel.unwrap_or(ChannelId(0))));
    }
}
