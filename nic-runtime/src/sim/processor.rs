//! A NIC's processor: its loop over arrivals and transmit descriptors, and standard U-Net.
//!
//! What the processor does next is a value, [`Stage`]; the time in between belongs to everyone else. What
//! a stage is about stays where it is in the [`Processor`]: a packet takes some twenty stages.

use jive_core::{CallStack, MethodId, Pc, Trap, TrapKind};

use super::call::{Call, Cause};
use super::dma::{Cargo, Transfer};
use super::quota::Spent;
use super::{AppletId, Simulation, Tenant, Work, at};
use crate::event::{ChannelId, EndpointId, EventKind, NicId, PostId, Sink, Trigger, TxStatus};
use crate::fabric::PacketRef;
use crate::sle::{ArraySpan, NicNative};
use crate::time::{SimDuration, SimTime};
use crate::unet::{self, HostSpan, TransmitDescriptor};

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
    stage: Stage,
    /// The slot that the stage waits for, where it waits for one.
    held: Option<Slot>,
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
            stage: Stage::Idle,
            held: None,
            turn: Turn::Arrival,
        }
    }

    /// Returns whether the processor waits for a send slot.
    pub(super) fn is_held_for_sending(&self) -> bool {
        self.held == Some(Slot::Send)
    }
}

/// A piece of staging memory that a processor can wait for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// For a packet on its way out.
    Send,
    /// For what an applet has queued for the host.
    Dma,
}

/// What the loop looks for first.
#[derive(Copy, Clone, Debug)]
enum Turn {
    Arrival,
    Transmit,
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
    /// Waits for a send slot for a message of the base path.
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

    /// Has a processor that waits for such a slot try again.
    pub(super) fn slot_freed(&mut self, nic: NicId, slot: Slot) {
        let processor = &mut self.processors[at(nic.0)];
        if processor.held == Some(slot) {
            processor.held = None;
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
                Stage::Send => self.send_posted(nic),
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

    /// Has a processor wait until such a slot is free.
    pub(super) fn hold(&mut self, nic: NicId, slot: Slot, stage: Stage) -> Next {
        self.processors[at(nic.0)].held = Some(slot);
        let next = self.wait(nic, stage);
        self.break_circle(nic);
        next
    }

    /// Takes an arrival or a transmit descriptor, in turn; the processor is idle where there is none.
    pub(super) fn look(&mut self, id: NicId) -> Next {
        let nic = &mut self.nics[at(id.0)];
        let processor = &mut self.processors[at(id.0)];
        for _ in 0..2 {
            match processor.turn {
                Turn::Arrival => {
                    processor.turn = Turn::Transmit;
                    if let Some(packet) = nic.arrivals.pop_front() {
                        return Next::After(self.profile.base.receive, Stage::Arrived(packet));
                    }
                }
                Turn::Transmit => {
                    processor.turn = Turn::Arrival;
                    let Some(position) = nic.posted.take_turn() else {
                        continue;
                    };
                    let endpoint = nic.endpoints[position];
                    let queue = &mut self.endpoints[at(endpoint.0)].transmit;
                    let taken = queue.take();
                    if queue.is_drained() {
                        nic.posted.remove(position);
                    }
                    if let Some((post, descriptor)) = taken {
                        processor.posted = Posted {
                            endpoint,
                            post,
                            descriptor,
                        };
                        return Next::After(self.profile.base.transmit, Stage::Posted);
                    }
                }
            }
        }
        self.wait(id, Stage::Idle)
    }

    /// Gives an arrival to its endpoint's applet, or to the endpoint.
    fn arrived(&mut self, nic: NicId, packet: PacketRef) -> Next {
        let (id, to, channel, length) = self.arrival(packet);
        if let Some(applet) = self.attached(to) {
            let falls_back = self.faults[at(to.0)].falls_back();
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
                    kept: falls_back.then_some(packet),
                },
            };
            return Next::After(self.profile.entry.rx_setup, Stage::EnterArrival(packet));
        }
        self.accept(packet);
        self.look(nic)
    }

    /// Returns the applet that takes what comes for an endpoint now.
    fn attached(&self, id: EndpointId) -> Option<AppletId> {
        self.applet_of[at(id.0)].filter(|_| self.faults[at(id.0)].is_attached(self.now))
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

    fn send_posted(&mut self, nic: NicId) -> Next {
        let posted = self.processors[at(nic.0)].posted;
        self.send_plain(nic, posted)
    }

    /// Moves what a transmit descriptor names into a send slot, on the base path.
    pub(super) fn send_plain(&mut self, nic: NicId, posted: Posted) -> Next {
        let endpoint = &self.endpoints[at(posted.endpoint.0)];
        let resolved = unet::resolve(endpoint, posted.descriptor);
        let max_packet = self.profile.memory.max_packet.get();
        let Some((channel, host)) = resolved.filter(|(_, host)| host.length() <= max_packet) else {
            return self.end_post(nic, posted, TxStatus::Refused);
        };
        if !self.nics[at(nic.0)].send_slots.take() {
            self.processors[at(nic.0)].posted = posted;
            return self.hold(nic, Slot::Send, Stage::Send);
        }
        let Posted { endpoint, post, .. } = posted;
        let packet = self.make_packet(endpoint, &channel, Trigger::Post(post));
        self.nics[at(nic.0)].filling += 1;
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

    /// Notes how the processor ended a transmit descriptor, and looks for something else to do.
    pub(super) fn end_post(&mut self, nic: NicId, posted: Posted, status: TxStatus) -> Next {
        let queue = &mut self.endpoints[at(posted.endpoint.0)].transmit;
        let completion = queue.end(posted.post, status);
        self.complete(posted.endpoint, posted.post, completion);
        self.look(nic)
    }
}
