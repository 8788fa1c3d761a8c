//! Reads `[[window]]` tables: ranges of a buffer area that a peer may write, and read if the table allows it.

use std::collections::BTreeMap;

use nic_core::id::EndpointId;

use super::context::Context;
use super::endpoint_table::Endpoints;
use super::key::{Key, NameOf, Required};
use super::keys::{ROOT, WINDOW};
use super::limits;
use super::mistake::MistakeKind;
use super::network::Network;
use super::profiles::NicProfiles;
use super::table::Table;
use crate::spec::Span;
use crate::spec::{NicSpec, WindowSpec};

/// The two roles of an endpoint towards a window: each role has window numbers of its own.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Owner,
    Writer,
}

/// Reads every `[[window]]`.
pub(super) fn read(
    root: &Table<'_>,
    endpoints: &Endpoints<'_>,
    (nics, of_nic, network): (&[NicSpec], &NicProfiles, &Network),
    context: &mut Context,
) -> Vec<WindowSpec> {
    let mistakes = context.mistakes();
    let limit = limits::WINDOWS_MAX;
    let tables = root.tables(ROOT.window.name, WINDOW.section, limit, mistakes);
    let mut used = BTreeMap::<(EndpointId, Role, i32), Span>::new();
    let mut windows = Vec::new();
    for table in &tables {
        let mut end = |key: &Key<NameOf, Required>| {
            let value = key.raw(table, mistakes)?;
            let id = endpoints.names.find_value(value, mistakes)?;
            Some((EndpointId(id), Span::from(value.span())))
        };
        let (owner, writer) = (end(&WINDOW.owner), end(&WINDOW.writer));
        let number = WINDOW.number.or(0, table, mistakes).and_then(|number| {
            let number = i32::try_from(number).expect("a number in its range");
            let value = table.value(WINDOW.number.name)?;
            Some((number, Span::from(value.span())))
        });
        let offset = WINDOW.offset.get(table, mistakes);
        let length = WINDOW.length.or(0, table, mistakes);
        let is_readable = WINDOW.read.get(table, mistakes);
        for (end, key) in [(owner, "owner"), (writer, "writer")] {
            let Some((id, place)) = end else { continue };
            let Some(nic) = endpoints.nics[id.0 as usize] else {
                continue;
            };
            let profile = of_nic.of(nic);
            if profile.clan.is_none() {
                let kind = MistakeKind::ProfileLacks {
                    needs: format!("the {key} of a window"),
                    section: "clan",
                    profile: profile.name.clone(),
                };
                mistakes.add(place, kind);
            }
        }
        let (Some(owner), Some(writer), Some((number, place)), Some(length)) =
            (owner, writer, number, length)
        else {
            continue;
        };
        let (owner, writer) = (owner.0, writer.0);
        for key in [(owner, Role::Owner, number), (writer, Role::Writer, number)] {
            if let Some(first) = used.insert(key, place) {
                mistakes.add(place, MistakeKind::DuplicateWindowNumber { first });
                break;
            }
        }
        let home = |id: EndpointId| endpoints.nics[id.0 as usize];
        if let (Some(one), Some(other)) = (home(owner), home(writer)) {
            network.check_joined(table.span, (one, other), (nics, of_nic), mistakes);
        }
        let spec = &endpoints.specs[owner.0 as usize];
        if !spec.followers.is_empty() {
            // The events of a watch belong to one applet, so the owner of a window must have a single applet.
            let (key, of) = ("[[window]]", "several applets of its owner");
            mistakes.add(table.span, MistakeKind::Excluded { key, of });
        }
        let area = u64::from(spec.buffer_area);
        let needed = offset + length;
        if needed > area {
            mistakes.add(table.span, MistakeKind::WindowDoesNotFit { area, needed });
            continue;
        }
        let narrow = |bytes: u64| u32::try_from(bytes).expect("an offset of the area");
        windows.push(WindowSpec {
            owner,
            writer,
            number,
            offset: narrow(offset),
            length: narrow(length),
            is_readable,
        });
    }
    windows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{ScenarioError, parse};
    use crate::spec::Scenario;

    fn read(profile: &str, windows: &str) -> Result<Scenario, Vec<MistakeKind>> {
        let text = format!(
            "profile = '{profile}'\n[[nic]]\nname = 'm'\n[[nic]]\nname = 'n'\n\
             [[endpoint]]\nnic = 'm'\nname = 'a'\nbuffer_area = 100\n\
             free_buffers = {{ count = 0, length = 1 }}\n\
             [[endpoint]]\nnic = 'n'\nname = 'b'\n{windows}"
        );
        match parse(text.as_bytes(), None, None) {
            Ok(scenario) => Ok(scenario),
            Err(ScenarioError::Mistakes(mistakes)) => {
                Err(mistakes.into_iter().map(|mistake| mistake.kind).collect())
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    fn window(rest: &str) -> String {
        format!("[[window]]\nowner = 'a'\nwriter = 'b'\n{rest}\n")
    }

    #[test]
    fn a_window_lies_in_the_area_of_its_owner() {
        let text = window("number = 3\noffset = 60\nlength = 40\nread = true");
        let scenario = read("clan-programmable", &text).unwrap();
        let expected = WindowSpec {
            owner: EndpointId(0),
            writer: EndpointId(1),
            number: 3,
            offset: 60,
            length: 40,
            is_readable: true,
        };
        assert_eq!(scenario.windows, [expected]);
        let text = window("number = 3\noffset = 61\nlength = 40");
        let mistakes = read("clan-programmable", &text).unwrap_err();
        assert!(matches!(
            mistakes[..],
            [MistakeKind::WindowDoesNotFit {
                area: 100,
                needed: 101
            }]
        ));
    }

    #[test]
    fn an_endpoint_uses_a_number_once_in_each_role() {
        let one = window("number = 1\nlength = 4");
        let back = "[[window]]\nowner = 'b'\nwriter = 'a'\nnumber = 1\nlength = 4\n";
        let both = read("clan-programmable", &format!("{one}{back}")).unwrap();
        assert_eq!(both.windows.len(), 2);
        let mistakes = read("clan-programmable", &format!("{one}{one}")).unwrap_err();
        assert!(matches!(
            mistakes[..],
            [MistakeKind::DuplicateWindowNumber { .. }]
        ));
    }

    #[test]
    fn both_nics_need_remote_memory() {
        let mistakes = read("lanai-1998", &window("number = 1\nlength = 4")).unwrap_err();
        let lacks = |mistake: &MistakeKind| {
            matches!(
                mistake,
                MistakeKind::ProfileLacks {
                    section: "clan",
                    ..
                }
            )
        };
        assert!(
            mistakes.len() == 2 && mistakes.iter().all(lacks),
            "{mistakes:?}"
        );
    }
}
