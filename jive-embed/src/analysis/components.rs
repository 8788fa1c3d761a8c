//! Strongly connected components of a subgraph of a method's control flow graph.

use super::graph::{ControlFlow, Node};

/// Marks a node that the search has not visited.
const NEW: u32 = u32::MAX;

/// The components of a subgraph, in reverse topological order: each component comes after those that its edges lead to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Partition {
    nodes: Vec<Node>,
    /// The position in `nodes` at which each component ends.
    ends: Vec<usize>,
}

impl Partition {
    /// Iterates over the components.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[Node]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| &self.nodes[start..*end])
    }

    /// Returns the components that are loops, in the order of the components.
    pub(crate) fn loops(&self, graph: &ControlFlow<'_>) -> Vec<Vec<Node>> {
        let loops = self.iter().filter(|component| graph.is_loop(component));
        loops.map(<[Node]>::to_vec).collect()
    }
}

/// A search for components, with memory that is reused for later searches in the same method.
///
/// `Components` uses Tarjan's algorithm with an explicit stack, because the depth can reach 64 Ki instructions. A
/// search takes time linear in the instructions of the subgraph and their outgoing edges, independent of the method's
/// length.
#[derive(Debug)]
pub(crate) struct Components {
    /// The place of each node in the order of visits; [`NEW`] for every node between searches.
    order: Vec<u32>,
    /// The least visiting order of an open node that each node is known to reach (*lowlink*).
    low: Vec<u32>,
    is_open: Vec<bool>,
    open: Vec<Node>,
    /// The nodes on the current search path, each with the index of its next edge.
    path: Vec<(Node, usize)>,
}

impl Components {
    /// Allocates memory for searches in a method with `len` instructions.
    pub(crate) fn new(len: usize) -> Components {
        Components {
            order: vec![NEW; len],
            low: vec![0; len],
            is_open: vec![false; len],
            open: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Returns the components of the subgraph that consists of `nodes`. `within` must be true exactly for the nodes in
    /// `nodes`.
    pub(crate) fn of(
        &mut self,
        graph: &ControlFlow<'_>,
        nodes: &[Node],
        within: &[bool],
    ) -> Partition {
        let mut found = Partition::default();
        let mut counter = 0;
        for root in nodes.iter().copied() {
            if self.order[root] == NEW {
                self.path.push((root, 0));
                self.follow(graph, within, &mut counter, &mut found);
            }
        }
        for node in nodes {
            self.order[*node] = NEW;
        }
        found
    }

    /// Continues the search from the nodes on `path`, until every node reached from them belongs to a component.
    fn follow(
        &mut self,
        graph: &ControlFlow<'_>,
        within: &[bool],
        counter: &mut u32,
        found: &mut Partition,
    ) {
        while let Some((node, edge)) = self.path.pop() {
            if edge == 0 {
                self.order[node] = *counter;
                self.low[node] = *counter;
                *counter += 1;
                self.open.push(node);
                self.is_open[node] = true;
            }
            if let Some(next) = graph.successors(node).get(edge).copied() {
                self.path.push((node, edge + 1));
                if within[next] && self.order[next] == NEW {
                    self.path.push((next, 0));
                } else if within[next] && self.is_open[next] {
                    self.low[node] = self.low[node].min(self.order[next]);
                }
                continue;
            }
            if let Some((parent, _)) = self.path.last() {
                self.low[*parent] = self.low[*parent].min(self.low[node]);
            }
            if self.low[node] == self.order[node] {
                while let Some(member) = self.open.pop() {
                    self.is_open[member] = false;
                    found.nodes.push(member);
                    if member == node {
                        break;
                    }
                }
                found.ends.push(found.nodes.len());
            }
        }
    }
}
