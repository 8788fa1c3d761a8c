//! Control flow of one method: its instructions as nodes, where each may go, and its loops.

use jive_core::{Code, Insn, Pc, instructions};

/// An instruction of the method, by its position among them.
pub(crate) type Node = usize;

/// The instructions of a method, and the edges that execution may take between them.
///
/// Targets that start no instruction are left out, so code need not be verified.
#[derive(Clone, Debug)]
pub(crate) struct ControlFlow<'a> {
    insns: Vec<Insn<'a>>,
    successors: Vec<Vec<Node>>,
    predecessors: Vec<Vec<Node>>,
}

impl<'a> ControlFlow<'a> {
    /// Takes a method's code apart, up to what is no instruction.
    pub(crate) fn of(code: &Code<'a>) -> ControlFlow<'a> {
        let insns = instructions(code.bytes)
            .map_while(Result::ok)
            .collect::<Vec<_>>();
        let mut graph = ControlFlow {
            successors: vec![Vec::new(); insns.len()],
            predecessors: vec![Vec::new(); insns.len()],
            insns,
        };
        for node in 0..graph.insns.len() {
            let mut targets = next_pcs(&graph.insns[node])
                .filter_map(|target| graph.node(Pc(target)))
                .collect::<Vec<_>>();
            targets.sort_unstable();
            targets.dedup();
            for target in &targets {
                graph.predecessors[*target].push(node);
            }
            graph.successors[node] = targets;
        }
        graph
    }

    /// Returns the instruction that begins at a pc.
    pub(crate) fn node(&self, pc: Pc) -> Option<Node> {
        self.insns.binary_search_by_key(&pc, |insn| insn.pc).ok()
    }

    /// Returns how many instructions there are.
    pub(crate) fn len(&self) -> usize {
        self.insns.len()
    }

    /// Returns an instruction.
    pub(crate) fn insn(&self, node: Node) -> &Insn<'a> {
        &self.insns[node]
    }

    /// Returns where execution may go on behind an instruction.
    pub(crate) fn successors(&self, node: Node) -> &[Node] {
        &self.successors[node]
    }

    /// Returns from where execution may come to an instruction.
    pub(crate) fn predecessors(&self, node: Node) -> &[Node] {
        &self.predecessors[node]
    }

    /// Tells of each instruction whether a path from the method's start reaches it.
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

    /// Returns the strongly connected components of the instructions that `within` holds, each behind
    /// those that its edges lead to.
    ///
    /// Tarjan's algorithm, with a stack of its own: code may be 64 KiB deep.
    pub(crate) fn components(&self, within: &[bool]) -> Vec<Vec<Node>> {
        const NEW: usize = usize::MAX;
        let mut order = vec![NEW; self.len()];
        let mut low = vec![0; self.len()];
        let mut is_open = vec![false; self.len()];
        let mut open = Vec::new();
        let mut components = Vec::new();
        let mut counter = 0;
        for root in (0..self.len()).filter(|node| within[*node]) {
            if order[root] != NEW {
                continue;
            }
            let mut path = vec![(root, 0)];
            while let Some((node, edge)) = path.pop() {
                if edge == 0 {
                    order[node] = counter;
                    low[node] = counter;
                    counter += 1;
                    open.push(node);
                    is_open[node] = true;
                }
                if let Some(next) = self.successors(node).get(edge).copied() {
                    path.push((node, edge + 1));
                    if within[next] && order[next] == NEW {
                        path.push((next, 0));
                    } else if within[next] && is_open[next] {
                        low[node] = low[node].min(order[next]);
                    }
                    continue;
                }
                if let Some((parent, _)) = path.last() {
                    low[*parent] = low[*parent].min(low[node]);
                }
                if low[node] == order[node] {
                    let start = open.iter().rposition(|other| *other == node);
                    let component = open.split_off(start.expect("it is opened above"));
                    for member in &component {
                        is_open[*member] = false;
                    }
                    components.push(component);
                }
            }
        }
        components
    }

    /// Whether a component is a loop: more than one instruction, or one that goes to itself.
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
