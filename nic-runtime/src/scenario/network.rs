//! Reads `[[nic]]` and `[[link]]` tables.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::Arc;

use nic_core::id::NicId;
use toml::de::DeValue;

use super::context::Context;
use super::keys::{DYNAMIC, LINK, NIC, PLACEMENT, ROOT};
use super::limits;
use super::mistake::{MistakeKind, Named};
use super::names::NameIndex;
use super::profiles::{self, NicProfiles};
use super::table::{self, Mistakes, Table};
use crate::profile::{Profile, ProfileError, WireProfile};
use crate::spec::{EmpPlacement, EmpPlaces, EmpStage, Placement};
use crate::spec::{LinkSpec, NicSpec};

/// Reads every `[[nic]]`.
pub(super) fn nics<'t>(
    root: &Table<'t>,
    of_all: &Arc<Profile>,
    context: &mut Context,
) -> (Vec<NicSpec>, NameIndex<'t>) {
    let mut names = NameIndex::new(Named::Nic);
    let limit = limits::NICS_MAX;
    let tables = root.tables(ROOT.nic.name, NIC.section, limit, context.mistakes());
    let nics = tables
        .iter()
        .map(|nic| {
            let own = profiles::named(&NIC.profile, nic, context).filter(|own| own != of_all);
            let mistakes = context.mistakes();
            let name = names.define(&NIC.name, nic, mistakes).to_owned();
            let processors = processors(nic, mistakes);
            NicSpec {
                name,
                sram: sram(nic, own.as_ref().unwrap_or(of_all), mistakes),
                sram_place: nic
                    .value(NIC.sram.name)
                    .map_or(nic.span, |sram| sram.span().into()),
                processors,
                placement: placement(nic, processors, own.as_ref().unwrap_or(of_all), mistakes),
                host: None,
                profile: own,
            }
        })
        .collect::<Vec<_>>();
    let mistakes = context.mistakes();
    match root
        .value(ROOT.nic.name)
        .map(|raw| (raw.span(), raw.get_ref()))
    {
        None => mistakes.add(0..0, MistakeKind::NoNics),
        Some((span, DeValue::Array(entries))) if entries.is_empty() => {
            mistakes.add(span, MistakeKind::NoNics);
        }
        Some(_) => {}
    }
    (nics, names)
}

fn processors(nic: &Table<'_>, mistakes: &mut Mistakes) -> u32 {
    let count = NIC.processors.get(nic, mistakes);
    u32::try_from(count).expect("the range of `processors` fits in 32 bits")
}

/// Reads the processor of a NIC for each stage. By default, the stage `transmit` runs on the processor of `doTx`, and
/// `receive` on that of `doRx`.
fn placement(
    nic: &Table<'_>,
    processors: u32,
    profile: &Profile,
    mistakes: &mut Mistakes,
) -> Placement {
    let Some(written) = nic.value(NIC.placement.name) else {
        return Placement::default();
    };
    if nic.value(NIC.processors.name).is_none() {
        mistakes.add(
            written.span(),
            MistakeKind::NeedsPartner {
                key: NIC.placement.name,
                partner: NIC.processors.name,
            },
        );
        return Placement::default();
    }
    if let DeValue::String(name) = written.get_ref() {
        let emp = named_placement(name, profile, processors);
        return Placement {
            emp: mistakes.note(written.span(), emp).unwrap_or_default(),
            ..Placement::default()
        };
    }
    let Some(written) = Table::of_value(written, &PLACEMENT, mistakes) else {
        return Placement::default();
    };
    let mut place = |key| {
        let last = processors - 1;
        let raw = written.value(key)?;
        let found = mistakes.note(raw.span(), table::integer(raw.get_ref()))?;
        let place = u32::try_from(found).ok();
        let place = place.filter(|place| *place <= last);
        if place.is_none() {
            mistakes.add(raw.span(), MistakeKind::NoSuchProcessor { last });
        }
        place
    };
    let do_tx = place("doTx").unwrap_or(0);
    let do_rx = place("doRx").unwrap_or(0);
    let mut emp = EmpPlaces::default();
    for stage in EmpStage::ALL {
        emp[stage] = place(stage.name()).unwrap_or(0);
    }
    let (transmit, receive) = (place("transmit"), place("receive"));
    let (do_timer, do_refill, do_watch) = (place("doTimer"), place("doRefill"), place("doWatch"));
    // A placement of EMP's stages must place all of EMP's stages, so that none is forgotten.
    let is_named = |name: &&'static str| written.value(name).is_some();
    let missing = EmpStage::NAMES.iter().find(|name| !is_named(name));
    if let Some(key) = missing
        && EmpStage::NAMES.iter().any(is_named)
    {
        let (table, key) = (PLACEMENT.what, *key);
        mistakes.add(written.span, MistakeKind::MissingKey { table, key });
    }
    Placement {
        transmit: transmit.unwrap_or(do_tx),
        receive: receive.unwrap_or(do_rx),
        do_tx,
        do_rx,
        do_timer: do_timer.unwrap_or(do_rx),
        do_refill: do_refill.unwrap_or(do_rx),
        do_watch: do_watch.unwrap_or(do_rx),
        emp: EmpPlacement::Fixed(emp),
    }
}

/// Returns the placement of this name from a NIC's profile.
fn named_placement(
    name: &str,
    profile: &Profile,
    processors: u32,
) -> Result<EmpPlacement, MistakeKind> {
    if name == DYNAMIC {
        return Ok(EmpPlacement::Dynamic);
    }
    let Some(places) = profile.placement(name) else {
        let known = profile.placements.iter().map(|(name, _)| name.as_str());
        let known = known.chain([DYNAMIC]).collect::<Vec<_>>().join(", ");
        return Err(MistakeKind::UnknownPlacement { known });
    };
    let last = processors - 1;
    match EmpStage::ALL.iter().all(|&stage| places[stage] <= last) {
        true => Ok(EmpPlacement::Fixed(places)),
        false => Err(MistakeKind::NoSuchProcessor { last }),
    }
}

fn sram(nic: &Table<'_>, profile: &Profile, mistakes: &mut Mistakes) -> u32 {
    let Some(bytes) = NIC.sram.given(nic, mistakes) else {
        return profile.memory.sram;
    };
    u32::try_from(bytes.value).expect("the range of `sram` fits in 32 bits")
}

/// Reads every `[[link]]`. Pairs of NICs without a `[[link]]`, and each NIC to itself, get a default link with the wire
/// of their profile. NICs with different profiles get no default link, and a `[[link]]` between them must name a
/// profile.
pub(super) fn links(
    root: &Table<'_>,
    nics: &NameIndex<'_>,
    of_nic: &NicProfiles,
    context: &mut Context,
) -> Vec<LinkSpec> {
    let count = nics.len();
    let limit = count * (count + 1) / 2;
    let tables = root.tables(ROOT.link.name, LINK.section, limit, context.mistakes());
    let mut joined = BTreeMap::new();
    let mut links = Vec::new();
    for link in &tables {
        let own = profiles::named(&LINK.profile, link, context);
        let mistakes = context.mistakes();
        let Some(between) = ends(link, nics, mistakes) else {
            continue;
        };
        if let Some(first) = joined.get(&between) {
            let kind = MistakeKind::DuplicateLink { first: *first };
            mistakes.add(link.span, kind);
            continue;
        }
        joined.insert(between, link.span);
        let (a, b) = between;
        let profile = own.as_deref().or_else(|| of_nic.of_both(a, b));
        // If the link names a profile that could not be read, that mistake has already been reported.
        if profile.is_none() && link.value(LINK.profile.name).is_none() {
            mistakes.add(link.span, MistakeKind::LinkNeedsProfile);
        }
        let wire = &profile.unwrap_or_else(|| of_nic.of(a)).wire;
        if wire.cell > 0 && [a, b].iter().any(|&nic| of_nic.of(nic).sends_in_turn()) {
            mistakes.add(link.span, MistakeKind::Profile(ProfileError::CellsInTurn));
        }
        links.push(read_link(link, between, wire, mistakes));
    }
    for a in 0..count {
        for b in a..count {
            let between = (nic_id(a), nic_id(b));
            if let Some(profile) = of_nic.of_both(between.0, between.1)
                && !joined.contains_key(&between)
            {
                links.push(default_link(between, &profile.wire));
            }
        }
    }
    links
}

/// Returns a pair of NICs, sorted by id.
#[must_use]
fn ordered(a: NicId, b: NicId) -> (NicId, NicId) {
    (a.min(b), a.max(b))
}

fn nic_id(index: usize) -> NicId {
    NicId(u32::try_from(index).expect("the number of NICs is limited"))
}

fn ends(link: &Table<'_>, nics: &NameIndex<'_>, mistakes: &mut Mistakes) -> Option<(NicId, NicId)> {
    let between = LINK.between.raw(link, mistakes)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{ScenarioError, parse};

    fn placed(nic: &str) -> Result<NicSpec, Vec<MistakeKind>> {
        let text = format!("[[nic]]\nname = 'a'\n{nic}\n");
        match parse(text.as_bytes(), None, None) {
            Ok(scenario) => Ok(scenario.nics[0].clone()),
            Err(ScenarioError::Mistakes(mistakes)) => {
                Err(mistakes.into_iter().map(|mistake| mistake.kind).collect())
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_standard_u_net_does_runs_beside_the_entry_of_its_way() {
        let nic = placed("processors = 3\nplacement = { doTx = 1, doRx = 2 }").unwrap();
        let expected = Placement {
            transmit: 1,
            receive: 2,
            do_tx: 1,
            do_rx: 2,
            do_timer: 2,
            do_refill: 2,
            do_watch: 2,
            emp: EmpPlacement::default(),
        };
        assert_eq!((nic.processors, nic.placement), (3, expected));
        let nic = placed("processors = 2\nplacement = { receive = 1 }").unwrap();
        let expected = Placement {
            receive: 1,
            ..Placement::default()
        };
        assert_eq!(nic.placement, expected);
    }

    #[test]
    fn processors_and_stages_that_do_not_exist_are_refused() {
        let mistake = |nic| match placed(nic).unwrap_err().as_slice() {
            [mistake] => mistake.clone(),
            mistakes => panic!("{mistakes:?}"),
        };
        let last = 1;
        for nic in [
            "doRx = 2",
            "receive = 4294967296",
            "doTx = 18446744073709551615",
        ] {
            let nic = format!("processors = 2\nplacement = {{ {nic} }}");
            assert!(placed(&nic).is_err(), "{nic}");
        }
        let nic = "processors = 2\nplacement = { doRx = 2 }";
        assert_eq!(mistake(nic), MistakeKind::NoSuchProcessor { last });
        let nic = "processors = 2\nplacement = { doPost = 0 }";
        assert!(matches!(mistake(nic), MistakeKind::UnknownKey { .. }));
        let nic = "placement = { doRx = 0 }";
        assert!(matches!(mistake(nic), MistakeKind::NeedsPartner { .. }));
        // These placements of EMP's stages miss stages, misspell a stage, or name a processor that the NIC does not
        // have.
        let nic = "processors = 2\nplacement = { send-ack = 1 }";
        let table = "`placement`";
        let missing = |key| MistakeKind::MissingKey { table, key };
        assert_eq!(mistake(nic), missing("send-bookkeeping"));
        let all = |stages: [&str; 8], processor| {
            let stages = stages.map(|stage| format!("{stage} = {processor}"));
            format!("processors = 2\nplacement = {{ {} }}", stages.join(", "))
        };
        let mut stages = EmpStage::NAMES;
        let beyond = placed(&all(stages, 2)).unwrap_err();
        assert_eq!(beyond, vec![MistakeKind::NoSuchProcessor { last }; 8]);
        stages[0] = "send-book-keeping";
        let misspelt = placed(&all(stages, 1)).unwrap_err();
        let misspelt = misspelt.as_slice();
        let [other, MistakeKind::UnknownKey { .. }] = misspelt else {
            panic!("{misspelt:?}");
        };
        assert_eq!(*other, missing("send-bookkeeping"));
        for nic in ["processors = 0", "processors = 9"] {
            assert!(
                matches!(mistake(nic), MistakeKind::OutOfRange { .. }),
                "{nic}"
            );
        }
    }
}
