//! Ops that are run together with the next one: how often programs execute both.

use std::collections::{BTreeMap, BTreeSet};

use jive_core::{ClassFile, MethodId, Program};

use super::corpus::Counted;
use super::sequence::Total;

/// Two ops, one behind the other, by name.
pub(super) type Names = [&'static str; 2];

/// The ops of one class.
#[derive(Clone, Debug, Default)]
pub(super) struct Together {
    /// All ops.
    pub(super) ops: Total,
    /// Those that the next one may follow.
    pub(super) pairs: BTreeMap<Names, Total>,
}

impl Together {
    /// Counts a program of whose class each instruction was executed so often, by method and pc.
    pub(super) fn count(class: ClassFile<'_>, program: &Program<'_>, visits: &[Vec<u64>]) -> Self {
        let mut found = Together::default();
        for method in class.methods() {
            let executed = executed(program, method.id, &visits[method.id.index()]);
            let linked = program.method(method.id).expect("a method of the class");
            let ops = &program.ops()[linked.ops()];
            executed.iter().for_each(|&count| found.ops.add(count));
            for (ops, counts) in ops.windows(2).zip(executed.windows(2)) {
                if ops[0].goes_on() {
                    // Whoever comes to the second has executed the first, or has jumped there.
                    let names = [ops[0].name(), ops[1].name()];
                    let both = counts[0].min(counts[1]);
                    found.pairs.entry(names).or_default().add(both);
                }
            }
        }
        found
    }
}

/// Returns the list of ops that programs execute one behind the other: for each the next ones.
#[must_use]
pub fn pairs(programs: &[Counted]) -> String {
    const WIDTH: usize = 100;
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for [first, second] in programs.iter().flat_map(Counted::pairs) {
        found.entry(first).or_default().insert(second);
    }
    let mut text = String::new();
    for (first, seconds) in found {
        let mut line = format!("{first}:");
        for second in seconds {
            if line.len() + second.len() >= WIDTH {
                text.push_str(&line);
                line = "\n   ".to_owned();
            }
            line.push(' ');
            line.push_str(second);
        }
        text.push_str(&line);
        text.push_str(";\n");
    }
    text
}

/// Returns how often each op of a method was executed.
fn executed(program: &Program<'_>, method: MethodId, visits: &[u64]) -> Vec<u64> {
    let linked = program.method(method).expect("a method of the class");
    let origins = linked.ops().map(|op| {
        let op = u32::try_from(op).expect("an index of an op");
        program.origin(method, op).expect("an op of the method")
    });
    let origins: Vec<_> = origins.collect();
    let performed = |at: usize| visits[origins[at].pc.index()];
    let count = |at: usize| {
        if origins[at].instructions > 0 {
            return performed(at);
        }
        // What only moves a value stands behind one instruction and before another, and is executed with both
        // unless a branch leads in between.
        let next = (at..origins.len()).find(|&next| origins[next].instructions > 0);
        next.map_or(performed(at), |next| performed(at).min(performed(next)))
    };
    (0..origins.len()).map(count).collect()
}
