//! Lowering of arithmetic, of stack shuffles, and of stores to local variables.

use super::Body;
use super::linking::Linking;
use super::stack::{Entry, Value};
use crate::op::{Op, OpKind};
use crate::opcode::{BinaryOperator, UnaryOperator};

impl<L: Linking> Body<'_, '_, '_, '_, '_, L> {
    pub(super) fn unary_operator(&mut self, operator: UnaryOperator) {
        // The constant of a `Narrow` op is the number of high bits that the op replaces by copies of the sign.
        let (kind, constant) = match operator {
            UnaryOperator::Negate => (OpKind::Negate, 0),
            UnaryOperator::ToByte => (OpKind::Narrow, 24),
            UnaryOperator::ToShort => (OpKind::Narrow, 16),
        };
        self.unary(kind, constant);
    }

    pub(super) fn binary_operator(&mut self, operator: BinaryOperator) {
        use BinaryOperator as B;
        use OpKind as K;
        match operator {
            B::Add => self.add(),
            B::Subtract => self.subtract(),
            B::Multiply => self.commutative(K::Multiply, K::MultiplyConst),
            // No kind of op divides by a constant, because lowering would need a second test for a divisor of 0.
            B::Divide => self.binary(K::Divide),
            B::Remainder => self.binary(K::Remainder),
            B::ShiftLeft => self.with_constant(K::ShiftLeft, K::ShiftLeftConst),
            B::ShiftRight => self.with_constant(K::ShiftRight, K::ShiftRightConst),
            B::ShiftRightUnsigned => {
                self.with_constant(K::ShiftRightUnsigned, K::ShiftRightUnsignedConst);
            }
            B::And => self.and(),
            B::Or => self.commutative(K::Or, K::OrConst),
            B::Xor => self.commutative(K::Xor, K::XorConst),
        }
    }

    pub(super) fn unary(&mut self, kind: OpKind, constant: i32) {
        let operand = self.pop_operand();
        self.push_result(Op::new(kind, 0, operand, constant));
    }

    fn binary(&mut self, kind: OpKind) {
        let second = self.stack.pop();
        let first = self.pop_operand();
        let second = self.operand(second);
        self.push_result(Op::of_three(kind, 0, first, second));
    }

    /// Lowers a binary operator that has a kind of op for a constant second operand.
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

    /// Lowers a commutative operator that has a kind of op for a constant operand.
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

    /// Lowers the addition of a constant. The addition to a local variable is deferred, because an op that accesses an
    /// array can add a constant to the index at no cost.
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

    /// Lowers `iand`. If `iand` clears all but the low eight bits of a byte that was just loaded (`a[i] & 0xff`), the
    /// load becomes one of an unsigned byte.
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

    /// Moves the topmost `moved` of the topmost `count` values below the others.
    pub(super) fn rotate(&mut self, moved: u8, count: u8) {
        let depth = self.stack.depth();
        let first = depth.wrapping_sub(count);
        (first..depth).for_each(|at| self.settle(at));
        let lowest = self.stack.register(first);
        let op = Op::of_three(OpKind::Rotate, lowest, count, moved);
        self.out.perform(op);
    }

    /// Pops a value into a local variable. If the last op computed the popped value, that op writes its result to the
    /// local variable's register instead.
    pub(super) fn store_local(&mut self, local: u8) {
        let entry = self.stack.pop();
        self.save(local);
        let op = match entry.value {
            Value::Register(from) if from == local => return,
            Value::Register(from) => Op::new(OpKind::Move, local, from, 0),
            Value::Sum(from, plus) => Op::new(OpKind::AddConst, local, from, plus),
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
}
