//! Control flow graph of a method, with instructions as nodes.

use jive_core::{Code, Insn, Pc, instructions};

/// Index of an instruction in the method, counted in instructions.
pub(crate) type Node = usize;

/// Marks a pc where no instruction starts.
const NONE: u32 = u32::MAX;

/// The control flow graph of a method.
///
/// The graph leaves out branch targets that are not the start of an instruction, so the code need not be verified.
/// Building the graph takes time linear in the code, except that the targets of each switch are sorted.
#[derive(Clone, Debug)]
pub(crate) struct ControlFlow<'a> {
    insns: Vec<Insn<'a>>,
    /// For each pc, the index of the instruction that starts there, or [`NONE`].
    starts: Vec<u32>,
    successors: Edges,
    predecessors: Edges,
}

/// The edges of a graph: for each node, a list of the nodes that its edges lead to. The lists of all nodes are
/// concatenated in a single vector.
#[derive(Clone, Debug, Default)]
struct Edges {
    /// The position in `nodes` at which each node's list ends.
    ends: Vec<usize>,
    nodes: Vec<Node>,
}

impl Edges {
    fn of(&self, node: Node) -> &[Node] {
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.nodes[start..self.ends[node]]
    }

    /// Returns the edges in the opposite direction, where the list of each node is in ascending order.
    fn reversed(&self) -> Edges {
        let mut ends = vec![0; self.ends.len()];
        for target in &self.nodes {
            ends[*target] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            // `ends` serves as write position first: each entry starts at the beginning of its list, and reaches the
            // end after all edges are written.
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
    /// Builds the control flow graph of a method's code, up to the first undecodable instruction.
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

    /// Returns the instruction that starts at a pc.
    pub(crate) fn node(&self, pc: Pc) -> Option<Node> {
        let node = *self.starts.get(pc.index())?;
        (node != NONE).then_some(node as usize)
    }

    /// Returns the number of instructions in the method.
    pub(crate) fn len(&self) -> usize {
        self.insns.len()
    }

    /// Returns the number of instructions and edges, which is the number of steps to visit all of them.
    pub(crate) fn size(&self) -> usize {
        self.insns.len() + self.successors.nodes.len()
    }

    /// Returns an instruction.
    pub(crate) fn insn(&self, node: Node) -> &Insn<'a> {
        &self.insns[node]
    }

    /// Returns the instructions to which execution can continue after an instruction.
    pub(crate) fn successors(&self, node: Node) -> &[Node] {
        self.successors.of(node)
    }

    /// Returns the instructions from which execution can come to an instruction.
    pub(crate) fn predecessors(&self, node: Node) -> &[Node] {
        self.predecessors.of(node)
    }

    /// Returns whether paths neither split nor join at an instruction. Every loop that execution can enter has an
    /// instruction at which they do.
    pub(crate) fn is_straight(&self, node: Node) -> bool {
        self.predecessors(node).len() == 1 && self.successors(node).len() == 1
    }

    /// Returns for each instruction whether it is reachable from the start of the method.
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

    /// Returns whether a strongly connected component is a loop: it has several instructions, or a single instruction
    /// with an edge to itself.
    pub(crate) fn is_loop(&self, component: &[Node]) -> bool {
        match component {
            [only] => self.successors(*only).contains(only),
            _ => true,
        }
    }
}

/// Returns the pcs at which execution can continue after an instruction.
fn next_pcs(insn: &Insn<'_>) -> impl Iterator<Item = u16> {
    let next = insn
        .opcode
        .falls_through()
        .then(|| i64::from(insn.next_pc()));
    next.into_iter()
        .chain(insn.targets())
        .filter_map(|target| u16::try_from(target).ok())
}
