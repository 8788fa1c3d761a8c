//! Reads `[[receive]]` tables and the key `tag` of `[[send]]`: the messages for which users of EMP wait.

use std::collections::BTreeMap;

use nic_core::id::EndpointId;
use nic_core::time::{SimDuration, SimTime};
use toml::de::DeValue;

use super::context::Context;
use super::endpoint_table::Endpoints;
use super::limits;
use super::mistake::MistakeKind;
use super::table::{self, Mistakes, Table};
use crate::spec::InterfaceKind;
use crate::spec::ReceiveSpec;

pub(super) const RECEIVE_KEYS: &[&str] = &["endpoint", "tag", "source", "length", "at", "repeat"];

/// The word that stands for every tag or every source.
const ANY: &str = "any";

/// Each receive begins at a multiple of this number of bytes in the buffer area.
const ALIGNMENT: u64 = 8;

/// Reads every `[[receive]]`, and gives each receive its place in the buffer area. The receives of an endpoint replace
/// its free buffers.
pub(super) fn read(
    root: &Table<'_>,
    endpoints: &mut Endpoints<'_>,
    context: &mut Context<'_>,
) -> Vec<ReceiveSpec> {
    let mistakes = context.mistakes();
    let limit = limits::SENDS_MAX;
    let tables = root.tables("receive", "`[[receive]]`", RECEIVE_KEYS, limit, mistakes);
    let mut used = BTreeMap::<EndpointId, u64>::new();
    let mut receives = Vec::new();
    for table in &tables {
        let endpoint = table
            .need("endpoint", mistakes)
            .and_then(|value| endpoints.names.find_value(value, mistakes))
            .map(EndpointId);
        let tag = table.required("tag", read_tag, mistakes);
        let source = match table.need("source", mistakes) {
            None => None,
            Some(value) if is_any(value.get_ref()) => Some(None),
            Some(value) => {
                let id = endpoints.names.find_value(value, mistakes);
                id.map(|id| Some(EndpointId(id)))
            }
        };
        let range = 0..=limits::BUFFER_AREA_MAX;
        let length = table
            .need("length", mistakes)
            .map(|_| table.number("length", 0, range, table::size, mistakes));
        let at = table.optional("at", table::time, mistakes);
        let at = at.map_or(SimDuration::ZERO, |at| at.value);
        let range = 1..=limits::REPEAT_MAX;
        let repeat = table.number("repeat", 1, range, table::integer, mistakes);
        let (Some(endpoint), Some(tag), Some(source), Some(length)) =
            (endpoint, tag, source, length)
        else {
            continue;
        };
        let spec = &mut endpoints.specs[endpoint.0 as usize];
        if spec.interface != InterfaceKind::Emp {
            let (key, partner) = ("[[receive]]", "interface = \"emp\"");
            mistakes.add(table.span, MistakeKind::NeedsPartner { key, partner });
            continue;
        }
        if spec.class.is_some() {
            let (key, of) = ("[[receive]]", "applet");
            mistakes.add(table.span, MistakeKind::Excluded { key, of });
            continue;
        }
        let start = used.entry(endpoint).or_default();
        let offset = *start;
        // Every receive has a place of its own in the buffer area, even if the receive holds no byte.
        *start += length.max(1).next_multiple_of(ALIGNMENT);
        let (area, needed) = (u64::from(spec.buffer_area), offset + length);
        if needed > area {
            let kind = MistakeKind::FreeBuffersDoNotFit { area, needed };
            mistakes.add(table.span, kind);
            continue;
        }
        let narrow = |number: u64| u32::try_from(number).expect("an offset of the area");
        spec.transmit_from = narrow((*start).min(area));
        receives.push(ReceiveSpec {
            endpoint,
            tag: tag.value,
            source,
            offset: narrow(offset),
            length: narrow(length),
            at: SimTime::ZERO + at,
            repeat,
        });
    }
    receives
}

fn is_any(value: &DeValue<'_>) -> bool {
    matches!(value, DeValue::String(word) if word == ANY)
}

/// Reads a tag, or the word for every tag.
fn read_tag(value: &DeValue<'_>) -> Result<Option<u16>, MistakeKind> {
    match value {
        _ if is_any(value) => Ok(None),
        _ => one_tag(value).map(Some),
    }
}

fn one_tag(value: &DeValue<'_>) -> Result<u16, MistakeKind> {
    let out_of_range = MistakeKind::OutOfRange {
        what: "a tag",
        minimum: 0,
        maximum: u16::MAX.into(),
    };
    match table::integer(value) {
        Ok(number) => u16::try_from(number).map_err(|_| out_of_range),
        Err(MistakeKind::OutOfRange { .. }) => Err(out_of_range),
        Err(kind) => Err(kind),
    }
}

/// Reads the tag of a `[[send]]`. Only messages of EMP have a tag.
pub(super) fn tag_of_send(
    send: &Table<'_>,
    interface: Option<InterfaceKind>,
    mistakes: &mut Mistakes,
) -> u16 {
    let Some(tag) = send.optional("tag", one_tag, mistakes) else {
        return 0;
    };
    if interface.is_some_and(|interface| interface != InterfaceKind::Emp) {
        let (key, partner) = ("tag", "interface = \"emp\"");
        mistakes.add(tag.span, MistakeKind::NeedsPartner { key, partner });
    }
    tag.value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{ScenarioError, parse};
    use crate::spec::Scenario;

    fn read(rest: &str) -> Result<Scenario, Vec<MistakeKind>> {
        let text = format!(
            "profile = 'tigon2-2002'\n[[nic]]\nname = 'n'\n\
             [[endpoint]]\nnic = 'n'\nname = 'e'\ninterface = 'emp'\nbuffer_area = 1000\n\
             free_buffers = {{ count = 2, length = 100 }}\n\
             [[endpoint]]\nnic = 'n'\nname = 'u'\n{rest}"
        );
        match parse(text.as_bytes(), None, None) {
            Ok(scenario) => Ok(scenario),
            Err(ScenarioError::Mistakes(mistakes)) => {
                Err(mistakes.into_iter().map(|mistake| mistake.kind).collect())
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    fn receive(tag: &str, source: &str, length: &str) -> String {
        format!(
            "[[receive]]\nendpoint = 'e'\ntag = {tag}\nsource = '{source}'\nlength = {length}\n"
        )
    }

    #[test]
    fn receives_have_places_of_their_own() {
        let text =
            receive("7", "u", "3") + &receive("'any'", "any", "0") + &receive("0", "e", "992");
        assert_eq!(
            read(&text).unwrap_err(),
            [MistakeKind::FreeBuffersDoNotFit {
                area: 1_000,
                needed: 1_008
            }]
        );
        let text = receive("7", "u", "3") + &receive("'any'", "any", "0") + &receive("0", "e", "9");
        let scenario = read(&text).unwrap();
        let read: Vec<_> = scenario
            .receives
            .iter()
            .map(|spec| (spec.tag, spec.source, spec.offset, spec.length))
            .collect();
        let (e, u) = (Some(EndpointId(0)), Some(EndpointId(1)));
        assert_eq!(
            read,
            [(Some(7), u, 0, 3), (None, None, 8, 0), (Some(0), e, 16, 9)]
        );
        assert_eq!(scenario.endpoints[0].transmit_from, 32);
    }

    #[test]
    fn receives_that_cannot_be_are_refused() {
        let one = |rest: &str| match read(rest).unwrap_err().as_slice() {
            [mistake] => mistake.clone(),
            mistakes => panic!("{rest}: {mistakes:?}"),
        };
        for tag in ["65536", "18446744073709551616"] {
            let kind = one(&receive(tag, "any", "1"));
            assert!(matches!(
                kind,
                MistakeKind::OutOfRange { what: "a tag", .. }
            ));
        }
        for length in ["-1", "'4096MiB'"] {
            let kind = one(&receive("1", "any", length));
            assert!(matches!(kind, MistakeKind::OutOfRange { .. }), "{kind:?}");
        }
        let kind = one(&receive("1", "nobody", "1"));
        assert!(matches!(kind, MistakeKind::UnknownName { .. }));
        let of_unet = receive("1", "any", "1").replace("'e'", "'u'");
        assert!(matches!(one(&of_unet), MistakeKind::NeedsPartner { .. }));
        let send = "[[send]]\nendpoint = 'u'\nchannel = 1\ntag = 7\npayload = { zeros = 1 }\n";
        assert!(matches!(one(send), MistakeKind::NeedsPartner { .. }));
    }
}
