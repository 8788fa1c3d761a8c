//! Checks that programs with rings have windows for them.

use std::collections::BTreeSet;

use nic_core::id::EndpointId;

use super::endpoint_table::Endpoints;
use super::mistake::MistakeKind;
use super::profiles::NicProfiles;
use super::table::Mistakes;
use crate::host::rings::Rings;
use crate::spec::{EndpointSpec, HostSpec, WindowSpec};

/// Checks that each process whose program uses rings has windows for its messages. A client without them is the mistake
/// of its server too, which is named only if all clients have theirs.
pub(super) fn check(
    endpoints: &Endpoints<'_>,
    windows: &[WindowSpec],
    of_nic: &NicProfiles,
    mistakes: &mut Mistakes,
) {
    let before = mistakes.len();
    check_all(endpoints, windows, of_nic, mistakes, |host| match host {
        HostSpec::RingClient(requests) => Some(requests.length),
        HostSpec::RingServer
        | HostSpec::Sink
        | HostSpec::Echo
        | HostSpec::Acknowledge { .. }
        | HostSpec::Exchange(_)
        | HostSpec::Pages(_)
        | HostSpec::PageEcho { .. }
        | HostSpec::Class(_) => None,
    });
    if mistakes.len() == before {
        check_all(endpoints, windows, of_nic, mistakes, |host| {
            (host == HostSpec::RingServer).then_some(0)
        });
    }
}

/// Checks the processes with a program for whose messages `length_of` has a length.
fn check_all(
    endpoints: &Endpoints<'_>,
    windows: &[WindowSpec],
    of_nic: &NicProfiles,
    mistakes: &mut Mistakes,
    length_of: impl Fn(HostSpec) -> Option<u32>,
) {
    let mut served = BTreeSet::new();
    let specs = || (0..).map(EndpointId).zip(&endpoints.specs);
    for ((id, spec), place) in specs().zip(&endpoints.places) {
        let Some(length) = length_of(spec.host) else {
            continue;
        };
        if spec.host == HostSpec::RingServer && spec.class.is_some() {
            // The events of the endpoint's watches are the applet's, so the server would learn of no request.
            let (key, of) = ("applet", "host = \"clan-server\"");
            mistakes.add(*place, MistakeKind::Excluded { key, of });
        }
        if spec.process.is_some_and(|process| !served.insert(process)) {
            continue;
        }
        let is_beside =
            |other: &EndpointSpec| spec.process.is_some() && other.process == spec.process;
        let beside = specs().filter(|(other, spec)| *other == id || is_beside(spec));
        let rings = beside.flat_map(|(id, _)| Rings::of(id, windows));
        let rings: Vec<Rings> = rings.collect();
        let used = match spec.host {
            HostSpec::RingServer => &rings[..],
            _ => rings.get(..1).unwrap_or_default(),
        };
        if used.is_empty() {
            mistakes.add(*place, MistakeKind::ProgramWithoutWindows);
        }
        let fits = |rings: &Rings| rings.room().is_some_and(|room| room >= length);
        if !used.iter().all(fits) {
            let needed = Rings::window_for(length);
            mistakes.add(*place, MistakeKind::RingTooShort { needed });
        }
        let Some(nic) = endpoints.nics[id.0 as usize] else {
            continue;
        };
        let most = of_nic.of(nic).memory.max_packet.get();
        let length = Rings::bytes_of_entry(length);
        if length > most {
            mistakes.add(*place, MistakeKind::MessageTooLong { length, most });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{ScenarioError, parse};
    use crate::spec::RingRequests;

    const ENDS: &str = "profile = 'clan-programmable'\n[[nic]]\nname = 'm'\n[[nic]]\nname = 'n'\n\
        [[endpoint]]\nnic = 'm'\nname = 'a'\nhost = 'clan-stream'\nrounds = 9\nmessage_length = 40\n\
        [[endpoint]]\nnic = 'n'\nname = 'b'\nhost = 'clan-server'\n";

    fn window(owner: &str, writer: &str, length: u32) -> String {
        format!(
            "[[window]]\nowner = '{owner}'\nwriter = '{writer}'\nnumber = 1\nlength = {length}\n"
        )
    }

    fn mistakes(windows: &str) -> Vec<MistakeKind> {
        match parse(format!("{ENDS}{windows}").as_bytes(), None, None) {
            Ok(_) => Vec::new(),
            Err(ScenarioError::Mistakes(mistakes)) => {
                mistakes.into_iter().map(|mistake| mistake.kind).collect()
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_program_with_rings_has_windows_both_ways() {
        let both = window("a", "b", 388) + &window("b", "a", 388);
        let scenario = parse(format!("{ENDS}{both}").as_bytes(), None, None).expect("it is right");
        let requests = RingRequests {
            rounds: 9,
            length: 40,
            outstanding: 8,
        };
        let hosts = [HostSpec::RingClient(requests), HostSpec::RingServer];
        let found: Vec<_> = scenario.endpoints.iter().map(|spec| spec.host).collect();
        assert_eq!(found, hosts);
        let none = MistakeKind::ProgramWithoutWindows;
        let none = [none];
        assert_eq!(mistakes(""), none);
        assert_eq!(mistakes(&window("a", "b", 388)), none);
        let short = window("a", "b", 388) + &window("b", "a", 387);
        assert_eq!(
            mistakes(&short),
            [MistakeKind::RingTooShort { needed: 388 }]
        );
        let shorter = window("a", "b", 388) + &window("b", "a", 67);
        assert_eq!(
            mistakes(&shorter),
            [MistakeKind::RingTooShort { needed: 388 }],
            "one window is one mistake"
        );
        let elsewhere = window("a", "b", 388) + &window("b", "a", 3_000_000);
        assert!(
            matches!(
                mistakes(&elsewhere)[..],
                [MistakeKind::WindowDoesNotFit { .. }]
            ),
            "the programs do not miss what was found to be wrong"
        );
    }

    #[test]
    fn a_server_behind_an_applet_is_a_mistake() {
        let both = window("a", "b", 388) + &window("b", "a", 388);
        let behind = ENDS.to_owned() + "applet = 'builtin:RawUnet'\n" + &both;
        let Err(ScenarioError::Mistakes(mistakes)) = parse(behind.as_bytes(), None, None) else {
            panic!("the applet takes the events of the server");
        };
        let (key, of) = ("applet", "host = \"clan-server\"");
        let kinds: Vec<_> = mistakes.into_iter().map(|mistake| mistake.kind).collect();
        assert_eq!(kinds, [MistakeKind::Excluded { key, of }]);
    }

    #[test]
    fn requests_longer_than_a_packet_are_a_mistake() {
        let area = "buffer_area = 600000\nfree_buffers = { count = 0 }\n";
        let ends = ENDS
            .replace(
                "message_length = 40\n",
                &format!("message_length = 65529\n{area}"),
            )
            .replace(
                "host = 'clan-server'\n",
                &format!("host = 'clan-server'\n{area}"),
            );
        let both = window("a", "b", 530_000) + &window("b", "a", 530_000);
        let Err(ScenarioError::Mistakes(mistakes)) =
            parse(format!("{ends}{both}").as_bytes(), None, None)
        else {
            panic!("no store is that long");
        };
        let kinds: Vec<_> = mistakes.into_iter().map(|mistake| mistake.kind).collect();
        let (length, most) = (65_540, 65_536);
        assert_eq!(kinds, [MistakeKind::MessageTooLong { length, most }]);
    }
}
