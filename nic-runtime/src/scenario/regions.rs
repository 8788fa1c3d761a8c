//! Reads `[[region]]` tables: when users of VIs deregister and register their memory.

use nic_core::id::EndpointId;
use nic_core::time::SimTime;

use super::context::Context;
use super::endpoint_table::Endpoints;
use super::limits;
use super::mistake::MistakeKind;
use super::table::{self, Table, choice, keys};
use crate::spec::InterfaceKind;
use crate::spec::{RegionRequest, RegionSpec};

pub(super) const REGION_KEYS: &[&str] = &["at", "endpoint", "action"];

const ACTIONS: [(&str, RegionRequest); 2] = [
    ("deregister", RegionRequest::Deregister),
    ("register", RegionRequest::Register),
];
const ACTION_NAMES: [&str; ACTIONS.len()] = keys(&ACTIONS);

/// Reads every `[[region]]`.
pub(super) fn read(
    root: &Table<'_>,
    endpoints: &Endpoints<'_>,
    context: &mut Context<'_>,
) -> Vec<RegionSpec> {
    let limit = limits::REGIONS_MAX;
    let mistakes = context.mistakes();
    let tables = root.tables("region", "`[[region]]`", REGION_KEYS, limit, mistakes);
    let mut regions = Vec::new();
    for table in &tables {
        let at = table.required("at", table::time, mistakes);
        let endpoint = table
            .need("endpoint", mistakes)
            .and_then(|value| endpoints.names.find_value(value, mistakes))
            .map(EndpointId);
        let _named = table.need("action", mistakes);
        let request = choice(table, "action", &ACTIONS, &ACTION_NAMES, mistakes);
        let interface = endpoint.map(|id| endpoints.specs[id.0 as usize].interface);
        if interface.is_some_and(|interface| interface != InterfaceKind::Via) {
            let (key, partner) = ("[[region]]", "interface = \"via\"");
            mistakes.add(table.span, MistakeKind::NeedsPartner { key, partner });
        }
        if let (Some(at), Some(endpoint), Some(request)) = (at, endpoint, request) {
            regions.push(RegionSpec {
                at: SimTime::ZERO + at.value,
                endpoint,
                request,
            });
        }
    }
    regions
}
