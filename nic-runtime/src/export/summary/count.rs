//! What each event adds to the summary.

use nic_core::event::roles::{InUse, Step};
use nic_core::event::{Event, Made, Names, Trigger};
use nic_core::id::EndpointId;
use nic_core::time::SimTime;

use super::Summary;
use super::rows::row;
use crate::export::accounts::Ended;

impl Summary {
    /// Counts an event at an endpoint. One match does all of it: this is most of what a run pays for its summary.
    pub(super) fn count(
        &mut self,
        names: &dyn Names,
        (here, time): (EndpointId, SimTime),
        event: &Event<'_>,
    ) {
        let Summary {
            endpoints: rows,
            clerk,
            switches,
            ..
        } = self;
        let came = clerk.came.take();
        let row_here = row(rows, names, here);
        let totals = &mut row_here.totals;
        match event.kind.in_use() {
            Some(InUse::Dma(_, duration)) => totals.dma += duration,
            Some(InUse::Wire(duration)) => totals.wire += duration,
            Some(InUse::Processor(..)) | None => {}
        }
        match event.kind.step() {
            Step::Posted { .. } => {
                totals.posted += 1;
                totals.accounts.posts.open();
            }
            Step::Completed {
                status, refusal, ..
            } => totals.accounts.done(status, refusal),
            Step::CallBegan {
                method, trigger, ..
            } => {
                row_here.call = Some(trigger);
                row_here.called = Some(method);
                row_here.call_began = Some(time);
            }
            Step::CallResumed => row_here.call_began = Some(time),
            Step::CallSuspended => row_here.stops(time),
            Step::CallReturned {
                method, bytecodes, ..
            } => {
                if let Some(Trigger::Arrival(_)) = row_here.call.take() {
                    totals.accounts.arrivals.close("applet");
                }
                row_here.stops(time);
                row_here
                    .method(names, here, method)
                    .bytecodes
                    .add(bytecodes);
            }
            Step::CallTrapped {
                kind,
                method,
                bytecodes,
                ..
            } => {
                totals.traps.add(kind.name());
                // The `drop` event that follows the trap decides the outcome of the packet.
                let trigger = row_here.call.take();
                clerk.has_passed = matches!(trigger, Some(Trigger::Passed(_)));
                row_here.stops(time);
                // The trap names the innermost method, but the row is that of the called entry method.
                let method = row_here.called.unwrap_or(method);
                let row = row_here.method(names, here, method);
                row.bytecodes.add(bytecodes);
                row.trapped += 1;
            }
            Step::Made(Made::Packet(packet)) => {
                clerk.pushed.add(packet);
                totals.accounts.pushes.open();
            }
            Step::Made(Made::Descriptor) => {
                if let Some(Trigger::Arrival(packet) | Trigger::Passed(packet)) = row_here.call {
                    clerk.described.add((here, packet));
                }
            }
            Step::Sent {
                packet,
                peer,
                payload,
                is_in_frames,
            } => {
                totals.packets_sent += 1;
                totals.bytes_sent += payload.len() as u64;
                if clerk.sends(packet, is_in_frames) {
                    totals.accounts.pushes.close("sent");
                }
                row(rows, names, peer).totals.accounts.wire.open();
            }
            Step::Received {
                packet,
                peer,
                payload,
                is_in_frames,
            } => {
                let length = payload.len() as u64;
                totals.packets_received += 1;
                totals.bytes_received += length;
                let is_copy = is_in_frames && !clerk.in_frames.remove(&packet);
                if is_copy {
                    totals.accounts.wire.open();
                }
                totals.accounts.received();
                clerk.came = Some((here, time, Some(packet)));
                // A packet in frames can arrive more often than it was sent. A link without a CRC may change the number
                // of a frame, so that the frame opens another message. Such a packet counts as a copy that the link has
                // made. So does a packet whose last frame arrives after its sender has given it up.
                if is_copy {
                    let sender = &mut row(rows, names, peer).totals;
                    sender.packets_sent += 1;
                    sender.bytes_sent += length;
                }
            }
            Step::ControlSent { peer, length } => {
                totals.packets_sent += 1;
                totals.bytes_sent += u64::from(length);
                row(rows, names, peer).totals.accounts.wire.open();
            }
            Step::ControlReceived { kind, length } => {
                totals.packets_received += 1;
                totals.bytes_received += u64::from(length);
                totals.accounts.received();
                totals.accounts.arrivals.close(kind);
                clerk.came = Some((here, time, None));
            }
            Step::GivenUp { packet, peer } => {
                if clerk.pushed.take(packet) {
                    totals.accounts.pushes.close("failed");
                }
                if clerk.in_frames.remove(&packet) {
                    row(rows, names, peer).totals.accounts.wire.close("failed");
                }
            }
            Step::Lost { reason, .. } => {
                totals.drops.add(reason);
                totals.accounts.wire.close(reason);
                switches.lost((event.nic, time), event.kind.full_port());
            }
            Step::Forwarded(packet) => {
                // As on the link of a NIC, a copy counts as sent.
                if packet.is_copy {
                    totals.packets_sent += 1;
                    totals.bytes_sent += packet.payload.len() as u64;
                    row(rows, names, packet.peer).totals.accounts.wire.open();
                }
                switches.forwarded((event.nic, time), packet);
            }
            Step::Consumed { by, .. } => totals.accounts.arrivals.close(by),
            Step::Delivered {
                packet, channel, ..
            } => {
                let is_notice = channel.is_notice();
                totals.delivered += u64::from(!is_notice);
                totals.notices += u64::from(is_notice);
                if let Some(packet) = packet
                    && !clerk.described.take((here, packet))
                {
                    totals.accounts.arrivals.close("delivered");
                }
            }
            Step::Dropped {
                packet,
                reason,
                what,
            } => {
                totals.drops.add(reason);
                switches.lost((event.nic, time), event.kind.full_port());
                if let Some(packet) = packet {
                    let call = row_here.call;
                    match clerk.dropped((here, time, packet), what, (came, call)) {
                        Some(Ended::Push) => totals.accounts.pushes.close(reason),
                        Some(Ended::Arrival) => totals.accounts.arrivals.close(reason),
                        None => {}
                    }
                }
            }
            Step::Detached => totals.detachments += 1,
            Step::Mapped { evicts } => {
                totals.windows_mapped += 1;
                totals.windows_evicted += u64::from(evicts);
            }
            Step::Made(Made::Nothing) | Step::Attached | Step::Other => {}
        }
    }
}
