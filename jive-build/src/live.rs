//! Which registers a method may still read at each op, so that leaving stores no others.

use jive_core::compiled::{Form, Source};

use crate::graph::Graph;

/// A set of registers.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Registers([u64; 4]);

impl Registers {
    pub(crate) fn insert(&mut self, register: u8) {
        self.0[usize::from(register / 64)] |= 1 << (register % 64);
    }

    pub(crate) fn remove(&mut self, register: u8) {
        self.0[usize::from(register / 64)] &= !(1 << (register % 64));
    }

    pub(crate) fn contains(&self, register: u8) -> bool {
        self.0[usize::from(register / 64)] & 1 << (register % 64) != 0
    }

    pub(crate) fn add(&mut self, other: &Registers) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |register| self.contains(*register))
    }
}

/// What calls of a method read and write.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Callee {
    pub(crate) arguments: u8,
    pub(crate) has_result: bool,
}

/// Calls `uses` with each register that an op reads, and `sets` with each that it writes.
pub(crate) fn registers(
    form: &Form<'_>,
    callees: &[Callee],
    mut uses: impl FnMut(u8),
    mut sets: impl FnMut(u8),
) {
    let source = |source: &Source, uses: &mut dyn FnMut(u8)| match source {
        Source::Register(register) => uses(*register),
        Source::Constant(_) => {}
    };
    match form {
        Form::Const { to, .. } | Form::GetField { to, .. } => sets(*to),
        Form::Move { to, from } | Form::Negate { to, from } | Form::Narrow { to, from, .. } => {
            uses(*from);
            sets(*to);
        }
        Form::Rotate { first, count, .. } => {
            for register in (0..*count).map(|at| first.wrapping_add(at)) {
                uses(register);
                sets(register);
            }
        }
        Form::Binary {
            to, left, right, ..
        } => {
            uses(*left);
            source(right, &mut uses);
            sets(*to);
        }
        Form::Load {
            to, array, index, ..
        } => {
            uses(*array);
            uses(*index);
            sets(*to);
        }
        Form::Store {
            array,
            index,
            value,
            ..
        } => {
            uses(*array);
            uses(*index);
            uses(*value);
        }
        Form::Length { to, array } => {
            uses(*array);
            sets(*to);
        }
        Form::NewArray { to, length, .. } => {
            uses(*length);
            sets(*to);
        }
        Form::RejectNull { reference } => uses(*reference),
        Form::PutField { value, .. } | Form::PutReference { value, .. } => uses(*value),
        Form::Jump(_) => {}
        Form::Branch { left, right, .. } => {
            uses(*left);
            source(right, &mut uses);
        }
        Form::Switch { key, .. } => uses(*key),
        Form::Call { method, first, .. } => {
            let Some(callee) = callees.get(usize::from(*method)) else {
                return;
            };
            (0..callee.arguments).for_each(|at| uses(first.wrapping_add(at)));
            if callee.has_result {
                sets(*first);
            }
        }
        Form::Native {
            first,
            arguments,
            result,
            ..
        } => {
            (0..*arguments).for_each(|at| uses(first.wrapping_add(at)));
            if let Some(result) = result {
                sets(*result);
            }
        }
        Form::Return { value, .. } => {
            if let Some(value) = value {
                source(value, &mut uses);
            }
        }
    }
}

/// Takes an op back: from what is read after it to what is read from it on.
fn step(form: &Form<'_>, callees: &[Callee], live: &mut Registers) {
    let mut before = *live;
    registers(form, callees, |_| {}, |register| before.remove(register));
    registers(form, callees, |register| before.insert(register), |_| {});
    *live = before;
}

/// Returns the registers that a method may read from each op on.
pub(crate) fn live(ops: &[Form<'_>], graph: &Graph, callees: &[Callee]) -> Vec<Registers> {
    let mut blocks: Vec<usize> = (0..graph.blocks.len())
        .filter(|block| graph.order[*block] != usize::MAX)
        .collect();
    blocks.sort_unstable_by_key(|block| std::cmp::Reverse(graph.order[*block]));
    let mut at_begin = vec![Registers::default(); graph.blocks.len()];
    let mut live = vec![Registers::default(); ops.len()];
    loop {
        let mut changed = false;
        for number in &blocks {
            let block = &graph.blocks[*number];
            let mut now = Registers::default();
            for next in &block.next {
                now.add(&at_begin[*next]);
            }
            for op in (block.first..block.end).rev() {
                step(&ops[op], callees, &mut now);
                live[op] = now;
            }
            if at_begin[*number] != now {
                at_begin[*number] = now;
                changed = true;
            }
        }
        if !changed {
            return live;
        }
    }
}
