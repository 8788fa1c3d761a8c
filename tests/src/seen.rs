//! Records the messages, packets and calls of a run, for tests of applets.

use nic_runtime::Run;
use std::collections::BTreeMap;

use nic_core::event::{Event, EventKind, Names, NativeArg, NicEvent, Sink, SleEvent, UnetEvent};
use nic_core::id::EndpointId;
use nic_core::time::SimTime;
use nic_runtime::host::Programs;
use nic_runtime::spec::Scenario;

use crate::simulation::payload;

/// A message or packet, and the endpoint that posted, sent or received it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// When the message was posted, left the NIC or became visible.
    pub time: SimTime,
    /// The endpoint's place in the scenario.
    pub endpoint: u32,
    /// The endpoint's number of the channel.
    pub channel: i32,
    /// The message's bytes.
    pub payload: Vec<u8>,
}

/// A call of an applet that returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// When it returned.
    pub time: SimTime,
    /// The endpoint's place in the scenario.
    pub endpoint: u32,
    /// The entry, such as `doRx`.
    pub method: String,
    /// The call's arguments.
    pub args: Vec<i32>,
    /// The last result of `currentTime` in the call, as it would be if the clock of an applet did not wrap.
    pub clock: Option<i64>,
    /// The returned value.
    pub value: i32,
}

/// The messages, packets, calls, traps and drops of a run.
#[derive(Debug, Default)]
pub struct Seen {
    /// Messages that users posted.
    pub posted: Vec<Message>,
    /// Packets that left.
    pub sent: Vec<Message>,
    /// Packets that arrived at a NIC.
    pub arrived: Vec<Message>,
    /// Messages that users received.
    pub received: Vec<Message>,
    /// Calls of applets, in the order in which they returned.
    pub calls: Vec<Call>,
    /// Traps, each with the endpoint's place and the kind of the trap.
    pub traps: Vec<(u32, &'static str)>,
    /// The reasons for which a NIC dropped packets.
    pub drops: Vec<&'static str>,
    /// Calls that have not returned.
    open: BTreeMap<u32, Call>,
}

impl Seen {
    /// Runs a scenario to its end.
    ///
    /// # Panics
    ///
    /// Panics if the simulation rejects the scenario.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Seen {
        Seen::with(scenario, Programs::new())
    }

    /// Runs a scenario with host programs to its end.
    ///
    /// # Panics
    ///
    /// Panics if the simulation rejects the scenario.
    #[must_use]
    pub fn with(scenario: &Scenario, programs: Programs) -> Seen {
        let mut seen = Seen::default();
        Run::new(scenario)
            .programs(programs)
            .sink(&mut seen)
            .execute()
            .unwrap_or_else(|error| panic!("{error:?}"));
        seen
    }

    /// Returns the payloads that an endpoint's user posted on a channel.
    #[must_use]
    pub fn posted_by(&self, endpoint: u32, channel: i32) -> Vec<&[u8]> {
        of(&self.posted, endpoint, channel)
    }

    /// Returns the payloads that an endpoint's user received on a channel.
    #[must_use]
    pub fn received_by(&self, endpoint: u32, channel: i32) -> Vec<&[u8]> {
        of(&self.received, endpoint, channel)
    }
}

fn of(messages: &[Message], endpoint: u32, channel: i32) -> Vec<&[u8]> {
    let own = messages
        .iter()
        .filter(|message| message.endpoint == endpoint && message.channel == channel);
    own.map(|message| message.payload.as_slice()).collect()
}

impl Sink for Seen {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let Some(EndpointId(endpoint)) = event.endpoint else {
            return;
        };
        let time = event.time;
        let message = |channel: i32, payload: Vec<u8>| Message {
            time,
            endpoint,
            channel,
            payload,
        };
        match event.kind {
            EventKind::Unet(UnetEvent::TxPost {
                channel, payload, ..
            }) => self.posted.push(message(channel.0, payload.to_vec())),
            EventKind::Unet(UnetEvent::RxDescriptor {
                channel,
                length,
                body,
                ..
            }) => self
                .received
                .push(message(channel.0, payload(body, length))),
            EventKind::Nic(NicEvent::WireTx {
                channel, payload, ..
            }) => self.sent.push(message(channel.0, payload.to_vec())),
            EventKind::Nic(NicEvent::WireRx {
                channel, payload, ..
            }) => self.arrived.push(message(channel.0, payload.to_vec())),
            EventKind::Nic(NicEvent::Drop { reason, .. }) => self.drops.push(reason.word()),
            EventKind::Sle(SleEvent::Trap { kind, .. }) => self.traps.push((endpoint, kind.name())),
            EventKind::Sle(SleEvent::AppletCall { method, args, .. }) => {
                let call = Call {
                    time,
                    endpoint,
                    method: names.method(EndpointId(endpoint), method).to_owned(),
                    args: args.to_vec(),
                    clock: None,
                    value: 0,
                };
                self.open.insert(endpoint, call);
            }
            EventKind::Sle(SleEvent::Native {
                name: "currentTime",
                result: Some(NativeArg::Int(now)),
                ..
            }) => {
                if let Some(call) = self.open.get_mut(&endpoint) {
                    let us = i64::try_from(time.as_ns() / 1000).expect("63 bits of microseconds");
                    // The low 32 bits of both, whose difference is the time since the native read the clock.
                    #[expect(clippy::cast_possible_truncation, reason = "the clock wraps so")]
                    let since = (us as i32).wrapping_sub(now);
                    call.clock = Some(us - i64::from(since));
                }
            }
            EventKind::Sle(SleEvent::AppletReturn { value, .. }) => {
                if let Some(mut call) = self.open.remove(&endpoint) {
                    call.time = time;
                    call.value = value.unwrap_or_default();
                    self.calls.push(call);
                }
            }
            _ => {}
        }
    }
}
