//! A network as a graph: for each node, its neighbours and the links to them.

use std::collections::BTreeMap;

use nic_core::id::NicId;

use crate::ids::Id;
use crate::spec::network::{LinkSpec, SwitchSpec};

/// No link.
pub(super) const NONE: u32 = u32::MAX;

/// The links between different nodes. The NICs are first among the nodes.
pub(super) struct Graph {
    pub(super) nics: usize,
    pub(super) ends: Vec<(NicId, NicId)>,
    /// For each node, its neighbours in the order of their names, and of two links to the same neighbour the first first.
    pub(super) of_node: Vec<Vec<(NicId, u32)>>,
    /// The position of each node among all names.
    pub(super) by_name: Vec<u32>,
}

impl Graph {
    pub(super) fn new(names: &[&str], switches: &[SwitchSpec], links: &[LinkSpec]) -> Graph {
        let of_switches = switches.iter().map(|switch| switch.name.as_str());
        let all: Vec<&str> = names.iter().copied().chain(of_switches).collect();
        let mut sorted: Vec<usize> = (0..all.len()).collect();
        sorted.sort_by_key(|node| all[*node]);
        let mut by_name = vec![0; all.len()];
        for (place, node) in (0u32..).zip(sorted) {
            by_name[node] = place;
        }
        let mut of_node = vec![Vec::new(); all.len()];
        for (link, spec) in (0u32..).zip(links) {
            let (a, b) = spec.between;
            if a != b {
                of_node[a.index()].push((b, link));
                of_node[b.index()].push((a, link));
            }
        }
        for neighbours in &mut of_node {
            neighbours.sort_by_key(|(node, link)| (by_name[node.index()], *link));
        }
        Graph {
            nics: names.len(),
            ends: links.iter().map(|link| link.between).collect(),
            of_node,
            by_name,
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.of_node.len()
    }

    pub(super) fn is_switch(&self, node: NicId) -> bool {
        node.index() >= self.nics
    }

    pub(super) fn neighbours(&self, node: NicId) -> &[(NicId, u32)] {
        &self.of_node[node.index()]
    }

    /// Returns the link of a NIC that has no other and leads to a switch, or [`NONE`].
    pub(super) fn only_link(&self, nic: usize) -> u32 {
        match self.of_node[nic][..] {
            [(switch, link)] if self.is_switch(switch) => link,
            _ => NONE,
        }
    }

    /// Returns the ends of a given route, and the link that each of its nodes takes. Returns `None` if two nodes have no
    /// link.
    pub(super) fn given(&self, way: &[NicId]) -> Option<((NicId, NicId), BTreeMap<NicId, u32>)> {
        let step = |pair: &[NicId]| {
            let mut links = self.neighbours(pair[0]).iter();
            let (_, link) = links.find(|(node, _)| *node == pair[1])?;
            Some((pair[0], *link))
        };
        let links = way.windows(2).map(step).collect::<Option<_>>()?;
        Some(((*way.first()?, *way.last()?), links))
    }
}
