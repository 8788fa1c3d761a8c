//! Ops as they are laid down, with the number of instructions that are done behind each.

use super::error::LowerError;
use super::laid::Laid;
use crate::id::FieldId;
use crate::id::Pc;
use crate::op::{Op, OpKind, Shape};
use crate::program::SwitchCase;
use crate::variant;

/// The parts of a program that grow op by op.
pub(crate) struct Emitter<'p> {
    pub(crate) ops: Laid<'p, Op>,
    /// One for each op.
    pub(crate) ends: Laid<'p, u16>,
    pub(crate) places: Laid<'p, Pc>,
    pub(crate) switches: Laid<'p, SwitchCase>,
    /// Instructions of the method that have been lowered.
    pub(super) index: u16,
    /// The number laid down last: numbers do not fall, so that what fuel allows can be searched for.
    end: u16,
    /// No op before this one may be changed any more: it may be reached on another way.
    barrier: usize,
    /// Whether the last op may be changed and writes one register and nothing else.
    is_value: bool,
    /// What keeps the method from being lowered, if anything does: noted where it is found, asked for
    /// behind each instruction.
    error: Option<LowerError>,
}

impl<'p> Emitter<'p> {
    pub(crate) const fn new(
        ops: &'p mut [Op],
        ends: &'p mut [u16],
        places: &'p mut [Pc],
        switches: &'p mut [SwitchCase],
    ) -> Self {
        Self {
            ops: Laid::new(ops),
            ends: Laid::new(ends),
            places: Laid::new(places),
            switches: Laid::new(switches),
            index: 0,
            end: 0,
            barrier: 0,
            is_value: false,
            error: None,
        }
    }

    /// Returns what was laid down: ops, ends, places and rows of switches.
    pub(crate) fn into_parts(self) -> (&'p [Op], &'p [u16], &'p [Pc], &'p [SwitchCase]) {
        (
            self.ops.into_slice(),
            self.ends.into_slice(),
            self.places.into_slice(),
            self.switches.into_slice(),
        )
    }

    /// Begins a method.
    pub(super) const fn begin(&mut self) {
        self.index = 0;
        self.end = 0;
        self.keep();
    }

    /// Notes that the method cannot be lowered; what is laid down from then on does not matter.
    pub(super) const fn refuse(&mut self, error: LowerError) {
        self.error = Some(error);
    }

    /// Notes where an instruction lies that is lowered next.
    pub(super) fn place(&mut self, pc: Pc) {
        if !self.places.push(pc) {
            self.refuse(LowerError::Count);
        }
    }

    /// Ends an instruction.
    ///
    /// # Errors
    /// What was refused.
    pub(super) fn done(&mut self) -> Result<(), LowerError> {
        // A method has fewer instructions than 2^16, each taking a byte at least.
        self.index = self.index.wrapping_add(1);
        self.error.map_or(Ok(()), Err)
    }

    /// Lays down an op that performs the instruction.
    pub(super) fn perform(&mut self, op: Op) {
        self.lay(op, self.index.saturating_add(1));
    }

    /// Lays down an op that only puts a value somewhere, before the instruction.
    pub(super) fn prepare(&mut self, op: Op) {
        self.lay(op, self.index);
    }

    fn lay(&mut self, mut op: Op, end: u16) {
        if variant::THREADED
            && let Some(register) = self.written()
            && (op.a == register || op.b == register || op.c() == register)
        {
            take(&mut op, register);
        }
        self.end = self.end.max(end);
        // `link` was lent as many as `program_size` counted, which is as many as there can be.
        if !(self.ops.push(op) && self.ends.push(self.end)) {
            return self.refuse(LowerError::Count);
        }
        self.is_value = op.kind.shape() == Shape::Value;
    }

    /// Lets ops from one on run together with the next, where there is a kind for both.
    pub(super) fn pair(&mut self, first: usize) {
        let mut ops = self.ops.from(first);
        while let [op, behind @ ..] = ops {
            if let Some(next) = behind.first()
                && let Some(both) = op.kind.then(next.kind)
            {
                op.kind = both;
            }
            ops = behind;
        }
    }

    /// Keeps what has been laid down as it is.
    pub(super) const fn keep(&mut self) {
        self.barrier = self.ops.count();
        self.is_value = false;
    }

    /// Returns the register that the last op writes, if that may be changed and writes nothing else.
    fn written(&self) -> Option<u8> {
        if !self.is_value {
            return None;
        }
        self.ops.as_slice().last().map(|op| op.a)
    }

    /// Returns the last op, if it may be changed.
    pub(super) fn last(&mut self) -> Option<&mut Op> {
        let is_behind = self.ops.count() > self.barrier;
        self.ops.last_mut().filter(|_| is_behind)
    }

    /// Returns the last op, if it may be changed and writes this register and nothing else.
    pub(super) fn writer(&mut self, register: u8) -> Option<&mut Op> {
        let is_value = self.is_value;
        self.ops
            .last_mut()
            .filter(|op| is_value && op.a == register)
    }

    /// Takes the last op back. What it stood for, the next one will.
    pub(super) fn take_back(&mut self) {
        self.ops.pop();
        self.ends.pop();
        self.is_value = self
            .last()
            .is_some_and(|op| op.kind.shape() == Shape::Value);
    }

    /// Lays down a sum of a register and a constant that goes to that register.
    pub(super) fn count(&mut self, register: u8, by: i16) {
        if variant::THREADED
            && let Some(&mut last) = self.last()
            && last.kind == OpKind::Move
            && last.b == register
            // Two stores of a variable to itself leave a copy to itself, which would undo the sum.
            && last.a != register
        {
            self.take_back();
            let op = Op::new(OpKind::PostIncrement, last.a, last.b, by.into());
            return self.perform(op);
        }
        let op = Op::new(OpKind::AddConst, register, register, by.into());
        self.perform(op);
    }

    /// If the last two ops load a field into a register and add a constant there, removes them. Returns the op that
    /// does both and stores the sum in the field.
    pub(super) fn take_back_sum(&mut self, register: u8, field: FieldId) -> Option<Op> {
        let number = u8::try_from(field.0).ok()?;
        let behind = self.ops.as_slice().get(self.barrier..)?;
        let [.., load, sum] = behind else {
            return None;
        };
        let loads = *load == Op::new(OpKind::GetField, register, 0, field.0.into());
        let constant = sum.imm();
        if !loads || *sum != Op::new(OpKind::AddConstTaken, register, register, constant) {
            return None;
        }
        self.take_back();
        self.take_back();
        Some(Op::new(OpKind::AddToField, register, number, constant))
    }

    /// Adds a row of a switch.
    pub(super) fn row(&mut self, key: i32, target: i64) {
        let row = SwitchCase {
            key,
            // Until the method is whole, the pc: a target that `reach` has seen.
            target: u32::try_from(target).unwrap_or(u32::MAX),
            cost: 0,
        };
        if !self.switches.push(row) {
            self.refuse(LowerError::Count);
        }
    }

    /// Lays down a load of a constant into a register.
    pub(super) fn constant(&mut self, register: u8, value: i32) {
        self.prepare(Op::new(OpKind::Const, register, 0, value));
    }

    /// Lays down a sum of a register and a constant.
    pub(super) fn sum(&mut self, to: u8, from: u8, plus: i32) {
        self.prepare(Op::new(OpKind::AddConst, to, from, plus));
    }

    /// Lays down a load of a field.
    pub(super) fn field(&mut self, register: u8, field: FieldId) {
        self.prepare(Op::new(OpKind::GetField, register, 0, field.0.into()));
    }

    /// Lays down a copy of a register into another.
    pub(super) fn copy(&mut self, to: u8, from: u8) {
        self.prepare(Op::new(OpKind::Move, to, from, 0));
    }
}

/// Lets an op have an operand from the op before, which computes it and always precedes.
#[inline(never)]
fn take(op: &mut Op, register: u8) {
    let is_commutative = matches!(
        op.kind,
        OpKind::Add | OpKind::Multiply | OpKind::And | OpKind::Or | OpKind::Xor
    );
    if is_commutative && op.c() == register {
        *op = Op::of_three(op.kind, op.a, op.c(), op.b);
    }
    let is_symmetric = matches!(op.kind, OpKind::IfEqual | OpKind::IfNotEqual);
    if is_symmetric && op.b == register {
        (op.a, op.b) = (op.b, op.a);
    }
    let taken = |letter, number| match number == register {
        true => op.kind.taken(letter),
        false => None,
    };
    let taken = taken('b', op.b)
        .or_else(|| taken('c', op.c()))
        .or_else(|| taken('a', op.a));
    op.kind = taken.unwrap_or(op.kind);
}
