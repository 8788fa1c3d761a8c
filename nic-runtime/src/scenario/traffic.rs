//! Reads `[[channel]]` and `[[send]]` tables.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use nic_core::id::{ChannelId, EndpointId};
use nic_core::sle::capsule::CODE_CHANNEL;
use nic_core::time::{SimDuration, SimTime};
use toml::Spanned;
use toml::de::DeValue;

use super::context::Context;
use super::drawn::{self, Drawn, Owner, Parts, channel_number};
use super::endpoint_table::{Endpoints, transmit_region};
use super::keys::{BY_PROGRAM, CONNECT, ROOT, SEND};
use super::limits;
use super::mistake::MistakeKind;
use super::names::NameIndex;
use super::network::Network;
use super::payload::{self, Found, Payload};
use super::profiles::NicProfiles;
use super::receives;
use super::table::{Mistakes, Table, wrong_type};
use super::vis;
use crate::profile::EmpCosts;
use crate::spec::InterfaceKind;
use crate::spec::Span;
use crate::spec::{CaptureCounts, ChannelSpec, NicSpec, ReplaySpec, SendSpec};
use crate::units::{show_duration, show_size};

/// An end of a channel: the endpoint, the endpoint's number for the channel, and the number's place in the file.
type End = (EndpointId, ChannelId, Span);

/// Reads every `[[channel]]`. The keys of a `[[channel]]` are names of endpoints, so there is no fixed list of known
/// keys.
pub(super) fn channels(
    root: &Table<'_>,
    endpoints: &mut Endpoints<'_>,
    (nics, of_nic, network): (&[NicSpec], &NicProfiles, &Network),
    context: &mut Context,
) -> Vec<ChannelSpec> {
    let mistakes = context.mistakes();
    let mut used = BTreeMap::new();
    let mut channels = Vec::new();
    for entry in root.entries(
        ROOT.channel.name,
        "`[[channel]]`",
        limits::CHANNELS_MAX,
        mistakes,
    ) {
        let by_program = connect(entry, mistakes);
        let Some((a, b)) = ends(entry, &endpoints.names, mistakes) else {
            continue;
        };
        for (endpoint, channel, span) in [a, b] {
            if let Some(first) = used.insert((endpoint, channel), span) {
                mistakes.add(span, MistakeKind::DuplicateChannelNumber { first });
            }
        }
        let home = |endpoint: EndpointId| endpoints.nics[endpoint.0 as usize];
        if let (Some(one), Some(other)) = (home(a.0), home(b.0)) {
            network.check_joined(entry.span(), (one, other), (nics, of_nic), mistakes);
        }
        let interface = |endpoint: EndpointId| endpoints.specs[endpoint.0 as usize].interface;
        let (a_speaks, b_speaks) = (interface(a.0), interface(b.0));
        if a_speaks.protocol() != b_speaks.protocol() {
            let (a, b) = (a_speaks.name(), b_speaks.name());
            mistakes.add(entry.span(), MistakeKind::OtherProtocol { a, b });
        }
        let costs = |end: End| {
            let is_emp = interface(end.0) == InterfaceKind::Emp;
            of_nic.of(home(end.0)?).emp.as_ref().filter(|_| is_emp)
        };
        if let (Some(one), Some(other)) = (costs(a), costs(b)) {
            let pairs = assumed(one).into_iter().zip(assumed(other));
            for ((key, a), (_, b)) in pairs.filter(|(a, b)| a != b) {
                mistakes.add(entry.span(), MistakeKind::OtherFrames { key, a, b });
            }
        }
        if let Some(place) = by_program {
            vis::connect_by_program(endpoints, [a.0, b.0], place, mistakes);
        }
        channels.push(ChannelSpec {
            a: (a.0, a.1),
            b: (b.0, b.1),
        });
    }
    channels
}

/// Returns whether a key of a channel is `connect` and not the name of an endpoint. The name of an endpoint has numbers
/// as its value.
fn is_connect(key: &str, value: &DeValue<'_>) -> bool {
    key == CONNECT && matches!(value, DeValue::String(_))
}

/// Returns the place of the key `connect`, if a channel leaves its connection to the programs.
fn connect(entry: &Spanned<DeValue<'_>>, mistakes: &mut Mistakes) -> Option<Span> {
    let keys = entry.get_ref().as_table()?;
    let (_, value) = keys
        .iter()
        .find(|(key, value)| is_connect(key.get_ref(), value.get_ref()))?;
    let read = match value.get_ref() {
        DeValue::String(word) if word == BY_PROGRAM => Ok(Span::from(value.span())),
        _ => Err(MistakeKind::UnknownChoice {
            known: vec![BY_PROGRAM],
            suggestion: None,
        }),
    };
    mistakes.note(value.span(), read)
}

/// Returns the keys of EMP whose values a NIC assumes of its peer, with their values. A sender repeats frames in groups
/// of its own size, and the receiver must acknowledge the last frame of such a group. A receiver waits for as long as
/// its sender tries.
fn assumed(costs: &EmpCosts) -> [(&'static str, String); 4] {
    [
        ("payload", show_size(costs.payload.get().into())),
        ("ack_every", costs.ack_every.to_string()),
        ("timeout", show_duration(costs.timeout)),
        ("retries", costs.retries.to_string()),
    ]
}

/// Checks that every endpoint that accepts capsules has a channel for capsules.
pub(super) fn check_code_channels(
    endpoints: &Endpoints<'_>,
    channels: &[ChannelSpec],
    mistakes: &mut Mistakes,
) {
    for (endpoint, place) in &endpoints.capsule_keys {
        let code = (*endpoint, CODE_CHANNEL);
        if !channels
            .iter()
            .any(|channel| channel.a == code || channel.b == code)
        {
            mistakes.add(*place, MistakeKind::NoCodeChannel);
        }
    }
}

/// Reads the two ends of a channel, in the order of the file.
fn ends(
    entry: &Spanned<DeValue<'_>>,
    names: &NameIndex<'_>,
    mistakes: &mut Mistakes,
) -> Option<(End, End)> {
    let DeValue::Table(keys) = entry.get_ref() else {
        mistakes.add(entry.span(), wrong_type("a table", entry.get_ref()));
        return None;
    };
    let mut ends = Vec::new();
    for (key, value) in keys {
        if is_connect(key.get_ref(), value.get_ref()) {
            continue;
        }
        let endpoint = names
            .find(key.get_ref(), key.span(), mistakes)
            .map(EndpointId);
        let numbers = match value.get_ref() {
            DeValue::Array(numbers) => &numbers[..],
            _ => std::slice::from_ref(value),
        };
        for number in numbers {
            let channel = channel_number(number.get_ref());
            let channel = mistakes.note(number.span(), channel);
            ends.push((endpoint, channel, Span::from(number.span())));
        }
    }
    ends.sort_by_key(|(_, _, span)| *span);
    let [a, b] = ends[..] else {
        mistakes.add(entry.span(), MistakeKind::ChannelEnds);
        return None;
    };
    Some(((a.0?, a.1?, a.2), (b.0?, b.1?, b.2)))
}

/// What `[[send]]` tables make: messages, captures that are read during the run, and what was found in captures.
#[derive(Default)]
pub(super) struct Sends {
    pub(super) sends: Vec<SendSpec>,
    pub(super) replays: Vec<ReplaySpec>,
    pub(super) captures: Vec<CaptureCounts>,
    /// When the last packet of all captures is due.
    pub(super) last: SimTime,
}

/// Reads every `[[send]]`.
pub(super) fn sends(
    root: &Table<'_>,
    endpoints: &Endpoints<'_>,
    of_nic: &NicProfiles,
    context: &mut Context,
) -> Sends {
    let limit = limits::SENDS_MAX;
    let tables = root.tables(ROOT.send.name, SEND.section, limit, context.mistakes());
    // The random bytes of a send depend on the sender and on the send's position among the sender's own sends. The
    // sends of other endpoints therefore do not change an endpoint's random bytes.
    let mut of_endpoint = BTreeMap::<EndpointId, u64>::new();
    let mut made = Sends::default();
    for (number, send) in (0u32..).zip(&tables) {
        let mistakes = context.mistakes();
        let endpoint = endpoints.names.find_key(&SEND.endpoint, send, mistakes);
        let endpoint = endpoint.map(EndpointId);
        let channels = drawn::channels(send, mistakes);
        let interface = endpoint.map(|id| endpoints.specs[id.0 as usize].interface);
        let tag = receives::tag_of_send(send, interface, mistakes);
        let immediate = vis::immediate_of_send(send, interface, mistakes);
        let at = SimTime::ZERO + SEND.at.get(send, mistakes);
        let repeat = SEND.repeat.get(send, mistakes);
        let every = SEND.every.get(send, mistakes);
        let position = endpoint.map_or(0, |id| {
            let position = of_endpoint.entry(id).or_default();
            *position += 1;
            *position
        });
        let name = endpoint.map_or("", |id| &endpoints.specs[id.0 as usize].name);
        let owner = Owner {
            endpoint: name,
            position,
        };
        let gap = drawn::gaps(send, every, owner, context);
        let parts = Parts::read(send, context.mistakes());
        let payload = SEND
            .payload
            .raw(send, context.mistakes())
            .and_then(|value| payload::read(context, value, ["send", name, &position.to_string()]));
        let (Some(endpoint), Some(channels), Some(payload)) = (endpoint, channels, payload) else {
            continue;
        };
        let Some(&channel) = channels.first() else {
            continue;
        };
        let region = transmit_region(&endpoints.specs[endpoint.0 as usize]);
        let payload::Read {
            payload: held,
            capture,
        } = payload.value;
        if let Some(Found { counts, lasts, .. }) = capture {
            made.captures.push(CaptureCounts {
                send: number,
                ..counts
            });
            // The sum of random times has no bound, so their mean counts.
            let each = gap.as_ref().map_or(every, |gaps| gaps.gap().mean());
            let repeats = SimDuration::from_ps(each.as_ps().saturating_mul(repeat - 1));
            made.last = made.last.max(at + lasts + repeats);
        }
        let longest = capture.map_or(held.length(), |found| found.longest);
        if longest > region {
            let length = longest;
            let kind = MistakeKind::PayloadDoesNotFit { length, region };
            context.mistakes().add(payload.span, kind);
        }
        if let (Payload::Replay(file), Some(found)) = (&held, capture) {
            // A packet that is read when it is due is sent once, and as it is.
            let is_plain = gap.is_none()
                && tag == 0
                && immediate.is_none()
                && SEND.segments.raw(send, context.mistakes()).is_none();
            if repeat > 1 || !is_plain {
                context.mistakes().add(payload.span, payload::too_many());
                continue;
            }
            made.replays.push(ReplaySpec {
                table: number,
                endpoint,
                channel,
                at,
                count: found.counts.sent,
                outstanding: None,
                messages: Arc::new(file.clone()),
            });
            continue;
        }
        if let Some(parts) = parts {
            let Payload::Message(bytes) = held else {
                // The payload has been reported.
                continue;
            };
            if let Some(length) = &parts.length
                && u64::from(length.value.longest()) > bytes.len() as u64
            {
                let kind = MistakeKind::LongerThanPayload {
                    length: length.value.longest().into(),
                    found: bytes.len() as u64,
                };
                context.mistakes().add(payload.span, kind);
                continue;
            }
            let drawn = Drawn::new(
                bytes,
                (&parts, channels),
                (every, gap, repeat),
                (owner, context),
            );
            made.replays.push(ReplaySpec {
                table: number,
                endpoint,
                channel,
                at,
                count: repeat,
                outstanding: parts.outstanding,
                messages: Arc::new(drawn),
            });
            continue;
        }
        let messages = held.into_messages().unwrap_or_default();
        if made.sends.len() + messages.len() > limit {
            context.mistakes().add(payload.span, payload::too_many());
            continue;
        }
        let spec = &endpoints.specs[endpoint.0 as usize];
        let nic = endpoints.nics[endpoint.0 as usize];
        let most = nic.map_or(NonZeroU32::MAX, |nic| of_nic.of(nic).memory.segments);
        let segments = vis::segments_of_send(send, (spec, &messages), most, context.mistakes());
        made.sends
            .extend(messages.into_iter().map(|message| SendSpec {
                table: number,
                endpoint,
                channel,
                at: at + message.after,
                payload: message.bytes,
                tag,
                immediate,
                segments: segments.clone(),
                repeat,
                every,
                gap: gap.clone(),
            }));
    }
    made
}
