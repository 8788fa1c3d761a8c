//! What the parts of a simulation ask of the interfaces goes to the engine of the endpoint or of the packet; and each
//! engine gets its own state.

use std::num::NonZeroU32;

use nic_core::event::{Trigger, TxStatus};
use nic_core::id::{ChannelId, EndpointId, PacketId, PostId};
use nic_core::memory::HostSpan;
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::Completion;
use nic_core::via::ConnectionId;

use super::emp::{Emp, EmpState, HasEmp};
use super::interface::{Interface, Protocol};
use super::lmmc::{HasLmmc, Lmmc, LmmcState};
use super::remote::{Due, HasRemote, Read, Remote, WindowState};
use super::table::{Simulation, States, engine, of_engine};
use super::via::{self, HasVia, Via, ViaState};
use crate::host::{Asked, Asking, WindowAsked};
use crate::protocol::{EntryNumber, Header, protocols};
use crate::sim::{Engines, Parts, Protocols};
use crate::spec::interface::interfaces;
use crate::spec::{InterfaceKind, SendSpec};
use crate::wire::PacketRef;

impl Engines for States {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn completed(
        sim: &mut Simulation<'_>,
        id: EndpointId,
        post: PostId,
        completion: Completion,
    ) -> TxStatus {
        engine!([sim.infos[id].interface] completed(sim, id, post, completion))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn publish(sim: &mut Simulation<'_>, id: EndpointId) {
        engine!([sim.infos[id].interface] publish(sim, id))
    }

    #[cold]
    fn requests_done(sim: &mut Simulation<'_>, id: EndpointId, trigger: Trigger) {
        engine!([sim.infos[id].interface] requests_done(sim, id, trigger))
    }

    #[cold]
    fn request_over(sim: &mut Simulation<'_>, id: EndpointId, length: u32) {
        super::remote::request_over(sim, id, length);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_first_empty(sim: &Simulation<'_>, id: EndpointId) -> bool {
        engine!([sim.infos[id].interface] is_first_empty(sim, id))
    }

    #[cold]
    fn disconnect(sim: &mut Simulation<'_>, id: EndpointId) {
        engine!([sim.infos[id].interface] disconnect(sim, id))
    }

    #[cold]
    fn tell_completed(sim: &mut Simulation<'_>, id: EndpointId) -> bool {
        engine!([sim.infos[id].interface] tell_completed(sim, id))
    }

    #[cold]
    fn asked(sim: &mut Simulation<'_>, id: EndpointId, asked: Asked) -> Asking {
        engine!([sim.infos[id].interface] asked(sim, id, asked))
    }

    #[cold]
    fn at_window(sim: &mut Simulation<'_>, id: EndpointId, asked: WindowAsked) -> Asking {
        match sim.infos[id].interface.has_pages() {
            true => Self::asked(sim, id, Asked::Page(asked)),
            false => Asking::Busy(super::remote::asked(sim, id, asked)),
        }
    }

    #[cold]
    fn write_window(sim: &mut Simulation<'_>, id: EndpointId, place: (u32, u32), bytes: Vec<u8>) {
        engine!([sim.infos[id].interface] write_window(sim, id, place, bytes))
    }

    #[cold]
    fn send_frame(sim: &mut Simulation<'_>, (id, channel): (EndpointId, ChannelId), bytes: &[u8]) {
        engine!([sim.infos[id].interface] send_frame(sim, (id, channel), bytes))
    }

    fn slot_found(sim: &mut Simulation<'_>, endpoint: EndpointId) {
        engine!([sim.infos[endpoint].interface] slot_found(sim, endpoint))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn send_begins(sim: &mut Simulation<'_>, endpoint: EndpointId, spec: &SendSpec) {
        engine!([sim.infos[endpoint].interface] send_begins(sim, endpoint, spec))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn message_span(
        sim: &Simulation<'_>,
        id: EndpointId,
        spec: &SendSpec,
        space: HostSpan,
    ) -> HostSpan {
        engine!([sim.infos[id].interface] message_span(sim, id, spec, space))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn post_takes(sim: &Simulation<'_>, id: EndpointId, length: u32) -> SimDuration {
        engine!([sim.infos[id].interface] post_takes(sim, id, length))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn user_posted(
        sim: &mut Simulation<'_>,
        id: EndpointId,
        message: (ChannelId, HostSpan),
        post: PostId,
    ) {
        engine!([sim.infos[id].interface] posted(sim, id, message, post))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn descriptor_posted(sim: &mut Simulation<'_>, endpoint: EndpointId) {
        engine!([sim.infos[endpoint].interface] descriptor_posted(sim, endpoint))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn message_gone(sim: &mut Simulation<'_>, endpoint: EndpointId) {
        engine!([sim.infos[endpoint].interface] message_gone(sim, endpoint))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn message_read(sim: &mut Simulation<'_>, endpoint: EndpointId) {
        engine!([sim.infos[endpoint].interface] message_read(sim, endpoint))
    }
}

/// Dispatches to the engine of each protocol.
macro_rules! protocol_dispatch {
    ($($(#[$doc:meta])* $protocol:ident($header:ty);)*) => {
        impl Protocols for States {
            #[cold]
            fn transmit_started(sim: &mut Simulation<'_>, packet: PacketRef, duration: SimDuration) {
                match sim.packets[packet].header {
                    Header::None => {}
                    $(Header::$protocol(_) => $protocol::transmit_started(sim, packet, duration),)*
                }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn packet_left(sim: &mut Simulation<'_>, packet: PacketRef) -> bool {
                match sim.packets[packet].header {
                    Header::None => true,
                    $(Header::$protocol(_) => $protocol::packet_left(sim, packet),)*
                }
            }

            #[cold]
            fn packet_received(sim: &mut Simulation<'_>, packet: PacketRef) {
                match sim.packets[packet].header {
                    Header::None => {}
                    $(Header::$protocol(_) => $protocol::packet_received(sim, packet),)*
                }
            }

            fn has_place(sim: &Simulation<'_>, packet: PacketRef) -> bool {
                match sim.packets[packet].header {
                    Header::None => false,
                    $(Header::$protocol(_) => $protocol::has_place(sim, packet),)*
                }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn arrival_over(sim: &mut Simulation<'_>, packet: PacketRef) {
                match sim.packets[packet].header {
                    Header::None => {}
                    $(Header::$protocol(_) => $protocol::arrival_over(sim, packet),)*
                }
            }
        }
    };
}

protocols!(protocol_dispatch);

impl HasEmp for States {
    fn emp(&self) -> &EmpState {
        &self.emp
    }

    fn emp_mut(&mut self) -> &mut EmpState {
        &mut self.emp
    }
}

impl HasLmmc for States {
    fn lmmc(&self) -> &LmmcState {
        &self.lmmc
    }

    fn lmmc_mut(&mut self) -> &mut LmmcState {
        &mut self.lmmc
    }
}

impl HasRemote for States {
    fn remote(&self) -> &WindowState {
        &self.remote
    }

    fn remote_mut(&mut self) -> &mut WindowState {
        &mut self.remote
    }

    fn connection_of(
        sim: &Parts<'_, Self>,
        from: EndpointId,
        to: EndpointId,
    ) -> Option<ConnectionId> {
        sim.engines.via.connection_of(from, to)
    }

    fn number_write(
        sim: &mut Parts<'_, Self>,
        from: EndpointId,
        packet: (PacketRef, ConnectionId),
    ) -> Option<NonZeroU32> {
        via::number_write(sim, from, packet)
    }

    fn takes_write(
        sim: &mut Parts<'_, Self>,
        to: EndpointId,
        numbered: (Option<PacketId>, NonZeroU32, ConnectionId),
    ) -> bool {
        via::takes_write(sim, to, numbered)
    }

    fn is_registered(sim: &Parts<'_, Self>, owner: EndpointId) -> bool {
        !via::is_vi(sim, owner) || via::is_registered(sim, owner)
    }

    fn written(
        sim: &mut Parts<'_, Self>,
        id: EndpointId,
        packet: (PacketId, Option<EntryNumber>),
        span: HostSpan,
    ) {
        via::written(sim, id, packet, span);
    }

    fn occupy(sim: &mut Parts<'_, Self>, id: EndpointId, takes: SimDuration) {
        via::occupy(sim, id, takes);
    }

    fn interrupt(sim: &mut Parts<'_, Self>, id: EndpointId, takes: SimDuration) -> SimTime {
        via::interrupt_host(sim, id, takes)
    }

    fn schedule_request(sim: &mut Parts<'_, Self>, time: SimTime, due: Due) {
        via::schedule_request(sim, time, due);
    }

    fn schedule_mapped(sim: &mut Parts<'_, Self>, id: EndpointId, time: SimTime) {
        via::schedule_mapped(sim, id, time);
    }

    fn writes_over(sim: &mut Parts<'_, Self>, id: EndpointId, post: PostId) {
        via::writes_over(sim, id, post);
    }

    fn end_in_turn(sim: &mut Parts<'_, Self>, id: EndpointId) {
        via::end_in_turn(sim, id);
    }
}

impl HasVia for States {
    fn via(&self) -> &ViaState {
        &self.via
    }

    fn via_mut(&mut self) -> &mut ViaState {
        &mut self.via
    }

    fn via_and_remote(&mut self) -> (&mut ViaState, &mut WindowState) {
        (&mut self.via, &mut self.remote)
    }
}
