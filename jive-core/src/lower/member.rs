//! Lowering of instructions that use the constant pool: constants, fields, methods and natives.

use super::Body;
use super::error::LowerError;
use super::linking::Linking;
use super::stack::{Entry, Value};
use crate::array_kind::ArrayKind;
use crate::id::{CpIndex, FieldId, MethodId, NativeId};
use crate::op::{Op, OpKind};
use crate::opcode::{MemberAccess, MemberUse};
use crate::program::{Meaning, ValueKind};

impl<L: Linking> Body<'_, '_, '_, '_, '_, L> {
    /// Lowers the push of a constant from the constant pool.
    pub(super) fn pool_constant(&mut self, index: CpIndex) {
        match self.constants.meaning(index) {
            Ok(Meaning::Int(value)) => {
                self.stack.push(Value::Constant(value));
            }
            Ok(
                Meaning::Field { .. }
                | Meaning::Method { .. }
                | Meaning::Native { .. }
                | Meaning::Nothing,
            ) => self.out.refuse(LowerError::Constant),
            Err(error) => self.out.refuse(error),
        }
    }

    /// Lowers the use of a field, method or native.
    pub(super) fn member(&mut self, usage: MemberUse, index: CpIndex) {
        let meaning = match self.constants.meaning(index) {
            Ok(meaning) => meaning,
            Err(error) => return self.out.refuse(error),
        };
        match (meaning, usage.access()) {
            (Meaning::Field { field, .. }, MemberAccess::Load) => {
                self.pop_receiver(usage);
                self.get_field(field);
            }
            (Meaning::Field { field, kind }, MemberAccess::Store) => {
                let value = self.stack.pop();
                self.pop_receiver(usage);
                self.put_field(field, kind, value);
            }
            (
                Meaning::Method { .. } | Meaning::Native { .. } | Meaning::Nothing,
                MemberAccess::Call,
            ) => self.invoke(meaning),
            (
                Meaning::Int(_)
                | Meaning::Method { .. }
                | Meaning::Native { .. }
                | Meaning::Nothing,
                MemberAccess::Load | MemberAccess::Store,
            )
            | (Meaning::Int(_) | Meaning::Field { .. }, MemberAccess::Call) => {
                self.out.refuse(LowerError::Constant);
            }
        }
    }

    /// Pops the receiver of an instance field, and emits a test of the receiver for null.
    fn pop_receiver(&mut self, usage: MemberUse) {
        if !usage.is_static() {
            let receiver = self.stack.pop();
            self.reject_null(receiver);
        }
    }

    /// Emits a test of a receiver for null, unless it is the method's own receiver, which is not null.
    fn reject_null(&mut self, receiver: Entry) {
        if self.keeps_this && matches!(receiver.value, Value::Register(0)) {
            return;
        }
        let register = self.operand(receiver);
        let op = Op::new(OpKind::RejectNull, register, 0, 0);
        self.out.perform(op);
    }

    /// Pushes the value of a field. In the threaded variant, the field is loaded when an op needs its value.
    fn get_field(&mut self, field: FieldId) {
        if Self::THREADED {
            self.stack.push(Value::Field(field));
        } else {
            self.push_result(Op::new(OpKind::GetField, 0, 0, field.0.into()));
        }
    }

    /// Stores a value in a field. Special kinds of ops store a constant, or the field's old value plus a constant.
    fn put_field(&mut self, field: FieldId, kind: ValueKind, value: Entry) {
        if Self::THREADED
            && let Value::Constant(value) = value.value
        {
            self.save_fields(|other| other == field);
            let op = Op::with_number(OpKind::PutConst, field.0, kind.narrow(value));
            return self.out.perform(op);
        }
        let register = self.narrowed(value, kind);
        let op = match kind {
            ValueKind::Reference => OpKind::PutReference,
            ValueKind::Int | ValueKind::Byte | ValueKind::Short | ValueKind::Boolean => {
                OpKind::PutField
            }
        };
        self.save_fields(|other| other == field);
        if Self::THREADED
            && let Some(op) = self.out.take_back_sum(register, field)
        {
            return self.out.perform(op);
        }
        self.out.perform(Op::new(op, register, 0, field.0.into()));
    }

    /// Pushes the length of an array.
    pub(super) fn length(&mut self) {
        if Self::THREADED
            && let Value::Field(field) = self.stack.top().value
        {
            self.stack.pop_many(1);
            let op = Op::new(OpKind::FieldLength, 0, 0, field.0.into());
            return self.push_result(op);
        }
        self.unary(OpKind::ArrayLength, 0);
    }

    /// Returns a register that contains the value, narrowed to a type (JVMS §6.5.putfield, §6.5.ireturn).
    fn narrowed(&mut self, entry: Entry, kind: ValueKind) -> u8 {
        if let Value::Constant(value) = entry.value {
            self.out.constant(entry.place, kind.narrow(value));
            return entry.place;
        }
        let (op, constant) = match kind {
            ValueKind::Int | ValueKind::Reference => return self.operand(entry),
            ValueKind::Byte => (OpKind::Narrow, 24),
            ValueKind::Short => (OpKind::Narrow, 16),
            ValueKind::Boolean => (OpKind::AndConst, 1),
        };
        let register = self.operand(entry);
        // Compilers emit `i2b` and `i2s` before instructions that narrow a value, so the value is often narrow already.
        let before = self.out.writer(register);
        if before.is_some_and(|before| before.kind.plain() == op && before.imm() == constant) {
            return register;
        }
        self.out
            .prepare(Op::new(op, entry.place, register, constant));
        entry.place
    }

    pub(super) fn return_value(&mut self) {
        let entry = self.stack.pop();
        let done = self.out.index.saturating_add(1);
        let op = if let Value::Constant(value) = entry.value {
            Op::with_number(OpKind::ReturnConst, done, self.result.narrow(value))
        } else {
            let register = self.narrowed(entry, self.result);
            Op::new(OpKind::ReturnValue, register, 0, 0).with_high(done)
        };
        self.out.perform(op);
        self.end_path();
    }

    fn invoke(&mut self, meaning: Meaning) {
        match meaning {
            Meaning::Nothing => self.stack.pop_many(1),
            Meaning::Method {
                id,
                arguments,
                has_receiver,
                has_result,
            } => {
                let first = self.arguments(arguments, has_receiver);
                self.call(first, id);
                self.push_outcome(has_result);
            }
            Meaning::Native {
                id,
                arguments,
                has_receiver,
                has_result,
            } => {
                if L::COLLECTED && id.allocates().is_some() {
                    return self.out.refuse(LowerError::Count);
                }
                let values = arguments.saturating_add(has_receiver.into());
                let result = self.arguments(values, has_receiver);
                let first = result.saturating_add(has_receiver.into());
                self.native(result, first, arguments, id, has_result);
                self.push_outcome(has_result);
            }
            Meaning::Int(_) | Meaning::Field { .. } => self.out.refuse(LowerError::Constant),
        }
    }

    /// Allocates an array by a native of a reserved number, at which a run stops.
    pub(super) fn allocate(&mut self, kind: ArrayKind) {
        let length = self.arguments(1, false);
        self.native(length, length, 1, NativeId::allocating(kind), true);
        self.push_outcome(true);
    }

    /// Settles and pops the arguments of a call, including the receiver. Returns the register of the first argument.
    fn arguments(&mut self, count: u8, has_receiver: bool) -> u8 {
        let depth = self.stack.depth();
        let first = depth.wrapping_sub(count);
        let receiver = self.stack.entry(first);
        // A collector also looks for the values below the arguments.
        let lowest = if L::COLLECTED { 0 } else { first };
        (lowest..depth).for_each(|at| self.settle(at));
        if has_receiver {
            self.reject_null(receiver);
        }
        self.stack.pop_many(count);
        // The callee may change any field, so values that are described by fields are loaded before the call.
        self.save_fields(|_| true);
        self.stack.register(first)
    }

    fn call(&mut self, first: u8, id: MethodId) {
        let done = self.out.index.saturating_add(1);
        let call = Op::new(OpKind::Call, first, 0, id.0.into());
        self.out.perform(call.with_high(done));
    }

    fn native(&mut self, result: u8, first: u8, arguments: u8, id: NativeId, has_result: bool) {
        let [low, high] = id.0.to_le_bytes();
        let call = i32::from_le_bytes([low, high, arguments, has_result.into()]);
        self.out
            .perform(Op::new(OpKind::Native, result, first, call));
    }

    /// Pushes the result of a call, if the call has one. The callee has written its result to the register of the first
    /// argument.
    fn push_outcome(&mut self, has_result: bool) {
        if has_result {
            self.stack.push(Value::Placed);
        }
    }
}
