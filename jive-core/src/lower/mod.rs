//! Lowering: turns the instructions of a verified method into ops that work on registers.
//!
//! Lowering is one pass over the code. The operand stack of lowering has descriptions of where values are, in place of
//! values, so most loads and copies need no op. `docs/linked-form.md` describes the process.

mod action;
mod bound;
mod branch;
mod compute;
mod constant;
mod element;
mod emit;
mod error;
mod finish;
mod linking;
mod member;
mod reach;
mod slice_vec;
mod source;
mod stack;
mod switch;

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
use finish::finish;
pub(crate) use linking::{Collected, Linking, Portable, ThisBuild};
use reach::reach;
pub(crate) use source::Source;
use stack::{Entry, Stack, Value};

/// Lowers a method. Unreachable instructions get no op. What the program is linked for, `L`, decides the ops.
///
/// # Errors
///
/// Returns an error if an instruction would not occur in a verified method. After an error, `pc` is the instruction's
/// pc.
#[inline(never)]
pub(crate) fn lower<L: Linking>(
    source: &Source<'_>,
    constants: &mut Constants<'_, '_, '_>,
    marks: &mut [Mark],
    out: &mut Emitter<'_, L>,
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
    finish(out, marks, entry)
}

/// The state of lowering a method.
struct Body<'b, 's, 'v, 'a, 'p, L: Linking> {
    /// The type of the value that the method returns.
    result: ValueKind,
    constants: &'b mut Constants<'s, 'v, 'a>,
    marks: &'b mut [Mark],
    out: &'b mut Emitter<'p, L>,
    stack: Stack<'b>,
    /// Whether control falls through from the previous instruction.
    is_live: bool,
    /// Whether targets and costs of the method's branches may need more than 16 bits.
    is_far: bool,
    /// Whether local variable 0 contains the receiver throughout the method, and is therefore never null.
    keeps_this: bool,
}

impl<L: Linking> Body<'_, '_, '_, '_, '_, L> {
    /// Whether the threaded variant runs the ops, and no other has to.
    const THREADED: bool = Emitter::<L>::THREADED;

    /// Whether the small variant may run the ops.
    const SMALL: bool = variant::SMALL || L::PORTABLE;

    /// Lowers an instruction as `instruction` does, without being inlined. The small variant calls
    /// `instruction_out_of_line` because inlining costs 200 bytes. The other variants inline `instruction`, because a
    /// call costs 5 % of the instructions of loading a large class.
    #[inline(never)]
    fn instruction_out_of_line(&mut self, insn: RawInsn<'_>) -> Result<(), LowerError> {
        self.instruction(insn)
    }

    /// Lowers an instruction, if a path reaches it.
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

    /// Begins a basic block at a branch target. All paths to a branch target have put each value on the operand stack
    /// into the register of its place.
    fn lead(&mut self, pc: Pc, mark: Mark) {
        if self.is_live {
            self.flush();
        }
        self.is_live = true;
        self.stack.reset(mark.depth);
        self.out.keep();
        if let Some(mark) = self.marks.get_mut(pc.index()) {
            // The conversion cannot fail, because a file of 1 MiB makes fewer than 2³² ops.
            mark.op = u32::try_from(self.out.ops.count()).unwrap_or(u32::MAX);
            mark.index = self.out.index;
            mark.state = MarkState::Placed;
        }
    }

    /// Ends a path through the code: the next instruction is a branch target, or unreachable.
    fn end_path(&mut self) {
        self.is_live = false;
        self.stack.reset(0);
    }

    /// Returns the register of the local variable that an instruction names.
    ///
    /// Lowering refuses the number of a local variable that the method does not have. A register beyond the method's
    /// registers is not cleared at a call, so it may contain a value of another call, perhaps of another endpoint.
    fn local(&mut self, insn: RawInsn<'_>) -> u8 {
        match u8::try_from(insn.local()) {
            Ok(local) if self.stack.is_local(local) => local,
            _ => {
                self.out.refuse(LowerError::Count);
                0
            }
        }
    }

    /// Returns a register that contains the value. A value that is not in a register is moved to the register of its
    /// place.
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

    /// Pops a value, and returns a register that contains the value.
    fn pop_operand(&mut self) -> u8 {
        let entry = self.stack.pop();
        self.operand(entry)
    }

    /// Settles a value: moves it into the register of its place on the stack.
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

    /// Settles all values, from the bottom up, because a value may be a copy of a value below it.
    fn flush(&mut self) {
        (0..self.stack.depth()).for_each(|at| self.settle(at));
    }

    /// Settles all values whose descriptions name a local variable, before the variable changes.
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

    /// Settles all values whose descriptions name a field for which `changes` is true, before the field changes.
    pub(super) fn save_fields(&mut self, changes: impl Fn(FieldId) -> bool) {
        if !Self::THREADED {
            return;
        }
        for at in 0..self.stack.depth() {
            match self.stack.entry(at).value {
                Value::Field(field) if changes(field) => self.settle(at),
                _ => {}
            }
        }
    }

    /// Emits an op whose result is pushed on the stack.
    fn push_result(&mut self, mut op: Op) {
        op.a = self.stack.push(Value::Placed);
        self.out.perform(op);
    }
}
