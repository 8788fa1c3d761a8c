//! Runs scenarios for tests: the trace as text, and the received messages.

use nic_runtime::Run;
use std::path::Path;

use nic_core::event::{EndReason, Event, EventKind, Names, RxBody, Sink, UnetEvent};
use nic_core::id::EndpointId;
use nic_runtime::export::PayloadMode;
use nic_runtime::export::text::TextTrace;
use nic_runtime::run::RunEnd;
use nic_runtime::scenario::parse;
use nic_runtime::spec::Scenario;

/// Parses a valid scenario.
///
/// # Panics
///
/// Panics if the scenario has mistakes.
pub fn scenario(text: &str, directory: Option<&Path>, seed: Option<u64>) -> Scenario {
    parse(text.as_bytes(), directory, seed).unwrap_or_else(|error| panic!("{error:?}"))
}

/// Runs a scenario to its end.
///
/// # Panics
///
/// Panics if the simulation rejects the scenario, or the run is stuck.
pub fn run(scenario: &Scenario, sink: &mut impl Sink) -> RunEnd {
    let end = Run::new(scenario)
        .sink(sink)
        .execute()
        .unwrap_or_else(|error| panic!("{error:?}"))
        .end;
    assert_ne!(end.reason, EndReason::Stuck, "{:?}", end.waiting);
    end
}

/// Returns the trace of a run as text, with payloads.
///
/// # Panics
///
/// Panics if the simulation rejects the scenario.
pub fn trace(scenario: &Scenario) -> String {
    let mut trace = TextTrace::new(Vec::new(), PayloadMode::Shown);
    run(scenario, &mut trace);
    let bytes = trace.finish().expect("a vector takes all that is written");
    String::from_utf8(bytes).expect("a trace is UTF-8")
}

/// A message that the user of an endpoint received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// Name of the endpoint.
    pub endpoint: String,
    /// The number that the receiver uses for the channel.
    pub channel: i32,
    /// The message's bytes.
    pub payload: Vec<u8>,
}

/// Collects the messages that users receive.
#[derive(Debug, Default)]
pub struct Messages(pub Vec<Received>);

impl Sink for Messages {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let EventKind::Unet(UnetEvent::RxDescriptor {
            channel,
            length,
            body,
            ..
        }) = event.kind
        else {
            return;
        };
        let endpoint: EndpointId = event.endpoint.expect("a descriptor is an endpoint's");
        self.0.push(Received {
            endpoint: names.endpoint(endpoint).to_owned(),
            channel: channel.0,
            payload: payload(body, length),
        });
    }
}

/// Reads a message from the location that its receive descriptor gives.
pub(crate) fn payload(body: RxBody<'_>, length: u32) -> Vec<u8> {
    let size = |count: u32| usize::try_from(count).expect("32 bits fit");
    match body {
        RxBody::Inline(bytes) => bytes[..size(length)].to_vec(),
        RxBody::Buffers {
            offsets,
            share,
            area,
        } => {
            let mut left = size(length);
            let mut payload = Vec::with_capacity(left);
            for offset in offsets {
                let here = left.min(size(share));
                payload.extend_from_slice(&area[size(*offset)..][..here]);
                left -= here;
            }
            payload
        }
    }
}
