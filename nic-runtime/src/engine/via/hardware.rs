//! The hardware provider: a processor of the NIC takes descriptors and arrivals, and DMA moves the messages (S2-01 to
//! S2-03).

use crate::ids::{ProcessorId, Table};

use nic_core::event::{DmaDirection, DropReason, Made, NicEvent, Trigger, TxStatus};
use nic_core::id::{ChannelId, EndpointId, NicId, PacketId, PostId};
use nic_core::memory::HostSpan;
use nic_core::time::SimDuration;
use nic_core::unet::Completion;
use nic_core::via::ViaHeader;

use super::connection::look_at_silence;
use super::connection::{is_silent, prepare};
use super::immediate;
use super::receive::{Message, take_descriptors};
use super::requests;
use super::segments::described;
use super::state::{Delay, HasVia, ViaState};
use super::written;
use super::{connect, connection, descriptors, named, order, over_memory, receive, user};
use crate::engine::interface::{Description, Interface, Protocol};
use crate::engine::remote;
use crate::engine::unet::engine::sendable;
use crate::host::{Asked, Asking};
use crate::nic::item::{Item, Next, Posted};
use crate::nic::stage::Stage;
use crate::nic::transfer::{DmaPeer, Then, Transfer};
use crate::nic::waiting::Waiters;
use crate::protocol::Header;
use crate::sim::Parts;
use crate::slab::DelayRef;
use crate::spec::{EndpointSpec, Provider, Scenario, SendSpec};
use crate::storage::Endpoint;
use crate::wire::PacketRef;

/// The engine of VIs.
pub(crate) enum Via {}

impl Description for Via {
    type State = ViaState;

    // The interface itself needs no section: each provider needs its own sections, which the reader of scenarios
    // checks.
    const SECTIONS: &'static [&'static str] = &[];

    const PROTOCOL: &'static str = "via";

    const HAS_OWN_WORK: bool = true;
    const HAS_TIMEOUTS: bool = true;

    fn state(scenario: &Scenario, endpoints: &Table<EndpointId, Endpoint>) -> ViaState {
        ViaState::new(scenario, endpoints)
    }

    /// The NIC acknowledges a message when the message is in the buffers of receive descriptors. Other packets of a VI
    /// need no processor.
    const ARRIVALS_KEEP_ALIVE: bool = true;

    /// A NIC with a VI provider over remote memory refuses no message, so the receive queue has an entry for each receive
    /// descriptor.
    fn receive_entries(spec: &EndpointSpec) -> u32 {
        match spec.vi {
            Some(vi) if vi.provider == Provider::Clan => spec.rx_queue.max(spec.free_buffer_count),
            Some(_) | None => spec.rx_queue,
        }
    }
}

impl<E: HasVia> Interface<E> for Via {
    #[cold]
    fn message_span(
        sim: &Parts<'_, E>,
        endpoint: EndpointId,
        spec: &SendSpec,
        space: HostSpan,
    ) -> HostSpan {
        described(spec, sim.endpoints[endpoint].area, space)
    }

    #[cold]
    fn post_takes(sim: &Parts<'_, E>, endpoint: EndpointId, length: u32) -> SimDuration {
        over_memory::post_takes(sim, endpoint, length)
    }

    #[cold]
    fn posted(
        sim: &mut Parts<'_, E>,
        endpoint: EndpointId,
        message: (ChannelId, HostSpan),
        post: PostId,
    ) {
        user::posted(sim, endpoint, message, post);
    }

    #[cold]
    fn completed(
        sim: &mut Parts<'_, E>,
        endpoint: EndpointId,
        post: PostId,
        Completion { descriptor, status }: Completion,
    ) -> TxStatus {
        let (status, failed, of_program) = user::over(sim, endpoint, post, status);
        if sim.report.listens() {
            let completed = (descriptor, status, failed, of_program);
            user::tell_completed(sim, endpoint, completed, post);
        }
        status
    }

    #[cold]
    fn publish(sim: &mut Parts<'_, E>, endpoint: EndpointId) {
        user::publish(sim, endpoint);
    }

    fn requests_done(sim: &mut Parts<'_, E>, endpoint: EndpointId, trigger: Trigger) {
        over_memory::requests_done(sim, endpoint, trigger);
    }

    fn is_first_empty(sim: &Parts<'_, E>, endpoint: EndpointId) -> bool {
        receive::is_first_empty(sim, endpoint)
    }

    fn disconnect(sim: &mut Parts<'_, E>, endpoint: EndpointId) {
        connection::disconnect(sim, endpoint);
    }

    #[cold]
    fn asked(sim: &mut Parts<'_, E>, endpoint: EndpointId, asked: Asked) -> Asking {
        requests::asked(sim, endpoint, asked)
    }

    fn write_window(
        sim: &mut Parts<'_, E>,
        endpoint: EndpointId,
        place: (u32, u32),
        bytes: Vec<u8>,
    ) {
        over_memory::write_raw(sim, endpoint, place, &bytes);
    }

    fn tell_completed(sim: &mut Parts<'_, E>, endpoint: EndpointId) -> bool {
        descriptors::tell_sent(sim, endpoint)
    }

    fn placing(sim: &Parts<'_, E>, endpoint: EndpointId, length: u32) -> Option<Made> {
        receive::placing(sim, endpoint, length)
    }

    fn place(
        sim: &mut Parts<'_, E>,
        endpoint: EndpointId,
        (packet, channel, length): (Option<PacketId>, ChannelId, u32),
        trigger: Trigger,
    ) -> Option<Vec<HostSpan>> {
        let message = Message {
            packet,
            channel,
            length,
            immediate: immediate::immediate(sim, endpoint, trigger),
        };
        let buffers = take_descriptors(sim, endpoint, message)?;
        Some(receive::places(&sim.endpoints[endpoint], &buffers, length))
    }

    fn immediate(sim: &Parts<'_, E>, endpoint: EndpointId, trigger: Trigger) -> Option<u32> {
        immediate::immediate(sim, endpoint, trigger)
    }

    fn set_immediate(sim: &mut Parts<'_, E>, endpoint: EndpointId, value: u32) {
        immediate::set_immediate(sim, endpoint, value);
    }

    fn call_over(sim: &mut Parts<'_, E>, endpoint: EndpointId) {
        immediate::call_over(sim, endpoint);
    }

    fn prepare(sim: &mut Parts<'_, E>) {
        prepare(sim);
    }

    #[cold]
    fn before_applet(sim: &mut Parts<'_, E>, on: ProcessorId) -> Option<Next> {
        let item = *sim.in_hand(on);
        let endpoint = item.endpoint(&sim.packets);
        if sim.engines.via_mut().is_broken(endpoint) || is_late(sim, endpoint, item) {
            return Some(flush(sim, item));
        }
        if let Item::Post(posted) = item
            && !named::may_send(sim, endpoint, posted.post)
        {
            sim.give_up_post(endpoint);
            return Some(sim.end_post(posted, TxStatus::Refused));
        }
        if sim.infos[endpoint].applet.is_none() {
            return await_engine(sim, on, item);
        }
        if let Item::Arrival(packet) = item {
            let arrived = &sim.packets[packet];
            let (id, immediate) = (arrived.id, arrived.header.immediate());
            immediate::keep(sim, endpoint, id, immediate);
        }
        None
    }

    fn start(sim: &mut Parts<'_, E>) {
        requests::schedule_requests(sim);
    }

    #[cold]
    fn due(sim: &mut Parts<'_, E>, delay: DelayRef) -> bool {
        match sim.engines.via_mut().delays.take(delay) {
            Delay::Look(endpoint) => return look_at_silence(sim, endpoint),
            Delay::Silence(endpoint, connection) => {
                return order::look_at_silence(sim, endpoint, connection);
            }
            Delay::Library(endpoint, turn) => {
                return over_memory::library_over(sim, endpoint, turn);
            }
            Delay::Region(number) => requests::due(sim, number),
            Delay::Event(endpoint, pointer, connection) => {
                written::taken(sim, endpoint, pointer, connection);
            }
            Delay::Handshake(endpoint, turn) => return connect::timed_out(sim, endpoint, turn),
            Delay::NoMessage(endpoint, turn) => return descriptors::waited(sim, endpoint, turn),
            Delay::Notice(endpoint, turn) => descriptors::noticed(sim, endpoint, turn),
            Delay::Taken(endpoint) => descriptors::taken(sim, endpoint),
            Delay::Mapped(endpoint) => remote::mapped(sim, endpoint),
            Delay::Request(due) => remote::request_due(sim, due),
        }
        true
    }

    #[cold]
    fn is_obsolete(sim: &Parts<'_, E>, delay: DelayRef) -> bool {
        match sim.engines.via().delays[delay] {
            Delay::Look(endpoint) => !is_silent(sim, endpoint),
            Delay::Library(endpoint, turn) => over_memory::is_flushed(sim, endpoint, turn),
            Delay::Silence(endpoint, connection) => !sim.engines.via().has(endpoint, connection),
            Delay::Handshake(endpoint, turn) => !connect::waits(sim, endpoint, turn),
            Delay::NoMessage(endpoint, turn) => !descriptors::waits(sim, endpoint, turn),
            Delay::Region(_)
            | Delay::Mapped(_)
            | Delay::Event(..)
            | Delay::Notice(..)
            | Delay::Taken(_)
            | Delay::Request(_) => false,
        }
    }

    #[cold]
    fn send_begins(sim: &mut Parts<'_, E>, _endpoint: EndpointId, spec: &SendSpec) {
        sim.engines.via_mut().set_next(spec);
    }

    #[cold]
    fn descriptor_posted(sim: &mut Parts<'_, E>, endpoint: EndpointId) {
        if sim.engines.via_mut().is_over_memory(endpoint) {
            over_memory::posted(sim, endpoint);
        } else {
            sim.offer_post(endpoint);
        }
    }

    #[cold]
    fn send(sim: &mut Parts<'_, E>, packet: PacketRef) {
        let (from, trigger) = (sim.packets[packet].from.0, sim.packets[packet].trigger);
        let immediate = immediate::of_packet(sim, from, trigger);
        let connection = sim.engines.via_mut().current(from);
        sim.packets[packet].header = Header::Via(ViaHeader::Unsent {
            connection,
            immediate,
        });
        sim.enqueue(packet);
    }

    fn held_at_rest(sim: &Parts<'_, E>, nic: NicId, waiters: &mut Waiters<'_>) -> usize {
        sim.engines.via().sent_at_rest(nic, sim.specs, waiters);
        0
    }

    fn posts_for_users(sim: &Parts<'_, E>, endpoint: EndpointId) -> usize {
        over_memory::posts_for_users(sim, endpoint)
    }

    #[cold]
    fn message_read(sim: &mut Parts<'_, E>, endpoint: EndpointId) {
        user::message_read(sim, endpoint);
    }

    #[cold]
    fn message_gone(sim: &mut Parts<'_, E>, endpoint: EndpointId) {
        user::message_gone(sim, endpoint);
    }

    #[cold]
    fn deliver(sim: &mut Parts<'_, E>, packet: PacketRef) -> Next {
        deliver(sim, packet)
    }

    #[cold]
    fn transmit(sim: &mut Parts<'_, E>, posted: Posted) -> Next {
        send(sim, posted)
    }
}

impl<E: HasVia> Protocol<E> for Via {
    #[cold]
    fn transmit_started(sim: &mut Parts<'_, E>, packet: PacketRef, duration: SimDuration) {
        connection::transmit_started(sim, packet, duration);
    }

    #[cold]
    fn packet_left(sim: &mut Parts<'_, E>, packet: PacketRef) -> bool {
        connection::packet_left(sim, packet);
        false
    }

    #[cold]
    fn packet_received(sim: &mut Parts<'_, E>, packet: PacketRef) {
        connection::packet_received(sim, packet);
    }

    #[cold]
    fn arrival_over(sim: &mut Parts<'_, E>, packet: PacketRef) {
        connection::arrival_over(sim, packet);
    }
}

/// Returns whether an item is a message of an earlier connection, or a descriptor that was posted without a connection.
/// All send descriptors of a connection complete before the next.
fn is_late(sim: &Parts<'_, impl HasVia>, id: EndpointId, item: Item) -> bool {
    match item {
        Item::Arrival(packet) => match sim.packets[packet].header {
            Header::Via(ViaHeader::Message { connection, .. }) => {
                !sim.engines.via().is_current(id, connection)
            }
            Header::None
            | Header::Emp(_)
            | Header::Via(_)
            | Header::Remote(_)
            | Header::Read(_)
            | Header::Lmmc(_) => false,
        },
        Item::Post(posted) => sim.engines.via().is_void(id, posted.post),
        Item::Own(..) => false,
    }
}

/// Makes a processor wait if its item needs a busy DMA engine that has no queue.
fn await_engine(sim: &mut Parts<'_, impl HasVia>, on: ProcessorId, item: Item) -> Option<Next> {
    if !sim.setup.awaits_engines() {
        return None;
    }
    let direction = match item {
        Item::Arrival(_) => DmaDirection::NicToHost,
        Item::Post(_) => DmaDirection::HostToNic,
        Item::Own(..) => return None,
    };
    sim.await_engine(on, direction, Stage::Taken)
}

/// Ends the work on an item of a VI without a connection: drops a packet, and completes a descriptor as flushed.
fn flush(sim: &mut Parts<'_, impl HasVia>, item: Item) -> Next {
    match item {
        Item::Arrival(packet) => drop_arrival(sim, packet),
        Item::Post(posted) => {
            sim.give_up_post(posted.endpoint);
            sim.end_post(posted, TxStatus::Failed)
        }
        Item::Own(..) => Next::Look,
    }
}

/// Drops a packet whose connection ended while the packet waited for the processor.
fn drop_arrival(sim: &mut Parts<'_, impl HasVia>, packet: PacketRef) -> Next {
    let (id, to, ..) = sim.arrival(packet);
    let kind = NicEvent::Drop {
        packet: Some(id),
        reason: DropReason::NotConnected,
    };
    sim.report.emit(sim.now, to, kind);
    sim.end_arrival(packet);
    Next::Look
}

/// Moves an arrived message to the buffers of receive descriptors, or drops the message.
fn deliver(sim: &mut Parts<'_, impl HasVia>, packet: PacketRef) -> Next {
    let (id, to, channel, length) = sim.arrival(packet);
    if is_late(sim, to, Item::Arrival(packet)) {
        return drop_arrival(sim, packet);
    }
    let message = Message {
        packet: Some(id),
        channel,
        length,
        immediate: sim.packets[packet].header.immediate(),
    };
    let places = match named::posts_own(sim, to) {
        false => take_descriptors(sim, to, message)
            .map(|buffers| receive::places(&sim.endpoints[to], &buffers, length)),
        true => {
            let splits = sim.engines.via().end(to).is_some_and(|end| end.vi.splits());
            named::take(sim, to, (message, splits))
        }
    };
    let Some(mut places) = places else {
        // The message is lost, so its packet is marked to get no acknowledgement.
        sim.packets[packet].is_accepted = false;
        sim.end_arrival(packet);
        return Next::Look;
    };
    if places.is_empty() {
        places.extend(sim.endpoints[to].area.span(0, 0));
    }
    let mut offset = 0;
    let last = places.len().saturating_sub(1);
    for (index, host) in places.into_iter().enumerate() {
        let transfer = Transfer {
            endpoint: to,
            host,
            peer: DmaPeer::FromArrival {
                packet,
                offset,
                then: match index == last {
                    true => Then::Ends,
                    false => Then::More,
                },
            },
            trigger: Trigger::Arrival(id),
        };
        sim.queue_message(transfer);
        offset += host.length();
    }
    sim.publish_in_turn(to);
    sim.levels_changed(to);
    Next::Look
}

/// Starts the DMA transfers of a posted descriptor's message into the send slot of its packet.
fn send(sim: &mut Parts<'_, impl HasVia>, posted: Posted) -> Next {
    let Posted { endpoint, post, .. } = posted;
    let is_named = named::named(sim.engines.via(), endpoint, post).is_some();
    let found = match is_named {
        false => sendable(sim, posted),
        true => named::place(sim, endpoint),
    };
    let Some((channel, host)) = found else {
        sim.give_up_post(endpoint);
        return sim.end_post(posted, TxStatus::Refused);
    };
    sim.use_post(endpoint);
    let packet = sim.make_packet(endpoint, &channel, Trigger::Post(post));
    let immediate = sim.engines.via_mut().immediate(endpoint, post);
    let connection = sim.engines.via_mut().current(endpoint);
    sim.packets[packet].header = Header::Via(ViaHeader::Unsent {
        connection,
        immediate,
    });
    let area = sim.endpoints[endpoint].area;
    let mut pieces = sim.engines.via_mut().pieces(endpoint, post, (area, host));
    let last = pieces.pop().unwrap_or(host);
    let transfer = |host, peer| Transfer {
        endpoint,
        host,
        peer,
        trigger: Trigger::Post(post),
    };
    for piece in pieces {
        let piece = transfer(piece, DmaPeer::PartOf(packet));
        let piece = sim.transfers.add(&piece, &[]);
        sim.queue_transfer(piece);
    }
    sim.queue_message(transfer(last, DmaPeer::IntoPacket(packet)));
    sim.end_post(posted, TxStatus::Ok)
}
