//! Reads `[[switch]]` and `[[link]]` tables, and finds out which NICs they join.

use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU32, NonZeroU64};

use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimDuration;
use toml::de::DeValue;

use super::circles;
use super::context::Context;
use super::keys::{LINK, ROOT, SWITCH};
use super::limits;
use super::mistake::{MistakeKind, Named, Unjoined};
use super::names::NameIndex;
use super::profiles::{self, NicProfiles};
use super::routing;
use super::table::{self, Mistakes, Table, wrong_type};
use crate::ids::Id;
use crate::profile::{ProfileError, WireProfile};
use crate::protocol::Header;
use crate::spec::{Full, LinkSpec, NicSpec, Routes, Routing, Span, SwitchMode, SwitchSpec};

/// The name of the switch that joins NICs with ports if a scenario has neither links nor switches.
const CROSSBAR: &str = "crossbar";

/// The network of a scenario.
pub(super) struct Network {
    pub(super) switches: Vec<SwitchSpec>,
    pub(super) links: Vec<LinkSpec>,
    pub(super) routing: Routing,
    /// The pairs of nodes that a link joins, each with the smaller number first.
    linked: BTreeSet<(NicId, NicId)>,
    /// The NICs that have no wire of their own to others by default.
    with_ports: BTreeSet<NicId>,
    /// The routes; `None` if there are no switches.
    routes: Option<Routes>,
    /// The places of the switches of the file.
    places: Vec<Span>,
    /// The places of the links of the file, which come first among all links.
    link_places: Vec<Span>,
    /// Whether the file has mistakes up to the network, so that links or switches may be missing because of them.
    has_mistakes: bool,
}

/// Reads every `[[switch]]` and `[[link]]`.
///
/// Two NICs without ports and without a `[[link]]`, and each NIC and itself, get a default link with the wire of their
/// profile. NICs with different profiles get no default link, and a `[[link]]` between them must name a profile.
pub(super) fn read<'t>(
    root: &Table<'t>,
    (nics, names): (&[NicSpec], &NameIndex<'t>),
    of_nic: &NicProfiles,
    context: &mut Context,
) -> Network {
    let mut nodes = names.extended(Named::Node);
    let (mut switches, places) = read_switches(root, &mut nodes, context.mistakes());
    let given = read_links(root, &nodes, (nics.len(), of_nic), context);
    check_links(&given, (nics, of_nic), &switches, context.mistakes());
    let (mut links, link_places): (Vec<LinkSpec>, Vec<Span>) = given.into_iter().unzip();
    let to_switches = links.iter().map(|link| link.between);
    let to_switches: BTreeSet<NicId> = to_switches
        .filter(|(_, b)| b.index() >= nics.len())
        .map(|(a, _)| a)
        .collect();
    let has_ports = |nic: NicId| of_nic.of(nic).wire.ports > 0 || to_switches.contains(&nic);
    let with_ports: Vec<NicId> = ids(nics.len()).filter(|nic| has_ports(*nic)).collect();
    let is_bare = switches.is_empty() && links.is_empty();
    let pairs = nics.len().saturating_sub(with_ports.len());
    if nics.len() + pairs * pairs.saturating_sub(1) / 2 > limits::LINKS_MAX {
        let (what, limit) = (
            "links, and NICs without ports have one each",
            limits::LINKS_MAX,
        );
        let limit = limit as u64;
        let place = root
            .value(ROOT.nic.name)
            .map_or(root.span, |nics| nics.span().into());
        context
            .mistakes()
            .add(place, MistakeKind::TooMany { what, limit });
    } else {
        let defaults = default_links(&links, (nics.len(), of_nic), (&with_ports, is_bare));
        links.extend(defaults);
    }
    if is_bare && with_ports.len() > 2 {
        let name = free_name(&nodes);
        let (switch, joining) = crossbar(name, &with_ports, (nics.len(), of_nic));
        switches.push(switch);
        // The place of such a link is that of its NIC.
        let place = |link: &LinkSpec| nics[link.between.0.index()].sram_place;
        let joining = joining.into_iter().map(|link| {
            let place = place(&link);
            (link, place)
        });
        let joining: Vec<(LinkSpec, Span)> = joining.collect();
        check_links(&joining, (nics, of_nic), &switches, context.mistakes());
        links.extend(joining.into_iter().map(|(link, _)| link));
    }
    let mistakes = context.mistakes();
    let linked: BTreeSet<_> = links.iter().map(|link| link.between).collect();
    let of_switches = (&switches[..], &places[..], &linked);
    let routing = routing::read(root, (&nodes, nics.len()), of_switches, mistakes);
    let routes = (!switches.is_empty()).then(|| {
        let names: Vec<&str> = nics.iter().map(|nic| nic.name.as_str()).collect();
        Routes::new(&names, &switches, &links, &routing)
    });
    Network {
        switches,
        links,
        routing,
        linked,
        with_ports: with_ports.into_iter().collect(),
        routes,
        places,
        link_places,
        has_mistakes: !mistakes.is_empty(),
    }
}

fn ids(count: usize) -> impl DoubleEndedIterator<Item = NicId> + ExactSizeIterator + Clone {
    (0..count).map(NicId::of)
}

/// Reads every `[[switch]]`, and returns them with their places.
fn read_switches<'t>(
    root: &Table<'t>,
    nodes: &mut NameIndex<'t>,
    mistakes: &mut Mistakes,
) -> (Vec<SwitchSpec>, Vec<Span>) {
    let limit = limits::SWITCHES_MAX;
    let tables = root.tables(ROOT.switch.name, SWITCH.section, limit, mistakes);
    let read = |table: &Table<'t>| {
        let name = nodes.define(&SWITCH.name, table, mistakes).to_owned();
        // With a mistake in the number of ports, there are enough, so that no link is a mistake for want of one.
        let most = limits::SWITCH_PORTS_MAX;
        let ports = SWITCH.ports.or(most, table, mistakes).unwrap_or(most);
        let buffer = SWITCH.buffer.given(table, mistakes);
        let buffer = buffer.and_then(|given| u32::try_from(given.value).ok());
        let mode = SWITCH.mode.get(table, mistakes);
        let arbiter = SWITCH.arbiter.given(table, mistakes);
        let full = SWITCH.full.get(table, mistakes);
        check_keys(table, mode, full, mistakes);
        let spec = SwitchSpec {
            name,
            ports: u32::try_from(ports).expect("the range of `ports` fits in 32 bits"),
            latency: SWITCH.latency.get(table, mistakes),
            mode: match (mode, arbiter) {
                (SwitchMode::Crossbar(_), Some(given)) => SwitchMode::Crossbar(given.value),
                (mode, _) => mode,
            },
            buffer: buffer
                .and_then(NonZeroU32::new)
                .filter(|_| mode != SwitchMode::WormHole),
            full,
            at: place_in_mesh(table, mistakes),
        };
        (spec, table.span)
    };
    tables.iter().map(read).unzip()
}

/// Checks that a switch has the keys that its other keys need, and none that they exclude.
fn check_keys(table: &Table<'_>, mode: SwitchMode, full: Full, mistakes: &mut Mistakes) {
    let (arbiter, buffer) = (SWITCH.arbiter.name, SWITCH.buffer.name);
    let (of, excluded) = match mode {
        SwitchMode::StoreAndForward => ("mode = \"store-and-forward\"", &[arbiter][..]),
        SwitchMode::CutThrough => ("mode = \"cut-through\"", &[arbiter][..]),
        // A packet that waits keeps its links, and takes no room at the switch.
        SwitchMode::WormHole => (
            "mode = \"worm-hole\"",
            &[arbiter, buffer, SWITCH.full.name][..],
        ),
        SwitchMode::Crossbar(_) => ("mode = \"crossbar\"", &[][..]),
    };
    for key in excluded {
        if let Some(value) = table.value(key) {
            mistakes.add(value.span(), MistakeKind::Excluded { key, of });
        }
    }
    let (is_given, has_buffer) = (
        table.value(SWITCH.full.name).is_some(),
        table.value(buffer).is_some(),
    );
    if is_given && mode != SwitchMode::WormHole && !has_buffer {
        let key = match full {
            Full::Drop => "full = \"drop\"",
            Full::Stop => "full = \"stop\"",
        };
        let partner = buffer;
        mistakes.add(table.span, MistakeKind::NeedsPartner { key, partner });
    }
}

/// Reads the place of a switch in a mesh.
fn place_in_mesh(table: &Table<'_>, mistakes: &mut Mistakes) -> Vec<u32> {
    let read = |value: &DeValue<'_>| {
        let DeValue::Array(places) = value else {
            return Err(wrong_type("a list of numbers", value));
        };
        let place = |place: &toml::Spanned<DeValue<'_>>| {
            let number = table::integer(place.get_ref())?;
            let (what, minimum, maximum) = (SWITCH.at.name, 0, limits::SWITCHES_MAX as u64);
            let number = u32::try_from(number)
                .ok()
                .filter(|at| u64::from(*at) < maximum);
            number.ok_or(MistakeKind::OutOfRange {
                what,
                minimum,
                maximum,
            })
        };
        places.iter().map(place).collect()
    };
    let given = SWITCH.at.with(table, read, mistakes);
    given.map_or(Vec::new(), |given| given.value)
}

/// Reads every `[[link]]`, and returns them with their places.
fn read_links(
    root: &Table<'_>,
    nodes: &NameIndex<'_>,
    (nics, of_nic): (usize, &NicProfiles),
    context: &mut Context,
) -> Vec<(LinkSpec, Span)> {
    let limit = nodes.len() * (nodes.len() + 1) / 2;
    let tables = root.tables(ROOT.link.name, LINK.section, limit, context.mistakes());
    let mut joined = BTreeMap::new();
    let mut links = Vec::new();
    for link in &tables {
        let own = profiles::named(&LINK.profile, link, context);
        let mistakes = context.mistakes();
        let Some((a, b)) = ends(link, nodes, nics, mistakes) else {
            continue;
        };
        if let Some(first) = joined.insert((a, b), link.span) {
            mistakes.add(link.span, MistakeKind::DuplicateLink { first });
            continue;
        }
        let of_ends = match (a.index() < nics, b.index() < nics) {
            (true, true) => of_nic.of_both(a, b),
            // A switch takes what its neighbour sends.
            (true, false) => Some(of_nic.of(a)),
            (false, _) => Some(of_nic.of_all()),
        };
        let profile = own.as_deref().or(of_ends);
        // If the link names a profile that could not be read, that mistake has already been reported.
        if profile.is_none() && link.value(LINK.profile.name).is_none() {
            mistakes.add(link.span, MistakeKind::LinkNeedsProfile);
        }
        let wire = &profile.unwrap_or_else(|| of_nic.of(a)).wire;
        let is_between_nics = b.index() < nics;
        if wire.cell > 0
            && is_between_nics
            && [a, b].iter().any(|&nic| of_nic.of(nic).sends_in_turn())
        {
            mistakes.add(link.span, MistakeKind::Profile(ProfileError::CellsInTurn));
        }
        if wire.cell > 0 && is_between_nics && [a, b].iter().any(|&nic| of_nic.of(nic).is_on_host())
        {
            mistakes.add(link.span, MistakeKind::Profile(ProfileError::CellsOnHost));
        }
        links.push((read_link(link, (a, b), wire, mistakes), link.span));
    }
    links
}

/// Reads the ends of a link, the one with the smaller number first. So the second end is a switch if any is.
fn ends(
    link: &Table<'_>,
    nodes: &NameIndex<'_>,
    nics: usize,
    mistakes: &mut Mistakes,
) -> Option<(NicId, NicId)> {
    let between = LINK.between.raw(link, mistakes)?;
    let DeValue::Array(ends) = between.get_ref() else {
        mistakes.add(between.span(), MistakeKind::LinkEnds);
        return None;
    };
    let [a, b] = &ends[..] else {
        mistakes.add(between.span(), MistakeKind::LinkEnds);
        return None;
    };
    let a = nodes.find_value(a, mistakes);
    let b = nodes.find_value(b, mistakes);
    let (a, b) = (NicId(a?), NicId(b?));
    if a == b && a.index() >= nics {
        mistakes.add(between.span(), MistakeKind::SwitchToItself);
        return None;
    }
    Some((a.min(b), a.max(b)))
}

fn read_link(
    link: &Table<'_>,
    between: (NicId, NicId),
    wire: &WireProfile,
    mistakes: &mut Mistakes,
) -> LinkSpec {
    let latency = LINK.latency.given(link, mistakes);
    let bandwidth = LINK.bandwidth.given(link, mistakes);
    let bandwidth = bandwidth.and_then(|given| NonZeroU64::new(given.value));
    LinkSpec {
        between,
        loss: LINK.loss.get(link, mistakes),
        duplicate: LINK.duplicate.get(link, mistakes),
        corrupt: LINK.corrupt.get(link, mistakes),
        reorder: LINK.reorder.get(link, mistakes),
        wire: WireProfile {
            latency: latency.map_or(wire.latency, |given| given.value),
            bandwidth: bandwidth.unwrap_or(wire.bandwidth),
            ..*wire
        },
        crc: LINK.crc.get(link, mistakes),
    }
}

fn default_link(between: (NicId, NicId), wire: &WireProfile) -> LinkSpec {
    LinkSpec {
        between,
        wire: *wire,
        loss: LINK.loss.default(),
        duplicate: LINK.duplicate.default(),
        corrupt: LINK.corrupt.default(),
        reorder: LINK.reorder.default(),
        crc: LINK.crc.default(),
    }
}

/// Returns the default links: of each NIC to itself, and between two NICs that have no ports. Two NICs with ports in a
/// scenario without links and switches get one as well, which then is all that is at their ports.
fn default_links(
    given: &[LinkSpec],
    (nics, of_nic): (usize, &NicProfiles),
    (with_ports, is_bare): (&[NicId], bool),
) -> Vec<LinkSpec> {
    let joined: BTreeSet<_> = given.iter().map(|link| link.between).collect();
    let has_ports = |nic: &NicId| with_ports.binary_search(nic).is_ok();
    let bare: Vec<NicId> = ids(nics).filter(|nic| !has_ports(nic)).collect();
    let mut links = Vec::new();
    let mut join = |a, b| {
        if let Some(profile) = of_nic.of_both(a, b)
            && !joined.contains(&(a, b))
        {
            links.push(default_link((a, b), &profile.wire));
        }
    };
    for a in ids(nics) {
        join(a, a);
        match with_ports {
            [one, other] if is_bare && a == *one => join(*one, *other),
            _ if has_ports(&a) => {}
            _ => {
                let behind = bare.partition_point(|nic| *nic <= a);
                bare[behind..].iter().for_each(|b| join(a, *b));
            }
        }
    }
    links
}

/// Returns a name for a switch that is not in the file.
fn free_name(nodes: &NameIndex<'_>) -> String {
    let mut name = CROSSBAR.to_owned();
    while nodes.place(&name).is_some() {
        name.push('*');
    }
    name
}

/// Returns a switch that takes no time, or a picosecond, and its links to NICs. Each link has half of the latency of its
/// NIC's wire, so a packet takes as long as on a wire between the NICs, if nothing else is at their ports.
fn crossbar(
    name: String,
    with_ports: &[NicId],
    (nics, of_nic): (usize, &NicProfiles),
) -> (SwitchSpec, Vec<LinkSpec>) {
    // An odd number of picoseconds has no half, so the switch takes the picosecond that the two links lack.
    let has_half = |nic: &NicId| of_nic.of(*nic).wire.latency.as_ps() % 2 == 0;
    let lacking = u64::from(!with_ports.iter().any(has_half));
    let switch = SwitchSpec {
        name,
        ports: u32::try_from(with_ports.len()).expect("the number of NICs is limited"),
        latency: SimDuration::from_ps(lacking),
        mode: SwitchMode::CutThrough,
        buffer: None,
        full: Full::Drop,
        at: Vec::new(),
    };
    let node = NicId::of(nics);
    let link = |nic: &NicId| {
        let wire = of_nic.of(*nic).wire;
        let latency = SimDuration::from_ps(wire.latency.as_ps() / 2);
        default_link((*nic, node), &WireProfile { latency, ..wire })
    };
    (switch, with_ports.iter().map(link).collect())
}

/// Checks that links find a port at each end, and that packets can cross the switches.
fn check_links(
    links: &[(LinkSpec, Span)],
    (nics, of_nic): (&[NicSpec], &NicProfiles),
    switches: &[SwitchSpec],
    mistakes: &mut Mistakes,
) {
    let mut taken = BTreeMap::new();
    let mut flow = None;
    for (link, place) in links {
        let (a, b) = link.between;
        // A NIC's link to itself takes no port.
        for node in [a, b].into_iter().filter(|_| a != b) {
            let (name, ports) = match switches.get(node.index().wrapping_sub(nics.len())) {
                Some(switch) => (&switch.name, switch.ports),
                None => (&nics[node.index()].name, of_nic.of(node).wire.ports),
            };
            let taken = taken.entry(node).or_insert(0);
            *taken += 1;
            if ports > 0 && *taken > ports {
                let node = name.clone();
                mistakes.add(*place, MistakeKind::NoPort { node, ports });
            }
        }
        if b.index() < nics.len() {
            continue;
        }
        if link.wire.cell > 0 {
            mistakes.add(*place, MistakeKind::CellsAtSwitch);
        }
        let first = *flow.get_or_insert(link.wire.flow);
        if first != link.wire.flow {
            mistakes.add(*place, MistakeKind::OtherFlow);
        }
    }
}

impl Network {
    /// Returns whether packets of two NICs reach each other: a link joins them, or routes over switches both ways.
    pub(super) fn joins(&self, one: NicId, other: NicId) -> bool {
        let routes = |routes: &Routes| {
            let is_route = |from, to| routes.next(from, (from, to)).is_some();
            is_route(one, other) && is_route(other, one)
        };
        self.links_directly(one, other) || self.routes.as_ref().is_some_and(routes)
    }

    /// Returns whether a link joins two nodes.
    pub(super) fn links_directly(&self, one: NicId, other: NicId) -> bool {
        self.linked.contains(&(one.min(other), one.max(other)))
    }

    /// Returns the links of the file, with their places.
    pub(super) fn given(&self) -> impl Iterator<Item = (&LinkSpec, Span)> {
        self.links.iter().zip(self.link_places.iter().copied())
    }

    /// Checks that packets of two NICs reach each other, as what is at this place needs. After another mistake in the
    /// network, nothing is said to be missing.
    pub(super) fn check_joined(
        &self,
        place: impl Into<Span>,
        (one, other): (NicId, NicId),
        (nics, of_nic): (&[NicSpec], &NicProfiles),
        mistakes: &mut Mistakes,
    ) {
        if self.has_mistakes || mistakes.len() >= limits::MISTAKES_MAX || self.joins(one, other) {
            return;
        }
        let name = |node: NicId| match node.index().checked_sub(nics.len()) {
            Some(switch) => self.switches[switch].name.clone(),
            None => nics[node.index()].name.clone(),
        };
        let is_bare = |nic: NicId| {
            let mut others = self.linked.iter().filter(|(a, b)| a != b);
            !others.any(|(a, b)| *a == nic || *b == nic)
        };
        let has_ports = |nic: NicId| self.with_ports.contains(&nic);
        let reached = self.reached(one, nics.len());
        let cause = if !has_ports(one) && !has_ports(other) && of_nic.of_both(one, other).is_none()
        {
            Unjoined::Profiles
        } else if let Some(bare) = [other, one].into_iter().find(|nic| is_bare(*nic)) {
            Unjoined::Bare(name(bare))
        } else if reached.contains(&other) {
            Unjoined::Route
        } else {
            let ends: Vec<String> = reached
                .into_iter()
                .take(4)
                .map(|node| format!("`{}`", name(node)))
                .collect();
            Unjoined::Elsewhere(ends.join(", "))
        };
        let (a, b) = (name(one), name(other));
        mistakes.add(place, MistakeKind::NoLink { a, b, cause });
    }

    /// Returns the nodes that links and switches join with a NIC, the switches first.
    fn reached(&self, from: NicId, nics: usize) -> Vec<NicId> {
        let mut neighbours: BTreeMap<NicId, Vec<NicId>> = BTreeMap::new();
        for (a, b) in &self.linked {
            neighbours.entry(*a).or_default().push(*b);
            neighbours.entry(*b).or_default().push(*a);
        }
        let mut reached = BTreeSet::from([from]);
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for next in neighbours.remove(&node).unwrap_or_default() {
                if reached.insert(next) && next.index() >= nics {
                    open.push(next);
                }
            }
        }
        reached.remove(&from);
        let (of_nics, switches): (Vec<NicId>, Vec<NicId>) =
            reached.into_iter().partition(|node| node.index() < nics);
        switches.into_iter().chain(of_nics).collect()
    }

    /// Checks that each buffer of a switch has room for a packet of each endpoint whose packets wait in it. `pairs` has
    /// the endpoints that exchange packets, and `homes` the NIC of each endpoint.
    pub(super) fn check_buffers(
        &self,
        pairs: &[(EndpointId, EndpointId)],
        (homes, of_nic): (&[Option<NicId>], &NicProfiles),
        mistakes: &mut Mistakes,
    ) {
        let Some(routes) = &self.routes else {
            return;
        };
        if self.switches.iter().all(|switch| switch.buffer.is_none()) {
            return;
        }
        let mut senders: BTreeMap<(NicId, usize), BTreeSet<EndpointId>> = BTreeMap::new();
        let mut longest = 0;
        for (from, to) in pairs.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]) {
            let home = |endpoint: EndpointId| homes[endpoint.index()];
            let (Some(nic), Some(to)) = (home(from), home(to)) else {
                continue;
            };
            longest = longest.max(of_nic.of(nic).memory.max_packet.get());
            let mut came_by = None;
            for (node, link) in routes.way(nic, to) {
                // The buffers of a crossbar are at its inputs.
                let switch = node.index().checked_sub(routes.nics());
                let switch = switch.and_then(|number| self.switches.get(number));
                let waits_at_input =
                    switch.is_some_and(|switch| matches!(switch.mode, SwitchMode::Crossbar(_)));
                let buffer = came_by.filter(|_| waits_at_input).unwrap_or(link);
                senders.entry((node, buffer)).or_default().insert(from);
                came_by = Some(link);
            }
        }
        // The needs of each switch's buffers, of which the largest is a mistake if it does not fit.
        let mut needs: BTreeMap<usize, (u64, usize)> = BTreeMap::new();
        for ((node, link), senders) in senders {
            let Some(number) = node.index().checked_sub(routes.nics()) else {
                continue;
            };
            let framing = self.links[link].wire.framing();
            let frame = framing.frame(longest.saturating_add(Header::LENGTH_MAX));
            let needed = u64::from(frame).saturating_mul(senders.len() as u64);
            let most = needs.entry(number).or_default();
            *most = (*most).max((needed, senders.len()));
        }
        for (number, (needed, endpoints)) in needs {
            let (Some(switch), Some(place)) = (self.switches.get(number), self.places.get(number))
            else {
                continue;
            };
            // Those that are held back need room one after the other.
            let (needed, endpoints) = match switch.full {
                Full::Drop => (needed, endpoints),
                Full::Stop => (needed / endpoints as u64, 1),
            };
            if let Some(buffer) = switch.buffer
                && u64::from(buffer.get()) < needed
            {
                mistakes.add(
                    *place,
                    match endpoints {
                        1 => MistakeKind::PacketLongerThanBuffer { needed },
                        _ => MistakeKind::SmallSwitchBuffer { needed, endpoints },
                    },
                );
            }
        }
    }

    /// Checks that no packets on the routes between endpoints can wait for each other in a circle.
    pub(super) fn check_circles(
        &self,
        pairs: &[(EndpointId, EndpointId)],
        homes: &[Option<NicId>],
        nics: &[NicSpec],
        mistakes: &mut Mistakes,
    ) {
        let Some(routes) = &self.routes else {
            return;
        };
        let home = |endpoint: EndpointId| homes[endpoint.index()];
        let both = pairs.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
        let ends: BTreeSet<(NicId, NicId)> = both
            .filter_map(|(a, b)| Some((home(a)?, home(b)?)))
            .collect();
        let ways = ends
            .into_iter()
            .map(|(from, to)| routes.way(from, to).collect());
        let keeps = |(at, link): circles::Step| {
            let switch = at.index().checked_sub(routes.nics());
            let switch = switch.and_then(|number| self.switches.get(number));
            let link = &self.links[link];
            // A packet that waits for its end on a link with faults lies in the switch.
            let is_whole = [link.loss, link.duplicate, link.corrupt, link.reorder] != [0.0; 4];
            switch.is_some_and(|switch| match switch.mode {
                SwitchMode::WormHole => !is_whole,
                SwitchMode::StoreAndForward | SwitchMode::CutThrough | SwitchMode::Crossbar(_) => {
                    switch.full == Full::Stop
                }
            })
        };
        let Some(circle) = circles::find(ways, keeps) else {
            return;
        };
        let switch = |node: &NicId| node.index().checked_sub(routes.nics());
        let name = |node: &NicId| match switch(node).and_then(|number| self.switches.get(number)) {
            Some(switch) => switch.name.as_str(),
            None => nics[node.index()].name.as_str(),
        };
        let names: Vec<&str> = circle.iter().chain(circle.first()).map(name).collect();
        let place = circle
            .iter()
            .find_map(|node| self.places.get(switch(node)?));
        let circle = names.join(" - ");
        mistakes.add(
            place.copied().unwrap_or_default(),
            MistakeKind::Deadlock { circle },
        );
    }
}
