//! Reads `[[region]]` tables: when users of VIs deregister and register their memory.

use nic_core::id::EndpointId;
use nic_core::time::SimTime;

use super::context::Context;
use super::endpoint_table::Endpoints;
use super::keys::{REGION, ROOT};
use super::limits;
use super::mistake::MistakeKind;
use super::table::Table;
use crate::spec::InterfaceKind;
use crate::spec::RegionSpec;

/// Reads every `[[region]]`.
pub(super) fn read(
    root: &Table<'_>,
    endpoints: &Endpoints<'_>,
    context: &mut Context,
) -> Vec<RegionSpec> {
    let limit = limits::REGIONS_MAX;
    let mistakes = context.mistakes();
    let tables = root.tables(ROOT.region.name, REGION.section, limit, mistakes);
    let mut regions = Vec::new();
    for table in &tables {
        let at = REGION.at.given(table, mistakes);
        let endpoint = endpoints.names.find_key(&REGION.endpoint, table, mistakes);
        let endpoint = endpoint.map(EndpointId);
        let request = REGION.action.given(table, mistakes);
        let interface = endpoint.map(|id| endpoints.specs[id.0 as usize].interface);
        if interface.is_some_and(|interface| interface != InterfaceKind::Via) {
            let (key, partner) = ("[[region]]", "interface = \"via\"");
            mistakes.add(table.span, MistakeKind::NeedsPartner { key, partner });
        }
        if let (Some(at), Some(endpoint), Some(request)) = (at, endpoint, request) {
            regions.push(RegionSpec {
                at: SimTime::ZERO + at.value,
                endpoint,
                request: request.value,
            });
        }
    }
    regions
}
