//! What a watched call has in its local variables, on its operand stack and in its fields before each instruction.
//!
//! The interpreter runs ops, and an op stands for several instructions, so the values of an operand stack may be nowhere
//! in memory, and a local variable may have its next value already. A [`Replay`] executes the reported instructions once
//! more, on local variables and operand stacks of its own. It takes everything else from the interpreter, before each op:
//! arguments, the results of natives, fields and arrays.

use jive_core::{
    Action, ArrayKind, BinaryOperator, ClassFile, Code, Constant, ConstantSource, FieldId, Heap,
    Insn, MemberAccess, MemberRef, MethodDescriptor, MethodId, Operand, Pc, StackChange,
    UnaryOperator, Values, decode,
};

/// A method that is running, before its next instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The method.
    pub method: MethodId,
    /// The next instruction. In a method that calls another one, the call.
    pub pc: Pc,
    /// The local variables. The value of a reference is that of the heap.
    pub locals: Vec<i32>,
    /// The operand stack, from the bottom.
    pub stack: Vec<i32>,
}

/// The state of a call before an instruction.
#[derive(Copy, Clone, Debug)]
pub struct Moment<'r> {
    /// The running methods, outermost first.
    pub frames: &'r [Frame],
    /// The fields, by their id.
    pub fields: &'r [i32],
    /// The arrays.
    pub heap: &'r Heap<'r>,
}

/// Follows the calls of an instance, one at a time.
#[derive(Debug)]
pub struct Replay<'c> {
    class: ClassFile<'c>,
    frames: Vec<Frame>,
    fields: Vec<i32>,
}

impl<'c> Replay<'c> {
    /// Follows calls of a class that the verifier has accepted.
    #[must_use]
    pub const fn new(class: ClassFile<'c>) -> Replay<'c> {
        Replay {
            class,
            frames: Vec::new(),
            fields: Vec::new(),
        }
    }

    /// Begins a call from outside.
    pub fn begin(&mut self) {
        self.frames.clear();
    }

    /// Takes a report of [`Watcher::executed`](jive_core::Watcher::executed), and shows `visit` the state before each
    /// instruction.
    pub fn executed(
        &mut self,
        depth: u32,
        method: MethodId,
        instructions: &[Pc],
        before: Values<'_>,
        mut visit: impl FnMut(Moment<'_>),
    ) {
        let found = self.class.method(method);
        let Some(code) = found.and_then(|method| method.code()) else {
            return;
        };
        self.fields.clear();
        self.fields.extend_from_slice(before.fields());
        self.enter(depth, method, &code, before);
        for pc in instructions {
            if let Some(frame) = self.frames.last_mut() {
                frame.pc = *pc;
            }
            visit(Moment {
                frames: &self.frames,
                fields: &self.fields,
                heap: before.heap(),
            });
            let Ok(insn) = decode(code.bytes, *pc) else {
                return;
            };
            if let Action::Return(result) = insn.action() {
                self.leave(result.is_some());
            } else if let Some(frame) = self.frames.last_mut() {
                let mut step = Step {
                    class: self.class,
                    frame,
                    fields: &mut self.fields,
                    heap: before.heap(),
                };
                step.execute(&insn);
            }
        }
    }

    /// Leaves a method, and pushes its result in the method that has called it.
    fn leave(&mut self, has_result: bool) {
        let Some(mut frame) = self.frames.pop() else {
            return;
        };
        let method = self.class.method(frame.method);
        let descriptor = method.map_or(&[][..], |method| method.descriptor.as_bytes());
        let kind = descriptor.rsplit(|byte| *byte == b')').next();
        let kind = kind.and_then(|result| result.first()).copied();
        if let Some(caller) = self.frames.last_mut().filter(|_| has_result) {
            caller
                .stack
                .push(narrowed(kind.unwrap_or(b'I'), frame.pop()));
        }
    }

    /// Enters a method that was called, or leaves those that a trap has ended.
    fn enter(&mut self, depth: u32, method: MethodId, code: &Code<'_>, before: Values<'_>) {
        let depth = depth as usize;
        self.frames.truncate(depth);
        while self.frames.len() < depth {
            self.frames.push(Frame {
                method,
                locals: (0..code.max_locals).map(|at| before.register(at)).collect(),
                ..Frame::default()
            });
        }
        if let (Some(frame), Some(answer)) = (self.frames.last_mut(), before.answer()) {
            frame.stack.push(answer);
        }
    }
}

impl Frame {
    fn pop(&mut self) -> i32 {
        self.stack.pop().unwrap_or(0)
    }

    /// Pops some operands. The deepest comes first.
    fn pop_many(&mut self, count: usize) -> Vec<i32> {
        let rest = self.stack.len().saturating_sub(count);
        self.stack.split_off(rest)
    }
}

/// One instruction on the values of its method. An instruction that traps pushes anything, because its call is over.
struct Step<'s, 'c> {
    class: ClassFile<'c>,
    frame: &'s mut Frame,
    fields: &'s mut [i32],
    heap: &'s Heap<'s>,
}

impl Step<'_, '_> {
    fn execute(&mut self, insn: &Insn<'_>) {
        match (insn.action(), insn.operand) {
            (Action::Constant(source), operand) => {
                let value = self.constant(source, operand);
                self.frame.stack.push(value);
            }
            (Action::Load(_), Operand::Local(local)) => {
                let value = self.frame.locals.get(usize::from(local));
                self.frame.stack.push(value.copied().unwrap_or(0));
            }
            (Action::Store(_), Operand::Local(local)) => {
                let value = self.frame.pop();
                if let Some(place) = self.frame.locals.get_mut(usize::from(local)) {
                    *place = value;
                }
            }
            (Action::Increment, Operand::LocalIncrement { local, by }) => {
                if let Some(place) = self.frame.locals.get_mut(usize::from(local)) {
                    *place = place.wrapping_add(by.into());
                }
            }
            (Action::Shuffle(shuffle), _) => {
                let taken = self.frame.pop_many(shuffle.pops().into());
                let of_depth = |depth: u8| taken.iter().rev().nth(depth.into());
                let pushed = shuffle.pushes().filter_map(of_depth);
                self.frame.stack.extend(pushed);
            }
            (Action::Unary(operator), _) => {
                let value = unary(operator, self.frame.pop());
                self.frame.stack.push(value);
            }
            (Action::Binary(operator), _) => {
                let (second, first) = (self.frame.pop(), self.frame.pop());
                self.frame.stack.push(binary(operator, first, second));
            }
            (Action::Member(usage), Operand::Constant(index)) => {
                if let Ok(member) = self.class.pool().member(index) {
                    self.member(usage.access(), !usage.is_static(), &member);
                }
            }
            (Action::LoadElement(_), _) => {
                let (index, array) = (self.frame.pop(), self.frame.pop());
                let value = element(self.heap, array, index).unwrap_or(0);
                self.frame.stack.push(value);
            }
            (Action::NewArray, _) => {
                self.frame.pop();
                // The interpreter puts a new array behind all others.
                self.frame.stack.push(self.heap.next_reference());
            }
            (Action::ArrayLength, _) => {
                let array = self.heap.array(self.frame.pop());
                let length = array.map_or(0, |array| array.length.cast_signed());
                self.frame.stack.push(length);
            }
            (action, _) => {
                if let StackChange::Counts { pops, .. } = action.stack_change() {
                    self.frame.pop_many(pops.into());
                }
            }
        }
    }

    fn constant(&self, source: ConstantSource, operand: Operand<'_>) -> i32 {
        match (source, operand) {
            (ConstantSource::Immediate, Operand::Int(value)) => value,
            (ConstantSource::Pool, Operand::Constant(index)) => {
                match self.class.pool().get(index) {
                    Ok(Constant::Integer(value)) => value,
                    _ => 0,
                }
            }
            _ => 0,
        }
    }

    fn member(&mut self, access: MemberAccess, has_receiver: bool, member: &MemberRef<'_>) {
        let receivers = usize::from(has_receiver);
        match access {
            MemberAccess::Call => self.call(receivers, member),
            MemberAccess::Load => {
                self.frame.pop_many(receivers);
                let field = self.field(member);
                let value = field.and_then(|(id, _)| self.fields.get(id.index()));
                self.frame.stack.push(value.copied().unwrap_or(0));
            }
            MemberAccess::Store => {
                let value = self.frame.pop();
                self.frame.pop_many(receivers);
                if let Some((id, kind)) = self.field(member)
                    && let Some(place) = self.fields.get_mut(id.index())
                {
                    *place = narrowed(kind, value);
                }
            }
        }
    }

    fn call(&mut self, receivers: usize, member: &MemberRef<'_>) {
        let Ok(descriptor) = MethodDescriptor::parse(member.descriptor.as_bytes()) else {
            return;
        };
        self.frame
            .pop_many(receivers + descriptor.parameters().count());
    }

    /// Returns the field that an instruction names, and the first byte of its descriptor.
    fn field(&self, member: &MemberRef<'_>) -> Option<(FieldId, u8)> {
        let mut fields = self.class.fields();
        let field = fields
            .find(|field| field.name == member.name && field.descriptor == member.descriptor)?;
        Some((field.id, *field.descriptor.as_bytes().first()?))
    }
}

/// Returns an element of an array, if the array has it.
fn element(heap: &Heap<'_>, array: i32, index: i32) -> Option<i32> {
    let kind = heap.array(array)?.kind;
    let bytes = heap.bytes(array)?;
    elements(kind, bytes).nth(usize::try_from(index).ok()?)
}

/// Visits the elements of an array of this kind that has these bytes.
pub fn elements(kind: ArrayKind, bytes: &[u8]) -> impl Iterator<Item = i32> {
    bytes
        .chunks_exact(kind.width().into())
        .map(|element| match *element {
            [byte] => i32::from(byte.cast_signed()),
            [low, high] => i16::from_le_bytes([low, high]).into(),
            [a, b, c, d] => i32::from_le_bytes([a, b, c, d]),
            _ => 0,
        })
}

/// Narrows a value to the type that begins with this byte of its descriptor (docs/subset.md).
fn narrowed(kind: u8, value: i32) -> i32 {
    match kind {
        b'Z' => value & 1,
        b'B' => unary(UnaryOperator::ToByte, value),
        b'S' => unary(UnaryOperator::ToShort, value),
        _ => value,
    }
}

fn unary(operator: UnaryOperator, value: i32) -> i32 {
    match operator {
        UnaryOperator::Negate => value.wrapping_neg(),
        UnaryOperator::ToByte => value << 24 >> 24,
        UnaryOperator::ToShort => value << 16 >> 16,
    }
}

fn binary(operator: BinaryOperator, first: i32, second: i32) -> i32 {
    // A shift takes the lowest five bits of the second operand, as wrapping shifts do.
    let shift = second.cast_unsigned();
    match operator {
        BinaryOperator::Add => first.wrapping_add(second),
        BinaryOperator::Subtract => first.wrapping_sub(second),
        BinaryOperator::Multiply => first.wrapping_mul(second),
        BinaryOperator::Divide => match second {
            0 => 0,
            second => first.wrapping_div(second),
        },
        BinaryOperator::Remainder => match second {
            0 => 0,
            second => first.wrapping_rem(second),
        },
        BinaryOperator::ShiftLeft => first.wrapping_shl(shift),
        BinaryOperator::ShiftRight => first.wrapping_shr(shift),
        BinaryOperator::ShiftRightUnsigned => {
            first.cast_unsigned().wrapping_shr(shift).cast_signed()
        }
        BinaryOperator::And => first & second,
        BinaryOperator::Or => first | second,
        BinaryOperator::Xor => first ^ second,
    }
}
