//! Reads `[[receive]]` tables and the key `tag` of `[[send]]`: the messages for which users of EMP wait.

use std::collections::BTreeMap;

use nic_core::id::EndpointId;
use nic_core::time::SimTime;
use toml::de::DeValue;

use super::context::Context;
use super::endpoint_table::Endpoints;
use super::key::Shape;
use super::keys::{ANY, RECEIVE, ROOT, SEND};
use super::limits;
use super::mistake::MistakeKind;
use super::table::{Mistakes, Table};
use crate::spec::InterfaceKind;
use crate::spec::ReceiveSpec;

/// Each receive begins at a multiple of this number of bytes in the buffer area.
const ALIGNMENT: u64 = 8;

/// Reads every `[[receive]]`, and gives each receive its place in the buffer area. The receives of an endpoint replace
/// its free buffers.
pub(super) fn read(
    root: &Table<'_>,
    endpoints: &mut Endpoints<'_>,
    context: &mut Context,
) -> Vec<ReceiveSpec> {
    let mistakes = context.mistakes();
    let limit = limits::SENDS_MAX;
    let tables = root.tables(ROOT.receive.name, RECEIVE.section, limit, mistakes);
    let mut used = BTreeMap::<EndpointId, u64>::new();
    let mut receives = Vec::new();
    for table in &tables {
        let endpoint = endpoints.names.find_key(&RECEIVE.endpoint, table, mistakes);
        let endpoint = endpoint.map(EndpointId);
        let tag = RECEIVE.tag.with(table, read_tag, mistakes);
        let source = match RECEIVE.source.raw(table, mistakes) {
            None => None,
            Some(value) if is_any(value.get_ref()) => Some(None),
            Some(value) => {
                let id = endpoints.names.find_value(value, mistakes);
                id.map(|id| Some(EndpointId(id)))
            }
        };
        let length = RECEIVE.length.or(0, table, mistakes);
        let at = RECEIVE.at.get(table, mistakes);
        let repeat = RECEIVE.repeat.get(table, mistakes);
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
    let tag = SEND.tag.shape.read("a tag", value)?;
    Ok(u16::try_from(tag).expect("the range of a tag has 16 bits"))
}

/// Reads the tag of a `[[send]]`. Only messages of EMP have a tag.
pub(super) fn tag_of_send(
    send: &Table<'_>,
    interface: Option<InterfaceKind>,
    mistakes: &mut Mistakes,
) -> u16 {
    let tag = SEND.tag.with(send, one_tag, mistakes);
    if let Some(tag) = &tag
        && interface.is_some_and(|interface| interface != InterfaceKind::Emp)
    {
        let (key, partner) = (SEND.tag.name, "interface = \"emp\"");
        mistakes.add(tag.span, MistakeKind::NeedsPartner { key, partner });
    }
    tag.map_or(0, |tag| tag.value)
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
