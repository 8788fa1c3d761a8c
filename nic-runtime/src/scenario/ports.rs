//! Reads `[[port]]` tables, and checks what endpoints of LMMC and the links between their NICs need.

use std::collections::{BTreeMap, BTreeSet};

use nic_core::id::{EndpointId, NicId};
use toml::Spanned;
use toml::de::DeValue;

use super::context::Context;
use super::endpoint_table::Endpoints;
use super::key::{Key, Raw, Required};
use super::keys::{ENDPOINT, PORT, ROOT};
use super::limits;
use super::mistake::MistakeKind;
use super::network::Network;
use super::profiles::NicProfiles;
use super::table::{Mistakes, Table, wrong_type};
use crate::host::pages::{NUMBER_BYTES, PagesOf};
use crate::profile::{Flow, LmmcCosts};
use crate::spec::{
    EndpointSpec, HostSpec, InterfaceKind, LinkSpec, NicSpec, PagePattern, PortSpec, Span,
};
use crate::units::show_size;

/// The keys of an endpoint that has queues, buffers or an applet. An endpoint of LMMC is only the place of its process.
const OF_QUEUES: [&str; 14] = [
    ENDPOINT.applet.name,
    ENDPOINT.state.name,
    ENDPOINT.heap.name,
    ENDPOINT.fuel.name,
    ENDPOINT.on_trap.name,
    ENDPOINT.detach_after.name,
    ENDPOINT.back_off.name,
    ENDPOINT.accept_capsules.name,
    ENDPOINT.buffer_area.name,
    ENDPOINT.free_buffers.name,
    ENDPOINT.tx_queue.name,
    ENDPOINT.rx_queue.name,
    ENDPOINT.notify.name,
    ENDPOINT.poll_every.name,
];

/// Takes the queues and buffers away from an endpoint of LMMC, and reports the keys that would give it some.
pub(super) fn only_pages(table: &Table<'_>, spec: &mut EndpointSpec, mistakes: &mut Mistakes) {
    if !spec.interface.has_pages() {
        return;
    }
    for key in OF_QUEUES {
        if let Some(value) = table.value(key) {
            mistakes.add(value.span(), excluded(key, spec.interface));
        }
    }
    spec.buffer_area = 0;
    spec.free_buffer_count = 0;
    spec.transmit_from = 0;
    spec.heap = 0;
    spec.tx_queue = 0;
    spec.rx_queue = 0;
}

fn excluded(key: &'static str, interface: InterfaceKind) -> MistakeKind {
    let interface = interface.name();
    MistakeKind::ExcludedByInterface { key, interface }
}

/// Reports tables of a scenario that name an endpoint of LMMC, and are about messages: each key, as messages name it, with
/// an endpoint.
pub(super) fn check_theirs(
    endpoints: &Endpoints<'_>,
    named: impl Iterator<Item = (&'static str, EndpointId)>,
    mistakes: &mut Mistakes,
) {
    for (key, id) in BTreeSet::from_iter(named) {
        let interface = endpoints.specs[id.0 as usize].interface;
        if interface.has_pages() {
            mistakes.add(endpoints.places[id.0 as usize], excluded(key, interface));
        }
    }
}

/// Reads every `[[port]]`.
pub(super) fn read(
    root: &Table<'_>,
    endpoints: &Endpoints<'_>,
    (nics, of_nic, network): (&[NicSpec], &NicProfiles, &Network),
    context: &mut Context,
) -> Vec<PortSpec> {
    let mistakes = context.mistakes();
    let limit = limits::PORTS_MAX;
    let tables = root.tables(ROOT.port.name, PORT.section, limit, mistakes);
    let mut ports = Vec::new();
    let mut counts = BTreeMap::<(NicId, NicId), u32>::new();
    for table in &tables {
        let from = ends(&PORT.from, table, endpoints, mistakes);
        let to = ends(&PORT.to, table, endpoints, mistakes);
        let policy = PORT.policy.get(table, mistakes);
        let (Some((from, sender)), Some((to, receiver))) = (from, to) else {
            continue;
        };
        if sender == receiver {
            mistakes.add(table.span, MistakeKind::PortToItself);
            continue;
        }
        network.check_joined(table.span, (sender, receiver), (nics, of_nic), mistakes);
        if network.joins(sender, receiver) && !network.links_directly(sender, receiver) {
            mistakes.add(table.span, MistakeKind::PortOverSwitches);
        }
        if let (Some(one), Some(other)) = (of_nic.of(sender).lmmc, of_nic.of(receiver).lmmc) {
            let pairs = assumed(&one).into_iter().zip(assumed(&other));
            for ((key, a), (_, b)) in pairs.filter(|(a, b)| a != b) {
                mistakes.add(table.span, MistakeKind::OtherPages { key, a, b });
            }
            let count = counts.entry((sender, receiver)).or_default();
            *count += 1;
            let ports = one.ports.get();
            if *count == ports.saturating_add(1) {
                mistakes.add(table.span, MistakeKind::TooManyPorts { ports });
            }
        }
        ports.push(PortSpec { from, to, policy });
    }
    ports
}

/// Returns the values of LMMC that an interface assumes of its peer.
fn assumed(costs: &LmmcCosts) -> [(&'static str, String); 3] {
    [
        ("page", show_size(costs.page.into())),
        ("ports", costs.ports.to_string()),
        ("frames", costs.frames.to_string()),
    ]
}

/// Reads the endpoints at one end of a port, and returns them with their NIC.
fn ends(
    key: &Key<Raw, Required>,
    table: &Table<'_>,
    endpoints: &Endpoints<'_>,
    mistakes: &mut Mistakes,
) -> Option<(Vec<EndpointId>, NicId)> {
    let value = key.raw(table, mistakes)?;
    let named = match value.get_ref() {
        DeValue::String(_) => std::slice::from_ref(value),
        DeValue::Array(named) if !named.is_empty() => named,
        _ => {
            let found = wrong_type(
                "the name of an endpoint, or a list of names",
                value.get_ref(),
            );
            mistakes.add(value.span(), found);
            return None;
        }
    };
    let mut places = BTreeMap::<EndpointId, Span>::new();
    let mut ids = Vec::new();
    let mut is_right = true;
    for name in named {
        let id = end(name, endpoints, mistakes);
        let Some(id) = id else {
            is_right = false;
            continue;
        };
        match places.insert(id, name.span().into()) {
            Some(first) => mistakes.add(name.span(), MistakeKind::PortTwice { first }),
            None => ids.push(id),
        }
    }
    let homes = ids.iter().map(|id| endpoints.nics[id.0 as usize]);
    let homes: BTreeSet<Option<NicId>> = homes.collect();
    let mut homes = homes.into_iter();
    match (homes.next(), homes.next()) {
        // An endpoint on no NIC of the scenario is a mistake of its own.
        (Some(Some(home)), None) if is_right => Some((ids, home)),
        (Some(Some(_)), Some(_)) => {
            mistakes.add(value.span(), MistakeKind::PortEnds);
            None
        }
        _ => None,
    }
}

/// Reads an endpoint of LMMC.
fn end(
    name: &Spanned<DeValue<'_>>,
    endpoints: &Endpoints<'_>,
    mistakes: &mut Mistakes,
) -> Option<EndpointId> {
    let id = endpoints.names.find_value(name, mistakes)?;
    let interface = endpoints.specs[id as usize].interface;
    if !interface.has_pages() {
        let (key, partner) = ("[[port]]", "interface = \"lmmc\"");
        mistakes.add(name.span(), MistakeKind::NeedsPartner { key, partner });
        return None;
    }
    Some(EndpointId(id))
}

/// Checks the links between NICs with endpoints of LMMC: they lose and change nothing, and hold what a stopped receiver
/// does not take.
pub(super) fn check_links(endpoints: &Endpoints<'_>, network: &Network, mistakes: &mut Mistakes) {
    let specs = endpoints.specs.iter().zip(&endpoints.nics);
    let with_pages = specs.filter(|(spec, _)| spec.interface.has_pages());
    let nics: BTreeSet<NicId> = with_pages.filter_map(|(_, nic)| *nic).collect();
    for (link, place) in network.given() {
        let (a, b) = link.between;
        if a == b || !nics.contains(&a) || !nics.contains(&b) {
            continue;
        }
        let LinkSpec {
            loss,
            duplicate,
            corrupt,
            reorder,
            wire,
            ..
        } = link;
        if [loss, duplicate, corrupt, reorder]
            .iter()
            .any(|fault| **fault > 0.0)
        {
            mistakes.add(place, MistakeKind::LmmcFaults);
        }
        if wire.flow != Flow::Stop {
            mistakes.add(place, MistakeKind::LmmcFlow);
        }
    }
}

/// Checks that programs that write to pages have ports for them, and that endpoints of LMMC have no other programs.
pub(super) fn check_programs(
    endpoints: &Endpoints<'_>,
    ports: &[PortSpec],
    of_nic: &NicProfiles,
    mistakes: &mut Mistakes,
) {
    let mut served = BTreeSet::new();
    let specs = endpoints.specs.iter().zip(&endpoints.places);
    for (id, (spec, place)) in (0..).map(EndpointId).zip(specs) {
        let (length, needs_answers) = match spec.host {
            HostSpec::Pages(traffic) => {
                let needs_answers = traffic.pattern != PagePattern::Scatter;
                (traffic.length, needs_answers)
            }
            HostSpec::PageEcho { length } => (length, true),
            // A class says itself that it is for VIs.
            HostSpec::Sink | HostSpec::Class(_) => continue,
            HostSpec::Echo
            | HostSpec::Acknowledge { .. }
            | HostSpec::Exchange(_)
            | HostSpec::RingServer
            | HostSpec::RingClient(_) => {
                if spec.interface.has_pages() {
                    mistakes.add(*place, MistakeKind::ProgramOfMessages);
                }
                continue;
            }
        };
        // The first endpoint of a process has the pages of its program.
        if spec.process.is_some_and(|process| !served.insert(process)) {
            continue;
        }
        let pages = PagesOf::of(id, ports);
        if pages.sends.is_empty() || (needs_answers && pages.receives.is_empty()) {
            mistakes.add(*place, MistakeKind::ProgramWithoutPorts { needs_answers });
            continue;
        }
        if length < NUMBER_BYTES {
            let least = NUMBER_BYTES;
            mistakes.add(*place, MistakeKind::NoRoomForNumber { length, least });
        }
        let nic = endpoints.nics[id.0 as usize];
        if let Some(page) = nic
            .and_then(|nic| of_nic.of(nic).lmmc)
            .map(|lmmc| lmmc.page)
            && length > page
        {
            mistakes.add(*place, MistakeKind::MessageExceedsPage { length, page });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nic_core::lmmc::Policy;

    use super::*;
    use crate::profile::Profile;
    use crate::scenario::{InMemory, ScenarioError, parse, parse_from};
    use crate::spec::{PageTraffic, Scenario};

    const NICS: &str = "profile = 'lmmc-1997'\n[[nic]]\nname = 'm'\n[[nic]]\nname = 'n'\n";

    fn endpoint(nic: &str, name: &str, rest: &str) -> String {
        format!("[[endpoint]]\nnic = '{nic}'\nname = '{name}'\ninterface = 'lmmc'\n{rest}\n")
    }

    /// Endpoints `a` and `b` of one NIC, and `c` and `d` of another.
    fn ends() -> String {
        let ends = [("m", "a"), ("m", "b"), ("n", "c"), ("n", "d")];
        ends.map(|(nic, name)| endpoint(nic, name, "")).concat()
    }

    fn port(from: &str, to: &str) -> String {
        format!("[[port]]\nfrom = {from}\nto = {to}\n")
    }

    fn read(text: &str) -> Result<Scenario, Vec<MistakeKind>> {
        match parse(text.as_bytes(), None, None) {
            Ok(scenario) => Ok(scenario),
            Err(ScenarioError::Mistakes(mistakes)) => {
                Err(mistakes.into_iter().map(|mistake| mistake.kind).collect())
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    fn mistakes(rest: &str) -> Vec<MistakeKind> {
        read(&format!("{NICS}{}{rest}", ends())).map_or_else(|kinds| kinds, |_| Vec::new())
    }

    #[test]
    fn a_port_leads_from_endpoints_of_one_nic_to_those_of_another() {
        let text = port("'a'", "['c', 'd']") + "policy = 'late'\n" + &port("['c']", "['b', 'a']");
        let scenario = read(&format!("{NICS}{}{text}", ends())).unwrap();
        let ids = |ids: &[u32]| ids.iter().copied().map(EndpointId).collect::<Vec<_>>();
        let expected = [
            PortSpec {
                from: ids(&[0]),
                to: ids(&[2, 3]),
                policy: Policy::Late,
            },
            PortSpec {
                from: ids(&[2]),
                to: ids(&[1, 0]),
                policy: Policy::Immediate,
            },
        ];
        assert_eq!(scenario.ports, expected);
        let spec = &scenario.endpoints[0];
        assert_eq!((spec.buffer_area, spec.free_buffer_count), (0, 0));
        assert_eq!((spec.tx_queue, spec.rx_queue), (0, 0));
    }

    #[test]
    fn ends_that_make_no_port_are_mistakes() {
        assert_eq!(
            mistakes(&port("['a', 'c']", "'d'")),
            [MistakeKind::PortEnds]
        );
        assert_eq!(
            mistakes(&port("'a'", "['b', 'c']")),
            [MistakeKind::PortEnds]
        );
        assert_eq!(mistakes(&port("'a'", "'b'")), [MistakeKind::PortToItself]);
        assert!(matches!(
            mistakes(&port("['a', 'b', 'a']", "'c'"))[..],
            [MistakeKind::PortTwice { .. }]
        ));
        assert!(matches!(
            mistakes(&port("'a'", "'x'"))[..],
            [MistakeKind::UnknownName { .. }]
        ));
        for wrong in ["[]", "7", "[7]"] {
            assert!(matches!(
                mistakes(&port("'a'", wrong))[..],
                [MistakeKind::WrongType { .. }]
            ));
        }
        let lacks = mistakes("[[port]]\nfrom = 'a'\n");
        assert!(matches!(
            lacks[..],
            [MistakeKind::MissingKey { key: "to", .. }]
        ));
    }

    #[test]
    fn both_ends_are_of_lmmc_and_have_the_same_sizes() {
        let other = "[[nic]]\nname = 'o'\nprofile = 'clan-2001'\n[[endpoint]]\nnic = 'o'\nname = 'e'\n\
            [[link]]\nbetween = ['m', 'o']\nprofile = 'lmmc-1997'\n";
        let (key, partner) = ("[[port]]", "interface = \"lmmc\"");
        assert_eq!(
            mistakes(&(other.to_owned() + &port("'a'", "'e'"))),
            [MistakeKind::NeedsPartner { key, partner }]
        );
        let lacks = mistakes(&other.replace("name = 'e'", "name = 'e'\ninterface = 'lmmc'"));
        assert!(matches!(
            lacks[..],
            [MistakeKind::ProfileLacks {
                section: "lmmc",
                ..
            }]
        ));
    }

    /// The tables of both ends are of one size, as the messages assume.
    #[test]
    fn a_port_joins_nics_with_the_same_sizes() {
        let profile = include_str!("../../profiles/lmmc-1997.toml");
        let other = profile.replacen("frames = 8", "frames = 9", 1);
        assert_ne!(other, profile);
        let text = format!(
            "[[nic]]\nname = 'm'\nprofile = 'lmmc-1997'\n[[nic]]\nname = 'n'\nprofile = './other.toml'\n{}\
             [[link]]\nbetween = ['m', 'n']\nprofile = 'lmmc-1997'\n{}",
            ends(),
            port("'a'", "'c'")
        );
        let files = InMemory::from([("./other.toml", other)]);
        let Err(ScenarioError::Mistakes(mistakes)) =
            parse_from(text.as_bytes(), Arc::new(files), None)
        else {
            panic!("expected a mistake");
        };
        let kinds: Vec<_> = mistakes.into_iter().map(|mistake| mistake.kind).collect();
        let (key, a, b) = ("frames", "8".to_owned(), "9".to_owned());
        assert_eq!(kinds, [MistakeKind::OtherPages { key, a, b }]);
    }

    #[test]
    fn a_link_has_as_many_ports_as_its_tables_hold() {
        let most = Profile::builtin("lmmc-1997")
            .unwrap()
            .lmmc
            .unwrap()
            .ports
            .get();
        let ports = |count: u32| (0..count).map(|_| port("'a'", "'c'")).collect::<String>();
        // The other direction has as many.
        let both = ports(most) + &port("'c'", "'a'");
        assert_eq!(mistakes(&both), []);
        assert_eq!(
            mistakes(&ports(most + 3)),
            [MistakeKind::TooManyPorts { ports: most }],
            "one mistake, however many ports are too many"
        );
    }

    #[test]
    fn a_link_of_lmmc_loses_and_changes_nothing() {
        let link = |rest: &str| format!("[[link]]\nbetween = ['m', 'n']\n{rest}\n");
        for fault in ["loss", "duplicate", "corrupt", "reorder"] {
            let faulty = link(&format!("{fault} = 0.001"));
            assert_eq!(mistakes(&faulty), [MistakeKind::LmmcFaults], "{fault}");
        }
        assert_eq!(mistakes(&link("latency = '1ms'")), []);
        assert_eq!(
            mistakes(&link("profile = 'clan-2001'")),
            [MistakeKind::LmmcFlow]
        );
        // A link that no port can use may have faults.
        let alone = format!("{NICS}{}{}", endpoint("m", "a", ""), link("loss = 0.5"));
        assert!(read(&alone).is_ok());
    }

    #[test]
    fn ports_do_not_lead_over_switches() {
        let over = "[[switch]]\nname = 's'\nports = 2\n[[link]]\nbetween = ['m', 's']\n\
            [[link]]\nbetween = ['n', 's']\n";
        assert_eq!(
            mistakes(&(over.to_owned() + &port("'a'", "'c'"))),
            [MistakeKind::PortOverSwitches]
        );
    }

    #[test]
    fn an_endpoint_of_lmmc_has_no_queues_and_no_messages() {
        for (key, value) in [
            ("buffer_area", "65536"),
            ("free_buffers", "{ count = 0 }"),
            ("tx_queue", "4"),
            ("rx_queue", "4"),
            ("notify", "'upcall'"),
            ("poll_every", "'1us'"),
            ("heap", "100"),
            ("fuel", "100"),
        ] {
            let with = endpoint("m", "e", &format!("{key} = {value}"));
            let interface = "lmmc";
            assert_eq!(
                mistakes(&with),
                [MistakeKind::ExcludedByInterface { key, interface }]
            );
        }
        let messages = "[[channel]]\na = 1\nc = 1\n[[send]]\nendpoint = 'a'\nchannel = 1\npayload = { text = '' }\n";
        let keys: Vec<_> = mistakes(messages)
            .into_iter()
            .map(|kind| match kind {
                MistakeKind::ExcludedByInterface { key, .. } => key,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(keys, ["[[channel]]", "[[send]]", "[[channel]]"]);
        let region = "[[region]]\nat = '1us'\nendpoint = 'a'\naction = 'register'\n";
        assert!(matches!(
            mistakes(region)[..],
            [MistakeKind::NeedsPartner { .. }]
        ));
        let receive = "[[receive]]\nendpoint = 'a'\nsource = 'c'\ntag = 0\nlength = 1\n";
        assert!(matches!(
            mistakes(receive)[..],
            [MistakeKind::NeedsPartner { .. }]
        ));
    }

    #[test]
    fn a_program_has_the_pages_that_it_uses() {
        let with = |program: &str, rest: &str, ports: &str| {
            let own = endpoint("m", "e", &format!("host = '{program}'\n{rest}"));
            read(&format!("{NICS}{}{own}{ports}", ends()))
        };
        let out = port("'e'", "'c'");
        let both = out.clone() + &port("'c'", "'e'");
        let traffic = PageTraffic {
            pattern: PagePattern::Ping,
            rounds: 7,
            length: 10,
        };
        let scenario = with("lmmc-ping", "rounds = 7", &both).unwrap();
        assert_eq!(scenario.endpoints[4].host, HostSpec::Pages(traffic));
        let scenario = with("lmmc-echo", "message_length = 4096", &both).unwrap();
        assert_eq!(
            scenario.endpoints[4].host,
            HostSpec::PageEcho { length: 4096 }
        );
        assert!(with("lmmc-scatter", "", &out).is_ok());
        let refused = |program, rest, ports| with(program, rest, ports).unwrap_err();
        let without = |needs_answers| [MistakeKind::ProgramWithoutPorts { needs_answers }];
        assert_eq!(refused("lmmc-stream", "", &out), without(true));
        assert_eq!(refused("lmmc-echo", "", &out), without(true));
        assert_eq!(refused("lmmc-scatter", "", ""), without(false));
        let (length, least) = (3, 4);
        assert_eq!(
            refused("lmmc-ping", "message_length = 3", &both),
            [MistakeKind::NoRoomForNumber { length, least }]
        );
        let (length, page) = (4097, 4096);
        assert_eq!(
            refused("lmmc-ping", "message_length = 4097", &both),
            [MistakeKind::MessageExceedsPage { length, page }]
        );
        assert_eq!(refused("echo", "", &both), [MistakeKind::ProgramOfMessages]);
        let (key, partner) = ("rounds", "host = \"lmmc-ping\"");
        assert_eq!(
            refused("lmmc-echo", "rounds = 3", &both),
            [MistakeKind::NeedsPartner { key, partner }]
        );
        // A program of pages needs an endpoint that has some.
        let text =
            "[[nic]]\nname = 'm'\n[[endpoint]]\nnic = 'm'\nname = 'e'\nhost = 'lmmc-scatter'\n";
        assert_eq!(read(text).unwrap_err(), without(false));
    }
}
