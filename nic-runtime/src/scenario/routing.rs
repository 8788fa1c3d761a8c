//! Reads `route`: how packets find their way over switches.

use std::collections::{BTreeMap, BTreeSet};

use nic_core::id::NicId;
use toml::Spanned;
use toml::de::DeValue;

use super::key::Shape;
use super::keys::{ROOT, ROUTES, SWITCH};
use super::mistake::MistakeKind;
use super::names::NameIndex;
use super::table::{Mistakes, Table, wrong_type};
use crate::ids::Id;
use crate::spec::{Routing, Span, SwitchSpec};

/// The nodes of a network by name, and how many of them are NICs.
type Nodes<'n, 't> = (&'n NameIndex<'t>, usize);

/// Reads how routes are found, or the list of those that are given.
pub(super) fn read(
    root: &Table<'_>,
    nodes: Nodes<'_, '_>,
    (switches, places, linked): (&[SwitchSpec], &[Span], &BTreeSet<(NicId, NicId)>),
    mistakes: &mut Mistakes,
) -> Routing {
    let Some(value) = ROOT.route.raw(root, mistakes) else {
        return Routing::default();
    };
    let routing = match value.get_ref() {
        DeValue::Array(routes) => Routing::Given(given(routes, nodes, linked, mistakes)),
        word @ DeValue::String(_) => {
            let read = ROUTES.read(ROOT.route.name, word);
            mistakes.note(value.span(), read).unwrap_or_default()
        }
        other => {
            let expected = "the name of a way to find routes or a list of routes";
            mistakes.add(value.span(), wrong_type(expected, other));
            Routing::default()
        }
    };
    let dimensions = switches.first().map_or(0, |switch| switch.at.len());
    if routing == Routing::DimensionOrder
        && (dimensions == 0 || switches.iter().any(|switch| switch.at.len() != dimensions))
    {
        let key = SWITCH.at.name;
        mistakes.add(value.span(), MistakeKind::NoMesh { key });
    } else if routing == Routing::DimensionOrder {
        check_places(switches, places, mistakes);
    }
    routing
}

/// Checks that no two switches are at one place of a mesh.
fn check_places(switches: &[SwitchSpec], places: &[Span], mistakes: &mut Mistakes) {
    let mut taken: BTreeMap<&[u32], &str> = BTreeMap::new();
    for (switch, place) in switches.iter().zip(places) {
        match taken.get(&switch.at[..]) {
            Some(other) => {
                let other = (*other).to_owned();
                mistakes.add(*place, MistakeKind::SamePlace { other });
            }
            None => _ = taken.insert(&switch.at, &switch.name),
        }
    }
}

/// Reads the given routes.
fn given(
    routes: &[Spanned<DeValue<'_>>],
    nodes: Nodes<'_, '_>,
    linked: &BTreeSet<(NicId, NicId)>,
    mistakes: &mut Mistakes,
) -> Vec<Vec<NicId>> {
    let mut firsts = BTreeMap::new();
    let mut given = Vec::new();
    for route in routes {
        let DeValue::Array(names) = route.get_ref() else {
            let found = route.get_ref();
            mistakes.add(route.span(), wrong_type("a list of names", found));
            continue;
        };
        let Some(way) = way(names, nodes, mistakes) else {
            continue;
        };
        let is_nic = |node: NicId| node.index() < nodes.1;
        let [from, between @ .., to] = &way[..] else {
            mistakes.add(route.span(), MistakeKind::RouteEnds);
            continue;
        };
        if !is_nic(*from) || !is_nic(*to) || between.iter().any(|node| is_nic(*node)) {
            mistakes.add(route.span(), MistakeKind::RouteEnds);
            continue;
        }
        let first = firsts
            .entry((*from, *to))
            .or_insert_with(|| Span::from(route.span()));
        if *first != route.span().into() {
            let first = *first;
            mistakes.add(route.span(), MistakeKind::DuplicateRoute { first });
        }
        let mut pairs = way.windows(2).zip(&names[1..]);
        let gap = pairs.find(|(pair, _)| {
            let (one, other) = (pair[0], pair[1]);
            !linked.contains(&(one.min(other), one.max(other)))
        });
        match gap {
            Some((_, name)) => mistakes.add(name.span(), MistakeKind::RouteWithoutLink),
            None => given.push(way),
        }
    }
    given
}

/// Reads the nodes of a route, each of which is in it once.
fn way(
    names: &[Spanned<DeValue<'_>>],
    (index, _): Nodes<'_, '_>,
    mistakes: &mut Mistakes,
) -> Option<Vec<NicId>> {
    let mut way = Vec::new();
    let mut visited = BTreeMap::new();
    for name in names {
        let node = NicId(index.find_value(name, mistakes)?);
        if let Some(first) = visited.insert(node, Span::from(name.span())) {
            mistakes.add(name.span(), MistakeKind::RouteTwice { first });
            return None;
        }
        way.push(node);
    }
    Some(way)
}
