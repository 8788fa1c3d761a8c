//! The control flow of a method: basic blocks, the tree of dominators, and which blocks begin loops.

use jive_core::compiled::{Form, Target};

/// A run of ops that begins at a branch target, or behind a branch, and ends before the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The first op, counted from the method's first.
    pub(crate) first: usize,
    /// The op behind the last.
    pub(crate) end: usize,
    /// The blocks that may follow, one for each place in the printed code that leads there.
    pub(crate) next: Vec<usize>,
}

/// The control flow of a method whose loops have one entrance each.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) blocks: Vec<Block>,
    /// For each block, its number in reverse postorder, or `usize::MAX` if no path leads there.
    pub(crate) order: Vec<usize>,
    /// For each block, the blocks that it dominates immediately, the last in reverse postorder first.
    pub(crate) children: Vec<Vec<usize>>,
    /// For each block, how many places lead there from blocks before it.
    pub(crate) entrances: Vec<usize>,
    /// For each block, whether a place behind it leads back there.
    pub(crate) is_loop: Vec<bool>,
    /// The blocks at which control enters from outside, besides the first.
    entries: Vec<usize>,
}

/// Why a method has no [`Graph`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoGraph {
    /// A loop has several entrances.
    Irreducible,
    /// A branch leads out of the method.
    Malformed,
}

/// Returns where an op leads besides the next op, and whether the next op may follow.
fn targets(form: &Form<'_>) -> (Vec<Target>, bool) {
    match form {
        Form::Jump(to) => (vec![*to], false),
        Form::Branch { to, .. } => (vec![*to], true),
        Form::Switch { default, cases, .. } => {
            let mut all: Vec<Target> = cases.iter().map(|case| case.to()).collect();
            all.push(default.to());
            all.sort_unstable_by_key(|to| to.op);
            all.dedup_by_key(|to| to.op);
            (all, false)
        }
        Form::Return { .. } => (Vec::new(), false),
        Form::Const { .. }
        | Form::Move { .. }
        | Form::Rotate { .. }
        | Form::Binary { .. }
        | Form::Negate { .. }
        | Form::Narrow { .. }
        | Form::Load { .. }
        | Form::Store { .. }
        | Form::Length { .. }
        | Form::NewArray { .. }
        | Form::RejectNull { .. }
        | Form::GetField { .. }
        | Form::PutField { .. }
        | Form::PutReference { .. }
        | Form::Call { .. }
        | Form::Native { .. } => (Vec::new(), true),
    }
}

/// Divides a method into blocks. Blocks begin at `entries` too.
fn blocks(ops: &[Form<'_>], entry: u32, entries: &[usize]) -> Result<Vec<Block>, NoGraph> {
    let at = |target: &Target| {
        let op = target.op.checked_sub(entry).ok_or(NoGraph::Malformed)?;
        let op = usize::try_from(op).map_err(|_| NoGraph::Malformed)?;
        if op < ops.len() {
            Ok(op)
        } else {
            Err(NoGraph::Malformed)
        }
    };
    let mut begins = vec![false; ops.len()];
    let mut flows = Vec::with_capacity(ops.len());
    for (number, form) in ops.iter().enumerate() {
        let (targets, goes_on) = targets(form);
        let targets: Vec<usize> = targets.iter().map(at).collect::<Result<_, _>>()?;
        if goes_on && number + 1 == ops.len() {
            return Err(NoGraph::Malformed);
        }
        for target in &targets {
            begins[*target] = true;
        }
        if (!targets.is_empty() || !goes_on) && number + 1 < ops.len() {
            begins[number + 1] = true;
        }
        flows.push((targets, goes_on));
    }
    *begins.first_mut().ok_or(NoGraph::Malformed)? = true;
    for entry in entries {
        *begins.get_mut(*entry).ok_or(NoGraph::Malformed)? = true;
    }
    let firsts: Vec<usize> = (0..ops.len()).filter(|op| begins[*op]).collect();
    let block_of = |op: usize| firsts.partition_point(|first| *first <= op) - 1;
    Ok(firsts
        .iter()
        .enumerate()
        .map(|(number, first)| {
            let end = firsts.get(number + 1).copied().unwrap_or(ops.len());
            let (targets, goes_on) = &flows[end - 1];
            let mut next: Vec<usize> = targets.iter().map(|op| block_of(*op)).collect();
            if *goes_on {
                next.push(number + 1);
            }
            Block {
                first: *first,
                end,
                next,
            }
        })
        .collect())
}

impl Graph {
    /// Finds the control flow of a method that begins at op `entry` of its program.
    pub(crate) fn of(ops: &[Form<'_>], entry: u32) -> Result<Graph, NoGraph> {
        Graph::of_blocks(blocks(ops, entry, &[])?)
    }

    /// Finds the control flow from some ops on, which need not have a structure: it has no dominators and no loops.
    pub(crate) fn behind(ops: &[Form<'_>], entry: u32, entries: &[usize]) -> Option<Graph> {
        let blocks = blocks(ops, entry, entries).ok()?;
        let entries: Vec<usize> = (0..blocks.len())
            .filter(|block| entries.contains(&blocks[*block].first))
            .collect();
        let reached = reverse_postorder(&blocks, &entries);
        let order = order(&blocks, &reached);
        let mut entrances = vec![0; blocks.len()];
        for to in reached.iter().flat_map(|from| &blocks[*from].next) {
            entrances[*to] += 1;
        }
        // Blocks that lead back have several entrances, or no way leads to them from outside.
        Some(Graph {
            children: vec![Vec::new(); blocks.len()],
            is_loop: vec![false; blocks.len()],
            blocks,
            order,
            entrances,
            entries,
        })
    }

    /// Returns whether control enters at the block from outside.
    pub(crate) fn is_entry(&self, block: usize) -> bool {
        self.entries.contains(&block)
    }

    /// Returns whether the block is reached from several places, or from outside.
    pub(crate) fn is_arm(&self, block: usize) -> bool {
        self.order[block] != usize::MAX && (self.is_merge(block) || self.is_entry(block))
    }

    fn of_blocks(blocks: Vec<Block>) -> Result<Graph, NoGraph> {
        let reached = reverse_postorder(&blocks, &[0]);
        let order = order(&blocks, &reached);
        let dominators = dominators(&blocks, &reached, &order);
        let mut children = vec![Vec::new(); blocks.len()];
        for block in reached.iter().skip(1).rev() {
            children[dominators[*block]].push(*block);
        }
        let mut entrances = vec![0; blocks.len()];
        let mut is_loop = vec![false; blocks.len()];
        for from in &reached {
            for to in &blocks[*from].next {
                if order[*to] > order[*from] {
                    entrances[*to] += 1;
                    continue;
                }
                // A jump back is to the only entrance of a loop if the target dominates it.
                let mut above = *from;
                while order[above] > order[*to] {
                    above = dominators[above];
                }
                if above != *to {
                    return Err(NoGraph::Irreducible);
                }
                is_loop[*to] = true;
            }
        }
        Ok(Graph {
            blocks,
            order,
            children,
            entrances,
            is_loop,
            entries: Vec::new(),
        })
    }

    /// Returns whether several places lead to the block from before it.
    pub(crate) fn is_merge(&self, block: usize) -> bool {
        self.entrances[block] > 1
    }
}

/// Returns the blocks that a path from one of the roots leads to, in reverse postorder.
fn reverse_postorder(blocks: &[Block], roots: &[usize]) -> Vec<usize> {
    let mut is_seen = vec![false; blocks.len()];
    let mut ended = Vec::with_capacity(blocks.len());
    for root in roots {
        if std::mem::replace(&mut is_seen[*root], true) {
            continue;
        }
        let mut path = vec![(*root, 0)];
        while let Some((block, next)) = path.last_mut() {
            match blocks[*block].next.get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !is_seen[to] {
                        is_seen[to] = true;
                        path.push((to, 0));
                    }
                }
                None => {
                    ended.push(*block);
                    path.pop();
                }
            }
        }
    }
    ended.reverse();
    ended
}

/// Returns the number of each block in an order, or `usize::MAX` if the block is not in it.
fn order(blocks: &[Block], reached: &[usize]) -> Vec<usize> {
    let mut order = vec![usize::MAX; blocks.len()];
    for (number, block) in reached.iter().enumerate() {
        order[*block] = number;
    }
    order
}

/// Returns the immediate dominator of each reached block (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
/// Algorithm").
fn dominators(blocks: &[Block], reached: &[usize], order: &[usize]) -> Vec<usize> {
    let mut before = vec![Vec::new(); blocks.len()];
    for from in reached {
        for to in &blocks[*from].next {
            before[*to].push(*from);
        }
    }
    let mut dominators = vec![usize::MAX; blocks.len()];
    dominators[0] = 0;
    loop {
        let mut changed = false;
        for block in reached.iter().skip(1) {
            let mut common = usize::MAX;
            for from in &before[*block] {
                if dominators[*from] == usize::MAX {
                    continue;
                }
                if common == usize::MAX {
                    common = *from;
                    continue;
                }
                let mut other = *from;
                while common != other {
                    if order[common] > order[other] {
                        common = dominators[common];
                    } else {
                        other = dominators[other];
                    }
                }
            }
            if dominators[*block] != common {
                dominators[*block] = common;
                changed = true;
            }
        }
        if !changed {
            return dominators;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(next: &[&[usize]]) -> Result<Graph, NoGraph> {
        let blocks = next.iter().enumerate().map(|(number, next)| Block {
            first: number,
            end: number + 1,
            next: next.to_vec(),
        });
        Graph::of_blocks(blocks.collect())
    }

    #[test]
    fn a_loop_of_two_entrances_is_irreducible() {
        assert_eq!(
            graph(&[&[1, 2], &[2], &[1, 3], &[]]).unwrap_err(),
            NoGraph::Irreducible
        );
    }

    #[test]
    fn a_loop_in_a_loop_has_two_headers() {
        // 0 → 1 → 2 ⇄ 3, 3 → 1, 1 → 4
        let graph = graph(&[&[1], &[2, 4], &[3], &[2, 1], &[]]).unwrap();
        assert_eq!(graph.is_loop, [false, true, true, false, false]);
        assert_eq!(
            graph.children,
            [vec![1], vec![2, 4], vec![3], vec![], vec![]]
        );
    }

    #[test]
    fn the_end_of_both_arms_is_a_child_of_the_branch() {
        let graph = graph(&[&[1, 2], &[3], &[3], &[]]).unwrap();
        assert!(graph.is_merge(3) && !graph.is_merge(1));
        assert_eq!(graph.children[0], [3, 1, 2]);
    }
}
