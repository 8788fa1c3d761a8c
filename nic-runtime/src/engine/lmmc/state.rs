//! The state of LMMC.

use std::collections::BTreeMap;

use nic_core::id::{EndpointId, NicId};

use super::delays::Delay;
use super::node::Node;
use super::place::Place;
use super::site::{Site, SiteId};
use crate::ids::Table;
use crate::sim::Engines;
use crate::slab::{DelayRef, Slab};

/// Engines with LMMC among them.
pub(crate) trait HasLmmc: Engines {
    /// Returns the state of LMMC.
    fn lmmc(&self) -> &LmmcState;

    /// Returns the state of LMMC, to change it.
    fn lmmc_mut(&mut self) -> &mut LmmcState;
}

/// The interfaces of all NICs with endpoints of LMMC.
#[derive(Debug, Default)]
pub(crate) struct LmmcState {
    pub(super) delays: Slab<DelayRef, Delay>,
    pub(super) nodes: BTreeMap<NicId, Node>,
    pub(super) sites: Table<SiteId, Site>,
    pub(super) places: BTreeMap<EndpointId, Place>,
}

impl LmmcState {
    /// Returns the end of the link from one node to another that is at the first.
    pub(super) fn between(&self, nic: NicId, peer: NicId) -> Option<SiteId> {
        let links = &self.nodes.get(&nic)?.links;
        links
            .iter()
            .copied()
            .find(|site| self.sites[*site].peer_nic == peer)
    }

    /// Returns the node of a site, to change both.
    pub(super) fn with_node(&mut self, site: SiteId) -> Option<(&mut Node, &mut Site)> {
        let site = &mut self.sites[site];
        Some((self.nodes.get_mut(&site.nic)?, site))
    }
}
