//! The events of a run as the simulation emits them, and values computed from the scenario alone.

use nic_runtime::Run;
use std::collections::BTreeSet;

use nic_core::event::line::Line;
use nic_core::event::roles::{Carries, Forwarded};
use nic_core::event::{Event, EventKind, Names, NicEvent, RxBody, Sink, UnetEvent, ViaEvent};
use nic_core::id::NicId;
use nic_core::lmmc;
use nic_core::via::{CONTROL_BYTES, Status};
use nic_runtime::export::PayloadMode;
use nic_runtime::spec::{InterfaceKind, Scenario};
use serde_json::Value;

use crate::is_control;

/// An event of the trace, with the data that exports use.
pub(crate) struct Recorded {
    pub(crate) time_ps: u64,
    /// The event as a line of the text trace.
    pub(crate) line: String,
    /// The bytes that a tap captures at this event, if any.
    pub(crate) bytes: Option<Vec<u8>>,
}

#[derive(Default)]
struct Recorder(Vec<Recorded>);

impl Sink for Recorder {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let kind = &event.kind;
        if matches!(
            kind,
            EventKind::Nic(NicEvent::Levels(_) | NicEvent::Work { .. })
        ) {
            return;
        }
        let bytes = match event.kind {
            EventKind::Unet(UnetEvent::TxPost { payload, .. })
            | EventKind::Via(ViaEvent::TxPost { payload, .. })
            | EventKind::Nic(NicEvent::WireTx { payload, .. })
            | EventKind::Nic(NicEvent::WireRx { payload, .. }) => Some(payload.to_vec()),
            EventKind::Nic(NicEvent::Forward(Forwarded {
                payload, carries, ..
            })) => (carries != Carries::Control).then(|| payload.to_vec()),
            EventKind::Unet(UnetEvent::RxDescriptor { length, body, .. }) => {
                Some(message(body, length as usize))
            }
            EventKind::Via(ViaEvent::RxDescriptor {
                status: Status::Flushed,
                ..
            }) => None,
            EventKind::Via(ViaEvent::RxDescriptor {
                length,
                offsets,
                share,
                area,
                whole,
                ..
            }) => {
                let body = RxBody::Buffers {
                    offsets,
                    share,
                    area,
                };
                let parts = || message(body, length as usize);
                Some(whole.map_or_else(parts, <[u8]>::to_vec))
            }
            _ => None,
        };
        self.0.push(Recorded {
            time_ps: event.time.as_ps(),
            line: Line::new(names, event, PayloadMode::Shown).to_string(),
            bytes,
        });
    }
}

/// Reads a received message from the descriptor or the buffers that the contract specifies.
fn message(body: RxBody<'_>, length: usize) -> Vec<u8> {
    match body {
        RxBody::Inline(bytes) => bytes[..length].to_vec(),
        RxBody::Buffers {
            offsets,
            share,
            area,
        } => {
            let places = offsets.iter().flat_map(|&offset| offset..offset + share);
            places
                .take(length)
                .map(|place| area[place as usize])
                .collect()
        }
    }
}

/// Runs a scenario and records its events.
pub(crate) fn recorded(scenario: &Scenario) -> Vec<Recorded> {
    let mut recorder = Recorder::default();
    Run::new(scenario)
        .sink(&mut recorder)
        .execute()
        .expect("the scenario can be run");
    recorder.0
}

/// Returns the time of a transfer in picoseconds, rounded up.
fn transfer_ps(bytes: u64, per_second: u64) -> u64 {
    (bytes * 1_000_000_000_000).div_ceil(per_second)
}

/// Returns a numeric field.
pub(crate) fn number(event: &Value, field: &str) -> u64 {
    event[field]
        .as_u64()
        .unwrap_or_else(|| panic!("{field} of {event}"))
}

/// Returns how long the packet of a `wire-tx` event occupies its link. The `earlier` events are those before it.
///
/// Where a NIC sends the first cells of a message while DMA moves the rest, the last cell leaves after DMA has moved it.
pub(crate) fn wire_ps(scenario: &Scenario, event: &Value, earlier: &[Value]) -> u64 {
    let at_once = wire_at_once_ps(scenario, event);
    let wire = &scenario.profile.wire;
    if wire.cell == 0 || is_control(event) {
        return at_once;
    }
    let is_source = |dma: &&Value| {
        dma["event"] == "dma"
            && dma["direction"] == "host-to-nic"
            && dma["endpoint"] == event["endpoint"]
    };
    let source = earlier
        .iter()
        .rfind(is_source)
        .expect("a message is read from memory");
    let read_ps = number(source, "t_ns") * 1000 + dma_ps(scenario, source);
    let last_ps = read_ps + transfer_ps(wire.cell.into(), wire.bandwidth.get());
    at_once.max(last_ps - number(event, "t_ns") * 1000)
}

fn wire_at_once_ps(scenario: &Scenario, event: &Value) -> u64 {
    let endpoints = &scenario.endpoints;
    let spec = |name: &Value| {
        let spec = endpoints.iter().find(|spec| *name == spec.name);
        spec.expect("it is there")
    };
    let home = |name: &Value| spec(name).nic;
    let (from, to) = (home(&event["endpoint"]), home(&event["peer"]));
    let link = |ends: (NicId, NicId)| {
        let mut links = scenario.links.iter();
        links.find(|link| link.between == ends || link.between == (ends.1, ends.0))
    };
    // A NIC that is no neighbour is behind the sender's link to a switch.
    let to_switch = || {
        let mut links = scenario.links.iter();
        links.find(|link| link.between.0 == from && scenario.switch(link.between.1).is_some())
    };
    let wire = &link((from, to))
        .or_else(to_switch)
        .expect("there is a link")
        .wire;
    let length = match event["kind"].as_str() {
        // The trace counts the bytes of the message, and a control packet has none.
        Some("ack" | "connect" | "accept" | "refuse" | "close") => CONTROL_BYTES.into(),
        // The trace counts the bytes that a process has written, and the message has a header before them.
        None if spec(&event["endpoint"]).interface == InterfaceKind::Lmmc => {
            number(event, "length") + lmmc::HEADER_BYTES as u64
        }
        _ => number(event, "length"),
    };
    let frame = length + u64::from(wire.header);
    transfer_ps(frame.max(wire.min_frame.into()), wire.bandwidth.get())
}

/// Returns the duration of the transfer of a `dma` event.
pub(crate) fn dma_ps(scenario: &Scenario, event: &Value) -> u64 {
    let dma = &scenario.profile.dma;
    dma.request.as_ps() + transfer_ps(number(event, "length"), dma.bandwidth.get())
}

/// Returns the indices of the events during loading, when no time passes.
pub(crate) fn while_loading(events: &[Value]) -> BTreeSet<usize> {
    let last = events.iter().rposition(|event| event["event"] == "load");
    (0..last.map_or(0, |last| last + 1)).collect()
}
