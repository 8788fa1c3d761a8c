//! Reads `[[nic]]` tables.

use std::sync::Arc;

use toml::de::DeValue;

use super::context::Context;
use super::keys::{DYNAMIC, NIC, PLACEMENT, ROOT};
use super::limits;
use super::mistake::{MistakeKind, Named};
use super::names::NameIndex;
use super::profiles;
use super::table::{self, Mistakes, Table};
use crate::profile::Profile;
use crate::spec::NicSpec;
use crate::spec::{EmpPlacement, EmpPlaces, EmpStage, Placement};

/// Reads every `[[nic]]`.
pub(super) fn read<'t>(
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
            let profile = own.as_ref().unwrap_or(of_all);
            if profile.semaphore.is_some() && processors == 1 {
                let key = nic
                    .value(NIC.processors.name)
                    .or(nic.value(NIC.profile.name));
                let place = key.map_or(nic.span, |key| key.span().into());
                mistakes.add(place, MistakeKind::SharesAlone);
            }
            NicSpec {
                name,
                sram: sram(nic, own.as_ref().unwrap_or(of_all), mistakes),
                sram_place: nic
                    .value(NIC.sram.name)
                    .map_or(nic.span, |sram| sram.span().into()),
                processors_place: nic
                    .value(NIC.processors.name)
                    .map_or(nic.span, |processors| processors.span().into()),
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
    fn a_semaphore_on_one_processor_is_refused() {
        let on = |keys: &str| placed(&format!("profile = 'tigon2-2002-locks'\n{keys}"));
        assert_eq!(on("").unwrap_err(), [MistakeKind::SharesAlone]);
        let one = on("processors = 1").unwrap_err();
        assert_eq!(one, [MistakeKind::SharesAlone]);
        assert_eq!(
            one[0].to_string(),
            "expected `processors = 2` or more: the profile has a `[semaphore]`, which processors of a NIC share"
        );
        assert_eq!(on("processors = 2").unwrap().processors, 2);
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
