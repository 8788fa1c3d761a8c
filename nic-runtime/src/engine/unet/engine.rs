//! The engine for U-Net endpoints: delivers packets and sends descriptors on the base path, where no applet does.

use crate::ids::{ProcessorId, Table};

use nic_core::event::{DmaDirection, NicEvent, Trigger, TxStatus};
use nic_core::id::EndpointId;
use nic_core::memory::HostSpan;
use nic_core::unet::{self, Channel, INLINE_MAX};

use crate::engine::interface::{Description, Interface};
use crate::nic::item::{Item, Next, Posted};
use crate::nic::stage::Stage;
use crate::nic::transfer::{DmaPeer, Then, Transfer};
use crate::sim::{Engines, Parts};
use crate::spec::Scenario;
use crate::storage::Endpoint;
use crate::wire::PacketRef;

/// The engine of U-Net endpoints.
pub(crate) enum Unet {}

impl Description for Unet {
    type State = ();

    const SECTIONS: &'static [&'static str] = &["base"];

    fn state(_scenario: &Scenario, _endpoints: &Table<EndpointId, Endpoint>) {}
}

impl<E: Engines> Interface<E> for Unet {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn before_applet(sim: &mut Parts<'_, E>, on: ProcessorId) -> Option<Next> {
        match sim.setup.awaits_engines() {
            true => await_engine(sim, on),
            false => None,
        }
    }

    fn deliver(sim: &mut Parts<'_, E>, packet: PacketRef) -> Next {
        deliver(sim, packet)
    }

    fn transmit(sim: &mut Parts<'_, E>, posted: Posted) -> Next {
        send(sim, posted)
    }
}

/// Delivers a packet to its endpoint's receive queue, or drops it.
fn deliver(sim: &mut Parts<'_, impl Engines>, packet: PacketRef) -> Next {
    let (id, to, channel, length) = sim.arrival(packet);
    if sim.setup.receives_directly() && sim.landings.buffer_of(packet).is_some() {
        return sim.deliver_landed(packet);
    }
    let endpoint = &mut sim.endpoints[to];
    match unet::accept(endpoint, id, channel, &sim.packets[packet].bytes) {
        Ok(buffers) => {
            let area = endpoint.area;
            let share = endpoint.free.buffer_length();
            let mut offset = 0;
            for &buffer in buffers.offsets() {
                let host = area
                    .span(buffer.into(), share.min(length - offset).into())
                    .expect("free buffers lie inside the buffer area");
                let then = match length - offset <= share {
                    true => Then::Ends,
                    false => Then::More,
                };
                let peer = DmaPeer::FromArrival {
                    packet,
                    offset,
                    then,
                };
                let transfer = Transfer {
                    endpoint: to,
                    host,
                    peer,
                    trigger: Trigger::Arrival(id),
                };
                sim.queue_message(transfer);
                offset += host.length();
            }
            if buffers.offsets().is_empty() {
                sim.end_arrival(packet);
            }
            sim.publish_in_turn(to);
            sim.levels_changed(to);
        }
        Err(reason) => {
            let dropped = NicEvent::Drop {
                packet: Some(id),
                reason,
            };
            sim.report.emit(sim.now, to, dropped);
            sim.end_arrival(packet);
        }
    }
    Next::Look
}

/// Starts the DMA transfer of a posted descriptor's message into the send slot of its packet.
fn send(sim: &mut Parts<'_, impl Engines>, posted: Posted) -> Next {
    let Some((channel, host)) = sendable(sim, posted) else {
        sim.give_up_post(posted.endpoint);
        return sim.end_post(posted, TxStatus::Refused);
    };
    let Posted { endpoint, post, .. } = posted;
    sim.use_post(endpoint);
    let packet = sim.make_packet(endpoint, &channel, Trigger::Post(post));
    let transfer = Transfer {
        endpoint,
        host,
        peer: DmaPeer::IntoPacket(packet),
        trigger: Trigger::Post(post),
    };
    sim.queue_message(transfer);
    sim.end_post(posted, TxStatus::Ok)
}

/// Makes a processor wait if its item needs a busy DMA engine that has no queue. Items for applets do not wait here,
/// because an applet's natives wait for the engine.
#[cold]
fn await_engine(sim: &mut Parts<'_, impl Engines>, on: ProcessorId) -> Option<Next> {
    let item = sim.in_hand(on);
    if sim.infos[item.endpoint(&sim.packets)].applet.is_some() {
        return None;
    }
    let direction = match *item {
        Item::Arrival(packet)
            if sim.packets[packet].bytes.len() <= INLINE_MAX
                || sim.landings.buffer_of(packet).is_some() =>
        {
            return None;
        }
        Item::Arrival(_) => DmaDirection::NicToHost,
        Item::Post(_) => DmaDirection::HostToNic,
        Item::Own(..) => return None,
    };
    sim.await_engine(on, direction, Stage::Taken)
}

/// Returns the channel and the message of a transmit descriptor, if the message fits in a packet.
#[inline]
pub(crate) fn sendable(
    sim: &Parts<'_, impl Engines>,
    posted: Posted,
) -> Option<(Channel, HostSpan)> {
    let endpoint = &sim.endpoints[posted.endpoint];
    unet::resolve_packet(endpoint, posted.descriptor).ok()
}
