//! Strongly connected components of a part of a method's control flow.

use super::graph::{ControlFlow, Node};

/// Stands for a node that the search has not come to.
const NEW: u32 = u32::MAX;

/// The components of some instructions, each behind those that its edges lead to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Partition {
    nodes: Vec<Node>,
    /// Where each component ends among the nodes.
    ends: Vec<usize>,
}

impl Partition {
    /// Returns each component.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[Node]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| &self.nodes[start..*end])
    }
}

/// A search for components, and its memory, which later searches of the same method use again.
///
/// Tarjan's algorithm, with a stack of its own: code may be 64 KiB deep. A search takes time
/// proportional to the instructions that it is given and the edges that leave them, however long the
/// method is.
#[derive(Debug)]
pub(crate) struct Components {
    /// When the search came to each node; [`NEW`] between searches.
    order: Vec<u32>,
    /// The earliest open node that each is known to lead to.
    low: Vec<u32>,
    is_open: Vec<bool>,
    open: Vec<Node>,
    /// The nodes on the way to the one looked at, with the next of their edges.
    path: Vec<(Node, usize)>,
}

impl Components {
    /// Lends memory to searches in a method of so many instructions.
    pub(crate) fn new(len: usize) -> Components {
        Components {
            order: vec![NEW; len],
            low: vec![0; len],
            is_open: vec![false; len],
            open: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Returns the components of some instructions. `within` is true for these and for no other.
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

    /// Follows the edges from the node on the path until every node that they lead to has its component.
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
