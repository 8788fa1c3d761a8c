//! A NIC's processor: its loop over arrivals and transmit descriptors, and standard U-Net.
//!
//! What the processor does next is a value, [`Stage`]; the time in between belongs to everyone else. What
//! a stage is about stays where it is in the [`Processor`]: a packet takes some twenty stages.

use std::collections::VecDeque;

use jive_core::{CallStack, MethodId, Pc, Trap, TrapKind};
use nic_core::event::{EventKind, Sink, Trigger, TxStatus};
use nic_core::id::{ChannelId, EndpointId, NicId, PostId};
use nic_core::memory::HostSpan;
use nic_core::sle::{ArraySpan, NicNative};
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::{self, Channel, TransmitDescriptor};

use super::call::{Call, Cause};
use super::dma::{Cargo, Transfer};
use super::quota::Spent;
use super::staging::Grant;
use super::{AppletId, Simulation, Tenant, Work, at};
use crate::fabric::PacketRef;
use crate::nic::{ClaimId, Progress, Purpose};

/// The processor of one NIC.
pub(super) struct Processor<'a> {
    /// The calls of the applet that runs, if one does.
    pub(super) stack: CallStack<'a>,
    /// What that call has used of its quota.
    pub(super) spent: Spent,
    /// The call that the stage is about, where it is about one.
    pub(super) call: Call,
    /// The transmit descriptor that the stage is about, where it is about one.
    pub(super) posted: Posted,
    /// The native that the stage is about, where it is about one, and when the applet had reached it.
    /// Its arguments lie on the stack until it is told to go on.
    pub(super) native: NicNative,
    pub(super) begun: SimTime,
    /// What the call returned that the stage ends.
    pub(super) returned: Option<i32>,
    /// The trap in which that call ended.
    pub(super) trap: Trap,
    /// Where the bytes go that the stage waits for, and where they come from.
    pub(super) landing: Option<(ArraySpan, HostSpan)>,
    /// What arrived for the applet while this call was suspended.
    pub(super) parked: VecDeque<PacketRef>,
    /// Whether this call was ever suspended.
    pub(super) was_suspended: bool,
    stage: Stage,
    /// Whether the stage waits for a DMA slot.
    awaits_dma_slot: bool,
    turn: Turn,
}

impl<'a> Processor<'a> {
    pub(super) fn new(stack: CallStack<'a>) -> Processor<'a> {
        Processor {
            stack,
            spent: Spent::default(),
            call: Call::default(),
            posted: Posted::default(),
            native: NicNative::GetFreeBufferLength,
            begun: SimTime::ZERO,
            returned: None,
            trap: Trap {
                kind: TrapKind::Unverified,
                method: MethodId(0),
                pc: Pc(0),
            },
            landing: None,
            parked: VecDeque::new(),
            was_suspended: false,
            stage: Stage::Idle,
            awaits_dma_slot: false,
            turn: Turn::Arrival,
        }
    }
}

/// What the loop looks for first.
#[derive(Copy, Clone, Debug)]
enum Turn {
    Arrival,
    Transmit,
    Suspended,
}

/// What a processor does when it goes on.
#[derive(Copy, Clone, Debug)]
pub(super) enum Stage {
    /// Nothing; whatever comes in wakes it.
    Idle,
    /// Looks for an arrival or a transmit descriptor.
    Look,
    /// Has taken an arrival and looks where it goes.
    Arrived(PacketRef),
    /// Has taken a transmit descriptor and looks what it names.
    Posted,
    /// Sends a message on the base path, on which an applet has trapped.
    Send,
    /// Calls an applet for a transmit descriptor.
    Enter,
    /// Calls an applet for this arrival.
    EnterArrival(PacketRef),
    /// Runs an applet's code.
    Run,
    /// Performs a native.
    Perform,
    /// Has the bytes that a native waited for.
    Landed,
    /// Returns from an applet.
    Return,
    /// Ends a call that trapped.
    Trap,
}

/// Each of a packet's stages is moved, in a register.
const _: () = assert!(size_of::<Stage>() <= 8);

/// A transmit descriptor that the processor has taken.
#[derive(Copy, Clone, Debug)]
pub(super) struct Posted {
    pub(super) endpoint: EndpointId,
    pub(super) post: PostId,
    pub(super) descriptor: TransmitDescriptor,
}

/// No descriptor yet.
impl Default for Posted {
    fn default() -> Posted {
        Posted {
            endpoint: EndpointId(0),
            post: PostId { entry: 0, turn: 0 },
            descriptor: TransmitDescriptor {
                channel: ChannelId(0),
                offset: 0,
                length: 0,
            },
        }
    }
}

/// How a stage ends; small enough for registers.
pub(super) enum Next {
    /// The processor is busy for a time, then does this.
    After(SimDuration, Stage),
    /// Its next stage is noted, and somebody else will have the processor go on.
    Stopped,
}

/// The loop hands one on after each stage.
const _: () = assert!(size_of::<Next>() <= 16);

impl<S: Sink> Simulation<'_, S> {
    /// Has an idle processor look for something to do.
    pub(super) fn wake(&mut self, nic: NicId) {
        let processor = &mut self.processors[at(nic.0)];
        if let Stage::Idle = processor.stage {
            processor.stage = Stage::Look;
            self.schedule.insert(self.now, Work::Processor(nic));
        }
    }

    /// Has a processor that waits for a DMA slot try again.
    pub(super) fn dma_slot_freed(&mut self, nic: NicId) {
        let processor = &mut self.processors[at(nic.0)];
        if std::mem::take(&mut processor.awaits_dma_slot) {
            self.schedule.insert(self.now, Work::Processor(nic));
        }
    }

    /// Has a processor go on with its stage, and with the next one as long as nobody else is due.
    pub(super) fn go_on(&mut self, nic: NicId) {
        let mut stage = self.processors[at(nic.0)].stage;
        loop {
            let next = match stage {
                Stage::Idle => return,
                Stage::Look => self.look(nic),
                Stage::Arrived(packet) => self.arrived(nic, packet),
                Stage::Posted => self.posted(nic),
                Stage::Send => self.fall_back_post(nic),
                Stage::Enter => self.enter(nic),
                Stage::EnterArrival(packet) => self.enter_arrival(nic, packet),
                Stage::Run => self.run_applet(nic),
                Stage::Perform => self.perform(nic),
                Stage::Landed => self.landed(nic),
                Stage::Return => self.return_from(nic),
                Stage::Trap => self.end_trapped(nic),
            };
            let Next::After(delay, then) = next else {
                return;
            };
            if !self.pass(delay, Work::Processor(nic)) {
                self.processors[at(nic.0)].stage = then;
                return;
            }
            stage = then;
        }
    }

    /// Has a processor wait: somebody else will have it go on with this stage.
    pub(super) fn wait(&mut self, nic: NicId, stage: Stage) -> Next {
        self.processors[at(nic.0)].stage = stage;
        Next::Stopped
    }

    /// Has a processor wait until a DMA slot is free: until a transfer is over.
    pub(super) fn await_dma_slot(&mut self, nic: NicId, stage: Stage) -> Next {
        self.processors[at(nic.0)].awaits_dma_slot = true;
        self.wait(nic, stage)
    }

    /// Takes an arrival or a transmit descriptor, in turn; the processor is idle where there is none.
    pub(super) fn look(&mut self, id: NicId) -> Next {
        if self.suspensions.is_any() {
            return self.look_among_suspended(id);
        }
        for _ in 0..2 {
            let processor = &mut self.processors[at(id.0)];
            match processor.turn {
                Turn::Arrival => {
                    processor.turn = Turn::Transmit;
                    if let Some(packet) = self.nics[at(id.0)].arrivals.pop_front() {
                        return Next::After(self.profile.base.receive, Stage::Arrived(packet));
                    }
                }
                Turn::Transmit | Turn::Suspended => {
                    processor.turn = Turn::Arrival;
                    if let Some(next) = self.take_post(id) {
                        return next;
                    }
                }
            }
        }
        self.wait(id, Stage::Idle)
    }

    /// Takes an arrival, a transmit descriptor or a suspended call that can go on, in turn.
    #[cold]
    fn look_among_suspended(&mut self, id: NicId) -> Next {
        for _ in 0..3 {
            let processor = &mut self.processors[at(id.0)];
            match processor.turn {
                Turn::Arrival => {
                    processor.turn = Turn::Transmit;
                    if let Some(packet) = self.take_unsuspended(id) {
                        return Next::After(self.profile.base.receive, Stage::Arrived(packet));
                    }
                }
                Turn::Transmit => {
                    processor.turn = Turn::Suspended;
                    if let Some(next) = self.take_post(id) {
                        return next;
                    }
                }
                Turn::Suspended => {
                    processor.turn = Turn::Arrival;
                    if let Some(endpoint) = self.nics[at(id.0)].resumable.pop_front() {
                        return self.go_on_with(id, endpoint);
                    }
                }
            }
        }
        self.wait(id, Stage::Idle)
    }

    /// Takes the oldest arrival whose endpoint can take it; those for suspended applets are put aside.
    fn take_unsuspended(&mut self, nic: NicId) -> Option<PacketRef> {
        loop {
            let packet = self.nics[at(nic.0)].arrivals.pop_front()?;
            let (to, _) = self.packets[packet].to;
            let applet = self.seats[at(to.0)].applet;
            match applet.and_then(|applet| self.suspensions.of(applet)) {
                Some(call) => call.parked.push_back(packet),
                None => return Some(packet),
            }
        }
    }

    /// Takes the next transmit descriptor for whose packet there is room.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take_post(&mut self, id: NicId) -> Option<Next> {
        loop {
            let nic = &mut self.nics[at(id.0)];
            let position = nic.posted.take_turn()?;
            let endpoint = nic.endpoints[position];
            if !self.can_take_post(endpoint) {
                // It comes back when it has its places, or when its applet's call is over.
                self.nics[at(id.0)].posted.remove(position);
                continue;
            }
            let queue = &mut self.endpoints[at(endpoint.0)].transmit;
            let taken = queue.take();
            if queue.is_drained() {
                self.nics[at(id.0)].posted.remove(position);
            }
            if let Some((post, descriptor)) = taken {
                self.processors[at(id.0)].posted = Posted {
                    endpoint,
                    post,
                    descriptor,
                };
                return Some(Next::After(self.profile.base.transmit, Stage::Posted));
            }
        }
    }

    /// Returns whether the NIC can take an endpoint's next descriptor: whether its packet has a send slot and
    /// an arrival slot, or it will make none.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn can_take_post(&mut self, id: EndpointId) -> bool {
        match self.progress(ClaimId::of(id, Purpose::Post)) {
            Progress::Held(_) => return true,
            Progress::None => {}
            Progress::AwaitsArrival(_) | Progress::AwaitsSend(_) => return false,
        }
        if self.suspensions.is_any() && self.is_suspended(id) {
            return false;
        }
        let endpoint = &self.endpoints[at(id.0)];
        let Some(descriptor) = endpoint.transmit.first() else {
            return true;
        };
        // A descriptor that names no channel is refused and needs no room.
        let Some(&channel) = endpoint.channels.get(descriptor.channel) else {
            return true;
        };
        self.claim(id, Purpose::Post, &channel) == Grant::Given
    }

    /// Gives an arrival to its endpoint's applet, or to the endpoint.
    fn arrived(&mut self, nic: NicId, packet: PacketRef) -> Next {
        let (id, to, channel, length) = self.arrival(packet);
        if let Some(applet) = self.attached(to) {
            self.processors[at(nic.0)].call = Call {
                tenant: Tenant {
                    endpoint: to,
                    applet,
                },
                method: self.applets[at(applet.0)].members.do_rx,
                cause: Cause::Arrival {
                    packet: id,
                    channel,
                    length,
                    arrival: Some(packet),
                },
            };
            return Next::After(self.profile.entry.rx_setup, Stage::EnterArrival(packet));
        }
        self.accept(packet);
        self.look(nic)
    }

    /// Returns the applet that takes what comes for an endpoint now.
    fn attached(&self, id: EndpointId) -> Option<AppletId> {
        self.seats[at(id.0)]
            .applet
            .filter(|_| self.residents[at(id.0)].fault.is_attached(self.now))
    }

    /// Gives an arrival to its endpoint on the base path.
    pub(super) fn accept(&mut self, packet: PacketRef) {
        let (id, to, channel, length) = self.arrival(packet);
        let endpoint = &mut self.endpoints[at(to.0)];
        match unet::accept(endpoint, id, channel, &self.packets[packet].bytes) {
            Ok(buffers) => {
                let area = endpoint.area;
                let share = endpoint.free.buffer_length();
                let mut offset = 0;
                for &buffer in buffers.offsets() {
                    let host = area
                        .span(buffer.into(), share.min(length - offset).into())
                        .expect("free buffers lie inside the buffer area");
                    let last = length - offset <= share;
                    let cargo = Cargo::FromArrival {
                        packet,
                        offset,
                        last,
                    };
                    let transfer = Transfer {
                        endpoint: to,
                        host,
                        cargo,
                        trigger: Trigger::Arrival(id),
                    };
                    let transfer = self.transfers.add(transfer, &[]);
                    self.queue_transfer(transfer);
                    offset += host.length();
                }
                if buffers.offsets().is_empty() {
                    self.end_arrival(packet);
                }
                self.publish_in_turn(to);
                self.levels_changed(to);
            }
            Err(reason) => {
                self.report.emit(
                    self.now,
                    to,
                    EventKind::Drop {
                        packet: Some(id),
                        reason,
                    },
                );
                self.end_arrival(packet);
            }
        }
    }

    /// Gives a transmit descriptor to its endpoint's applet, or sends what it names.
    fn posted(&mut self, nic: NicId) -> Next {
        let posted = self.processors[at(nic.0)].posted;
        let Some(applet) = self.attached(posted.endpoint) else {
            return self.send_plain(nic, posted);
        };
        let endpoint = &self.endpoints[at(posted.endpoint.0)];
        if unet::resolve(endpoint, posted.descriptor).is_none() {
            return self.end_post(nic, posted, TxStatus::Refused);
        }
        self.processors[at(nic.0)].call = Call {
            tenant: Tenant {
                endpoint: posted.endpoint,
                applet,
            },
            method: self.applets[at(applet.0)].members.do_tx,
            cause: Cause::Post(posted.post),
        };
        Next::After(self.profile.entry.tx_setup, Stage::Enter)
    }

    /// Moves what a transmit descriptor names into the send slot that it has, on the base path.
    fn send_plain(&mut self, nic: NicId, posted: Posted) -> Next {
        let Some((channel, host)) = self.sendable(posted) else {
            return self.end_post(nic, posted, TxStatus::Refused);
        };
        let Posted { endpoint, post, .. } = posted;
        self.use_post(endpoint);
        let packet = self.make_packet(endpoint, &channel, Trigger::Post(post));
        let cargo = Cargo::IntoPacket(packet);
        let transfer = self.transfers.add(
            Transfer {
                endpoint,
                host,
                cargo,
                trigger: Trigger::Post(post),
            },
            &[],
        );
        self.queue_transfer(transfer);
        self.end_post(nic, posted, TxStatus::Ok)
    }

    /// Returns what a transmit descriptor names, if that can be one packet.
    #[inline]
    fn sendable(&self, posted: Posted) -> Option<(Channel, HostSpan)> {
        let endpoint = &self.endpoints[at(posted.endpoint.0)];
        let max_packet = self.profile.memory.max_packet.get();
        unet::resolve(endpoint, posted.descriptor).filter(|(_, host)| host.length() <= max_packet)
    }

    /// Sends on the base path what an applet trapped on. Its packet needs places of its own where the applet
    /// has used those that it had.
    pub(super) fn fall_back_post(&mut self, nic: NicId) -> Next {
        let posted = self.processors[at(nic.0)].posted;
        let Some((channel, _)) = self.sendable(posted) else {
            return self.end_post(nic, posted, TxStatus::Refused);
        };
        match self.claim_for_push(posted.endpoint, &channel) {
            Grant::Given => self.send_plain(nic, posted),
            Grant::Waits => self.suspend(nic, Stage::Send),
            Grant::Circle => {
                let trigger = Trigger::Post(posted.post);
                let packet = self.make_packet(posted.endpoint, &channel, trigger);
                self.drop_unsent(packet);
                self.end_post(nic, posted, TxStatus::Trap)
            }
        }
    }

    /// Notes how the processor ended a transmit descriptor, and looks for something else to do.
    pub(super) fn end_post(&mut self, nic: NicId, posted: Posted, status: TxStatus) -> Next {
        self.give_up_post(posted.endpoint);
        self.end_suspensions(nic);
        let queue = &mut self.endpoints[at(posted.endpoint.0)].transmit;
        let completion = queue.end(posted.post, status);
        self.complete(posted.endpoint, posted.post, completion);
        self.look(nic)
    }
}
