//! Control flow of one method: its instructions as nodes, and where each may go.

use jive_core::{Code, Insn, Pc, instructions};

/// An instruction of the method, by its position among them.
pub(crate) type Node = usize;

/// Stands for "no instruction begins at this pc".
const NONE: u32 = u32::MAX;

/// The instructions of a method, and the edges that execution may take between them.
///
/// Targets that start no instruction are left out, so code need not be verified. Building it takes
/// time proportional to the code, but for the sorting of each switch's targets.
#[derive(Clone, Debug)]
pub(crate) struct ControlFlow<'a> {
    insns: Vec<Insn<'a>>,
    /// The node that begins at each pc, or [`NONE`].
    starts: Vec<u32>,
    successors: Edges,
    predecessors: Edges,
}

/// For each node a list of nodes; all lists stand in one vector, one behind the other.
#[derive(Clone, Debug, Default)]
struct Edges {
    /// Where the list of each node ends.
    ends: Vec<usize>,
    nodes: Vec<Node>,
}

impl Edges {
    fn of(&self, node: Node) -> &[Node] {
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.nodes[start..self.ends[node]]
    }

    /// Returns the same edges, each turned round. Each list is in ascending order.
    fn reversed(&self) -> Edges {
        let mut ends = vec![0; self.ends.len()];
        for target in &self.nodes {
            ends[*target] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            // For now the place where the list starts; each entry below moves it on.
            let count = *end;
            *end = sum;
            sum += count;
        }
        let mut nodes = vec![0; self.nodes.len()];
        for node in 0..self.ends.len() {
            for target in self.of(node) {
                nodes[ends[*target]] = node;
                ends[*target] += 1;
            }
        }
        Edges { ends, nodes }
    }
}

impl<'a> ControlFlow<'a> {
    /// Takes a method's code apart, up to what is no instruction.
    pub(crate) fn of(code: &Code<'a>) -> ControlFlow<'a> {
        let insns = instructions(code.bytes)
            .map_while(Result::ok)
            .collect::<Vec<_>>();
        let mut starts = vec![NONE; code.bytes.len()];
        for (node, insn) in (0..NONE).zip(&insns) {
            starts[insn.pc.index()] = node;
        }
        let mut graph = ControlFlow {
            insns,
            starts,
            successors: Edges::default(),
            predecessors: Edges::default(),
        };
        let mut successors = Edges::default();
        let mut targets = Vec::new();
        for insn in &graph.insns {
            targets.clear();
            targets.extend(next_pcs(insn).filter_map(|target| graph.node(Pc(target))));
            targets.sort_unstable();
            targets.dedup();
            successors.nodes.extend_from_slice(&targets);
            successors.ends.push(successors.nodes.len());
        }
        graph.predecessors = successors.reversed();
        graph.successors = successors;
        graph
    }

    /// Returns the instruction that begins at a pc.
    pub(crate) fn node(&self, pc: Pc) -> Option<Node> {
        let node = *self.starts.get(pc.index())?;
        (node != NONE).then_some(node as usize)
    }

    /// Returns how many instructions there are.
    pub(crate) fn len(&self) -> usize {
        self.insns.len()
    }

    /// Returns how many instructions and edges there are: the steps that looking at all of them takes.
    pub(crate) fn size(&self) -> usize {
        self.insns.len() + self.successors.nodes.len()
    }

    /// Returns an instruction.
    pub(crate) fn insn(&self, node: Node) -> &Insn<'a> {
        &self.insns[node]
    }

    /// Returns where execution may go on behind an instruction.
    pub(crate) fn successors(&self, node: Node) -> &[Node] {
        self.successors.of(node)
    }

    /// Returns from where execution may come to an instruction.
    pub(crate) fn predecessors(&self, node: Node) -> &[Node] {
        self.predecessors.of(node)
    }

    /// Returns, for each instruction, whether a path from the method's start reaches it.
    pub(crate) fn reachable(&self) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        let mut waiting = Vec::new();
        if let Some(first) = reached.first_mut() {
            *first = true;
            waiting.push(0);
        }
        while let Some(node) = waiting.pop() {
            for next in self.successors(node) {
                if !reached[*next] {
                    reached[*next] = true;
                    waiting.push(*next);
                }
            }
        }
        reached
    }

    /// Whether a strongly connected component is a loop: more than one instruction, or one that goes to
    /// itself.
    pub(crate) fn is_loop(&self, component: &[Node]) -> bool {
        match component {
            [only] => self.successors(*only).contains(only),
            _ => true,
        }
    }
}

/// Returns the pcs at which execution may go on behind an instruction.
fn next_pcs(insn: &Insn<'_>) -> impl Iterator<Item = u16> {
    let next = insn
        .opcode
        .falls_through()
        .then(|| i64::from(insn.next_pc()));
    next.into_iter()
        .chain(insn.targets())
        .filter_map(|target| u16::try_from(target).ok())
}
