//! The interfaces and links of a scenario, and the ports that it declares.

use nic_core::id::{ChannelId, EndpointId, NicId};
use nic_core::lmmc::{LinkEnd, LinkId, PageTables};
use nic_core::unet::Channel;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::node::{Costs, Node};
use super::place::Place;
use super::site::Site;
use super::state::HasLmmc;
use crate::sim::Parts;
use crate::spec::InterfaceKind;

/// Makes the interfaces of all NICs with endpoints of LMMC, and the ends of the links between them.
pub(super) fn prepare(sim: &mut Parts<'_, impl HasLmmc>) {
    let mut homes: BTreeMap<NicId, EndpointId> = BTreeMap::new();
    for (id, spec) in sim.specs.entries() {
        if spec.interface == InterfaceKind::Lmmc {
            homes.entry(spec.nic).or_insert(id);
            let place = Place {
                next_page: i32::try_from(sim.scenario.ports.len()).unwrap_or(i32::MAX),
                ..Place::default()
            };
            sim.engines.lmmc_mut().places.insert(id, place);
        }
    }
    for &nic in homes.keys() {
        add_node(sim, nic);
    }
    for (&nic, &home) in &homes {
        for (&peer, &there) in homes.iter().filter(|(peer, _)| **peer != nic) {
            add_site(sim, (nic, home), (peer, there));
        }
    }
}

fn add_node(sim: &mut Parts<'_, impl HasLmmc>, nic: NicId) {
    let Some(costs) = Costs::of(sim.scenario.profile_of(nic)) else {
        debug_assert!(
            false,
            "the reader refuses endpoints whose profile lacks `[lmmc]`"
        );
        return;
    };
    let own = |spec: &&crate::spec::EndpointSpec| spec.nic == nic;
    // An endpoint without a process is one, whose place nobody else has.
    let processes: BTreeSet<_> = (0..)
        .zip(sim.specs)
        .filter(|(_, spec)| own(spec))
        .map(|(id, spec): (u32, _)| (spec.process, spec.process.is_none().then_some(id)))
        .collect();
    let processors = sim.scenario.nics[nic.0 as usize].host;
    let node = Node {
        pages: PageTables::default(),
        links: Vec::new(),
        costs,
        mapped: BTreeMap::new(),
        vacant: Vec::new(),
        processors: processors.map_or(processes.len(), |processors| processors as usize),
        stalled: 0,
        raised: VecDeque::new(),
    };
    sim.engines.lmmc_mut().nodes.insert(nic, node);
}

/// Makes one end of the link between two nodes, if there is one.
fn add_site(
    sim: &mut Parts<'_, impl HasLmmc>,
    (nic, home): (NicId, EndpointId),
    (peer_nic, peer): (NicId, EndpointId),
) {
    let route = sim.fabric.route(nic, peer_nic);
    let Some(route) = route.filter(|route| sim.fabric[*route].to == peer_nic) else {
        return;
    };
    let lmmc = sim.engines.lmmc_mut();
    let Some(node) = lmmc.nodes.get_mut(&nic) else {
        return;
    };
    let link = LinkId(u32::try_from(node.links.len()).unwrap_or(u32::MAX));
    let sizes = node.costs.own.sizes();
    let Ok(end) = LinkEnd::new(link, sizes) else {
        debug_assert!(false, "the reader of profiles has checked the sizes");
        return;
    };
    let page = vec![0; sizes.page_bytes as usize].into_boxed_slice();
    let site = Site {
        nic,
        peer_nic,
        home,
        way: Channel {
            id: ChannelId(0),
            peer,
            peer_id: ChannelId(0),
            route,
        },
        end,
        frames: vec![page; sizes.frames as usize],
        backing: BTreeMap::new(),
        memory: BTreeMap::new(),
        creations: Vec::new(),
        fault: None,
        trap: None,
        inbox: VecDeque::new(),
        takes: false,
        outgoing: 0,
        unsent: VecDeque::new(),
        for_room: VecDeque::new(),
        for_fault: Vec::new(),
        lines: BTreeMap::new(),
    };
    let at = lmmc.sites.push(site);
    if let Some(node) = lmmc.nodes.get_mut(&nic) {
        node.links.push(at);
    }
}
