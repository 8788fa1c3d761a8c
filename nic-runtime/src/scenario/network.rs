//! NICs and the links between them.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use nic_core::id::NicId;
use toml::de::DeValue;

use super::context::Context;
use super::limits;
use super::mistake::{MistakeKind, Named};
use super::model::{LinkSpec, NicSpec};
use super::names::NameIndex;
use super::table::{self, Mistakes, Table};
use crate::profile::Profile;

pub(super) const NIC_KEYS: &[&str] = &["name", "sram"];
pub(super) const LINK_KEYS: &[&str] = &[
    "between",
    "loss",
    "duplicate",
    "corrupt",
    "reorder",
    "latency",
    "bandwidth",
    "crc",
];

/// Reads every `[[nic]]`.
pub(super) fn nics<'t>(
    root: &Table<'t>,
    profile: &Profile,
    context: &mut Context<'_>,
) -> (Vec<NicSpec>, NameIndex<'t>) {
    let mistakes = context.mistakes();
    let mut names = NameIndex::new(Named::Nic);
    let tables = root.tables("nic", "`[[nic]]`", NIC_KEYS, limits::NICS_MAX, mistakes);
    let nics = tables
        .iter()
        .map(|nic| NicSpec {
            name: names.define(nic, mistakes).to_owned(),
            sram: sram(nic, profile, mistakes),
            sram_place: nic
                .value("sram")
                .map_or(nic.span, |sram| sram.span().into()),
        })
        .collect::<Vec<_>>();
    match root.value("nic").map(|raw| (raw.span(), raw.get_ref())) {
        None => mistakes.add(0..0, MistakeKind::NoNics),
        Some((span, DeValue::Array(entries))) if entries.is_empty() => {
            mistakes.add(span, MistakeKind::NoNics);
        }
        Some(_) => {}
    }
    (nics, names)
}

fn sram(nic: &Table<'_>, profile: &Profile, mistakes: &mut Mistakes) -> u32 {
    let default = u64::from(profile.memory.sram);
    let bytes = nic.number("sram", default, 1..=limits::SRAM_MAX, table::size, mistakes);
    u32::try_from(bytes).expect("the range of `sram` fits in 32 bits")
}

/// Reads every `[[link]]`. A pair of NICs that none is written for is joined by the profile's wire, and
/// so is a NIC to itself.
pub(super) fn links(
    root: &Table<'_>,
    nics: &NameIndex<'_>,
    profile: &Profile,
    context: &mut Context<'_>,
) -> Vec<LinkSpec> {
    let count = nics.len();
    let mistakes = context.mistakes();
    let limit = count * (count + 1) / 2;
    let tables = root.tables("link", "`[[link]]`", LINK_KEYS, limit, mistakes);
    let mut joined = BTreeMap::new();
    let mut links = Vec::new();
    for link in &tables {
        let Some(between) = ends(link, nics, mistakes) else {
            continue;
        };
        if let Some(first) = joined.get(&between) {
            let kind = MistakeKind::DuplicateLink { first: *first };
            mistakes.add(link.span, kind);
            continue;
        }
        joined.insert(between, link.span);
        links.push(read_link(link, between, profile, mistakes));
    }
    for a in 0..count {
        for b in a..count {
            let between = (nic_id(a), nic_id(b));
            if !joined.contains_key(&between) {
                links.push(default_link(between, profile));
            }
        }
    }
    links
}

/// Returns a pair of NICs with the lower id first.
#[must_use]
fn ordered(a: NicId, b: NicId) -> (NicId, NicId) {
    (a.min(b), a.max(b))
}

fn nic_id(index: usize) -> NicId {
    NicId(u32::try_from(index).expect("the number of NICs is limited"))
}

fn ends(link: &Table<'_>, nics: &NameIndex<'_>, mistakes: &mut Mistakes) -> Option<(NicId, NicId)> {
    let between = link.need("between", mistakes)?;
    let DeValue::Array(ends) = between.get_ref() else {
        mistakes.add(between.span(), MistakeKind::LinkEnds);
        return None;
    };
    let [a, b] = &ends[..] else {
        mistakes.add(between.span(), MistakeKind::LinkEnds);
        return None;
    };
    let a = nics.find_value(a, mistakes);
    let b = nics.find_value(b, mistakes);
    Some(ordered(NicId(a?), NicId(b?)))
}

fn read_link(
    link: &Table<'_>,
    between: (NicId, NicId),
    profile: &Profile,
    mistakes: &mut Mistakes,
) -> LinkSpec {
    let default = default_link(between, profile);
    let mut probability = |key| {
        link.optional(key, table::probability, mistakes)
            .map_or(0.0, |found| found.value)
    };
    LinkSpec {
        loss: probability("loss"),
        duplicate: probability("duplicate"),
        corrupt: probability("corrupt"),
        reorder: probability("reorder"),
        latency: link
            .optional("latency", table::time, mistakes)
            .map_or(default.latency, |found| found.value),
        bandwidth: bandwidth(link, default.bandwidth, mistakes),
        crc: link
            .optional("crc", table::boolean, mistakes)
            .map_or(default.crc, |found| found.value),
        ..default
    }
}

fn bandwidth(link: &Table<'_>, default: NonZeroU64, mistakes: &mut Mistakes) -> NonZeroU64 {
    let range = 1..=u64::MAX;
    let bytes = link.number(
        "bandwidth",
        default.get(),
        range,
        table::bandwidth,
        mistakes,
    );
    NonZeroU64::new(bytes).unwrap_or(default)
}

fn default_link(between: (NicId, NicId), profile: &Profile) -> LinkSpec {
    LinkSpec {
        between,
        latency: profile.wire.latency,
        bandwidth: profile.wire.bandwidth,
        framing: profile.wire.framing(),
        loss: 0.0,
        duplicate: 0.0,
        corrupt: 0.0,
        reorder: 0.0,
        crc: true,
    }
}
