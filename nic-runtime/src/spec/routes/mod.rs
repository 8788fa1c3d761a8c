//! The routes that packets take over switches.
//!
//! All routes to a NIC make a tree, so a node needs to know nothing of a packet but where it goes. Most NICs have one
//! link, to a switch. Such a NIC needs no choice of its own: what is for it goes to its switch first.

mod dimension_order;
mod graph;
mod shortest;
mod up_down;

use std::collections::BTreeMap;

use nic_core::id::NicId;

use self::graph::{Graph, NONE};
use super::network::{LinkSpec, SwitchSpec};
use crate::ids::Id;

/// How the routes of a network are found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Routing {
    /// Each route has the fewest links.
    #[default]
    Shortest,
    /// Each route has the fewest links, and routes to different NICs are divided among those that have as few.
    Spread,
    /// A packet goes towards the root of a tree first, and then away from it, never the other way round. So no cycle of
    /// packets can wait for each other.
    UpDown,
    /// A packet goes along the first dimension of a mesh first, then along the second, and so on.
    DimensionOrder,
    /// Some routes are given, each by its nodes; all others are shortest.
    Given(Vec<Vec<NicId>>),
}

/// The routes of a network: for each node and each NIC, the link on which the node sends packets to the NIC.
///
/// Only switches are between the ends of a route, and no route visits a node twice.
#[derive(Clone, Debug)]
pub struct Routes {
    nics: usize,
    ends: Vec<(NicId, NicId)>,
    /// For each NIC that has one link, to a switch, this link, or else [`NONE`].
    only: Vec<u32>,
    /// For each node, the position of its row in `next`; [`NONE`] for the NICs with one link.
    rows: Vec<u32>,
    /// For each NIC, the column for it or for its switch.
    columns: Vec<u32>,
    width: usize,
    /// The position of the link on which a node sends what is for a column, or [`NONE`].
    next: Vec<u32>,
    /// The links of the nodes of each given route.
    given: BTreeMap<(NicId, NicId), BTreeMap<NicId, u32>>,
}

impl Routes {
    /// Finds the routes between NICs over the links between different nodes. `names` has the names of the NICs.
    #[must_use]
    pub fn new(
        names: &[&str],
        switches: &[SwitchSpec],
        links: &[LinkSpec],
        routing: &Routing,
    ) -> Routes {
        let graph = Graph::new(names, switches, links);
        let mut routes = Routes::of_graph(&graph);
        let targets = routes.targets(&graph);
        routes.width = targets.len();
        let order = matches!(routing, Routing::UpDown).then(|| up_down::order(&graph));
        let count = routes.rows.iter().filter(|row| **row != NONE).count();
        routes.next = vec![NONE; count * routes.width];
        for (column, target) in targets.into_iter().enumerate() {
            let next = match (routing, &order) {
                (Routing::UpDown, Some(order)) => up_down::to(&graph, order, target),
                (Routing::DimensionOrder, _) => dimension_order::to(&graph, switches, target),
                (Routing::Spread, _) => shortest::to(&graph, target, shortest::any),
                (Routing::Shortest | Routing::UpDown | Routing::Given(_), _) => {
                    shortest::to(&graph, target, shortest::first)
                }
            };
            for (row, link) in routes.rows.iter().zip(next) {
                if *row != NONE {
                    routes.next[*row as usize * routes.width + column] = link;
                }
            }
        }
        if let Routing::Given(given) = routing {
            routes.given = given.iter().filter_map(|way| graph.given(way)).collect();
        }
        routes
    }

    /// Returns the tables without routes: what every node is.
    fn of_graph(graph: &Graph) -> Routes {
        let only: Vec<u32> = (0..graph.nics).map(|nic| graph.only_link(nic)).collect();
        let mut rows = 0;
        let row = |node: usize| {
            let has_row = only.get(node).is_none_or(|only| *only == NONE);
            let row = if has_row { rows } else { NONE };
            rows += u32::from(has_row);
            row
        };
        Routes {
            nics: graph.nics,
            ends: graph.ends.clone(),
            rows: (0..graph.nodes()).map(row).collect(),
            columns: Vec::new(),
            width: 0,
            next: Vec::new(),
            given: BTreeMap::new(),
            only,
        }
    }

    /// Numbers the columns, and returns the node of each.
    fn targets(&mut self, graph: &Graph) -> Vec<NicId> {
        let mut numbers = BTreeMap::new();
        let mut targets = Vec::new();
        for nic in (0..graph.nics).map(NicId::of) {
            let target = self.far_end(nic).unwrap_or(nic);
            let column = numbers.entry(target).or_insert_with(|| {
                targets.push(target);
                targets.len() as u32 - 1
            });
            self.columns.push(*column);
        }
        targets
    }

    /// Returns the switch of a NIC with one link.
    fn far_end(&self, nic: NicId) -> Option<NicId> {
        let link = *self.only.get(nic.index())?;
        (link != NONE).then(|| self.other_end(link as usize, nic))
    }

    /// Returns the node at the other end of a link.
    #[must_use]
    pub fn other_end(&self, link: usize, node: NicId) -> NicId {
        let (a, b) = self.ends[link];
        if a == node { b } else { a }
    }

    /// Returns the number of NICs, behind which the numbers of switches begin.
    #[must_use]
    pub fn nics(&self) -> usize {
        self.nics
    }

    /// Returns the position of the link on which a node sends the packets of a NIC to another.
    #[must_use]
    pub fn next(&self, node: NicId, (from, to): (NicId, NicId)) -> Option<usize> {
        if !self.given.is_empty()
            && let Some(given) = self.given.get(&(from, to))
        {
            return given.get(&node).map(|link| *link as usize);
        }
        if node == to {
            return None;
        }
        if let Some(switch) = self.far_end(node) {
            let link = self.only[node.index()] as usize;
            return self.next(switch, (from, to)).map(|_| link);
        }
        if self.far_end(to) == Some(node) {
            return Some(self.only[to.index()] as usize);
        }
        let row = *self.rows.get(node.index())? as usize;
        let column = *self.columns.get(to.index())? as usize;
        let link = *self.next.get(row * self.width + column)?;
        (link != NONE).then_some(link as usize)
    }

    /// Returns the links of the route from a NIC to another, each with the node that sends on it.
    pub fn way(&self, from: NicId, to: NicId) -> impl Iterator<Item = (NicId, usize)> {
        let mut node = from;
        std::iter::from_fn(move || {
            let link = self.next(node, (from, to))?;
            let at = node;
            node = self.other_end(link, at);
            Some((at, link))
        })
    }
}

#[cfg(test)]
mod tests;
