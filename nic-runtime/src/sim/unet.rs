//! Standard U-Net: what a NIC does with an arrival and with a transmit descriptor.

use nic_core::event::{NicEvent, Sink, Trigger, TxStatus};
use nic_core::id::{ChannelId, EndpointId, PostId};
use nic_core::memory::HostSpan;
use nic_core::unet::{self, Channel, TransmitDescriptor};

use super::call::{Call, Cause};
use super::crew::Item;
use super::dma::{Cargo, Transfer};
use super::processor::{Next, Stage};
use super::staging::{Grant, Waiter};
use super::{AppletId, Simulation, Tenant, at};
use crate::fabric::PacketRef;
use crate::nic::ProcessorId;

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

impl<S: Sink> Simulation<'_, S> {
    /// Gives an arrival to its endpoint's applet, or to the endpoint.
    pub(super) fn arrived(&mut self, on: ProcessorId, packet: PacketRef) -> Next {
        let (id, to, channel, length) = self.arrival(packet);
        if let Some(other) = self.processors[at(on.0)].share.arrivals_to
            && self.seats[at(to.0)].applet.is_some()
        {
            return self.hand_over(on, other, Item::Arrival(packet));
        }
        if let Some(applet) = self.attached(to) {
            self.processors[at(on.0)].call = Call {
                tenant: Tenant {
                    endpoint: to,
                    applet,
                },
                method: self.applets[at(applet.0)].members.do_rx,
                cause: Cause::Arrival {
                    packet: id,
                    channel,
                    length,
                    arrival: packet,
                },
            };
            return Next::After(self.profile.entry.rx_setup, Stage::Enter);
        }
        self.accept(packet);
        self.look(on)
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
                    NicEvent::Drop {
                        packet: Some(id),
                        reason,
                    },
                );
                self.end_arrival(packet);
            }
        }
    }

    /// Gives a transmit descriptor to its endpoint's applet, or sends what it names.
    pub(super) fn posted(&mut self, on: ProcessorId) -> Next {
        let posted = self.processors[at(on.0)].posted;
        let has_applet = self.seats[at(posted.endpoint.0)].applet.is_some();
        if let Some(other) = self.processors[at(on.0)].share.posts_to
            && has_applet
        {
            self.residents[at(posted.endpoint.0)].has_post_under_way = true;
            return self.hand_over(on, other, Item::Post(posted));
        }
        if has_applet && self.has_lost_places(on, posted) {
            return self.take_back(on, posted);
        }
        let Some(applet) = self.attached(posted.endpoint) else {
            return self.send_plain(on, posted);
        };
        let endpoint = &self.endpoints[at(posted.endpoint.0)];
        if unet::resolve(endpoint, posted.descriptor).is_none() {
            return self.end_post(on, TxStatus::Refused);
        }
        self.processors[at(on.0)].call = Call {
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
    fn send_plain(&mut self, on: ProcessorId, posted: Posted) -> Next {
        let Some((channel, host)) = self.sendable(posted) else {
            return self.end_post(on, TxStatus::Refused);
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
        self.end_post(on, TxStatus::Ok)
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
    pub(super) fn fall_back_post(&mut self, on: ProcessorId) -> Next {
        let posted = self.processors[at(on.0)].posted;
        let Some((channel, _)) = self.sendable(posted) else {
            return self.end_post(on, TxStatus::Refused);
        };
        match self.claim_for_push(on, Waiter::Message, posted.endpoint, &channel) {
            Grant::Given => self.send_plain(on, posted),
            Grant::Waits => self.suspend(on, Stage::Send),
            Grant::Refused => {
                let trigger = Trigger::Post(posted.post);
                let packet = self.make_packet(posted.endpoint, &channel, trigger);
                self.drop_unsent(packet);
                self.end_post(on, TxStatus::Trap)
            }
        }
    }

    /// Notes how the processor ended its transmit descriptor, and looks for something else to do.
    pub(super) fn end_post(&mut self, on: ProcessorId, status: TxStatus) -> Next {
        let Posted { endpoint, post, .. } = self.processors[at(on.0)].posted;
        self.give_up_post(endpoint);
        self.end_asides(on);
        if self.residents[at(endpoint.0)].has_post_under_way {
            self.next_post_may_come(endpoint);
        }
        let queue = &mut self.endpoints[at(endpoint.0)].transmit;
        let completion = queue.end(post, status);
        self.complete(endpoint, post, completion);
        self.look(on)
    }
}
