//! The engine of EMP endpoints: gives items to processors, and charges the time of each stage.

use crate::ids::{ProcessorId, Table, at};
use nic_core::emp::{FrameKind, WINDOW};
use nic_core::event::{DropReason, NicEvent, TxStatus, WireDropReason};
use nic_core::id::{ChannelId, EndpointId, NicId};
use nic_core::time::SimDuration;
use nic_core::unet::resolve;

use super::jobs::{drop_frame, item, ready, runs_here};
use super::state::{Delay, Emp, EmpState, HasEmp, Job, Subject};
use super::{receive, transmit, user};
use crate::engine::interface::{Description, Interface, Protocol};
use crate::engine::unet::engine::Unet;
use crate::nic::item::{Next, Posted, Taking};
use crate::nic::stage::Stage;
use crate::nic::waiting::Waiters;
use crate::profile::{EmpCosts, Profile};
use crate::protocol::Header;
use crate::sim::Parts;
use crate::slab::{DelayRef, JobRef};
use crate::spec::EmpStage;
use crate::spec::{Scenario, SendSpec};
use crate::storage::Endpoint;
use crate::wire::PacketRef;

/// Bytes of the transmit record of an EMP message that is being sent, rounded up to whole words of 8 bytes. In a
/// transmit record, five frame numbers, the count of silences, tag, number and peer have 2 bytes each. A transmit
/// record's length, offset in host memory and channel have 4 bytes each.
const TRANSMIT_RECORD_BYTES: u64 = 32;
/// Bytes of the receive record of an EMP message that arrives, rounded up to whole words of 8 bytes. In a receive
/// record, tag and four frame numbers have 2 bytes each, the length has 4. A receive record's set of frames ahead and
/// its posted receive have 8 bytes each.
const RECEIVE_RECORD_BYTES: u64 = 32;

// The functions that every packet of U-Net passes are inlined in the loop of a processor. The functions of EMP are not
// inlined in the loop of a processor, to keep that loop short.
impl Description for Emp {
    type State = EmpState;

    const SECTIONS: &'static [&'static str] = &["emp"];
    const PROTOCOL: &'static str = "emp";
    const HAS_OWN_WORK: bool = true;
    const REPLACES_APPLETS: bool = false;
    const RESERVES_ARRIVAL: bool = false;
    const HAS_TIMEOUTS: bool = true;
    /// If an endpoint has an applet, a message keeps the slot in which the applet made it, and the message's frames
    /// need no other slots.
    const MAKES_PACKETS: bool = true;
    const RECORD_BYTES: u64 = WINDOW as u64 * (TRANSMIT_RECORD_BYTES + RECEIVE_RECORD_BYTES);

    fn state(scenario: &Scenario, endpoints: &Table<EndpointId, Endpoint>) -> EmpState {
        EmpState::new(scenario, endpoints)
    }

    /// A message of an applet keeps its send slot until it is acknowledged, so that one endpoint could hold them all. Each
    /// endpoint of the NIC gets an equal part.
    fn send_slots_share(scenario: &Scenario, nic: NicId) -> Option<i32> {
        let beside = scenario.endpoints.iter();
        let beside = beside.filter(|other| other.nic == nic).count();
        let slots = scenario.profile_of(nic).memory.send_slots.get();
        let share = slots / u32::try_from(beside).unwrap_or(u32::MAX);
        Some(i32::try_from(share.max(1)).unwrap_or(i32::MAX))
    }

    fn repeated_together(profile: &Profile) -> u32 {
        profile.emp.map_or(1, |costs| costs.ack_every.get())
    }

    /// A processor takes a packet or a descriptor for an applet at no cost, because the stages of EMP have costs of
    /// their own.
    fn time_of_arrival(_taking: &Taking) -> SimDuration {
        SimDuration::ZERO
    }

    fn time_of_post(_taking: &Taking) -> SimDuration {
        SimDuration::ZERO
    }
}

impl<E: HasEmp> Interface<E> for Emp {
    fn start(sim: &mut Parts<'_, E>) {
        user::start(sim);
    }

    #[cold]
    fn due(sim: &mut Parts<'_, E>, delay: DelayRef) -> bool {
        match sim.engines.emp_mut().delays.take(delay) {
            Delay::LookSilence(of) => transmit::look_at_silence(sim, of),
            Delay::LookUnfinished(to, channel) => receive::look_at_unfinished(sim, (to, channel)),
            Delay::Receive(receive) => {
                user::receive_due(sim, receive);
                true
            }
        }
    }

    fn is_obsolete(sim: &Parts<'_, E>, delay: DelayRef) -> bool {
        match sim.engines.emp().delays[delay] {
            Delay::LookSilence(of) => sim.engines.emp().peek(of).is_none(),
            Delay::LookUnfinished(to, channel) => {
                let flow = sim.engines.emp().flow_of(to, channel);
                flow.is_none_or(|flow| flow.inbound.unfinished().next().is_none())
            }
            Delay::Receive(_) => false,
        }
    }

    fn send_frame(sim: &mut Parts<'_, E>, from: (EndpointId, ChannelId), bytes: &[u8]) {
        transmit::send_raw(sim, from, bytes);
    }

    #[cold]
    fn slot_found(sim: &mut Parts<'_, E>, endpoint: EndpointId) {
        transmit::slot_found(sim, endpoint);
    }

    #[cold]
    fn send_begins(sim: &mut Parts<'_, E>, _endpoint: EndpointId, spec: &SendSpec) {
        sim.engines.emp_mut().tag = spec.tag;
    }

    #[cold]
    fn begin_own(
        sim: &mut Parts<'_, E>,
        on: ProcessorId,
        endpoint: EndpointId,
        job: JobRef,
    ) -> SimDuration {
        let job = sim.engines.emp_mut().jobs[job];
        begin(sim, on, endpoint, job)
    }

    #[cold]
    fn handle_own(
        sim: &mut Parts<'_, E>,
        on: ProcessorId,
        endpoint: EndpointId,
        job: JobRef,
    ) -> Next {
        let nic = sim.processors[on].nic;
        if let Some(sharing) = &mut sim.engines.emp_mut().nic_state(nic).sharing
            && let Some(takes) = sharing.go_on(sim.nics[nic].number_of(on))
        {
            return Next::after(takes, Stage::Taken);
        }
        let Job { stage, subject, .. } = sim.engines.emp_mut().jobs.take(job);
        over(sim, on, endpoint, (stage, subject))
    }

    #[cold]
    fn descriptor_posted(sim: &mut Parts<'_, E>, endpoint: EndpointId) {
        if sim.infos[endpoint].applet.is_some() {
            sim.offer_post(endpoint);
        } else {
            transmit::begin_posted(sim, endpoint);
        }
    }

    #[cold]
    fn send(sim: &mut Parts<'_, E>, packet: PacketRef) {
        transmit::send_message(sim, packet);
    }

    fn held_at_rest(sim: &Parts<'_, E>, nic: NicId, waiters: &mut Waiters<'_>) -> usize {
        sim.engines.emp().held_at_rest(nic, sim.specs, waiters)
    }

    #[cold]
    fn message_read(sim: &mut Parts<'_, E>, endpoint: EndpointId) {
        user::message_read(sim, endpoint);
    }

    #[cold]
    fn message_gone(sim: &mut Parts<'_, E>, endpoint: EndpointId) {
        user::room_made(sim, endpoint);
    }

    /// The NIC moves a whole message from its own memory into free buffers, as it moves a packet of U-Net.
    #[cold]
    fn deliver(sim: &mut Parts<'_, E>, packet: PacketRef) -> Next {
        Unet::deliver(sim, packet)
    }

    #[cold]
    fn transmit(sim: &mut Parts<'_, E>, posted: Posted) -> Next {
        send_posted(sim, posted)
    }
}

impl<E: HasEmp> Protocol<E> for Emp {
    #[cold]
    fn transmit_started(sim: &mut Parts<'_, E>, packet: PacketRef, duration: SimDuration) {
        let Header::Emp(frame) = sim.packets[packet].header else {
            return;
        };
        if sim.report.listens() {
            let sent = &sim.packets[packet];
            let (from, channel) = sent.from;
            let opens = transmit::opens(
                (sim.engines.emp(), &sim.memory, &sim.packets),
                packet,
                frame,
            );
            let kind = NicEvent::WireTx {
                packet: sent.id,
                peer: sent.to.0,
                channel,
                payload: &sent.bytes,
                part: Some(
                    sim.engines
                        .emp()
                        .part(frame, sim.endpoints[from].nic, opens),
                ),
                post: sim.report.post_sent(sent),
                duration,
                trigger: sent.trigger,
            };
            sim.report.emit(sim.now, from, kind);
        }
        if frame.kind.carries_message() {
            transmit::frame_started(sim, packet, frame);
        }
    }

    /// The sender of a message decides when the message's transmit descriptor is complete.
    fn packet_left(_sim: &mut Parts<'_, E>, _packet: PacketRef) -> bool {
        false
    }

    /// A frame reserves no arrival slot, so it is dropped if it needs a slot and none is free.
    #[cold]
    fn packet_received(sim: &mut Parts<'_, E>, packet: PacketRef) {
        let arrived = &sim.packets[packet];
        let (to, channel) = arrived.to;
        let Header::Emp(frame) = arrived.header else {
            return drop_frame(sim, packet, DropReason::BadFrame);
        };
        let needs_slot = !arrived.header.is_for_nic() && !arrived.has_arrival_slot;
        if needs_slot && !receive::has_place(sim, packet) {
            let nic = sim.endpoints[to].nic;
            if !sim.nics[nic].arrival_slots.take(sim.infos[to].tenancy) {
                return sim.drop_on_wire(packet, WireDropReason::Overrun);
            }
            sim.packets[packet].has_arrival_slot = true;
        }
        if sim.report.listens() {
            let arrived = &sim.packets[packet];
            let kind = NicEvent::WireRx {
                packet: arrived.id,
                peer: arrived.from.0,
                channel,
                payload: &arrived.bytes,
                part: Some(sim.engines.emp().part(frame, sim.endpoints[to].nic, None)),
                post: sim.report.post_of(arrived.id),
            };
            sim.report.emit(sim.now, to, kind);
        }
        let stage = match frame.kind {
            FrameKind::Header | FrameKind::Data => {
                receive::hear(sim, packet, frame);
                EmpStage::ReceiveBookkeeping
            }
            FrameKind::Ack | FrameKind::Nack => EmpStage::ReceiveAck,
        };
        ready(sim, to, (stage, Subject::Frame(packet)), None);
    }

    #[cold]
    fn has_place(sim: &Parts<'_, E>, packet: PacketRef) -> bool {
        receive::has_place(sim, packet)
    }
}

/// Sends the message of a transmit descriptor from the send slot that was reserved for an applet's packet.
fn send_posted(sim: &mut Parts<'_, impl HasEmp>, posted: Posted) -> Next {
    let Posted { endpoint, post, .. } = posted;
    let resolved = resolve(&sim.endpoints[endpoint], posted.descriptor);
    let Some((channel, host)) = resolved
        .ok()
        .filter(|(_, host)| host.length() <= sim.endpoints[endpoint].max_packet)
    else {
        sim.give_up_post(endpoint);
        return sim.end_post(posted, TxStatus::Refused);
    };
    sim.use_post(endpoint);
    let packet = sim.make_packet(endpoint, &channel, nic_core::event::Trigger::Post(post));
    sim.packets[packet]
        .bytes
        .extend_from_slice(sim.memory.bytes(host));
    transmit::send_message(sim, packet);
    sim.end_post(posted, TxStatus::Ok)
}

/// Begins with an item. Returns how long the processor takes before it can handle the item.
fn begin(
    sim: &mut Parts<'_, impl HasEmp>,
    on: ProcessorId,
    endpoint: EndpointId,
    job: Job,
) -> SimDuration {
    let nic = sim.processors[on].nic;
    let costs = sim.engines.emp_mut().nic_state(nic).costs;
    begins(sim, endpoint, job);
    let mut takes = time_of(sim, &costs, job);
    // A stage that finds its message ended does nothing, and touches no record.
    if takes > SimDuration::ZERO
        && let Some(sharing) = &mut sim.engines.emp_mut().nic_state(nic).sharing
    {
        takes = sharing.begin(sim.nics[nic].number_of(on), job.stage, takes);
    }
    if matches!(
        job.stage,
        EmpStage::ReceiveBookkeeping | EmpStage::ReceiveAck
    ) {
        // The first stage of each frame that arrives.
        takes += sim.processors[on].costs.interrupt;
    }
    match job.is_handed_over {
        true => takes + sim.processors[on].costs.handover,
        false => takes,
    }
}

/// Returns how long an item of EMP occupies its processor.
fn time_of(sim: &mut Parts<'_, impl HasEmp>, costs: &EmpCosts, job: Job) -> SimDuration {
    match job.stage {
        EmpStage::SendBookkeeping => {
            let Subject::Message(of) = job.subject else {
                return SimDuration::ZERO;
            };
            let next = sim
                .engines
                .emp_mut()
                .outgoing(of)
                .map(|found| found.record.peek_next());
            match next {
                // The message has ended or has no more frames, so the stage takes no time.
                None | Some(None) => SimDuration::ZERO,
                Some(Some(0)) => costs.send_bookkeeping,
                Some(Some(_)) => costs.of_later_frame(),
            }
        }
        EmpStage::Transmission => costs.transmission,
        EmpStage::ReceiveAck => costs.receive_ack,
        EmpStage::UpdateRecord => costs.update_record,
        EmpStage::ReceiveBookkeeping => {
            let Subject::Frame(packet) = job.subject else {
                return SimDuration::ZERO;
            };
            let is_small = sim.packets[packet].bytes.len() <= at(costs.small_frame);
            if is_small {
                costs.receive_bookkeeping.less(costs.small_frame_saves)
            } else {
                costs.receive_bookkeeping
            }
        }
        EmpStage::ReceiveFrame => costs.receive_frame,
        EmpStage::ReceiveDma => costs.receive_dma,
        EmpStage::SendAck => costs.send_ack,
    }
}

/// Reports the DMA transfer with which a stage of EMP begins. The time of that stage in the profile includes this
/// transfer.
fn begins(sim: &mut Parts<'_, impl HasEmp>, endpoint: EndpointId, job: Job) {
    if !sim.report.listens() {
        return;
    }
    match job.subject {
        Subject::Message(_) => {}
        Subject::Outgoing(of, packet) => transmit::tell_transfer(sim, endpoint, of, packet),
        Subject::Frame(packet) => {
            if job.stage == EmpStage::ReceiveDma {
                receive::tell_transfer(sim, endpoint, packet);
            }
        }
    }
}

/// Does the work at the end of a stage for a frame that has arrived, or for an acknowledgement. Returns the stage that
/// follows for the same frame.
fn frame_over(
    sim: &mut Parts<'_, impl HasEmp>,
    on: ProcessorId,
    (stage, packet): (EmpStage, PacketRef),
) -> Option<EmpStage> {
    match stage {
        EmpStage::ReceiveAck => Some(EmpStage::UpdateRecord),
        EmpStage::UpdateRecord => {
            transmit::acknowledged(sim, packet);
            None
        }
        EmpStage::ReceiveBookkeeping => {
            receive::classify(sim, on, packet).then_some(EmpStage::ReceiveFrame)
        }
        EmpStage::ReceiveFrame => {
            receive::process(sim, on, packet);
            None
        }
        EmpStage::ReceiveDma => {
            receive::land(sim, packet);
            None
        }
        EmpStage::SendAck => {
            sim.enqueue(packet);
            None
        }
        EmpStage::SendBookkeeping | EmpStage::Transmission => {
            debug_assert!(false, "these stages are for messages and outgoing frames");
            None
        }
    }
}

/// Does the work of an EMP stage when the time of the stage has passed.
fn over(
    sim: &mut Parts<'_, impl HasEmp>,
    on: ProcessorId,
    endpoint: EndpointId,
    (stage, subject): (EmpStage, Subject),
) -> Next {
    let then = match subject {
        Subject::Message(of) => {
            transmit::cut_next(sim, on, endpoint, of);
            None
        }
        Subject::Outgoing(of, packet) => {
            transmit::transmit(sim, of, packet);
            None
        }
        Subject::Frame(packet) => frame_over(sim, on, (stage, packet)),
    };
    let Some(then) = then else {
        return Next::Look;
    };
    // Two stages of the same frame follow each other without a break if one processor runs both.
    if runs_here(sim, on, then) {
        let job = Job {
            stage: then,
            subject,
            is_handed_over: false,
        };
        sim.processors[on].in_hand = Some(item(sim, endpoint, job));
        return Next::after(begin(sim, on, endpoint, job), Stage::Taken);
    }
    ready(sim, endpoint, (then, subject), Some(on));
    Next::Look
}
