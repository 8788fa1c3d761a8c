//! Lowering: turns the instructions of a verified method into ops that work on registers.
//!
//! One pass over the code, with an operand stack of what is known of each value instead of the values;
//! `docs/linked-form.md` tells how.

mod branch;
mod broken;
mod constant;
mod emit;
mod laid;
mod member;
mod plain;
mod reach;
mod stack;
mod switch;

use crate::array_kind::ArrayKind;
use crate::classfile::Code;
#[cfg(threaded)]
use crate::id::FieldId;
use crate::id::Pc;
use crate::insn::Operand;
use crate::interp::{Op, OpKind};
use crate::link::LinkErrorKind;
use crate::opcode::{Opcode, OperandLayout};
use crate::program::{Mark, MarkState, ValueKind};
use crate::raw::RawInsn;
use crate::walk::raw_instructions;

pub(crate) use branch::is_far;
use broken::Broken;
pub(crate) use constant::Constants;
pub(crate) use emit::Emitter;
use reach::{is_load, reach};
use stack::{Entry, Stack, Value};
pub(crate) use switch::search_ops;

/// What a method is lowered from.
pub(crate) struct Source<'a> {
    pub(crate) code: Code<'a>,
    /// What is left of a value that it returns.
    pub(crate) result: ValueKind,
    pub(crate) has_receiver: bool,
}

/// How many ops a branch makes at most that may go far.
pub(crate) const FAR_OPS: usize = 3;

/// How many ops an instruction makes at most, unless it may go far.
///
/// One that puts a value on the stack makes one, at once or when the value is wanted in its place; one
/// that does something makes one. What narrows a value first or tests a receiver makes two.
pub(crate) const fn most_ops(opcode: Opcode) -> usize {
    match opcode {
        Opcode::DupX1
        | Opcode::DupX2
        | Opcode::Dup2
        | Opcode::Putstatic
        | Opcode::Getfield
        | Opcode::Ireturn
        | Opcode::Invokespecial
        | Opcode::Invokevirtual => 2,
        Opcode::Dup2X1 | Opcode::Dup2X2 | Opcode::Putfield => 3,
        _ => 1,
    }
}

/// Returns how many rows of the switch table an instruction of this operand makes.
pub(crate) fn switch_rows(operand: &Operand<'_>) -> usize {
    let cases = operand.cases();
    cases.map_or(0, |cases| cases.len().saturating_add(1))
}

/// Lowers a method.
///
/// What no path reaches is left out.
///
/// # Errors
/// Where an instruction is not what a verified method has, with its place.
pub(crate) fn lower(
    source: &Source<'_>,
    constants: &mut Constants<'_, '_, '_>,
    marks: &mut [Mark],
    out: &mut Emitter<'_>,
) -> Result<(), (Pc, LinkErrorKind)> {
    let mut pc = Pc(0);
    lower_method(source, constants, marks, out, &mut pc)
        .map_err(|broken| (pc, broken.at(&source.code, pc)))
}

/// Lowers a method; where it cannot, `pc` tells the instruction.
#[cfg_attr(threaded, inline(never))]
fn lower_method(
    source: &Source<'_>,
    constants: &mut Constants<'_, '_, '_>,
    marks: &mut [Mark],
    out: &mut Emitter<'_>,
    pc: &mut Pc,
) -> Result<(), Broken> {
    let code = &source.code;
    let marks = marks.get_mut(..code.bytes.len()).ok_or(Broken::Count)?;
    let locals = u8::try_from(code.max_locals).map_err(|_| Broken::Count)?;
    let most = u8::try_from(code.max_stack).map_err(|_| Broken::Count)?;
    locals.checked_add(most).ok_or(Broken::Count)?;
    let keeps_this = reach(source, constants, marks, pc)?;
    let entry = out.ops.count();
    out.begin();
    let is_far = is_far(entry, code.bytes.len());
    let mut values = [Value::Placed; stack::PLACES];
    let mut body = Body {
        result: source.result,
        code: code.bytes,
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
        body.instruction(insn)?;
    }
    if let Some(stopped_at) = insns.stopped_at() {
        *pc = stopped_at;
        return Err(Broken::Code);
    }
    branch::resolve(out, marks, entry)?;
    #[cfg(threaded)]
    out.pair(entry);
    Ok(())
}

/// How an op names an element of an array: by its kind, a register or a field for the array, and more.
enum Element {
    /// A constant.
    At(OpKind, u8, i32),
    /// A register, and an offset to add.
    Of(OpKind, u8, u8, i16),
}

/// A method while it is lowered.
struct Body<'b, 's, 'v, 'a, 'p> {
    /// What is left of a value that it returns.
    result: ValueKind,
    code: &'b [u8],
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
    #[cfg_attr(small, inline(never))]
    fn instruction(&mut self, insn: RawInsn<'_>) -> Result<(), Broken> {
        let mark = self.marks.get(insn.pc.index()).copied().unwrap_or_default();
        if mark.state == MarkState::Unreached {
            return Ok(());
        }
        if mark.state == MarkState::Leader {
            self.lead(insn.pc, mark);
        }
        if !self.is_live {
            return Err(Broken::Stack);
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

    fn lower(&mut self, insn: RawInsn<'_>) {
        let opcode = insn.opcode();
        match insn.layout() {
            OperandLayout::None => self.plain(opcode),
            OperandLayout::ImplicitInt(_) | OperandLayout::Byte | OperandLayout::Short => {
                self.stack.push(Value::Constant(insn.int()));
            }
            OperandLayout::ImplicitLocal(_) | OperandLayout::Local => {
                let local = self.local(insn.local());
                if is_load(opcode) {
                    self.stack.push(Value::Register(local));
                } else {
                    self.store_local(local);
                }
            }
            OperandLayout::LocalIncrement => {
                let local = self.local(insn.local());
                self.save(local);
                self.out.count(local, insn.increment());
            }
            OperandLayout::Constant | OperandLayout::ConstantByte => {
                self.constant(opcode, insn.constant());
            }
            OperandLayout::Branch | OperandLayout::BranchWide => self.branch(insn),
            OperandLayout::TableSwitch | OperandLayout::LookupSwitch => self.switch(insn),
            OperandLayout::ArrayType => {
                let code = insn.array_type();
                if ArrayKind::from_newarray_code(code).is_none() {
                    self.out.refuse(Broken::Descriptor);
                }
                self.unary(OpKind::NewArray, code.into());
            }
            OperandLayout::InvokeInterface
            | OperandLayout::InvokeDynamic
            | OperandLayout::MultiArray
            | OperandLayout::Wide => self.out.refuse(Broken::Opcode),
        }
    }

    /// Returns the register of a local variable.
    ///
    /// Registers behind those of the method are not cleared when it is called, so that code which names
    /// one would see what an earlier call left there.
    fn local(&mut self, local: u16) -> u8 {
        match u8::try_from(local) {
            Ok(local) if self.stack.is_local(local) => local,
            _ => {
                self.out.refuse(Broken::Count);
                0
            }
        }
    }

    // Operands.

    /// Returns a register that holds a value; a constant goes to the one of its place.
    fn operand(&mut self, entry: Entry) -> u8 {
        match entry.value {
            Value::Placed => {}
            Value::Register(register) => return register,
            Value::Sum(register, plus) => self.out.sum(entry.place, register, plus),
            #[cfg(threaded)]
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
            #[cfg(threaded)]
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
    #[cfg(threaded)]
    pub(super) fn save_fields(&mut self, changes: impl Fn(FieldId) -> bool) {
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

    // Computing.

    fn unary(&mut self, kind: OpKind, constant: i32) {
        let operand = self.pop_operand();
        self.push_result(Op::new(kind, 0, operand, constant));
    }

    fn binary(&mut self, kind: OpKind) {
        let second = self.stack.pop();
        let first = self.pop_operand();
        let second = self.operand(second);
        self.push_result(Op::of_three(kind, 0, first, second));
    }

    fn with_constant(&mut self, kind: OpKind, constant: OpKind) {
        let Entry {
            value: Value::Constant(value),
            ..
        } = self.stack.top()
        else {
            return self.binary(kind);
        };
        self.stack.pop_many(1);
        self.unary(constant, value)
    }

    fn commutative(&mut self, kind: OpKind, constant: OpKind) {
        let second = self.stack.pop();
        let first = self.stack.pop();
        match (first.value, second.value) {
            (_, Value::Constant(value)) => {
                let operand = self.operand(first);
                self.push_result(Op::new(constant, 0, operand, value));
            }
            (Value::Constant(value), _) => {
                let operand = self.operand(second);
                self.push_result(Op::new(constant, 0, operand, value));
            }
            _ => {
                let (first, second) = (self.operand(first), self.operand(second));
                self.push_result(Op::of_three(kind, 0, first, second));
            }
        }
    }

    fn subtract(&mut self) {
        let Value::Constant(value) = self.stack.top().value else {
            return self.binary(OpKind::Subtract);
        };
        self.stack.pop_many(1);
        let first = self.stack.pop();
        self.add_constant(first, value.wrapping_neg())
    }

    fn add(&mut self) {
        let second = self.stack.pop();
        let first = self.stack.pop();
        match (first.value, second.value) {
            (_, Value::Constant(value)) => self.add_constant(first, value),
            (Value::Constant(value), _) => self.add_constant(second, value),
            _ => {
                let (first, second) = (self.operand(first), self.operand(second));
                self.push_result(Op::of_three(OpKind::Add, 0, first, second));
            }
        }
    }

    /// Adds a constant, later if it can be: an array takes it with its index.
    fn add_constant(&mut self, entry: Entry, plus: i32) {
        let sum = match entry.value {
            Value::Register(register) if self.stack.is_local(register) => {
                Value::Sum(register, plus)
            }
            Value::Sum(register, before) => Value::Sum(register, before.wrapping_add(plus)),
            _ => {
                let operand = self.operand(entry);
                return self.push_result(Op::new(OpKind::AddConst, 0, operand, plus));
            }
        };
        self.stack.push(sum);
    }

    /// A byte of an array that is wanted without its sign is loaded so.
    fn and(&mut self) {
        let mask = self.stack.top().value;
        let below = self.stack.entry(self.stack.depth().wrapping_sub(2));
        if matches!(mask, Value::Constant(0xff))
            && let Entry {
                place,
                value: Value::Placed,
            } = below
            && let Some(load) = self.out.writer(place)
            && let Some(unsigned) = load.kind.without_sign()
        {
            load.kind = unsigned;
            return self.stack.pop_many(1);
        }
        self.commutative(OpKind::And, OpKind::AndConst)
    }

    // Moving values.

    /// Moves the topmost values below those under them, as many as are counted together.
    fn rotate(&mut self, moved: u8, count: u8) {
        let depth = self.stack.depth();
        let first = depth.wrapping_sub(count);
        (first..depth).for_each(|at| self.settle(at));
        let lowest = self.stack.register(first);
        let op = Op::of_three(OpKind::Rotate, lowest, count, moved);
        self.out.perform(op);
    }

    fn store_local(&mut self, local: u8) {
        let entry = self.stack.pop();
        self.save(local);
        let op = match entry.value {
            Value::Register(from) if from == local => return,
            Value::Register(from) => Op::new(OpKind::Move, local, from, 0),
            Value::Sum(from, plus) => Op::new(OpKind::AddConst, local, from, plus),
            #[cfg(threaded)]
            Value::Field(field) => Op::new(OpKind::GetField, local, 0, field.0.into()),
            Value::Constant(value) => Op::new(OpKind::Const, local, 0, value),
            Value::Placed => {
                if let Some(writer) = self.out.writer(entry.place) {
                    writer.a = local;
                    return;
                }
                Op::new(OpKind::Move, local, entry.place, 0)
            }
        };
        self.out.perform(op);
    }

    /// Stores into an array, which drops `dropped` bits of a value: to narrow it before is idle.
    fn store_element(&mut self, kind: OpKind, dropped: i32) {
        let value = self.stack.pop();
        let narrowed = match (value.value, self.out.writer(value.place)) {
            (Value::Placed, Some(op))
                if op.kind.plain() == OpKind::Narrow && op.imm() <= dropped =>
            {
                Some(op.b)
            }
            _ => None,
        };
        if narrowed.is_some() {
            self.out.take_back();
        }
        let element = self.element(kind);
        let value = match narrowed {
            Some(register) => register,
            None => self.operand(value),
        };
        self.out.perform(match element {
            Element::At(kind, array, constant) => Op::new(kind, array, value, constant),
            Element::Of(kind, array, register, offset) => {
                Op::with_offset(kind, array, register, value, offset)
            }
        });
    }

    fn load_element(&mut self, kind: OpKind) {
        let op = match self.element(kind) {
            Element::At(kind, array, constant) => Op::new(kind, 0, array, constant),
            Element::Of(kind, array, register, offset) => {
                Op::with_offset(kind, 0, array, register, offset)
            }
        };
        self.push_result(op);
    }

    /// Pops an element and its array; answers how to name them.
    fn element(&mut self, kind: OpKind) -> Element {
        let element = self.stack.pop();
        let array = self.stack.pop();
        if let (Value::Constant(value), Some(kind)) = (element.value, kind.at_constant()) {
            return Element::At(kind, self.operand(array), value);
        }
        let (kind, array) = self.array(kind, array);
        match element.value {
            Value::Sum(register, plus) if let Ok(offset) = i16::try_from(plus) => {
                Element::Of(kind, array, register, offset)
            }
            _ => Element::Of(kind, array, self.operand(element), 0),
        }
    }

    /// Returns how to name an array: the kind of op, and a register or the field that holds it.
    fn array(&mut self, kind: OpKind, array: Entry) -> (OpKind, u8) {
        #[cfg(threaded)]
        if let Value::Field(field) = array.value
            && let (Some(kind), Ok(field)) = (kind.in_field(), u8::try_from(field.0))
        {
            return (kind, field);
        }
        (kind, self.operand(array))
    }
}
