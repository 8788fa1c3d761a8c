//! Lowering: turns the instructions of a verified method into ops that work on registers.
//!
//! One pass over the code, with an operand stack of what is known of each value instead of the values;
//! `docs/linked-form.md` tells how.

mod action;
mod bound;
mod branch;
mod compute;
mod constant;
mod element;
mod emit;
mod error;
mod laid;
mod member;
mod reach;
mod stack;
mod switch;

use crate::classfile::Code;
use crate::id::FieldId;
use crate::id::Pc;
use crate::insn::RawInsn;
use crate::insn::raw_instructions;
use crate::op::Op;
use crate::program::{Mark, MarkState, ValueKind};
use crate::variant;

pub use bound::{CodeCounts, count_code};
pub(crate) use bound::{FAR_OPS, is_far};
pub(crate) use constant::Constants;
pub(crate) use emit::Emitter;
pub(crate) use error::LowerError;
use reach::reach;
use stack::{Entry, Stack, Value};

/// What a method is lowered from.
pub(crate) struct Source<'a> {
    pub(crate) code: Code<'a>,
    /// What is left of a value that it returns.
    pub(crate) result: ValueKind,
    pub(crate) has_receiver: bool,
}

/// Lowers a method. Leaves out instructions that no path reaches.
///
/// # Errors
/// An instruction is not what a verified method has. Then `pc` is where it is.
#[inline(never)]
pub(crate) fn lower(
    source: &Source<'_>,
    constants: &mut Constants<'_, '_, '_>,
    marks: &mut [Mark],
    out: &mut Emitter<'_>,
    pc: &mut Pc,
) -> Result<(), LowerError> {
    let code = &source.code;
    let marks = marks.get_mut(..code.bytes.len()).ok_or(LowerError::Count)?;
    let locals = u8::try_from(code.max_locals).map_err(|_| LowerError::Count)?;
    let most = u8::try_from(code.max_stack).map_err(|_| LowerError::Count)?;
    locals.checked_add(most).ok_or(LowerError::Count)?;
    let keeps_this = reach(source, constants, marks, pc)?;
    let entry = out.ops.count();
    out.begin();
    let is_far = is_far(entry, code.bytes.len());
    let mut values = [Value::Placed; stack::PLACES];
    let mut body = Body {
        result: source.result,
        constants,
        marks,
        out,
        stack: Stack::new(&mut values, locals),
        is_live: false,
        is_far,
        keeps_this,
    };
    let mut insns = raw_instructions(code.bytes);
    for insn in &mut insns {
        *pc = insn.pc;
        if variant::SMALL {
            body.instruction_out_of_line(insn)?;
        } else {
            body.instruction(insn)?;
        }
    }
    if let Some(stopped_at) = insns.stopped_at() {
        *pc = stopped_at;
        return Err(LowerError::Code);
    }
    branch::resolve(out, marks, entry)?;
    if variant::THREADED {
        out.pair(entry);
    }
    Ok(())
}

/// A method while it is lowered.
struct Body<'b, 's, 'v, 'a, 'p> {
    /// What is left of a value that it returns.
    result: ValueKind,
    constants: &'b mut Constants<'s, 'v, 'a>,
    marks: &'b mut [Mark],
    out: &'b mut Emitter<'p>,
    stack: Stack<'b>,
    /// Whether the instruction before leads to the next.
    is_live: bool,
    is_far: bool,
    /// Whether local variable 0 holds the receiver all along.
    keeps_this: bool,
}

impl Body<'_, '_, '_, '_, '_> {
    /// Does as `instruction`. Inlined there, the code would be larger.
    #[inline(never)]
    fn instruction_out_of_line(&mut self, insn: RawInsn<'_>) -> Result<(), LowerError> {
        self.instruction(insn)
    }

    fn instruction(&mut self, insn: RawInsn<'_>) -> Result<(), LowerError> {
        let mark = self.marks.get(insn.pc.index()).copied().unwrap_or_default();
        if mark.state == MarkState::Unreached {
            return Ok(());
        }
        if mark.state == MarkState::Leader {
            self.lead(insn.pc, mark);
        }
        if !self.is_live {
            return Err(LowerError::Stack);
        }
        self.out.place(insn.pc);
        self.lower(insn);
        self.out.done()
    }

    /// Makes a place that branches lead to: every value is where all ways to it have put it.
    fn lead(&mut self, pc: Pc, mark: Mark) {
        if self.is_live {
            self.flush();
        }
        self.is_live = true;
        self.stack.reset(mark.depth);
        self.out.keep();
        if let Some(mark) = self.marks.get_mut(pc.index()) {
            // Fewer than two for each byte of a file of 1 MiB, or linking has failed before.
            mark.op = u32::try_from(self.out.ops.count()).unwrap_or(u32::MAX);
            mark.index = self.out.index;
            mark.state = MarkState::Placed;
        }
    }

    /// Ends a way: what follows is reached by a branch or not at all.
    fn end_path(&mut self) {
        self.is_live = false;
        self.stack.reset(0);
    }

    /// Returns the register of the local variable that an instruction names.
    ///
    /// Refuses registers behind those of the method. They are not cleared when the method is called, so that they
    /// hold what an earlier call left there.
    fn local(&mut self, insn: RawInsn<'_>) -> u8 {
        match u8::try_from(insn.local()) {
            Ok(local) if self.stack.is_local(local) => local,
            _ => {
                self.out.refuse(LowerError::Count);
                0
            }
        }
    }

    /// Returns a register that holds a value; a constant goes to the one of its place.
    fn operand(&mut self, entry: Entry) -> u8 {
        match entry.value {
            Value::Placed => {}
            Value::Register(register) => return register,
            Value::Sum(register, plus) => self.out.sum(entry.place, register, plus),
            Value::Field(field) => self.out.field(entry.place, field),
            Value::Constant(value) => self.out.constant(entry.place, value),
        }
        entry.place
    }

    fn pop_operand(&mut self) -> u8 {
        let entry = self.stack.pop();
        self.operand(entry)
    }

    /// Puts the value at a place of the stack into the register of that place.
    fn settle(&mut self, at: u8) {
        let Entry { place, value } = self.stack.entry(at);
        match value {
            Value::Placed => {}
            Value::Register(register) => self.out.copy(place, register),
            Value::Sum(register, plus) => self.out.sum(place, register, plus),
            Value::Field(field) => self.out.field(place, field),
            Value::Constant(value) => self.out.constant(place, value),
        }
        self.stack.place(at);
    }

    /// Puts every value into its place, from the bottom: one may be a copy of another below it.
    fn flush(&mut self) {
        (0..self.stack.depth()).for_each(|at| self.settle(at));
    }

    /// Puts into their places the values whose load from a local variable was put off, before it
    /// changes.
    fn save(&mut self, local: u8) {
        for at in 0..self.stack.depth() {
            match self.stack.entry(at).value {
                Value::Register(register) | Value::Sum(register, _) if register == local => {
                    self.settle(at);
                }
                _ => {}
            }
        }
    }

    /// Puts into their places the values whose load from a field was put off, before it changes.
    pub(super) fn save_fields(&mut self, changes: impl Fn(FieldId) -> bool) {
        if !variant::THREADED {
            return;
        }
        for at in 0..self.stack.depth() {
            match self.stack.entry(at).value {
                Value::Field(field) if changes(field) => self.settle(at),
                _ => {}
            }
        }
    }

    /// Lays down what computes the next value of the stack.
    fn push_result(&mut self, mut op: Op) {
        op.a = self.stack.push(Value::Placed);
        self.out.perform(op);
    }
}
