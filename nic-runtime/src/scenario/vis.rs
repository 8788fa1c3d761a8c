//! Reads the keys of `[[endpoint]]` and `[[send]]` that are for VIs, and checks the connections of VIs.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use nic_core::id::EndpointId;
use toml::de::DeValue;

use super::capture::CapturedPacket;
use super::endpoint_table::Endpoints;
use super::keys::{COMPLETION, CONNECT, ENDPOINT, PROVIDERS, SEND};
use super::limits;
use super::mistake::MistakeKind;
use super::table::{self, Mistakes, Table};
use crate::profile::Profile;
use crate::spec::InterfaceKind;
use crate::spec::Span;
use crate::spec::{
    ChannelSpec, CompletionQueueSpec, EndpointSpec, OnEmpty, Provider, TransferMode, ViSpec,
};

/// The keys of `[[endpoint]]` for VIs.
pub(super) const VI_KEYS: [&str; 7] = [
    "provider",
    "reliability",
    "completion",
    "transfer",
    "on_empty",
    "split",
    "strict",
];

const INTERFACE: &str = "interface = \"via\"";

/// Reads the keys of an endpoint that is a VI. Returns `None` for an endpoint of another interface, which may have none
/// of the keys for VIs.
pub(super) fn read(
    table: &Table<'_>,
    (interface, profile): (InterfaceKind, &Profile),
    mistakes: &mut Mistakes,
) -> Option<ViSpec> {
    if interface != InterfaceKind::Via {
        for key in VI_KEYS {
            if let Some(value) = table.value(key) {
                let partner = INTERFACE;
                mistakes.add(value.span(), MistakeKind::NeedsPartner { key, partner });
            }
        }
        return None;
    }
    if let Some(value) = table.value(ENDPOINT.accept_capsules.name) {
        let (key, of) = (ENDPOINT.accept_capsules.name, INTERFACE);
        mistakes.add(value.span(), MistakeKind::Excluded { key, of });
    }
    let provider = provider(table, profile, mistakes);
    let transfer = ENDPOINT.transfer.get(table, mistakes);
    let on_empty = ENDPOINT.on_empty.get(table, mistakes);
    let strict = ENDPOINT.strict.get(table, mistakes);
    if provider != Provider::Clan {
        // The NIC of a VI moves all bytes from buffer to buffer, and a sender does not know the receive descriptors of its peer.
        for (key, is_beyond) in [
            (ENDPOINT.transfer.name, transfer == TransferMode::Pio),
            (ENDPOINT.on_empty.name, on_empty == OnEmpty::Defer),
            (ENDPOINT.strict.name, strict),
        ] {
            if let (true, Some(value)) = (is_beyond, table.value(key)) {
                let name = PROVIDERS.iter().find(|(_, known)| *known == provider);
                let provider = name.map_or("hardware", |(name, _)| name);
                mistakes.add(value.span(), MistakeKind::NotOffered { provider });
            }
        }
    } else if let Some(applet) = table.value(ENDPOINT.applet.name) {
        let (key, of) = ("applet", "provider = \"clan\"");
        mistakes.add(applet.span(), MistakeKind::Excluded { key, of });
    }
    Some(ViSpec {
        reliability: ENDPOINT.reliability.get(table, mistakes),
        splits: ENDPOINT.split.get(table, mistakes),
        queues: [None; 2],
        provider,
        transfer,
        on_empty,
        strict,
        connects_by_program: false,
        native: None,
    })
}

/// Leaves the connection of two VIs to their programs.
pub(super) fn connect_by_program(
    endpoints: &mut Endpoints<'_>,
    ends: [EndpointId; 2],
    place: Span,
    mistakes: &mut Mistakes,
) {
    for end in ends {
        match &mut endpoints.specs[end.0 as usize].vi {
            Some(vi) => vi.connects_by_program = true,
            None => {
                let (key, partner) = (CONNECT, INTERFACE);
                return mistakes.add(place, MistakeKind::NeedsPartner { key, partner });
            }
        }
    }
}

/// Returns the provider of a VI: the provider in the table, or the only provider that the profile has.
fn provider(table: &Table<'_>, profile: &Profile, mistakes: &mut Mistakes) -> Provider {
    let has = |provider: Provider| match provider {
        Provider::Hardware => profile.base.is_some() && !profile.is_on_host(),
        Provider::Emulated => profile.base.is_some() && profile.is_on_host(),
        Provider::Clan => profile.clan.is_some() && profile.via.is_some(),
    };
    let given = ENDPOINT.provider.given(table, mistakes);
    let given = given.map(|given| given.value);
    let only = PROVIDERS.iter().find(|(_, provider)| has(*provider));
    let provider = given.or(only.map(|(_, provider)| *provider));
    let provider = provider.unwrap_or(Provider::Hardware);
    if !has(provider) {
        let known = PROVIDERS.iter().filter(|(_, provider)| has(*provider));
        let known: Vec<String> = known.map(|(name, _)| format!("`{name}`")).collect();
        let kind = MistakeKind::NoProvider {
            profile: profile.name.clone(),
            has: match known.is_empty() {
                true => "none".to_owned(),
                false => known.join(" and "),
            },
        };
        let place = table
            .value(ENDPOINT.provider.name)
            .map_or(table.span, |value| value.span().into());
        mistakes.add(place, kind);
    }
    provider
}

/// A completion queue of a given name, which may serve several VIs.
struct Named {
    position: u32,
    /// Number of entries that the queue's VIs need.
    needed: u64,
    /// Number of entries that the scenario gives the queue, and the place where it does so.
    given: Option<(u64, Span)>,
}

/// Reads the completion queues of all VIs. Completion queues of different processes may have the same name.
pub(super) fn completion_queues(
    tables: &[Table<'_>],
    specs: &mut [EndpointSpec],
    mistakes: &mut Mistakes,
) -> Vec<CompletionQueueSpec> {
    let mut named = BTreeMap::new();
    let mut queues = Vec::new();
    for (index, (table, spec)) in tables.iter().zip(specs).enumerate() {
        let (Some(vi), Some(value)) = (&mut spec.vi, table.value(ENDPOINT.completion.name)) else {
            continue;
        };
        let Some(of) = Table::of_value(value, COMPLETION.section, mistakes) else {
            continue;
        };
        let (send, receive) = (COMPLETION.send.name, COMPLETION.receive.name);
        if of.value(send).is_none() && of.value(receive).is_none() {
            let (key, partner) = (ENDPOINT.completion.name, "send` or `receive");
            mistakes.add(value.span(), MistakeKind::NeedsPartner { key, partner });
        }
        let entries = of.value(COMPLETION.entries.name).map(|value| {
            let entries = COMPLETION.entries.given(&of, mistakes);
            (
                entries.map_or(1, |entries| entries.value),
                Span::from(value.span()),
            )
        });
        // An endpoint without a process is a process of its own.
        let owner = match spec.process {
            Some(process) => (0, u64::from(process)),
            None => (1, index as u64),
        };
        let receives = u64::from(spec.rx_queue) + u64::from(spec.free_buffer_count);
        let sides = [
            (&COMPLETION.send, u64::from(spec.tx_queue)),
            (&COMPLETION.receive, receives),
        ];
        for (side, (key, needed)) in sides.into_iter().enumerate() {
            let Some(name) = key.with(&of, table::text, mistakes) else {
                continue;
            };
            if name.value.is_empty() || name.value.len() > limits::NAME_BYTES_MAX {
                mistakes.add(name.span, MistakeKind::NameLength);
                continue;
            }
            let queue = named.entry((owner, name.value)).or_insert_with(|| {
                let position = u32::try_from(queues.len()).expect("two for each endpoint at most");
                queues.push(CompletionQueueSpec {
                    name: name.value.to_owned(),
                    entries: 0,
                });
                Named {
                    position,
                    needed: 0,
                    given: None,
                }
            });
            queue.needed += needed;
            queue.given = queue.given.max(entries);
            vi.queues[side] = Some(queue.position);
        }
    }
    for queue in named.into_values() {
        let entries = match queue.given {
            None => queue.needed,
            Some((entries, span)) => {
                if entries < queue.needed {
                    let needed = queue.needed;
                    mistakes.add(span, MistakeKind::CompletionQueueTooSmall { needed });
                }
                entries
            }
        };
        let entries = u32::try_from(entries).unwrap_or(u32::MAX);
        queues[queue.position as usize].entries = entries;
    }
    queues
}

/// Checks that each VI has one channel, and that both ends of the channel have the same reliability level.
pub(super) fn check_connections(
    endpoints: &Endpoints<'_>,
    channels: &[ChannelSpec],
    mistakes: &mut Mistakes,
) {
    let mut counts = vec![0_u32; endpoints.specs.len()];
    let vi = |id: EndpointId| endpoints.specs[id.0 as usize].vi;
    for ChannelSpec { a, b } in channels {
        for (id, _) in [a, b] {
            counts[id.0 as usize] += 1;
        }
        let (Some(one), Some(other)) = (vi(a.0), vi(b.0)) else {
            continue;
        };
        let place = endpoints.places[b.0.0 as usize];
        if one.reliability != other.reliability {
            mistakes.add(place, MistakeKind::OtherLevel);
        }
        if one.provider != other.provider {
            mistakes.add(place, MistakeKind::OtherProvider);
        }
    }
    for ((spec, found), place) in endpoints.specs.iter().zip(counts).zip(&endpoints.places) {
        if spec.vi.is_some() && found != 1 {
            mistakes.add(*place, MistakeKind::ViChannels { found });
        }
    }
}

/// Reads the immediate data of a `[[send]]`, which only messages of VIs have.
pub(super) fn immediate_of_send(
    send: &Table<'_>,
    interface: Option<InterfaceKind>,
    mistakes: &mut Mistakes,
) -> Option<u32> {
    let value = send.value(SEND.immediate.name)?;
    let immediate = SEND.immediate.given(send, mistakes);
    if interface.is_some_and(|interface| interface != InterfaceKind::Via) {
        let (key, partner) = (SEND.immediate.name, INTERFACE);
        mistakes.add(value.span(), MistakeKind::NeedsPartner { key, partner });
    }
    u32::try_from(immediate?.value).ok()
}

/// Reads the segments of a `[[send]]`: the pieces of its payload that make up the message. Only messages of VIs have
/// segments. An applet gets its message as one piece, so messages for applets have no segments. The profile's descriptors
/// have at most `most` segments.
pub(super) fn segments_of_send(
    send: &Table<'_>,
    (spec, messages): (&EndpointSpec, &[CapturedPacket]),
    most: NonZeroU32,
    mistakes: &mut Mistakes,
) -> Vec<(u32, u32)> {
    let Some(value) = send.value(SEND.segments.name) else {
        return Vec::new();
    };
    let key = SEND.segments.name;
    if spec.interface != InterfaceKind::Via {
        let partner = INTERFACE;
        mistakes.add(value.span(), MistakeKind::NeedsPartner { key, partner });
    }
    if spec.class.is_some() {
        let of = "applet";
        mistakes.add(value.span(), MistakeKind::Excluded { key, of });
    }
    let DeValue::Array(pairs) = value.get_ref() else {
        let expected = "pairs of offset and length, such as `[[0, 8], [16, 4]]`";
        mistakes.add(value.span(), table::wrong_type(expected, value.get_ref()));
        return Vec::new();
    };
    if pairs.len() > most.get() as usize {
        let (what, limit) = ("segments of a descriptor", u64::from(most.get()));
        mistakes.add(value.span(), MistakeKind::TooMany { what, limit });
        return Vec::new();
    }
    // The messages of a capture have different lengths, so the segments must fit the shortest.
    let shortest = messages.iter().map(|message| message.bytes.len() as u64);
    let payload = shortest.min().unwrap_or(0);
    let mut segments = Vec::new();
    let (mut sum, mut are_pairs) = (0, true);
    for pair in pairs {
        let numbers = match pair.get_ref() {
            DeValue::Array(numbers) => &numbers[..],
            _ => &[],
        };
        let [offset, length] = numbers else {
            let expected = "an offset and a length, such as `[0, 8]`";
            mistakes.add(pair.span(), table::wrong_type(expected, pair.get_ref()));
            are_pairs = false;
            continue;
        };
        let offset = mistakes.note(offset.span(), table::integer(offset.get_ref()));
        let length = mistakes.note(length.span(), table::integer(length.get_ref()));
        let (Some(offset), Some(length)) = (offset, length) else {
            are_pairs = false;
            continue;
        };
        sum += length.min(payload + 1);
        if offset.saturating_add(length) > payload {
            mistakes.add(pair.span(), outside("the end of a segment", 0, payload));
        }
        if let (Ok(offset), Ok(length)) = (u32::try_from(offset), u32::try_from(length)) {
            segments.push((offset, length));
        }
    }
    let least = payload.min(1);
    if are_pairs && (sum < least || sum > payload) {
        let what = "the sum of the segments' lengths";
        mistakes.add(value.span(), outside(what, least, payload));
    }
    segments
}

fn outside(what: &'static str, minimum: u64, maximum: u64) -> MistakeKind {
    MistakeKind::OutOfRange {
        what,
        minimum,
        maximum,
    }
}

#[cfg(test)]
mod tests {
    use nic_core::via::Reliability;

    use super::*;
    use crate::scenario::{ScenarioError, parse};
    use crate::spec::Scenario;

    /// Reads a scenario of two VIs with these keys, and a channel.
    fn read(a: &str, b: &str, rest: &str) -> Result<Scenario, Vec<String>> {
        let text = format!(
            "[[nic]]\nname = 'n'\n[[process]]\nname = 'p'\nnic = 'n'\n\
             [[endpoint]]\nnic = 'n'\nname = 'a'\ninterface = 'via'\n{a}\n\
             [[endpoint]]\nnic = 'n'\nname = 'b'\ninterface = 'via'\n{b}\n{rest}\n"
        );
        match parse(text.as_bytes(), None, None) {
            Ok(scenario) => Ok(scenario),
            Err(ScenarioError::Mistakes(mistakes)) => Err(mistakes
                .iter()
                .map(|mistake| mistake.kind.to_string())
                .collect()),
            Err(other) => panic!("{other:?}"),
        }
    }

    const JOINED: &str = "[[channel]]\na = 1\nb = 7\n";

    fn refusal(a: &str, b: &str, rest: &str) -> String {
        match read(a, b, rest).unwrap_err().as_slice() {
            [mistake] => mistake.clone(),
            mistakes => panic!("{mistakes:?}"),
        }
    }

    #[test]
    fn a_vi_has_one_channel_and_both_ends_one_level() {
        let none = read("", "", "").unwrap_err();
        assert_eq!(none, ["expected one channel for a VI, found 0"; 2]);
        let two = read("", "", &format!("{JOINED}[[channel]]\na = 2\nb = 8\n")).unwrap_err();
        assert_eq!(two, ["expected one channel for a VI, found 2"; 2]);
        let itself = read("", "", "[[channel]]\na = [1, 2]\n[[channel]]\nb = [1, 2]\n");
        let itself = itself.unwrap_err();
        assert_eq!(itself, ["expected one channel for a VI, found 2"; 2]);
        let other = "reliability = 'reception'";
        assert_eq!(
            refusal("", other, JOINED),
            "expected the same `reliability` at both ends of a connection"
        );
        let scenario = read(other, other, JOINED).unwrap();
        let vi = scenario.endpoints[1].vi.unwrap();
        assert_eq!(vi.reliability, Reliability::Reception);
    }

    #[test]
    fn what_the_hardware_does_not_offer_is_refused() {
        let clan = "provider = 'clan'";
        assert_eq!(
            read(clan, clan, JOINED).unwrap_err(),
            ["expected a provider of profile `lanai-1998`, which has `hardware`"; 2]
        );
        for key in ["transfer = 'pio'", "on_empty = 'defer'", "strict = true"] {
            assert_eq!(
                refusal(key, "", JOINED),
                "expected a value that provider `hardware` offers",
                "{key}"
            );
        }
        let offered = "provider = 'hardware'\ntransfer = 'dma'\non_empty = 'drop'\nstrict = false";
        read(offered, "split = true", JOINED).unwrap();
    }

    #[test]
    fn keys_of_vis_are_for_vis() {
        let u_net = "[[endpoint]]\nnic = 'n'\nname = 'u'\n";
        for key in VI_KEYS {
            let rest = format!("{u_net}{key} = true\n{JOINED}");
            let expected = format!("`{key}` needs `interface = \"via\"`");
            assert_eq!(refusal("", "", &rest), expected);
        }
        let send =
            "[[send]]\nendpoint = 'u'\nchannel = 1\npayload = { zeros = 1 }\nimmediate = 1\n";
        assert_eq!(
            refusal("", "", &format!("{u_net}{JOINED}{send}")),
            "`immediate` needs `interface = \"via\"`"
        );
        let long = send
            .replace("'u'", "'a'")
            .replace("= 1\n", "= 4294967296\n");
        let mistakes = read("", "", &format!("{JOINED}{long}")).unwrap_err();
        assert!(
            mistakes.iter().any(|mistake| mistake.contains("immediate")),
            "{mistakes:?}"
        );
        let joined = "[[channel]]\na = 1\nu = 7\n[[channel]]\nb = 1\nu = 8\n";
        let mistakes = read("", "", &format!("{u_net}{joined}")).unwrap_err();
        assert!(
            mistakes
                .iter()
                .all(|mistake| mistake.contains("one interface")),
            "{mistakes:?}"
        );
    }

    #[test]
    fn segments_are_pieces_of_the_payload() {
        let send = |endpoint: &str, segments: &str| {
            format!(
                "{JOINED}[[send]]\nendpoint = '{endpoint}'\nchannel = 1\npayload = {{ zeros = 10 }}\n\
                 segments = {segments}\n"
            )
        };
        let of = |count: usize| format!("[{}]", vec!["[3, 0]"; count - 1].join(", ") + ", [0, 1]");
        let scenario = read("", "", &send("a", &of(252))).unwrap();
        assert_eq!(scenario.sends[0].segments.len(), 252);
        assert_eq!(
            refusal("", "", &send("a", &of(253))),
            "expected at most 252 segments of a descriptor"
        );
        assert_eq!(
            refusal("", "", &send("a", "[[4, 7]]")),
            "expected 0 to 10 for the end of a segment"
        );
        for sum in ["[[0, 6], [0, 6]]", "[[3, 0]]", "[]"] {
            assert_eq!(
                refusal("", "", &send("a", sum)),
                "expected 1 to 10 for the sum of the segments' lengths"
            );
        }
        assert_eq!(
            read("", "", &send("a", "[5]")).unwrap_err()[0],
            "expected an offset and a length, such as `[0, 8]`, found an integer"
        );
        let applet = "applet = 'builtin:RawUnet'";
        assert_eq!(
            refusal(applet, "", &send("a", "[[0, 1]]")),
            "expected no `segments` beside `applet`"
        );
    }

    #[test]
    fn completions_of_neither_side_go_to_no_queue() {
        for neither in ["completion = {}", "completion = { entries = 200 }"] {
            assert_eq!(
                refusal(neither, "", JOINED),
                "`completion` needs `send` or `receive`"
            );
        }
    }

    #[test]
    fn a_completion_queue_has_room_for_its_vis() {
        let of = |more: &str| format!("process = 'p'\ncompletion = {{ receive = 'q'{more} }}");
        let scenario = read(&of(""), &of(""), JOINED).unwrap();
        let queues = &scenario.completion_queues;
        // Each of the two VIs has 64 entries in its receive queue and 8 buffers.
        assert_eq!((queues.len(), queues[0].entries), (1, 144));
        assert_eq!(
            refusal(&of(""), &of(", entries = 143"), JOINED),
            "expected a completion queue of at least 144 entries"
        );
        // If the endpoints name no process, each endpoint has a completion queue of its own.
        let own = "completion = { send = 's', receive = 'q' }";
        let scenario = read(own, own, JOINED).unwrap();
        assert_eq!(scenario.completion_queues.len(), 4);
    }
}
