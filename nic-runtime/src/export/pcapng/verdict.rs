//! Verdicts on captured packets: finds the later event that tells what happened to each packet.

use std::collections::{BTreeMap, VecDeque};

use nic_core::event::fields::NamedDetails;
use nic_core::event::roles::{Carries, Cause, Dropped, Forwarded, Roles, Step};
use nic_core::event::{Made, Names, Trigger};
use nic_core::id::{EndpointId, NicId, PacketId, PostId};

use super::held::{Held, RecordId};

/// The verdict on a message that became visible to the user.
const DELIVERED: &str = "delivered";

/// Capture records that wait for verdicts.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    posted: BTreeMap<(EndpointId, PostId), RecordId>,
    /// Packets on a wire. A duplicate packet has the number of its original, so each number has a queue of records.
    sent: BTreeMap<PacketId, VecDeque<RecordId>>,
    /// Packets that left a switch and have not come to the next node, with that node.
    forwarded: BTreeMap<(PacketId, NicId), VecDeque<RecordId>>,
    /// Packets that have arrived and that neither an applet nor the NIC has handled.
    received: BTreeMap<PacketId, VecDeque<RecordId>>,
    /// The running call of each endpoint.
    calls: BTreeMap<EndpointId, Call>,
    /// Invisible receive descriptors that applets pushed, oldest first. Each descriptor holds the record of the packet
    /// that the applet handled when it pushed the descriptor.
    described: BTreeMap<EndpointId, VecDeque<Option<RecordId>>>,
}

/// A running call, and what it has done with the packet or descriptor that caused it.
#[derive(Copy, Clone, Debug)]
struct Call {
    trigger: Trigger,
    record: Option<RecordId>,
    /// Whether the call has pushed a receive descriptor.
    described: bool,
    /// Whether the pushed receive descriptor has become visible while the call runs.
    delivered: bool,
    sent: Option<PacketId>,
}

impl Verdicts {
    /// Takes note of an event of an endpoint. Sets the verdicts on captured packets that the event decides. Stores
    /// `seen`, the event's own record, for a later verdict.
    pub(super) fn take(
        &mut self,
        (held, names): (&mut Held, &dyn Names),
        (node, endpoint): (NicId, EndpointId),
        roles: &Roles<'_>,
        seen: Option<RecordId>,
    ) {
        match roles.step {
            Step::Posted { post, .. } => {
                self.posted
                    .extend(seen.map(|record| ((endpoint, post), record)));
            }
            Step::Completed { post, status, .. } => {
                if let Some(record) = self.posted.remove(&(endpoint, post)) {
                    let verdict = if status == "ok" { "done" } else { status };
                    held.judge(record, verdict);
                }
            }
            Step::Sent { packet, .. } => {
                self.sent.entry(packet).or_default().extend(seen);
            }
            Step::Received { packet, .. } => {
                judge(held, take_first(&mut self.sent, packet), "arrived");
                let hop = take_first(&mut self.forwarded, (packet, node));
                judge(held, hop, "arrived");
                self.received.entry(packet).or_default().extend(seen);
            }
            Step::Lost { packet, reason } => {
                let verdict = format!("dropped: {reason}");
                let hop = take_first(&mut self.forwarded, (packet, node));
                judge(held, hop, verdict.clone());
                judge(held, take_first(&mut self.sent, packet), verdict);
            }
            // What becomes of a frame is not known: only whole messages arrive.
            Step::Forwarded(Forwarded {
                carries: Carries::Frame,
                ..
            }) => judge(held, seen, "frame"),
            Step::Forwarded(Forwarded { packet, next, .. }) => {
                let hop = take_first(&mut self.forwarded, (packet, node));
                judge(held, hop, "forwarded");
                let waiting = self.forwarded.entry((packet, next)).or_default();
                waiting.extend(seen);
            }
            Step::CallBegan { .. } => {
                if let Cause::Of(trigger) = roles.cause {
                    self.called(endpoint, trigger);
                    if let Some(record) = self.calls.get(&endpoint).and_then(|call| call.record) {
                        held.begin_call(record);
                    }
                }
            }
            Step::Made(made) => self.made(endpoint, made),
            Step::CallReturned {
                method,
                bytecodes,
                value,
            } => {
                if let Some(record) = self.calls.get(&endpoint).and_then(|call| call.record) {
                    let value = value.map_or(String::new(), |value| format!(" {value}"));
                    let method = names.method(endpoint, method);
                    let end = format!("{method} returned{value}, {bytecodes} bytecodes");
                    held.end_call(record, end);
                }
                self.returned(held, endpoint);
            }
            Step::CallTrapped {
                kind,
                pc,
                line,
                method,
                details,
                ..
            } => {
                let line = line.map_or(String::new(), |line| format!(" (line {line})"));
                let details = NamedDetails::new(names, Some(endpoint), details);
                let call = self.calls.remove(&endpoint);
                if let Some(record) = call.and_then(|call| call.record) {
                    let method = names.method(endpoint, method);
                    held.end_call(record, format!("in {method}{}", callers(&details)));
                }
                let behind = match call {
                    Some(call) if call.described => ", behind its descriptor",
                    Some(_) | None => "",
                };
                let why = match details.cause() {
                    Some(_) => format!(": {details}"),
                    None => String::new(),
                };
                let verdict = format!("trap: {} at pc {}{line}{behind}{why}", kind.name(), pc.0);
                judge(held, call.and_then(|call| call.record), verdict);
            }
            Step::Dropped {
                packet,
                reason,
                what,
            } => {
                let record = self.dropped(endpoint, packet, what);
                judge(held, record, format!("dropped: {reason}"));
            }
            Step::Consumed { packet, by } => {
                let record = take_first(&mut self.received, packet);
                judge(held, record, format!("taken by the NIC: {by}"));
            }
            Step::Delivered { packet, .. } => {
                let waiting = match take_first(&mut self.described, endpoint) {
                    Some(waiting) => waiting,
                    None => packet.and_then(|packet| take_first(&mut self.received, packet)),
                };
                match self.calls.get_mut(&endpoint) {
                    // The message gets no verdict yet, because the call that pushed its descriptor may still trap.
                    Some(call) if call.record == waiting => call.delivered = true,
                    Some(_) | None => judge(held, waiting, DELIVERED),
                }
                // A message in the user's receive queue is delivered by definition.
                judge(held, seen, DELIVERED);
            }
            Step::CallSuspended
            | Step::CallResumed
            | Step::Detached
            | Step::Mapped { .. }
            | Step::ControlSent { .. }
            | Step::ControlReceived { .. }
            | Step::Attached
            | Step::GivenUp { .. }
            | Step::Other => {}
        }
    }

    fn called(&mut self, endpoint: EndpointId, trigger: Trigger) {
        let record = match trigger {
            Trigger::Load
            | Trigger::Passed(_)
            | Trigger::Timer
            | Trigger::Refill
            | Trigger::Watch
            | Trigger::Read => None,
            Trigger::Post(post) => self.posted.get(&(endpoint, post)).copied(),
            Trigger::Arrival(packet) => take_first(&mut self.received, packet),
        };
        let call = Call {
            trigger,
            record,
            described: false,
            delivered: false,
            sent: None,
        };
        self.calls.insert(endpoint, call);
    }

    fn made(&mut self, endpoint: EndpointId, made: Made) {
        let Some(call) = self.calls.get_mut(&endpoint) else {
            return;
        };
        match made {
            Made::Nothing => {}
            Made::Packet(packet) => call.sent = Some(packet),
            Made::Descriptor => {
                call.described = true;
                let waiting = self.described.entry(endpoint).or_default();
                // A descriptor that `doTx` pushes says nothing about the posted message.
                let is_arrival = matches!(call.trigger, Trigger::Arrival(_));
                waiting.push_back(call.record.filter(|_| is_arrival));
            }
        }
    }

    /// Sets the verdict on a packet whose call returned without pushing a descriptor.
    fn returned(&mut self, held: &mut Held, endpoint: EndpointId) {
        let Some(call) = self.calls.remove(&endpoint) else {
            return;
        };
        if call.delivered {
            return judge(held, call.record, DELIVERED);
        }
        // If the call pushed or handled a descriptor, the record gets its verdict when this descriptor becomes visible
        // or completes.
        if call.described || !matches!(call.trigger, Trigger::Arrival(_)) {
            return;
        }
        match call.sent {
            Some(packet) => judge(
                held,
                call.record,
                format!("answered by packet {}", packet.0),
            ),
            None => judge(held, call.record, "not delivered by the applet"),
        }
    }

    /// Returns the record that gets its verdict from a drop, if there is one.
    fn dropped(
        &mut self,
        endpoint: EndpointId,
        packet: Option<PacketId>,
        what: Dropped,
    ) -> Option<RecordId> {
        match what {
            // For a trapped call, the trap has already set the packet's verdict. For a dropped answer, the message
            // itself was delivered. A dropped outgoing packet was never on a wire. When a frame is dropped, its packet
            // may still arrive.
            Dropped::Trapped
            | Dropped::Answer
            | Dropped::Outgoing
            | Dropped::Frame
            | Dropped::Copy => None,
            Dropped::Arrival | Dropped::Unread => match self.calls.get(&endpoint) {
                Some(call) => call.record,
                None => packet.and_then(|packet| take_first(&mut self.received, packet)),
            },
        }
    }
}

/// Returns the callers of the method that trapped, as text.
fn callers(details: &NamedDetails<'_>) -> String {
    let callers = details
        .calls()
        .skip(1)
        .map(|(method, call)| match call.line {
            Some(line) => format!(", called by {method} (line {line})"),
            None => format!(", called by {method}"),
        });
    callers.collect()
}

fn judge(held: &mut Held, record: Option<RecordId>, verdict: impl Into<String>) {
    if let Some(record) = record {
        held.judge(record, verdict);
    }
}

/// Removes the oldest entry of a key's queue.
fn take_first<K: Ord, T>(waiting: &mut BTreeMap<K, VecDeque<T>>, key: K) -> Option<T> {
    let of_key = waiting.get_mut(&key)?;
    let first = of_key.pop_front();
    if of_key.is_empty() {
        waiting.remove(&key);
    }
    first
}
