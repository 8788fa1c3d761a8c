//! Lowering of switches: a short switch becomes a binary search of branches, any other switch an op that looks up the
//! case.
//!
//! Processors predict the branches of a binary search. After a lookup op, the next op must wait until the switch's row
//! is loaded.

use super::Body;
use super::bound::{RANGES, search_ops};
use super::branch::{Condition, GOTO};
use super::error::LowerError;
use super::linking::Linking;
use super::stack::{Entry, Value};
use crate::insn::{Insn, Operand};
use crate::op::{Op, OpKind};

/// A partition of all `int`s into ranges with one target each.
#[derive(Debug)]
struct Ranges {
    /// The first key of each range and the pc of its target, in ascending order of the keys.
    ranges: [(i32, u16); RANGES],
    count: usize,
}

impl Ranges {
    /// Makes the ranges of a switch, whose cases have ascending keys. Returns `None` if the switch has more than
    /// [`RANGES`] ranges.
    fn of(default: u16, cases: impl Iterator<Item = (i32, u16)>) -> Option<Self> {
        let mut ranges = Self {
            ranges: [(i32::MIN, default); RANGES],
            count: 1,
        };
        // The first key after the last case so far, or `None` if that case has the key `i32::MAX`.
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

    /// Sets the target of all keys from `first` on, by beginning a new range if necessary.
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

/// The key that a search looks for: its register, and a spare register for constants that do not fit in a branch.
#[derive(Copy, Clone)]
struct Key {
    register: u8,
    spare: u8,
}

impl<L: Linking> Body<'_, '_, '_, '_, '_, L> {
    pub(super) fn switch(&mut self, insn: Option<Insn<'_>>) {
        let entry = self.stack.pop();
        let key = self.operand(entry);
        self.flush();
        let (kind, lowest, default, rows) = match insn.map(|insn| insn.operand) {
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
        // The rows of the switch table are added even if a search does not need them. So a program takes the same
        // number of bytes of a NIC's memory in each variant of the interpreter.
        let first = self.out.switches.count();
        self.out.row(lowest, default);
        for (key, target) in rows.clone() {
            self.out.row(key, target);
        }
        let laid = self.out.switches.count().wrapping_sub(first);
        // The function `reach` has checked that the switch's targets are within the code.
        let pc = |target: i64| u16::try_from(target).unwrap_or(u16::MAX);
        if !Self::SMALL
            && search_ops(laid) > 0
            && !self.is_far
            && let Some(ranges) =
                Ranges::of(pc(default), rows.map(|(key, target)| (key, pc(target))))
        {
            let key = Key {
                register: key,
                // A method has at most 255 registers, so a window of 256 registers has one after the method's
                // registers.
                spare: entry.place.wrapping_add((key == entry.place).into()),
            };
            self.search(key, ranges.as_slice());
        } else {
            // Both conversions of counts succeed: a case takes four bytes of code, a method has fewer than 2^16 bytes
            // and a file at most 2^20.
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

    /// Emits a binary search for the range of a key, and jumps to the targets of the ranges.
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
                // The op's number fits in 16 bits, because the method is not far. If the memory for ops was full,
                // `perform` has recorded an error.
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

    /// Returns the kinds and the op of a branch that compares the key with a constant.
    fn ask(&mut self, key: Key, condition: Condition, constant: i32) -> ([OpKind; 3], Op) {
        let second = Entry {
            place: key.spare,
            value: Value::Constant(constant),
        };
        self.compared(condition, key.register, second, false)
    }
}
