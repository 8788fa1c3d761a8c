//! Switches: a search by branches where it is short, an op that looks the case up where not.
//!
//! Where a case is looked up, all that follows waits for the place that was found; branches are predicted.

use super::Body;
use super::bound::{RANGES, search_ops};
use super::branch::{Condition, GOTO};
use super::error::LowerError;
use super::stack::{Entry, Value};
use crate::insn::Operand;
use crate::insn::RawInsn;
use crate::op::{Op, OpKind};

/// All `int`s, cut into ranges that lead to one target each.
#[derive(Debug)]
struct Ranges {
    /// The first key of each, ascending, and the pc of its target.
    ranges: [(i32, u16); RANGES],
    count: usize,
}

impl Ranges {
    /// Cuts them by cases, whose keys ascend; `None` where there are too many ranges.
    fn of(default: u16, cases: impl Iterator<Item = (i32, u16)>) -> Option<Self> {
        let mut ranges = Self {
            ranges: [(i32::MIN, default); RANGES],
            count: 1,
        };
        // The first key behind the last case, unless that has the last key there is.
        let mut behind = Some(i32::MIN);
        for (key, target) in cases {
            let gap = behind.filter(|&behind| behind <= key)?;
            if gap < key {
                ranges.cut(gap, default)?;
            }
            ranges.cut(key, target)?;
            behind = key.checked_add(1);
        }
        if let Some(gap) = behind {
            ranges.cut(gap, default)?;
        }
        Some(ranges)
    }

    /// Lets keys from one on lead to a target.
    fn cut(&mut self, first: i32, target: u16) -> Option<()> {
        let last = self.ranges.get_mut(self.count.checked_sub(1)?)?;
        if last.0 == first {
            last.1 = target;
        } else if last.1 != target {
            *self.ranges.get_mut(self.count)? = (first, target);
            self.count = self.count.saturating_add(1);
        }
        Some(())
    }

    fn as_slice(&self) -> &[(i32, u16)] {
        self.ranges.get(..self.count).unwrap_or_default()
    }
}

/// What a search asks: a register, and another for constants that a branch does not hold.
#[derive(Copy, Clone)]
struct Key {
    register: u8,
    spare: u8,
}

impl Body<'_, '_, '_, '_, '_> {
    pub(super) fn switch(&mut self, insn: RawInsn<'_>) {
        let entry = self.stack.pop();
        let key = self.operand(entry);
        self.flush();
        let (kind, lowest, default, rows) = match insn.decode().map(|insn| insn.operand) {
            Some(Operand::TableSwitch(table)) => (
                OpKind::TableSwitch,
                table.low(),
                table.default(),
                table.cases(),
            ),
            Some(Operand::LookupSwitch(lookup)) => {
                (OpKind::LookupSwitch, 0, lookup.default(), lookup.cases())
            }
            _ => return self.out.refuse(LowerError::Opcode),
        };
        // The rows are there in any case: what a program takes is the same on every processor.
        let first = self.out.switches.count();
        self.out.row(lowest, default);
        for (key, target) in rows.clone() {
            self.out.row(key, target);
        }
        let laid = self.out.switches.count().wrapping_sub(first);
        // Targets are within the code, as `reach` has seen.
        let pc = |target: i64| u16::try_from(target).unwrap_or(u16::MAX);
        if search_ops(laid) > 0
            && !self.is_far
            && let Some(ranges) =
                Ranges::of(pc(default), rows.map(|(key, target)| (key, pc(target))))
        {
            let key = Key {
                register: key,
                // A method has at most 255 registers, so there is one behind them.
                spare: entry.place.wrapping_add((key == entry.place).into()),
            };
            self.search(key, ranges.as_slice());
        } else {
            // A case takes four bytes of code, of which a method has less than 2^16, and a file 2^20.
            let op = match (u16::try_from(laid.wrapping_sub(1)), i32::try_from(first)) {
                (Ok(cases), Ok(first)) => Op::switch(kind, key, cases, first),
                _ => None,
            };
            match op {
                Some(op) => self.out.perform(op),
                None => self.out.refuse(LowerError::Count),
            }
        }
        self.end_path();
    }

    /// Goes to the target of the range in which a key lies.
    fn search(&mut self, key: Key, ranges: &[(i32, u16)]) {
        match ranges.split_at(ranges.len() / 2) {
            ([], [(_, target)]) => self.out.perform(GOTO.with_high(*target)),
            ([(_, below)], [(first, target), (behind, above)])
                if below == above && first.wrapping_add(1) == *behind =>
            {
                let asked = self.ask(key, Condition::EQUAL, *first);
                self.conditional(asked, *target);
                self.out.perform(GOTO.with_high(*below));
            }
            ([(_, target)], right @ [(first, _), ..]) => {
                let asked = self.ask(key, Condition::LESS, *first);
                self.conditional(asked, *target);
                self.search(key, right);
            }
            (left, [(first, target)]) => {
                let asked = self.ask(key, Condition::NOT_LESS, *first);
                self.conditional(asked, *target);
                self.search(key, left);
            }
            (left, right @ [(first, _), ..]) => {
                let ([onward, ..], op) = self.ask(key, Condition::LESS, *first);
                let at = self.out.ops.count();
                self.out.perform(op.of_kind(onward));
                self.search(key, right);
                // Below 2^16, where code is not far; and `perform` has refused what had no room.
                let behind = u16::try_from(self.out.ops.count());
                match (behind, self.out.ops.get_mut(at)) {
                    (Ok(target), Some(op)) => *op = op.within(target),
                    _ => self.out.refuse(LowerError::Count),
                }
                self.out.keep();
                self.search(key, left);
            }
            (_, []) => {}
        }
    }

    /// Returns what compares a key with a constant.
    fn ask(&mut self, key: Key, condition: Condition, constant: i32) -> ([OpKind; 3], Op) {
        let second = Entry {
            place: key.spare,
            value: Value::Constant(constant),
        };
        self.compared(condition, key.register, second, false)
    }
}
