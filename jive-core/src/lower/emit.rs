//! Emits ops into lent memory, and rewrites the last op where one op can do the work of two (peephole optimisation).

use core::marker::PhantomData;

use super::error::LowerError;
use super::linking::Linking;
use super::slice_vec::SliceVec;
use crate::id::FieldId;
use crate::id::Pc;
use crate::op::{Op, OpKind, Shape};
use crate::program::SwitchCase;
use crate::variant;

/// The tables of a program that lowering fills.
pub(crate) struct Emitter<'p, L> {
    pub(crate) ops: SliceVec<'p, Op>,
    /// For each op, how many instructions of its method the straight path has executed when the op is done.
    pub(crate) ends: SliceVec<'p, u16>,
    /// The pc of each instruction.
    pub(crate) places: SliceVec<'p, Pc>,
    /// The rows of switches.
    pub(crate) switches: SliceVec<'p, SwitchCase>,
    /// How many instructions of the method have been lowered.
    pub(super) index: u16,
    /// The last element of `ends`. The elements of `ends` for a method never decrease, because the interpreter searches
    /// them.
    end: u16,
    /// The first op of the current basic block. Ops before this op must not be changed, because a branch may skip them.
    barrier: usize,
    /// Whether the last op is in the current basic block and has the shape [`Shape::Value`].
    is_value: bool,
    /// The reason why the method cannot be lowered, if one was found. Lowering checks `error` after each instruction,
    /// so that not every step of lowering returns a `Result`.
    error: Option<LowerError>,
    linking: PhantomData<L>,
}

impl<'p, L: Linking> Emitter<'p, L> {
    /// Whether the threaded variant runs the ops, and no other has to.
    pub(super) const THREADED: bool = variant::THREADED && !L::PORTABLE;

    pub(crate) const fn new(
        ops: &'p mut [Op],
        ends: &'p mut [u16],
        places: &'p mut [Pc],
        switches: &'p mut [SwitchCase],
    ) -> Self {
        Self {
            ops: SliceVec::new(ops),
            ends: SliceVec::new(ends),
            places: SliceVec::new(places),
            switches: SliceVec::new(switches),
            index: 0,
            end: 0,
            barrier: 0,
            is_value: false,
            error: None,
            linking: PhantomData,
        }
    }

    /// Returns the filled parts of the tables: ops, ends, places and rows of switches.
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

    /// Records that the method cannot be lowered. Ops that are emitted after an error have no meaning.
    pub(super) const fn refuse(&mut self, error: LowerError) {
        self.error = Some(error);
    }

    /// Records the pc of the instruction that is lowered next.
    pub(super) fn place(&mut self, pc: Pc) {
        if !self.places.push(pc) {
            self.refuse(LowerError::Count);
        }
    }

    /// Ends an instruction.
    ///
    /// # Errors
    ///
    /// Returns the recorded error if the method cannot be lowered.
    pub(super) fn done(&mut self) -> Result<(), LowerError> {
        // An instruction has at least one byte, so a method has fewer than 2^16 instructions.
        self.index = self.index.wrapping_add(1);
        self.error.map_or(Ok(()), Err)
    }

    /// Emits the op that performs the current instruction.
    pub(super) fn perform(&mut self, op: Op) {
        self.push_op(op, self.index.saturating_add(1));
    }

    /// Emits an op that moves a value before the current instruction is performed. An op that only moves a value costs
    /// no fuel of its own.
    pub(super) fn prepare(&mut self, op: Op) {
        self.push_op(op, self.index);
    }

    /// Emits an op. The emitted op reads an operand from the accumulator, if the previous op computes that operand.
    fn push_op(&mut self, mut op: Op, end: u16) {
        if Self::THREADED
            && let Some(register) = self.written()
            && (op.a == register || op.b == register || op.c() == register)
        {
            take(&mut op, register);
        }
        self.end = self.end.max(end);
        // `program_size` returns the maximum number of ops, so pushing an op fails only if the caller lent less memory.
        if !(self.ops.push(op) && self.ends.push(self.end)) {
            return self.refuse(LowerError::Count);
        }
        self.is_value = op.kind.shape_alone() == Shape::Value;
    }

    /// Ends the basic block: lowering does not change any op emitted so far.
    pub(super) const fn keep(&mut self) {
        self.barrier = self.ops.count();
        self.is_value = false;
    }

    /// Returns the register to which the last op writes its computed value. Returns `None` if the last op is not in the
    /// current basic block or computes no value.
    fn written(&self) -> Option<u8> {
        if !self.is_value {
            return None;
        }
        self.ops.as_slice().last().map(|op| op.a)
    }

    /// Returns the last op, if it is in the current basic block.
    pub(super) fn last(&mut self) -> Option<&mut Op> {
        let is_behind = self.ops.count() > self.barrier;
        self.ops.last_mut().filter(|_| is_behind)
    }

    /// Returns the last op, if the op is in the current basic block, computes a value and writes the value to this
    /// register. `AddToField` and `PostIncrement` also write a field or another register.
    pub(super) fn writer(&mut self, register: u8) -> Option<&mut Op> {
        let is_value = self.is_value;
        self.ops
            .last_mut()
            .filter(|op| is_value && op.a == register)
    }

    /// Removes the last op. The next op that is emitted stands for the removed op's instructions too.
    pub(super) fn take_back(&mut self) {
        self.ops.pop();
        self.ends.pop();
        self.is_value = self
            .last()
            .is_some_and(|op| op.kind.shape_alone() == Shape::Value);
    }

    /// Emits an addition of a constant to a register: `iinc`.
    ///
    /// If the previous op copies the register, as in `a[i++]`, one op does both the copy and the addition.
    pub(super) fn count(&mut self, register: u8, by: i16) {
        if Self::THREADED
            && let Some(&mut last) = self.last()
            && last.kind == OpKind::Move
            && last.b == register
            // A store of a variable to itself may have emitted a `Move` from `register` to `register`. As a
            // `PostIncrement`, that copy would overwrite the sum.
            && last.a != register
        {
            self.take_back();
            let op = Op::new(OpKind::PostIncrement, last.a, last.b, by.into());
            return self.perform(op);
        }
        let op = Op::new(OpKind::AddConst, register, register, by.into());
        self.perform(op);
    }

    /// If the last two ops load a field into a register and add a constant to that register, removes these two ops.
    /// Returns an op that loads the field, adds the constant, and stores the sum in the field.
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

    /// Adds a row to the switch table.
    pub(super) fn row(&mut self, key: i32, target: i64) {
        let row = SwitchCase {
            key,
            // The target is a pc here, which `reach` has checked. `finish` replaces the target's pc by the index of
            // the target's op.
            target: u32::try_from(target).unwrap_or(u32::MAX),
            cost: 0,
        };
        if !self.switches.push(row) {
            self.refuse(LowerError::Count);
        }
    }

    /// Emits a load of a constant into a register.
    pub(super) fn constant(&mut self, register: u8, value: i32) {
        self.prepare(Op::new(OpKind::Const, register, 0, value));
    }

    /// Emits the addition of a constant to a register, with the result in another register.
    pub(super) fn sum(&mut self, to: u8, from: u8, plus: i32) {
        self.prepare(Op::new(OpKind::AddConst, to, from, plus));
    }

    /// Emits a load of a field.
    pub(super) fn field(&mut self, register: u8, field: FieldId) {
        self.prepare(Op::new(OpKind::GetField, register, 0, field.0.into()));
    }

    /// Emits a copy of a register.
    pub(super) fn copy(&mut self, to: u8, from: u8) {
        self.prepare(Op::new(OpKind::Move, to, from, 0));
    }
}

/// Makes an op read the accumulator in place of `register`, which the previous op writes, if a kind exists for that
/// operand.
///
/// The operands of a commutative op are swapped if necessary: most such ops can read only one operand from the
/// accumulator.
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
