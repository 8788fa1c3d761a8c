//! Writes out `[topology]`: the switches and links that it stands for.

use std::collections::BTreeSet;

use bumpalo::Bump;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::keys::{DIMENSIONS_MAX, Kind, LINK, NIC, OF_TOPOLOGY, ROOT, SWITCH, TOPOLOGY};
use super::limits;
use super::mistake::MistakeKind;
use super::ranges;
use super::shapes::{self, Shape};
use super::table::{self, Mistakes, Table, wrong_type};
use crate::spec::Span;

/// Replaces the table of a document by switches and links. Those of the file stay, in place of the ones with the same
/// name or ends.
pub(super) fn write_out<'t>(document: &mut DeTable<'t>, arena: &'t Bump, mistakes: &mut Mistakes) {
    let Some(value) = document.remove(ROOT.topology.name) else {
        return;
    };
    let nics: Vec<String> = names(document, ROOT.nic.name, NIC.name.name);
    let Some(table) = Table::of_value(&value, TOPOLOGY.section, mistakes) else {
        return;
    };
    let Some(kind) = TOPOLOGY.kind.or(Kind::Star, &table, mistakes) else {
        return;
    };
    let Some(shape) = shape(kind, nics.len(), &table, mistakes) else {
        return;
    };
    let mut own = |key: &'static str| own_keys(value.get_ref(), key, mistakes);
    let (of_switch, of_link) = (own(TOPOLOGY.switch.name), own(TOPOLOGY.link.name));
    let writer = Writer {
        place: value.span(),
        arena,
    };
    let switches = writer.switches(&shape, &nics, &of_switch);
    let links = writer.links(&shape, &nics, &of_link);
    if let Some(word) = route(kind, &of_switch)
        && document.get(ROOT.route.name).is_none()
    {
        let key = Spanned::new(value.span(), ROOT.route.name.into());
        document.insert(key, writer.text(word));
    }
    let given: BTreeSet<String> = names(document, ROOT.switch.name, SWITCH.name.name)
        .into_iter()
        .collect();
    let switches = switches.filter(|(name, _)| !given.contains(name));
    let switches = Vec::from_iter(switches.map(|(_, switch)| switch));
    let joined = joined(document);
    let links = links.filter(|((a, b), _)| !joined.contains(&ordered(a, b)));
    let links = Vec::from_iter(links.map(|(_, link)| link));
    writer.append(document, ROOT.switch.name, switches);
    writer.append(document, ROOT.link.name, links);
}

/// Returns the route of a topology, unless it is a shortest one.
fn route(kind: Kind, of_switch: &DeTable<'_>) -> Option<&'static str> {
    let has = |key: &str, word: &str| {
        let value = of_switch.get(key);
        value.is_some_and(|value| value.get_ref().as_str() == Some(word))
    };
    // Where packets wait for each other, a circle of switches must be none of packets.
    let keeps = has(SWITCH.full.name, "stop") || has(SWITCH.mode.name, "worm-hole");
    match kind {
        Kind::Mesh => Some("dimension-order"),
        Kind::FatTree => Some("spread"),
        Kind::Ring | Kind::Torus if keeps => Some("up-down"),
        Kind::Star | Kind::Ring | Kind::Torus => None,
    }
}

/// Returns the switches and links of a topology.
fn shape(kind: Kind, nics: usize, table: &Table<'_>, mistakes: &mut Mistakes) -> Option<Shape> {
    let size = size(table, mistakes);
    let place = |size: &Option<(Vec<u32>, Span)>| size.as_ref().map_or(table.span, |(_, at)| *at);
    let what = "[topology]";
    let one = |size: Option<(Vec<u32>, Span)>, mistakes: &mut Mistakes| {
        let at = place(&size);
        match size.as_ref().map(|(sizes, _)| &sizes[..]) {
            Some([one]) => Some((*one, at)),
            Some(_) => {
                mistakes.add(at, MistakeKind::TopologySize { what: "one number" });
                None
            }
            None => {
                let key = TOPOLOGY.size.name;
                mistakes.add(table.span, MistakeKind::MissingKey { table: what, key });
                None
            }
        }
    };
    let given = table.value(TOPOLOGY.size.name).is_some();
    if given && size.is_none() {
        return None;
    }
    match kind {
        Kind::Star if given => {
            let (key, of) = (TOPOLOGY.size.name, "kind = \"star\"");
            mistakes.add(place(&size), MistakeKind::Excluded { key, of });
            None
        }
        Kind::Star => Some(shapes::star()),
        Kind::Ring => {
            let (size, _) = one(size, mistakes)?;
            Some(shapes::grid(&[size], true))
        }
        Kind::Mesh | Kind::Torus => {
            let at = place(&size);
            let sizes = size.map_or(Vec::new(), |(sizes, _)| sizes);
            let count = sizes
                .iter()
                .try_fold(1u32, |count, size| count.checked_mul(*size));
            if sizes.is_empty() {
                let what = "a number of switches for each dimension, such as `[4, 4]`";
                mistakes.add(at, MistakeKind::TopologySize { what });
                return None;
            }
            let limit = limits::SWITCHES_MAX;
            if count.is_none_or(|count| count as usize > limit) {
                let (what, limit) = ("switches", limit as u64);
                mistakes.add(at, MistakeKind::TooMany { what, limit });
                return None;
            }
            Some(shapes::grid(&sizes, kind == Kind::Torus))
        }
        Kind::FatTree => {
            let (ports, at) = one(size, mistakes)?;
            if ports % 2 > 0 || ports > shapes::FAT_TREE_MAX {
                let what = "an even number of ports, at most 56";
                mistakes.add(at, MistakeKind::TopologySize { what });
                return None;
            }
            let limit = u64::from(ports).pow(3) / 4;
            if nics as u64 > limit {
                let what = "NICs at a fat tree of switches with so many ports";
                mistakes.add(at, MistakeKind::TooMany { what, limit });
                return None;
            }
            Some(shapes::fat_tree(ports))
        }
    }
}

/// Reads the numbers of a size, each of which is at least 1.
fn size(table: &Table<'_>, mistakes: &mut Mistakes) -> Option<(Vec<u32>, Span)> {
    let number = |value: &DeValue<'_>| {
        let (what, minimum, maximum) = (TOPOLOGY.size.name, 1, limits::SWITCHES_MAX as u64);
        let found = match table::integer(value) {
            Ok(found) => u32::try_from(found).ok(),
            // A negative number.
            Err(MistakeKind::OutOfRange { .. }) => None,
            Err(other) => return Err(other),
        };
        let found = found.filter(|found| (minimum..=maximum).contains(&u64::from(*found)));
        found.ok_or(MistakeKind::OutOfRange {
            what,
            minimum,
            maximum,
        })
    };
    let read = |value: &DeValue<'_>| match value {
        DeValue::Array(sizes) if sizes.len() <= DIMENSIONS_MAX => {
            sizes.iter().map(|size| number(size.get_ref())).collect()
        }
        DeValue::Array(_) => Err(MistakeKind::TooMany {
            what: "dimensions",
            limit: DIMENSIONS_MAX as u64,
        }),
        value => number(value).map(|size| vec![size]),
    };
    let read = TOPOLOGY.size.with(table, read, mistakes)?;
    Some((read.value, read.span))
}

/// Returns the keys that all switches or links of a topology have.
fn own_keys<'t>(topology: &DeValue<'t>, key: &'static str, mistakes: &mut Mistakes) -> DeTable<'t> {
    let Some(value) = topology.get(key) else {
        return DeTable::new();
    };
    let DeValue::Table(table) = value.get_ref() else {
        mistakes.add(value.span(), wrong_type("a table", value.get_ref()));
        return DeTable::new();
    };
    let mut own = DeTable::new();
    for (name, value) in table {
        match OF_TOPOLOGY.iter().find(|of| **of == name.get_ref()) {
            Some(key) => {
                let of = "[topology]";
                mistakes.add(name.span(), MistakeKind::Excluded { key, of });
            }
            None => _ = own.insert(name.clone(), value.clone()),
        }
    }
    own
}

/// Returns the names that the tables of an array define.
fn names(document: &DeTable<'_>, array: &str, key: &str) -> Vec<String> {
    let Some(DeValue::Array(entries)) = document.get(array).map(Spanned::get_ref) else {
        return Vec::new();
    };
    let name = |entry: &Spanned<DeValue<'_>>| {
        let name = entry.get_ref().get(key)?;
        name.get_ref().as_str().map(str::to_owned)
    };
    entries.iter().filter_map(name).collect()
}

/// Returns the pairs of nodes that links of the file join.
fn joined(document: &DeTable<'_>) -> BTreeSet<(String, String)> {
    let Some(DeValue::Array(links)) = document.get(ROOT.link.name).map(Spanned::get_ref) else {
        return BTreeSet::new();
    };
    let ends = |link: &Spanned<DeValue<'_>>| {
        let ends = link.get_ref().get(LINK.between.name)?.get_ref();
        let [a, b] = &ends.as_array()?[..] else {
            return None;
        };
        Some(ordered(a.get_ref().as_str()?, b.get_ref().as_str()?))
    };
    links.iter().filter_map(ends).collect()
}

fn ordered(a: &str, b: &str) -> (String, String) {
    (a.min(b).to_owned(), a.max(b).to_owned())
}

/// Writes tables whose place in the file is that of the topology.
struct Writer<'t> {
    place: std::ops::Range<usize>,
    arena: &'t Bump,
}

impl<'t> Writer<'t> {
    fn at(&self, value: DeValue<'t>) -> Spanned<DeValue<'t>> {
        Spanned::new(self.place.clone(), value)
    }

    fn text(&self, text: &str) -> Spanned<DeValue<'t>> {
        self.at(DeValue::String(text.to_owned().into()))
    }

    fn number(&self, number: u32) -> Spanned<DeValue<'t>> {
        self.at(ranges::number(number, self.arena))
    }

    fn list(&self, items: impl Iterator<Item = Spanned<DeValue<'t>>>) -> Spanned<DeValue<'t>> {
        self.at(DeValue::Array(items.collect()))
    }

    /// Returns a table with these keys and those that all have.
    fn table(
        &self,
        keys: Vec<(&'static str, Spanned<DeValue<'t>>)>,
        rest: &DeTable<'t>,
    ) -> Spanned<DeValue<'t>> {
        let mut table = DeTable::new();
        for (key, value) in keys {
            table.insert(Spanned::new(self.place.clone(), key.into()), value);
        }
        for (key, value) in rest {
            table.insert(key.clone(), value.clone());
        }
        self.at(DeValue::Table(table))
    }

    /// Returns the switches with their names.
    fn switches(
        &self,
        shape: &Shape,
        nics: &[String],
        own: &DeTable<'t>,
    ) -> impl Iterator<Item = (String, Spanned<DeValue<'t>>)> {
        let mut ports = vec![0; shape.switches.len()];
        for (a, b) in &shape.links {
            ports[*a] += 1;
            ports[*b] += 1;
        }
        for nic in 0..nics.len() {
            ports[shape.of_nic(nic, nics.len())] += 1;
        }
        let switches = shape.switches.iter().zip(ports);
        let switches = switches.map(|((name, at), ports)| {
            let mut keys = vec![
                (SWITCH.name.name, self.text(name)),
                (SWITCH.ports.name, self.number(ports.max(1))),
            ];
            if !at.is_empty() {
                let at = at.iter().map(|at| self.number(*at));
                keys.push((SWITCH.at.name, self.list(at)));
            }
            (name.clone(), self.table(keys, own))
        });
        Vec::from_iter(switches).into_iter()
    }

    /// Returns the links with the names of their ends.
    fn links(
        &self,
        shape: &Shape,
        nics: &[String],
        own: &DeTable<'t>,
    ) -> impl Iterator<Item = ((String, String), Spanned<DeValue<'t>>)> {
        let name = |switch: usize| shape.switches[switch].0.clone();
        let of_nics = (0..nics.len()).map(|nic| {
            let switch = shape.of_nic(nic, nics.len());
            (nics[nic].clone(), name(switch))
        });
        let others = shape.links.iter().map(|(a, b)| (name(*a), name(*b)));
        let links = of_nics.chain(others).map(|(a, b)| {
            let ends = self.list([&a, &b].map(|end| self.text(end)).into_iter());
            ((a, b), self.table(vec![(LINK.between.name, ends)], own))
        });
        Vec::from_iter(links).into_iter()
    }

    /// Appends tables to an array of the document.
    fn append(
        &self,
        document: &mut DeTable<'t>,
        array: &'static str,
        tables: Vec<Spanned<DeValue<'t>>>,
    ) {
        let key = Spanned::new(self.place.clone(), array.into());
        let entry = document.entry(key);
        let value = entry.or_insert_with(|| self.at(DeValue::Array(DeArray::new())));
        if let DeValue::Array(entries) = value.get_mut() {
            tables.into_iter().for_each(|table| entries.push(table));
        }
    }
}
