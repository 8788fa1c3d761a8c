//! Reads `[[swap]]` tables: the classes that become applets during the run.

use std::collections::BTreeSet;

use nic_core::id::EndpointId;
use nic_core::time::SimTime;

use super::context::Context;
use super::endpoint_table::Endpoints;
use super::keys::{ROOT, SWAP};
use super::limits;
use super::mistake::MistakeKind;
use super::profiles::NicProfiles;
use super::table::{self, Table};
use crate::applet;
use crate::spec::SwapSpec;

/// Reads every `[[swap]]`. The class files are read, but not verified: the rejection of a class is an event of the run.
pub(super) fn read(
    root: &Table<'_>,
    endpoints: &Endpoints<'_>,
    of_nic: &NicProfiles,
    context: &mut Context,
) -> Vec<SwapSpec> {
    let limit = limits::SWAPS_MAX;
    let mistakes = context.mistakes();
    let tables = root.tables(ROOT.swap.name, SWAP.section, limit, mistakes);
    let mut known = BTreeSet::new();
    let mut swaps = Vec::new();
    for table in &tables {
        let mistakes = context.mistakes();
        let at = SWAP.at.given(table, mistakes);
        let endpoint = endpoints.names.find_key(&SWAP.endpoint, table, mistakes);
        let endpoint = endpoint.map(EndpointId);
        let class = SWAP
            .applet
            .with(table, table::text, mistakes)
            .and_then(|applet| {
                let class = context.class(applet.value);
                context.mistakes().note(applet.span, class)
            });
        if endpoint.is_some_and(|endpoint| endpoints.specs[endpoint.0 as usize].has_chain()) {
            let what = "a swap replaces a single applet";
            let kind = MistakeKind::Chain { what };
            context.mistakes().add(table.span, kind);
        }
        if endpoint.is_some_and(|endpoint| endpoints.specs[endpoint.0 as usize].is_collected) {
            let (key, of) = ("[[swap]]", "heap = \"collected\"");
            let kind = MistakeKind::Excluded { key, of };
            context.mistakes().add(table.span, kind);
        }
        if let Some(endpoint) = endpoint
            && known.insert(endpoint)
        {
            make_room(table, (endpoint, endpoints), of_nic, context);
        }
        if let (Some(at), Some(endpoint), Some(class)) = (at, endpoint, class) {
            swaps.push(SwapSpec {
                at: SimTime::ZERO + at.value,
                endpoint,
                class,
            });
        }
    }
    swaps
}

/// Checks that an endpoint can have applets, and counts the memory of the endpoint's applets beyond its first.
fn make_room(
    table: &Table<'_>,
    (endpoint, endpoints): (EndpointId, &Endpoints<'_>),
    of_nic: &NicProfiles,
    context: &mut Context,
) {
    let place = endpoint.0 as usize;
    let interface = endpoints.specs[place].interface;
    if !interface.replaces_applets() {
        let (key, interface) = ("[[swap]]", interface.name());
        let kind = MistakeKind::ExcludedByInterface { key, interface };
        context.mistakes().add(table.span, kind);
    }
    let Some(nic) = endpoints.nics[place] else {
        return;
    };
    let profile = of_nic.of(nic);
    if let Some(section) = profile.lacks(applet::SECTIONS) {
        let kind = MistakeKind::ProfileLacks {
            needs: "an applet".to_owned(),
            section,
            profile: profile.name.clone(),
        };
        context.mistakes().add(table.span, kind);
    }
    let spec = &endpoints.specs[place];
    let each = u64::from(spec.heap) + u64::from(profile.rx_buf_bytes());
    // An endpoint whose applet is replaced uses memory for two applets at a time.
    let more = if endpoints.names_applet[place] { 1 } else { 2 };
    context.take_heap_bytes(more * each, table.span);
}
