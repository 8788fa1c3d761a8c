//! Checks that programs with rings have windows for them.

use std::collections::BTreeSet;

use nic_core::id::EndpointId;

use super::endpoint_table::Endpoints;
use super::mistake::MistakeKind;
use super::table::Mistakes;
use crate::host::rings::Rings;
use crate::spec::{EndpointSpec, HostSpec, WindowSpec};

/// Checks that each process whose program uses rings has windows for its messages.
pub(super) fn check(endpoints: &Endpoints<'_>, windows: &[WindowSpec], mistakes: &mut Mistakes) {
    let mut served = BTreeSet::new();
    let specs = || (0..).map(EndpointId).zip(&endpoints.specs);
    for ((id, spec), place) in specs().zip(&endpoints.places) {
        let length = match spec.host {
            HostSpec::RingServer => 0,
            HostSpec::RingClient(requests) => requests.length,
            HostSpec::Sink
            | HostSpec::Echo
            | HostSpec::Acknowledge { .. }
            | HostSpec::Exchange(_) => continue,
        };
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
        assert_eq!(mistakes(""), [none.clone(), none.clone()]);
        assert_eq!(mistakes(&window("a", "b", 388)), [none.clone(), none]);
        let short = window("a", "b", 388) + &window("b", "a", 387);
        assert_eq!(
            mistakes(&short),
            [MistakeKind::RingTooShort { needed: 388 }]
        );
        let shorter = window("a", "b", 388) + &window("b", "a", 67);
        let needed = [388, 68].map(|needed| MistakeKind::RingTooShort { needed });
        assert_eq!(mistakes(&shorter), needed);
    }
}
